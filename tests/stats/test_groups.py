"""Claims about groups of clusters."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from attunebench.stats.groups import compare_groups, draw_orders, draw_stratified, percentile_differences
from attunebench.stats.resample import bootstrap_t, standard_errors
from attunebench.stats.sums import ClusterSums, mean_sums

RNG = np.random.default_rng


def compare(sums, groups, resamples=2000, seed=1, **options):
    rng = RNG(seed)
    return compare_groups(
        sums, groups, draw_stratified(groups, resamples, rng), draw_orders(len(groups), resamples, rng), **options
    )


@pytest.fixture
def people():
    """70 people with one to three conversations in three groups; the third differs on the first metric alone."""
    rng = RNG(2)
    groups = np.repeat([0, 1, 2], [30, 25, 15])
    clusters = np.repeat(np.arange(70), rng.integers(1, 4, size=70))
    values = rng.normal(size=(70, 2))[clusters] + rng.normal(size=(len(clusters), 2)) * 0.5
    values[groups[clusters] == 2, 0] += 2
    return values, clusters, groups


def test_a_planted_difference_is_found_and_nothing_else(people):
    values, clusters, groups = people
    found = compare(mean_sums(values, clusters), groups)
    assert found.p[2, 0] < 0.001 and found.difference_lower[2, 0] > 0
    assert (np.array([found.p[1, 0], found.p[1, 1], found.p[2, 1]]) > 0.05).all()
    assert found.clusters[:, 0].tolist() == [30, 25, 15]


def test_the_reference_is_not_compared_with_itself(people):
    found = compare(mean_sums(*people[:2]), people[2], reference=1)
    assert np.isnan([found.p[1], found.difference[1], found.difference_lower[1], found.difference_upper[1]]).all()
    assert not np.isnan(found.p[[0, 2]]).any()


def test_each_group_is_what_it_would_be_alone(people):
    values, clusters, groups = people
    sums, weights = mean_sums(values, clusters), draw_stratified(groups, 500, RNG(3))
    found = compare_groups(sums, groups, weights, draw_orders(70, 500, RNG(4)))
    for group in range(3):
        members = np.flatnonzero(groups == group)
        alone = bootstrap_t(ClusterSums(sums.top[members], sums.bottom[members]), weights[:, members])
        assert found.value[group] == pytest.approx(values[groups[clusters] == group].mean(axis=0))
        assert found.lower[group] == pytest.approx(alone.lower)


def test_resamples_draw_within_groups(people):
    groups = people[2]
    weights = draw_stratified(groups, 100, RNG(5))
    for group, size in enumerate([30, 25, 15]):
        assert (weights[:, groups == group].sum(axis=1) == size).all()


def test_the_interval_is_that_of_welchs_t_in_each_resample_computed_plainly(people):
    values, clusters, groups = people
    sums, weights = mean_sums(values[:, :1], clusters), draw_stratified(groups, 300, RNG(6))

    def difference(row):
        parts = []
        for group in (1, 0):
            drawn = [c for c in np.flatnonzero(groups == group) for _ in range(int(row[c]))]
            part = ClusterSums(sums.top[drawn], sums.bottom[drawn])
            parts.append((float(part.value[0]), float(standard_errors(part)[0])))
        return parts[0][0] - parts[1][0], np.hypot(parts[0][1], parts[1][1])

    observed, se = difference(np.ones(70))
    plain = [(d - observed) / error for d, error in map(difference, weights)]
    low, high = np.quantile(plain, [0.025, 0.975])
    found = compare_groups(sums, groups, weights, draw_orders(70, 10, RNG(7)))
    assert found.difference_se[1, 0] == pytest.approx(se)
    expected = observed - high * se, observed - low * se
    assert (found.difference_lower[1, 0], found.difference_upper[1, 0]) == pytest.approx(expected)


def test_p_is_b_plus_1_over_m_plus_1_of_welchs_t_of_whole_clusters():
    """With all 20 labellings of six clusters, three of them in the group."""
    x = np.array([3.0, 5, 8, 1, 2, 2.5])
    ways = [np.isin(np.arange(6), chosen) for chosen in combinations(range(6), 3)]
    orders = np.array([1.0 - way for way in ways])  # the lowest three are the group
    statistics = [abs(ttest_ind(x[way], x[~way], equal_var=False).statistic) for way in ways]
    as_far = sum(each >= abs(ttest_ind(x[:3], x[3:], equal_var=False).statistic) - 1e-9 for each in statistics)
    groups = np.array([1, 1, 1, 0, 0, 0])
    found = compare_groups(mean_sums(x[:, None], np.arange(6)), groups, np.ones((5, 6)), orders, least=2)
    assert found.p[1, 0] == (as_far + 1) / 21
    assert found.difference_se[1, 0] == pytest.approx(np.sqrt(x[:3].var(ddof=1) / 3 + x[3:].var(ddof=1) / 3))


def test_conversations_of_a_person_are_never_parted(people):
    """Each said three times, differences and p stay the same."""
    values, clusters, groups = people
    plain = compare(mean_sums(values, clusters), groups)
    thrice = compare(mean_sums(np.repeat(values, 3, axis=0), np.repeat(clusters, 3)), groups)
    assert thrice.p == pytest.approx(plain.p, nan_ok=True)
    assert thrice.difference_lower == pytest.approx(plain.difference_lower, nan_ok=True)


def test_a_small_group_is_shown_and_not_tested(people):
    values, clusters, groups = people
    found = compare(mean_sums(values, clusters), groups, least=20)
    assert np.isnan([found.p[2], found.difference_lower[2], found.difference_upper[2]]).all()
    assert not np.isnan([found.value[2], found.lower[2], found.difference[2], found.p[1]]).any()


def test_clusters_without_a_score_do_not_count_towards_the_least(people):
    values, clusters, groups = people
    values[clusters >= 62, 1] = np.nan
    found = compare(mean_sums(values, clusters), groups)
    assert found.clusters[2].tolist() == [15, 7]
    assert np.isnan(found.p[2]).tolist() == [False, True]


def test_without_variation_nothing_is_tested():
    found = compare(mean_sums(np.ones((40, 1)), np.arange(40)), np.repeat([0, 1], 20))
    assert np.isnan([found.p, found.difference_lower]).all()


def test_of_equal_groups_that_differ_in_spread_and_size_few_are_called_different():
    rng, replications = RNG(8), 2000
    groups = np.repeat([0, 1], [40, 20])
    x = rng.normal(size=(60, replications)) * np.where(groups == 1, 3.0, 1.0)[:, None]
    found = compare(mean_sums(x, np.arange(60)), groups, resamples=400)
    assert (found.p[1] < 0.05).mean() == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / replications))


def test_percentile_differences_are_of_the_samples_less_the_references():
    samples = RNG(9).normal(size=(1000, 3, 2))
    lower, upper = percentile_differences(samples, reference=2)
    assert np.isnan([lower[2], upper[2]]).all()
    expected = np.quantile(samples[:, 0, 1] - samples[:, 2, 1], [0.025, 0.975])
    assert (lower[0, 1], upper[0, 1]) == pytest.approx(tuple(expected))
