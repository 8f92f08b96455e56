"""Claims about scoring on a Ray cluster: a real one, of two workers, on this machine."""

import logging
import os
import secrets
import signal
import sys
import time
from contextlib import contextmanager
from functools import partial

import pytest
from file_examples import one, raw_record, write_lines

from attunebench.dataset.export import dump_conversation
from attunebench.dataset.files import RawText
from attunebench.errors import RunError, UsageError
from attunebench.score import engine_ray
from attunebench.score import score_files as module
from attunebench.score.engine_ray import ATTEMPTS, CRASHES, score_shards
from attunebench.score.score_files import score_files
from attunebench.score.shards import Work, score_shard

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
def files(tmp_path, monkeypatch):
    """Data and records, of which every conversation makes a shard; scored by the local engine into `local`."""
    monkeypatch.setattr(module, "SHARD_BYTES", 1)
    data = write_lines(tmp_path / "data.jsonl", *TOLD)
    records = [raw_record(told["conversationId"], model, len(told["turns"])) for told in TOLD for model in "ab"]
    runs = [write_lines(tmp_path / "records.jsonl", *records)]
    score_files(data, runs, tmp_path / "local")
    return data, runs


def bytes_of(folder):
    return [(folder / name).read_bytes() for name in ("scores.json", "scores.parquet")]


def test_the_files_are_those_of_the_local_engine_to_the_byte(cluster, files, tmp_path):
    score_files(*files, tmp_path / "ray", score_all=score_shards)
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")


def dawdling(mark):
    """Return a task that, at its first attempt at the sixth conversation, writes down who it is and never ends."""

    def score(shard):
        if shard[0].conversation.position == 6 and not mark.exists():
            new = mark.with_suffix(".new")
            new.write_text(str(os.getpid()))
            new.rename(mark)
            time.sleep(600)
        return score_shard(shard)

    return score


def kill_half_way(folder, shards):
    """Score shards, and kill the worker that never ends once five results are there."""
    mark = folder / "victim"
    for number, result in enumerate(score_shards(shards, task=dawdling(mark)), start=1):
        yield result
        if number == 5:
            while not mark.exists():
                time.sleep(0.01)
            assert int(mark.read_text()) != os.getpid()
            os.kill(int(mark.read_text()), signal.SIGKILL)


@pytest.mark.parametrize("crashes", [0, CRASHES])
def test_a_worker_killed_half_way_changes_nothing(cluster, files, tmp_path, monkeypatch, crashes):
    """Whether Ray starts the shard again, or the engine does."""
    monkeypatch.setattr(engine_ray, "CRASHES", crashes)
    score_files(*files, tmp_path / "ray", score_all=partial(kill_half_way, tmp_path))
    assert (tmp_path / "victim").exists()
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")


def refusing(attempts):
    """Return a task that never scores the third conversation, and counts the attempts at it."""

    def score(shard):
        if shard[0].conversation.position == 3:
            with attempts.open("a") as file:
                file.write("x")
            raise ValueError("no more\nof this")
        return score_shard(shard)

    return score


def test_a_shard_that_always_fails_is_tried_again_and_named_with_its_cause(cluster, files, tmp_path):
    score_all = partial(score_shards, task=refusing(tmp_path / "attempts"))
    with pytest.raises(RunError) as told:
        score_files(*files, tmp_path / "ray", score_all=score_all)
    place = "shard 3 (from data.jsonl: conversation 3)"
    assert str(told.value) == f"{place}: failed {ATTEMPTS} times, the last time with ValueError: no more"
    assert (tmp_path / "attempts").read_text() == "x" * ATTEMPTS
    assert not (tmp_path / "ray").exists()


def test_few_shards_are_held_at_a_time(cluster):
    taken = 0

    def shards():
        nonlocal taken
        for number in range(40):
            taken += 1
            yield [Work(RawText("f", number, b"{}"))]

    results = score_shards(shards())
    for given in range(10):
        next(results)
        assert taken <= given + 1 + 3 * 2
    results.close()


def test_a_cluster_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(RunError, match=r"--ray-address: no cluster answers at 127\.0\.0\.1:1 \(ConnectionRefused"):
        next(score_shards([], address="127.0.0.1:1"))


def test_a_cluster_that_is_there_has_its_own_size(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(UsageError, match="--workers: must not be given for a cluster that is there already, got 3"):
        next(score_shards([], address="127.0.0.1:1", workers=3))


def test_without_ray_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'attunebench\[cluster\]'"):
        next(score_shards([]))
