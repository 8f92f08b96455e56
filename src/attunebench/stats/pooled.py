"""Pairs of models on rates of pooled counts, which are no means: precision, MCC, one sum of errors over another.

A rate is a function of counts added up over conversations. It is computed again from the counts of each resample
(percentile interval) and of each flip, in which two models exchange whole clusters' counts.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attunebench.stats.multiple import adjust_each
from attunebench.stats.pairs import PairTests, pairs_of
from attunebench.stats.resample import LEVEL, percentile_bounds
from attunebench.stats.signflip import EXACT_BELOW, all_flips
from attunebench.stats.sums import Floats, Ints, add_by_cluster

Rates: TypeAlias = Callable[[Floats], Floats]
"""From counts, shape (…, counts), to rates, shape (…, rates); NaN where not defined."""

_SAME = 1e-9


def compare_pooled(
    counts: Floats, rates: Rates, clusters: Ints, weights: Floats, flips: Floats, *, level: float = LEVEL
) -> PairTests:
    """Compare every two models on rates of pooled counts; see `compare_pairs` for what comes back.

    `se` is the standard deviation over resamples. A flip or resample in which a rate is not defined counts as being as
    far off as observed, or is left out of the interval.

    Args:
        counts: shape (models, conversations, counts); NaN where a model has no such conversation.
        rates: what is compared.
        clusters: shape (conversations,), from 0.
        weights: shape (resamples, clusters).
        flips: shape (flips, clusters).
        level: of the intervals.
    """
    pairs = pairs_of(len(counts))
    found = [_compare(counts[a], counts[b], rates, clusters, weights, flips, level) for a, b in pairs]
    width = rates(np.zeros(counts.shape[2])).shape[0]
    difference, se, lower, upper, p, n, used = (
        np.array([each[place] for each in found]).reshape(-1, width) for place in range(7)
    )
    return PairTests(
        pairs=pairs,
        difference=difference,
        se=se,
        lower=lower,
        upper=upper,
        p=p,
        p_holm=adjust_each(p, "holm"),
        p_bh=adjust_each(p, "bh"),
        n=n.astype(np.int64),
        clusters=used.astype(np.int64),
    )


def _compare(
    one: Floats, other: Floats, rates: Rates, clusters: Ints, weights: Floats, flips: Floats, level: float
) -> tuple[Floats, ...]:
    common = np.asarray(~np.isnan(one + other).any(axis=1))
    present = np.bincount(clusters[common], minlength=weights.shape[1]) > 0
    a, b = (_by_cluster(each, common, clusters, weights.shape[1]) for each in (one, other))
    difference = rates(a.sum(axis=0)) - rates(b.sum(axis=0))
    nothing = np.full_like(difference, np.nan)
    n, used = np.full_like(difference, common.sum()), np.full_like(difference, present.sum())
    if present.sum() < 2:
        return difference, nothing, nothing, nothing, nothing, n, used
    samples = rates(weights @ a) - rates(weights @ b)
    lower, upper = percentile_bounds(samples, level)
    exact = present.sum() < EXACT_BELOW
    ways = all_flips(int(present.sum())) if exact else flips[:, present]
    far = _as_far(a[present], b[present], rates, ways, difference)
    p = far / len(ways) if exact else (far + 1) / (len(ways) + 1)
    return difference, _deviation(samples), lower, upper, np.where(np.isnan(difference), np.nan, p), n, used


def _by_cluster(counts: Floats, common: NDArray[np.bool], clusters: Ints, size: int) -> Floats:
    sums = np.zeros((size, counts.shape[1]))
    found = add_by_cluster(np.where(common[:, None], counts, 0.0), clusters)
    sums[: len(found)] = found
    return sums


def _as_far(a: Floats, b: Floats, rates: Rates, ways: Floats, observed: Floats) -> Floats:
    """Return in how many flips the rates differ at least as much as observed."""
    total, moved = (a + b).sum(axis=0), ways @ (a - b)
    flipped = np.abs(rates((total + moved) / 2) - rates((total - moved) / 2))
    nearer = flipped < np.abs(observed) - _SAME * np.maximum(np.abs(observed), 1e-3)
    return np.asarray(len(ways) - np.count_nonzero(nearer, axis=0), dtype=np.float64)


def _deviation(samples: Floats) -> Floats:
    defined = ~np.isnan(samples)
    count = defined.sum(axis=0)
    mean = np.where(defined, samples, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(defined, (samples - mean) ** 2, 0.0).sum(axis=0)
    return np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
