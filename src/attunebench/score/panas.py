"""PANAS after the conversation: predicted against reported, totals (10-70) and items (1-7).

Source: AttuneBench, arXiv 2605.21739; the instrument is Watson, Clark & Tellegen 1988. "pa" is positive affect, "na"
negative affect.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, cast

from attunebench.dataset.lean import AnyPanas
from attunebench.dataset.values import clamp
from attunebench.instrument import EMOTION_WORDS, NEGATIVE_ITEMS, POSITIVE_ITEMS
from attunebench.protocol.lean_records import AnyPredictedPanas

TOTAL_RANGE: Final = 60
ITEM_RANGE: Final = 6
MID_TOTAL: Final = 40
"""What the reference profile takes for a total that only one side has."""

NO_ITEMS: Final[Mapping[str, float]] = {}


class Totals(NamedTuple):
    """Total positive and negative affect, none where missing."""

    positive: float | None = None
    negative: float | None = None


def reported_totals(panas: AnyPanas | None) -> Totals:
    """Return a report's totals: as given, else summed from the items that are present."""
    return Totals(panas.positive_affect, panas.negative_affect) if panas else Totals()


def reported_items(panas: AnyPanas | None) -> Mapping[str, float]:
    """Return a report's items by canonical name."""
    return panas.items if panas else NO_ITEMS


def predicted_totals(panas: AnyPredictedPanas | None, *, items_needed: int) -> Totals:
    """Return the predicted totals: as given, else summed from the items, of which at least so many must be present."""
    if panas is None:
        return Totals()
    items = predicted_items(panas)
    return Totals(
        _total(panas.total_positive_affect, items, POSITIVE_ITEMS, items_needed),
        _total(panas.total_negative_affect, items, NEGATIVE_ITEMS, items_needed),
    )


def predicted_items(panas: AnyPredictedPanas | None) -> Mapping[str, float]:
    """Return the predicted items that are numbers, by canonical name."""
    if panas is None or not panas.items:
        return NO_ITEMS
    items = panas.items
    if None not in items.values():
        return cast(Mapping[str, float], items)
    return {name: value for name, value in items.items() if value is not None}


def _total(given: float | None, items: Mapping[str, float], names: tuple[str, ...], items_needed: int) -> float | None:
    if given is not None or not items:
        return given
    present = [items[name] for name in names if name in items]
    return sum(present) if len(present) >= items_needed else None


def error_with_midpoint(post: float | None, predicted: float | None) -> float | None:
    """Return |post - predicted|, one missing side taken as 40 (0 to 60, down is better); none if both are missing."""
    if post is None and predicted is None:
        return None
    return abs((MID_TOTAL if post is None else post) - (MID_TOTAL if predicted is None else predicted))


def nearness(error: float, scale: float) -> float:
    """Return 1 - error/scale, not below 0: 1 is no error."""
    return max(0.0, 1 - error / scale)


@lru_cache(maxsize=4096)  # ratings are few whole numbers
def adjusted(pre: float | None, post: float | None, predicted: float | None, scale: float) -> float | None:
    """Return how much better the prediction is than "nothing changes": -1 to 1, 0 is no better, up is better.

    naive = nearness(|post - pre|), raw = nearness(|post - predicted|); (raw - naive)/(1 - naive), clamped to -1..1.
    None if one of the three is missing, or if post = pre.
    """
    if pre is None or post is None or predicted is None or post == pre:
        return None
    naive, raw = nearness(abs(post - pre), scale), nearness(abs(post - predicted), scale)
    return clamp((raw - naive) / (1 - naive), -1.0, 1.0)


def item_errors(post: Mapping[str, float], predicted: Mapping[str, float]) -> dict[str, float]:
    """Return |post - predicted| (0 to 6, down is better) of each item that both have, in item order."""
    if not post or not predicted:
        return {}
    return {name: abs(post[name] - predicted[name]) for name in EMOTION_WORDS if name in post and name in predicted}


def items_adjusted(pre: Mapping[str, float], post: Mapping[str, float], predicted: Mapping[str, float]) -> list[float]:
    """Return `adjusted` of each item for which it is defined, in item order."""
    if not pre or not post or not predicted:
        return []
    each = (adjusted(pre.get(n), post.get(n), predicted.get(n), ITEM_RANGE) for n in EMOTION_WORDS)
    return [value for value in each if value is not None]
