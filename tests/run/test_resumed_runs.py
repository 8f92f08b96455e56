"""Claims about going on: what is finished is never asked again, and the results are those of a run in one go."""

import json
import multiprocessing
import os
import random
import resource
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from filelock import FileLock
from run_examples import PROMPTS, SERVED, Provider, conversation, dataset, run_quietly

from attunebench.errors import RunError
from attunebench.models.settings import Settings
from attunebench.protocol.answers import ASKED_AGAIN
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from servers import completion, failure, serving

ONE, TWO = conversation("one", 2), conversation("two", 3)
MANY = [conversation(f"c{number}", 3) for number in range(8)]
PROSE = completion("I would rather talk about owls.")

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["attunebench.run.engine"])


@pytest.fixture
def served(monkeypatch):
    """Start a provider on loopback and let the run find it."""

    def serve(provider):
        server = serving(provider)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        return server

    return serve


def plan(out, *conversations, models=(SERVED,), **more):
    return RunPlan(dataset=dataset(*conversations), models=models, out=out, **more)


def run_here(base_url, out, *conversations, **more):
    os.environ["LOCAL_BASE_URL"] = base_url
    return run_quietly(plan(out, *conversations, **more))


def run_elsewhere(base_url, out, conversations, file_limit=None):
    """Run in a process of its own; `file_limit` is how many bytes a file may have, as on a disk that gets full."""
    os.environ |= {"LOCAL_BASE_URL": base_url, "LOCAL_API_KEY": "none"}
    if file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
    try:
        run_here(base_url, out, *conversations, settings=Settings(max_connections=3))
    except RunError as error:
        (out / "said").write_text(str(error))


def records(out):
    """The records of a folder, without what no two runs have in common."""
    found = [json.loads(line) for line in (out / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    for record in found:
        del record["run_timestamp"], record["duration_seconds"]
    return sorted(found, key=lambda record: (record["em_model"], record["conversationId"]))


def finished(out):
    """Calls whose last attempt in the ledger is an end."""
    last = {(row.model, row.conversation, row.turn, row.call): row for row in read_ledger(out)}
    return {key[1:] for key, row in last.items() if row.state not in ASKED_AGAIN}


def identity(ask):
    return ask.conversation, ask.key.turn, ask.key.kind


def test_a_run_killed_at_twenty_random_moments_ends_as_one_in_one_go(tmp_path, served):
    rng = random.Random(7)
    script = {
        ("c1", 1, "draft"): [PROSE],
        ("c2", 2, "review"): [PROSE, PROSE],
        ("c3", None, "outcome"): [failure(400, "no")],
    }
    provider = Provider(MANY, script)

    def slowly(body):
        reply = provider(body)
        time.sleep(rng.uniform(0, 0.02))
        return reply

    known = set()
    with serving(slowly) as server:
        for _ in range(20):
            before = len(provider.asks)
            child = FORKS.Process(target=run_elsewhere, args=(server.base_url, tmp_path / "killed", MANY))
            child.start()
            moment = before + rng.randint(1, 7)
            while len(provider.asks) < moment and child.is_alive():
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.03))
            assert child.is_alive(), "the run was over before the last kill"
            os.kill(child.pid, signal.SIGKILL)
            child.join()
            assert not {identity(ask) for ask in provider.asks[before:]} & known
            known = finished(tmp_path / "killed")
        before = len(provider.asks)
        run_elsewhere(server.base_url, tmp_path / "killed", MANY)
        assert not {identity(ask) for ask in provider.asks[before:]} & known
        assert 20 < len(known) < 8 * 13
    provider = Provider(MANY, script)
    with serving(slowly) as server:
        run_elsewhere(server.base_url, tmp_path / "whole", MANY)
    assert records(tmp_path / "killed") == records(tmp_path / "whole")


def test_nothing_is_left_to_ask_of_a_finished_run(tmp_path, served):
    provider = Provider([ONE])
    with served(provider) as server:
        first = run_here(server.base_url, tmp_path, ONE)
        files = {name: (tmp_path / name).read_bytes() for name in ("records.jsonl", "calls.jsonl")}
        again = run_here(server.base_url, tmp_path, ONE)
    assert len(provider.asks) == 9
    assert again.states == first.states == Counter(parsed=9)
    assert (again.tokens_in, again.tokens_out) == (first.tokens_in, first.tokens_out)
    assert {name: (tmp_path / name).read_bytes() for name in files} == files


def test_models_and_conversations_may_be_added(tmp_path, served):
    provider = Provider([ONE, TWO])
    with served(provider) as server:
        run_here(server.base_url, tmp_path, ONE, TWO, limit=1)
        assert {ask.conversation for ask in provider.asks} == {"one"}
        del provider.asks[:]
        tally = run_here(server.base_url, tmp_path, ONE, TWO, models=(SERVED, "baseline/null"))
    assert {ask.conversation for ask in provider.asks} == {"two"}
    assert tally.done == 2 * (9 + 13)
    held = [(record["em_model"], record["conversationId"]) for record in records(tmp_path)]
    assert held == [(model, name) for model in ("baseline/null", SERVED) for name in ("one", "two")]


def test_an_unreadable_reply_is_asked_again_only_as_often_as_it_would_have_been(tmp_path, served):
    """Two of three attempts were made before the kill, one cut off: one is left, with twice the room."""
    short = completion("{", finish="length")
    provider = Provider([ONE], {("one", 1, "draft"): [short, PROSE, PROSE]})
    with served(provider) as server:
        run_here(server.base_url, tmp_path, ONE)
        lines = (tmp_path / "calls.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        third = [line for line in lines if json.loads(line)["attempt"] == 3]
        (tmp_path / "calls.jsonl").write_text("".join(line for line in lines if line not in third), encoding="utf-8")
        (tmp_path / "records.jsonl").unlink()
        del provider.asks[:]
        run_here(server.base_url, tmp_path, ONE)
    (ask,) = provider.asks
    assert (identity(ask), ask.body["max_tokens"]) == (("one", 1, "draft"), 4096)
    rows = [row for row in read_ledger(tmp_path) if (row.turn, row.call) == (1, "draft")]
    assert [(row.attempt, row.state) for row in rows] == [(1, "truncated"), (2, "unparseable"), (3, "unparseable")]


def test_calls_that_the_provider_failed_are_asked_again_on_request(tmp_path, served):
    script = {("one", 1, "draft"): [failure(400, "no"), completion('{"drafted_response": "At last."}')]}
    provider = Provider([ONE, TWO], script)
    with served(provider) as server:
        assert run_here(server.base_url, tmp_path, ONE, TWO).failed == 1
        assert run_here(server.base_url, tmp_path, ONE, TWO).failed == 1
        del provider.asks[:]
        tally = run_here(server.base_url, tmp_path, ONE, TWO, retry_failed=True)
    assert [identity(ask) for ask in provider.asks] == [("one", 1, "draft")]
    assert tally.states == Counter(parsed=22)
    assert records(tmp_path)[0]["turns"][0]["em_drafted_response"] == "At last."
    assert len(records(tmp_path)) == 2


def test_another_condition_is_an_error_that_says_what_differs(tmp_path, served):
    run_quietly(plan(tmp_path, ONE, models=["baseline/null"]))
    files = sorted((file, file.read_bytes()) for file in tmp_path.rglob("*") if file.is_file())
    for more, difference in (
        ({"mode": "verbose"}, 'mode: was "default", now "verbose"'),
        ({"strategy": "delta"}, 'strategy: was "absolute", now "delta"'),
        ({"settings": Settings(max_tokens=10)}, "generation.max_tokens: was 2048, now 10"),
    ):
        with pytest.raises(RunError) as caught:
            run_quietly(plan(tmp_path, ONE, models=["baseline/null"], **more))
        rule = f"--out: {tmp_path} holds results of another condition"
        assert str(caught.value) == f"{rule} ({difference}): choose another folder"
    with pytest.raises(RunError, match="data_hash: was"):
        run_quietly(plan(tmp_path, ONE, TWO, models=["baseline/null"]))
    assert sorted((file, file.read_bytes()) for file in tmp_path.rglob("*") if file.is_file()) == files


def test_limits_and_retries_are_no_part_of_the_condition(tmp_path):
    run_quietly(plan(tmp_path, ONE, models=["baseline/null"]))
    tally = run_quietly(
        plan(tmp_path, ONE, models=["baseline/null"], settings=Settings(attempts=5, max_connections=2, timeout=9))
    )
    assert tally.done == 9


def test_a_second_run_into_the_same_folder_is_refused(tmp_path):
    tmp_path.joinpath("out").mkdir()
    with FileLock(tmp_path / "out" / ".lock"), pytest.raises(RunError, match="is in use by another run"):
        run_quietly(plan(tmp_path / "out", ONE, models=["baseline/null"]))
    assert run_quietly(plan(tmp_path / "out", ONE, models=["baseline/null"])).done == 9


@pytest.mark.parametrize("room", [3000, 9000])
def test_a_full_disk_is_an_error_that_loses_nothing(tmp_path, served, room):
    provider = Provider(MANY)
    with served(provider) as server:
        child = FORKS.Process(target=run_elsewhere, args=(server.base_url, tmp_path, MANY, room))
        child.start()
        child.join(60)
        said = (tmp_path / "said").read_text()
        assert "calls.jsonl cannot be written: File too large" in said
        assert said.endswith("the same command goes on from there")
        known, before = finished(tmp_path), len(provider.asks)
        assert known
        run_here(server.base_url, tmp_path, *MANY)
    assert not {identity(ask) for ask in provider.asks[before:]} & known
    assert len(records(tmp_path)) == len(MANY)


def test_epochs_are_read_apart(tmp_path, served):
    provider = Provider([ONE])
    with served(provider) as server:
        run_here(server.base_url, tmp_path, ONE)
        assert run_here(server.base_url, tmp_path, ONE, epochs=3).done == 27
    assert len(provider.asks) == 27
    assert sorted(record["provenance"]["epoch"] for record in records(tmp_path)) == [1, 2, 3]
    assert Counter(row.epoch for row in read_ledger(tmp_path)) == {1: 9, 2: 9, 3: 9}


def test_a_folder_says_what_it_holds(tmp_path):
    run_quietly(plan(tmp_path, ONE, models=["baseline/null"]))
    parts = json.loads((tmp_path / "condition.json").read_text())
    assert parts["mode"] == "default"
    assert parts["prompt_hash"] == PROMPTS.sha256
    assert parts["generation"] == {"temperature": 0.0, "max_tokens": 2048}
    assert Path(tmp_path / "condition.json.new").exists() is False
