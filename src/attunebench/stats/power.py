"""How small a difference can be found, and how many clusters a given one needs, from the variance observed.

The test is taken to be the paired t-test on clusters, which the sign-flip test equals in large samples: with k clusters
and a true difference d, the statistic is noncentral t with k - 1 degrees of freedom and noncentrality d/se(k), where
se(k) is the observed cluster-robust standard error times the root of observed over k clusters. Assumes that further
clusters vary as those observed and hold as many conversations. A sign-flip test of k clusters has no p below 2/2**k:
below that level nothing can be found, and a detectable difference is not defined.

Source: Cohen, Statistical Power Analysis for the Behavioral Sciences (1988), chapter 2, with the exact noncentral t,
not its normal approximation.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtr, stdtrit

from attunebench.stats.multiple import ALPHA
from attunebench.stats.sums import Floats, Ints

POWER: Final = 0.8

_MOST: Final = 2.0**40
"""More clusters than that are not a number to plan with."""
_STEPS: Final = 60
_FAR: Final = 1e3


@dataclass(frozen=True)
class Needed:
    """How many are needed, whole numbers; NaN where not defined, or beyond 1e12 clusters."""

    clusters: Floats
    conversations: Floats


def corrected(pairs: int, alpha: float = ALPHA) -> float:
    """Return the level at which one of `pairs` tests is certain to pass Holm's correction: Bonferroni's."""
    return alpha / pairs


def power_of(difference: Floats, se: Floats, clusters: Ints, *, at: Floats | Ints, alpha: float = ALPHA) -> Floats:
    """Return the chance (0 to 1) that a two-sided test finds a true difference with `at` clusters.

    All arrays of one shape, or such as broadcast: `difference`, the true one; `se`, the standard error observed with
    `clusters`. NaN with fewer than 2 clusters, observed or planned, or without variation.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = _spread(se, clusters)
        noncentrality = np.abs(difference) / spread * np.sqrt(at)
        return np.where(np.less(at, 2), np.nan, _power(noncentrality, np.asarray(at, dtype=np.float64), alpha))


def smallest_detectable(se: Floats, clusters: Ints, *, alpha: float = ALPHA, power: float = POWER) -> Floats:
    """Return the smallest true difference that is found with `power` with the clusters at hand, in units of `se`'s.

    Arrays of one shape. NaN with fewer than 2 clusters, without variation, or where no p can be below `alpha`.
    """
    k = np.asarray(clusters, dtype=np.float64)
    low, high = np.zeros(k.shape), np.full(k.shape, _FAR)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = _power(middle, k, alpha) >= power
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    reachable = ~np.isnan(_spread(se, clusters)) & _can_reject(k, alpha)
    return np.where(reachable, high * se, np.nan)


def clusters_needed(
    difference: Floats, se: Floats, clusters: Ints, conversations: Ints, *, alpha: float = ALPHA, power: float = POWER
) -> Needed:
    """Return how many clusters, and so conversations, find a true difference with `power`.

    Arrays of one shape: `se` was observed with `clusters` that hold `conversations`. NaN where `difference` is 0, or
    `se` is 0 or not defined.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.abs(difference) / _spread(se, clusters)
    low, high = np.ones(size.shape), np.full(size.shape, _MOST)
    for _ in range(_STEPS):
        middle = np.ceil((low + high) / 2)
        enough = (_power(size * np.sqrt(middle), middle, alpha) >= power) & _can_reject(middle, alpha)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    found = np.where((size > 0) & (high < _MOST), high, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Needed(found, np.ceil(found * conversations / clusters))


def _spread(se: Floats, clusters: Ints) -> Floats:
    """Return the standard deviation of a cluster's share in the difference; NaN where it cannot be known."""
    return np.where((clusters >= 2) & (se > 0), se * np.sqrt(clusters), np.nan)


def _power(noncentrality: Floats, clusters: Floats, alpha: float) -> Floats:
    """Return the chance that |t| is beyond its critical value."""
    df = np.maximum(clusters - 1, 1)
    critical = stdtrit(df, 1 - alpha / 2)
    between = nctdtr(df, noncentrality, critical) - nctdtr(df, noncentrality, -critical)
    tiny = np.isnan(between)  # the function's own failure, seen below 1e-12 only
    return np.where(np.isnan(noncentrality), np.nan, 1 - np.where(tiny, 0.0, between))


def _can_reject(clusters: Floats, alpha: float) -> NDArray[np.bool]:
    """Whether so many clusters can have a sign-flip p below the level."""
    return np.asarray(2.0 ** (1 - clusters) < alpha)
