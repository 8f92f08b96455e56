"""What choices between two replies lean to, whatever the replies say: a label, a side, the longer one."""

from typing import Final

import polars as pl

from attunebench.analysis.estimates import means
from attunebench.analysis.inputs import Inputs

LONGER: Final = "longer"
LEANINGS: Final = ("original", "alternate", "human", "side A", LONGER)

METHOD: Final = (
    "Over comparisons that the participant decided and the model answered, and in which it is one of two: share of the "
    "model's choices that fall on it (model), of the participants' on the same comparisons (participants), and the "
    "mean difference, model - participants (difference). longer: the reply with more words, where both have a "
    "text and one has more. Interval: bootstrap-t over clusters, 95 %."
)


def leanings(comparisons: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
    """Return, by row and leaning, the shares of model and participants and their difference.

    `comparisons` are those of `Evidence.comparisons`.
    """
    both = comparisons.drop_nulls(["winner", "chosen"])
    a_longer = pl.col("words_a") > pl.col("words_b")
    unequal = both.filter(pl.col("words_a") != pl.col("words_b"))
    found = [_on_a("side A", both, pl.lit(value=True)), _on_a(LONGER, unequal, a_longer)]
    for label in ("original", "alternate", "human"):
        is_a, is_b = pl.col("label_a").eq_missing(label), pl.col("label_b").eq_missing(label)
        found.append(_on_a(label, both.filter(is_a != is_b), is_a))
    shares = pl.concat(found).with_columns(
        difference=pl.col("model").cast(pl.Int64) - pl.col("participants").cast(pl.Int64)
    )
    return means(shares, ["row", "leaning"], ["model", "participants", "difference"], inputs)


def _on_a(leaning: str, comparisons: pl.DataFrame, is_a: pl.Expr) -> pl.DataFrame:
    """Return whether model and participant chose the side that the leaning is to; `is_a` where that is A."""
    return comparisons.select(
        "row",
        "conversation",
        leaning=pl.lit(leaning, dtype=pl.Enum(LEANINGS)),
        model=(pl.col("chosen") == "A") == is_a,
        participants=(pl.col("winner") == "A") == is_a,
    )
