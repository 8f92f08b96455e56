"""The scores of a conversation as one flat list of numbers, the same for every conversation."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from attunebench.dataset.lean import LeanConversation
from attunebench.instrument import BRANCHES, EMOTION_WORDS
from attunebench.protocol.lean_records import LeanProvenance, LeanRecord
from attunebench.score.aggregate import GROUP
from attunebench.score.profiles import score
from attunebench.score.strict_outcome import ERROR

Profile: TypeAlias = Literal["reference", "strict"]
Column: TypeAlias = tuple[Profile, str]
"""Profile and name. What is an object in the reference scores has a name a part: `pooled_binary_om_metrics.mcc`."""

ERROR_ITEMS: Final[Column] = ("strict", f"{ERROR}.n")
"""How many totals the mean error of PANAS is over: what `panas_skill` weights conversations by."""

BY_ITEM: Final = {"panas_item_errors": EMOTION_WORDS, "four_branch_per_branch": BRANCHES}
"""Objects whose parts are not the same in every conversation, with all parts there can be."""


def flatten(scored: Mapping[str, Any]) -> dict[Column, float | None]:
    """Return all numbers of a conversation scored by `score`, but those of its turns; none where not defined."""
    flat: dict[Column, float | None] = {("reference", name): value for name, value in _reference(scored)}
    flat |= {("strict", name): value["value"] for name, value in scored["strict"].items()}
    return flat | {ERROR_ITEMS: scored["strict"][ERROR]["n"]}


def _reference(scored: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    whole = {**scored, **scored["post_score"]}
    for name, value in whole.items():
        if name in _NOT_SCORES:
            continue
        if isinstance(value, Mapping):
            yield from ((f"{name}.{part}", number) for part, number in value.items())
        else:
            yield name, value


_NOT_SCORES = frozenset({*GROUP, "conversationId", "epoch", "turn_scores", "post_score", "strict", "calls"})


def _columns() -> tuple[Column, ...]:
    nothing = LeanConversation(conversation_id="none", turns=[])
    every_call = LeanProvenance(swap=True)
    record = LeanRecord(conversation_id="none", em_model="none", turns=[], provenance=every_call)
    found = flatten(score(nothing, record))
    parts: list[Column] = [("reference", f"{name}.{part}") for name, parts in BY_ITEM.items() for part in parts]
    return (*found, *parts)


COLUMNS: Final = _columns()
"""Every score there is, each once; those of both orders are defined only where comparisons were asked in both."""
