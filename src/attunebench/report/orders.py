"""Comparisons in both orders: a table, there only if some row was run so."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attunebench.report.tables import Cell, Column, Table
from attunebench.score.swap import ORDERS

_COLUMNS: Final = (
    Column("model", wraps=True),
    Column("flips", 1),
    Column("answered"),
    Column("right twice", 1),
    Column("decided"),
)
_NOTE: Final = (
    "flips: of the comparisons answered in both orders, the share in which another reply was chosen; down is better. "
    "right twice: of those that the participant decided, the share with the right reply in both orders; up is better. "
    "Both in percent, over the comparisons of all conversations."
)

Named = Sequence[tuple[str, Mapping[str, Any]]]
"""Rows of scores and their names."""


def orders_table(models: Named, floors: Named) -> Table | None:
    """Return the table of flips and agreements; none if no model was asked in both orders."""
    sections = [_cells(rows) for rows in (models, floors)]
    return Table("Comparisons in both orders", _COLUMNS, sections, [_NOTE]) if sections[0] else None


def _cells(rows: Named) -> list[list[Cell]]:
    return [_row(name, row[ORDERS]) for name, row in rows if ORDERS in row]


def _row(name: str, counts: Mapping[str, Any]) -> list[Cell]:
    return [
        name,
        _percent(counts["flip_rate"]),
        round(counts["answered"]),
        _percent(counts["agreement_score"]),
        round(counts["decided"]),
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
