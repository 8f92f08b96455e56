"""The baselines by name."""

from collections.abc import Sequence
from typing import Final, Protocol

from attunebench.baselines.lexicon import LexiconBaseline
from attunebench.baselines.majority import MajorityBaseline
from attunebench.baselines.null import NullBaseline
from attunebench.baselines.oracle import OracleBaseline
from attunebench.baselines.uniform import RandomBaseline
from attunebench.dataset.schema import Conversation
from attunebench.errors import UsageError
from attunebench.protocol.calls import Call

BASELINES: Final[tuple[str, ...]] = ("null", "random", "majority", "lexicon", "oracle")
"""The names, from nothing to everything known."""


class Baseline(Protocol):
    """Something that answers calls without a model."""

    @property
    def name(self) -> str:
        """One of `BASELINES`."""

    def reply(self, conversation: Conversation, call: Call) -> str:
        """Return the JSON text of a reply to one of the conversation's calls."""


def make_baseline(name: str, conversations: Sequence[Conversation], *, seed: int = 0) -> Baseline:
    """Make a baseline for a data set; `random` alone uses the seed.

    Raises:
        UsageError: there is no baseline of that name.
    """
    match name:
        case "null":
            return NullBaseline()
        case "random":
            return RandomBaseline(conversations, seed=seed)
        case "majority":
            return MajorityBaseline(conversations)
        case "lexicon":
            return LexiconBaseline(conversations)
        case "oracle":
            return OracleBaseline()
    raise UsageError(f"a baseline must be one of {', '.join(BASELINES)}, got {name!r}")
