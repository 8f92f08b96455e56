"""Scores as a tidy table: one row a value."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

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


def tidy_table(
    conversations: Iterable[Mapping[str, Any]], aggregates: Iterable[Row], floors: Iterable[Row]
) -> pl.DataFrame:
    """Return all scores, one row a value, with the columns of `SCHEMA`; undefined values are null."""
    rows: list[Row] = []
    for scored in conversations:
        rows += _conversation(scored)
    for aggregated in aggregates:
        rows += _aggregate("aggregate", aggregated, aggregated["em_model"])
    for floor in floors:
        rows += _aggregate("floor", floor, floor["floor"])
    return pl.DataFrame(rows, schema=SCHEMA)


def _frame(level: str, scored: Mapping[str, Any], model: str) -> Row:
    return {"level": level, "model": model, **{name: scored[name] for name in GROUP if name != "em_model"}}


def _conversation(scored: Mapping[str, Any]) -> Iterator[Row]:
    frame = _frame("conversation", scored, scored["em_model"]) | {"conversation": scored["conversationId"]}
    for turn in scored["turn_scores"]:
        yield from _reference(frame | {"level": "turn", "turn": turn["turnNumber"]}, turn)
    yield from _reference(frame, scored | scored["post_score"])
    yield from _strict(frame, scored["strict"])
    yield from _calls(frame, scored["calls"])


def _aggregate(level: str, row: Row, model: str) -> Iterator[Row]:
    frame = _frame(level, row, model)
    for value in _reference(frame, row):
        yield value | {"n": None if "." in value["metric"] else row["n"].get(value["metric"], row["n_conversations"])}
    yield from _strict(frame, row["strict"])
    yield from _calls(frame, row.get("calls", {}))


_NOT_METRICS = frozenset({"turnNumber", "n_conversations", "draws", "n", "strict", "post_score", "calls"})


def _reference(frame: Row, scores: Mapping[str, Any]) -> Iterator[Row]:
    for name, value in scores.items():
        if name in frame or name in _NOT_METRICS:
            continue
        # Rates of confusion counts, errors by item and by branch: one row each, `name.part`.
        parts = {f"{name}.{part}": v for part, v in value.items()} if isinstance(value, Mapping) else {name: value}
        for metric, number in parts.items():
            if number is None or isinstance(number, int | float):
                yield frame | {"profile": "reference", "metric": metric, "value": number}


def _calls(frame: Row, calls: Mapping[str, Mapping[str, int]]) -> Iterator[Row]:
    for kind, states in calls.items():
        for state, count in states.items():
            yield frame | {"profile": "calls", "metric": f"{kind}.{state}", "value": count}


def _strict(frame: Row, strict: Mapping[str, Mapping[str, Any]]) -> Iterator[Row]:
    for name, value in strict.items():
        yield frame | {"profile": "strict", "metric": name, **value}
