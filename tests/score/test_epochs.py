"""Several readings of the same conversations by a model: means over epochs, and what changes between them."""

import json
from math import sqrt
from random import Random
from typing import Any

import polars as pl
import pytest
from file_examples import dataset, epoch, one, raw_record, record_of, write_lines
from hypothesis import given
from hypothesis import strategies as st
from test_invariances import SHUFFLES, assert_same, many_scored, of_many, without_counts

from attunebench.protocol.records import RunRecord
from attunebench.score import aggregate, score, score_reference
from attunebench.score.aggregate import aggregate_groups, group
from attunebench.score.epochs import join_groups
from attunebench.score.score_files import score_files
from attunebench.score.table import SCORES_FILE, TIDY_FILE, score_records, write_scores
from score_examples import answered, conversation, judgement, record, tags, turn

Raw = dict[str, Any]


def scored(name: str, number: int, composite: float, **fields: Any) -> Raw:
    frame = {"em_model": "m", "mode": "default", "panas_strategy": "absolute", "condition": None, "turn_scores": []}
    return frame | {"conversationId": name, "epoch": number, "composite_score": composite, "post_score": {}} | fields


FOUR = [scored("a", 1, 50.0), scored("b", 1, 60.0), scored("a", 2, 54.0), scored("b", 2, 68.0)]


def test_two_conversations_in_two_epochs_by_hand() -> None:
    (row,) = aggregate(FOUR)
    assert (row["n_conversations"], row["epochs"], row["n"]["composite_score"]) == (2, 2, 4)
    # epochs 55 and 61
    assert row["composite_score"] == 58
    assert row["between_epoch_variance"]["composite_score"] == 3**2 + 3**2
    # conversations 52 and 64
    assert row["se_composite"] == pytest.approx(sqrt(6**2 + 6**2) / sqrt(2))


def test_each_epoch_counts_as_much_as_the_others_however_much_it_covers() -> None:
    (row,) = aggregate(FOUR[:3])
    assert row["composite_score"] == (55 + 54) / 2
    assert row["se_composite"] == pytest.approx(sqrt(4**2 + 4**2) / sqrt(2))  # 52 and 60
    assert row["n_conversations"] == 2


def test_one_epoch_has_no_variance_and_is_the_first_where_nothing_is_said() -> None:
    (row,) = aggregate(FOUR[:2])
    assert (row["epochs"], set(row["between_epoch_variance"].values())) == (1, {None})
    unsaid = [{name: value for name, value in one.items() if name != "epoch"} for one in FOUR[:2]]
    assert aggregate(unsaid) == [row]
    assert score_reference(conversation(turn()), record(answered()))["epoch"] == 1
    assert score_reference(conversation(turn()), record(answered(), provenance={"epoch": 3}))["epoch"] == 3


def test_the_pillars_vary_too() -> None:
    fields = [{"emotion_tracking": value, "holistic_comprehension": 0.5} for value in (0.25, 0.75)]
    (row,) = aggregate([scored("a", place, 50.0, **each) for place, each in enumerate(fields, start=1)])
    assert row["between_epoch_variance"] == {
        "composite_score": 0, "emotion_tracking": 0.125, "evaluation_quality": None, "holistic_comprehension": 0,
    }  # fmt: skip


def test_a_score_that_an_epoch_lacks_is_the_mean_over_the_others() -> None:
    taus = [None, 0.5, 0.25]
    (row,) = aggregate([scored("a", number, 1.0, avg_tau=tau) for number, tau in enumerate(taus, start=1)])
    assert (row["avg_tau"], row["n"]["avg_tau"], row["n"]["composite_score"]) == (0.375, 2, 3)


def test_pooled_counts_are_added_over_epochs() -> None:
    told = conversation(turn(binaryJudgements=[judgement(f"B{n}", "yes", "yes") for n in range(4)]))
    runs = [record(answered(em_binary_om_assessment=said)) for said in ({"B1": "yes"}, {"B1": "yes", "B2": "yes"})]
    (row,) = aggregate([score_reference(told, run) | {"epoch": place + 1} for place, run in enumerate(runs)])
    pooled = row["pooled_binary_om_metrics"]
    assert (pooled["tp"], pooled["fn"], pooled["accuracy"]) == (3, 5, 3 / 8)


def test_strict_values_and_bounds_are_means_over_epochs_and_their_items_are_added() -> None:
    told = conversation(turn(1, feelings=tags(("Upset", 3))), turn(2, feelings=[]))
    right = answered(1, em_emotion_tags=tags(("Upset", 3)))
    first = score(told, record(right, answered(2)))  # 1
    second = score(told, record(right, answered(2, em_emotion_tags=None)))  # .5, between .5 and 1
    (row,) = aggregate([first, second | {"epoch": 2}])
    assert row["strict"]["avg_emotion_f1"] == {"value": 0.75, "n": 2, "n_failed": 1, "lower": 0.75, "upper": 1}


def test_a_bound_that_one_epoch_lacks_is_not_defined() -> None:
    values = [(0.5, None, None), (0.7, 0.7, 0.7)]
    nothing = {"value": None, "n": 0, "n_failed": 0, "lower": None, "upper": None}
    members = [
        scored("a", number, 1.0, strict={
            "x": {"value": value, "n": 1, "n_failed": 0, "lower": lower, "upper": upper},
            "panas_error": nothing, "panas_change": nothing,
        })
        for number, (value, lower, upper) in enumerate(values, start=1)
    ]  # fmt: skip
    (row,) = aggregate(members)
    assert row["strict"]["x"] == {"value": pytest.approx(0.6), "n": 2, "n_failed": 0, "lower": None, "upper": None}


def test_a_conversation_that_stands_twice_in_a_resample_counts_twice() -> None:
    (row,) = aggregate([*FOUR, *(one for one in FOUR if one["conversationId"] == "b")])
    assert (row["n_conversations"], row["epochs"]) == (3, 2)
    assert row["se_composite"] == pytest.approx(sqrt((8**2 + 4**2 + 4**2) / 2) / sqrt(3))  # 52, 64, 64


@of_many
@given(many_scored(), st.integers(1, 3), SHUFFLES)
def test_epochs_that_repeat_the_first_change_nothing_but_counts(every: list[Raw], more: int, shuffles: Random) -> None:
    again = [one | {"epoch": number} for number in range(2, more + 2) for one in every]
    for row, repeated in zip(
        aggregate(every), aggregate(shuffles.sample(every + again, (more + 1) * len(every))), strict=True
    ):
        assert repeated["composite_score"] == row["composite_score"]
        assert set(repeated.pop("between_epoch_variance").values()) == {0}
        assert row.pop("between_epoch_variance")
        assert (repeated.pop("epochs"), row.pop("epochs")) == (more + 1, 1)
        assert repeated["se_composite"] == (row["se_composite"] and pytest.approx(row["se_composite"]))
        assert repeated["n_conversations"] == row["n_conversations"]
        assert repeated["n"] == {name: (more + 1) * n for name, n in row["n"].items()}
        assert_same(without_counts(repeated), without_counts(row))


EPOCHS = st.lists(st.integers(1, 3), min_size=30, max_size=30)


@of_many
@given(many_scored(), EPOCHS, SHUFFLES)
def test_the_order_and_the_names_of_epochs_do_not_matter(
    every: list[Raw], numbers: list[int], shuffles: Random
) -> None:
    members = [one | {"epoch": number} for one, number in zip(every, numbers, strict=False)]
    rows = aggregate(members)
    assert aggregate(shuffles.sample(members, len(members))) == rows
    names = dict(zip((1, 2, 3), shuffles.sample((1, 2, 3), 3), strict=True))
    assert aggregate([one | {"epoch": names[one["epoch"]]} for one in members]) == rows
    joined: Any = {}
    for member in shuffles.sample(members, len(members)):
        part = group([member])
        for epochs in part.values():
            epochs.pack()
        join_groups(joined, part)
    assert aggregate_groups(joined) == rows


TOLD = [one("c1"), one("c2", turns=3)]


def raw_records(number: int, picked: str) -> list[Raw]:
    """Records of both conversations in an epoch, in which every comparison was answered so."""
    records = [raw_record(c.conversation_id, turns=len(c.turns), **epoch(number)) for c in TOLD]
    for reply in (reply for each in records for reply in each["turns"]):
        reply["em_pairwise_selections"] = {"0": picked, "1": picked}
    return records


def test_files_in_any_order_give_the_scores_of_memory_with_floors_of_each_conversation_once(tmp_path: Any) -> None:
    data = write_lines(tmp_path / "data.jsonl", *(c.model_dump(by_alias=True) for c in TOLD))
    raw = [raw_records(1, "A"), raw_records(2, "B")]
    runs = [write_lines(tmp_path / f"{place}.jsonl", *records) for place, records in enumerate(raw)]
    first, second = ([RunRecord.model_validate(each) for each in records] for records in raw)
    in_memory = score_records(dataset(*TOLD), [*first, *second])
    (row,) = in_memory.aggregates
    assert row["between_epoch_variance"]["evaluation_quality"] > 0
    forth, back = score_files(data, runs, tmp_path / "forth"), score_files(data, runs[::-1], tmp_path / "back")
    assert forth.aggregates == back.aggregates == in_memory.aggregates
    (alone,) = score_records(dataset(*TOLD), first).aggregates
    assert forth.floors == back.floors == in_memory.floors
    for name, skill in row["skill"]["reference"].items():
        known = alone["skill"]["reference"][name]
        assert (skill["floor"], skill["ceiling"]) == (known["floor"], known["ceiling"]), name


def test_conversations_say_their_epoch_in_both_files_and_aggregates_none(tmp_path: Any) -> None:
    records = [record_of(**epoch(number)) for number in (1, 2)]
    write_scores(score_records(dataset(one()), records), tmp_path)
    found = json.loads((tmp_path / SCORES_FILE).read_text(encoding="utf-8"))
    assert [one["epoch"] for one in found["conversations"]] == [1, 2]
    table = pl.read_parquet(tmp_path / TIDY_FILE)
    by_level = {level: set(rows["epoch"]) for (level,), rows in table.group_by("level")}
    assert by_level == {"turn": {1, 2}, "conversation": {1, 2}, "aggregate": {None}, "floor": {None}}
    (variance,) = table.filter(level="aggregate", metric="between_epoch_variance.composite_score").iter_rows(named=True)
    assert (variance["value"], variance["n"]) == (0, 2)
