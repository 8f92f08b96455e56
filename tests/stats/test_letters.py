"""Claims about letters."""

from itertools import combinations

import numpy as np
import pytest

from attunebench.stats.letters import letters


def distinguished(models, pairs):
    found = np.zeros((models, models), dtype=bool)
    for a, b in pairs:
        found[a, b] = found[b, a] = True
    return found


def test_who_is_like_both_neighbours_bears_both_letters():
    assert letters(distinguished(3, [(0, 2)]), [0, 1, 2]) == ["a", "ab", "b"]


def test_none_distinguished_is_one_letter_and_all_distinguished_are_as_many_as_models():
    assert letters(distinguished(3, []), [2, 0, 1]) == ["a", "a", "a"]
    assert letters(distinguished(3, [(0, 1), (0, 2), (1, 2)]), [2, 0, 1]) == ["b", "c", "a"]


def test_in_a_chain_of_likenesses_letters_overlap():
    """Five in a row, each like its neighbours only: letters ab, bc, cd in between."""
    far = [(a, b) for a, b in combinations(range(5), 2) if b - a > 1]
    assert letters(distinguished(5, far), range(5)) == ["a", "ab", "bc", "cd", "d"]


@pytest.mark.parametrize("seed", range(20))
def test_models_share_a_letter_exactly_where_they_are_not_distinguished(seed):
    rng = np.random.default_rng(seed)
    models = int(rng.integers(2, 13))
    pairs = [pair for pair in combinations(range(models), 2) if rng.random() < 0.4]
    display = letters(distinguished(models, pairs), rng.permutation(models).tolist())
    for a, b in combinations(range(models), 2):
        assert bool(set(display[a]) & set(display[b])) == ((a, b) not in pairs)


def test_beyond_26_groups_letters_are_two_and_stand_apart():
    apart = distinguished(28, combinations(range(28), 2))
    apart[0, 27] = apart[27, 0] = False
    display = letters(apart, range(28))
    assert display[0] == display[27] == "a"
    assert display[26] == "aa"
    chain = distinguished(29, [(a, b) for a, b in combinations(range(29), 2) if b - a > 1])
    assert letters(chain, range(29))[25:27] == ["y z", "z aa"]


def test_no_models_have_no_letters():
    assert letters(distinguished(0, []), []) == []
