"""What everybody answered, and what each participant did, so that theirs can be taken out."""

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias

from attunebench.baselines.counts import Counts, count_answers
from attunebench.baselines.truth import ParticipantKey, participant_key
from attunebench.dataset.schema import Conversation

_KEPT_PARTICIPANTS = 256
_FIELDS = tuple(part.name for part in fields(Counts))

Packed = tuple["array[int]", "array[int]"]
"""Numbers of answers, and how often each was given."""

Own: TypeAlias = Mapping[ParticipantKey, Packed]
"""What single participants answered."""


class OthersAnswers:
    """Counts over all conversations, `total`, and each participant's own; no conversation is kept.

    Own counts are packed: every answer has a number, and a conversation keeps the numbers of its answers and their
    counts, some hundred bytes a turn.
    """

    def __init__(self) -> None:
        self.total = Counts()
        self.participants: list[ParticipantKey] = []
        """Whose each conversation is, in the order they were added."""
        self._answers: list[tuple[str, Hashable]] = []
        self._numbers: dict[tuple[str, Hashable], int] = {}
        self._packed: dict[ParticipantKey, list[Packed]] = {}
        self._unpacked: dict[ParticipantKey, Counts] = {}

    def add(self, conversation: Conversation) -> None:
        """Count a conversation's answers."""
        numbers, counts = array("I"), array("l")
        own = count_answers([conversation])
        for name in _FIELDS:
            counter = _counter(own, name)
            _counter(self.total, name).update(counter)
            for answer, count in counter.items():
                numbers.append(self._number((name, answer)))
                counts.append(count)
        participant = participant_key(conversation)
        self.participants.append(participant)
        self._packed.setdefault(participant, []).append((numbers, counts))

    def join(self, other: "OthersAnswers") -> None:
        """Add other conversations' answers, counted apart."""
        for name in _FIELDS:
            _counter(self.total, name).update(_counter(other.total, name))
        self.participants += other.participants
        numbers = [self._number(answer) for answer in other._answers]
        for participant, packed in other._packed.items():
            own = self._packed.setdefault(participant, [])
            own += [(array("I", [numbers[number] for number in answers]), counts) for answers, counts in packed]

    def common(self) -> "OthersAnswers":
        """Return what all answered together, and nothing of single participants: to be sent to other processes."""
        found = OthersAnswers()
        found.total, found._answers = self.total, self._answers
        return found

    def own_answers(self, participants: Iterable[ParticipantKey]) -> Own:
        """Return what these participants answered, for the `know` of a `common` elsewhere."""
        return {participant: self._joined(participant) for participant in participants}

    def _joined(self, participant: ParticipantKey) -> Packed:
        packed = self._packed[participant]
        if len(packed) > 1:
            counts = Counter[int]()
            for numbers, how_often in packed:
                for number, count in zip(numbers, how_often, strict=True):
                    counts[number] += count
            packed[:] = [(array("I", counts.keys()), array("l", counts.values()))]
        return packed[0]

    def know(self, own: Own) -> None:
        """Know of these participants what they answered, and nothing of others."""
        self._packed = {participant: [packed] for participant, packed in own.items()}
        self._unpacked.clear()

    def _number(self, answer: tuple[str, Hashable]) -> int:
        number = self._numbers.setdefault(answer, len(self._answers))
        if number == len(self._answers):
            self._answers.append(answer)
        return number

    def own(self, participant: ParticipantKey) -> Counts:
        """Return a participant's own counts; kept for a while, as a conversation has many calls."""
        own = self._unpacked.get(participant)
        if own is None:
            if len(self._unpacked) >= _KEPT_PARTICIPANTS:
                self._unpacked.clear()
            own = self._unpacked[participant] = self._unpack(participant)
        return own

    def _unpack(self, participant: ParticipantKey) -> Counts:
        own = Counts()
        for numbers, counts in self._packed.get(participant, ()):
            for number, count in zip(numbers, counts, strict=True):
                name, answer = self._answers[number]
                _counter(own, name)[answer] += count
        return own


def _counter(counts: Counts, name: str) -> Counter[Any]:
    found: Counter[Any] = getattr(counts, name)
    return found
