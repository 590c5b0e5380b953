"""The text of nodes and its position: lines count from 1, columns in characters from 0."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from avionics.late_pattern import late_pattern
from avionics.model.facts import ParseProblem, Span
from avionics.syntax.engine.grammars import Node

_LONG_LINE = 1_000
_AFTER_OPENING = late_pattern(r"([(\[{]) (?=\S)")
_BEFORE_CLOSING = late_pattern(r"(?<=\S),? ([)\]}])")
_BLOCK_COMMENT = late_pattern(rb"(?m)^[ \t]*+/\*")

_MAX_PROBLEMS = 20
"""A file with more syntax errors is hardly in its supposed language, so that further ones are not recorded."""


class SourceText:
    """Gives the text and the position of the nodes of a file."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._ascii = content.decode("ascii") if content.isascii() else None
        self._before = (0, 0, 0)

    def of(self, node: Node | None) -> str:
        """Return the node's text, "" for a missing one."""
        if node is None:
            return ""
        text = self._ascii
        if text is not None:
            return text[node.start_byte : node.end_byte]
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def between(self, start: int, end: int) -> str:
        """Return the text between two offsets in bytes."""
        text = self._ascii
        return text[start:end] if text is not None else self.content[start:end].decode("utf-8", "surrogateescape")

    def place(self, node: Node) -> tuple[int, int]:
        """Return the line and column where the node starts."""
        row, byte_column = node.start_point
        if self._ascii is not None:
            return row + 1, byte_column
        start = node.start_byte
        first = start - byte_column
        if byte_column < _LONG_LINE:
            return row + 1, self._count(first, start)
        # Nodes of a long line are read in order: counting continues from the preceding one.
        line, known, column = self._before
        if line != first:
            known, column = first, 0
        column += self._count(known, start) if known <= start else -self._count(start, known)
        self._before = (first, start, column)
        return row + 1, column

    def _count(self, start: int, end: int) -> int:
        """Return the number of characters between two offsets."""
        return len(self.content[start:end].decode("utf-8", "surrogateescape"))

    def span(self, node: Node) -> Span:
        """Return the node's lines; a node that ends at the very start of a line ends with the line before."""
        first, (row, column) = node.start_point[0], node.end_point
        return Span(first + 1, row if not column and row > first else row + 1)

    def line_count(self) -> int:
        """Return the number of lines, an unfinished last one included."""
        count = self.content.count(b"\n")
        return count if not self.content or self.content.endswith(b"\n") else count + 1


def comment_opening(text: bytes) -> int:
    """Return where the block comment at the end of a text opens; -1 if it does not.

    A comment or a string above it may contain a glob such as `/api/**`, so a `/*` at the start of a line is preferred.
    """
    after = text.rfind(b"*/", 0, -2) + 1
    begun = _BLOCK_COMMENT.search(text, after)
    return begun.end() - 2 if begun is not None else text.rfind(b"/*", after)


def list_line_comments(above: str) -> list[str]:
    """Return the last lines of a text that are `//` comments, as written."""
    return [*takewhile(lambda line: line.lstrip().startswith("//"), reversed(above.split("\n")))][::-1]


def line_comment_above(above: str) -> str:
    """Return the text of the `//` comments at the end of a text, line by line; "" if there are none."""
    return "\n".join(line.lstrip().lstrip("/").strip() for line in list_line_comments(above))


def one_line(text: str, limit: int = 160) -> str:
    """Return the text with its white space folded, cut at the limit."""
    folded = " ".join(text.split())
    return _cut(folded, limit)


def one_line_of_code(text: str, limit: int = 160) -> str:
    """Return code on one line, without the spaces and the trailing comma that line breaks brought in."""
    text = text[: 4 * limit].strip()
    folded = " ".join(text.split())
    if "\n" in text:
        folded = _AFTER_OPENING.sub(r"\1", _BEFORE_CLOSING.sub(r"\1", folded))
    return _cut(folded, limit)


def _cut(line: str, limit: int) -> str:
    """Return a line up to a limit, with the semicolon at its end, which distinguishes a prototype from a body."""
    if len(line) <= limit:
        return line
    end = "…;" if line.endswith(";") else "…"
    return line[: limit - len(end)] + end


def find_problems(root: Node) -> tuple[ParseProblem, ...]:
    """Return the first syntax errors; only branches that contain one are entered."""
    if not root.has_error:
        return ()
    found: list[ParseProblem] = []
    for node in _iter_errors(root):
        line = node.start_point.row + 1
        found.append(ParseProblem(line, f"missing {node.type}" if node.is_missing else "syntax error"))
        if len(found) == _MAX_PROBLEMS:
            break
    return tuple(found)


def _iter_errors(root: Node) -> Iterator[Node]:
    """Yield error and missing nodes in document order."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            yield node
        else:
            pending.extend(child for child in reversed(node.children) if child.has_error)
