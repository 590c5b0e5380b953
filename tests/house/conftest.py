"""The source of the product, and what every test of a house rule needs.

A rule is a function that yields what it finds wrong in one module, `line what`. A test passes it to `check_rule`, which
fails with every place in the product; a second test shows by a module of `plant` that the rule finds a violation.
"""

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
    """One source file: its path from the root of the checkout, its text, and what is read from its syntax tree."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Return every node of the tree; walking it takes longer than all rules together."""
        return tuple(ast.walk(self.tree))

    @property
    def name(self) -> str:
        """Return the dotted name of the module; a package is named without `__init__`."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @cached_property
    def imports(self) -> tuple[tuple[int, str], ...]:
        """Return every imported name after its line, wherever the import stands; `from a import b` is `a.b`."""
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
        """Return the dotted name of the module that names are imported from."""
        if not node.level:
            return node.module or ""
        package = self.name.split(".") if self.path.endswith("__init__.py") else self.name.split(".")[:-1]
        return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


Rule = Callable[[Module], Iterator[str]]
"""Yields the violations in a module, each as its line and what is wrong there."""


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the checkout."""
    return ROOT


@pytest.fixture(scope="package")
def product() -> tuple[Module, ...]:
    """Return every module of the product.

    Kept for longer than the tests of this package, its trees would slow each collection of garbage in later tests.
    """
    files = sorted(path for room in ("avionics", "protocols") for path in (ROOT / room).rglob("*.py"))
    return tuple(Module(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in files)


@pytest.fixture(scope="session")
def known_files() -> tuple[str, ...]:
    """Return the files that are, or would be, committed; skip the test outside a git checkout."""
    return _git_files("--cached", "--others", "--exclude-standard")


@pytest.fixture(scope="session")
def tracked_files() -> tuple[str, ...]:
    """Return the files that are committed; skip the test outside a git checkout."""
    return _git_files("--cached")


@pytest.fixture(scope="session")
def plant() -> Callable[[str, str], Module]:
    """Return a function that makes a module that is not on disk, to show that a rule sees a violation."""
    return Module


@pytest.fixture(scope="package")
def list_violations(product: tuple[Module, ...]) -> Callable[[Rule], list[str]]:
    """Return a function that lists the violations of a rule in the whole product, each after its file."""
    return lambda rule: [f"{module.path}:{found}" for module in product for found in rule(module)]


@pytest.fixture(scope="package")
def check_rule(list_violations: Callable[[Rule], list[str]]) -> Callable[[Rule], None]:
    """Return a function that fails the test with every place in the product that violates a rule."""

    def check(rule: Rule) -> None:
        if found := list_violations(rule):
            pytest.fail("\n".join(found), pytrace=False)

    return check


@pytest.fixture(scope="session")
def run_checker() -> Callable[..., None]:
    """Return a function that runs a module of Python in the checkout, and fails the test with what it prints.

    Nothing of what it prints counts if it exits with 0.
    """

    def run(*arguments: str) -> None:
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

    return run


def _git_files(*arguments: str) -> tuple[str, ...]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", *arguments], cwd=ROOT, capture_output=True, check=True, stdin=subprocess.DEVNULL
    )
    names = listing.stdout.decode().split("\0")
    return tuple(sorted({name for name in names if name and (ROOT / name).is_file()}))
