"""locate: find where something is, by the most certain method that finds anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.naming import plural
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import NameItem, PlaceItem, SymbolItem, first_sentence, read_lines, symbol_items
from avionics.tools.answers.next_step import suggest
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import find_paths, parse_place, require_scope
from avionics.tools.resolution.symbol_resolver import EXACT, FOLDED, MAX_PREFIXED, PREFIX, find_near, get_lookups

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

_PLACE, _PATH, _TEXT = "place", "path", "text"
_MAX_LINES = MAX_PREFIXED
"""Lines of text that are listed; a narrower question is better than more of them."""


class LocatedFile(Struct, frozen=True):
    """A file or directory; `doc` is the documentation of a module."""

    file: str
    line: int
    kind: str
    files: int
    doc: str

    def to_text(self) -> str:
        if self.kind == "directory":
            return f"{self.file}/ directory with {plural(self.files, 'file')}"
        return f"{self.file} file{first_sentence(self.doc)}"


Match = SymbolItem | LocatedFile | PlaceItem


class LocateAnswer(Struct, frozen=True):
    """The places, by the most certain way that found any."""

    symbol: str
    way: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    matches: tuple[Match, ...] = part("")
    near: tuple[SymbolItem, ...] = part("similar names")
    near_paths: tuple[NameItem, ...] = part("similar paths")

    def headline(self) -> str:
        if not self.way:
            return f"no match for {self.symbol!r} in symbols, paths or text"
        least = "" if self.coverage.certainty is Certainty.EXACT else "at least "
        return f"{self.symbol!r}: {least}{plural(self.coverage.found, 'match')} by {self.way}"


@tool(
    ToolId.LOCATE,
    accepts="a symbol, part of a path, path:line or a phrase",
    returns="places with signature and lines, most certain first",
)
def locate(workspace: Workspace, symbol: str, scope: str | None = None) -> LocateAnswer:
    """Find code anywhere.

    Args:
        symbol: A name, a dotted name, file:name, path:line, part of a path, or text.
        scope: A directory or file to stay within.
    """
    text = symbol.strip()
    if not text:
        raise UsageError("the symbol is empty", hint="give a name, part of a path, or text")
    code, source, fallbacks = workspace.code, workspace.source, FallbackChain()
    within = require_scope(code, source, scope)
    paths = tuple(path for path in code.snapshot.entries if is_within(path, within)) if within else code.paths
    for way, find in _get_ways(code, source, text, within, paths).items():
        matches = fallbacks.try_step(way, find)
        if matches:
            is_cut = len(matches) >= _MAX_LINES and way in {PREFIX, _TEXT}
            coverage = Coverage.of(len(matches), is_exact=not is_cut)
            near = find_near(code, text) if way == _TEXT and " " not in text else ()
            return LocateAnswer(text, way, coverage, fallbacks.attempts, matches, symbol_items(near))
    place = parse_place(text)
    if place is not None and (files := find_paths(paths, place[0])):
        raise UsageError(f"{files[0]} has {plural(len(source.find_lines(files[0])), 'line')}", hint="give a line of it")
    near = fallbacks.try_step("near names", lambda: find_near(code, text))
    following = suggest(ToolId.ANALYZE, "to search by words", query=text) if " " in text else None
    coverage = Coverage(0, 0, next=following)
    if "/" in text and not near:
        found = fallbacks.try_step("near paths", lambda: source.find_near(text))
        return LocateAnswer(text, "", coverage, fallbacks.attempts, near_paths=tuple(map(NameItem, found)))
    return LocateAnswer(text, "", coverage, fallbacks.attempts, near=symbol_items(near))


def _get_ways(
    code: CodeIndex, source: SourceTree, text: str, scope: str, paths: tuple[str, ...]
) -> dict[str, Callable[[], tuple[Match, ...]]]:
    """Return the ways to find a text, the most certain and cheapest first."""
    lookups = get_lookups(code, text, scope)
    ways: dict[str, Callable[[], tuple[Match, ...]]] = {}
    place = parse_place(text)
    if place is not None:
        ways[_PLACE] = lambda: _find_places(code, source, find_paths(paths, place[0]), place[1])
    ways[EXACT] = lambda: symbol_items(lookups[EXACT]())
    ways[FOLDED] = lambda: symbol_items(lookups[FOLDED]())
    ways[_PATH] = lambda: _find_files(code, text, paths)
    ways[PREFIX] = lambda: symbol_items(lookups[PREFIX]())
    ways[_TEXT] = lambda: _find_text(code, source, text, paths)
    return ways


def _find_places(code: CodeIndex, source: SourceTree, files: tuple[str, ...], line: int) -> tuple[Match, ...]:
    """Return the definition around a line, and the line itself, in each of the files."""
    found: list[Match] = []
    for file in files:
        text = read_lines(source, [(file, line)]).get((file, line))
        if text is not None:
            around = code.names.at(file, line) if code.has_file(file) else None
            found += [SymbolItem.of(around)] if around is not None else []
            if text or around is None:
                found.append(PlaceItem(file, line, text))
    return tuple(found)


def _find_files(code: CodeIndex, text: str, paths: tuple[str, ...]) -> tuple[Match, ...]:
    """Return the files and directories that the text names."""
    directories = Counter(path[:at] for path in paths for at, mark in enumerate(path) if mark == "/")
    found = []
    for path in find_paths((*paths, *directories), text):
        if path in directories:
            found.append(LocatedFile(path, 1, "directory", directories[path], ""))
        else:
            found.append(LocatedFile(path, 1, "file", 1, code.facts(path).doc))
    return tuple(found)


def _find_text(code: CodeIndex, source: SourceTree, text: str, paths: tuple[str, ...]) -> tuple[Match, ...]:
    """Return the lines that contain the text, product code first; text in lower case matches any case."""
    ordered = sorted(paths, key=lambda path: (role_of(path), path))
    is_sensitive = text != text.lower()
    result = source.search(
        text, paths=ordered, literal=True, case_sensitive=is_sensitive, limit=_MAX_LINES, narrow=code.narrow
    )
    return tuple(PlaceItem(match.file, match.line, match.text.strip()) for match in result.matches)
