"""Both profiles of one conversation."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from attunebench.dataset.schema import Conversation
from attunebench.protocol.panel import judge_ends
from attunebench.protocol.records import RunRecord
from attunebench.score.pairing import TurnTruth, pair_turns
from attunebench.score.reference import score_reference
from attunebench.score.strict import score_strict

JUDGE: Final = "judge "
"""What the name of a judge's calls begins with."""


def score(conversation: Conversation, record: RunRecord, *, turns: Sequence[TurnTruth] | None = None) -> dict[str, Any]:
    """Return the reference scores, with the strict ones under `strict`; what both measure is measured once.

    `turns` are what the participant told of them, for many records of one conversation (`pairing.read_turns`).
    """
    pairs = pair_turns(conversation, record, turns=turns)
    strict = score_strict(conversation, record, pairs=pairs)
    return score_reference(conversation, record, pairs=pairs) | {"strict": strict}


def score_with_calls(
    conversation: Conversation, record: RunRecord, *, turns: Sequence[TurnTruth] | None = None
) -> dict[str, Any]:
    """Return `score`, and under `calls` how many calls of each kind ended in each state.

    The calls of one judge of a panel are a kind of their own, `JUDGE` and its name; `judge` are those of the panel.
    """
    calls: dict[str, dict[str, int]] = {}
    for (kind, state), count in Counter((call.call, call.state) for call in record.calls or ()).items():
        calls.setdefault(kind, {})[state] = count
    calls |= {f"{JUDGE}{judge}": states for judge, states in judge_ends(record).items()}
    return score(conversation, record, turns=turns) | {"calls": calls}
