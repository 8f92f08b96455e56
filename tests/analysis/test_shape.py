"""Claims about distributions, relations of metrics, the heat map and the perspective gap."""

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from analysis_examples import cells, inputs_of_scores, table
from attunebench.analysis.compared import compare_settings
from attunebench.analysis.shape import QUANTILES, shape

COMPOSITE, TRACKING = "reference/composite_score", "reference/emotion_tracking"
GAP = "strict/hp_perspective_gap"
RNG = np.random.default_rng


def part_of(values, **more):
    inputs = inputs_of_scores(values, **more)
    return shape(inputs, compare_settings(inputs)), inputs


@pytest.fixture
def scores():
    rng = RNG(1)
    one = rng.integers(0, 8, size=(2, 30)).astype(float)  # with ties
    other = one + rng.normal(size=(2, 30)) * 3
    other[1, :5] = np.nan
    return {COMPOSITE: one, TRACKING: other}


def test_relations_are_scipys_spearman_within_each_model(scores):
    part, _ = part_of(scores)
    found = table(part, "metric_relations")
    for row, model in enumerate(("m1", "m2")):
        both = ~np.isnan(scores[TRACKING][row])
        expected = spearmanr(scores[COMPOSITE][row][both], scores[TRACKING][row][both]).statistic
        told = found.filter(model=model).row(0, named=True)
        assert told["spearman"] == pytest.approx(expected)
        assert told["n"] == told["clusters"] == both.sum()


def test_the_interval_of_a_relation_draws_whole_participants_of_ranks_made_once(scores):
    people = [f"p{number // 2}" for number in range(30)]
    part, inputs = part_of(scores, participants=people)
    x, y = rankdata(scores[COMPOSITE][0]), rankdata(scores[TRACKING][0])
    samples = []
    for drawn in inputs.weights[:1000]:
        chosen = np.repeat(np.arange(30), drawn[inputs.cube.clusters].astype(int))
        samples.append(np.corrcoef(x[chosen], y[chosen])[0, 1])
    told = table(part, "metric_relations").filter(model="m1").row(0, named=True)
    assert told["clusters"] == 15
    assert (told["lower"], told["upper"]) == pytest.approx(tuple(np.quantile(samples, [0.025, 0.975])), abs=0.05)


def test_a_metric_that_is_constant_has_no_relation(scores):
    part, _ = part_of(scores | {TRACKING: np.full((2, 30), 0.3)})
    assert table(part, "metric_relations")["spearman"].null_count() == 2


def test_distributions_are_numpys(scores):
    part, _ = part_of(scores)
    told = table(part, "distributions").filter(model="m2", metric="emotion_tracking").row(0, named=True)
    values = scores[TRACKING][1][5:]
    assert [told[name] for name in QUANTILES] == pytest.approx(np.quantile(values, [*QUANTILES.values()]))
    assert (told["mean"], told["sd"], told["n"]) == pytest.approx((values.mean(), values.std(ddof=1), 25))


def test_the_heat_map_is_the_leaderboard_turned(scores):
    part, _ = part_of(scores)
    heat = table(part, "heat_map")
    assert cells(heat, "model", column=COMPOSITE) == pytest.approx(
        {"m1": scores[COMPOSITE][0].mean(), "m2": scores[COMPOSITE][1].mean()}
    )


def test_the_perspective_gap_has_an_interval_and_without_one_that_is_told(scores):
    gap = RNG(2).normal(0.2, 0.1, size=(2, 30))
    part, _ = part_of(scores | {GAP: gap})
    told = table(part, "perspective_gap").filter(model="m1").row(0, named=True)
    assert told["value"] == pytest.approx(gap[0].mean())
    assert 0 < told["lower"] < told["value"] < told["upper"]
    part, _ = part_of(scores)
    assert [missing.part for missing in part.missing] == ["perspective_gap"]
