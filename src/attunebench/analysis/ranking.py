"""The leaderboard: every row's values with intervals, ranks that the tests leave open, skill, and what runs cost."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from attunebench.analysis.compared import Compared
from attunebench.analysis.cube import Metric
from attunebench.analysis.floors import Floors, Skill, floors_of, skill_of_row
from attunebench.analysis.frames import RATE, counts, few_clusters, numbers, row_columns, spread
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import KEY
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.score.skill import direction
from attunebench.stats.ranks import first_shares, rank_ranges
from attunebench.stats.resample import percentile_bounds, resample
from attunebench.stats.sums import Floats, mean_sums

TITLE = "Leaderboard"

SKILL = "skill."
"""Before the name of a metric: where the row stands between its best floor (0) and its ceiling (100)."""

_METHOD = (
    "Means over conversations, pooled rates of added counts; 95 % intervals over clusters: bootstrap-t of means, "
    "percentile of the rest. rank_low to rank_high: a model ranks below only those distinguished above it and above "
    "only those distinguished below it (sign-flip test by cluster, Holm over the pairs of the metric, .05). "
    "first_share: share of resamples in which it comes first. skill.NAME: 100 x (value - floor)/(ceiling - floor), on "
    "the row's own conversations, all of it computed again in each resample; ranks are those of NAME. n_failed: items "
    "of the metric lost to failed calls."
)


def ranking(inputs: Inputs, settings: Sequence[Compared]) -> Part:
    """Return the leaderboard, and floors and ceiling beside it."""
    keys = [metric for metric in inputs.cube.metrics if metric.name in KEY]
    tables = [_metrics(found, inputs) for found in settings]
    missing = []
    if inputs.floors is None or inputs.floors.is_empty():
        missing.append(Missing("skill", "the scores have no floors.parquet; score again to have floors and ceiling"))
    else:
        floors = floors_of(inputs.floors, inputs.cube, keys)
        tables += [_skills(found, inputs, floors) for found in settings]
    board = pl.concat(tables, how="diagonal_relaxed")
    failed = _lost(inputs.scores)
    board = board.join(failed, on=failed.columns[:-1], how="left", maintain_order="left")
    first = ("model", "mode", "profile", "metric", "value", "lower", "upper", "rank_low", "rank_high", "n", "clusters")
    board = board.select(*first, "n_failed", pl.exclude(*first, "n_failed")).with_columns(
        note=few_clusters(pl.col("clusters"))
    )
    return Part(TITLE, [Table("leaderboard", "Every model on every metric", _METHOD, board)], missing)


def _metrics(found: Compared, inputs: Inputs) -> pl.DataFrame:
    ranks = [rank_ranges(found.wins(place)) for place in range(len(found.metrics))]
    low, high = (np.stack(each, axis=1) for each in zip(*ranks, strict=True))
    return pl.DataFrame(
        {
            **spread(found.rows, found.metrics),
            "value": numbers(found.value),
            "lower": numbers(found.lower),
            "upper": numbers(found.upper),
            "rank_low": counts(low),
            "rank_high": counts(high),
            "first_share": numbers(_first(found, inputs)),
            "n": counts(found.n),
            "clusters": counts(found.clusters),
            "method": list(found.methods) * len(found.rows),
        }
    )


def _first(found: Compared, inputs: Inputs) -> Floats:
    """Return the shares of first places, shape (rows, metrics); NaN of metrics that are not key."""
    shares = np.full(found.value.shape, np.nan)
    places = [inputs.cube.rows.index(row) for row in found.rows]
    for place, metric in enumerate(found.metrics):
        if metric.name in KEY and len(places) > 1:
            sums = mean_sums(inputs.cube.metric(*metric)[places].T, inputs.cube.clusters)
            shares[:, place] = first_shares(resample(sums, inputs.weights), direction(metric.name) or "up")
    return shares


def _skills(found: Compared, inputs: Inputs, floors: Floors) -> pl.DataFrame:
    chosen = [place for place, metric in enumerate(found.metrics) if metric in floors.metrics]
    return pl.concat([_skill(found, place, inputs, floors) for place in chosen])


def _skill(found: Compared, place: int, inputs: Inputs, floors: Floors) -> pl.DataFrame:
    metric, cube = found.metrics[place], inputs.cube
    values = cube.metric(*metric)
    skills = [
        _row_skill(values[cube.rows.index(row)], cube.rows.index(row), metric, inputs, floors) for row in found.rows
    ]
    samples = np.stack([each.samples for each in skills], axis=1)
    lower, upper = percentile_bounds(samples)
    few = found.clusters[:, place] < 2
    low, high = rank_ranges(found.wins(place))
    return pl.DataFrame(
        {
            **row_columns(found.rows),
            "profile": metric.profile,
            "metric": SKILL + metric.name,
            "value": numbers([each.value for each in skills]),
            "lower": numbers(np.where(few, np.nan, lower)),
            "upper": numbers(np.where(few, np.nan, upper)),
            "rank_low": counts(low),
            "rank_high": counts(high),
            "floor": numbers([each.floor for each in skills]),
            "ceiling": numbers([each.ceiling for each in skills]),
            "n": counts(found.n[:, place]),
            "clusters": counts(found.clusters[:, place]),
            "method": RATE,
        }
    )


def _row_skill(values: Floats, row: int, metric: Metric, inputs: Inputs, floors: Floors) -> Skill:
    covered = np.asarray(~np.isnan(inputs.cube.values[row]).all(axis=1))
    strategy = inputs.cube.rows[row].panas_strategy
    return skill_of_row(values, covered, floors, strategy, metric, inputs.cube, inputs.weights)


def _lost(scores: pl.DataFrame) -> pl.DataFrame:
    """Return how many items of each metric failed calls took away; those of the strict profile, for both."""
    keys = ("model", "mode", "panas_strategy", "condition", "metric")
    lost = (
        scores.filter(pl.col("level") == "conversation", pl.col("profile") == "strict")
        .group_by(*keys)
        .agg(n_failed=pl.col("n_failed").sum())
        .with_columns(pl.col(pl.Categorical).cast(pl.String))
    )
    return pl.concat([lost, lost.with_columns(metric=pl.lit(SKILL) + pl.col("metric"))]).select(*keys, "n_failed")
