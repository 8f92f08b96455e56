"""Which answers of a run record are missing because their call failed."""

from collections.abc import Iterable

from attunebench.protocol.answers import ANSWERED
from attunebench.protocol.lean_records import AnyRecord


class Calls:
    """How the calls of one record ended.

    A record that lists its calls is believed: an answer counts only if its call ended well. For a call that is not
    listed, as in records from elsewhere, an absent answer is a failed call.
    """

    def __init__(self, record: AnyRecord) -> None:
        self._ended_well = {(c.turn, c.call): c.state in ANSWERED for c in record.calls or ()}
        self.judged = (
            bool(record.provenance and record.provenance.judges)
            or any(turn.em_draft_judge_scores for turn in record.turns)
            or any(call == "judge" for _, call in self._ended_well)
        )
        """Whether drafts were judged at all in this record."""

    def failed(self, turn: int | None, call: str, answer: object) -> bool:
        """Whether the call that was to give this answer, none if there is none, failed: then no answer counts."""
        return self.failures(turn, ((call, answer),))[0]

    def failures(self, turn: int | None, answers: Iterable[tuple[str, object]]) -> list[bool]:
        """Return the same of several calls, each with its answer."""
        ended_well = self._ended_well.get
        return [answer is None if (well := ended_well((turn, call))) is None else not well for call, answer in answers]
