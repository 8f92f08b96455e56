"""Many scored conversations to one row a model, mode, strategy and condition.

Source of mean, SE and z: AttuneBench, arXiv 2605.21739.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import Any, Final, TypeAlias

from attunebench.score.behaviour import Confusion, pooled
from attunebench.score.items import StrictValue
from attunebench.score.means import mean, mean_of_present
from attunebench.score.strict_outcome import CHANGE, ERROR

Row: TypeAlias = dict[str, Any]

GROUP: Final = ("em_model", "mode", "panas_strategy", "condition")
"""What conversations must share to be averaged."""

SKILL: Final = "panas_skill"

_COMPOSITE = "composite_score"
_ERRORS_BY_NAME = ("panas_item_errors", "four_branch_per_branch")


def aggregate(scores: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return one row a group of conversations, as scored by `score` or `score_reference`, in the order of `GROUP`.

    A row holds the group's names; `n_conversations`; the mean over conversations of every numeric score, those of
    `post_score` among them, under the same name, and in `n` over how many conversations it was defined;
    `panas_item_errors` and `four_branch_per_branch`, means by item and branch; `pooled_*`, rates of the added
    confusion counts; `se_composite` = sample SD/sqrt(n) of the composite, none for n < 2; `z_score` =
    (composite - mean)/SD over all rows, sample SD, none where that is undefined or 0; and `strict`
    (see `aggregate_strict`) if the conversations have it.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for scored in scores:
        groups[tuple(scored[name] for name in GROUP)].append(scored)
    ordered = sorted(groups.items(), key=lambda group: tuple("" if v is None else v for v in group[0]))
    rows = [dict(zip(GROUP, key, strict=True)) | _aggregate_group(members) for key, members in ordered]
    composites = [row[_COMPOSITE] for row in rows]
    centre, spread = mean(composites), sample_sd(composites)
    for row in rows:
        row["z_score"] = (row[_COMPOSITE] - centre) / spread if spread else None
    return rows


def _aggregate_group(members: Sequence[Mapping[str, Any]]) -> Row:
    flat = [{**member, **member["post_score"]} for member in members]
    row: Row = {"n_conversations": len(members)}
    n: dict[str, int] = {}
    for name in _names(flat, GROUP):
        values = [scored.get(name) for scored in flat]
        present = [value for value in values if value is not None]
        if all(isinstance(value, int | float) for value in present):
            row[name], n[name] = mean(present), len(present)
        elif name.startswith("pooled_"):
            row[name] = pooled(Confusion(c["tp"], c["tn"], c["fp"], c["fn"]) for c in present).published()
        elif name in _ERRORS_BY_NAME:
            row[name] = {key: mean_of_present(errors.get(key) for errors in present) for key in _names(present)}
    row["n"] = n
    composites = [scored[_COMPOSITE] for scored in flat]
    deviation = sample_sd(composites)
    row["se_composite"] = None if deviation is None else deviation / sqrt(len(composites))
    if all("strict" in member for member in members):
        row["strict"] = aggregate_strict([member["strict"] for member in members])
    return row


def aggregate_strict(conversations: Sequence[Mapping[str, StrictValue]]) -> dict[str, StrictValue]:
    """Return every strict metric over conversations, and the PANAS skill.

    `value` is the mean over the `n` conversations that have one, `n_failed` the sum over all of them, `lower` and
    `upper` the means of the bounds, not defined where a conversation has a value and no bound.

    `panas_skill` = 1 - sum |post - predicted|/sum |post - pre| over all totals reported before and after; at most 1,
    0 is no better than "nothing changes", up is better; none if nothing changed.
    """
    values: dict[str, StrictValue] = {}
    for name in _names(conversations):
        each = [scores[name] for scores in conversations if name in scores]
        measured = [one for one in each if one["value"] is not None]
        values[name] = {
            "value": mean_of_present(one["value"] for one in each),
            "n": len(measured),
            "n_failed": sum(one["n_failed"] for one in each),
            "lower": None if any(m["lower"] is None for m in measured) else mean_of_present(o["lower"] for o in each),
            "upper": None if any(m["upper"] is None for m in measured) else mean_of_present(o["upper"] for o in each),
        }
    return values | {SKILL: _panas_skill(conversations)}


def _panas_skill(conversations: Sequence[Mapping[str, StrictValue]]) -> StrictValue:
    errors = [c[ERROR] for c in conversations if c[ERROR]["n"]]
    change = fsum((c[CHANGE]["value"] or 0.0) * c[CHANGE]["n"] for c in conversations)
    sums = [
        fsum((end or 0.0) * error["n"] for end, error in zip(ends, errors, strict=True))
        for ends in ([e["value"] for e in errors], [e["upper"] for e in errors], [e["lower"] for e in errors])
    ]
    value, lower, upper = (1 - total / change if change else None for total in sums)
    n_failed = sum(error["n_failed"] for error in errors)
    return {"value": value, "n": len(errors) if change else 0, "n_failed": n_failed, "lower": lower, "upper": upper}


def sample_sd(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation, sqrt(sum (x - mean)^2/(n - 1)); none of fewer than 2 values."""
    centre = mean(values)
    if centre is None or len(values) < 2:
        return None
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def _names(mappings: Iterable[Mapping[str, Any]], left_out: Sequence[str] = ()) -> list[str]:
    """Return the keys of all mappings, each once, in the order of their first appearance."""
    return [name for name in dict.fromkeys(key for mapping in mappings for key in mapping) if name not in left_out]
