"""Modes: what showing the profile, or asking for reasons, changes; paired by conversation."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

from attunebench.analysis.cube import Cube, RowKey
from attunebench.analysis.frames import interval_note, mean_columns, numbers
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import is_mean
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.multiple import ALPHA, adjust
from attunebench.stats.resample import bootstrap_t
from attunebench.stats.signflip import sign_flip_p
from attunebench.stats.sums import mean_sums

TITLE = "Modes"
DEFAULT = "default"

_METHOD = (
    "Mean over the conversations that both modes cover of the score in the mode less that in the default mode, by the "
    "same model under the same PANAS strategy. Interval: bootstrap-t over clusters, 95 %. p: sign-flip test by "
    "cluster; p_holm and p_bh over the models of one metric and mode. Modes are different conditions: where a model "
    "was run under several of a mode, each is compared."
)


def modes(inputs: Inputs) -> Part:
    """Return the differences of each mode from the default one."""
    cube = inputs.cube.with_metrics(is_mean)
    paired = [*_pairs(cube.rows)]
    if not paired:
        found = sorted({row.mode for row in cube.rows})
        return Part(
            TITLE,
            missing=[
                Missing("modes", f"no model was run both in mode default and in another, but in {', '.join(found)}")
            ],
        )
    frame = pl.concat([_compare(cube, inputs, mode, default) for mode, default in paired])
    family = ["mode", "panas_strategy", "profile", "metric"]
    frame = frame.with_columns(
        pl.col("p").map_batches(lambda p: _adjusted(p, "holm"), return_dtype=pl.Float64).over(family).alias("p_holm"),
        pl.col("p").map_batches(lambda p: _adjusted(p, "bh"), return_dtype=pl.Float64).over(family).alias("p_bh"),
    ).with_columns(distinguished=(pl.col("p_holm") < ALPHA).fill_null(value=False), note=interval_note("difference"))
    return Part(TITLE, [Table("modes", "Each mode less the default one", _METHOD, frame)])


def _adjusted(p: pl.Series, method: str) -> pl.Series:
    return numbers(adjust(p.to_numpy(), "holm" if method == "holm" else "bh"))


def _pairs(rows: tuple[RowKey, ...]) -> Iterator[tuple[int, int]]:
    """Yield the places of rows to be compared: in another mode, and in the default one."""
    for (place, row), (other, default) in product(enumerate(rows), repeat=2):
        same = (row.model, row.panas_strategy) == (default.model, default.panas_strategy)
        if same and row.mode != DEFAULT and default.mode == DEFAULT:
            yield place, other


def _compare(cube: Cube, inputs: Inputs, place: int, other: int) -> pl.DataFrame:
    row, default = cube.rows[place], cube.rows[other]
    differences = cube.values[place] - cube.values[other]
    sums = mean_sums(differences, cube.clusters)
    found = bootstrap_t(sums, inputs.weights)
    p = sign_flip_p(np.where(sums.bottom > 0, sums.top, np.nan), inputs.flips)
    return pl.DataFrame(
        {
            "model": row.model,
            "mode": row.mode,
            "panas_strategy": row.panas_strategy,
            "condition": row.condition,
            "condition_default": default.condition,
            "profile": [metric.profile for metric in cube.metrics],
            "metric": [metric.name for metric in cube.metrics],
            **mean_columns(differences, found, "difference"),
            "p": numbers(p),
        }
    )
