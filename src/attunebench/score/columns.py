"""A scored conversation's numbers in one row: what the tidy table and the tallies are made of."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from attunebench.score.behaviour import Confusion
from attunebench.score.items import StrictValue
from attunebench.score.swap import ORDERS, BothOrders

GROUP: Final = ("em_model", "mode", "panas_strategy", "condition")
"""What conversations must share to be averaged."""

FIELDS: Final = ("value", "n", "n_failed", "lower", "upper")
"""The fields of `StrictValue`, in order."""

Numbers: TypeAlias = list[float | None]

Shape: TypeAlias = tuple[str | tuple[str, ...], ...]
"""The metrics of a row in order: a name, or a name and its parts, such as `("four_branch_per_branch", "managing")`."""

_NOT_METRICS: Final = frozenset(
    {
        *GROUP,
        *("turnNumber", "n_conversations", "draws", "n", "strict", "turn_scores", "post_score", "calls", "skill"),
        *("conversationId", "epoch", "epochs", "floor", "judges"),
    }
)


class StrictColumns(NamedTuple):
    """Strict scores: their names, and their numbers, shape (`FIELDS`, metrics), NaN where there is none."""

    names: tuple[str, ...]
    numbers: NDArray[np.float64]


class Columns(NamedTuple):
    """All numbers of a scored conversation but those of its turns; `strict` is none where it was not scored."""

    shape: Shape
    values: Numbers
    strict: StrictColumns | None


def read_columns(scored: Mapping[str, Any]) -> Columns:
    """Return the numbers of a conversation scored by `score` or `score_reference`."""
    strict = scored.get("strict")
    return Columns(
        *reference_columns(scored | scored["post_score"]), None if strict is None else strict_columns(strict)
    )


def reference_columns(scores: Mapping[str, Any]) -> tuple[Shape, Numbers]:
    """Return the metrics of an object of reference scores, and their values."""
    values: Numbers = []
    shape: list[str | tuple[str, ...]] = []
    for name, value in scores.items():
        if name in _NOT_METRICS:
            continue
        if isinstance(value, dict):
            shape.append((name, *value))
            values += value.values()
        else:
            shape.append(name)
            values.append(value)
    return tuple(shape), values


def turn_columns(turns: Sequence[Mapping[str, Any]]) -> tuple[Shape, list[Numbers]]:
    """Return what `reference_columns` does for the scores of a conversation's turns, which all have the same names."""
    if not turns:
        return (), []
    shape, _ = reference_columns(turns[0])
    return shape, [_turn_values(turn) for turn in turns]


def _turn_values(turn: Mapping[str, Any]) -> Numbers:
    values: Numbers = []
    for value in turn.values():
        if value.__class__ is dict:
            values += value.values()
        else:
            values.append(value)
    return values[1:]  # the first is the turn's number


def strict_columns(scores: Mapping[str, StrictValue]) -> StrictColumns:
    """Return strict scores column by column."""
    numbers: list[list[Any]] = [list(one.values()) for one in scores.values()]
    return StrictColumns(tuple(scores), np.array(numbers, dtype=np.float64).reshape(-1, len(FIELDS)).T)


class _StrictItem(Struct):
    """A `StrictValue` to be written: NaN becomes null."""

    value: float
    n: int
    n_failed: int
    lower: float
    upper: float


def spell_strict(columns: StrictColumns) -> dict[str, _StrictItem]:
    """Return strict scores as objects by name, to be written as JSON by msgspec."""
    value, _, _, lower, upper = columns.numbers.tolist()
    n, n_failed = columns.numbers[1:3].astype(np.int64).tolist()
    return dict(zip(columns.names, map(_StrictItem, value, n, n_failed, lower, upper), strict=True))


def counts_type(name: str) -> type[Confusion] | type[BothOrders]:
    """Return of what counts the rates in an object `pooled_*` are."""
    return BothOrders if name == ORDERS else Confusion


@lru_cache(maxsize=1024)  # few shapes occur: they differ in the items and branches that somebody rated
def metric_names(shape: Shape) -> tuple[str, ...]:
    """Return a name a value: what has parts has one each, `name.part`."""
    names: list[str] = []
    for one in shape:
        names += [one] if isinstance(one, str) else [f"{one[0]}.{part}" for part in one[1:]]
    return tuple(names)
