"""The baselines' scores of every conversation as a table, which resampling floors and ceiling needs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import polars as pl

from attunebench.score.flat import COLUMNS
from attunebench.score.floors import FloorScores

FLOORS_FILE: Final = "floors.parquet"
KEYS: Final = ("panas_strategy", "floor", "conversation")


def column_name(profile: str, metric: str) -> str:
    """Return how a column of a profile's metric is called: `reference/composite_score`."""
    return f"{profile}/{metric}"


def floor_table(floors: Iterable[FloorScores]) -> pl.DataFrame:
    """Return one row a strategy, baseline and conversation, and a column a profile's metric; null where not defined.

    Scores of `random` are means over its draws.
    """
    names = [column_name(*column) for column in COLUMNS]
    tables = [
        pl.DataFrame(values, schema=dict.fromkeys(names, pl.Float64), orient="row", nan_to_null=True).select(
            pl.lit(found.strategy).alias("panas_strategy"),
            pl.lit(name).alias("floor"),
            pl.Series("conversation", list(found.places), dtype=pl.String),
            pl.all(),
        )
        for found in floors
        for name, values in found.values.items()
    ]
    empty = pl.DataFrame(schema=dict.fromkeys(KEYS, pl.String) | dict.fromkeys(names, pl.Float64))
    return pl.concat([empty, *tables])


def write_floors(floors: Iterable[FloorScores], folder: Path) -> Path:
    """Write the table into a folder, and return where it stands."""
    file = folder / FLOORS_FILE
    floor_table(floors).write_parquet(file)
    return file
