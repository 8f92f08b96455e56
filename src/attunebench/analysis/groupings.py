"""Groupings: ways to sort people, by a small mapping file or by any field of the data."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeAlias

from attunebench.dataset.export import dump_conversation
from attunebench.dataset.schema import Conversation
from attunebench.errors import UsageError

NOT_GIVEN: Final = "not given"
OTHER: Final = "other"
SEVERAL: Final = "more than one"
UNTESTED: Final = (NOT_GIVEN, OTHER, SEVERAL)
"""Groups that stand for no kind of people: shown, and not tested."""

Fields: TypeAlias = Mapping[str, Any]
"""A conversation as in its file, but for its turns."""

_PROFILE: Final = "participant_profile"
PARTICIPANT: Final = f"{_PROFILE}.participant_id"
"""Where a participant's id stands."""


@dataclass(frozen=True)
class Grouping:
    """A way to sort conversations: where the text stands, patterns by group (none: by the text), and the reference."""

    name: str
    path: str
    patterns: Mapping[str, re.Pattern[str]] | None = None
    reference: str | None = None

    @property
    def of_people(self) -> bool:
        """Whether it sorts participants, and not conversations."""
        return self.path.partition(".")[0] == _PROFILE

    def group(self, fields: Fields) -> str:
        """Return the group of one conversation."""
        texts = texts_at(fields, self.path)
        if not texts:
            return NOT_GIVEN
        if self.patterns is None:
            return texts[0] if len(texts) == 1 else SEVERAL
        whole = ", ".join(texts)
        fitting = [name for name, pattern in self.patterns.items() if pattern.search(whole)]
        return OTHER if not fitting else fitting[0] if len(fitting) == 1 else SEVERAL


def fields_of(conversation: Conversation) -> Fields:
    """Return a conversation's fields by the names in files, without its turns."""
    return {name: value for name, value in dump_conversation(conversation).items() if name != "turns"}


def texts_at(fields: Fields, path: str) -> list[str]:
    """Return the texts at a path such as `participant_profile.age`: of a list, each entry; none where there is nothing.

    Numbers and truth values are texts too; empty texts and whole objects are none.
    """
    found: Any = fields
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    entries = found if isinstance(found, list) else [found]
    texts = [
        entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)
        for entry in entries
        if isinstance(entry, str | int | float)
    ]
    return [text.strip() for text in texts if text.strip()]


def read_groupings(file: Path | None = None) -> dict[str, Grouping]:
    """Return the groupings of a mapping file, by default the project's own, by name.

    Raises:
        UsageError: the file cannot be read, or a grouping is not as it must be.
    """
    try:
        text = file.read_text(encoding="utf-8") if file else _default()
        found = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise UsageError(f"--groups: {file} must be a readable TOML file ({error})") from None
    return {name: _grouping(name, told, file) for name, told in found.items()}


def _default() -> str:
    return files("attunebench.analysis").joinpath("groups.toml").read_text(encoding="utf-8")


def _grouping(name: str, told: Any, file: Path | None) -> Grouping:
    where = f"--groups: {file}: [{name}]"
    if not isinstance(told, Mapping) or not isinstance(told.get("path"), str):
        raise UsageError(f"{where} must have a path, a text, got {told!r}")
    unknown = sorted(told.keys() - {"path", "groups", "reference"})
    if unknown:
        raise UsageError(f"{where} knows path, groups and reference, got {unknown[0]!r}")
    reference = told.get("reference")
    if reference is not None and not isinstance(reference, str):
        raise UsageError(f"{where} reference must be a text, got {reference!r}")
    if "groups" not in told:
        return Grouping(name, told["path"], None, reference)
    patterns = _patterns(where, told["groups"])
    reference = next(iter(patterns)) if reference is None else reference
    if reference not in patterns:
        raise UsageError(f"{where} reference must be one of its groups, got {reference!r}")
    return Grouping(name, told["path"], patterns, reference)


def _patterns(where: str, groups: Any) -> Mapping[str, re.Pattern[str]]:
    if not isinstance(groups, Mapping) or not groups:
        raise UsageError(f"{where} groups must be a table of patterns by name, got {groups!r}")
    for name in UNTESTED:
        if name in groups:
            raise UsageError(f"{where} groups must not be called {', '.join(UNTESTED)}, got {name!r}")
    return {group: _pattern(where, group, pattern) for group, pattern in groups.items()}


def _pattern(where: str, group: str, pattern: Any) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, TypeError) as error:
        raise UsageError(f"{where} group {group!r} must be a regular expression, got {pattern!r} ({error})") from None


def grouping_for(name: str, known: Mapping[str, Grouping], people: Sequence[Fields]) -> Grouping:
    """Return the grouping of that name, or one by the field at that path.

    Raises:
        UsageError: there is no such grouping, and no conversation has anything at such a path; or its groups would be
            named by participants' ids.
    """
    found = known.get(name, Grouping(name, name))
    if found.patterns is None and _names_participants(found.path, people):
        raise UsageError(f"--by: must not list participants, got {name}")
    if name in known:
        return found
    if not any(texts_at(fields, name) for fields in people):
        raise UsageError(
            f"--by: must be one of {', '.join(known)} or a path to a field such as metadata.subtopic, got {name}, "
            "which no conversation has"
        )
    return found


def _names_participants(path: str, people: Iterable[Fields]) -> bool:
    """Whether a path leads to participants' own ids, wherever it has anything."""
    both = [(texts_at(fields, path), texts_at(fields, PARTICIPANT)) for fields in people]
    told = [set(identity) <= set(texts) for texts, identity in both if texts and identity]
    return bool(told) and all(told)
