"""Subgroups: do models read some people less well than others?

The published claim to check: models track people with a diagnosis less well. Groups differ in how hard they are, so the
floor and the ceiling of each group stand beside, and the difference in skill is tested too.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from attunebench.analysis.cube import Metric, RowKey
from attunebench.analysis.floors import Floors, best_floor, floors_of, skill
from attunebench.analysis.frames import MEAN, RATE, counts, numbers, row_columns
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import COMPOSITE, JUDGED, KEY, PILLARS
from attunebench.analysis.people import Grouping, Sorted, sort_people
from attunebench.analysis.ranking import SKILL
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.score.floors import CEILING, FLOORS
from attunebench.stats.crossed import compare_crossed
from attunebench.stats.groups import LEAST_CLUSTERS, compare_groups, draw_orders, draw_stratified
from attunebench.stats.mixed import mixed_model
from attunebench.stats.multiple import adjust
from attunebench.stats.resample import RESAMPLES, bootstrap_t, percentile_bounds, resample
from attunebench.stats.sums import Floats, mean_sums

TITLE = "Subgroups"
ALL_MODELS = "(mean of all models)"
SKILLED = (COMPOSITE, *PILLARS, "avg_pairwise_accuracy", JUDGED)
_PART = 5

_PEOPLE = (
    "How many conversations and participants each group has, by the mapping shown in analysis.json. Groups that stand "
    "for no kind of people are shown and not tested: not given, other, more than one."
)
_GROUPS = (
    "Means of a group's conversations; difference: less that of the reference group. Groups of people: clusters drawn "
    "within each group, bootstrap-t intervals, permutation test of clusters' labels. Groups of conversations of which "
    "a participant has several: whole clusters drawn, percentile interval of the difference, cluster-robust t-test. "
    "skill.NAME: with floor and ceiling of the group's own conversations, percentile intervals, p from the share of "
    "resamples beyond 0. p_bh: Benjamini-Hochberg over the models and groups of one metric; the mean of all models is "
    "a family of its own. A group of fewer than 10 clusters, or a reference group of fewer, is not tested."
)
_MIXED = (
    "score ~ group with a random intercept of the cluster, by restricted maximum likelihood; coefficient: difference "
    "from the reference group, p from Wald's z. problem: why there is no estimate."
)


def subgroups(inputs: Inputs, groupings: Sequence[Grouping]) -> Part:
    """Return who was counted where, groups' scores with their differences, and mixed models."""
    missing: list[Missing] = []
    people, groups, mixed = [], [], []
    for grouping in groupings:
        found = sort_people(grouping, inputs.conversations, inputs.cube)
        people.append(_people(found))
        tested = [name for name in found.names if found.is_tested(name)]
        if len(tested) < 2 or found.reference is None:
            missing.append(
                Missing("subgroups", f"{grouping.name}: fewer than 2 groups of {LEAST_CLUSTERS} participants")
            )
        for places in inputs.cube.settings().values():
            groups.append(_groups(inputs, found, places))
            if len(tested) >= 2 and found.reference in tested:
                mixed.append(_mixed(inputs, found, places, tested))
    tables = [
        Table("people", "Who was counted where", _PEOPLE, pl.concat(people, how="vertical_relaxed")),
        Table(
            "groups",
            "Every group, and its difference from the reference group",
            _GROUPS,
            pl.concat(groups, how="diagonal_relaxed"),
        ),
    ]
    if mixed:
        tables.append(
            Table("groups_mixed", "Groups in a mixed model", _MIXED, pl.concat(mixed, how="vertical_relaxed"))
        )
    return Part(TITLE, tables, missing)


def _people(found: Sorted) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "group_field": found.grouping.name,
            "group": found.names,
            "conversations": counts([found.conversations(name) for name in found.names]),
            "participants": counts([found.clusters(name) for name in found.names]),
            "reference": [name == found.reference for name in found.names],
            "tested": [found.is_tested(name) for name in found.names],
            "in_several": found.split,
        }
    )


def _rows(inputs: Inputs, places: Sequence[int]) -> tuple[list[RowKey], Floats]:
    """Return the rows of a setting with, if there are several, their mean; and values of all metrics."""
    rows = [inputs.cube.rows[place] for place in places]
    values = inputs.cube.values[list(places)]
    if len(rows) == 1:
        return rows, values
    defined = ~np.isnan(values)
    mean = np.where(defined, values, 0.0).sum(axis=0) / np.where(defined.any(axis=0), defined.sum(axis=0), np.nan)
    return [*rows, rows[0]._replace(model=ALL_MODELS)], np.concatenate([values, mean[None]])


def _groups(inputs: Inputs, found: Sorted, places: Sequence[int]) -> pl.DataFrame:
    rows, values = _rows(inputs, places)
    chosen = [place for place, metric in enumerate(inputs.cube.metrics) if metric.name in KEY]
    metrics = [inputs.cube.metrics[place] for place in chosen]
    tests = _tests(inputs, found, values[:, :, chosen])
    frames = [_frame(found, rows, metrics, tests)]
    if inputs.floors is not None and not inputs.floors.is_empty():
        floors = floors_of(inputs.floors, inputs.cube, metrics)
        skilled = [(place, metric) for place, metric in zip(chosen, metrics, strict=True) if metric in floors.metrics]
        frames[0] = _with_floors(frames[0], found, rows[0].panas_strategy, floors, metrics)
        frames += [
            _skill(inputs, found, rows, values[:, :, place], metric, floors)
            for place, metric in skilled
            if metric.name in SKILLED
        ]
    return _corrected(pl.concat(frames, how="diagonal_relaxed"))


class _Tests(dict[str, Floats]):
    """Columns of numbers by name, each of shape (groups, rows, metrics)."""


def _tests(inputs: Inputs, found: Sorted, values: Floats) -> _Tests:
    shape = (len(found.names), len(values), values.shape[2])
    flat = np.moveaxis(values, 1, 0).reshape(values.shape[1], -1)
    columns = _crossed(inputs, found, flat) if found.crossed else _apart(inputs, found, flat)
    n = [np.count_nonzero(~np.isnan(flat[found.index == group]), axis=0) for group in range(len(found.names))]
    tests = _Tests({name: np.asarray(each, dtype=np.float64).reshape(shape) for name, each in columns.items()})
    tests["n"] = np.array(n, dtype=np.float64).reshape(shape)
    untested = [place for place, name in enumerate(found.names) if not found.is_tested(name)]
    for name in ("difference_lower", "difference_upper", "p"):
        tests[name][untested] = np.nan
    return tests


_MEANS = ("value", "lower", "upper", "clusters", "difference", "difference_lower", "difference_upper", "p")


def _apart(inputs: Inputs, found: Sorted, flat: Floats) -> dict[str, Floats]:
    """Compare groups of clusters."""
    rng = inputs.rng(_PART)
    members = found.groups_of_clusters(inputs.cube)
    tests = compare_groups(
        mean_sums(flat, inputs.cube.clusters),
        members,
        draw_stratified(members, RESAMPLES, rng),
        draw_orders(len(members), RESAMPLES, rng),
        reference=found.reference_place,
    )
    return {name: getattr(tests, name) for name in _MEANS}


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
    columns = {name: np.array([getattr(mean, name) for mean in means]) for name in _MEANS[:4]}
    columns["difference"] = np.array([each.difference for each in tests])
    for name, field in (("difference_lower", "lower"), ("difference_upper", "upper"), ("p", "p")):
        columns[name] = np.where(enough, np.array([getattr(each, field) for each in tests]), np.nan)
    for name in _MEANS[4:]:
        columns[name][found.reference_place] = np.nan
    return columns


def _frame(found: Sorted, rows: Sequence[RowKey], metrics: Sequence[Metric], tests: _Tests) -> pl.DataFrame:
    times, groups = len(metrics), len(found.names)
    named = {name: np.tile(column, groups) for name, column in row_columns(rows, times).items()}
    return pl.DataFrame(
        {
            **named,
            "group_field": found.grouping.name,
            "group": np.repeat(np.array(found.names, dtype=object), len(rows) * times),
            "metric": [metric.name for metric in metrics] * (groups * len(rows)),
            "profile": [metric.profile for metric in metrics] * (groups * len(rows)),
            **{name: numbers(tests[name]) for name in _MEANS if name != "clusters"},
            "n": counts(tests["n"]),
            "clusters": counts(tests["clusters"]),
            "reference": found.reference,
            "method": f"{MEAN}; difference: {RATE if found.crossed else MEAN}",
        }
    )


def _with_floors(
    frame: pl.DataFrame, found: Sorted, strategy: str, floors: Floors, metrics: Sequence[Metric]
) -> pl.DataFrame:
    """Add the best floor and the ceiling of each group's own conversations."""
    cells = []
    for group, name in enumerate(found.names):
        inside = found.index == group
        for metric in metrics:
            if metric in floors.metrics:
                means = {
                    baseline: _mean(floors.of(strategy, baseline, metric)[inside]) for baseline in (*FLOORS, CEILING)
                }
                cells.append((name, *metric, float(best_floor(means, metric)[0]), float(means[CEILING][0])))
    beside = pl.DataFrame(
        cells,
        schema={
            "group": pl.String,
            "profile": pl.String,
            "metric": pl.String,
            "floor": pl.Float64,
            "ceiling": pl.Float64,
        },
        orient="row",
    ).with_columns(pl.col("floor", "ceiling").fill_nan(None).round(10))
    return frame.join(beside, on=["group", "profile", "metric"], how="left", maintain_order="left")


def _mean(values: Floats) -> Floats:
    defined = values[~np.isnan(values)]
    return np.array([defined.mean() if len(defined) else np.nan])


def _skill(
    inputs: Inputs, found: Sorted, rows: Sequence[RowKey], values: Floats, metric: Metric, floors: Floors
) -> pl.DataFrame:
    """Return the skill of every row in every group, and its difference from the reference group's."""
    weights = inputs.weights
    if not found.crossed:
        weights = draw_stratified(found.groups_of_clusters(inputs.cube), RESAMPLES, inputs.rng(_PART))
    baselines = [floors.of(rows[0].panas_strategy, name, metric) for name in (*FLOORS, CEILING)]
    columns = np.stack([*values, *baselines], axis=1)
    points, samples = zip(
        *(_group_skill(columns, found.index == group, inputs, weights, metric) for group in range(len(found.names))),
        strict=True,
    )
    point, sample = np.stack(points), np.stack(samples, axis=1)
    apart = sample - sample[:, [found.reference_place]]
    clusters = [found.clusters(name) for name in found.names]
    tested = np.array([found.is_tested(name) for name in found.names]) & found.is_tested(found.reference or "")
    tested[found.reference_place] = False
    off = np.where(tested[:, None], 1.0, np.nan)
    lower, upper = percentile_bounds(sample)
    apart_lower, apart_upper = percentile_bounds(apart)
    defined = np.array(
        [[np.count_nonzero(~np.isnan(row[found.index == group])) for row in values] for group in range(len(points))]
    )
    named = {name: np.tile(column, len(points)) for name, column in row_columns(rows).items()}
    enough = np.where(np.array(clusters) >= 2, 1.0, np.nan)[:, None]
    return pl.DataFrame(
        {
            **named,
            "group_field": found.grouping.name,
            "group": np.repeat(np.array(found.names, dtype=object), len(rows)),
            "metric": SKILL + metric.name,
            "profile": metric.profile,
            "value": numbers(point),
            "lower": numbers(lower * enough),
            "upper": numbers(upper * enough),
            "difference": numbers(
                np.where(
                    np.arange(len(points))[:, None] == found.reference_place,
                    np.nan,
                    point - point[found.reference_place],
                )
            ),
            "difference_lower": numbers(apart_lower * off),
            "difference_upper": numbers(apart_upper * off),
            "p": numbers(_tail_p(apart) * off),
            "n": counts(defined),
            "clusters": np.repeat(clusters, len(rows)),
            "reference": found.reference,
            "method": RATE,
        }
    )


def _group_skill(
    columns: Floats, inside: np.ndarray, inputs: Inputs, weights: Floats, metric: Metric
) -> tuple[Floats, Floats]:
    """Return rows' skill on the conversations inside, and in each resample, shape (rows,) and (resamples, rows)."""
    sums = mean_sums(np.where(inside[:, None], columns, np.nan), inputs.cube.clusters)
    found = []
    for values in (sums.value[None], resample(sums, weights)):
        floors = dict(zip((*FLOORS, CEILING), values[:, -len(FLOORS) - 1 :].T[:, :, None], strict=True))
        rows = values[:, : -len(FLOORS) - 1]
        found.append(skill(rows, best_floor(floors, metric), floors[CEILING], metric))
    return found[0][0], found[1]


def _tail_p(samples: Floats) -> Floats:
    """Return two-sided p-values from the share of resamples at or beyond 0, never 0; NaN where not defined."""
    defined = np.count_nonzero(~np.isnan(samples), axis=0)
    below, above = np.count_nonzero(samples <= 0, axis=0), np.count_nonzero(samples >= 0, axis=0)
    p = np.minimum(2 * (np.minimum(below, above) + 1) / (defined + 1), 1.0)
    return np.where(defined > 0, p, np.nan)


def _corrected(frame: pl.DataFrame) -> pl.DataFrame:
    family = ["profile", "metric", pl.col("model") == ALL_MODELS]
    p_bh = pl.col("p").map_batches(lambda p: numbers(adjust(p.to_numpy(), "bh")), return_dtype=pl.Float64).over(family)
    small = pl.when(pl.col("clusters") < LEAST_CLUSTERS).then(
        pl.lit(f"fewer than {LEAST_CLUSTERS} clusters: not tested")
    )
    return frame.with_columns(p_bh=p_bh, note=small)


def _mixed(inputs: Inputs, found: Sorted, places: Sequence[int], tested: Sequence[str]) -> pl.DataFrame:
    rows, values = _rows(inputs, places)
    chosen = [place for place, metric in enumerate(inputs.cube.metrics) if metric.name == COMPOSITE]
    order = [found.reference or "", *(name for name in tested if name != found.reference)]
    groups = np.array([order.index(name) if name in order else -1 for name in np.array(found.names)[found.index]])
    kept = groups >= 0
    records = [
        record
        for row, scores in zip(rows, values, strict=True)
        for place in chosen
        for record in _fitted(
            found, order, row, inputs.cube.metrics[place], scores[kept, place], groups[kept], inputs.cube.clusters[kept]
        )
    ]
    return pl.DataFrame(records, infer_schema_length=None)


def _fitted(
    found: Sorted,
    order: Sequence[str],
    row: RowKey,
    metric: Metric,
    values: Floats,
    groups: np.ndarray,
    clusters: np.ndarray,
) -> Iterator[dict[str, object]]:
    fit = mixed_model(values, groups, clusters)
    defined = ~np.isnan(values)
    for place, name in enumerate(order[1:], start=1):
        coefficient, se, p = (float(each[place]) for each in (fit.coefficients, fit.se, fit.p))
        yield {
            **row._asdict(),
            "group_field": found.grouping.name,
            "group": name,
            "reference": order[0],
            "metric": metric.name,
            "profile": metric.profile,
            "coefficient": None if np.isnan(coefficient) else round(coefficient, 10),
            "se": None if np.isnan(se) else round(se, 10),
            "p": None if np.isnan(p) else round(p, 10),
            "n": int(np.count_nonzero(defined)),
            "clusters": len(np.unique(clusters[defined])),
            "converged": fit.converged,
            "problem": fit.problem,
            "method": "linear mixed model, REML",
        }
