"""Aggregates, by hand."""

import random
from math import sqrt
from typing import Any

import pytest
from test_golden import CASES, read

from attunebench.score import aggregate, score, score_reference
from attunebench.score.aggregate import aggregate_strict, sample_sd
from score_examples import answered, conversation, judgement, outcome, panas, record, tags, turn


def scored(model: str, composite: float, **fields: Any) -> dict[str, Any]:
    group = {"em_model": model, "mode": "default", "panas_strategy": "absolute", "condition": None}
    return group | {"conversationId": "c", "composite_score": composite, "turn_scores": [], "post_score": {}} | fields


def test_mean_and_standard_error() -> None:
    (row,) = aggregate([scored("m", 50.0), scored("m", 60.0), scored("m", 64.0)])
    assert row["n_conversations"] == 3
    assert row["composite_score"] == pytest.approx(58)
    # sample variance (64 + 4 + 36)/2 = 52
    assert row["se_composite"] == pytest.approx(sqrt(52) / sqrt(3))
    assert row["z_score"] is None  # one row


def test_z_scores_over_rows() -> None:
    rows = aggregate([scored("a", 50.0), scored("b", 53.0), scored("c", 59.0), scored("c", 61.0)])
    # means 50, 53, 60: mean 163/3, sample variance ((13/3)^2 + (4/3)^2 + (17/3)^2)/2 = 474/18
    sd = sqrt(474 / 18)
    assert [row["z_score"] for row in rows] == pytest.approx([-13 / 3 / sd, -4 / 3 / sd, 17 / 3 / sd])
    assert rows[0]["se_composite"] is None  # one conversation
    assert [row["z_score"] for row in aggregate([scored("a", 5.0), scored("b", 5.0)])] == [None, None]


def test_groups_are_model_mode_strategy_and_condition() -> None:
    keys = [("a", "verbose", "delta", "x"), ("a", "verbose", "delta", None), ("a", "default", "delta", "x"), ("b",) * 4]
    names = ("em_model", "mode", "panas_strategy", "condition")
    rows = aggregate([scored("", 1.0) | dict(zip(names, key, strict=True)) for key in keys * 2])
    assert [tuple(row[name] for name in names) for row in rows] == [keys[2], keys[1], keys[0], keys[3]]
    assert {row["n_conversations"] for row in rows} == {2}


def test_undefined_scores_are_left_out_of_the_mean_and_counted_in_n() -> None:
    members = [
        scored("m", 1.0, avg_pairwise_kendall_tau=None, post_score={"panas_mae": 4}),
        scored("m", 2.0, avg_pairwise_kendall_tau=0.5, post_score={"panas_mae": 5}),
    ]
    (row,) = aggregate(members)
    assert (row["avg_pairwise_kendall_tau"], row["n"]["avg_pairwise_kendall_tau"]) == (0.5, 1)
    assert (row["panas_mae"], row["n"]["panas_mae"]) == (4.5, 2)
    (row,) = aggregate(members[:1])
    assert (row["avg_pairwise_kendall_tau"], row["n"]["avg_pairwise_kendall_tau"]) == (None, 0)


def test_pooled_counts_are_added_and_their_rates_computed_anew() -> None:
    told = conversation(turn(binaryJudgements=[judgement(f"B{n}", "yes", "yes") for n in range(4)]))
    one_of_four = score_reference(told, record(answered(em_binary_om_assessment={"B1": "yes"})))
    none = score_reference(conversation(turn()), record(answered()))
    (row,) = aggregate([one_of_four, none])
    pooled = row["pooled_binary_om_metrics"]
    assert (pooled["tp"], pooled["fn"], pooled["accuracy"]) == (1, 3, 0.25)
    assert row["avg_binary_om_accuracy"] == (0.25 + 1) / 2


def test_errors_by_item_and_branch_are_averaged_where_they_exist() -> None:
    members = [
        scored("m", 1.0, post_score={"panas_item_errors": {"Proud": 2}, "four_branch_per_branch": {"managing": 1}}),
        scored("m", 1.0, post_score={"panas_item_errors": {"Proud": 3, "Upset": 1}, "four_branch_per_branch": {}}),
    ]
    (row,) = aggregate(members)
    assert row["panas_item_errors"] == {"Proud": 2.5, "Upset": 1}
    assert row["four_branch_per_branch"] == {"managing": 1}


def test_nothing_to_aggregate_is_no_row() -> None:
    assert aggregate([]) == []


def test_sample_sd() -> None:
    assert sample_sd([1.0, 3.0]) == pytest.approx(sqrt(2))
    assert sample_sd([1.0]) is None


def test_the_order_of_conversations_does_not_matter() -> None:
    every = [score(*read(case)) for case in CASES[:30]]
    shuffled = random.Random(1).sample(every, len(every))
    (row,), (other,) = aggregate(every), aggregate(shuffled)
    assert row == other


def test_duplicating_every_conversation_changes_no_mean() -> None:
    every = [score(*read(case)) for case in CASES[:30]]
    (once,), (twice,) = aggregate(every), aggregate(every * 2)
    assert twice["n_conversations"] == 2 * once["n_conversations"]
    for name, value in once.items():
        if name.startswith("avg_") or name.endswith("_score"):
            assert twice[name] == pytest.approx(value)
    assert twice["strict"]["panas_skill"]["value"] == pytest.approx(once["strict"]["panas_skill"]["value"])


def test_strict_aggregates_count_conversations_and_failures() -> None:
    told = conversation(turn(1, feelings=tags(("Upset", 3))), turn(2, feelings=[]))
    right = answered(1, em_emotion_tags=tags(("Upset", 3)))
    members = [
        score(told, record(right, answered(2))),  # 1
        score(told, record(right, answered(2, em_emotion_tags=None))),  # .5, between .5 and 1
        score(conversation(turn()), record(answered())),  # not asked
    ]
    (row,) = aggregate(members)
    assert row["strict"]["avg_emotion_f1"] == {"value": 0.75, "n": 2, "n_failed": 1, "lower": 0.75, "upper": 1}
    assert row["strict"]["composite_score"]["n"] == 0
    assert row["n_conversations"] == 3


def test_strict_is_left_out_where_it_was_not_scored() -> None:
    assert "strict" not in aggregate([scored("m", 1.0)])[0]


def test_panas_skill_is_of_sums() -> None:
    def member(before: Any, after: Any, predicted: Any) -> Any:
        told = conversation(prePanas=before, postPanas=after)
        return score(told, record(post=outcome(predicted)))["strict"]

    members = [
        member(panas(30, 30), panas(40, 30), panas(38, 33)),  # errors 2 + 3, changes 10 + 0
        member(panas(20, None), panas(26, 50), panas(20, 10)),  # error 6, change 6; the second has no before
        member({}, panas(26, 50), panas(20, 10)),  # nothing
    ]
    skill = aggregate_strict(members)["panas_skill"]
    assert skill["value"] == pytest.approx(1 - (2 + 3 + 6) / (10 + 6))
    assert (skill["n"], skill["n_failed"]) == (2, 0)
    assert skill["lower"] == skill["upper"] == skill["value"]


def test_panas_skill_is_not_defined_without_a_change() -> None:
    told = conversation(prePanas=panas(30, 30), postPanas=panas(30, 30))
    skill = aggregate_strict([score(told, record(post=outcome(panas(30, 30))))["strict"]])["panas_skill"]
    assert skill == {"value": None, "n": 0, "n_failed": 0, "lower": None, "upper": None}


def test_failed_outcome_calls_bound_the_panas_skill() -> None:
    told = conversation(prePanas=panas(30, 30), postPanas=panas(40, 30))
    skill = aggregate_strict([score(told, record(post=None))["strict"]])["panas_skill"]
    # two totals lost: errors 60 each at worst, 0 at best, over a change of 10
    assert skill == {"value": 1 - 120 / 10, "n": 1, "n_failed": 2, "lower": 1 - 120 / 10, "upper": 1}


def test_strict_aggregates_stay_within_their_bounds() -> None:
    rows = aggregate([score(*read(case)) for case in CASES])
    for name, value in rows[0]["strict"].items():
        if None not in (value["value"], value["lower"], value["upper"]):
            assert value["lower"] - 1e-9 <= value["value"] <= value["upper"] + 1e-9, name


def test_a_bound_that_one_conversation_lacks_is_not_defined() -> None:
    open_ended = {"value": 0.5, "n": 1, "n_failed": 1, "lower": None, "upper": None}
    closed = {"value": 0.7, "n": 1, "n_failed": 0, "lower": 0.7, "upper": 0.7}
    nothing = {"value": 0, "n": 0, "n_failed": 0, "lower": None, "upper": None}
    members: Any = [{"x": v, "panas_error": nothing, "panas_change": nothing} for v in (open_ended, closed)]
    got = aggregate_strict(members)["x"]
    assert got == {"value": pytest.approx(0.6), "n": 2, "n_failed": 1, "lower": None, "upper": None}
