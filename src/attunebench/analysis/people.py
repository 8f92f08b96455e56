"""Sorting conversations into groups of people: each participant is in one, and none is counted twice."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attunebench.analysis.cube import Cube
from attunebench.analysis.groupings import PARTICIPANT, SEVERAL, UNTESTED, Fields, Grouping, fields_of, texts_at
from attunebench.dataset.schema import Conversation
from attunebench.stats.groups import LEAST_CLUSTERS
from attunebench.stats.sums import Ints


def assign(grouping: Grouping, people: Mapping[str, Fields]) -> tuple[dict[str, str], int]:
    """Return the group of each conversation, by id, and how many participants said different things of themselves.

    A participant who says different things in different conversations is in "more than one" with all of them. Groups of
    conversations (a path not below `participant_profile`) are left as they are: there participants may cross groups.
    """
    groups = {name: grouping.group(fields) for name, fields in people.items()}
    if not grouping.of_people:
        return groups, 0
    persons = {name: tuple(texts_at(fields, PARTICIPANT)) or (name, "") for name, fields in people.items()}
    said: dict[tuple[str, ...], set[str]] = {}
    for name, person in persons.items():
        said.setdefault(person, set()).add(groups[name])
    several = {person for person, found in said.items() if len(found) > 1}
    return {name: SEVERAL if persons[name] in several else group for name, group in groups.items()}, len(several)


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
