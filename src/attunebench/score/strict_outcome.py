"""The strict profile after the conversation: PANAS, the questions, the four branches."""

from collections.abc import Mapping
from typing import Final

from attunebench.dataset.lean import AnyConversation, AnyQuestions
from attunebench.instrument import GOOD_FITS
from attunebench.protocol.lean_records import NO_OUTCOME, AnyPost, AnyPredictedQuestions
from attunebench.score import panas, questions
from attunebench.score.calls import Calls
from attunebench.score.items import Items
from attunebench.score.panas import ITEM_RANGE, TOTAL_RANGE, Totals
from attunebench.score.text import folded

ERROR: Final = "panas_error"
CHANGE: Final = "panas_change"
"""Mean |post - predicted| and |post - pre| over the totals reported before and after: what the skill is made of."""

_ITEMS_OF_A_TOTAL = 10
GOOD_FIT_ANSWERS = frozenset(folded(fit) for fit in GOOD_FITS)


def strict_outcome(conversation: AnyConversation, post: AnyPost | None, calls: Calls) -> dict[str, Items]:
    """Return the items of PANAS, the questions and the four branches, each over what the participant answered.

    Without an answer, a total's error is 60, its nearness 0 and its adjusted score -1; an item's or branch's error 6.
    """
    given = post or NO_OUTCOME
    failed = calls.failed(None, "outcome", given.predicted_conversation_wide)
    answers = (None if failed else given.predicted_conversation_wide) or questions.NO_PREDICTIONS
    asked = conversation.conversation_wide_questions or questions.NO_QUESTIONS
    items = _score_panas(conversation, given, calls)
    return items | _score_questions(asked, answers, failed=failed) | _score_branches(asked, answers, failed=failed)


def _score_panas(conversation: AnyConversation, post: AnyPost, calls: Calls) -> dict[str, Items]:
    failed = calls.failed(None, "outcome", post.predicted_post_panas)
    predicted = None if failed else post.predicted_post_panas
    if predicted is None and post.predicted_panas_delta is not None:
        failed = calls.failed(None, "outcome", post.predicted_panas_delta)
    before, after = conversation.pre_panas, conversation.post_panas
    guessed = panas.predicted_totals(predicted, items_needed=_ITEMS_OF_A_TOTAL)
    reported, guesses = panas.reported_items(after), panas.predicted_items(predicted)
    totals = _score_totals(panas.reported_totals(before), panas.reported_totals(after), guessed, failed=failed)
    return totals | _score_items(panas.reported_items(before), reported, guesses, failed=failed)


def _score_totals(before: Totals, after: Totals, guessed: Totals, *, failed: bool) -> dict[str, Items]:
    error, skill_error = _errors(TOTAL_RANGE), _errors(TOTAL_RANGE)
    near, gain, change = Items(), _gains(), Items(0.0, TOTAL_RANGE)
    items = {"panas_mae": error, "panas_normalized": near, "panas_baseline_adjusted": gain}
    for side, pre, post, guess in zip(("pa", "na"), before, after, guessed, strict=True):
        side_error, side_near, side_gain = _errors(TOTAL_RANGE), Items(), _gains()
        items[f"panas_{side}_mae"] = side_error
        items[f"panas_{side}_normalized"] = side_near
        items[f"panas_{side}_baseline_adjusted"] = side_gain
        if post is None:
            continue
        gap = None if guess is None else abs(post - guess)
        nearness = None if gap is None else panas.nearness(gap, TOTAL_RANGE)
        for collected, value in ((error, gap), (side_error, gap), (near, nearness), (side_near, nearness)):
            collected.add_or_miss(value, failed=failed)
        if pre is None:
            continue
        skill_error.add_or_miss(gap, failed=failed)
        change.add([abs(post - pre)])
        if pre != post:
            adjusted = panas.adjusted(pre, post, guess, TOTAL_RANGE)
            gain.add_or_miss(adjusted, failed=failed)
            side_gain.add_or_miss(adjusted, failed=failed)
    return items | {ERROR: skill_error, CHANGE: change}


def _score_items(
    before: Mapping[str, float], after: Mapping[str, float], guesses: Mapping[str, float], *, failed: bool
) -> dict[str, Items]:
    error, near, gain = _errors(ITEM_RANGE), Items(), _gains()
    gaps = {name: abs(post - guesses[name]) for name, post in after.items() if name in guesses}
    error.add(gaps.values())
    near.add([1 - gap / ITEM_RANGE for gap in gaps.values()])
    for collected in (error, near):
        collected.miss(len(after) - len(gaps), failed=failed)
    changed = [name for name, post in after.items() if before.get(name, post) != post]
    gain.add([panas.adjusted(before[name], after[name], guesses[name], ITEM_RANGE) for name in changed if name in gaps])
    gain.miss(len([name for name in changed if name not in gaps]), failed=failed)
    return {"panas_item_mae": error, "panas_item_normalized": near, "panas_item_baseline_adjusted": gain}


def _score_questions(asked: AnyQuestions, answers: AnyPredictedQuestions, *, failed: bool) -> dict[str, Items]:
    looking_for, clarity, fit, follow_up = Items(), Items(), Items(), Items()
    distance = _errors(questions.WORST_FIT_DISTANCE)
    if asked.looking_for:
        score = questions.looking_for_score(asked.looking_for, answers.looking_for)
        looking_for.add_or_miss(None if failed else score, failed=failed)
    if folded(asked.emotion_clarity):
        same = questions.same_answer(asked.emotion_clarity, answers.emotion_clarity)
        clarity.add_or_miss(None if failed else same, failed=failed)
    if folded(asked.model_fit):
        same = questions.same_answer(asked.model_fit, answers.model_fit)
        fit.add_or_miss(None if failed else same, failed=failed)
    if questions.fit_position(asked.model_fit) is not None:
        apart = questions.fit_distance(asked.model_fit, answers.model_fit)
        distance.add_or_miss(None if failed else apart, failed=failed)
    if asked.what_felt_off or folded(asked.model_fit) in GOOD_FIT_ANSWERS:
        score = questions.follow_up_score(asked.what_felt_off, answers.what_felt_off)
        follow_up.add_or_miss(None if failed else score, failed=failed)
    return {
        "q1_looking_for_score": looking_for,
        "q2_emotion_clarity_match": clarity,
        "q3_model_fit_match": fit,
        "q3_model_fit_ordinal_distance": distance,
        "q3_follow_up_score": follow_up,
    }


def _score_branches(asked: AnyQuestions, answers: AnyPredictedQuestions, *, failed: bool) -> dict[str, Items]:
    error, near = _errors(questions.BRANCH_RANGE), Items()
    errors = questions.branch_errors(asked.four_branch_scores, answers.four_branch_scores, missing=None)
    for collected in (error, near) if failed else ():
        collected.miss(len(errors), failed=True)
    if not failed:
        error.add(errors.values())
        near.add([1 - gap / questions.BRANCH_RANGE for gap in errors.values()])
    return {"four_branch_mae": error, "four_branch_normalized": near}


def _errors(scale: float) -> Items:
    return Items(0.0, scale, worst=scale)


def _gains() -> Items:
    return Items(-1.0, 1.0, worst=-1.0)
