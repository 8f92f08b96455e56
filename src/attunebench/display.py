"""What a person sees while something goes on: a bar on a terminal, a line now and then elsewhere."""

import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 10.0


class Counts(Protocol):
    """Running totals; as a text, all that is to be said besides how many are done."""

    @property
    def done(self) -> int:
        """How many have ended."""


class Display(AbstractContextManager["Display"], Protocol):
    """Shows progress; entered when the first thing starts."""

    def update(self, counts: Counts) -> None:
        """Show the totals so far."""


class BarDisplay(Display):
    """A progress bar, for a terminal."""

    def __init__(self, console: Console, total: int, noun: str = "calls") -> None:
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(noun),
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

    def update(self, counts: Counts) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=counts.done, description=str(counts))


class LineDisplay(Display):
    """A plain line now and then, for a log file: at most one in ten seconds, and the last."""

    def __init__(self, console: Console, total: int, noun: str = "calls") -> None:
        self._console = console
        self._total = total
        self._noun = noun
        self._last_line = time.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def update(self, counts: Counts) -> None:
        """Print a line if it is time."""
        now = time.monotonic()
        if counts.done < self._total and now - self._last_line < SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        self._console.print(
            f"{counts.done:,} of {self._total:,} {self._noun}, {counts}", highlight=False, soft_wrap=True
        )


def make_display(console: Console, total: int, noun: str = "calls") -> Display:
    """Return a bar on a terminal, plain lines elsewhere."""
    kind = BarDisplay if console.is_terminal else LineDisplay
    return kind(console, total, noun)
