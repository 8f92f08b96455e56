"""Scores of groups of conversations, and how far each group is from the reference group."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunebench.analysis.cube import Metric, RowKey
from attunebench.analysis.floors import Floors as FloorScores
from attunebench.analysis.floors import floors_of, skills_of
from attunebench.analysis.frames import MEAN, RATE, counts, interval_note, numbers, row_columns
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import COMPOSITE, JUDGED, KEY, PILLARS
from attunebench.analysis.people import Sorted
from attunebench.analysis.ranking import SKILL
from attunebench.stats.crossed import compare_crossed
from attunebench.stats.groups import (
    LEAST_CLUSTERS,
    compare_groups,
    draw_orders,
    draw_stratified,
    percentile_differences,
)
from attunebench.stats.multiple import adjust
from attunebench.stats.resample import bootstrap_t, percentile_bounds
from attunebench.stats.sums import Floats, mean_sums

ALL_MODELS = "(mean of all models)"
SKILLED = (COMPOSITE, *PILLARS, "avg_pairwise_accuracy", JUDGED)
METHOD = (
    "Means of a group's conversations; difference: less that of the reference group. Groups of people: clusters drawn "
    "within each group, bootstrap-t intervals, permutation test of clusters' labels. Groups of conversations of which "
    "a participant has several: whole clusters drawn, percentile interval of the difference, cluster-robust t-test. "
    "floor, ceiling: of the group's own conversations that the row covers. skill.NAME: between them, percentile "
    "intervals, p from the share of resamples beyond 0. p_bh: Benjamini-Hochberg over the models and groups of one "
    "metric; the mean of all models is a family of its own. A group of fewer than 10 clusters, or a reference group of "
    "fewer, is not tested."
)
_PART = 5

_GROUP = ("value", "lower", "upper", "clusters")
_APART = ("difference", "difference_lower", "difference_upper", "p")


def with_mean(inputs: Inputs, places: Sequence[int]) -> tuple[list[RowKey], Floats]:
    """Return the rows of a setting with, if there are several, their mean; and values of all metrics."""
    cube = inputs.cube.with_rows(places)
    if len(cube.rows) == 1:
        return [*cube.rows], cube.values
    defined = ~np.isnan(cube.values)
    added, count = np.where(defined, cube.values, 0.0).sum(axis=0), defined.sum(axis=0)
    mean = added / np.where(count, count, np.nan)
    return [*cube.rows, cube.rows[0]._replace(model=ALL_MODELS)], np.concatenate([cube.values, mean[None]])


def group_scores(inputs: Inputs, found: Sorted, places: Sequence[int]) -> pl.DataFrame:
    """Return the scores and skill of every row of a setting in every group, with differences from the reference."""
    rows, values = with_mean(inputs, places)
    metrics = [metric for metric in inputs.cube.metrics if metric.name in KEY]
    chosen = values[:, :, [inputs.cube.metrics.index(metric) for metric in metrics]]
    frames = [_means(inputs, found, rows, metrics, chosen)]
    if inputs.floors is not None and not inputs.floors.is_empty():
        floors = floors_of(inputs.floors, inputs.cube, metrics)
        covered = np.asarray(~np.isnan(values).all(axis=2))
        frames += [
            _skill(inputs, found, rows, chosen[:, :, place], covered, metric, floors)
            for place, metric in enumerate(metrics)
            if metric in floors.metrics and metric.name in SKILLED
        ]
    return _corrected(pl.concat(frames, how="diagonal_relaxed"))


def _means(
    inputs: Inputs, found: Sorted, rows: Sequence[RowKey], metrics: Sequence[Metric], values: Floats
) -> pl.DataFrame:
    shape = (len(found.names), len(rows), len(metrics))
    flat = np.moveaxis(values, 1, 0).reshape(values.shape[1], -1)
    compared = _crossed(inputs, found, flat) if found.crossed else _of_people(inputs, found, flat)
    tests = {name: np.asarray(each, dtype=np.float64).reshape(shape) for name, each in compared.items()}
    for group in np.flatnonzero([not found.is_tested(name) for name in found.names]):
        for name in _APART[1:]:
            tests[name][group] = np.nan
    n = [np.count_nonzero(~np.isnan(flat[found.index == group]), axis=0) for group in range(len(found.names))]
    return pl.DataFrame(
        {
            **_names(found, rows, metrics),
            **{name: numbers(tests[name]) for name in ("value", "lower", "upper")},
            **_differences(found, tests),
            "n": counts(n),
            "clusters": counts(tests["clusters"]),
            "reference": found.reference,
            "method": f"{MEAN}; difference: {RATE if found.crossed else MEAN}",
        }
    )


def _of_people(inputs: Inputs, found: Sorted, flat: Floats) -> dict[str, Floats]:
    """Compare groups of clusters."""
    rng = inputs.rng(_PART)
    members = found.groups_of_clusters(inputs.cube)
    tests = compare_groups(
        mean_sums(flat, inputs.cube.clusters),
        members,
        draw_stratified(members, len(inputs.weights), rng),
        draw_orders(len(members), len(inputs.flips), rng),
        reference=found.reference_place,
    )
    return {name: getattr(tests, name) for name in (*_GROUP, *_APART)}


def _crossed(inputs: Inputs, found: Sorted, flat: Floats) -> dict[str, Floats]:
    """Compare groups of conversations that clusters cross."""
    sums = [
        mean_sums(np.where((found.index == group)[:, None], flat, np.nan), inputs.cube.clusters)
        for group in range(len(found.names))
    ]
    means = [bootstrap_t(each, inputs.weights) for each in sums]
    reference = sums[found.reference_place]
    tests = [compare_crossed(each, reference, inputs.weights) for each in sums]
    enough = [np.minimum(each.clusters, reference.clusters) >= LEAST_CLUSTERS for each in sums]
    columns = {name: np.array([getattr(mean, name) for mean in means]) for name in _GROUP}
    columns["difference"] = np.array([each.difference for each in tests])
    for name, field in zip(_APART[1:], ("lower", "upper", "p"), strict=True):
        columns[name] = np.where(enough, np.array([getattr(each, field) for each in tests]), np.nan)
    for name in _APART:
        columns[name][found.reference_place] = np.nan
    return columns


def _skill(
    inputs: Inputs,
    found: Sorted,
    rows: Sequence[RowKey],
    values: Floats,
    covered: NDArray[np.bool],
    metric: Metric,
    floors: FloorScores,
) -> pl.DataFrame:
    """Return the skill of every row in every group, and its difference from the reference group's."""
    cube, weights = inputs.cube, inputs.weights
    if not found.crossed:
        weights = draw_stratified(found.groups_of_clusters(cube), len(inputs.weights), inputs.rng(_PART))
    insides = [found.index == group for group in range(len(found.names))]
    skills = [
        skills_of(values, covered & inside, floors, rows[0].panas_strategy, metric, cube, weights) for inside in insides
    ]
    value, samples = np.stack([each.value for each in skills]), np.stack([each.samples for each in skills], axis=1)
    defined = [~np.isnan(values) & inside for inside in insides]
    clusters = np.array([[len(np.unique(cube.clusters[row])) for row in each] for each in defined])
    lower, upper = (np.where(clusters < 2, np.nan, bound) for bound in percentile_bounds(samples))
    enough = np.minimum(clusters, clusters[found.reference_place]) >= LEAST_CLUSTERS
    enough &= np.array([[found.is_tested(name)] for name in found.names])
    difference = value - value[found.reference_place]
    difference[found.reference_place] = np.nan
    apart_lower, apart_upper = percentile_differences(samples, found.reference_place)
    tests = {"difference": difference, "difference_lower": apart_lower, "difference_upper": apart_upper}
    tests["p"] = np.where(np.isnan(difference), np.nan, _tail_p(samples - samples[:, [found.reference_place]]))
    for name in _APART[1:]:
        tests[name] = np.where(enough, tests[name], np.nan)
    return pl.DataFrame(
        {
            **_names(found, rows, [Metric(metric.profile, SKILL + metric.name)]),
            "value": numbers(value),
            "lower": numbers(lower),
            "upper": numbers(upper),
            **_differences(found, tests),
            "floor": numbers([each.floor for each in skills]),
            "ceiling": numbers([each.ceiling for each in skills]),
            "n": counts(np.count_nonzero(defined, axis=2)),
            "clusters": counts(clusters),
            "reference": found.reference,
            "method": RATE,
        }
    )


def _tail_p(samples: Floats) -> Floats:
    """Return two-sided p-values from the share of resamples at or beyond 0, never 0; NaN where not defined."""
    defined = np.count_nonzero(~np.isnan(samples), axis=0)
    below, above = np.count_nonzero(samples <= 0, axis=0), np.count_nonzero(samples >= 0, axis=0)
    p = np.minimum(2 * (np.minimum(below, above) + 1) / (defined + 1), 1.0)
    return np.where(defined > 0, p, np.nan)


def _names(found: Sorted, rows: Sequence[RowKey], metrics: Sequence[Metric]) -> Mapping[str, Any]:
    """Return the columns that name groups x rows x metrics, groups outermost."""
    groups, each = len(found.names), len(rows) * len(metrics)
    return {name: np.tile(column, groups) for name, column in row_columns(rows, len(metrics)).items()} | {
        "group_field": found.grouping.name,
        "group": np.repeat(np.array(found.names, dtype=object), each),
        "metric": [metric.name for metric in metrics] * (groups * len(rows)),
        "profile": [metric.profile for metric in metrics] * (groups * len(rows)),
    }


def _differences(found: Sorted, tests: Mapping[str, Floats]) -> Mapping[str, pl.Series]:
    """Return the columns of differences; nothing where there is no reference group."""
    return {
        name: numbers(tests[name] if found.reference is not None else np.full_like(tests[name], np.nan))
        for name in _APART
    }


def _corrected(frame: pl.DataFrame) -> pl.DataFrame:
    family = ["profile", "metric", pl.col("model") == ALL_MODELS]
    p_bh = pl.col("p").map_batches(lambda p: numbers(adjust(p.to_numpy(), "bh")), return_dtype=pl.Float64).over(family)
    small = (pl.col("n") > 0) & (pl.col("clusters") < LEAST_CLUSTERS)
    note = (
        pl.when(small)
        .then(pl.lit(f"fewer than {LEAST_CLUSTERS} clusters: not tested"))
        .otherwise(interval_note(method=pl.col("method").str.split(";").list.first()))
    )
    return frame.with_columns(p_bh=p_bh, note=note)
