"""The product's source as the house rules read it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).resolve().parents[2]

Function = ast.FunctionDef | ast.AsyncFunctionDef


@attrs.define(slots=False, frozen=True)
class Module:
    """One source file: where it is, its text and its syntax tree."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree; walking it takes longer than all rules together."""
        return tuple(ast.walk(self.tree))

    @property
    def name(self) -> str:
        """Return the dotted name of the module; a package is named without `__init__`."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @cached_property
    def imports(self) -> tuple[tuple[int, str], ...]:
        """Every imported name with its line, wherever the import stands; `from a import b` is `a.b`."""
        found = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found.extend((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                found.extend((node.lineno, f"{self._base(node)}.{alias.name}") for alias in node.names)
        return tuple(found)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        return tuple(node for node in self.nodes if isinstance(node, Function))

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.name.split(".") if self.path.endswith("__init__.py") else self.name.split(".")[:-1]
        return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


Rule = Callable[[Module], Iterator[str]]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="package")
def product() -> tuple[Module, ...]:
    """Every module of the product; kept for longer, its trees would slow each collection of garbage in later tests."""
    files = sorted(path for room in ("avionics", "protocols") for path in (ROOT / room).rglob("*.py"))
    return tuple(Module(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in files)


@pytest.fixture(scope="session")
def known_files() -> tuple[str, ...]:
    """Files that are, or would be, committed; outside a git checkout there is nothing to judge."""
    return _git_files("--cached", "--others", "--exclude-standard")


@pytest.fixture(scope="session")
def tracked_files() -> tuple[str, ...]:
    """Files that are committed."""
    return _git_files("--cached")


@pytest.fixture(scope="session")
def plant() -> Callable[[str, str], Module]:
    """Makes a module that is not on disk, to show that a rule sees a violation."""
    return Module


@pytest.fixture(scope="package")
def breaches(product: tuple[Module, ...]) -> Callable[[Rule], list[str]]:
    """What a rule says of the whole product."""
    return lambda rule: [f"{module.path}:{breach}" for module in product for breach in rule(module)]


@pytest.fixture(scope="package")
def hold(breaches: Callable[[Rule], list[str]]) -> Callable[[Rule], None]:
    """Demands that the whole product keeps a rule, and lists every place that does not."""

    def demand(rule: Rule) -> None:
        if found := breaches(rule):
            pytest.fail("\n".join(found), pytrace=False)

    return demand


@pytest.fixture(scope="session")
def content() -> Callable[..., None]:
    """Demands that a checker finds nothing in the checkout, and shows what it finds."""

    def demand(*arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            capture_output=True,
            check=False,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            pytest.fail(f"{done.stdout}{done.stderr}", pytrace=False)

    return demand


def _git_files(*arguments: str) -> tuple[str, ...]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", *arguments], cwd=ROOT, capture_output=True, check=True, stdin=subprocess.DEVNULL
    )
    names = listing.stdout.decode().split("\0")
    return tuple(sorted({name for name in names if name and (ROOT / name).is_file()}))
