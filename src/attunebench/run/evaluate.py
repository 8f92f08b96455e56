"""Letting Inspect work through tasks, with its logs in a run's folder, until every sample has its record."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Final

from inspect_ai import Task
from inspect_ai import eval as inspect_eval

from attunebench.errors import RunError
from attunebench.models.secrets import Secrets
from attunebench.run.journal import Journal
from attunebench.run.progress import Tally

LOGS = "inspect"
"""Folder of Inspect's own logs within a run's folder."""

QUIETLY: Final[dict[str, Any]] = {
    "log_realtime": False,
    "log_model_api": False,
    "log_level": "error",
    "ctl_server": False,
    "display": "none",
}
"""How Inspect works here. Our ledger is the record of what happens while it happens; Inspect's log comes at the end."""

INTERRUPTED = "it was interrupted"
_HOW_TO_GO_ON = "what was answered is kept: the same command goes on from there"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much there is to do: `samples` in all, with so many `calls`; and `connections` for a model's calls.

    `in_turn` says that a sample makes one call at a time.
    """

    samples: int
    calls: int
    connections: int
    in_turn: bool = False

    @property
    def samples_in_flight(self) -> int:
        """How many samples to hold open per model: their calls fill the connections, and twice over if at once."""
        if self.in_turn:
            return self.connections
        return ceil(2 * self.connections * self.samples / max(self.calls, 1)) + 2


def evaluate(tasks: Sequence[Task], journal: Journal, out: Path, effort: Effort, *, log_samples: bool) -> str | None:
    """Work through all samples of some tasks, side by side; each puts a record into the journal.

    Return why not all samples have their record, none if they have.
    """
    wanted = journal.records + sum(len(task.dataset) for task in tasks)
    try:
        with rare_collections():
            logs = inspect_eval(
                list(tasks),
                max_tasks=len(tasks),
                max_samples=effort.samples_in_flight,
                log_dir=str(out / LOGS),
                log_samples=log_samples,
                **QUIETLY,
            )
        errors = [f"{log.eval.model}: {log.error.message}" for log in logs if log.error]
    except OSError as error:  # Inspect's own log
        errors = [f"{out / LOGS} cannot be written: {error.strerror}"]
    if journal.halted:
        errors = [str(journal.halted)]
    if errors or journal.records < wanted:  # after Ctrl-C, Inspect returns as if all were well
        return Secrets.of().scrub("; ".join(errors)) or INTERRUPTED
    return None


def cut_short(tally: Tally, planned: int, cause: str) -> RunError:
    """Return the error of a run that made some of its calls."""
    return RunError(f"the run could not go on after {tally.done:,} of {planned:,} calls: {cause}\n{_HOW_TO_GO_ON}")


@contextmanager
def rare_collections() -> Iterator[None]:
    """Keep the garbage collector off what was loaded before the run; it would walk all of Inspect again and again."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
