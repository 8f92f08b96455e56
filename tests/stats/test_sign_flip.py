"""Claims about the sign-flip test."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import permutation_test

from attunebench.stats.multiple import adjust
from attunebench.stats.signflip import all_flips, draw_flips, flips_for, sign_flip_p


def test_p_is_exact_below_14_clusters_as_counted_by_hand():
    """Of the eight ways to flip 1, 2 and 3, only +++ and --- reach 6."""
    assert sign_flip_p(np.array([[1.0], [2.0], [3.0]]), draw_flips(3, 10, np.random.default_rng(1))).tolist() == [0.25]


def test_exact_p_is_that_of_scipy():
    rng = np.random.default_rng(2)
    differences = rng.normal(0.4, 1, size=11)
    expected = permutation_test((differences,), np.sum, permutation_type="samples", n_resamples=np.inf)
    p = sign_flip_p(differences[:, None], draw_flips(11, 10, rng))
    assert p == pytest.approx(expected.pvalue)


def test_from_14_clusters_on_p_is_b_plus_1_over_m_plus_1_of_the_flips_given():
    rng = np.random.default_rng(3)
    differences, flips = rng.normal(0.3, 1, size=20), draw_flips(20, 999, rng)
    far = sum(abs(float(flip @ differences)) >= abs(differences.sum()) - 1e-12 for flip in flips)
    assert sign_flip_p(differences[:, None], flips).tolist() == [(far + 1) / 1000]


def test_no_difference_at_all_gives_p_1_though_rounding_says_otherwise():
    differences = np.array([[0.1], [0.2], [-0.3]] * 6)
    assert sign_flip_p(differences, draw_flips(18, 500, np.random.default_rng(4))) == [1.0]


def test_a_column_with_fewer_clusters_has_its_own_exact_p():
    few = np.array([1.0, 2.0, 3.0] + [np.nan] * 17)
    many = np.random.default_rng(5).normal(size=20)
    p = sign_flip_p(np.column_stack([few, many]), draw_flips(20, 100, np.random.default_rng(6)))
    assert p[0] == 0.25


def test_with_fewer_than_two_clusters_nothing_is_tested():
    sums = np.array([[5.0, np.nan], [np.nan, np.nan]])
    assert np.isnan(sign_flip_p(sums, draw_flips(2, 10, np.random.default_rng(7)))).all()


def test_all_flips_are_all_ways():
    assert {tuple(row) for row in all_flips(3)} == set(product([1.0, -1.0], repeat=3))


@pytest.mark.parametrize("models", [2, 13, 33, 100])
def test_one_pair_of_any_number_of_models_can_be_distinguished(models):
    pairs = models * (models - 1) // 2
    smallest = 1 / (flips_for(pairs) + 1)
    assert adjust(np.array([smallest] + [1.0] * (pairs - 1)), "holm")[0] < 0.05
