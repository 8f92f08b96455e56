"""The containers a data set may come in, opened and split into raw JSON documents.

A folder of files, or one file: `.json` (an object, or an array of them), `.jsonl` (one object a line), both also
gzip-compressed (`.gz`), or `.parquet` (our own export: `conversationId`, and `conversation`, the JSON text).
"""

import gzip
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, TypeVar

from attunebench.dataset.json_text import NotJsonError, parse_json
from attunebench.dataset.problems import Kind, NoValue, Problem
from attunebench.errors import DataError

SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".parquet")
"""The ends of the file names that are read, in any letter case."""

PARQUET_ID = "conversationId"
PARQUET_TEXT = "conversation"

_ROWS = 256
"""So many rows of a parquet file are held at a time."""

_BOM = "\ufeff"
_SPACE = b" \t\r\n"


class DataFile(Protocol):
    """What a file has to have to be read from: a path has it, and so may have what stands elsewhere."""

    @property
    def name(self) -> str:
        """The last part of where it stands."""

    def open(self, mode: Literal["rb"], /) -> BinaryIO:
        """Open it for reading; all that goes wrong then or later is an `OSError`."""


FileT = TypeVar("FileT", bound=DataFile)


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
            return in_order(entry for entry in path.iterdir() if entry.is_file())
        if not path.exists():
            raise DataError([_line(str(path), "does not exist")])
    except OSError as error:
        raise DataError([_line(str(path), f"cannot be read ({error.strerror})")]) from error
    if not is_data_name(path.name):
        raise DataError([_line(str(path), f"must be a folder or a file that ends in {', '.join(SUFFIXES)}")])
    return [path]


def in_order(files: Iterable[FileT]) -> list[FileT]:
    """Return those of a folder's files that a data set consists of, in natural order of their names."""
    found = [file for file in files if is_data_name(file.name)]
    return sorted(found, key=lambda file: _natural(file.name))


def read_documents(path: str | Path) -> Iterator[RawDocument | Problem]:
    """Iterate over the documents of a data set in order; what cannot be read is a problem in its place.

    `.jsonl` is read line by line, `.parquet` some rows at a time, other files whole.

    Raises:
        DataError: as `data_files`, at the call and not at the first step.
    """
    files = data_files(path)
    return (found for file in files for found in read_file(file))


def read_file(file: DataFile) -> Iterator[RawDocument | Problem]:
    """Iterate over the documents of one file; a file that cannot be read (on) ends with a problem that says why."""
    for found in split_file(file):
        yield found.parse() if isinstance(found, RawText) else found


def split_file(file: DataFile) -> Iterator[RawText | RawDocument | Problem]:
    """Iterate over the documents of one file as `read_file` does, and leave it to others to parse their texts.

    The elements of an array have been parsed with it, and are documents.
    """
    name = file.name.lower()
    try:
        if name.endswith(".parquet"):
            yield from _split_parquet(file)
            return
        with file.open("rb") as raw, gzip.open(raw) if name.endswith(".gz") else nullcontext(raw) as stream:
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


def _split_parquet(file: DataFile) -> Iterator[RawText | Problem]:
    import polars

    try:
        for position, text in enumerate(_parquet_texts(file), start=1):
            if isinstance(text, str):
                yield RawText(file.name, position, text.encode(), row=f"row {position} ")
            else:
                yield _problem(file.name, f"row {position}", "wrong type", "must be a text", text)
    except polars.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        rule = f"must be a parquet file with a column {PARQUET_TEXT!r} ({reason})"
        yield _problem(file.name, "", "unreadable file", rule)


def _parquet_texts(file: DataFile) -> Iterator[Any]:
    """Iterate over the texts, of which few are held: a slice is read from the row groups that have its rows."""
    import polars

    with _as_path(file) as path:
        column = polars.scan_parquet(path, glob=False).select(PARQUET_TEXT)
        start = 0
        while len(texts := column.slice(start, _ROWS).collect()[PARQUET_TEXT]):
            yield from texts
            start += len(texts)


@contextmanager
def _as_path(file: DataFile) -> Iterator[Path]:
    """Yield a path at which the file stands, copied to this machine if need be."""
    if isinstance(file, Path):
        yield file
        return
    with file.open("rb") as source, tempfile.NamedTemporaryFile(suffix=".parquet") as copy:
        shutil.copyfileobj(source, copy, 2**20)
        copy.flush()
        yield Path(copy.name)


def _problem(name: str, place: str, kind: Kind, rule: str, value: Any = NoValue.UNSAID) -> Problem:
    return Problem(severity="error", file=name, conversation=None, path=place, rule=rule, value=value, kind=kind)


def _line(name: str, rule: str) -> str:
    return str(_problem(name, "", "unreadable file", rule))


def is_data_name(name: str) -> bool:
    """Whether a file's name says that it is one of those that are read."""
    return name.lower().endswith(SUFFIXES) and not name.startswith(".")


def _natural(name: str) -> tuple[list[str | int], str]:
    # the split alternates text and digits, so that equal places hold equal types
    parts = re.split(r"([0-9]+)", name.casefold())
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], name
