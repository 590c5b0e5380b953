"""A server about a fleet: its tools over MCP, webhooks with checked signatures, readiness and metrics."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import http.client
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest
from mcp import Client

from avionics.fleet.work import WorkQueue
from tests.timing import PATIENCE_SECONDS, wait_until

SECRET = "planted-webhook-secret"
BEARER = "planted-server-token"


@contextmanager
def serve(fleet, program=(sys.executable, "-m", "avionics"), **environment):
    command = [*program, "serve", "--fleet", fleet.url, "--transport", "http", "--port", "0"]
    given = {**os.environ, "AVIONICS_WEBHOOK_SECRET": SECRET, **environment}
    with subprocess.Popen(command, env=given, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stderr.readline()
            assert line.startswith("serving at "), line + process.stderr.read()
            yield line.removeprefix("serving at ").strip()
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_SECONDS)


def send(address, method, path, body=b"", **headers):
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE_SECONDS)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def sign(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def push(kind: str, name: str, secret: str = SECRET) -> tuple[bytes, dict[str, str]]:
    """A push as a forge sends it: body and headers."""
    if kind == "gitlab":
        body = json.dumps({"project": {"path_with_namespace": name, "git_http_url": "https://h/x.git"}}).encode()
        return body, {"x_gitlab_token": secret, "x_gitlab_event": "Push Hook"}
    body = json.dumps({"repository": {"full_name": name, "clone_url": "https://h/x.git"}}).encode()
    if kind == "gitea":
        return body, {"x_gitea_signature": sign(body, secret), "x_gitea_event": "push"}
    return body, {"x_hub_signature_256": f"sha256={sign(body, secret)}", "x_github_event": "push"}


@pytest.fixture
def address(stocked):
    with serve(stocked) as found:
        yield found


@pytest.fixture(scope="module")
def asked_address(asked_fleet):
    """A server of which the tests share the answers: nothing they do queues a push."""
    with serve(asked_fleet) as found:
        yield found


def waiting(fleet) -> int:
    return WorkQueue(fleet.url, lambda number: True, lambda number, text: None).get_state().waiting


def test_agents_ask_the_fleet(asked_address, asked_fleet):
    async def tour():
        async with Client(asked_address) as client:
            names = {each.name for each in (await client.list_tools()).tools}
            assert names == {"ask", "impact", "list_repositories", "locate", "refs", "search_code"}
            asked = {
                "ask": {"question": "who uses Box.put?"}, "refs": {"symbol": "Box.put"}, "locate": {"symbol": "sell"},
                "search_code": {"query": "sell box"}, "impact": {"symbols": ["Box.put", "nothing"]},
                "list_repositories": {},
            }  # fmt: skip
            return {name: (await client.call_tool(name, given)).content[0].text for name, given in asked.items()}

    said = asyncio.run(asyncio.wait_for(tour(), PATIENCE_SECONDS))
    found = asked_fleet.catalogue.list_repositories()
    shop = next(f"shop@{each.revision[:12]}" for each in found if each.name == "shop")
    for name in ("ask", "refs", "impact"):
        assert f"{shop}:shop.py:6" in said[name]
    for name in ("locate", "search_code"):
        assert f"{shop}:shop.py:4" in said[name]
    assert f"{shop} (" in said["list_repositories"]
    assert "no repository defines 'nothing'" in said["impact"]
    assert "vault" not in "".join(said.values())


def test_a_signed_push_is_queued(address, stocked):
    for count, (kind, name) in enumerate((("github", "shop"), ("gitlab", "shelf"), ("gitea", "stranger")), 1):
        body, headers = push(kind, name)
        for _ in range(2):  # The second time it waits already.
            assert send(address, "POST", f"/webhooks/{kind}", body, **headers)[0] == 202
            assert waiting(stocked) == count
    assert "avionics_fleet_pushes_queued_total 3\n" in send(address, "GET", "/metrics")[1]


def test_an_unsigned_push_is_refused(asked_address, asked_fleet):
    for kind in ("github", "gitlab", "gitea"):
        for secret in ("wrong", ""):
            body, headers = push(kind, "shop", secret)
            assert send(asked_address, "POST", f"/webhooks/{kind}", body, **headers)[0] == 401
        body, headers = push(kind, "shop")
        if kind != "gitlab":  # Its token does not cover the body.
            assert send(asked_address, "POST", f"/webhooks/{kind}", body + b" ", **headers)[0] == 401
        assert send(asked_address, "POST", f"/webhooks/{kind}", body)[0] == 401
    assert waiting(asked_fleet) == 0


def test_without_a_secret_nothing_is_accepted(stocked):
    with serve(stocked, AVIONICS_WEBHOOK_SECRET="") as address:
        body, headers = push("github", "shop", "")
        assert send(address, "POST", "/webhooks/github", body, **headers)[0] == 401
    assert waiting(stocked) == 0


def test_a_malformed_push_queues_nothing(asked_address, asked_fleet):
    rows = ((b"{", 400), (b"[]", 202), (b"{}", 202), (b'{"repository": 3}', 202), (b"[" * 100_000, 400))
    for body, status in rows:
        headers = {"x_hub_signature_256": f"sha256={sign(body)}", "x_github_event": "push"}
        assert send(asked_address, "POST", "/webhooks/github", body, **headers)[0] == status
    assert waiting(asked_fleet) == 0


def test_other_events_and_unknown_repositories_look_the_same(asked_address, asked_fleet):
    body, headers = push("github", "unknown")
    unknown = send(asked_address, "POST", "/webhooks/github", body, **headers)
    body, headers = push("github", "shop")
    assert send(asked_address, "POST", "/webhooks/github", body, **{**headers, "x_github_event": "ping"}) == unknown
    assert waiting(asked_fleet) == 0


def test_a_webhook_needs_no_token_and_nothing_else_goes_without(stocked):
    with serve(stocked, AVIONICS_TOKEN=BEARER) as address:
        body, headers = push("github", "shop")
        assert send(address, "POST", "/webhooks/github", body, **headers)[0] == 202
        assert send(address, "GET", "/healthz")[0] == 200
        assert send(address, "GET", "/readyz") == (200, "ready\n")
        assert send(address, "GET", "/metrics")[0] == 401
        assert send(address, "GET", "/webhooks/github")[0] == 401
        status, counts = send(address, "GET", "/metrics", authorization=f"Bearer {BEARER}")
    assert status == 200
    assert 'avionics_fleet_repositories{state="indexed"} 4\n' in counts
    assert 'avionics_fleet_jobs{state="waiting"} 1\n' in counts


def test_it_is_not_ready_without_its_tables(stocked, address):
    with psycopg.connect(stocked.url) as connection:
        connection.execute("ALTER TABLE fleet_settings RENAME TO elsewhere")
    assert send(address, "GET", "/readyz") == (503, "not ready\n")
    assert send(address, "GET", "/healthz")[0] == 200


OBSERVED = """
import sys
from opentelemetry.metrics import set_meter_provider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
exporter = ConsoleMetricExporter(out=open(sys.argv[1], "a"), formatter=lambda data: data.to_json(indent=None) + "\\n")
set_meter_provider(MeterProvider([PeriodicExportingMetricReader(exporter, export_interval_millis=200)]))
from avionics.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
"""Runs avionics with an SDK that an application would bring, as `opentelemetry-instrument` does."""


def read_exported(file) -> dict[str, dict[tuple[str, ...], float]]:
    """Return name → labels → value of the last report."""
    lines = file.read_text().splitlines() if file.exists() else []
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for scope in json.loads(lines[-1])["resource_metrics"][0]["scope_metrics"] if lines else ():
        for metric in scope["metrics"] if scope["scope"]["name"] == "avionics" else ():
            points = metric["data"]["data_points"]
            found[metric["name"]] = {tuple(each["attributes"].values()): each["value"] for each in points}
    return found


def test_a_server_and_a_worker_report_by_opentelemetry(stocked, tmp_path):
    pytest.importorskip("opentelemetry.sdk")
    served, worked = tmp_path / "served", tmp_path / "worked"
    program = [sys.executable, "-c", OBSERVED]
    with serve(stocked, [*program, str(served)]) as address:
        body, headers = push("github", "shop")
        assert send(address, "POST", "/webhooks/github", body, **headers)[0] == 202
        assert send(address, "POST", "/webhooks/github", b"{}")[0] == 401
        wait_until(lambda: read_exported(served).get("avionics_fleet_pushes_queued") == {(): 1}, "the push is counted")
        wait_until(lambda: "avionics_requests_refused" in read_exported(served), "the refusal is counted")
        reported = read_exported(served)
        shown = send(address, "GET", "/metrics")[1]
    assert reported["avionics_fleet_repositories"] == {("indexed",): 4, ("waiting",): 0, ("failing",): 0}
    assert reported["avionics_fleet_jobs"] == {("waiting",): 1, ("running",): 0, ("failed",): 0}
    assert reported["avionics_requests_refused"] == {("401",): 1}
    assert 'avionics_requests_refused_total{status="401"} 1\n' in shown
    command = ["fleet", "worker", "--drain", "--fleet", stocked.url]
    subprocess.run([*program, str(worked), *command], check=True, stdout=subprocess.DEVNULL)
    assert read_exported(worked)["avionics_worker_jobs"] == {("indexed",): 1}


def test_numbers_that_cannot_be_read_are_left_out(stocked, address):
    with psycopg.connect(stocked.url) as connection:
        connection.execute("ALTER TABLE repositories RENAME TO elsewhere")
    status, shown = send(address, "GET", "/metrics")
    assert status == 200
    assert "avionics_fleet_pushes_queued_total 0\n" in shown
    assert "avionics_fleet_repositories{" not in shown
