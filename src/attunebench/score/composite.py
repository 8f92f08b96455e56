"""The three pillars, and the composites made of them. All up is better.

Source: AttuneBench, arXiv 2605.21739. The published composite leaves out response quality (judge scores), and its
other weights were rescaled to 1.
"""

from typing import Final, NamedTuple

from attunebench.score.means import mean_of_present, weighted_mean_of_present

EMOTION_WEIGHT: Final = 0.24
EVALUATION_WEIGHT: Final = 0.49
HOLISTIC_WEIGHT: Final = 0.27

PANAS_WEIGHT: Final = 0.4
QUESTIONS_WEIGHT: Final = 0.3
BRANCHES_WEIGHT: Final = 0.3

COMPOSITES: Final = (
    "turn_level_average",
    "conversation_wide_average",
    "emotion_tracking",
    "evaluation_quality",
    "holistic_comprehension",
    "composite_score",
    "equal_weight_composite",
)
"""What `compose` returns."""


class Parts(NamedTuple):
    """What the composites are made of, each 0 to 1, none where not measured."""

    emotion_f1: float | None
    emotion_va: float | None
    observed: float | None
    preferred: float | None
    pairwise: float | None
    panas: float | None
    looking_for: float | None
    clarity: float | None
    fit: float | None
    follow_up: float | None
    branches: float | None


def compose(parts: Parts) -> dict[str, float | None]:
    """Return pillars and averages (0 to 1) and composites (0 to 100), each over the parts that are present.

    emotion tracking = mean(F1, VA); B = mean(observed, preferred accuracy); evaluation quality = mean(B, pairwise);
    questions = mean(q1, q2, q3, follow-up); holistic comprehension = 0.4 PANAS + 0.3 questions + 0.3 branches;
    composite = 100 (0.24 emotion tracking + 0.49 evaluation quality + 0.27 holistic), none without all three.
    turn-level average = mean(emotion tracking, B, pairwise); conversation-wide average = mean(PANAS, questions,
    branches); equal-weight composite = 100 x their mean, none without both.
    """
    tracking = mean_of_present((parts.emotion_f1, parts.emotion_va))
    behaviour = mean_of_present((parts.observed, parts.preferred))
    evaluation = mean_of_present((behaviour, parts.pairwise))
    questions = mean_of_present((parts.looking_for, parts.clarity, parts.fit, parts.follow_up))
    holistic = weighted_mean_of_present(
        ((PANAS_WEIGHT, parts.panas), (QUESTIONS_WEIGHT, questions), (BRANCHES_WEIGHT, parts.branches))
    )
    turn_level = mean_of_present((tracking, behaviour, parts.pairwise))
    conversation_wide = mean_of_present((parts.panas, questions, parts.branches))
    return {
        "turn_level_average": turn_level,
        "conversation_wide_average": conversation_wide,
        "emotion_tracking": tracking,
        "evaluation_quality": evaluation,
        "holistic_comprehension": holistic,
        "composite_score": _composite(tracking, evaluation, holistic),
        "equal_weight_composite": _equal_weight(turn_level, conversation_wide),
    }


def panas_score(baseline_adjusted: float | None) -> float | None:
    """Return (adjusted + 1)/2: 0 to 1, 0.5 is as good as "nothing changes"; none where undefined."""
    return None if baseline_adjusted is None else (baseline_adjusted + 1) / 2


def _composite(tracking: float | None, evaluation: float | None, holistic: float | None) -> float | None:
    if tracking is None or evaluation is None or holistic is None:
        return None
    return 100 * (EMOTION_WEIGHT * tracking + EVALUATION_WEIGHT * evaluation + HOLISTIC_WEIGHT * holistic)


def _equal_weight(turn_level: float | None, conversation_wide: float | None) -> float | None:
    if turn_level is None or conversation_wide is None:
        return None
    return 100 * (turn_level + conversation_wide) / 2
