"""Means along arrays, as in `attunebench.score.means`: NaN is left out, and the mean of nothing is NaN."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Draws: TypeAlias = NDArray[np.float64]
"""Values of draws, the last axis; by turn, of shape (turns, draws)."""


def ratio(above: Draws, below: Draws, otherwise: float = np.nan) -> Draws:
    """Return above/below, and `otherwise` where below is 0."""
    zero = below == 0
    found: Draws = np.where(zero, otherwise, above / np.where(zero, 1.0, below))
    return found


def mean_present(values: Draws, axis: int) -> Draws:
    """Return the mean along an axis of the values that are defined."""
    undefined = np.isnan(values)
    n = values.shape[axis] - undefined.sum(axis=axis).astype(np.float64)
    return ratio(np.where(undefined, 0.0, values).sum(axis=axis), n)


def mean_over_turns(by_turn: Mapping[str, Draws]) -> dict[str, Draws]:
    """Return the mean over turns of several metrics, under names that begin with `avg_`."""
    if not by_turn:
        return {}
    means = mean_present(np.stack(list(by_turn.values())), axis=-2)
    return {f"avg_{name}": values for name, values in zip(by_turn, means, strict=True)}


def exact_sum(parts: Sequence[Draws]) -> Draws:
    """Return the sum of parts, rounded once, as `math.fsum` does: what each addition loses is added at the end.

    The composite is rounded to 2 decimals: one last bit can decide between two of them. Knuth's TwoSum.
    """
    total = parts[0]
    lost: Draws | None = None
    for part in parts[1:]:
        added = total + part
        of_part = added - total
        error = (total - (added - of_part)) + (part - of_part)
        total, lost = added, error if lost is None else lost + error
    return total if lost is None else total + lost


def exact_mean(values: Draws) -> Draws:
    """Return the mean over turns of defined values, by `exact_sum`; there must be a turn."""
    turns = values.shape[-2]
    total: Draws = exact_sum([values[..., turn, :] for turn in range(turns)]) / turns
    return total
