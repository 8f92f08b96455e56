"""Doing jobs on this machine: in this process, and in others beside it."""

import gc
import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from types import ModuleType
from typing import Any

from attunebench.score.jobs import AnyJob, Result

_IN_FLIGHT = 2
"""Jobs that each other process has to do: one that it does, and one for it to go on with at once."""

_HELD = 8
"""Results a process that wait for their turn, or are waited for."""


def do_jobs(task: Callable[[AnyJob], Result], jobs: Iterable[AnyJob], *, workers: int) -> Iterator[Result]:
    """Do jobs in `workers` processes, of which this is one, and iterate over the results in the jobs' order.

    Only a few jobs are held at a time, however many there are. `task` goes to each other process once; it must be of a
    module that can be imported, not of the program's main one.
    """
    if workers > 1:
        yield from _share(task, jobs, workers - 1)
        return
    for job in jobs:
        yield _do_here(task, job)


def available_cores() -> int:
    """Return on how many cores this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _share(task: Callable[[AnyJob], Result], jobs: Iterable[AnyJob], others: int) -> Iterator[Result]:
    """Have other processes do jobs, and do here those that they have no hands for, as before they have started."""
    remaining, held = iter(jobs), _HELD * (others + 1)
    waiting: deque[Future[Result]] = deque()
    with ProcessPoolExecutor(others, mp_context=_context(), initializer=_start_worker, initargs=(task,)) as pool:
        while True:
            wanted = _IN_FLIGHT * others - sum(not future.done() for future in waiting)
            waiting.extend(_submit(pool, job) for job in islice(remaining, min(wanted, held - len(waiting))))
            if waiting and waiting[0].done():
                yield waiting.popleft().result()
            elif len(waiting) < held and (own := next(remaining, None)) is not None:
                waiting.append(_done(task, own))
            elif waiting:
                yield waiting.popleft().result()
            else:
                return


def _done(task: Callable[[AnyJob], Result], job: AnyJob) -> Future[Result]:
    """Do a job here; what it raises comes when it is its turn."""
    future = Future[Result]()
    try:
        future.set_result(_do_here(task, job))
    except Exception as error:
        future.set_exception(error)
    return future


def _submit(pool: ProcessPoolExecutor, job: Any) -> Future[Any]:
    """Hand a job to the pool, which may start a worker for it.

    A worker would import the program's main module anew, for what might be called there. Nothing of it is, and it may
    be large, or a script that would begin once more; so it stands aside.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        return pool.submit(_do, job)
    finally:
        sys.modules["__main__"] = main


def _context() -> multiprocessing.context.BaseContext:
    """Return how workers are started: from a server that has imported all they need, where there is such a thing."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["attunebench.score.jobs"])
    return context


_task: Callable[[Any], Any]
"""What this process does with jobs, where it is a worker."""


def _start_worker(task: Callable[[Any], Any]) -> None:
    global _task  # noqa: PLW0603 - a worker process has one task
    _task = task
    gc.freeze()
    gc.disable()  # what a job makes has no cycles; counting references frees it


def _do(job: Any) -> Any:
    return _task(job)


def _do_here(task: Callable[[AnyJob], Result], job: AnyJob) -> Result:
    with _without_collector():
        return task(job)


@contextmanager
def _without_collector() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
