"""The run record: what one model predicted of one conversation, under the public benchmark's field names.

Records come from our own runs and from elsewhere, so reading is lenient where a model's answers stand (what cannot
be read is no answer) and strict about the frame (ids, turn numbers). Unknown keys are kept. `None` means that an
answer is missing, usually because its call failed; an empty list or object is an answer with nothing in it.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StrictInt,
    StrictStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema
from pydantic_core.core_schema import (
    dict_schema,
    float_schema,
    lax_or_strict_schema,
    literal_schema,
    no_info_wrap_validator_function,
    nullable_schema,
)

from attunebench.dataset.outcome import CANONICAL_BRANCH_SCORES
from attunebench.dataset.parts import ReadBy
from attunebench.dataset.schema import Letter, YesNo
from attunebench.dataset.values import read_branch_score, read_intensity, read_number, read_winner, read_yes_no
from attunebench.instrument import BRANCHES, EMOTION_WORDS, canonical_emotion
from attunebench.protocol.calls import Strategy

_LEFT_OUT_IF_NONE = Field(exclude_if=lambda value: value is None)
GREATEST_NUMBER = 1e9
"""No scale reaches so far; sums of greater errors would overflow."""

T = TypeVar("T")


def _or_none(reader: Callable[[Any], T]) -> ReadBy:
    """Read a value that a model gave; what cannot be read is none."""

    def read(raw: Any) -> T | None:
        try:
            return reader(raw)
        except ValueError:
            return None

    return ReadBy(read)


class _Lenient:
    """Annotation of a whole answer: of the wrong type, it is none; in strict mode it must be of the type."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        typed = handler(source)
        return lax_or_strict_schema(lax_schema=no_info_wrap_validator_function(_lenient, typed), strict_schema=typed)


def _lenient(raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(raw)
    except ValidationError:
        return None


def _readable_tags(raw: Any) -> Any:
    """Keep the entries that name an emotion; a bare text is an emotion without intensity."""
    if not isinstance(raw, list):
        return raw
    tags = ({"emotion": entry} if isinstance(entry, str) else entry for entry in raw)
    return [tag for tag in tags if isinstance(tag, PredictedTag) or _names_emotion(tag)]


def _names_emotion(tag: Any) -> bool:
    return isinstance(tag, Mapping) and isinstance(tag.get("emotion"), str)


def _canonical_items(raw: Any) -> Any:
    if not isinstance(raw, Mapping):
        return raw
    return {canonical_emotion(str(name)) or str(name): value for name, value in raw.items()}


def _readable_texts(raw: Any) -> Any:
    if isinstance(raw, str):
        return [raw] if raw.strip() else []
    return [text for text in raw if isinstance(text, str)] if isinstance(raw, list) else raw


def _branch_scores(raw: Any) -> Any:
    if not isinstance(raw, Mapping):
        return raw
    lowered = {str(name).strip().lower(): value for name, value in raw.items()}
    scores = {name: _branch_score(lowered.get(name)) for name in BRANCHES}
    return {name: score for name, score in scores.items() if score is not None}


def _branch_score(raw: Any) -> float | None:
    try:
        return read_branch_score(raw)
    except ValueError:
        return None


Lenient = _Lenient()

_FINITE = float_schema(allow_inf_nan=False, ge=-GREATEST_NUMBER, le=GREATEST_NUMBER)
_ITEM_NAME = literal_schema(list(EMOTION_WORDS))


def _read_scale_number(raw: Any) -> float:
    number = read_number(raw)
    if abs(number) > GREATEST_NUMBER:
        raise ValueError("must be a number that a scale could hold")
    return number


Number = Annotated[
    Annotated[float, Field(allow_inf_nan=False, ge=-GREATEST_NUMBER, le=GREATEST_NUMBER)] | None,
    _or_none(_read_scale_number),
]
Intensity = Annotated[Annotated[int, Field(ge=1, le=7)] | None, _or_none(read_intensity)]
Answers = Annotated[dict[str, Annotated[YesNo | None, _or_none(read_yes_no)]] | None, Lenient]
Selections = Annotated[dict[str, Annotated[Letter | None, _or_none(read_winner)]] | None, Lenient]
Assignment = Annotated[dict[str, dict[Letter, str | None]] | None, Lenient]
Text = Annotated[str | None, Lenient]
Branches = Annotated[
    dict[str, float] | None,
    ReadBy(_branch_scores, "before", CANONICAL_BRANCH_SCORES),
    Lenient,
]
Items = Annotated[
    dict[str, Number] | None,
    ReadBy(_canonical_items, "before", nullable_schema(dict_schema(_ITEM_NAME, nullable_schema(_FINITE)))),
    Lenient,
]
Texts = Annotated[list[str] | None, ReadBy(_readable_texts, "before"), Lenient]


def _read_strategy(raw: Any) -> Any:
    return raw.strip().lower().replace("-", "_") or None if isinstance(raw, str) else raw


class RecordPart(BaseModel):
    """Base of the parts of a record: frozen, unknown keys kept."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True, defer_build=True)


class PredictedTag(RecordPart):
    """A predicted emotion. Our own runs write only the 20 words; records from elsewhere may hold any text."""

    emotion: StrictStr
    intensity: Intensity = None


class TurnRecord(RecordPart):
    """What the model predicted and drafted for one turn.

    `om_assessment` is what the reply did, `human_prediction` what the participant would have wanted; `_hp` marks the
    same two from the perspective call. Pairwise selections and assignments are keyed by the comparison's position;
    `_swapped` marks those of the call that shows the sides exchanged, under letters of its own; where they are none,
    they are not written.
    """

    turn_number: Annotated[StrictInt, Field(alias="turnNumber")]
    em_emotion_tags: Annotated[list[PredictedTag] | None, ReadBy(_readable_tags, "before"), Lenient] = None
    em_drafted_response: Text = None
    response_reasoning: Text = None
    emotion_reasoning: Text = None
    pairwise_assignment: Assignment = None
    em_binary_om_assessment: Answers = None
    em_binary_human_prediction: Answers = None
    em_binary_om_assessment_hp: Answers = None
    em_binary_human_prediction_hp: Answers = None
    em_pairwise_selections: Selections = None
    pairwise_assignment_swapped: Annotated[Assignment, _LEFT_OUT_IF_NONE] = None
    em_pairwise_selections_swapped: Annotated[Selections, _LEFT_OUT_IF_NONE] = None
    em_draft_judge_scores: Annotated[dict[str, Number] | None, Lenient] = None
    em_draft_judge_scores_by_model: Annotated[dict[str, Any] | None, Lenient] = None
    em_draft_binary_assessment: Answers = None
    em_draft_binary_assessment_by_model: Annotated[dict[str, Any] | None, Lenient] = None


class PredictedPanas(RecordPart):
    """Predicted PANAS: totals 10-70, items 1-7 by canonical name."""

    total_positive_affect: Annotated[Number, Field(alias="totalPositiveAffect")] = None
    total_negative_affect: Annotated[Number, Field(alias="totalNegativeAffect")] = None
    items: Items = None


class PredictedQuestions(RecordPart):
    """Predicted answers to the questions after the conversation."""

    looking_for: Annotated[Texts, Field(alias="q1_lookingFor")] = None
    emotion_clarity: Annotated[Text, Field(alias="q2_emotionClarity")] = None
    model_fit: Annotated[Text, Field(alias="q3_modelFit")] = None
    what_felt_off: Annotated[Texts, Field(alias="q3_followUp_whatFeltOff")] = None
    four_branch_scores: Annotated[Branches, Field(alias="fourBranchScores")] = None


class PostRecord(RecordPart):
    """What the model predicted for the time after the conversation."""

    panas_strategy: Annotated[Strategy | None, ReadBy(_read_strategy, "before")] = None
    pre_panas_shown: Annotated[dict[str, Any] | None, Lenient] = None
    predicted_post_panas: Annotated[PredictedPanas | None, Lenient] = None
    predicted_panas_delta: Annotated[dict[str, Any] | None, Lenient] = None
    predicted_conversation_wide: Annotated[PredictedQuestions | None, Lenient] = None


_ONLY_IF_JUDGED: Any = Field(default=None, exclude_if=lambda value: value is None)


class EndRecord(RecordPart):
    """How a call of one judge ended."""

    state: str
    attempts: int = 1
    counters: dict[str, int] = Field(default_factory=dict)


class CallRecord(RecordPart):
    """How one call of the conversation ended: its state after the last attempt, and what was counted in it.

    The call of a panel of judges is one; `by_model` tells how those of its judges ended.
    """

    turn: int | None
    call: str
    state: str
    attempts: int = 1
    counters: dict[str, int] = Field(default_factory=dict)
    by_model: dict[str, EndRecord] | None = _ONLY_IF_JUDGED


class Provenance(RecordPart):
    """Under which conditions a record was made."""

    condition: str | None = None
    epoch: Annotated[int, Field(ge=1)] = 1
    mode: str | None = None
    strategy: str | None = None
    blind: bool | None = None
    swap: bool | None = None
    structured: bool | None = None
    prompt_version: str | None = None
    prompt_hash: str | None = None
    generation: dict[str, Any] | None = None
    data_hash: str | None = None
    program_version: str | None = None
    judges: list[str] | None = _ONLY_IF_JUDGED
    judge_prompt_version: str | None = _ONLY_IF_JUDGED
    judge_prompt_hash: str | None = _ONLY_IF_JUDGED
    judge_generation: dict[str, Any] | None = _ONLY_IF_JUDGED


class Origin:
    """Under what a record was made, from its parts; the same for every form of a record."""

    __slots__ = ()

    @property
    def strategy(self: Any) -> Strategy:
        """The PANAS strategy; records that do not say used the absolute one."""
        return (self.post_conversation and self.post_conversation.panas_strategy) or "absolute"

    @property
    def condition(self: Any) -> str | None:
        """The identity of the condition the record was made under, if it says."""
        return self.provenance.condition if self.provenance else None

    @property
    def epoch(self: Any) -> int:
        """Which of the model's readings of the conversation it is, from 1; records that do not say are the first."""
        return self.provenance.epoch if self.provenance else 1


class RunRecord(Origin, RecordPart):
    """One conversation x model x mode x strategy x epoch."""

    conversation_id: Annotated[StrictStr, Field(alias="conversationId")]
    source_file: str | None = None
    em_model: StrictStr
    run_timestamp: str | None = None
    mode: StrictStr = "default"
    turns: list[TurnRecord]
    post_conversation: PostRecord | None = None
    api_cost: float | None = None
    duration_seconds: float | None = None
    calls: list[CallRecord] | None = None
    provenance: Provenance | None = None


def read_record(raw: Any) -> RunRecord:
    """Read a run record from JSON values: at once if it is spelled as we write records, else by every reader.

    Raises:
        ValidationError: the frame is broken; see `RunRecord` for what is lenient.
    """
    try:
        return RunRecord.model_validate(raw, strict=True)
    except ValidationError:
        return RunRecord.model_validate(raw)
