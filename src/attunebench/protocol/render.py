"""From a conversation to the messages of all its calls.

The thread holds the system message, then for each turn the draft prompt, a fixed placeholder, the review prompt, a
placeholder. Perspective and pairwise calls hang off the thread at the end of their turn; the outcome call comes at
the end. No model's answer ever enters a message, so all calls can be made at once. Source: AttuneBench, arXiv
2605.21739.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from attunebench.dataset.schema import Conversation, Panas, Turn
from attunebench.instrument import CLARITY_OPTIONS, EMOTION_WORDS, FIT_OPTIONS, LOOKING_FOR_OPTIONS, Voice
from attunebench.protocol.calls import (
    Call,
    CallKey,
    CallKind,
    Condition,
    Message,
    planned_calls,
    turn_questions,
)
from attunebench.protocol.prompts import Prompts
from attunebench.protocol.sides import name_of, reply_names

_COMPARING: tuple[CallKind, ...] = ("pairwise", "pairwise_swapped")
_OPTIONS = {"looking_for": LOOKING_FOR_OPTIONS, "clarity": CLARITY_OPTIONS, "fit": FIT_OPTIONS}


def conversation_calls(conversation: Conversation, condition: Condition, prompts: Prompts) -> tuple[Call, ...]:
    """Return every call of a conversation, in the order of the thread.

    Raises:
        PromptError: a template lacks a variable or is wrong.
    """
    return tuple(_calls(conversation, condition, prompts))


def _calls(conversation: Conversation, condition: Condition, prompts: Prompts) -> Iterator[Call]:
    placeholder = Message("assistant", prompts.placeholder)
    thread = [Message("system", prompts.render("system"))]

    planned = {call.key: call for call in planned_calls(conversation, condition)}

    def call(key: CallKey, prompt: str) -> Call:
        return replace(planned[key], messages=(*thread, Message("user", prompt)))

    background = _background(conversation, prompts) if condition.omniscient else None
    for position, turn in enumerate(conversation.ordered_turns):
        before = {"turn": turn.turn_number, "message": turn.user_message, "verbose": condition.verbose}
        # The draft's template cannot show the reply: it does not get it.
        draft = prompts.render("draft", **before, background=background if position == 0 else None)
        values = {**before, "reply": turn.llm_response}
        review = prompts.render("review", **values, **_yes_no(turn, prompts, "about_participant"))
        number = turn.turn_number
        yield call(CallKey(number, "draft"), draft)
        thread += [Message("user", draft), placeholder]
        yield call(CallKey(number, "review"), review)
        thread += [Message("user", review), placeholder]
        if (key := CallKey(number, "perspective")) in planned:
            yield call(key, prompts.render("perspective", **values, **_yes_no(turn, prompts, "to_participant")))
        for kind in _COMPARING:
            if (key := CallKey(number, kind)) in planned:
                # Nor does this template get the reply as such: it would tell it from the alternates.
                compared = _comparisons(turn, planned[key], condition, prompts)
                yield call(key, prompts.render("pairwise", **before, **compared))
    yield call(CallKey(None, "outcome"), _outcome(conversation, condition, prompts))


def _yes_no(turn: Turn, prompts: Prompts, voice: Voice) -> dict[str, Any]:
    questions = turn_questions(turn)
    texts = [{"id": id_, "text": prompts.questions.yes_no_text(id_, voice)} for id_ in questions.asked]
    return {"yes_no": texts, "not_applicable": questions.not_applicable, "emotion_words": EMOTION_WORDS}


def _comparisons(turn: Turn, call: Call, condition: Condition, prompts: Prompts) -> dict[str, Any]:
    swapped = call.key.kind == "pairwise_swapped"
    names = reply_names(call.conversation_id, turn, blind=condition.blind, swapped=swapped)
    comparisons = [
        {
            "index": index,
            "text": prompts.questions.pairwise_text(comparison.question_id, "about_participant"),
            "a": name_of(sides["A"], names),
            "b": name_of(sides["B"], names),
        }
        for comparison, (index, sides) in zip(turn.comparisons, call.asked.sides.items(), strict=True)
    ]
    replies = {name: turn.reply(label) for label, name in names.items()}
    return {"comparisons": comparisons, "replies": {name: text for name, text in replies.items() if text is not None}}


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_as_text(entry) for entry in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def panas_totals(panas: Panas | None) -> dict[str, int | None]:
    """Return the two totals (10-70) of a PANAS report, as given or summed; none where unknown."""
    return {
        "positive": panas.positive_affect if panas else None,
        "negative": panas.negative_affect if panas else None,
    }


def shows_totals(conversation: Conversation, condition: Condition) -> bool:
    """Whether the outcome call shows the participant's totals before: known, and not the blind strategy."""
    known = any(total is not None for total in panas_totals(conversation.pre_panas).values())
    return known and condition.strategy != "blind_delta"


def _outcome(conversation: Conversation, condition: Condition, prompts: Prompts) -> str:
    wording = prompts.questions
    totals = panas_totals(conversation.pre_panas) if shows_totals(conversation, condition) else None
    return prompts.render(
        "outcome",
        panas=condition.strategy,
        emotion_words=EMOTION_WORDS,
        totals_before=totals,
        options=_OPTIONS,
        wording={id_: question.about_participant for id_, question in wording.outcome.items()},
        branches=[{"id": id_, "text": q.about_participant} for id_, q in wording.branches.items()],
    )


def _background(conversation: Conversation, prompts: Prompts) -> str | None:
    profile = conversation.participant_profile
    said: list[tuple[str, Any]] = []
    if profile:
        said = [("age", profile.age), ("traits", profile.traits), ("goals", profile.goals)]
        said += [*(profile.responses or {}).items(), *(profile.extra or {}).items()]
    answers = [(name, _as_text(value)) for name, value in said if value not in (None, "", [], {})]
    return prompts.render("background", answers=answers, totals_before=panas_totals(conversation.pre_panas)) or None
