"""What earlier runs left in a folder: which conversations are done, and which calls of the others need not be asked."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

from attunebench.errors import RunError
from attunebench.protocol.answers import ASKED_AGAIN, CallState, Failed, Reading
from attunebench.protocol.calls import CallKey
from attunebench.protocol.panel import CALL as JUDGE_CALL
from attunebench.protocol.parse import StopReason
from attunebench.run.folder import write_whole
from attunebench.run.journal import RECORDS_FILE
from attunebench.run.ledger import (
    LEDGER_FILE,
    REPLIES_FILE,
    Attempt,
    JudgeKey,
    Role,
    SampleKey,
    dump_attempt,
    read_attempts,
    read_ledger,
    redacted,
)
from attunebench.run.lines import LineFile, cut_to_whole_lines
from attunebench.run.progress import Tally

Reader: TypeAlias = Callable[[str, StopReason], Reading]
"""What reads the replies to a call, from their text and why they stopped."""

_ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Patience:
    """When a call is at its end: after `attempts` unreadable replies, and after a provider's error.

    With `retry_failed`, what the provider failed in an earlier run is not at its end.
    """

    attempts: int
    retry_failed: bool = False

    def is_over(self, made: Sequence[Attempt]) -> bool:
        """Whether a call with these attempts is not to be asked again."""
        if not made:
            return False
        if made[-1].state in ASKED_AGAIN:
            return sum(attempt.state in ASKED_AGAIN for attempt in made) >= self.attempts
        return not (self.retry_failed and made[-1].state == CallState.PROVIDER_ERROR)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is in a folder already: samples with a record, attempts of all others, and the totals of both.

    `recorded` tells of how many calls; `judged` are the attempts of judges.
    """

    recorded: Mapping[SampleKey, int] = field(default_factory=dict)
    attempts: Mapping[SampleKey, Mapping[CallKey, Sequence[Attempt]]] = field(default_factory=dict)
    judged: Mapping[SampleKey, Mapping[JudgeKey, Sequence[Attempt]]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)


def repair(folder: Path, wanted: Set[SampleKey], patience: Patience, roles: Collection[Role] = _ROLES) -> None:
    """Make a folder that is held ready to go on: lines that a kill cut short are taken off, and what it kept from a
    redacted ledger is added.

    With `patience.retry_failed`, records of conversations with a call of these `roles` that the provider failed are
    taken out, to be made anew.

    Raises:
        RunError: a file cannot be read or written.
    """
    for name in (LEDGER_FILE, RECORDS_FILE, REPLIES_FILE):
        cut_to_whole_lines(folder / name)
    if patience.retry_failed:
        _drop_failed(folder / RECORDS_FILE, wanted, roles)
    if (folder / REPLIES_FILE).exists():
        held = {_identity(row) for row in read_ledger(folder)}
        with LineFile(folder / LEDGER_FILE) as ledger:
            for row in read_attempts(folder / REPLIES_FILE):
                if _identity(row) not in held:
                    ledger.append(dump_attempt(redacted(row)))


def read_earlier(folder: Path, wanted: Set[SampleKey], patience: Patience, roles: Collection[Role] = _ROLES) -> Earlier:
    """Read what earlier runs finished of the samples `wanted`, looking only at calls of these `roles`; change nothing.

    Raises:
        RunError: the ledger or the records cannot be read.
    """
    tally = Tally()
    recorded: dict[SampleKey, int] = {}
    for key, record in read_records(folder):
        ends = list(_ends(record, roles))
        if key in wanted and not (patience.retry_failed and CallState.PROVIDER_ERROR in ends):
            recorded[key] = len(ends)
            tally.states.update(ends)
    attempts: dict[SampleKey, dict[CallKey, list[Attempt]]] = {}
    judged: dict[SampleKey, dict[JudgeKey, list[Attempt]]] = {}
    for row in _rows(folder):
        key = SampleKey(row.evaluated or row.model, row.conversation, row.epoch)
        if key not in wanted or row.role not in roles:
            continue
        tally.add(row, is_last=False)
        if key in recorded:
            continue
        if row.role == "judge" and row.turn is not None:
            judged.setdefault(key, {}).setdefault(JudgeKey(row.turn, row.model), []).append(row)
        elif row.role == "evaluated":
            call = CallKey(row.turn, row.call)  # type: ignore[arg-type]  # a kind that is not planned is not asked for
            attempts.setdefault(key, {}).setdefault(call, []).append(row)
    unfinished = [made for calls in (attempts, judged) for of_sample in calls.values() for made in of_sample.values()]
    tally.states.update(made[-1].state for made in unfinished if patience.is_over(made))
    return Earlier(recorded, attempts, judged, tally)


def _rows(folder: Path) -> Iterator[Attempt]:
    """Read the ledger; a redacted one with the texts that stand beside it."""
    texts = {_identity(row): row for row in read_attempts(folder / REPLIES_FILE)}
    for row in read_ledger(folder):
        yield texts.get(_identity(row), row)


def _identity(row: Attempt) -> tuple[object, ...]:
    return row.role, row.model, row.evaluated, row.conversation, row.epoch, row.turn, row.call, row.attempt


def read_again(read: Reader, attempt: Attempt) -> Reading:
    """Read the reply of an earlier attempt as it was read then."""
    if attempt.text_sha256 is not None:
        raise RunError(f"{REPLIES_FILE} is missing: a redacted run cannot go on without it; choose another folder")
    if attempt.text is None or attempt.stop_reason is None:
        return Failed(CallState(attempt.state), attempt.error or "", attempt.counters)
    return replace(read(attempt.text, attempt.stop_reason), counters=attempt.counters)


def read_records(folder: Path) -> Iterator[tuple[SampleKey, Mapping[str, Any]]]:
    """Read the records of a run's folder as JSON values, none where there are none.

    Raises:
        RunError: a line is no run record.
    """
    for key, record, _ in _read_lines(folder / RECORDS_FILE):
        yield key, record


def _read_lines(file: Path) -> Iterator[tuple[SampleKey, Mapping[str, Any], str]]:
    if not file.exists():
        return
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
                epoch = (record.get("provenance") or {}).get("epoch", 1)
                key = SampleKey(record["em_model"], record["conversationId"], epoch)
            except (ValueError, TypeError, AttributeError, KeyError) as error:
                raise RunError(f"{file}: line {number}: must be a run record ({error})") from None
            yield key, record, line


def _drop_failed(file: Path, wanted: Set[SampleKey], roles: Collection[Role]) -> None:
    kept: list[str] = []
    dropped = False
    for key, record, line in _read_lines(file):
        if key in wanted and CallState.PROVIDER_ERROR in _ends(record, roles):
            dropped = True
        else:
            kept.append(line)
    if dropped:
        write_whole(file, "".join(kept))


def _ends(record: Mapping[str, Any], roles: Collection[Role]) -> Iterator[str]:
    """Yield the state of every call of a record; of a panel's, that of every judge's."""
    for call in record.get("calls") or ():
        if call.get("call") == JUDGE_CALL:
            ends = (call.get("by_model") or {}).values() if "judge" in roles else ()
            yield from (str(end.get("state")) for end in ends)
        elif "evaluated" in roles:
            yield str(call.get("state"))
