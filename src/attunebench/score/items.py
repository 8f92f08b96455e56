"""What a strict metric was measured on: its items, and those lost to failed calls."""

from collections.abc import Iterable, Sequence
from math import fsum
from typing import TypedDict


class StrictValue(TypedDict):
    """One strict metric.

    `value` is none where nothing was measured (`n` 0). `n` counts the items in it, `n_failed` those lost to failed
    calls. `lower` <= `value` <= `upper` bound what `value` could have been, had those calls been answered: all at
    the one or all at the other end of the metric's range.
    """

    value: float | None
    n: int
    n_failed: int
    lower: float | None
    upper: float | None


class Items:
    """The items of one metric, which is their mean.

    `low` and `high` are the ends of the metric's range, `worst` the one that a wrong answer gets.
    """

    __slots__ = ("high", "left_out", "lost", "low", "values", "worst")

    def __init__(self, low: float = 0.0, high: float = 1.0, *, worst: float = 0.0) -> None:
        self.low, self.high, self.worst = low, high, worst
        self.values: list[float] = []
        self.lost = 0
        self.left_out = 0

    def add(self, values: Iterable[float | None]) -> None:
        """Add items that were answered; one for which the metric is undefined is left out."""
        self.values += [value for value in values if value is not None]

    def miss(self, count: int = 1, *, failed: bool) -> None:
        """Add items that the model did not answer, because its call failed or though it did not: wrong."""
        if failed:
            self.lost += count
        else:
            self.values += [self.worst] * count

    def add_or_miss(self, value: float | None, *, failed: bool) -> None:
        """Add an item whose value is none where the model did not answer."""
        if value is None:
            self.miss(failed=failed)
        else:
            self.values.append(value)

    def leave_out(self) -> None:
        """Count an item whose call failed, and that has no wrong answer or is not the model's failure."""
        self.left_out += 1

    def result(self) -> StrictValue:
        """Return the mean with its counts and bounds."""
        total, lost, failed = fsum(self.values), self.lost, self.lost + self.left_out
        n = len(self.values) + lost
        if not failed:
            value = total / n if n else None
            return {"value": value, "n": n, "n_failed": 0, "lower": value, "upper": value}
        possible = n + self.left_out
        return {
            "value": (total + lost * self.worst) / n if n else None,
            "n": n,
            "n_failed": failed,
            "lower": (total + failed * self.low) / possible,
            "upper": (total + failed * self.high) / possible,
        }


def derived(
    value: float | None, lower: float | None, upper: float | None, sources: Sequence[StrictValue]
) -> StrictValue:
    """Return a metric computed from others, with the items of all of them."""
    return {
        "value": value,
        "n": 0 if value is None else sum([source["n"] for source in sources]),
        "n_failed": sum([source["n_failed"] for source in sources]),
        "lower": lower,
        "upper": upper,
    }
