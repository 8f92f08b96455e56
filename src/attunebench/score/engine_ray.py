"""Doing jobs as tasks of a Ray cluster: one that is there already, or one started on this machine."""

import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import islice
from typing import Any

from attunebench.errors import RunError, UsageError
from attunebench.score.jobs import AnyJob, Engine, Job, Result

ATTEMPTS = 3
"""How often a job is given to the cluster before it has failed for good."""

CRASHES = 2
"""How often Ray itself, within one attempt, starts a job again whose worker or node has died."""

_IN_FLIGHT = 3
"""Jobs a core that are being done, wait for a core, or wait for their turn to be taken."""

_HERE = "local"
"""Ray's name for a cluster that is started on this machine."""

# Ray reads these when it is imported.
_SILENT = {"RAY_USAGE_STATS_ENABLED": "0"}
_PRIVATE = {
    "RAY_AUTH_MODE": "token",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # whatever the system, this binds all to the loopback address
}


@contextmanager
def ray_engine(address: str | None = None, workers: int | None = None) -> Iterator[Engine]:
    """Yield an engine that does jobs as Ray tasks; it holds only a few at a time, however many there are.

    `address` (else `RAY_ADDRESS`) is that of a cluster; without one, a cluster of `workers` processes is started on
    this machine with the first jobs, and ended at the end. Where Ray has been initialised already, that is used and
    left as it is. A task goes to each worker process once.

    The engine raises:
        UsageError: Ray is not installed, or `workers` is given for a cluster that is there already.
        RunError: the cluster cannot be reached, or a job failed at every attempt; names the shard and the cause.
    """
    with ExitStack() as stack:
        connect = cache(lambda: stack.enter_context(_cluster(address, workers)))

        def do_jobs(task: Callable[[AnyJob], Result], jobs: Iterable[AnyJob]) -> Iterator[Result]:
            return _do_jobs(connect(), task, jobs)

        yield do_jobs


def _do_jobs(ray: Any, task: Callable[[AnyJob], Result], jobs: Iterable[AnyJob]) -> Iterator[Result]:
    remote = ray.remote(num_cpus=1, max_retries=CRASHES)(_do)
    shared = [ray.put(task)]  # in a list, as Ray would fetch it anew with every job

    def start(job: AnyJob) -> tuple[AnyJob, Any]:
        return job, remote.remote(shared, job)

    remaining = iter(jobs)
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    running: deque[tuple[AnyJob, Any]] = deque()
    try:
        running.extend(map(start, islice(remaining, _IN_FLIGHT * cores)))
        while running:
            yield _result(ray, start, *running.popleft())
            running.extend(map(start, islice(remaining, 1)))
    finally:
        for _, unfinished in running:
            ray.cancel(unfinished, force=True)


_held: dict[Any, Callable[[Any], Any]] = {}
"""The task that this process did last, where it is a worker, by Ray's reference to it."""


def _do(shared: Sequence[Any], job: Job) -> Any:
    """Do a job in a worker."""
    import ray

    (reference,) = shared
    if reference not in _held:
        _held.clear()
        _held[reference] = ray.get(reference)
    return _held[reference](job)


def _result(ray: Any, start: Callable[[AnyJob], tuple[AnyJob, Any]], job: AnyJob, running: Any) -> Any:
    """Wait for a job's result; give the job to the cluster again where it failed."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return ray.get(running)
        except ray.exceptions.RayError as error:
            if attempt == ATTEMPTS:
                message = f"{job}: failed {ATTEMPTS} times, the last time with {_cause(error)}"
                raise RunError(message) from error
            _, running = start(job)
    raise AssertionError("every attempt returns or raises")


def _cause(error: Exception) -> str:
    """Return an error in one line; of an exception that the task raised, that exception."""
    own = getattr(error, "cause", None)
    told = own if isinstance(own, Exception) else error
    first = next((line.strip() for line in str(told).splitlines() if line.strip()), "")
    return f"{type(told).__name__}: {first}" if first else type(told).__name__


@contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[Any]:
    """Connect to a cluster or start one; yield the module `ray`."""
    address = address or os.environ.get("RAY_ADDRESS") or _HERE
    for name, value in (_SILENT if address != _HERE else _SILENT | _PRIVATE).items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise UsageError("--engine ray: needs Ray; pip install 'attunebench[cluster]'") from None
    if ray.is_initialized():
        yield ray
        return
    if address != _HERE and workers is not None:
        raise UsageError(f"--workers: must not be given for a cluster that is there already, got {workers}")
    size: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address == _HERE else {}
    try:
        _knock(address)
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **size)
    except (OSError, ValueError, RuntimeError) as error:
        raise RunError(f"--ray-address: no cluster answers at {address} ({_cause(error)})") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Connect to a cluster's address once; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
