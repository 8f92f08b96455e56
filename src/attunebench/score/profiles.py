"""Both profiles of one conversation."""

from typing import Any

from attunebench.dataset.schema import Conversation
from attunebench.protocol.records import RunRecord
from attunebench.score.pairing import pair_turns
from attunebench.score.reference import score_reference
from attunebench.score.strict import score_strict


def score(conversation: Conversation, record: RunRecord) -> dict[str, Any]:
    """Return the reference scores, with the strict ones under `strict`; what both measure is measured once."""
    pairs = pair_turns(conversation, record)
    strict = score_strict(conversation, record, pairs=pairs)
    return score_reference(conversation, record, pairs=pairs) | {"strict": strict}
