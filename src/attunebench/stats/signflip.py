"""The sign-flip test by cluster: were two models alike, swapping their labels in any cluster would change nothing.

Sources: Fisher, The Design of Experiments (1935), section 21; Phipson and Smyth, Permutation P-values Should Never Be
Zero (2010), for (b + 1)/(m + 1).
"""

import math
from typing import Final

import numpy as np

from attunebench.stats.multiple import ALPHA
from attunebench.stats.sums import Floats, Ints

FLIPS: Final = 10_000
EXACT_BELOW: Final = 14
"""With fewer clusters, all ways to flip are tried: at most 8,192."""

_BLOCK: Final = 256
_SAME: Final = 1e-9
"""Statistics that differ by a smaller part are the same, and differ by rounding."""


def flips_for(pairs: int, *, least: int = FLIPS) -> int:
    """Return how many flips a family of so many pairs needs, at least `least`.

    With m flips no p is below 1/(m + 1), and the smallest p must be below alpha/pairs for Holm; twice as many as that.
    """
    return max(least, math.ceil(2 * pairs / ALPHA))


def draw_flips(clusters: int, flips: int, rng: np.random.Generator) -> Floats:
    """Return signs, 1 or -1, shape (flips, clusters)."""
    return _signs(rng.integers(2, size=(flips, clusters)))


def all_flips(clusters: int) -> Floats:
    """Return every way to give signs to clusters, shape (2**clusters, clusters)."""
    return _signs(np.arange(2**clusters)[:, None] >> np.arange(clusters) & 1)


def _signs(bits: Ints) -> Floats:
    return 2 * bits.astype(np.float64) - 1


def sign_flip_p(sums: Floats, flips: Floats) -> Floats:
    """Return two-sided p-values of differences being 0, shape (columns,).

    The statistic is the sum of differences, which has the same p as their mean. p = (b + 1)/(m + 1), where in b of m
    flips it is at least as far from 0 as observed; with fewer than 14 clusters that differ from none, all flips are
    tried and p is exact. Assumes that clusters are independent, and under the null hypothesis that labels are
    exchangeable within each. Not defined (NaN) with fewer than 2 clusters.

    Args:
        sums: differences of two models, summed by cluster: shape (clusters, columns); NaN where a cluster has none.
        flips: shape (flips, clusters), from `draw_flips`; columns share them.
    """
    present = ~np.isnan(sums)
    counts = present.sum(axis=0)
    differences = np.where(present, sums, 0.0)
    p = np.full(sums.shape[1], np.nan)
    many = np.flatnonzero(counts >= EXACT_BELOW)
    for start in range(0, len(many), _BLOCK):
        chosen = many[start : start + _BLOCK]
        p[chosen] = (_as_far(differences[:, chosen], flips) + 1) / (len(flips) + 1)
    few = (counts >= 2) & (counts < EXACT_BELOW)
    for pattern in np.unique(present[:, few], axis=1).T:
        chosen = np.flatnonzero(few & (present == pattern[:, None]).all(axis=0))
        ways = all_flips(int(pattern.sum()))
        p[chosen] = _as_far(differences[np.ix_(pattern, chosen)], ways) / len(ways)
    return p


def _as_far(differences: Floats, flips: Floats) -> Ints:
    """Return in how many flips the sum is at least as far from 0 as observed."""
    observed = np.abs(differences.sum(axis=0))
    scale = np.abs(differences).sum(axis=0)
    flipped = flips @ differences
    as_far = np.abs(flipped, out=flipped) >= observed - _SAME * scale
    return np.asarray(np.count_nonzero(as_far, axis=0), dtype=np.int64)
