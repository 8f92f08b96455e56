"""Does a run record belong to the conversation it names? What does not fit is named; nothing is dropped in silence.

Records from elsewhere may have been made on other data: with other turns, questions or comparisons. And a run may have
shown the two sides of a comparison the other way round than the data set does; its letters are then turned back.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, TypeAlias, TypeVar

from msgspec.structs import replace

from attunebench.dataset.lean import AnyComparison, AnyConversation, AnyTurn, LeanConversation
from attunebench.dataset.problems import shorten
from attunebench.dataset.schema import Conversation, Letter
from attunebench.dataset.values import read_label
from attunebench.protocol.lean_records import AnyRecord, AnyReply, LeanPart, LeanRecord, LeanReply
from attunebench.protocol.records import RunRecord, Selections, TurnRecord

_ANSWERS = (
    "em_binary_om_assessment",
    "em_binary_human_prediction",
    "em_binary_om_assessment_hp",
    "em_binary_human_prediction_hp",
)
_ORDERS = ("", "_swapped")
_OTHER_SIDE: Mapping[Letter, Letter] = {"A": "B", "B": "A"}


Record = TypeVar("Record", RunRecord, LeanRecord)
Reply = TypeVar("Reply", TurnRecord, LeanReply)
Part = TypeVar("Part", RunRecord, LeanRecord, TurnRecord, LeanReply)


class Frame:
    """What answers to a turn must fit."""

    __slots__ = ("assignment", "questions", "shown")

    def __init__(self, turn: AnyTurn) -> None:
        self.questions = {judgement.question_id for judgement in turn.judgements}
        compared: Sequence[AnyComparison] = turn.comparisons
        self.shown = {str(index): (c.response_a, c.response_b) for index, c in enumerate(compared)}
        """The replies on the two sides of each comparison, by position."""
        self.assignment = {index: {"A": a, "B": b} for index, (a, b) in self.shown.items()}
        """The same as a record has it that shows every comparison as the data set does."""


Frames: TypeAlias = Mapping[int, Frame]
"""A conversation's frames by turn number; for many records of one conversation."""


def read_frames(conversation: AnyConversation | Frames) -> Frames:
    """Return what records of a conversation must fit."""
    if isinstance(conversation, Conversation | LeanConversation):
        return {turn.turn_number: Frame(turn) for turn in conversation.turns}
    return conversation


def mismatches(record: AnyRecord, conversation: AnyConversation | Frames) -> Iterator[str]:
    """Yield what in a record does not fit its conversation: place, rule and value.

    A record may cover less than the conversation: what it lacks is a failure of the model, not a mismatch.
    """
    turns = read_frames(conversation)
    for number, count in Counter([reply.turn_number for reply in record.turns]).items():
        if number not in turns:
            yield f"turnNumber: must be one of the conversation's turns, got {number}"
        if count > 1:
            yield f"turnNumber: must stand once in a record, got {number} {count} times"
    for reply in record.turns:
        if turn := turns.get(reply.turn_number):
            for problem in (*_questions(reply, turn.questions), *_comparisons(reply, turn)):
                yield f"turn {reply.turn_number}: {problem}"


def fits(record: AnyRecord, turns: Frames) -> bool:
    """Whether a record has no mismatch and is aligned already, as nearly all are; if not, it may be so all the same."""
    numbers = {reply.turn_number for reply in record.turns}
    return (
        len(numbers) == len(record.turns)
        and turns.keys() >= numbers
        and all(_fits(reply, turns[reply.turn_number]) for reply in record.turns)
    )


def _fits(reply: AnyReply, turn: Frame) -> bool:
    known, compared = turn.questions.issuperset, turn.assignment
    return (
        known(reply.em_binary_om_assessment or ())
        and known(reply.em_binary_human_prediction or ())
        and known(reply.em_binary_om_assessment_hp or ())
        and known(reply.em_binary_human_prediction_hp or ())
        and (reply.em_pairwise_selections or compared).keys() <= compared.keys()
        and (not reply.pairwise_assignment or reply.pairwise_assignment == compared)
        and not reply.em_pairwise_selections_swapped
        and not reply.pairwise_assignment_swapped
    )


def _questions(reply: AnyReply, known: Set[str]) -> Iterator[str]:
    for name in _ANSWERS:
        answers = getattr(reply, name)
        if answers and not answers.keys() <= known:
            for question in answers:
                if question not in known:
                    yield f"{name}: must answer questions of the turn, got {shorten(question)}"


def _comparisons(reply: AnyReply, turn: Frame) -> Iterator[str]:
    known = turn.shown
    for order in _ORDERS:
        for index in getattr(reply, f"em_pairwise_selections{order}") or ():
            if index not in known:
                rule = f"must answer the turn's {len(known)} comparisons, counted from 0"
                yield f"em_pairwise_selections{order}: {rule}, got {shorten(index)}"
        assignment = getattr(reply, f"pairwise_assignment{order}")
        if not assignment or assignment == turn.assignment:
            continue
        for index, sides in assignment.items():
            shown = known.get(index)
            if shown and _sides(sides) not in (shown, shown[::-1]):
                rule = f"must hold the two replies that the data set compares, {' and '.join(map(str, shown))}"
                yield f"pairwise_assignment{order} {index}: {rule}, got {shorten(dict(sides))}"


def _sides(sides: Mapping[Letter, str | None]) -> tuple[str | None, str | None]:
    return read_label(sides.get("A")), read_label(sides.get("B"))


def aligned(record: Record, conversation: AnyConversation | Frames) -> Record:
    """Return the record with its letters meaning what they mean in the data set.

    A selection made under an assignment that shows the two replies the other way round is turned over, and its
    assignment with it; so is the one of the second order, unless it has an assignment of its own. A record without such
    an assignment is returned as it is.
    """
    turns = read_frames(conversation)
    replies = [_turned(reply, turns.get(reply.turn_number)) for reply in record.turns]
    if all(new is old for new, old in zip(replies, record.turns, strict=True)):
        return record
    return _changed(record, turns=replies)


def _turned(reply: Reply, turn: Frame | None) -> Reply:
    if turn is None or not reply.pairwise_assignment or reply.pairwise_assignment == turn.assignment:
        return reply
    shown = turn.shown
    over = {
        index
        for index, sides in reply.pairwise_assignment.items()
        if index in shown and _sides(sides) == shown[index][::-1] != shown[index]
    }
    if not over:
        return reply
    assignment = {
        index: {_OTHER_SIDE[letter]: label for letter, label in sides.items()} if index in over else sides
        for index, sides in reply.pairwise_assignment.items()
    }
    unsaid = over - (reply.pairwise_assignment_swapped or {}).keys()
    selections = {
        "em_pairwise_selections": _turn_over(reply.em_pairwise_selections or {}, over),
        "em_pairwise_selections_swapped": _turn_over(reply.em_pairwise_selections_swapped, unsaid),
    }
    return _changed(reply, pairwise_assignment=assignment, **selections)


def _changed(part: Part, **changes: Any) -> Part:
    return replace(part, **changes) if isinstance(part, LeanPart) else part.model_copy(update=changes)


def _turn_over(selections: Selections, indexes: Set[str]) -> Selections:
    if selections is None:
        return None
    return {
        index: _OTHER_SIDE[letter] if letter and index in indexes else letter for index, letter in selections.items()
    }
