"""A scored conversation's numbers in one row: what the tidy table and the tallies are made of."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from attunebench.score.behaviour import Confusion
from attunebench.score.items import StrictValue
from attunebench.score.swap import ORDERS, BothOrders

GROUP: Final = ("em_model", "mode", "panas_strategy", "condition")
"""What conversations must share to be averaged."""

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
    """Strict scores: their names, and a column a field of `StrictValue`."""

    names: tuple[str, ...]
    value: Numbers
    n: list[int]
    n_failed: list[int]
    lower: Numbers
    upper: Numbers


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


def turn_columns(turn: Mapping[str, Any]) -> tuple[Shape, Numbers]:
    """Return what `reference_columns` does for the scores of a turn, of which there are very many.

    In all of them, the first is the turn's number, and objects are rates of confusion counts.
    """
    values: Numbers = []
    for value in turn.values():
        if value.__class__ is dict:
            values += value.values()
        else:
            values.append(value)
    return _turn_shape(tuple(turn)), values[1:]


@lru_cache(maxsize=16)
def _turn_shape(names: tuple[str, ...]) -> Shape:
    rates = tuple(Confusion().published)
    return tuple((name, *rates) if "_metrics" in name else name for name in names[1:])


def strict_columns(scores: Mapping[str, StrictValue]) -> StrictColumns:
    """Return strict scores column by column."""
    each = scores.values()
    return StrictColumns(
        tuple(scores),
        [one["value"] for one in each],
        [one["n"] for one in each],
        [one["n_failed"] for one in each],
        [one["lower"] for one in each],
        [one["upper"] for one in each],
    )


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
