"""Confusion counts and what follows from them, by hand."""

from math import sqrt
from typing import Any

import pytest

from attunebench.score import score_reference
from attunebench.score.behaviour import Confusion, missing_is_no, missing_is_wrong, pooled
from score_examples import answered, comparison, conversation, judgement, record, turn


def test_rates_of_counts() -> None:
    rates = Confusion(tp=6, tn=3, fp=1, fn=2).rates
    assert rates["accuracy"] == pytest.approx(9 / 12)
    assert rates["precision"] == pytest.approx(6 / 7)
    assert rates["recall"] == pytest.approx(6 / 8)
    assert rates["f1"] == pytest.approx(12 / (12 + 1 + 2))  # 2 tp/(2 tp + fp + fn)
    assert rates["mcc"] == pytest.approx((6 * 3 - 1 * 2) / sqrt(7 * 8 * 4 * 5))


def test_mcc_is_undefined_where_everyone_says_yes_and_published_as_0() -> None:
    everyone_yes = Confusion(tp=4)
    assert everyone_yes.rates["mcc"] is None
    assert everyone_yes.published == {
        "tp": 4, "tn": 0, "fp": 0, "fn": 0, "accuracy": 1.0, "precision": 1.0, "recall": 1.0, "f1": 1.0, "mcc": 0.0,
    }  # fmt: skip


def test_mcc_is_negative_where_answers_are_turned_round() -> None:
    assert Confusion(fp=2, fn=2).rates["mcc"] == -1


def test_no_counts_define_nothing() -> None:
    assert set(Confusion().rates.values()) == {None}
    assert pooled([]) == Confusion()


def test_pooling_adds() -> None:
    assert pooled([Confusion(1, 2, 3, 4), Confusion(10, 0, 0, 1)]) == Confusion(11, 2, 3, 5)


def test_a_missing_answer_is_a_no_in_reference_and_wrong_in_strict() -> None:
    truth = {"B1": True, "B2": False, "B3": False}
    answers = {"B1": "yes", "B2": "na"}
    assert missing_is_no(truth, answers) == Confusion(tp=1, tn=2)
    assert missing_is_wrong(truth, answers) == Confusion(tp=1, fp=2)


def scored_turn(judgements: list[dict[str, Any]], **answers: Any) -> dict[str, Any]:
    told = conversation(turn(binaryJudgements=judgements))
    return score_reference(told, record(answered(**answers)))["turn_scores"][0]


def test_only_null_falls_back() -> None:
    judgements = [
        judgement("B1", None, None, llm="yes"),  # observed: yes (from the model's value), preferred: none
        judgement("B2", "na", "na", llm="yes"),  # neither: na does not fall back
        judgement("B3", "yes", None, llm="no"),  # observed yes, preferred yes (from observed)
    ]
    scored = scored_turn(
        judgements,
        em_binary_om_assessment={"B1": "yes", "B2": "yes", "B3": "yes"},
        em_binary_human_prediction={"B1": "no", "B2": "no", "B3": "no"},
    )
    assert scored["binary_om_metrics"]["tp"] == 2
    assert scored["binary_om_accuracy"] == 1
    assert scored["binary_human_metrics"]["fn"] == 1
    assert scored["binary_human_accuracy"] == 0


def test_a_turn_without_questions_is_right_in_the_review_and_wrong_in_the_perspective_call() -> None:
    scored = scored_turn([])
    names = ("binary_om_accuracy", "binary_human_accuracy", "binary_om_accuracy_hp", "binary_human_accuracy_hp")
    assert [scored[name] for name in names] == [1, 1, 0, 0]
    assert scored["binary_om_metrics"]["accuracy"] == 0


def test_questions_that_are_all_na_score_0() -> None:
    scored = scored_turn([judgement("B1", "na", "na")], em_binary_om_assessment={"B1": "no"})
    assert (scored["binary_om_accuracy"], scored["binary_human_accuracy"]) == (0, 0)


def test_the_last_judgement_of_a_repeated_question_counts() -> None:
    repeated = [judgement("B1", "yes", "yes"), judgement("B1", "no", None)]
    scored = scored_turn(repeated, em_binary_om_assessment={"B1": "no"}, em_binary_human_prediction={"B1": "no"})
    assert scored["binary_om_metrics"]["tn"] == 1
    assert scored["binary_human_metrics"]["tn"] == 1  # the last one's preferred falls back


def test_the_perspective_gap_and_alignment() -> None:
    # preferred: review 2 of 2 right, perspective 1 of 2
    told = conversation(
        turn(
            binaryJudgements=[judgement("B1", None, "yes"), judgement("B2", None, "no")],
            pairwiseComparisons=[comparison("original", "human", "A")],
        )
    )
    answers = answered(
        em_binary_human_prediction={"B1": "yes", "B2": "no"}, em_binary_human_prediction_hp={"B1": "yes", "B2": "yes"}
    )
    scored = score_reference(told, record(answers))
    assert scored["hp_perspective_gap"] == 0.5
    assert scored["hp_perspective_alignment"] == 0.5
    assert scored["hp_perspective_gap_mcc"] == 1  # 1 - 0, the perspective's being undefined
    assert scored["hp_perspective_alignment_mcc"] == 0
