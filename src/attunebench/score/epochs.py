"""What a row is made of: a tally for each epoch, and how they are brought together.

An epoch is one reading of conversations by a model; several of them tell how much of a figure is chance. Each epoch is
added up apart, and a figure of the row is the mean over epochs, however many conversations each of them covers. With
the same conversations in all of them, that is the mean over all records too. Means and variances of the epochs' figures
are computed exactly and rounded once: the order in which epochs come does not matter.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Any, Final

from attunebench.score.columns import Columns, counts_type
from attunebench.score.items import StrictValue
from attunebench.score.means import mean, sample_sd
from attunebench.score.tally import Tally

VARIANCE: Final = "between_epoch_variance"
VARYING: Final = ("composite_score", "emotion_tracking", "evaluation_quality", "holistic_comprehension")
"""The figures whose variance between epochs is told, in the squares of their units."""


class Epochs:
    """The conversations of one model, mode, strategy and condition, by epoch."""

    def __init__(self) -> None:
        self._tallies: dict[int, Tally] = {}

    def add(self, scored: Mapping[str, Any], columns: Columns, composite: float) -> None:
        """Add a scored conversation to its epoch, the first if it does not say."""
        self._tallies.setdefault(scored.get("epoch", 1), Tally()).add(scored, columns, composite)

    def join(self, others: "Epochs") -> None:
        """Add other conversations, each to its epoch."""
        for epoch, tally in others._tallies.items():
            self._tallies.setdefault(epoch, Tally()).join(tally)

    def pack(self) -> None:
        """Hold what waits in as few bytes as can be; before it is sent elsewhere."""
        for tally in self._tallies.values():
            tally.pack()

    def __len__(self) -> int:
        """Return how many epochs there are."""
        return len(self._tallies)

    @property
    def _ordered(self) -> list[Tally]:
        return [self._tallies[epoch] for epoch in sorted(self._tallies)]

    @property
    def calls(self) -> dict[str, Counter[str]]:
        """How many calls of each kind ended in each state, in all epochs."""
        calls: dict[str, Counter[str]] = {}
        for tally in self._ordered:
            for kind, states in tally.calls.items():
                calls.setdefault(kind, Counter()).update(states)
        return calls

    @property
    def conversation_ids(self) -> list[str]:
        """The conversations covered, each once, in however many epochs it was read."""
        return [name for name, _ in self._composites()]

    def means(self) -> dict[str, Any]:
        """Return every score: the mean over epochs of the epoch's mean; pooled counts are added, and have new rates."""
        rows = [tally.means() for tally in self._ordered]
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: _join(name, [row[name] for row in rows if name in row]) for name in names}

    def counts(self) -> dict[str, int]:
        """Return in how many records each score was defined, in all epochs."""
        counts: Counter[str] = Counter()
        for tally in self._ordered:
            counts.update(tally.counts())
        return dict(counts)

    def standard_error(self) -> float | None:
        """Return sample SD/sqrt(n) over conversations of their mean composite over epochs; none of fewer than 2.

        Reading the same conversations again makes no new ones, so that n does not grow with the epochs.
        """
        composites = [mean(values) or 0.0 for values in self._composites().values()]
        deviation = sample_sd(composites)
        return None if deviation is None else deviation / sqrt(len(composites))

    def variances(self) -> dict[str, float | None]:
        """Return the sample variance, over epochs, of each epoch's mean of `VARYING`; none of fewer than 2 epochs."""
        rows = [tally.means() for tally in self._ordered] if len(self) > 1 else []
        return {name: _variance([row[name] for row in rows if row.get(name) is not None]) for name in VARYING}

    def strict(self, skill: str) -> dict[str, StrictValue] | None:
        """Return every strict metric, the PANAS skill under the name `skill`; none if not all records have them.

        Values and bounds are means over epochs; `n` and `n_failed` are added up, and so count records.
        """
        tallies = self._ordered
        if any(tally.strict_conversations < tally.conversations for tally in tallies):
            return None
        results = [tally.strict.results(skill) for tally in tallies]
        names = dict.fromkeys(name for result in results for name in result)
        return {name: _join_strict([result[name] for result in results if name in result]) for name in names}

    def _composites(self) -> dict[tuple[str, int], list[float]]:
        """Return the composites of each conversation over epochs.

        One that stands twice in an epoch, as in a resample, is two; its k-th in one epoch is the k-th in the others.
        """
        found: dict[tuple[str, int], list[float]] = {}
        for tally in self._ordered:
            times: Counter[str] = Counter()
            for name, composite in sorted(zip(tally.conversation_ids, tally.composites, strict=True)):
                found.setdefault((name, times[name]), []).append(composite)
                times[name] += 1
        return found


def _join(name: str, values: Sequence[Any]) -> Any:
    if not isinstance(values[0], Mapping):
        return _mean(values)
    if name.startswith("pooled_"):
        kind = counts_type(name)
        return kind(*(sum(value[count] for value in values) for count in kind._fields)).published
    parts = dict.fromkeys(part for value in values for part in value)
    return {part: _mean(value.get(part) for value in values) for part in parts}


def _join_strict(values: Sequence[StrictValue]) -> StrictValue:
    """Return the mean over epochs; a value without a bound leaves the mean without that bound."""
    measured = [value for value in values if value["value"] is not None]
    return {
        "value": _mean(value["value"] for value in values),
        "n": sum(value["n"] for value in values),
        "n_failed": sum(value["n_failed"] for value in values),
        "lower": None if any(v["lower"] is None for v in measured) else _mean(value["lower"] for value in values),
        "upper": None if any(v["upper"] is None for v in measured) else _mean(value["upper"] for value in values),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    if len(present) > 1:
        return statistics.mean(present)  # slow, and exact
    return present[0] if present else None


def _variance(values: Sequence[float]) -> float | None:
    return statistics.variance(values) if len(values) > 1 else None


Groups = dict[tuple[Any, ...], Epochs]
"""What rows are made of, by what their conversations share."""


def join_groups(groups: Groups, others: Groups) -> None:
    """Add other conversations to those of the same group."""
    for key, epochs in others.items():
        groups.setdefault(key, Epochs()).join(epochs)
