"""Claims about two one-sided tests."""

import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from attunebench.stats.equivalence import tost


def test_p_and_interval_by_hand():
    """Difference 1, standard error .5, 11 clusters, margin 2: t = -2 on 10 degrees of freedom, .0367 by the table."""
    found = tost(np.array([1.0]), np.array([0.5]), np.array([11]), margin=2)
    assert found.p == pytest.approx(0.0367, abs=5e-5)
    assert (found.lower[0], found.upper[0]) == pytest.approx((1 - 1.8125 * 0.5, 1 + 1.8125 * 0.5), abs=1e-4)
    assert found.equivalent.tolist() == [True]


def test_p_is_that_of_statsmodels():
    x = np.random.default_rng(1).normal(0.1, 1, size=30)
    p, _, _ = DescrStatsW(x).ttost_mean(-0.5, 0.5)
    found = tost(np.array([x.mean()]), np.array([x.std(ddof=1) / np.sqrt(30)]), np.array([30]), margin=0.5)
    assert found.p == pytest.approx(p)


def test_equivalent_is_the_interval_within_the_margin():
    value = np.linspace(-2, 2, 41)
    found = tost(value, np.full(41, 0.3), np.full(41, 25), margin=1)
    within = (found.lower > -1) & (found.upper < 1)
    assert found.equivalent.tolist() == within.tolist()
    assert within.any() and not within.all()


def test_the_sign_of_the_difference_does_not_matter():
    found = tost(np.array([0.4, -0.4]), np.array([0.3, 0.3]), np.array([9, 9]), margin=1)
    assert found.p[0] == found.p[1]
    assert found.lower[0] == pytest.approx(-found.upper[1])


def test_a_difference_at_the_margin_passes_in_five_of_a_hundred():
    rng = np.random.default_rng(2)
    x = rng.normal(1, 2, size=(4000, 40))
    found = tost(x.mean(axis=1), x.std(axis=1, ddof=1) / np.sqrt(40), np.full(4000, 40), margin=1)
    assert found.equivalent.mean() == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 4000))


def test_what_cannot_be_known_is_not_equivalent():
    found = tost(np.array([0.0, 0.0, np.nan]), np.array([0.1, 0.0, 0.1]), np.array([1, 30, 30]), margin=1)
    assert np.isnan([*found.p, *found.lower]).all()
    assert not found.equivalent.any()
