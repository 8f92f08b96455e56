"""Scores as a tidy table: one row a value."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.io.plugins import register_io_source
from pydantic_core import from_json

from attunebench.score.aggregate import Row
from attunebench.score.blocks import COUNTS, tidy_blocks

SCHEMA: Mapping[str, pl.DataType] = {
    "level": pl.String(),
    "model": pl.String(),
    "mode": pl.String(),
    "panas_strategy": pl.String(),
    "condition": pl.String(),
    "conversation": pl.String(),
    "epoch": pl.Int64(),
    "turn": pl.Int64(),
    "profile": pl.String(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "n": pl.Int64(),
    "n_failed": pl.Int64(),
    "lower": pl.Float64(),
    "upper": pl.Float64(),
}
"""Columns. `level` is turn, conversation, aggregate or floor; `n` the number of items the value is made of. `epoch`
counts the readings of a conversation by a model, from 1; aggregates and floors are over all of them.

`profile` is reference, strict, or calls: there `metric` is `kind.state`, and `value` how many calls ended so.
"""

_FRAME: Final = ("level", "model", "mode", "panas_strategy", "condition", "conversation", "epoch")


def tidy_table(
    conversations: Iterable[Mapping[str, Any]], aggregates: Iterable[Row], floors: Iterable[Row]
) -> pl.DataFrame:
    """Return all scores, one row a value, with the columns of `SCHEMA`; undefined values are null."""
    return read_table(tidy_blocks(conversations, aggregates, floors).to_bytes())


def read_table(data: bytes) -> pl.DataFrame:
    """Return the rows of the blocks that `Blocks.to_bytes` wrote."""
    buffer = io.BytesIO(data)
    header = from_json(np.load(buffer).tobytes())
    return _spell_out(header["frames"], header["layouts"], header["heads"], [np.load(buffer) for _ in range(5)])


def join_tables(files: Sequence[Path], out: Path) -> None:
    """Write the rows of files of blocks, one file after the other, as one Parquet file; few are held at once."""

    def tables(*_pushed_down: object) -> Iterator[pl.DataFrame]:  # nothing is: every column of every row is wanted
        for file in files:
            yield read_table(file.read_bytes())

    register_io_source(tables, schema=SCHEMA).sink_parquet(out, statistics=False)


def _spell_out(
    frames: Sequence[Sequence[str | None]],
    layouts: Sequence[Sequence[str]],
    heads: Sequence[Sequence[Any]],
    numbers: Sequence[NDArray[np.float64]],
) -> pl.DataFrame:
    if not heads:
        return pl.DataFrame(schema=SCHEMA)
    frame, turn, profiles, layout, counted = zip(*heads, strict=True)
    metrics = {name: code for code, name in enumerate(dict.fromkeys(name for names in layouts for name in names))}
    codes = [np.array([metrics[name] for name in names], dtype=np.int64) for names in layouts]
    sizes = np.array([len(codes[each]) for each in layout])
    rows = {
        **_repeated(_FRAME, frames, np.repeat(np.array(frame), sizes)),
        **_repeated(
            ("turn", "profile"), list(zip(turn, profiles, strict=True)), np.repeat(np.arange(len(heads)), sizes)
        ),
        **_repeated(("metric",), [(name,) for name in metrics], np.concatenate([codes[each] for each in layout])),
        "value": _numeric("value", numbers[0]),
    }
    has_counts = np.repeat(np.array(counted), sizes)
    for name, known in zip(COUNTS, numbers[1:], strict=True):
        spread = np.full(len(has_counts), np.nan)
        spread[has_counts] = known
        rows[name] = _numeric(name, spread)
    return pl.DataFrame([rows[name] for name in SCHEMA])


def _repeated(
    names: Sequence[str], entries: Sequence[Sequence[object]], places: NDArray[np.int64]
) -> dict[str, pl.Series]:
    """Return columns that hold, row by row, the entry at that place."""
    schema = {name: SCHEMA[name] for name in names}
    return pl.DataFrame(entries, schema=schema, orient="row")[places].to_dict()


def _numeric(name: str, numbers: NDArray[np.float64]) -> pl.Series:
    """Return numbers as a column; scores are finite, so that NaN can stand for null on the way."""
    return pl.Series(name, numbers, nan_to_null=True).cast(SCHEMA[name])
