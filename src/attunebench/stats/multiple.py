"""Many tests at once: p-values adjusted over a family, by statsmodels."""

from typing import Literal, TypeAlias

import numpy as np
from statsmodels.stats.multitest import multipletests

from attunebench.stats.sums import Floats

Correction: TypeAlias = Literal["holm", "bh"]


def adjust(p: Floats, method: Correction) -> Floats:
    """Return adjusted p-values of one family, shape (tests,); NaN ones are not tests and stay so.

    `holm` (Holm 1979) keeps the chance of any false finding below the level; `bh` (Benjamini and Hochberg 1995) the
    expected share of false ones among the findings.
    """
    adjusted = np.full(p.shape, np.nan)
    tests = ~np.isnan(p)
    if tests.any():
        adjusted[tests] = multipletests(p[tests], method="fdr_bh" if method == "bh" else "holm")[1]
    return adjusted
