"""Rates of pooled counts, which are no means: precision, MCC, one sum of errors over another.

A rate is a function of counts added up over conversations. It is computed again from the counts of each resample
(percentile interval) and of each flip, in which two models exchange whole clusters' counts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attunebench.stats.multiple import adjust_each
from attunebench.stats.pairs import PairTests, pairs_of
from attunebench.stats.resample import LEVEL, percentile_bounds
from attunebench.stats.signflip import EXACT_BELOW, all_flips
from attunebench.stats.sums import Floats, Ints, add_by_cluster

Rates: TypeAlias = Callable[[Floats], Floats]
"""From counts, shape (counts, …), to rates, shape (rates, …); NaN where not defined."""

_BLOCK: Final = 64
"""So many pairs are compared at a time: with 10,000 resamples and 5 rates, 25 MB an array."""
_SAME: Final = 1e-9


@dataclass(frozen=True)
class PooledRates:
    """Rates of pooled counts with percentile intervals, each of shape (models, rates); `n`, `clusters`: (models,)."""

    value: Floats
    lower: Floats
    upper: Floats
    n: Ints
    clusters: Ints


def pooled_rates(counts: Floats, rates: Rates, clusters: Ints, weights: Floats, *, level: float = LEVEL) -> PooledRates:
    """Return each model's rates; arguments as in `compare_pooled`. No interval with fewer than 2 clusters."""
    present = np.asarray(~np.isnan(counts).any(axis=2))
    held = np.array([len(np.unique(clusters[each])) for each in present], dtype=np.int64)
    sums = _sums(np.where(present[:, :, None], counts, 0.0), clusters, weights.shape[1])
    samples = rates(_weighted(weights, sums))
    bounds = percentile_bounds(np.moveaxis(samples, 2, 0), level)
    lower, upper = (np.where(held < 2, np.nan, bound).T for bound in bounds)
    return PooledRates(rates(sums.sum(axis=2)).T, lower, upper, np.count_nonzero(present, axis=1), held)


def compare_pooled(
    counts: Floats, rates: Rates, clusters: Ints, weights: Floats, flips: Floats, *, level: float = LEVEL
) -> PairTests:
    """Compare every two models on rates of pooled counts; see `compare_pairs` for what comes back.

    `se` is the standard deviation over resamples. A flip in which a rate is not defined counts as being as far off as
    observed; a resample in which one is not is left out of the interval.

    Args:
        counts: shape (models, conversations, counts); NaN where a model has no such conversation.
        rates: what is compared.
        clusters: shape (conversations,), from 0.
        weights: shape (resamples, clusters).
        flips: shape (flips, clusters).
        level: of the intervals.
    """
    pairs = pairs_of(len(counts))
    shape = (len(pairs), len(rates(np.zeros(counts.shape[2]))))
    found = {name: np.full(shape, np.nan) for name in ("difference", "se", "lower", "upper", "p")}
    n, held = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for common, places in _by_common(counts, pairs):
        kept = np.bincount(clusters[common], minlength=weights.shape[1]) > 0
        n[places], held[places] = common.sum(), kept.sum()
        sums = _sums(counts[:, common], clusters[common], weights.shape[1])
        for start in range(0, len(places) if common.any() else 0, _BLOCK):
            chosen = places[start : start + _BLOCK]
            for name, values in _compare(sums, rates, pairs[chosen], kept, weights, flips, level):
                found[name][chosen] = values
    p_holm, p_bh = adjust_each(found["p"], "holm"), adjust_each(found["p"], "bh")
    return PairTests(pairs=pairs, **found, p_holm=p_holm, p_bh=p_bh, n=n, clusters=held)


def _by_common(counts: Floats, pairs: Ints) -> Iterator[tuple[NDArray[np.bool], Ints]]:
    """Yield the conversations that both models of some pairs have, and those pairs' places: mostly one for all."""
    present = np.asarray(~np.isnan(counts).any(axis=2))
    both = present[pairs[:, 0]] & present[pairs[:, 1]]
    for pattern in np.unique(both, axis=0):
        yield pattern, np.flatnonzero((both == pattern).all(axis=1))


def _sums(counts: Floats, clusters: Ints, size: int) -> Floats:
    """Return counts added up by cluster: (models, conversations, counts) becomes (counts, models, clusters)."""
    return np.stack([add_by_cluster(np.nan_to_num(each), clusters, size).T for each in counts], axis=1)


def _weighted(weights: Floats, sums: Floats) -> Floats:
    """Return the sums of weighted clusters, shape (counts, models, weights)."""
    return np.asarray((sums.reshape(-1, sums.shape[2]) @ weights.T).reshape(*sums.shape[:2], -1))


def _compare(
    sums: Floats, rates: Rates, pairs: Ints, kept: NDArray[np.bool], weights: Floats, flips: Floats, level: float
) -> Iterator[tuple[str, Floats]]:
    """Yield columns of pairs on the same conversations, each of shape (pairs, rates)."""
    one, other = pairs.T
    total = sums.sum(axis=2)
    value = rates(total)
    observed = value[:, one] - value[:, other]
    yield "difference", observed.T
    if kept.sum() < 2:
        return
    drawn = rates(_weighted(weights, sums))
    samples = np.moveaxis(drawn[:, one] - drawn[:, other], 2, 0)
    lower, upper = percentile_bounds(samples, level)
    yield "lower", lower.T
    yield "upper", upper.T
    yield "se", _deviation(samples).T
    exact = kept.sum() < EXACT_BELOW
    ways = all_flips(int(kept.sum())) if exact else flips[:, kept]
    moved = _weighted(ways, (sums[:, one] - sums[:, other])[:, :, kept])
    both = (total[:, one] + total[:, other])[:, :, None]
    apart = np.abs(rates((both + moved) / 2) - rates((both - moved) / 2))
    least = np.abs(observed) - _SAME * np.maximum(np.abs(observed), 1e-3)
    far = len(ways) - np.count_nonzero(apart < least[:, :, None], axis=2)
    p = far / len(ways) if exact else (far + 1) / (len(ways) + 1)
    yield "p", np.where(np.isnan(observed), np.nan, p).T


def _deviation(samples: Floats) -> Floats:
    """Return sample standard deviations over the first axis, of what is defined; NaN of fewer than 2."""
    defined = ~np.isnan(samples)
    count = defined.sum(axis=0)
    filled = np.where(defined, samples, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    squares = (filled**2).sum(axis=0) - count * mean**2
    return np.where(count > 1, np.sqrt(np.maximum(squares, 0) / np.maximum(count - 1, 1)), np.nan)
