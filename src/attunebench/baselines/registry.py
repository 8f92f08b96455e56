"""The baselines by name."""

from collections.abc import Iterable
from typing import Final, Protocol

from attunebench.baselines.drafts import DraftPool
from attunebench.baselines.lexicon import LexiconBaseline
from attunebench.baselines.majority import MajorityBaseline
from attunebench.baselines.null import NullBaseline
from attunebench.baselines.oracle import OracleBaseline
from attunebench.baselines.others import OthersAnswers
from attunebench.baselines.uniform import RandomBaseline
from attunebench.dataset.schema import Conversation
from attunebench.errors import UsageError
from attunebench.protocol.answers import Answer
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

    def answer(self, conversation: Conversation, call: Call) -> Answer:
        """Return what the reply says: what is read from it."""


class Learned:
    """What baselines know of a data set, from one pass over it; no conversation is kept.

    `others` are everybody's answers, counted, `pool` replies for drafts.
    """

    def __init__(self, conversations: Iterable[Conversation] = ()) -> None:
        self.others, self.pool = OthersAnswers(), DraftPool()
        for conversation in conversations:
            self.add(conversation)

    def add(self, conversation: Conversation) -> None:
        """Take a conversation in; none after the first baseline was made."""
        self.others.add(conversation)
        self.pool.add(conversation)

    def join(self, other: "Learned") -> None:
        """Take in what was learned from other conversations; no later than `add`."""
        self.others.join(other.others)
        self.pool.join(other.pool)

    def common(self) -> "Learned":
        """Return what the baselines know of no single participant; see `OthersAnswers.know` for the rest."""
        found = Learned()
        found.others, found.pool = self.others.common(), self.pool
        return found

    def baseline(self, name: str, *, seed: int = 0) -> Baseline:
        """Make a baseline; `random` alone uses the seed.

        Raises:
            UsageError: there is no baseline of that name.
        """
        match name:
            case "null":
                return NullBaseline()
            case "random":
                return RandomBaseline(self.pool, seed=seed)
            case "majority":
                return MajorityBaseline(self.others)
            case "lexicon":
                return LexiconBaseline(self.others)
            case "oracle":
                return OracleBaseline()
        raise UsageError(f"a baseline must be one of {', '.join(BASELINES)}, got {name!r}")


def make_baseline(name: str, conversations: Iterable[Conversation], *, seed: int = 0) -> Baseline:
    """Make one baseline for a data set, in one pass over it; `random` alone uses the seed.

    Raises:
        UsageError: there is no baseline of that name.
    """
    return Learned(conversations if name in {"random", "majority", "lexicon"} else ()).baseline(name, seed=seed)
