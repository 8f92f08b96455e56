"""How models' means vary and go together, and how much of that is noise of the conversations they were measured on.

The noise is that of a models x clusters crossed analysis of variance: what clusters do to all models alike cancels.
What is left when it is taken off is the covariance between the means on two disjoint halves of the clusters, averaged
over all ways to split them: the sum over c != d of s_c s_d cov(y_c, y_d), over that of s_c s_d, where y_c are the
scores on cluster c and s_c is its share. In a resample, a cluster drawn twice has twice the share and stays one
cluster, so that it never stands in both halves.

Sources: Brennan, Generalizability Theory (2001), chapters 2 and 9 (variance and covariance components); Hoeffding, A
Class of Statistics with Asymptotically Normal Distribution (1948), for the average over splits.
"""

from dataclasses import dataclass

import numpy as np

from attunebench.stats.sums import ClusterSums, Floats, Ints, mean_sums, ratio

_BLOCK = 100_000
"""So many numbers are worked on at a time: they stay in the processor's cache."""


@dataclass(frozen=True)
class ModelCovariances:
    """Covariances across models between metrics' means, each of shape (resamples, metrics, metrics).

    `observed`: of the means. `error`: the part of it that is noise of common conversations; 0 between metrics that have
    no cluster in common. NaN with fewer than 2 clusters.
    """

    observed: Floats
    error: Floats

    @property
    def between(self) -> Floats:
        """What is left: the covariance between models themselves. A variance estimated so may be negative."""
        return self.observed - self.error


def model_sums(values: Floats, clusters: Ints) -> ClusterSums:
    """Return the sums of means of values of shape (models, observations, metrics): columns are models x metrics."""
    return mean_sums(np.moveaxis(values, 1, 0).reshape(values.shape[1], -1), clusters)


def model_covariances(sums: ClusterSums, weights: Floats, models: int) -> ModelCovariances:
    """Return covariances in each resample.

    Args:
        sums: shape (clusters, models x metrics), from `model_sums`.
        weights: shape (resamples, clusters); ones for what was observed.
        models: how many there are, 2 or more.
    """
    step = max(1, _BLOCK // max(1, sums.top.size))
    parts = [_covariances(sums, weights[at : at + step], models) for at in range(0, len(weights), step)]
    return ModelCovariances(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _covariances(sums: ClusterSums, weights: Floats, models: int) -> tuple[Floats, Floats]:
    total = weights @ sums.bottom
    value = ratio(weights @ sums.top, total)
    noise = sums.top - value[:, None] * sums.bottom
    noise *= weights[:, :, None]
    noise *= ratio(np.ones(1), total)[:, None]
    same = _same_share(sums.bottom, weights, models)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(same < 1 - 1e-9, _products(_centred(noise, models)) / (1 - same), np.nan) / (models - 1)
    return _products(_centred(value[:, None], models)) / (models - 1), error


def _same_share(bottom: Floats, weights: Floats, models: int) -> Floats:
    """Return how much of two metrics' weight falls on one cluster with itself, (resamples, metrics, metrics)."""
    apart = bottom.reshape(len(bottom), models, -1)
    total = (weights @ bottom).reshape(len(weights), models, -1)
    both = (apart[:, :, :, None] * apart[:, :, None]).reshape(len(bottom), -1)
    together = (weights**2 @ both).reshape(*total.shape, -1)
    return np.asarray(ratio(together, total[:, :, :, None] * total[:, :, None]).mean(axis=1))


def _centred(values: Floats, models: int) -> Floats:
    """Take the mean over models off: (resamples, clusters, models x metrics) becomes (resamples, rows, metrics)."""
    apart = values.reshape(*values.shape[:2], models, -1)
    centred: Floats = apart - apart.mean(axis=2, keepdims=True)
    return centred.reshape(len(apart), -1, apart.shape[3])


def _products(rows: Floats) -> Floats:
    """Return sums of products of columns, (resamples, rows, metrics) to (resamples, metrics, metrics)."""
    products: Floats = np.swapaxes(rows, 1, 2) @ rows
    return products
