"""Two models on one metric, in one screen."""

from collections.abc import Sequence

from attunebench.analysis.pair import PairResult, Side
from attunebench.analysis.planning import ENOUGH_FOR_ONE
from attunebench.report.tables import Cell, Column, Table
from attunebench.score.skill import direction

_COLUMNS = (Column("", wraps=True), Column("value", wraps=True), Column("95 % interval", wraps=True), Column("n"))

_DOUBT = " The interval, made in another way, holds 0 too: a close call."
_FEW = f" With fewer than {ENOUGH_FOR_ONE} clusters, that promises too much."


def pair_tables(results: Sequence[PairResult], cluster: str) -> list[Table]:
    """Return a table a setting and profile, with what can and what cannot be concluded below it."""
    return [_table(each, cluster) for each in results]


def _table(found: PairResult, cluster: str) -> Table:
    row = found.one.row
    better = {"up": "more is better", "down": "less is better"}[direction(found.metric.name) or "up"]
    title = f"{found.metric.name}, {found.metric.profile} profile ({better}); {row.under}"
    difference: list[Cell] = ["difference", _number(found.difference), _interval(found.lower, found.upper), found.n]
    return Table(title, _COLUMNS, [[_side(found.one), _side(found.other)], [difference]], _notes(found, cluster))


def _side(side: Side) -> list[Cell]:
    return [side.row.model, _number(side.value), _interval(side.lower, side.upper), side.n]


def _notes(found: PairResult, cluster: str) -> list[str]:
    if found.difference is None:
        return [f"The two have no {found.metric.name} in common: they cannot be compared."]
    notes = [_verdict(found)]
    if found.detectable is not None:
        notes.append(
            f"These data find a true difference of {found.detectable:.3g} or more with 80 % power in a single test"
            + ("." if found.needed is None else f"; one as observed would take {found.needed:,.0f} conversations.")
            + (_FEW if found.clusters < ENOUGH_FOR_ONE else "")
        )
    if found.margin is not None:
        notes.append(_equivalence(found))
    notes.append(
        f"Over the {found.n} conversations both have, in {found.clusters} clusters; a cluster is a {cluster}. Interval "
        f"of the difference: {found.method}, uncorrected. p: sign-flip test by cluster; Holm over {found.family} pairs."
    )
    return notes


def _verdict(found: PairResult) -> str:
    if found.p is None or found.p_holm is None:
        return "Not tested: fewer than 2 clusters in common."
    p = f"p = {found.p:.3g}, Holm {found.p_holm:.3g}"
    if not found.distinguished:
        return f"Not distinguished ({p}): they may still differ; the interval says by how much."
    ahead = (found.difference or 0) > 0
    if direction(found.metric.name) == "down":
        ahead = not ahead
    better, worse = (found.one, found.other) if ahead else (found.other, found.one)
    doubt = found.lower is not None and found.upper is not None and found.lower <= 0 <= found.upper
    return f"Distinguished ({p}): {better.row.model} is better than {worse.row.model}." + (_DOUBT if doubt else "")


def _equivalence(found: PairResult) -> str:
    if found.equivalence is None:
        return f"Equivalence within {found.margin:g} cannot be tested: fewer than 2 clusters, or no variation."
    told = "equivalent" if found.equivalence < 0.05 else "equivalence is not shown"
    return f"Within a margin of {found.margin:g}: {told} (two one-sided t-tests, p = {found.equivalence:.3g})."


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def _interval(lower: float | None, upper: float | None) -> str:
    return "not defined" if lower is None or upper is None else f"{lower:.4f} to {upper:.4f}"
