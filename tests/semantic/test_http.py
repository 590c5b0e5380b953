"""One pool, patient with busy servers, silent about credentials."""

from __future__ import annotations

import logging
import socket
import time
import traceback
from email.utils import formatdate

import pytest
from msgspec import structs

from avionics.model import ConfigError, RemoteError, Secret
from avionics.semantic.http import HttpClient, shared_http_client

SECRET = Secret("planted-secret-42")
UNSENDABLE = Secret("planted\r\nX-Evil: 1")


@pytest.fixture
def patient(endpoints):
    """A client that notes how long it would have slept."""
    clients = []

    def make(**changes) -> tuple[HttpClient, list[float]]:
        pauses: list[float] = []
        clients.append(HttpClient(structs.replace(endpoints(), http_backoff_seconds=1.0, **changes), pauses.append))
        return clients[-1], pauses

    yield make
    for each in clients:
        each.close()


def ask(client, server, **more):
    return client.ask("the server", "POST", f"{server.url}/x", {"q": 1}, {"Api-Key": SECRET}, **more)


def test_requests_of_everyone_share_one_pool(serve, endpoints):
    server = serve(lambda request: (200, {"got": request.body}))
    settings = endpoints()
    for _ in range(5):
        assert ask(shared_http_client(settings), server) == {"got": {"q": 1}}
    assert len({request.client for request in server.requests}) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again_later_and_later(serve, patient, status):
    server = serve(lambda request: (200, {"fine": True}))
    server.fail(status, times=3)
    client, pauses = patient()
    assert ask(client, server) == {"fine": True}
    assert [0.5 <= pauses[0] <= 1, 1 <= pauses[1] <= 2, 2 <= pauses[2] <= 4] == [True] * 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 501])
def test_a_refusal_is_not_asked_again(serve, patient, status):
    server = serve(lambda request: (status, {"error": {"message": "no such thing"}}))
    client, pauses = patient()
    with pytest.raises(RemoteError) as caught:
        ask(client, server)
    assert (caught.value.status, pauses, len(server.requests)) == (status, [], 1)


def test_a_server_that_stays_busy_is_given_up(serve, patient):
    server = serve(lambda request: (503, {"message": "warming up"}))
    client, pauses = patient(http_attempts=3)
    with pytest.raises(RemoteError, match=r"the server at 127\.0\.0\.1:\d+ answered 503: warming up") as caught:
        ask(client, server)
    assert (len(server.requests), len(pauses), caught.value.hint) == (3, 2, "try again later")


def test_the_server_says_how_long_to_wait(serve, patient):
    server = serve(lambda request: (200, {}))
    asked = time.time()
    server.fail(429, Retry_After="7")
    server.fail(503, Retry_After=formatdate(asked + 9, usegmt=True))
    server.fail(503, Retry_After="soon")
    client, pauses = patient()
    assert ask(client, server) == {}
    # A date has whole seconds, and what has passed since it was written need not be waited for.
    assert pauses == [7.0, pytest.approx(9, abs=1.1 + time.time() - asked), pytest.approx(3, abs=1)]


def test_a_wait_beyond_the_deadline_is_not_begun(serve, patient):
    server = serve(lambda request: (200, {}))
    server.fail(429, Retry_After="3600")
    client, pauses = patient()
    with pytest.raises(RemoteError) as caught:
        ask(client, server)
    assert (pauses, caught.value.hint) == ([], "try again in 3600 s")


def test_a_server_that_hangs_ends_within_the_time_allowed(endpoints, patient):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client, _ = patient(http_timeout_seconds=0.05, http_attempts=2)
        with pytest.raises(RemoteError, match=r"did not answer: no answer within 0\.05 s"):
            client.ask("the server", "GET", f"http://127.0.0.1:{silent.getsockname()[1]}/")


def test_a_server_that_is_not_there_is_an_error(patient):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    client, pauses = patient(http_attempts=2)
    with pytest.raises(RemoteError, match=f"the server at 127.0.0.1:{port} did not answer: ConnectError"):
        client.ask("the server", "GET", f"http://127.0.0.1:{port}/")
    assert len(pauses) == 1


def test_what_is_no_json_is_an_error(serve, patient):
    server = serve(lambda request: (200, {}))
    server.fail(200, body=b"<html>hello</html>")
    client, _ = patient()
    with pytest.raises(RemoteError, match="answered 200: the response is not JSON"):
        ask(client, server)


def test_a_redirect_is_not_followed(serve, patient):
    thief, server = serve(lambda request: (200, {})), serve(lambda request: (200, {}))
    server.fail(307, Location=f"{thief.url}/x")
    client, _ = patient()
    with pytest.raises(RemoteError, match="answered 307"):
        ask(client, server)
    assert thief.requests == []


def test_no_cookie_is_kept_for_the_next_account(serve, patient):
    server = serve(lambda request: (200, {}))
    server.fail(200, body=b"{}", Set_Cookie="session=of-somebody-else")
    client, _ = patient()
    ask(client, server)
    ask(client, server)
    assert "cookie" not in server.requests[1].headers


@pytest.mark.parametrize(
    "url", ["", "ftp://x/", "x", "http://", "http://[::1", "http://h:99999/", "file:///etc/passwd"]
)
def test_a_url_that_is_none_is_named_without_being_shown(patient, url):
    client, _ = patient()
    with pytest.raises(ConfigError, match="the URL of the server is invalid"):
        client.ask("the server", "GET", url)


@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_a_credential_the_server_quotes_goes_no_further(serve, patient, caplog, status):
    caplog.set_level(logging.DEBUG)
    quoting = {"error": {"message": f"the key {SECRET.reveal()} of Bearer {SECRET.reveal()} is wrong"}}
    server = serve(lambda request: (status, quoting))
    client, _ = patient(http_attempts=2)
    url = f"{server.url.replace('//', '//user:planted-secret-42@')}/x"
    with pytest.raises(RemoteError) as caught:
        client.ask("the server", "POST", url, {}, {"Authorization": Secret(f"Bearer {SECRET.reveal()}")})
    assert server.requests[0].headers["authorization"] == "Bearer planted-secret-42"
    seen = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value)) + caplog.text
    assert "planted" not in seen
    assert caught.value.__context__ is None


def test_a_credential_that_cannot_be_sent_is_not_shown(serve, patient):
    server = serve(lambda request: (200, {}))
    client, _ = patient(http_attempts=1)
    with pytest.raises(RemoteError) as caught:
        client.ask("the server", "GET", server.url, secrets={"Api-Key": UNSENDABLE})
    assert "planted" not in "".join(traceback.format_exception(caught.value))
    assert server.requests == []


def test_credentials_in_a_url_are_sent_as_a_header(serve, patient, caplog):
    caplog.set_level(logging.DEBUG)
    server = serve(lambda request: (200, {}))
    client, _ = patient()
    client.ask("the server", "GET", f"{server.url.replace('//', '//ada:pl%40nted@')}/x?y=1")
    (request,) = server.requests
    assert (request.path, request.headers["authorization"]) == ("/x?y=1", "Basic YWRhOnBsQG50ZWQ=")
    assert "nted" not in caplog.text
