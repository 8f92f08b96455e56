"""Scoring files into `scores.json` and `scores.parquet`; of many conversations and records, few are held at a time."""

import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from attunebench.dataset.addresses import below, files_at, local_path, send
from attunebench.dataset.load import no_conversations
from attunebench.errors import DataError, RecordError
from attunebench.protocol.calls import Strategy
from attunebench.score.blocks import tidy_blocks
from attunebench.score.cutting import Pairing
from attunebench.score.engine_local import available_cores, do_jobs
from attunebench.score.epochs import Groups, join_groups
from attunebench.score.jobs import Engine, ScoreTask
from attunebench.score.parts import Parts
from attunebench.score.record_store import RecordStore, TextStore
from attunebench.score.run_files import RECORDS_FILE, no_records
from attunebench.score.shards import ShardResult
from attunebench.score.sources import sources_of, write_sources
from attunebench.score.table import (
    SCORES_FILE,
    SHARDS_FOLDER,
    TIDY_FILE,
    Totals,
    add_up,
    any_both_orders,
    cannot_write,
    strategies_of,
    write_json,
    write_json_of_shards,
)
from attunebench.score.tidy import TableWriter

if TYPE_CHECKING:
    from attunebench.baselines import Learned
    from attunebench.score.floors import FloorScores

_FEW_BYTES = 4 * 2**20
"""Fewer bytes of records than these are scored before other processes would have started."""

Progress = Callable[[str, int, int], object]
"""Is told, again and again, of what (`records`, then `floors`) how many of how many are done."""


def score_files(
    data: str | Path,
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    workers: int | None = None,
    floors: bool = True,
    shards: bool = False,
    engine: Engine | None = None,
    progress: Progress = lambda _what, _done, _total: None,
) -> Totals:
    """Score the records of `runs` against the conversations of `data` and write all scores into the folder `out`.

    All three may be paths or addresses that fsspec knows. The numbers are those of `score_records` and `write_scores`,
    to the last bit, however many `workers` (processes; left out, as many as there are cores, or one for few records)
    share the work; scored conversations stand in the order of the data set. `floors=False` leaves out the baselines
    and all skill. With `shards`, scored conversations and their rows stay in the shards that they were scored in.

    `engine` does the work instead of this machine's processes. Its workers read and write by themselves, so that paths
    and addresses must lead all of them to the same files.

    Raises:
        DataError: with every error of every conversation, one a line; or a path does not exist.
        RecordError: with every problem of every record, one a line; or `out` cannot be written, or has shards already.
        UsageError: no installed filesystem knows an address.
    """
    files, own = files_at(data), local_path(out)
    target = own.absolute() if own else str(out)  # workers may have other working directories
    record_files = [file for run in runs for file in files_at(run, prefer=RECORDS_FILE)]
    try:
        with ExitStack() as stack:
            texts = stack.enter_context(TextStore())
            records = RecordStore(record_files, texts, remote=engine is not None)
            pairing = Pairing(files, records, texts, remote=engine is not None)
            made = Path(stack.enter_context(_temporary_folder(target)))
            parts = stack.enter_context(_parts(target, made, kept=shards, shared=engine is not None))
            few = records.bytes < _FEW_BYTES
            engine = engine or partial(do_jobs, workers=workers or (1 if few else available_cores()))
            with (made / TIDY_FILE).open("wb") as file, TableWriter(file) as table:
                collected = _Collected(parts, table)
                for result in engine(ScoreTask(parts, learn=floors), pairing.jobs()):
                    collected.add(result)
                    progress("records", collected.records, records.count)
                collected.check(data, runs, records.problems)
                found = _score_floors(engine, collected, pairing, progress)
                totals = add_up(collected.groups, found, made_up=collected.made_up)
                table.add(tidy_blocks([], totals.aggregates, totals.floors).to_table())
            written = [
                made / TIDY_FILE,
                collected.write(totals, made),
                write_sources(sources_of(data, runs, out), made),
            ]
            if found:
                written.append(_write_floors(found.values(), made))
            _deliver(written, target)
    except OSError as error:
        raise cannot_write(out, error) from error
    return totals


def _temporary_folder(out: str | Path) -> tempfile.TemporaryDirectory[str]:
    """Return a folder; where `out` is a path, which need not exist yet, one whose files can be moved there."""
    if isinstance(out, str):
        return tempfile.TemporaryDirectory(prefix="attunebench-")
    nearest = next(folder for folder in (out, *out.parents) if folder.is_dir())
    return tempfile.TemporaryDirectory(prefix=".scores-", dir=nearest)


@contextmanager
def _parts(out: str | Path, made: Path, *, kept: bool, shared: bool) -> Iterator[Parts]:
    """Yield where workers put what shards gave, removed at the end unless it is to be kept and nothing went wrong."""
    if not kept and (isinstance(out, Path) or not shared):
        yield Parts(made)
        return
    parts = Parts(below(out, SHARDS_FOLDER if kept else f".scores-{secrets.token_hex(8)}"), kept)
    parts.make()
    try:
        yield parts
    except BaseException:
        parts.remove()
        raise
    if not kept:
        parts.remove()


class _Collected:
    """What all shards gave: lines are in their parts, rows go to the table, and the rest is added up."""

    def __init__(self, parts: Parts, table: TableWriter) -> None:
        self.groups: Groups = {}
        self.learned: Learned | None = None
        self.made_up = False
        self.records = 0
        self._parts = parts
        self._table = table
        self._shards = 0
        self._scored: list[int] = []
        self._conversations = 0
        self._data_problems: list[str] = []
        self._record_problems: list[tuple[int, str]] = []

    def add(self, result: ShardResult) -> None:
        """Add what the next shard gave."""
        self._shards += 1
        self._data_problems += result.data_problems
        self._record_problems += result.record_problems
        self._conversations += result.conversations
        self.records += result.records
        self.made_up |= result.made_up
        if result.records:
            self._scored.append(self._shards)
            if not self._parts.kept:  # while others score on
                self._table.add(self._parts.rows(self._shards).to_table())
            join_groups(self.groups, result.groups)
            self._join_learned(result.learned)

    def _join_learned(self, learned: "Learned | None") -> None:
        if self.learned and learned:
            self.learned.join(learned)
        else:
            self.learned = self.learned or learned

    def check(self, data: str | Path, runs: Sequence[str | Path], unread: Sequence[tuple[int, str]]) -> None:
        """Raise all that is wrong with the data set, else all that is wrong with the records."""
        if not self._conversations and not self._data_problems:
            raise DataError([str(no_conversations(data))])
        if self._data_problems:
            raise DataError(self._data_problems)
        problems = sorted([*unread, *self._record_problems], key=lambda problem: problem[0])
        if problems:
            raise RecordError([line for _, line in problems])
        if not self.groups:
            raise RecordError([no_records(runs)])

    def write(self, totals: Totals, folder: Path) -> Path:
        """Write `scores.json` into a folder, and return where it stands."""
        written = folder / SCORES_FILE
        with written.open("wb") as file:
            if self._parts.kept:
                names = [f"{SHARDS_FOLDER}/{self._parts.lines_name(number)}" for number in self._scored]
                write_json_of_shards(file, totals, names)
            else:
                write_json(file, totals, lambda: self._join_lines(file))
        return written

    def _join_lines(self, file: BinaryIO) -> None:
        for place, number in enumerate(self._scored):
            file.write(b",\n" if place else b"")
            file.write(self._parts.lines(number))


def _score_floors(
    engine: Engine, collected: _Collected, pairing: Pairing, progress: Progress
) -> "Mapping[Strategy, FloorScores] | None":
    """Return the baselines' scores of the conversations that records cover, by strategy; none if nobody learned."""
    if collected.learned is None:
        return None
    from attunebench.score.floor_jobs import do_floor_jobs  # loads the baselines, which scores of records do not need

    strategies, swap = strategies_of(collected.groups), any_both_orders(collected.groups)
    total = pairing.covered_count
    return do_floor_jobs(
        engine,
        collected.learned,
        pairing,
        strategies,
        swap=swap,
        progress=lambda done: progress("floors", done, total),
    )


def _write_floors(floors: "Iterable[FloorScores]", folder: Path) -> Path:
    from attunebench.score.floor_table import write_floors  # loads polars, which nothing else here needs

    return write_floors(floors, folder)


def _deliver(files: Sequence[Path], out: str | Path) -> None:
    """Bring files to where they belong, each whole or not at all."""
    if isinstance(out, str):
        send(files, out)
        return
    out.mkdir(parents=True, exist_ok=True)
    for file in files:
        file.replace(out / file.name)
