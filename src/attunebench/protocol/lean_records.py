"""A run record as scoring reads it, fast: what is spelled as we write it, and nothing that we do not know.

See `attunebench.dataset.lean`; these types stand for those of `attunebench.protocol.records`.
"""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta, MsgspecError, Struct, field
from msgspec.json import Decoder

from attunebench.dataset.lean import Emotion, LeanQuestions, Shallow
from attunebench.dataset.schema import Letter, YesNo
from attunebench.protocol.calls import Strategy
from attunebench.protocol.records import (
    GREATEST_NUMBER,
    Origin,
    PostRecord,
    PredictedPanas,
    PredictedQuestions,
    PredictedTag,
    RunRecord,
    TurnRecord,
)

Number: TypeAlias = Annotated[float, Meta(ge=-GREATEST_NUMBER, le=GREATEST_NUMBER)] | None
Answers: TypeAlias = dict[str, YesNo | None] | None
Selections: TypeAlias = dict[str, Letter | None] | None
Assignment: TypeAlias = dict[str, dict[Letter, str | None]] | None


class LeanPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all parts: frozen, under the names in files."""


class LeanPredictedTag(LeanPart, frozen=True):
    """See `PredictedTag`."""

    emotion: str
    intensity: Annotated[int, Meta(ge=1, le=7)] | None = None


class LeanReply(LeanPart, frozen=True):
    """See `TurnRecord`."""

    turn_number: int = field(name="turnNumber")
    em_emotion_tags: list[LeanPredictedTag] | None = None
    em_drafted_response: str | None = None
    response_reasoning: str | None = None
    emotion_reasoning: str | None = None
    pairwise_assignment: Assignment = None
    em_binary_om_assessment: Answers = None
    em_binary_human_prediction: Answers = None
    em_binary_om_assessment_hp: Answers = None
    em_binary_human_prediction_hp: Answers = None
    em_pairwise_selections: Selections = None
    pairwise_assignment_swapped: Assignment = None
    em_pairwise_selections_swapped: Selections = None
    em_draft_judge_scores: dict[str, Number] | None = None
    em_draft_judge_scores_by_model: Shallow = None
    em_draft_binary_assessment: Answers = None
    em_draft_binary_assessment_by_model: Shallow = None


class LeanPredictedPanas(LeanPart, frozen=True):
    """See `PredictedPanas`."""

    total_positive_affect: Number = field(name="totalPositiveAffect", default=None)
    total_negative_affect: Number = field(name="totalNegativeAffect", default=None)
    items: dict[Emotion, Number] | None = None


class LeanPost(LeanPart, frozen=True):
    """See `PostRecord`."""

    panas_strategy: Strategy | None = None
    pre_panas_shown: Shallow = None
    predicted_post_panas: LeanPredictedPanas | None = None
    predicted_panas_delta: Shallow = None
    predicted_conversation_wide: LeanQuestions | None = None


NO_OUTCOME: Final = LeanPost()
"""Nothing predicted."""


class LeanEnd(LeanPart, frozen=True):
    """See `attunebench.protocol.records.EndRecord`."""

    state: str
    attempts: int = 1
    counters: dict[str, int] = {}


class LeanCall(LeanPart, frozen=True):
    """See `attunebench.protocol.records.CallRecord`."""

    turn: int | None
    call: str
    state: str
    attempts: int = 1
    counters: dict[str, int] = {}
    by_model: dict[str, LeanEnd] | None = None


class LeanProvenance(LeanPart, frozen=True):
    """See `attunebench.protocol.records.Provenance`."""

    condition: str | None = None
    epoch: Annotated[int, Meta(ge=1)] = 1
    mode: str | None = None
    strategy: str | None = None
    blind: bool | None = None
    swap: bool | None = None
    structured: bool | None = None
    prompt_version: str | None = None
    prompt_hash: str | None = None
    generation: Shallow = None
    data_hash: str | None = None
    program_version: str | None = None
    judges: list[str] | None = None
    judge_prompt_version: str | None = None
    judge_prompt_hash: str | None = None
    judge_generation: Shallow = None


class LeanRecord(LeanPart, Origin, frozen=True):
    """See `RunRecord`."""

    conversation_id: str = field(name="conversationId")
    em_model: str
    turns: list[LeanReply]
    source_file: str | None = None
    run_timestamp: str | None = None
    mode: str = "default"
    post_conversation: LeanPost | None = None
    api_cost: float | None = None
    duration_seconds: float | None = None
    calls: list[LeanCall] | None = None
    provenance: LeanProvenance | None = None


AnyRecord: TypeAlias = RunRecord | LeanRecord
AnyReply: TypeAlias = TurnRecord | LeanReply
AnyPredictedTag: TypeAlias = PredictedTag | LeanPredictedTag
AnyPost: TypeAlias = PostRecord | LeanPost
AnyPredictedPanas: TypeAlias = PredictedPanas | LeanPredictedPanas
AnyPredictedQuestions: TypeAlias = PredictedQuestions | LeanQuestions

_DECODER: Final = Decoder(LeanRecord)


def read_lean_record(data: bytes) -> LeanRecord | None:
    """Read a run record that is spelled as we write them straight from JSON; none for every other text."""
    try:
        return _DECODER.decode(data)
    except (MsgspecError, RecursionError):
        return None


def judge_ends(record: AnyRecord) -> dict[str, dict[str, int]]:
    """Return the judges of a record's drafts and, by each, how many of its calls ended in which state.

    Records from elsewhere tell their judges by the values kept of each, and not how the calls ended.
    """
    named = (record.provenance and record.provenance.judges) or ()
    ends: dict[str, dict[str, int]] = {judge: {} for judge in named}
    for turn in record.turns:
        for kept in (turn.em_draft_judge_scores_by_model, turn.em_draft_binary_assessment_by_model):
            ends |= {judge: {} for judge in kept or () if judge not in ends}
    for call in record.calls or ():
        for judge, end in (call.by_model or {}).items():
            states = ends.setdefault(judge, {})
            states[end.state] = states.get(end.state, 0) + 1
    return ends
