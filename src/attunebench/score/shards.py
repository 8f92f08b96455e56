"""A shard: a few conversations with their records, read, checked and scored apart from all others. Pure.

Shards may be scored in any process and in any number: what they give adds up to the same numbers, to the last bit.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic_core import to_json

from attunebench.baselines import Learned
from attunebench.dataset.files import RawText
from attunebench.dataset.load import repeated
from attunebench.dataset.problems import Problem
from attunebench.dataset.reading import read_canonical, read_conversation
from attunebench.dataset.schema import Conversation
from attunebench.score.aggregate import group
from attunebench.score.pairing import read_turns
from attunebench.score.profiles import score_with_calls
from attunebench.score.run_files import RecordReader
from attunebench.score.tally import Groups
from attunebench.score.tidy import tidy_table

Numbered: TypeAlias = tuple[int, RawText]
"""A record's text, and its number among all records, by which problems are put in order."""


@dataclass(frozen=True, slots=True)
class Work:
    """One conversation and all records that name it.

    `conversation` is a problem where its file could not be read, and none for records that name no conversation of the
    data set. `first_file` is the file that has a conversation of the same id before this one, if there is one.
    """

    conversation: RawText | Problem | None
    records: Sequence[Numbered] = ()
    first_file: str | None = None


Shard: TypeAlias = Sequence[Work]


@dataclass(slots=True)
class ShardResult:
    """What a shard gave.

    `lines`: scored conversations as JSON objects, one a line, with a comma between; `table`: their rows of
    `scores.parquet` in Arrow's file format; `groups`: their tallies; `records`: how many were scored. `made_up`:
    whether one of the conversations says so of itself. `learned`: what baselines learn from the conversations that have
    records, if that was asked for. With any problem, the numbers are not to be used.
    """

    lines: bytes = b""
    table: bytes = b""
    groups: Groups = field(default_factory=dict)
    records: int = 0
    conversations: int = 0
    made_up: bool = False
    learned: Learned = field(default_factory=Learned)
    data_problems: list[str] = field(default_factory=list)
    record_problems: list[tuple[int, str]] = field(default_factory=list)


def score_shard(shard: Shard, *, learn: bool = False) -> ShardResult:
    """Read, check and score every record of a shard; with `learn`, let the baselines learn from its conversations."""
    result = ShardResult()
    scored: list[Mapping[str, Any]] = []
    for work in shard:
        if work.conversation is None:
            result.record_problems += _problems_of(work.records)
            continue
        conversation = _read_conversation(work.conversation, work.first_file, result.data_problems)
        if conversation is None:
            continue
        result.conversations += 1
        result.made_up |= bool(work.records) and is_made_up(conversation)
        if learn and work.records:
            result.learned.add(conversation)
        scored += _score_records(conversation, work.records, result)
    result.records = len(scored)
    result.lines = json_lines(scored)
    result.groups = group(scored)
    for tally in result.groups.values():
        tally.settle()
    result.table = _arrow(scored)
    return result


def _read_conversation(text: RawText | Problem, first_file: str | None, problems: list[str]) -> Conversation | None:
    """Return a conversation that may be used; else say why it may not."""
    found = text.parse() if isinstance(text, RawText) else text
    if isinstance(found, Problem):
        problems.append(str(found))
        return None
    if first_file is None and (canonical := read_canonical(found.value)):
        return canonical
    reading = read_conversation(found.value, file=found.file, position=found.position)
    if first_file is not None:
        reading = repeated(reading, found.value, first_file)
    problems += (str(problem) for problem in reading.problems if problem.severity == "error")
    return reading.conversation


def _score_records(
    conversation: Conversation, records: Sequence[Numbered], result: ShardResult
) -> Iterator[Mapping[str, Any]]:
    reader = RecordReader({conversation.conversation_id: conversation})
    turns = read_turns(conversation) if records else []
    for number, text in records:
        record, problems = reader.read(text.parse())
        if problems or record is None:
            result.record_problems += ((number, problem) for problem in problems)
        else:
            yield score_with_calls(conversation, record, turns=turns)


def _problems_of(records: Iterable[Numbered]) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with records that belong to no conversation of the data set."""
    reader = RecordReader({})
    for number, text in records:
        _, problems = reader.read(text.parse())
        yield from ((number, problem) for problem in problems)


def is_made_up(conversation: Conversation) -> bool:
    """Whether a conversation says of itself that it is made up."""
    extra = conversation.metadata.model_extra if conversation.metadata else None
    return bool((extra or {}).get("made_up"))


def json_lines(scored: Iterable[Mapping[str, Any]]) -> bytes:
    """Return scored conversations as JSON objects, one a line, with a comma between."""
    return b",\n".join(to_json(one) for one in scored)


def _arrow(scored: Sequence[Mapping[str, Any]]) -> bytes:
    if not scored:
        return b""
    buffer = io.BytesIO()
    tidy_table(scored, [], []).write_ipc(buffer, compression="lz4")
    return buffer.getvalue()
