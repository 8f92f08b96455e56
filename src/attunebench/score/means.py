"""The means that every metric is built from, and the spread of composites."""

from collections.abc import Iterable, Sequence
from math import fsum, sqrt


def mean(values: Sequence[float]) -> float | None:
    """Return the arithmetic mean; none of no values. The order of the values does not matter."""
    return fsum(values) / len(values) if values else None


def mean_of_present(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that exist; none if none does."""
    return mean([value for value in values if value is not None])


def weighted_mean_of_present(parts: Iterable[tuple[float, float | None]]) -> float | None:
    """Return sum(w x)/sum(w) over the pairs (w, x) whose x exists; none if none does."""
    present = [(weight, value) for weight, value in parts if value is not None]
    total = fsum(weight for weight, _ in present)
    return fsum(weight * value for weight, value in present) / total if present else None


def harmonic(precision: float, recall: float) -> float:
    """Return F1 = 2 p r/(p + r); 0 if both are 0."""
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def sample_sd(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation, sqrt(sum (x - mean)^2/(n - 1)); none of fewer than 2 values."""
    centre = mean(values)
    if centre is None or len(values) < 2:
        return None
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))
