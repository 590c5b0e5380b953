"""read_code: read code by path, also when the path is not quite right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import count_shared, plural
from avionics.model.results import Attempt, Coverage, complete
from avionics.source.paths import SkipReason
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import CodeItem, NameItem
from avionics.tools.answers.next_step import suggest
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.files.read_file import cut_lines, read_text_lines
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

MAX_SUGGESTIONS = 10


class ReadCodeAnswer(Struct, frozen=True):
    """The code, or suggestions of similar paths and names.

    Attributes:
        path: The path that was read; "" if none was.
        suggestions: Paths or symbols that may have been meant.
    """

    asked: str
    path: str
    total_lines: int
    attempts: tuple[Attempt, ...]
    coverage: Coverage
    code: tuple[CodeItem, ...] = part("", share=4.0)
    suggestions: tuple[NameItem, ...] = part("did you mean")

    def headline(self) -> str:
        if not self.path:
            return f"there is no {self.asked}"
        instead = "" if self.path == self.asked else f" (there is no {self.asked})"
        return f"{self.path}: {plural(self.total_lines, 'line')}{instead}"


@tool(ToolId.READ_CODE, accepts="a path, with a range of lines or a symbol", returns="the lines with their numbers")
def read_code(
    workspace: Workspace,
    path: str,
    start_line: Annotated[int, Bounds(ge=1)] | None = None,
    end_line: Annotated[int, Bounds(ge=1)] | None = None,
    symbol: str | None = None,
) -> ReadCodeAnswer:
    """Read code; correct a misspelt path.

    Args:
        path: The file, relative to the workspace.
        start_line: First line; default: 1.
        end_line: Last line; default: the end.
        symbol: Only this symbol of the file: `function`, `Class.method`.
    """
    if symbol is not None and (start_line or end_line):
        raise UsageError("a symbol and a range of lines cannot be combined", hint="give one of them")
    source, fallbacks = workspace.source, FallbackChain()
    asked = source.resolve(path)
    found = _find_file(source, asked, fallbacks)
    if not found and "/" not in asked and symbol is None:
        defined = fallbacks.try_step("symbol of that name", lambda: workspace.code.find_definitions(path))
        if defined:
            return _suggest(asked, tuple(map(_describe, defined)), fallbacks, defined[0])
    if len(found) != 1:
        return _suggest(asked, found or fallbacks.try_step("similar paths", lambda: source.find_near(asked)), fallbacks)
    file = found[0]
    lines = read_text_lines(source, file)
    if symbol is None:
        items = [cut_lines(source, file, lines, start_line, end_line)]
    else:
        code = workspace.code
        named = fallbacks.try_step("symbol in the file", lambda: code.find_definitions(symbol, file=file))
        here = [each.symbol.span for each in named if each.file == file]
        if not here:
            elsewhere = named or fallbacks.try_step("symbol elsewhere", lambda: code.find_definitions(symbol))
            return _suggest(f"symbol {symbol} in {file}", tuple(map(_describe, elsewhere)), fallbacks)
        items = [cut_lines(source, file, lines, span.start_line, span.end_line) for span in here]
    shown = tuple(item for item in items if item is not None)
    return ReadCodeAnswer(asked, file, len(lines), fallbacks.attempts, complete(len(items)), shown)


def _find_file(source: SourceTree, asked: str, fallbacks: FallbackChain) -> tuple[str, ...]:
    """Return the file for a path that may be inexact; several if the last step finds several."""
    found = fallbacks.try_step("exact path", lambda: _find_exact(source, asked))
    if found:
        return found
    paths = source.walk().paths
    folder, _, name = asked.rpartition("/")
    stem = name.partition(".")[0]
    if stem:
        found = fallbacks.try_step(
            "other extension",
            lambda: tuple(
                path for path in paths if path.rpartition("/")[0] == folder and _name(path).partition(".")[0] == stem
            ),
        )
    if len(found) == 1:
        return found
    elsewhere = fallbacks.try_step("same name elsewhere", lambda: _find_nearest(asked, paths))
    return elsewhere if len(elsewhere) == 1 else (*found, *elsewhere)


def _find_exact(source: SourceTree, asked: str) -> tuple[str, ...]:
    """Return the path itself if it exists; unreadable files raise an error when they are read."""
    content = next(source.iter_contents((asked,)))
    return () if content.refused is SkipReason.MISSING else (asked,)


def _find_nearest(asked: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths with the same file name that share the longest suffix with the path asked for."""
    parts = asked.split("/")[::-1]
    shared = {path: count_shared(path.split("/")[::-1], parts) for path in paths if _name(path) == parts[0]}
    longest = max(shared.values(), default=0)
    return tuple(path for path, count in shared.items() if count == longest)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _describe(definition: Definition) -> str:
    return f"{definition.file}:{definition.line} {definition.symbol.qualname}"


def _suggest(
    asked: str, names: tuple[str, ...], fallbacks: FallbackChain, defined: Definition | None = None
) -> ReadCodeAnswer:
    """Return the answer for a file or symbol that does not exist; with the call that reads a symbol given as a path."""
    suggestions = tuple(map(NameItem, names[:MAX_SUGGESTIONS]))
    coverage = Coverage(0, 0)
    if defined is not None:
        place, name = defined.file, defined.symbol.qualname
        coverage = Coverage(0, 0, next=suggest(ToolId.READ_CODE, "for its code", path=place, symbol=name))
    return ReadCodeAnswer(asked, "", 0, fallbacks.attempts, coverage, suggestions=suggestions)
