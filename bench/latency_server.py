"""A local chat-completions server that answers after a set latency, and costs next to nothing.

Benchmarks measure what a client adds to the time a model needs, so the server must never be the bottleneck.
It is one process with an `asyncio.Protocol` over keep-alive HTTP/1.1, and reads JSON only for a reply function.

    python bench/latency_server.py --latency 0.5 --port 0        # prints the address

    with latency_server(latency=0.5) as server:
        ...  # point an OpenAI client at server.base_url
        print(server.stats()["seconds"])

`GET /stats` tells what happened since the start, or since the last `POST /reset`: how many requests and
replies there were, the most in flight at once, and the seconds from the first request to the last reply.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import multiprocessing
import random
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

Reply = str | Callable[[dict[str, Any]], str]

DEFAULT_REPLY = json.dumps(
    {
        "drafted_response": "That sounds hard. What would help you most right now?",
        "emotion_tags": [{"emotion": "sadness", "intensity": 3}],
        "binary_om_assessment": {},
        "binary_human_prediction": {},
        "pairwise_selections": {"0": "A", "1": "B", "2": "A"},
        "predicted_post_panas": {"items": {"interested": 4, "distressed": 2}},
        "predicted_panas_delta": {"items": {"interested": 1, "distressed": -1}},
        "conversation_wide": {},
        **dict.fromkeys(("overall_score", "emotional_appropriateness", "helpfulness", "tone_match"), 5),
        "binary_assessment": {},
    }
)
"""Holds the keys of every call, so that one fixed text parses whatever was asked."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds before a reply: always `median`, or log-normal around it when `sigma` is above 0."""

    median: float = 0.5
    sigma: float = 0.0
    seed: int = 0

    def draws(self) -> Callable[[], float]:
        """Return a function that gives the next latency; the same seed gives the same sequence."""
        if self.sigma <= 0:
            return lambda: self.median
        rng, mu = random.Random(self.seed), math.log(self.median)
        return lambda: rng.lognormvariate(mu, self.sigma)


@dataclass(slots=True)
class Stats:
    """Counts since the start or the last reset; the times are `time.monotonic` seconds."""

    requests: int = 0
    replies: int = 0
    in_flight: int = 0
    peak_in_flight: int = 0
    latency_sum: float = 0.0
    first_request: float | None = None
    last_reply: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        """Return all counts, and the seconds from the first request to the last reply."""
        seconds = None
        if self.first_request is not None and self.last_reply is not None:
            seconds = self.last_reply - self.first_request
        return asdict(self) | {"seconds": seconds}


@dataclass(slots=True)
class _Service:
    """What all connections share."""

    reply: Reply
    next_latency: Callable[[], float]
    stats: Stats = field(default_factory=Stats)

    def completion(self, body: bytes) -> bytes:
        text = self.reply if isinstance(self.reply, str) else self.reply(json.loads(body))
        prompt, completion = len(body) // 4 + 1, len(text) // 4 + 1
        return json.dumps(
            {
                "id": f"chatcmpl-{self.stats.requests}",
                "object": "chat.completion",
                "created": 1_700_000_000,
                "model": "latency-server",
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": completion,
                    "total_tokens": prompt + completion,
                },
            }
        ).encode()


def _http(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0


class _Connection(asyncio.Protocol):
    """One keep-alive connection. A request that comes before the last reply waits for its turn."""

    def __init__(self, service: _Service) -> None:
        self._service = service
        self._buffer = bytearray()
        self._busy = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._next_request()

    def _next_request(self) -> None:
        while not self._busy and (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._buffer[:end])
            start = end + 4
            stop = start + _content_length(head)
            if len(self._buffer) < stop:
                return
            body = bytes(self._buffer[start:stop])
            del self._buffer[:stop]
            method, target, *_ = head.split(b" ", 2)
            self._answer(method, target.partition(b"?")[0], body)

    def _answer(self, method: bytes, path: bytes, body: bytes) -> None:
        service = self._service
        if method == b"POST" and path.endswith(b"/chat/completions"):
            self._complete_later(body)
        elif path == b"/stats":
            self._write(_http("200 OK", json.dumps(service.stats.as_dict()).encode()))
        elif method == b"POST" and path == b"/reset":
            service.stats = Stats()
            self._write(_http("200 OK", b"{}"))
        else:
            self._write(_http("404 Not Found", b'{"error": {"message": "no such path"}}'))

    def _complete_later(self, body: bytes) -> None:
        service, now = self._service, monotonic()
        stats, latency = service.stats, service.next_latency()
        stats.requests += 1
        stats.in_flight += 1
        stats.peak_in_flight = max(stats.peak_in_flight, stats.in_flight)
        stats.latency_sum += latency
        if stats.first_request is None:
            stats.first_request = now
        self._busy = True
        reply = _http("200 OK", service.completion(body))
        asyncio.get_running_loop().call_at(now + latency, self._complete, reply, stats)

    def _complete(self, reply: bytes, stats: Stats) -> None:
        self._busy = False
        stats.in_flight -= 1
        if self._write(reply):
            stats.replies += 1
            stats.last_reply = monotonic()
        self._next_request()

    def _write(self, response: bytes) -> bool:
        if self._transport is None or self._transport.is_closing():
            return False
        self._transport.write(response)
        return True


async def serve(latency: Latency, reply: Reply, port: int, ready: Callable[[int], None]) -> None:
    """Serve on 127.0.0.1 until cancelled; `ready` is told the port, which is chosen if `port` is 0."""
    service = _Service(reply, latency.draws())
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(service), "127.0.0.1", port, backlog=1024)
    ready(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server in another process."""

    port: int

    @property
    def root(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return f"{self.root}/v1"

    def stats(self) -> dict[str, Any]:
        """Return the counts since the start or the last reset."""
        with urllib.request.urlopen(f"{self.root}/stats", timeout=10) as response:
            return dict(json.load(response))

    def reset(self) -> None:
        """Start counting anew."""
        urllib.request.urlopen(f"{self.root}/reset", data=b"", timeout=10).close()


def _child(latency: Latency, reply: Reply, port: int, pipe: Connection) -> None:
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(latency, reply, port, pipe.send))


@contextmanager
def latency_server(
    latency: float = 0.5, *, sigma: float = 0.0, seed: int = 0, reply: Reply = DEFAULT_REPLY, port: int = 0
) -> Iterator[RunningServer]:
    """Run a server in its own process for the length of a `with` block.

    A `reply` function gets the request body and must be importable (defined at the top of a module): the
    process is spawned, not forked, since forking a program with threads or an event loop is not safe.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(Latency(latency, sigma, seed), reply, port, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield RunningServer(ours.recv())
    finally:
        process.terminate()
        process.join()
        ours.close()


def main() -> None:
    """Serve until interrupted, and print the address first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--latency", type=float, default=0.5, help="seconds, or the median with --sigma")
    parser.add_argument("--sigma", type=float, default=0.0, help="spread of a log-normal latency; 0 is constant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--reply", default=DEFAULT_REPLY, help="the text of every answer")
    args = parser.parse_args()
    latency = Latency(args.latency, args.sigma, args.seed)
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(latency, args.reply, args.port, lambda port: print(RunningServer(port).base_url, flush=True)))


if __name__ == "__main__":
    main()
