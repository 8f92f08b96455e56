"""Claims about the leaderboard, pairs, letters and skill, on effects that are planted."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from analysis_examples import cells, inputs_of_scores, rows_of, table
from attunebench.analysis.compared import compare_settings
from attunebench.analysis.cube import Metric
from attunebench.analysis.differences import differences
from attunebench.analysis.floors import best_floor, skill
from attunebench.analysis.planning import planning
from attunebench.analysis.ranking import ranking
from attunebench.stats.power import smallest_detectable

COMPOSITE = "reference/composite_score"
ERROR = "strict/panas_item_mae"
RNG = np.random.default_rng


def planted(levels, conversations=40, seed=1, noise=1.0):
    """Models at these levels, on conversations that differ in how hard they are."""
    rng = RNG(seed)
    return (
        np.array(levels)[:, None]
        + 5 * rng.normal(size=conversations)
        + noise * rng.normal(size=(len(levels), conversations))
    )


def board(inputs):
    return table(ranking(inputs, compare_settings(inputs)), "leaderboard")


def pairs(inputs):
    return table(differences(compare_settings(inputs)), "pairs")


def test_planted_levels_come_out_with_their_ranks_and_letters():
    """Two at 10, one at 13, one at 5: the two are not distinguished from each other, all else is."""
    inputs = inputs_of_scores({COMPOSITE: planted([10, 13, 10, 5])})
    found = board(inputs)
    assert cells(found, "model", column="rank_low") == {"m1": 2, "m2": 1, "m3": 2, "m4": 4}
    assert cells(found, "model", column="rank_high") == {"m1": 3, "m2": 1, "m3": 3, "m4": 4}
    shown = table(differences(compare_settings(inputs)), "letters")
    assert cells(shown, "model", column="letters") == {"m2": "a", "m1": "b", "m3": "b", "m4": "c"}
    assert shown["model"].to_list()[0] == "m2" and shown["model"].to_list()[-1] == "m4"
    assert cells(found, "model", column="first_share")["m2"] > 0.99


def test_less_is_better_where_a_metric_is_an_error():
    inputs = inputs_of_scores({ERROR: planted([10, 13])})
    assert cells(board(inputs), "model", column="rank_low") == {"m1": 1, "m2": 2}
    assert table(differences(compare_settings(inputs)), "letters")["model"].to_list() == ["m1", "m2"]


def test_a_difference_is_over_the_conversations_both_have_and_says_how_many():
    scores = planted([10, 11], conversations=12)
    scores[0, :4], scores[1, 10:] = np.nan, np.nan
    (row,) = pairs(inputs_of_scores({COMPOSITE: scores})).rows(named=True)
    assert row["difference"] == pytest.approx((scores[0] - scores[1])[4:10].mean())
    assert (row["n"], row["clusters"]) == (6, 6)
    values = cells(board(inputs_of_scores({COMPOSITE: scores})), "model")
    assert values["m1"] == pytest.approx(np.nanmean(scores[0]))


def test_conversations_of_one_participant_are_one_cluster():
    """Twenty conversations by two participants can never distinguish anything."""
    people = ["p1", "p2"] * 10
    found = pairs(inputs_of_scores({COMPOSITE: planted([10, 30], 20)}, participants=people))
    assert found["clusters"].to_list() == [2]
    assert found["p"].to_list() == [0.5]
    assert found["distinguished"].to_list() == [False]


def test_models_under_different_conditions_are_not_compared():
    rows = [*rows_of("a", "b"), *rows_of("a", "b", condition="d")]
    found = pairs(inputs_of_scores({COMPOSITE: planted([10, 13, 20, 23])}, rows=rows))
    assert found.select("model_a", "model_b", "condition").rows() == [("a", "b", "c"), ("a", "b", "d")]


def test_models_with_no_conversation_in_common_are_told_and_the_rest_is_compared():
    scores = planted([10, 20, 30], 30)
    scores[0, :15], scores[1, 15:] = np.nan, np.nan
    inputs = inputs_of_scores({COMPOSITE: scores})
    part = differences(compare_settings(inputs))
    (missing,) = part.missing
    assert missing.reason == (
        "m1 and m2 have no scored conversation in common in mode default, PANAS absolute, condition c"
    )
    found = cells(table(part, "pairs"), "model_a", "model_b", column="p")
    assert found["m1", "m2"] is None
    assert found["m1", "m3"] < 0.001 and found["m2", "m3"] < 0.001
    assert table(part, "distinguished").select("pairs", "distinguished", "not_compared").row(0) == (2, 2, 1)


def test_where_all_scores_are_equal_nothing_is_distinguished_and_no_interval_is_made_up():
    inputs = inputs_of_scores({COMPOSITE: np.full((3, 20), 50.0)})
    found, shown = pairs(inputs), board(inputs)
    assert found["difference"].to_list() == [0.0] * 3
    assert found["p"].to_list() == [1.0] * 3
    assert found["lower"].null_count() == shown["lower"].null_count() == 3
    assert shown.select("rank_low", "rank_high").unique().rows() == [(1, 3)]
    assert shown["note"].unique().to_list() == ["no interval: clusters do not vary, or too few of them do"]


def test_a_metric_that_is_defined_nowhere_is_shown_as_such_beside_one_that_is():
    inputs = inputs_of_scores({COMPOSITE: planted([10, 13]), "strict/composite_score": np.full((2, 40), np.nan)})
    shown = board(inputs).filter(profile="strict")
    assert shown.select("value", "lower", "rank_low", "first_share").null_count().row(0) == (2, 2, 2, 2)
    assert shown["n"].to_list() == [0, 0]
    assert shown["note"].unique().to_list() == ["not defined in any conversation"]
    assert board(inputs).filter(profile="reference")["rank_low"].to_list() == [2, 1]


def test_holm_is_over_the_pairs_of_a_metric():
    found = pairs(inputs_of_scores({COMPOSITE: planted([10, 10.4, 10.9], noise=1)}))
    p = np.sort(found["p"].to_numpy())
    stepped = np.minimum(np.maximum.accumulate(p * [3, 2, 1]), 1)
    assert np.sort(found["p_holm"].to_numpy()) == pytest.approx(stepped)


FLOORS = {
    "null": {COMPOSITE: np.full(40, 1.0)},
    "random": {COMPOSITE: np.linspace(2, 6, 40)},
    "majority": {COMPOSITE: np.linspace(9, 1, 40)},
    "oracle": {COMPOSITE: np.linspace(20, 30, 40)},
}


def test_skill_is_between_floor_and_ceiling_of_the_conversations_that_the_row_covers():
    scores = planted([10, 13])
    scores[1, 20:] = np.nan
    inputs = inputs_of_scores({COMPOSITE: scores}, floors=FLOORS)
    found = {row["model"]: row for row in board(inputs).filter(metric="skill.composite_score").rows(named=True)}
    for model, kept in (("m1", slice(None)), ("m2", slice(20))):
        floor = max(FLOORS[name][COMPOSITE][kept].mean() for name in ("null", "random", "majority"))
        ceiling = FLOORS["oracle"][COMPOSITE][kept].mean()
        row = found[model]
        assert (row["floor"], row["ceiling"]) == pytest.approx((floor, ceiling))
        value = np.nanmean(scores[int(model[1]) - 1])
        assert row["value"] == pytest.approx(100 * (value - floor) / (ceiling - floor))
    assert found["m1"]["floor"] != found["m2"]["floor"]


def test_the_interval_of_skill_computes_floor_and_ceiling_again_in_each_resample():
    scores = planted([10, 13])
    inputs = inputs_of_scores({COMPOSITE: scores}, floors=FLOORS)
    samples = []
    for drawn in inputs.weights[:, inputs.cube.clusters]:
        means = {name: np.average(told[COMPOSITE], weights=drawn) for name, told in FLOORS.items()}
        floor = max(means["null"], means["random"], means["majority"])
        samples.append(100 * (np.average(scores[0], weights=drawn) - floor) / (means["oracle"] - floor))
    row = board(inputs).filter(metric="skill.composite_score", model="m1").row(0, named=True)
    assert (row["lower"], row["upper"]) == pytest.approx(tuple(np.quantile(samples, [0.025, 0.975])))


def test_without_floors_skill_is_missing_and_says_so():
    inputs = inputs_of_scores({COMPOSITE: planted([10, 13])})
    part = ranking(inputs, compare_settings(inputs))
    assert [missing.part for missing in part.missing] == ["skill"]
    assert table(part, "leaderboard").height == 2


def test_the_best_floor_is_the_lowest_error_and_a_ceiling_no_better_than_it_gives_no_skill():
    error = Metric("strict", "panas_item_mae")
    floors = {name: np.array([value]) for name, value in (("null", np.nan), ("random", 3.0), ("majority", 2.0))}
    assert best_floor(floors, error).tolist() == [2.0]
    assert skill(np.array([1.0]), np.array([2.0]), np.array([0.0]), error).tolist() == [50.0]
    assert np.isnan(skill(np.array([1.0]), np.array([2.0]), np.array([2.0]), error)).all()
    nothing = {name: np.array([np.nan]) for name in floors}
    assert np.isnan(best_floor(nothing, error)).all()


def test_planning_is_of_the_pairs_standard_error_and_of_all_pairs_by_bonferroni():
    scores = planted([10, 10.5, 11])
    inputs = inputs_of_scores({COMPOSITE: scores})
    shown = table(planning(compare_settings(inputs)), "detectable_pairs")
    row = shown.filter(model_a="m1", model_b="m2").row(0, named=True)
    apart = scores[0] - scores[1]
    se, k = np.array([apart.std(ddof=1) / np.sqrt(40)]), np.array([40])
    assert row["se"] == pytest.approx(se[0])
    assert row["detectable"] == pytest.approx(smallest_detectable(se, k)[0])
    assert row["detectable_corrected"] == pytest.approx(smallest_detectable(se, k, alpha=0.05 / 3)[0])
    medians = table(planning(compare_settings(inputs)), "detectable")
    assert medians["detectable"][0] == pytest.approx(shown["detectable"].median())


def test_a_single_model_has_nothing_to_plan_with():
    inputs = inputs_of_scores({COMPOSITE: planted([10])})
    assert "only one model" in planning(compare_settings(inputs)).missing[0].reason
    assert "only one model, m1" in differences(compare_settings(inputs)).missing[0].reason
    assert cells(board(inputs), "model", column="rank_high") == {"m1": 1}


def test_failed_items_are_counted_on_both_profiles():
    inputs = inputs_of_scores({COMPOSITE: planted([10, 13]), "strict/composite_score": planted([10, 13])})
    lost = inputs.scores.with_columns(n_failed=pl.when(pl.col("model") == "m1").then(2).otherwise(0))
    found = board(replace(inputs, scores=lost))
    assert cells(found, "model", "profile", column="n_failed") == {
        ("m1", "reference"): 80,
        ("m1", "strict"): 80,
        ("m2", "reference"): 0,
        ("m2", "strict"): 0,
    }


@pytest.mark.parametrize(("people", "said"), [(20, "fewer than 30"), (40, "fewer than 50"), (60, None)])
def test_power_that_is_promised_from_too_few_people_is_said_to_be(people, said):
    scores = np.random.default_rng(3).normal(size=(3, people))
    shown = table(
        planning(compare_settings(inputs_of_scores({"reference/composite_score": scores}))), "detectable_pairs"
    )
    assert {None if note is None else note[:13] for note in shown["note"]} == {said}
