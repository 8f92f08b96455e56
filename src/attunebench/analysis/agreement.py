"""Agreement within a panel of judges, by setting and by what they judged."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from attunebench.analysis.estimates import named, of_settings
from attunebench.analysis.evidence import Evidence
from attunebench.analysis.frames import RATE, interval_note, numbers
from attunebench.analysis.inputs import Inputs
from attunebench.stats.agreement import Agreement, Scale, krippendorff_alpha

YES_NO: Final = "yes/no"

METHOD: Final = (
    "Krippendorff's alpha over all models' drafts under a condition, which names the panel: 1 is full agreement, 0 "
    "what chance would give. Ratings at the interval level; yes/no answers, a draft and question each, at the nominal "
    "one. n: drafts, or answers on them, that at least two judges judged. Interval: percentile over clusters, 95 %."
)


def agreement(evidence: Evidence, inputs: Inputs) -> pl.DataFrame:
    """Return alpha by setting and what was judged: every rating, and yes/no; empty if no two judges judged the same."""
    ratings = evidence.ratings.select(*_UNIT, "turn", "judge", "value", judged=pl.col("rating").cast(pl.String))
    answers = pl.col("answer").to_physical().cast(pl.Float64)
    findings = evidence.findings.select(*_UNIT, "turn", "question", "judge", value=answers, judged=pl.lit(YES_NO))
    return pl.concat(
        [_alphas(ratings, ["turn"], "interval", inputs), _alphas(findings, ["turn", "question"], "nominal", inputs)]
    )


_UNIT: Final = ("record", "row", "conversation")


def _alphas(values: pl.DataFrame, unit: Sequence[str], scale: Scale, inputs: Inputs) -> pl.DataFrame:
    """Return alpha by row and `judged`."""
    of_all, rows = of_settings(values, inputs)
    found = {
        (row, judged): _alpha(judgements, [*_UNIT, *unit], scale, inputs)
        for (row, judged), judgements in of_all.sort("row", "judged").group_by("row", "judged", maintain_order=True)
    }
    told = {keys: each for keys, each in found.items() if each.units}
    frame = pl.DataFrame(
        {
            "row": pl.Series([row for row, _ in told], dtype=pl.Int64),
            "judged": pl.Series([judged for _, judged in told], dtype=pl.String),
            "metric": pl.Series(["alpha"] * len(told), dtype=pl.String),
            "value": numbers([each.alpha for each in told.values()]),
            "n": pl.Series([each.units for each in told.values()], dtype=pl.Int64),
            "clusters": pl.Series([each.clusters for each in told.values()], dtype=pl.Int64),
            "lower": numbers([each.lower for each in told.values()]),
            "upper": numbers([each.upper for each in told.values()]),
        }
    ).with_columns(method=pl.lit(RATE), profile=pl.lit("strict"), note=interval_note(method=pl.lit(RATE)))
    return named(frame, rows)


def _alpha(judgements: pl.DataFrame, unit: Sequence[str], scale: Scale, inputs: Inputs) -> Agreement:
    """Return the agreement of the judges on what they judged, as a table of judges and units."""
    units = judgements.select(unit).unique(maintain_order=True).with_row_index("unit")
    judges = judgements.select("judge").unique(maintain_order=True).with_row_index("rater")
    placed = judgements.join(units, on=unit, maintain_order="left").join(judges, on="judge", maintain_order="left")
    ratings = np.full((judges.height, units.height), np.nan)
    ratings[placed["rater"].to_numpy(), placed["unit"].to_numpy()] = placed["value"].to_numpy()
    clusters = inputs.cube.clusters[units["conversation"].to_numpy()]
    return krippendorff_alpha(ratings, clusters, inputs.weights, scale=scale)
