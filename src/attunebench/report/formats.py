"""Showing a table: for a terminal, as Markdown."""

import re
from collections.abc import Iterable
from typing import Literal

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from attunebench.report.tables import Table, is_number, plain, show_cell

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def print_tables(tables: Iterable[Table], console: Console) -> None:
    """Print tables to a terminal or a pipe; texts from data are shown as they are, never read as markup."""
    for table in tables:
        title = Text(plain(table.title), "bold")
        # No edges: in 80 columns every one counts.
        shown = RichTable(
            title=title, box=SIMPLE, title_justify="left", padding=(0, 1, 0, 0), pad_edge=False, show_edge=False
        )
        for position, column in enumerate(table.columns):
            right = is_number(column, table.sections, position)
            justify: Literal["left", "right"] = "right" if right else "left"
            shown.add_column(Text(column.heading), justify=justify, overflow="fold", no_wrap=not column.wraps)
        for rows in table.sections:
            for row in rows:
                cells = [show_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)]
                shown.add_row(*(Text(plain(cell)) for cell in cells))
            shown.add_section()
        console.print(shown)
        console.print()
        for note in table.notes:
            console.print(Text(plain(note)))
        if table.notes:
            console.print()


def to_markdown(tables: Iterable[Table]) -> str:
    """Return tables as GitHub-flavoured Markdown; texts from data cannot become markup."""
    return "\n\n".join(_markdown(table) for table in tables) + "\n"


def _markdown(table: Table) -> str:
    marks = ["---:" if is_number(c, table.sections, at) else "---" for at, c in enumerate(table.columns)]
    lines = [f"### {_escape(table.title)}", "", _line(column.heading for column in table.columns), _line(marks)]
    for rows in table.sections:
        for row in rows:
            cells = [show_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)]
            lines.append(_line(_escape(cell) for cell in cells))
    return "\n".join([*lines, *(f"\n{_escape(note)}" for note in table.notes)])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", plain(text))
