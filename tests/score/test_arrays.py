"""Claims about formulas on arrays: place by place they are the plain ones, to the last bit."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_strategies import raw_cases
from test_golden import CASES, read

from attunebench.score import composite
from attunebench.score.arrays.composite import Parts, compose
from attunebench.score.arrays.means import exact_sum, mean_of_present, weighted_mean_of_present
from attunebench.score.arrays.strict import measure, strict_columns_of
from attunebench.score.columns import strict_columns
from attunebench.score.means import mean_of_present as plain_mean
from attunebench.score.means import weighted_mean_of_present as plain_weighted_mean
from attunebench.score.pairing import pair_turns
from attunebench.score.strict import score_strict

SHARES = st.tuples(st.integers(0, 60), st.integers(1, 60)).map(lambda pair: pair[0] / pair[1])
NUMBERS = SHARES | st.floats(-1e9, 1e9) | st.sampled_from([1e-17, -1e-17, 1 + 2**-52, 2**-53, 0.1, -0.1])


def as_plain(numbers):
    return [None if np.isnan(number) else number for number in numbers.tolist()]


def as_array(values):
    return np.array(values, dtype=np.float64)


def table(numbers, width):
    return st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=1, max_size=5)


@given(st.integers(1, 6).flatmap(lambda width: table(NUMBERS, width)))
def test_a_sum_is_rounded_once(rows):
    assert exact_sum([as_array(column) for column in zip(*rows, strict=True)]).tolist() == [fsum(row) for row in rows]


def test_a_sum_of_which_even_the_rests_lose_something_is_rounded_once():
    values = [1.0, 2**-53, 2**-106, 1e-200, -1e-300]
    assert exact_sum([as_array([value]) for value in values]).tolist() == [fsum(values)] == [1 + 2**-52]


@given(st.integers(1, 5).flatmap(lambda width: table(st.none() | NUMBERS, width)))
def test_means_are_those_of_what_is_present(rows):
    columns = [as_array(column) for column in zip(*rows, strict=True)]
    assert as_plain(mean_of_present(*columns)) == [plain_mean(row) for row in rows]
    weights = [0.4, 0.3, 0.3, 0.1, 0.7][: len(columns)]
    expected = [plain_weighted_mean(zip(weights, row, strict=True)) for row in rows]
    assert as_plain(weighted_mean_of_present(*zip(weights, columns, strict=True))) == expected


@given(table(st.none() | SHARES, len(Parts._fields)))
def test_composites_are_the_plain_ones(rows):
    found = compose(Parts(*(as_array(column) for column in zip(*rows, strict=True))))
    plain = [composite.compose(composite.Parts(*row)) for row in rows]
    assert {name: as_plain(numbers) for name, numbers in found.items()} == {
        name: [one[name] for one in plain] for name in composite.COMPOSITES
    }


def holds(cases):
    pairs = [read(case) for case in cases]
    found = strict_columns_of([measure(*pair, pair_turns(*pair)) for pair in pairs])
    for (names, numbers), pair in zip(found, pairs, strict=True):
        expected = strict_columns(score_strict(*pair))
        assert names == expected.names
        np.testing.assert_array_equal(numbers, expected.numbers, strict=True)


@given(st.lists(raw_cases().map(lambda case: dict(zip(("conversation", "run"), case, strict=True))), max_size=4))
def test_strict_scores_are_the_plain_ones(cases):
    holds(cases)


@pytest.mark.parametrize("first", range(0, len(CASES), 50))
def test_strict_scores_of_the_golden_cases_are_the_plain_ones(first):
    holds(CASES[first : first + 50])
