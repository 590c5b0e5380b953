"""HTTP servers on a free port of loopback, which write no log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class QuietHandler(BaseHTTPRequestHandler):
    """Answers requests without a word on standard error."""

    def reply(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole response; to HEAD without its body."""
        self.send_response(status)
        for name, value in {**(headers or {}), "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(handler: type[QuietHandler]) -> Iterator[ThreadingHTTPServer]:
    """Serve until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def url_of(server: ThreadingHTTPServer) -> str:
    """Return where a server is."""
    return f"http://127.0.0.1:{server.server_port}"
