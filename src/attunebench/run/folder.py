"""A run's folder: held by one process at a time, and bound to one condition for good."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from attunebench.errors import RunError

CONDITION_FILE = "condition.json"
"""Under which condition the folder's results were made: every part by name."""

_LOCK_FILE = ".lock"
_SECONDS_TO_NOTICE = 10.0
_RESULTS = ("records.jsonl", "calls.jsonl")


@contextmanager
def hold_folder(folder: Path, parts: Mapping[str, Any]) -> Iterator[None]:
    """Make or open a run's folder for results of one condition, and keep other runs out until the block ends.

    `parts` are the parts of the condition by name, as JSON values.

    Raises:
        RunError: the folder cannot be made, another process runs in it, or what it holds is not of this condition.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"--out: {folder} cannot be made: {error.strerror}") from None
    _check(folder, parts)
    lock = FileLock(folder / _LOCK_FILE, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise RunError(f"--out: {folder} is in use by another run; wait for its end or choose another folder") from None
    except OSError as error:
        raise RunError(f"--out: {folder} cannot be written: {error.strerror}") from None
    try:
        _wait_for_workers(folder)
        _check(folder, parts)
        if not (folder / CONDITION_FILE).exists():
            write_whole(folder / CONDITION_FILE, json.dumps(parts, indent=2, ensure_ascii=False) + "\n")
        yield
    finally:
        lock.release()


def worker_lock(folder: Path, number: int) -> Path:
    """Return the file that a worker of a run locks for as long as it lives."""
    return folder / f"{_LOCK_FILE}.{number}"


def _wait_for_workers(folder: Path) -> None:
    """Wait until the workers of a run that was killed have noticed, and remove their locks."""
    for file in folder.glob(f"{_LOCK_FILE}.*"):
        try:
            with FileLock(file, timeout=_SECONDS_TO_NOTICE):
                file.unlink()
        except Timeout:
            raise RunError(f"--out: {folder} is in use by a worker of another run; wait for its end") from None


def _check(folder: Path, parts: Mapping[str, Any]) -> None:
    """Hold what a folder says of its condition against this one."""
    file = folder / CONDITION_FILE
    if not file.exists():
        for name in _RESULTS:
            if (folder / name).exists():
                raise RunError(f"--out: {folder} holds {name} but no {CONDITION_FILE}: choose another folder")
        return
    differences = list(_differences(_read(file), parts))
    if differences:
        rule = f"--out: {folder} holds results of another condition"
        raise RunError(f"{rule} ({'; '.join(differences)}): choose another folder")


def _read(file: Path) -> Mapping[str, Any]:
    try:
        parts = json.loads(file.read_bytes())
    except ValueError as error:
        raise RunError(f"{file}: must be a JSON object ({error})") from None
    if not isinstance(parts, dict):
        raise RunError(f"{file}: must be a JSON object, got {type(parts).__name__}")
    return parts


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in {**now, **before}:
        one, other = before.get(name), now.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from (f"{name}.{difference}" for difference in _differences(one, other))
        elif one != other:
            yield f"{name}: was {json.dumps(one)}, now {json.dumps(other)}"


def write_whole(file: Path, text: str) -> None:
    """Write a small file whole or not at all.

    Raises:
        RunError: it cannot be written, for example on a full disk.
    """
    made = file.with_name(f"{file.name}.new")
    try:
        made.write_text(text, encoding="utf-8")
        made.replace(file)
    except OSError as error:
        made.unlink(missing_ok=True)
        raise RunError(f"{file} cannot be written: {error.strerror}") from None
