"""Claims about the mixed model."""

import numpy as np
import pytest
from scipy.stats import norm

from attunebench.stats.mixed import mixed_model

RNG = np.random.default_rng


def balanced(seed=1, clusters=40, each=3, between=1.0):
    rng = RNG(seed)
    places = np.repeat(np.arange(clusters), each)
    groups = places % 2
    return between * rng.normal(size=clusters)[places] + rng.normal(size=len(places)) + groups, groups, places


def test_of_balanced_data_it_is_the_analysis_of_variance_by_hand():
    values, groups, clusters = balanced()
    found = mixed_model(values, groups, clusters)
    means = values.reshape(40, 3).mean(axis=1)
    one, other = means[0::2], means[1::2]
    among = 3 * (((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum()) / 38
    within = ((values.reshape(40, 3) - means[:, None]) ** 2).sum() / 80
    assert found.converged and found.problem is None
    assert found.coefficients == pytest.approx([one.mean(), other.mean() - one.mean()], rel=1e-4)
    assert found.residual_variance == pytest.approx(within, rel=1e-3)
    assert found.cluster_variance == pytest.approx((among - within) / 3, rel=1e-3)
    assert found.se == pytest.approx([np.sqrt(among / 60), np.sqrt(among / 30)], rel=1e-3)
    assert found.p == pytest.approx(2 * norm.sf(np.abs(found.coefficients / found.se)))


def test_missing_scores_are_left_out():
    values, groups, clusters = balanced()
    values[5] = np.nan
    present = np.arange(120) != 5
    found, without = (
        mixed_model(values, groups, clusters),
        mixed_model(*(x[present] for x in (values, groups, clusters))),
    )
    assert found.coefficients == pytest.approx(without.coefficients)


def test_scale_and_shift_carry_over():
    values, groups, clusters = balanced()
    plain, moved = mixed_model(values, groups, clusters), mixed_model(50 + 1e-3 * values, groups, clusters)
    assert moved.coefficients == pytest.approx([50, 0] + 1e-3 * plain.coefficients)
    assert moved.p[1] == pytest.approx(plain.p[1])
    assert moved.cluster_variance == pytest.approx(1e-6 * plain.cluster_variance)


def fails(values, groups, clusters):
    found = mixed_model(values, groups, clusters)
    assert not found.converged
    assert np.isnan([*found.coefficients, *found.se, *found.p, found.cluster_variance, found.residual_variance]).all()
    return found.problem


def test_what_cannot_be_fitted_is_said_and_never_raised():
    values, groups, clusters = balanced()
    places = np.arange(40)
    assert "singular: the variance between" in fails(np.tile([0.0, 1, 2], 40) + 1e-3 * values, groups, clusters)
    assert "singular: the variance within" in fails(RNG(2).normal(size=40)[clusters], groups, clusters)
    assert "no cluster has two scores" in fails(values[:40], places % 2, places)
    assert "all scores are equal" in fails(np.ones(120), groups, clusters)
    assert "group 1 has no score" in fails(np.where(groups == 1, np.nan, values), groups, clusters)
    assert "no more clusters than groups" in fails(values[:6], groups[:6], clusters[:6])
    assert fails(np.full(120, np.nan), groups, clusters)


def test_no_data_raises_or_warns():
    for seed in range(60):
        rng = RNG(seed)
        clusters = rng.integers(0, rng.integers(1, 12), size=rng.integers(2, 30))
        groups = clusters % 3
        values = rng.integers(0, 3, size=len(clusters)).astype(float) * rng.choice([1e-9, 1, 1e9])
        found = mixed_model(values, groups, clusters)
        assert found.converged == (not np.isnan(found.coefficients).any())
