"""What scored conversations add up to, kept so that any parts of them can be tallied apart and joined.

Sums are exact: the same numbers come out, to the last bit, in whatever order and in however many parts they went in.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import fsum, isnan
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from attunebench.score.behaviour import Confusion
from attunebench.score.columns import FIELDS, Columns, Numbers, Shape, StrictColumns, counts_type
from attunebench.score.items import StrictValue
from attunebench.score.strict_outcome import CHANGE, ERROR
from attunebench.score.swap import BothOrders

_MANY: Final = 128
"""So many rows wait before they are added up."""

Layout = TypeVar("Layout", bound=Hashable)
Column = list[float]
"""A number a conversation, NaN where there is none."""


class Sum:
    """An exact sum of floats, and how many they are.

    It is held as the few floats, each what is left when those before are taken away, that add up to the very sum of all
    values (Shewchuk 1997, "Adaptive precision floating-point arithmetic").
    """

    __slots__ = ("_parts", "n")

    def __init__(self) -> None:
        self.n = 0
        self._parts: list[float] = []

    def add(self, values: Sequence[float]) -> None:
        """Add values."""
        self.n += len(values)
        self._hold(values)

    def join(self, other: "Sum") -> None:
        """Add all values of another sum."""
        self.n += other.n
        self._hold(other._parts)

    def _hold(self, values: Sequence[float]) -> None:
        waiting = [*self._parts, *values]
        self._parts = []
        while rest := fsum(waiting):
            self._parts.append(rest)
            waiting.append(-rest)

    @property
    def total(self) -> float:
        """The sum, rounded once."""
        return fsum(self._parts)

    @property
    def mean(self) -> float | None:
        """The mean; none of no values."""
        return self.total / self.n if self.n else None


class _Waiting(Generic[Layout]):
    """Rows of numbers by layout, which says what their columns are: cheap to add, to send and to join."""

    __slots__ = ("_packed", "_rows", "count")

    def __init__(self) -> None:
        self.count = 0
        self._rows: dict[Layout, list[Numbers | NDArray[np.float64]]] = {}
        self._packed: dict[Layout, list[NDArray[np.float64]]] = {}

    def add(self, layout: Layout, row: Numbers | NDArray[np.float64]) -> None:
        self.count += 1
        self._rows.setdefault(layout, []).append(row)

    def pack(self) -> None:
        """Hold the rows in as few bytes as can be."""
        for layout, rows in self._rows.items():
            self._packed.setdefault(layout, []).append(np.array(rows, dtype=np.float64))
        self._rows = {}

    def join(self, other: "_Waiting[Layout]") -> None:
        other.pack()
        self.count += other.count
        for layout, parts in other._packed.items():
            self._packed.setdefault(layout, []).extend(parts)

    def take(self) -> Iterator[tuple[Layout, list[Column]]]:
        """Hand out all rows, column by column, and forget them."""
        self.pack()
        packed, self._packed, self.count = self._packed, {}, 0
        for layout, parts in packed.items():
            yield layout, np.concatenate(parts).T.tolist()


def _present(column: Column) -> Column:
    return [value for value in column if value == value]  # noqa: PLR0124 - NaN is not


class StrictSum:
    """One strict metric over conversations."""

    __slots__ = ("lower", "n_failed", "open_lower", "open_upper", "upper", "value")

    def __init__(self) -> None:
        self.value, self.lower, self.upper = Sum(), Sum(), Sum()
        self.n_failed = 0
        self.open_lower = self.open_upper = False

    def add(self, value: Column, n_failed: Column, lower: Column, upper: Column) -> None:
        """Add conversations; a value without a bound leaves the sum without that bound."""
        self.value.add(_present(value))
        self.n_failed += int(sum(n_failed))
        self.open_lower |= _add_bounds(self.lower, lower, value)
        self.open_upper |= _add_bounds(self.upper, upper, value)

    def join(self, other: "StrictSum") -> None:
        """Add another sum's conversations."""
        self.value.join(other.value)
        self.lower.join(other.lower)
        self.upper.join(other.upper)
        self.n_failed += other.n_failed
        self.open_lower |= other.open_lower
        self.open_upper |= other.open_upper

    def result(self) -> StrictValue:
        """Return the means over the conversations that have a value, or a bound."""
        return {
            "value": self.value.mean,
            "n": self.value.n,
            "n_failed": self.n_failed,
            "lower": None if self.open_lower else self.lower.mean,
            "upper": None if self.open_upper else self.upper.mean,
        }


def _add_bounds(total: Sum, bounds: Column, values: Column) -> bool:
    """Add bounds, and return whether any conversation has a value without one."""
    present = _present(bounds)
    total.add(present)
    if len(present) == len(bounds):
        return False
    return any(isnan(bound) > isnan(value) for bound, value in zip(bounds, values, strict=True))


class SkillSum:
    """What the PANAS skill is made of: 1 - sum |post - predicted|/sum |post - pre|."""

    __slots__ = ("change", "errors", "n_failed")

    def __init__(self) -> None:
        self.change = Sum()
        self.errors = {end: Sum() for end in ("value", "upper", "lower")}
        self.n_failed = 0

    def add(self, error: Mapping[str, Column], change: Mapping[str, Column]) -> None:
        """Add conversations' mean errors and mean changes, the fields of `StrictValue` column by column."""
        self.change.add(_totals(change["value"], change["n"]))
        told = [place for place, n in enumerate(error["n"]) if n]
        self.n_failed += int(sum(error["n_failed"][place] for place in told))
        for end, total in self.errors.items():
            totals = _totals(error[end], error["n"])
            total.add([totals[place] for place in told])

    def join(self, other: "SkillSum") -> None:
        """Add another sum's conversations."""
        self.change.join(other.change)
        self.n_failed += other.n_failed
        for end, total in self.errors.items():
            total.join(other.errors[end])

    def result(self) -> StrictValue:
        """Return the skill, at most 1; the greatest error makes its lower bound. None if nothing changed."""
        change = self.change.total
        value, lower, upper = (1 - self.errors[end].total / change if change else None for end in self.errors)
        n = self.errors["value"].n if change else 0
        return {"value": value, "n": n, "n_failed": self.n_failed, "lower": lower, "upper": upper}


def _totals(means: Column, counts: Column) -> Column:
    return [0.0 if isnan(mean) else mean * n for mean, n in zip(means, counts, strict=True)]


class StrictTally:
    """The strict metrics of conversations."""

    __slots__ = ("_skill", "_sums", "_waiting")

    def __init__(self) -> None:
        self._sums: dict[str, StrictSum] = {}
        self._skill = SkillSum()
        self._waiting = _Waiting[tuple[str, ...]]()

    def add(self, scores: StrictColumns) -> None:
        """Add a conversation's strict scores."""
        self._waiting.add(scores.names, scores.numbers.ravel())
        if self._waiting.count >= _MANY:
            self._add_up()

    def _add_up(self) -> None:
        for names, columns in self._waiting.take():
            value, n, n_failed, lower, upper = (
                columns[i * len(names) : (i + 1) * len(names)] for i in range(len(FIELDS))
            )
            fields: dict[str, dict[str, Column]] = {}
            for place, name in enumerate(names):
                if (found := self._sums.get(name)) is None:
                    found = self._sums[name] = StrictSum()
                found.add(value[place], n_failed[place], lower[place], upper[place])
                if name in (ERROR, CHANGE):
                    each = (value[place], n[place], n_failed[place], lower[place], upper[place])
                    fields[name] = dict(zip(FIELDS, each, strict=True))
            self._skill.add(fields[ERROR], fields[CHANGE])

    def join(self, other: "StrictTally") -> None:
        """Add another tally's conversations."""
        for name, theirs in other._sums.items():
            self._sums.setdefault(name, StrictSum()).join(theirs)
        self._skill.join(other._skill)
        self._waiting.join(other._waiting)
        if self._waiting.count >= _MANY:
            self._add_up()

    def pack(self) -> None:
        """Hold what waits in as few bytes as can be."""
        self._waiting.pack()

    def results(self, skill: str) -> dict[str, StrictValue]:
        """Return every metric, and the PANAS skill under the name `skill`."""
        self._add_up()
        return {name: found.result() for name, found in self._sums.items()} | {skill: self._skill.result()}


class Tally:
    """The conversations of one model, mode, strategy, condition and epoch."""

    def __init__(self) -> None:
        self.conversation_ids: list[str] = []
        self.calls: dict[str, Counter[str]] = {}
        self.strict = StrictTally()
        self.strict_conversations = 0
        self.composites: list[float] = []
        self._sums: dict[str, Sum] = {}
        self._counts: dict[str, Confusion | BothOrders] = {}
        self._errors: dict[str, dict[str, Sum]] = {}
        self._names: dict[str, None] = {}
        self._waiting = _Waiting[Shape]()

    def add(self, scored: Mapping[str, Any], columns: Columns, composite: float) -> None:
        """Add a scored conversation; `composite` is what the spread over conversations is taken of."""
        self.conversation_ids.append(scored["conversationId"])
        self.composites.append(composite)
        self._waiting.add(columns.shape, columns.values)
        if columns.strict is not None:
            self.strict_conversations += 1
            self.strict.add(columns.strict)
        for kind, states in scored.get("calls", {}).items():
            ended = self.calls.get(kind) or self.calls.setdefault(kind, Counter())
            for state, count in states.items():
                ended[state] += count
        if self._waiting.count >= _MANY:
            self._add_up()

    def _add_up(self) -> None:
        for shape, columns in self._waiting.take():
            left = iter(columns)
            for one in shape:
                name, *parts = (one,) if isinstance(one, str) else one
                self._names[name] = None
                if isinstance(one, str):
                    self._sums.setdefault(name, Sum()).add(_present(next(left)))
                elif name.startswith("pooled_"):
                    self._add_counts(name, {part: next(left) for part in parts})
                else:
                    self._add_errors(name, {part: next(left) for part in parts})

    def _add_counts(self, name: str, rates: Mapping[str, Column]) -> None:
        kind = counts_type(name)
        self._join_counts(name, kind(*(int(sum(rates[count])) for count in kind._fields)))

    def _join_counts(self, name: str, counts: Confusion | BothOrders) -> None:
        kind = counts_type(name)
        self._counts[name] = kind(*map(sum, zip(counts, self._counts.get(name, kind()), strict=True)))

    def _add_errors(self, name: str, errors: Mapping[str, Column]) -> None:
        own = self._errors.setdefault(name, {})
        for key, column in errors.items():
            own.setdefault(key, Sum()).add(_present(column))

    def join(self, other: "Tally") -> None:
        """Add another tally's conversations."""
        self.conversation_ids += other.conversation_ids
        self.strict_conversations += other.strict_conversations
        self.strict.join(other.strict)
        self.composites += other.composites
        self._names |= other._names
        for kind, states in other.calls.items():
            self.calls.setdefault(kind, Counter()).update(states)
        for name, theirs in other._sums.items():
            self._sums.setdefault(name, Sum()).join(theirs)
        for name, counts in other._counts.items():
            self._join_counts(name, counts)
        for name, errors in other._errors.items():
            own = self._errors.setdefault(name, {})
            for key, their_error in errors.items():
                own.setdefault(key, Sum()).join(their_error)
        self._waiting.join(other._waiting)
        if self._waiting.count >= _MANY:
            self._add_up()

    @property
    def conversations(self) -> int:
        """How many conversations were added."""
        return len(self.conversation_ids)

    def pack(self) -> None:
        """Hold what waits in as few bytes as can be; before it is sent elsewhere."""
        self._waiting.pack()
        self.strict.pack()

    def means(self) -> dict[str, Any]:
        """Return the mean of every score, the rates of added counts, the mean errors by name."""
        self._add_up()
        row: dict[str, Any] = {}
        for name in self._names:
            if name in self._sums:
                row[name] = self._sums[name].mean
            elif name in self._counts:
                row[name] = self._counts[name].published
            else:
                row[name] = {key: errors.mean for key, errors in self._errors[name].items()}
        return row

    def counts(self) -> dict[str, int]:
        """Return over how many conversations each mean is taken."""
        self._add_up()
        return {name: found.n for name, found in self._sums.items()}
