"""A temporary directory is gone when its owner is, whatever was left in it and however this process ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from avionics.scratch import ScratchDirectory, remove_tree
from tests.timing import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are confined on Linux")
ROOT = Path(__file__).parents[1]

LEAVING = """
import sys
from avionics.settings import Settings
from avionics.tools.builtin.python import PythonTool
from avionics.tools.executor import ToolExecutor
from avionics.tools.registry import ToolRegistry
from avionics.model import ToolCall, ToolContext

registry = ToolRegistry()
registry.register_tool(PythonTool())
call = ToolCall("python.execute", {"code": sys.argv[1]})
result = ToolExecutor(registry, (), settings=Settings()).run(call, ToolContext(timeout_seconds=0.5))
assert result.error_type == "deadline", result
"""

HOLDING = """
import time
from avionics.scratch import ScratchDirectory

with ScratchDirectory("test") as path:
    print(path, flush=True)
    time.sleep(3600)
"""


def start(code, *arguments, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": more.pop("directory")}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=environment, **more)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary directories are made, and nothing else is."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_a_new_directory_that_is_removed_when_the_block_ends_however_it_ends(temporary):
    with ScratchDirectory("test") as first, ScratchDirectory("test") as second:
        assert first != second
        (first / "left.txt").write_text("x")
        assert {first, second} == set(temporary.iterdir())
    with pytest.raises(KeyError), ScratchDirectory("test"):
        raise KeyError
    assert list(temporary.iterdir()) == []


def test_directories_deeper_than_the_stack_or_closed_to_us_are_removed_and_links_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("x")
    top = tmp_path / "top"
    (top / "closed" / "inside").mkdir(parents=True)
    (top / "closed" / "inside" / "file").write_text("x")
    (top / "closed" / "inside").chmod(0)
    (top / "closed").chmod(0o500)
    (top / "link").symlink_to(outside)
    (top / "dangling").symlink_to("nowhere")
    deep = os.open(top, os.O_RDONLY)
    for _ in range(1_100):
        os.mkdir("d", dir_fd=deep)
        below = os.open("d", os.O_RDONLY, dir_fd=deep)
        os.symlink(outside, "link", dir_fd=below)
        os.close(deep)
        deep = below
    os.close(deep)
    remove_tree(top)
    assert [each.name for each in tmp_path.iterdir()] == ["outside"]
    assert (outside / "kept.txt").read_text() == "x"


@pytest.mark.parametrize(
    "code",
    ["import time; time.sleep(3600)", "import itertools\nfor n in itertools.count(): open(f'f{n}', 'w').close()"],
    ids=["sleeping", "writing"],
)
def test_a_process_that_ends_while_a_program_runs_leaves_nothing(tmp_path, code):
    with start(LEAVING, code, directory=str(tmp_path)) as process:
        assert process.wait(PATIENCE_SECONDS) == 0
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_in_use_is_not(temporary):
    def hold():
        process = start(HOLDING, directory=str(temporary), stdout=subprocess.PIPE, text=True)
        return process, Path(process.stdout.readline().strip())

    (killed, left), (alive, used) = hold(), hold()
    killed.send_signal(signal.SIGKILL)
    with killed, alive:
        killed.wait(PATIENCE_SECONDS)
        strangers = temporary / "avionics-scratch-file"
        strangers.write_text("not a directory")
        long_ago = time.time() - 3600
        for path in (left, used, strangers):
            os.utime(path, (long_ago, long_ago))
        with ScratchDirectory("test") as mine:
            assert set(temporary.iterdir()) == {used, mine, strangers}
        alive.terminate()
        alive.wait(PATIENCE_SECONDS)


def test_what_a_killed_process_left_a_moment_ago_may_be_another_one_s_and_stays(temporary):
    fresh = temporary / "avionics-scratch-fresh"
    fresh.mkdir()
    with ScratchDirectory("test"):
        assert fresh.is_dir()


CREATING_AT_EXIT = """
import sys, threading, time
from pathlib import Path
import avionics.scratch as scratch
from avionics.process_end import end_process

def lock_slowly(descriptor, lock=scratch._lock):
    time.sleep(0.5)
    return lock(descriptor)

scratch._lock = lock_slowly
threading.Thread(target=scratch.ScratchDirectory, args=("late", sys.argv[1]), daemon=True).start()
while not any(Path(sys.argv[1]).iterdir()):
    time.sleep(0.001)
end_process(0)
"""


def test_a_directory_that_a_thread_creates_while_the_process_ends_is_removed(tmp_path):
    subprocess.run([sys.executable, "-c", CREATING_AT_EXIT, tmp_path], check=True, timeout=PATIENCE_SECONDS)
    assert list(tmp_path.iterdir()) == []
