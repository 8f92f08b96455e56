"""A conversation as scoring reads it, fast: what is spelled as we write it, and nothing that we do not know.

These types have the attributes of those of `attunebench.dataset.schema` that scoring uses, with the same values. They
are decoded and checked in one go by msgspec, which is several times as fast and takes only JSON by the standard. A
text that has other spellings, unknown keys or deep objects, or breaks a rule, is left to the readers there.
"""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, MsgspecError, Struct, field
from msgspec.json import Decoder
from msgspec.structs import force_setattr

from attunebench.dataset.outcome import ConversationQuestions, Panas
from attunebench.dataset.schema import (
    Comparison,
    Conversation,
    EmotionTag,
    Judgement,
    Letter,
    ReplyLabel,
    Turn,
    YesNo,
)
from attunebench.dataset.values import gather_branch_scores
from attunebench.instrument import BRANCHES, EMOTION_WORDS, NEGATIVE_ITEMS, POSITIVE_ITEMS

if TYPE_CHECKING:
    Emotion: TypeAlias = str
    Branch: TypeAlias = str
else:
    Emotion = Literal[EMOTION_WORDS]
    Branch = Literal[BRANCHES]

Scalar: TypeAlias = str | float | bool | None
Shallow: TypeAlias = dict[str, Scalar | list[Scalar] | dict[str, Scalar]] | None
"""What nobody reads, with no more nesting than we write."""

Rating: TypeAlias = Annotated[float, Meta(ge=1, le=7)]


class Lean(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Base of all parts: frozen, under the names in files."""


class LeanTag(Lean, frozen=True):
    """See `EmotionTag`."""

    emotion: Emotion
    intensity: Annotated[int, Meta(ge=1, le=7)] | None = None


class LeanJudgement(Lean, frozen=True):
    """See `Judgement`."""

    question_id: str = ""
    llm_value: YesNo | None = None
    observed_behavior: YesNo | None = None
    preferred_behavior: YesNo | None = None


class LeanAlternates(Lean, frozen=True):
    """See `attunebench.dataset.schema.Alternates`."""

    llm_improved: str | None = None
    human_edited: str | None = None


class LeanComparison(Lean, frozen=True):
    """See `Comparison`."""

    question_id: str = ""
    response_a: ReplyLabel | None = None
    response_b: ReplyLabel | None = None
    winner: Letter | None = None


class LeanAnnotations(Lean, frozen=True):
    """See `attunebench.dataset.schema.Annotations`."""

    binary_judgements: list[LeanJudgement] | None = None
    alternate_responses: LeanAlternates | None = None
    pairwise_comparisons: list[LeanComparison] | None = None
    selected_pairwise_questions: list[str] | None = None


_NOTHING_SAID: Final = LeanAnnotations()
_NO_ALTERNATES: Final = LeanAlternates()


class LeanTurn(Lean, frozen=True):
    """See `Turn`."""

    turn_number: int
    user_message: str
    llm_response: str
    mood_shift_tags: list[LeanTag] | None = None
    annotations: LeanAnnotations | None = None

    @property
    def judgements(self) -> list[LeanJudgement]:
        """The yes/no questions; empty if none were asked."""
        return (self.annotations or _NOTHING_SAID).binary_judgements or []

    @property
    def comparisons(self) -> list[LeanComparison]:
        """The comparisons; empty if none were asked."""
        return (self.annotations or _NOTHING_SAID).pairwise_comparisons or []

    def reply(self, label: ReplyLabel) -> str | None:
        """Return the text that a label names, or none where this turn has no such reply."""
        if label == "original":
            return self.llm_response
        alternates = (self.annotations or _NOTHING_SAID).alternate_responses or _NO_ALTERNATES
        return alternates.llm_improved if label == "alternate" else alternates.human_edited


class LeanPanas:
    """See `Panas`."""

    __slots__ = ("items", "negative_affect", "positive_affect")

    def __init__(self, raw: Any) -> None:
        """Take a report's items and totals.

        Raises:
            ValueError: it is no object of whole numbers in their ranges, under the names we write.
        """
        if not isinstance(raw, dict) or not all(_is_canonical(name, value) for name, value in raw.items()):
            raise ValueError("must be spelled as we write it")
        self.items: dict[str, int] = raw
        totals = raw.pop("totalPositiveAffect", None), raw.pop("totalNegativeAffect", None)
        self.positive_affect, self.negative_affect = (
            self._sum(names) if given is None else given
            for given, names in zip(totals, (POSITIVE_ITEMS, NEGATIVE_ITEMS), strict=True)
        )

    def _sum(self, names: tuple[str, ...]) -> int | None:
        present = [self.items[name] for name in names if name in self.items]
        return sum(present) if present else None


_RANGES: Final = {
    **dict.fromkeys(EMOTION_WORDS, range(1, 8)),
    **dict.fromkeys(("totalPositiveAffect", "totalNegativeAffect"), range(10, 71)),
}


def _is_canonical(name: str, value: Any) -> bool:
    return type(value) is int and value in _RANGES.get(name, ())


class LeanQuestions(Lean, frozen=True):
    """See `ConversationQuestions`; what models answer is spelled the same."""

    looking_for: list[str] | None = field(name="q1_lookingFor", default=None)
    emotion_clarity: str | None = field(name="q2_emotionClarity", default=None)
    model_fit: str | None = field(name="q3_modelFit", default=None)
    what_felt_off: list[str] | None = field(name="q3_followUp_whatFeltOff", default=None)
    four_branch_scores: dict[Branch, Rating] | None = None

    def __post_init__(self) -> None:
        """Put the branches in their order."""
        force_setattr(self, "four_branch_scores", gather_branch_scores(self.four_branch_scores))


class LeanMetadata(Lean, frozen=True):
    """See `attunebench.dataset.schema.Metadata`; `made_up` is what data sets of made-up conversations add."""

    category: str | None = None
    subtopic: str | None = None
    model: str | None = None
    provider: str | None = None
    model_version: Scalar = field(name="model_version", default=None)
    timestamp: Scalar = None
    turn_count: int | None = None
    text: Scalar = None
    conversation_visibility: Scalar = field(name="conversation_visibility", default=None)
    made_up: Scalar = field(name="made_up", default=None)


class LeanProfile(Lean, frozen=True, rename=None):
    """See `attunebench.dataset.schema.Profile`."""

    participant_id: str | None = None
    age: str | None = None
    traits: list[str] | None = None
    goals: list[str] | None = None
    responses: Shallow = None
    extra: Shallow = None
    schema_version: Scalar = None


class LeanConversation(Lean, frozen=True):
    """See `Conversation`."""

    conversation_id: Annotated[str, Meta(min_length=1)]
    turns: list[LeanTurn]
    metadata: LeanMetadata | None = None
    participant_profile: LeanProfile | None = field(name="participant_profile", default=None)
    pre_panas: LeanPanas | None = None
    post_panas: LeanPanas | None = None
    conversation_wide_questions: LeanQuestions | None = None

    def __post_init__(self) -> None:
        """Refuse turns of the same number."""
        if len({turn.turn_number for turn in self.turns}) < len(self.turns):
            raise ValueError("turn numbers must differ")

    @property
    def ordered_turns(self) -> list[LeanTurn]:
        """The turns by turn number."""
        return sorted(self.turns, key=lambda turn: turn.turn_number)


AnyConversation: TypeAlias = Conversation | LeanConversation
AnyTurn: TypeAlias = Turn | LeanTurn
AnyTag: TypeAlias = EmotionTag | LeanTag
AnyJudgement: TypeAlias = Judgement | LeanJudgement
AnyComparison: TypeAlias = Comparison | LeanComparison
AnyPanas: TypeAlias = Panas | LeanPanas
AnyQuestions: TypeAlias = ConversationQuestions | LeanQuestions


def _read_other(kind: type, raw: Any) -> Any:
    return kind(raw)


_DECODER: Final = Decoder(LeanConversation, dec_hook=_read_other)


def read_lean_conversation(data: bytes) -> LeanConversation | None:
    """Read a conversation that is spelled as we write them straight from JSON; none for every other text."""
    try:
        return _DECODER.decode(data)
    except (MsgspecError, RecursionError):
        return None
