"""Writing replies: an answer in, the JSON text that a well-behaved model would give out.

The inverse of `attunebench.protocol.parse.read_reply`: reading what is written here gives the same answer, in state
parsed.
"""

import json
from typing import Any

from attunebench.protocol.answers import (
    Answer,
    DraftAnswer,
    JudgementAnswers,
    OutcomeAnswer,
    PairwiseAnswer,
    PanasAnswer,
    ReviewAnswer,
)
from attunebench.protocol.calls import Strategy


def write_reply(answer: Answer, strategy: Strategy = "absolute") -> str:
    """Return the reply that says `answer`; `strategy` names the PANAS key of an outcome."""
    # Drafts quote people: a "<think>" in their words must not be read as a block of reasoning.
    return json.dumps(_form(answer, strategy)).replace("<", "\\u003c")


def _form(answer: Answer, strategy: Strategy) -> dict[str, Any]:
    match answer:
        case DraftAnswer():
            return {"drafted_response": answer.drafted_response}
        case ReviewAnswer():
            tags = [{"emotion": tag.emotion, "intensity": tag.intensity} for tag in answer.emotions]
            return {"emotion_tags": tags, **_form(answer.judgements, strategy)}
        case JudgementAnswers():
            return {
                "binary_om_assessment": dict(answer.observed),
                "binary_human_prediction": dict(answer.preferred),
            }
        case PairwiseAnswer():
            return {"pairwise_selections": dict(answer.selections)}
        case OutcomeAnswer():
            key = "predicted_post_panas" if strategy == "absolute" else "predicted_panas_delta"
            return {key: _panas(answer.panas), "conversation_wide": _wide(answer)}


def _panas(panas: PanasAnswer) -> dict[str, float]:
    totals = {"totalPositiveAffect": panas.positive, "totalNegativeAffect": panas.negative}
    return {**panas.items, **{key: total for key, total in totals.items() if total is not None}}


def _wide(answer: OutcomeAnswer) -> dict[str, Any]:
    said = {
        "q1_lookingFor": answer.looking_for,
        "q2_emotionClarity": answer.emotion_clarity,
        "q3_modelFit": answer.model_fit,
        "q3_followUp_whatFeltOff": answer.what_felt_off,
        "fourBranchScores": dict(answer.branches),
    }
    return {key: value for key, value in said.items() if value is not None}
