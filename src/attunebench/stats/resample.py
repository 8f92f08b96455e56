"""The cluster bootstrap: whole clusters are drawn with replacement, and statistics are computed again.

Sources: Davison and Hinkley, Bootstrap Methods and their Application (1997), sections 2.4 (percentile), 2.4 and 5.2
(studentized, "bootstrap-t"), 3.8 (clusters). The standard error of a ratio of sums is the linearised one: Cochran,
Sampling Techniques (1977), section 6.4, with clusters as units.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from attunebench.stats.sums import ClusterSums, Floats, Ints, ratio

RESAMPLES: Final = 10_000
LEVEL: Final = 0.95

_BLOCK: Final = 32
"""So many columns are resampled at a time: with 10,000 resamples, 2.5 MB an array."""

_NOTHING: Final = 1e-12
"""A smaller part is rounding."""

_FAR: Final = 1e4
"""So many standard errors off is only a resample of a single cluster."""


@dataclass(frozen=True)
class Intervals:
    """Statistics with their intervals, each of shape (columns,); bounds are NaN where not defined.

    `se`: cluster-robust standard errors. An interval is not defined with fewer than 2 clusters, without any variation
    between clusters, or where so few clusters are left that resamples of a single one reach the bounds.
    """

    value: Floats
    se: Floats
    lower: Floats
    upper: Floats
    clusters: Ints


def draw_weights(clusters: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each cluster is drawn in each resample, shape (resamples, clusters)."""
    drawn = rng.integers(clusters, size=(resamples, clusters))
    drawn += clusters * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * clusters)
    return counts.reshape(resamples, clusters).astype(np.float64)


def resample(sums: ClusterSums, weights: Floats) -> Floats:
    """Return the statistics in each resample, shape (resamples, columns); NaN where not defined."""
    return ratio(weights @ sums.top, weights @ sums.bottom)


def percentile_bounds(samples: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return the percentile interval of statistics from their values in resamples, shape (resamples, …).

    Resamples in which a statistic is not defined are left out. Without any, or where all are the same, there are no
    bounds.
    """
    rows = np.array(samples.reshape(len(samples), -1).T, order="C")
    bounds = np.full((2, len(rows)), np.nan)
    gaps = np.isnan(rows)
    whole = ~gaps.any(axis=1)
    bounds[:, whole] = row_bounds(rows if whole.all() else rows[whole], level)
    for place in np.flatnonzero(~whole & ~gaps.all(axis=1)):
        bounds[:, place] = row_bounds(rows[place][~gaps[place]][None], level)[:, 0]
    lower, upper = bounds.reshape(2, *samples.shape[1:])
    return lower, upper


def row_bounds(rows: Floats, level: float = LEVEL) -> Floats:
    """Return the two quantiles of each row that leave `level` between them, shape (2, rows); rows are sorted.

    Quantiles are interpolated linearly. NaN where all of a row is the same.
    """
    size = rows.shape[1]
    places = (size - 1) * np.array([(1 - level) / 2, (1 + level) / 2])
    below = np.floor(places).astype(np.int64)
    above = np.minimum(below + 1, size - 1)
    rows.sort(axis=1)  # vectorised, and so faster than a partition at four places
    bounds = rows[:, below] + (places - below) * (rows[:, above] - rows[:, below])
    bounds[rows[:, -1] - rows[:, 0] <= _NOTHING * np.abs(rows[:, -1])] = np.nan
    return np.asarray(bounds.T)


def standard_errors(sums: ClusterSums) -> Floats:
    """Return the cluster-robust standard errors of ratios, shape (columns,); NaN with fewer than 2 clusters."""
    clusters = sums.clusters
    residuals = sums.top - np.nan_to_num(sums.value) * sums.bottom
    squares = (residuals**2).sum(axis=0)
    total = sums.bottom.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt(squares * clusters / (clusters - 1)) / total
    return np.where(clusters < 2, np.nan, se)


def bootstrap_t(sums: ClusterSums, weights: Floats, level: float = LEVEL) -> Intervals:
    """Return ratios of sums, such as means, with bootstrap-t intervals.

    Estimator: t* = (r* - r)/se* in each resample; the interval runs from r - t*(1 - a/2) se to r - t*(a/2) se, with
    a = 1 - level. Assumes that clusters are independent and alike; it follows skewed scores better than a normal or a
    percentile interval, and is wide with few clusters.

    Args:
        sums: shape (clusters, columns).
        weights: shape (resamples, clusters), from `draw_weights`; columns share them.
        level: how often such intervals are to cover.
    """
    value, se, clusters = sums.value, standard_errors(sums), sums.clusters
    lower, upper = np.full_like(value, np.nan), np.full_like(value, np.nan)
    usable = np.flatnonzero((clusters >= 2) & (se > 0) & ~_is_rounding(sums, se))

    def bounds(chosen: Ints) -> tuple[Floats, Floats]:
        t = _t_values(sums.columns(chosen), value[chosen], se[chosen], weights)
        return t_bounds(value[chosen], se[chosen], t, level)

    parts = [*blocks(usable)]
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # numpy works outside of the interpreter's lock
        for chosen, found in zip(parts, threads.map(bounds, parts), strict=True):
            lower[chosen], upper[chosen] = found
    return Intervals(value, se, lower, upper, clusters)


def _is_rounding(sums: ClusterSums, se: Floats) -> NDArray[np.bool]:
    """Whether clusters differ by no more than rounding."""
    size = np.abs(sums.top).sum(axis=0)
    return np.asarray(np.nan_to_num(se) * sums.bottom.sum(axis=0) <= _NOTHING * size)


def blocks(columns: Ints) -> Iterator[Ints]:
    """Yield columns so many at a time that their resamples take little memory."""
    for start in range(0, len(columns), _BLOCK):
        yield columns[start : start + _BLOCK]


def small_sample(clusters: Ints | Floats) -> Floats:
    """Return by what standard errors grow for the degree of freedom that the mean takes; infinity for one cluster."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(clusters / np.maximum(clusters - 1, 0)))


def _t_values(sums: ClusterSums, value: Floats, se: Floats, weights: Floats) -> Floats:
    """Return (r* - r)/se* in each resample, shape (columns, resamples): `deviations`, in which the total cancels."""
    residuals = (sums.top - value * sums.bottom).T
    bottoms, place = _different(sums.bottom.T)
    drawn = weights.T
    total = (bottoms @ drawn)[place]
    squares = (bottoms**2 @ drawn)[place]
    off = residuals @ drawn
    variance = residuals**2 @ drawn
    same = len(bottoms) == 1 and np.ptp(bottoms) == 0
    cross = 2 * bottoms[0, 0] * off if same else (2 * residuals * sums.bottom.T) @ drawn
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = off / total
        squares = squares * ratios
        squares -= cross
        squares *= ratios
    variance += squares
    nothing = _NOTHING * (se / small_sample(sums.clusters) * sums.bottom.sum(axis=0)) ** 2
    np.maximum(variance, nothing[:, None], out=variance)
    np.sqrt(variance, out=variance)
    off /= variance
    off /= small_sample(sums.clusters)[:, None]
    return np.asarray(off)


def _different(rows: Floats) -> tuple[Floats, Ints]:
    """Return the different rows, and where each row is among them; of rows that are all the same, one place for all."""
    found, place = np.unique(rows, axis=0, return_inverse=True)
    return found, np.zeros(1, dtype=np.int64) if len(found) == 1 else place


def deviations(sums: ClusterSums, value: Floats, se: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return how far ratios are from `value` in each resample, and their standard errors there.

    Both of shape (columns, resamples); standard errors are not yet corrected by `small_sample`, and 0 where they are
    rounding beside `se`.
    """
    residuals = (sums.top - value * sums.bottom).T  # centred, so that nothing cancels below
    bottoms, place = _different(sums.bottom.T)
    drawn = weights.T  # a statistic's resamples side by side, which is how they are sorted
    total, squares = (bottoms @ drawn)[place], (bottoms**2 @ drawn)[place]
    off = residuals @ drawn
    variance = residuals**2 @ drawn
    cross = (residuals * sums.bottom.T) @ drawn
    with np.errstate(invalid="ignore", divide="ignore"):
        off /= total
        cross *= 2
        cross -= squares * off
        cross *= off
        variance -= cross
        np.maximum(variance, 0.0, out=variance)
        np.sqrt(variance, out=variance)
        variance /= total
    variance[variance <= np.sqrt(_NOTHING) * se[:, None]] = 0.0
    return off, variance


def studentized_bounds(value: Floats, se: Floats, off: Floats, errors: Floats, level: float) -> tuple[Floats, Floats]:
    """Return bootstrap-t bounds, shape (columns,), from deviations and their standard errors, (columns, resamples)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return t_bounds(value, se, np.clip(off / errors, -_FAR, _FAR), level)


def t_bounds(value: Floats, se: Floats, t: Floats, level: float) -> tuple[Floats, Floats]:
    """Return bootstrap-t bounds, shape (columns,), from t in each resample, (columns, resamples); t is sorted."""
    low, high = row_bounds(t, level)
    undefined = np.maximum(np.abs(low), np.abs(high)) >= _FAR
    return np.where(undefined, np.nan, value - high * se), np.where(undefined, np.nan, value - low * se)
