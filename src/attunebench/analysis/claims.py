"""The published claims, held against these data: what was found, and whether it bears the claim out.

Source of the claims: AttuneBench, arXiv 2605.21739.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import polars as pl

from attunebench.analysis.group_scores import ALL_MODELS
from attunebench.analysis.metrics import COMPOSITE
from attunebench.analysis.ranking import SKILL
from attunebench.analysis.tables import Missing, Part, Table

TITLE = "The published claims on these data"

HOLDS: Final = "holds"
OPPOSITE: Final = "the opposite holds"
OPEN: Final = "cannot be told"

_METHOD = (
    'Verdicts follow from the tables named. An interval or test that does not exclude chance gives "cannot be told", '
    'never "does not hold".'
)
_SETTING = ("mode", "panas_strategy", "condition", "profile")


def claims(parts: Sequence[Part]) -> Part:
    """Return a row a claim, setting and profile."""
    tables = {table.name: table.frame for part in parts for table in part.tables}
    rows = [*_separable(tables), *_discrimination(tables), *_diagnosis(tables), *_range(tables)]
    if not rows:
        return Part(TITLE, missing=[Missing("claims", "needs several models, or groups of participants")])
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return Part(
        TITLE, [Table("claims", "What was published, and what is found here", _METHOD, frame, "see the table named")]
    )


def _row(
    claim: str, published: str, found: str, verdict: str, told: dict[str, object], table: str
) -> dict[str, object]:
    return {
        "claim": claim,
        "published": published,
        "found": found,
        "verdict": verdict,
        **{name: told[name] for name in _SETTING},
        "n": told["n"],
        "clusters": told["clusters"],
        "table": table,
    }


def _separable(tables: dict[str, pl.DataFrame]) -> Iterator[dict[str, object]]:
    if "capability_correlations" not in tables:
        return
    for _, rows in tables["capability_correlations"].group_by(_SETTING, maintain_order=True):
        told, all_pairs = int(rows["separable"].sum()), rows.height
        verdict = HOLDS if told == all_pairs else OPEN
        if 0 < told < all_pairs:
            verdict = f"{HOLDS} for {told} of {all_pairs} pairs"
        values = rows["corrected"].drop_nulls()
        span = f"; corrected correlations {_span(values, 2)}" if len(values) else ""
        yield _row(
            "Capabilities are separable",
            "rank correlations near 0 between capabilities",
            f"{told} of {all_pairs} pairs of capabilities, {rows['models'][0]} models{span}",
            verdict,
            rows.row(0, named=True),
            "capability_correlations",
        )


def _discrimination(tables: dict[str, pl.DataFrame]) -> Iterator[dict[str, object]]:
    if "capability_discrimination" not in tables:
        return
    chosen = tables["capability_discrimination"].filter(pl.col("capability").is_in(["preference", "draft quality"]))
    for row in chosen.iter_rows(named=True):
        lower, upper = row["difference_lower"], row["difference_upper"]
        more = _between(row["difference"], lower, upper)
        found = f"generalisability {_shown(row['generalisability'])}; less that of emotion labels {more}"
        yield _row(
            f"{row['capability'].capitalize()} discriminates more than emotion labels",
            "preference and response quality discriminate more",
            found,
            _verdict(lower, upper, wanted="positive"),
            row,
            "capability_discrimination",
        )


def _diagnosis(tables: dict[str, pl.DataFrame]) -> Iterator[dict[str, object]]:
    if "groups" not in tables:
        return
    groups = tables["groups"].filter(
        pl.col("group_field") == "diagnosis",
        pl.col("metric").is_in([COMPOSITE, SKILL + COMPOSITE]),
        pl.col("group") != pl.col("reference"),
        pl.col("group").is_in(["anxiety/depression", "ASD/ADHD"]),
    )
    overall = groups.filter(pl.col("model") == ALL_MODELS)
    for row in (groups if overall.is_empty() else overall).iter_rows(named=True):
        lower, upper = row["difference_lower"], row["difference_upper"]
        found = f"{_between(row['difference'], lower, upper)} against {row['reference']}"
        tested = row["p_bh"] is not None
        excluded = tested and row["p_bh"] < 0.05
        yield _row(
            f"People with {row['group']} are tracked less well: {row['metric']}",
            "lower composites with a diagnosis",
            found + ("" if tested else f"; not tested, {row['clusters']} participants"),
            _verdict(lower, upper, wanted="negative") if excluded else OPEN,
            row,
            "groups",
        )


def _range(tables: dict[str, pl.DataFrame]) -> Iterator[dict[str, object]]:
    if "distinguished" not in tables or "leaderboard" not in tables:
        return
    board = tables["leaderboard"].filter(pl.col("metric") == COMPOSITE)
    for row in tables["distinguished"].filter(pl.col("metric") == COMPOSITE).iter_rows(named=True):
        values = board.filter([pl.col(name) == row[name] for name in _SETTING])["value"].drop_nulls()
        if values.is_empty():
            continue
        yield _row(
            "Most pairs of models differ on the composite",
            "11 models between 50.1 and 54.3; 35 of 55 pairs",
            f"{len(values)} models at {_span(values, 1)}; {row['distinguished']} of {row['pairs']} pairs distinguished",
            HOLDS if row["pairs"] and row["distinguished"] > row["pairs"] / 2 else OPEN,
            row,
            "distinguished",
        )


def _verdict(lower: float | None, upper: float | None, *, wanted: str) -> str:
    if lower is None or upper is None or lower <= 0 <= upper:
        return OPEN
    return HOLDS if (lower > 0) == (wanted == "positive") else OPPOSITE


def _span(values: pl.Series, decimals: int) -> str:
    low, high = (float(each) for each in np.quantile(values.to_numpy(), [0, 1]))
    return f"{low:.{decimals}f} to {high:.{decimals}f}"


def _between(value: float | None, lower: float | None, upper: float | None) -> str:
    if value is None:
        return "not defined"
    return f"{value:+.2f}" + ("" if lower is None else f" [{lower:+.2f}, {upper:+.2f}]")


def _shown(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"
