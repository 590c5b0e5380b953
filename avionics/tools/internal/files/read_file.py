"""read_file: read a file, or a range of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from avionics.model.errors import SourceError, UsageError
from avionics.model.naming import plural
from avionics.model.results import Coverage, complete
from avionics.source.read import clip_line, is_binary, lines_of
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import CodeItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace


class ReadFileAnswer(Struct, frozen=True):
    """Lines of a file."""

    path: str
    total_lines: int
    coverage: Coverage
    code: tuple[CodeItem, ...] = part("")

    def headline(self) -> str:
        return f"{self.path}: {plural(self.total_lines, 'line')}" if self.total_lines else f"{self.path} is empty"


@tool(
    ToolId.READ_FILE,
    accepts="a path, optionally a range of lines",
    returns="the lines with their numbers",
    fallbacks=(ToolId.READ_CODE,),
)
def read_file(
    workspace: Workspace,
    path: str,
    start_line: Annotated[int, Bounds(ge=1)] | None = None,
    end_line: Annotated[int, Bounds(ge=1)] | None = None,
) -> ReadFileAnswer:
    """Read a file, or a range of its lines.

    Args:
        path: The file, relative to the workspace.
        start_line: The first line, from 1.
        end_line: The last line, included.
    """
    source = workspace.source
    name = source.resolve(path)
    lines = read_text_lines(source, name)
    item = cut_lines(source, name, lines, start_line, end_line)
    return ReadFileAnswer(name, len(lines), complete(1), () if item is None else (item,))


def read_text_lines(source: SourceTree, path: str) -> tuple[str, ...]:
    """Return all lines of a text file. Raise `SourceError` if the file is missing, not regular, too large or binary."""
    data = source.read(path)
    if is_binary(data):
        raise SourceError(f"{path!r} is binary", hint="only text is shown")
    return lines_of(data)


def cut_lines(
    source: SourceTree, path: str, lines: tuple[str, ...], start_line: int | None = None, end_line: int | None = None
) -> CodeItem | None:
    """Return a range of lines, long ones clipped, None of an empty file. Raise `UsageError` for other lines."""
    start = start_line or 1
    end = min(end_line or len(lines), len(lines))
    if not lines and start_line is None and end_line is None:
        return None
    if start > len(lines) or (end_line is not None and end_line < start):
        asked = f"{start} to {end_line}" if end_line else f"from {start} on"
        raise UsageError(f"{path!r} has no lines {asked}: it has {len(lines)}", hint="lines count from 1")
    limit = source.settings.max_line_characters
    return CodeItem(path, start, end, "\n".join(clip_line(line, limit) for line in lines[start - 1 : end]))
