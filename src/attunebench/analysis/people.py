"""Sorting conversations into groups of people, by a small mapping file or by any field of the data."""

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


@dataclass(frozen=True)
class Grouping:
    """A way to sort conversations: where the text stands, patterns by group (none: by the text), and the reference."""

    name: str
    path: str
    patterns: Mapping[str, re.Pattern[str]] | None = None
    reference: str | None = None

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

    Numbers and truth values are texts too; empty texts are none.
    """
    found: Any = fields
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    entries = found if isinstance(found, list) else [found]
    texts = [
        entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)
        for entry in entries
        if entry is not None
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
    patterns = told.get("groups")
    if patterns is not None:
        patterns = {group: _pattern(where, group, pattern) for group, pattern in patterns.items()}
        reference = told.get("reference", next(iter(patterns), None))
        if reference not in patterns:
            raise UsageError(f"{where} reference must be one of its groups, got {reference!r}")
        return Grouping(name, told["path"], patterns, reference)
    return Grouping(name, told["path"], None, told.get("reference"))


def _pattern(where: str, group: str, pattern: Any) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, TypeError) as error:
        raise UsageError(f"{where} group {group!r} must be a regular expression, got {pattern!r} ({error})") from None


def grouping_for(name: str, known: Mapping[str, Grouping], people: Iterable[Fields]) -> Grouping:
    """Return the grouping of that name, or one by the field at that path.

    Raises:
        UsageError: there is no such grouping, and no conversation has anything at such a path.
    """
    if name in known:
        return known[name]
    if not any(texts_at(fields, name) for fields in people):
        raise UsageError(
            f"--by: must be one of {', '.join(known)} or a path to a field such as metadata.subtopic, got {name}, "
            "which no conversation has"
        )
    return Grouping(name, name)


def sort_people(grouping: Grouping, people: Sequence[Fields], clusters: Sequence[int]) -> tuple[list[str], int]:
    """Return each conversation's group, and how many participants were in more than one.

    A participant whose conversations are in different groups is in "more than one" with all of them, but where the
    others say nothing.
    """
    groups = [grouping.group(fields) for fields in people]
    of_cluster: dict[int, set[str]] = {}
    for cluster, group in zip(clusters, groups, strict=True):
        of_cluster.setdefault(cluster, set()).add(group)
    if grouping.path.startswith("metadata"):  # of the conversation, not of the person
        return groups, sum(len(found) > 1 for found in of_cluster.values())
    split = {cluster for cluster, found in of_cluster.items() if len(found - {NOT_GIVEN}) > 1}
    sorted_out = [SEVERAL if cluster in split else group for cluster, group in zip(clusters, groups, strict=True)]
    return sorted_out, len(split)
