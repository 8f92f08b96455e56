"""Claims about groups of conversations that clusters cross."""

import numpy as np
import pytest
from scipy.stats import t, ttest_rel

from attunebench.stats.crossed import compare_crossed
from attunebench.stats.resample import draw_weights, percentile_bounds, resample
from attunebench.stats.sums import mean_sums

RNG = np.random.default_rng


def split(values, chosen, clusters):
    """Sums of the conversations chosen and of the others, over the same clusters."""
    return (mean_sums(np.where(here[:, None], values, np.nan), clusters) for here in (chosen, ~chosen))


def test_with_one_conversation_a_person_in_either_group_it_is_the_paired_t_test():
    one, other = RNG(1).normal(size=(2, 25)) + RNG(2).normal(size=25)
    clusters = np.arange(25)
    found = compare_crossed(mean_sums(one[:, None], clusters), mean_sums(other[:, None], clusters), np.ones((9, 25)))
    assert found.p == pytest.approx(ttest_rel(one, other).pvalue)
    assert found.difference == pytest.approx(one.mean() - other.mean())


def test_p_is_of_t_on_clusters_with_anything_less_one():
    values, clusters = RNG(3).normal(size=(40, 1)), np.arange(40) // 4
    values[:4] = np.nan
    found = compare_crossed(*split(values, RNG(4).random(40) < 0.5, clusters), np.ones((9, 10)))
    assert found.p == pytest.approx(2 * t.sf(np.abs(found.difference / found.se), 8))


def test_the_interval_is_of_the_differences_in_resamples():
    values, clusters, weights = RNG(5).normal(size=(60, 2)), np.arange(60) // 3, draw_weights(20, 500, RNG(6))
    one, other = split(values, RNG(7).random(60) < 0.5, clusters)
    lower, upper = percentile_bounds(resample(one, weights) - resample(other, weights))
    found = compare_crossed(one, other, weights)
    assert found.lower == pytest.approx(lower) and found.upper == pytest.approx(upper)


def test_groups_turned_round_turn_the_sign_alone():
    values, clusters, weights = RNG(8).normal(size=(60, 1)), np.arange(60) // 3, draw_weights(20, 500, RNG(9))
    one, other = split(values, RNG(10).random(60) < 0.5, clusters)
    found, turned = compare_crossed(one, other, weights), compare_crossed(other, one, weights)
    assert turned.p == pytest.approx(found.p)
    assert turned.lower == pytest.approx(-found.upper)


def test_one_cluster_in_a_group_or_no_variation_is_not_tested():
    clusters = np.arange(30) // 2
    for values, chosen in [
        (RNG(11).normal(size=(30, 1)), clusters == 3),
        (np.full((30, 1), 0.1), np.arange(30) % 3 == 0),
    ]:
        found = compare_crossed(*split(values, chosen, clusters), draw_weights(15, 50, RNG(12)))
        assert np.isnan([found.p, found.lower, found.upper]).all()


def test_few_clusters_of_unequal_weight_are_not_taken_for_many():
    """Ten people, three in ten conversations, so that one person may hold half of the group."""
    rng, found = RNG(14), []
    for _ in range(20):
        clusters = np.repeat(np.arange(10), rng.integers(1, 5, size=10))
        values = rng.normal(size=(10, 100))[clusters] + rng.normal(size=(len(clusters), 100))
        found.append(compare_crossed(*split(values, rng.random(len(clusters)) < 0.3, clusters), np.ones((2, 10))).p)
    assert (np.concatenate(found) < 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_of_equal_groups_5_of_100_are_called_different():
    rng, replications = RNG(13), 2000
    clusters = np.repeat(np.arange(40), rng.integers(1, 5, size=40))
    values = rng.normal(size=(40, replications))[clusters] + rng.normal(size=(len(clusters), replications))
    found = compare_crossed(*split(values, rng.random(len(clusters)) < 0.5, clusters), np.ones((2, 40)))
    assert (found.p < 0.05).mean() == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / replications))
