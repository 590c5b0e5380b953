"""Grammars: the only importer of tree-sitter.

Knows: which wheel carries which grammar; how to parse bytes.
Does not know: what the trees mean.
"""

from __future__ import annotations

import functools
import importlib
import itertools

from tree_sitter import Language, Node, Parser, Point, Range

from avionics.model.errors import MissingDependencyError
from avionics.syntax.engine.budget import ParseBudget, TooCostlyError

__all__ = ["LONG_TAIL_WHEEL", "Node", "has_grammar", "parse", "parse_part"]

_WHEELS = {
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
LONG_TAIL_WHEEL = "tree_sitter_language_pack"
"""Carries the grammars of the long tail in the wheel itself; later versions of it download them at run time."""

PARSE_SECONDS, PARSE_SECONDS_PER_BYTE = 0.3, 1e-6
"""Ten times what code takes; a parser that is led astray takes memory as fast as time."""

PARSE_BYTES, PARSE_BYTES_PER_BYTE = 64_000_000, 80
"""The tree of code takes 10 to 65 bytes a byte; of brackets alone it would take 250."""

_STEPS_A_LOOK = 16
_TEXT_BYTES = 64


@functools.cache
def _language(name: str) -> Language:
    """The compiled grammar."""
    module_name, function = _WHEELS.get(name, (LONG_TAIL_WHEEL, "get_language"))
    try:
        module = importlib.import_module(module_name)
    except ImportError as missing:
        wheel = module_name.replace("_", "-")
        raise MissingDependencyError(f"no grammar for {name}", hint=f"pip install {wheel}") from missing
    if name not in _WHEELS:
        found = module.get_language(name)
        assert isinstance(found, Language)
        return found
    return Language(getattr(module, function)())


def has_grammar(name: str) -> bool:
    """Whether the language can be parsed here."""
    try:
        return name in _WHEELS and _language(name) is not None
    except MissingDependencyError:
        return False


def parse(content: bytes, language: str) -> Node:
    """The root of the syntax tree of the bytes; syntax errors are nodes of it, never exceptions.

    Raises:
        MissingDependencyError: The grammar's wheel is not installed.
        TooCostlyError: It took too long, or too much memory.
    """
    return _parse(Parser(_language(language)), content, len(content))


def parse_part(content: bytes, language: str, outer: Node, skipped: int = 0) -> Node:
    """The tree of the bytes under one node, read on their own, with positions in the whole. Raises as `parse`.

    `skipped` are the bytes of its first line before what is read.
    """
    part = Range(
        Point(outer.start_point.row, outer.start_point.column + skipped),
        Point(outer.end_point.row, outer.end_point.column),
        outer.start_byte + skipped,
        outer.end_byte,
    )
    parser = Parser(_language(language), included_ranges=[part])
    return _parse(parser, content, outer.end_byte - outer.start_byte - skipped, outer.end_byte)


def _parse(parser: Parser, content: bytes, size: int, end: int | None = None) -> Node:
    """The tree of `size` bytes before `end`.

    The parser can be stopped only when a function hands it the bytes. It never lets go of what it was handed
    (py-tree-sitter 0.26), so that is a view, which is emptied when it is done, and the same one for the same place;
    of single bytes Python keeps one of each. `Node.text` asks for bytes afterwards, and is handed few.
    """
    patience = ParseBudget(PARSE_SECONDS + size * PARSE_SECONDS_PER_BYTE, PARSE_BYTES + size * PARSE_BYTES_PER_BYTE)
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
        # The clock is dear: the parser asks about every 150 bytes, which takes it some 10 µs.
        tree = parser.parse(read, progress_callback=lambda *_: step() % _STEPS_A_LOOK == 0 and patience.is_over())
    except ValueError:
        raise TooCostlyError("parsing it took too long, or too much memory") from None
    finally:
        is_parsed = True
        for view in views.values():
            view.release()
    return tree.root_node
