"""What a participant reported, read as the reference scores read it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attunebench.dataset.schema import Conversation, ConversationQuestions, Judgement, Letter, Panas, Turn, YesNo
from attunebench.dataset.values import clamp
from attunebench.protocol.answers import PanasAnswer

Aspect: TypeAlias = Literal["observed", "preferred"]
"""What the reply did, or what the participant wanted of it."""

ParticipantKey: TypeAlias = tuple[Literal["participant", "conversation"], str]


def participant_key(conversation: Conversation) -> ParticipantKey:
    """Return whose conversation it is: the participant's id; without one, the conversation stands for itself."""
    if conversation.participant_id:
        return "participant", conversation.participant_id
    return "conversation", conversation.conversation_id


def judgements_by_id(turn: Turn) -> dict[str, Judgement]:
    """Return a turn's judgements by question; of a question that stands twice the last counts."""
    return {judgement.question_id: judgement for judgement in turn.judgements if judgement.question_id}


def reported(judgement: Judgement, aspect: Aspect) -> YesNo | None:
    """Return the ground truth: observedBehavior, else llmValue; or preferredBehavior, else observedBehavior."""
    if aspect == "observed":
        return judgement.observed_behavior or judgement.llm_value
    return judgement.preferred_behavior or judgement.observed_behavior


def letter_of(label: str | None, sides: Mapping[Letter, str | None]) -> Letter | None:
    """Return the letter under which a label stands; none if it stands under neither, or under both."""
    letters: list[Letter] = [letter for letter, shown in sides.items() if shown == label]
    return letters[0] if len(letters) == 1 else None


def panas_answer(panas: Panas | None) -> PanasAnswer:
    """Return a PANAS report as a prediction of itself: its items, and its totals as given, else summed.

    A sum of a few items that lies below 10, the least a total can be, is left out: scoring sums items itself.
    """
    if panas is None:
        return PanasAnswer()
    return PanasAnswer(dict(panas.items), _possible(panas.positive_affect), _possible(panas.negative_affect))


def _possible(total: int | None) -> int | None:
    return None if total is None or total < 10 else total


def possible_change(change: float) -> float:
    """Return the change of a total that a reply can hold, -60 to 60; a total of a few summed items may lie lower."""
    return clamp(change, -60, 60)


def wide_questions(conversation: Conversation) -> ConversationQuestions:
    """Return the answers after the conversation; without any, an object with none."""
    return conversation.conversation_wide_questions or ConversationQuestions()
