"""Hand-made conversations and short cuts for the protocol's tests."""

import json

from attunebench.dataset.schema import Conversation
from attunebench.instrument import NEGATIVE_ITEMS, POSITIVE_ITEMS
from attunebench.protocol.calls import Asked, Call, CallKey, Condition
from attunebench.protocol.parse import read_reply
from attunebench.protocol.prompts import load_prompts
from attunebench.protocol.render import conversation_calls

PROMPTS = load_prompts()


def condition(mode="default", strategy="absolute", **other):
    return Condition(mode=mode, strategy=strategy, prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256, **other)


def judgement(question_id, observed=None, preferred=None):
    return {"questionId": question_id, "observedBehavior": observed, "preferredBehavior": preferred}


def turn(number, message="I feel odd.", reply="Tell me more.", judgements=(), comparisons=(), alternates=None):
    return {
        "turnNumber": number,
        "userMessage": message,
        "llmResponse": reply,
        "moodShiftTags": [{"emotion": "Jittery", "intensity": 6}],
        "annotations": {
            "binaryJudgements": list(judgements),
            "alternateResponses": alternates,
            "pairwiseComparisons": list(comparisons),
            "selectedPairwiseQuestions": [],
        },
    }


def comparison(question_id="general", a="original", b="alternate", winner="A"):
    return {"questionId": question_id, "responseA": a, "responseB": b, "winner": winner}


ALTERNATES = {"llmImproved": "IMPROVED-REPLY", "humanEdited": "EDITED-REPLY"}
ITEMS_BEFORE = dict.fromkeys(POSITIVE_ITEMS, 3) | dict.fromkeys(NEGATIVE_ITEMS, 2)

FULL = turn(
    1,
    "MESSAGE-ONE",
    "REPLY-ONE",
    [judgement("B1", "yes", "no"), judgement("B18", "na", "na")],
    [comparison(a="human", b="original")],
    ALTERNATES,
)
EMOTIONS_ONLY = turn(2, "MESSAGE-TWO", "REPLY-TWO")
COMPARED_ONLY = turn(3, "MESSAGE-THREE", "REPLY-THREE", [], [comparison(), comparison("PW4")], ALTERNATES)
PROFILE = {
    "participant_id": "SECRET-ID",
    "age": "34",
    "traits": ["dry", "careful"],
    "goals": ["sleep, mostly"],
    "responses": {"diagnosis": "none", "habits": ["tea", "runs"]},
    "extra": {"works nights": True},
}


def conversation(*turns, before="items", profile=None, **other):
    """A conversation; `before`: items (30 and 20 in total), totals (25 and 42), or none."""
    panas = {
        "items": ITEMS_BEFORE,
        "totals": {"totalPositiveAffect": 25, "totalNegativeAffect": 42},
        "none": None,
    }[before]
    raw = {"conversationId": "c1", "turns": list(turns), "prePanas": panas, "participant_profile": profile}
    return Conversation.model_validate(raw | other)


def three_turns(**other):
    return conversation(FULL, EMOTIONS_ONLY, COMPARED_ONLY, profile=PROFILE, **other)


def calls_of(of, mode="default", strategy="absolute", prompts=PROMPTS, **other):
    return {call.key: call for call in conversation_calls(of, condition(mode, strategy, **other), prompts)}


def prompt_of(call):
    return call.messages[-1].content


def a_call(kind, yes_no=("B1", "B13"), sides=None, strategy="absolute", names=()):
    shown = {"0": {"A": "original", "B": "alternate"}, "1": {"A": "human", "B": "original"}}
    asked = Asked(yes_no=yes_no, sides=shown if sides is None else sides, names=dict(names), panas=strategy)
    return Call("c1", CallKey(None if kind == "outcome" else 1, kind), (), asked)


def read(kind, value, **asked):
    """Read `value`, a reply's text or what is dumped as JSON."""
    return read_reply(a_call(kind, **asked), value if isinstance(value, str) else json.dumps(value))
