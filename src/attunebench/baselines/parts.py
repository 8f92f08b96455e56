"""The frame of a baseline: which part of it answers which call."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from attunebench.baselines.replies import write_reply
from attunebench.dataset.schema import Conversation, Letter, Turn
from attunebench.protocol.answers import (
    Answer,
    DraftAnswer,
    JudgementAnswers,
    OutcomeAnswer,
    PairwiseAnswer,
    ReviewAnswer,
    Tag,
)
from attunebench.protocol.calls import Call

NEUTRAL_DRAFT: Final = "Thank you for telling me this. I am here, and you can say more about it if you would like to."
"""The draft of baselines that have nothing to say: fits any message, takes up none."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One call, and the conversation it is about."""

    conversation: Conversation
    call: Call

    @property
    def turn(self) -> Turn:
        """The turn that the call is about; an outcome call has none."""
        return next(turn for turn in self.conversation.turns if turn.turn_number == self.call.key.turn)

    @property
    def yes_no(self) -> tuple[str, ...]:
        """The ids of the yes/no questions that are asked."""
        return self.call.asked.yes_no

    @property
    def sides(self) -> Mapping[str, Mapping[Letter, str | None]]:
        """The labels under A and B, by the comparison's index."""
        return self.call.asked.sides


class PartsBaseline(ABC):
    """A baseline made of five parts; every part answers only what the call asks."""

    name: ClassVar[str]

    def reply(self, conversation: Conversation, call: Call) -> str:
        """Return the JSON text of a reply to one of the conversation's calls."""
        return write_reply(self.answer(conversation, call), call.asked.panas)

    def answer(self, conversation: Conversation, call: Call) -> Answer:
        """Return what the reply says: what is read from it."""
        ask = Ask(conversation, call)
        match call.key.kind:
            case "draft":
                return DraftAnswer(self.draft(ask))
            case "review":
                return ReviewAnswer(self.emotions(ask), self.judgements(ask))
            case "perspective":
                return self.judgements(ask)
            case "pairwise" | "pairwise_swapped":
                return PairwiseAnswer(self.selections(ask))
            case "outcome":
                return self.outcome(ask)

    @abstractmethod
    def draft(self, ask: Ask, /) -> str:
        """Return a reply to the turn's message."""

    @abstractmethod
    def emotions(self, ask: Ask, /) -> tuple[Tag, ...]:
        """Return what the participant felt in the turn."""

    @abstractmethod
    def judgements(self, ask: Ask, /) -> JudgementAnswers:
        """Return the answers to the turn's yes/no questions."""

    @abstractmethod
    def selections(self, ask: Ask, /) -> Mapping[str, Letter]:
        """Return the side chosen in each comparison, by its index."""

    @abstractmethod
    def outcome(self, ask: Ask, /) -> OutcomeAnswer:
        """Return what the participant reported after the conversation."""
