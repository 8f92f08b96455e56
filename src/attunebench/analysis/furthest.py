"""The conversations in which each model is furthest off, by kind of error."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from attunebench.analysis.cube import ROW_COLUMNS, Cube
from attunebench.analysis.frames import counts, numbers, row_columns
from attunebench.analysis.inputs import Inputs
from attunebench.protocol.answers import ANSWERED
from attunebench.protocol.panel import CALL
from attunebench.stats.sums import Floats, ratio

SHOWN: Final = 5
"""So many conversations are shown of a row and kind."""

FAILED: Final = "calls failed"

SOURCES: Final[Mapping[str, Sequence[str]]] = {
    "emotion": ("emotion_tracking",),
    "behaviour": ("avg_binary_om_accuracy", "avg_binary_human_accuracy"),
    "preference": ("avg_pairwise_accuracy",),
    "draft": ("avg_response_preference_alignment",),
    "PANAS": ("panas_normalized",),
    "questions": (
        "q1_looking_for_score",
        "q2_emotion_clarity_match",
        "q3_model_fit_match",
        "q3_follow_up_score",
    ),
    "branches": ("four_branch_normalized",),
}
"""The strict metrics, all from 0 (worst) to 1, by whose mean conversations are told to be far off."""

METHOD: Final = (
    f"The {SHOWN} conversations with the greatest shortfall, of a row and kind of error: 1 - the mean of "
    + "; ".join(f"{' and '.join(metrics)} ({kind})" for kind, metrics in SOURCES.items())
    + f", strict, over those that are defined; {FAILED}: the share of calls without an answer. n: conversations that "
    "were ranked, and their clusters. Only those with a shortfall; of equals, the first in the data set. No intervals."
)


def furthest(inputs: Inputs) -> pl.DataFrame:
    """Return, by row and kind of error, the conversations with the greatest shortfall, 0 to 1."""
    kinds = {kind: 1 - _mean(inputs.cube, metrics) for kind, metrics in SOURCES.items()} | {FAILED: _failed(inputs)}
    return pl.concat(
        [
            _worst(inputs.cube, row, kind, shortfall[row])
            for row in range(len(inputs.cube.rows))
            for kind, shortfall in kinds.items()
        ]
    )


def _mean(cube: Cube, metrics: Sequence[str]) -> Floats:
    """Return the mean of strict metrics that are defined, shape (rows, conversations)."""
    values = np.stack([cube.metric("strict", name) for name in metrics])
    return ratio(np.nansum(values, axis=0), np.count_nonzero(~np.isnan(values), axis=0).astype(np.float64))


def _failed(inputs: Inputs) -> Floats:
    """Return the share of the model's calls that failed, shape (rows, conversations); judges' calls are not its own."""
    cube = inputs.cube
    calls = (
        inputs.calls.filter(~pl.col("call").str.starts_with(CALL))
        .group_by(*ROW_COLUMNS, "conversation")
        .agg(
            failed=pl.col("count").filter(~pl.col("state").is_in([*ANSWERED])).sum().cast(pl.Float64),
            calls=pl.col("count").sum().cast(pl.Float64),
        )
    )
    rows = pl.DataFrame(row_columns(cube.rows)).with_row_index("row")
    places = pl.DataFrame({"conversation": cube.conversations}).with_row_index("place")
    found = calls.join(rows, on=ROW_COLUMNS).join(places, on="conversation")
    shares = np.full((len(cube.rows), len(cube.conversations)), np.nan)
    shares[found["row"].to_numpy(), found["place"].to_numpy()] = ratio(
        found["failed"].to_numpy(), found["calls"].to_numpy()
    )
    return shares


def _worst(cube: Cube, row: int, kind: str, shortfall: Floats) -> pl.DataFrame:
    ranked = np.flatnonzero(~np.isnan(shortfall))
    order = np.argsort(-np.round(shortfall[ranked], 10), kind="stable")
    worst = [place for place in ranked[order][:SHOWN] if shortfall[place] > 0]
    return pl.DataFrame(
        {
            **row_columns([cube.rows[row]], len(worst)),
            "kind": pl.Series([kind] * len(worst), dtype=pl.String),
            "rank": counts(np.arange(len(worst)) + 1),
            "conversation": pl.Series([cube.conversations[place] for place in worst], dtype=pl.String),
            "value": numbers(shortfall[worst]),
            "n": counts(np.full(len(worst), len(ranked))),
            "clusters": counts(np.full(len(worst), len(np.unique(cube.clusters[ranked])))),
            "profile": pl.Series(["strict"] * len(worst), dtype=pl.String),
        },
        schema_overrides=dict.fromkeys(ROW_COLUMNS, pl.String()),
    )
