"""Scoring shards on this machine: in this process, or in several."""

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice

from attunebench.score.shards import Shard, ShardResult, score_shard

_IN_FLIGHT = 3
"""Shards a worker that are being scored, wait for a worker, or wait for their turn to be taken."""


def score_shards(shards: Iterable[Shard], workers: int) -> Iterator[ShardResult]:
    """Score shards in `workers` processes, and iterate over the results in the shards' order.

    Only a few shards are held at a time, however many there are. With one worker, this process scores.
    """
    if workers > 1:
        yield from _score_in_pool(shards, workers)
        return
    for shard in shards:
        with _without_collector():
            result = score_shard(shard)
        yield result


def available_cores() -> int:
    """Return on how many cores this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _score_in_pool(shards: Iterable[Shard], workers: int) -> Iterator[ShardResult]:
    remaining = iter(shards)
    with ProcessPoolExecutor(workers, mp_context=_context(), initializer=_start_worker) as pool:
        running: deque[Future[ShardResult]] = deque()
        running.extend(pool.submit(score_shard, shard) for shard in islice(remaining, _IN_FLIGHT * workers))
        while running:
            result = running.popleft().result()
            running.extend(pool.submit(score_shard, shard) for shard in islice(remaining, 1))
            yield result


def _context() -> multiprocessing.context.BaseContext:
    """Return how workers are started: from a server that has imported all they need, where there is such a thing."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["attunebench.score.shards"])
    return context


def _start_worker() -> None:
    gc.freeze()
    gc.disable()  # what a shard makes has no cycles; counting references frees it


@contextmanager
def _without_collector() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
