"""What shards gave, in files of their own: written by whoever scored a shard, to be joined or to be kept.

Part 7 is `00007.jsonl`, a scored conversation a line, and `00007.blocks` or, if it is to be kept, `00007.parquet`, its
rows of `scores.parquet`. A part that is written again is the same.
"""

import io
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attunebench.dataset.addresses import as_os_errors, reach
from attunebench.errors import RecordError
from attunebench.score.shards import ShardResult


@dataclass(frozen=True, slots=True)
class Parts:
    """A folder of parts, at a path or an address that every worker must reach; `kept` if they are not to be joined."""

    folder: str | Path
    kept: bool = False

    def make(self) -> None:
        """Make the folder.

        Raises:
            RecordError: it is there already.
            OSError: it cannot be made; so with all methods.
        """
        files, path = reach(self.folder)
        with as_os_errors():
            there = files.exists(path)
        if there:
            raise RecordError([f"{self.folder} is there already: choose another folder for --out, or remove it"])
        with as_os_errors():
            files.makedirs(path)

    def remove(self) -> None:
        """Remove the folder and all that is in it; where nothing was written, some filesystems have none."""
        files, path = reach(self.folder)
        with suppress(FileNotFoundError), as_os_errors():
            files.rm(path, recursive=True)

    def write(self, number: int, result: ShardResult) -> None:
        """Write a part."""
        lines, table = result.lines, result.table
        if self.kept:
            lines, table = lines.replace(b",\n", b"\n") + b"\n", _as_parquet(table)  # JSON has no line ends of its own
        self._write(self.lines_name(number), lines)
        self._write(self._table_name(number), table)

    def _write(self, name: str, data: bytes) -> None:
        if isinstance(self.folder, Path):
            (self.folder / name).write_bytes(data)
            return
        files, path = reach(self.folder)
        with as_os_errors():
            files.pipe_file(f"{path}/{name}", data)

    def lines(self, number: int) -> bytes:
        """Return a part's scored conversations as JSON objects, one a line; if it is to be joined, a comma between."""
        if isinstance(self.folder, Path):
            return (self.folder / self.lines_name(number)).read_bytes()
        files, path = reach(self.folder)
        with as_os_errors():
            data: bytes = files.cat_file(f"{path}/{self.lines_name(number)}")
        return data

    def table(self, number: int, cache: Path) -> Path:
        """Return where a part's rows can be read on this machine: a copy in `cache` if they are elsewhere."""
        if isinstance(self.folder, Path):
            return self.folder / self._table_name(number)
        files, path = reach(self.folder)
        copy = cache / self._table_name(number)
        with as_os_errors():
            files.get_file(f"{path}/{copy.name}", str(copy))
        return copy

    def lines_name(self, number: int) -> str:
        """Return the name of the file of a part's lines."""
        return f"{number:05}.jsonl"

    def _table_name(self, number: int) -> str:
        return f"{number:05}.parquet" if self.kept else f"{number:05}.blocks"


def _as_parquet(table: bytes) -> bytes:
    from attunebench.score.tidy import read_table  # loads polars, which workers need for nothing else

    buffer = io.BytesIO()
    read_table(table).write_parquet(buffer)
    return buffer.getvalue()
