"""What can be said of ranks: the range that tests leave open, and how often each model comes first in resamples."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attunebench.stats.sums import Floats, Ints


def rank_ranges(wins: NDArray[np.bool]) -> tuple[Ints, Ints]:
    """Return the best and the worst rank, from 1, that the distinguished pairs leave to each model, shape (models,).

    A model ranks below only those distinguished above it and above only those distinguished below it: 1 + how many are
    above, models - how many are below. Were the tests' family-wise error .05, all ranges hold at once at 95 % (Al
    Mohamad et al., Simultaneous Confidence Intervals for Ranks with Application to Ranking Institutions, 2022).

    Args:
        wins: shape (models, models); whether the row's model is distinguished above the column's.
    """
    return 1 + wins.sum(axis=0), len(wins) - wins.sum(axis=1)


def first_shares(samples: Floats, direction: Literal["up", "down"]) -> Floats:
    """Return the share of resamples in which each model comes first, shape (models,), adding up to 1.

    Those that tie for the first place share it. A model that is not defined in a resample does not come first there;
    resamples in which none is are left out, and without any other the shares are NaN.

    Args:
        samples: shape (resamples, models).
        direction: whether more is better (`"up"`) or less.
    """
    signed = samples if direction == "up" else -samples
    defined = signed[~np.isnan(signed).all(axis=1)]
    if not len(defined):
        return np.full(samples.shape[1], np.nan)
    first = defined == np.nanmax(defined, axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))
