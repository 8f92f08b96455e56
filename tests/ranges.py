"""A small web server on loopback that gives parts of a folder's files, and remembers which."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from servers import running


@dataclass(frozen=True)
class Served:
    """A request for a file: from which byte to before which, none of the whole."""

    path: str
    start: int | None
    end: int | None


@dataclass
class RangeServer:
    """A running server, and what it was asked for."""

    url: str
    served: list[Served] = field(default_factory=list)


@contextmanager
def serving_ranges(folder: Path) -> Iterator[RangeServer]:
    """Serve a folder until the block ends."""

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
            file = Path(self.translate_path(self.path))
            start, end = (int(asked[1]), int(asked[2]) + 1) if asked else (None, None)
            server.served.append(Served(self.path, start, end))
            if start is None or not file.is_file():
                super().do_GET()
                return
            part = file.read_bytes()[start:end]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{start + len(part) - 1}/{file.stat().st_size}")
            self.send_header("Content-Length", str(len(part)))
            self.end_headers()
            self.wfile.write(part)

        def end_headers(self) -> None:
            self.send_header("Accept-Ranges", "bytes")
            super().end_headers()

        def log_message(self, *words: object) -> None:
            return

    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    http.daemon_threads = True
    server = RangeServer(f"http://127.0.0.1:{http.server_port}")
    with running(http):
        yield server
