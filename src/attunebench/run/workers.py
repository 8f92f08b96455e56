"""A run in several processes, for models that answer faster than one process can ask.

Each worker has samples of its own and appends to the same files. What one of them learns is on disk before it is told
here, so that the death of any process loses no more than calls in flight. A worker ends when this process does, and
holds a lock until then: no other run can start in the folder while one is alive.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import ceil
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from filelock import FileLock

from attunebench.display import Counts, Display
from attunebench.errors import AttuneError
from attunebench.run.evaluate import INTERRUPTED
from attunebench.run.folder import worker_lock
from attunebench.run.journal import Journal
from attunebench.run.ledger import SampleKey
from attunebench.run.plan import RunPlan
from attunebench.run.progress import Tally
from attunebench.run.resume import read_earlier
from attunebench.run.share import open_models, work_through

_SECONDS_BETWEEN_REPORTS = 0.1
_SECONDS_TO_END = 10.0
"""So long a worker may take to end when it is told to."""


@dataclass
class _Worker:
    process: SpawnProcess
    reports: Connection
    tally: Tally = field(default_factory=Tally)
    has_ended: bool = False
    cause: str | None = None


def share_out(plan: RunPlan, keys: Sequence[SampleKey], before: Tally, display: Display) -> tuple[Tally, str | None]:
    """Have samples worked through by `plan.workers` processes; return all totals, and why not all is done, if so.

    `before` are the totals of earlier runs. The limits of connections and cost are shared among the workers.
    """
    count = min(plan.workers, len(keys))
    share = replace(
        plan,
        workers=1,
        settings=replace(plan.settings, max_connections=ceil(plan.settings.max_connections / count)),
        max_cost=max(0.0, plan.max_cost - before.cost) / count,
    )
    with _started([(share, keys[number::count], number) for number in range(count)]) as workers:
        try:
            cause = _follow(workers, before, display)
        except KeyboardInterrupt:
            cause = INTERRUPTED
            _stop(workers)
        return Tally.joined([before, *(worker.tally for worker in workers)]), cause


@contextmanager
def _started(shares: Sequence[tuple[RunPlan, Sequence[SampleKey], int]]) -> Iterator[list[_Worker]]:
    context = multiprocessing.get_context("spawn")
    workers: list[_Worker] = []
    try:
        for share in shares:
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(*share, theirs))
            process.start()
            theirs.close()
            workers.append(_Worker(process, ours))
        yield workers
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
            worker.reports.close()


def _follow(workers: Sequence[_Worker], before: Tally, display: Display) -> str | None:
    """Show what workers report until all have ended; once one could not go on, stop the others."""
    while open_ones := {worker.reports: worker for worker in workers if not worker.has_ended}:
        for reports in wait(list(open_ones)):
            _take(open_ones[reports])  # type: ignore[index]  # only connections are waited for
        display.update(Tally.joined([before, *(worker.tally for worker in workers)]))
        if cause := next((worker.cause for worker in workers if worker.cause), None):
            _stop(workers)
            return cause
    return None


def _take(worker: _Worker) -> None:
    try:
        told: Tally | str | None = worker.reports.recv()
    except EOFError:
        worker.has_ended, worker.cause = True, f"a worker died (exit code {_exit_code(worker)})"
        return
    if isinstance(told, Tally):
        worker.tally = told
    else:
        worker.has_ended, worker.cause = True, told


def _exit_code(worker: _Worker) -> int | None:
    worker.process.join(_SECONDS_TO_END)
    return worker.process.exitcode


def _stop(workers: Sequence[_Worker]) -> None:
    """Let workers write down what they know, and end."""
    for worker in workers:
        if worker.process.is_alive() and not worker.has_ended and worker.process.pid:
            os.kill(worker.process.pid, signal.SIGINT)
    deadline = time.monotonic() + _SECONDS_TO_END
    while (left := deadline - time.monotonic()) > 0:
        open_ones = {worker.reports: worker for worker in workers if not worker.has_ended}
        if not open_ones:
            return
        for reports in wait(list(open_ones), left):
            _take(open_ones[reports])  # type: ignore[index]


class _Reporter(Display):
    """Tells totals to the process that started this one, now and then."""

    def __init__(self, reports: Connection) -> None:
        self._reports = reports
        self._last = 0.0

    def __exit__(self, *ended: object) -> None:
        return

    def update(self, counts: Counts) -> None:
        """Tell the totals if it is time."""
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_REPORTS:
            self._reports.send(counts)
            self._last = time.monotonic()


def _work(plan: RunPlan, keys: Sequence[SampleKey], number: int, reports: Connection) -> None:
    """Work through a share of a run, in a process of its own."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    tally, cause = Tally(), None
    try:
        with FileLock(worker_lock(plan.out, number)):
            earlier = read_earlier(plan.out, set(keys), plan.patience)
            with Journal(plan.out, _Reporter(reports), tally, redact=plan.redact) as journal:
                cause = work_through(plan, open_models(plan), keys, earlier, journal)
    except AttuneError as error:
        cause = str(error)
    except KeyboardInterrupt:
        cause = INTERRUPTED
    reports.send(tally)
    reports.send(cause)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
