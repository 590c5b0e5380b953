"""Find tests by the routes they request or the options they pass, to which no call leads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.entrypoints.handlers import EntryPoint, build_module_body
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import EntryKind
from avionics.model.knowledge import Definition
from avionics.syntax.entry_points import HTTP_VERBS
from avionics.syntax.registry import conventions_of

_PARAMETER = re.compile(r"\{[^{}/]*\}|<[^<>/]*>|:[^\W\d]\w*|\[[^\[\]/]*\]|\*+\w*")
"""The parts of a route that are placeholders: `{id}`, `<int:id>`, `:id`, `[id]`, `*`."""
_WORD = re.compile(r"[^\W\d]\w+")
_VERB = re.compile(rf"(?<!\w)({'|'.join(HTTP_VERBS)})(?=\W)", re.IGNORECASE)


class TextTest(Struct, frozen=True):
    """A test that contains a route or option: the test (the module in a file of unnamed tests), the line, the text."""

    definition: Definition
    line: int
    text: str


def find_option_tests(
    code: CodeIndex, option: str, is_test: Callable[[CodeIndex, Definition], bool]
) -> tuple[TextTest, ...]:
    """Return the tests that pass an option of a command line (`--size`), each once."""
    words = _WORD.findall(option)
    written = re.compile(rf"(?<![\w-]){re.escape(option)}(?![\w-])")
    found: dict[Definition, TextTest] = {}
    for file, line, text in _iter_lines(code, max(words, key=len)) if words else ():
        test = _get_test_around(code, file, line, is_test) if written.search(text) else None
        if test is not None:
            found.setdefault(test, TextTest(test, line, option))
    return tuple(found.values())


def find_route_tests(
    code: CodeIndex, handlers: Iterable[Definition], is_test: Callable[[CodeIndex, Definition], bool]
) -> tuple[TextTest, ...]:
    """Return the tests that request a route of one of the definitions, each once."""
    wanted = {(each.file, each.index) for each in handlers}
    entries = {
        (entry.name, entry.methods): entry
        for entry in find_entry_points(code)
        if entry.kind is EntryKind.ROUTE and entry.definition is not None
        if (entry.definition.file, entry.definition.index) in wanted
    }
    found: dict[Definition, TextTest] = {}
    for entry in entries.values():
        for file, line, route in _iter_requests(code, entry):
            test = _get_test_around(code, file, line, is_test)
            if test is not None:
                found.setdefault(test, TextTest(test, line, route))
    return tuple(found.values())


def _iter_requests(code: CodeIndex, entry: EntryPoint) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of tests that contain the path of a route, unless they only name other methods."""
    fixed = _PARAMETER.sub(" ", entry.name)
    words = _WORD.findall(fixed)
    if not words:
        return
    path = re.compile(rf"[\"'`/\w]{_build_path_pattern(entry.name)}(?=[\"'`?#])")
    route = f"{'/'.join(entry.methods)} {entry.name}" if entry.methods else entry.name
    for file, number, line in _iter_lines(code, max(words, key=len)):
        match = path.search(line)
        if match is None:
            continue
        verbs = {verb.upper() for verb in _VERB.findall(line[: match.start()])}
        if not verbs or not entry.methods or not verbs.isdisjoint(entry.methods):
            yield file, number, route


def _iter_lines(code: CodeIndex, word: str) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of the tests that mention a word, each with its file and number."""
    for file in code.files_with_word(word):
        if role_of(file) is not FileRole.TEST or not code.has_file(file):
            continue
        yield from ((file, number, line) for number, line in enumerate(code.read_lines(file), 1))


def _build_path_pattern(path: str) -> str:
    """Return the pattern of the paths that a route matches."""
    end = "/?" if path.endswith("/") else ""
    return r"[^\"'`\s?#/]+".join(map(re.escape, _PARAMETER.split(path.removesuffix("/")))) + end


def _get_test_around(
    code: CodeIndex, file: str, line: int, is_test: Callable[[CodeIndex, Definition], bool]
) -> Definition | None:
    """Return the test around a line, or the module if the tests of a file have no names."""
    around = code.graph.enclosing(file, line)
    while around is not None and not is_test(code, around):
        around = code.get_parent(around)
    return around or (build_module_body(code, file) if conventions_of(file).tests.calls else None)
