"""The tidy table, one row a value, collected block by block: what repeats is held once, and never spelled out.

A block's rows are about the same conversation (or aggregate) and turn, and differ in metric and numbers only.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json, to_json

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

if TYPE_CHECKING:
    import pyarrow as pa

_FRAME: Final = ("level", "model", "mode", "panas_strategy", "condition", "conversation", "epoch")

Profile: TypeAlias = Literal["reference", "strict", "calls"]
Numbers: TypeAlias = Sequence[float | None]

COUNTS: Final = ("n", "n_failed", "lower", "upper")
"""The columns of numbers beside `value`."""


class _Head(NamedTuple):
    """What a block's rows have in common, and by what number their metrics are found."""

    frame: int
    turn: int | None
    profile: Profile
    layout: int
    counted: bool


class Blocks:
    """Blocks of rows, in order."""

    def __init__(self) -> None:
        self._frames: list[tuple[str | int | None, ...]] = []
        self._layouts: dict[tuple[str, ...], int] = {}
        self._heads: list[_Head] = []
        self._values: Any = []  # lists, or arrays of blocks that were read
        self._counts: dict[str, Any] = {name: [] for name in COUNTS}

    def open(self, *frame: str | int | None) -> None:
        """Say what the blocks to come are about: level, model, mode, strategy, condition, conversation, epoch."""
        self._frames.append(frame)

    def add(
        self,
        profile: Profile,
        metrics: tuple[str, ...],
        values: Numbers,
        *,
        counts: Mapping[str, Numbers] | None = None,
    ) -> None:
        """Add a block: a row a metric, its value, and `counts`, columns of `COUNTS`; a column not given is null."""
        layout = self._layouts.setdefault(metrics, len(self._layouts))
        self._heads.append(_Head(len(self._frames) - 1, None, profile, layout, counts is not None))
        self._values += values
        if counts is not None:
            for name, column in self._counts.items():
                column.extend(counts.get(name) or [None] * len(metrics))

    def add_turns(self, metrics: tuple[str, ...], numbers: Iterable[int], rows: Iterable[Numbers]) -> None:
        """Add a block a turn, given its number, all with the same metrics."""
        layout, frame = self._layouts.setdefault(metrics, len(self._layouts)), len(self._frames) - 1
        self._heads += [_Head(frame, number, "reference", layout, counted=False) for number in numbers]
        for values in rows:
            self._values += values

    def to_bytes(self) -> bytes:
        """Return the blocks as bytes, which take a fraction of the rows' size; see `from_bytes`."""
        buffer = io.BytesIO()
        header = to_json([self._frames, list(self._layouts), self._heads])
        np.save(buffer, np.frombuffer(header, dtype=np.uint8))
        for column in (self._values, *self._counts.values()):
            np.save(buffer, np.array(column, dtype=np.float64))
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the blocks that `to_bytes` made bytes of."""
        buffer, blocks = io.BytesIO(data), cls()
        frames, layouts, heads = from_json(np.load(buffer).tobytes())
        blocks._frames = frames
        blocks._layouts = {tuple(names): number for number, names in enumerate(layouts)}
        blocks._heads = [_Head(*head) for head in heads]
        blocks._values = np.load(buffer)
        blocks._counts = {name: np.load(buffer) for name in COUNTS}
        return blocks

    def to_table(self) -> "pa.Table":
        """Return the rows as a table of `tidy.SCHEMA`."""
        from attunebench.score import tidy  # loads pyarrow, which workers need for kept shards alone

        layouts, heads = list(self._layouts), self._heads
        lengths = [len(layouts[head.layout]) for head in heads]
        of_frames = [0] * len(self._frames)
        for head, length in zip(heads, lengths, strict=True):
            of_frames[head.frame] += length
        columns: dict[str, Any] = {}
        for at, name in enumerate(_FRAME):
            column: Any = [frame[at] for frame in self._frames]
            columns[name] = (tidy.whole if name == "epoch" else tidy.texts)(column, of_frames)
        columns["turn"] = tidy.whole([head.turn for head in heads], lengths)
        columns["profile"] = tidy.texts([head.profile for head in heads], lengths)
        columns["metric"] = tidy.coded(*self._metrics(layouts))
        columns["value"] = tidy.numbers(np.array(self._values, dtype=np.float64), tidy.SCHEMA.field("value").type)
        counted = np.repeat(np.array([head.counted for head in heads], dtype=bool), lengths)
        for name, known in self._counts.items():
            numbers = np.full(len(counted), np.nan)
            numbers[counted] = known
            columns[name] = tidy.numbers(numbers, tidy.SCHEMA.field(name).type)
        return tidy.make_table(columns)

    def _metrics(self, layouts: Sequence[Sequence[str]]) -> tuple[list[str], NDArray[np.int32]]:
        names = {name: code for code, name in enumerate(dict.fromkeys(name for names in layouts for name in names))}
        codes = [np.array([names[name] for name in layout], dtype=np.int32) for layout in layouts]
        no_rows = np.zeros(0, dtype=np.int32)
        return list(names), np.concatenate([no_rows, *(codes[head.layout] for head in self._heads)])


def tidy_blocks(
    conversations: Iterable[Mapping[str, Any]], aggregates: Iterable[Row] = (), floors: Iterable[Row] = ()
) -> Blocks:
    """Return all scores as rows; undefined values are null."""
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
    turns = scored["turn_scores"]
    shape, rows = turn_columns(turns)
    blocks.add_turns(metric_names(shape), [turn["turnNumber"] for turn in turns], rows)
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
    value, *counts = strict.numbers.tolist()
    blocks.add("strict", strict.names, value, counts=dict(zip(COUNTS, counts, strict=True)))


def _add_calls(blocks: Blocks, calls: Mapping[str, Mapping[str, int]]) -> None:
    counts = {f"{kind}.{state}": count for kind, states in calls.items() for state, count in states.items()}
    if counts:
        blocks.add("calls", tuple(counts), list(counts.values()))
