"""Both profiles of one conversation."""

from typing import Any, Final

from attunebench.dataset.lean import AnyConversation
from attunebench.protocol.lean_records import AnyRecord, judge_ends
from attunebench.score.pairing import pair_turns
from attunebench.score.reference import score_reference
from attunebench.score.strict import score_strict

JUDGE: Final = "judge "
"""What the name of a judge's calls begins with."""


def score(conversation: AnyConversation, record: AnyRecord) -> dict[str, Any]:
    """Return the reference scores, with the strict ones under `strict`; what both measure is measured once."""
    pairs = pair_turns(conversation, record)
    strict = score_strict(conversation, record, pairs=pairs)
    return score_reference(conversation, record, pairs=pairs) | {"strict": strict}


def score_with_calls(conversation: AnyConversation, record: AnyRecord) -> dict[str, Any]:
    """Return `score`, and under `calls` what `count_calls` does."""
    return score(conversation, record) | {"calls": count_calls(record)}


def count_calls(record: AnyRecord) -> dict[str, dict[str, int]]:
    """Return how many calls of each kind ended in each state.

    The calls of one judge of a panel are a kind of their own, `JUDGE` and its name; `judge` are those of the panel.
    """
    calls: dict[str, dict[str, int]] = {}
    for call in record.calls or ():
        ended = calls.setdefault(call.call, {})
        ended[call.state] = ended.get(call.state, 0) + 1
    return calls | {f"{JUDGE}{judge}": states for judge, states in judge_ends(record).items()}
