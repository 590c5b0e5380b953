"""Random work on a repository, answers after each step: python tests/bench/bench_random.py [STEPS] [SEED]

Edits, creations, deletions, renames of files and directories, edits that keep size and time, files that change places,
links, ignore rules, commits, checkouts, rebases, stashes, worktrees, a killed indexing process, a second process, a
cleared store. After each step the answers of workspaces that have been
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
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.source.walk import LITTLE_FILES
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
        for number in range(2):
            self.write(self.root / f"h{number}.h")
            self.write(self.root / f"c{number}.c")
        # In a tree of fewer files, no walk starts from what an earlier one depended on.
        (self.root / "data").mkdir()
        for number in range(LITTLE_FILES):
            (self.root / "data" / f"{number}.txt").write_text(f"{number}\n")
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
        found = (path for path in self.root.rglob("*.*") if path.suffix in {".py", ".c", ".h"})
        return sorted(path for path in found if path.is_file() and not path.is_symlink())

    def write(self, path: Path) -> None:
        """Gives a file new code."""
        own, other = self.random.sample(NAMES, 2)
        path.parent.mkdir(exist_ok=True)
        if path.is_symlink():
            path.unlink()
        if path.suffix != ".py":
            header = self.random.choice(["h0.h", "h1.h", "n0.h", "p/n1.h"])
            function = f"int {own}(int v)"
            body = (
                f" {{\n    return {other}(v) + {self.random.randrange(9999)};\n}}\n" if path.suffix == ".c" else ";\n"
            )
            inner = f"static int s{self.random.randrange(5)}(void) {{ return {own}(1); }}\n" if body != ";\n" else ""
            path.write_text(f'#include "{header}"\n\n{function}{body}{inner}')
            return
        module = self.random.choice(["m0", "m1", "m2", "m3"])
        path.write_text(
            f"from {module} import {other}\n\n\n"
            f"def {own}(v={self.random.randrange(9999)}):\n    return {other}(v)\n\n\n"
            f"class T{self.random.randrange(5)}:\n    def {other}(self):\n        return {own}(self)\n"
        )

    def edit(self) -> None:
        self.write(self.random.choice(self.files()))

    def create(self) -> None:
        suffix = self.random.choice(["py", "py", "c", "h"])
        self.write(self.root / self.random.choice(["", "p", "q"]) / f"n{self.random.randrange(6)}.{suffix}")

    def delete(self) -> None:
        if len(self.files()) > 4:
            self.random.choice(self.files()).unlink()

    def rename(self) -> None:
        path = self.random.choice(self.files())
        letter = {".py": "m", ".c": "c", ".h": "h"}[path.suffix]
        path.rename(self.root / f"{letter}{self.random.randrange(6)}{path.suffix}")

    def hide(self) -> None:
        """An edit that keeps size and time of writing."""
        path = self.random.choice(self.files())
        before, text = path.stat(), path.read_text()
        one, other = self.random.sample(NAMES, 2)
        path.write_text(text.replace(one, other))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def swap(self) -> None:
        """Two files change places, times and all."""
        one, other = self.random.sample(self.files(), 2)
        aside = self.root / "aside"
        one.rename(aside)
        other.rename(one)
        aside.rename(other)

    def move(self) -> None:
        """A directory gets another name."""
        places = [self.root / name for name in "pqr"]
        there = [place for place in places if place.is_dir()]
        free = [place for place in places if not place.exists()]
        if there and free:
            self.random.choice(there).rename(self.random.choice(free))

    def ignore(self) -> None:
        """What is ignored changes, in the root or below; an ignored file stays where it is."""
        place = self.root / self.random.choice(["", "p", ".git/info"])
        if place.is_dir():
            rule = self.random.choice(["", f"n{self.random.randrange(6)}.py", "q", "/p/", "*.py\n!m*.py"])
            (place / ("exclude" if place.name == "info" else ".gitignore")).write_text(f"{rule}\n")

    def link(self) -> None:
        """A file becomes a link, which is never followed."""
        if len(self.files()) > 4:
            one, other = self.random.sample(self.files(), 2)
            one.unlink()
            one.symlink_to(other)

    def touch(self) -> None:
        """A file says it was written at another time, one to come among them."""
        when = time.time() + self.random.choice([-1e6, 0, 1e6])
        os.utime(self.random.choice(self.files()), (when, when))

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
            compare([workspace], place, self.random, "in a new worktree")
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
        compare(self.open[:1], self.root, self.random, "beside another process")
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
        compare(self.open, self.root, self.random, f"after {name}")
        if self.random.random() < 0.02:
            self.open[0].close()
            self.open[0] = Workspace.open(self.root, self.settings)
        return name


CHANCES = {
    "edit": 30, "hide": 20, "create": 10, "delete": 8, "rename": 8, "swap": 4, "move": 3, "ignore": 4, "link": 2,
    "touch": 2, "commit": 4, "checkout": 5, "rebase": 2, "stash": 3,
    "worktree": 1, "kill": 1, "second": 1, "clear": 2,
}  # fmt: skip
"""How often each happens: what needs another program happens seldom, it takes long."""


def compare(workspaces: Sequence[Workspace], root: Path, drawn: random.Random, when: str) -> None:
    """Raises unless each of the workspaces answers as a fresh one."""
    names = [drawn.sample(NAMES, 2) for _ in workspaces]
    found = [answers(workspace, asked) for workspace, asked in zip(workspaces, names, strict=True)]
    fresh = Workspace.open(root, workspaces[0].settings)
    fresh._store = Store.open_private(EXTRACTOR_VERSION, "a fresh index")
    with fresh:
        expected = answers(fresh, sorted({name for asked in names for name in asked}))
    for number, (asked, told) in enumerate(zip(names, found, strict=True)):
        # What the fresh one says of a name that only another was asked about is no part of this one's answer.
        others = {name for name in NAMES if name not in asked}
        right = {key: value for key, value in expected.items() if key.removeprefix("usages of ") not in others}
        if told != right:
            raise AssertionError(f"workspace {number} {when}: {told} is not {right}")


def answers(workspace: Workspace, names: list[str]) -> dict[str, object]:
    """What a workspace says of its files and of some names."""
    with workspace.pinned_index():
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
