"""Random work on a repository, answers after each step: python tests/bench/bench_random.py [STEPS] [SEED]

Edits, creations, deletions, renames, edits that keep size and time, commits, checkouts, rebases, stashes, worktrees,
a killed indexing process, a second process, a cleared store. After each step the answers of workspaces that have been
open all along are those of a fresh index in memory. Ends at the first that is not.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.store.store import Store
from avionics.syntax.extract import EXTRACTOR_VERSION
from avionics.workspace import Workspace

PRODUCT = Path(__file__).resolve().parents[2]
NAMES = [f"name_{letter}" for letter in "abcdefgh"]
SETTINGS = ("user.name=t", "user.email=t@example.org", "core.hooksPath=/dev/null", "gc.auto=0")
GIT = ("git", *(part for each in SETTINGS for part in ("-c", each)))

INDEX = (
    "import sys; sys.path[:0] = [sys.argv[1]]; from pathlib import Path\n"
    "from avionics.settings import Settings\n"
    "from avionics.workspace import Workspace\n"
    "w = Workspace.open(sys.argv[2], Settings(cache_directory=Path(sys.argv[3])))\n"
    "print(flush=True); w.index(); w.close()\n"
)


class World:
    """A repository, what is open on it, and what can happen to it."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.root = directory / "repository"
        self.directory = directory
        self.settings = Settings(cache_directory=directory / "cache")
        self.done: Counter[str] = Counter()
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        for number in range(6):
            self.write(self.root / f"m{number}.py")
        self.commit()
        self.open = [Workspace.open(self.root, self.settings) for _ in range(2)]
        self.open[1].index()
        self.open[1].watch()
        self.trees = 0

    def close(self) -> None:
        """Closes what is open."""
        for workspace in self.open:
            workspace.close()

    def git(self, *arguments: str, at: Path | None = None) -> None:
        """Runs git; what cannot be done now is not done."""
        subprocess.run([*GIT, *arguments], cwd=at or self.root, capture_output=True, check=False)

    def files(self) -> list[Path]:
        """The source files there are."""
        return sorted(self.root.rglob("*.py"))

    def write(self, path: Path) -> None:
        """Gives a file new code."""
        own, other = self.random.sample(NAMES, 2)
        module = self.random.choice(["m0", "m1", "m2", "m3"])
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"from {module} import {other}\n\n\n"
            f"def {own}(v={self.random.randrange(9999)}):\n    return {other}(v)\n\n\n"
            f"class T{self.random.randrange(5)}:\n    def {other}(self):\n        return {own}(self)\n"
        )

    def edit(self) -> None:
        self.write(self.random.choice(self.files()))

    def create(self) -> None:
        self.write(self.root / self.random.choice(["", "p", "q"]) / f"n{self.random.randrange(6)}.py")

    def delete(self) -> None:
        if len(self.files()) > 4:
            self.random.choice(self.files()).unlink()

    def rename(self) -> None:
        self.random.choice(self.files()).rename(self.root / f"m{self.random.randrange(6)}.py")

    def hide(self) -> None:
        """An edit that keeps size and time of writing."""
        path = self.random.choice(self.files())
        before, text = path.stat(), path.read_text()
        one, other = self.random.sample(NAMES, 2)
        path.write_text(text.replace(one, other))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "change")

    def checkout(self) -> None:
        self.commit()
        self.git("checkout", "-q", *self.random.choice([("-B", "side"), ("side",), ("main",), ("HEAD~2",), ("main",)]))

    def rebase(self) -> None:
        self.commit()
        self.git("rebase", "-q", "-X", "theirs", "main")
        self.git("rebase", "--abort")

    def stash(self) -> None:
        self.git("stash", self.random.choice(["push", "pop"]))
        self.git("checkout", "-q", "-f", "--", ".")

    def worktree(self) -> None:
        """Answers in a new worktree are a fresh index's, too."""
        self.commit()
        self.trees += 1
        place = self.directory / f"tree{self.trees}"
        self.git("worktree", "add", "-q", "--detach", str(place))
        with Workspace.open(place, self.settings) as workspace:
            compare(workspace, place, self.random, "a new worktree")
        self.git("worktree", "remove", "--force", str(place))

    def kill(self) -> None:
        """An indexing process is killed at a random moment."""
        for number in range(6):
            self.write(self.root / f"k{number}.py")
        process = self.start()
        time.sleep(self.random.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def second(self) -> None:
        """Another process indexes while this one answers."""
        self.edit()
        process = self.start()
        compare(self.open[0], self.root, self.random, "beside another process")
        process.communicate()

    def clear(self) -> None:
        """Another process drops what nobody needs."""
        other = Store.open(self.settings.cache_directory, EXTRACTOR_VERSION)
        other.clear(os.path.isdir, 0)
        other.close()

    def start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", INDEX, str(PRODUCT), str(self.root), str(self.settings.cache_directory)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout
        process.stdout.readline()
        return process

    def step(self) -> str:
        """Something happens; then all answers are checked."""
        name = self.random.choices(list(CHANCES), list(CHANCES.values()))[0]
        getattr(self, name)()
        self.done[name] += 1
        for number, workspace in enumerate(self.open):
            compare(workspace, self.root, self.random, f"workspace {number} after {name}")
        if self.random.random() < 0.02:
            self.open[0].close()
            self.open[0] = Workspace.open(self.root, self.settings)
        return name


CHANCES = {
    "edit": 30, "hide": 20, "create": 10, "delete": 8, "rename": 8, "commit": 4, "checkout": 5, "rebase": 2, "stash": 3,
    "worktree": 1, "kill": 1, "second": 1, "clear": 2,
}  # fmt: skip
"""How often each happens: what needs another program happens seldom, it takes long."""


def compare(workspace: Workspace, root: Path, drawn: random.Random, when: str) -> None:
    """Raises unless the workspace answers as a fresh one."""
    names = drawn.sample(NAMES, 2)
    found = answers(workspace, names)
    fresh = Workspace.open(root, workspace.settings)
    fresh._store = Store.open_private(EXTRACTOR_VERSION, "a fresh index")
    with fresh:
        expected = answers(fresh, names)
    if found != expected:
        raise AssertionError(f"{when}: {found} is not {expected}")


def answers(workspace: Workspace, names: list[str]) -> dict[str, object]:
    """What a workspace says of its files and of some names."""
    with workspace.answering():
        code = workspace.code
        told: dict[str, object] = {path: entry.oid for path, entry in code.snapshot.entries.items()}
        for name in names:
            definitions = code.find_definitions(name)
            told[name] = [(d.file, d.line, d.symbol.signature) for d in definitions], code.files_with_word(name)
            if definitions:
                report = code.usages(definitions[0])
                told[f"usages of {name}"] = (
                    [(u.file, u.line, u.column, u.evidence) for u in report.usages],
                    [(u.file, u.line, u.column, u.reason) for u in report.unresolved],
                )
        return told


def run(directory: Path, steps: int, seed: int) -> Counter[str]:
    """So many steps; how often each thing happened."""
    world = World(directory, seed)
    try:
        for _ in range(steps):
            world.step()
    finally:
        world.close()
    return world.done


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    began = time.perf_counter()
    happened: Counter[str] = Counter()
    for part in range(0, wanted, 1_000):
        with tempfile.TemporaryDirectory() as made:
            happened += run(Path(made), min(1_000, wanted - part), first + part)
        print(f"{sum(happened.values())} steps, 0 wrong, {time.perf_counter() - began:.0f} s", flush=True)
    print(dict(happened))
