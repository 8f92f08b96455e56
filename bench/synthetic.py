"""Seeded made-up conversations of any number: the shape and size of real ones, nobody's words."""

import random
from typing import Any

from attunebench.dataset.reading import read_conversation
from attunebench.dataset.schema import Conversation
from attunebench.instrument import (
    BRANCHES,
    CLARITY_OPTIONS,
    EMOTION_WORDS,
    FIT_OPTIONS,
    LOOKING_FOR_OPTIONS,
    NEGATIVE_ITEMS,
    PAIRWISE_IDS,
    POSITIVE_ITEMS,
    YES_NO_IDS,
)

_WORDS = (
    "I",
    "am",
    "not",
    "sure",
    "what",
    "to",
    "say",
    "about",
    "this",
    "week",
    "my",
    "sister",
    "the",
    "job",
    "and",
    "how",
)


def make_conversations(count: int, *, turns: int = 8, seed: int = 0) -> list[Conversation]:
    """Make conversations with 6 yes/no questions and 3 comparisons a turn, so `4 * turns + 1` calls each."""
    rng = random.Random(seed)
    readings = [read_conversation(make_document(rng, number, turns)) for number in range(count)]
    return [reading.conversation for reading in readings if reading.conversation]


def make_document(rng: random.Random, number: int, turns: int) -> dict[str, Any]:
    """Make one conversation as it would stand in a file."""
    return {
        "conversationId": f"made-up-{number}",
        "metadata": {"category": rng.choice(["work", "family", "health"]), "turnCount": turns, "made_up": True},
        "participant_profile": {"participant_id": f"p{number // 2}"},
        "prePanas": _panas(rng),
        "postPanas": _panas(rng),
        "conversationWideQuestions": {
            "q1_lookingFor": rng.sample(LOOKING_FOR_OPTIONS, rng.randint(1, 3)),
            "q2_emotionClarity": rng.choice(CLARITY_OPTIONS),
            "q3_modelFit": rng.choice(FIT_OPTIONS),
            "q3_followUp_whatFeltOff": [_text(rng, 8)] if rng.random() < 0.5 else [],
            "fourBranchScores": {branch: rng.randint(1, 7) for branch in BRANCHES},
        },
        "turns": [_turn(rng, turn) for turn in range(1, turns + 1)],
    }


def _turn(rng: random.Random, number: int) -> dict[str, Any]:
    felt = rng.sample(EMOTION_WORDS, rng.randint(0, 3))
    sides = rng.sample(["original", "alternate", "human"], 2)
    return {
        "turnNumber": number,
        "userMessage": _text(rng, 40),
        "llmResponse": _text(rng, 120),
        "moodShiftTags": [{"emotion": word, "intensity": rng.randint(1, 7)} for word in felt],
        "annotations": {
            "binaryJudgements": [
                {
                    "questionId": question,
                    "llmValue": rng.choice(["yes", "no"]),
                    "observedBehavior": rng.choice(["yes", "no"]),
                    "preferredBehavior": rng.choice(["yes", "no"]),
                }
                for question in rng.sample(YES_NO_IDS, 6)
            ],
            "alternateResponses": {"llmImproved": _text(rng, 120), "humanEdited": _text(rng, 60)},
            "pairwiseComparisons": [
                {"questionId": question, "responseA": sides[0], "responseB": sides[1], "winner": rng.choice("AB")}
                for question in rng.sample(PAIRWISE_IDS, 3)
            ],
        },
    }


def _panas(rng: random.Random) -> dict[str, int]:
    items = {word: rng.randint(1, 7) for word in EMOTION_WORDS}
    return items | {
        "totalPositiveAffect": sum(items[word] for word in POSITIVE_ITEMS),
        "totalNegativeAffect": sum(items[word] for word in NEGATIVE_ITEMS),
    }


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=rng.randint(words // 2, words + words // 2)))


def make_record_document(
    rng: random.Random, conversation: dict[str, Any], model: str, *, failing: float = 0.02
) -> dict[str, Any]:
    """Make the run record of a conversation as it would stand in a file: guesses, and this share of failed calls."""
    numbers = [turn["turnNumber"] for turn in conversation["turns"]]
    keys = [(n, kind) for n in numbers for kind in ("draft", "review", "perspective", "pairwise")]
    failed = {key for key in (*keys, (None, "outcome")) if rng.random() < failing}
    items = {word: rng.randint(1, 7) for word in EMOTION_WORDS}
    post = {
        "panas_strategy": "absolute",
        "pre_panas_shown": {},
        "predicted_panas_delta": {},
        "predicted_post_panas": {
            "totalPositiveAffect": sum(items[word] for word in POSITIVE_ITEMS),
            "totalNegativeAffect": sum(items[word] for word in NEGATIVE_ITEMS),
            "items": items,
        },
        "predicted_conversation_wide": {
            "q1_lookingFor": rng.sample(LOOKING_FOR_OPTIONS, rng.randint(1, 3)),
            "q2_emotionClarity": rng.choice(CLARITY_OPTIONS),
            "q3_modelFit": rng.choice(FIT_OPTIONS),
            "q3_followUp_whatFeltOff": [_text(rng, 8)] if rng.random() < 0.5 else [],
            "fourBranchScores": {branch: rng.randint(1, 7) for branch in BRANCHES},
        },
    }
    if (None, "outcome") in failed:
        post["predicted_post_panas"] = post["predicted_conversation_wide"] = None
    states = {key: "refused" if key in failed else "parsed" for key in (*keys, (None, "outcome"))}
    calls = [
        {"turn": n, "call": kind, "state": state, "attempts": 1, "counters": {}} for (n, kind), state in states.items()
    ]
    return {
        "conversationId": conversation["conversationId"],
        "source_file": None,
        "em_model": model,
        "run_timestamp": "2026-01-01T00:00:00Z",
        "mode": "default",
        "turns": [_answers(rng, turn, failed) for turn in conversation["turns"]],
        "post_conversation": post,
        "api_cost": None,
        "duration_seconds": 12.5,
        "calls": calls,
        "provenance": {"condition": "0123456789ab", "prompt_version": "1", "generation": {}, "data_hash": "0" * 64},
    }


def _answers(rng: random.Random, turn: dict[str, Any], failed: set[tuple[int | None, str]]) -> dict[str, Any]:
    number = turn["turnNumber"]
    questions = [judgement["questionId"] for judgement in turn["annotations"]["binaryJudgements"]]
    sides = {
        str(place): {"A": asked["responseA"], "B": asked["responseB"]}
        for place, asked in enumerate(turn["annotations"]["pairwiseComparisons"])
    }

    def ended_well(kind: str, answer: Any) -> Any:
        return None if (number, kind) in failed else answer

    def yes_no() -> dict[str, str]:
        return {question: rng.choice(["yes", "no", "no", "yes", "na"]) for question in questions}

    felt = rng.sample(EMOTION_WORDS, rng.randint(0, 3))
    return {
        "turnNumber": number,
        "em_emotion_tags": ended_well("review", [{"emotion": w, "intensity": rng.randint(1, 7)} for w in felt]),
        "em_drafted_response": ended_well("draft", _text(rng, 60)),
        "response_reasoning": ended_well("draft", _text(rng, 20)),
        "emotion_reasoning": ended_well("review", _text(rng, 20)),
        "pairwise_assignment": sides,
        "em_pairwise_selections": ended_well("pairwise", {place: rng.choice("AB") for place in sides}),
        "em_binary_om_assessment": ended_well("review", yes_no()),
        "em_binary_human_prediction": ended_well("review", yes_no()),
        "em_binary_om_assessment_hp": ended_well("perspective", yes_no()),
        "em_binary_human_prediction_hp": ended_well("perspective", yes_no()),
    }
