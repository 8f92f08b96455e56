"""Pillars and composites; see `attunebench.score.composite` for the formulas."""

from typing import NamedTuple

from attunebench.score.arrays.means import Numbers, mean_of_present, weighted_mean_of_present
from attunebench.score.composite import (
    BRANCHES_WEIGHT,
    EMOTION_WEIGHT,
    EVALUATION_WEIGHT,
    HOLISTIC_WEIGHT,
    PANAS_WEIGHT,
    QUESTIONS_WEIGHT,
)


class Parts(NamedTuple):
    """What the composites are made of, all of one shape, NaN where not measured."""

    emotion_f1: Numbers
    emotion_va: Numbers
    observed: Numbers
    preferred: Numbers
    pairwise: Numbers
    panas: Numbers
    looking_for: Numbers
    clarity: Numbers
    fit: Numbers
    follow_up: Numbers
    branches: Numbers


def compose(parts: Parts) -> dict[str, Numbers]:
    """Return pillars, averages and composites, not rounded."""
    tracking = mean_of_present(parts.emotion_f1, parts.emotion_va)
    behaviour = mean_of_present(parts.observed, parts.preferred)
    evaluation = mean_of_present(behaviour, parts.pairwise)
    questions = mean_of_present(parts.looking_for, parts.clarity, parts.fit, parts.follow_up)
    holistic = weighted_mean_of_present(
        (PANAS_WEIGHT, parts.panas), (QUESTIONS_WEIGHT, questions), (BRANCHES_WEIGHT, parts.branches)
    )
    turn_level = mean_of_present(tracking, behaviour, parts.pairwise)
    conversation_wide = mean_of_present(parts.panas, questions, parts.branches)
    composite = 100 * (EMOTION_WEIGHT * tracking + EVALUATION_WEIGHT * evaluation + HOLISTIC_WEIGHT * holistic)
    return {
        "turn_level_average": turn_level,
        "conversation_wide_average": conversation_wide,
        "emotion_tracking": tracking,
        "evaluation_quality": evaluation,
        "holistic_comprehension": holistic,
        "composite_score": composite,
        "equal_weight_composite": 100 * (turn_level + conversation_wide) / 2,
    }


def panas_score(adjusted: Numbers) -> Numbers:
    """Return (adjusted + 1)/2."""
    return (adjusted + 1) / 2
