"""Groups of clusters, such as participants with and without a diagnosis: means, and differences from one of them.

A cluster belongs to one group, so groups are independent: clusters are drawn with replacement within each group, and
under the null hypothesis, that a group differs in nothing from the reference, labels can be exchanged between clusters.

Sources: Davison and Hinkley, Bootstrap Methods and their Application (1997), sections 3.2 and 5.2, for bootstrap-t over
several samples; Welch (1947) for the standard error of a difference; Janssen, Studentized Permutation Tests for
Non-i.i.d. Hypotheses (1997), for a test that holds in large samples also where groups differ in spread alone; Phipson
and Smyth (2010) for (b + 1)/(m + 1).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from attunebench.stats.resample import (
    LEVEL,
    blocks,
    bootstrap_t,
    deviations,
    draw_weights,
    percentile_bounds,
    small_sample,
    standard_errors,
    studentized_bounds,
)
from attunebench.stats.sums import ClusterSums, Floats, Ints

LEAST_CLUSTERS: Final = 10
"""Smaller groups are shown and not tested."""

_SAME: Final = 1e-9
"""Statistics that differ by a smaller part are the same, and differ by rounding."""


@dataclass(frozen=True)
class GroupTests:
    """Groups' statistics and how far each is from the reference group's, all of shape (groups, columns).

    `value` to `clusters`: of each group, with its bootstrap-t interval. `difference`: group less reference, with its
    standard error; `difference_lower`, `difference_upper`: bootstrap-t; `p`: two-sided, uncorrected. These three are
    NaN where either group has too few clusters, or no variation; all about a difference is, in the reference's row.
    """

    value: Floats
    se: Floats
    lower: Floats
    upper: Floats
    clusters: Ints
    difference: Floats
    difference_se: Floats
    difference_lower: Floats
    difference_upper: Floats
    p: Floats


def draw_stratified(groups: Ints, resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each cluster is drawn, within each group as many as it has, shape (resamples, clusters).

    `groups`: shape (clusters,); which group each belongs to, from 0.
    """
    weights = np.zeros((resamples, len(groups)))
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        weights[:, members] = draw_weights(len(members), resamples, rng)
    return weights


def draw_orders(clusters: int, permutations: int, rng: np.random.Generator) -> Floats:
    """Return numbers whose order is each permutation of clusters, shape (permutations, clusters)."""
    return rng.random((permutations, clusters))


def compare_groups(
    sums: ClusterSums,
    groups: Ints,
    weights: Floats,
    orders: Floats,
    *,
    reference: int = 0,
    least: int = LEAST_CLUSTERS,
    level: float = LEVEL,
) -> GroupTests:
    """Compare each group with a reference group: bootstrap-t intervals, and permutation tests of clusters' labels.

    Estimator of the difference: of the groups' ratios, studentised by the root of the sum of their cluster-robust
    variances, in resamples as in permutations. Assumes that clusters are independent.

    Args:
        sums: shape (clusters, columns); columns may be models x metrics.
        groups: shape (clusters,); from 0.
        weights: shape (resamples, clusters), from `draw_stratified`. All columns share these and `orders`.
        orders: shape (permutations, clusters), from `draw_orders`.
        reference: the group that others are compared with.
        least: so many clusters either group must have for a test.
        level: of the intervals, which are not corrected.
    """
    members = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    apart = [ClusterSums(sums.top[each], sums.bottom[each]) for each in members]
    drawn = [weights[:, each] for each in members]
    means = [bootstrap_t(part, its, level) for part, its in zip(apart, drawn, strict=True)]
    value, se, lower, upper = np.array([(mean.value, mean.se, mean.lower, mean.upper) for mean in means]).swapaxes(0, 1)
    clusters = np.array([mean.clusters for mean in means])
    difference, difference_se = value - value[reference], np.sqrt(se**2 + se[reference] ** 2)
    difference[reference] = difference_se[reference] = np.nan
    bounds, p = np.full((2, *value.shape), np.nan), np.full(value.shape, np.nan)
    enough = (np.minimum(clusters, clusters[reference]) >= max(least, 2)) & (difference_se > 0)
    for group in np.flatnonzero(enough.any(axis=1)):
        labels = _labels(len(members[group]), orders[:, np.concatenate([members[group], members[reference]])])
        for chosen in blocks(np.flatnonzero(enough[group])):
            pair = apart[group].columns(chosen), apart[reference].columns(chosen)
            bounds[:, group, chosen] = _bounds(*pair, drawn[group], drawn[reference], level)
            p[group, chosen] = _permutation_p(*pair, labels)
    return GroupTests(value, se, lower, upper, clusters, difference, difference_se, bounds[0], bounds[1], p)


def _bounds(
    group: ClusterSums, other: ClusterSums, drawn: Floats, drawn_other: Floats, level: float
) -> tuple[Floats, Floats]:
    """Return bootstrap-t bounds of the difference of two groups."""
    se, se_other = standard_errors(group), standard_errors(other)
    off, errors = deviations(group, group.value, se, drawn)
    off_other, errors_other = deviations(other, other.value, se_other, drawn_other)
    errors = _welch(
        errors * small_sample(group.clusters)[:, None], errors_other * small_sample(other.clusters)[:, None]
    )
    return studentized_bounds(group.value - other.value, _welch(se, se_other), off - off_other, errors, level)


def _labels(first: int, orders: Floats) -> Floats:
    """Return 1 for the clusters labelled as the group and 0 for the others: as observed, then in each permutation."""
    labels = np.zeros((len(orders) + 1, orders.shape[1]))
    labels[0, :first] = 1
    np.put_along_axis(labels[1:], np.argpartition(orders, first - 1, axis=1)[:, :first], 1.0, axis=1)
    return labels


def _permutation_p(group: ClusterSums, other: ClusterSums, labels: Floats) -> Floats:
    """Return the p of each column; `labels` as from `_labels`."""
    both = ClusterSums(np.concatenate([group.top, other.top]), np.concatenate([group.bottom, other.bottom]))
    centre, se, present = both.value, standard_errors(both), (both.bottom != 0).astype(np.float64)
    off, errors = [], []
    for label in (labels, 1 - labels):
        here, error = deviations(both, centre, se, label)
        off.append(here)
        with np.errstate(invalid="ignore"):
            errors.append(error * small_sample((label @ present).T))
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.abs(off[0] - off[1]) / _welch(*errors)
    as_far = far[:, 1:] >= far[:, :1] * (1 - _SAME)
    return np.asarray((np.count_nonzero(as_far, axis=1) + 1) / len(labels))


def _welch(se: Floats, other: Floats) -> Floats:
    """Return the standard error of the difference of independent statistics."""
    return np.asarray(np.sqrt(se**2 + other**2))


def percentile_differences(samples: Floats, reference: int = 0, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return percentile bounds of any statistic's difference from the reference group's, shape (groups, …).

    Args:
        samples: the statistic in stratified resamples, shape (resamples, groups, …); NaN where not defined.
        reference: the group that others are compared with; its own row is NaN.
        level: of the intervals.
    """
    differences = samples - samples[:, [reference]]
    differences[:, reference] = np.nan
    return percentile_bounds(differences, level)
