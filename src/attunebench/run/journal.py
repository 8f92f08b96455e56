"""What a run writes while it goes on: ledger rows, run records, and the totals a display shows."""

import json
from pathlib import Path
from types import TracebackType
from typing import Self

from attunebench.display import Display
from attunebench.protocol.records import RunRecord
from attunebench.run.ledger import LEDGER_FILE, Attempt, dump_attempt
from attunebench.run.lines import LineFile
from attunebench.run.progress import Tally

RECORDS_FILE = "records.jsonl"


class Journal:
    """The files of a run's folder, open for writing; one for all models of a run."""

    def __init__(self, folder: Path, display: Display) -> None:
        self._calls = LineFile(folder / LEDGER_FILE)
        self._records = LineFile(folder / RECORDS_FILE)
        self._display = display
        self.tally = Tally()

    def attempted(self, attempt: Attempt, *, is_last: bool) -> None:
        """Put one attempt on record and show it."""
        self._calls.append(dump_attempt(attempt))
        self.tally.add(attempt, is_last=is_last)
        self._display.update(self.tally)

    def recorded(self, record: RunRecord) -> None:
        """Append one run record."""
        self._records.append(dump_record(record))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._calls.close()
        self._records.close()


def dump_record(record: RunRecord) -> str:
    """Return a record as one line of JSON under its public field names."""
    return json.dumps(record.model_dump(mode="json", by_alias=True), ensure_ascii=False, separators=(",", ":"))
