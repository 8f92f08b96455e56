"""Claims about secrets: planted in every setting that can carry one, none is in what a run leaves or prints."""

import base64
import gzip
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass

import pytest
from inspect_ai.log import read_eval_log
from run_examples import SERVED, Provider, conversation

from attunebench.dataset.export import write_conversations
from servers import Reply, completion, serving

ONE = conversation("one", 2)
KEY = 'sk-planted-"key"-0123456789abcdef'
USER, PASSWORD = "planted-user", "planted/pass word"
HEADER = "planted-header-0123456789"
OTHER = "planted-token-0123456789"
BASIC = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
PLANTED = [KEY, "0123456789abcdef", PASSWORD, "planted%2Fpass", BASIC, HEADER, OTHER]
COMMAND = [sys.executable, "-c", "from attunebench.cli import main; main()"]


def echo(status, text="", **more):
    """An answer that holds the headers of the request, and another secret of the machine."""

    def body(headers):
        said = f"{text} {json.dumps(headers)} {KEY} {OTHER} {headers}"
        if status == 200:
            return completion(said).body
        code = "content_filter" if text == "blocked" else None
        return {"error": {"message": said, "type": "x", "code": code, "headers": headers}}

    return Reply(status, body, {"retry-after-ms": "1"}, **more)


@dataclass(frozen=True)
class Left:
    """What a run printed, what it left, and what the server was sent."""

    code: int
    out: str
    err: str
    files: dict[str, bytes]
    authorizations: set[str]

    def everything(self):
        return {**self.files, "stdout": self.out.encode(), "stderr": self.err.encode()}


def command(folder, server, *words, auth=""):
    address = server.base_url.replace("://", f"://{auth}")
    env = os.environ | {
        "LOCAL_BASE_URL": address,
        "LOCAL_API_KEY": KEY,
        "OPENAI_CUSTOM_HEADERS": f"X-Gate: {HEADER}",
        "SOME_TOKEN": OTHER,
        "XDG_DATA_HOME": str(folder / "traces"),
    }
    return subprocess.run([*COMMAND, *words], env=env, cwd=folder, text=True, capture_output=True, check=False)


def left_by(folder, script, auth=""):
    write_conversations([ONE], folder / "data")
    provider, seen = Provider([ONE], script), set()

    def decide(body):
        reply = provider(body)
        said = reply.body

        def note(headers):
            seen.add(headers.get("Authorization") or headers.get("authorization"))
            return said(headers) if callable(said) else said

        return Reply(reply.status, note, reply.headers, reply.cut)

    words = ["run", "--data", "data", "--model", SERVED, "--out", "out", "--log-samples", "--max-retries", "1"]
    with serving(decide) as server:
        ran = command(folder, server, *words, auth=auth)
        done = [ran]
        if ran.returncode == 0:
            done.append(command(folder, server, "score", "--data", "data", "--runs", "out", "--out", "out/scores"))
            done.append(command(folder, server, "report", "out/scores"))
    assert [one.returncode for one in done[1:]] == [0] * len(done[1:])
    out, err = "".join(one.stdout for one in done), "".join(one.stderr for one in done)
    return Left(ran.returncode, out, err, dict(contents(folder)), seen)


def contents(folder):
    """Yield all bytes below a folder: of files, and of what is packed in them."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield str(path), path.read_bytes()
        if path.suffix == ".gz":
            yield f"{path} unpacked", gzip.decompress(path.read_bytes())
        if path.suffix == ".eval":
            assert zipfile.is_zipfile(path)
            yield f"{path} unpacked", read_eval_log(str(path)).model_dump_json().encode()


CREDENTIALS = "planted-user:planted%2Fpass%20word@"
FAULTS = {
    ("one", 1, "draft"): [echo(500)],
    ("one", 1, "review"): [echo(400, "no")],
    ("one", 1, "perspective"): [echo(429)],
    ("one", 1, "pairwise"): [echo(200, "my headers are")],
    ("one", 2, "draft"): [echo(400, "maximum context length")],
    ("one", 2, "review"): [echo(400, "the temperature")],
    ("one", 2, "perspective"): [echo(422)],
    ("one", 2, "pairwise"): [echo(413)],
    ("one", None, "outcome"): [echo(400, "blocked")],
}


@pytest.mark.parametrize("auth", ["", CREDENTIALS])
def test_no_secret_is_in_what_a_run_leaves(tmp_path, auth):
    left = left_by(tmp_path, FAULTS, auth)
    assert left.code == 0, left.err
    assert left.authorizations == {f"Basic {BASIC}" if auth else f"Bearer {KEY}"}  # the server did see it
    assert any("[secret]" in str(text) for name, text in left.files.items() if name.endswith("calls.jsonl"))
    assert any(name.endswith(".eval unpacked") for name in left.files)
    assert any("trace-" in name and b"POST http://127.0.0.1" in text for name, text in left.files.items())
    for name, text in left.everything().items():
        assert [planted for planted in PLANTED if planted.encode() in text] == [], name


@pytest.mark.parametrize("auth", ["", CREDENTIALS])
@pytest.mark.parametrize("status", [401, 403, 404])
def test_no_secret_is_in_what_a_run_leaves_that_cannot_go_on(tmp_path, status, auth):
    left = left_by(tmp_path, {("one", 1, "draft"): [echo(status, "not you")]}, auth)
    assert left.code == 1
    assert left.out == ""
    assert "not you" in left.err
    assert "[secret]" in left.err
    for name, text in left.everything().items():
        assert [planted for planted in PLANTED if planted.encode() in text] == [], name


def test_no_secret_is_in_the_message_of_a_run_that_cannot_start(tmp_path):
    left = started(tmp_path, LOCAL_BASE_URL=f"http://{CREDENTIALS}host:{OTHER}/v1")
    assert left.returncode == 1
    assert left.stderr.startswith(f"attunebench: {SERVED}: ")
    assert left.stderr.count("\n") == 1
    assert not any(planted in left.stderr + left.stdout for planted in PLANTED)


def test_no_secret_is_in_the_message_when_a_key_cannot_be_sent(tmp_path):
    with serving(Provider([ONE])) as server:
        left = started(tmp_path, LOCAL_BASE_URL=server.base_url, LOCAL_API_KEY=f"{KEY}\n")
        assert server.requests == []
    (said,) = {json.loads(line)["error"] for line in (tmp_path / "out" / "calls.jsonl").read_text().splitlines()}
    assert "header value" in said
    assert not any(planted in said + left.stderr + left.stdout for planted in PLANTED)


def started(folder, **settings):
    write_conversations([ONE], folder / "data")
    env = os.environ | {"LOCAL_API_KEY": KEY, "SOME_TOKEN": OTHER} | settings
    words = ["run", "--data", "data", "--model", SERVED, "--out", "out", "--max-retries", "0"]
    return subprocess.run([*COMMAND, *words], env=env, cwd=folder, text=True, capture_output=True, check=False)
