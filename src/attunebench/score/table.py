"""All scores of a set of run records: computed, written as `scores.json` and `scores.parquet`, and read back.

This is the way for what fits into memory; `attunebench.score.score_files` does the same with files of any size.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic_core import to_json

from attunebench.dataset.load import DataSet
from attunebench.errors import RecordError
from attunebench.protocol.calls import Strategy
from attunebench.protocol.records import RunRecord
from attunebench.score.aggregate import GROUP, Row, aggregate_groups, group, group_key
from attunebench.score.blocks import tidy_blocks
from attunebench.score.epochs import Groups
from attunebench.score.profiles import JUDGE, score_with_calls
from attunebench.score.shards import is_made_up, join_lines
from attunebench.score.swap import ORDERS
from attunebench.score.tidy import to_parquet

if TYPE_CHECKING:
    from attunebench.score.floors import FloorScores

SCORES_FILE = "scores.json"
TIDY_FILE = "scores.parquet"
SHARDS_FOLDER = "shards"

_LAST_KEY = b'"conversations": ['


@dataclass(frozen=True)
class Totals:
    """What many scored conversations add up to.

    `aggregates`: one row a model x mode x strategy x condition, with its skill and its judges. `floors`: one row a
    baseline x strategy, over all conversations that any record covers. `made_up`: whether the data set says of itself
    that it is made up.
    """

    aggregates: Sequence[Row]
    floors: Sequence[Row]
    made_up: bool = False


@dataclass(frozen=True)
class Scores(Totals):
    """Scores of many records.

    `conversations`: one object a conversation x model x mode x strategy x condition x epoch, under the public names.
    """

    conversations: Sequence[Mapping[str, Any]] = ()


def score_records(dataset: DataSet, records: Sequence[RunRecord]) -> Scores:
    """Score every record against its conversation, and the baselines on the same conversations."""
    from attunebench.score.floors import score_floors  # loads the baselines, which reading scores does not need

    conversations = {c.conversation_id: c for c in dataset.conversations}
    scored = [score_with_calls(conversations[record.conversation_id], record) for record in records]
    covered = {record.conversation_id for record in records}
    chosen = [c for c in dataset.conversations if c.conversation_id in covered]
    groups = group(scored)
    swap = any_both_orders(groups)
    floors = {strategy: score_floors(chosen, strategy, swap=swap) for strategy in strategies_of(groups)}
    totals = add_up(groups, floors, made_up=any(is_made_up(c) for c in chosen))
    return Scores(**vars(totals), conversations=scored)


def strategies_of(groups: Groups) -> list[Strategy]:
    """Return the PANAS strategies of some groups, for each of which there are floors."""
    place = GROUP.index("panas_strategy")
    return sorted({key[place] for key in groups})


def any_both_orders(groups: Groups) -> bool:
    """Whether comparisons were asked in both orders anywhere: then the floors answer them so."""
    return any(ORDERS in epochs.means() for epochs in groups.values())


def add_up(groups: Groups, floors: "Mapping[Strategy, FloorScores] | None", *, made_up: bool = False) -> Totals:
    """Return aggregates, floors and skill from conversations added up.

    `floors` are the baselines' scores of the conversations that any record covers, by strategy; without them, there
    are no floors and no skill.
    """
    aggregates = aggregate_groups(groups)
    covered = [groups[group_key(row)] for row in aggregates]
    for row, epochs in zip(aggregates, covered, strict=True):
        row["calls"] = epochs.calls
        row["judges"] = [kind.removeprefix(JUDGE) for kind in epochs.calls if kind.startswith(JUDGE)]
    if floors is None:
        return Totals(aggregates, [], made_up)
    from attunebench.score.skill import skill_of  # so too

    for row, epochs in zip(aggregates, covered, strict=True):
        row["skill"] = skill_of(row, floors[row["panas_strategy"]].rows(epochs.conversation_ids))
    return Totals(aggregates, [row for found in floors.values() for row in found.rows()], made_up)


def write_scores(scores: Scores, folder: Path) -> None:
    """Write `scores.json`, everything, and `scores.parquet`, tidy: one row a value.

    Raises:
        RecordError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / SCORES_FILE).open("wb") as file:
            write_json(file, scores, lambda: file.write(join_lines(map(to_json, scores.conversations))))
        table = tidy_blocks(scores.conversations, scores.aggregates, scores.floors).to_table()
        (folder / TIDY_FILE).write_bytes(to_parquet(table))
    except OSError as error:
        raise cannot_write(folder, error) from error


def cannot_write(folder: str | Path, error: OSError) -> RecordError:
    """Return the error that a folder gets which cannot be written."""
    return RecordError([f"{folder}: cannot be written ({error.strerror or error})"])


def write_json(file: BinaryIO, totals: Totals, write_conversations: Callable[[], object]) -> None:
    """Write `scores.json`: what all adds up to on the first line, then a conversation a line.

    So that the first line can be read without the others.
    """
    file.write(_totals(totals) + _LAST_KEY + b"\n")
    write_conversations()
    file.write(b"\n]}\n")


def write_json_of_shards(file: BinaryIO, totals: Totals, shards: Sequence[str]) -> None:
    """Write `scores.json` with the files, from its folder on, in which the conversations stand, one a line."""
    file.write(_totals(totals) + b'"shards": ' + to_json(shards) + b"}\n")


def _totals(totals: Totals) -> bytes:
    parts = (("aggregates", totals.aggregates), ("floors", totals.floors), ("made_up", totals.made_up))
    return b"{" + b"".join(b'"%s": %s, ' % (name.encode(), to_json(value)) for name, value in parts)


def read_scores(folder: Path) -> Scores:
    """Read what `write_scores` wrote, or `score_files`, in shards too; `folder` may be the file itself.

    Raises:
        RecordError: there is no such file, or it holds something else.
    """
    path = _scores_file(folder)
    with _telling(path):
        found = json.loads(path.read_bytes())
        if "shards" in found:
            found["conversations"] = [one for name in found.pop("shards") for one in _read_lines(path.parent / name)]
        return Scores(**found)


def read_totals(folder: Path) -> Scores:
    """Read what `read_scores` does, but no conversations, of which there may be very many.

    Raises:
        RecordError: there is no such file, or it holds something else.
    """
    path = _scores_file(folder)
    with _telling(path), path.open("rb") as file:
        first = file.readline()
        found = json.loads(first + b"]}" if first.endswith(_LAST_KEY + b"\n") else first + file.read())
        found.pop("shards", None)
        return Scores(**{"conversations": []} | found)


def _scores_file(folder: Path) -> Path:
    return folder / SCORES_FILE if folder.is_dir() else folder


def _read_lines(file: Path) -> Iterator[Mapping[str, Any]]:
    with file.open("rb") as lines:
        yield from map(json.loads, lines)


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Tell what is wrong with scores that cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise RecordError([f"{error.filename}: does not exist; `attunebench score` writes it"]) from None
    except (OSError, ValueError, TypeError) as error:
        raise RecordError([f"{path}: must be a file that `attunebench score` wrote ({error})"]) from None
