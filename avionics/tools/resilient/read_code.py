"""read_code: code by path, found even when the path is not quite right.

Knows: the text and the symbols of the workspace.
Does not know: who asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.results import Attempt, Coverage, complete
from avionics.source.paths import SkipReason
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import CodeItem, NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.files.read_file import cut_lines, read_text_lines
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace

MAX_SUGGESTIONS = 10


@attrs.frozen
class ReadCodeAnswer:
    """The code, or what it may have been that was meant.

    Attributes:
        asked: What was asked for.
        path: The path that was read; "" when none was.
        total_lines: The length of the file read.
        attempts: What was tried.
        coverage: How much of the truth this is.
        code: The lines.
        suggestions: Paths or symbols that may have been meant.
    """

    asked: str
    path: str
    total_lines: int
    attempts: tuple[Attempt, ...]
    coverage: Coverage
    code: tuple[CodeItem, ...] = part("", share=4.0)
    suggestions: tuple[NameItem, ...] = part("Did you mean")

    def headline(self) -> str:
        """What was read, and whether it is what was asked."""
        if not self.path:
            return f"there is no {self.asked}"
        instead = "" if self.path == self.asked else f" (there is no {self.asked})"
        return f"{self.path}: {self.total_lines} lines{instead}"


@tool(
    ToolId.READ_CODE,
    accepts="a path, with a range of lines or a symbol",
    returns="the lines with their numbers",
)
def read_code(
    workspace: Workspace,
    path: str,
    start_line: Annotated[int, Bounds(ge=1)] | None = None,
    end_line: Annotated[int, Bounds(ge=1)] | None = None,
    symbol: str | None = None,
) -> ReadCodeAnswer:
    """Read code; a path that is not quite right is mended.

    Args:
        path: The file, relative to the workspace.
        start_line: The first line, from 1.
        end_line: The last line, included.
        symbol: Only this symbol of the file: `function`, `Class.method`.
    """
    if symbol is not None and (start_line or end_line):
        raise UsageError("a symbol and a range of lines exclude each other", hint="give one of them")
    asked = workspace.source.resolve(path)
    ladder = FallbackChain()
    found = _find_file(workspace, asked, ladder)
    if len(found) != 1:
        suggestions = found or ladder.try_step("similar paths", lambda: workspace.source.find_near(asked))
        return _nothing(asked, suggestions, ladder)
    lines = read_text_lines(workspace, found[0])
    if symbol is not None:
        return _read_symbol(workspace, asked, found[0], symbol, lines, ladder)
    item = cut_lines(workspace, found[0], lines, start_line, end_line)
    code = () if item is None else (item,)
    return ReadCodeAnswer(asked, found[0], len(lines), ladder.attempts, complete(1), code)


def _find_file(workspace: Workspace, asked: str, ladder: FallbackChain) -> tuple[str, ...]:
    """The file that is meant, surest way first; several when the last way cannot tell."""
    found = ladder.try_step("exact path", lambda: _find_exact(workspace, asked))
    if found:
        return found
    paths = workspace.source.walk().paths
    folder, _, name = asked.rpartition("/")
    stem = name.partition(".")[0]
    if stem:
        found = ladder.try_step(
            "other extension",
            lambda: tuple(
                path for path in paths if path.rpartition("/")[0] == folder and _name(path).partition(".")[0] == stem
            ),
        )
    if len(found) == 1:
        return found
    elsewhere = ladder.try_step("same name elsewhere", lambda: _nearest_of_name(asked, paths))
    return elsewhere if len(elsewhere) == 1 else (*found, *elsewhere)


def _find_exact(workspace: Workspace, asked: str) -> tuple[str, ...]:
    """The path itself when anything is there; what cannot be read is refused when it is read."""
    content = next(workspace.source.iter_contents((asked,)))
    return () if content.refused is SkipReason.MISSING else (asked,)


def _nearest_of_name(asked: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The paths of that file name that share the longest end with what was asked."""
    same = [path for path in paths if _name(path) == _name(asked)]
    shared = {path: _shared_end(path, asked) for path in same}
    longest = max(shared.values(), default=0)
    return tuple(path for path in same if shared[path] == longest)


def _shared_end(one: str, other: str) -> int:
    """How many last components two paths have in common."""
    count = 0
    for left, right in zip(reversed(one.split("/")), reversed(other.split("/")), strict=False):
        if left != right:
            break
        count += 1
    return count


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _read_symbol(
    workspace: Workspace, asked: str, path: str, symbol: str, lines: tuple[str, ...], ladder: FallbackChain
) -> ReadCodeAnswer:
    """The lines of every definition of the symbol in the file, or where else it is defined."""
    named = ladder.try_step("symbol in the file", lambda: workspace.code.find_definitions(symbol, file=path))
    here = [definition.symbol.span for definition in named if definition.file == path]
    if not here:
        elsewhere = named or ladder.try_step("symbol elsewhere", lambda: workspace.code.find_definitions(symbol))
        return _nothing(f"symbol {symbol} in {path}", tuple(map(_describe, elsewhere)), ladder)
    items = [cut_lines(workspace, path, lines, span.start_line, span.end_line) for span in here]
    code = tuple(item for item in items if item is not None)
    return ReadCodeAnswer(asked, path, len(lines), ladder.attempts, complete(len(code)), code)


def _describe(definition: Definition) -> str:
    return f"{definition.file}:{definition.line} {definition.symbol.qualname}"


def _nothing(asked: str, names: tuple[str, ...], ladder: FallbackChain) -> ReadCodeAnswer:
    suggestions = tuple(map(NameItem, names[:MAX_SUGGESTIONS]))
    return ReadCodeAnswer(asked, "", 0, ladder.attempts, Coverage(0, 0), suggestions=suggestions)
