"""Claims about correlations of models between capabilities."""

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from attunebench.stats.correlation import pearson, rank_correlations


def test_by_hand():
    """Ranks 1 2 3 4 and 2 1 4 3: sum of d^2 = 4, rho = 1 - 24/60; 4 concordant pairs, 2 discordant, tau = 2/6."""
    samples = np.array([[[10.0, 6], [20, 5], [30, 8], [40, 7]]])
    spearman, kendall = rank_correlations(samples)
    assert spearman[0, 0] == pytest.approx([1, 0.6])
    assert kendall[0, 0] == pytest.approx([1, 1 / 3])


def test_each_resample_is_that_of_scipy_with_ties_and_gaps():
    rng = np.random.default_rng(1)
    samples = rng.integers(0, 5, size=(30, 9, 3)).astype(float)
    samples[rng.random(samples.shape) < 0.05] = np.nan
    spearman, kendall = rank_correlations(samples)
    for place, sample in enumerate(samples):
        for a, b in [(0, 1), (0, 2), (1, 2)]:
            x, y = sample[~np.isnan(sample[:, [a, b]]).any(axis=1)][:, [a, b]].T
            assert spearman[place, a, b] == spearman[place, b, a] == pytest.approx(spearmanr(x, y).statistic)
            assert kendall[place, a, b] == kendall[place, b, a] == pytest.approx(kendalltau(x, y).statistic)


def test_pearson_is_that_of_scipy_whatever_the_shift():
    x, y = np.random.default_rng(2).normal(size=(2, 20))
    assert pearson(x + 1e6, y * 1e-6) == pytest.approx(pearsonr(x, y).statistic)


def test_a_constant_capability_has_no_correlation_not_even_with_itself():
    samples = np.random.default_rng(3).normal(size=(4, 6, 2))
    samples[:, :, 1] = 0.1 + 0.2
    spearman, kendall = rank_correlations(samples)
    for found in (spearman, kendall):
        assert found[:, 0, 0] == pytest.approx([1] * 4)
        assert np.isnan([found[:, 0, 1], found[:, 1, 1]]).all()


def test_two_models_have_no_correlation():
    samples = np.array([[[1.0, 2], [2, 1], [np.nan, 3]]])
    spearman, kendall = rank_correlations(samples)
    assert np.isnan([spearman[0, 0, 1], kendall[0, 0, 1], pearson(samples[0, :, 0], samples[0, :, 1])]).all()


def test_a_growing_function_changes_no_rank_correlation():
    samples = np.random.default_rng(4).normal(size=(5, 8, 3))
    for plain, grown in zip(rank_correlations(samples), rank_correlations(np.exp(samples)), strict=True):
        assert grown == pytest.approx(plain)
