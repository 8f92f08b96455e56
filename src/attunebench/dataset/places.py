"""Texts left where they stand in their files, to be read later, in another process or on another machine."""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

from attunebench.dataset.addresses import RemoteFile, read_ranges, reason
from attunebench.dataset.files import DataFile, RawDocument, RawText, split_file
from attunebench.dataset.problems import Problem
from attunebench.errors import DataError

_NEAR = 2**16
"""Texts with fewer bytes between them are read together, and what is between them too."""

_FIRST_KEY = re.compile(rb'\s*\{\s*"conversationId"\s*:\s*"([^"\\\x00-\x1f]+)"')


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands: `length` bytes of the file at `address`, from `text.offset` on.

    `text` is all of it that is not its bytes; `checksum` is their CRC-32, by which it is told that they are others now.
    """

    address: str | Path
    length: int
    checksum: int
    text: RawText

    @property
    def file(self) -> str:
        """The file's name."""
        return self.text.file

    @property
    def position(self) -> int:
        """The text's position within the file, from 1."""
        return self.text.position

    @property
    def end(self) -> int:
        """Offset of the byte after the last."""
        return self.text.offset + self.length


Text: TypeAlias = RawText | Place


def size(text: Text) -> int:
    """Return how many bytes a text has."""
    return text.length if isinstance(text, Place) else len(text.data)


@dataclass(frozen=True, slots=True)
class Found:
    """A text of a file, and the `conversationId` it gives itself, none if it has none or is no JSON object."""

    text: Text
    conversation_id: str | None


def index(file: DataFile, *, remote: bool) -> Iterator[Found | Problem]:
    """Iterate over a file's texts in order, in one pass over its bytes.

    Texts of uncompressed JSON and JSON Lines stay where they are, on other filesystems than this machine's own only
    with `remote`. Those of compressed files, arrays and Parquet, whose bytes stand nowhere as they are, come along.
    """
    address = _address(file) if isinstance(file, Path) or remote else None
    for found in split_file(file):
        if isinstance(found, Problem):
            yield found
        elif isinstance(found, RawDocument):  # of an array
            text = RawText(found.file, found.position, json.dumps(found.value).encode())
            yield Found(text, document_id(text))
        else:
            yield Found(found if address is None else _leave(found, address), document_id(found))


def _address(file: DataFile) -> str | Path | None:
    """Return where parts of a file can be read, if they can."""
    if file.name.lower().endswith((".gz", ".parquet")):
        return None
    if isinstance(file, Path):
        return file.absolute()
    return file.address if isinstance(file, RemoteFile) and "::" not in file.address and file.has_ranges else None


def _leave(text: RawText, address: str | Path) -> Place:
    return Place(address, len(text.data), zlib.crc32(text.data), replace(text, data=b""))


def read_texts(texts: Iterable[Text]) -> Iterator[RawText]:
    """Iterate over texts, those read that stand in files: near ones of a file at once.

    Raises:
        DataError: a file cannot be read, or other bytes stand there than did when it was indexed.
    """
    texts = list(texts)
    read = _read([text for text in texts if isinstance(text, Place)])
    return (read[text] if isinstance(text, Place) else text for text in texts)


def _read(places: Sequence[Place]) -> dict[Place, RawText]:
    found: dict[Place, RawText] = {}
    ordered = sorted(places, key=lambda place: (str(place.address), place.text.offset))
    for address, group in groupby(ordered, key=attrgetter("address")):
        runs = [*_runs(group)]
        try:
            blocks = read_ranges(address, [(run[0].text.offset, run[-1].end) for run in runs])
        except Exception as error:  # every filesystem has errors of its own
            raise DataError([f"{address}: cannot be read ({reason(error)})"]) from error
        for run, block in zip(runs, blocks, strict=True):
            found |= {place: _cut_out(place, block, run[0].text.offset) for place in run}
    return found


def _runs(places: Iterable[Place]) -> Iterator[list[Place]]:
    """Cut a file's texts, in order, where there is much between them."""
    run: list[Place] = []
    for place in places:
        if run and place.text.offset - run[-1].end > _NEAR:
            yield run
            run = []
        run.append(place)
    yield run


def _cut_out(place: Place, block: bytes, start: int) -> RawText:
    data = block[place.text.offset - start : place.end - start]
    if zlib.crc32(data) != place.checksum:
        raise DataError(
            [f"{place.address}: must not change while it is scored, has changed at byte {place.text.offset}"]
        )
    return replace(place.text, data=data)


def document_id(text: RawText) -> str | None:
    """Return the id that a conversation or record gives itself, none if it has none or is no JSON object.

    Read from the text's first bytes where it stands there and nowhere else; else the whole is parsed.
    """
    found = _FIRST_KEY.match(text.data)
    if found and text.data.count(b'"conversationId"') == 1 and b"\\u" not in found[1]:
        try:
            return found[1].decode()
        except UnicodeDecodeError:
            return None
    try:
        value: Any = json.loads(text.data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    name = value.get("conversationId") if isinstance(value, dict) else None
    return name if isinstance(name, str) and name else None
