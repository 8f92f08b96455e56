"""Which metrics an analysis is about, how they are made of conversations, and what they measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from attunebench.analysis.cube import ERROR_ITEMS, Cube, Metric
from attunebench.score.aggregate import SKILL
from attunebench.score.skill import direction
from attunebench.score.strict_outcome import CHANGE, ERROR
from attunebench.score.swap import ORDERS
from attunebench.stats.pooled import Rates
from attunebench.stats.sums import Floats, ratio

COMPOSITE: Final = "composite_score"
PILLARS: Final = ("emotion_tracking", "evaluation_quality", "holistic_comprehension")
JUDGED: Final = "avg_draft_judge_score"

CAPABILITIES: Final[Mapping[str, tuple[str, ...]]] = {
    "emotion recognition": ("emotion_tracking",),
    "behaviour": ("avg_binary_om_accuracy", "avg_binary_human_accuracy"),
    "preference": ("avg_pairwise_accuracy",),
    "draft quality": (JUDGED,),
    "outcome": ("holistic_comprehension",),
}
"""What the benchmark calls separable, and the metrics whose mean stands for it. Without judges, draft quality is
the draft's alignment with what the participant preferred."""

KEY: Final = (
    COMPOSITE,
    *PILLARS,
    "avg_emotion_f1",
    "avg_emotion_va_score",
    "avg_binary_om_accuracy",
    "avg_binary_human_accuracy",
    "avg_pairwise_accuracy",
    "avg_response_preference_alignment",
    JUDGED,
    "panas_normalized",
    "four_branch_normalized",
)
"""The metrics whose skill, share of first places, groups and relations are computed: the composite and what it is of,
a few behind each capability, and the drafts."""

UNJUDGED: Final = ("avg_response_preference_alignment",)


@dataclass(frozen=True)
class Pooled:
    """Rates of counts that are added up over conversations: the counts' metrics, the rates' names, and the function."""

    counts: tuple[Metric, ...]
    rates: tuple[Metric, ...]
    compute: Rates


def is_mean(metric: Metric) -> bool:
    """Whether a metric of a row is the mean of its conversations', and has a direction: most are and have."""
    return not _is_pooled(metric) and "." not in metric.name and direction(metric.name) is not None


def _is_pooled(metric: Metric) -> bool:
    return metric.profile == "reference" and metric.name.startswith("pooled_")


def confusion_rates(counts: Floats) -> Floats:
    """Return accuracy, precision, recall, F1 and MCC of tp, tn, fp, fn, shape (4, …); 0 where undefined, as published.

    Source: AttuneBench's scoring, Behaviour.
    """
    tp, tn, fp, fn = counts
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    rates = (
        ratio(tp + tn, tp + tn + fp + fn),
        ratio(tp, tp + fp),
        ratio(tp, tp + fn),
        ratio(2 * tp, 2 * tp + fp + fn),
        ratio(tp * tn - fp * fn, np.sqrt(np.maximum(product, 0.0))),
    )
    return np.nan_to_num(np.stack(rates))


def order_rates(counts: Floats) -> Floats:
    """Return flip rate and agreement of comparisons asked in both orders: answered, flipped, decided, agreed."""
    answered, flipped, decided, agreed = counts
    return np.stack([ratio(flipped, answered), ratio(agreed, decided)])


def skill_rate(counts: Floats) -> Floats:
    """Return the PANAS skill, 1 - added errors/added changes: mean error, mean change, and over how many totals."""
    errors, changes = counts
    return np.stack([1 - ratio(errors, changes)])


def pooled_of(cube: Cube) -> Sequence[tuple[Pooled, Floats]]:
    """Return all pooled rates that a cube has, each with its counts, shape (rows, conversations, counts)."""
    known = set(cube.metrics)
    found = [(each, np.stack([cube.metric(*count) for count in each.counts], axis=-1)) for each in _POOLED]
    weight = cube.metric(*ERROR_ITEMS)
    summed = np.stack([cube.metric("strict", name) * weight for name in (ERROR, CHANGE)], axis=-1)
    found.append((_PANAS, summed))
    return [(each, counts) for each, counts in found if known.issuperset(each.counts)]


_POOLED: Final = (
    *(
        Pooled(
            tuple(Metric("reference", f"{kind}.{count}") for count in ("tp", "tn", "fp", "fn")),
            tuple(Metric("reference", f"{kind}.{rate}") for rate in ("accuracy", "precision", "recall", "f1", "mcc")),
            confusion_rates,
        )
        for kind in (
            "pooled_binary_om_metrics",
            "pooled_binary_human_metrics",
            "pooled_binary_om_metrics_hp",
            "pooled_binary_human_metrics_hp",
        )
    ),
    Pooled(
        tuple(Metric("reference", f"{ORDERS}.{count}") for count in ("answered", "flipped", "decided", "agreed")),
        tuple(Metric("reference", f"{ORDERS}.{rate}") for rate in ("flip_rate", "agreement_score")),
        order_rates,
    ),
)
_PANAS: Final = Pooled((Metric("strict", ERROR), Metric("strict", CHANGE)), (Metric("strict", SKILL),), skill_rate)


def capabilities_of(cube: Cube, profile: str) -> tuple[Mapping[str, tuple[str, ...]], Floats]:
    """Return the metrics behind each capability that was measured, and its scores, of rows of one setting.

    Scores have shape (rows, conversations, capabilities): the mean of the metrics that are defined.
    """
    judged = not np.isnan(cube.metric(profile, JUDGED)).all()
    chosen = {
        name: UNJUDGED if name == "draft quality" and not judged else metrics for name, metrics in CAPABILITIES.items()
    }
    return chosen, np.stack([_mean(cube, profile, names) for names in chosen.values()], axis=-1)


def _mean(cube: Cube, profile: str, names: Sequence[str]) -> Floats:
    parts = np.stack([cube.metric(profile, name) for name in names])
    present = ~np.isnan(parts)
    return ratio(np.where(present, parts, 0.0).sum(axis=0), present.sum(axis=0).astype(np.float64))
