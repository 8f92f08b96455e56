"""Folders and files at addresses that fsspec knows (`s3://…`, `https://…`, `zip://…::s3://…`), as folders here.

What is read is copied to a folder on this machine first, and what is written is copied from one; so all that reads
and writes files need know paths only. Plain paths and `file://` addresses are used where they are.
"""

import tempfile
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from attunebench.dataset.files import SUFFIXES
from attunebench.errors import DataError, RecordError, UsageError


def is_address(text: str) -> bool:
    """Whether a text is an address and no path."""
    return "://" in text or "::" in text


def fetch(source: str, cache: Path, *, prefer: str | None = None) -> Path:
    """Return a path that holds what is at `source`: the path itself, or a copy in a new folder in `cache`.

    Of a folder, the files that a data set may consist of are copied, or only the one called `prefer`, if it is there.

    Raises:
        UsageError: no installed filesystem knows the address.
        DataError: nothing is there, or it cannot be read.
    """
    if not is_address(source):
        return Path(source)
    files, path = _open(source)
    if local := _local(files, path):
        return local
    target = Path(tempfile.mkdtemp(dir=cache))
    try:
        if _name(path).lower().endswith(SUFFIXES) and files.isfile(path):
            files.get_file(path, str(target / _name(path)))
            return target / _name(path)
        entries = [entry["name"] for entry in files.ls(path, detail=True) if entry["type"] == "file"]
    except FileNotFoundError:
        raise DataError([f"{source}: does not exist"]) from None
    except Exception as error:  # every filesystem has errors of its own
        raise DataError([f"{source}: cannot be read ({_reason(error)})"]) from error
    chosen = [name for name in entries if _name(name).lower().endswith(SUFFIXES) and not _name(name).startswith(".")]
    chosen = [name for name in chosen if _name(name) == prefer] or chosen
    for name in chosen:
        try:
            files.get_file(name, str(target / _name(name)))
        except Exception as error:
            raise DataError([f"{source}: {_name(name)} cannot be read ({_reason(error)})"]) from error
    return target


def folder_for(target: str, cache: Path) -> Path:
    """Return the folder to write into what `send` then brings to `target`: the path itself, or a new one in `cache`.

    Raises:
        UsageError: no installed filesystem knows the address.
    """
    if not is_address(target):
        return Path(target)
    return _local(*_open(target)) or Path(tempfile.mkdtemp(dir=cache))


def send(folder: Path, target: str) -> None:
    """Copy the files of a folder to an address, unless the folder is what it stands for.

    Raises:
        RecordError: they cannot be written there.
    """
    if not is_address(target):
        return
    files, path = _open(target)
    if _local(files, path):
        return
    try:
        files.makedirs(path, exist_ok=True)
        for file in sorted(folder.iterdir()):
            files.put_file(str(file), f"{path.rstrip('/')}/{file.name}")
    except Exception as error:  # every filesystem has errors of its own
        raise RecordError([f"{target}: cannot be written ({_reason(error)})"]) from error


def _open(address: str) -> tuple[Any, str]:
    """Return the filesystem of an address and the path in it."""
    import fsspec.core

    try:
        files, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise UsageError(f"{address}: needs a package that is not installed ({_reason(error)})") from error
    except ValueError as error:
        raise UsageError(f"{address}: must be an address that fsspec knows ({_reason(error)})") from error
    except FileNotFoundError:  # of an archive
        raise DataError([f"{address}: does not exist"]) from None
    except Exception as error:  # every filesystem has errors of its own
        raise DataError([f"{address}: cannot be opened ({_reason(error)})"]) from error
    return files, str(path)


def _local(files: Any, path: str) -> Path | None:
    """Return a path of this machine's own filesystem, none of another's."""
    from fsspec.implementations.local import LocalFileSystem

    return Path(path) if isinstance(files, LocalFileSystem) else None


def _name(path: str) -> str:
    """Return a file's name; a web address may have a query after it."""
    return PurePosixPath(urlsplit(path).path if "://" in path else path).name


def _reason(error: Exception) -> str:
    lines = (getattr(error, "strerror", None) or str(error)).splitlines()
    return lines[0] if lines else type(error).__name__
