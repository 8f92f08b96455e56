"""A baseline's scores of some conversations as one row, in the form of `attunebench.score.aggregate`'s rows.

A baseline's calls never fail: strict bounds are the values themselves. Sums are rounded once, as they are for models:
a model that answers as a baseline does has its very numbers.
"""

from collections.abc import Mapping
from math import fsum, sqrt
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attunebench.protocol.calls import Strategy
from attunebench.score.aggregate import SKILL, Row
from attunebench.score.columns import counts_type
from attunebench.score.epochs import VARIANCE, VARYING
from attunebench.score.flat import BY_ITEM, COLUMNS, ERROR_ITEMS, Column
from attunebench.score.items import StrictValue
from attunebench.score.means import mean, sample_sd
from attunebench.score.strict_outcome import CHANGE, ERROR
from attunebench.score.swap import AGREEMENT, FLIP_RATE, ORDERS

_COMPOSITE: Final[Column] = ("reference", "composite_score")
_ANSWERED: Final[Column] = ("reference", f"{ORDERS}.answered")

Values: TypeAlias = NDArray[np.float64]
Found: TypeAlias = dict[Column, tuple[float | None, int]]
"""Mean, and over how many conversations."""


def floor_row(name: str, values: Values, strategy: Strategy, *, draws: int) -> Row:
    """Return the aggregate of `values`, shape (conversations, columns of `COLUMNS`), NaN where not defined.

    As in any row, a score is the mean over the conversations that have it, but pooled rates are of the added counts
    (of random the mean counts), and the PANAS skill is of added errors. Where comparisons were not asked in both
    orders, the row has no scores of that.
    """
    found = {column: _mean(each) for column, each in zip(COLUMNS, values.T, strict=True)}
    if not found[_ANSWERED][1]:
        found = {column: mean for column, mean in found.items() if not _is_of_both_orders(column)}
    return {
        "em_model": f"baseline/{name}",
        "mode": None,
        "panas_strategy": strategy,
        "condition": None,  # the same in all of them
        "n_conversations": len(values),
        "epochs": 1,
        **_reference(found, values),
        "se_composite": _standard_error(values) if draws == 1 else None,
        VARIANCE: dict.fromkeys(VARYING),
        "strict": _strict(found, values),
        "z_score": None,
        "floor": name,
        "draws": draws,
    }


def _is_of_both_orders(column: Column) -> bool:
    _, name = column
    return name.startswith(ORDERS) or name in (FLIP_RATE, AGREEMENT)


def _mean(values: Values) -> tuple[float | None, int]:
    present = values[~np.isnan(values)].tolist()
    return mean(present), len(present)


def _reference(found: Found, values: Values) -> dict[str, Any]:
    row: dict[str, Any] = {}
    counted: dict[str, int] = {}
    for (profile, name), (value, n) in found.items():
        whole, _, part = name.partition(".")
        if profile == "strict":
            continue
        if not part:
            row[name], counted[name] = value, n
        elif whole in BY_ITEM:
            row.setdefault(whole, {}).update({part: value} if n else {})
        else:
            row.setdefault(whole, _pooled(whole, values))
    return row | {"n": counted}


def _pooled(name: str, values: Values) -> Mapping[str, float | None]:
    kind = counts_type(name)
    columns = [COLUMNS.index(("reference", f"{name}.{count}")) for count in kind._fields]
    counts: list[Any] = [fsum(each) for each in values[:, columns].T.tolist()]
    return kind(*(int(count) if count.is_integer() else count for count in counts)).published


def _standard_error(values: Values) -> float | None:
    composites = values[:, COLUMNS.index(_COMPOSITE)].tolist()
    deviation = sample_sd(composites)
    return None if deviation is None else deviation / sqrt(len(composites))


def _strict(found: Found, values: Values) -> dict[str, StrictValue]:
    strict = {
        name: _unfailing(value, n)
        for (profile, name), (value, n) in found.items()
        if profile == "strict" and (profile, name) != ERROR_ITEMS
    }
    return strict | {SKILL: _panas_skill(values)}


def _panas_skill(values: Values) -> StrictValue:
    """Return 1 - sum |post - predicted|/sum |post - pre| over all totals reported before and after."""
    error, change, items = (
        np.nan_to_num(values[:, COLUMNS.index(column)])
        for column in (("strict", ERROR), ("strict", CHANGE), ERROR_ITEMS)
    )
    changed = fsum((change * items).tolist())
    skill = 1 - fsum((error * items).tolist()) / changed if changed else None
    return _unfailing(skill, int((items > 0).sum()))


def _unfailing(value: float | None, n: int) -> StrictValue:
    return {"value": value, "n": 0 if value is None else n, "n_failed": 0, "lower": value, "upper": value}
