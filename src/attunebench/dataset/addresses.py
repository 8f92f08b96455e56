"""Files and folders at addresses that fsspec knows (`s3://…`, `https://…`, `zip://…::s3://…`), beside paths.

Files are read where they stand. A `file://` address is the same as its path.
"""

import io
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Literal, cast
from urllib.parse import urlsplit

from attunebench.dataset.files import DataFile, data_files, in_order, is_data_name
from attunebench.errors import DataError, UsageError

_READ = 2**20
"""Bytes that are asked for at a time."""


def is_address(text: str) -> bool:
    """Whether a text is an address and no path."""
    return "://" in text or "::" in text


@dataclass(frozen=True)
class RemoteFile:
    """A file of another filesystem than this machine's own; `address` is where other machines find it."""

    address: str
    files: Any
    path: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return _name(self.path)

    @cached_property
    def has_ranges(self) -> bool:
        """Whether any part of it can be read without what stands before; not all web servers give parts."""
        try:
            return len(self.files.cat_file(self.path, start=0, end=1)) <= 1
        except Exception:  # every filesystem has errors of its own
            return False

    def open(self, _mode: Literal["rb"], /) -> BinaryIO:
        """Open it where it stands, or a copy of it if it cannot be read in parts.

        Raises:
            OSError: whatever goes wrong, at once or while it is read.
        """
        with as_os_errors():
            if self.has_ranges:
                return io.BufferedReader(cast("io.RawIOBase", _Stream(self.files.open(self.path, "rb"))), _READ)
            copy = tempfile.NamedTemporaryFile()  # noqa: SIM115 - who asked for it closes it
            self.files.get_file(self.path, copy.name)
            return cast("BinaryIO", copy)


class _Stream(io.RawIOBase):
    """A stream of any filesystem, whose errors are all `OSError`s."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        with as_os_errors():
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def as_os_errors() -> Iterator[None]:
    """Turn whatever errors a filesystem has into `OSError`s."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # every filesystem has errors of its own
        raise OSError(reason(error)) from error


def files_at(source: str | Path, *, prefer: str | None = None) -> list[DataFile]:
    """Return the files of a data set, at a path or an address, in natural order of their names.

    Of a folder, the files that a data set may consist of, or only the one called `prefer`, if it is there.

    Raises:
        UsageError: no installed filesystem knows the address.
        DataError: nothing is there, or it cannot be read.
    """
    if isinstance(source, Path) or not is_address(source):
        path = Path(source)
        preferred = path / prefer if prefer else path
        return [*data_files(preferred if preferred.is_file() else path)]
    if local := local_path(source):
        return files_at(local, prefer=prefer)
    return [*_remote_files(source, prefer)]


def _remote_files(source: str, prefer: str | None) -> list[RemoteFile]:
    files, path = reach(source)
    try:
        if is_data_name(_name(path)) and files.isfile(path):
            return [RemoteFile(source, files, path)]
        entries = [entry["name"] for entry in files.ls(path, detail=True) if entry["type"] == "file"]
    except FileNotFoundError:
        raise DataError([f"{source}: does not exist"]) from None
    except Exception as error:  # every filesystem has errors of its own
        raise DataError([f"{source}: cannot be read ({reason(error)})"]) from error
    found = [RemoteFile(_below(source, name), files, name) for name in entries]
    return [file for file in found if file.name == prefer] or in_order(found)


def _below(source: str, path: str) -> str:
    """Return the address of a folder's file; web folders tell whole addresses."""
    return path if "://" in path else str(below(source, _name(path)))


def local_path(place: str | Path) -> Path | None:
    """Return the path of what stands on this machine's own filesystem, none of what does not.

    Raises:
        UsageError: no installed filesystem knows the address.
    """
    if isinstance(place, Path) or not is_address(place):
        return Path(place)
    from fsspec.implementations.local import LocalFileSystem

    files, path = reach(place)
    return Path(path) if isinstance(files, LocalFileSystem) else None


def below(folder: str | Path, name: str) -> str | Path:
    """Return the path or address of what is in a folder."""
    return folder / name if isinstance(folder, Path) else f"{folder.rstrip('/')}/{name}"


def read_ranges(place: str | Path, ranges: Sequence[tuple[int, int]]) -> Sequence[bytes]:
    """Return parts of a file, each from its first byte to the one before its end; fewer bytes where the file ends.

    What stands at a path is read without fsspec, which takes longer to load than many files to read.

    Raises:
        Exception: it cannot be read; every filesystem has errors of its own.
    """
    if isinstance(place, Path):
        with place.open("rb") as file:
            return [_read_range(file, *each) for each in ranges]
    files, path = reach(place)
    starts, ends = zip(*ranges, strict=True)
    parts: Sequence[bytes] = files.cat_ranges([path] * len(ranges), [*starts], [*ends], on_error="raise")
    return parts


def _read_range(file: BinaryIO, start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(end - start)


def send(sources: Sequence[Path], target: str) -> None:
    """Copy files to a folder at an address.

    Raises:
        OSError: they cannot be written there.
    """
    files, path = reach(target)
    with as_os_errors():
        files.makedirs(path, exist_ok=True)
        for source in sources:
            files.put_file(str(source), f"{path.rstrip('/')}/{source.name}")


def reach(place: str | Path) -> tuple[Any, str]:
    """Return the fsspec filesystem of an address or path, and the path in it.

    Raises:
        UsageError: no installed filesystem knows the address.
        DataError: an archive does not exist, or the filesystem cannot be opened.
    """
    import fsspec.core

    if isinstance(place, Path):
        return fsspec.filesystem("file"), str(place)
    address = place

    try:
        files, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise UsageError(f"{address}: needs a package that is not installed ({reason(error)})") from error
    except ValueError as error:
        raise UsageError(f"{address}: must be an address that fsspec knows ({reason(error)})") from error
    except FileNotFoundError:  # of an archive
        raise DataError([f"{address}: does not exist"]) from None
    except Exception as error:  # every filesystem has errors of its own
        raise DataError([f"{address}: cannot be opened ({reason(error)})"]) from error
    return files, str(path)


def _name(path: str) -> str:
    """Return a file's name; a web address may have a query after it."""
    return PurePosixPath(urlsplit(path).path if "://" in path else path).name


def reason(error: Exception) -> str:
    """Return an error in one line, the system's own words where there are such."""
    lines = (getattr(error, "strerror", None) or str(error)).splitlines()
    return lines[0] if lines else type(error).__name__
