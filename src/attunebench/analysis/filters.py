"""Narrowing an analysis: `--where FIELD=VALUE`, of conversations and of rows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Final

import polars as pl

from attunebench.analysis.cube import ROW_COLUMNS
from attunebench.analysis.groupings import Fields, Grouping, texts_at
from attunebench.analysis.people import assign
from attunebench.errors import UsageError

ID: Final = "id"

_FORM: Final = re.compile(r"\s*([^=!<>]+?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*")


@dataclass(frozen=True)
class Filter:
    """A condition: a field, how it compares, and values, of which any one will do.

    A field is `model`, `mode`, `panas_strategy` or `condition` of a row; or of a conversation `id`, the name of a
    grouping such as `diagnosis`, or a path such as `metadata.subtopic` or `participant_profile.traits`.
    """

    field: str
    sign: str
    values: tuple[str, ...]

    @property
    def is_of_rows(self) -> bool:
        """Whether it chooses rows, and not conversations."""
        return self.field in ROW_COLUMNS

    def rows(self) -> pl.Expr:
        """Return it as an expression on the tidy table."""
        fits = pl.col(self.field).is_in([*self.values])
        return ~fits if self.sign == "!=" else fits

    def fits(self, texts: Sequence[str]) -> bool:
        """Return whether what a conversation has in the field fits: one of the texts does, or with != none does."""
        if self.sign in ("=", "!="):
            found = any(text.casefold() == value.casefold() for text in texts for value in self.values)
            return found == (self.sign == "=")
        return any(
            _SIGNS[self.sign](number, float(self.values[0])) for number in map(_number, texts) if number is not None
        )


_SIGNS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if isnan(number) else number


def read_filter(text: str) -> Filter:
    """Read a filter such as `diagnosis=none reported`, `id=a|b`, `mode!=verbose` or `metadata.turnCount>=8`.

    Raises:
        UsageError: it has another form.
    """
    found = _FORM.fullmatch(text)
    if not found or not found[3]:
        raise UsageError(
            f"--where: must be FIELD=VALUE, with =, !=, <, <=, > or >= and values parted by |, got {text!r}"
        )
    field, sign, value = found.groups()
    values = tuple(part.strip() for part in value.split("|"))
    if sign in _SIGNS and (len(values) > 1 or _number(values[0]) is None or field in ROW_COLUMNS):
        raise UsageError(f"--where: {sign} must stand between a field of conversations and a number, got {text!r}")
    return Filter(field, sign, values)


def _texts(field: str, people: Mapping[str, Fields], groupings: Mapping[str, Grouping]) -> Mapping[str, Sequence[str]]:
    """Return what each conversation has in a field."""
    if field == ID:
        return {name: [name] for name in people}
    if field in groupings:
        groups, _ = assign(groupings[field], people)
        return {name: [group] for name, group in groups.items()}
    return {name: texts_at(fields, field) for name, fields in people.items()}


def choose(
    filters: Sequence[Filter], people: Mapping[str, Fields], groupings: Mapping[str, Grouping]
) -> tuple[list[str], pl.Expr | None]:
    """Return the conversations that fit all filters, by id in order, and what rows must fit.

    Raises:
        UsageError: no conversation has such a field.
    """
    chosen = [*people]
    for each in filters:
        if each.is_of_rows:
            continue
        texts = _texts(each.field, people, groupings)
        if not any(texts.values()):
            raise UsageError(
                f"--where: no conversation has {each.field}, got {each.field}{each.sign}{'|'.join(each.values)}"
            )
        chosen = [name for name in chosen if each.fits(texts[name])]
    rows = [each.rows() for each in filters if each.is_of_rows]
    return chosen, pl.all_horizontal(rows) if rows else None
