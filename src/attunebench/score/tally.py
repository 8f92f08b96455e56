"""What scored conversations add up to, kept so that any parts of them can be tallied apart and joined.

Sums are exact: the same numbers come out, to the last bit, in whatever order and in however many parts they went in.
"""

from collections import Counter
from collections.abc import Mapping
from math import fsum, sqrt
from typing import Any, Final

from attunebench.score.behaviour import Confusion, pooled
from attunebench.score.items import StrictValue
from attunebench.score.means import sample_sd
from attunebench.score.strict_outcome import CHANGE, ERROR

GROUP: Final = ("em_model", "mode", "panas_strategy", "condition")
"""What conversations must share to be averaged."""

_MANY = 1000
"""Floats that a sum gathers from others before it settles."""

_ERRORS_BY_NAME = ("panas_item_errors", "four_branch_per_branch")


class Sum:
    """An exact sum of floats and the number of them.

    Values wait in `new`; `settle` turns them into the few floats, each what is left when those before are taken away,
    that add up to the very sum of all values (Shewchuk 1997, "Adaptive precision floating-point arithmetic").
    """

    __slots__ = ("_parts", "_settled", "new")

    def __init__(self) -> None:
        self.new: list[float] = []
        """Values to be added; append to it."""
        self._parts: list[float] = []
        self._settled = 0

    def join(self, other: "Sum") -> None:
        """Add all values of another sum."""
        self._parts += [*other._parts, *other.new]
        self._settled += other.n
        if len(self._parts) > _MANY:
            self.settle()

    def settle(self) -> None:
        """Hold no more floats than the exact sum needs."""
        self._settled += len(self.new)
        values = self._parts + self.new
        exact: list[float] = []
        while rest := fsum([*values, *(-part for part in exact)]):
            exact.append(rest)
        self._parts, self.new = exact, []

    @property
    def n(self) -> int:
        """How many values there are."""
        return self._settled + len(self.new)

    @property
    def total(self) -> float:
        """The sum, rounded once."""
        return fsum([*self._parts, *self.new])

    @property
    def mean(self) -> float | None:
        """The mean; none of no values."""
        return self.total / self.n if self.n else None


class StrictSum:
    """One strict metric over conversations."""

    __slots__ = ("lower", "n_failed", "open_lower", "open_upper", "upper", "value")

    def __init__(self) -> None:
        self.value, self.lower, self.upper = Sum(), Sum(), Sum()
        self.n_failed = 0
        self.open_lower = self.open_upper = False

    def add(self, one: StrictValue) -> None:
        """Add a conversation's value; a value without a bound leaves the sum without that bound."""
        value, lower, upper = one["value"], one["lower"], one["upper"]
        self.n_failed += one["n_failed"]
        if value is not None:
            self.value.new.append(value)
            self.open_lower |= lower is None
            self.open_upper |= upper is None
        if lower is not None:
            self.lower.new.append(lower)
        if upper is not None:
            self.upper.new.append(upper)

    def join(self, other: "StrictSum") -> None:
        """Add another sum's conversations."""
        self.value.join(other.value)
        self.lower.join(other.lower)
        self.upper.join(other.upper)
        self.n_failed += other.n_failed
        self.open_lower |= other.open_lower
        self.open_upper |= other.open_upper

    def settle(self) -> None:
        """Hold no more numbers than are needed."""
        for found in (self.value, self.lower, self.upper):
            found.settle()

    def result(self) -> StrictValue:
        """Return the means over the conversations that have a value, or a bound."""
        return {
            "value": self.value.mean,
            "n": self.value.n,
            "n_failed": self.n_failed,
            "lower": None if self.open_lower else self.lower.mean,
            "upper": None if self.open_upper else self.upper.mean,
        }


class SkillSum:
    """What the PANAS skill is made of: 1 - sum |post - predicted|/sum |post - pre|."""

    __slots__ = ("change", "errors", "n_failed")

    def __init__(self) -> None:
        self.change = Sum()
        self.errors = {end: Sum() for end in ("value", "upper", "lower")}
        self.n_failed = 0

    def add(self, error: StrictValue, change: StrictValue) -> None:
        """Add a conversation's mean error and mean change."""
        self.change.new.append((change["value"] or 0.0) * change["n"])
        if error["n"]:
            self.n_failed += error["n_failed"]
            for end, found in (("value", error["value"]), ("upper", error["upper"]), ("lower", error["lower"])):
                self.errors[end].new.append((found or 0.0) * error["n"])

    def join(self, other: "SkillSum") -> None:
        """Add another sum's conversations."""
        self.change.join(other.change)
        self.n_failed += other.n_failed
        for end, total in self.errors.items():
            total.join(other.errors[end])

    def settle(self) -> None:
        """Hold no more numbers than are needed."""
        for found in (self.change, *self.errors.values()):
            found.settle()

    def result(self) -> StrictValue:
        """Return the skill, at most 1; the greatest error makes its lower bound. None if nothing changed."""
        change = self.change.total
        value, lower, upper = (1 - self.errors[end].total / change if change else None for end in self.errors)
        n = self.errors["value"].n if change else 0
        return {"value": value, "n": n, "n_failed": self.n_failed, "lower": lower, "upper": upper}


class StrictTally:
    """The strict metrics of conversations."""

    __slots__ = ("_skill", "_sums")

    def __init__(self) -> None:
        self._sums: dict[str, StrictSum] = {}
        self._skill = SkillSum()

    def add(self, scores: Mapping[str, StrictValue]) -> None:
        """Add a conversation's strict scores."""
        for name, one in scores.items():
            if (found := self._sums.get(name)) is None:
                found = self._sums[name] = StrictSum()
            found.add(one)
        self._skill.add(scores[ERROR], scores[CHANGE])

    def join(self, other: "StrictTally") -> None:
        """Add another tally's conversations."""
        for name, theirs in other._sums.items():
            self._sums.setdefault(name, StrictSum()).join(theirs)
        self._skill.join(other._skill)

    def settle(self) -> None:
        """Hold no more numbers than are needed."""
        for found in self._sums.values():
            found.settle()
        self._skill.settle()

    def results(self, skill: str) -> dict[str, StrictValue]:
        """Return every metric, and the PANAS skill under the name `skill`."""
        return {name: found.result() for name, found in self._sums.items()} | {skill: self._skill.result()}


class Tally:
    """The conversations of one model, mode, strategy and condition."""

    def __init__(self) -> None:
        self.conversation_ids: list[str] = []
        self.calls: dict[str, Counter[str]] = {}
        self.strict = StrictTally()
        self.strict_conversations = 0
        self._composites: list[float] = []
        self._sums: dict[str, Sum] = {}
        self._confusions: dict[str, list[Confusion]] = {}
        self._errors: dict[str, dict[str, Sum]] = {}
        self._names: dict[str, None] = {}

    def add(self, scored: Mapping[str, Any], composite: float) -> None:
        """Add a scored conversation; `composite` is what the spread over conversations is taken of."""
        self.conversation_ids.append(scored["conversationId"])
        self._composites.append(composite)
        for scores in (scored, scored["post_score"]):
            for name, value in scores.items():
                if name not in GROUP:
                    self._add(name, value)
        if "strict" in scored:
            self.strict_conversations += 1
            self.strict.add(scored["strict"])
        for kind, states in scored.get("calls", {}).items():
            self.calls.setdefault(kind, Counter()).update(states)

    def _add(self, name: str, value: Any) -> None:
        if value is None or isinstance(value, int | float):
            if (found := self._sums.get(name)) is None:
                found = self._sums[name] = Sum()
                self._names[name] = None
            if value is not None:
                found.new.append(value)
        elif name.startswith("pooled_"):
            self._names[name] = None
            counts = Confusion(value["tp"], value["tn"], value["fp"], value["fn"])
            self._confusions.setdefault(name, []).append(counts)
        elif name in _ERRORS_BY_NAME:
            self._names[name] = None
            errors = self._errors.setdefault(name, {})
            for key, error in value.items():
                errors.setdefault(key, Sum()).new.append(error)

    def join(self, other: "Tally") -> None:
        """Add another tally's conversations."""
        self.conversation_ids += other.conversation_ids
        self.strict_conversations += other.strict_conversations
        self.strict.join(other.strict)
        self._composites += other._composites
        self._names |= other._names
        for kind, states in other.calls.items():
            self.calls.setdefault(kind, Counter()).update(states)
        for name, theirs in other._sums.items():
            self._sums.setdefault(name, Sum()).join(theirs)
        for name, counts in other._confusions.items():
            self._confusions[name] = [pooled([*self._confusions.get(name, ()), *counts])]
        for name, errors in other._errors.items():
            own = self._errors.setdefault(name, {})
            for key, their_error in errors.items():
                own.setdefault(key, Sum()).join(their_error)

    @property
    def conversations(self) -> int:
        """How many conversations were added."""
        return len(self.conversation_ids)

    def settle(self) -> None:
        """Hold no more numbers than are needed; before it is sent elsewhere."""
        for found in (*self._sums.values(), *(error for errors in self._errors.values() for error in errors.values())):
            found.settle()
        self._confusions = {name: [pooled(counts)] for name, counts in self._confusions.items()}
        self.strict.settle()

    def means(self) -> dict[str, Any]:
        """Return the mean of every score, the rates of the added confusion counts, the mean errors by name."""
        row: dict[str, Any] = {}
        for name in self._names:
            if name in self._sums:
                row[name] = self._sums[name].mean
            elif name in self._confusions:
                row[name] = pooled(self._confusions[name]).published()
            else:
                row[name] = {key: errors.mean for key, errors in self._errors[name].items()}
        return row

    def counts(self) -> dict[str, int]:
        """Return over how many conversations each mean is taken."""
        return {name: found.n for name, found in self._sums.items()}

    def standard_error(self) -> float | None:
        """Return sample SD/sqrt(n) of the composites; none of fewer than 2."""
        deviation = sample_sd(self._composites)
        return None if deviation is None else deviation / sqrt(len(self._composites))


Groups = dict[tuple[Any, ...], Tally]
"""Tallies by what their conversations share."""


def join_groups(groups: Groups, others: Groups) -> None:
    """Add other tallies to those of the same group."""
    for key, tally in others.items():
        groups.setdefault(key, Tally()).join(tally)
