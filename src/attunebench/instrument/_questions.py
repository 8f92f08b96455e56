"""The ids of the instrument's questions, and the loader for the bundled wordings or a user's own."""

import hashlib
import json
import reprlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeGuard, get_args

from attunebench.errors import PromptError
from attunebench.instrument._data import read_data
from attunebench.instrument._types import Question, Questions, Voice, YesNoQuestion

_BUNDLED_NAME = "questions.json"
_BUNDLED = json.loads(read_data(_BUNDLED_NAME))

_SECTIONS = ("yes_no", "pairwise", "outcome", "branches", "unknown")
_OPEN_SECTIONS = ("yes_no", "pairwise")
"""Where a user's file may word questions of the user's own data beside the instrument's."""
_IDS: Mapping[str, tuple[str, ...]] = {name: tuple(q["id"] for q in _BUNDLED[name]) for name in _SECTIONS}

YES_NO_IDS: Final[tuple[str, ...]] = _IDS["yes_no"]
"""The 36 yes/no questions about a reply, branch by branch."""

PAIRWISE_IDS: Final[tuple[str, ...]] = _IDS["pairwise"]
"""The 16 pairwise questions: `general`, then PW1 to PW15."""

OUTCOME_IDS: Final[tuple[str, ...]] = _IDS["outcome"]
"""The questions after the conversation, by their names in the data."""

BRANCHES: Final[tuple[str, ...]] = _IDS["branches"]
"""The four branches of emotional intelligence rated 1-7 after the conversation (Mayer & Salovey)."""

YES_NO_BRANCHES: Final[Mapping[str, str]] = MappingProxyType({q["id"]: q["branch"] for q in _BUNDLED["yes_no"]})
"""Yes/no id to its branch, one of five; these are other branches than the four of `BRANCHES`."""


def load_questions(path: Path | None = None) -> Questions:
    """Load a question file; without a path, the bundled one.

    The file has the shape of `data/questions.json`: all ids of the instrument, each with both wordings. The yes/no and
    the pairwise questions may have further ids, those that a data set asks. Other keys are ignored.

    Raises:
        PromptError: the file cannot be read, is not JSON, or breaks a rule; every problem is one line that
            names the file, the place, the rule and the value.
    """
    name = _BUNDLED_NAME if path is None else str(path)
    try:
        data = read_data(_BUNDLED_NAME) if path is None else path.read_bytes()
    except OSError as error:
        raise PromptError(f"{name}: a question file must be readable, got {error.strerror}") from error
    raw = _parse(data, name)
    problems = [f"{name}: {problem}" for problem in _problems(raw)]
    if problems:
        raise PromptError("\n".join(problems))
    yes_no = {q["id"]: YesNoQuestion(branch=q["branch"], **_wordings(q)) for q in _in_order(raw, "yes_no")}
    others = {s: {q["id"]: Question(**_wordings(q)) for q in _in_order(raw, s)} for s in _SECTIONS[1:]}
    sha256 = hashlib.sha256(data).hexdigest()
    return Questions(version=raw["version"], sha256=sha256, yes_no=yes_no, **others)


def _parse(data: bytes, name: str) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique_keys)
    except UnicodeDecodeError as error:
        got = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        raise PromptError(f"{name}: a question file must be UTF-8, got {got}") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        got = reprlib.repr(error.doc[error.pos :])
        raise PromptError(f"{name}: {place}: a question file must be JSON ({error.msg}), got {got}") from error
    except (ValueError, RecursionError) as error:
        raise PromptError(f"{name}: a question file must be plain JSON: {error}") from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    counts = Counter(key for key, _ in pairs)
    if repeated := [key for key, count in counts.items() if count > 1]:
        raise ValueError(f"an object must have each key once, got {repeated[0]!r} {counts[repeated[0]]} times")
    return dict(pairs)


def _problems(raw: Any) -> Iterator[str]:
    if not isinstance(raw, dict):
        yield f"must be an object, got {reprlib.repr(raw)}"
        return
    if not _is_text(version := raw.get("version")):
        yield f"version: must be a text that is not empty, got {reprlib.repr(version)}"
    for section in _SECTIONS:
        entries = raw.get(section)
        if isinstance(entries, list):
            yield from _section_problems(section, entries)
        else:
            yield f"{section}: must be a list of questions, got {reprlib.repr(entries)}"


def _section_problems(section: str, entries: list[Any]) -> Iterator[str]:
    known, found = _IDS[section], Counter[str]()
    for position, entry in enumerate(entries):
        question_id = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(question_id, str):
            yield f"{section}[{position}]: must be an object with an id, got {reprlib.repr(entry)}"
            continue
        found[question_id] += 1
        if question_id not in known and section not in _OPEN_SECTIONS:
            rule = f"id must be one of the instrument's {len(known)}"
            yield f"{section}[{position}]: {rule}, got {question_id!r}"
            continue
        yield from _entry_problems(section, entry)
    for question_id, count in found.items():
        if count > 1:
            yield f"{section}: each id must appear once, got {question_id!r} {count} times"
    for question_id in known:
        if question_id not in found:
            yield f"{section}: all {len(known)} ids must be present, got no {question_id!r}"


def _entry_problems(section: str, entry: dict[str, Any]) -> Iterator[str]:
    place = f"{section} {entry['id']}"
    for voice in get_args(Voice):
        wording = entry.get(voice)
        if not _is_text(wording):
            yield f"{place}: {voice} must be a text that is not empty, got {reprlib.repr(wording)}"
        elif section == "unknown" and "{id}" not in wording:
            yield f"{place}: {voice} must contain {{id}}, got {wording!r}"
    if section == "yes_no" and entry.get("branch") not in (branches := _branches(entry["id"])):
        rule = f"branch must be {' or '.join(map(repr, branches))}"
        yield f"{place}: {rule}, got {reprlib.repr(entry.get('branch'))}"


def _branches(question_id: str) -> list[str]:
    """Return the branches that a yes/no question may have: its own, or any if the instrument does not know it."""
    own = YES_NO_BRANCHES.get(question_id)
    return [own] if own else list(dict.fromkeys(YES_NO_BRANCHES.values()))


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _in_order(raw: dict[str, Any], section: str) -> list[dict[str, Any]]:
    by_id = {entry["id"]: entry for entry in raw[section]}
    return [by_id[question_id] for question_id in dict.fromkeys((*_IDS[section], *by_id))]


def _wordings(entry: dict[str, Any]) -> dict[str, str]:
    return {"id": entry["id"], **{voice: entry[voice] for voice in get_args(Voice)}}
