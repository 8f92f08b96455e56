"""Claims about runs that are stopped half-way: what was paid for is on disk, and nobody is told that all is well."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from run_examples import SERVED, Provider, conversation

from attunebench.dataset.export import write_conversations
from servers import serving

ONE = conversation("one", 2)
# A process that is started in the background may have been told to ignore Ctrl-C.
HEED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
COMMAND = [sys.executable, "-c", f"{HEED}; from attunebench.cli import main; main()"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_was_answered_before_is_in_the_ledger(tmp_path, how):
    provider, stopped = Provider([ONE]), threading.Event()
    write_conversations([ONE], tmp_path / "data")

    def drafts_only(body):
        reply = provider(body)
        if "drafted_response" not in body["messages"][-1]["content"]:
            stopped.wait(30)
        return reply

    ledger = tmp_path / "out" / "calls.jsonl"
    words = ["run", "--data", tmp_path / "data", "--model", SERVED, "--out", tmp_path / "out"]
    with serving(drafts_only) as server:
        env = os.environ | {"LOCAL_BASE_URL": server.base_url, "LOCAL_API_KEY": "none"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([*COMMAND, *words], env=env, text=True, **pipes) as run:
            try:
                until(lambda: ledger.exists() and ledger.read_bytes().count(b"\n") == 2 and len(server.requests) == 9)
                run.send_signal(how)
                out, err = run.communicate(timeout=30)
            finally:
                stopped.set()
                run.kill()
    rows = [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]
    assert [(row["call"], row["state"]) for row in rows[:2]] == [("draft", "parsed")] * 2
    assert out == ""
    assert (tmp_path / "out" / "records.jsonl").read_bytes() == b""
    if how == signal.SIGINT:
        assert run.returncode == 1
        assert "attunebench: the run could not go on after 2 of 9 calls: it was interrupted\n" in err
        assert err.endswith("what was answered is kept: the same command goes on from there\n")
        assert "Traceback" not in err


def until(done):
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline, "the run did not get there"
        time.sleep(0.05)
