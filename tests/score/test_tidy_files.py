"""Claims about the tidy table as files: what is written is read back, one table or many."""

import io
import math

import numpy as np
import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from attunebench.score import tidy

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
WHOLE = st.none() | st.integers(-(2**53), 2**53)
NUMBERS = st.none() | st.floats(allow_nan=False)


@st.composite
def rows(draw):
    """A table whose texts and whole numbers stand in runs of rows, and its columns as they are to be read."""
    lengths = draw(st.lists(st.integers(1, 40), max_size=8))
    count, columns, expected = sum(lengths), {}, {}
    for field in tidy.SCHEMA:
        if pa.types.is_floating(field.type):
            expected[field.name] = draw(st.lists(NUMBERS, min_size=count, max_size=count))
            columns[field.name] = tidy.numbers(np.array(expected[field.name], dtype=np.float64), field.type)
        else:
            made, kind = (tidy.texts, TEXTS) if field.type == tidy.TEXT else (tidy.whole, WHOLE)
            entries = [draw(kind) for _ in lengths]
            expected[field.name] = [entry for entry, times in zip(entries, lengths, strict=True) for _ in range(times)]
            columns[field.name] = made(entries, lengths)
    return tidy.make_table(columns), expected


def read(data):
    table = pl.read_parquet(io.BytesIO(data))
    assert table.schema["metric"] == pl.String  # and no categories, which not everybody reads
    return table.to_dict(as_series=False)


@given(rows())
def test_a_table_is_read_back_as_texts_and_numbers(found):
    table, expected = found
    assert read(tidy.to_parquet(table)) == expected


@given(st.lists(rows(), min_size=1, max_size=3))
def test_tables_become_one_file_of_all_rows_in_order(tmp_path_factory, found):
    out = tmp_path_factory.mktemp("joined") / "all.parquet"
    with out.open("wb") as file, tidy.TableWriter(file) as writer:
        for table, _ in found:
            writer.add(table)
    expected = {name: [value for _, columns in found for value in columns[name]] for name in tidy.SCHEMA.names}
    assert read(out.read_bytes()) == expected


def test_the_sign_of_zero_is_kept():
    column = tidy.numbers(np.array([0.0, -0.0, np.nan]), pa.float64())
    assert [math.copysign(1, value) for value in column.to_pylist()[:2]] == [1, -1]
    assert column.null_count == 1
