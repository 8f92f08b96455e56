"""A small OpenAI-compatible server on loopback: a function decides each reply, every request is kept."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True)
class Reply:
    """What goes back: an HTTP status, a JSON body (or bytes sent as they are), headers.

    A body that is a function is called with the request's headers. `cut`: the connection is closed in the middle of the
    body.
    """

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


Decide = Callable[[dict[str, Any]], Reply]
"""From a request's JSON body to the reply; called in a thread of its own, so it may wait."""


def completion(
    text: str | None, finish: str = "stop", usage: Mapping[str, Any] | None = USAGE, **message: Any
) -> Reply:
    """A chat completion as OpenAI spells it."""
    said = {"role": "assistant", "content": text, **message}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [{"index": 0, "finish_reason": finish, "message": said}],
    }
    return Reply(200, body if usage is None else body | {"usage": dict(usage)})


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error as OpenAI spells it; by default it asks to come back at once."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()} or {"retry-after-ms": "1"}
    return Reply(status, {"error": {"message": message, "type": "some_error", "code": code}}, headers)


class Server:
    """A running server, the JSON bodies it was sent and when (in s), and how many clients are connected."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.connections = 0
        self.lock = Lock()


@contextmanager
def serving(decide: Decide) -> Iterator[Server]:
    """Serve `POST …/chat/completions` until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def handle(self) -> None:
            with server.lock:
                server.connections += 1
            try:
                super().handle()
            finally:
                with server.lock:
                    server.connections -= 1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with server.lock:
                server.requests.append(body)
                server.times.append(time.monotonic())
            reply = decide(body)
            said = reply.body(dict(self.headers)) if callable(reply.body) else reply.body
            data = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if reply.cut else data)
            self.close_connection |= reply.cut

        def log_message(self, *parts: Any) -> None:
            pass

    class Threads(ThreadingHTTPServer):
        request_queue_size = 256
        daemon_threads = True

        def handle_error(self, *parts: Any) -> None:
            pass  # the client went away

    http = Threads(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{http.server_port}/v1")
    with running(http):
        yield server


@contextmanager
def running(http: HTTPServer) -> Iterator[None]:
    """Let a server answer, in a thread of its own, until the block ends."""
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
