"""How judges found the drafts, and which judges are kin to the model they judged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attunebench.protocol.answers import ANSWERED
from attunebench.protocol.families import Kinship, closest_kin, kinship
from attunebench.protocol.panel import CALL
from attunebench.report.tables import Cell, Column, Table

JUDGED: Final = ("avg_draft_judge_score", "avg_draft_binary_alignment")
"""The metrics that only judges can give, each 0 to 1, up is better."""

KIN: Final = "†"

_NOTE = (
    "Judges see the participant's message and the draft. rating: their four ratings, from 1 (0) to 7 (100), where the "
    "participant wrote a reply of their own to compare with. wanted: share of the behaviours the participant wanted "
    "that they found in the draft. strict: the same in the strict profile. failed: drafts that no judge answered on. "
    "None of it is part of the composite."
)


def kin(row: Mapping[str, Any]) -> Kinship | None:
    """Return the closest kinship of an aggregate row's judges to its model."""
    return closest_kin(row.get("judges", ()), row["em_model"])


def kin_mark(row: Mapping[str, Any]) -> str:
    """Return what marks a row's name if one of its judges is kin to its model."""
    return f" {KIN}" if kin(row) else ""


def kin_notes(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the note that explains the mark, if any row bears it."""
    if not any(kin(row) for row in rows):
        return []
    return [f"{KIN} judged by itself or by a model of its family, who may be kinder to it than others."]


def response_quality(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Table | None:
    """Return how the judges found the drafts, 0 to 100, up is better: a row a judged row; none without any.

    `names` are what the rows are called.
    """
    judged = [[name, *_quality(row)] for row, name in zip(rows, names, strict=True) if row.get("judges")]
    if not judged:
        return None
    columns = [
        Column("model", wraps=True),
        Column("judges", wraps=True),
        Column("rating", 1),
        Column("wanted", 1),
        Column("strict rating", 1),
        Column("strict wanted", 1),
        Column("failed"),
    ]
    return Table("Response quality", columns, [judged], [_NOTE, *kin_notes(rows)])


def _quality(row: Mapping[str, Any]) -> list[Cell]:
    judges = ", ".join(_judge(judge, row["em_model"]) for judge in row["judges"])
    values = [None if value is None else 100 * value for value in judged_values(row)]
    return [judges, *values, _failed(row)]


def _judge(judge: str, evaluated: str) -> str:
    found = kinship(judge, evaluated)
    return f"{judge} ({found})" if found else judge


def judged_values(row: Mapping[str, Any]) -> list[float | None]:
    """Return the metrics of `JUDGED`, first as published, then in the strict profile."""
    published = [row.get(name) for name in JUDGED]
    return published + [row["strict"].get(name, {}).get("value") for name in JUDGED]


def _failed(row: Mapping[str, Any]) -> str | None:
    states = Counter(row["calls"].get(CALL, {}))
    failed = sum(count for state, count in states.items() if state not in ANSWERED)
    return f"{failed:,}/{states.total():,}" if states else None
