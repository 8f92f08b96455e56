"""Claims about scores as arrays, and about reading them."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from analysis_examples import inputs_from, inputs_of_scores, rows_of
from attunebench.analysis.cube import ERROR_ITEMS, Metric, RowKey, make_cube
from attunebench.analysis.inputs import narrow, read_inputs
from attunebench.analysis.metrics import capabilities_of, confusion_rates, is_mean, order_rates, pooled_of, skill_rate
from attunebench.errors import RecordError
from attunebench.score.sources import read_sources

COMPOSITE = Metric("reference", "composite_score")
NAN = float("nan")


def conversations(inputs):
    return inputs.scores.filter(level="conversation")


def test_a_cube_holds_every_value_where_it_belongs_and_nothing_where_none_is():
    scores = np.array([[1.0, NAN, 3.0], [4.0, 5.0, NAN]])
    cube = inputs_of_scores({"reference/composite_score": scores, "strict/composite_score": -scores}).cube
    assert cube.rows == tuple(rows_of("m1", "m2"))
    assert cube.conversations == ("c000", "c001", "c002")
    np.testing.assert_array_equal(cube.metric(*COMPOSITE), scores)
    np.testing.assert_array_equal(cube.metric("strict", "composite_score"), -scores)
    assert np.isnan(cube.metric("strict", "unknown")).all()


def test_several_readings_of_a_conversation_are_averaged_however_many_each_has():
    inputs = inputs_of_scores({"reference/composite_score": [[1.0, 2.0]]})
    first = conversations(inputs).filter(conversation="c000")
    more = pl.concat([conversations(inputs), *(first.with_columns(value=pl.lit(value)) for value in (3.0, 8.0))])
    cube = make_cube(more, {"c000": "p", "c001": "q"})
    assert cube.metric(*COMPOSITE).tolist() == [[4.0, 2.0]]


def test_the_order_of_rows_of_the_table_changes_nothing():
    inputs = inputs_of_scores({"reference/composite_score": np.arange(12.0).reshape(3, 4)})
    people = {name: name for name in inputs.cube.conversations}
    one, other = (make_cube(table, people) for table in (conversations(inputs), conversations(inputs).reverse()))
    assert (one.rows, one.conversations, one.metrics) == (other.rows, other.conversations, other.metrics)
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.clusters, other.clusters)


@pytest.mark.parametrize(
    ("people", "clusters", "kind"),
    [
        (["p", "q", "p"], [0, 1, 0], "participant"),
        ([None, None, None], [0, 1, 2], "conversation (no participant ids)"),
        (["p", None, "p"], [1, 0, 1], "participant (conversation where no id: 1 of 3)"),
        (["c001", None, "p"], [1, 0, 2], "participant (conversation where no id: 1 of 3)"),
    ],
)
def test_a_cluster_is_a_participant_and_without_an_id_the_conversation(people, clusters, kind):
    cube = inputs_of_scores({"reference/composite_score": [[1.0, 2.0, 3.0]]}, participants=people).cube
    assert cube.cluster_kind == kind
    assert cube.cluster_count == len(set(clusters))
    assert cube.clusters.tolist() == clusters


def test_settings_are_mode_strategy_and_condition():
    rows = [RowKey("a", "default", "absolute", "c"), RowKey("b", "default", "delta", "c"), *rows_of("b")]
    cube = inputs_of_scores({"reference/composite_score": [[1.0], [2.0], [3.0]]}, rows=rows).cube
    found = {setting: {cube.rows[place].model for place in places} for setting, places in cube.settings().items()}
    assert found == {("default", "absolute", "c"): {"a", "b"}, ("default", "delta", "c"): {"b"}}


def test_narrowing_drops_rows_conversations_floors_and_records_alike(scores_folder):
    read = read_inputs(scores_folder)
    chosen = [read.dataset.conversations[place].conversation_id for place in (5, 2)]
    inputs = narrow(read, chosen, pl.col("model") == "baseline/null", seed=1)
    assert {row.model for row in inputs.cube.rows} == {"baseline/null"}
    assert set(inputs.cube.conversations) == set(chosen) == set(inputs.conversations)
    assert {(r.em_model, r.conversation_id) for r in inputs.records} == {("baseline/null", name) for name in chosen}
    assert set(inputs.floors["conversation"]) == set(chosen)
    assert set(inputs.calls["conversation"]) == set(chosen) and set(inputs.calls["model"]) == {"baseline/null"}


def test_parts_draw_from_different_randomness_that_the_seed_decides():
    one, same, other = (inputs_of_scores({"reference/composite_score": [[1.0] * 9]}, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.weights, same.weights)
    np.testing.assert_array_equal(one.flips, same.flips)
    assert (one.weights != other.weights).any() and (one.flips != other.flips).any()
    assert one.rng(1).random() != one.rng(2).random()
    assert one.weights.sum(axis=1).tolist() == [9] * 10_000


def test_a_table_that_is_none_is_refused(scores_folder, tmp_path):
    for name in ("scores.json", "sources.json"):
        (tmp_path / name).write_bytes((scores_folder / name).read_bytes())
    (tmp_path / "scores.parquet").write_text("no table", encoding="utf-8")
    with pytest.raises(RecordError, match="must be a file that `attunebench score` wrote") as refused:
        read_inputs(tmp_path, data=read_sources(scores_folder).data)
    assert "\n" not in str(refused.value)


def test_pooled_rates_are_those_of_their_definitions():
    tp, tn, fp, fn = 6.0, 5.0, 2.0, 3.0
    mcc = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    expected = [11 / 16, 6 / 8, 6 / 9, 12 / 17, mcc]
    assert confusion_rates(np.array([tp, tn, fp, fn])) == pytest.approx(expected)
    assert confusion_rates(np.zeros(4)).tolist() == [0] * 5  # as published
    assert order_rates(np.array([8.0, 2, 6, 3])).tolist() == [0.25, 0.5]
    assert np.isnan(order_rates(np.zeros(4))).all()
    assert skill_rate(np.array([3.0, 4.0])).tolist() == [0.25]
    assert np.isnan(skill_rate(np.array([3.0, 0.0]))).all()


def test_the_panas_skill_weighs_conversations_by_their_totals():
    error, change = np.array([[2.0, 5.0]]), np.array([[4.0, 6.0]])
    inputs = inputs_of_scores({"strict/panas_error": error, "strict/panas_change": change})
    items = conversations(inputs).with_columns(n=pl.when(pl.col("conversation") == "c000").then(2).otherwise(1))
    cube = make_cube(items, {"c000": "p", "c001": "q"})
    assert cube.metric(*ERROR_ITEMS).tolist() == [[2.0, 1.0]]
    ((pooled, counts),) = pooled_of(cube)
    assert pooled.compute(counts[0].sum(axis=0)).tolist() == [1 - (2 * 2 + 5) / (4 * 2 + 6)]


def test_counts_rates_and_gaps_are_no_means():
    for name in ("pooled_binary_om_metrics.tp", "pooled_binary_om_metrics.mcc", "hp_perspective_gap", "panas_change"):
        assert not is_mean(Metric("reference", name))
    assert is_mean(COMPOSITE) and is_mean(Metric("strict", "panas_error"))


def test_a_capability_is_the_mean_of_its_metrics_that_are_defined():
    om, human = [[0.2, NAN, NAN]], [[0.6, 0.4, NAN]]
    inputs = inputs_of_scores({"strict/avg_binary_om_accuracy": om, "strict/avg_binary_human_accuracy": human})
    names, scores = capabilities_of(inputs.cube, "strict")
    behaviour = scores[0, :, [*names].index("behaviour")]
    assert behaviour[:2].tolist() == pytest.approx([0.4, 0.4]) and np.isnan(behaviour[2])


def test_answers_are_missing_where_records_are(scores_folder):
    inputs = replace(inputs_from(scores_folder), records="none here")
    assert inputs.evidence == "none here"
