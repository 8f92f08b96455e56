"""Flips and agreement of comparisons asked in both orders, by hand and by what must not matter."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attunebench.baselines import answer_conversation, make_baseline
from attunebench.dataset.demo import load_demo
from attunebench.protocol.calls import Condition
from attunebench.protocol.prompts import load_prompts
from attunebench.protocol.records import RunRecord
from attunebench.score import aggregate, score
from attunebench.score.swap import BothOrders, both_orders, pool_orders
from score_examples import answered, comparison, conversation, record, turn

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
    return both_orders(told.turns[0].comparisons, reply)


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
        both_orders(turn.comparisons, reply)
        for one in conversations
        for turn, reply in zip(
            one.ordered_turns, answer_conversation(baseline, one, SWAPPED, PROMPTS).turns, strict=True
        )
    )
    return pool_orders(counts)


@pytest.mark.parametrize(("name", "flips", "agreement"), [("oracle", 0, 1), ("null", None, 0), ("random", 0.5, 0.25)])
def test_baselines_earn_what_they_must(name: str, flips: float | None, agreement: float) -> None:
    counts = over_the_demo(name)
    assert counts.flip_rate == (flips if flips is None else pytest.approx(flips, abs=0.12))
    assert counts.agreement_score == pytest.approx(agreement, abs=0.12)
    if name == "oracle":
        assert (counts.flipped, counts.agreed) == (0, counts.decided)


def run_of(*replies: dict[str, Any], failed: tuple[tuple[int, str], ...] = (), turns: int = 1) -> RunRecord:
    """A record of comparisons asked in both orders, in which some calls failed."""
    kinds = [(number, kind) for number in range(1, turns + 1) for kind in ("pairwise", "pairwise_swapped")]
    calls = [{"turn": n, "call": k, "state": "refused" if (n, k) in failed else "parsed"} for n, k in kinds]
    return record(*replies, calls=calls, provenance={"swap": True})


def chose(first: str, second: str, number: int = 1) -> dict[str, Any]:
    selections = [{str(i): letter for i, letter in enumerate(letters) if letter != "-"} for letters in (first, second)]
    return answered(number, em_pairwise_selections=selections[0], em_pairwise_selections_swapped=selections[1])


THREE = [
    comparison("original", "human", "A"),
    comparison("alternate", "human", "B"),
    comparison("human", "original", None),
]
TOLD = conversation(turn(1, pairwiseComparisons=THREE), turn(2, pairwiseComparisons=THREE[:2]))


def test_a_conversation_s_scores_hold_the_counts_of_its_turns() -> None:
    # turn 1: right twice, a flip, a flip that nobody decided; turn 2: wrong twice, answered once
    scored = score(TOLD, run_of(chose("ABA", "BBA"), chose("BB", "A-", 2), turns=2))
    assert scored["pooled_pairwise_orders"] == {
        "answered": 4, "flipped": 2, "decided": 4, "agreed": 1, "flip_rate": 2 / 4, "agreement_score": 1 / 4,
    }  # fmt: skip
    flips, agreements = (scored["strict"][f"pooled_pairwise_{name}"] for name in ("flip_rate", "agreement_score"))
    assert flips == {"value": 2 / 4, "n": 4, "n_failed": 0, "lower": 2 / 4, "upper": 2 / 4}
    assert agreements == {"value": 1 / 4, "n": 4, "n_failed": 0, "lower": 1 / 4, "upper": 1 / 4}


@pytest.mark.parametrize("kind", ["pairwise", "pairwise_swapped"])
def test_a_failed_call_of_either_order_bounds_both_rates(kind: str) -> None:
    run = run_of(chose("ABA", "BAB"), chose("AB", "BA", 2), failed=((1, kind),), turns=2)
    strict = score(TOLD, run)["strict"]
    # turn 2 never flips and is right twice both times; of turn 1, three choices and two agreements are not known
    assert strict["pooled_pairwise_flip_rate"] == {"value": 0, "n": 2, "n_failed": 3, "lower": 0, "upper": 3 / 5}
    assert strict["pooled_pairwise_agreement_score"] == {
        "value": 2 / 4, "n": 4, "n_failed": 2, "lower": 2 / 4, "upper": 1,
    }  # fmt: skip


def test_a_turn_that_the_record_lacks_is_in_the_strict_agreement_only() -> None:
    scored = score(TOLD, run_of(chose("ABA", "BAB"), turns=2))
    assert scored["pooled_pairwise_orders"]["agreement_score"] == 1
    assert scored["strict"]["pooled_pairwise_agreement_score"]["value"] == 2 / 4
    assert scored["strict"]["pooled_pairwise_flip_rate"]["n"] == 3


def test_without_a_swapped_call_nothing_is_said_of_both_orders() -> None:
    once = record(answered(em_pairwise_selections={"0": "A"}))
    scored = score(TOLD, once)
    assert not [name for name in (*scored, *scored["strict"]) if "orders" in name or "flip" in name]
    (row,) = aggregate([scored])
    assert not [name for name in (*row, *row["strict"]) if "orders" in name or "flip" in name]


def test_where_every_swapped_call_failed_both_orders_were_asked_all_the_same() -> None:
    none = answered(em_pairwise_selections={"0": "A"}, pairwise_assignment_swapped=shown(THREE, swapped=True))
    assert score(TOLD, record(none))["pooled_pairwise_orders"]["answered"] == 0
    assert score(TOLD, record(provenance={"swap": True}))["pooled_pairwise_orders"]["flip_rate"] is None


def test_aggregates_pool_the_counts_and_average_the_strict_rates() -> None:
    long = score(TOLD, run_of(chose("ABA", "BAB"), chose("AB", "BA", 2), turns=2))  # 5 answered, none flipped
    short = score(conversation(turn(pairwiseComparisons=THREE[:1])), run_of(chose("A", "A")))  # the one is flipped
    (row,) = aggregate([long, short])
    assert row["pooled_pairwise_orders"]["flip_rate"] == 1 / 6
    assert row["strict"]["pooled_pairwise_flip_rate"] | {"n_failed": 0} == {
        "value": 1 / 2, "n": 2, "n_failed": 0, "lower": 1 / 2, "upper": 1 / 2,
    }  # fmt: skip


@given(turns=st.lists(st.tuples(COMPARISONS, ANSWERS, ANSWERS), min_size=1, max_size=4), back=st.booleans())
def test_scores_lie_in_order_and_conversations_may_come_in_any(turns: list[Any], back: bool) -> None:
    every = [
        score(
            conversation(turn(pairwiseComparisons=compared)),
            run_of(chose(first[: len(compared)], second[: len(compared)])),
        )
        for compared, first, second in turns
    ]
    (row,), (other,) = aggregate(every), aggregate(every[::-1] if back else every[1:] + every[:1])
    assert row == other
    counts = row["pooled_pairwise_orders"]
    assert 0 <= counts["flipped"] <= counts["answered"]
    assert 0 <= counts["agreed"] <= counts["decided"]
