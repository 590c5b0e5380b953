"""Find the imports at the top of a file, and where to insert another one."""

from __future__ import annotations

from msgspec import Struct

from avionics.syntax.engine import grammars
from avionics.syntax.engine.budget import TooCostlyError
from avionics.syntax.registry import require_rules


class ImportBlock(Struct, frozen=True):
    """The imports at the top of a file: byte offsets of each statement, and of the place for another one."""

    statements: tuple[tuple[int, int], ...]
    end: int


def read_import_block(content: bytes, language: str) -> ImportBlock | None:
    """Return the imports at the top level of a file; None for a language without rules for them."""
    spec = require_rules(language)
    texts = spec.import_texts
    if texts is None:
        return None
    code = content if spec.prepare is None else spec.prepare(content)
    try:
        root = grammars.parse(code, spec.grammar)
    except TooCostlyError:
        return None
    found, end = [], 0
    for node in root.children:
        if texts.is_import(node):
            found.append((node.start_byte, node.end_byte))
            end = node.end_byte
        elif not found and (texts.is_header(node) or node.is_extra):
            end = node.end_byte
    return ImportBlock(tuple(found), end)
