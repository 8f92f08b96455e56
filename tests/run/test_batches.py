"""Claims about the batch interface: a server on loopback that speaks OpenAI's answers what a run sends through it."""

import json
import re
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from run_examples import SERVED, Provider, conversation, dataset, run_quietly

from attunebench.errors import UsageError
from attunebench.models.settings import Settings
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from servers import running

ONE, TWO = conversation("one", 2), conversation("two", 3)


class BatchServer(BaseHTTPRequestHandler):
    """Takes one file of requests a batch, has it done at once, and gives the replies back the other way round."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path.endswith("/files"):
            lines = re.findall(rb'^\{"custom_id".*\}$', body, re.MULTILINE)
            self.server.files.append([json.loads(line) for line in lines])
            self.send({"id": f"file-{len(self.server.files)}", "object": "file", "bytes": 1, "created_at": 1,
                       "filename": "f", "purpose": "batch", "status": "processed"})  # fmt: skip
        else:
            self.send(self.batch(json.loads(body)["input_file_id"].removeprefix("file-")))

    def do_GET(self):
        if self.path.endswith("/content"):
            number = int(re.search(r"file-(\d+)", self.path)[1])
            self.send(b"\n".join(self.result(line) for line in reversed(self.server.files[number - 1])))
        else:
            self.send(self.batch(self.path.rsplit("-", 1)[1]))

    def batch(self, number):
        return {"id": f"batch-{number}", "object": "batch", "endpoint": "/v1/chat/completions", "status": "completed",
                "input_file_id": f"file-{number}", "completion_window": "24h", "created_at": int(time.time()),
                "output_file_id": f"file-{number}",
                "request_counts": {"total": 1, "completed": 1, "failed": 0}}  # fmt: skip

    def result(self, line):
        body = self.server.provider(line["body"]).body
        return json.dumps({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}}).encode()

    def send(self, answer):
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *parts):
        pass


@contextmanager
def batches(provider):
    server = ThreadingHTTPServer(("127.0.0.1", 0), BatchServer)
    server.provider, server.files = provider, []
    with running(server):
        yield server


def test_all_calls_of_a_run_go_out_together_and_come_back_to_their_places(tmp_path, monkeypatch):
    with batches(Provider([ONE, TWO])) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        plan = RunPlan(
            dataset=dataset(ONE, TWO),
            models=["openai/gpt-4o"],
            out=tmp_path,
            settings=Settings(batch=True, max_connections=1, timeout=1, attempt_timeout=1),
        )
        tally = run_quietly(plan)
    assert [len(file) for file in server.files] == [22]
    assert dict(tally.states) == {"parsed": 22}
    assert {row.latency_s > 1 for row in read_ledger(tmp_path)} == {True}


def test_a_provider_without_a_batch_interface_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with pytest.raises(UsageError) as caught:
        run_quietly(RunPlan(dataset=dataset(ONE), models=[SERVED], out=tmp_path / "out", settings=Settings(batch=True)))
    assert str(caught.value) == (
        f"--batch: {SERVED} must be of a provider with a batch interface (anthropic, google, grok, openai, together)"
    )
