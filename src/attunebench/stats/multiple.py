"""Many tests at once: p-values adjusted over a family.

Benjamini and Hochberg is scipy's. Holm is here: statsmodels' `multipletests` collects garbage at every call, 0.03 s a
family, and there are hundreds of families (tests hold ours to it).
"""

from typing import Final, Literal, TypeAlias

import numpy as np
from scipy.stats import false_discovery_control

from attunebench.stats.sums import Floats

ALPHA: Final = 0.05
"""The level of tests, and of families of them."""

Correction: TypeAlias = Literal["holm", "bh"]


def adjust(p: Floats, method: Correction) -> Floats:
    """Return adjusted p-values of one family, shape (tests,); NaN ones are not tests and stay so.

    `holm` (Holm 1979) keeps the chance of any false finding below the level; `bh` (Benjamini and Hochberg 1995) the
    expected share of false ones among the findings.
    """
    adjusted = np.full(p.shape, np.nan)
    tests = ~np.isnan(p)
    if tests.any():
        adjusted[tests] = false_discovery_control(p[tests]) if method == "bh" else _holm(p[tests])
    return adjusted


def _holm(p: Floats) -> Floats:
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted


def adjust_each(p: Floats, method: Correction) -> Floats:
    """Return adjusted p-values of one family a column, shape (tests, families)."""
    return np.array([adjust(family, method) for family in p.T]).reshape(p.T.shape).T
