"""A table that does not yet know how it will be shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None
"""`None` is a value that is not defined or not known."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and for numbers the decimals shown (none: a text or a whole number)."""

    heading: str
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; `sections` are groups of rows with a line between them, `notes` stand below."""

    title: str
    columns: Sequence[Column]
    sections: Sequence[Sequence[Sequence[Cell]]]
    notes: Sequence[str] = field(default=())


def show_cell(cell: Cell, column: Column) -> str:
    """Return a cell as text: numbers with the column's decimals, thousands parted by commas, undefined as a dash."""
    match cell:
        case None:
            return "–"
        case str():
            return cell
        case int() if column.decimals is None:
            return f"{cell:,}"
        case _:
            return f"{cell:,.{column.decimals or 0}f}"


def is_number(column: Column, sections: Sequence[Sequence[Sequence[Cell]]], position: int) -> bool:
    """Whether a column holds numbers, and so is set to the right."""
    cells = [row[position] for rows in sections for row in rows]
    return column.decimals is not None or not any(isinstance(cell, str) for cell in cells)
