"""How fast files are scored, in how much memory, and how that compares to a plain loop.

Seeded made-up files: 200 conversations of 8 turns with records of 13 models, and 2,000 and 20,000 conversations with
one record each. They are read, checked, scored in both profiles, added up and written as `attunebench score` does it,
without floors, which are timed apart. A "pair" is one conversation and one record of it.

The yardstick is `plain_scoring.py`: one pair at a time, floats and dicts, the reference profile alone, nothing checked
and nothing written. It is a loop, so it runs in one process; beside that, in as many as ours, each with its share. It
is timed before and after ours, without its start-up. Its composites are held against ours first. A ratio above 1 says
that ours is faster, or takes less processor time a pair. Processor time is that of all processes, start-up included;
memory is what all of them hold for themselves plus their part of what they share, at its peak.

    python bench/scoring.py                      # 1 and 2 processes; some minutes, 1.5 GB of disk
    python bench/scoring.py --greatest 2000      # the same without the 20,000
    python bench/scoring.py --profile out.prof   # a cProfile of the 13 models in one process
"""

import argparse
import cProfile
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from subprocess import Popen
from typing import Any

import psutil

from attunebench.score.score_files import score_files
from attunebench.score.table import SCORES_FILE

TURNS = 8


@dataclass(frozen=True)
class Used:
    """What a run needed: seconds on the clock and of processors, bytes of memory at its peak if that was watched."""

    wall: float
    cpu: float
    memory: int = 0


def main() -> None:
    arguments = _parse()
    if arguments.score:
        folder = arguments.score
        score_files(folder / "data.jsonl", _records(folder), folder / "out", workers=arguments.workers, floors=False)
    elif arguments.profile:
        _profile(arguments.profile)
    else:
        _compare(arguments.greatest)


def _compare(greatest: int) -> None:
    sizes = sorted({(200, 13), (2000, 1), (greatest, 1)})
    seconds: dict[tuple[int, int], float] = {}
    with tempfile.TemporaryDirectory(prefix="attunebench-bench-") as made:
        folders = {size: make_files(Path(made, f"{size[0]}x{size[1]}"), *size) for size in sizes}
        print(f"composites equal to the plain loop's: {check_composites(folders[200, 13]):,} pairs\n")
        print("| conversations x models | processes | pairs a second | CPU a pair | peak memory ", end="")
        print("| one plain loop | ratio | as many plain loops | ratio | their CPU a pair | CPU ratio |")
        print("|---|" + 10 * "---:|")
        for size, folder in folders.items():
            for workers in (1, 2):
                seconds[size[0], workers] = _compare_one(size, folder, workers)
        for workers in (1, 2):
            growth = seconds[greatest, workers] / seconds[2000, workers]
            print(f"\nCPU a pair at {greatest:,} over that at 2,000, {workers} processes: {growth:.2f}", end="")
        print(f"\n\nfloors and ceiling, 200 draws: {time_floors(folders[200, 13]):.1f} ms CPU a conversation")


def _compare_one(size: tuple[int, int], folder: Path, workers: int) -> float:
    """Print a row of the table; return our seconds of processor time a pair."""
    one, many = [plain_loop(folder, 1)], [plain_loop(folder, workers)]
    used = measure(folder, workers)
    one.append(plain_loop(folder, 1))
    many.append(plain_loop(folder, workers))
    pairs = size[0] * size[1]
    one_wall, many_wall = mean(run.wall for run in one), mean(run.wall for run in many)
    plain_cpu = mean(run.cpu for run in one + many)
    cells = (
        f"{size[0]:,} x {size[1]}",
        workers,
        f"{pairs / used.wall:,.0f}",
        f"{1000 * used.cpu / pairs:.2f} ms",
        f"{used.memory / 2**20:,.0f} MiB",
        f"{pairs / one_wall:,.0f}",
        f"{one_wall / used.wall:.2f}",
        f"{pairs / many_wall:,.0f}",
        f"{many_wall / used.wall:.2f}",
        f"{1000 * plain_cpu / pairs:.2f} ms",
        f"{plain_cpu / used.cpu:.2f}",
    )
    print("|", *(f"{cell} |" for cell in cells), flush=True)
    return used.cpu / pairs


def make_files(folder: Path, conversations: int, models: int, *, seed: int = 3) -> Path:
    """Write `data.jsonl` and a file of records a model; return the folder."""
    from synthetic import make_document, make_record_document  # so too

    rng = random.Random(seed)
    folder.mkdir(parents=True)
    files = [(folder / f"records-{model:02}.jsonl").open("w") for model in range(models)]
    with (folder / "data.jsonl").open("w") as data:
        for number in range(conversations):
            document = make_document(rng, number, TURNS)
            data.write(json.dumps(document) + "\n")
            for model, file in enumerate(files):
                file.write(json.dumps(make_record_document(rng, document, f"made-up/{model}")) + "\n")
    for file in files:
        file.close()
    return folder


def _records(folder: Path) -> list[Path]:
    return sorted(folder.glob("records-*.jsonl"))


def check_composites(folder: Path) -> int:
    """Hold the plain loop's composites against ours; return how many there are."""
    score_files(folder / "data.jsonl", _records(folder), folder / "out", workers=1, floors=False)
    scored = json.loads((folder / "out" / SCORES_FILE).read_bytes())["conversations"]
    ours = {(one["conversationId"], one["em_model"]): one["composite_score"] for one in scored}
    plain = {(r["conversationId"], r["em_model"]): _score_plainly(c, r)["composite_score"] for c, r in _pairs(folder)}
    wrong = [key for key in plain if abs(plain[key] - ours[key]) > 0.0100001]  # rounding ties
    assert plain.keys() == ours.keys() and not wrong, wrong[:5]
    return len(plain)


def _pairs(folder: Path, part: int = 0, parts: int = 1) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Iterate over every `parts`-th conversation and its records, read as plainly as can be."""
    files = [file.open() for file in _records(folder)]
    with (folder / "data.jsonl").open() as data:
        for number, lines in enumerate(zip(data, *files, strict=True)):
            if number % parts == part:
                conversation = json.loads(lines[0])
                yield from ((conversation, json.loads(line)) for line in lines[1:])
    for file in files:
        file.close()


def plain_loop(folder: Path, processes: int) -> Used:
    """Return what the plain loop needs, its share in each process."""
    context = multiprocessing.get_context("fork")
    others = [context.Process(target=_plain_part, args=(folder, n, processes)) for n in range(1, processes)]
    started, cpu = time.perf_counter(), _cpu_of_this_and_ended()
    for other in others:
        other.start()
    _plain_part(folder, 0, processes)
    for other in others:
        other.join()
    return Used(time.perf_counter() - started, _cpu_of_this_and_ended() - cpu)


def _cpu_of_this_and_ended() -> float:
    return sum(os.times()[:4])


def _plain_part(folder: Path, part: int, parts: int) -> None:
    for conversation, record in _pairs(folder, part, parts):
        _score_plainly(conversation, record)


def _score_plainly(conversation: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    from plain_scoring import score_plainly  # needs scipy, whose start must not count for ours

    return score_plainly(conversation, record)


def measure(folder: Path, workers: int) -> Used:
    """Score a folder in a process of its own, start-up included, and watch it and its children."""
    started = time.perf_counter()
    run = Popen([sys.executable, __file__, "--score", str(folder), "--workers", str(workers)])
    root, memory, cpu = psutil.Process(run.pid), 0, dict[int, float]()
    while run.poll() is None:
        held = 0
        for process in _family(root):
            try:
                times = process.cpu_times()
                cpu[process.pid] = times.user + times.system
                held += process.memory_full_info().pss
            except psutil.Error:
                continue
        memory = max(memory, held)
        time.sleep(0.05)
    assert run.returncode == 0, "scoring failed"
    return Used(time.perf_counter() - started, sum(cpu.values()), memory)


def _family(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def time_floors(folder: Path) -> float:
    """Return the milliseconds of processor time that the baselines take a conversation."""
    from attunebench.dataset.load import load_dataset  # what scoring does not load must not count as its start
    from attunebench.score.floors import score_floors

    conversations = load_dataset(folder / "data.jsonl").conversations
    started = time.process_time()
    score_floors(conversations, "absolute")
    return 1000 * (time.process_time() - started) / len(conversations)


def _profile(file: Path) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = make_files(Path(made, "files"), 100, 13)
        profile = cProfile.Profile()
        profile.runcall(score_files, folder / "data.jsonl", _records(folder), folder / "out", workers=1, floors=False)
        profile.dump_stats(file)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--greatest", type=int, default=20_000, help="conversations of the greatest data set")
    parser.add_argument("--profile", type=Path, help="write a cProfile here instead")
    parser.add_argument("--score", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
