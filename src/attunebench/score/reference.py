"""The reference profile: the published benchmark to the letter, its quirks included, so that numbers compare.

Source: AttuneBench, arXiv 2605.21739; rounding ties come from a public port of the benchmark's scorer, not verified
against the original. An answer that is null or absent counts as empty here, on both sides.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from attunebench.dataset.lean import AnyConversation
from attunebench.protocol.lean_records import NO_OUTCOME, AnyPost, AnyRecord
from attunebench.score import draft, panas, questions
from attunebench.score.behaviour import pooled
from attunebench.score.composite import Parts, compose, panas_score
from attunebench.score.means import mean, mean_of_present
from attunebench.score.pairing import TurnPair, pair_turns
from attunebench.score.swap import ORDERS, asked_in_both_orders, both_orders, pool_orders

Scores: TypeAlias = dict[str, Any]

ROUNDED: Final = ("composite_score", "equal_weight_composite")
"""The names that are rounded to 2 decimals."""

AVERAGED: Final = (
    "emotion_hit_rate",
    "emotion_f1",
    "emotion_f1_intensity",
    "emotion_va_score",
    "emotion_va_intensity_score",
    "binary_om_accuracy",
    "binary_human_accuracy",
    "binary_om_accuracy_hp",
    "binary_human_accuracy_hp",
    "pairwise_accuracy",
    "response_similarity",
    "response_similarity_original",
    "response_similarity_llm_improved",
    "response_similarity_human_edited",
    "response_preference_alignment",
)
"""Turn metrics whose means are over all common turns."""

AVERAGED_WHERE_DEFINED: Final = (
    "emotion_intensity_mae",
    "pairwise_kendall_tau",
    "draft_judge_score",
    "draft_binary_alignment",
)
"""Turn metrics whose means are over the turns in which they are defined."""

_METRICS = ("binary_om_metrics", "binary_human_metrics", "binary_om_metrics_hp", "binary_human_metrics_hp")


def score_reference(
    conversation: AnyConversation, record: AnyRecord, *, pairs: Sequence[TurnPair] | None = None
) -> Scores:
    """Score one conversation of one run under the published benchmark's names.

    `turn_scores` covers the turns that conversation and record have in common, in order; `avg_*` are means over them
    (0 without any; none for a metric that was defined in none of them); `pooled_*` are confusion counts over them.
    `composite_score` and `equal_weight_composite` are 0 to 100, rounded to 2 decimals. Only where comparisons were
    asked in both orders, `pooled_pairwise_orders` counts them (`swap.BothOrders`). `pairs` are the paired turns, if
    they are at hand already.
    """
    paired = pair_turns(conversation, record) if pairs is None else pairs
    common = [pair for pair in paired if pair.answered]
    turn_scores = [_score_turn(pair) for pair in common]
    post = _score_post(conversation, record.post_conversation or NO_OUTCOME)
    scores: Scores = {
        "conversationId": conversation.conversation_id,
        "mode": record.mode,
        "em_model": record.em_model,
        "panas_strategy": record.strategy,
        "condition": record.condition,
        "epoch": record.epoch,
        "turn_scores": turn_scores,
        "post_score": post,
    }
    for name in AVERAGED:
        scores[f"avg_{name}"] = mean([turn[name] for turn in turn_scores]) or 0.0
    for name in AVERAGED_WHERE_DEFINED:
        scores[f"avg_{name}"] = mean_of_present([turn[name] for turn in turn_scores])
    tagged = [pair.emotions["emotion_hit_rate"] for pair in common if pair.truth.tags]
    scores["avg_emotion_hit_rate_tagged_only"] = mean_of_present(tagged)
    for kind, name in enumerate(_METRICS):
        scores[f"pooled_{name}"] = pooled([pair.behaviours[kind] for pair in common]).published
    if asked_in_both_orders(record):
        counts = pool_orders(both_orders(pair.truth.shown, pair.reply) for pair in common)
        scores[ORDERS] = counts.published
    scores |= _perspective(scores)
    composites = compose(_parts(scores, post))
    return scores | {name: round(v or 0.0, 2) if name in ROUNDED else v for name, v in composites.items()}


def _score_turn(pair: TurnPair) -> Scores:
    truth, reply, pairwise = pair.truth, pair.reply, pair.pairwise
    om, human, om_hp, human_hp = (counts.published for counts in pair.behaviours)
    unasked_review, unasked_perspective = (0.0, 0.0) if truth.judged else (1.0, 0.0)
    return {
        "turnNumber": truth.number,
        **pair.emotions,
        "binary_om_accuracy": om["accuracy"] or unasked_review,
        "binary_human_accuracy": human["accuracy"] or unasked_review,
        "binary_om_accuracy_hp": om_hp["accuracy"] or unasked_perspective,
        "binary_human_accuracy_hp": human_hp["accuracy"] or unasked_perspective,
        "binary_om_metrics": om,
        "binary_human_metrics": human,
        "binary_om_metrics_hp": om_hp,
        "binary_human_metrics_hp": human_hp,
        "pairwise_accuracy": 1.0 if pairwise.accuracy is None else pairwise.accuracy,
        "pairwise_kendall_tau": pairwise.tau,
        "response_similarity": pair.similarity,
        "response_similarity_original": pair.near.get("original", 0.0),
        "response_similarity_llm_improved": pair.near.get("alternate", 0.0),
        "response_similarity_human_edited": pair.near.get("human", 0.0),
        "response_preference_alignment": pair.similarity if pair.aligned is None else pair.aligned,
        "draft_judge_score": draft.judge_score(reply.em_draft_judge_scores),
        "draft_binary_alignment": draft.behaviour_alignment(truth.told[1], reply.em_draft_binary_assessment),
    }


def _score_post(conversation: AnyConversation, post: AnyPost) -> Scores:
    asked = conversation.conversation_wide_questions or questions.NO_QUESTIONS
    answered = post.predicted_conversation_wide or questions.NO_PREDICTIONS
    errors = questions.branch_errors(
        asked.four_branch_scores, answered.four_branch_scores, missing=questions.MID_BRANCH
    )
    branch_mae = mean(list(errors.values())) or 0.0
    return {
        **_score_panas(conversation, post),
        "q1_looking_for_score": questions.looking_for_score(asked.looking_for, answered.looking_for),
        "q2_emotion_clarity_match": questions.same_answer(asked.emotion_clarity, answered.emotion_clarity),
        "q3_model_fit_match": questions.same_answer(asked.model_fit, answered.model_fit),
        "q3_model_fit_ordinal_distance": questions.fit_distance(asked.model_fit, answered.model_fit),
        "q3_follow_up_score": questions.follow_up_score(asked.what_felt_off, answered.what_felt_off),
        "four_branch_mae": branch_mae,
        "four_branch_normalized": 1 - branch_mae / questions.BRANCH_RANGE,
        "four_branch_per_branch": errors,
    }


def _score_panas(conversation: AnyConversation, post: AnyPost) -> Scores:
    before = panas.reported_totals(conversation.pre_panas)
    after = panas.reported_totals(conversation.post_panas)
    guessed = panas.predicted_totals(post.predicted_post_panas, items_needed=1)
    errors = [panas.error_with_midpoint(told, guess) for told, guess in zip(after, guessed, strict=True)]
    pa_mae, na_mae = (error or 0.0 for error in errors)
    mae = mean_of_present(errors) or 0.0
    gains = [panas.adjusted(*totals, panas.TOTAL_RANGE) for totals in zip(before, after, guessed, strict=True)]
    items, guesses = panas.reported_items(conversation.post_panas), panas.predicted_items(post.predicted_post_panas)
    item_errors = panas.item_errors(items, guesses)
    item_mae = mean(list(item_errors.values()))
    item_gains = panas.items_adjusted(panas.reported_items(conversation.pre_panas), items, guesses)
    return {
        "panas_mae": mae,
        "panas_normalized": panas.nearness(mae, panas.TOTAL_RANGE),
        "panas_pa_mae": pa_mae,
        "panas_na_mae": na_mae,
        "panas_pa_normalized": panas.nearness(pa_mae, panas.TOTAL_RANGE),
        "panas_na_normalized": panas.nearness(na_mae, panas.TOTAL_RANGE),
        "panas_pa_baseline_adjusted": gains[0],
        "panas_na_baseline_adjusted": gains[1],
        "panas_baseline_adjusted": mean_of_present(gains),
        "panas_item_mae": item_mae,
        "panas_item_normalized": None if item_mae is None else 1 - item_mae / panas.ITEM_RANGE,
        "panas_item_baseline_adjusted": mean(item_gains),
        "panas_item_errors": item_errors,
    }


def _perspective(scores: Scores) -> Scores:
    """Compare preferred accuracy from the review and from the perspective call: gap signed, alignment their ratio."""
    review, perspective = scores["avg_binary_human_accuracy"], scores["avg_binary_human_accuracy_hp"]
    review_mcc = scores["pooled_binary_human_metrics"]["mcc"]
    perspective_mcc = scores["pooled_binary_human_metrics_hp"]["mcc"]
    return {
        "hp_perspective_gap": review - perspective,
        "hp_perspective_alignment": perspective / review if review > 0 else 0.0,
        "hp_perspective_gap_mcc": review_mcc - perspective_mcc,
        "hp_perspective_alignment_mcc": perspective_mcc / review_mcc if review_mcc > 0 else 0.0,
    }


def _parts(scores: Scores, post: Scores) -> Parts:
    gained = panas_score(post["panas_baseline_adjusted"])
    return Parts(
        emotion_f1=scores["avg_emotion_f1"],
        emotion_va=scores["avg_emotion_va_score"],
        observed=scores["avg_binary_om_accuracy"],
        preferred=scores["avg_binary_human_accuracy"],
        pairwise=scores["avg_pairwise_accuracy"],
        panas=0.5 if gained is None else gained,
        looking_for=post["q1_looking_for_score"],
        clarity=post["q2_emotion_clarity_match"],
        fit=post["q3_model_fit_match"],
        follow_up=post["q3_follow_up_score"],
        branches=post["four_branch_normalized"],
    )
