"""A shard: a few conversations with their records, read, checked and scored apart from all others. Pure.

Shards may be scored in any process and in any number: what they give adds up to the same numbers, to the last bit.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from msgspec.json import Encoder

from attunebench.dataset.files import RawText
from attunebench.dataset.lean import AnyConversation, LeanConversation, read_lean_conversation
from attunebench.dataset.load import repeated
from attunebench.dataset.problems import Problem
from attunebench.dataset.reading import read_canonical_text, read_conversation
from attunebench.dataset.schema import Conversation
from attunebench.score.aggregate import add_to_group
from attunebench.score.arrays.strict import Measured, measure, strict_columns_of
from attunebench.score.blocks import Blocks, add_conversation
from attunebench.score.columns import Columns, reference_columns, spell_strict
from attunebench.score.epochs import Groups
from attunebench.score.pairing import pair_turns, read_turns
from attunebench.score.profiles import count_calls
from attunebench.score.reference import score_reference
from attunebench.score.run_files import RecordReader

if TYPE_CHECKING:
    from attunebench.baselines import Learned

Numbered: TypeAlias = tuple[int, RawText]
"""A record's text, and its number among all records, by which problems are put in order."""


_ENCODER: Final = Encoder()


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

    `lines`: scored conversations as JSON objects, one a line, with a comma between; `rows`: theirs of
    `scores.parquet`; `groups`: what they add up to;
    `records`: how many were scored. `made_up`: whether one of the conversations says so of itself. `learned`: what
    baselines learn from the conversations that have records, if that was asked for. With any problem, the numbers are
    not to be used.
    """

    lines: bytes = b""
    rows: Blocks = field(default_factory=Blocks)
    groups: Groups = field(default_factory=dict)
    records: int = 0
    conversations: int = 0
    made_up: bool = False
    learned: "Learned | None" = None
    data_problems: list[str] = field(default_factory=list)
    record_problems: list[tuple[int, str]] = field(default_factory=list)


def score_shard(shard: Shard, *, learn: bool = False) -> ShardResult:
    """Read, check and score every record of a shard; with `learn`, let the baselines learn from its conversations."""
    result = ShardResult()
    lines: list[bytes] = []
    scored = [one for work in shard for one in _score_work(work, result, learn=learn)]
    for one, strict in zip(scored, strict_columns_of([one.strict for one in scored]), strict=True):
        columns = Columns(*reference_columns(one.reference | one.reference["post_score"]), strict)
        scores = one.reference | {"strict": spell_strict(strict), "calls": one.calls}
        lines.append(_ENCODER.encode(scores))
        add_to_group(result.groups, scores, columns)
        add_conversation(result.rows, scores, columns)
    result.records = len(lines)
    result.lines = join_lines(lines)
    for epochs in result.groups.values():
        epochs.pack()
    return result


class _Scored(NamedTuple):
    """A record's scores, of the strict ones what they are made of."""

    reference: dict[str, Any]
    strict: Measured
    calls: dict[str, dict[str, int]]


def _score_work(work: Work, result: ShardResult, *, learn: bool) -> Iterator[_Scored]:
    """Yield the scores of a conversation's records; note what is wrong in `result`."""
    if work.conversation is None:
        result.record_problems += _problems_of(work.records)
        return
    conversation = _read(work.conversation, work, result, learn=learn)
    if conversation is None:
        return
    result.conversations += 1
    result.made_up |= bool(work.records) and is_made_up(conversation)
    yield from _score_records(conversation, work.records, result)


def _read(text: RawText | Problem, work: Work, result: ShardResult, *, learn: bool) -> AnyConversation | None:
    """Return a conversation that may be used; let the baselines, who need all of it, learn from it."""
    if isinstance(text, RawText) and work.first_file is None and not learn:
        fast = read_lean_conversation(text.data)
        if fast is not None:
            return fast
    conversation = _read_conversation(text, work.first_file, result.data_problems)
    if conversation and learn and work.records:
        _learn(conversation, result)
    return conversation


def _learn(conversation: Conversation, result: ShardResult) -> None:
    if result.learned is None:
        from attunebench.baselines import Learned  # loads all that they need, which nothing else here does

        result.learned = Learned()
    result.learned.add(conversation)


def _read_conversation(text: RawText | Problem, first_file: str | None, problems: list[str]) -> Conversation | None:
    """Return a conversation that may be used; else say why it may not."""
    if isinstance(text, RawText) and first_file is None and (canonical := read_canonical_text(text.data)):
        return canonical
    found = text.parse() if isinstance(text, RawText) else text
    if isinstance(found, Problem):
        problems.append(str(found))
        return None
    reading = read_conversation(found.value, file=found.file, position=found.position)
    if first_file is not None:
        reading = repeated(reading, found.value, first_file)
    problems += (str(problem) for problem in reading.problems if problem.severity == "error")
    return reading.conversation


def _score_records(
    conversation: AnyConversation, records: Sequence[Numbered], result: ShardResult
) -> Iterator[_Scored]:
    reader = RecordReader({conversation.conversation_id: conversation})
    turns = read_turns(conversation) if records else []
    for number, text in records:
        record, problems = reader.read_text(text)
        if problems or record is None:
            result.record_problems += ((number, problem) for problem in problems)
        else:
            pairs = pair_turns(conversation, record, turns=turns)
            reference = score_reference(conversation, record, pairs=pairs)
            yield _Scored(reference, measure(conversation, record, pairs), count_calls(record))


def _problems_of(records: Iterable[Numbered]) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with records that belong to no conversation of the data set."""
    reader = RecordReader({})
    for number, text in records:
        _, problems = reader.read_text(text)
        yield from ((number, problem) for problem in problems)


def is_made_up(conversation: AnyConversation) -> bool:
    """Whether a conversation says of itself that it is made up."""
    if isinstance(conversation, LeanConversation):
        return bool(conversation.metadata and conversation.metadata.made_up)
    extra = conversation.metadata.model_extra if conversation.metadata else None
    return bool((extra or {}).get("made_up"))


def join_lines(lines: Iterable[bytes]) -> bytes:
    """Return JSON objects one a line, with a comma between."""
    return b",\n".join(lines)
