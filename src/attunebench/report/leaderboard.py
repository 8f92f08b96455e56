"""The leaderboard: one row a model, mode, strategy and condition, with floors and ceiling below."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attunebench.protocol.answers import ANSWERED, CallState
from attunebench.protocol.calls import CALL_KINDS
from attunebench.protocol.panel import CALL as JUDGE_CALL
from attunebench.protocol.panel import panel_of, unjudged
from attunebench.report.epochs import epochs_table
from attunebench.report.judges import JUDGED, judged_values, kin, kin_mark, kin_notes, response_quality
from attunebench.report.orders import orders_table
from attunebench.report.tables import Cell, Column, Table, plain
from attunebench.score.epochs import VARIANCE, VARYING
from attunebench.score.swap import ORDERS, BothOrders
from attunebench.score.table import Totals

_PILLARS = ("emotion_tracking", "evaluation_quality", "holistic_comprehension")
_TOLD: Mapping[str, Callable[[Mapping[str, Any]], str | None]] = {
    "mode": lambda row: row["mode"],
    "PANAS": lambda row: row["panas_strategy"],
    "condition": lambda row: unjudged(row["condition"]),
    "panel": lambda row: panel_of(row["condition"]),
}
"""What tells rows of one model apart, by name."""

_FLOOR_NAMES = {
    "null": "floor: null",
    "random": "floor: random",
    "majority": "floor: majority",
    "lexicon": "beside: lexicon",
    "oracle": "ceiling: oracle",
}

MADE_UP = "The conversations are made up: these numbers show that the program works and say nothing about any model."


def leaderboard(scores: Totals) -> list[Table]:
    """Return the leaderboard; how drafts were judged, what comparisons in both orders say and what changes between
    epochs, if there are any; how calls and judging ended, for each model with any that was not simply parsed.

    Composites, pillars and judges' findings are 0 to 100, up is better. In every table, a model that is kin to one of
    its judges is marked.
    """
    ranked = sorted(scores.aggregates, key=lambda row: -row["composite_score"])
    varying = [name for name, tell in _TOLD.items() if len({tell(row) for row in ranked}) > 1]
    columns = [
        Column("model", wraps=True),
        Column("n"),
        Column("composite", 2),
        Column("SE", 2),
        Column("skill", 1),
        Column("emo", 1),
        Column("eval", 1),
        Column("hol", 1),
        Column("strict", 2),
        Column("failed"),
    ]
    models = [(_name(row["em_model"], row, varying), row) for row in ranked]
    floors = [(_name(_FLOOR_NAMES[row["floor"]], row, varying), row) for row in scores.floors]
    cells = [[_row(row, name, _failed(row)) for name, row in models], [_row(row, name, None) for name, row in floors]]
    board = Table("Leaderboard", columns, cells, _notes(scores, ranked, varying))
    quality = response_quality(ranked, [name for name, _ in models])
    ends = (states(row, varying) for row in ranked for states in (_call_states, _judge_states))
    return [table for table in (board, quality, orders_table(models, floors), epochs_table(models), *ends) if table]


def _name(name: str, row: Mapping[str, Any], varying: Sequence[str]) -> str:
    """Return a name with what tells the row from others of that name: columns of their own would not fit."""
    told = ((key, _TOLD[key](row)) for key in varying)
    differs = [f"panel {value}" if key == "panel" else value for key, value in told if value is not None]
    return f"{name} ({', '.join(differs)}){kin_mark(row)}" if differs else f"{name}{kin_mark(row)}"


def _row(row: Mapping[str, Any], name: str, failed: str | None) -> list[Cell]:
    return [
        name,
        row["n_conversations"],
        row["composite_score"],
        row["se_composite"],
        _skill(row, "reference", "composite_score"),
        *(100 * row[pillar] for pillar in _PILLARS),
        row["strict"]["composite_score"]["value"],
        failed,
    ]


def _skill(row: Mapping[str, Any], profile: str, name: str) -> float | None:
    """Return a model row's skill; floors and ceiling, which it is measured by, have none."""
    skill: float | None = row["skill"][profile][name]["skill"] if "skill" in row else None
    return skill


def _failed(row: Mapping[str, Any]) -> str | None:
    states = _states(row)
    failed = sum(count for state, count in states.items() if state not in ANSWERED)
    return f"{failed:,}/{states.total():,}" if states else None


def _states(row: Mapping[str, Any]) -> Counter[str]:
    """Return how the evaluated model's own calls ended."""
    calls = row.get("calls", {})
    return sum((Counter(ends) for kind, ends in calls.items() if not kind.startswith(JUDGE_CALL)), Counter[str]())


def _notes(scores: Totals, ranked: Sequence[Mapping[str, Any]], varying: Sequence[str]) -> list[str]:
    told = ((name, tell(ranked[0])) for name, tell in _TOLD.items() if name not in varying)
    same = [f"{name} {value}" for name, value in told if value]
    draws = max(row["draws"] for row in scores.floors)
    return [
        *([MADE_UP] if scores.made_up else []),
        *([f"All rows: {', '.join(same)}."] if same else []),
        "Reference profile, 0 to 100: composite with its standard error over the n conversations; its "
        "pillars emotion tracking, evaluation quality, holistic comprehension. strict: the composite of the strict "
        "profile. failed: calls without a usable answer.",
        "skill: where the composite stands between the best floor (0) and the ceiling (100) on the row's own "
        "conversations.",
        f"null says nothing, random is the mean of {draws} draws, majority gives the others' commonest answers, "
        "lexicon adds word lists, oracle gives the participant's own; on the same conversations, without a model.",
        *kin_notes(ranked),
    ]


def _call_states(row: Mapping[str, Any], varying: Sequence[str]) -> Table | None:
    """Return how a model's calls ended, a row a state and a column a kind of call; none if all were simply parsed."""
    calls = row.get("calls", {})
    by_kind = {kind: Counter(calls[kind]) for kind in CALL_KINDS if kind in calls}
    return _ends_table(f"How calls ended: {_name(row['em_model'], row, varying)}", by_kind | {"all": _states(row)}, row)


def _judge_states(row: Mapping[str, Any], varying: Sequence[str]) -> Table | None:
    """Return how the calls of a model's judges ended, and what came of them all; none if all were simply parsed."""
    calls = row.get("calls", {})
    own = {kind.removeprefix(f"{JUDGE_CALL} "): Counter(ends) for kind, ends in calls.items() if _is_one_judge(kind)}
    by_judge = own | {"panel": Counter(calls.get(JUDGE_CALL, {}))}
    return _ends_table(f"How judging ended: {_name(row['em_model'], row, varying)}", by_judge, row)


def _is_one_judge(kind: str) -> bool:
    return kind.startswith(f"{JUDGE_CALL} ")


def _ends_table(title: str, ends: Mapping[str, Counter[str]], row: Mapping[str, Any]) -> Table | None:
    """Return a table of counts, a row a state and a column for each of `ends`; none if there is only `parsed`."""
    states = [state.value for state in CallState if any(counts[state] for counts in ends.values())]
    if states in ([], [CallState.PARSED]):
        return None
    rows: list[list[Cell]] = [[state, *(counts[state] for counts in ends.values())] for state in states]
    totals: list[Cell] = ["all", *(counts.total() for counts in ends.values())]
    return Table(title, [Column(heading) for heading in ("state", *ends)], [rows, [totals]], kin_notes([row]))


_CSV_NAMES = ("n_conversations", "composite_score", "se_composite", "z_score", *_PILLARS, "equal_weight_composite")


def to_csv(scores: Totals) -> str:
    """Return the leaderboard as CSV under the public names and in their units (pillars 0 to 1), all digits kept."""
    states = [state.value for state in CallState]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    group = ("em_model", "mode", "panas_strategy", "condition")
    skilled = ("composite_score", *_PILLARS)
    strict = [f"strict_{name}" for name in skilled]
    skills = [f"{begin}{name}" for begin in ("skill_", "strict_skill_") for name in skilled]
    judged = ["judges", "judge_kinship", *JUDGED, *(f"strict_{name}" for name in JUDGED)]
    orders = tuple(BothOrders().published) if any(ORDERS in row for row in scores.aggregates) else ()
    varied = VARYING if any(row["epochs"] > 1 for row in scores.aggregates) else ()
    if_any = [*(f"orders_{name}" for name in orders), *(f"{VARIANCE}_{name}" for name in varied)]
    writer.writerow(["kind", *group, *_CSV_NAMES, *strict, *skills, "calls", *states, *judged, "epochs", *if_any])
    for row in (*scores.aggregates, *scores.floors):
        ended = _states(row)
        names = [_safe(row[name]) for name in group]
        if floor := row.get("floor"):
            names[0] = floor
        counts = [ended.total(), *(ended[state] for state in states)] if ended else [None] * (len(states) + 1)
        values = [row[name] for name in _CSV_NAMES] + [row["strict"][name]["value"] for name in skilled]
        values += [_skill(row, profile, name) for profile in ("reference", "strict") for name in skilled]
        by = [_safe("; ".join(row.get("judges", ()))), kin(row), *judged_values(row)]
        by += [row["epochs"], *(row.get(ORDERS, {}).get(name) for name in orders)]
        by += [row[VARIANCE][name] for name in varied]
        writer.writerow(["baseline" if floor else "model", *names, *values, *counts, *by])
    return out.getvalue()


def _safe(text: str | None) -> str | None:
    """Return a text on one line that no spreadsheet takes for a formula."""
    shown = plain(text or "")
    return f"'{shown}" if shown.lstrip()[:1] in {*"=+-@"} else shown or None
