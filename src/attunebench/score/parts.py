"""What shards gave, in files of their own: written by whoever scored a shard, to be joined or to be kept.

Part 7 is `00007.jsonl`, a scored conversation a line, and `00007.blocks` or, if it is to be kept, `00007.parquet`, its
rows of `scores.parquet`. A part that is written again is the same.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attunebench.dataset.addresses import as_os_errors, reach
from attunebench.errors import RecordError
from attunebench.score.blocks import Blocks
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
        lines = result.lines
        if self.kept:
            lines = lines.replace(b",\n", b"\n") + b"\n"  # JSON has no line ends of its own
        self._write(self.lines_name(number), lines)
        self._write(self._rows_name(number), _as_parquet(result.rows) if self.kept else result.rows.to_bytes())

    def _write(self, name: str, data: bytes) -> None:
        if isinstance(self.folder, Path):
            (self.folder / name).write_bytes(data)
            return
        files, path = reach(self.folder)
        with as_os_errors():
            files.pipe_file(f"{path}/{name}", data)

    def lines(self, number: int) -> bytes:
        """Return a part's scored conversations as JSON objects, one a line; if it is to be joined, a comma between."""
        return self._read(self.lines_name(number))

    def rows(self, number: int) -> Blocks:
        """Return a part's rows; only where it is to be joined."""
        return Blocks.from_bytes(self._read(self._rows_name(number)))

    def _read(self, name: str) -> bytes:
        if isinstance(self.folder, Path):
            return (self.folder / name).read_bytes()
        files, path = reach(self.folder)
        with as_os_errors():
            data: bytes = files.cat_file(f"{path}/{name}")
        return data

    def lines_name(self, number: int) -> str:
        """Return the name of the file of a part's lines."""
        return f"{number:05}.jsonl"

    def _rows_name(self, number: int) -> str:
        return f"{number:05}.parquet" if self.kept else f"{number:05}.blocks"


def _as_parquet(rows: Blocks) -> bytes:
    from attunebench.score.tidy import to_parquet  # loads pyarrow, which workers need for nothing else

    return to_parquet(rows.to_table())
