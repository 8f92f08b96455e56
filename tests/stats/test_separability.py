"""Claims about corrected correlations and dimensions."""

from itertools import combinations

import numpy as np
import pytest

from attunebench.stats.covariance import model_covariances, model_sums
from attunebench.stats.dimensions import independent_abilities, one_ability, participation_ratio
from attunebench.stats.resample import draw_weights
from attunebench.stats.separability import corrected_correlations

RNG = np.random.default_rng


def scored(abilities, clusters, noise, seed, common=0.0):
    """Abilities, shape (models, capabilities), measured on each cluster with noise, in part common to capabilities."""
    rng = RNG(seed)
    shape = (len(abilities), clusters, abilities.shape[1])
    shared = rng.normal(size=(*shape[:2], 1))
    own = rng.normal(size=shape)
    return abilities[:, None] + noise * (np.sqrt(common) * shared + np.sqrt(1 - common) * own)


def test_covariances_between_models_are_those_of_all_splits_into_halves():
    values = scored(RNG(1).normal(size=(5, 2)), 6, 1, 2, common=0.5)
    plain = np.zeros((2, 2))
    splits = [*combinations(range(6), 3)]
    for first in splits:
        one = values[:, list(first)].mean(axis=1)
        other = values[:, [c for c in range(6) if c not in first]].mean(axis=1)
        plain += np.cov(one.T, other.T)[:2, 2:] / len(splits)
    sums = model_sums(values, np.arange(6))
    assert model_covariances(sums, np.ones((1, 6)), 5).between[0] == pytest.approx(plain)


def test_in_a_resample_no_cluster_is_ever_paired_with_itself():
    """Weighted by how often drawn: over pairs of different clusters only, about the resample's own means."""
    values = scored(RNG(1).normal(size=(5, 2)), 6, 1, 3)
    weights = np.array([3.0, 0, 1, 1, 1, 0])
    share = weights / 6
    mean = np.tensordot(values, share, axes=(1, 0))
    centred = values - mean[:, None]
    centred = centred - centred.mean(axis=0)
    error = sum(share[c] ** 2 * centred[:, c].T @ centred[:, c] for c in range(6)) / 4 / (1 - (share**2).sum())
    found = model_covariances(model_sums(values, np.arange(6)), weights[None], 5)
    assert found.observed[0] == pytest.approx(np.cov(mean.T))
    assert found.error[0] == pytest.approx(error)
    single = model_covariances(model_sums(values, np.arange(6)), np.array([[6.0, 0, 0, 0, 0, 0]]), 5)
    assert np.isnan(single.between).all()


def test_noise_common_to_capabilities_does_not_make_independent_abilities_look_alike():
    found, naive = [], []
    for seed in range(200):
        abilities = RNG(seed).normal(size=(30, 2))
        values = scored(abilities, 20, 4, seed + 1000, common=0.9)
        covariances = model_covariances(model_sums(values, np.arange(20)), np.ones((1, 20)), 30)
        found.append(covariances.between[0, 0, 1])
        naive.append(covariances.observed[0, 0, 1])
    assert np.mean(found) == pytest.approx(0, abs=3 * np.std(found) / np.sqrt(200))
    assert np.mean(naive) == pytest.approx(0.9 * 16 / 20, abs=3 * np.std(naive) / np.sqrt(200))


def test_one_ability_measured_with_noise_corrects_to_1_and_is_not_called_separable():
    ability = RNG(5).normal(size=(13, 1))
    values = scored(np.hstack([ability, 3 * ability]), 100, 3, 6)
    found = corrected_correlations(values, np.arange(100), draw_weights(100, 1000, RNG(7)))
    assert found.value[0, 1] == pytest.approx(1, abs=0.1)
    assert found.lower[0, 1] < 1 < found.upper[0, 1]
    assert not found.separable.any()


def test_independent_abilities_are_called_separable():
    abilities = np.linalg.qr(RNG(8).normal(size=(13, 3)))[0] * 4
    found = corrected_correlations(scored(abilities, 100, 3, 9), np.arange(100), draw_weights(100, 1000, RNG(10)))
    assert found.separable[np.triu_indices(3, 1)].all()
    assert np.diag(found.value) == pytest.approx([1, 1, 1])


def test_where_models_are_alike_nothing_is_said():
    found = corrected_correlations(scored(np.zeros((8, 2)), 40, 1, 11), np.arange(40), draw_weights(40, 500, RNG(12)))
    assert np.isnan(found.upper[0, 1]) and not found.separable.any()
    assert found.defined[0, 1] < 0.975


def test_two_models_or_one_cluster_have_no_corrected_correlation():
    for models, clusters in [(2, 30), (8, 1)]:
        values = scored(RNG(13).normal(size=(models, 2)), clusters, 0.1, 14)
        found = corrected_correlations(values, np.arange(clusters), draw_weights(clusters, 50, RNG(15)))
        assert np.isnan(found.value).all() and np.isnan(found.upper).all()


def test_a_model_without_one_capability_is_left_out():
    values = scored(RNG(16).normal(size=(8, 2)), 30, 0.5, 17)
    lacking = values.copy()
    lacking[3, :, 1] = np.nan
    weights = draw_weights(30, 100, RNG(18))
    found = corrected_correlations(lacking, np.arange(30), weights)
    without = corrected_correlations(np.delete(values, 3, axis=0), np.arange(30), weights)
    assert found.value == pytest.approx(without.value) and found.upper == pytest.approx(without.upper, nan_ok=True)


def test_the_participation_ratio_runs_from_one_to_the_number_of_capabilities():
    assert participation_ratio(np.ones((4, 4))) == pytest.approx(1)
    assert participation_ratio(np.eye(4)) == pytest.approx(4)
    two_blocks = np.kron(np.eye(2), np.ones((2, 2)))
    assert participation_ratio(np.array([two_blocks, np.full((4, 4), np.nan)])) == pytest.approx(
        [2, np.nan], nan_ok=True
    )


def test_the_participation_ratio_is_that_of_the_eigenvalues():
    matrix = np.corrcoef(RNG(19).normal(size=(5, 9)))
    eigenvalues = np.linalg.eigvalsh(matrix)
    assert participation_ratio(matrix) == pytest.approx(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def test_references_of_perfect_measurement_and_of_many_models_are_the_plain_ones():
    assert one_ability(np.ones(4), 10, RNG(20), simulations=50).mean == pytest.approx(1)
    assert independent_abilities(4, 2000, RNG(21), simulations=20).mean == pytest.approx(4, abs=0.05)


def test_references_of_few_models_lie_below_and_those_of_unreliable_abilities_above():
    independent = independent_abilities(5, 11, RNG(22), simulations=2000)
    # The expected squared rank correlation of n independent models is 1/(n - 1): 25/(5 + 20/10), but for curvature.
    assert independent.mean == pytest.approx(25 / 7, rel=0.03)
    assert independent.lower < independent.mean < independent.upper < 5
    unreliable = one_ability(np.full(5, 0.5), 11, RNG(23), simulations=2000)
    assert 1 < one_ability(np.full(5, 0.95), 11, RNG(23), simulations=2000).mean < unreliable.mean < independent.mean


def test_an_unknown_reliability_has_no_reference():
    assert np.isnan(one_ability(np.array([0.5, np.nan]), 8, RNG(24), simulations=10).mean)
