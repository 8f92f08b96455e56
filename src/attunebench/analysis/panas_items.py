"""PANAS item by item: how far predictions are off, and to which side."""

from typing import Final

import polars as pl

from attunebench.analysis.estimates import means, named
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.tables import Missing, Part, Table

TITLE: Final = "PANAS by item"

_METHOD: Final = (
    "error: mean of |predicted - reported after the conversation|, down is better; bias: mean of predicted - reported, "
    "above 0 too much; items run from 1 to 7, totals from 10 to 70. `n`: readings of conversations in which both are "
    "there; `asked`: those in which the participant reported it, so that asked - n predictions are missing. Interval: "
    "bootstrap-t over clusters, 95 %."
)


def panas_items(inputs: Inputs) -> Part:
    """Return error and bias of every item and both totals."""
    evidence = inputs.evidence
    if isinstance(evidence, str):
        return Part(TITLE, missing=[Missing("panas_items", evidence)])
    if evidence.panas.is_empty():
        return Part(TITLE, missing=[Missing("panas_items", "no participant reported PANAS after a conversation")])
    off = pl.col("predicted") - pl.col("after")
    compared = evidence.panas.with_columns(error=off.abs(), bias=off)
    asked = compared.group_by("row", "item").agg(asked=pl.len().cast(pl.Int64))
    found = means(compared, ["row", "item"], ["error", "bias"], inputs)
    found = found.join(asked, on=["row", "item"], how="left", maintain_order="left")
    return Part(TITLE, [Table("panas_items", TITLE, _METHOD, named(found, inputs.cube.rows))])
