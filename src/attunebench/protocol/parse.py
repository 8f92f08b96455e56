"""Reading a reply: text and stop reason in, an answer or a named failure out. Pure.

A reply of the right type is an answer however incomplete it is; what cannot be used in it is dropped and counted,
and never becomes a default value. Source: AttuneBench, arXiv 2605.21739, and this project's reading rules.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import shorten
from typing import Any, Literal, TypeAlias

from attunebench.dataset.schema import Letter, YesNo
from attunebench.dataset.values import (
    PANAS_ITEMS_KEY,
    PANAS_NESTS,
    clamp,
    read_intensity,
    read_label,
    read_number,
    read_panas,
    read_winner,
    read_yes_no,
)
from attunebench.instrument import BRANCHES, NEUTRAL_WORDS, canonical_emotion
from attunebench.protocol.answers import (
    Answer,
    AnyAnswer,
    CallState,
    DraftAnswer,
    Failed,
    JudgementAnswers,
    OutcomeAnswer,
    PairwiseAnswer,
    PanasAnswer,
    Parsed,
    Reading,
    ReviewAnswer,
    Tag,
)
from attunebench.protocol.calls import Asked, Call, Strategy
from attunebench.protocol.json_reply import find_object, strip_reasoning, without_lone_surrogates

StopReason: TypeAlias = Literal["stop", "length", "refused", "context_overflow", "other"]
Count: TypeAlias = Counter[str]
_YES_NO_KEYS = ("binary_om_assessment", "binary_human_prediction")


class MismatchError(Exception):
    """The reply is JSON, but not of the form that was asked for."""


def read_reply(call: Call, text: str, stop: StopReason = "stop") -> Reading:
    """Read one reply to a call of the evaluated model."""
    return read_object(lambda value, count: _read_answer(call, value, count), text, stop)


def read_object(read: Callable[[dict[str, Any], Count], AnyAnswer], text: str, stop: StopReason) -> Reading:
    """Find the JSON object of a reply and let `read` make an answer of it, or raise `MismatchError`.

    Precedence: refused, context overflow, truncated, empty, then the text itself.
    """
    if stop == "refused":
        return Failed(CallState.REFUSED, "the provider or the model refused to answer")
    if stop == "context_overflow":
        return Failed(CallState.CONTEXT_OVERFLOW, "the messages are longer than the model's context")
    if stop == "length":
        return Failed(CallState.TRUNCATED, "the reply was cut off at the token limit")
    body = strip_reasoning(text)
    if not body:
        return Failed(CallState.EMPTY, "the reply holds no text outside of reasoning")
    found = find_object(body)
    if found is None:
        return Failed(CallState.UNPARSEABLE, "no JSON object could be found in the reply")
    value, repaired = found
    counters = Counter[str]()
    try:
        if not isinstance(value, dict):
            raise MismatchError(f"the reply must be a JSON object, got {type(value).__name__}")
        answer = read(value, counters)
    except MismatchError as mismatch:
        return Failed(CallState.SCHEMA_MISMATCH, str(mismatch), _nonzero(counters))
    return Parsed(answer, repaired, _nonzero(counters))


def _nonzero(counters: Count) -> dict[str, int]:
    return {name: count for name, count in counters.items() if count}


def _read_answer(call: Call, value: dict[str, Any], count: Count) -> Answer:
    match call.key.kind:
        case "draft":
            return DraftAnswer(_text(value, "drafted_response"), _optional_text(value, "response_reasoning"))
        case "review":
            return _review(value, call.asked, count)
        case "perspective":
            return _judgements(value, call.asked, count)
        case "pairwise" | "pairwise_swapped":
            return PairwiseAnswer(_selections(_object(value, "pairwise_selections"), call.asked, count))
        case "outcome":
            return _outcome(value, call.asked.panas, count)


def needed(value: Mapping[str, Any], key: str, kind: type | tuple[type, ...], name: str) -> Any:
    """Return what stands under a key, which must be there and of that kind; `name` says the kind in words."""
    if key not in value:
        raise MismatchError(f"the reply must have the key {key}, got {_listed(value)}")
    if not isinstance(value[key], kind):
        raise MismatchError(f"{key} must be {name}, got {type(value[key]).__name__}")
    return value[key]


def _listed(names: Iterable[str]) -> str:
    return without_lone_surrogates(shorten(", ".join(names), 200, placeholder=" …")) or "none"


def _text(value: Mapping[str, Any], key: str) -> str:
    return without_lone_surrogates(needed(value, key, str, "a text"))


def _object(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = needed(value, key, dict, "an object")
    return found


def _optional_text(value: Mapping[str, Any], key: str) -> str | None:
    text = value.get(key)
    return without_lone_surrogates(text) if isinstance(text, str) else None


def _review(value: Mapping[str, Any], asked: Asked, count: Count) -> ReviewAnswer:
    emotions = _emotions(needed(value, "emotion_tags", list, "a list"), count)
    if asked.yes_no:
        judgements = _judgements(value, asked, count)
    else:
        judgements = JudgementAnswers()
        count["unasked"] += sum(len(value[key]) for key in _YES_NO_KEYS if isinstance(value.get(key), dict))
    return ReviewAnswer(emotions, judgements, _optional_text(value, "emotion_reasoning"))


def _emotions(raw: list[Any], count: Count) -> tuple[Tag, ...]:
    tags = []
    for entry in raw:
        name = entry.get("emotion") if isinstance(entry, dict) else entry
        text = name.strip() if isinstance(name, str) else ""
        if text.lower() in NEUTRAL_WORDS:
            continue
        word = canonical_emotion(text)
        if word is None:
            count["invalid_emotion"] += 1
            continue
        tags.append(Tag(word, _intensity(entry.get("intensity") if isinstance(entry, dict) else None, count)))
    return tuple(tags)


def _intensity(raw: Any, count: Count) -> int | None:
    try:
        intensity = read_intensity(raw)
    except ValueError:
        count["invalid_intensity"] += 1
        return None
    count["clamped"] += _is_clamped(raw)
    return intensity


def _is_clamped(intensity: Any) -> bool:
    try:
        number = read_number(intensity)
    except ValueError:  # none, or a word
        return False
    return not 0.5 < number < 7.5  # rounding alone is no clamping


def _judgements(value: Mapping[str, Any], asked: Asked, count: Count) -> JudgementAnswers:
    observed, preferred = (_object(value, key) for key in _YES_NO_KEYS)
    return JudgementAnswers(*(read_yes_no_answers(raw, asked.yes_no, count) for raw in (observed, preferred)))


def read_yes_no_answers(raw: Mapping[str, Any], asked: Sequence[str], count: Count) -> dict[str, YesNo]:
    """Return the readable answers to the questions that were `asked`, by id."""
    ids = {question_id.casefold(): question_id for question_id in asked}
    answers: dict[str, YesNo] = {}
    for key, value in raw.items():
        question_id = key if key in asked else ids.get(key.strip().casefold())
        if question_id is None:
            count["unasked"] += 1
            continue
        if value is None:
            continue
        answer = None if isinstance(value, dict | list) else read_yes_no(value)
        if answer is None:
            count["unreadable"] += 1
        else:
            answers[question_id] = answer
    return answers


def _selections(raw: Mapping[str, Any], asked: Asked, count: Count) -> dict[str, Letter]:
    selections: dict[str, Letter] = {}
    for key, value in raw.items():
        sides = asked.sides.get(key.strip())
        if sides is None:
            count["unasked"] += 1
            continue
        if value is None:
            continue
        letter = _letter(value, sides, asked.names) if isinstance(value, str) else None
        if letter is None:
            count["unreadable"] += 1
        else:
            selections[key.strip()] = letter
    return selections


def _letter(value: str, sides: Mapping[Letter, str | None], names: Mapping[str, str]) -> Letter | None:
    """Read a letter, or the name or label of the reply that stands under one."""
    letter = read_winner(value)
    if letter:
        return letter
    label = names.get(value.strip().lower()) or read_label(value)
    matching = [side for side, shown in sides.items() if shown == label]
    return matching[0] if len(matching) == 1 else None


def _outcome(value: Mapping[str, Any], strategy: Strategy, count: Count) -> OutcomeAnswer:
    key = "predicted_post_panas" if strategy == "absolute" else "predicted_panas_delta"
    low, high = (1, 7) if strategy == "absolute" else (-6, 6)
    panas = _panas(_object(value, key), low, high, count)
    wide = _object(value, "conversation_wide")
    branches = wide.get("fourBranchScores")
    if not isinstance(branches, dict):
        count["unreadable"] += branches is not None
        branches = {}
    return OutcomeAnswer(
        panas=panas,
        looking_for=_text_list(wide.get("q1_lookingFor"), count),
        emotion_clarity=_one_text(wide.get("q2_emotionClarity"), count),
        model_fit=_one_text(wide.get("q3_modelFit"), count),
        what_felt_off=_text_list(wide.get("q3_followUp_whatFeltOff"), count),
        branches=_numbers(branches, BRANCHES, 1, 7, count),
    )


def _panas(raw: dict[str, Any], low: int, high: int, count: Count) -> PanasAnswer:
    readable = {key: value for key, value in raw.items() if key not in PANAS_NESTS or isinstance(value, dict)}
    count["unreadable"] += len(raw) - len(readable)
    report = read_panas(readable)
    given = report[PANAS_ITEMS_KEY]
    items = _numbers(given, tuple(given), low, high, count)
    span = (10, 70) if low == 1 else (-60, 60)
    totals = _numbers(report, ("totalPositiveAffect", "totalNegativeAffect"), *span, count)
    return PanasAnswer(items, totals.get("totalPositiveAffect"), totals.get("totalNegativeAffect"))


def _numbers(raw: Mapping[str, Any], names: tuple[str, ...], low: int, high: int, count: Count) -> dict[str, float]:
    lowered = {key.strip().lower(): value for key, value in raw.items()}
    numbers = {}
    for name in names:
        value = lowered.get(name.lower())
        if value is None:
            continue
        try:
            number = read_number(value)
        except ValueError:
            count["unreadable"] += 1
            continue
        count["clamped"] += not low <= number <= high
        numbers[name] = clamp(number, low, high)
    return numbers


def _one_text(raw: Any, count: Count) -> str | None:
    if raw is not None and not isinstance(raw, str):
        count["unreadable"] += 1
        return None
    return raw if raw is None else without_lone_surrogates(raw)


def _text_list(raw: Any, count: Count) -> tuple[str, ...] | None:
    if raw is None or raw == []:
        return None if raw is None else ()
    if isinstance(raw, str):
        return (without_lone_surrogates(raw),) if raw.strip() else ()
    entries = raw if isinstance(raw, list) else [raw]
    texts = tuple(without_lone_surrogates(entry) for entry in entries if isinstance(entry, str))
    count["unreadable"] += len(entries) - len(texts)
    return texts or None  # nothing readable is no answer, and not an empty one
