"""Reading run records from files, ours or from elsewhere, and holding them against the data set."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from attunebench.dataset.files import RawDocument, read_documents
from attunebench.dataset.load import DataSet
from attunebench.dataset.problems import Problem, one_line, shorten, spell_path
from attunebench.dataset.schema import Conversation
from attunebench.errors import RecordError
from attunebench.protocol.records import RunRecord

RECORDS_FILE = "records.jsonl"
"""Where a run's folder holds its records."""


def load_records(paths: Sequence[Path], dataset: DataSet) -> list[RunRecord]:
    """Read the run records of several runs and check that they belong to the data set and stand there once.

    A path is a run's folder (its `records.jsonl` is read), a folder of `.json` or `.jsonl` files, or such a file.

    Raises:
        RecordError: with every problem of every record, one a line; also where there is no record at all.
        DataError: a path does not exist.
    """
    records: list[RunRecord] = []
    problems: list[str] = []
    conversations = {c.conversation_id: c for c in dataset.conversations}
    first: dict[tuple[str | None, ...], str] = {}
    for found in _read(paths):
        if isinstance(found, Problem):
            problems.append(str(found))
            continue
        place = f"{found.file}: record {found.position}"
        named = f"{place}{_conversation_named(found)}"
        try:
            record = RunRecord.model_validate(found.value)
        except ValidationError as failed:
            problems += _explain(failed, named)
            continue
        problems += _mismatches(record, conversations, named)
        if other := first.setdefault(_identity(record), place):
            if other == place:
                records.append(record)
            else:
                problems.append(f"{named}: {_repeated(record, other)}")
    if not records and not problems:
        problems.append(f"{', '.join(map(str, paths))}: no run records found")
    if problems:
        raise RecordError(problems)
    return records


def _read(paths: Iterable[Path]) -> Iterator[RawDocument | Problem]:
    for path in paths:
        own = path / RECORDS_FILE
        yield from read_documents(own if own.is_file() else path)


def _conversation_named(found: RawDocument) -> str:
    name = found.value.get("conversationId") if isinstance(found.value, Mapping) else None
    return one_line(f": conversation {name}") if isinstance(name, str) else ""


def _explain(failed: ValidationError, place: str) -> Iterator[str]:
    for error in failed.errors(include_url=False):
        rule = "is required" if error["type"] == "missing" else error["msg"][:1].lower() + error["msg"][1:]
        got = "" if error["type"] == "missing" else f", got {shorten(error['input'])}"
        yield f"{place}: {spell_path(error['loc'])}: {rule}{got}"


def _identity(record: RunRecord) -> tuple[str | None, ...]:
    return (record.conversation_id, record.em_model, record.mode, record.strategy, record.condition)


def _repeated(record: RunRecord, other: str) -> str:
    return f"must be the only record of {record.em_model}, {record.mode}, {record.strategy}; {other} is another"


def _mismatches(record: RunRecord, conversations: Mapping[str, Conversation], place: str) -> Iterator[str]:
    conversation = conversations.get(record.conversation_id)
    if conversation is None:
        yield f"{place}: conversationId: must be in the data set, got {shorten(record.conversation_id)}"
        return
    known = {turn.turn_number for turn in conversation.turns}
    counts = Counter(turn.turn_number for turn in record.turns)
    for number, count in counts.items():
        if number not in known:
            yield f"{place}: turnNumber: must be one of the conversation's turns, got {number}"
        if count > 1:
            yield f"{place}: turnNumber: must stand once in a record, got {number} {count} times"
