"""The data set's types: one conversation, as its participant held and annotated it.

The names in files are the public AttuneBench names (camelCase); the attributes here are their snake_case forms.
Absent and null both become `None`, "not asked"; an empty list or text stays empty, "asked, and nothing". Keys we
do not know are kept (`model_extra`). Readings of older spellings and of values are in `attunebench.dataset.values`.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, StrictInt, StrictStr, model_validator
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import literal_schema, nullable_schema

from attunebench.dataset.outcome import ConversationQuestions, Panas
from attunebench.dataset.parts import Part, ReadBy, Renamed
from attunebench.dataset.values import (
    read_age,
    read_emotion,
    read_intensity,
    read_label,
    read_question_id,
    read_winner,
    read_yes_no,
)
from attunebench.instrument import EMOTION_WORDS

__all__ = [
    "Alternates",
    "Annotations",
    "Comparison",
    "Conversation",
    "ConversationQuestions",
    "EmotionTag",
    "Judgement",
    "Letter",
    "Metadata",
    "Panas",
    "Part",
    "Profile",
    "ReplyLabel",
    "Turn",
    "YesNo",
]

YesNo = Literal["yes", "no", "na"]
"""An answer to a yes/no question; no answer is `None`."""

Letter = Literal["A", "B"]
"""A side of a comparison."""

ReplyLabel = Literal["original", "alternate", "human"]
"""Which of a turn's replies: the original model's, the LLM-improved one, or the participant's own edit."""

YesNoField = Annotated[YesNo | None, ReadBy(read_yes_no)]
Label = Annotated[
    StrictStr | None,
    ReadBy(read_label, "after", nullable_schema(literal_schema(["original", "alternate", "human"]))),
]
QuestionId = Annotated[StrictStr, ReadBy(read_question_id, "before")]


class EmotionTag(Part):
    """One felt (or predicted) emotion: one of the 20 PANAS words, with an intensity of 1 to 7 or none."""

    emotion: Annotated[str, ReadBy(read_emotion, canonical=literal_schema(list(EMOTION_WORDS)))]
    intensity: Annotated[Annotated[int, Field(ge=1, le=7)] | None, ReadBy(read_intensity)] = None


class Judgement(Renamed):
    """A yes/no question about a reply: what the reply did (observed), and what was wanted (preferred)."""

    older_spellings: ClassVar = {
        "observedBehavior": ("did_occur", "humanValue", "actualValue"),
        "preferredBehavior": ("should_occur", "humanPreference"),
    }

    question_id: QuestionId = ""
    llm_value: YesNoField = None
    observed_behavior: YesNoField = None
    preferred_behavior: YesNoField = None


class Alternates(Renamed):
    """The two other replies of a turn."""

    older_spellings: ClassVar = {"llmImproved": ("alternate1",), "humanEdited": ("alternate2",)}

    llm_improved: StrictStr | None = None
    human_edited: StrictStr | None = None


class Comparison(Renamed):
    """A pairwise question: which of two replies, and the side the participant chose (`None`: undecided)."""

    older_spellings: ClassVar = {"responseA": ("response_1",), "responseB": ("response_2",)}

    question_id: QuestionId = ""
    response_a: Annotated[Label, Field(alias="responseA")] = None
    response_b: Annotated[Label, Field(alias="responseB")] = None
    winner: Annotated[Letter | None, ReadBy(read_winner)] = None

    def label(self, letter: Letter) -> str | None:
        """Return the label of the reply on that side."""
        return self.response_a if letter == "A" else self.response_b

    @property
    def winning_label(self) -> str | None:
        """The label of the preferred reply, or none if the participant did not decide."""
        return None if self.winner is None else self.label(self.winner)


class Annotations(Part):
    """What the participant said of one turn's reply."""

    binary_judgements: list[Judgement] | None = None
    alternate_responses: Alternates | None = None
    pairwise_comparisons: list[Comparison] | None = None
    selected_pairwise_questions: list[StrictStr] | None = None


class Turn(Part):
    """One message of the participant and the original model's reply."""

    turn_number: StrictInt
    user_message: StrictStr
    llm_response: StrictStr
    mood_shift_tags: list[EmotionTag] | None = None
    annotations: Annotations | None = None

    @property
    def judgements(self) -> list[Judgement]:
        """The yes/no questions; empty if none were asked."""
        return (self.annotations and self.annotations.binary_judgements) or []

    @property
    def comparisons(self) -> list[Comparison]:
        """The comparisons; empty if none were asked."""
        return (self.annotations and self.annotations.pairwise_comparisons) or []

    def reply(self, label: str | None) -> str | None:
        """Return the text that a label names, or none where this turn has no such reply."""
        if label == "original":
            return self.llm_response
        alternates = self.annotations and self.annotations.alternate_responses
        if not alternates:
            return None
        return {"alternate": alternates.llm_improved, "human": alternates.human_edited}.get(label or "")


class Metadata(Part):
    """Where a conversation comes from. Only the typed fields are checked."""

    category: StrictStr | None = None
    subtopic: StrictStr | None = None
    model: StrictStr | None = None
    provider: StrictStr | None = None
    model_version: Annotated[Any, Field(alias="model_version")] = None
    timestamp: Any = None
    turn_count: StrictInt | None = None
    text: Any = None
    conversation_visibility: Annotated[Any, Field(alias="conversation_visibility")] = None


class Profile(Part):
    """What the participant said of themselves. Every answer is optional."""

    participant_id: Annotated[StrictStr | None, Field(alias="participant_id")] = None
    age: Annotated[StrictStr | None, ReadBy(read_age, "before")] = None
    traits: list[StrictStr] | None = None
    goals: list[StrictStr] | None = None
    responses: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None
    schema_version: Annotated[Any, Field(alias="schema_version")] = None


class Conversation(Part):
    """A whole annotated conversation. `turns` keeps the file's order; `ordered_turns` is by turn number."""

    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    metadata: Metadata | None = None
    participant_profile: Annotated[Profile | None, Field(alias="participant_profile")] = None
    pre_panas: Panas | None = None
    post_panas: Panas | None = None
    conversation_wide_questions: ConversationQuestions | None = None
    turns: list[Turn]

    @model_validator(mode="after")
    def _turn_numbers_are_unique(self) -> Self:
        seen: set[int] = set()
        for turn in self.turns:
            if turn.turn_number in seen:
                raise PydanticCustomError(
                    "same_turn_number", "the same turnNumber twice, got {n}", {"n": turn.turn_number}
                )
            seen.add(turn.turn_number)
        return self

    @property
    def ordered_turns(self) -> list[Turn]:
        """The turns by turn number."""
        return sorted(self.turns, key=lambda turn: turn.turn_number)

    @property
    def participant_id(self) -> str | None:
        """The participant's id, if one was recorded."""
        return self.participant_profile.participant_id if self.participant_profile else None
