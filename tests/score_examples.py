"""Small conversations and records for the scoring tests; every part can be replaced."""

from typing import Any

from attunebench.dataset.schema import Conversation
from attunebench.protocol.records import RunRecord

FITS = (
    "Very well-matched and adaptive",
    "Mostly well-matched",
    "Mixed, some good moments, some misses",
    "Mostly off-target or intrusive",
)


def tags(*pairs: tuple[str, int | None]) -> list[dict[str, Any]]:
    return [{"emotion": emotion, "intensity": intensity} for emotion, intensity in pairs]


def turn(number: int = 1, *, feelings: Any = None, reply: str = "a b c d", **annotations: Any) -> dict[str, Any]:
    return {
        "turnNumber": number,
        "userMessage": "hello",
        "llmResponse": reply,
        "moodShiftTags": feelings,
        "annotations": annotations,
    }


def judgement(key: str, observed: str | None, preferred: str | None, llm: str | None = None) -> dict[str, Any]:
    return {"questionId": key, "llmValue": llm, "observedBehavior": observed, "preferredBehavior": preferred}


def comparison(a: str, b: str, winner: str | None) -> dict[str, Any]:
    return {"questionId": "general", "responseA": a, "responseB": b, "winner": winner}


def conversation(*turns: dict[str, Any], **fields: Any) -> Conversation:
    return Conversation.model_validate({"conversationId": "c1", "turns": list(turns)} | fields)


def record(*turns: dict[str, Any], post: dict[str, Any] | None = None, **fields: Any) -> RunRecord:
    raw = {"conversationId": "c1", "em_model": "m", "turns": list(turns), "post_conversation": post}
    return RunRecord.model_validate(raw | fields)


def answered(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A turn record in which every call answered, with nothing in it."""
    empty: dict[str, Any] = {
        "em_emotion_tags": [],
        "em_drafted_response": "",
        "em_binary_om_assessment": {},
        "em_binary_human_prediction": {},
        "em_binary_om_assessment_hp": {},
        "em_binary_human_prediction_hp": {},
        "em_pairwise_selections": {},
    }
    return {"turnNumber": number} | empty | fields


def panas(positive: int | None, negative: int | None) -> dict[str, Any]:
    return {"totalPositiveAffect": positive, "totalNegativeAffect": negative}


def outcome(panas_after: dict[str, Any] | None = None, **answers: Any) -> dict[str, Any]:
    return {"predicted_post_panas": panas_after or {}, "predicted_conversation_wide": answers}
