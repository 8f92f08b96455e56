"""What a run writes while it goes on: ledger rows, run records, and the totals a display shows."""

import json
from pathlib import Path
from types import TracebackType
from typing import Self

from attunebench.display import Display
from attunebench.errors import AttuneError
from attunebench.protocol.records import RunRecord
from attunebench.run.ledger import LEDGER_FILE, REPLIES_FILE, Attempt, dump_attempt, redacted
from attunebench.run.lines import LineFile
from attunebench.run.progress import Tally

RECORDS_FILE = "records.jsonl"


class Journal:
    """The files of a run's folder, open for writing; one for all models of a run. `records` were appended so far.

    With `redact`, the ledger gets hashes instead of texts, which stand in another file until all calls have ended.

    It also says whether the run goes on: after `halt`, every further step raises the error that it was told.
    """

    def __init__(self, folder: Path, display: Display, tally: Tally | None = None, *, redact: bool = False) -> None:
        self._calls = LineFile(folder / LEDGER_FILE)
        self._records = LineFile(folder / RECORDS_FILE)
        self._replies = LineFile(folder / REPLIES_FILE) if redact else None
        self._display = display
        self.tally = tally or Tally()
        self.records = 0
        self.halted: AttuneError | None = None

    def halt(self, error: AttuneError) -> None:
        """End the run: no call is made any more. The first error is the one that counts."""
        self.halted = self.halted or error

    def check(self) -> None:
        """Raise the error that ended the run, if it has ended."""
        if self.halted:
            raise self.halted

    def attempted(self, attempt: Attempt, *, is_last: bool) -> None:
        """Put one attempt on record and show it.

        Raises:
            RunError: it cannot be written, for example on a full disk. The run ends.
        """
        if self._replies:
            self._write(self._replies, dump_attempt(attempt))
            attempt = redacted(attempt)
        self._write(self._calls, dump_attempt(attempt))
        self.tally.add(attempt, is_last=is_last)
        self._display.update(self.tally)

    def spared(self, calls: int) -> None:
        """Count planned calls that are not to be made, and show it."""
        self.tally.spared += calls
        self._display.update(self.tally)

    def recorded(self, record: RunRecord) -> None:
        """Append one run record. Raises as `attempted` does."""
        self._write(self._records, dump_record(record))
        self.records += 1

    def _write(self, file: LineFile, line: str) -> None:
        try:
            file.append(line)
        except AttuneError as error:
            self.halt(error)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._calls.close()
        self._records.close()
        if self._replies:
            self._replies.close()


def forget_replies(folder: Path) -> None:
    """Remove the texts of a redacted ledger, once all calls have ended and nothing has to go on from them."""
    (folder / REPLIES_FILE).unlink(missing_ok=True)


def dump_record(record: RunRecord) -> str:
    """Return a record as one line of JSON under its public field names."""
    return json.dumps(record.model_dump(mode="json", by_alias=True), ensure_ascii=False, separators=(",", ":"))
