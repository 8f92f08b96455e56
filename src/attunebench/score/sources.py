"""Where scores come from: the data set and the runs, written down so that a later analysis finds them again."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from attunebench.dataset.addresses import is_address, local_path
from attunebench.errors import RecordError

SOURCES_FILE: Final = "sources.json"


@dataclass(frozen=True)
class Sources:
    """Paths and addresses of a data set and of runs; paths from the folder of the scores on, so that both can move."""

    data: str
    runs: tuple[str, ...]

    def at(self, folder: Path) -> "Sources":
        """Return the same as seen from here, where the scores stand in `folder`."""
        return Sources(_found(self.data, folder), tuple(_found(run, folder) for run in self.runs))


def sources_of(data: str | Path, runs: Sequence[str | Path], out: str | Path) -> Sources:
    """Return where scores in `out` come from; no address keeps a user's name or password."""
    folder = local_path(out)
    return Sources(_kept(data, folder), tuple(_kept(run, folder) for run in runs))


def write_sources(sources: Sources, folder: Path) -> Path:
    """Write `sources.json` into a folder, and return where it stands."""
    file = folder / SOURCES_FILE
    file.write_text(json.dumps(asdict(sources), indent=2) + "\n", encoding="utf-8")
    return file


def read_sources(folder: Path) -> Sources | None:
    """Return where the scores in `folder` come from, as seen from here; none if that was not written down.

    Raises:
        RecordError: the file holds something else.
    """
    file = folder / SOURCES_FILE
    try:
        found = json.loads(file.read_bytes())
        return Sources(found["data"], tuple(found["runs"])).at(folder)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RecordError([f"{file}: must be a file that `attunebench score` wrote ({error})"]) from None


def _kept(place: str | Path, folder: Path | None) -> str:
    path = local_path(place)
    if path is None:
        return _without_user(str(place))
    return str(path.absolute()) if folder is None else os.path.relpath(path, folder)


def _without_user(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _found(place: str, folder: Path) -> str:
    return place if is_address(place) else os.path.normpath(folder / place)
