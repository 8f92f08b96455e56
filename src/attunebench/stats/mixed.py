"""A linear mixed model of scores by group, with a random intercept for each cluster, by statsmodels."""

import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.special import ndtr
from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams

from attunebench.stats.sums import Floats, Ints

_SINGULAR: Final = 1e-6
"""A variance that is a smaller part of the other counts as 0."""


@dataclass(frozen=True)
class MixedModel:
    """Coefficients of groups, with standard errors and p of being 0, shape (groups,).

    The first is the reference's mean, the others are differences from it. `cluster_variance`, `residual_variance`: in
    squared units of the scores. `problem`: why there is no estimate; then all numbers are NaN.
    """

    coefficients: Floats
    se: Floats
    p: Floats
    cluster_variance: float
    residual_variance: float
    problem: str | None

    @property
    def converged(self) -> bool:
        """Whether there is an estimate."""
        return self.problem is None


def mixed_model(values: Floats, groups: Ints, clusters: Ints) -> MixedModel:
    """Fit score ~ group with a random intercept of the cluster, by restricted maximum likelihood.

    Assumes normal cluster effects and residuals of one variance in all groups; p is from Wald's z, and so too small
    with few clusters. Weighs clusters by how much they tell, not conversations alike. Source: Laird and Ware,
    Random-Effects Models for Longitudinal Data (1982).

    Args:
        values: shape (observations,); NaN ones are left out.
        groups: shape (observations,); 0 for the reference, and each number up to the greatest occurs.
        clusters: shape (observations,).
    """
    size = int(groups.max()) + 1
    present = ~np.isnan(values)
    values, groups, clusters = values[present], groups[present], clusters[present]
    if problem := _obstacle(values, groups, clusters, size):
        return _failed(size, problem)
    design = (groups[:, None] == np.arange(size)).astype(np.float64)
    design[:, 0] = 1
    centre, scale = float(values.mean()), float(values.std())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fit = MixedLM((values - centre) / scale, design, groups=clusters).fit(reml=True)
        except (np.linalg.LinAlgError, ValueError) as error:
            return _failed(size, str(error))
    not_definite = any("Hessian matrix" in str(each.message) for each in caught)
    if problem := _complaint(fit, not_definite):
        return _failed(size, problem)
    coefficients, se = scale * np.asarray(fit.fe_params), scale * np.asarray(fit.bse_fe)
    coefficients[0] += centre
    return MixedModel(
        coefficients=coefficients,
        se=se,
        p=2 * ndtr(-np.abs(coefficients / se)),
        cluster_variance=scale**2 * float(np.asarray(fit.cov_re)[0, 0]),
        residual_variance=scale**2 * float(fit.scale),
        problem=None,
    )


def _obstacle(values: Floats, groups: Ints, clusters: Ints, size: int) -> str | None:
    """Return why such data has no estimate, whatever the optimiser."""
    if missing := sorted(set(range(size)) - set(groups.tolist())):
        return f"group {missing[0]} has no score"
    if len(np.unique(clusters)) == len(clusters):
        return "no cluster has two scores, so that clusters cannot be told from chance"
    if len(np.unique(clusters)) <= size:
        return "there are no more clusters than groups"
    if np.ptp(values) == 0:
        return "all scores are equal"
    return None


def _complaint(fit: Any, not_definite: bool) -> str | None:
    """Return why an estimate that was found is not to be used."""
    between, within = float(np.asarray(fit.cov_re)[0, 0]), float(fit.scale)
    if not between > _SINGULAR * within or _likelihood(fit, _SINGULAR) >= _likelihood(fit, between / within):
        return "singular: the variance between clusters is estimated at 0"
    if not within > _SINGULAR * between:
        return "singular: the variance within clusters is estimated at 0"
    if not fit.converged:
        return "the optimiser did not converge"
    if not_definite or not np.isfinite(np.asarray(fit.bse_fe)).all():
        return "the standard errors cannot be computed at the estimate"
    return None


def _likelihood(fit: Any, between: float) -> float:
    """Return the restricted log-likelihood, at best, of a variance between clusters in units of that within.

    On its way to a variance of 0 the optimiser stops at small ones, and often says that it failed.
    """
    parameters = MixedLMParams.from_components(np.asarray(fit.fe_params), cov_re=np.array([[between]]))
    return float(fit.model.loglike(parameters, profile_fe=True))


def _failed(size: int, problem: str) -> MixedModel:
    nothing = np.full(size, np.nan)
    return MixedModel(nothing, nothing, nothing, np.nan, np.nan, problem)
