"""Claims about the cluster bootstrap and its intervals."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from attunebench.stats.resample import bootstrap_t, draw_weights, percentile_bounds, resample, standard_errors
from attunebench.stats.sums import ClusterSums, mean_sums, number_clusters

RNG = np.random.default_rng


def test_weights_draw_as_many_clusters_as_there_are():
    weights = draw_weights(7, 50, RNG(1))
    assert (weights.sum(axis=1) == 7).all()
    assert (weights >= 0).all() and len(np.unique(weights, axis=0)) > 40


def test_the_standard_error_of_a_mean_of_single_conversations_is_the_textbook_one():
    x = RNG(2).normal(size=40)
    assert standard_errors(mean_sums(x[:, None], np.arange(40))) == pytest.approx(x.std(ddof=1) / np.sqrt(40))


def test_the_standard_error_over_clusters_is_that_of_the_linearised_ratio_by_hand():
    """Clusters (1, 3) and (2): mean 2, residual sums 0 and 0; then with 5 for 2: mean 3, sums -2 and 2."""
    assert standard_errors(mean_sums(np.array([[1.0], [3.0], [2.0]]), np.array([0, 0, 1]))) == [0.0]
    assert standard_errors(mean_sums(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1]))) == pytest.approx(
        np.sqrt((4 + 4) * 2) / 3
    )


def test_a_mean_over_clusters_weighs_conversations_alike():
    assert mean_sums(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1])).value == [3.0]


def test_t_in_each_resample_is_that_of_the_resample_computed_plainly():
    """And the interval is made of their quantiles, crosswise."""
    rng = RNG(3)
    clusters = np.repeat(np.arange(12), rng.integers(1, 5, size=12))
    x = rng.gamma(2, size=len(clusters))
    sums, weights = mean_sums(x[:, None], clusters), draw_weights(12, 400, rng)
    value, se = float(sums.value[0]), float(standard_errors(sums)[0])
    found = bootstrap_t(sums, weights)
    plain = []
    for row in weights:
        drawn = np.repeat(np.arange(12), row.astype(int))
        drawn_sums = ClusterSums(sums.top[drawn], sums.bottom[drawn])
        plain.append((float(drawn_sums.value[0]) - value) / float(standard_errors(drawn_sums)[0]))
    low, high = np.quantile(plain, [0.025, 0.975])
    assert (found.lower[0], found.upper[0]) == pytest.approx((value - high * se, value - low * se))


def test_percentile_bounds_are_those_of_scipy():
    x = RNG(4).normal(size=60)
    weights = draw_weights(60, 20_000, RNG(5))
    lower, upper = percentile_bounds(resample(mean_sums(x[:, None], np.arange(60)), weights))
    expected = bootstrap((x,), np.mean, method="percentile", n_resamples=20_000, rng=RNG(6)).confidence_interval
    assert (lower[0], upper[0]) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_what_is_missing_is_left_out_of_its_own_column_only():
    rng = RNG(7)
    x = rng.normal(size=(30, 2))
    x[:10, 0] = np.nan
    found = bootstrap_t(mean_sums(x, np.arange(30)), draw_weights(30, 2000, rng))
    assert found.clusters.tolist() == [20, 30]
    assert found.value == pytest.approx([x[10:, 0].mean(), x[:, 1].mean()])
    assert (found.lower < found.value).all() and (found.value < found.upper).all()


@pytest.mark.parametrize(
    ("values", "clusters"), [([1.0], [0]), ([1.0, 2.0], [0, 0]), ([0.1] * 9, range(9)), ([np.nan] * 4, range(4))]
)
def test_one_cluster_or_no_variation_has_no_interval(values, clusters):
    sums = mean_sums(np.array(values)[:, None], np.array(clusters))
    found = bootstrap_t(sums, draw_weights(len(sums.top), 500, RNG(8)))
    assert np.isnan([*found.lower, *found.upper]).all()


def test_an_interval_that_single_clusters_decide_is_not_defined():
    found = bootstrap_t(mean_sums(np.array([[1.0], [2.0], [4.0]]), np.arange(3)), draw_weights(3, 2000, RNG(9)))
    assert np.isnan(found.lower).all() and found.value == pytest.approx(7 / 3)


def test_scale_and_shift_carry_over():
    x, weights = RNG(10).gamma(1, size=(25, 1)), draw_weights(25, 1000, RNG(11))
    plain = bootstrap_t(mean_sums(x, np.arange(25)), weights)
    moved = bootstrap_t(mean_sums(100 + 7 * x, np.arange(25)), weights)
    assert moved.lower == pytest.approx(100 + 7 * plain.lower)
    assert moved.upper == pytest.approx(100 + 7 * plain.upper)


def test_clusters_go_by_name_whatever_the_order():
    assert number_clusters(["b", "a", "b"]).tolist() == [1, 0, 1]
