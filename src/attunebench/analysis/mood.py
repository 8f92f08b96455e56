"""The mood trajectory: how pleasant and how stirred the participant was from turn to turn, and as the model saw it."""

from collections.abc import Sequence
from typing import Final

import polars as pl

from attunebench.analysis.estimates import means, named, statistics
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.position import THIRDS
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.correlation import pearson_of_sums
from attunebench.stats.sums import Floats

TITLE: Final = "Mood trajectory"

_AXES: Final = ("valence", "arousal")
_BOTH: Final = (
    "A turn's valence or arousal (0 to 1) is the mean of its emotions' coordinates, weighted by intensity; an emotion "
    "without one weighs as much as the middle of the scale, 4. Only turns in which participant and model both name an "
    "emotion, so that the curves are of the same turns. "
)
_CURVES: Final = (
    _BOTH
    + "Means over turns of the participant's emotions (…_reported), the model's (…_predicted), and of predicted - "
    "reported (…_gap: above 0 is too pleasant, or too stirred). Interval: bootstrap-t over clusters, 95 %."
)
_BY_THIRD: Final = _CURVES + " Turn i of T stands in third floor(3 (i - 1/2)/T)."
_AGREEMENT: Final = (
    _BOTH + "…_correlation: Pearson's correlation of both curves over all turns; …_correlation_within: the same of "
    "deviations from each conversation's mean, so that only the ups and downs within conversations count. Interval: "
    "percentile over clusters, 95 %. …_gap: mean of predicted - reported, with a bootstrap-t interval."
)
_MOMENTS: Final = ("n", "x", "y", "xx", "yy", "xy")


def mood(inputs: Inputs) -> Part:
    """Return both curves by turn and by third, and how they agree."""
    evidence = inputs.evidence
    if isinstance(evidence, str):
        return Part(TITLE, missing=[Missing("mood", evidence)])
    both = evidence.turns.drop_nulls(["valence", "predicted_valence"])
    if both.is_empty():
        return Part(TITLE, missing=[Missing("mood", "in no turn do participant and model both name an emotion")])
    third = 3 * (2 * pl.col("position") - 1) // (2 * pl.col("length"))
    turns = both.with_columns(
        *(pl.col(axis).alias(f"{axis}_reported") for axis in _AXES),
        *(pl.col(f"predicted_{axis}").alias(f"{axis}_predicted") for axis in _AXES),
        *((pl.col(f"predicted_{axis}") - pl.col(axis)).alias(f"{axis}_gap") for axis in _AXES),
        third=third.replace_strict(dict(enumerate(THIRDS)), return_dtype=pl.Enum(THIRDS)),
    )
    curves = [f"{axis}_{whose}" for axis in _AXES for whose in ("reported", "predicted", "gap")]
    return Part(
        TITLE,
        [
            Table("mood_turns", "Mood turn by turn", _CURVES, _table(turns, ["turn"], curves, inputs)),
            Table("mood_thirds", "Mood in thirds", _BY_THIRD, _table(turns, ["third"], curves, inputs)),
            Table("mood_agreement", "How both curves agree", _AGREEMENT, _agreement(turns, inputs)),
        ],
    )


def _table(turns: pl.DataFrame, keys: Sequence[str], values: Sequence[str], inputs: Inputs) -> pl.DataFrame:
    return named(means(turns, ["row", *keys], values, inputs), inputs.cube.rows)


def _agreement(turns: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
    gaps = means(turns, ["row"], [f"{axis}_gap" for axis in _AXES], inputs)
    found = [
        statistics(_moments(turns, axis, within=within), ["row"], _MOMENTS, [f"{axis}_{name}"], _pearson, inputs)
        for axis in _AXES
        for name, within in (("correlation", False), ("correlation_within", True))
    ]
    return named(pl.concat([*found, gaps]).sort("row", maintain_order=True), inputs.cube.rows)


def _moments(turns: pl.DataFrame, axis: str, *, within: bool) -> pl.DataFrame:
    """Return each turn's part in the sums that a correlation is made of; within, of deviations from a record's mean."""
    x, y = pl.col(f"{axis}_reported"), pl.col(f"{axis}_predicted")
    if within:
        x, y = x - x.mean().over("record"), y - y.mean().over("record")
    return turns.select("row", "conversation", n=pl.lit(1), x=x, y=y, xx=x * x, yy=y * y, xy=x * y)


def _pearson(moments: Floats) -> Floats:
    return pearson_of_sums(moments)[..., None]
