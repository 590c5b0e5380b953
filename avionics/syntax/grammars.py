"""Grammars: the only importer of tree-sitter.

Knows: which wheel carries which grammar; how to parse bytes.
Does not know: what the trees mean.
"""

from __future__ import annotations

import functools
import importlib

from tree_sitter import Language, Node, Parser, Point, Range

from protocols.errors import MissingDependencyError

__all__ = ["Node", "has_grammar", "parse", "parse_part"]

_WHEELS = {"python": ("tree_sitter_python", "language")}


@functools.cache
def _language(name: str) -> Language:
    """The compiled grammar."""
    module_name, function = _WHEELS[name]
    try:
        module = importlib.import_module(module_name)
    except ImportError as missing:
        wheel = module_name.replace("_", "-")
        raise MissingDependencyError(f"no grammar for {name}", hint=f"pip install {wheel}") from missing
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
    """
    return Parser(_language(language)).parse(content).root_node


def parse_part(content: bytes, language: str, outer: Node) -> Node:
    """The tree of the bytes under one node, read on their own, with positions in the whole."""
    part = Range(
        Point(outer.start_point.row, outer.start_point.column),
        Point(outer.end_point.row, outer.end_point.column),
        outer.start_byte,
        outer.end_byte,
    )
    return Parser(_language(language), included_ranges=[part]).parse(content).root_node
