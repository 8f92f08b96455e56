"""Equivalence: whether a difference is certainly smaller than a margin that the user names, by two one-sided tests.

That two models are not distinguished does not say that they are alike; this does. Source: Schuirmann, A Comparison of
the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence of Average Bioavailability,
1987.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from attunebench.stats.sums import Floats, Ints


@dataclass(frozen=True)
class Equivalence:
    """The tests' larger p, and the 1 - 2 alpha interval, which lies within the margin exactly where p < alpha.

    All of one shape; NaN, and not equivalent, where not defined.
    """

    p: Floats
    lower: Floats
    upper: Floats
    equivalent: NDArray[np.bool]


def tost(value: Floats, se: Floats, clusters: Ints, *, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test whether differences lie between -margin and margin.

    Assumes that the difference over its standard error is t with clusters - 1 degrees of freedom. Not defined with
    fewer than 2 clusters or without variation between them.

    Args:
        value, se, clusters: differences, their cluster-robust standard errors and numbers of clusters, of one shape.
        margin: above 0, in the scale of `value`; there is no default, as only the user knows what is negligible.
        alpha: of each of the two tests.
    """
    defined = (clusters >= 2) & (se > 0)
    df = np.maximum(clusters - 1, 1)
    spread = np.where(defined, se, np.nan)
    p = stdtr(df, (np.abs(value) - margin) / spread)
    reach = stdtrit(df, 1 - alpha) * spread
    return Equivalence(p, value - reach, value + reach, np.asarray(p < alpha))
