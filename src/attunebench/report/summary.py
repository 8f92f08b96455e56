"""An analysis in a few tables: for a terminal, a paper, a pull request."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from attunebench.analysis.analyze import Analysis
from attunebench.analysis.cube import RowKey
from attunebench.analysis.metrics import COMPOSITE
from attunebench.analysis.ranking import SKILL
from attunebench.report.tables import Cell, Column, Table

_SETTING = ("mode", "panas_strategy", "condition")


def summary(analysis: Analysis) -> list[Table]:
    """Return the published claims on these data, the leaderboard with ranks, groups, and what is missing."""
    frames = {name: table.frame for name, table in analysis.tables.items()}
    made = [
        *_claims(frames),
        *_leaderboard(frames),
        *_groups(frames),
        *_missing(analysis),
    ]
    return [*made[:-1], _with_notes(made[-1], _about(analysis))] if made else []


def _with_notes(table: Table, notes: Sequence[str]) -> Table:
    return Table(table.title, table.columns, table.sections, [*table.notes, *notes])


def _claims(frames: dict[str, pl.DataFrame]) -> Iterator[Table]:
    if "claims" not in frames:
        return
    columns = [Column("claim", wraps=True), Column("found here", wraps=True), Column("verdict", wraps=True)]
    note = "Reference profile; where the strict one says otherwise, its verdict too. All rows are in claims.csv."
    for setting, rows in frames["claims"].group_by(*_SETTING, maintain_order=True):
        cells = []
        for row in rows.filter(pl.col("profile") == "reference").iter_rows(named=True):
            strict = rows.filter(pl.col("profile") == "strict", pl.col("claim") == row["claim"])["verdict"].to_list()
            other = [f"; strict: {verdict}" for verdict in strict if verdict != row["verdict"]]
            cells.append((row["claim"], row["found"], row["verdict"] + "".join(other)))
        yield Table(
            f"The published claims (arXiv 2605.21739) on these data, {_named(setting)}",
            columns,
            [_cells(cells)],
            [note],
        )


def _named(setting: Sequence[Any]) -> str:
    return RowKey("", *setting).under


def _leaderboard(frames: dict[str, pl.DataFrame]) -> Iterator[Table]:
    if "leaderboard" not in frames:
        return
    columns = (
        Column("model", wraps=True),
        Column("composite", 2),
        Column("95 %", wraps=True),
        Column("rank", wraps=True),
        Column("first", 2),
        Column("skill", 1),
        Column("95 %", wraps=True),
        Column("n"),
    )
    board = frames["leaderboard"]
    keys = ["model", *_SETTING, "profile"]
    skill = board.filter(pl.col("metric") == SKILL + COMPOSITE)
    composite = board.filter(pl.col("metric") == COMPOSITE).join(
        skill.select(*keys, s="value", s_lower="lower", s_upper="upper"), on=keys, how="left"
    )
    note = (
        "rank: a model ranks below only those distinguished above it. first: share of resamples in which it comes "
        "first. skill: from the best floor, 0, to the ceiling, 100."
    )
    for (*setting, profile), rows in (
        composite.sort("value", descending=True, nulls_last=True)
        .sort(*_SETTING, "profile", maintain_order=True)
        .group_by(*_SETTING, "profile", maintain_order=True)
    ):
        cells = [_board_row(row) for row in rows.iter_rows(named=True)]
        yield Table(f"Leaderboard, {profile} profile, {_named(setting)}", columns, [cells], [note])


def _board_row(row: dict[str, Any]) -> list[Cell]:
    low, high = row["rank_low"], row["rank_high"]
    rank = f"{low}" if low == high else f"{low} to {high}"
    first = [row["model"], row["value"], _interval(row["lower"], row["upper"], 1), None if low is None else rank]
    return [*first, row["first_share"], row["s"], _interval(row["s_lower"], row["s_upper"], 0), row["n"]]


def _interval(lower: object, upper: object, decimals: int) -> str | None:
    if not isinstance(lower, float) or not isinstance(upper, float):
        return None
    return f"{lower:.{decimals}f} to {upper:.{decimals}f}"


def _groups(frames: dict[str, pl.DataFrame]) -> Iterator[Table]:
    if "people" in frames:
        names = ("group_field", "group", "participants", "conversations")
        rows = frames["people"].with_columns(
            use=pl.when(pl.col("reference"))
            .then(pl.lit("reference"))
            .when(pl.col("tested"))
            .then(pl.lit("compared"))
            .otherwise(pl.lit("shown, not tested"))
        )
        columns = [
            Column("field", wraps=True),
            Column("group", wraps=True),
            Column("participants"),
            Column("conversations"),
            Column("", wraps=True),
        ]
        sections = [
            _cells(each.select(*names, "use").rows()) for _, each in rows.group_by("group_field", maintain_order=True)
        ]
        yield Table("Who was counted where", columns, sections)


def _missing(analysis: Analysis) -> Iterator[Table]:
    rows = [(missing.part, missing.reason) for part in analysis.parts for missing in part.missing]
    if rows:
        yield Table(
            "What these data do not allow", [Column("part", wraps=True), Column("why", wraps=True)], [_cells(rows)]
        )


def _cells(rows: Sequence[tuple[object, ...]]) -> list[list[Cell]]:
    return [[cell if isinstance(cell, str | int | float) else None for cell in row] for row in rows]


def _about(analysis: Analysis) -> list[str]:
    about = analysis.about
    notes = [
        f"{about['conversations']} conversations in {about['clusters']} clusters; a cluster is a {about['cluster']}. "
        f"{about['resamples']:,} resamples, {about['flips']:,} flips, seed {about['seed']}. "
        '"Not distinguished" never means equal.'
    ]
    if about["where"]:
        notes.append(f"Only where {' and '.join(about['where'])}.")
    if about["made_up"]:
        notes.append("The conversations are made up: these numbers say nothing about any model.")
    return notes
