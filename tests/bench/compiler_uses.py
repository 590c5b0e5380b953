"""Ask a compiler for every use of every declaration: javac, clang, and rustdoc, which links names in its source pages.

The table of javac is whole where the sources compile without other libraries. Rustdoc leaves out fields, patterns and
what macros expand to, so what it does not list is unknown.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path

from language_server import Place, Position

_JAVA_USES = Path(__file__).parent / "JavaUses.java"
_JAVA = ["java", "--add-exports", "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED", str(_JAVA_USES)]
_RUSTDOC = ["-Z", "unstable-options", "--generate-link-to-definition", "--document-private-items", "--cap-lints=allow"]
_ANCHOR = re.compile(r"(?:([^#?]+)\.html)?#(\d+)")


class CompilerUses:
    """The uses that a compiler reports.

    Attributes:
        references: (Name, place of its declaration) → the lines that use it. The column is -1 if it is not known.
        leads: (Name, a line that uses it) → the lines that declare what it means there.
    """

    def __init__(self) -> None:
        self.references: defaultdict[tuple[str, Position], set[Place]] = defaultdict(set)
        self.leads: defaultdict[tuple[str, Place], set[Place]] = defaultdict(set)

    def add(self, name: str, used: Place, declared: Position) -> None:
        """Record one use."""
        self.references[name, declared].add(used)
        self.leads[name, used].add(declared[:2])


def ask_javac(root: Path, files: tuple[str, ...]) -> CompilerUses:
    """Return the uses in the Java files of a checkout."""
    found = CompilerUses()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listing:
        sources = [file for file in files if not file.endswith(("module-info.java", "package-info.java"))]
        listing.write("\n".join(str(root / file) for file in sources))
        listing.flush()
        told = subprocess.run([*_JAVA, listing.name], capture_output=True, text=True, check=True).stdout
    _add_rows(found, root, told)
    return found


def ask_go(root: Path, program: str) -> CompilerUses:
    """Return the uses in the Go packages of a checkout; `program` is made of GoErrors.go."""
    found = CompilerUses()
    _add_rows(
        found, root, subprocess.run([program, str(root), "uses"], capture_output=True, text=True, check=True).stdout
    )
    return found


def read_rows(root: Path, file: str) -> CompilerUses:
    """Return the uses in a file of rows that `clang_uses.py` printed."""
    found = CompilerUses()
    _add_rows(found, root, Path(file).read_text("utf-8"))
    return found


def _add_rows(found: CompilerUses, root: Path, told: str) -> None:
    """Record the uses that a program prints: file, line, column and name, and the place of the declaration."""
    for row in told.splitlines():
        file, line, _, name, home, *declared = row.split("\t")
        if not Path(home).is_relative_to(root):
            continue
        paths = [Path(path).relative_to(root).as_posix() for path in (file, home)]
        found.add(name, (paths[0], int(line)), (paths[1], int(declared[0]), int(declared[1])))


def ask_rustdoc(root: Path, arguments: list[str]) -> CompilerUses:
    """Return the uses in the crate at `src/lib.rs` or at the path that comes first; other arguments are rustdoc's."""
    found = CompilerUses()
    crate, *options = arguments if arguments and arguments[0].endswith(".rs") else ["src/lib.rs", *arguments]
    with tempfile.TemporaryDirectory() as output:
        command = ["rustdoc", "--crate-name", "checked", crate, *_RUSTDOC, "-o", output, *options]
        # The option for links is unstable; this lets a stable toolchain, which older libraries need, accept it.
        environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
        subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True)
        pages = Path(output) / "src" / "checked"
        for page in sorted(pages.rglob("*.rs.html")):
            reader = _SourcePage()
            reader.feed(page.read_text("utf-8"))
            file = _source_of(page, pages)
            for name, line, target in reader.links:
                match = _ANCHOR.match(target)
                if match is None:
                    continue
                home = _source_of((page.parent / f"{match[1]}.html").resolve(), pages) if match[1] else file
                if home:
                    found.add(name, (file, line), (home, int(match[2]), -1))
    return found


def _source_of(page: Path, pages: Path) -> str:
    """Return the source file that a page shows; "" for one of another crate."""
    inside = page.resolve().is_relative_to(pages.resolve())
    return f"src/{page.resolve().relative_to(pages.resolve()).as_posix().removesuffix('.html')}" if inside else ""


class _SourcePage(HTMLParser):
    """Reads the links in a source page of rustdoc: (name, line, target)."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, int, str]] = []
        self._line = 0
        self._target: str | None = None
        self._is_number = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link or the number of a line."""
        given = dict(attrs)
        if tag == "a" and "data-nosnippet" in given:
            self._is_number, self._line = True, int(given.get("id") or 0)
        elif tag == "a" and self._line:
            self._target = given.get("href")

    def handle_endtag(self, tag: str) -> None:
        """End a link."""
        if tag == "a":
            self._is_number, self._target = False, None

    def handle_data(self, data: str) -> None:
        """Record the name within a link."""
        if self._target and not self._is_number and data.isidentifier():
            self.links.append((data, self._line, self._target))
