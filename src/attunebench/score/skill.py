"""Skill: where a score stands between the best floor (0) and the ceiling (100), on the same conversations.

Skill = 100 x (value - floor)/(ceiling - floor), of aggregate means: never averaged over conversations, and computed
again, floor and ceiling included, in each resample. The floor is the best, in the metric's direction, of null, random
and majority; the ceiling is the oracle. Source: this project's scoring, Floors and ceiling.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final, Literal, TypeAlias, TypedDict

from attunebench.score.aggregate import Row
from attunebench.score.composite import COMPOSITES
from attunebench.score.flat import Profile
from attunebench.score.floors import CEILING, FLOORS

Direction: TypeAlias = Literal["up", "down"]

_NAMED: Final = 8
"""So many metrics a warning names."""

DIRECTIONS: Final[Mapping[str, Direction | None]] = {
    # The first pattern that fits a name decides.
    "hp_perspective_*": None,  # gaps and ratios: neither greater nor less is better
    "panas_change": None,  # what the participant did
    "panas_error.n": None,
    "*.tp": None,
    "*.tn": None,
    "*.fp": None,
    "*.fn": None,
    "*.answered": None,
    "*.flipped": None,
    "*.decided": None,
    "*.agreed": None,
    "panas_item_errors.*": None,  # in panas_item_mae
    "four_branch_per_branch.*": None,  # in four_branch_mae
    "*_mae": "down",
    "*_error": "down",
    "*_distance": "down",
    "*flip_rate": "down",
    "pooled_binary_*": "up",
    "*_accuracy": "up",
    "*_accuracy_hp": "up",
    "avg_emotion_hit_rate*": "up",
    "avg_emotion_f1*": "up",
    "avg_emotion_precision": "up",
    "avg_emotion_recall": "up",
    "avg_pairwise_kendall_tau": "up",
    "avg_response_similarity*": "up",
    "avg_response_preference_alignment": "up",
    "avg_draft_binary_alignment": "up",
    "*agreement_score": "up",
    "*_score": "up",
    "*_match": "up",
    "*_normalized": "up",
    "*_baseline_adjusted": "up",
    "panas_skill": "up",
    "emotion_tracking": "up",
    "evaluation_quality": "up",
    "holistic_comprehension": "up",
    "*_average": "up",
    "equal_weight_composite": "up",
}
"""Whether more or less is better, by patterns of names; none where neither is."""

_PROFILES: Final[tuple[Profile, Profile]] = ("reference", "strict")
_SAME = 1e-9
"""Values that differ by less, in proportion to the ceiling, differ by rounding."""


class Skill(TypedDict):
    """One metric: the best floor and whose it is, the ceiling, and the skill, each none where not defined."""

    floor: float | None
    floor_name: str | None
    ceiling: float | None
    skill: float | None


Skills: TypeAlias = dict[Profile, dict[str, Skill]]
"""By profile and name of the metric."""


@cache
def direction(name: str) -> Direction | None:
    """Return whether more of a metric is better (up) or less (down); none for what has no direction.

    Raises:
        KeyError: no pattern of `DIRECTIONS` fits the name.
    """
    for pattern, found in DIRECTIONS.items():
        if fnmatchcase(name, pattern):
            return found
    raise KeyError(name)


def skill_of(row: Row, floor_rows: Sequence[Row]) -> Skills:
    """Return the skill of an aggregate row in every metric that has a direction.

    `floor_rows` are the rows of the baselines on the very conversations of the row, under its PANAS strategy
    (`FloorScores.rows`). Skill is not defined where the value, all floors or the ceiling are not, or where the ceiling
    is no better than the floor: there is nothing between them to stand in.
    """
    by_name = {floor["floor"]: metric_values(floor) for floor in floor_rows}
    values = metric_values(row)
    return {
        profile: {
            name: _skill(
                direction(name),
                value,
                {floor: by_name[floor][profile].get(name) for floor in FLOORS},
                by_name[CEILING][profile].get(name),
            )
            for name, value in values[profile].items()
        }
        for profile in _PROFILES
    }


def _skill(
    way: Direction | None, value: float | None, floors: Mapping[str, float | None], ceiling: float | None
) -> Skill:
    known = {name: floor for name, floor in floors.items() if floor is not None}
    if not known:
        return {"floor": None, "floor_name": None, "ceiling": ceiling, "skill": None}
    best = (min if way == "down" else max)(known, key=known.__getitem__)
    floor = known[best]
    found = None
    if value is not None and ceiling is not None and _is_better(ceiling, floor, way):
        found = 100 * (value - floor) / (ceiling - floor)
    return {"floor": floor, "floor_name": best, "ceiling": ceiling, "skill": found}


def _is_better(one: float, other: float, way: Direction | None) -> bool:
    gain = other - one if way == "down" else one - other
    return gain > _SAME * max(abs(one), abs(other))


def metric_values(row: Row) -> dict[Profile, dict[str, float | None]]:
    """Return the values of an aggregate row that have a direction, by profile; pooled rates as `name.rate`."""
    reference = {name: value for name, value in _flat(row) if direction(name)}
    strict = {name: value["value"] for name, value in row["strict"].items() if direction(name)}
    return {"reference": reference, "strict": strict}


def _flat(row: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    defined = row["n"]
    for name, value in row.items():
        if name in defined:
            yield name, value
        elif name.startswith("pooled_"):
            yield from ((f"{name}.{rate}", number) for rate, number in value.items())


def below_floor(row: Row, skills: Skills) -> list[str]:
    """Return a line that counts the metrics in which a row is worse than its best floor, and names the first of them.

    Composites and pillars come first. No line if there is none; all of them are in the row's `skill`.
    """
    values = metric_values(row)
    compared: list[tuple[str, str, float, Skill]] = []
    for profile in _PROFILES:
        for name, skill in skills[profile].items():
            value = values[profile].get(name)
            if value is not None and skill["floor"] is not None:
                compared.append((name, name if profile == "reference" else f"strict {name}", value, skill))
    compared.sort(key=lambda found: found[0] not in COMPOSITES)
    below = [
        f"{shown} {value:.3f} {'>' if direction(name) == 'down' else '<'} {skill['floor']:.3f} ({skill['floor_name']})"
        for name, shown, value, skill in compared
        if skill["floor"] is not None and _is_better(skill["floor"], value, direction(name))
    ]
    if not below:
        return []
    group = ", ".join(str(row[name]) for name in ("mode", "panas_strategy", "condition") if row.get(name))
    model = f"{row['em_model']} ({group})" if group else row["em_model"]
    counts = f"{len(below)} of {len(compared)} metrics"
    more = f" and {len(below) - _NAMED:,} more, see skill in scores.json" if len(below) > _NAMED else ""
    return [f"{model}: below the best floor on {counts}: {', '.join(below[:_NAMED])}{more}"]
