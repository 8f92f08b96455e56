"""Rows of the tidy table before they are spelled out: block by block, what repeats held once.

A block's rows are about the same conversation (or aggregate) and turn, and differ in metric and numbers only. Here a
row takes the bytes of its numbers; spelled out, those of every name too.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from pydantic_core import to_json

from attunebench.score.aggregate import Row
from attunebench.score.columns import (
    GROUP,
    Columns,
    StrictColumns,
    metric_names,
    read_columns,
    reference_columns,
    strict_columns,
    turn_columns,
)
from attunebench.score.epochs import VARIANCE

Profile: TypeAlias = Literal["reference", "strict", "calls"]
Numbers: TypeAlias = Sequence[float | None]

COUNTS: Final = ("n", "n_failed", "lower", "upper")
"""The columns of numbers beside `value`."""


class Blocks:
    """Blocks of rows, in order."""

    def __init__(self) -> None:
        self._frames: list[tuple[str | int | None, ...]] = []
        self._layouts: dict[tuple[str, ...], int] = {}
        self._heads: list[tuple[int, int | None, Profile, int, bool]] = []
        self._values: list[float | None] = []
        self._counts: dict[str, list[float | None]] = {name: [] for name in COUNTS}

    def open(self, *frame: str | int | None) -> None:
        """Say what the blocks to come are about: level, model, mode, strategy, condition, conversation, epoch."""
        self._frames.append(frame)

    def add(
        self,
        profile: Profile,
        metrics: tuple[str, ...],
        values: Numbers,
        *,
        turn: int | None = None,
        counts: Mapping[str, Numbers] | None = None,
    ) -> None:
        """Add a block: a row a metric, its value, and `counts`, columns of `COUNTS`; a column not given is null."""
        layout = self._layouts.setdefault(metrics, len(self._layouts))
        self._heads.append((len(self._frames) - 1, turn, profile, layout, counts is not None))
        self._values += values
        if counts is not None:
            for name, column in self._counts.items():
                column.extend(counts.get(name) or [None] * len(metrics))

    def to_bytes(self) -> bytes:
        """Return the blocks as bytes, from which `tidy.read_table` makes the rows."""
        buffer = io.BytesIO()
        header = to_json({"frames": self._frames, "layouts": list(self._layouts), "heads": self._heads})
        np.save(buffer, np.frombuffer(header, dtype=np.uint8))
        for column in (self._values, *self._counts.values()):
            np.save(buffer, np.array(column, dtype=np.float64))
        return buffer.getvalue()


def tidy_blocks(
    conversations: Iterable[Mapping[str, Any]], aggregates: Iterable[Row] = (), floors: Iterable[Row] = ()
) -> Blocks:
    """Return the rows of `tidy_table`, not yet spelled out."""
    blocks = Blocks()
    for scored in conversations:
        add_conversation(blocks, scored, read_columns(scored))
    for aggregated in aggregates:
        _add_aggregate(blocks, "aggregate", aggregated, aggregated["em_model"])
    for floor in floors:
        _add_aggregate(blocks, "floor", floor, floor["floor"])
    return blocks


def add_conversation(blocks: Blocks, scored: Mapping[str, Any], columns: Columns) -> None:
    """Add the blocks of a scored conversation and its turns; `columns` are its own."""
    group = (*(scored[name] for name in GROUP), scored["conversationId"], scored.get("epoch", 1))
    blocks.open("turn", *group)
    for turn in scored["turn_scores"]:
        shape, values = turn_columns(turn)
        blocks.add("reference", metric_names(shape), values, turn=turn["turnNumber"])
    blocks.open("conversation", *group)
    blocks.add("reference", metric_names(columns.shape), columns.values)
    if columns.strict is not None:
        _add_strict(blocks, columns.strict)
    _add_calls(blocks, scored["calls"])


def _add_aggregate(blocks: Blocks, level: str, row: Row, model: str) -> None:
    blocks.open(level, model, *(row[name] for name in GROUP[1:]), None, None)
    shape, values = reference_columns(row)
    metrics = metric_names(shape)
    blocks.add("reference", metrics, values, counts={"n": [_count(row, metric) for metric in metrics]})
    _add_strict(blocks, strict_columns(row["strict"]))
    _add_calls(blocks, row.get("calls", {}))


def _count(row: Row, metric: str) -> int | None:
    """Return over how many records, conversations or epochs a metric is taken; none for parts of others."""
    whole, _, part = metric.partition(".")
    count: int | None = row["n"].get(metric, row["n_conversations"])
    if part:
        count = row["epochs"] if whole == VARIANCE else None
    return count


def _add_strict(blocks: Blocks, strict: StrictColumns) -> None:
    blocks.add("strict", strict.names, strict.value, counts={name: getattr(strict, name) for name in COUNTS})


def _add_calls(blocks: Blocks, calls: Mapping[str, Mapping[str, int]]) -> None:
    counts = {f"{kind}.{state}": count for kind, states in calls.items() for state, count in states.items()}
    if counts:
        blocks.add("calls", tuple(counts), list(counts.values()))
