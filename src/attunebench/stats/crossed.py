"""Groups of conversations, such as topics, of which one participant may have several: clusters cross the groups.

Then groups are not independent. Whole clusters are drawn, with all their conversations in all groups.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtr

from attunebench.stats.resample import LEVEL, percentile_bounds, resample
from attunebench.stats.sums import ClusterSums, Floats, ratio

_NOTHING: Final = 1e-12
"""An error that is a smaller part of the statistics is rounding."""


@dataclass(frozen=True)
class CrossedTest:
    """The difference of two groups' statistics, all of shape (columns,); NaN where not defined."""

    difference: Floats
    se: Floats
    lower: Floats
    upper: Floats
    p: Floats


def compare_crossed(
    group: ClusterSums, reference: ClusterSums, weights: Floats, *, level: float = LEVEL
) -> CrossedTest:
    """Compare two groups over the same clusters: percentile interval, and a t-test with a cluster-robust error.

    Estimator of the error: the jackknife, which leaves out one cluster at a time (Efron, The Jackknife, the Bootstrap
    and Other Resampling Plans, 1982, chapter 3); with few clusters a linearised error is too small, as one of them may
    hold much of a group. t has as many degrees of freedom as clusters with anything in either group, less one. NaN with
    fewer than 2 clusters in either group or without variation.

    Args:
        group, reference: sums over the same clusters, shape (clusters, columns); 0 where a cluster has nothing in it.
        weights: shape (resamples, clusters).
        level: of the intervals.
    """
    value, other = group.value, reference.value
    present = np.count_nonzero((group.bottom != 0) | (reference.bottom != 0), axis=0)
    enough = (group.clusters >= 2) & (reference.clusters >= 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = _without_each(group) - _without_each(reference)
        se = np.sqrt((off**2).sum(axis=0) * (present - 1) / present)
        statistic = np.abs(value - other) / se
    usable = enough & (se > _NOTHING * (np.abs(value) + np.abs(other)))
    samples = resample(group, weights) - resample(reference, weights)
    lower, upper = (np.where(usable, bound, np.nan) for bound in percentile_bounds(samples, level))
    p = np.where(usable, 2 * stdtr(np.maximum(present - 1, 1), -statistic), np.nan)
    return CrossedTest(np.asarray(value - other), np.where(enough, se, np.nan), lower, upper, p)


def _without_each(sums: ClusterSums) -> Floats:
    """Return how far a ratio moves if a cluster is left out, shape (clusters, columns)."""
    return np.asarray(sums.value - ratio(sums.top.sum(axis=0) - sums.top, sums.bottom.sum(axis=0) - sums.bottom))
