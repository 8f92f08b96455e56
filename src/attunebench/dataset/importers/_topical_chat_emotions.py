"""The table from Topical-Chat's sentiment labels to the 20 emotion words; the file states its basis."""

from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from attunebench.dataset.json_text import NotJsonError, parse_json
from attunebench.dataset.problems import shorten
from attunebench.errors import DataError
from attunebench.instrument import EMOTION_WORDS

_NAME = "topical_chat_emotions.json"
_FITS = ("exact", "near", "loose")


def load_emotions(path: Path | None = None) -> Mapping[str, tuple[str, ...]]:
    """Return the emotion words of each label, none for no shift; from the bundled table or from another file.

    Raises:
        DataError: the file cannot be read, or breaks a rule of its format; every problem is one line.
    """
    source = files("attunebench.dataset.importers").joinpath("data", _NAME) if path is None else path
    name = _NAME if path is None else str(path)
    try:
        table = parse_json(source.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise DataError([f"{name}: cannot be read ({error.strerror})"]) from error
    except UnicodeDecodeError as error:
        raise DataError([f"{name}: byte offset {error.start}: must be UTF-8"]) from error
    except NotJsonError as error:
        raise DataError([f"{name}: line {error.line} column {error.column}: must be JSON ({error.reason})"]) from error
    if problems := [f"{name}: {problem}" for problem in _problems(table)]:
        raise DataError(problems)
    return {label: tuple(entry["words"]) for label, entry in table["labels"].items()}


def _problems(table: Any) -> Iterator[str]:
    if not isinstance(table, dict):
        yield f"must be an object, got {shorten(table)}"
        return
    for key in ("version", "basis"):
        if not isinstance(text := table.get(key), str) or not text.strip():
            yield f"{key}: must be a text that is not empty, got {shorten(text)}"
    labels = table.get("labels")
    if not isinstance(labels, dict) or not labels:
        yield f"labels: must be an object that is not empty, got {shorten(labels)}"
        return
    for label, entry in labels.items():
        if not isinstance(entry, dict):
            yield f"labels[{shorten(label)}]: must be an object, got {shorten(entry)}"
            continue
        yield from (f"labels[{shorten(label)}].{problem}" for problem in _entry_problems(entry))


def _entry_problems(entry: dict[str, Any]) -> Iterator[str]:
    words = entry.get("words")
    if not isinstance(words, list) or len({str(word) for word in words}) != len(words):
        yield f"words: must be a list of different words, got {shorten(words)}"
    else:
        for word in words:
            if word not in EMOTION_WORDS:
                yield f"words: must be of the 20 emotion words, got {shorten(word)}"
    if entry.get("fit") not in _FITS:
        yield f"fit: must be {', '.join(_FITS)}, got {shorten(entry.get('fit'))}"
    if not isinstance(why := entry.get("why"), str) or not why.strip():
        yield f"why: must be a text that is not empty, got {shorten(why)}"
