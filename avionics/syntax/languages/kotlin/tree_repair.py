"""Change code that the grammar takes for something else, without reporting an error.

Where several annotations stand above `open class Shop {`, the grammar may take them for those of an expression, whose
operator is `class`. A keyword is never a name, so such places are found in the tree. It takes `make<Shop> {` for two
comparisons, but not `make<Shop?>{`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from avionics.syntax.engine.grammars import Grammar, parse

if TYPE_CHECKING:
    from avionics.syntax.engine.grammars import Node

GRAMMAR = Grammar("tree_sitter_kotlin")
_DECLARED = re.compile(
    rb"\b(?:public|private|protected|internal|open|abstract|final|sealed|data|value|inline|enum|annotation|inner|fun"
    rb"|suspend|override|operator|infix|tailrec|external|const|lateinit|expect|actual|companion)\s{1,80}"
    rb"(?P<word>class|interface|object|fun|val|var)\b"
)
_MADE = re.compile(rb"(?<=\w)> (?=\{)")
_MAX_BEFORE, _MAX_ROUNDS = 1_000, 3
"""How many bytes before a declaration its annotations may begin, and how often those of a file are blanked."""
_AROUND = frozenset({"source_file", "block", "class_body", "lambda_literal", "function_body", "enum_class_body"})


def change_misread(code: bytes, root: Node) -> bytes:
    """Return parsed bytes with calls that the grammar reads as such, and without annotations that hide a declaration.

    Return the same bytes where there are none of these.
    """
    called = _mark_calls(code, root)
    return _blank_annotations(called, root if called == code else parse(called, GRAMMAR))


def _mark_calls(code: bytes, root: Node) -> bytes:
    """Return parsed bytes in which a type before a lambda may be null where that makes a call of a comparison."""
    changed = bytearray(code)
    for match in _MADE.finditer(code):
        sign = root.descendant_for_byte_range(match.start(), match.start() + 1)
        if sign is not None and sign.parent is not None and sign.parent.type == "binary_expression":
            changed[match.start() : match.end()] = b"?>"
    return bytes(changed)


def _blank_annotations(code: bytes, root: Node) -> bytes:
    for _ in range(_MAX_ROUNDS):
        blanked = bytearray(code)
        for start, end in _iter_hiding(code, root):
            blanked[start:end] = re.sub(rb"[^\s]", b" ", code[start:end])
        if blanked == code:
            return code
        code = bytes(blanked)
        root = parse(code, GRAMMAR)
    return code


def _iter_hiding(code: bytes, root: Node) -> Iterator[tuple[int, int]]:
    """Yield where the annotations to be blanked stand: of several before a declaration, all but the first."""
    for match in _DECLARED.finditer(code):
        if b"@" not in code[max(0, match.start() - _MAX_BEFORE) : match.start()]:
            continue
        node = root.descendant_for_byte_range(match.start("word"), match.end("word"))
        found: list[tuple[int, int]] = []
        is_name = node is not None and node.type == "identifier"
        while is_name and node is not None and node.type not in _AROUND:
            if node.type == "annotated_expression":
                found += [(each.start_byte, each.end_byte) for each in node.children if each.type == "annotation"]
            node = node.parent
        yield from sorted(found)[1:] or found
