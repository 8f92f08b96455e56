"""Claims about a run in several processes: the same folder and the same guarantees as in one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import psutil
import pytest
from run_examples import SERVED, Provider, conversation, dataset, run_quietly
from test_resumed_runs import finished, identity, records

from attunebench.dataset.export import write_conversations
from attunebench.errors import RunError
from attunebench.models.settings import Settings
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from servers import completion, failure, serving

MANY = [conversation(f"c{number}", 2) for number in range(9)]
PROSE = completion("I would rather talk about owls.")
SCRIPT = {
    ("c1", 1, "draft"): [PROSE],
    ("c2", 2, "review"): [PROSE, PROSE],
    ("c3", None, "outcome"): [failure(400, "no")],
}


@pytest.fixture
def served(monkeypatch):
    """Start a provider on loopback and let runs find it, those of other processes too."""

    def serve(decide):
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        opened = serving(decide)
        server = opened.__enter__()
        running.append(opened)
        monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
        return server

    running = []
    yield serve
    for opened in running:
        opened.__exit__(None, None, None)


def plan(out, **more):
    return RunPlan(dataset=dataset(*MANY), models=more.pop("models", [SERVED]), out=out, **more)


def test_workers_leave_what_one_process_leaves(tmp_path, served):
    provider = Provider(MANY, SCRIPT)
    server = served(provider)
    tally = run_quietly(plan(tmp_path / "shared", models=[SERVED, "baseline/majority"], workers=3))
    asked = Counter(map(identity, provider.asks))
    del provider.asks[:]
    provider.__post_init__()
    alone = run_quietly(plan(tmp_path / "alone", models=[SERVED, "baseline/majority"]))
    assert Counter(map(identity, provider.asks)) == asked
    assert (tally.states, tally.attempts, tally.tokens_in) == (alone.states, alone.attempts, alone.tokens_in)
    assert records(tmp_path / "shared") == records(tmp_path / "alone")
    assert len(list(read_ledger(tmp_path / "shared"))) == len(list(read_ledger(tmp_path / "alone")))
    del provider.asks[:]
    assert (
        run_quietly(plan(tmp_path / "shared", models=[SERVED, "baseline/majority"], workers=2)).states == tally.states
    )
    assert (provider.asks, server.connections) == ([], 0)


def test_connections_are_shared_out(tmp_path, served):
    provider, at_once, most = Provider(MANY), [], []

    def counted(body):
        at_once.append(1)
        most.append(len(at_once))
        time.sleep(0.2)
        at_once.pop()
        return provider(body)

    served(counted)
    run_quietly(plan(tmp_path, workers=2, settings=Settings(max_connections=6)))
    assert 3 <= max(most) <= 6


def test_a_model_of_no_use_ends_all_workers_at_once(tmp_path, served):
    served(lambda body: failure(401, "who are you?"))
    with pytest.raises(RunError) as caught:
        run_quietly(plan(tmp_path, workers=2))
    assert "the server refused the key" in str(caught.value)
    assert str(caught.value).startswith("the run could not go on after 0 of 81 calls: ")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_leaves_no_worker_and_goes_on(tmp_path, served, how):
    provider = Provider(MANY, SCRIPT)

    def slowly(body):
        time.sleep(0.05)
        return provider(body)

    served(slowly)
    write_conversations(MANY, tmp_path / "data")
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    main = f"{heed}\nfrom attunebench.cli import main\nif __name__ == '__main__': main()"
    (tmp_path / "main.py").write_text(main)
    words = ["run", "--data", tmp_path / "data", "--model", SERVED, "--out", tmp_path / "out", "--workers", "2"]
    words += ["--max-connections", "4"]
    with subprocess.Popen([sys.executable, tmp_path / "main.py", *words], stderr=subprocess.PIPE, text=True) as run:
        until(lambda: len(provider.asks) > 20)
        workers = psutil.Process(run.pid).children(recursive=True)
        os.kill(run.pid, how)
        _, said = run.communicate(timeout=60)
    assert len(workers) >= 2
    assert psutil.wait_procs(workers, timeout=10)[1] == []
    if how == signal.SIGINT:
        assert run.returncode == 1
        assert "it was interrupted\nwhat was answered is kept: the same command goes on from there\n" in said
        assert "Traceback" not in said
    known, before = finished(tmp_path / "out"), len(provider.asks)
    assert known
    run_quietly(RunPlan(dataset=load(tmp_path / "data"), models=[SERVED], out=tmp_path / "out", workers=2))
    assert not {identity(ask) for ask in provider.asks[before:]} & known
    assert len(records(tmp_path / "out")) == len(MANY)
    lines = (tmp_path / "out" / "calls.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line) for line in lines)


def load(folder):
    from attunebench.dataset.load import load_dataset

    return load_dataset(folder)


def until(done):
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline, "the run did not get there"
        time.sleep(0.02)
