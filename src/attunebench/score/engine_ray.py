"""Scoring shards as tasks of a Ray cluster: one that is there already, or one started on this machine."""

import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from attunebench.dataset.files import RawText
from attunebench.errors import RunError, UsageError
from attunebench.score.shards import Shard, ShardResult, score_shard

ATTEMPTS = 3
"""How often a shard is given to the cluster before it has failed for good."""

CRASHES = 2
"""How often Ray itself, within one attempt, starts a shard again whose worker or node has died."""

_IN_FLIGHT = 3
"""Shards a core that are being scored, wait for a core, or wait for their turn to be taken."""

_HERE = "local"
"""Ray's name for a cluster that is started on this machine."""

# Ray reads these when it is imported.
_SILENT = {"RAY_USAGE_STATS_ENABLED": "0"}
_PRIVATE = {
    "RAY_AUTH_MODE": "token",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # whatever the system, this binds all to the loopback address
}


def score_shards(
    shards: Iterable[Shard],
    *,
    address: str | None = None,
    workers: int | None = None,
    task: Callable[[Shard], ShardResult] = score_shard,
) -> Iterator[ShardResult]:
    """Score shards as Ray tasks, and iterate over the results in the shards' order.

    Only a few shards are held at a time, however many there are. `address` (else `RAY_ADDRESS`) is that of a cluster;
    without one, a cluster of `workers` processes is started on this machine, and ended after the last result. Where
    Ray has been initialised already, that is used and left as it is. `task` is what a worker does with a shard.

    Raises:
        UsageError: Ray is not installed, or `workers` is given for a cluster that is there already.
        RunError: the cluster cannot be reached, or a shard failed at every attempt; names the shard and the cause.
    """
    with _cluster(address, workers) as ray:
        score = ray.remote(num_cpus=1, max_retries=CRASHES)(task)
        remaining = iter(enumerate(shards, start=1))
        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        running: deque[tuple[int, Shard, Any]] = deque()
        try:
            running.extend((n, shard, score.remote(shard)) for n, shard in islice(remaining, _IN_FLIGHT * cores))
            while running:
                yield _result(ray, score, *running.popleft())
                running.extend((n, shard, score.remote(shard)) for n, shard in islice(remaining, 1))
        finally:
            for _, _, unfinished in running:
                ray.cancel(unfinished, force=True)


def _result(ray: Any, score: Any, number: int, shard: Shard, running: Any) -> ShardResult:
    """Wait for a shard's result; give the shard to the cluster again where it failed."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            result: ShardResult = ray.get(running)
        except ray.exceptions.RayError as error:
            if attempt == ATTEMPTS:
                cause = _cause(error)
                message = f"{_name(number, shard)}: failed {ATTEMPTS} times, the last time with {cause}"
                raise RunError(message) from error
            running = score.remote(shard)
        else:
            break
    return result


def _name(number: int, shard: Shard) -> str:
    """Return what a person finds a shard by: its first conversation, or its first record where that has none."""
    for work in shard:
        if isinstance(work.conversation, RawText):
            place = f"{work.conversation.file}: conversation {work.conversation.position}"
        elif work.conversation is not None:
            place = work.conversation.file
        elif work.records:
            place = f"{work.records[0][1].file}: record {work.records[0][1].position}"
        else:
            continue
        return f"shard {number} (from {place})"
    return f"shard {number}"


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
