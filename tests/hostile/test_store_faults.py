"""The store, whatever happens to it: it answers as a fresh one would, or is rebuilt; it is never wrong."""

from __future__ import annotations

import os
import random
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from avionics.model import Caller, IndexStateError, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.store.store import FILE_NAME
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace
from tests.hostile.arena import ROOT

IS_LONG = bool(os.environ.get("AVIONICS_LONG_TESTS"))
KILLS = 50 if IS_LONG else 6
FLIPS = 200 if IS_LONG else 25
FILES = {
    f"m{number}.py": f"def f{number}():\n    return {number}\n\n\ndef g{number}():\n    return f{number}()\n"
    for number in range(40)
}
ADMITTED = "what was stored is damaged, and will be rebuilt"
CHILD = """
import sys, time
from pathlib import Path
from avionics.settings import Settings
from avionics.workspace import Workspace
root, cache, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
for turn in range(400):
    (root / f"t{seed}_{turn % 7}.py").write_text(f"def turn{turn}():\\n    return f0()\\n" * (1 + turn % 50))
    with Workspace.open(root, Settings(cache_directory=cache)) as workspace:
        workspace.index()
        workspace.code.load_uses(workspace.code.files)
"""


@pytest.fixture
def root(tmp_path):
    """A small codebase."""
    place = tmp_path / "repository"
    place.mkdir()
    for name, text in FILES.items():
        (place / name).write_text(text)
    return place


def answers(root: Path, cache: Path) -> list[object]:
    """What is said about the codebase: everything but how long it took."""
    with Workspace.open(root, Settings(cache_directory=cache)) as workspace:
        context, executor = ToolContext(Caller("test"), workspace, budget_tokens=0), ToolExecutor(reraise=True)
        calls = [
            ("find_references", {"symbol": "f7"}),
            ("find_symbol", {"name": "g3"}),
            ("find_symbol", {"name": "f0"}),
        ]
        results = [executor.run(ToolCall(name, given), context) for name, given in calls]
        said = [ADMITTED if result.error_type == IndexStateError.code else result.text for result in results]
        try:
            return said + [workspace.code.facts(path).symbols for path in workspace.code.files]
        except IndexStateError:
            return said


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def start(root: Path, cache: Path, seed: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", CHILD, str(root), str(cache), str(seed)]
    return subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def test_killed_anywhere_it_answers_as_a_fresh_one(root, tmp_path):
    chance = random.Random(9)
    for seed in range(KILLS):
        process = start(root, tmp_path / "cache", seed)
        process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.35))
        process.kill()
        process.communicate()
        assert answers(root, tmp_path / "cache") == answers(root, tmp_path / f"fresh{seed}")


def test_two_writers_disturb_nobody(root, tmp_path):
    processes = [start(root, tmp_path / "cache", seed) for seed in (1, 2)]
    for process in processes:
        process.stdout.readline()
    time.sleep(0.8)
    for process in processes:
        process.kill()
        process.communicate()
    assert answers(root, tmp_path / "cache") == answers(root, tmp_path / "fresh")


@pytest.mark.parametrize("most_bytes", [0, 4_096, 40_000])
def test_on_a_full_disk_it_answers_from_memory(most_bytes, root, tmp_path):
    """A disk that takes no more looks to a process like a limit on the files it writes."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n"
    code += "from tests.hostile.test_store_faults import answers\n"
    code += f"print(len(answers(Path({str(root)!r}), Path({str(tmp_path / 'cache')!r}))))"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    # A file written by the test's own machinery would meet the limit too.
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], env=environment(), preexec_fn=limit, capture_output=True, check=False
    )
    assert done.stdout.strip() == str(len(answers(root, tmp_path / "fresh"))).encode(), done.stderr


def flipped(seed: int):
    def spoil(file: Path) -> None:
        chance = random.Random(seed)
        data = bytearray(file.read_bytes())
        for _ in range(1 + seed % 5):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        file.write_bytes(data)

    return spoil


def truncated(part: float):
    def spoil(file: Path) -> None:
        os.truncate(file, int(file.stat().st_size * part))

    return spoil


def other_version(step: int):
    def spoil(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection, connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            connection.execute(f"PRAGMA user_version = {version + step}")
        connection.close()

    return spoil


def foreign(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE blobs (id, oid)")
    connection.close()


def replaced_by(make):
    def spoil(file: Path) -> None:
        file.unlink()
        make(file)

    return spoil


SPOILS = {
    **{f"flipped-{seed}": flipped(seed) for seed in range(FLIPS)},
    **{f"truncated-{part}": truncated(part) for part in (0.0, 0.01, 0.3, 0.7, 0.99)},
    "older": other_version(-1), "newer": other_version(1), "foreign": foreign,
    "text": lambda file: file.write_text("hello\n" * 1_000), "directory": replaced_by(Path.mkdir),
    "pipe": replaced_by(os.mkfifo), "link-nowhere": replaced_by(lambda file: file.symlink_to("nowhere")),
    "link-device": replaced_by(lambda file: file.symlink_to("/dev/zero")),
    "log": lambda file: Path(f"{file}-wal").write_bytes(b"\x37\x7f\x06\x82" + os.urandom(5_000)),
    "shared": lambda file: Path(f"{file}-shm").write_bytes(os.urandom(40_000)),
    "lock": lambda file: (file.parent / "facts.lock").unlink(missing_ok=True) or (file.parent / "facts.lock").mkdir(),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILS)
def test_a_spoiled_file_is_noticed_or_does_not_matter(name, root, tmp_path):
    cache = tmp_path / "cache"
    right = answers(root, cache)
    file = cache / FILE_NAME
    SPOILS[name](file)
    for said, true in zip(answers(root, cache), right, strict=False):
        assert said in (true, ADMITTED)
    assert answers(root, cache) == right


@pytest.mark.parametrize("kind", ["file", "link-loop", "device", "below-a-file", "endless"])
def test_a_cache_directory_that_is_none_is_done_without(kind, root, tmp_path):
    right = answers(root, tmp_path / "fresh")
    cache = tmp_path / "cache"
    match kind:
        case "file":
            cache.write_text("x")
        case "link-loop":
            cache.symlink_to("cache")
        case "device":
            cache = Path("/dev/null")
        case "below-a-file":
            cache.write_text("x")
            cache = cache / "deeper"
        case "endless":
            cache = tmp_path / ("a" * 300)
    assert answers(root, cache) == right


@pytest.mark.parametrize("when", [0, 1, 10**9, 4_000_000_000, -1_000])
def test_a_clock_that_goes_backwards_hides_no_edit(when, root, tmp_path):
    cache = tmp_path / "cache"
    answers(root, cache)
    (root / "m7.py").write_text(FILES["m7.py"].replace("f7()\n", "f8()\n"))
    os.utime(root / "m7.py", (when, when))
    first = answers(root, cache)
    assert first == answers(root, tmp_path / "fresh")
    (root / "m7.py").write_text(FILES["m7.py"])
    os.utime(root / "m7.py", (when, when))
    again = answers(root, cache)
    assert again != first
    assert again == answers(root, tmp_path / "fresh again")
