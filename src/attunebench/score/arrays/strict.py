"""The strict scores of many conversations at once; see `attunebench.score.strict` for the formulas."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

from attunebench.dataset.lean import AnyConversation
from attunebench.protocol.lean_records import AnyRecord
from attunebench.score.arrays.behaviour import Confusions
from attunebench.score.arrays.composite import Parts, compose, panas_score
from attunebench.score.arrays.means import Numbers, ratio
from attunebench.score.arrays.turns import Sums, TurnSums, add_turns
from attunebench.score.calls import Calls
from attunebench.score.columns import StrictColumns
from attunebench.score.items import Items
from attunebench.score.pairing import TurnPair
from attunebench.score.strict import OBSERVED, PREFERRED, SOURCES, strict_others
from attunebench.score.strict_turn import KINDS, new_items, rate_name

_PERSPECTIVE = "avg_binary_human_accuracy_hp"
_MCC, _PERSPECTIVE_MCC = (rate_name("human", "mcc", ending) for ending in ("", "_hp"))


class Measured(NamedTuple):
    """What the strict scores of one conversation of one run are made of."""

    turns: Sequence[TurnPair]
    calls: Calls
    others: dict[str, Items]


def measure(conversation: AnyConversation, record: AnyRecord, turns: Sequence[TurnPair]) -> Measured:
    """Return what the strict scores are made of, given the paired turns."""
    calls = Calls(record)
    return Measured(turns, calls, strict_others(conversation, record, turns, calls))


def strict_columns_of(measured: Sequence[Measured]) -> list[StrictColumns]:
    """Return the strict scores of conversations, in order."""
    found: dict[int, StrictColumns] = {}
    places: dict[tuple[str, ...], list[int]] = {}
    for place, one in enumerate(measured):
        places.setdefault(tuple(one.others), []).append(place)
    for alike in places.values():
        scores = _score([measured[place] for place in alike])
        numbers = np.stack(scores.fields, axis=1)
        found |= {place: StrictColumns(scores.names, row) for place, row in zip(alike, numbers, strict=True)}
    return [found[place] for place in range(len(measured))]


class _Fields(NamedTuple):
    """The fields of `StrictValue`, each of shape (conversations, metrics)."""

    value: Numbers
    n: Numbers
    n_failed: Numbers
    lower: Numbers
    upper: Numbers


class _Scores(NamedTuple):
    """Strict scores, and what they are called."""

    names: tuple[str, ...]
    fields: _Fields

    def __or__(self, other: "_Scores") -> "_Scores":
        joined = (np.concatenate(pair, axis=1) for pair in zip(self.fields, other.fields, strict=True))
        return _Scores(self.names + other.names, _Fields(*joined))

    def of(self, *names: str) -> _Fields:
        """Return the scores of these names."""
        places = [self.names.index(name) for name in names]
        return _Fields(*(field[:, places] for field in self.fields))


def _score(measured: Sequence[Measured]) -> _Scores:
    """Score conversations that all have the same metrics."""
    turns = add_turns([(one.turns, one.calls) for one in measured])
    items = {f"avg_{name}": found for name, found in new_items().items()}
    others = [list(one.others.values()) for one in measured]
    scores = _score_sums(items, turns.items) | _score_rates(turns)
    scores |= _score_sums(measured[0].others, _add_items(others))
    return scores | _perspective(scores) | _composites(scores)


def _add_items(items: Sequence[Sequence[Items]]) -> Sums:
    sums = [[(fsum(one.values), len(one.values), one.lost, one.left_out) for one in each] for each in items]
    return Sums(*np.moveaxis(np.array(sums, dtype=np.float64), -1, 0))


def _score_sums(items: Mapping[str, Items], sums: Sums) -> _Scores:
    """Score items that were added up, `items` being examples of them; see `Items.result`."""
    low, high, worst = np.array([(one.low, one.high, one.worst) for one in items.values()]).T
    n, failed = sums.answered + sums.lost, sums.lost + sums.left_out
    value = ratio(sums.total + sums.lost * worst, n)
    lower, upper = (
        np.where(failed == 0, value, ratio(sums.total + failed * end, n + sums.left_out)) for end in (low, high)
    )
    return _Scores(tuple(items), _Fields(value, n, failed, lower, upper))


def _score_rates(turns: TurnSums) -> _Scores:
    """Score answers to yes/no questions; see `strict_turn.pooled_rates`."""
    counted, lost = turns.counted, turns.lost
    actual = Confusions(*(one + other for one, other in zip(counted, lost, strict=True)))
    right = Confusions(counted.tp + lost.fn, counted.tn + lost.fp, counted.fp, counted.fn)
    value, best = (np.stack(list(found.rates().values()), axis=-1) for found in (actual, right))
    undefined = np.isnan(value)
    n, n_failed = (np.broadcast_to(found.total[..., np.newaxis], value.shape) for found in (actual, lost))
    upper = np.where(undefined, np.nan, np.where(np.isnan(best), 1.0, best))
    fields = (value, np.where(undefined, 0.0, n), n_failed, value, upper)
    names = [rate_name(what, rate, ending) for what, ending, _ in KINDS for rate in actual.rates()]
    return _Scores(tuple(names), _Fields(*(field.reshape(len(value), -1) for field in fields)))


def _derived(names: Sequence[str], ends: Sequence[Numbers], sources: Sequence[_Fields]) -> _Scores:
    """Return metrics computed from others: values, lower and upper bounds, each of shape (metrics, conversations)."""
    value, lower, upper = (end.T for end in ends)
    n, n_failed = (
        np.stack([getattr(source, name).sum(axis=1) for source in sources], axis=1) for name in ("n", "n_failed")
    )
    return _Scores(tuple(names), _Fields(value, np.where(np.isnan(value), 0.0, n), n_failed, lower, upper))


def _perspective(scores: _Scores) -> _Scores:
    reviews, perspectives = scores.of(PREFERRED, _MCC), scores.of(_PERSPECTIVE, _PERSPECTIVE_MCC)
    corners = np.stack(
        [
            _ratio(above, below)
            for above in (perspectives.lower, perspectives.upper)
            for below in (reviews.lower, reviews.upper)
        ]
    )
    gaps = (
        reviews.value - perspectives.value,
        reviews.lower - perspectives.upper,
        reviews.upper - perspectives.lower,
    )
    alignments = _ratio(perspectives.value, reviews.value), corners.min(axis=0), corners.max(axis=0)
    names = [f"hp_perspective_{what}{ending}" for ending in ("", "_mcc") for what in ("gap", "alignment")]
    ends = [
        np.stack([gap.T, alignment.T], axis=1).reshape(len(names), -1)
        for gap, alignment in zip(gaps, alignments, strict=True)
    ]
    pairs = [scores.of(PREFERRED, _PERSPECTIVE), scores.of(_MCC, _PERSPECTIVE_MCC)]
    return _derived(names, ends, [pair for pair in pairs for _ in ("gap", "alignment")])


def _ratio(above: Numbers, below: Numbers) -> Numbers:
    return ratio(above, np.where(below > 0, below, 0.0))


def _composites(scores: _Scores) -> _Scores:
    composed = compose(_parts(scores))
    ends = np.stack([composed[name] for name in SOURCES], axis=1)
    return _derived(list(SOURCES), list(ends), [scores.of(*sources) for sources in SOURCES.values()])


def _parts(scores: _Scores) -> Parts:
    """Return what composites are made of, of shape (value and bounds, conversations)."""
    fields = scores.fields
    ends = np.stack([fields.value, fields.lower, fields.upper])
    part = {name: ends[:, :, place] for place, name in enumerate(scores.names)}
    return Parts(
        emotion_f1=part["avg_emotion_f1"],
        emotion_va=part["avg_emotion_va_score"],
        observed=part[OBSERVED],
        preferred=part[PREFERRED],
        pairwise=part["avg_pairwise_accuracy"],
        panas=panas_score(part["panas_baseline_adjusted"]),
        looking_for=part["q1_looking_for_score"],
        clarity=part["q2_emotion_clarity_match"],
        fit=part["q3_model_fit_match"],
        follow_up=part["q3_follow_up_score"],
        branches=part["four_branch_normalized"],
    )
