"""A bucket that fails one request in five: everything is indexed, and every answer is right."""

from __future__ import annotations

import json
import threading
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.fleet.conftest import LIBRARY, SHOP


@pytest.fixture
def failing_bucket(monkeypatch):
    """The URL of a bucket whose every fifth request ends with an internal error, and the counts of requests."""
    objects: dict[str, bytes] = {}
    counts = {"asked": 0, "failed": 0}
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self):
            self.answer(self.rfile.read(int(self.headers["content-length"])))

        def do_GET(self):
            self.answer(None)

        do_HEAD = do_GET

        def answer(self, body):
            with lock:
                counts["asked"] += 1
                is_failing = counts["asked"] % 5 == 0
                counts["failed"] += is_failing
            path = self.path.partition("?")[0]
            if is_failing:
                self.reply(500, b"failing")
            elif body is not None:
                objects[path] = body
                self.reply(200, b"")
            elif path not in objects:
                self.reply(404, b"")
            else:
                self.give(objects[path])

        def give(self, whole):
            asked = self.headers.get("range")
            if asked is None:
                self.reply(200, whole)
                return
            start, _, end = asked.removeprefix("bytes=").partition("-")
            part = whole[int(start) : int(end) + 1]
            self.reply(206, part, {"content-range": f"bytes {start}-{int(start) + len(part) - 1}/{len(whole)}"})

        def reply(self, status, content, more=()):
            self.send_response(status)
            digest = md5(content, usedforsecurity=False).hexdigest()
            for name, value in {"etag": f'"{digest}"', "last-modified": formatdate(usegmt=True), **dict(more)}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, value in {
            "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "eu-central-1",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield "s3://facts/avionics", counts
        server.shutdown()


def test_a_bucket_that_fails_one_request_in_five_costs_nothing(
    fleet, failing_bucket, git_repository, capsys, monkeypatch, tmp_path
):
    url, counts = failing_bucket
    assert fleet.run("init", "--bucket", url) == 0
    users = {f"user{number}": SHOP for number in range(4)}
    for name, files in {"shelf": LIBRARY, **users}.items():
        git_repository({**files, "unique.py": f"name = '{name}'\n"}, f"clones/{name}")
    fleet.run("add", str(fleet.clones))
    assert fleet.run("worker", "--drain") == 0
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "fresh"))  # Every content comes from the bucket.
    capsys.readouterr()
    assert fleet.run("refs", "Box.put", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    found = {each["repository"]: [use["line"] for use in each["usages"]] for each in answer["repositories"]}
    assert found == {"shelf": [7], **{name: [6] for name in users}}
    assert answer["coverage"]["failed"] == []
    assert counts["failed"] >= 3
    fleet.run("status")
    assert "failed:" not in capsys.readouterr().out
