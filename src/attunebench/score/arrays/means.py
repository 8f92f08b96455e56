"""Means along arrays, as in `attunebench.score.means`: NaN is left out, and the mean of nothing is NaN."""

from collections.abc import Sequence
from math import fsum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]


def ratio(above: Numbers, below: Numbers, otherwise: float = np.nan) -> Numbers:
    """Return above/below, and `otherwise` where below is 0."""
    zero = below == 0
    found: Numbers = np.where(zero, otherwise, above / np.where(zero, 1.0, below))
    return found


def mean_present(values: Numbers, axis: int) -> Numbers:
    """Return the mean along an axis of the values that are defined; not rounded as `mean_of_present` is."""
    undefined = np.isnan(values)
    n = values.shape[axis] - undefined.sum(axis=axis).astype(np.float64)
    return ratio(np.where(undefined, 0.0, values).sum(axis=axis), n)


def mean_of_present(*parts: Numbers) -> Numbers:
    """Return, place by place, the mean of the parts that are defined there."""
    return weighted_mean_of_present(*((1.0, part) for part in parts))


def weighted_mean_of_present(*parts: tuple[float, Numbers]) -> Numbers:
    """Return, place by place, sum(w x)/sum(w) over the parts (w, x) that are defined there."""
    undefined = [np.isnan(part) for _, part in parts]
    total = exact_sum([np.where(no, 0.0, w * part) for no, (w, part) in zip(undefined, parts, strict=True)])
    return ratio(total, exact_sum([np.where(no, 0.0, w) for no, (w, _) in zip(undefined, parts, strict=True)]))


def exact_sum(parts: Sequence[Numbers]) -> Numbers:
    """Return, place by place, the sum of parts, rounded once, as `math.fsum` does.

    What each addition loses is added at the end (Knuth's TwoSum); where that loses too, `fsum` is asked.
    One last bit counts: it can decide between two composites of 2 decimals.
    """
    total = parts[0]
    lost = np.zeros_like(total)
    inexact = np.zeros_like(total, dtype=bool)
    for part in parts[1:]:
        total, error = _two_sum(total, part)
        if len(parts) > 2:
            lost, rest = _two_sum(lost, error)
            inexact |= rest != 0
    total = total + lost
    if inexact.any():
        total[inexact] = [fsum(column) for column in np.stack(parts)[:, inexact].T.tolist()]
    return total


def _two_sum(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """Return the rounded sum, and what the rounding lost, exactly."""
    total = one + other
    of_other = total - one
    return total, (one - (total - of_other)) + (other - of_other)
