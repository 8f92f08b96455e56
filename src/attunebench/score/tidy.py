"""The tidy table as Arrow tables and Parquet files, by pyarrow.

Texts stay codes into their different values until a file is written, so that no row takes the time of its texts.
"""

import io
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

TEXT: Final = pa.dictionary(pa.int32(), pa.string())

SCHEMA: Final = pa.schema(
    {
        "level": TEXT,
        "model": TEXT,
        "mode": TEXT,
        "panas_strategy": TEXT,
        "condition": TEXT,
        "conversation": TEXT,
        "epoch": pa.int64(),
        "turn": pa.int64(),
        "profile": TEXT,
        "metric": TEXT,
        "value": pa.float64(),
        "n": pa.int64(),
        "n_failed": pa.int64(),
        "lower": pa.float64(),
        "upper": pa.float64(),
    }
)
"""Columns; in files, texts are texts. `level` is turn, conversation, aggregate or floor; `n` the number of items the
value is made of. `epoch` counts the readings of a conversation by a model, from 1; aggregates and floors are over all
of them.

`profile` is reference, strict, or calls: there `metric` is `kind.state`, and `value` how many calls ended so.
"""

_GROUP_ROWS: Final = 250_000
"""At least so many rows, if there are as many, are written together."""


def make_table(columns: Mapping[str, pa.Array]) -> pa.Table:
    """Return columns as a table of `SCHEMA`."""
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def texts(entries: Sequence[str | None], lengths: Sequence[int]) -> pa.Array:
    """Return a column of texts, each of which stands in so many rows one after the other."""
    places = {name: place for place, name in enumerate(dict.fromkeys(entry for entry in entries if entry is not None))}
    codes = [-1 if entry is None else places[entry] for entry in entries]
    return coded(list(places), np.repeat(np.array(codes, dtype=np.int32), lengths))


def coded(names: Sequence[str], codes: NDArray[np.int32]) -> pa.Array:
    """Return a column of texts by their places among `names`; below 0, none."""
    encoded = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    different = pa.Array.from_buffers(pa.string(), len(names), buffers)
    return pa.DictionaryArray.from_arrays(_column(pa.int32(), codes, codes < 0), different)


def whole(entries: Sequence[int | None], lengths: Sequence[int]) -> pa.Array:
    """Return a column of whole numbers, each of which stands in so many rows one after the other."""
    return numbers(np.repeat(np.array(entries, dtype=np.float64), lengths), pa.int64())


def numbers(values: NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    """Return a column of numbers; scores are finite, so that NaN can stand for none on the way."""
    missing = np.isnan(values)
    if kind == pa.int64():
        values = np.where(missing, 0, values).astype(np.int64)
    return _column(kind, values, missing)


def _column(kind: pa.DataType, values: NDArray[Any], missing: NDArray[np.bool]) -> pa.Array:
    """Return a column of an array's own memory; `pa.array` would load pandas, which takes longer than many rows."""
    present = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.Array.from_buffers(kind, len(values), [present, pa.py_buffer(np.ascontiguousarray(values))])


def to_parquet(table: pa.Table) -> bytes:
    """Return a table as a Parquet file."""
    sink = io.BytesIO()
    with TableWriter(sink) as writer:
        writer.add(table)
    return sink.getvalue()


class TableWriter(AbstractContextManager["TableWriter"]):
    """Writes tables one after the other as one Parquet file, complete once the context ends; few are held at once."""

    def __init__(self, file: BinaryIO) -> None:
        named = [field.name for field in SCHEMA if pa.types.is_dictionary(field.type)]
        options = {"compression": "zstd", "write_statistics": False, "store_schema": False, "use_dictionary": named}
        self._writer = pq.ParquetWriter(file, SCHEMA, **options)
        self._held: list[pa.Table] = []

    def add(self, table: pa.Table) -> None:
        """Add a table's rows."""
        self._held.append(table)
        if sum(map(len, self._held)) >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._writer.write_table(pa.concat_tables(self._held).unify_dictionaries(), row_group_size=2 * _GROUP_ROWS)
        self._held = []

    def __exit__(self, *_error: object) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()
