"""A forge on this machine: its API, and its repositories over git's smart protocol, for those who have its token."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import attrs

from tests.http_servers import QuietHandler, serving, url_of

TOKEN = "planted-forge-token"
PAGE = 50


@attrs.define
class Forge:
    """A running forge; `entries` is what its API lists of the owner, by path."""

    url: str
    entries: dict[str, list[dict]]
    seen: list[str]


@contextmanager
def run_forge(repositories: Path) -> Iterator[Forge]:
    """Serve the bare repositories of a directory."""
    forge = Forge("", {}, [])

    class Handler(QuietHandler):
        def do_GET(self):
            self.answer(b"")

        def do_POST(self):
            self.answer(self.rfile.read(int(self.headers.get("content-length") or 0)))

        def answer(self, body):
            parts = urlsplit(self.path)
            given = " ".join(self.headers.get(name, "") for name in ("authorization", "private-token"))
            login = base64.b64decode(given.split()[1]).decode() if given.startswith("Basic ") else given
            forge.seen.append(parts.path)
            if TOKEN not in login:
                self.reply(401, b"no")
            elif parts.path in forge.entries:
                page = int(parse_qs(parts.query)["page"][0])
                self.reply(200, json.dumps(forge.entries[parts.path][(page - 1) * PAGE : page * PAGE]).encode())
            elif "/api/" in parts.path:
                self.reply(404, b"{}")
            else:
                self.serve_git(parts, body)

        def serve_git(self, parts, body):
            environment = {
                "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(repositories), "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": parts.path, "QUERY_STRING": parts.query, "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("content-type", ""), "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""), "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
            }  # fmt: skip
            done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.reply(int(fields.pop("Status", "200").split()[0]), content, fields)

    with serving(Handler) as server:
        forge.url = url_of(server)
        yield forge
