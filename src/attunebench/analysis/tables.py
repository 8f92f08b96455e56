"""What an analysis gives: named tables, and statements of what the data do not allow."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Table:
    """A table: `name` is its file's, `title` and `method` are sentences for a reader.

    `frame` is tidy: a row a number, which carries `profile` (where it is of one), `n`, `clusters` and, where it has an
    interval, `lower`, `upper`; null where not defined. `method` says how numbers, intervals and p-values were made;
    `made` the same in a word or two, where the rows of `frame` do not say it one by one.
    """

    name: str
    title: str
    method: str
    frame: pl.DataFrame
    made: str | None = None

    @property
    def written(self) -> pl.DataFrame:
        """The frame as it stands in files: every row says how its numbers were made."""
        return self.frame if self.made is None else self.frame.with_columns(method=pl.lit(self.made))


@dataclass(frozen=True)
class Missing:
    """What the data do not allow: which part of the analysis, and why."""

    part: str
    reason: str


@dataclass(frozen=True)
class Part:
    """One part of the analysis: its tables, and what of it is missing; `title` is what a reader looks for."""

    title: str
    tables: Sequence[Table] = ()
    missing: Sequence[Missing] = ()
