"""PANAS of all draws; see `attunebench.score.panas` for the formulas."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attunebench.baselines.draws import Whole
from attunebench.dataset.schema import Panas
from attunebench.instrument import EMOTION_WORDS, NEGATIVE_ITEMS, POSITIVE_ITEMS
from attunebench.protocol.assemble import UNKNOWN_TOTAL
from attunebench.protocol.calls import Strategy
from attunebench.score import panas
from attunebench.score.arrays.means import Numbers, mean_present, ratio
from attunebench.score.panas import ITEM_RANGE, MID_TOTAL, TOTAL_RANGE

Values = dict[str, Numbers | None]
"""By name, shape (draws,); NaN where not defined, none where not defined in any draw."""

_POSITIVE, _NEGATIVE = ([EMOTION_WORDS.index(word) for word in names] for names in (POSITIVE_ITEMS, NEGATIVE_ITEMS))


@dataclass(frozen=True)
class Guesses:
    """Predicted totals and items after the conversation; items of shape (20, draws), NaN where not predicted."""

    totals: tuple[Numbers, Numbers]
    items: Numbers


@dataclass(frozen=True)
class Report:
    """A participant's report: totals, and items of shape (20, 1), NaN where missing."""

    totals: panas.Totals
    items: Numbers

    @classmethod
    def of(cls, report: Panas | None) -> "Report":
        """Return a report in this form."""
        items = panas.reported_items(report)
        values = [[items.get(word, np.nan)] for word in EMOTION_WORDS]
        return cls(panas.reported_totals(report), np.array(values, dtype=np.float64))


def guesses(drawn: Whole, before: Report, strategy: Strategy) -> Guesses:
    """Turn drawn items, or changes, shape (draws, 20), into a prediction.

    The rules are those of `attunebench.protocol.assemble.predicted_panas`.
    """
    changes = drawn.T.astype(np.float64)
    items = changes if strategy == "absolute" else np.clip(before.items + changes, 1, 7)

    def total(places: list[int], total_before: float | None) -> Numbers:
        summed: Numbers = items[places].sum(axis=0)
        start = UNKNOWN_TOTAL if total_before is None else total_before
        return summed if not np.isnan(summed[0]) else np.clip(start + changes[places].sum(axis=0), 10, 70)

    positive, negative = before.totals
    return Guesses((total(_POSITIVE, positive), total(_NEGATIVE, negative)), items)


def nearness(error: Numbers, scale: float) -> Numbers:
    """Return 1 - error/scale, not below 0."""
    return np.maximum(0.0, 1 - error / scale)


def adjusted(pre: float | None, post: float | None, predicted: Numbers) -> Numbers | None:
    """Return how much better than "nothing changes" each draw's total is."""
    if pre is None or post is None or post == pre:
        return None
    naive = panas.nearness(abs(post - pre), TOTAL_RANGE)
    return np.clip((nearness(np.abs(post - predicted), TOTAL_RANGE) - naive) / (1 - naive), -1.0, 1.0)


def items_adjusted(before: Report, after: Report, guess: Guesses) -> Numbers:
    """Return the mean of the same over items, NaN where it is defined for none."""
    naive = nearness(np.abs(after.items - before.items), ITEM_RANGE)
    gains = nearness(np.abs(after.items - guess.items), ITEM_RANGE) - naive
    return mean_present(np.clip(ratio(gains, 1 - naive), -1.0, 1.0), axis=0)


def mean_of_present(values: Sequence[Numbers | None]) -> Numbers | None:
    """Return the mean of the values that exist, draw by draw; none if none does."""
    present = [value for value in values if value is not None]
    return np.sum(present, axis=0) / len(present) if present else None


def reference_panas(before: Report, after: Report, guess: Guesses) -> Values:
    """Return the reference scores, with `panas_item_errors.<item>`."""
    pairs = list(zip(before.totals, after.totals, guess.totals, strict=True))
    errors = [np.abs((MID_TOTAL if told is None else told) - guessed) for _, told, guessed in pairs]
    gains = [adjusted(*pair) for pair in pairs]
    mae = (errors[0] + errors[1]) / 2
    gaps = np.abs(after.items - guess.items)
    item_mae = mean_present(gaps, axis=0)
    return {
        "panas_mae": mae,
        "panas_normalized": nearness(mae, TOTAL_RANGE),
        "panas_pa_mae": errors[0],
        "panas_na_mae": errors[1],
        "panas_pa_normalized": nearness(errors[0], TOTAL_RANGE),
        "panas_na_normalized": nearness(errors[1], TOTAL_RANGE),
        "panas_pa_baseline_adjusted": gains[0],
        "panas_na_baseline_adjusted": gains[1],
        "panas_baseline_adjusted": mean_of_present(gains),
        "panas_item_mae": item_mae,
        "panas_item_normalized": 1 - item_mae / ITEM_RANGE,
        "panas_item_baseline_adjusted": items_adjusted(before, after, guess),
        **{f"panas_item_errors.{w}": gap for w, gap in zip(EMOTION_WORDS, gaps, strict=True) if not np.isnan(gap[0])},
    }


def strict_panas(before: Report, after: Report, guess: Guesses) -> Values:
    """Return the strict scores; an item that was not predicted has the worst error, and no gain."""
    pairs = list(zip(before.totals, after.totals, guess.totals, strict=True))
    errors = [None if told is None else np.abs(told - guessed) for _, told, guessed in pairs]
    near = [None if error is None else nearness(error, TOTAL_RANGE) for error in errors]
    gains = [adjusted(*pair) for pair in pairs]
    changes = [
        None if pre is None or post is None else np.full(len(guessed), float(abs(post - pre)))
        for pre, post, guessed in pairs
    ]
    gaps = np.abs(after.items - np.nan_to_num(guess.items, nan=np.inf))
    item_mae = mean_present(np.minimum(gaps, ITEM_RANGE), axis=0)
    return {
        "panas_mae": mean_of_present(errors),
        "panas_normalized": mean_of_present(near),
        "panas_baseline_adjusted": mean_of_present(gains),
        "panas_pa_mae": errors[0],
        "panas_na_mae": errors[1],
        "panas_pa_normalized": near[0],
        "panas_na_normalized": near[1],
        "panas_pa_baseline_adjusted": gains[0],
        "panas_na_baseline_adjusted": gains[1],
        "panas_error": mean_of_present([e for e, change in zip(errors, changes, strict=True) if change is not None]),
        "panas_change": mean_of_present(changes),
        "panas_item_mae": item_mae,
        "panas_item_normalized": 1 - item_mae / ITEM_RANGE,
        "panas_item_baseline_adjusted": items_adjusted(before, after, guess),
    }
