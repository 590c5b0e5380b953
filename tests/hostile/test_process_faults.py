"""What the machine, the cache and the caller's environment may do to a process: it answers, or says why it cannot."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from avionics.settings import Settings
from avionics.store.store import FILE_NAME
from avionics.workspace import Workspace
from tests.processes import children_of
from tests.timing import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[2]
FILES = {"shop/cart.py": "class Cart:\n    pass\n", "shop/app.py": "from shop.cart import Cart\n\nCart()\n"}
on_linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def run(settings: Settings, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "avionics.cli", *map(str, arguments)],
        cwd=ROOT, env={**os.environ, "AVIONICS_CACHE_DIR": str(settings.cache_directory), **environment},
        capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
    )  # fmt: skip


def files_with_cart(root: Path, settings: Settings) -> tuple[str, ...]:
    with Workspace.open(root, settings) as workspace:
        return workspace.code.files_with_word("Cart")


def tables_of(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection, connection:
        return [name for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]  # fmt: skip


def test_a_store_whose_tables_are_emptied_is_rebuilt(directory, settings):
    root = directory(FILES)
    right = files_with_cart(root, settings)
    assert right == ("shop/app.py", "shop/cart.py")
    file = settings.cache_directory / FILE_NAME
    for emptied in [*([each] for each in tables_of(file)), tables_of(file)]:
        connection = sqlite3.connect(file, isolation_level=None)
        for table in emptied:
            connection.execute(f"DELETE FROM {table}")
        connection.close()
        assert files_with_cart(root, settings) == right, emptied
        done = run(settings, "run", "locate", "--param", "symbol=Cart", "--repo", root)
        assert (done.returncode, done.stderr) == (0, ""), emptied
        assert "shop/cart.py:1" in done.stdout, emptied


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_store_that_is_a_link_is_replaced_and_what_it_led_to_is_left_alone(directory, settings, tmp_path, suffix):
    root = directory(FILES)
    files_with_cart(root, settings)
    elsewhere = tmp_path / "elsewhere"
    file = settings.cache_directory / f"{FILE_NAME}{suffix}"
    if file.exists():
        file.rename(elsewhere)
    else:
        elsewhere.write_bytes(b"")
    before = elsewhere.read_bytes()
    file.symlink_to(elsewhere)
    (root / "new.py").write_text("Cart = 1\n")
    assert files_with_cart(root, settings) == ("new.py", "shop/app.py", "shop/cart.py")
    assert elsewhere.read_bytes() == before
    assert not file.is_symlink()


@on_linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_told_to_end_ends_its_workers(directory, settings, number):
    root = directory({f"m{each}.py": f"def f{each}():\n    return [{'1, ' * 20_000}]\n" for each in range(400)})
    command = [sys.executable, "-m", "avionics.cli", "index", "--repo", str(root)]
    environment = {**os.environ, "AVIONICS_CACHE_DIR": str(settings.cache_directory), "AVIONICS_WORKERS": "2"}
    # A suite that nohup or the background of a shell started ignores some signals, and so would what it starts.
    inherited = signal.signal(number, signal.SIG_DFL)
    try:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE)
    finally:
        signal.signal(number, inherited)
    with process:
        workers: list[int] = []
        wait_until(lambda: len(workers) == 2 or workers.__setitem__(slice(None), children_of(process.pid)))
        process.send_signal(number)
        assert process.wait(PATIENCE_SECONDS) == 128 + number
        assert process.stderr.read() == b""
    assert [each for each in workers if Path(f"/proc/{each}").exists()] == []


@on_linux
def test_calls_are_answered_where_no_thread_can_start():
    code = """
import asyncio, json, resource
from avionics.model import ToolCall
from avionics.tools import ToolExecutor, ToolRegistry

registry = ToolRegistry()

@registry.tool(name="double")
def double(number: int) -> dict:
    '''Doubles.'''
    return {"twice": number * 2}

async def ask():
    executor = ToolExecutor(registry)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 4_000_000,) * 2)
    calls = [executor.execute(ToolCall("double", {"number": each})) for each in range(8)]
    return [(each.data or {}).get("twice", each.error) for each in await asyncio.gather(*calls)]

print(json.dumps(asyncio.run(asyncio.wait_for(ask(), 20))))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [each * 2 for each in range(8)]


def test_memory_that_is_spent_is_an_error_with_its_remedy():
    code = """
from avionics.model import ToolCall
from avionics.tools import ToolExecutor, ToolRegistry

registry = ToolRegistry()

@registry.tool(name="fill")
def fill() -> dict:
    '''Fills the memory.'''
    return {"text": "x" * 10**18}

result = ToolExecutor(registry).run(ToolCall("fill", {}))
print(result.error.partition(":")[0], "|", result.hint)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("MemoryError | the memory that this process may use is spent: allow it more"), done


def test_git_of_the_callers_environment_writes_nothing(git_repository, settings, tmp_path):
    root = git_repository(FILES).root
    traced = {name: str(tmp_path / f"{name}.log") for name in ("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE_SETUP")}
    done = run(settings, "run", "git_log", "--repo", root, **traced)
    assert done.returncode == 0, done.stderr
    assert [name for name in traced if Path(traced[name]).exists()] == []


def test_an_empty_directory_is_an_empty_tree(directory, settings):
    root = directory(FILES)
    (root / "void").mkdir()
    done = run(settings, "run", "tree_structure", "--param", "path=void", "--repo", root)
    assert (done.returncode, done.stdout.splitlines()[2]) == (0, "void/  0 files, 0 lines, 0 bytes")
