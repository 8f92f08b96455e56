"""Models under the same condition, compared on every metric: what leaderboard, pairs and discrimination stand on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attunebench.analysis.cube import Cube, Metric, RowKey
from attunebench.analysis.frames import MEAN, RATE
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import is_mean, pooled_of
from attunebench.score.skill import direction
from attunebench.stats.covariance import model_sums
from attunebench.stats.pairs import PairTests, compare_pairs, join_tests
from attunebench.stats.pooled import Rates, compare_pooled, pooled_rates
from attunebench.stats.resample import bootstrap_t
from attunebench.stats.sums import Floats, Ints


@dataclass(frozen=True)
class Compared:
    """The rows of one setting, their values with intervals, and all pairs of them, on every metric with a direction.

    `value`, `lower`, `upper`, `n`, `clusters`: shape (rows, metrics). `methods`: of each metric, how its intervals are
    made. `tests`: shape (pairs, metrics).
    """

    rows: tuple[RowKey, ...]
    metrics: tuple[Metric, ...]
    methods: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats
    n: Ints
    clusters: Ints
    tests: PairTests

    def wins(self, metric: int) -> NDArray[np.bool]:
        """Return which rows are distinguished as better than which, shape (rows, rows)."""
        found = np.zeros((len(self.rows), len(self.rows)), dtype=bool)
        sign = -1 if direction(self.metrics[metric].name) == "down" else 1
        for pair, difference, distinguished in zip(
            self.tests.pairs, self.tests.difference[:, metric], self.tests.distinguished[:, metric], strict=True
        ):
            if distinguished:
                better, worse = pair if sign * difference > 0 else pair[::-1]
                found[better, worse] = True
        return found


def compare_settings(inputs: Inputs) -> list[Compared]:
    """Compare the rows of every setting; of a single row there are values, and no pairs."""
    return [_compare(inputs, places) for places in inputs.cube.settings().values()]


def _compare(inputs: Inputs, places: Sequence[int]) -> Compared:
    cube = inputs.cube
    means = cube.with_metrics(is_mean)
    pooled = pooled_of(cube)
    values = means.values[list(places)]
    tests = [compare_pairs(values, cube.clusters, inputs.weights, inputs.flips)]
    tests += [
        compare_pooled(counts[list(places)], each.compute, cube.clusters, inputs.weights, inputs.flips)
        for each, counts in pooled
    ]
    rated = tuple(rate for each, _ in pooled for rate in each.rates)
    columns = [_means(values, cube, inputs.weights)]
    columns += [_rates(counts[list(places)], each.compute, cube, inputs.weights) for each, counts in pooled]
    value, lower, upper, n, clusters = (np.concatenate(parts, axis=1) for parts in zip(*columns, strict=True))
    return Compared(
        rows=tuple(cube.rows[place] for place in places),
        metrics=(*means.metrics, *rated),
        methods=(MEAN,) * len(means.metrics) + (RATE,) * len(rated),
        value=value,
        lower=lower,
        upper=upper,
        n=n.astype(np.int64),
        clusters=clusters.astype(np.int64),
        tests=join_tests(tests),
    )


def _means(values: Floats, cube: Cube, weights: Floats) -> tuple[Floats, ...]:
    """Return value, bounds, n and clusters of means, each of shape (rows, metrics)."""
    shape = (len(values), values.shape[2])
    found = bootstrap_t(model_sums(values, cube.clusters), weights)
    n = np.count_nonzero(~np.isnan(values), axis=1)
    return tuple(np.reshape(each, shape) for each in (found.value, found.lower, found.upper, n, found.clusters))


def _rates(counts: Floats, compute: Rates, cube: Cube, weights: Floats) -> tuple[Floats, ...]:
    """Return the same of rates of pooled counts."""
    found = pooled_rates(counts, compute, cube.clusters, weights)
    n, clusters = (
        np.broadcast_to(each[:, None].astype(np.float64), found.value.shape) for each in (found.n, found.clusters)
    )
    return found.value, found.lower, found.upper, n, clusters
