"""What `attunebench run --dry-run` shows: calls, tokens and cost by call and by turn."""

from collections.abc import Callable, Sequence
from math import inf

from attunebench.report.tables import Cell, Column, Table
from attunebench.run.estimate import CHARACTERS_A_TOKEN, Expected

_NOTES = (
    f"Nothing was sent. Tokens are guessed: one for {CHARACTERS_A_TOKEN} characters.",
    "out: replies as long as the participants' own answers; at most: every reply as long as --max-tokens allows.",
    "Reasoning, and replies that cannot be read and are asked again, come on top of both.",
)


def estimate_tables(expected: Sequence[Expected], currency: str | None) -> list[Table]:
    """Return the totals of calls that are left: by model and call, and by turn. Costs only with a `currency`."""
    models = list(dict.fromkeys(one.model for one in expected))
    by_call = [
        _rows([one for one in expected if one.model == model], lambda one: (one.model, one.kind)) for model in models
    ]
    in_order = sorted(expected, key=lambda one: inf if one.turn is None else one.turn)
    by_turn = _rows(in_order, lambda one: ("after the last" if one.turn is None else one.turn,))
    total = _rows(expected, lambda _: ("all", "calls"))
    return [
        Table("By model and call", _columns(["model", "call"], currency), [*by_call, total], _NOTES),
        Table("By turn, all models", _columns(["turn"], currency), [by_turn]),
    ]


def _columns(first: Sequence[str], currency: str | None) -> list[Column]:
    names = [Column(first[0], wraps=True), *(Column(name) for name in first[1:])]
    counts = [Column("calls"), Column("tokens in"), Column("out"), Column("at most")]
    costs = [Column(currency, 2), Column("at most", 2)] if currency else []
    return [*names, *counts, *costs]


def _rows(expected: Sequence[Expected], name: Callable[[Expected], tuple[Cell, ...]]) -> list[list[Cell]]:
    groups: dict[tuple[Cell, ...], list[Expected]] = {}
    for one in expected:
        groups.setdefault(name(one), []).append(one)
    return [[*names, *_sums(group)] for names, group in groups.items()]


def _sums(group: Sequence[Expected]) -> list[Cell]:
    sums: list[Cell] = [
        len(group),
        sum(one.tokens_in for one in group),
        sum(one.tokens_out for one in group),
        sum(one.most_out for one in group),
    ]
    if any(one.cost is not None for one in group):
        sums += [sum(one.cost or 0.0 for one in group), sum(one.most_cost or 0.0 for one in group)]
    return sums
