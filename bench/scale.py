"""What a cluster costs: conversations a second per core, with the local engine and with Ray, at 1 and 2 workers.

Seeded made-up files: conversations of 8 turns with one record each, scored as `attunebench score` does it, with floors
and without. A Ray cluster of that many workers is started on this machine before the clock, and its workers have scored
a little, as those of a cluster that is there already. The process that finds, hands out and collects runs beside the
workers (with one local worker it is the worker); "driver" is its own processor time. That both engines write the same
bytes is checked. Every figure is the median of three rounds in turn.

Also printed: what the driver holds of every conversation, "learned", what baselines know of it, and "floors", their
scores; and what a worker holds of all together, "common".

    python bench/scale.py                       # 2,000 conversations; some minutes
    python bench/scale.py --conversations 200
"""

import argparse
import logging
import os
import pickle
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from attunebench.baselines import Learned
from attunebench.dataset.load import load_dataset
from attunebench.score.engine_ray import ray_engine
from attunebench.score.floors import FloorScorer
from attunebench.score.jobs import Engine
from attunebench.score.score_files import score_files
from scoring import make_files

ROUNDS = 3


class Run(NamedTuple):
    """What a row is about."""

    floors: bool
    engine: str
    workers: int


class Took(NamedTuple):
    """Seconds on the clock, and of the driver's processor."""

    wall: float
    driver: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--conversations", type=int, default=2000)
    count = parser.parse_args().conversations
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
    with tempfile.TemporaryDirectory(prefix="attunebench-bench-") as made:
        folder = make_files(Path(made, "files"), count, 1)
        small = make_files(Path(made, "small"), 50, 1)
        found: dict[Run, list[Took]] = {}
        starts: list[float] = []
        for _ in range(ROUNDS):
            for workers in (1, 2):
                starts.append(_round(folder, small, workers, found))
        print(f"{count:,} conversations; every file the same to the byte\n")
        _print_table(count, found)
        print(f"\nto start a cluster and its workers: {statistics.median(starts):.1f} s")
        _print_growth(folder)


def _round(folder: Path, small: Path, workers: int, found: dict[Run, list[Took]]) -> float:
    """Score with both engines, with floors and without; return how long the cluster took to start."""
    begin = time.perf_counter()
    with _cluster(workers), ray_engine() as engine:
        _time(small, "ray", workers, engine, floors=True)
        started = time.perf_counter() - begin
        for floors in (False, True):
            for name, used in (("local", None), ("ray", engine)):
                took = _time(folder, name, workers, used, floors=floors)
                found.setdefault(Run(floors, name, workers), []).append(took)
            _check_equal(folder)
    return started


@contextmanager
def _cluster(workers: int) -> Iterator[None]:
    import ray

    ray.init("local", num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        ray.shutdown()


def _time(folder: Path, name: str, workers: int, engine: Engine | None, *, floors: bool) -> Took:
    wall, driver = time.perf_counter(), time.process_time()
    runs = sorted(folder.glob("records*.jsonl"))
    score_files(folder / "data.jsonl", runs, folder / name, workers=workers, floors=floors, engine=engine)
    return Took(time.perf_counter() - wall, time.process_time() - driver)


def _check_equal(folder: Path) -> None:
    for name in ("scores.json", "scores.parquet"):
        if (folder / "local" / name).read_bytes() != (folder / "ray" / name).read_bytes():
            raise SystemExit(f"{name}: differs between the engines")


def _print_table(count: int, found: dict[Run, list[Took]]) -> None:
    print("| floors | engine | workers | conversations a second | per core | driver, ms a conversation |")
    print("|---|---|---:|---:|---:|---:|")
    for run, took in sorted(found.items()):
        rate = count / statistics.median(one.wall for one in took)
        driver = 1000 * statistics.median(one.driver for one in took) / count
        floors = "with" if run.floors else "without"
        print(f"| {floors} | {run.engine} | {run.workers} | {rate:,.0f} | {rate / run.workers:,.0f} | {driver:.2f} |")


def _print_growth(folder: Path) -> None:
    conversations = load_dataset(folder / "data.jsonl").conversations
    learned, learning = _cpu(lambda: Learned(conversations))
    _, joining = _cpu(lambda: Learned().join(learned))
    few = conversations[:100]
    scores, scoring = _cpu(lambda: FloorScorer(learned, "absolute").score(few))
    count = len(conversations)
    kilobytes = len(pickle.dumps(learned)) / count / 1000
    held = sum(values.nbytes for values in scores.values.values()) / len(few) / 1000
    common = len(pickle.dumps(learned.common())) / 1000
    print(f"common: {common:.0f} kB of {count:,} conversations")
    print(f"learned: {kilobytes:.1f} kB and {1000 * learning / count:.2f} ms a conversation", end="")
    print(f", {1000 * joining / count:.2f} ms to join")
    print(f"floors: {held:.1f} kB and {1000 * scoring / len(few):.1f} ms a conversation")


def _cpu(do: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    return do(), time.process_time() - begin


if __name__ == "__main__":
    main()
