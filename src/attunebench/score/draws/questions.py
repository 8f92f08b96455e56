"""The questions after the conversation, of all draws; see `attunebench.score.questions` for the formulas."""

import numpy as np

from attunebench.baselines.draws import OutcomeDraws, Whole
from attunebench.dataset.lean import AnyQuestions
from attunebench.instrument import BRANCHES, CLARITY_OPTIONS, FIT_OPTIONS, LOOKING_FOR_OPTIONS
from attunebench.score import questions
from attunebench.score.arrays.means import Numbers, exact_sum, ratio
from attunebench.score.draws.panas import Values
from attunebench.score.questions import BRANCH_RANGE, WORST_FIT_DISTANCE
from attunebench.score.strict_outcome import GOOD_FIT_ANSWERS
from attunebench.score.text import folded


def reference_questions(asked: AnyQuestions, drawn: OutcomeDraws) -> Values:
    """Return the reference scores, with `four_branch_per_branch.<branch>`. A draw has no text on what felt off."""
    draws = len(drawn.clarity)
    gaps = _branch_gaps(asked, drawn)
    mae = exact_sum(list(gaps.values())) / len(gaps) if gaps else np.zeros(draws)
    return {
        "q1_looking_for_score": _looking_for(asked.looking_for, drawn),
        "q2_emotion_clarity_match": _same(asked.emotion_clarity, CLARITY_OPTIONS, drawn.clarity),
        "q3_model_fit_match": _same(asked.model_fit, FIT_OPTIONS, drawn.fit),
        "q3_model_fit_ordinal_distance": _fit_distance(asked.model_fit, drawn.fit),
        "q3_follow_up_score": np.full(draws, float(not asked.what_felt_off)),
        "four_branch_mae": mae,
        "four_branch_normalized": 1 - mae / BRANCH_RANGE,
        **{f"four_branch_per_branch.{branch}": gap for branch, gap in gaps.items()},
    }


def strict_questions(asked: AnyQuestions, drawn: OutcomeDraws) -> Values:
    """Return the strict scores: those of the reference where the participant answered."""
    scores = reference_questions(asked, drawn)
    fit = asked.model_fit
    answered = {
        "q1_looking_for_score": bool(asked.looking_for),
        "q2_emotion_clarity_match": bool(folded(asked.emotion_clarity)),
        "q3_model_fit_match": bool(folded(fit)),
        "q3_model_fit_ordinal_distance": questions.fit_position(fit) is not None,
        "q3_follow_up_score": bool(asked.what_felt_off) or folded(fit) in GOOD_FIT_ANSWERS,
        "four_branch_mae": bool(asked.four_branch_scores),
        "four_branch_normalized": bool(asked.four_branch_scores),
    }
    return {name: scores[name] if known else None for name, known in answered.items()}


def _looking_for(truth: list[str] | None, drawn: OutcomeDraws) -> Numbers:
    wanted = {folded(text) for text in truth or ()}
    if not wanted:
        return np.zeros(len(drawn.clarity))
    options = np.array([folded(option) in wanted for option in LOOKING_FOR_OPTIONS], dtype=np.float64)
    shared = drawn.looking_for @ options
    precision, recall = shared / drawn.looking_for.sum(axis=1), shared / len(wanted)
    return ratio(2 * precision * recall, precision + recall, 0.0)


def _same(truth: str | None, options: tuple[str, ...], drawn: Whole) -> Numbers:
    return np.array([float(folded(option) == folded(truth)) for option in options])[drawn]


def _fit_distance(truth: str | None, drawn: Whole) -> Numbers:
    position = questions.fit_position(truth)
    if position is None:
        return np.full(len(drawn), float(WORST_FIT_DISTANCE))
    return np.abs(position - drawn).astype(np.float64)


def _branch_gaps(asked: AnyQuestions, drawn: OutcomeDraws) -> dict[str, Numbers]:
    ratings = dict(zip(BRANCHES, drawn.branches.T, strict=True))
    return {branch: np.abs(told - ratings[branch]) for branch, told in (asked.four_branch_scores or {}).items()}
