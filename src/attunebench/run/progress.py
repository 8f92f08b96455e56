"""What a person sees while a run goes on: calls done, failures and tokens so far."""

import time
from collections import Counter
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from attunebench.protocol.answers import ANSWERED
from attunebench.run.ledger import Attempt

SECONDS_BETWEEN_LINES = 10.0


class Tally:
    """Running totals of a run: calls ended by state, attempts, tokens."""

    def __init__(self) -> None:
        self.states = Counter[str]()
        self.attempts = 0
        self.tokens_in = 0
        self.tokens_out = 0

    def add(self, attempt: Attempt, *, is_last: bool) -> None:
        """Count one attempt; only the last attempt of a call counts as its end."""
        self.attempts += 1
        self.tokens_in += (attempt.input_tokens or 0) + (attempt.cached_input_tokens or 0)
        self.tokens_out += attempt.output_tokens or 0
        if is_last:
            self.states[attempt.state] += 1

    @property
    def done(self) -> int:
        """Calls that have ended."""
        return self.states.total()

    @property
    def failed(self) -> int:
        """Calls that ended without an answer."""
        return sum(count for state, count in self.states.items() if state not in ANSWERED)

    def __str__(self) -> str:
        return f"{self.failed:,} failed, {self.tokens_in:,} tokens in, {self.tokens_out:,} out"


class Display(AbstractContextManager["Display"], Protocol):
    """Shows a run's progress; entered when the calls start."""

    def update(self, tally: Tally) -> None:
        """Show the totals so far."""


class BarDisplay(Display):
    """A progress bar, for a terminal."""

    def __init__(self, console: Console, total: int) -> None:
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("calls"),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        self._bar = Progress(*columns, console=console)
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def update(self, tally: Tally) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=tally.done, description=str(tally))


class LineDisplay(Display):
    """A plain line now and then, for a log file: at most one in ten seconds, and the last."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._last_line = time.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def update(self, tally: Tally) -> None:
        """Print a line if it is time."""
        now = time.monotonic()
        if tally.done < self._total and now - self._last_line < SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        self._console.print(f"{tally.done:,} of {self._total:,} calls, {tally}", highlight=False, soft_wrap=True)


def make_display(console: Console, total: int) -> Display:
    """Return a bar on a terminal, plain lines elsewhere."""
    return BarDisplay(console, total) if console.is_terminal else LineDisplay(console, total)
