"""Two models on one metric: all that can be said of their difference."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from attunebench.analysis.compared import Compared, compare_settings
from attunebench.analysis.cube import ERROR_ITEMS, Metric, RowKey
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import is_mean, pooled_of
from attunebench.errors import UsageError
from attunebench.stats.equivalence import tost
from attunebench.stats.power import clusters_needed, smallest_detectable


@dataclass(frozen=True)
class Side:
    """One model's value on its own conversations, with its interval; none where not defined."""

    row: RowKey
    value: float | None
    lower: float | None
    upper: float | None
    n: int


@dataclass(frozen=True)
class PairResult:
    """A difference, first model less second, over the conversations both have; none where not defined.

    `family`: how many pairs `p_holm` is corrected for. `detectable`: the smallest true difference that these data find
    with 80 % power in a single test; `needed`: conversations that the observed difference would take. `equivalence`: p
    of the two one-sided tests for the margin that was asked for.
    """

    metric: Metric
    one: Side
    other: Side
    difference: float | None
    lower: float | None
    upper: float | None
    p: float | None
    p_holm: float | None
    distinguished: bool
    family: int
    n: int
    clusters: int
    method: str
    detectable: float | None
    needed: float | None
    margin: float | None
    equivalence: float | None


def compare_two(
    inputs: Inputs, metric: str, models: tuple[str, str], *, margin: float | None = None
) -> list[PairResult]:
    """Return the comparison of two models in every setting that has both, and in every profile that has the metric.

    Raises:
        UsageError: there is no such metric, no such model, or no setting with both.
    """
    known = {row.model for row in inputs.cube.rows}
    for model in models:
        if model not in known:
            raise UsageError(f"--models: must be in the scores, which have {', '.join(sorted(known))}, got {model}")
    if models[0] == models[1]:
        raise UsageError(f"--models: must be two different models, got {models[0]} twice")
    found = [*_results(_with_metric(inputs, metric), metric, models, margin)]
    if not found:
        raise UsageError(f"--models: {models[0]} and {models[1]} were not run under the same condition")
    return found


def _with_metric(inputs: Inputs, metric: str) -> Inputs:
    counts = {
        count for pooled, _ in pooled_of(inputs.cube) for count in pooled.counts if metric in _names(pooled.rates)
    }
    wanted = {each for each in inputs.cube.metrics if is_mean(each) and each.name == metric} | counts
    if not wanted:
        names = sorted({each.name for each in inputs.cube.metrics if is_mean(each)})
        near = [name for name in names if metric.lower() in name][:8] or get_close_matches(metric, names)
        hint = f"perhaps {', '.join(near)}" if near else "see the metric column of leaderboard.csv"
        raise UsageError(f"--metric: must be a metric with a direction, {hint}; got {metric}")
    if counts:
        wanted.add(ERROR_ITEMS)
    return replace(inputs, cube=inputs.cube.with_metrics(wanted.__contains__))


def _names(metrics: tuple[Metric, ...]) -> set[str]:
    return {metric.name for metric in metrics}


def _results(inputs: Inputs, metric: str, models: tuple[str, str], margin: float | None) -> Iterator[PairResult]:
    for found in compare_settings(inputs):
        names = [row.model for row in found.rows]
        if set(models) <= set(names):
            for place, each in enumerate(found.metrics):
                if each.name == metric:
                    yield _result(found, place, names.index(models[0]), names.index(models[1]), margin)


def _result(found: Compared, metric: int, one: int, other: int, margin: float | None) -> PairResult:
    tests = found.tests
    (pair,) = np.flatnonzero((np.sort(tests.pairs, axis=1) == sorted((one, other))).all(axis=1))
    turned = tests.pairs[pair, 0] != one
    cell = (pair, metric)
    difference, low, high = tests.difference[cell], tests.lower[cell], tests.upper[cell]
    se, clusters, n = tests.se[[pair], metric], tests.clusters[[pair], metric], tests.n[[pair], metric]
    needed = clusters_needed(tests.difference[[pair], metric], se, clusters, n).conversations
    alike = None if margin is None else tost(tests.difference[[pair], metric], se, clusters, margin=margin).p
    return PairResult(
        metric=found.metrics[metric],
        one=_side(found, one, metric),
        other=_side(found, other, metric),
        difference=_known(-difference if turned else difference),
        lower=_known(-high if turned else low),
        upper=_known(-low if turned else high),
        p=_known(tests.p[cell]),
        p_holm=_known(tests.p_holm[cell]),
        distinguished=bool(tests.distinguished[cell]),
        family=int(np.count_nonzero(~np.isnan(tests.p[:, metric]))),
        n=int(n[0]),
        clusters=int(clusters[0]),
        method=found.methods[metric],
        detectable=_known(smallest_detectable(se, clusters)[0]),
        needed=_known(needed[0]),
        margin=margin,
        equivalence=None if alike is None else _known(alike[0]),
    )


def _side(found: Compared, row: int, metric: int) -> Side:
    cell = (row, metric)
    return Side(
        found.rows[row],
        _known(found.value[cell]),
        _known(found.lower[cell]),
        _known(found.upper[cell]),
        int(found.n[cell]),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
