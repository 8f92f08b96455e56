"""Making tidy frames: what rows and metrics are called, and numbers with nothing where not defined."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from attunebench.analysis.cube import Metric, RowKey
from attunebench.stats.resample import Intervals
from attunebench.stats.sums import Floats

MEAN: Final = "bootstrap-t"
RATE: Final = "percentile"
"""How intervals are made: of means, and of everything else."""

METHOD: Final = pl.col("method")

FEWEST: Final = {MEAN: 10, RATE: 100}
"""With fewer clusters, intervals cover less than they say: docs/statistics.md, tables 1, 8 and 9."""


def numbers(values: ArrayLike) -> pl.Series:
    """Return numbers as a column, null where NaN, rounded so that they are the same on every machine, -0 too."""
    return pl.Series(np.round(np.asarray(values, dtype=np.float64).ravel(), 10) + 0.0, nan_to_null=True)


def counts(values: ArrayLike) -> pl.Series:
    """Return counts as a column."""
    return pl.Series(np.asarray(values, dtype=np.int64).ravel())


def mean_columns(values: Floats, found: Intervals, name: str = "value") -> dict[str, pl.Series | str]:
    """Return the columns of means over conversations, of values of shape (conversations, columns), under a name."""
    return {
        name: numbers(found.value),
        "lower": numbers(found.lower),
        "upper": numbers(found.upper),
        "n": counts(np.count_nonzero(~np.isnan(values), axis=0)),
        "clusters": counts(found.clusters),
        "method": MEAN,
    }


def spread(rows: Sequence[RowKey], metrics: Sequence[Metric]) -> Mapping[str, Any]:
    """Return the columns that name rows x metrics, rows outermost, as arrays of that shape are flattened."""
    return row_columns(rows, len(metrics)) | {
        "profile": [metric.profile for metric in metrics] * len(rows),
        "metric": [metric.name for metric in metrics] * len(rows),
    }


def row_columns(rows: Sequence[RowKey], times: int = 1) -> dict[str, NDArray[np.str_]]:
    """Return the columns that name rows, each as many times."""
    columns = zip(*rows, strict=True) if rows else [[]] * len(RowKey._fields)
    return {
        name: np.repeat(np.array(column, dtype=object), times)
        for name, column in zip(RowKey._fields, columns, strict=True)
    }


def few_clusters(clusters: pl.Expr, method: pl.Expr = METHOD) -> pl.Expr:
    """Return what is to be said of an interval made by a method over so many clusters, mostly nothing."""
    said = pl.lit(None, dtype=pl.String)
    for name, fewest in FEWEST.items():
        text = f"fewer than {fewest} clusters: the interval may be too short"
        said = pl.when((method == name) & (clusters < fewest)).then(pl.lit(text)).otherwise(said)
    return said


def interval_note(value: str = "value", lower: str = "lower", method: pl.Expr = METHOD) -> pl.Expr:
    """Return why there is no value or interval, from their columns, `n` and `clusters`; else as `few_clusters`."""
    return (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("not defined in any conversation"))
        .when(pl.col(value).is_null())
        .then(pl.lit("not defined on these conversations"))
        .when(pl.col("clusters") < 2)
        .then(pl.lit("fewer than 2 clusters: no interval"))
        .when(pl.col(lower).is_null())
        .then(pl.lit("no interval: clusters do not vary, or too few of them do"))
        .otherwise(few_clusters(pl.col("clusters"), method))
    )
