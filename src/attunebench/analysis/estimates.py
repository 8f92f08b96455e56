"""Statistics of answers by group, with intervals that resample whole clusters."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import polars as pl

from attunebench.analysis.cube import ROW_COLUMNS, RowKey
from attunebench.analysis.frames import MEAN, RATE, counts, interval_note, numbers, row_columns
from attunebench.analysis.inputs import Inputs
from attunebench.stats.resample import bootstrap_t, percentile_bounds
from attunebench.stats.sums import ClusterSums, Floats, Ints

ALL: Final = "(all)"
"""Stands for the model in rows that are of all models of a setting."""


def means(frame: pl.DataFrame, keys: Sequence[str], values: Sequence[str], inputs: Inputs) -> pl.DataFrame:
    """Return the means of columns by group, one row a group and column, with bootstrap-t intervals.

    Args:
        frame: has `conversation` (its place in the cube), `keys` without nulls, and `values`, null where not defined.
        keys: what makes a group; groups come in their order.
        values: numbers or booleans.
        inputs: whose clusters are resampled.

    Returns:
        `keys`, `metric` (the name in `values`), `value`, `n` (rows in it), `clusters`, `lower`, `upper`, `method`,
        `profile`, `note`. Null where not defined.
    """
    counted = [pl.col(name).is_not_null().alias(f"{name} n") for name in values]
    groups, sums = _sums(frame.with_columns(counted), keys, [*values, *(f"{name} n" for name in values)], inputs)
    tops, bottoms = sums[:, :, : len(values)], sums[:, :, len(values) :]
    by_cluster = ClusterSums(tops.reshape(len(sums), -1), bottoms.reshape(len(sums), -1))
    found = bootstrap_t(by_cluster, inputs.weights)
    n = bottoms.sum(axis=0).ravel()
    return _rows(groups, values, found.value, n, found.clusters, (found.lower, found.upper), MEAN)


def statistics(
    frame: pl.DataFrame,
    keys: Sequence[str],
    sums: Sequence[str],
    names: Sequence[str],
    statistic: Callable[[Floats], Floats],
    inputs: Inputs,
) -> pl.DataFrame:
    """Return statistics that are functions of sums, by group, with percentile intervals.

    Args:
        frame: as of `means`.
        keys: as of `means`.
        sums: columns to add up; the first one is `n`, the number of observations.
        names: of the statistics.
        statistic: from sums, shape (…, sums), to statistics, shape (…, names), NaN where not defined.
        inputs: as of `means`.

    Returns:
        As of `means`. An interval needs 2 clusters, and a value.
    """
    groups, by_cluster = _sums(frame, keys, sums, inputs)
    values = np.full((groups.height, len(names)), np.nan)
    bounds = np.full((2, groups.height, len(names)), np.nan)
    clusters = np.count_nonzero(by_cluster[:, :, 0], axis=0)
    for place in range(groups.height):
        values[place] = statistic(by_cluster[:, place].sum(axis=0))
        if clusters[place] >= 2:
            bounds[:, place] = percentile_bounds(statistic(inputs.weights @ by_cluster[:, place]))
    bounds[:, np.isnan(values)] = np.nan
    n = by_cluster[:, :, 0].sum(axis=0)
    each = len(names)
    return _rows(
        groups,
        names,
        values.ravel(),
        np.repeat(n, each),
        np.repeat(clusters, each),
        (bounds[0].ravel(), bounds[1].ravel()),
        RATE,
    )


def named(frame: pl.DataFrame, rows: Sequence[RowKey]) -> pl.DataFrame:
    """Return the frame with the four columns of its rows in place of `row`, their place, and with plain texts."""
    schema = dict.fromkeys(ROW_COLUMNS, pl.String())
    keys = pl.DataFrame(row_columns([rows[place] for place in frame["row"]]), schema=schema)
    coded = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Enum)]
    return pl.concat([keys, frame.drop("row").cast(dict.fromkeys(coded, pl.String()))], how="horizontal")


def of_settings(frame: pl.DataFrame, inputs: Inputs) -> tuple[pl.DataFrame, list[RowKey]]:
    """Return the frame with `row` the place of a setting, of all its models, and those rows: see `ALL`."""
    rows = [RowKey(ALL, *setting) for setting in inputs.cube.settings()]
    place = np.array([rows.index(RowKey(ALL, *row.setting)) for row in inputs.cube.rows], dtype=np.int64)
    return frame.with_columns(pl.Series("row", place[frame["row"].to_numpy()])), rows


def _sums(
    frame: pl.DataFrame, keys: Sequence[str], columns: Sequence[str], inputs: Inputs
) -> tuple[pl.DataFrame, Floats]:
    """Return the groups, and sums of columns, shape (clusters, groups, columns)."""
    clusters = pl.Series("cluster", inputs.cube.clusters[frame["conversation"].to_numpy()])
    added = frame.with_columns(clusters).group_by(*keys, "cluster").agg(pl.col(*columns).sum().cast(pl.Float64))
    groups = added.select(keys).unique().sort(keys)
    places = added.select(*keys, "cluster").join(groups.with_row_index("group"), on=keys, maintain_order="left")
    sums = np.zeros((inputs.cube.cluster_count, groups.height, len(columns)))
    sums[places["cluster"].to_numpy(), places["group"].to_numpy()] = added.select(columns).to_numpy()
    return groups, sums


def _rows(
    groups: pl.DataFrame,
    names: Sequence[str],
    values: Floats,
    n: Floats,
    clusters: Ints,
    bounds: tuple[Floats, Floats],
    method: str,
) -> pl.DataFrame:
    """Return a row a group and name."""
    found = pl.DataFrame(
        {
            "metric": pl.Series([*names] * groups.height, dtype=pl.String),
            "value": numbers(values),
            "n": counts(n),
            "clusters": counts(clusters),
            "lower": numbers(bounds[0]),
            "upper": numbers(bounds[1]),
        }
    ).with_columns(method=pl.lit(method), profile=pl.lit("strict"), note=interval_note(method=pl.lit(method)))
    repeated = groups[np.repeat(np.arange(groups.height), len(names))]
    return pl.concat([repeated, found], how="horizontal")
