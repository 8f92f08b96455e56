"""Sorting conversations into groups of people, by a small mapping file or by any field of the data."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from attunebench.analysis.cube import Cube
from attunebench.dataset.export import dump_conversation
from attunebench.dataset.schema import Conversation
from attunebench.errors import UsageError
from attunebench.stats.groups import LEAST_CLUSTERS
from attunebench.stats.sums import Ints

NOT_GIVEN: Final = "not given"
OTHER: Final = "other"
SEVERAL: Final = "more than one"
UNTESTED: Final = (NOT_GIVEN, OTHER, SEVERAL)
"""Groups that stand for no kind of people: shown, and not tested."""

Fields: TypeAlias = Mapping[str, Any]
"""A conversation as in its file, but for its turns."""

_PROFILE: Final = "participant_profile"
_ID: Final = f"{_PROFILE}.participant_id"


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
    both = [(texts_at(fields, path), texts_at(fields, _ID)) for fields in people]
    told = [set(identity) <= set(texts) for texts, identity in both if texts and identity]
    return bool(told) and all(told)


@dataclass(frozen=True)
class Sorted:
    """A cube's conversations in groups.

    `names`: the groups, those that are of no kind last; `index`: shape (conversations,), each one's group;
    `reference`: what others are compared with, none where there is no group of a kind; `crossed`: whether clusters have
    conversations in several groups; `split`: how many participants said different things of themselves, and are in
    "more than one".
    """

    grouping: Grouping
    names: tuple[str, ...]
    index: Ints
    cluster_of: Ints
    reference: str | None
    crossed: bool
    split: int

    @property
    def reference_place(self) -> int:
        """The reference group's place among the names; the first where there is none."""
        return self.names.index(self.reference) if self.reference in self.names else 0

    @property
    def tested(self) -> list[str]:
        """The groups that are tested."""
        return [name for name in self.names if self.is_tested(name)]

    def conversations(self, name: str) -> int:
        """Return how many conversations a group has."""
        return int(np.count_nonzero(self.index == self.names.index(name)))

    def clusters(self, name: str) -> int:
        """Return how many clusters a group has conversations of."""
        return len(np.unique(self.cluster_of[self.index == self.names.index(name)]))

    def is_tested(self, name: str) -> bool:
        """Whether a group is of a kind of people, and large enough."""
        return name in self.names and name not in UNTESTED and self.clusters(name) >= LEAST_CLUSTERS

    def groups_of_clusters(self, cube: Cube) -> Ints:
        """Return each cluster's group, shape (clusters,); only where clusters do not cross groups."""
        found = np.zeros(cube.cluster_count, dtype=np.int64)
        found[self.cluster_of] = self.index
        return found


def assign(grouping: Grouping, people: Mapping[str, Fields]) -> tuple[dict[str, str], int]:
    """Return the group of each conversation, by id, and how many participants said different things of themselves.

    A participant who says different things in different conversations is in "more than one" with all of them. Groups of
    conversations (a path not below `participant_profile`) are left as they are: there participants may cross groups.
    """
    groups = {name: grouping.group(fields) for name, fields in people.items()}
    if not grouping.of_people:
        return groups, 0
    persons = {name: tuple(texts_at(fields, _ID)) or (name, "") for name, fields in people.items()}
    said: dict[tuple[str, ...], set[str]] = {}
    for name, person in persons.items():
        said.setdefault(person, set()).add(groups[name])
    several = {person for person, found in said.items() if len(found) > 1}
    return {name: SEVERAL if persons[name] in several else group for name, group in groups.items()}, len(several)


def sort_people(grouping: Grouping, conversations: Mapping[str, Conversation], cube: Cube) -> Sorted:
    """Sort a cube's conversations."""
    assigned, split = assign(grouping, {name: fields_of(conversations[name]) for name in cube.conversations})
    groups = [*assigned.values()]
    names = _ordered(grouping, groups)
    index = np.array([names.index(group) for group in groups], dtype=np.int64)
    return Sorted(
        grouping=grouping,
        names=tuple(names),
        index=index,
        cluster_of=cube.clusters,
        reference=_reference(grouping, groups, names),
        crossed=not grouping.of_people
        and len({*zip(cube.clusters.tolist(), groups, strict=True)}) > cube.cluster_count,
        split=split,
    )


def _ordered(grouping: Grouping, groups: Sequence[str]) -> list[str]:
    """Return the groups that occur: a mapping's in its order, others by size, those of no kind last."""
    size = Counter(groups)
    kinds = [name for name in size if name not in UNTESTED]
    known = list(grouping.patterns or ())
    kinds.sort(key=lambda name: (known.index(name), "") if name in known else (-size[name], name))
    return [*kinds, *(name for name in UNTESTED if name in size)]


def _reference(grouping: Grouping, groups: Sequence[str], names: Sequence[str]) -> str | None:
    kinds = [name for name in names if name not in UNTESTED]
    if grouping.reference is not None:
        return grouping.reference if grouping.reference in kinds else None
    return max(kinds, key=Counter(groups).__getitem__, default=None)
