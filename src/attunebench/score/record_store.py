"""Many records' texts, kept out of memory, to be found by the conversation they name."""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from attunebench.dataset.files import RawText, read_texts
from attunebench.dataset.problems import Problem
from attunebench.score.run_files import records_path

_HELD = 32 * 2**20
"""Texts of fewer bytes than this in all stay in memory."""

_FIRST_KEY = re.compile(rb'\s*\{\s*"conversationId"\s*:\s*"([^"\\\x00-\x1f]+)"')


class _Place(NamedTuple):
    """Where a text stands in the store, and all of it that is not its bytes."""

    number: int
    start: int
    length: int
    text: RawText


class RecordStore:
    """The records of several runs, in the order they were read; texts go to a temporary file when they are many.

    Raises:
        DataError: a path does not exist.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.problems: list[tuple[int, str]] = []
        self.count = self.bytes = 0
        self._places: dict[str | None, list[_Place]] = {}
        self._texts = tempfile.SpooledTemporaryFile(max_size=_HELD)  # noqa: SIM115 - closed by __exit__
        try:
            for path in paths:
                for found in read_texts(records_path(path)):
                    self._add(found)
        except BaseException:
            self._texts.close()
            raise

    def _add(self, found: RawText | Problem) -> None:
        number, self.count = self.count, self.count + 1
        if isinstance(found, Problem):
            self.problems.append((number, str(found)))
            return
        length = self._texts.write(found.data)
        frame = RawText(found.file, found.position, b"", found.line, found.offset, found.row)
        self._places.setdefault(document_id(found), []).append(_Place(number, self.bytes, length, frame))
        self.bytes += length

    def take(self, conversation_id: str | None) -> list[tuple[int, RawText]]:
        """Return the records that name this conversation, with their numbers; each can be taken once."""
        return [(place.number, self._read(place)) for place in self._places.pop(conversation_id, ())]

    def rest(self) -> Iterator[list[tuple[int, RawText]]]:
        """Iterate over the records that nobody took, those of one conversation at a time."""
        for name in list(self._places):
            yield self.take(name)

    def _read(self, place: _Place) -> RawText:
        self._texts.seek(place.start)
        text = place.text
        return RawText(text.file, text.position, self._texts.read(place.length), text.line, text.offset, text.row)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._texts.close()


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
        value = json.loads(text.data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    name = value.get("conversationId") if isinstance(value, dict) else None
    return name if isinstance(name, str) and name else None
