"""Texts kept out of memory, and many records' to be found by the conversation they name."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import NamedTuple, Self, TypeAlias

from attunebench.dataset.files import DataFile, RawText
from attunebench.dataset.places import Found, Place, Text, index, size
from attunebench.dataset.problems import Problem

_HELD = 32 * 2**20
"""Texts of fewer bytes than this in all stay in memory."""


class _Copied(NamedTuple):
    """Where a text stands in the store, and all of it that is not its bytes."""

    start: int
    length: int
    text: RawText


Kept: TypeAlias = Place | _Copied


class TextStore:
    """Holds texts: those that stand in files as their places, others in a temporary file when they are many."""

    def __init__(self) -> None:
        self._copies = tempfile.SpooledTemporaryFile(max_size=_HELD)  # noqa: SIM115 - closed by __exit__
        self._end = 0

    def keep(self, text: Text) -> Kept:
        """Take a text in; return what it is found by."""
        if isinstance(text, Place):
            return text
        self._copies.seek(self._end)
        start, length = self._end, self._copies.write(text.data)
        self._end += length
        return _Copied(start, length, replace(text, data=b""))

    def get(self, kept: Kept) -> Text:
        """Return a text that was taken in."""
        if isinstance(kept, Place):
            return kept
        self._copies.seek(kept.start)
        return replace(kept.text, data=self._copies.read(kept.length))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._copies.close()


class RecordStore:
    """The records of some files, in the order they were read, their texts in `texts`; see `index` for `remote`."""

    def __init__(self, files: Iterable[DataFile], texts: TextStore, *, remote: bool = False) -> None:
        self.problems: list[tuple[int, str]] = []
        self.count = self.bytes = 0
        self._texts = texts
        self._kept: dict[str | None, list[tuple[int, Kept]]] = {}
        for file in files:
            for found in index(file, remote=remote):
                self._add(found)

    def _add(self, found: Found | Problem) -> None:
        number, self.count = self.count, self.count + 1
        if isinstance(found, Problem):
            self.problems.append((number, str(found)))
            return
        self.bytes += size(found.text)
        self._kept.setdefault(found.conversation_id, []).append((number, self._texts.keep(found.text)))

    def take(self, conversation_id: str | None) -> list[tuple[int, Text]]:
        """Return the records that name this conversation, with their numbers; each can be taken once."""
        return [(number, self._texts.get(kept)) for number, kept in self._kept.pop(conversation_id, ())]

    def rest(self) -> Iterator[list[tuple[int, Text]]]:
        """Iterate over the records that nobody took, those of one conversation at a time."""
        for name in list(self._kept):
            yield self.take(name)
