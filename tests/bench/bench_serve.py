"""A server asked as an agent asks it, while files change: python tests/bench/bench_serve.py DIR [STEPS] [SEED]

On a copy of the directory, which holds Python files, with a git history of its own: edits, edits that keep size and
time, creations, deletions, renames of files and directories, checkouts, stashes, rebases, submodules, files from the
future. After each the server is asked over stdio at once, now and then several times at once, and what it says of the
files is compared with the files. Prints how many answers were wrong and how long they took, after what.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

HERE = Path(__file__).resolve().parents[2]
SETTINGS = ("user.name=t", "user.email=t@example.org", "core.hooksPath=/dev/null", "gc.auto=0",
            "protocol.file.allow=always")  # fmt: skip
GIT = ("git", *(part for each in SETTINGS for part in ("-c", each)))
NAMES = [f"marker_{letter}" for letter in "abcdef"]
DEFINED = re.compile(r"^def (marker_\w)\(\)", re.M)
SHARED = 40
"""So many of its files are edited; on the other branch each of them is another."""


class Tree:
    """A repository, and what happens to it while it is served."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.git("init", "-q", "-b", "main")
        found = sorted(path for path in root.rglob("*.py") if path.stat().st_size < 20_000)
        self.chosen = self.random.sample(found, min(SHARED, len(found)))
        self.commit()
        self.git("checkout", "-q", "-b", "side")
        for path in self.chosen:
            self.append(path)
        self.commit()
        self.git("checkout", "-q", "main")
        self.library = root.parent / "library"
        self.library.mkdir()
        self.git("init", "-q", "-b", "main", at=self.library)
        for number in range(2):
            (self.library / "lib.py").write_text(f"def {NAMES[number]}(): ...\n")
            self.commit(self.library)
            self.git("tag", f"v{number}", at=self.library)

    def git(self, *arguments: str, at: Path | None = None) -> None:
        """Runs git; what cannot be done now is not done."""
        subprocess.run([*GIT, *arguments], cwd=at or self.root, capture_output=True, check=False)

    def commit(self, at: Path | None = None) -> None:
        self.git("add", "-A", at=at)
        self.git("commit", "-qm", "change", at=at)

    def files(self) -> list[Path]:
        """The files there are of those that change."""
        made = [path for name in ("made", "moved") for path in (self.root / name).rglob("*.py")]
        return sorted({path for path in (*self.chosen, *made, self.root / "sub/lib.py") if path.is_file()})

    def where(self) -> dict[str, list[str]]:
        """Name → the places that define it now."""
        found: dict[str, list[str]] = {name: [] for name in NAMES}
        for path in self.files():
            text = path.read_text("utf-8", "surrogateescape")
            for match in DEFINED.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found[match[1]].append(f"{path.relative_to(self.root)}:{line}")
        return {name: sorted(places) for name, places in found.items()}

    def append(self, path: Path) -> None:
        with path.open("a") as file:
            file.write(f"\ndef {self.random.choice(NAMES)}(): ...\n")

    def edit(self) -> None:
        self.append(self.random.choice(self.files()))

    def hide(self) -> None:
        """An edit that keeps size and time of writing."""
        marked = [path for path in self.files() if "def marker_" in path.read_text("utf-8", "surrogateescape")]
        if marked:
            path = self.random.choice(marked)
            before, text = path.stat(), path.read_text("utf-8", "surrogateescape")
            one, other = self.random.sample(NAMES, 2)
            path.write_text(text.replace(one, other), "utf-8", "surrogateescape")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def create(self) -> None:
        path = self.root / "made" / f"d{self.random.randrange(3)}" / f"n{self.random.randrange(5)}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def {self.random.choice(NAMES)}(): ...\n")

    def delete(self) -> None:
        self.random.choice(self.files()).unlink()

    def rename(self) -> None:
        place = self.random.choice(self.chosen)
        place.parent.mkdir(parents=True, exist_ok=True)
        self.random.choice(self.files()).rename(place)

    def move(self) -> None:
        """A directory gets another name."""
        made, moved = self.root / "made", self.root / "moved"
        old, new = (made, moved) if made.is_dir() else (moved, made)
        if old.is_dir() and not new.exists():
            old.rename(new)

    def checkout(self) -> None:
        self.git("checkout", "-q", "-f", self.random.choice(["main", "side", "HEAD~1"]))

    def keep(self) -> None:
        self.commit()

    def rebase(self) -> None:
        self.commit()
        self.git("rebase", "-q", "-X", "theirs", self.random.choice(["main", "side"]))
        self.git("rebase", "--abort")

    def stash(self) -> None:
        self.git("stash", self.random.choice(["push", "pop"]))
        self.git("checkout", "-q", "-f", "--", ".")

    def submodule(self) -> None:
        """A submodule is added, or goes to another commit."""
        if not (self.root / "sub/lib.py").exists():
            self.git("submodule", "-q", "add", "--force", str(self.library), "sub")
        self.git("checkout", "-q", "-f", f"v{self.random.randrange(2)}", at=self.root / "sub")

    def ahead(self) -> None:
        """A file was written tomorrow, or long ago."""
        when = time.time() + self.random.choice([-1e7, 86_400])
        path = self.random.choice(self.files())
        self.append(path)
        os.utime(path, (when, when))

    def nothing(self) -> None:
        """Nobody does anything."""


CHANCES = {
    "edit": 30, "hide": 8, "create": 8, "delete": 5, "rename": 5, "move": 4, "checkout": 8, "keep": 4, "rebase": 2,
    "stash": 4, "submodule": 2, "ahead": 3, "nothing": 17,
}  # fmt: skip


async def ask(client: Client, name: str) -> tuple[list[str], float]:
    """Where the server says a name is defined, and how long that took in milliseconds."""
    started = time.perf_counter()
    content = await call(client, name)
    taken = (time.perf_counter() - started) * 1000
    matches = content["data"]["symbols"] if content["status"] != "not_found" else []
    return sorted(f"{each['file']}:{each['line']}" for each in matches if each["symbol"] == name), taken


async def call(client: Client, name: str) -> dict[str, Any]:
    """What the server says of a name."""
    said = await client.call_tool("find_symbol", {"name": name})
    content: dict[str, Any] | None = said.structured_content
    assert content is not None
    return content


async def work(
    client: Client, tree: Tree, steps: int, pause_seconds: float
) -> tuple[list[str], dict[str, list[float]]]:
    """What was wrong, and how long the answers took after each kind of step."""
    wrong: list[str] = []
    taken: dict[str, list[float]] = {}
    for _ in range(steps):
        step = tree.random.choices(list(CHANCES), list(CHANCES.values()))[0]
        getattr(tree, step)()
        names = tree.random.sample(NAMES, tree.random.choice([1, 1, 3]))
        said = await asyncio.gather(*(ask(client, name) for name in names))
        right = tree.where()
        for name, (places, _) in zip(names, said, strict=True):
            if places != right[name]:
                wrong.append(f"after {step}, {name}: {places} is not {right[name]}")
        taken.setdefault(step, []).append(said[0][1])
        if tree.random.random() < 0.2:
            await asyncio.sleep(tree.random.random() * pause_seconds)
    return wrong, taken


async def serve(
    root: Path, cache: Path, steps: int, seed: int, pause_seconds: float = 1.0
) -> tuple[list[str], dict[str, list[float]]]:
    """The same of a server that is started for it."""
    tree = Tree(root, seed)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "avionics.cli", "serve", "--profile", "all", "--results", "both", "--repo", str(root)],
        cwd=HERE,
        env={**os.environ, "AVIONICS_CACHE_DIR": str(cache)},
    )
    async with Client(parameters) as client:
        # Until all is read, answers say that they are a search of the text.
        while "symbols" not in (await call(client, NAMES[0]))["data"]:
            await asyncio.sleep(pause_seconds)
        return await work(client, tree, steps, pause_seconds)


def main() -> None:
    """Prints what was wrong and how long it took."""
    steps, seed = (int(sys.argv[at]) if len(sys.argv) > at else default for at, default in ((2, 300), (3, 1)))
    with tempfile.TemporaryDirectory() as made:
        root = Path(shutil.copytree(sys.argv[1], Path(made) / "copy", symlinks=True))
        shutil.rmtree(root / ".git", ignore_errors=True)
        wrong, taken = asyncio.run(serve(root, Path(made) / "cache", steps, seed))
    for each in wrong:
        print("WRONG", each)
    for step, times in sorted(taken.items()):
        print(f"{step:10} {len(times):4} median {statistics.median(times):6.1f} ms, worst {max(times):7.1f} ms")
    every = [each for step, times in taken.items() if step != "nothing" for each in times]
    print(f"{steps} steps, {len(wrong)} wrong; after a change median {statistics.median(every):.1f} ms, "
          f"worst {max(every):.1f} ms; over 1,000 ms: {sum(each > 1000 for each in every)}")  # fmt: skip


if __name__ == "__main__":
    main()
