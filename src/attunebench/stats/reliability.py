"""How reliably a metric tells models apart: would other conversations order them alike?"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from attunebench.stats.correlation import pearson
from attunebench.stats.covariance import model_covariances, model_sums
from attunebench.stats.resample import resample
from attunebench.stats.sums import ClusterSums, Floats, Ints

SPLITS: Final = 1_000


@dataclass(frozen=True)
class Generalisability:
    """A generalisability coefficient with what it is made of.

    `coefficient`, 0 to 1: variance between models over that plus the error variance of their means. `between`, `error`:
    these variances, in squared units of the scores; `negative`: whether the first was estimated below 0 and set to 0.
    """

    coefficient: float
    between: float
    error: float
    negative: bool


def generalisability(values: Floats, clusters: Ints) -> Generalisability:
    """Return the generalisability coefficient of models' means for relative decisions, such as ranking.

    Estimator: models x clusters crossed, one facet, random; variance components by analysis of variance. With one
    conversation a cluster it equals Cronbach's alpha with models as persons and clusters as items. Assumes that models
    and clusters stand for more of their kind, and that missing scores are missing at random. NaN with fewer than 2
    models or 2 clusters, or where nothing varies. Sources: Brennan, Generalizability Theory (2001), chapter 2; Cronbach
    et al., The Dependability of Behavioral Measurements (1972).

    Args:
        values: shape (models, conversations); NaN where not defined. Models without any score are left out.
        clusters: shape (conversations,); from 0.
    """
    scored = values[~np.isnan(values).all(axis=1)]
    if len(scored) < 2:
        return Generalisability(np.nan, np.nan, np.nan, False)
    sums = model_sums(scored[:, :, None], clusters)
    found = model_covariances(sums, np.ones((1, len(sums.top))), len(scored))
    error, estimate = float(found.error[0, 0, 0]), float(found.between[0, 0, 0])
    between = float(np.maximum(estimate, 0.0))  # NaN stays
    whole = between + error
    return Generalisability(between / whole if whole > 0 else np.nan, between, error, estimate < 0)


@dataclass(frozen=True)
class SplitHalf:
    """`half`: mean correlation (-1 to 1) of models between two halves; `reliability`: that of the whole. (metrics,)."""

    half: Floats
    reliability: Floats


def split_half(values: Floats, clusters: Ints, rng: np.random.Generator, *, splits: int = SPLITS) -> SplitHalf:
    """Return split-half reliabilities: do models that do well on half the people do well on the others?

    Estimator: clusters are split at random into two halves, whole clusters always; Pearson's correlation over models of
    their means in either, averaged over splits; r becomes 2r/(1 + r) for the full length where r is above 0, and stays
    as it is otherwise. Splits in which it is not defined are left out. NaN with fewer than 3 models (of two, it is
    always 1 or -1) or 2 clusters, or where models do not vary. Sources: Spearman (1910) and Brown (1910).

    Args:
        values: shape (models, observations, metrics); NaN where not defined.
        clusters: shape (observations,); from 0.
        rng: draws the splits.
        splits: how many.
    """
    models, metrics = len(values), values.shape[2]
    sums = model_sums(values, clusters)
    first = draw_halves(len(sums.top), splits, rng)
    one, other = (_means(sums, half, models, metrics) for half in (first, 1 - first))
    r = pearson(np.moveaxis(one, 1, 2), np.moveaxis(other, 1, 2))
    defined = ~np.isnan(r)
    half = np.full(metrics, np.nan)
    np.divide(np.where(defined, r, 0.0).sum(axis=0), defined.sum(axis=0), out=half, where=defined.any(axis=0))
    return SplitHalf(half, np.where(half > 0, 2 * half / (1 + half), half))


def draw_halves(clusters: int, splits: int, rng: np.random.Generator) -> Floats:
    """Return 1 for the clusters in the first half and 0 for the others, shape (splits, clusters)."""
    order = rng.permuted(np.tile(np.arange(clusters), (splits, 1)), axis=1)
    return (order < clusters // 2).astype(np.float64)


def _means(sums: ClusterSums, weights: Floats, models: int, metrics: int) -> Floats:
    return resample(sums, weights).reshape(-1, models, metrics)
