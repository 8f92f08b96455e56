"""What an analysis reads: the scores, and the data set and records that they come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from attunebench.analysis.cube import ROW_COLUMNS, Cube, make_cube
from attunebench.analysis.evidence import Evidence
from attunebench.dataset.load import DataSet, load_dataset
from attunebench.dataset.schema import Conversation
from attunebench.errors import AttuneError, RecordError, UsageError
from attunebench.protocol.records import RunRecord
from attunebench.score.floor_table import FLOORS_FILE
from attunebench.score.run_files import load_records
from attunebench.score.sources import read_sources
from attunebench.score.table import SHARDS_FOLDER, TIDY_FILE, Totals, read_totals
from attunebench.stats.resample import RESAMPLES, draw_weights
from attunebench.stats.signflip import draw_flips, flips_for
from attunebench.stats.sums import Floats

Records: TypeAlias = Sequence[RunRecord] | str
"""Run records, or why there are none."""


@dataclass(frozen=True)
class Inputs:
    """Everything an analysis is made of, narrowed to the conversations and rows that were asked for.

    `scores`: the tidy table of conversations and turns, without bounds and turns' counts; texts are categorical, and
    what names a row is "" where it is not known. `cube`: its conversations as arrays. `floors`: the baselines' scores
    of every conversation, none where they were not computed. `records`: in no order, or why there are none; `runs`:
    where they stand. `seed`: of all randomness.
    """

    scores: pl.DataFrame
    cube: Cube
    conversations: Mapping[str, Conversation]
    floors: pl.DataFrame | None
    records: Records
    totals: Totals
    runs: Sequence[str]
    seed: int

    @cached_property
    def calls(self) -> pl.DataFrame:
        """How many calls ended how: the columns of a row, `conversation`, `call`, `state`, `count`."""
        ended = self.scores.filter(pl.col("level") == "conversation", pl.col("profile") == "calls")
        return ended.select(pl.col(*ROW_COLUMNS, "conversation", "metric").cast(pl.String), "value").select(
            *ROW_COLUMNS,
            "conversation",
            call=pl.col("metric").str.replace(r"\.[^.]*$", ""),
            state=pl.col("metric").str.split(".").list.last(),
            count=pl.col("value").cast(pl.Int64),
        )

    @cached_property
    def weights(self) -> Floats:
        """How often each cluster is drawn in each resample, the same for all parts."""
        return draw_weights(self.cube.cluster_count, RESAMPLES, np.random.default_rng([self.seed, 1]))

    @cached_property
    def flips(self) -> Floats:
        """The signs of clusters in each flip, the same for all parts."""
        models = max(len(places) for places in self.cube.settings().values())
        count = flips_for(models * (models - 1) // 2, least=RESAMPLES)
        return draw_flips(self.cube.cluster_count, count, np.random.default_rng([self.seed, 2]))

    @cached_property
    def evidence(self) -> Evidence | str:
        """The answers in the records, or why there are none."""
        if isinstance(self.records, str):
            return self.records
        return Evidence(self.cube, self.conversations, self.records)

    def rng(self, part: int) -> np.random.Generator:
        """Return the randomness of one part, which no other part draws from."""
        return np.random.default_rng([self.seed, 2 + part])


@dataclass(frozen=True)
class Read:
    """What was read, before it is narrowed."""

    scores: pl.DataFrame
    floors: pl.DataFrame | None
    dataset: DataSet
    records: Records
    totals: Totals
    runs: Sequence[str]


def read_inputs(folder: Path, *, data: str | None = None, runs: Sequence[str] = ()) -> Read:
    """Read the scores in `folder`, and the data and runs they come from, or those given instead.

    Raises:
        UsageError: where the data set is is not known.
        RecordError: there are no scores.
        DataError: the data set cannot be used.
    """
    totals = read_totals(folder)
    sources = read_sources(folder)
    place = data or (sources.data if sources else None)
    if place is None:
        raise UsageError(f"--data: must be given, as {folder} does not say where its data set is")
    dataset = load_dataset(place)
    scores = _read_tidy(folder)
    unknown = sorted(set(scores["conversation"].unique()) - {c.conversation_id for c in dataset.conversations})
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise RecordError([f"{folder}: its conversations must be in the data set {place}, got {unknown[0]}{more}"])
    floors = pl.read_parquet(folder / FLOORS_FILE) if (folder / FLOORS_FILE).exists() else None
    places = tuple(runs) or (sources.runs if sources else ())
    return Read(scores, floors, dataset, _read_records(places, dataset), totals, places)


def _read_tidy(folder: Path) -> pl.DataFrame:
    shards = sorted((folder / SHARDS_FOLDER).glob("*.parquet"))
    try:
        return compact(pl.scan_parquet(shards or folder / TIDY_FILE))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise RecordError([f"{folder / TIDY_FILE}: must be a file that `attunebench score` wrote ({error})"]) from None


def compact(table: pl.LazyFrame) -> pl.DataFrame:
    """Return of the tidy table what an analysis needs, in a form that takes little memory: see `Inputs.scores`."""
    turns = (pl.col("level") == "turn") & ~pl.col("metric").str.contains(".", literal=True)
    wanted = table.filter((pl.col("level") == "conversation") | turns).drop("epoch", "lower", "upper")
    named = wanted.with_columns(pl.col(ROW_COLUMNS).fill_null(""))
    return named.with_columns(pl.col(pl.String).cast(pl.Categorical)).collect()


def _read_records(runs: Sequence[str], dataset: DataSet) -> Records:
    if not runs:
        return "the scores do not say where their run records are; give --runs"
    try:
        return load_records([Path(run) for run in runs], dataset)
    except AttuneError as error:
        return f"the run records cannot be read: {str(error).splitlines()[0]}; give --runs"


def narrow(read: Read, chosen: Sequence[str], rows: pl.Expr | None, *, seed: int) -> Inputs:
    """Return the inputs of an analysis of some conversations, in the order of the data set, and of some rows.

    Args:
        read: everything.
        chosen: ids of conversations.
        rows: which rows of the tidy table; by default all.
        seed: of all randomness.
    """
    scores = read.scores
    if len(chosen) < len(read.dataset.conversations):
        scores = scores.filter(pl.col("conversation").is_in([*chosen]))
    if rows is not None:
        scores = scores.filter(rows)
    by_id = {c.conversation_id: c for c in read.dataset.conversations if c.conversation_id in set(chosen)}
    cube = make_cube(
        scores.filter(pl.col("level") == "conversation"), {name: c.participant_id for name, c in by_id.items()}
    )
    named = scores.select(pl.col("model", "mode", "condition", "conversation").cast(pl.String)).unique()
    kept = set(named.rows())
    records: Any = read.records
    if not isinstance(records, str):
        records = [r for r in records if (r.em_model, r.mode, r.condition or "", r.conversation_id) in kept]
    floors = None if read.floors is None else read.floors.filter(pl.col("conversation").is_in([*by_id]))
    return Inputs(scores, cube, by_id, floors, records, read.totals, read.runs, seed)
