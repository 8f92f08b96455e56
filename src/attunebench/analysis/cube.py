"""Scores as arrays: every row (a model under a condition), conversation and metric."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunebench.score.strict_outcome import ERROR
from attunebench.stats.sums import Floats, Ints, number_clusters


class RowKey(NamedTuple):
    """What scores of different conversations may be averaged over: a model under one condition."""

    model: str
    mode: str
    panas_strategy: str
    condition: str

    @property
    def setting(self) -> tuple[str, str, str]:
        """What models must share to be compared: mode, PANAS strategy, condition."""
        return self[1:]

    @property
    def under(self) -> str:
        """The setting in words."""
        return f"mode {self.mode}, PANAS {self.panas_strategy}, condition {self.condition or 'not given'}"


class Metric(NamedTuple):
    """A metric of a profile."""

    profile: str
    name: str


ROW_COLUMNS: Final = RowKey._fields

ERROR_ITEMS: Final = Metric("strict", f"{ERROR}.n")
"""Over how many totals a conversation's mean error of PANAS is: what its share of the PANAS skill is weighted by."""


@dataclass(frozen=True)
class Cube:
    """Scores of conversations; of several readings of one by a model, their mean.

    `values`: shape (rows, conversations, metrics), NaN where not defined. `clusters`: shape (conversations,), from 0:
    which participant held each. `cluster_kind`: what a cluster is, in words.
    """

    rows: tuple[RowKey, ...]
    conversations: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: Floats
    clusters: Ints
    cluster_kind: str

    @property
    def cluster_count(self) -> int:
        """How many clusters there are."""
        return int(self.clusters.max(initial=-1)) + 1

    def settings(self) -> dict[tuple[str, str, str], list[int]]:
        """Return the places of rows by setting, in order."""
        found: dict[tuple[str, str, str], list[int]] = {}
        for place, row in enumerate(self.rows):
            found.setdefault(row.setting, []).append(place)
        return found

    def metric(self, profile: str, name: str) -> Floats:
        """Return one metric, shape (rows, conversations); all NaN where nothing has it."""
        key = Metric(profile, name)
        if key not in self.metrics:
            return np.full(self.values.shape[:2], np.nan)
        return self.values[:, :, self.metrics.index(key)]

    def with_rows(self, places: Sequence[int]) -> "Cube":
        """Return the cube with some of its rows."""
        return replace(self, rows=tuple(self.rows[place] for place in places), values=self.values[list(places)])

    def with_metrics(self, chosen: Callable[[Metric], bool]) -> "Cube":
        """Return the cube with some of its metrics."""
        places = [place for place, metric in enumerate(self.metrics) if chosen(metric)]
        return replace(self, metrics=tuple(self.metrics[place] for place in places), values=self.values[:, :, places])


def make_cube(scores: pl.DataFrame, participants: Mapping[str, str | None]) -> Cube:
    """Return a cube of the rows of conversations of a tidy table, over the conversations in `participants`.

    Args:
        scores: rows of conversations, as in `Inputs.scores`.
        participants: of each conversation, its participant's id; without one, the conversation stands for itself.
    """
    wanted = scores.lazy().filter(pl.col("profile") != "calls", pl.col("conversation").is_in([*participants]))
    items = wanted.filter(pl.col("profile") == ERROR_ITEMS.profile, pl.col("metric") == ERROR)
    counted = items.with_columns(
        metric=pl.lit(ERROR_ITEMS.name).cast(pl.Categorical), value=pl.col("n").cast(pl.Float64)
    )
    keys = [*ROW_COLUMNS, "conversation", "profile", "metric"]
    means = (
        pl.concat([each.select(*keys, "value") for each in (wanted, counted)])
        .group_by(keys, maintain_order=True)
        .agg(pl.col("value").mean())
        .collect()
    )
    rows = sorted(RowKey(*row) for row in means.select(ROW_COLUMNS).unique().rows())
    metrics = [Metric(*metric) for metric in means.select("profile", "metric").unique(maintain_order=True).rows()]
    covered = set(means["conversation"].unique())
    conversations = [name for name in participants if name in covered]
    values = np.full((len(rows), len(conversations), len(metrics)), np.nan)
    places = (
        _places(means.select(ROW_COLUMNS), rows),
        _places(means.select("conversation"), [(name,) for name in conversations]),
        _places(means.select("profile", "metric"), metrics),
    )
    values[places] = means["value"].cast(pl.Float64).to_numpy()
    clusters, kind = _clusters(conversations, participants)
    return Cube(tuple(rows), tuple(conversations), tuple(metrics), values, clusters, kind)


def _places(columns: pl.DataFrame, entries: Sequence[tuple[str, ...]]) -> NDArray[np.int64]:
    """Return where each row stands in the entries."""
    numbered = pl.DataFrame(entries, schema=columns.schema, orient="row").with_row_index("place")
    return columns.join(numbered, on=columns.columns, how="left", maintain_order="left")["place"].to_numpy()


def _clusters(conversations: Sequence[str], participants: Mapping[str, str | None]) -> tuple[Ints, str]:
    known = [name for name in conversations if participants[name]]
    names = [
        f"participant {participants[name]}" if participants[name] else f"conversation {name}" for name in conversations
    ]
    kind = "participant"
    if not known:
        kind = "conversation (no participant ids)"
    elif len(known) < len(conversations):
        kind = f"participant (conversation where no id: {len(conversations) - len(known)} of {len(conversations)})"
    return number_clusters(names), kind
