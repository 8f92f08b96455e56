"""Agreement within a panel of judges: Krippendorff's alpha from sums over drafts, so that clusters can be resampled."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from attunebench.analysis.estimates import named, of_settings, statistics
from attunebench.analysis.evidence import Evidence
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.yes_no import VALUES
from attunebench.stats.sums import Floats, ratio

YES_NO: Final = "yes/no"

METHOD: Final = (
    "Krippendorff's alpha over all models' drafts under a condition, which names the panel: 1 is full agreement, 0 "
    "what chance would give. Ratings at the interval level; yes/no answers, a draft and question each, at the nominal "
    "one. n: drafts, or answers on them, that at least two judges judged. Interval: percentile over clusters, 95 %."
)


def agreement(evidence: Evidence, inputs: Inputs) -> pl.DataFrame:
    """Return alpha by setting and what was judged: every rating, and yes/no; empty if no two judges judged the same."""
    ratings, findings = evidence.ratings, evidence.findings
    of_ratings = _alphas(ratings.rename({"rating": "judged"}), ["value"], ["turn"], inputs)
    indicators = [(pl.col("answer") == value).cast(pl.Float64).alias(value) for value in VALUES]
    said = findings.with_columns(*indicators, judged=pl.lit(YES_NO))
    of_findings = _alphas(said, VALUES, ["turn", "question"], inputs)
    return pl.concat([of_ratings, of_findings])


def _alphas(values: pl.DataFrame, columns: Sequence[str], unit: Sequence[str], inputs: Inputs) -> pl.DataFrame:
    """Return alpha by row and `judged`, of values in one or more columns; distance is squared and added over these."""
    drafts = values.with_columns(pl.col("judged").cast(pl.String)).group_by(
        "record", "row", "conversation", "judged", *unit
    )
    squares = sum((pl.col(name) ** 2).sum() - pl.col(name).sum() ** 2 / pl.len() for name in columns)
    units = drafts.agg(
        judges=pl.len().cast(pl.Float64),
        within=squares * pl.len() / (pl.len() - 1),
        **{f"{name} sum": pl.col(name).sum() for name in columns},
        **{f"{name} squares": (pl.col(name) ** 2).sum() for name in columns},
    ).filter(pl.col("judges") > 1)
    units, rows = of_settings(units.with_columns(n=pl.lit(1)), inputs)
    sums = ["n", "judges", "within", *(f"{c} sum" for c in columns), *(f"{c} squares" for c in columns)]
    return named(statistics(units, ["row", "judged"], sums, ["alpha"], krippendorff_alpha, inputs), rows)


def krippendorff_alpha(sums: Floats) -> Floats:
    """Return 1 - observed/expected disagreement, 1 at best, NaN where all values are the same.

    Source: Krippendorff, Content Analysis (4th ed., 2019), chapter 12: with v values in units of at least two,
    observed = (1/v) sum over units of 2 m/(m - 1) x squared deviations within, m the unit's values; expected =
    2/(v (v - 1)) x (v sum of squares - square of the sum). Nominal: the values are indicators, and both are added up.

    Args:
        sums: shape (…, 3 + 2 c): units, v, squared deviations within x m/(m - 1), sums of c columns, their squares'.

    Returns:
        Shape (…, 1).
    """
    values, within = sums[..., 1], sums[..., 2]
    columns = (sums.shape[-1] - 3) // 2
    totals, squares = sums[..., 3 : 3 + columns], sums[..., 3 + columns :]
    spread = (values[..., None] * squares - totals**2).sum(axis=-1)
    return (1 - ratio((values - 1) * within, np.where(spread > 1e-9 * values**2, spread, 0.0)))[..., None]
