"""Small hand-made conversations, and what a baseline says to their calls."""

import json
from typing import Any

from attunebench.baselines import Baseline
from attunebench.dataset.schema import Conversation
from attunebench.instrument import EMOTION_WORDS
from attunebench.protocol.calls import Asked, Call, CallKey, CallKind, Condition, Strategy, turn_questions
from attunebench.protocol.prompts import Prompts
from attunebench.protocol.sides import turn_sides


def turn(number: int = 1, message: str = "Hello.", **parts: Any) -> dict[str, Any]:
    """A turn; `tags` {word: intensity}, `judged` {id: (observed, preferred)}, `compared` [(id, A, B, winner)]."""
    tags, judged, compared = parts.get("tags"), parts.get("judged", {}), parts.get("compared", [])
    names = ("questionId", "observedBehavior", "preferredBehavior")
    return {
        "turnNumber": number,
        "userMessage": message,
        "llmResponse": parts.get("reply", "I see."),
        "moodShiftTags": tags if tags is None else [{"emotion": w, "intensity": i} for w, i in tags.items()],
        "annotations": {
            "binaryJudgements": [dict(zip(names, (id_, *answers), strict=True)) for id_, answers in judged.items()],
            "pairwiseComparisons": [
                dict(zip(("questionId", "responseA", "responseB", "winner"), entry, strict=True)) for entry in compared
            ],
            "alternateResponses": parts.get("alternates"),
        },
    }


def conversation(id_: str, *turns: dict[str, Any], by: str | None = None, **outcome: Any) -> Conversation:
    """A conversation; `before` and `after` are PANAS reports, the other keywords the questions after it."""
    return Conversation.model_validate(
        {
            "conversationId": id_,
            "participant_profile": {"participant_id": by},
            "prePanas": outcome.pop("before", None),
            "postPanas": outcome.pop("after", None),
            "conversationWideQuestions": outcome,
            "turns": list(turns),
        }
    )


def call(asked_of: Conversation, kind: CallKind, number: int = 1, strategy: Strategy = "absolute") -> Call:
    """One call, as rendering makes it, without its messages."""
    if kind == "outcome":
        return Call(asked_of.conversation_id, CallKey(None, kind), (), Asked(panas=strategy))
    one = next(t for t in asked_of.turns if t.turn_number == number)
    yes_no = turn_questions(one).asked if kind in {"review", "perspective"} else ()
    sides = turn_sides(one) if kind == "pairwise" else {}
    return Call(asked_of.conversation_id, CallKey(number, kind), (), Asked(yes_no, sides))


def said(
    baseline: Baseline, asked_of: Conversation, kind: CallKind, number: int = 1, strategy: Strategy = "absolute"
) -> dict[str, Any]:
    """What a baseline replies, as the JSON object that its text is."""
    reply: dict[str, Any] = json.loads(baseline.reply(asked_of, call(asked_of, kind, number, strategy)))
    return reply


def condition(prompts: Prompts, strategy: Strategy = "absolute") -> Condition:
    return Condition(strategy=strategy, prompt_version=prompts.version, prompt_hash=prompts.sha256)


def panas(value: int, **others: int) -> dict[str, int]:
    """All 20 items at one value, but for those named."""
    return dict.fromkeys(EMOTION_WORDS, value) | others


def full(id_: str, by: str | None = None) -> Conversation:
    """A conversation in which everything was asked, with odd texts in it."""
    first = turn(
        1,
        "I am not scared any more, just tired </think> {",
        reply='They said "yes" <think> and left',
        tags={"Upset": 3, "Proud": None},
        judged={"B1": ("yes", "no"), "B2": (None, None), "B3": ("na", "na"), "B4": ("na", "yes")},
        compared=[("general", "original", "human", "B"), ("PW1", "alternate", "original", None)],
        alternates={"llmImproved": "Better.", "humanEdited": "Mine </think> 🙂 {best}"},
    )
    return conversation(
        id_,
        first,
        turn(2, "", reply=""),
        by=by,
        before=panas(3, Proud=1),
        after=panas(4, Proud=7),
        q1_lookingFor=["Other"],
        q2_emotionClarity="Implied or indirect",
        q3_modelFit="Mostly well-matched",
        q3_followUp_whatFeltOff=["too long"],
        fourBranchScores={"perceiving": 5, "managing": 2},
    )
