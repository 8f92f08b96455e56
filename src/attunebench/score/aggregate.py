"""Many scored conversations to one row a model, mode, strategy and condition.

Source of mean, SE and z: AttuneBench, arXiv 2605.21739.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attunebench.score.columns import GROUP, Columns, read_columns, strict_columns
from attunebench.score.epochs import VARIANCE, Epochs, Groups
from attunebench.score.items import StrictValue
from attunebench.score.means import mean, sample_sd
from attunebench.score.tally import StrictTally

__all__ = [
    "GROUP",
    "SKILL",
    "Row",
    "aggregate",
    "aggregate_groups",
    "aggregate_strict",
    "group",
    "group_key",
    "sample_sd",
]

Row: TypeAlias = dict[str, Any]

SKILL: Final = "panas_skill"

_COMPOSITE = "composite_score"


def aggregate(scores: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return one row a group of conversations, as scored by `score` or `score_reference`, in the order of `GROUP`.

    A row holds the group's names; `n_conversations`, different ones; the mean over conversations of every numeric
    score, those of `post_score` among them, under the same name, and in `n` for how many records it was defined;
    `panas_item_errors` and `four_branch_per_branch`, means by item and branch; `pooled_*`, rates of the added counts;
    `se_composite` = sample SD/sqrt(n) of the composite, none for n < 2; `z_score` = (composite - mean)/SD over all
    rows, sample SD, none where that is undefined or 0; and `strict` (see `aggregate_strict`) if the conversations have
    it. Where a model read conversations more than once, in `epochs`, figures are means over them (see `Epochs`), and
    `between_epoch_variance` tells how the composite and the pillars vary from one to the next.
    """
    return aggregate_groups(group(scores))


def group(scores: Iterable[Mapping[str, Any]]) -> Groups:
    """Return scored conversations, added up, by the values of `GROUP`."""
    groups: Groups = {}
    for scored in scores:
        add_to_group(groups, scored, read_columns(scored))
    return groups


def add_to_group(groups: Groups, scored: Mapping[str, Any], columns: Columns) -> None:
    """Add a scored conversation to those of its group; `columns` are its own."""
    groups.setdefault(group_key(scored), Epochs()).add(scored, columns, scored[_COMPOSITE])


def group_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the values of `GROUP` of a scored conversation, or of a row of aggregates."""
    return tuple(row[name] for name in GROUP)


def aggregate_groups(groups: Groups) -> list[Row]:
    """Return the rows of `aggregate` from conversations added up."""
    ordered = sorted(groups.items(), key=lambda found: tuple("" if v is None else v for v in found[0]))
    rows = [dict(zip(GROUP, key, strict=True)) | _row(epochs) for key, epochs in ordered]
    composites = [row[_COMPOSITE] for row in rows]
    centre, spread = mean(composites), sample_sd(composites)
    for row in rows:
        row["z_score"] = (row[_COMPOSITE] - centre) / spread if spread else None
    return rows


def _row(epochs: Epochs) -> Row:
    row: Row = {"n_conversations": len(epochs.conversation_ids), "epochs": len(epochs)} | epochs.means()
    row |= {"n": epochs.counts(), "se_composite": epochs.standard_error(), VARIANCE: epochs.variances()}
    strict = epochs.strict(SKILL)
    return row if strict is None else row | {"strict": strict}


def aggregate_strict(conversations: Sequence[Mapping[str, StrictValue]]) -> dict[str, StrictValue]:
    """Return every strict metric over conversations, and the PANAS skill.

    `value` is the mean over the `n` conversations that have one, `n_failed` the sum over all of them, `lower` and
    `upper` the means of the bounds, not defined where a conversation has a value and no bound.

    `panas_skill` = 1 - sum |post - predicted|/sum |post - pre| over all totals reported before and after; at most 1,
    0 is no better than "nothing changes", up is better; none if nothing changed.
    """
    tally = StrictTally()
    for scores in conversations:
        tally.add(strict_columns(scores))
    return tally.results(SKILL)
