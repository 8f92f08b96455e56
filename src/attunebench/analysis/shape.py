"""The shape of scores: how they are spread over conversations, model by metric, and how metrics go together."""

from itertools import combinations

import numpy as np
import polars as pl
from scipy.stats import rankdata

from attunebench.analysis.compared import Compared
from attunebench.analysis.cube import Cube
from attunebench.analysis.frames import RATE, counts, interval_note, mean_columns, numbers, row_columns, spread
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import KEY, is_mean
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.correlation import pearson_of_sums
from attunebench.stats.covariance import model_sums
from attunebench.stats.resample import bootstrap_t, percentile_bounds
from attunebench.stats.sums import Floats, add_by_cluster, ratio

TITLE = "Distributions, heat map, metric relations and perspective gap"

QUANTILES = {"min": 0.0, "q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "max": 1.0}
GAPS = ("hp_perspective_gap", "hp_perspective_alignment", "hp_perspective_gap_mcc", "hp_perspective_alignment_mcc")

_SPREAD = (
    "Quantiles (linear interpolation) and sample standard deviation of a score over conversations. They describe "
    "these conversations, and have no interval."
)
_HEAT = "The values of the leaderboard, one row a model, one column a metric; intervals stand there."
_RELATIONS = (
    "Spearman's rank correlation of two metrics over the conversations in which both are defined, within each row (a "
    "model under a condition), so that differences between models play no part. Interval: percentile, over clusters, "
    "of ranks made once."
)
_GAP = (
    "gap: preferred accuracy when asked in the review less that when asked from the participant's perspective; "
    "alignment: perspective over review; neither greater nor less is better. Interval: bootstrap-t over clusters, 95 "
    "%."
)


def shape(inputs: Inputs, settings: list[Compared]) -> Part:
    """Return the tables of this part."""
    cube = inputs.cube.with_metrics(is_mean)
    missing = []
    gaps = inputs.cube.with_metrics(lambda metric: metric.name in GAPS)
    if np.isnan(gaps.values).all():
        missing.append(Missing("perspective_gap", "no turn has yes/no questions that were answered from both sides"))
    return Part(
        TITLE,
        [
            Table(
                "distributions", "How scores are spread over conversations", _SPREAD, _distributions(cube), "quantile"
            ),
            Table("heat_map", "Model by metric", _HEAT, _heat_map(settings)),
            Table("metric_relations", "How metrics go together within a model", _RELATIONS, _relations(inputs)),
            Table("perspective_gap", "Own reading against the participant's perspective", _GAP, _gaps(gaps, inputs)),
        ],
        missing,
    )


def _distributions(cube: Cube) -> pl.DataFrame:
    values = cube.values
    defined = ~np.isnan(values)
    n = defined.sum(axis=1)
    found = np.full((len(QUANTILES), *n.shape), np.nan)
    some = n > 0
    by_cell = np.moveaxis(values, 1, 2)[some]
    found[:, some] = np.nanquantile(by_cell, [*QUANTILES.values()], axis=1)
    mean = ratio(np.where(defined, values, 0.0).sum(axis=1), n.astype(np.float64))
    squares = np.where(defined, (values - mean[:, None, :]) ** 2, 0.0).sum(axis=1)
    deviation = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    clusters = model_sums(values, cube.clusters).clusters
    return pl.DataFrame(
        {
            **spread(cube.rows, cube.metrics),
            "mean": numbers(mean),
            "sd": numbers(deviation),
            **{name: numbers(each) for name, each in zip(QUANTILES, found, strict=True)},
            "n": counts(n),
            "clusters": counts(clusters),
        }
    )


def _heat_map(settings: list[Compared]) -> pl.DataFrame:
    frames = [
        pl.DataFrame(
            row_columns(found.rows)
            | {
                f"{metric.profile}/{metric.name}": numbers(found.value[:, place])
                for place, metric in enumerate(found.metrics)
            }
        )
        for found in settings
    ]
    return pl.concat(frames, how="diagonal_relaxed")


def _relations(inputs: Inputs) -> pl.DataFrame:
    cube = inputs.cube.with_metrics(lambda metric: metric.name in KEY)
    pairs = [
        (row, one, other)
        for row in range(len(cube.rows))
        for one, other in combinations(range(len(cube.metrics)), 2)
        if cube.metrics[one].profile == cube.metrics[other].profile
    ]
    found = [_spearman(cube.values[row][:, [one, other]], cube, inputs.weights) for row, one, other in pairs]
    value, lower, upper, n, clusters = zip(*found, strict=True) if found else ([],) * 5
    return pl.DataFrame(
        {
            **row_columns([cube.rows[row] for row, _, _ in pairs]),
            "profile": [cube.metrics[one].profile for _, one, _ in pairs],
            "metric_a": [cube.metrics[one].name for _, one, _ in pairs],
            "metric_b": [cube.metrics[other].name for _, _, other in pairs],
            "spearman": numbers(value),
            "lower": numbers(lower),
            "upper": numbers(upper),
            "n": counts(n),
            "clusters": counts(clusters),
            "method": RATE,
        }
    ).with_columns(note=interval_note("spearman"))


def _spearman(pair: Floats, cube: Cube, weights: Floats) -> tuple[float, float, float, int, int]:
    """Return the correlation of two columns' ranks, its bounds, n and clusters; NaN where not defined."""
    both = np.asarray(~np.isnan(pair).any(axis=1))
    clusters = len(np.unique(cube.clusters[both]))
    if both.sum() < 3 or clusters < 2:
        return np.nan, np.nan, np.nan, int(both.sum()), clusters
    x, y = rankdata(pair[both], axis=0).T
    x, y = x - x.mean(), y - y.mean()
    moments = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)
    sums = add_by_cluster(moments, cube.clusters[both], weights.shape[1])
    value = float(pearson_of_sums(sums.sum(axis=0)))
    lower, upper = percentile_bounds(pearson_of_sums(weights @ sums)[:, None])
    return value, float(lower[0]), float(upper[0]), int(both.sum()), clusters


def _gaps(cube: Cube, inputs: Inputs) -> pl.DataFrame:
    found = bootstrap_t(model_sums(cube.values, cube.clusters), inputs.weights)
    by_conversation = np.moveaxis(cube.values, 1, 0).reshape(len(cube.conversations), -1)
    columns = mean_columns(by_conversation, found)
    return pl.DataFrame({**spread(cube.rows, cube.metrics), **columns}).with_columns(note=interval_note())
