"""Files of JSON lines that only grow."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self


class LineFile:
    """A file open for appending lines.

    A line is handed to the system in one write, so it survives the death of the process (not a power cut), and a
    kill leaves whole lines and at most one cut short at the end.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def append(self, line: str) -> None:
        """Write one line; a lone surrogate, which UTF-8 has no bytes for, becomes its JSON escape.

        Raises:
            OSError: it could not be written whole, for example on a full disk.
        """
        data = (line + "\n").encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(self._descriptor, data) :]

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
