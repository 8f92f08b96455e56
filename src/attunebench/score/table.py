"""All scores of a set of run records: computed, written as `scores.json` and `scores.parquet`, and read back.

This is the way for what fits into memory; `attunebench.score.score_files` does the same with files of any size.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import to_json

from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Conversation
from attunebench.errors import RecordError
from attunebench.protocol.records import RunRecord
from attunebench.score.aggregate import Row, aggregate_groups, group, group_key
from attunebench.score.floors import score_floors
from attunebench.score.profiles import score_with_calls
from attunebench.score.shards import is_made_up, json_lines
from attunebench.score.skill import skill_of
from attunebench.score.tally import Groups
from attunebench.score.tidy import tidy_table

SCORES_FILE = "scores.json"
TIDY_FILE = "scores.parquet"

_LAST_KEY = b'"conversations": ['


@dataclass(frozen=True)
class Totals:
    """What many scored conversations add up to.

    `aggregates`: one row a model x mode x strategy x condition, with its skill. `floors`: one row a baseline x
    strategy, over all conversations that any record covers. `made_up`: whether the data set says of itself that it is
    made up.
    """

    aggregates: Sequence[Row]
    floors: Sequence[Row]
    made_up: bool = False


@dataclass(frozen=True)
class Scores(Totals):
    """Scores of many records.

    `conversations`: one object a conversation x model x mode x strategy x condition, under the public names.
    """

    conversations: Sequence[Mapping[str, Any]] = ()


def score_records(dataset: DataSet, records: Sequence[RunRecord]) -> Scores:
    """Score every record against its conversation, and the baselines on the same conversations."""
    conversations = {c.conversation_id: c for c in dataset.conversations}
    scored = [score_with_calls(conversations[record.conversation_id], record) for record in records]
    covered = {record.conversation_id for record in records}
    chosen = [c for c in dataset.conversations if c.conversation_id in covered]
    totals = add_up(group(scored), chosen, made_up=any(is_made_up(c) for c in chosen))
    return Scores(**vars(totals), conversations=scored)


def add_up(groups: Groups, covered: Iterable[Conversation] | None, *, made_up: bool = False) -> Totals:
    """Return aggregates, floors and skill from tallies.

    `covered` are the conversations that any record covers, iterated over several times; without them, there are no
    floors and no skill.
    """
    aggregates = aggregate_groups(groups)
    tallies = [groups[group_key(row)] for row in aggregates]
    for row, tally in zip(aggregates, tallies, strict=True):
        row["calls"] = tally.calls
    if covered is None:
        return Totals(aggregates, [], made_up)
    strategies = sorted({row["panas_strategy"] for row in aggregates})
    floors = {strategy: score_floors(covered, strategy) for strategy in strategies}
    for row, tally in zip(aggregates, tallies, strict=True):
        row["skill"] = skill_of(row, floors[row["panas_strategy"]].rows(tally.conversation_ids))
    return Totals(aggregates, [row for strategy in strategies for row in floors[strategy].rows()], made_up)


def write_scores(scores: Scores, folder: Path) -> None:
    """Write `scores.json`, everything, and `scores.parquet`, tidy: one row a value.

    Raises:
        RecordError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / SCORES_FILE).open("wb") as file:
            write_json(file, scores, lambda: file.write(json_lines(scores.conversations)))
        tidy_table(scores.conversations, scores.aggregates, scores.floors).write_parquet(folder / TIDY_FILE)
    except OSError as error:
        raise cannot_write(folder, error) from error


def cannot_write(folder: Path, error: OSError) -> RecordError:
    """Return the error that a folder gets which cannot be written."""
    return RecordError([f"{folder}: cannot be written ({error.strerror})"])


def write_json(file: BinaryIO, totals: Totals, write_conversations: Callable[[], object]) -> None:
    """Write `scores.json`: what all adds up to on the first line, then a conversation a line.

    So that the first line can be read without the others.
    """
    file.write(b'{"aggregates": ' + to_json(totals.aggregates) + b', "floors": ' + to_json(totals.floors))
    file.write(b', "made_up": ' + to_json(totals.made_up) + b", " + _LAST_KEY + b"\n")
    write_conversations()
    file.write(b"\n]}\n")


def read_scores(folder: Path) -> Scores:
    """Read what `write_scores` wrote; `folder` may be the file itself.

    Raises:
        RecordError: there is no such file, or it holds something else.
    """
    return _read(folder, Path.read_bytes)


def read_totals(folder: Path) -> Scores:
    """Read what `read_scores` does, but no conversations, of which there may be very many.

    Raises:
        RecordError: there is no such file, or it holds something else.
    """
    return _read(folder, _read_without_conversations)


def _read_without_conversations(path: Path) -> bytes:
    with path.open("rb") as file:
        first = file.readline()
        return first + b"]}" if first.endswith(_LAST_KEY + b"\n") else first + file.read()


def _read(folder: Path, read: Callable[[Path], bytes]) -> Scores:
    path = folder / SCORES_FILE if folder.is_dir() else folder
    try:
        return Scores(**json.loads(read(path)))
    except FileNotFoundError:
        raise RecordError([f"{path}: does not exist; `attunebench score` writes it"]) from None
    except (OSError, ValueError, TypeError) as error:
        raise RecordError([f"{path}: must be a file that `attunebench score` wrote ({error})"]) from None
