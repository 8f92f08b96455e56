"""What a reply holds once it is read: one frozen type a call, and the two ways a call can end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from attunebench.dataset.schema import Letter, YesNo


class CallState(StrEnum):
    """How a call ended. Exactly one holds; only the first two are answers."""

    PARSED = "parsed"
    REPAIRED = "repaired"
    UNPARSEABLE = "unparseable"
    SCHEMA_MISMATCH = "schema_mismatch"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    CONTEXT_OVERFLOW = "context_overflow"
    PROVIDER_ERROR = "provider_error"

    @property
    def is_answer(self) -> bool:
        """Whether the reply could be read."""
        return self in ANSWERED


ANSWERED = frozenset({CallState.PARSED, CallState.REPAIRED})
ASKED_AGAIN = frozenset({CallState.UNPARSEABLE, CallState.SCHEMA_MISMATCH, CallState.EMPTY, CallState.TRUNCATED})
"""States after which the same question is put again."""


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """A drafted reply, with the reasoning of the verbose modes."""

    drafted_response: str
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A predicted emotion: one of the 20 words, with an intensity of 1 to 7 or none."""

    emotion: str
    intensity: int | None


@dataclass(frozen=True, slots=True)
class JudgementAnswers:
    """Predicted yes/no answers by question id: what the reply did, and what was wanted."""

    observed: Mapping[str, YesNo] = field(default_factory=dict)
    preferred: Mapping[str, YesNo] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """Predicted emotions (repeats kept) and judgements of a turn."""

    emotions: tuple[Tag, ...]
    judgements: JudgementAnswers
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class PairwiseAnswer:
    """Predicted sides by the comparison's index."""

    selections: Mapping[str, Letter]


@dataclass(frozen=True, slots=True)
class PanasAnswer:
    """Predicted PANAS items, or their changes, by canonical name; totals only if the model gave them itself."""

    items: Mapping[str, float] = field(default_factory=dict)
    positive: float | None = None
    negative: float | None = None


@dataclass(frozen=True, slots=True)
class OutcomeAnswer:
    """Predictions for the time after the conversation. `None` where the reply does not say."""

    panas: PanasAnswer
    looking_for: tuple[str, ...] | None
    emotion_clarity: str | None
    model_fit: str | None
    what_felt_off: tuple[str, ...] | None
    branches: Mapping[str, float]


RATINGS: Final = ("overall_score", "emotional_appropriateness", "helpfulness", "tone_match")
"""What a judge rates in a draft, each 1 to 7, up is better."""


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """What one judge found in a draft: all of `RATINGS` or, without a reference, none; yes/no by question id."""

    ratings: Mapping[str, float] = field(default_factory=dict)
    behaviours: Mapping[str, YesNo] = field(default_factory=dict)


Answer: TypeAlias = DraftAnswer | ReviewAnswer | JudgementAnswers | PairwiseAnswer | OutcomeAnswer
"""What the evaluated model answered."""

AnyAnswer: TypeAlias = Answer | JudgeAnswer


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply that was read. `counters` says what had to be dropped or clamped in it."""

    answer: AnyAnswer
    repaired: bool = False
    counters: Mapping[str, int] = field(default_factory=dict)

    @property
    def state(self) -> CallState:
        """Parsed, or repaired where the JSON was broken and could be mended."""
        return CallState.REPAIRED if self.repaired else CallState.PARSED


@dataclass(frozen=True, slots=True)
class Failed:
    """A call without an answer, and why."""

    state: CallState
    reason: str
    counters: Mapping[str, int] = field(default_factory=dict)


Reading: TypeAlias = Parsed | Failed
