"""Reading run records from files, ours or from elsewhere, and holding them against the data set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from attunebench.dataset.files import RawDocument, RawText, read_documents
from attunebench.dataset.lean import AnyConversation
from attunebench.dataset.load import DataSet
from attunebench.dataset.problems import Problem, one_line, shorten, spell_path
from attunebench.errors import RecordError
from attunebench.protocol.lean_records import AnyRecord, read_lean_record
from attunebench.protocol.records import RunRecord, read_record
from attunebench.score.matching import Record, aligned, fits, mismatches, read_frames

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
    reader = RecordReader({c.conversation_id: c for c in dataset.conversations})
    for found in _read(paths):
        record, wrong = reader.read(found)
        problems += wrong
        if record:
            records.append(record)
    if not records and not problems:
        problems.append(no_records(paths))
    if problems:
        raise RecordError(problems)
    return records


class RecordReader:
    """Reads records one by one and holds them against the conversations, and against those read before."""

    def __init__(self, conversations: Mapping[str, AnyConversation]) -> None:
        self._frames = {name: read_frames(conversation) for name, conversation in conversations.items()}
        self._first: dict[tuple[str | int | None, ...], str] = {}

    def read_text(self, text: RawText) -> tuple[AnyRecord | None, list[str]]:
        """Return what `read` does of a record not yet parsed."""
        record = read_lean_record(text.data)
        return self.read(text.parse()) if record is None else self._check(record, text)

    def read(self, found: RawDocument | Problem) -> tuple[RunRecord | None, list[str]]:
        """Return the record, if it can be read, and all that is wrong with it, one a line."""
        if isinstance(found, Problem):
            return None, [str(found)]
        try:
            record = read_record(found.value)
        except ValidationError as failed:
            name = found.value.get("conversationId") if isinstance(found.value, Mapping) else None
            return None, list(_explain(failed, _named(found, name)))
        return self._check(record, found)

    def _check(self, record: Record, found: RawDocument | RawText) -> tuple[Record | None, list[str]]:
        frames = self._frames.get(record.conversation_id)
        if frames is None:
            problems = [f"conversationId: must be in the data set, got {shorten(record.conversation_id)}"]
        elif fits(record, frames):
            problems = []
        else:
            problems = list(mismatches(record, frames))
            record = aligned(record, frames)
        identity, place = _identity(record), _place(found)
        repeated = identity in self._first
        if repeated:
            problems.append(_repeated(record, self._first[identity]))
        else:
            self._first[identity] = place
        problems = [f"{_named(found, record.conversation_id)}: {problem}" for problem in problems]
        return None if repeated else record, problems


def no_records(paths: Iterable[str | Path]) -> str:
    """Return the error that paths without any record get."""
    return f"{', '.join(map(str, paths))}: no run records found"


def records_path(path: Path) -> Path:
    """Return where a path's records are: the file in a run's folder, or the path itself."""
    own = path / RECORDS_FILE
    return own if own.is_file() else path


def _read(paths: Iterable[Path]) -> Iterator[RawDocument | Problem]:
    for path in paths:
        yield from read_documents(records_path(path))


def _place(found: RawDocument | RawText) -> str:
    return f"{found.file}: record {found.position}"


def _named(found: RawDocument | RawText, conversation: object) -> str:
    return _place(found) + (one_line(f": conversation {conversation}") if isinstance(conversation, str) else "")


def _explain(failed: ValidationError, place: str) -> Iterator[str]:
    for error in failed.errors(include_url=False):
        rule = "is required" if error["type"] == "missing" else error["msg"][:1].lower() + error["msg"][1:]
        got = "" if error["type"] == "missing" else f", got {shorten(error['input'])}"
        yield f"{place}: {spell_path(error['loc'])}: {rule}{got}"


def _identity(record: AnyRecord) -> tuple[str | int | None, ...]:
    return (record.conversation_id, record.em_model, record.mode, record.strategy, record.condition, record.epoch)


def _repeated(record: AnyRecord, other: str) -> str:
    epoch = f", epoch {record.epoch}" if record.epoch > 1 else ""
    return f"must be the only record of {record.em_model}, {record.mode}, {record.strategy}{epoch}; {other} is another"
