"""Claims about power."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from attunebench.stats.power import clusters_needed, corrected, power_of, smallest_detectable

ONE = np.array([1.0])


def test_power_is_that_of_statsmodels():
    for size, k, alpha in [(0.5, 20, 0.05), (0.2, 100, 0.05), (0.35, 60, 0.05 / 78), (0.0, 30, 0.05)]:
        found = power_of(np.array([size]), ONE / np.sqrt(40), np.array([40]), at=np.array([k]), alpha=alpha)
        assert found == pytest.approx(TTestPower().power(size, k, alpha), rel=1e-6)


def test_cohens_example_of_a_medium_effect_needs_34_pairs():
    """The number everybody knows for dz = .5, alpha = .05, power = .8."""
    assert clusters_needed(0.5 * ONE, ONE / 10, np.array([100]), np.array([100])).clusters.tolist() == [34]


def test_the_smallest_detectable_difference_has_the_power_and_needs_the_clusters_there_are():
    se, k = np.array([0.4, 0.1, 2.0]), np.array([20, 60, 200])
    for alpha in (0.05, corrected(78)):
        found = smallest_detectable(se, k, alpha=alpha)
        assert power_of(found, se, k, at=k, alpha=alpha) == pytest.approx([0.8] * 3)
        assert clusters_needed(found * 1.000001, se, k, k, alpha=alpha).clusters.tolist() == k.tolist()


def test_conversations_go_with_clusters_as_observed():
    found = clusters_needed(np.array([0.5]), ONE / 10, np.array([100]), np.array([250]))
    assert found.conversations.tolist() == [85]  # 34 clusters of 2.5


def test_four_times_the_clusters_halve_what_can_be_found_in_large_samples():
    small, large = smallest_detectable(np.array([0.1, 0.05]), np.array([1000, 4000]))
    assert small / large == pytest.approx(2, rel=1e-3)


def test_an_exact_test_of_few_clusters_finds_nothing_however_large():
    found = smallest_detectable(np.array([1.0, 1.0]), np.array([5, 6]))
    assert np.isnan(found[0]) and found[1] > 0
    assert clusters_needed(np.array([1e6]), ONE, np.array([10]), np.array([10])).clusters.tolist() == [6]
    assert clusters_needed(np.array([1e6]), ONE, np.array([10]), np.array([10]), alpha=corrected(78)).clusters == [12]


def test_what_cannot_be_known_is_nan():
    se, k = np.array([np.nan, 0.0, 1.0]), np.array([20, 20, 1])
    assert np.isnan(smallest_detectable(se, k)).all()
    assert np.isnan(power_of(np.ones(3), se, k, at=k)).all()
    assert np.isnan(clusters_needed(np.ones(3), se, k, k).clusters).all()
    assert np.isnan(clusters_needed(np.zeros(1), ONE, np.array([20]), np.array([20])).clusters).all()
