"""Position: whether a model reads the end of a conversation better or worse than its beginning.

Source of thirds: AttuneBench's analysis, mid and late against early.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from attunebench.analysis.cube import ROW_COLUMNS
from attunebench.analysis.frames import interval_note, mean_columns, numbers
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.score.skill import direction
from attunebench.stats.resample import bootstrap_t
from attunebench.stats.signflip import sign_flip_p
from attunebench.stats.sums import Floats, mean_sums

TITLE = "Position"
THIRDS = ("early", "middle", "late")
FEWEST_FOR_SLOPE = 3

_KEYS = [*ROW_COLUMNS, "profile", "metric"]
_THIRDS = (
    "Turn i of T stands in third floor(3 (i - 1/2)/T). A conversation's score in a third is the mean of its turns; "
    "the table has the mean over conversations, and of middle and late also the mean difference from early within "
    "conversations that have both. Interval: bootstrap-t over clusters, 95 %; p: sign-flip test by cluster, "
    "uncorrected."
)
_SLOPES = (
    "Within a conversation, the least-squares slope of a turn's score on its relative place, 0 at the first turn and "
    "1 at the last, over turns where it is defined (at least 3); then the mean over conversations. Interval: "
    "bootstrap-t over clusters, 95 %; p: sign-flip test by cluster, uncorrected."
)
_TURNS = "Mean over the conversations that have the turn. Interval: bootstrap-t over clusters, 95 %."


def position(inputs: Inputs) -> Part:
    """Return scores by third, their slopes, and scores by turn."""
    turns = _turns(inputs)
    if turns.is_empty():
        return Part(TITLE, missing=[Missing("position", "the scores have no turns")])
    names = pl.Series("conversation", inputs.cube.conversations, dtype=pl.Categorical)
    places = pl.DataFrame([names]).with_row_index("place")
    return Part(
        TITLE,
        [
            Table("thirds", "Early, middle and late turns", _THIRDS, _thirds(turns, places, inputs)),
            Table("slopes", "Slopes from the first turn to the last", _SLOPES, _slopes(turns, places, inputs)),
            Table("turns", "Every turn", _TURNS, _by_turn(turns, places, inputs)),
        ],
    )


def _turns(inputs: Inputs) -> pl.DataFrame:
    """Return turns' scores, means over readings, with each turn's relative place."""
    scored = inputs.scores.filter(pl.col("level") == "turn")
    kept = [name for name in scored["metric"].unique() if direction(f"avg_{name}") is not None]
    return (
        scored.filter(pl.col("metric").is_in(kept))
        .group_by(*_KEYS, "conversation", "turn", maintain_order=True)
        .agg(pl.col("value").mean())
        .join(_order(inputs), on=["conversation", "turn"])
        .drop_nulls("value")
    )


def _order(inputs: Inputs) -> pl.DataFrame:
    """Return the place of every turn, from 0, among all of its conversation's, scored or not."""
    places = [
        (name, turn.turn_number, at, len(one.turns))
        for name, one in inputs.conversations.items()
        for at, turn in enumerate(one.ordered_turns)
    ]
    schema = {"conversation": pl.Categorical(), "turn": pl.Int64(), "at": pl.Int64(), "total": pl.Int64()}
    return pl.DataFrame(places, schema=schema, orient="row")


def _wide(
    cells: pl.DataFrame, places: pl.DataFrame, size: int, extra: Sequence[str] = ()
) -> tuple[pl.DataFrame, Floats]:
    """Return the keys of columns, and cells as an array, shape (conversations, columns); NaN where there is none."""
    keys = cells.select(*_KEYS, *extra).unique(maintain_order=True).sort(*_KEYS, *extra)
    numbered = cells.join(keys.with_row_index("column"), on=[*_KEYS, *extra]).join(places, on="conversation")
    values = np.full((size, keys.height), np.nan)
    values[numbered["place"].to_numpy(), numbered["column"].to_numpy()] = numbered["value"].to_numpy()
    return keys.with_columns(pl.col(pl.Categorical).cast(pl.String)), values


def _with_means(
    keys: pl.DataFrame, values: Floats, inputs: Inputs, name: str = "value", *, test: bool = False
) -> pl.DataFrame:
    """Return the keys with means over conversations, their intervals, and p-values of their being 0."""
    sums = mean_sums(values, inputs.cube.clusters)
    found = bootstrap_t(sums, inputs.weights)
    frame = pl.concat([keys, pl.DataFrame(mean_columns(values, found, name))], how="horizontal")
    if test:
        p = sign_flip_p(np.where(sums.bottom > 0, sums.top, np.nan), inputs.flips)
        frame = frame.with_columns(numbers(p).alias("p"))
    return frame.with_columns(note=interval_note(name))


def _thirds(turns: pl.DataFrame, places: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
    third = (3 * (2 * pl.col("at") + 1) // (2 * pl.col("total"))).replace_strict(
        dict(enumerate(THIRDS)), return_dtype=pl.String
    )
    cells = (
        turns.with_columns(third=third)
        .group_by(*_KEYS, "conversation", "third", maintain_order=True)
        .agg(pl.col("value").mean())
    )
    keys, values = _wide(cells, places, len(inputs.cube.conversations), ["third"])
    means = _with_means(keys, values, inputs)
    early = cells.filter(pl.col("third") == "early").select(*_KEYS, "conversation", early="value")
    later = cells.filter(pl.col("third") != "early").join(early, on=[*_KEYS, "conversation"])
    if later.is_empty():
        return means
    keys, values = _wide(
        later.with_columns(value=pl.col("value") - pl.col("early")), places, len(inputs.cube.conversations), ["third"]
    )
    changed = _with_means(keys, values, inputs, "difference", test=True)
    renamed = {name: f"difference_{name}" for name in ("lower", "upper", "n", "clusters")}
    changed = changed.rename(renamed).drop("method", "note")
    return means.join(changed, on=[*_KEYS, "third"], how="left", maintain_order="left")


def _slopes(turns: pl.DataFrame, places: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
    x = pl.col("at") / (pl.col("total") - 1)
    x_off, y_off = x - x.mean(), pl.col("value") - pl.col("value").mean()
    cells = (
        turns.filter(pl.col("total") > 1)
        .group_by(*_KEYS, "conversation", maintain_order=True)
        .agg(value=(x_off * y_off).sum() / (x_off**2).sum(), turns=pl.len())
        .filter(pl.col("turns") >= FEWEST_FOR_SLOPE)
    )
    keys, values = _wide(cells, places, len(inputs.cube.conversations))
    return _with_means(keys, values, inputs, "slope", test=True)


def _by_turn(turns: pl.DataFrame, places: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
    keys, values = _wide(turns, places, len(inputs.cube.conversations), ["turn"])
    return _with_means(keys, values, inputs)
