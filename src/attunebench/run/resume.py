"""What earlier runs left in a folder: which conversations are done, and which calls of the others need not be asked."""

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from attunebench.errors import RunError
from attunebench.protocol.answers import ASKED_AGAIN, CallState, Failed, Reading
from attunebench.protocol.calls import Call, CallKey
from attunebench.protocol.parse import read_reply
from attunebench.run.folder import write_whole
from attunebench.run.journal import RECORDS_FILE
from attunebench.run.ledger import (
    LEDGER_FILE,
    REPLIES_FILE,
    Attempt,
    SampleKey,
    dump_attempt,
    read_attempts,
    read_ledger,
    redacted,
)
from attunebench.run.lines import LineFile
from attunebench.run.progress import Tally


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
    """What is in a folder already: samples with a record, attempts of all others, and the totals of both."""

    recorded: Set[SampleKey] = frozenset()
    attempts: Mapping[SampleKey, Mapping[CallKey, Sequence[Attempt]]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)


def repair(folder: Path, wanted: Set[SampleKey], patience: Patience) -> None:
    """Make a folder that is held ready to go on: what a kill kept from a redacted ledger is added.

    With `patience.retry_failed`, records of conversations with a call that the provider failed are taken out, to be
    made anew.

    Raises:
        RunError: a file cannot be read or written.
    """
    if patience.retry_failed:
        _drop_failed(folder / RECORDS_FILE, wanted)
    if (folder / REPLIES_FILE).exists():
        held = {_identity(row) for row in read_ledger(folder)}
        with LineFile(folder / LEDGER_FILE) as ledger:
            for row in read_attempts(folder / REPLIES_FILE):
                if _identity(row) not in held:
                    ledger.append(dump_attempt(redacted(row)))


def read_earlier(folder: Path, wanted: Set[SampleKey], patience: Patience) -> Earlier:
    """Read what earlier runs finished of the samples `wanted`; changes nothing.

    Raises:
        RunError: the ledger or the records cannot be read.
    """
    tally = Tally()
    recorded: set[SampleKey] = set()
    for key, record, _ in _read_records(folder / RECORDS_FILE):
        failed = patience.retry_failed and _is_failed(record)
        if key in wanted and not failed:
            recorded.add(key)
            tally.states.update(str(call.get("state")) for call in record.get("calls") or ())
    attempts: dict[SampleKey, dict[CallKey, list[Attempt]]] = {}
    for row in _rows(folder):
        key = SampleKey(row.model, row.conversation, row.epoch)
        if key not in wanted or row.role != "evaluated":
            continue
        tally.add(row, is_last=False)
        if key not in recorded:
            call = CallKey(row.turn, row.call)  # type: ignore[arg-type]  # a kind that is not planned is not asked for
            attempts.setdefault(key, {}).setdefault(call, []).append(row)
    tally.states.update(
        made[-1].state for calls in attempts.values() for made in calls.values() if patience.is_over(made)
    )
    return Earlier(recorded, attempts, tally)


def _rows(folder: Path) -> Iterator[Attempt]:
    """Read the ledger; a redacted one with the texts that stand beside it."""
    texts = {_identity(row): row for row in read_attempts(folder / REPLIES_FILE)}
    for row in read_ledger(folder):
        yield texts.get(_identity(row), row)


def _identity(row: Attempt) -> tuple[object, ...]:
    return row.role, row.model, row.conversation, row.epoch, row.turn, row.call, row.attempt


def read_again(call: Call, attempt: Attempt) -> Reading:
    """Read the reply of an earlier attempt as it was read then."""
    if attempt.text_sha256 is not None:
        raise RunError(f"{REPLIES_FILE} is missing: a redacted run cannot go on without it; choose another folder")
    if attempt.text is None or attempt.stop_reason is None:
        return Failed(CallState(attempt.state), attempt.error or "", attempt.counters)
    return replace(read_reply(call, attempt.text, attempt.stop_reason), counters=attempt.counters)


def _read_records(file: Path) -> Iterator[tuple[SampleKey, Mapping[str, Any], str]]:
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


def _drop_failed(file: Path, wanted: Set[SampleKey]) -> None:
    kept: list[str] = []
    dropped = False
    for key, record, line in _read_records(file):
        if key in wanted and _is_failed(record):
            dropped = True
        else:
            kept.append(line)
    if dropped:
        write_whole(file, "".join(kept))


def _is_failed(record: Mapping[str, Any]) -> bool:
    return any(call.get("state") == CallState.PROVIDER_ERROR for call in record.get("calls") or ())
