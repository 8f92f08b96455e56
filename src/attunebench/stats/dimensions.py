"""How many dimensions a matrix of correlations has, by its participation ratio, and what that would be by chance.

Few models and noise both distort it, so it says something only between two references of the same size: one ability
alone, measured this unreliably, and abilities that have nothing to do with each other. Source: Gao et al., A Theory of
Multineuronal Dimensionality, Dynamics and Measurement (2017), equation 5.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from attunebench.stats.correlation import spearman
from attunebench.stats.resample import LEVEL, percentile_bounds
from attunebench.stats.sums import Floats

SIMULATIONS: Final = 10_000


def participation_ratio(correlations: Floats) -> Floats:
    """Return (sum of eigenvalues)^2 over the sum of their squares: from 1, all go together, to their number, none do.

    The sums are the trace and the sum of squared entries, so no eigenvalue is needed. NaN where an entry is.

    Args:
        correlations: shape (…, capabilities, capabilities).
    """
    trace = np.trace(correlations, axis1=-2, axis2=-1)
    return np.asarray(trace**2 / (correlations**2).sum(axis=(-2, -1)))


@dataclass(frozen=True)
class Reference:
    """The participation ratio to expect: its mean, and the range of 95 % of simulations."""

    mean: float
    lower: float
    upper: float


def one_ability(
    reliabilities: Floats, models: int, rng: np.random.Generator, *, simulations: int = SIMULATIONS
) -> Reference:
    """Return the participation ratio of Spearman's correlations, were there one ability only, measured with noise.

    Two capabilities then correlate by the root of the product of their reliabilities (Spearman 1904). Assumes normal
    abilities, and noise that capabilities do not share. NaN where a reliability is.

    Args:
        reliabilities: shape (capabilities,), 0 to 1, such as split-half ones; below 0 counts as 0.
        models: how many are compared.
        rng: draws the models.
        simulations: how often.
    """
    reliable = np.clip(reliabilities, 0, 1)
    ability = rng.normal(size=(simulations, models, 1))
    noise = rng.normal(size=(simulations, models, len(reliable)))
    return _reference(np.sqrt(reliable) * ability + np.sqrt(1 - reliable) * noise)


def independent_abilities(
    capabilities: int, models: int, rng: np.random.Generator, *, simulations: int = SIMULATIONS
) -> Reference:
    """Return the participation ratio of Spearman's correlations, were capabilities independent.

    Of few models it is far below the number of capabilities, as chance correlations are large.
    """
    return _reference(rng.normal(size=(simulations, models, capabilities)))


def _reference(samples: Floats) -> Reference:
    ratios = participation_ratio(spearman(samples))
    lower, upper = percentile_bounds(ratios, LEVEL)
    return Reference(float(ratios.mean()), float(lower), float(upper))
