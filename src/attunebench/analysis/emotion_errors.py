"""How emotions are misread: which word for which, pleasant for unpleasant, too many, too few, too strong, too weak."""

from typing import Final

import polars as pl

from attunebench.analysis.estimates import means
from attunebench.analysis.evidence import Evidence
from attunebench.analysis.frames import numbers
from attunebench.analysis.inputs import Inputs

NONE: Final = "(none)"
"""Stands for the word that one side lacks."""

NEUTRAL: Final = 0.5
"""The middle of valence: above it is pleasant."""

METHOD: Final = (
    "Over turns whose emotions were asked and answered. valence_flip: share of turns, of those in which both name an "
    "emotion, whose mean valence (weighted by intensity) lies on the other side of 0.5. number_difference: mean of how "
    "many different words the model names - how many the participant felt; too_many, too_few: shares of turns with "
    "more, or fewer. intensity_difference: mean of predicted - reported over words that both name with an intensity, "
    "above 0 too strong; its n counts words. Interval: bootstrap-t over clusters, 95 %."
)
CONFUSION_METHOD: Final = (
    "In each answered turn, felt and predicted words are paired one to one: the same words first, the others so that "
    "they are most alike in valence and arousal. count: turns in which `word` was paired with `predicted`; (none) is "
    "the side that has no word left, (other) a predicted word that is none of the 20. value: count/n, where n counts "
    "the turns in which the word was felt; of (none), the predicted words too many. No intervals."
)


def emotion_errors(evidence: Evidence, inputs: Inputs) -> pl.DataFrame:
    """Return, by row, valence flips, differences in number and in intensity."""
    more = pl.col("named") - pl.col("felt")
    by_turn = evidence.turns.filter("answered").with_columns(
        valence_flip=(pl.col("valence") > NEUTRAL) != (pl.col("predicted_valence") > NEUTRAL),
        number_difference=more,
        too_many=more > 0,
        too_few=more < 0,
    )
    shared = evidence.emotions.filter(pl.col("word") == pl.col("predicted")).with_columns(
        intensity_difference=pl.col("predicted_intensity") - pl.col("intensity")
    )
    found = [
        means(by_turn, ["row"], ["valence_flip", "number_difference", "too_many", "too_few"], inputs),
        means(shared, ["row"], ["intensity_difference"], inputs),
    ]
    return pl.concat(found).sort("row", maintain_order=True)


def confusion(evidence: Evidence, inputs: Inputs) -> pl.DataFrame:
    """Return, by row, participant's word and predicted word, in how many turns they are paired."""
    clusters = pl.Series("cluster", inputs.cube.clusters[evidence.emotions["conversation"].to_numpy()])
    paired = evidence.emotions.with_columns(pl.col("word", "predicted").cast(pl.String).fill_null(NONE), clusters)
    felt = paired.group_by("row", "word").agg(
        n=pl.len().cast(pl.Int64), clusters=pl.col("cluster").n_unique().cast(pl.Int64)
    )
    counted = paired.group_by("row", "word", "predicted").agg(count=pl.len().cast(pl.Int64))
    found = counted.join(felt, on=["row", "word"]).sort(
        "row", "word", "count", "predicted", descending=[False, False, True, False]
    )
    share = numbers((found["count"] / found["n"]).to_numpy())
    return found.select("row", "word", "predicted", "count", value=share, n="n", clusters="clusters").with_columns(
        profile=pl.lit("strict")
    )
