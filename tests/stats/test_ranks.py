"""Claims about ranks."""

import numpy as np
import pytest

from attunebench.stats.ranks import first_shares, rank_ranges


def test_a_model_ranks_below_only_those_distinguished_above_it():
    wins = np.zeros((4, 4), dtype=bool)
    wins[0, [2, 3]] = wins[1, 3] = True
    low, high = rank_ranges(wins)
    assert low.tolist() == [1, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 4]


def test_without_a_distinguished_pair_every_rank_is_open():
    low, high = rank_ranges(np.zeros((3, 3), dtype=bool))
    assert low.tolist() == [1, 1, 1] and high.tolist() == [3, 3, 3]


def test_a_clear_order_leaves_one_rank_each():
    low, high = rank_ranges(np.triu(np.ones((5, 5), dtype=bool), 1))
    assert low.tolist() == high.tolist() == [1, 2, 3, 4, 5]


def test_shares_of_first_places_by_hand():
    samples = np.array([[3.0, 2, 1], [3, 3, 1], [1, 2, 3], [np.nan, 5, 1], [np.nan, np.nan, np.nan]])
    assert first_shares(samples, "up") == pytest.approx([1.5 / 4, 1.5 / 4, 1 / 4])
    assert first_shares(samples, "down") == pytest.approx([1 / 4, 0, 3 / 4])


def test_without_a_defined_resample_there_are_no_shares():
    assert np.isnan(first_shares(np.full((3, 2), np.nan), "up")).all()
