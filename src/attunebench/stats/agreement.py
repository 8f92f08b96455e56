"""Krippendorff's alpha: how far raters agree beyond chance, with an interval over clusters of units.

Observed and expected disagreement are made of sums over units, so alpha in a resample comes from weighted sums.
Sources: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections C and D; Content Analysis (2004),
chapter 11.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from attunebench.stats.resample import LEVEL, percentile_bounds
from attunebench.stats.sums import Floats, Ints, add_by_cluster, ratio

Scale: TypeAlias = Literal["interval", "nominal"]


@dataclass(frozen=True)
class Agreement:
    """Alpha, at most 1 (agreement), 0 at chance, below 0 for systematic disagreement; its percentile interval.

    `units`: that two or more raters rated; `clusters`: that have such units.
    """

    alpha: float
    lower: float
    upper: float
    units: int
    clusters: int


def krippendorff_alpha(
    ratings: Floats, clusters: Ints, weights: Floats, *, scale: Scale, level: float = LEVEL
) -> Agreement:
    """Return the agreement of raters with a percentile interval.

    Estimator: 1 - observed over expected disagreement, where two ratings differ by (a - b)^2 on an interval scale, and
    by 1 unless they are the same on a nominal one. A unit rated once tells nothing and is left out. NaN without a unit
    that two raters rated, or where all ratings are equal; resamples where it is so are left out. No interval with fewer
    than 2 clusters.

    Args:
        ratings: shape (raters, units); NaN where a rater gave none.
        clusters: shape (units,); from 0.
        weights: shape (resamples, clusters), from `draw_weights`.
        scale: of the ratings; nominal ones are any numbers.
        level: of the interval.
    """
    counts = (~np.isnan(ratings)).sum(axis=0)
    rated = counts >= 2
    sums = add_by_cluster(np.where(rated[:, None], _unit_sums(ratings, counts, scale), 0.0), clusters, weights.shape[1])
    used = len(np.unique(clusters[rated]))
    alpha = float(_alpha(sums.sum(axis=0, keepdims=True), scale)[0])
    lower, upper = percentile_bounds(_alpha(weights @ sums, scale), level) if used >= 2 else (np.nan, np.nan)
    return Agreement(alpha, float(lower), float(upper), int(rated.sum()), used)


def _unit_sums(ratings: Floats, counts: Ints, scale: Scale) -> Floats:
    """Return what alpha is made of, by unit: ratings, disagreement, then sum and squares, or how many of each value."""
    others = np.maximum(counts - 1, 1)
    if scale == "nominal":
        values = np.unique(ratings[~np.isnan(ratings)])
        each = (ratings[:, :, None] == values).sum(axis=0).astype(np.float64)
        return np.column_stack([counts, (counts**2 - (each**2).sum(axis=1)) / others, each])
    middle = ratings[~np.isnan(ratings)].sum() / max(1, counts.sum())
    centred = np.nan_to_num(ratings - middle)  # so that nothing cancels in the sums of squares
    total, squares = centred.sum(axis=0), (centred**2).sum(axis=0)
    return np.column_stack([counts, 2 * (counts * squares - total**2) / others, total, squares])


def _alpha(sums: Floats, scale: Scale) -> Floats:
    """Return alpha from sums over units, shape (resamples, columns)."""
    n, disagreement = sums[:, 0], sums[:, 1]
    chance = n**2 - (sums[:, 2:] ** 2).sum(axis=1) if scale == "nominal" else 2 * (n * sums[:, 3] - sums[:, 2] ** 2)
    chance = np.where(chance > 1e-12 * n**2, chance, 0.0)
    return 1 - ratio((n - 1) * disagreement, chance)
