"""All pairs of models on many metrics at once: differences, intervals, tests, corrected over the pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from attunebench.stats.multiple import ALPHA, adjust_each
from attunebench.stats.resample import LEVEL, bootstrap_t
from attunebench.stats.signflip import sign_flip_p
from attunebench.stats.sums import ClusterSums, Floats, Ints, add_by_cluster


@dataclass(frozen=True)
class PairTests:
    """Differences of means, first minus second model, over the conversations that both have.

    All of shape (pairs, metrics) but `pairs`, the models' places, shape (pairs, 2). `p_holm`, `p_bh`: over the pairs of
    one metric. `n`, `clusters`: conversations that both models have, and their clusters. NaN where not defined.
    """

    pairs: Ints
    difference: Floats
    se: Floats
    lower: Floats
    upper: Floats
    p: Floats
    p_holm: Floats
    p_bh: Floats
    n: Ints
    clusters: Ints

    @property
    def distinguished(self) -> NDArray[np.bool]:
        """Whether Holm's p is below .05, shape (pairs, metrics)."""
        return np.nan_to_num(self.p_holm, nan=1.0) < ALPHA


def pairs_of(models: int) -> Ints:
    """Return all pairs of models in order, shape (pairs, 2)."""
    return np.array([*combinations(range(models), 2)], dtype=np.int64).reshape(-1, 2)


def compare_pairs(values: Floats, clusters: Ints, weights: Floats, flips: Floats, *, level: float = LEVEL) -> PairTests:
    """Compare every two models on every metric: bootstrap-t intervals, sign-flip tests, Holm and Benjamini-Hochberg.

    Args:
        values: shape (models, conversations, metrics); NaN where not defined.
        clusters: shape (conversations,); from 0.
        weights: shape (resamples, clusters), from `draw_weights`.
        flips: shape (flips, clusters), from `draw_flips`. All pairs and metrics share both.
        level: of the intervals, which are not corrected.
    """
    pairs = pairs_of(len(values))
    by_pair = (len(pairs), values.shape[2])
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    flat = np.moveaxis(differences, 1, 0).reshape(values.shape[1], -1)
    present = ~np.isnan(flat)
    count = add_by_cluster(present.astype(np.float64), clusters)
    total = add_by_cluster(np.where(present, flat, 0.0), clusters)
    found = bootstrap_t(ClusterSums(total, count), weights, level)
    p = sign_flip_p(np.where(count > 0, total, np.nan), flips).reshape(by_pair)
    return PairTests(
        pairs=pairs,
        difference=found.value.reshape(by_pair),
        se=found.se.reshape(by_pair),
        lower=found.lower.reshape(by_pair),
        upper=found.upper.reshape(by_pair),
        p=p,
        p_holm=adjust_each(p, "holm"),
        p_bh=adjust_each(p, "bh"),
        n=present.sum(axis=0).reshape(by_pair),
        clusters=found.clusters.reshape(by_pair),
    )


def join_tests(parts: Sequence[PairTests]) -> PairTests:
    """Return the comparisons of the same models on different metrics as one; at least one part."""
    names = [field.name for field in fields(PairTests) if field.name != "pairs"]
    joined = {name: np.concatenate([getattr(part, name) for part in parts], axis=1) for name in names}
    return PairTests(pairs=parts[0].pairs, **joined)
