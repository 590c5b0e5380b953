"""Change code that the grammar misreads without reporting an error.

Several annotations above `open class Shop {` may be read as those of an expression with the infix operator `class`. A
keyword is never a name, so such places are found in the tree. `make<Shop> {` is read as two comparisons, unlike
`make<Shop?>{`, by which it is replaced.
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
_TYPE_BEFORE_LAMBDA = re.compile(rb"(?<=\w)> (?=\{)")
_MAX_BEFORE, _MAX_ROUNDS = 1_000, 3
"""The maximum number of bytes from annotations to a declaration, and of rounds in which annotations are blanked."""
_AROUND = frozenset({"source_file", "block", "class_body", "lambda_literal", "function_body", "enum_class_body"})


def change_misread(code: bytes, root: Node) -> bytes:
    """Return the bytes with misread calls rewritten and misread annotations blanked, the same bytes without any."""
    called = _make_calls(code, root)
    return _blank_annotations(called, root if called == code else parse(called, GRAMMAR))


def _make_calls(code: bytes, root: Node) -> bytes:
    """Return the bytes with `make<Shop?>{` in place of each `make<Shop> {` that was read as a comparison."""
    changed = bytearray(code)
    for match in _TYPE_BEFORE_LAMBDA.finditer(code):
        sign = root.descendant_for_byte_range(match.start(), match.start() + 1)
        if sign is not None and sign.parent is not None and sign.parent.type == "binary_expression":
            changed[match.start() : match.end()] = b"?>"
    return bytes(changed)


def _blank_annotations(code: bytes, root: Node) -> bytes:
    for _ in range(_MAX_ROUNDS):
        blanked = bytearray(code)
        for start, end in _iter_annotations_to_blank(code, root):
            blanked[start:end] = re.sub(rb"[^\s]", b" ", code[start:end])
        if blanked == code:
            return code
        code = bytes(blanked)
        root = parse(code, GRAMMAR)
    return code


def _iter_annotations_to_blank(code: bytes, root: Node) -> Iterator[tuple[int, int]]:
    """Yield start and end of the annotations to be blanked: all but the first of several above a declaration."""
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
