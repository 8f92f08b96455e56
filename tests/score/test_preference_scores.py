"""Pairwise accuracy and Kendall's taus, by hand."""

import random
from math import sqrt
from typing import Any

import pytest
from scipy.stats import kendalltau

from attunebench.score import score_reference, score_strict
from attunebench.score.preference import kendall_tau, kendall_tau_b
from score_examples import answered, comparison, conversation, record, turn


def scored(*comparisons: dict[str, Any], **letters: str) -> dict[str, Any]:
    selections = {key.removeprefix("at"): letter for key, letter in letters.items()}
    told = conversation(turn(pairwiseComparisons=list(comparisons)))
    return score_reference(told, record(answered(em_pairwise_selections=selections)))["turn_scores"][0]


def test_accuracy_is_the_share_of_winners_and_an_undecided_comparison_is_never_right() -> None:
    got = scored(
        comparison("original", "human", "A"),  # right
        comparison("alternate", "human", "A"),  # wrong
        comparison("original", "alternate", None),  # undecided, predicted
        comparison("original", "alternate", None),  # undecided, not predicted
        at0="A",
        at1="B",
        at2="A",
    )
    assert got["pairwise_accuracy"] == 1 / 4


def test_no_comparisons_are_right_and_have_no_tau() -> None:
    got = scored()
    assert got["pairwise_accuracy"] == 1
    assert got["pairwise_kendall_tau"] is None


def test_tau_breaks_ties_alphabetically() -> None:
    # Wins: original 1, human 1, alternate 0 -> human, original, alternate (tie: h before o)
    # Predicted: human 1, alternate 1, original 0 -> alternate, human, original
    # human-original agree; human-alternate and original-alternate do not: (1 - 2)/3
    got = scored(comparison("original", "alternate", "A"), comparison("human", "alternate", "A"), at0="B", at1="A")
    assert got["pairwise_kendall_tau"] == pytest.approx(-1 / 3)


def test_tau_counts_predictions_of_undecided_comparisons_and_needs_one() -> None:
    undecided = comparison("alternate", "original", None)
    # No wins: alternate, original. Predicted original 1: original, alternate.
    assert scored(undecided, at0="B")["pairwise_kendall_tau"] == -1
    assert scored(undecided)["pairwise_kendall_tau"] is None


def test_tau_needs_two_labels() -> None:
    assert scored(comparison("original", "original", "A"), at0="A")["pairwise_kendall_tau"] is None
    assert kendall_tau({"a": 1}, {"a": 1}) is None


def test_tau_b_with_ties() -> None:
    # pairs: ab tied in the truth; ac concordant; bc tied in the prediction. Told apart: 2 and 2.
    assert kendall_tau_b({"a": 2, "b": 2, "c": 0}, {"a": 1, "b": 0, "c": 0}) == pytest.approx(1 / sqrt(2 * 2))


def test_tau_b_is_undefined_without_a_difference() -> None:
    assert kendall_tau_b({"a": 1, "b": 1}, {"a": 0, "b": 2}) is None
    assert kendall_tau_b({"a": 0, "b": 2}, {"a": 1, "b": 1}) is None


def test_tau_b_is_scipys() -> None:
    rng = random.Random(3)
    for _ in range(50):
        truth, predicted = ({label: rng.randrange(3) for label in "abcd"} for _ in range(2))
        if (ours := kendall_tau_b(truth, predicted)) is not None:
            assert ours == pytest.approx(kendalltau(list(truth.values()), list(predicted.values())).statistic)


def test_strict_leaves_undecided_comparisons_out() -> None:
    told = conversation(
        turn(
            pairwiseComparisons=[
                comparison("original", "human", "A"),
                comparison("alternate", "human", None),
                comparison("original", "alternate", "A"),
            ]
        )
    )
    got = score_strict(told, record(answered(em_pairwise_selections={"0": "A", "1": "A"})))
    # two decided, one right, the other without a letter: wrong
    assert got["avg_pairwise_accuracy"]["value"] == 1 / 2
    # wins original 2, human 0, alternate 0; predicted original 1: both tell apart o-h and o-a, both agree
    assert got["avg_pairwise_kendall_tau"]["value"] == pytest.approx(1)
