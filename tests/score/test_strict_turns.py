"""The strict profile of turns: what is left out, what is wrong, and what a failed call leaves open."""

from typing import Any

import pytest

from attunebench.score import score_reference, score_strict
from score_examples import answered, comparison, conversation, judgement, record, tags, turn

EMOTIONS = ("avg_emotion_hit_rate", "avg_emotion_f1", "avg_emotion_f1_intensity", "avg_emotion_va_score")
SCORES = {"overall_score": 7, "emotional_appropriateness": 7, "helpfulness": 7, "tone_match": 7}


def value(got: dict[str, Any], name: str) -> Any:
    return got[name]["value"]


def counts(got: dict[str, Any], name: str) -> tuple[int, int]:
    return got[name]["n"], got[name]["n_failed"]


def bounds(got: dict[str, Any], name: str) -> tuple[float, float]:
    return got[name]["lower"], got[name]["upper"]


def test_emotions_that_were_not_asked_are_left_out() -> None:
    told = conversation(turn(1, feelings=None), turn(2, feelings=tags(("Upset", 3))))
    got = score_strict(told, record(answered(1), answered(2, em_emotion_tags=tags(("Upset", 3)))))
    for name in EMOTIONS:
        assert (value(got, name), counts(got, name)) == (1, (1, 0))


def test_asked_and_nothing_felt_is_a_right_answer_to_an_empty_reply_only() -> None:
    told = conversation(turn(1, feelings=[]), turn(2, feelings=[]))
    got = score_strict(told, record(answered(1), answered(2, em_emotion_tags=None)))
    assert score_reference(told, record(answered(1), answered(2, em_emotion_tags=None)))["avg_emotion_f1"] == 1
    for name in EMOTIONS:
        assert got[name] == {"value": 0.5, "n": 2, "n_failed": 1, "lower": 0.5, "upper": 1}
    assert got["avg_emotion_hit_rate_tagged_only"]["n"] == 0


def test_a_missing_turn_is_wrong_in_everything_it_could_have_had() -> None:
    asked = {
        "binaryJudgements": [judgement("B1", "no", "yes")],
        "pairwiseComparisons": [comparison("original", "human", "A")],
        "alternateResponses": {"humanEdited": "x"},
    }
    told = conversation(turn(1, feelings=[], **asked))
    got = score_strict(told, record())
    zero = {"value": 0, "n": 1, "n_failed": 1, "lower": 0, "upper": 1}
    names = [f"avg_binary_{name}" for name in ("om_accuracy", "human_accuracy", "om_accuracy_hp", "human_accuracy_hp")]
    names += ["avg_pairwise_accuracy", "avg_response_similarity", "avg_response_preference_alignment", *EMOTIONS]
    for name in names:
        assert got[name] == zero, name
    assert got["avg_pairwise_kendall_tau"] == {"value": None, "n": 0, "n_failed": 1, "lower": -1, "upper": 1}
    assert score_reference(told, record())["turn_scores"] == []


def test_only_the_participants_own_answers_count() -> None:
    told = conversation(turn(binaryJudgements=[judgement("B1", None, None, "yes"), judgement("B2", "yes", None)]))
    said = {"B1": "yes", "B2": "yes"}
    run = record(answered(em_binary_om_assessment=said, em_binary_human_prediction=said))
    got = score_strict(told, run)
    assert (value(got, "avg_binary_om_accuracy"), got["pooled_binary_om_accuracy"]["n"]) == (1, 1)
    assert value(got, "avg_binary_human_accuracy") is None
    assert value(got, "evaluation_quality") == 1


def test_an_unanswered_no_is_wrong() -> None:
    told = conversation(turn(binaryJudgements=[judgement("B1", "no", "no"), judgement("B2", "no", "no")]))
    run = record(answered(em_binary_om_assessment={"B1": "no", "B2": "na"}, em_binary_human_prediction={}))
    got = score_strict(told, run)
    assert value(got, "avg_binary_om_accuracy") == 0.5
    assert value(got, "avg_binary_human_accuracy") == 0
    assert counts(got, "avg_binary_human_accuracy") == (1, 0)  # answered, with nothing in it
    assert score_reference(told, run)["avg_binary_om_accuracy"] == 1


def test_pooled_rates_take_failed_calls_as_wrong_and_their_upper_bound_as_right() -> None:
    told = conversation(
        turn(1, binaryJudgements=[judgement("B1", "yes", None), judgement("B2", "no", None)]),
        turn(2, binaryJudgements=[judgement("B1", "yes", None), judgement("B2", "no", None)]),
    )
    first = answered(1, em_binary_om_assessment={"B1": "yes", "B2": "no"})
    got = score_strict(told, record(first, answered(2, em_binary_om_assessment=None)))
    # as wrong: tp 1, tn 1, fp 1, fn 1; as right: tp 2, tn 2
    assert got["pooled_binary_om_mcc"] == {"value": 0, "n": 4, "n_failed": 2, "lower": 0, "upper": 1}
    assert got["pooled_binary_om_f1"]["value"] == 0.5
    assert got["avg_binary_om_accuracy"] == {"value": 0.5, "n": 2, "n_failed": 1, "lower": 0.5, "upper": 1}


def test_mcc_without_both_answers_is_not_defined() -> None:
    told = conversation(turn(binaryJudgements=[judgement("B1", "yes", "yes")]))
    got = score_strict(told, record(answered(em_binary_human_prediction={"B1": "yes"})))
    assert got["pooled_binary_human_mcc"] == {"value": None, "n": 0, "n_failed": 0, "lower": None, "upper": None}
    assert value(got, "hp_perspective_gap_mcc") is None


def test_the_perspective_gap_is_bounded_by_the_ends_of_both() -> None:
    told = conversation(
        *(turn(n, binaryJudgements=[judgement("B1", None, "yes")]) for n in (1, 2)),
    )
    review, perspective = (
        {"em_binary_human_prediction": {"B1": "yes"}},
        {"em_binary_human_prediction_hp": {"B1": "yes"}},
    )
    failed = {"em_binary_human_prediction_hp": None}
    got = score_strict(told, record(answered(1, **review, **perspective), answered(2, **review, **failed)))
    # review 1 of 2 turns each; perspective .5, between .5 and 1
    assert (value(got, "hp_perspective_gap"), bounds(got, "hp_perspective_gap")) == (0.5, (0, 0.5))
    assert (value(got, "hp_perspective_alignment"), bounds(got, "hp_perspective_alignment")) == (0.5, (0.5, 1))


def test_a_draft_is_compared_with_existing_replies_only() -> None:
    told = conversation(turn(reply="a b", alternateResponses={"llmImproved": "a c", "humanEdited": ""}))
    got = score_strict(told, record(answered(em_drafted_response="a c")))
    assert value(got, "avg_response_similarity") == 1
    assert value(got, "avg_response_similarity_original") == 1 / 3
    assert value(got, "avg_response_similarity_human_edited") is None
    assert value(got, "avg_response_preference_alignment") is None  # nothing was decided


def test_a_judges_failure_is_left_out_and_a_failed_draft_is_0() -> None:
    replies = {"alternateResponses": {"humanEdited": "x"}}
    told = conversation(*(turn(n, **replies) for n in (1, 2, 3)))
    got = score_strict(
        told,
        record(
            answered(1, em_drafted_response="a", em_draft_judge_scores=SCORES),
            answered(2, em_drafted_response="a", em_draft_judge_scores=None),
            answered(3, em_drafted_response=None, em_draft_judge_scores=None),
        ),
    )
    # 1 judged 1; 2 left out; 3 has no draft: 0. Bounds over all three: 1/3 and 3/3.
    expected = {"value": 0.5, "n": 2, "n_failed": 2, "lower": pytest.approx(1 / 3), "upper": 1}
    assert got["avg_draft_judge_score"] == expected


def test_without_a_judge_nothing_of_it_failed() -> None:
    told = conversation(turn(alternateResponses={"humanEdited": "x"}))
    got = score_strict(told, record(answered(em_drafted_response=None)))
    assert got["avg_draft_judge_score"] == {"value": None, "n": 0, "n_failed": 0, "lower": None, "upper": None}


def test_a_failed_review_leaves_the_intensity_error_open() -> None:
    told = conversation(*(turn(n, feelings=tags(("Upset", 3))) for n in (1, 2)))
    got = score_strict(told, record(answered(1, em_emotion_tags=tags(("Upset", 5))), answered(2, em_emotion_tags=None)))
    assert got["avg_emotion_intensity_mae"] == {"value": 2, "n": 1, "n_failed": 1, "lower": 1, "upper": 4}


def states(*rows: tuple[int | None, str, str]) -> list[dict[str, Any]]:
    return [{"turn": number, "call": call, "state": state} for number, call, state in rows]


@pytest.mark.parametrize(
    ("state", "expected"), [("parsed", 1), ("repaired", 1), ("refused", 0), ("truncated", 0), ("provider_error", 0)]
)
def test_the_states_of_calls_tell_which_failed(state: str, expected: int) -> None:
    told = conversation(turn(feelings=[]))
    got = score_strict(told, record(answered(), calls=states((1, "review", state))))
    assert value(got, "avg_emotion_f1") == expected
    assert counts(got, "avg_emotion_f1") == (1, 1 - expected)


def test_an_answer_missing_from_a_call_that_ended_well_is_wrong_and_not_failed() -> None:
    told = conversation(turn(feelings=[]))
    got = score_strict(told, record(answered(em_emotion_tags=None), calls=states((1, "review", "parsed"))))
    assert got["avg_emotion_f1"] == {"value": 0, "n": 1, "n_failed": 0, "lower": 0, "upper": 0}


def test_a_call_that_is_not_listed_is_told_by_its_answer() -> None:
    told = conversation(turn(1, feelings=[]), turn(2, feelings=[]))
    run = record(answered(1), answered(2, em_emotion_tags=None), calls=states((1, "review", "parsed")))
    assert counts(score_strict(told, run), "avg_emotion_f1") == (2, 1)


def test_the_outcome_call_has_no_turn() -> None:
    told = conversation(conversationWideQuestions={"q2_emotionClarity": "mixed"})
    post = {"predicted_conversation_wide": {"q2_emotionClarity": "mixed"}}
    failed = record(post=post, calls=states((None, "outcome", "refused")))
    assert value(score_strict(told, record(post=post)), "q2_emotion_clarity_match") == 1
    assert value(score_strict(told, failed), "q2_emotion_clarity_match") == 0


def test_composites_are_not_rounded_and_carry_the_bounds_of_their_parts() -> None:
    asked = {
        "binaryJudgements": [judgement(key, "yes", "yes") for key in ("B1", "B2", "B3")],
        "pairwiseComparisons": [comparison("original", "human", "A")],
    }
    told = conversation(turn(feelings=[], **asked), conversationWideQuestions={"q2_emotionClarity": "mixed"})
    run = record(
        answered(
            em_binary_om_assessment={"B1": "yes"}, em_binary_human_prediction={}, em_pairwise_selections={"0": "A"}
        ),
        post=None,
    )
    got = score_strict(told, run)
    # emotion tracking 1; B (1/3 + 0)/2 = 1/6, evaluation (1/6 + 1)/2 = 7/12; holistic 0, and 1 if the call had worked
    low = 100 * (0.24 + 0.49 * 7 / 12)
    assert value(got, "composite_score") == pytest.approx(low, abs=1e-12)
    assert bounds(got, "composite_score") == pytest.approx((low, low + 27))
    assert counts(got, "composite_score") == (5, 1)  # emotions, observed, preferred, pairwise, q2
