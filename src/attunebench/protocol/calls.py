"""The vocabulary of the protocol: what a call is, and under which condition it is made.

A conversation of n turns has at most 4 n + 1 calls: per turn a draft, a review, the same questions in the
participant's perspective, and the comparisons; at the end the outcome. Where comparisons are asked in both orders,
each turn has one more. Source: AttuneBench, arXiv 2605.21739.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from attunebench.dataset.schema import Conversation, Turn
from attunebench.errors import UsageError
from attunebench.protocol.sides import Sides, reply_names, turn_sides

CallKind: TypeAlias = Literal["draft", "review", "perspective", "pairwise", "pairwise_swapped", "outcome"]
Mode: TypeAlias = Literal["default", "verbose", "omniscient", "verbose_omniscient"]
Strategy: TypeAlias = Literal["absolute", "delta", "blind_delta"]

CALL_KINDS: tuple[CallKind, ...] = get_args(CallKind)
MODES: tuple[Mode, ...] = get_args(Mode)
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


class CallKey(NamedTuple):
    """Which call of a conversation: the turn's number (none for the outcome) and the kind."""

    turn: int | None
    kind: CallKind


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it is sent."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call asks for, by which its reply is read.

    `yes_no`: ids of the yes/no questions. `sides`: for each comparison, by its index as a text, the label that
    stands under each letter. `names`: where replies have neutral names, the label behind each name. `panas`: the
    strategy of an outcome call. `reasoning`: whether the model is to give its reasons.
    """

    yes_no: tuple[str, ...] = ()
    sides: Sides = field(default_factory=dict, hash=False)
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    panas: Strategy = "absolute"
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the evaluated model. Its messages follow from the data alone, never from earlier replies."""

    conversation_id: str
    key: CallKey
    messages: tuple[Message, ...]
    asked: Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What must not mix: results of different conditions never stand in one row.

    `blind`: compared replies have neutral names. `swap`: comparisons are asked in both orders. `structured`: a JSON
    schema of the reply goes with every call. Raises `UsageError` for an unknown mode or strategy.
    """

    mode: Mode = "default"
    strategy: Strategy = "absolute"
    blind: bool = False
    swap: bool = False
    structured: bool = False
    prompt_version: str
    prompt_hash: str
    generation: Mapping[str, Any] = field(default_factory=dict, hash=False)
    data_hash: str = ""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UsageError(f"--mode must be one of {', '.join(MODES)}, got {self.mode!r}")
        if self.strategy not in STRATEGIES:
            raise UsageError(f"--panas must be one of {', '.join(STRATEGIES)}, got {self.strategy!r}")

    def parts(self) -> dict[str, Any]:
        """Return every part by name, as JSON values."""
        return {part.name: _plain(getattr(self, part.name)) for part in fields(self)}

    @property
    def id(self) -> str:
        """A short identity: equal for equal conditions, on any machine."""
        canonical = json.dumps(self.parts(), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    @property
    def verbose(self) -> bool:
        """Whether the model is asked for its reasoning."""
        return self.mode in {"verbose", "verbose_omniscient"}

    @property
    def omniscient(self) -> bool:
        """Whether the model is shown the participant's profile and affect before the conversation."""
        return self.mode in {"omniscient", "verbose_omniscient"}


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True)
class TurnQuestions:
    """A turn's yes/no questions: ids that are asked, and ids named to the model as not applicable."""

    asked: tuple[str, ...]
    not_applicable: tuple[str, ...]


def turn_questions(turn: Turn) -> TurnQuestions:
    """Sort a turn's yes/no questions into those asked and those not applicable.

    A question is asked if both of its answers (observed, preferred) are missing, or at least one is yes or no. Of
    a question that stands twice in a turn, the last judgement counts, as in scoring.
    """
    last = {judgement.question_id: judgement for judgement in turn.judgements if judgement.question_id}
    asked: list[str] = []
    not_applicable: list[str] = []
    for question_id, judgement in last.items():
        answers = {judgement.observed_behavior, judgement.preferred_behavior}
        applies = answers == {None} or bool(answers & {"yes", "no"})
        (asked if applies else not_applicable).append(question_id)
    return TurnQuestions(tuple(asked), tuple(not_applicable))


def planned_calls(conversation: Conversation, condition: Condition) -> tuple[Call, ...]:
    """Return every call of a conversation in the order of the thread, without its messages.

    A turn without applicable questions has no perspective call, one without comparisons no pairwise call.
    """
    calls: list[Call] = []

    def plan(turn: int | None, kind: CallKind, asked: Asked) -> None:
        calls.append(Call(conversation.conversation_id, CallKey(turn, kind), (), asked))

    for turn in conversation.ordered_turns:
        number, yes_no = turn.turn_number, turn_questions(turn).asked
        plan(number, "draft", Asked(reasoning=condition.verbose))
        plan(number, "review", Asked(yes_no=yes_no, reasoning=condition.verbose))
        if yes_no:
            plan(number, "perspective", Asked(yes_no=yes_no))
        if turn.comparisons:
            plan(number, "pairwise", _compared(conversation, turn, condition, swapped=False))
        if turn.comparisons and condition.swap:
            plan(number, "pairwise_swapped", _compared(conversation, turn, condition, swapped=True))
    plan(None, "outcome", Asked(panas=condition.strategy))
    return tuple(calls)


def _compared(conversation: Conversation, turn: Turn, condition: Condition, *, swapped: bool) -> Asked:
    sides = turn_sides(turn, swapped=swapped)
    if not condition.blind:  # open names are labels, or read as such
        return Asked(sides=sides)
    names = reply_names(conversation.conversation_id, turn, blind=True, swapped=swapped)
    return Asked(sides=sides, names={name: label for label, name in names.items()})
