"""Scores as a tidy table: one row a value."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunebench.score.aggregate import GROUP, Row

SCHEMA: Mapping[str, pl.DataType] = {
    "level": pl.String(),
    "model": pl.String(),
    "mode": pl.String(),
    "panas_strategy": pl.String(),
    "condition": pl.String(),
    "conversation": pl.String(),
    "turn": pl.Int64(),
    "profile": pl.String(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "n": pl.Int64(),
    "n_failed": pl.Int64(),
    "lower": pl.Float64(),
    "upper": pl.Float64(),
}
"""Columns. `level` is turn, conversation, aggregate or floor; `n` the number of items the value is made of.

`profile` is reference, strict, or calls: there `metric` is `kind.state`, and `value` how many calls ended so.
"""


_OTHERS = ("n", "n_failed", "lower", "upper")
_CODED = ("level", "model", "mode", "panas_strategy", "condition", "conversation", "turn", "profile")
"""The columns that are the same in all rows of a block."""

_NOT_METRICS = frozenset({"turnNumber", "n_conversations", "draws", "n", "strict", "post_score", "calls", "skill"})


def tidy_table(
    conversations: Iterable[Mapping[str, Any]], aggregates: Iterable[Row], floors: Iterable[Row]
) -> pl.DataFrame:
    """Return all scores, one row a value, with the columns of `SCHEMA`; undefined values are null."""
    blocks = _Blocks()
    for scored in conversations:
        _add_conversation(blocks, scored)
    for aggregated in aggregates:
        _add_aggregate(blocks, "aggregate", aggregated, aggregated["em_model"])
    for floor in floors:
        _add_aggregate(blocks, "floor", floor, floor["floor"])
    return blocks.table()


class _Blocks:
    """Rows, collected block by block: a block's rows differ in metric and numbers only.

    What repeats is held once and spread out at the end, column by column.
    """

    def __init__(self) -> None:
        self._keys: list[tuple[Any, ...]] = []
        self._sizes: list[int] = []
        self._codes: dict[str, int] = {}
        self._layouts: dict[tuple[str, ...], NDArray[np.int64]] = {}
        self._metrics: list[NDArray[np.int64]] = []
        self._values: list[float | None] = []
        self._others: dict[str, tuple[list[float | None], list[int]]] = {name: ([], []) for name in _OTHERS}

    def add(
        self,
        key: tuple[Any, ...],
        metrics: tuple[str, ...],
        value: Sequence[float | None],
        **others: Sequence[float | None],
    ) -> None:
        """Add a block: its values of `_CODED`, its metrics, and columns of numbers; those not given are null."""
        if (layout := self._layouts.get(metrics)) is None:
            codes = [self._codes.setdefault(name, len(self._codes)) for name in metrics]
            layout = self._layouts[metrics] = np.array(codes, dtype=np.int64)
        self._keys.append(key)
        self._sizes.append(len(metrics))
        self._metrics.append(layout)
        start = len(self._values)
        self._values += value
        for name, numbers in others.items():
            held, places = self._others[name]
            held += numbers
            places += range(start, start + len(metrics))

    def table(self) -> pl.DataFrame:
        """Return the rows of all blocks, in order."""
        if not self._keys:
            return pl.DataFrame(schema=SCHEMA)
        rows = np.repeat(np.arange(len(self._keys)), self._sizes)
        names = ((name, SCHEMA[name]) for name in _CODED)
        columns = {
            name: pl.Series(name, values, dtype=dtype).gather(rows)
            for (name, dtype), values in zip(names, zip(*self._keys, strict=True), strict=True)
        }
        columns["metric"] = pl.Series("metric", list(self._codes), dtype=pl.String()).gather(
            np.concatenate(self._metrics)
        )
        columns["value"] = _numeric("value", np.array(self._values, dtype=np.float64))
        for name, (held, places) in self._others.items():
            numbers = np.full(len(rows), np.nan)
            numbers[places] = held
            columns[name] = _numeric(name, numbers)
        return pl.DataFrame([columns[name] for name in SCHEMA])


def _numeric(name: str, numbers: NDArray[np.float64]) -> pl.Series:
    """Return numbers as a column; scores are finite, so that NaN can stand for null on the way."""
    return pl.Series(name, numbers).fill_nan(None).cast(SCHEMA[name])


def _add_conversation(blocks: _Blocks, scored: Mapping[str, Any]) -> None:
    group = (scored["em_model"], *(scored[name] for name in GROUP[1:]), scored["conversationId"])
    for turn in scored["turn_scores"]:
        blocks.add(("turn", *group, turn["turnNumber"], "reference"), *_flat(turn))
    frame = ("conversation", *group, None)
    blocks.add((*frame, "reference"), *_flat(scored | scored["post_score"]))
    _add_strict(blocks, frame, scored["strict"])
    _add_calls(blocks, frame, scored["calls"])


def _add_aggregate(blocks: _Blocks, level: str, row: Row, model: str) -> None:
    frame = (level, model, *(row[name] for name in GROUP[1:]), None, None)
    metrics, values = _flat(row)
    n = [None if "." in metric else row["n"].get(metric, row["n_conversations"]) for metric in metrics]
    blocks.add((*frame, "reference"), metrics, values, n=n)
    _add_strict(blocks, frame, row["strict"])
    _add_calls(blocks, frame, row.get("calls", {}))


def _flat(scores: Mapping[str, Any]) -> tuple[tuple[str, ...], list[float | None]]:
    """Return the reference metrics and their values.

    Rates of confusion counts, errors by item and by branch have one each, `name.part`.
    """
    metrics: list[str] = []
    values: list[float | None] = []
    for name, value in scores.items():
        if name in _NOT_METRICS or name in GROUP:
            continue
        if value is None or isinstance(value, int | float):
            metrics.append(name)
            values.append(value)
        elif isinstance(value, Mapping):
            metrics += _parts(name, tuple(value))
            values += value.values()
    return tuple(metrics), values


@lru_cache(maxsize=1024)
def _parts(name: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}.{part}" for part in parts)


def _add_strict(blocks: _Blocks, frame: tuple[Any, ...], strict: Mapping[str, Mapping[str, Any]]) -> None:
    columns = {name: [one[name] for one in strict.values()] for name in ("value", *_OTHERS)}
    blocks.add((*frame, "strict"), tuple(strict), **columns)


def _add_calls(blocks: _Blocks, frame: tuple[Any, ...], calls: Mapping[str, Mapping[str, int]]) -> None:
    counts = {f"{kind}.{state}": count for kind, states in calls.items() for state, count in states.items()}
    if counts:
        blocks.add((*frame, "calls"), tuple(counts), list(counts.values()))
