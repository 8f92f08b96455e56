"""The containers a data set may come in, opened and split into raw JSON documents.

A folder of files, or one file: `.json` (an object, or an array of them), `.jsonl` (one object a line), both also
gzip-compressed (`.gz`), or `.parquet` (our own export: `conversationId`, and `conversation`, the JSON text).
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from attunebench.dataset.json_text import NotJsonError, parse_json
from attunebench.dataset.problems import Kind, NoValue, Problem
from attunebench.errors import DataError

SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".parquet")
"""The ends of the file names that are read, in any letter case."""

PARQUET_ID = "conversationId"
PARQUET_TEXT = "conversation"

_BOM = "\ufeff"
_SPACE = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class RawDocument:
    """One JSON document of a file, not yet checked; `position` counts from 1 within the file."""

    file: str
    position: int
    value: Any


@dataclass(frozen=True, slots=True)
class RawText:
    """One document of a file as it stands there, for whoever parses it later, or elsewhere.

    `line`, `offset` (bytes) and `row` say where in the file it starts.
    """

    file: str
    position: int
    data: bytes
    line: int = 1
    offset: int = 0
    row: str = ""

    def parse(self) -> RawDocument | Problem:
        """Return the document's value, or what is wrong with its text."""
        try:
            text = self.data.decode("utf-8")
            value = parse_json(text.removeprefix(_BOM) if self.offset == 0 else text)
        except UnicodeDecodeError as error:
            place = f"{self.row}byte offset {self.offset + error.start}"
            return _problem(self.file, place, "not UTF-8", f"must be UTF-8, got byte 0x{self.data[error.start]:02x}")
        except NotJsonError as error:
            place = f"{self.row}line {self.line + error.line - 1} column {error.column}"
            rule = f"must be JSON ({error.reason})"
            return _problem(self.file, place, "not JSON", rule, error.found or NoValue.ABSENT)
        return RawDocument(self.file, self.position, value)


def data_files(path: str | Path) -> list[Path]:
    """Return the files of a data set in natural order of their names: conversation_2 before conversation_10.

    A folder's own files are taken, not those of its sub-folders and not hidden ones.

    Raises:
        DataError: the path does not exist, cannot be listed, or is a file of another kind.
    """
    path = Path(path)
    try:
        if path.is_dir():
            found = [entry for entry in path.iterdir() if _is_data_name(entry.name) and entry.is_file()]
            return sorted(found, key=lambda entry: _natural(entry.name))
        if not path.exists():
            raise DataError([_line(str(path), "does not exist")])
    except OSError as error:
        raise DataError([_line(str(path), f"cannot be read ({error.strerror})")]) from error
    if not _is_data_name(path.name):
        raise DataError([_line(str(path), f"must be a folder or a file that ends in {', '.join(SUFFIXES)}")])
    return [path]


def read_documents(path: str | Path) -> Iterator[RawDocument | Problem]:
    """Iterate over the documents of a data set in order; what cannot be read is a problem in its place.

    `.jsonl` is read line by line, other files one file at a time.

    Raises:
        DataError: as `data_files`, at the call and not at the first step.
    """
    files = data_files(path)
    return (found for file in files for found in read_file(file))


def read_file(file: Path) -> Iterator[RawDocument | Problem]:
    """Iterate over the documents of one file; a file that cannot be read (on) ends with a problem that says why."""
    for found in _split_file(file):
        yield found.parse() if isinstance(found, RawText) else found


def read_texts(path: str | Path) -> Iterator[RawText | Problem]:
    """Iterate over the documents of a data set as `read_documents` does, and leave it to others to parse them.

    Raises:
        DataError: as `data_files`, at the call and not at the first step.
    """
    files = data_files(path)
    return (_as_text(found) for file in files for found in _split_file(file))


def _as_text(found: RawText | RawDocument | Problem) -> RawText | Problem:
    if isinstance(found, RawDocument):  # of an array
        return RawText(found.file, found.position, json.dumps(found.value).encode())
    return found


def _split_file(file: Path) -> Iterator[RawText | RawDocument | Problem]:
    name = file.name.lower()
    try:
        if name.endswith(".parquet"):
            yield from _split_parquet(file)
            return
        with gzip.open(file, "rb") if name.endswith(".gz") else file.open("rb") as stream:
            split = _split_lines if name.removesuffix(".gz").endswith(".jsonl") else _split_whole
            yield from split(file.name, stream)  # type: ignore[arg-type]
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield _problem(file.name, "", "unreadable file", f"cannot be read ({reason})")


def _split_whole(name: str, stream: BinaryIO) -> Iterator[RawText | RawDocument | Problem]:
    text = RawText(name, 1, stream.read())
    if not text.data.removeprefix(_BOM.encode()).lstrip(_SPACE).startswith(b"["):
        yield text
        return
    found = text.parse()
    if isinstance(found, Problem):
        yield found
        return
    for position, value in enumerate(found.value, start=1):
        yield RawDocument(name, position, value)


def _split_lines(name: str, stream: BinaryIO) -> Iterator[RawText]:
    offset = position = 0
    for number, line in enumerate(stream, start=1):
        if line.strip(_SPACE):
            position += 1
            yield RawText(name, position, line.rstrip(b"\r\n"), line=number, offset=offset)
        offset += len(line)


def _split_parquet(file: Path) -> Iterator[RawText | Problem]:
    import polars

    try:
        texts = polars.read_parquet(file, columns=[PARQUET_TEXT])[PARQUET_TEXT]
    except polars.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        rule = f"must be a parquet file with a column {PARQUET_TEXT!r} ({reason})"
        yield _problem(file.name, "", "unreadable file", rule)
        return
    for position, text in enumerate(texts, start=1):
        if isinstance(text, str):
            yield RawText(file.name, position, text.encode(), row=f"row {position} ")
        else:
            yield _problem(file.name, f"row {position}", "wrong type", "must be a text", text)


def _problem(name: str, place: str, kind: Kind, rule: str, value: Any = NoValue.UNSAID) -> Problem:
    return Problem(severity="error", file=name, conversation=None, path=place, rule=rule, value=value, kind=kind)


def _line(name: str, rule: str) -> str:
    return str(_problem(name, "", "unreadable file", rule))


def _is_data_name(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) and not name.startswith(".")


def _natural(name: str) -> tuple[list[str | int], str]:
    # the split alternates text and digits, so that equal places hold equal types
    parts = re.split(r"([0-9]+)", name.casefold())
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], name
