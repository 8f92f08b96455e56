"""Files of JSON lines that only grow."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from attunebench.errors import RunError

_BLOCK = 2**16


class LineFile:
    """A file open for appending lines.

    A line is handed to the system in one write, so it survives the death of the process (not a power cut), and a kill
    leaves whole lines and at most one cut short at the end, which is taken off when the file is opened again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise self._failed(error) from None
        self._cut_to_whole_lines()

    def append(self, line: str) -> None:
        """Write one line; a lone surrogate, which UTF-8 has no bytes for, becomes its JSON escape.

        Raises:
            RunError: it could not be written whole, for example on a full disk; nothing of it is left.
        """
        data = (line + "\n").encode("utf-8", "backslashreplace")
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
        except OSError as error:
            self._take_back(written)
            raise self._failed(error) from None

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _cut_to_whole_lines(self) -> None:
        end = size = os.fstat(self._descriptor).st_size
        while end:
            start = max(0, end - _BLOCK)
            at = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            if at >= 0:
                end = start + at + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._descriptor, end)

    def _take_back(self, written: int) -> None:
        """Cut off the start of a line, unless another process has written after it."""
        end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        if written and os.fstat(self._descriptor).st_size == end:
            os.ftruncate(self._descriptor, end - written)

    def _failed(self, error: OSError) -> RunError:
        return RunError(f"{self._path} cannot be written: {error.strerror}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
