"""A table that does not yet know how it will be shown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None
"""`None` is a value that is not defined or not known."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading; for numbers the decimals shown (none: a text or a whole number).

    `wraps` marks a text of any length, which may be broken over several lines.
    """

    heading: str
    decimals: int | None = None
    wraps: bool = False


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
    """Whether a column holds numbers, or fractions such as 3/14, and so is set to the right."""
    texts = [row[position] for rows in sections for row in rows if isinstance(row[position], str)]
    return not column.wraps and all(str(text)[:1].isdigit() for text in texts)


def plain(text: str) -> str:
    """Return a text on one line that no terminal or table acts upon: controls and direction marks become spaces."""
    return _CONTROL.sub(" ", text)
