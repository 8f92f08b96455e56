"""Scoring files into `scores.json` and `scores.parquet`; of many conversations and records, few are held at a time."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from attunebench.dataset.files import RawText, read_texts
from attunebench.dataset.load import no_conversations
from attunebench.dataset.problems import Problem
from attunebench.dataset.reading import read_conversation
from attunebench.dataset.schema import Conversation
from attunebench.errors import DataError, RecordError
from attunebench.score.engine_local import available_cores, score_shards
from attunebench.score.record_store import RecordStore, document_id
from attunebench.score.run_files import no_records
from attunebench.score.shards import Shard, ShardResult, Work
from attunebench.score.table import SCORES_FILE, TIDY_FILE, Totals, add_up, cannot_write, write_json
from attunebench.score.tally import Groups, join_groups
from attunebench.score.tidy import tidy_table

SHARD_BYTES = 2**20
"""About so much text makes a shard."""

_FEW_BYTES = 16 * 2**20
"""Fewer bytes of records than these are scored before other processes would have started."""


def score_files(
    data: Path,
    runs: Sequence[Path],
    out: Path,
    *,
    workers: int | None = None,
    floors: bool = True,
    score_all: Callable[[Iterable[Shard]], Iterable[ShardResult]] | None = None,
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> Totals:
    """Score the records of `runs` against the conversations of `data` and write all scores into the folder `out`.

    The numbers are those of `score_records` and `write_scores`, to the last bit, however many `workers` (processes;
    left out, as many as there are cores, or one for few records) share the work; scored conversations stand in the
    order of the data set. `floors=False` leaves out the baselines and all skill. `score_all` scores
    the shards instead of this machine's processes, and gives results in the shards' order. `progress` is told again and
    again how many of how many records have been scored.

    Raises:
        DataError: with every error of every conversation, one a line; or a path does not exist.
        RecordError: with every problem of every record, one a line; or `out` cannot be written.
    """
    texts = read_texts(data)
    with RecordStore(runs) as store, tempfile.TemporaryDirectory(prefix=".scores-", dir=_nearest_folder(out)) as made:
        pairing = _Pairing(texts, store)
        shards = _cut(pairing.work())
        collected = _Collected(Path(made))
        if score_all is None:
            few = store.bytes < _FEW_BYTES
            score_all = partial(score_shards, workers=workers or (1 if few else available_cores()))
        try:
            for result in score_all(shards):
                collected.add(result)
                progress(collected.records, store.count)
            collected.check(data, runs, store.problems)
            covered = Covered(data, frozenset(pairing.covered))
            totals = add_up(collected.groups, covered if floors else None, made_up=collected.made_up)
            collected.write(totals, out)
        except OSError as error:
            raise cannot_write(out, error) from error
    return totals


def _nearest_folder(out: Path) -> Path:
    """Return the folder in which temporary files can be renamed to files of `out`, which may not exist yet."""
    return next(folder for folder in (out, *out.absolute().parents) if folder.is_dir())


class _Pairing:
    """Brings conversations and their records together, conversation by conversation."""

    def __init__(self, texts: Iterable[RawText | Problem], store: RecordStore) -> None:
        self._texts, self._store = texts, store
        self.covered: set[str] = set()

    def work(self) -> Iterator[Work]:
        """Iterate over all conversations in order, then over the records that name none of them."""
        first_files: dict[str, str] = {}
        for text in self._texts:
            name = document_id(text) if isinstance(text, RawText) else None
            if name is None:
                yield Work(text)
            elif name in first_files:
                yield Work(text, first_file=first_files[name])
            else:
                first_files[name] = text.file
                records = self._store.take(name)
                if records:
                    self.covered.add(name)
                yield Work(text, records)
        for records in self._store.rest():
            yield Work(None, records)


def _cut(work: Iterable[Work]) -> Iterator[Shard]:
    """Cut work into shards of about `SHARD_BYTES`; a conversation and its records stay together."""
    shard: list[Work] = []
    size = 0
    for one in work:
        shard.append(one)
        size += sum(len(text.data) for _, text in one.records)
        size += len(one.conversation.data) if isinstance(one.conversation, RawText) else 0
        if size >= SHARD_BYTES:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


class _Collected:
    """The shards' results: rows and lines in temporary files, the rest added up."""

    def __init__(self, folder: Path) -> None:
        self.groups: Groups = {}
        self.made_up = False
        self.records = 0
        self._folder = folder
        self._lines = folder / "lines"
        self._tables: list[Path] = []
        self._conversations = 0
        self._data_problems: list[str] = []
        self._record_problems: list[tuple[int, str]] = []

    def add(self, result: ShardResult) -> None:
        self._data_problems += result.data_problems
        self._record_problems += result.record_problems
        self._conversations += result.conversations
        self.records += result.records
        self.made_up |= result.made_up
        if not result.records:
            return
        join_groups(self.groups, result.groups)
        with self._lines.open("ab") as file:
            file.write(b",\n" if self._tables else b"")
            file.write(result.lines)
        self._tables.append(self._folder / f"{len(self._tables):08}.arrow")
        self._tables[-1].write_bytes(result.table)

    def check(self, data: Path, runs: Sequence[Path], unread: Sequence[tuple[int, str]]) -> None:
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

    def write(self, totals: Totals, out: Path) -> None:
        """Write the two files of scores, each whole or not at all."""
        written, joined = self._folder / SCORES_FILE, self._folder / TIDY_FILE
        with written.open("wb") as file, self._lines.open("rb") as lines:
            write_json(file, totals, lambda: shutil.copyfileobj(lines, file, 2**20))
        last = self._folder / f"{len(self._tables):08}.arrow"
        tidy_table([], totals.aggregates, totals.floors).write_ipc(last)
        pl.scan_ipc([*self._tables, last]).sink_parquet(joined, statistics=False)
        out.mkdir(parents=True, exist_ok=True)
        for file_made in (written, joined):
            file_made.replace(out / file_made.name)


@dataclass(frozen=True, slots=True)
class Covered:
    """The conversations of a data set that records cover: read again from its files at every iteration."""

    data: Path
    ids: frozenset[str]

    def __iter__(self) -> Iterator[Conversation]:
        for text in read_texts(self.data):
            if isinstance(text, RawText) and document_id(text) in self.ids:
                found = text.parse()
                if not isinstance(found, Problem) and (conversation := read_conversation(found.value).conversation):
                    yield conversation
