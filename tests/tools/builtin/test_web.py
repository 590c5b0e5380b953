"""web.fetch: real requests to a local server, and addresses that must not be reached."""

from __future__ import annotations

import gzip
import itertools
import time

import pytest

from avionics.model.errors import SourceError, UsageError
from avionics.tools.builtin.addresses import is_reachable, parse_networks, require_addresses
from avionics.tools.builtin.web import MAX_BODY_BYTES, FetchTool
from tests.http_servers import QuietHandler, serving, url_of

LOOPBACK = ("127.0.0.0/8",)


class Pages(QuietHandler):
    """Answers by path; `/to?…` redirects."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.asked.append(self.path)
        length = int(self.headers.get("content-length", 0))
        given = self.rfile.read(length).decode()
        if path == "/to":
            return self.answer(302, b"", {"location": query})
        if path == "/slow":
            return self.trickle()
        bodies = {
            "/echo": f"{self.command} {self.headers.get('x-mark')} {given}".encode(),
            "/large": b"x" * (MAX_BODY_BYTES + 10),
            "/bomb": gzip.compress(b"\0" * 50_000_000),
            "/image": b"\x89PNG\0",
            "/latin": b"\xe4",
        }
        kinds = {"/image": "image/png", "/latin": "text/plain; charset=latin-1"}
        headers = {"content-type": kinds.get(path, "text/plain; charset=utf-8")}
        if path in {"/bomb", "/odd"}:
            headers["content-encoding"] = "gzip" if path == "/bomb" else "br"
        return self.answer(200 if path in bodies else 404, bodies.get(path, b"?"), headers)

    do_POST = do_PUT = do_DELETE = do_GET

    def answer(self, status, body, headers):
        try:
            self.reply(status, body, headers)
        except OSError:
            self.close_connection = True

    def trickle(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in itertools.count():
            try:
                self.wfile.write(b"x-%d: y\r\n" % number)
                time.sleep(0.1)
            except OSError:
                break
        self.close_connection = True


@pytest.fixture
def server():
    with serving(Pages) as running:
        running.asked = []
        yield running


@pytest.fixture
def url(server):
    return url_of(server)


def fetch(url, allowed=LOOPBACK, **arguments):
    return FetchTool(allowed).execute(url=url, **arguments)


def test_a_page_is_fetched(url):
    output = fetch(f"{url}/echo", method="POST", headers={"X-Mark": "m"}, body="ü")
    assert output.success, output.error
    assert {name: output.data[name] for name in ("url", "status_code", "body", "truncated", "redirects")} == {
        "url": f"{url}/echo",
        "status_code": 200,
        "body": "POST m ü",
        "truncated": False,
        "redirects": [],
    }


def test_an_error_page_is_an_answer(url):
    assert (fetch(f"{url}/none").success, fetch(f"{url}/none").data["status_code"]) == (True, 404)


def test_loopback_is_refused_unless_allowed(url, server):
    output = fetch(f"{url}/echo", allowed=())
    assert output.error == "'127.0.0.1' has the address 127.0.0.1, which is not public"
    assert server.asked == []


@pytest.mark.parametrize(
    "host", ["localhost", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_no_spelling_of_loopback_is_reached(host, server):
    assert not fetch(f"http://{host}:{server.server_port}/echo", allowed=()).success
    assert server.asked == []


def test_a_redirect_is_followed(url):
    output = fetch(f"{url}/to?/echo")
    assert (output.data["url"], output.data["redirects"]) == (f"{url}/echo", [f"{url}/to?/echo"])


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]:{port}/echo",
        "http://10.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
    ],
)
def test_a_redirect_to_where_it_may_not_go_is_refused(url, server, target):
    output = fetch(f"{url}/to?{target.format(port=server.server_port)}")
    assert not output.success
    assert len(server.asked) == 1


def test_redirects_end(url, server):
    target = "/echo"
    for _ in range(8):
        target = f"/to?{target}"
    assert not fetch(f"{url}{target}").success
    assert len(server.asked) == 6


def test_a_name_is_resolved_once_and_the_checked_address_is_the_one_connected_to(server, monkeypatch):
    import socket

    resolve, asked = socket.getaddrinfo, []

    def rebinding(host, port, *rest, **more):
        if host != "rebind.example":
            return resolve(host, port, *rest, **more)
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    output = fetch(f"http://rebind.example:{server.server_port}/echo", allowed=("127.0.0.1/32",))
    assert output.success, output.error
    assert asked == ["rebind.example"]


def test_a_name_with_one_private_address_is_refused(monkeypatch):
    import socket

    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("1.1.1.1", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    assert "which is not public" in fetch("http://mixed.example/").error


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org", "file:///etc/passwd", "example.org", "http://", "http:///x", "http://a b/", "http://\0"],
)
def test_only_addresses_of_the_web_are_fetched(url):
    assert not fetch(url).success


def test_a_large_answer_is_cut(url):
    output = fetch(f"{url}/large")
    assert (len(output.data["body"]), output.data["truncated"]) == (MAX_BODY_BYTES, True)


def test_a_packed_bomb_is_unpacked_no_further_than_the_limit(url):
    output = fetch(f"{url}/bomb")
    assert (output.data["size_bytes"], output.data["truncated"]) == (MAX_BODY_BYTES, True)


def test_an_unknown_packing_is_refused(url):
    assert "encoding 'br'" in fetch(f"{url}/odd").error


def test_what_is_no_text_is_not_shown(url):
    output = fetch(f"{url}/image")
    assert (output.data["body"], output.data["is_text"], output.data["size_bytes"]) == ("", False, 5)


def test_the_page_says_how_it_is_encoded(url):
    assert fetch(f"{url}/latin").data["body"] == "ä"


def test_a_server_that_trickles_is_left_in_time(url):
    output = fetch(f"{url}/slow", timeout=0.5)
    assert output.metadata["error_type"] == "DeadlineExceededError"


def test_no_proxy_of_the_environment_is_used(url, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:9")
    assert fetch(f"{url}/echo").success


@pytest.mark.parametrize("arguments", [{"timeout": 0}, {"timeout": 301}, {"method": "TRACE"}, {"method": "CONNECT"}])
def test_bounds_hold(arguments):
    assert fetch("http://example.org", **arguments).metadata["error_type"] == "ValidationError"


def test_headers_cannot_be_smuggled(url, server):
    assert not fetch(f"{url}/echo", headers={"X": "a\r\nY: b"}).success
    assert server.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "0.0.0.0",
        "168.63.129.16",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.0.192",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:0:1::ffff:ffff",
    ],
)
def test_an_address_that_is_not_public_is_out_of_reach(address):
    assert not is_reachable(address, ())


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_a_public_address_is_within_reach(address):
    assert is_reachable(address, ())


def test_an_allowed_network_is_reached_and_no_other():
    allowed = parse_networks(("10.1.0.0/16", "::1/128"))
    assert [is_reachable(text, allowed) for text in ("10.1.2.3", "10.2.2.3", "::1", "::ffff:10.1.0.1")] == [
        True,
        False,
        True,
        True,
    ]


def test_networks_and_hosts_that_are_none_are_refused():
    with pytest.raises(UsageError, match="not a network"):
        parse_networks(("10.0.0.1/8",))
    with pytest.raises(SourceError, match="unknown host"):
        require_addresses("a" * 300, 80)
