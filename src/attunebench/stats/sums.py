"""What resampling works on: scores added up within each cluster, so that a resample is a weighted sum of clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class ClusterSums:
    """Numerators and denominators of ratios by cluster: a column's statistic is their sums' ratio.

    `top`, `bottom`: shape (clusters, columns). Of a mean, the sum of the cluster's scores and how many there are.
    Clusters in which no column has anything are left out.
    """

    top: Floats
    bottom: Floats

    @property
    def value(self) -> Floats:
        """The statistics, shape (columns,); NaN where the denominator is 0."""
        return ratio(self.top.sum(axis=0), self.bottom.sum(axis=0))

    @property
    def clusters(self) -> Ints:
        """In how many clusters each column has anything, shape (columns,)."""
        return np.asarray(np.count_nonzero(self.bottom, axis=0), dtype=np.int64)

    def columns(self, chosen: slice | Ints) -> "ClusterSums":
        """Return some columns."""
        return ClusterSums(self.top[:, chosen], self.bottom[:, chosen])


def mean_sums(values: Floats, clusters: Ints) -> ClusterSums:
    """Return the sums of means over observations.

    Args:
        values: shape (observations, columns); NaN where not defined.
        clusters: shape (observations,); which cluster each belongs to, from 0.
    """
    present = ~np.isnan(values)
    return ClusterSums(
        add_by_cluster(np.where(present, values, 0.0), clusters), add_by_cluster(present.astype(np.float64), clusters)
    )


def add_by_cluster(values: Floats, clusters: Ints, size: int | None = None) -> Floats:
    """Return the sums of observations by cluster: shape (observations, columns) becomes (clusters, columns).

    `size` is how many clusters there are, where the last ones may have no observation.
    """
    sums = np.zeros((int(clusters.max(initial=-1)) + 1 if size is None else size, values.shape[1]))
    np.add.at(sums, clusters, values)
    return sums


def number_clusters(names: Sequence[str]) -> Ints:
    """Return a number from 0 for each name, the same for the same name, in the order of the names."""
    _, numbers = np.unique(np.array(names, dtype=np.str_), return_inverse=True)
    return numbers.astype(np.int64)


def ratio(top: Floats, bottom: Floats) -> Floats:
    """Return top over bottom, NaN where the bottom is 0."""
    found: Floats = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=found, where=bottom != 0)
    return found
