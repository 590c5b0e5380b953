"""Grammars: the only importer of tree-sitter."""

from __future__ import annotations

import functools
import importlib
import itertools

from msgspec import Struct
from tree_sitter import Language, Node, Parser, Point, Range

from avionics.model.errors import MissingDependencyError
from avionics.syntax.engine.budget import TOO_COSTLY, ParseBudget, TooCostlyError

__all__ = ["Grammar", "Node", "has_grammar", "load_grammar", "parse", "parse_bytes", "parse_part"]

PARSE_SECONDS, PARSE_SECONDS_PER_BYTE = 0.3, 1e-6
"""Ten times the time that ordinary code takes; a parser that does not end uses memory as fast as time."""

PARSE_BYTES, PARSE_BYTES_PER_BYTE = 64_000_000, 80
"""The syntax tree takes 10 to 65 bytes per byte of code, 250 per byte of nothing but brackets."""

_CALLS_PER_CHECK = 16
_TEXT_BYTES = 64


class Grammar(Struct, frozen=True):
    """The source of a compiled grammar.

    Attributes:
        module: The module of its wheel.
        function: The function of the module that returns it.
        name: The argument of the function; "" if it takes none.
    """

    module: str
    function: str = "language"
    name: str = ""


@functools.cache
def load_grammar(grammar: Grammar) -> Language:
    """Load a compiled grammar. Raise `MissingDependencyError` if its wheel is not installed."""
    try:
        module = importlib.import_module(grammar.module)
    except ImportError as missing:
        name = grammar.name or grammar.module.removeprefix("tree_sitter_")
        hint = f"pip install {grammar.module.replace('_', '-')}"
        raise MissingDependencyError(f"no grammar for {name}", hint=hint) from missing
    function = getattr(module, grammar.function)
    if not grammar.name:
        return Language(function())
    found = function(grammar.name)
    assert isinstance(found, Language)
    return found


def has_grammar(grammar: Grammar) -> bool:
    """Return whether the grammar is installed."""
    try:
        return load_grammar(grammar) is not None
    except MissingDependencyError:
        return False


def parse(content: bytes, grammar: Grammar) -> Node:
    """Return the root of the syntax tree of the bytes; syntax errors are nodes of it, never exceptions.

    Raise `MissingDependencyError` if the grammar's wheel is not installed, or `TooCostlyError` if parsing takes too
    much time or memory.
    """
    return _parse(Parser(load_grammar(grammar)), content, len(content))


def parse_part(content: bytes, grammar: Grammar, outer: Node, skipped: int = 0) -> Node:
    """Parse the bytes under one node on their own, with positions in the whole. Raises as `parse` does.

    The first `skipped` bytes of the node are left out.
    """
    part = Range(
        Point(outer.start_point.row, outer.start_point.column + skipped),
        Point(outer.end_point.row, outer.end_point.column),
        outer.start_byte + skipped,
        outer.end_byte,
    )
    parser = Parser(load_grammar(grammar), included_ranges=[part])
    return _parse(parser, content, outer.end_byte - outer.start_byte - skipped, outer.end_byte)


def parse_bytes(content: bytes, grammar: Grammar, start: int, end: int) -> Node:
    """Parse some bytes on their own, with positions in the whole, of one line or several. Raises as `parse` does."""
    first, last = (Point(content.count(b"\n", 0, at), at - content.rfind(b"\n", 0, at) - 1) for at in (start, end))
    parser = Parser(load_grammar(grammar), included_ranges=[Range(first, last, start, end)])
    return _parse(parser, content, end - start, end)


def _parse(parser: Parser, content: bytes, size: int, end: int | None = None) -> Node:
    """Parse the `size` bytes before `end`.

    The parser can be stopped only if a function passes it the bytes. It never releases what it was passed
    (py-tree-sitter 0.26), so it gets one memory view per offset, which are released afterwards. Python keeps one
    object for each single byte, so those are passed as they are. `Node.text` reads bytes after parsing, but few.
    """
    budget = ParseBudget(PARSE_SECONDS + size * PARSE_SECONDS_PER_BYTE, PARSE_BYTES + size * PARSE_BYTES_PER_BYTE)
    step = itertools.count(1).__next__
    views: dict[int, memoryview] = {}
    last = (len(content) if end is None else end) - 1
    is_parsed = False

    def read(at: int, _: Point) -> memoryview | bytes:
        if is_parsed:
            return content[at : at + _TEXT_BYTES]
        if at >= last:
            return content[at:end]
        if at not in views:
            views[at] = memoryview(content)[at:end]
        return views[at]

    try:
        # Reading the clock is expensive: the parser calls back about every 150 bytes, which take it some 10 µs.
        tree = parser.parse(read, progress_callback=lambda *_: step() % _CALLS_PER_CHECK == 0 and budget.is_over())
    except ValueError:
        raise TooCostlyError(TOO_COSTLY) from None
    finally:
        is_parsed = True
        for view in views.values():
            view.release()
    return tree.root_node
