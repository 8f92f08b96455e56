"""Pillars and composites of all draws; see `attunebench.score.composite` for the formulas.

What is measured is the same in every draw. Sums are rounded as the plain ones are: see `exact_sum`.
"""

from math import fsum
from typing import NamedTuple

import numpy as np

from attunebench.score.composite import (
    BRANCHES_WEIGHT,
    EMOTION_WEIGHT,
    EVALUATION_WEIGHT,
    HOLISTIC_WEIGHT,
    PANAS_WEIGHT,
    QUESTIONS_WEIGHT,
)
from attunebench.score.draws.means import Draws, exact_sum
from attunebench.score.draws.panas import Values


class Parts(NamedTuple):
    """What the composites are made of, each of shape (draws,), none where not measured."""

    emotion_f1: Draws | None
    emotion_va: Draws | None
    observed: Draws | None
    preferred: Draws | None
    pairwise: Draws | None
    panas: Draws | None
    looking_for: Draws | None
    clarity: Draws | None
    fit: Draws | None
    follow_up: Draws | None
    branches: Draws | None


def compose(parts: Parts) -> Values:
    """Return pillars, averages and composites, not rounded."""
    tracking = _mean(parts.emotion_f1, parts.emotion_va)
    behaviour = _mean(parts.observed, parts.preferred)
    evaluation = _mean(behaviour, parts.pairwise)
    questions = _mean(parts.looking_for, parts.clarity, parts.fit, parts.follow_up)
    holistic = _weighted((PANAS_WEIGHT, parts.panas), (QUESTIONS_WEIGHT, questions), (BRANCHES_WEIGHT, parts.branches))
    turn_level = _mean(tracking, behaviour, parts.pairwise)
    conversation_wide = _mean(parts.panas, questions, parts.branches)
    composite = equal = None
    if tracking is not None and evaluation is not None and holistic is not None:
        composite = 100 * (EMOTION_WEIGHT * tracking + EVALUATION_WEIGHT * evaluation + HOLISTIC_WEIGHT * holistic)
    if turn_level is not None and conversation_wide is not None:
        equal = 100 * (turn_level + conversation_wide) / 2
    return {
        "turn_level_average": turn_level,
        "conversation_wide_average": conversation_wide,
        "emotion_tracking": tracking,
        "evaluation_quality": evaluation,
        "holistic_comprehension": holistic,
        "composite_score": composite,
        "equal_weight_composite": equal,
    }


def panas_score(adjusted: Draws | None) -> Draws | None:
    """Return (adjusted + 1)/2."""
    return None if adjusted is None else (adjusted + 1) / 2


def rounded(values: Draws) -> Draws:
    """Return values rounded to 2 decimals as Python does; NumPy goes another way, and ends elsewhere now and then."""
    return np.array([round(value, 2) for value in values.tolist()])


def _mean(*parts: Draws | None) -> Draws | None:
    present = [part for part in parts if part is not None]
    return exact_sum(present) / len(present) if present else None


def _weighted(*parts: tuple[float, Draws | None]) -> Draws | None:
    present = [(weight, part) for weight, part in parts if part is not None]
    if not present:
        return None
    return exact_sum([weight * part for weight, part in present]) / fsum(weight for weight, _ in present)
