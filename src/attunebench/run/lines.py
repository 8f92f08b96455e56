"""Files of JSON lines that only grow."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from attunebench.errors import RunError

_BLOCK = 2**16


class LineFile:
    """A file open for appending lines.

    A line is handed to the system in one write, so it survives the death of the process (not a power cut), and several
    processes may append to one file. A kill leaves whole lines and at most one cut short at the end, for
    `cut_to_whole_lines`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise self._failed(error) from None

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


def cut_to_whole_lines(path: Path) -> None:
    """Take off a last line that was cut short; nobody else may be writing. A file that is not there stays away.

    Raises:
        RunError: the file cannot be written.
    """
    try:
        with path.open("r+b") as file:
            end = size = file.seek(0, os.SEEK_END)
            while end:
                start = max(0, end - _BLOCK)
                file.seek(start)
                at = file.read(end - start).rfind(b"\n")
                end = start + at + 1 if at >= 0 else start
                if at >= 0:
                    break
            if end < size:
                file.truncate(end)
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror}") from None
