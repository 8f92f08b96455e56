"""What a cluster costs: conversations a second per core, with the local engine and with Ray, at 1 and 2 workers.

Seeded made-up files: conversations of 8 turns with one record each, scored without floors as `attunebench score` does
it. A Ray cluster of that many workers is started on this machine before the clock, and its workers have scored a
little, as those of a cluster that is there already; the process that reads, cuts and collects runs beside them. That
both engines write the same bytes is checked. Every figure is the median of three rounds in turn.

    python bench/scale.py                       # 2,000 conversations; about a minute
    python bench/scale.py --conversations 200
"""

import argparse
import logging
import os
import statistics
import tempfile
import time
from pathlib import Path

from attunebench.score.engine_ray import score_shards
from attunebench.score.score_files import score_files
from scoring import make_files

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--conversations", type=int, default=2000)
    count = parser.parse_args().conversations
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
    import ray

    found: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="attunebench-bench-") as made:
        folder = make_files(Path(made, "files"), count, 1)
        small = make_files(Path(made, "small"), 50, 1)
        for _ in range(ROUNDS):
            for workers in (1, 2):
                seconds = _time(folder, "local", workers)
                found.setdefault(("local", workers), []).append(seconds)
                started = time.perf_counter()
                ray.init(
                    "local",
                    num_cpus=workers,
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
                _time(small, "ray", workers)
                found.setdefault(("start", workers), []).append(time.perf_counter() - started)
                found.setdefault(("ray", workers), []).append(_time(folder, "ray", workers))
                ray.shutdown()
                _check_equal(folder)
    print(f"{count:,} conversations; every file the same to the byte\n")
    print("| engine | workers | conversations a second | per core | seconds to start |")
    print("|---|---:|---:|---:|---:|")
    for engine in ("local", "ray"):
        for workers in (1, 2):
            rate = count / statistics.median(found[engine, workers])
            start = f"{statistics.median(found['start', workers]):.1f}" if engine == "ray" else ""
            print(f"| {engine} | {workers} | {rate:,.0f} | {rate / workers:,.0f} | {start} |")


def _time(folder: Path, engine: str, workers: int) -> float:
    begin = time.perf_counter()
    score_files(
        folder / "data.jsonl",
        sorted(folder.glob("records*.jsonl")),
        folder / engine,
        workers=workers,
        floors=False,
        score_all=score_shards if engine == "ray" else None,
    )
    return time.perf_counter() - begin


def _check_equal(folder: Path) -> None:
    for name in ("scores.json", "scores.parquet"):
        if (folder / "local" / name).read_bytes() != (folder / "ray" / name).read_bytes():
            raise SystemExit(f"{name}: differs between the engines")


if __name__ == "__main__":
    main()
