"""A panel of judges: who sits on it, what its members said of a draft taken together, and records that hold it. Pure.

Ratings are averaged over the judges that answered; a yes/no goes by their majority. Source: AttuneBench, arXiv
2605.21739; that a tie goes to the value that is not "no" is this project's rule.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from attunebench.dataset.schema import YesNo
from attunebench.protocol.answers import RATINGS, CallState, JudgeAnswer, Parsed
from attunebench.protocol.assemble import CallEnd
from attunebench.protocol.judge import JudgeAsked
from attunebench.protocol.records import CallRecord, EndRecord, Provenance, RunRecord

CALL = "judge"
"""The name of a judge's calls in ledger and records."""

_TIES: tuple[YesNo, ...] = ("yes", "na", "no")
"""Of values with equally many votes, the first here counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The judges by name, in the order they were given, and how they are asked."""

    judges: tuple[str, ...]
    prompt_version: str
    prompt_hash: str
    generation: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def parts(self) -> dict[str, Any]:
        """Return what makes it this panel and no other, as JSON values; the order of the judges does not."""
        return {
            "judges": sorted(self.judges),
            "prompt_hash": self.prompt_hash,
            "generation": dict(self.generation),
        }

    @property
    def id(self) -> str:
        """A short identity: equal for equal panels, on any machine."""
        return hashlib.sha256(json.dumps(self.parts(), sort_keys=True).encode()).hexdigest()[:8]

    def condition(self, record: str | None) -> str:
        """Return the condition of records judged by this panel: what theirs is without any panel, and its id."""
        return f"{unjudged(record) or ''}+{self.id}"


def panel_of(condition: str | None) -> str | None:
    """Return the id of the panel that a condition tells of, if it tells of one."""
    return (condition or "").partition("+")[2] or None


def unjudged(condition: str | None) -> str | None:
    """Return the condition that a record had before any panel judged it, if it says."""
    return (condition or "").partition("+")[0] or None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the judges' calls about one draft ended, by judge in the order of the panel."""

    asked: JudgeAsked
    ends: Mapping[str, CallEnd]

    @property
    def answers(self) -> dict[str, JudgeAnswer]:
        """What the judges that answered said."""
        return {
            judge: end.reading.answer
            for judge, end in self.ends.items()
            if isinstance(end.reading, Parsed) and isinstance(end.reading.answer, JudgeAnswer)
        }


def average(ratings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of every rating (1 to 7) over the judges, of whom there is at least one."""
    return {name: fsum(each[name] for each in ratings) / len(ratings) for name in RATINGS}


def majority(answers: Iterable[Mapping[str, YesNo]]) -> dict[str, YesNo]:
    """Return what most judges answered to each question, of those that answered it; a tie is not "no"."""
    votes: dict[str, Counter[YesNo]] = {}
    for each in answers:
        for question, answer in each.items():
            votes.setdefault(question, Counter())[answer] += 1
    return {question: max(_TIES, key=counts.__getitem__) for question, counts in votes.items()}


def judged_record(record: RunRecord, verdicts: Mapping[int, Verdict], panel: Panel) -> RunRecord:
    """Return a run record with what a panel said of its drafts.

    `verdicts` are by turn number; a turn without one has no draft. What an earlier panel said is gone; all else stays.
    """
    provenance = record.provenance or Provenance()
    calls = [call for call in record.calls or () if call.call != CALL]
    calls += (_call(number, verdict) for number, verdict in sorted(verdicts.items()) if verdict.ends)
    judged = {
        "condition": panel.condition(provenance.condition),
        "judges": list(panel.judges),
        "judge_prompt_version": panel.prompt_version,
        "judge_prompt_hash": panel.prompt_hash,
        "judge_generation": dict(panel.generation),
    }
    return record.model_copy(
        update={
            "turns": [turn.model_copy(update=_fields(verdicts.get(turn.turn_number))) for turn in record.turns],
            "calls": calls,
            "provenance": provenance.model_copy(update=judged),
        }
    )


def _fields(verdict: Verdict | None) -> dict[str, Any]:
    """Return a turn's fields: none for what was asked and nobody answered, empty for what was not asked."""
    scores: dict[str, float] | None = None
    findings: dict[str, YesNo] | None = None
    answers = verdict.answers if verdict else {}
    if verdict and (answers or not verdict.asked.rates):
        scores = average([answer.ratings for answer in answers.values()]) if verdict.asked.rates else {}
    if verdict and (answers or not verdict.asked.yes_no):
        findings = majority(answer.behaviours for answer in answers.values())
    return {
        "em_draft_judge_scores": scores,
        "em_draft_judge_scores_by_model": {judge: dict(answer.ratings) for judge, answer in answers.items()},
        "em_draft_binary_assessment": findings,
        "em_draft_binary_assessment_by_model": {judge: dict(answer.behaviours) for judge, answer in answers.items()},
    }


def _call(turn: int, verdict: Verdict) -> CallRecord:
    ends = {judge: _end(end) for judge, end in verdict.ends.items()}
    return CallRecord(
        turn=turn,
        call=CALL,
        state=_state([end.reading.state for end in verdict.ends.values()]).value,
        attempts=sum(end.attempts for end in ends.values()),
        counters=dict(sum((Counter(end.counters) for end in ends.values()), Counter[str]())),
        by_model=ends,
    )


def _end(end: CallEnd) -> EndRecord:
    reading = end.reading
    return EndRecord(state=reading.state.value, attempts=end.attempts, counters=dict(reading.counters))


def _state(states: Sequence[CallState]) -> CallState:
    """Return how a panel's asking ended: it is an answer if any judge answered, else the commonest failure.

    With a mended reply among those that count, the whole is mended; of failures that are as common, the first counts.
    """
    answered = {state for state in states if state.is_answer}
    if answered:
        return CallState.REPAIRED if CallState.REPAIRED in answered else CallState.PARSED
    return Counter(states).most_common(1)[0][0]
