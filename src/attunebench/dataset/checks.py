"""What may stay in a data set, but should be known: the warnings."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from attunebench.dataset.problems import Kind, PathStep, Problem, spell_path
from attunebench.dataset.schema import Comparison, Conversation, Panas, Turn
from attunebench.dataset.spelling import find_in_file
from attunebench.dataset.values import PANAS_ITEMS_KEY, PANAS_NAMES, PANAS_NESTS, read_number
from attunebench.instrument import CUSTOM_PREFIX, NEGATIVE_ITEMS, PAIRWISE_IDS, POSITIVE_ITEMS, YES_NO_IDS

_Finding: TypeAlias = tuple[tuple[PathStep, ...], Kind, str]

_PAIRWISE = frozenset(PAIRWISE_IDS)
_YES_NO = frozenset(YES_NO_IDS)
_TOTALS = (("totalPositiveAffect", POSITIVE_ITEMS), ("totalNegativeAffect", NEGATIVE_ITEMS))


def find_warnings(raw: Any, conversation: Conversation, file: str) -> Iterator[Problem]:
    """Iterate over the warnings of a conversation; `raw` is the JSON it was read from, for spellings and values."""
    for steps, kind, rule in _findings(raw, conversation):
        path, value = find_in_file(raw, steps)
        yield Problem(
            severity="warning",
            file=file,
            conversation=conversation.conversation_id,
            path=spell_path(path),
            rule=rule,
            value=value,
            kind=kind,
        )


def _findings(raw: Any, conversation: Conversation) -> Iterator[_Finding]:
    count = conversation.metadata and conversation.metadata.turn_count
    if count is not None and count != len(conversation.turns):
        rule = f"disagrees with the number of turns, {len(conversation.turns)}"
        yield ("metadata", "turnCount"), "turn count disagrees", rule
    if conversation.pre_panas:
        yield from _panas("prePanas", conversation.pre_panas, raw["prePanas"])
    if conversation.post_panas:
        yield from _panas("postPanas", conversation.post_panas, raw["postPanas"])
    before = None
    for place, turn in enumerate(conversation.turns):
        at: tuple[PathStep, ...] = ("turns", place)
        if before is not None and turn.turn_number < before:
            yield (*at, "turnNumber"), "turns out of order", f"comes after turn {before}"
        before = turn.turn_number
        for name, text in (("userMessage", turn.user_message), ("llmResponse", turn.llm_response)):
            if not text.strip():
                yield (*at, name), "empty message", "is an empty message"
        if turn.annotations:
            yield from _annotations((*at, "annotations"), turn)


def _annotations(at: tuple[PathStep, ...], turn: Turn) -> Iterator[_Finding]:
    for place, judgement in enumerate(turn.judgements):
        if judgement.question_id not in _YES_NO:
            yield (*at, "binaryJudgements", place, "questionId"), "unknown question", "is no yes/no question"
    for place, comparison in enumerate(turn.comparisons):
        yield from _comparison((*at, "pairwiseComparisons", place), turn, comparison)
    selected = (turn.annotations and turn.annotations.selected_pairwise_questions) or []
    for place, question in enumerate(selected):
        if not _is_pairwise(question):
            yield (*at, "selectedPairwiseQuestions", place), "unknown question", "is no pairwise question"


def _comparison(at: tuple[PathStep, ...], turn: Turn, comparison: Comparison) -> Iterator[_Finding]:
    if not _is_pairwise(comparison.question_id):
        yield (*at, "questionId"), "unknown question", "is no pairwise question"
    for name, label in (("responseA", comparison.response_a), ("responseB", comparison.response_b)):
        if label not in ("original", "alternate", "human"):
            yield (*at, name), "label names no reply", "names no reply"
        elif turn.reply(label) is None:
            yield (*at, name), "absent reply", "names a reply that this turn lacks"
    if comparison.winner is None:
        yield (*at, "winner"), "no winner", "names no winner"


def _is_pairwise(question: str) -> bool:
    return question in _PAIRWISE or bool(
        question.startswith(CUSTOM_PREFIX) and question.removeprefix(CUSTOM_PREFIX).strip()
    )


def _panas(at: str, panas: Panas, raw: dict[str, Any]) -> Iterator[_Finding]:
    for name in sorted(_out_of_range(raw)):
        total = name.startswith("total")
        steps = (at, name) if total else (at, PANAS_ITEMS_KEY, name)
        _, value = find_in_file({at: raw}, steps)
        if (clamped := _clamped(name, value)) is not None:
            yield steps, "clamped", f"must be {'10 to 70' if total else '1 to 7'}, read as {clamped}"
    for (name, items), given in zip(_TOTALS, (panas.total_positive_affect, panas.total_negative_affect), strict=True):
        ratings = [panas.items[item] for item in items if item in panas.items]
        if given is not None and len(ratings) == len(items) and sum(ratings) != given:
            yield (at, name), "totals disagree", f"disagrees with the sum of its ten items, {sum(ratings)}"


def _out_of_range(raw: dict[str, Any]) -> set[str]:
    """Return the items and totals that the report spells, here or there, with a number beyond the scale."""
    sources = [raw, *(nested for nest in PANAS_NESTS if isinstance(nested := raw.get(nest), dict))]
    return {
        name
        for source in sources
        for key, value in source.items()
        if (name := PANAS_NAMES.get(key.strip().lower())) and _clamped(name, value) is not None
    }


def _clamped(name: str, value: Any) -> int | None:
    """Return the end of the scale that a value beyond it is read as; None for a value on the scale."""
    try:
        number = value if type(value) is int else round(read_number(value))
    except ValueError:
        return None
    low, high = (10, 70) if name.startswith("total") else (1, 7)
    return low if number < low else high if number > high else None
