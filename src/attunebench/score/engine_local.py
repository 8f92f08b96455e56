"""Doing jobs on this machine: in this process, or in several."""

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

_IN_FLIGHT = 3
"""Jobs a worker that are being done, wait for a worker, or wait for their turn to be taken."""


def do_jobs(task: Callable[[AnyJob], Result], jobs: Iterable[AnyJob], *, workers: int) -> Iterator[Result]:
    """Do jobs in `workers` processes, and iterate over the results in the jobs' order.

    Only a few jobs are held at a time, however many there are. With one worker, this process does them. `task` goes to
    each process once; it must be of a module that can be imported, not of the program's main one.
    """
    if workers > 1:
        yield from _do_in_pool(task, jobs, workers)
        return
    for job in jobs:
        with _without_collector():
            result = task(job)
        yield result


def available_cores() -> int:
    """Return on how many cores this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _do_in_pool(task: Callable[[AnyJob], Result], jobs: Iterable[AnyJob], workers: int) -> Iterator[Result]:
    remaining = iter(jobs)
    with ProcessPoolExecutor(workers, mp_context=_context(), initializer=_start_worker, initargs=(task,)) as pool:
        running: deque[Future[Result]] = deque()
        running.extend(_submit(pool, job) for job in islice(remaining, _IN_FLIGHT * workers))
        while running:
            result = running.popleft().result()
            running.extend(_submit(pool, job) for job in islice(remaining, 1))
            yield result


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


@contextmanager
def _without_collector() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
