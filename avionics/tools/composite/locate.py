"""locate: find where something is, by the surest way that answers.

Knows: the workspace.
Does not know: who asks, or how the answer is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from avionics.index.model.file_roles import role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import PlaceItem, SymbolItem, first_sentence, read_lines
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import find_folded, find_near, find_paths, find_prefixed, require_scope

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_PLACE = re.compile(r"(?P<path>[^:\s]+):(?P<line>[1-9]\d{0,6})(?::\d+)?")
_MAX_DEFINITIONS = 50
"""So many names of one start, and so many lines of text: past it a narrower question is better."""


@attrs.frozen
class LocatedFile:
    """A file or directory; `doc` is what a file of code says of itself."""

    file: str
    line: int
    kind: str
    files: int
    doc: str

    def to_text(self) -> str:
        """One line."""
        if self.kind == "directory":
            return f"{self.file}/ directory with {self.files} file{'' if self.files == 1 else 's'}"
        return f"{self.file} file{first_sentence(self.doc)}"


Match = SymbolItem | LocatedFile | PlaceItem


@attrs.frozen
class LocateAnswer:
    """The places, by the surest way that found any."""

    symbol: str
    way: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    matches: tuple[Match, ...] = part("")
    near: tuple[SymbolItem, ...] = part("near names")

    def headline(self) -> str:
        """How many places, and by which way."""
        if not self.way:
            return f"{self.symbol!r} is nowhere in names, paths or text"
        least = "" if self.coverage.certainty is Certainty.EXACT else "at least "
        return f"{self.symbol!r}: {least}{self.coverage.found} by {self.way}"


@tool(
    ToolId.LOCATE,
    accepts="a symbol, part of a path, path:line or a phrase",
    returns="places with signature and lines, surest first",
)
def locate(workspace: Workspace, symbol: str, scope: str | None = None) -> LocateAnswer:
    """Find code anywhere.

    Args:
        symbol: A name, a dotted name, file:name, path:line, part of a path, or text.
        scope: A directory or file to stay within.
    """
    text = symbol.strip()
    if not text:
        raise UsageError("there is nothing to locate", hint="give a name, part of a path, or text")
    within, ladder = require_scope(workspace, scope), FallbackChain()
    for way, find in _ways(workspace, text, within).items():
        matches = ladder.try_step(way, find)
        if matches:
            is_cut = len(matches) >= _MAX_DEFINITIONS and way in {_START, _TEXT}
            coverage = Coverage(len(matches), len(matches), Certainty.AT_LEAST if is_cut else Certainty.EXACT)
            near = find_near(workspace.code, text) if way == _TEXT and " " not in text else ()
            return LocateAnswer(text, way, coverage, ladder.attempts, matches, tuple(map(SymbolItem.of, near)))
    near = ladder.try_step("near names", lambda: find_near(workspace.code, text))
    advice = "search_code(query=…) searches by meaning" if " " in text else ""
    return LocateAnswer(text, "", Coverage(0, 0, next=advice), ladder.attempts, near=tuple(map(SymbolItem.of, near)))


_START = "the start of the name"
_TEXT = "text"


def _ways(workspace: Workspace, text: str, scope: str | None) -> dict[str, Callable[[], tuple[Match, ...]]]:
    """The ways to find a text, the surest and cheapest first."""
    code = workspace.code
    ways: dict[str, Callable[[], tuple[Match, ...]]] = {}
    place = _PLACE.fullmatch(text)
    if place:
        ways["place"] = lambda: _find_places(workspace, place["path"], int(place["line"]), scope)
    return ways | {
        "exact name": lambda: tuple(map(SymbolItem.of, code.find_definitions(text, scope=scope))),
        "the name without regard to case and underscores": lambda: tuple(
            map(SymbolItem.of, find_folded(code, text, scope))
        ),
        "path": lambda: _find_files(workspace, text, scope),
        _START: lambda: tuple(map(SymbolItem.of, find_prefixed(code, text, _MAX_DEFINITIONS, scope))),
        _TEXT: lambda: _find_text(workspace, text, scope),
    }


def _find_places(workspace: Workspace, path: str, line: int, scope: str | None) -> tuple[Match, ...]:
    """What stands on a line: the definition around it and the line itself, in every file the path names."""
    code = workspace.code
    found: list[Match] = []
    for file in find_paths(_within(workspace, scope), path):
        text = read_lines(workspace, [(file, line)]).get((file, line))
        if text is not None:
            around = code.names.at(file, line) if code.has_file(file) else None
            found += [SymbolItem.of(around)] if around is not None else []
            if text or around is None:
                found.append(PlaceItem(file, line, text))
    return tuple(found)


def _find_files(workspace: Workspace, text: str, scope: str | None) -> tuple[Match, ...]:
    """The files and directories that the text names."""
    code = workspace.code
    files = _within(workspace, scope)
    directories = Counter(file[:at] for file in files for at, mark in enumerate(file) if mark == "/")
    found = find_paths((*files, *directories), text)
    return tuple(
        LocatedFile(path, 1, "directory", directories[path], "")
        if path in directories
        else LocatedFile(path, 1, "file", 1, code.facts(path).doc)
        for path in found
    )


def _find_text(workspace: Workspace, text: str, scope: str | None) -> tuple[Match, ...]:
    """The lines that hold the text, product code first; upper case in it is meant."""
    paths = sorted(_within(workspace, scope), key=lambda path: (role_of(path), path))
    is_sensitive = text != text.lower()
    result = workspace.source.search(
        text,
        paths=paths,
        literal=True,
        case_sensitive=is_sensitive,
        limit=_MAX_DEFINITIONS,
        narrow=workspace.code.narrow,
    )
    return tuple(PlaceItem(match.file, match.line, match.text.strip()) for match in result.matches)


def _within(workspace: Workspace, scope: str | None) -> tuple[str, ...]:
    """The files at or below a scope."""
    return tuple(path for path in workspace.code.snapshot.entries if is_within(path, scope))
