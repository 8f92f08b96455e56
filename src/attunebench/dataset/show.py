"""A description of a data set for a terminal, in tables that fit 80 columns."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from attunebench.dataset.describe import Counts, Description
from attunebench.dataset.problems import one_line


def show(description: Description, console: Console | None = None) -> None:
    """Print a description to `console`, or to standard output."""
    (console or Console()).print(render(description))


def render(description: Description) -> Group:
    """Return a description as rich tables; texts of the data set are shown as they are, never as markup."""
    d = description
    answers = [(name, *a["observed"].values(), *a["preferred"].values()) for name, a in d.judgements.items()]
    emotions = [(word, e["count"], e["mean_intensity"]) for word, e in d.emotions.items() if e["count"]]
    tables = [
        _table("Data set", ("", "count"), _overview(d)),
        _table("Emotions felt", ("word", "turns", "mean intensity"), emotions),
        _table(
            "Yes/no answers: observed | preferred",
            ("question", "yes", "no", "na", "none", "| yes", "no", "na", "none"),
            answers,
        ),
        _table("Comparisons", ("question", "A", "B", "undecided"), _rows(d.comparisons["by_question"])),
        _table("Wins by pair of replies", ("pair", "wins"), _pairs(d.comparisons["by_pair"])),
        *(
            _table(f"By {name}", (name, "participants", "conversations"), _rows(groups))
            for name, groups in d.groups.items()
        ),
        _table("Conversations that lack", ("part", "conversations"), d.gaps["conversations"].items()),
        _table("Turns that lack", ("part", "turns"), d.gaps["turns"].items()),
    ]
    return Group(*(part for table in tables if table.row_count for part in (table, Text())))


def _overview(d: Description) -> list[tuple[str, Any]]:
    return [
        ("conversations", d.conversations),
        ("participants", d.participants),
        ("conversations without a participant id", d.conversations_without_participant),
        ("turns", d.turns["total"]),
        ("turns per conversation: least", d.turns["min"]),
        ("turns per conversation: median", d.turns["median"]),
        ("turns per conversation: most", d.turns["max"]),
        ("subtopics", d.subtopics),
        ("turns with a shift of mood", d.mood["with_shift"]),
        ("turns without a shift", d.mood["without_shift"]),
        ("turns not asked for a shift", d.mood["not_asked"]),
        ("comparisons", d.comparisons["total"]),
        ("comparisons undecided", d.comparisons["undecided"]),
    ]


def _rows(counts: dict[str, Counts]) -> list[tuple[Any, ...]]:
    return [(name, *values.values()) for name, values in counts.items()]


def _pairs(by_pair: dict[str, Counts]) -> list[tuple[str, str]]:
    return [(pair, ", ".join(f"{label} {n}" for label, n in wins.items())) for pair, wins in by_pair.items()]


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    return table


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if isinstance(value, float) else one_line(str(value))
