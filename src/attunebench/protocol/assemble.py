"""From the ends of a conversation's calls to its run record. Pure.

What a failed call would have told stays `None` in the record; it is never filled with a default.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attunebench.dataset.schema import Conversation, Panas, Turn, YesNo
from attunebench.dataset.values import clamp
from attunebench.instrument import NEGATIVE_ITEMS, POSITIVE_ITEMS
from attunebench.protocol.answers import (
    DraftAnswer,
    JudgementAnswers,
    OutcomeAnswer,
    PairwiseAnswer,
    PanasAnswer,
    Parsed,
    Reading,
    ReviewAnswer,
)
from attunebench.protocol.calls import CallKey, Condition, Strategy, turn_questions
from attunebench.protocol.records import RunRecord
from attunebench.protocol.render import panas_totals, shows_totals
from attunebench.protocol.sides import Sides, turn_sides

UNKNOWN_TOTAL = 40
"""Where predicted changes start if the total before is unknown: the middle of 10-70."""


@dataclass(frozen=True, slots=True)
class CallEnd:
    """How a call ended after its last attempt; `cost` of all attempts, as far as it is known."""

    reading: Reading
    attempts: int = 1
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What a record says about how it was made.

    `cost` in the currency of the prices given; `duration` in seconds, none where several runs made the record; `epoch`
    counts the readings of the same conversation by the same model, from 1.
    """

    model: str
    source_file: str | None = None
    timestamp: str | None = None
    cost: float | None = None
    duration: float | None = None
    program_version: str | None = None
    epoch: int = 1
    extra: Mapping[str, Any] = field(default_factory=dict)


def build_record(
    conversation: Conversation, ends: Mapping[CallKey, CallEnd], condition: Condition, facts: RunFacts
) -> RunRecord:
    """Build the run record of one conversation from the ends of its calls; a missing call counts as failed."""
    answers: dict[CallKey, Any] = {
        key: end.reading.answer for key, end in ends.items() if isinstance(end.reading, Parsed)
    }
    return RunRecord.model_validate(
        {
            "conversationId": conversation.conversation_id,
            "source_file": facts.source_file,
            "em_model": facts.model,
            "run_timestamp": facts.timestamp,
            "mode": condition.mode,
            "turns": [_turn(turn, answers, condition) for turn in conversation.ordered_turns],
            "post_conversation": _post(conversation, answers.get(CallKey(None, "outcome")), condition),
            "api_cost": facts.cost,
            "duration_seconds": facts.duration,
            "calls": [_call(key, end) for key, end in ends.items()],
            "provenance": {
                **facts.extra,
                **condition.parts(),
                "condition": condition.id,
                "epoch": facts.epoch,
                "program_version": facts.program_version,
            },
        }
    )


def _call(key: CallKey, end: CallEnd) -> dict[str, Any]:
    reading = end.reading
    return {
        "turn": key.turn,
        "call": key.kind,
        "state": reading.state.value,
        "attempts": end.attempts,
        "counters": dict(reading.counters),
    }


def _turn(turn: Turn, answers: Mapping[CallKey, Any], condition: Condition) -> dict[str, Any]:
    number = turn.turn_number
    draft: DraftAnswer | None = answers.get(CallKey(number, "draft"))
    review: ReviewAnswer | None = answers.get(CallKey(number, "review"))
    nothing_asked = None if turn_questions(turn).asked else JudgementAnswers()
    judgements = review.judgements if review else nothing_asked
    perspective: JudgementAnswers | None = answers.get(CallKey(number, "perspective"), nothing_asked)
    tags = review and [{"emotion": tag.emotion, "intensity": tag.intensity} for tag in review.emotions]
    return {
        "turnNumber": number,
        "em_emotion_tags": tags,
        "em_drafted_response": draft.drafted_response if draft else None,
        "response_reasoning": draft.reasoning if draft else None,
        "emotion_reasoning": review.reasoning if review else None,
        **_selections(turn_sides(turn), answers.get(CallKey(number, "pairwise")), ""),
        **(_swapped(turn, answers) if condition.swap else {}),
        **_judgements(judgements, ""),
        **_judgements(perspective, "_hp"),
    }


def _swapped(turn: Turn, answers: Mapping[CallKey, Any]) -> dict[str, Any]:
    answer = answers.get(CallKey(turn.turn_number, "pairwise_swapped"))
    return _selections(turn_sides(turn, swapped=True), answer, "_swapped")


def _selections(sides: Sides, answer: PairwiseAnswer | None, suffix: str) -> dict[str, Any]:
    selections = dict(answer.selections) if answer else None if sides else {}
    return {f"pairwise_assignment{suffix}": sides, f"em_pairwise_selections{suffix}": selections}


def _judgements(answers: JudgementAnswers | None, suffix: str) -> dict[str, dict[str, YesNo] | None]:
    return {
        f"em_binary_om_assessment{suffix}": dict(answers.observed) if answers else None,
        f"em_binary_human_prediction{suffix}": dict(answers.preferred) if answers else None,
    }


def _post(conversation: Conversation, answer: OutcomeAnswer | None, condition: Condition) -> dict[str, Any]:
    shown = panas_totals(conversation.pre_panas) if shows_totals(conversation, condition) else {}
    post: dict[str, Any] = {
        "panas_strategy": condition.strategy,
        "pre_panas_shown": {f"total{name.capitalize()}Affect": value for name, value in shown.items()},
    }
    if condition.strategy == "absolute":
        post["predicted_panas_delta"] = {}
    if answer is None:
        return post
    post["predicted_post_panas"] = predicted_panas(answer.panas, conversation.pre_panas, condition.strategy)
    if condition.strategy != "absolute":
        post["predicted_panas_delta"] = dict(answer.panas.items)
    post["predicted_conversation_wide"] = {
        "q1_lookingFor": None if answer.looking_for is None else list(answer.looking_for),
        "q2_emotionClarity": answer.emotion_clarity,
        "q3_modelFit": answer.model_fit,
        "q3_followUp_whatFeltOff": None if answer.what_felt_off is None else list(answer.what_felt_off),
        "fourBranchScores": dict(answer.branches),
    }
    return post


def predicted_panas(predicted: PanasAnswer, before: Panas | None, strategy: Strategy) -> dict[str, Any]:
    """Turn predicted items, or changes of items, into items (1-7) and totals (10-70) after the conversation.

    A total is the sum of its ten items; with fewer it is the total the model gave itself, else none. A change is
    added to the participant's item before and clamped; without items before there are no items after, and a total
    moves by its ten summed changes from the total before, or from 40 if that is unknown.
    """
    if strategy == "absolute":
        items = dict(predicted.items)
        positive = _sum(items, POSITIVE_ITEMS, predicted.positive)
        negative = _sum(items, NEGATIVE_ITEMS, predicted.negative)
    else:
        known = before.items if before else {}
        changes = predicted.items
        items = {name: clamp(known[name] + changes[name], 1, 7) for name in changes if name in known}
        totals = panas_totals(before)
        moved = _moved(totals["positive"], _sum(changes, POSITIVE_ITEMS, predicted.positive))
        positive = _sum(items, POSITIVE_ITEMS, moved)
        moved = _moved(totals["negative"], _sum(changes, NEGATIVE_ITEMS, predicted.negative))
        negative = _sum(items, NEGATIVE_ITEMS, moved)
    return {"totalPositiveAffect": positive, "totalNegativeAffect": negative, "items": items}


def _sum(items: Mapping[str, float], names: tuple[str, ...], otherwise: float | None) -> float | None:
    return sum(items[name] for name in names) if all(name in items for name in names) else otherwise


def _moved(total_before: int | None, change: float | None) -> float | None:
    if change is None:
        return None
    return clamp((UNKNOWN_TOTAL if total_before is None else total_before) + change, 10, 70)
