"""The questions after the conversation, and the branches, by hand."""

from typing import Any

import pytest

from attunebench.score import score_reference, score_strict
from attunebench.score.questions import branch_errors, fit_distance, follow_up_score, looking_for_score, same_answer
from score_examples import FITS, conversation, outcome, record


def test_looking_for_is_f1_of_sets() -> None:
    # 1 shared of 3 wanted and of 2 guessed: 2 x (1/2)(1/3)/(1/2 + 1/3) = .4
    assert looking_for_score(["A", "b", "c", "B "], [" a", "d"]) == pytest.approx(0.4)
    assert looking_for_score(None, []) == 1
    assert looking_for_score(["a"], None) == looking_for_score([], ["a"]) == 0


def test_answers_are_compared_trimmed_and_lower_cased() -> None:
    assert same_answer(" Mixed ", "mixed") == 1
    assert same_answer(None, "") == 1
    assert same_answer("mixed", None) == 0


def test_distance_of_fits() -> None:
    assert fit_distance(FITS[0], FITS[2].upper()) == 2
    assert fit_distance("", None) == 0
    assert fit_distance(FITS[2], "perfect") == fit_distance(None, FITS[0]) == 3


def test_follow_up_is_a_soft_f1() -> None:
    told = ["Too many questions", "ignored my point"]
    guessed = ["too many questions ", "it asked questions", "did not listen"]
    # told: "too many questions" is there: 1. "ignored my point" shares no word: 0.         recall .5
    # guessed: 1; {it asked questions} and {too many questions}: 1/5 < .3: 0; 0.            precision 1/3
    assert follow_up_score(told, guessed) == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))


def test_follow_up_gives_partial_credit_from_three_tenths() -> None:
    # {a b c} and {a b d}: 2/4, either way
    assert follow_up_score(["a b c"], ["a b d"]) == pytest.approx(0.5)
    # {a b c d e} and {a b c f g h i j}: 3/10 counts; {a b} and {a c d}: 1/4 does not
    assert follow_up_score(["a b c d e"], ["a b c f g h i j"]) == pytest.approx(0.3)
    assert follow_up_score(["a b"], ["a c d"]) == 0


def test_follow_up_keeps_repeats_and_empty_lists_agree() -> None:
    # recall: 1, 1, 0 -> 2/3; precision 1
    assert follow_up_score(["a", "a", "b"], ["a"]) == pytest.approx(2 * (2 / 3) / (1 + 2 / 3))
    assert follow_up_score(None, []) == 1
    assert follow_up_score(["a"], []) == follow_up_score([], ["a"]) == 0


def test_branches() -> None:
    truth, predicted = {"perceiving": 2.0, "managing": 7.0}, {"managing": 6.0, "understanding": 1.0}
    assert branch_errors(truth, predicted, missing=4) == {"perceiving": 2, "managing": 1}
    assert branch_errors(truth, predicted, missing=None) == {"perceiving": 6, "managing": 1}
    assert branch_errors(None, predicted, missing=4) == {}


def both(asked: dict[str, Any], **answers: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    told, run = conversation(conversationWideQuestions=asked), record(post=outcome(**answers))
    return score_reference(told, run)["post_score"], score_strict(told, run)


def test_branches_in_both_profiles() -> None:
    asked = {"fourBranchScores": {"perceiving": 2, "managing": 7}}
    reference, strict = both(asked, fourBranchScores={"managing": 6})
    assert reference["four_branch_mae"] == 1.5
    assert reference["four_branch_normalized"] == 1 - 1.5 / 6
    assert strict["four_branch_mae"]["value"] == (6 + 1) / 2
    assert strict["four_branch_normalized"]["value"] == pytest.approx(1 - 3.5 / 6)


def test_what_was_not_asked_is_right_in_reference_and_left_out_in_strict() -> None:
    reference, strict = both({"q1_lookingFor": [], "q2_emotionClarity": " "})
    names = ("q1_looking_for_score", "q2_emotion_clarity_match", "q3_model_fit_match", "q3_follow_up_score")
    for name in (*names, "four_branch_normalized"):
        assert reference[name] == 1
        assert strict[name]["value"] is None
    assert strict["holistic_comprehension"]["value"] is None
    assert strict["composite_score"]["value"] is None


@pytest.mark.parametrize(
    ("fit", "said", "guessed", "value"),
    [
        (FITS[0], [], [], 1),  # a good fit: no text is the right answer
        (FITS[1], None, None, 1),
        (FITS[1], [], ["too long"], 0),
        (FITS[1], ["too long"], ["too long"], 1),
        (FITS[2], [], [], None),  # what felt off was not answered
        (None, [], [], None),
        (None, ["too long"], [], 0),
    ],
)
def test_strict_follow_up(fit: str | None, said: Any, guessed: Any, value: float | None) -> None:
    asked = {"q3_modelFit": fit, "q3_followUp_whatFeltOff": said}
    _, strict = both(asked, q3_followUp_whatFeltOff=guessed)
    assert strict["q3_follow_up_score"]["value"] == value


def test_no_text_is_no_right_answer_if_the_call_failed() -> None:
    told = conversation(conversationWideQuestions={"q3_modelFit": FITS[0]})
    strict = score_strict(told, record(post=None))
    assert strict["q3_follow_up_score"] == {"value": 0, "n": 1, "n_failed": 1, "lower": 0, "upper": 1}
    assert strict["q3_model_fit_ordinal_distance"]["value"] == 3


def test_strict_holistic_shares_the_weights_of_what_is_missing() -> None:
    asked = {"q2_emotionClarity": "mixed", "q1_lookingFor": ["a"], "fourBranchScores": {"managing": 4}}
    _, strict = both(asked, q2_emotionClarity="mixed", fourBranchScores={"managing": 4})
    # questions (0 + 1)/2, branches 1, no PANAS: (.3 x .5 + .3 x 1)/.6
    assert strict["holistic_comprehension"]["value"] == pytest.approx(0.75)
