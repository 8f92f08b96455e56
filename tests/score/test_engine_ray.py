"""Claims about scoring on a Ray cluster: a real one, of two workers, on this machine."""

import gzip
import json
import logging
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from file_examples import one, raw_record, write_lines

from attunebench.dataset.export import dump_conversation
from attunebench.dataset.files import RawText
from attunebench.errors import RunError, UsageError
from attunebench.score import cutting, engine_ray
from attunebench.score.engine_ray import ATTEMPTS, CRASHES, ray_engine
from attunebench.score.floor_jobs import FloorTask
from attunebench.score.jobs import Job, ScoreTask, Unread
from attunebench.score.score_files import score_files
from attunebench.score.table import read_scores
from ranges import serving_ranges

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.xdist_group("cluster"),
    # Ray's own: what it will change one day, and pipes and processes it leaves to the collector.
    pytest.mark.filterwarnings("ignore::FutureWarning:ray", "ignore::DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@contextmanager
def environment():
    """What the engine sets before it imports Ray, and a token, so that Ray leaves none in a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        for name, value in (engine_ray._SILENT | engine_ray._PRIVATE | {"RAY_AUTH_TOKEN": TOKEN}).items():
            patch.setenv(name, value)
        yield


TOKEN = secrets.token_hex(32)

with environment():
    ray = pytest.importorskip("ray", exc_type=ImportError)

TOLD = [dump_conversation(one(f"c{n}", turns=1 + n % 3)) for n in range(12)]


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two workers, there already when the engine comes; it listens on the loopback address alone."""
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with environment():
        ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        assert ray.get_runtime_context().gcs_address.startswith("127.0.0.1:")
        yield
        ray.shutdown()


@pytest.fixture
def engine(cluster):
    with ray_engine() as found:
        yield found


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Data and records, of which every conversation makes a shard; scored by the local engine into `local`."""
    monkeypatch.setattr(cutting, "SHARD_BYTES", 1)
    data = write_lines(tmp_path / "data.jsonl", *TOLD)
    records = [raw_record(told["conversationId"], model, len(told["turns"])) for told in TOLD for model in "ab"]
    runs = [write_lines(tmp_path / "records.jsonl", *records)]
    score_files(data, runs, tmp_path / "local")
    return data, runs


def bytes_of(folder):
    return [(folder / name).read_bytes() for name in ("scores.json", "scores.parquet", "floors.parquet")]


def test_the_files_are_those_of_the_local_engine_to_the_byte(engine, files, tmp_path):
    score_files(*files, tmp_path / "ray", engine=engine)
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")
    assert {entry.name for entry in tmp_path.iterdir()} == {"data.jsonl", "records.jsonl", "local", "ray"}


def test_workers_read_from_a_web_server_what_only_it_has(engine, files, tmp_path):
    """And write, and are told, no more than they are to: the driver gets no lines."""
    folder = tmp_path / "served"
    (folder / "data").mkdir(parents=True)
    lines = files[0].read_bytes().splitlines(keepends=True)
    for number in range(3):
        (folder / "data" / f"data-{number:05}.jsonl").write_bytes(b"".join(lines[4 * number : 4 * number + 4]))
    files[0].rename(folder / "whole.jsonl")
    files[1][0].rename(folder / "records.jsonl")
    with serving_ranges(folder) as server:
        score_files(f"{server.url}/data/", [f"{server.url}/records.jsonl"], tmp_path / "ray", engine=engine)
        asked = [served for served in server.served if served.path == "/records.jsonl" and served.start is not None]
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")
    assert len({(part.start, part.end) for part in asked}) > len(TOLD)


AT_ONCE = """
import attunebench.cli.scores
import attunebench.score.cutting
attunebench.score.cutting.SHARD_BYTES = 1
attunebench.cli.scores.SECONDS_WITHOUT_PROGRESS = 0.0
attunebench.cli.main()
"""


def run_command(*words, **variables):
    """Run the command line in a process of its own, where progress is shown from the start."""
    command = [sys.executable, "-c", AT_ONCE, *map(str, words)]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=120, check=False)


def test_the_cluster_at_ray_address_is_used_and_progress_is_shown(cluster, files, tmp_path):
    """By another process than the one that started it."""
    address = ray.get_runtime_context().gcs_address
    data, (runs,) = files
    ended = run_command(
        "score", "--data", data, "--runs", runs, "--out", tmp_path / "ray", "--engine", "ray", RAY_ADDRESS=address
    )
    assert (ended.returncode, ended.stdout) == (0, f"24 records of 2 rows scored; results in {tmp_path}/ray\n")
    progress = [line for line in ended.stderr.splitlines() if not line.startswith("warning: ")]
    assert [re.sub(r"[\d,]+ a second", "N a second", line) for line in progress] == [
        "24 of 24 records, N a second",
        "12 of 12 floors, N a second",
    ]
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")


def test_what_cannot_be_read_in_parts_is_sent_to_the_workers(engine, files, tmp_path):
    data = tmp_path / "data.json"
    data.write_text(json.dumps(TOLD))
    runs = [tmp_path / "records.jsonl.gz"]
    runs[0].write_bytes(gzip.compress(files[1][0].read_bytes()))
    score_files(data, runs, tmp_path / "local")
    score_files(data, runs, tmp_path / "ray", engine=engine)
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")


def test_scores_may_stay_in_shards_that_workers_wrote(engine, files, tmp_path):
    score_files(*files, f"file://{tmp_path}/ray", engine=engine, shards=True)
    whole, found = read_scores(tmp_path / "local"), read_scores(tmp_path / "ray")
    assert vars(found) == vars(whole)
    assert len([*(tmp_path / "ray" / "shards").glob("*.jsonl")]) == len(TOLD)


@pytest.mark.parametrize("shards", [False, True])
def test_paths_may_be_relative_to_where_the_command_runs(engine, files, tmp_path, monkeypatch, shards):
    """Workers run somewhere else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ray").mkdir()
    score_files("data.jsonl", ["records.jsonl"], "ray", engine=engine, shards=shards)
    assert vars(read_scores(tmp_path / "ray")) == vars(read_scores(tmp_path / "local"))


def wrapped(engine, kind, wrap):
    """An engine whose workers do something else where the task is of this kind."""

    def do_jobs(task, jobs):
        return engine(wrap(task) if isinstance(task, kind) else task, jobs)

    return do_jobs


def dawdling(mark):
    """Return a change of a task: at the first attempt at the sixth job, it writes down who it is and never ends."""

    def wrap(task):
        def do(job):
            if job.number == 6 and not mark.exists():
                new = mark.with_suffix(".new")
                new.write_text(str(os.getpid()))
                new.rename(mark)
                time.sleep(600)
            return task(job)

        return do

    return wrap


def kill_half_way(engine, mark, kind):
    """An engine that kills the worker that never ends once five results are there."""
    dawdles = wrapped(engine, kind, dawdling(mark))

    def do_jobs(task, jobs):
        for number, result in enumerate(dawdles(task, jobs), start=1):
            yield result
            if number == 5 and isinstance(task, kind):
                while not mark.exists():
                    time.sleep(0.01)
                assert int(mark.read_text()) != os.getpid()
                os.kill(int(mark.read_text()), signal.SIGKILL)

    return do_jobs


@pytest.mark.parametrize(("kind", "crashes"), [(ScoreTask, 0), (ScoreTask, CRASHES), (FloorTask, CRASHES)])
def test_a_worker_killed_half_way_changes_nothing(engine, files, tmp_path, monkeypatch, kind, crashes):
    """Whether Ray starts the job again, or the engine does."""
    monkeypatch.setattr(engine_ray, "CRASHES", crashes)
    score_files(*files, tmp_path / "ray", engine=kill_half_way(engine, tmp_path / "victim", kind))
    assert (tmp_path / "victim").exists()
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")


def refusing(attempts):
    """Return a change of a task: it never does the third job, and counts the attempts at it."""

    def wrap(task):
        def do(job):
            if job.number == 3:
                with attempts.open("a") as file:
                    file.write("x")
                raise ValueError("no more\nof this")
            return task(job)

        return do

    return wrap


@pytest.mark.parametrize("kind", [ScoreTask, FloorTask])
@pytest.mark.parametrize("shards", [False, True])
def test_a_shard_that_always_fails_is_tried_again_and_named_with_its_cause(engine, files, tmp_path, kind, shards):
    refuses = wrapped(engine, kind, refusing(tmp_path / "attempts"))
    with pytest.raises(RunError) as told:
        score_files(*files, tmp_path / "ray", engine=refuses, shards=shards)
    place = "shard 3 (from data.jsonl: conversation 3)"
    assert str(told.value) == f"{place}: failed {ATTEMPTS} times, the last time with ValueError: no more"
    assert (tmp_path / "attempts").read_text() == "x" * ATTEMPTS
    assert not [*tmp_path.glob("ray/*")]
    assert not [*tmp_path.glob(".scores-*")]


def test_a_file_that_changes_while_it_is_scored_is_named(engine, files, tmp_path):
    def spoil(task):
        files[0].write_bytes(files[0].read_bytes().replace(b"llmResponse", b"LLMResponse"))
        return task

    with pytest.raises(RunError, match=r"shard 1 .* DataError: .*data\.jsonl: must not change while it is scored"):
        score_files(*files, tmp_path / "ray", engine=wrapped(engine, FloorTask, spoil))


def test_an_address_that_workers_do_not_reach_is_named(engine, files, tmp_path):
    """A filesystem in the memory of this very process."""
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/data.jsonl", files[0].read_bytes())
    try:
        with pytest.raises(RunError, match=r"shard 1 .* DataError: memory://data\.jsonl: cannot be read \("):
            score_files("memory://data.jsonl", files[1], tmp_path / "ray", engine=engine)
    finally:
        memory.rm("/", recursive=True)


def test_a_folder_that_workers_cannot_write_to_is_named(engine, files, tmp_path):
    def take_away(task):
        shutil.rmtree(task.parts.folder)
        return task

    with pytest.raises(RunError, match=r"shard 1 .* FileNotFoundError: .*/\.scores-\w+/00001\.jsonl"):
        score_files(*files, tmp_path / "ray", engine=wrapped(engine, ScoreTask, take_away))
    assert not (tmp_path / "ray").exists()


def test_few_jobs_are_held_at_a_time(engine):
    taken = 0

    def jobs():
        nonlocal taken
        for number in range(40):
            taken += 1
            yield Job(number, [Unread(RawText("f", number, b"{}"))])

    results = engine(str, jobs())
    for given in range(10):
        next(results)
        assert taken <= given + 1 + 3 * 2
    results.close()


def do_nothing(**where):
    with ray_engine(**where) as engine:
        next(engine(str, []))


def test_a_cluster_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(RunError, match=r"--ray-address: no cluster answers at 127\.0\.0\.1:1 \(ConnectionRefused"):
        do_nothing(address="127.0.0.1:1")


def test_ray_address_is_where_the_cluster_is_looked_for(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(RunError, match=r"no cluster answers at 127\.0\.0\.1:1 \(ConnectionRefused"):
        do_nothing()


def test_a_cluster_that_is_there_has_its_own_size(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(UsageError, match="--workers: must not be given for a cluster that is there already, got 3"):
        do_nothing(address="127.0.0.1:1", workers=3)


def test_without_ray_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'attunebench\[cluster\]'"):
        do_nothing()
