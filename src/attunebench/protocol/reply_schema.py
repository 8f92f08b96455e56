"""The JSON schema of a call's reply, for providers that hold a model to one.

Written in what providers have in common: objects whose keys are all required, lists, texts, and closed sets of values
(of whole numbers too, as few take bounds).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from attunebench.instrument import BRANCHES, CLARITY_OPTIONS, EMOTION_WORDS, FIT_OPTIONS, LOOKING_FOR_OPTIONS
from attunebench.protocol.calls import Asked, Call, Condition, Strategy

Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string"}


def reply_schema(call: Call) -> Schema:
    """Return the schema of the reply to a call: everything that the call asks for, and nothing else."""
    match call.key.kind:
        case "draft":
            return _object({**_reasons("response_reasoning", call.asked), "drafted_response": _TEXT})
        case "review":
            tag = _object({"emotion": _one_of(EMOTION_WORDS), "intensity": _whole(1, 7)})
            reasons = _reasons("emotion_reasoning", call.asked)
            judgements = _judgements(call.asked) if call.asked.yes_no else {}
            return _object({**reasons, "emotion_tags": _list(tag), **judgements})
        case "perspective":
            return _object(_judgements(call.asked))
        case "pairwise" | "pairwise_swapped":
            return _object({"pairwise_selections": _same(call.asked.sides, _one_of(("A", "B")))})
        case "outcome":
            return _object({**_panas(call.asked.panas), "conversation_wide": _wide()})


def sent_texts(call: Call, condition: Condition) -> list[str]:
    """Return all text that goes out with a call: its messages, and the schema if there is to be one."""
    schema = [json.dumps(reply_schema(call))] if condition.structured else []
    return [message.content for message in call.messages] + schema


def _reasons(key: str, asked: Asked) -> dict[str, Schema]:
    return {key: _TEXT} if asked.reasoning else {}


def _judgements(asked: Asked) -> dict[str, Schema]:
    answers = _same(asked.yes_no, _one_of(("yes", "no")))
    return {"binary_om_assessment": answers, "binary_human_prediction": answers}


def _panas(strategy: Strategy) -> dict[str, Schema]:
    if strategy == "absolute":
        return {"predicted_post_panas": _same(EMOTION_WORDS, _whole(1, 7))}
    return {"predicted_panas_delta": _same(EMOTION_WORDS, _whole(-6, 6))}


def _wide() -> Schema:
    return _object(
        {
            "q1_lookingFor": _list(_one_of(LOOKING_FOR_OPTIONS)),
            "q2_emotionClarity": _one_of(CLARITY_OPTIONS),
            "q3_modelFit": _one_of(FIT_OPTIONS),
            "q3_followUp_whatFeltOff": _list(_TEXT),
            "fourBranchScores": _same(BRANCHES, _whole(1, 7)),
        }
    )


def _object(properties: Mapping[str, Schema]) -> Schema:
    required = list(properties)
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def _same(names: Iterable[str], schema: Schema) -> Schema:
    return _object(dict.fromkeys(names, schema))


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(values: Sequence[str]) -> Schema:
    return {"type": "string", "enum": list(values)}


def _whole(low: int, high: int) -> Schema:
    return {"type": "integer", "enum": list(range(low, high + 1))}
