"""The ledger: one line an attempt, append-only, so that whatever happens to a run, what was paid for is on disk."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from attunebench.errors import RunError
from attunebench.protocol.parse import StopReason

LEDGER_FILE = "calls.jsonl"
REPLIES_FILE = "replies.jsonl"
"""The rows of a redacted ledger with their texts, as long as a run may have to go on from them."""

Role: TypeAlias = Literal["evaluated", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt at one call.

    `turn` is none for the outcome. `model` is who was asked; if that is a judge, `evaluated` is whose draft it judged.
    Tokens are the provider's own counts, none where it gave none; `input_tokens` are those charged in full,
    `cached_input_tokens` come on top. `cost` is in the currency of the prices, `latency_s` in seconds from sending to
    the whole reply, the provider's own retries included. `text` is none where nothing came, and where only its hash is
    kept, `text_sha256`.
    """

    conversation: str
    turn: int | None
    call: str
    model: str
    role: Role = "evaluated"
    evaluated: str | None = None
    condition: str
    epoch: int = 1
    attempt: int
    state: str
    stop_reason: StopReason | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    latency_s: float | None = None
    cache_hit: bool = False
    prompt_version: str
    prompt_hash: str
    started_at: str
    text: str | None = None
    text_sha256: str | None = None
    error: str | None = None
    counters: Mapping[str, int] = field(default_factory=dict)


class SampleKey(NamedTuple):
    """One reading of one conversation by one model: what one run record tells of."""

    model: str
    conversation: str
    epoch: int = 1


class JudgeKey(NamedTuple):
    """Which judge's call about the drafts of a sample."""

    turn: int
    judge: str


_COLUMNS = frozenset(column.name for column in fields(Attempt))


def dump_attempt(attempt: Attempt) -> str:
    """Return an attempt as one line of JSON."""
    return json.dumps(asdict(attempt), ensure_ascii=False, separators=(",", ":"))


def redacted(attempt: Attempt) -> Attempt:
    """Return an attempt with the reply's hash instead of its text, and of an error only its kind."""
    digest = None if attempt.text is None else sha256(attempt.text.encode("utf-8", "surrogatepass")).hexdigest()
    kind = re.match(r"\w+(?=:)", attempt.error or "")
    return replace(attempt, text=None, text_sha256=digest, error=kind[0] if kind else None)


def read_ledger(folder: Path) -> Iterator[Attempt]:
    """Read a ledger's attempts in the order they were written; a last line cut off by a kill is left out.

    Raises:
        RunError: a line before the last is not a ledger row.
    """
    return read_attempts(folder / LEDGER_FILE)


def read_attempts(path: Path) -> Iterator[Attempt]:
    """Read the attempts of a file of ledger rows, none where there is no such file; see `read_ledger`."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            yield _read_row(line, f"{path}: line {number}")


def _read_row(line: bytes, place: str) -> Attempt:
    try:
        row: dict[str, Any] = json.loads(line)
        return Attempt(**{name: value for name, value in row.items() if name in _COLUMNS})
    except (ValueError, TypeError, AttributeError) as error:
        raise RunError(f"{place}: must be a ledger row ({error})") from None
