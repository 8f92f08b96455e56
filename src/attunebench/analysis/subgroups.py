"""Subgroups: do models read some people less well than others?

The published claim to check: models track people with a diagnosis less well. Groups differ in how hard they are, so the
floor and the ceiling of each group stand beside, and the difference in skill is tested too.
"""

from collections.abc import Sequence

import polars as pl

from attunebench.analysis.frames import counts
from attunebench.analysis.group_models import METHOD as MIXED
from attunebench.analysis.group_models import group_models
from attunebench.analysis.group_scores import METHOD, group_scores
from attunebench.analysis.groupings import Grouping
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.people import Sorted, sort_people
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.groups import LEAST_CLUSTERS

TITLE = "Subgroups"

_PEOPLE = (
    "How many conversations and participants each group has, by the mapping shown in analysis.json. Groups that stand "
    "for no kind of people are shown and not tested: not given, other, more than one. in_several: participants who "
    "said different things of themselves, and are in more than one."
)


def subgroups(inputs: Inputs, groupings: Sequence[Grouping]) -> Part:
    """Return who was counted where, groups' scores with their differences, and mixed models."""
    missing: list[Missing] = []
    people, groups, mixed = [], [], []
    for grouping in groupings:
        found = sort_people(grouping, inputs.conversations, inputs.cube)
        people.append(_people(found))
        why = _untested(found)
        if why:
            missing.append(Missing("subgroups", f"{grouping.name}: nothing is tested, {why}"))
        for places in inputs.cube.settings().values():
            groups.append(group_scores(inputs, found, places))
            if not why:
                mixed.append(group_models(inputs, found, places))
    tables = [
        Table("people", "Who was counted where", _PEOPLE, pl.concat(people, how="vertical_relaxed"), "count"),
        Table(
            "groups",
            "Every group, and its difference from the reference group",
            METHOD,
            pl.concat(groups, how="diagonal_relaxed"),
        ),
    ]
    if mixed:
        tables.append(Table("groups_mixed", "Groups in a mixed model", MIXED, pl.concat(mixed, how="vertical_relaxed")))
    return Part(TITLE, tables, missing)


def _untested(found: Sorted) -> str | None:
    """Return why no group can be compared with the reference; none where one can."""
    if found.reference is None:
        return "as no conversation is in the reference group"
    if not found.is_tested(found.reference):
        return f"as the reference group, {found.reference}, has fewer than {LEAST_CLUSTERS} participants"
    if len(found.tested) < 2:
        return f"as no other group has {LEAST_CLUSTERS} participants"
    return None


def _people(found: Sorted) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "group_field": found.grouping.name,
            "group": found.names,
            "conversations": counts([found.conversations(name) for name in found.names]),
            "participants": counts([found.clusters(name) for name in found.names]),
            "reference": [name == found.reference for name in found.names],
            "tested": [found.is_tested(name) for name in found.names],
            "in_several": found.split,
        }
    )
