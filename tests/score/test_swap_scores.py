"""Flips and agreement of comparisons asked in both orders, by hand and by what must not matter."""

from functools import reduce
from operator import add
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_examples import answered, comparison, conversation, record, turn

from attunebench.baselines import answer_conversation, make_baseline
from attunebench.dataset.demo import load_demo
from attunebench.protocol.calls import Condition
from attunebench.protocol.prompts import load_prompts
from attunebench.score.swap import BothOrders, both_orders

PROMPTS = load_prompts()
SWAPPED = Condition(swap=True, prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256)
OTHER = {"A": "B", "B": "A", None: None}
LABELS = ("original", "alternate", "human")


def shown(comparisons: list[dict[str, Any]], *, swapped: bool = False) -> dict[str, dict[str, str]]:
    sides = ((c["responseB"], c["responseA"]) if swapped else (c["responseA"], c["responseB"]) for c in comparisons)
    return {str(index): {"A": a, "B": b} for index, (a, b) in enumerate(sides)}


def said(comparisons: list[dict[str, Any]], first: str, second: str, **changed: Any) -> BothOrders:
    """Count comparisons; `first` and `second` hold a letter for each, or - for no answer."""
    fields = {
        "pairwise_assignment": shown(comparisons),
        "em_pairwise_selections": {str(i): letter for i, letter in enumerate(first) if letter != "-"},
        "pairwise_assignment_swapped": shown(comparisons, swapped=True),
        "em_pairwise_selections_swapped": {str(i): letter for i, letter in enumerate(second) if letter != "-"},
    }
    told = conversation(turn(pairwiseComparisons=comparisons))
    (reply,) = record(answered(**(fields | changed))).turns
    return both_orders(told.turns[0], reply)


def test_six_comparisons_by_hand() -> None:
    six = [
        comparison("original", "human", "A"),  # A, then B: the original twice, and right
        comparison("original", "human", "A"),  # A, then A: the original, then the human: a flip
        comparison("alternate", "human", "A"),  # B, then A: the human twice, and wrong
        comparison("alternate", "original", "B"),  # answered once only: no flip to see, and not right
        comparison("alternate", "original", "B"),  # never answered
        comparison("original", "human", None),  # B, then B: a flip; there is no right and wrong
    ]
    counts = said(six, "AABB-B", "BAA--B")
    assert counts == BothOrders(answered=4, flipped=2, decided=5, agreed=1)
    assert counts.flip_rate == 2 / 4
    assert counts.agreement_score == 1 / 5


def test_without_an_answer_in_both_orders_there_is_no_flip_rate_and_missing_answers_are_wrong() -> None:
    counts = said([comparison("original", "human", "A")], "A", "-")
    assert (counts.flip_rate, counts.agreement_score) == (None, 0)
    failed = said([comparison("original", "human", "A")], "A", "-", em_pairwise_selections_swapped=None)
    assert failed == counts


def test_without_a_decided_comparison_there_is_no_agreement_score() -> None:
    counts = said([comparison("original", "human", None)], "A", "B")
    assert (counts.flip_rate, counts.agreement_score) == (0, None)
    assert BothOrders().flip_rate is BothOrders().agreement_score is None


def test_replies_under_one_label_cannot_be_told_apart_and_are_left_out() -> None:
    assert said([comparison("human", "human", "A")], "A", "A") == BothOrders()
    unlabelled = comparison("human", "original", "A") | {"responseA": None, "responseB": None}
    assert said([unlabelled], "A", "A") == BothOrders()


def test_a_side_without_a_label_is_a_reply_too() -> None:
    half = comparison("human", "original", "A") | {"responseA": None}
    assert said([half], "A", "B") == BothOrders(answered=1, decided=1, agreed=1)
    assert said([half], "A", "A") == BothOrders(answered=1, flipped=1, decided=1)


def test_letters_stand_for_labels_of_their_own_assignment_under_any_spelling() -> None:
    one = [comparison("alternate", "human", "A")]
    turned = {"0": {"A": "alternate2", "B": "alternate1"}}
    assert said(one, "B", "A", pairwise_assignment=turned, pairwise_assignment_swapped=turned).flipped == 1
    assert said(one, "B", "B", pairwise_assignment=turned, pairwise_assignment_swapped=turned).agreed == 1


def test_without_assignments_letters_are_those_of_the_data_set_and_then_exchanged() -> None:
    bare = {"pairwise_assignment": None, "pairwise_assignment_swapped": None}
    assert said([comparison("original", "human", "A")], "A", "B", **bare).agreed == 1
    assert said([comparison("original", "human", "A")], "A", "A", **bare).flipped == 1


COMPARISONS = st.lists(
    st.tuples(st.permutations(LABELS), st.sampled_from(["A", "B", None])).map(
        lambda drawn: comparison(drawn[0][0], drawn[0][1], drawn[1])
    ),
    max_size=5,
)
ANSWERS = st.text("AB-", min_size=5, max_size=5)


@given(compared=COMPARISONS, first=ANSWERS, second=ANSWERS)
def test_which_order_came_first_does_not_matter(compared: list[dict[str, Any]], first: str, second: str) -> None:
    first, second = first[: len(compared)], second[: len(compared)]
    exchanged = {
        "pairwise_assignment": shown(compared, swapped=True),
        "pairwise_assignment_swapped": shown(compared),
    }
    assert said(compared, first, second) == said(compared, second, first, **exchanged)


@given(compared=COMPARISONS, first=ANSWERS, second=ANSWERS)
def test_the_order_of_comparisons_does_not_matter(compared: list[dict[str, Any]], first: str, second: str) -> None:
    first, second = first[: len(compared)], second[: len(compared)]
    assert said(compared, first, second) == said(compared[::-1], first[::-1], second[::-1])


@given(compared=COMPARISONS, letter=st.sampled_from("AB"))
def test_who_always_says_the_same_letter_flips_every_time_and_never_agrees(
    compared: list[dict[str, Any]], letter: str
) -> None:
    counts = said(compared, letter * len(compared), letter * len(compared))
    assert counts.flip_rate == (1 if compared else None)
    assert counts.agreed == 0


def over_the_demo(name: str) -> BothOrders:
    conversations = load_demo().conversations
    baseline = make_baseline(name, conversations)
    counts = (
        both_orders(turn, reply)
        for one in conversations
        for turn, reply in zip(
            one.ordered_turns, answer_conversation(baseline, one, SWAPPED, PROMPTS).turns, strict=True
        )
    )
    return reduce(add, counts, BothOrders())


@pytest.mark.parametrize(("name", "flips", "agreement"), [("oracle", 0, 1), ("null", None, 0), ("random", 0.5, 0.25)])
def test_baselines_earn_what_they_must(name: str, flips: float | None, agreement: float) -> None:
    counts = over_the_demo(name)
    assert counts.flip_rate == (flips if flips is None else pytest.approx(flips, abs=0.12))
    assert counts.agreement_score == pytest.approx(agreement, abs=0.12)
    if name == "oracle":
        assert (counts.flipped, counts.agreed) == (0, counts.decided)
