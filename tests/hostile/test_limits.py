"""Bounds: no network, no growth, no file that costs more than files cost, and right answers to many at once."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client

from avionics.sandbox.landlock import get_landlock_version, start_sandboxed
from avionics.syntax.engine.budget import TOO_COSTLY
from tests.hostile.arena import ROOT, McpServer, read_mcp
from tests.hostile.repositories import Repository, make
from tests.processes import is_running
from tests.timing import PATIENCE_SECONDS, wait_until, within_cost

on_linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux")

WITHOUT_NETWORK = """
import sys, pytest
FORBIDDEN = {f"socket.{name}" for name in ("connect", "bind", "getaddrinfo", "gethostbyname", "sendto", "sendmsg")}

def refuse(event, arguments):
    if event in FORBIDDEN:
        raise SystemExit(f"used the network: {event} {arguments}")

sys.addaudithook(refuse)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *sys.argv[1:]]))
"""
OFFLINE = ("tests/test_workspace.py", "tests/tools/composite", "tests/tools/unified", "tests/history/test_log.py",
           "tests/source/test_search_engines.py", "tests/cli/test_main.py")  # fmt: skip
"""A part of the suite that passes through every package; AVIONICS_LONG_TESTS runs all that needs no server."""


def test_the_suite_passes_with_sockets_forbidden():
    is_long = os.environ.get("AVIONICS_LONG_TESTS")
    asked = (
        ("tests/tools/internal", "tests/index", "tests/store", *OFFLINE)
        if is_long
        else ("tests/test_workspace.py", "tests/history/test_log.py")
    )
    done = subprocess.run([sys.executable, "-c", WITHOUT_NETWORK, *asked], cwd=ROOT, env={**os.environ,
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert "used the network" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stdout[-2_000:]


@on_linux
def test_many_calls_leave_files_and_memory_where_they_were(arena):
    control = make(arena, "control")
    server = McpServer(arena, arena.base / "cache", {"control": control})
    calls = [("locate", {"symbol": "Cart"}), ("git_status", {}), ("grep_search", {"pattern": "def"}), ("read_code",
             {"path": "../x"}),
             ("explain_code_history", {"path": "src/app.py"}), ("analyze", {"query": "where is the cart"})]  # fmt: skip

    def ask(times: int) -> None:
        for number in range(times):
            tool, given = calls[number % len(calls)]
            read_mcp(server.call(tool, given))

    ask(60)
    before = held(server.process.pid)
    ask(120)
    files, kilobytes = held(server.process.pid)
    assert files <= before[0]
    assert kilobytes - before[1] < 4_000, "grew by more than 33 KB a call"
    said = server.close()
    assert (said.code, said.left) == (0, ())


def held(pid: int) -> tuple[int, int]:
    """Open files, and resident kilobytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    resident = next(int(line.split()[1]) for line in status.split("\n") if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{pid}/fd")), resident


def test_thirty_two_clients_at_once_get_right_answers(arena):
    root = arena.base / "repos" / "many"
    root.mkdir()
    repository = Repository(arena, root)
    for number in range(32):
        repository.write(f"m{number}.py", f"def only_{number}():\n    return {number}\n")
    command = [sys.executable, "-m", "avionics.cli", "serve", "--repo", str(root), "--transport", "http", "--port", "0"]
    process = subprocess.Popen(
        command, cwd=arena.base, env=arena.environment(arena.base / "cache-many"), stderr=subprocess.PIPE, text=True
    )
    address = process.stderr.readline().removeprefix("serving at ").strip()

    async def ask(number: int) -> None:
        async with Client(address) as client:
            for turn in (number, (number + 7) % 32):
                found = await client.call_tool("locate", {"symbol": f"only_{turn}"})
                assert f"m{turn}.py:1" in found.content[0].text

    async def ask_all() -> None:
        await asyncio.wait_for(asyncio.gather(*map(ask, range(32))), PATIENCE_SECONDS)

    try:
        asyncio.run(ask_all())
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_SECONDS)


BOMBS = {
    "names": "class " + "A" * 300_000 + ":\n" + "".join(f" def a{i}(self):0\n" for i in range(2_000)),
    "wide": "é = 1; " + "x = 1; " * 60_000, "continued": "\\\n" * 20_000,
    "cases": "match x:\n" + " case a: pass\n" * 20_000,
    "quoted": "".join(f"x{i}: 'int'\n" for i in range(10_000)), "opened": "(" * 300_000, "errors": ") " * 300_000,
    "deep": "".join(" " * depth + "if x:\n" for depth in range(600)) + " " * 600 + "only_here()\n",
    "classes": "".join(" " * depth + f"class C{depth}:\n" for depth in range(600)) + " " * 600 + "only_here()\n",
    "strings": "x = " + "'a' " * 100_000, "comprehended": "x = " + "[" * 2_000 + "y" + " for y in z]" * 2_000,
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_no_file_costs_more_than_files_cost(name, arena, ask):
    root = arena.base / "repos" / f"bomb-{name}"
    root.mkdir()
    repository = Repository(arena, root)
    repository.control()
    repository.write("bomb.py", BOMBS[name] + "\n\n\ndef beside():\n    return Cart\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for tool, given, outcomes in (
        ("find_symbol", {"name": "Cart"}, {"success"}),
        ("find_references", {"symbol": "Cart"}, {"success", "partial"}),
        ("get_file_symbols", {"path": "bomb.py", "budget": 500}, {"success", "partial", "not_found", "error"}),
    ):
        assert within_cost(500, ask, root, tool, attempts=1, **given)["class"] in outcomes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


AMBIGUOUS = {
    "c": ("x=>", "int lonely(void) { return 1; }\n"),
    "cs": ("=<a", "class A { int lonely() { return 1; } }\n"),
    "java": ("x=>", "class A { int lonely() { return 1; } }\n"),
}
"""Ending → what its parser reads in ever more ways at once, and a definition."""


@on_linux
@pytest.mark.parametrize("ending", AMBIGUOUS)
def test_a_file_that_ends_its_parser_ends_nothing_else(ending, arena, ask):
    """A few kilobytes take the parser gigabytes: in a process of its own, which may have 150 MB for them."""
    nonsense, definition = AMBIGUOUS[ending]
    root = arena.base / "repos" / f"ambiguous-{ending}"
    root.mkdir()
    repository = Repository(arena, root)
    repository.write(f"a.{ending}", definition)
    repository.write(f"bomb.{ending}", nonsense * (9_000 // len(nonsense)) + " lonely ")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    uses = ask(root, "find_references", symbol="lonely")["data"]["coverage"]
    assert uses["certainty"] == "at_least"
    assert any(f"bomb.{ending}" in reason for reason in uses["because"])
    shown = ask(root, "parse_symbols", path=f"bomb.{ending}")
    assert TOO_COSTLY in shown["text"]
    assert ask(root, "parse_symbols", path=f"a.{ending}")["class"] == "success"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


@on_linux
def test_whoever_reads_files_can_write_none_and_ends_with_its_parent():
    program = (
        "import time; from avionics.index.facts.worker_pool import get_pool, read_outline\n"
        "read_outline(b'a = 1', 'python'); print(get_pool().first._process.pid, flush=True); time.sleep(3600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    pid = int(parent.stdout.readline())
    limits = Path(f"/proc/{pid}/limits").read_text()
    status = Path(f"/proc/{pid}/status").read_text()
    assert "Max file size             0" in limits
    assert "Max core file size        0" in limits
    assert "NoNewPrivs:\t1" in status or not get_landlock_version()
    parent.kill()
    parent.communicate()
    wait_until(lambda: not is_running(pid), "the reader has ended")


@on_linux
def test_what_a_reader_kept_takes_nothing_from_what_a_file_may_take():
    """A reader had so much memory for its life, and after some 20,000 files could read no other."""
    program = (
        "import sys; from pathlib import Path; from avionics.sandbox.landlock import restrict_this_process\n"
        "from avionics.sandbox.limits import raise_limits\n"
        "restrict_this_process((Path(sys.prefix), Path(sys.base_prefix)))\n"
        "kept = [bytearray(40_000_000)]\n"
        "raise_limits(5, 30_000_000); kept.append(bytearray(20_000_000)); print('more')\n"
        "try: kept.append(bytearray(40_000_000))\n"
        "except MemoryError: print('bounded')\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (told.stdout, told.stderr) == ("more\nbounded\n", "")


def test_what_could_not_be_read_is_never_counted_as_unused(arena, ask):
    """A file that is too costly to parse mentions the name: its use is not denied."""
    root = arena.base / "repos" / "unread"
    root.mkdir()
    repository = Repository(arena, root)
    repository.write("a.py", "def lonely():\n    return 1\n")
    repository.write("b.py", "\\\n" * 30_000 + "from a import lonely\n\nlonely()\n")
    answer = ask(root, "find_references", symbol="lonely")
    assert answer["data"]["coverage"]["certainty"] != "exact" or answer["data"]["coverage"]["found"]


def test_many_files_in_one_directory_and_deep_directories_are_walked(arena, ask):
    root = arena.base / "repos" / "large"
    (root / "flat").mkdir(parents=True)
    for number in range(8_000):
        os.close(os.open(root / "flat" / f"f{number}.txt", os.O_CREAT | os.O_WRONLY))
    here = os.getcwd()
    try:
        os.chdir(root)
        for _ in range(600):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
    (root / "a.py").write_text("def here(): ...\n")
    assert ask(root, "find_symbol", name="here")["class"] in {"success", "partial"}
    assert ask(root, "list_files", budget=500)["class"] in {"success", "partial"}
    assert len(ask(root, "glob_files", pattern="**", budget=500)["text"]) < 4_000


@on_linux
def test_a_child_opens_nothing_but_what_it_is_given(tmp_path):
    secret, given = tmp_path / "secret", tmp_path / "given"
    secret.write_text("SECRET")
    given.write_text("GIVEN")
    command = ["/bin/cat", str(given), str(secret)]
    out = start_sandboxed(lambda: subprocess.run(command, capture_output=True, check=False), (given,))
    assert out.stdout == (b"GIVEN" if get_landlock_version() else b"GIVENSECRET")
    assert secret.read_text() == "SECRET", "the process itself is not bound"


def test_every_answer_of_the_command_line_is_one_document(arena):
    control = (
        make(arena, "control") if not (arena.base / "repos" / "control").exists() else arena.base / "repos" / "control"
    )
    words = [["run"], ["run", "\x1b[31m", "--json"], ["ask", "", "--json"], ["run", "locate", "-p", "x", "--json"],
             ["--json"],
             ["run", "locate", "-p", "symbol=\udcff", "--json", "--repo", str(control)], ["nosuch",
             "--json"]]  # fmt: skip
    for each in words:
        done = subprocess.run([sys.executable, "-m", "avionics.cli", *each], cwd=control, capture_output=True,
        check=False,
                              env=arena.environment(arena.base / "cache"), stdin=subprocess.DEVNULL)  # fmt: skip
        assert b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
        if len(each) > 1:
            json.loads(done.stdout)
