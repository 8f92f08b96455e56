"""Several epochs: a table of what changes from one to the next, there only if some row has more than one."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, Final

from attunebench.report.tables import Cell, Column, Table
from attunebench.score.epochs import VARIANCE, VARYING

_COLUMNS: Final = (
    Column("model", wraps=True),
    Column("epochs"),
    Column("SD composite", 2),
    Column("emo", 2),
    Column("eval", 2),
    Column("hol", 2),
)
_NOTE: Final = (
    "So often was each conversation read; all figures are means over these epochs. SD: the standard deviation, from "
    "epoch to epoch, of the composite and of the pillars, 0 to 100. The standard error above is over conversations."
)


def epochs_table(models: Sequence[tuple[str, Mapping[str, Any]]]) -> Table | None:
    """Return the table of rows that have more than one epoch, given with their names; none without any."""
    rows = [_cells(name, row) for name, row in models if row["epochs"] > 1]
    return Table("Between epochs", _COLUMNS, [rows], [_NOTE]) if rows else None


def _cells(name: str, row: Mapping[str, Any]) -> list[Cell]:
    composite, *pillars = (_root(row[VARIANCE][figure]) for figure in VARYING)
    return [name, row["epochs"], composite, *(None if pillar is None else 100 * pillar for pillar in pillars)]


def _root(variance: float | None) -> float | None:
    return None if variance is None else sqrt(variance)
