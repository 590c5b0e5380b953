"""Lines that run chosen tests, for each test runner that a project uses."""

from __future__ import annotations

import functools
import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.model.errors import SourceError
from avionics.syntax.registry import conventions_of
from avionics.syntax.testing import TestRunner

if TYPE_CHECKING:
    from avionics.source.tree import SourceTree

_MAX_NAMED = 20
"""The maximum number of tests in one command; beyond it, the command names their files or groups."""


class TestChoice(Struct, frozen=True):
    """A test to run: its file, its qualified name ("" for all of the file), how its runner names it, and its part."""

    file: str
    name: str
    node: str
    title: str = ""


class CommandItem(Struct, frozen=True):
    """A line that runs tests."""

    command: str
    tests: int

    def to_text(self) -> str:
        """Return the line."""
        return self.command


def build_commands(tests: Iterable[TestChoice], source: SourceTree) -> tuple[CommandItem, ...]:
    """Return the lines that run some tests; tests without a known runner have none."""

    def read(path: str) -> str:
        try:
            return source.text(path)
        except SourceError:
            return ""

    grouped: dict[tuple[str, TestRunner, str, str], list[TestChoice]] = {}
    known = functools.cache(read)
    for test in tests:
        runner, home = _get_runner(test.file, known)
        if runner is not None and not test.name.startswith(runner.passed_over):
            inside = structs.replace(test, file=test.file[len(home) :], node=test.node.removeprefix(home))
            part = test.title if runner.titled else ""
            grouped.setdefault((home, runner, runner.group.format_map(_map_words(inside)), part), []).append(inside)
    return tuple(
        CommandItem(f"cd {shlex.quote(home)} && {_build(runner, found)}" if home else _build(runner, found), len(found))
        for (home, runner, *_), found in grouped.items()
    )


def _get_runner(file: str, read: Callable[[str], str]) -> tuple[TestRunner | None, str]:
    """Return the runner of a test and the directory that has its project: the root, else the nearest one above."""
    parts = posixpath.dirname(file).split("/")
    above = ["".join(f"{part}/" for part in parts[:depth]) for depth in range(len(parts), 0, -1)]
    runners = [each for each in conventions_of(file).tests.runners if file.endswith(each.suffix)]
    for home in ("", *(above if posixpath.dirname(file) else ())):
        for runner in runners:
            if runner.file and (text := read(f"{home}{runner.file}")) and runner.text in text:
                return runner, home
    return next((each for each in runners if not each.file), None), ""


def _build(runner: TestRunner, tests: list[TestChoice]) -> str:
    if runner.titled and tests[0].title:
        return shlex.join(each.format_map(_map_words(tests[0])) for each in runner.titled)
    words, are_many = _map_words(tests[0]), len(tests) > _MAX_NAMED
    # Some runners know the names of tests but not those of files.
    if runner.whole and (are_many or not all(test.name for test in tests)):
        return shlex.join(each.format_map(words) for each in runner.whole)
    patterns = (runner.many if runner.many and (are_many or not test.name) else runner.argument for test in tests)
    arguments = list(
        dict.fromkeys(each.format_map(_map_words(test)) for each, test in zip(patterns, tests, strict=True))
    )
    whole = tuple(each for each in arguments if each.endswith("/"))
    arguments = [each for each in arguments if not any(each.startswith(one) and each != one for one in whole)]
    if runner.joined:
        words = {**words, "tests": runner.joined.join(arguments)}
        return shlex.join(each.format_map(words) for each in runner.command)
    options = (each for argument in arguments for each in _list_words(runner, argument))
    return shlex.join((*(each.format_map(words) for each in runner.command), *options))


def _list_words(runner: TestRunner, argument: str) -> Iterator[str]:
    if runner.option:
        yield runner.option
    # A file whose name looks like an option must not be read as one.
    yield f"./{argument}" if argument.startswith("-") else argument


def _map_words(test: TestChoice) -> Mapping[str, str]:
    stem = posixpath.basename(test.file).partition(".")[0]
    name = test.name.replace("`", "") or stem
    directory = posixpath.dirname(test.file)
    return {
        "file": test.file,
        "directory": directory or ".",
        "package": f"./{directory}" if directory else ".",
        "stem": stem,
        "name": name,
        "first": name.partition(".")[0],
        "last": name.rpartition(".")[2],
        "node": test.node,
        "title": re.escape(test.title.replace(" ", "_")),
    }
