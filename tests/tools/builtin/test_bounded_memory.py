"""File and HTTP tools take bounded memory, whatever the file or the server gives."""

from __future__ import annotations

import gzip
import subprocess
import sys

import pytest

from tests.http_servers import QuietHandler, serving, url_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MAX_KIB = 60_000
"""How much a call may add to what importing takes; process and call together stay below 150 MB."""

PROGRAM = """
import re, sys
from avionics.tools.builtin import build_builtin_tools
from avionics.tools.builtin.web import FetchTool
from pathlib import Path
tools = {tool.name: tool for tool in build_builtin_tools(Path(sys.argv[1]))}
tools["web.fetch"] = FetchTool(("127.0.0.0/8",))
tools["web.fetch"].execute(url="http://127.0.0.1:1/", timeout=5)
def peak():
    # ru_maxrss would be inherited from the process that started this one.
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
before = peak()
result = tools[sys.argv[2]].execute(**eval(sys.argv[3]))
print(peak() - before, peak())
"""


class Endless(QuietHandler):
    """Sends 300 MB, plain or as a gzip file of 300 KB."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        if self.path == "/packed":
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        try:
            if self.path == "/packed":
                self.wfile.write(gzip.compress(bytes(300_000_000), 1))
            else:
                for _ in range(300):
                    self.wfile.write(b"x" * 1_000_000)
        except OSError:
            pass


@pytest.fixture(scope="module")
def address():
    with serving(Endless) as server:
        yield url_of(server)


def grow(place, tool, **arguments) -> int:
    command = [sys.executable, "-c", PROGRAM, place, tool, repr(arguments)]
    grown, whole = map(int, subprocess.run(command, capture_output=True, check=True).stdout.split())
    assert whole < 150_000
    return grown


@pytest.mark.parametrize("path", ["/plain", "/packed"])
def test_an_endless_response(address, path, tmp_path):
    assert grow(tmp_path, "web.fetch", url=address + path) < MAX_KIB


def test_a_huge_file(tmp_path):
    with (tmp_path / "huge.txt").open("wb") as huge:
        huge.truncate(2_000_000_000)
    assert grow(tmp_path, "filesystem.read_file", path="huge.txt") < MAX_KIB


def test_a_directory_of_many_files(tmp_path):
    for number in range(5_000):
        (tmp_path / f"{number:040}.txt").touch()
    assert grow(tmp_path, "filesystem.list_directory", path=".", recursive=True) < MAX_KIB


def test_a_text_of_many_records(tmp_path):
    assert grow(tmp_path, "data.parse_csv", data="a,b\n" + "1,2\n" * 20_000) < MAX_KIB
