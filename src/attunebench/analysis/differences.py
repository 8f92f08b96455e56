"""Who differs from whom: all pairs of models on every metric, how many are distinguished, and letters for groups."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from attunebench.analysis.compared import Compared
from attunebench.analysis.frames import counts, numbers, row_columns
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.score.skill import direction
from attunebench.stats.letters import letters
from attunebench.stats.multiple import ALPHA

TITLE = "Who differs from whom"

_METHOD = (
    "Difference of the first model less the second over the conversations both have. Interval: 95 %, uncorrected; of "
    "means bootstrap-t, of pooled rates percentile, over clusters. p: sign-flip test by cluster, two-sided; p_holm "
    "and p_bh over the pairs of one metric. distinguished: p_holm < .05; a pair that is not distinguished may still "
    "differ."
)


def differences(settings: Sequence[Compared]) -> Part:
    """Return the tables of pairs, of how many are distinguished, and of letters."""
    paired = [found for found in settings if len(found.rows) > 1]
    alone = [found.rows[0] for found in settings if len(found.rows) == 1]
    missing = [Missing("pairs", f"only one model, {row.model}, was run in {row.under}") for row in alone]
    missing += [each for found in paired for each in _apart(found)]
    if not paired:
        return Part(TITLE, missing=missing)
    frame = pl.concat([_pairs(found) for found in paired])
    return Part(
        TITLE,
        [
            Table("pairs", "Every two models on every metric", _METHOD, frame),
            Table("distinguished", "How many pairs each metric distinguishes", _METHOD, _shares(frame)),
            Table(
                "letters",
                "Models that share a letter are not distinguished from each other, best first",
                _METHOD + " Letters: maximal groups of which no two models are distinguished (compact letter display).",
                pl.concat([_letters(found) for found in paired]),
                "sign-flip test by cluster, Holm",
            ),
        ],
        missing,
    )


def _apart(found: Compared) -> list[Missing]:
    """Return the pairs of models that cannot be compared at all."""
    apart = found.tests.pairs[(found.tests.n == 0).all(axis=1)]
    return [
        Missing(
            "pairs",
            f"{found.rows[a].model} and {found.rows[b].model} have no scored conversation in common in "
            f"{found.rows[a].under}",
        )
        for a, b in apart
    ]


def _pairs(found: Compared) -> pl.DataFrame:
    tests, metrics = found.tests, found.metrics
    models = np.array([row.model for row in found.rows], dtype=object)
    setting = found.rows[0]
    times = len(tests.pairs)
    return pl.DataFrame(
        {
            "metric": [metric.name for metric in metrics] * times,
            "profile": [metric.profile for metric in metrics] * times,
            "model_a": np.repeat(models[tests.pairs[:, 0]], len(metrics)),
            "model_b": np.repeat(models[tests.pairs[:, 1]], len(metrics)),
            "difference": numbers(tests.difference),
            "lower": numbers(tests.lower),
            "upper": numbers(tests.upper),
            "p": numbers(tests.p),
            "p_holm": numbers(tests.p_holm),
            "p_bh": numbers(tests.p_bh),
            "distinguished": tests.distinguished.ravel(),
            "n": counts(tests.n),
            "clusters": counts(tests.clusters),
            "mode": setting.mode,
            "panas_strategy": setting.panas_strategy,
            "condition": setting.condition,
            "method": list(found.methods) * times,
        }
    )


def _shares(pairs: pl.DataFrame) -> pl.DataFrame:
    tested = pl.col("p").is_not_null()
    shares: pl.DataFrame = (
        pairs.group_by("mode", "panas_strategy", "condition", "profile", "metric", maintain_order=True)
        .agg(
            pairs=tested.sum(),
            distinguished=(pl.col("distinguished") & tested).sum(),
            not_compared=(~tested).sum(),
            n=pl.col("n").min(),
            clusters=pl.col("clusters").min(),
        )
        .with_columns(
            share=pl.when(pl.col("pairs") > 0).then(pl.col("distinguished") / pl.col("pairs")),
            method=pl.lit(f"sign-flip test by cluster, Holm over the pairs of a metric, {ALPHA}"),
        )
    )
    return shares


def _letters(found: Compared) -> pl.DataFrame:
    return pl.concat([_letters_of(found, place) for place in range(len(found.metrics))])


def _letters_of(found: Compared, place: int) -> pl.DataFrame:
    metric, value, better = found.metrics[place], found.value[:, place], found.wins(place)
    order = np.argsort(value if direction(metric.name) == "down" else -value, kind="stable")  # NaN last
    scored = order[: np.count_nonzero(~np.isnan(value))]
    shared = np.full(len(value), None, dtype=object)
    if len(scored):
        shared[scored] = letters((better | better.T)[np.ix_(scored, scored)], range(len(scored)))
    frame = pl.DataFrame(
        {
            **row_columns(found.rows),
            "profile": metric.profile,
            "metric": metric.name,
            "value": numbers(value),
            "letters": pl.Series(shared.tolist(), dtype=pl.String),
            "n": counts(found.n[:, place]),
            "clusters": counts(found.clusters[:, place]),
        }
    )
    return frame.select(pl.all().gather(order.tolist()))
