"""Correlations of models between capabilities, in many resamples at once."""

from collections.abc import Callable
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from attunebench.stats.sums import Floats, ratio

LEAST_MODELS: Final = 3
"""Of two models every correlation is 1 or -1."""

_CONSTANT: Final = 1e-9
_NOTHING: Final = 1e-12


def pearson(x: Floats, y: Floats) -> Floats:
    """Return correlations along the last axis (models), -1 to 1.

    A model without both values is left out. NaN with fewer than 3 models, or where either side is constant.
    """
    both = ~np.isnan(x) & ~np.isnan(y)
    count = both.sum(axis=-1)
    a, b = (_centred(np.where(both, each, 0.0), both) for each in (x, y))
    top = (a * b).sum(axis=-1)
    squares_a, squares_b = (a**2).sum(axis=-1), (b**2).sum(axis=-1)
    varied = (squares_a > _least(x, both)) & (squares_b > _least(y, both)) & (count >= LEAST_MODELS)
    found: Floats = np.full(top.shape, np.nan)
    np.divide(top, np.sqrt(squares_a * squares_b), out=found, where=varied)
    return np.clip(found, -1.0, 1.0)


def pearson_of_sums(moments: Floats) -> Floats:
    """Return Pearson's correlations, -1 to 1, from n and the sums of x, y, xx, yy, xy: shape (…, 6) becomes (…).

    So that resamples are weighted sums. NaN where one side is constant.
    """
    n, x, y, xx, yy, xy = np.moveaxis(moments, -1, 0)
    spread = np.sqrt(np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0))
    return ratio(n * xy - x * y, np.where(spread > _CONSTANT, spread, 0.0))


def rank_correlations(samples: Floats) -> tuple[Floats, Floats]:
    """Return Spearman's rho and Kendall's tau-b of models between capabilities in each resample, -1 to 1.

    Both of shape (resamples, capabilities, capabilities). Ties have mid-ranks. A model without both values is left out
    of a pair. NaN with fewer than 3 models, or where a capability is constant, with itself too. Sources: Spearman
    (1904); Kendall, The Treatment of Ties in Ranking Problems (1945), for tau-b.

    Args:
        samples: shape (resamples, models, capabilities), such as means in each resample.
    """
    return spearman(samples), _between_capabilities(samples, _kendall)


def spearman(samples: Floats) -> Floats:
    """Return the first of `rank_correlations` alone."""
    return _between_capabilities(samples, _spearman)


def _between_capabilities(samples: Floats, measure: Callable[[Floats, Floats], Floats]) -> Floats:
    resamples, _, capabilities = samples.shape
    found = np.full((resamples, capabilities, capabilities), np.nan)
    for a in range(capabilities):
        for b in range(a, capabilities):
            x, y = samples[:, :, a], samples[:, :, b]
            missing = np.isnan(x) | np.isnan(y)
            found[:, a, b] = found[:, b, a] = measure(np.where(missing, np.nan, x), np.where(missing, np.nan, y))
    return found


def _spearman(x: Floats, y: Floats) -> Floats:
    return pearson(*(rankdata(each, axis=1, nan_policy="omit") for each in (x, y)))


def _kendall(x: Floats, y: Floats) -> Floats:
    """Return tau-b: concordant less discordant pairs, over the root of those not tied in x times those not in y."""
    pairs = np.array([*combinations(range(x.shape[1]), 2)], dtype=np.int64).reshape(-1, 2)
    a, b = (np.nan_to_num(np.sign(each[:, pairs[:, 0]] - each[:, pairs[:, 1]])) for each in (x, y))
    untied = np.sqrt(np.count_nonzero(a, axis=1) * np.count_nonzero(b, axis=1).astype(np.float64))
    enough = (~np.isnan(x)).sum(axis=1) >= LEAST_MODELS
    found = np.full(len(x), np.nan)
    np.divide((a * b).sum(axis=1), untied, out=found, where=(untied > 0) & enough)
    return found


def _centred(values: Floats, both: NDArray[np.bool]) -> Floats:
    count = np.maximum(both.sum(axis=-1, keepdims=True), 1)
    return np.where(both, values - values.sum(axis=-1, keepdims=True) / count, 0.0)


def _least(values: Floats, both: NDArray[np.bool]) -> Floats:
    """Return how much variation is no more than rounding."""
    return np.asarray(_NOTHING**2 * (np.where(both, values, 0.0) ** 2).sum(axis=-1))
