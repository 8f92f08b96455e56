"""The leaderboard: every row's values with intervals, ranks that the tests leave open, skill, and what runs cost."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from attunebench.analysis.compared import Compared
from attunebench.analysis.floors import Floors as FloorScores
from attunebench.analysis.floors import floors_of, skills_of
from attunebench.analysis.frames import RATE, counts, interval_note, numbers, row_columns, spread
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
    if inputs.cube.cluster_count < 2:
        missing.append(Missing("intervals and tests", "only one cluster: nothing can be resampled or tested"))
    if inputs.floors is None or inputs.floors.is_empty():
        missing.append(Missing("skill", "the scores have no floors.parquet; score again to have floors and ceiling"))
    else:
        floors = floors_of(inputs.floors, inputs.cube, keys)
        tables += [_skills(found, inputs, floors) for found in settings]
    board = pl.concat(tables, how="diagonal_relaxed")
    failed = _lost(inputs.scores)
    board = board.join(failed, on=failed.columns[:-1], how="left", maintain_order="left")
    first = ("model", "mode", "profile", "metric", "value", "lower", "upper", "rank_low", "rank_high", "n", "clusters")
    board = board.select(*first, "n_failed", pl.exclude(*first, "n_failed")).with_columns(note=interval_note())
    return Part(TITLE, [Table("leaderboard", "Every model on every metric", _METHOD, board)], missing)


def _metrics(found: Compared, inputs: Inputs) -> pl.DataFrame:
    ranks = [_ranks(found, place, found.value[:, place]) for place in range(len(found.metrics))]
    low, high = (np.stack(each, axis=1) for each in zip(*ranks, strict=True))
    return pl.DataFrame(
        {
            **spread(found.rows, found.metrics),
            "value": numbers(found.value),
            "lower": numbers(found.lower),
            "upper": numbers(found.upper),
            "rank_low": numbers(low).cast(pl.Int64),
            "rank_high": numbers(high).cast(pl.Int64),
            "first_share": numbers(_first(found, inputs)),
            "n": counts(found.n),
            "clusters": counts(found.clusters),
            "method": list(found.methods) * len(found.rows),
        }
    )


def _ranks(found: Compared, place: int, value: Floats) -> tuple[Floats, Floats]:
    """Return the best and worst rank of rows among those that have a value, shape (rows,); NaN of the others."""
    scored = np.flatnonzero(~np.isnan(value))
    low, high = np.full((2, len(value)), np.nan)
    low[scored], high[scored] = rank_ranges(found.wins(place)[np.ix_(scored, scored)])
    return low, high


def _first(found: Compared, inputs: Inputs) -> Floats:
    """Return the shares of first places, shape (rows, metrics); NaN of metrics that are not key."""
    shares = np.full(found.value.shape, np.nan)
    places = [inputs.cube.rows.index(row) for row in found.rows]
    for place, metric in enumerate(found.metrics):
        if metric.name in KEY and len(places) > 1:
            sums = mean_sums(inputs.cube.metric(*metric)[places].T, inputs.cube.clusters)
            shares[:, place] = first_shares(resample(sums, inputs.weights), direction(metric.name) or "up")
    return shares


def _skills(found: Compared, inputs: Inputs, floors: FloorScores) -> pl.DataFrame:
    chosen = [place for place, metric in enumerate(found.metrics) if metric in floors.metrics]
    return pl.concat([_skill(found, place, inputs, floors) for place in chosen])


def _skill(found: Compared, place: int, inputs: Inputs, floors: FloorScores) -> pl.DataFrame:
    metric = found.metrics[place]
    cube = inputs.cube.with_rows([inputs.cube.rows.index(row) for row in found.rows])
    covered = np.asarray(~np.isnan(cube.values).all(axis=2))
    strategy = found.rows[0].panas_strategy
    skills = skills_of(cube.metric(*metric), covered, floors, strategy, metric, cube, inputs.weights)
    lower, upper = percentile_bounds(skills.samples)
    few = (found.clusters[:, place] < 2) | np.isnan(skills.value)
    low, high = _ranks(found, place, skills.value)
    return pl.DataFrame(
        {
            **row_columns(found.rows),
            "profile": metric.profile,
            "metric": SKILL + metric.name,
            "value": numbers(skills.value),
            "lower": numbers(np.where(few, np.nan, lower)),
            "upper": numbers(np.where(few, np.nan, upper)),
            "rank_low": numbers(low).cast(pl.Int64),
            "rank_high": numbers(high).cast(pl.Int64),
            "floor": numbers(skills.floor),
            "ceiling": numbers(skills.ceiling),
            "n": counts(found.n[:, place]),
            "clusters": counts(found.clusters[:, place]),
            "method": RATE,
        }
    )


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
