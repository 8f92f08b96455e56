"""Whether capabilities are separable: the correlation of models between them, corrected for noise in either.

Were models measured without noise, would they correlate less than perfectly? Estimator: the covariance across models
of capability a on one half of the clusters with b on the other half, over the root of the product of a with a and b
with b across halves, each averaged over all splits (`covariance`). As a and b are never taken from the same cluster,
noise that they have in common cannot make them look alike. Sources: Spearman, The Proof and Measurement of Association
between Two Things (1904), for the correction; Charles, The Correction for Attenuation Due to Measurement Error (2005),
for errors that correlate.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attunebench.stats.correlation import LEAST_MODELS
from attunebench.stats.covariance import model_covariances, model_sums
from attunebench.stats.resample import LEVEL, percentile_bounds
from attunebench.stats.sums import Floats, Ints


@dataclass(frozen=True)
class CorrectedCorrelations:
    """Corrected correlations with percentile intervals, each of shape (capabilities, capabilities).

    They estimate a correlation and, unlike one, can lie above 1. `defined`: in what share of resamples.
    """

    value: Floats
    lower: Floats
    upper: Floats
    defined: Floats

    @property
    def separable(self) -> NDArray[np.bool]:
        """Whether the interval excludes 1, from below: only then are two capabilities said to be separable."""
        return self.upper < 1


def corrected_correlations(
    values: Floats, clusters: Ints, weights: Floats, *, level: float = LEVEL
) -> CorrectedCorrelations:
    """Return the corrected correlations between every two capabilities.

    Assumes that clusters are independent; models are taken as they are, so the interval says what other conversations
    might show of these models. NaN with fewer than 3 models or 2 clusters, or where a capability's variance between
    models is estimated at or below 0. A resample in which it is not defined counts as beyond both bounds, so that where
    this happens in more than 2.5 % of them (at a level of 95 %), there is no interval.

    Args:
        values: shape (models, observations, capabilities); NaN where not defined. Models that lack a capability
            throughout are left out.
        clusters: shape (observations,); from 0.
        weights: shape (resamples, clusters), from `draw_weights`.
        level: of the intervals.
    """
    scored = values[np.all(np.any(~np.isnan(values), axis=1), axis=1)]
    if len(scored) < LEAST_MODELS:
        nothing = np.full((values.shape[2], values.shape[2]), np.nan)
        return CorrectedCorrelations(nothing, nothing, nothing, np.zeros_like(nothing))
    sums = model_sums(scored, clusters)
    value = _correlations(model_covariances(sums, np.ones((1, len(sums.top))), len(scored)).between)[0]
    samples = _correlations(model_covariances(sums, weights, len(scored)).between)
    lower, upper = _bounds(np.where(np.isnan(value), np.nan, samples), level)
    return CorrectedCorrelations(value, lower, upper, (~np.isnan(samples)).mean(axis=0))


def _bounds(samples: Floats, level: float) -> tuple[Floats, Floats]:
    """Return percentile bounds; NaN where so many resamples are not defined that they reach one."""
    undefined = np.isnan(samples)
    with np.errstate(invalid="ignore"):
        lower, _ = percentile_bounds(np.where(undefined, -np.inf, samples), level)
        _, upper = percentile_bounds(np.where(undefined, np.inf, samples), level)
    bounded = np.isfinite(lower) & np.isfinite(upper)
    return np.where(bounded, lower, np.nan), np.where(bounded, upper, np.nan)


def _correlations(covariances: Floats) -> Floats:
    """Return correlations of covariance matrices, shape (resamples, c, c); NaN where a variance is not above 0."""
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    spreads = np.sqrt(np.where(variances > 0, variances, np.nan))
    return np.asarray(covariances / (spreads[:, :, None] * spreads[:, None, :]))
