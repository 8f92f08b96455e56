"""How many conversations are needed: what these data could find, and what a given difference takes."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from attunebench.analysis.compared import Compared
from attunebench.analysis.frames import counts, numbers
from attunebench.analysis.metrics import KEY, is_mean
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.multiple import ALPHA
from attunebench.stats.power import POWER, clusters_needed, corrected, smallest_detectable
from attunebench.stats.sums import Floats, Ints

MADE = "noncentral t"
ENOUGH_FOR_ONE, ENOUGH_FOR_ALL = 30, 50
"""With fewer clusters, power promised for a single test, or for a corrected one, is more than 5 points too much:
docs/statistics.md, table 4."""

TITLE = "How many conversations are needed"

_METHOD = (
    f"From the cluster-robust variance of each pair's difference: the smallest true difference found with {POWER:.0%} "
    f"power at alpha {ALPHA}, for a single test and corrected for all pairs of the setting (Bonferroni); and the "
    "clusters and conversations that the observed difference would need, were it the true one. Assumes that further "
    "clusters vary as these and hold as many conversations."
)


def planning(settings: Sequence[Compared]) -> Part:
    """Return what can be detected, by pair and in the median over pairs."""
    paired = [found for found in settings if len(found.rows) > 1]
    if not paired:
        return Part(TITLE, missing=[Missing("planning", "only one model: there is no difference to find")])
    pairs = pl.concat([_pairs(found) for found in paired])
    return Part(
        TITLE,
        [
            Table("detectable", "The median pair of each metric", _METHOD, _medians(pairs), MADE),
            Table("detectable_pairs", "Every pair", _METHOD, pairs, MADE),
        ],
    )


def _pairs(found: Compared) -> pl.DataFrame:
    chosen = [place for place, metric in enumerate(found.metrics) if is_mean(metric) and metric.name in KEY]
    tests, metrics = found.tests, [found.metrics[place] for place in chosen]
    se, clusters = tests.se[:, chosen], tests.clusters[:, chosen]
    difference, n = tests.difference[:, chosen], tests.n[:, chosen]
    level = corrected(len(tests.pairs))
    models = np.array([row.model for row in found.rows], dtype=object)
    single, all_pairs = (_needed(difference, se, clusters, n, alpha) for alpha in (ALPHA, level))
    return pl.DataFrame(
        {
            "metric": [metric.name for metric in metrics] * len(tests.pairs),
            "profile": [metric.profile for metric in metrics] * len(tests.pairs),
            "model_a": np.repeat(models[tests.pairs[:, 0]], len(metrics)),
            "model_b": np.repeat(models[tests.pairs[:, 1]], len(metrics)),
            "difference": numbers(difference),
            "se": numbers(se),
            "detectable": numbers(smallest_detectable(se, clusters)),
            "detectable_corrected": numbers(smallest_detectable(se, clusters, alpha=level)),
            "clusters_needed": numbers(single[0]),
            "conversations_needed": numbers(single[1]),
            "clusters_needed_corrected": numbers(all_pairs[0]),
            "conversations_needed_corrected": numbers(all_pairs[1]),
            "n": counts(n),
            "clusters": counts(clusters),
            "mode": found.rows[0].mode,
            "panas_strategy": found.rows[0].panas_strategy,
            "condition": found.rows[0].condition,
        }
    ).with_columns(note=_note())


def _note() -> pl.Expr:
    """Return what is to be said of so few clusters, mostly nothing."""
    said = "fewer than {} clusters: {} can be found less often, and take more, than it says"
    one = said.format(ENOUGH_FOR_ONE, "a difference")
    corrected_only = said.format(ENOUGH_FOR_ALL, "a difference, corrected for all pairs,")
    clusters = pl.col("clusters")
    rest = pl.when(clusters < ENOUGH_FOR_ALL).then(pl.lit(corrected_only))
    return pl.when(clusters < ENOUGH_FOR_ONE).then(pl.lit(one)).otherwise(rest)


def _needed(difference: Floats, se: Floats, clusters: Ints, n: Ints, alpha: float) -> tuple[Floats, Floats]:
    found = clusters_needed(difference, se, clusters, n, alpha=alpha)
    return found.clusters, found.conversations


def _medians(pairs: pl.DataFrame) -> pl.DataFrame:
    named = ["mode", "panas_strategy", "condition", "profile", "metric"]
    return (
        pairs.group_by(named, maintain_order=True)
        .agg(
            pairs=pl.len(),
            detectable=pl.col("detectable").median(),
            detectable_corrected=pl.col("detectable_corrected").median(),
            n=pl.col("n").min(),
            clusters=pl.col("clusters").min(),
        )
        .with_columns(note=_note())
    )
