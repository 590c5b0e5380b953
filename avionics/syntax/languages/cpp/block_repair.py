"""Find the code whose syntax errors make the tree end a block elsewhere than its brace.

A macro that the grammar does not know (`TRY { … } CATCH { … }`) may cost the parser a brace. It then closes the class
or the namespace around it too early, and everything that follows seems to be declared outside of it. Such a statement
is blanked, or the declaration that it is in where that does not suffice: its names may then be any use of what they
name, and what follows is read where it belongs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from avionics.syntax.engine.grammars import Grammar, Node, parse

Span = tuple[int, int]

GRAMMAR = Grammar("tree_sitter_cpp")

_TEXT = re.compile(
    rb"""(?m)R"(?P<end>\w{0,16})\((?s:.*?)(?:\)(?P=end)"|\Z)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.){1,8}'"""
    rb"""|(?P<no>^[ \t]*\#(?:[^\n\\/]|/(?!\*)|\\(?:\r?\n|.)|/\*(?s:.*?)(?:\*/|\Z))*|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))"""
)
_NAMESPACE = re.compile(rb"\bnamespace\b[\s\w:]{0,200}\{")
_LISTS = frozenset({"declaration_list", "field_declaration_list", "enumerator_list"})
_BRACKET = re.compile(rb"[{}()\[\]]|;")
# TRY {   CHOOSE(condition) {
_MACRO_HEAD = re.compile(rb"\s*([A-Z_][A-Z0-9_]{2,200}\s{0,80}(?:\([^{};]{0,400}\)\s{0,80})?)\{")
_GOES_ON = re.compile(rb"\s{0,200}(?:[;,)=]|(?:else|catch|while)\b)")
_AS_BLANKS, _AS_STRING = (bytes(10 if byte == 10 else kept for byte in range(256)) for kept in b' "')
_MAX_ROUNDS = 8
"""The maximum number of rounds of repair of a file; further errors stay."""


def blank_breaking_code(code: bytes, root: Node) -> bytes:
    """Return parsed bytes without the code that breaks blocks in their tree, the same bytes where there is none."""
    if not root.has_error:
        return code
    text = _TEXT.sub(_without_text, code)
    blocks = _Blocks(text)
    tried: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        broken = blocks.get_broken(root)
        if broken is None:
            return code
        whole = broken[1]
        spans = [whole] if whole[0] in tried else [blocks.statement_at(at) for at in _iter_errors(root, whole)]
        tried.add(whole[0])
        blanked = bytearray(code)
        for start, end in spans:
            blanked[start:end] = _blank(code[start:end], text[start:end])
        if blanked == code:
            if spans == [whole]:
                return code
            continue
        code = bytes(blanked)
        root = parse(code, GRAMMAR)
    return code


def _without_text(found: re.Match[bytes]) -> bytes:
    """Return a comment or directive as blanks, and a string as text without brackets."""
    return found[0].translate(_AS_STRING if found["no"] is None else _AS_BLANKS)


def _blank(code: bytes, text: bytes) -> bytes:
    """Return code as blanks, except its comments and directives."""
    return bytes(32 if seen > 32 else byte for byte, seen in zip(code, text, strict=True))


class _Blocks:
    """The blocks of a text, as its braces show them."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._ends: dict[int, int] = {}
        opened: list[int] = []
        for brace in re.finditer(rb"[{}]", text):
            if brace[0] == b"{":
                opened.append(brace.start())
            elif opened:
                self._ends[opened.pop()] = brace.start()
        self._starts = sorted(self._ends)
        self._pieces: dict[int, list[Span]] = {}

    def get_broken(self, root: Node) -> tuple[int, Span] | None:
        """Return the start of the innermost block that the tree does not end at its brace, and the breaking piece.

        That is the piece of the block in which the tree ends it too early, or the last one with an error.
        """
        seen = {node.start_byte: node.end_byte - 1 for node in _iter_lists(root)}
        for found in _NAMESPACE.finditer(self._text):
            at = found.end() - 1
            brace = root.descendant_for_byte_range(at, at + 1)
            body = brace.parent if brace is not None else None
            is_body = body is not None and body.type in _LISTS and body.start_byte == at
            seen[at] = body.end_byte - 1 if body is not None and is_body else -1
        broken = [at for at, end in seen.items() if at in self._ends and end != self._ends[at]]
        for start in sorted(broken, key=lambda at: self._ends[at] - at):
            end, inner = self._ends[start], seen[start]
            errors = list(_iter_errors(root, (start, end)))
            at = inner if start < inner < end else max(errors, default=-1)
            if at >= 0 and self._list_pieces(start):
                return start, self._piece(start, at)
        return None

    def statement_at(self, at: int) -> Span:
        """Return the innermost statement or declaration that has a byte, or only a macro that heads it or its block."""
        around = (
            start for start in reversed(self._starts[: bisect_right(self._starts, at)]) if at <= self._ends[start]
        )
        pieces = [self._piece(start, at) for start in islice(around, 2) if self._list_pieces(start)]
        heads = (_MACRO_HEAD.match(self._text, *piece) for piece in pieces)
        return next((head.span(1) for head in heads if head is not None), next(iter(pieces), (at, at)))

    def _piece(self, start: int, at: int) -> Span:
        """Return the piece of a block that has a byte, or the last one before it."""
        pieces = self._list_pieces(start)
        return pieces[max(0, bisect_right(pieces, (at, len(self._text))) - 1)]

    def _list_pieces(self, start: int) -> list[Span]:
        if start not in self._pieces:
            self._pieces[start] = list(self._iter_pieces(start))
        return self._pieces[start]

    def _iter_pieces(self, start: int) -> Iterator[Span]:
        """Yield the spans of the statements or declarations in a block, each up to its semicolon or its last brace."""
        at = first = start + 1
        depth, end = 0, self._ends[start]
        while (found := _BRACKET.search(self._text, at, end)) is not None:
            at = found.end()
            if found[0] == b"{":
                at = self._ends.get(found.start(), end) + 1
                is_last = not depth and _GOES_ON.match(self._text, at, end) is None
            else:
                depth = max(0, depth + (found[0] in b"([") - (found[0] in b")]"))
                is_last = found[0] == b";" and not depth
            if is_last:
                yield first, at
                first = at
        if self._text[first:end].strip():
            yield first, end


def _iter_lists(root: Node) -> Iterator[Node]:
    """Yield the bodies of namespaces, classes and enumerations that have a syntax error: others end at their brace."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in _LISTS and node.child_count and node.children[0].type == "{":
            yield node
        pending.extend(child for child in node.named_children if child.has_error)


def _iter_errors(root: Node, within: Span) -> Iterator[int]:
    """Yield where the innermost syntax errors in a span begin."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.end_byte < within[0] or node.start_byte > within[1] or not (node.has_error or node.is_missing):
            continue
        inner = [child for child in node.children if child.has_error or child.is_missing]
        if inner:
            pending.extend(inner)
        elif within[0] <= node.start_byte < within[1]:
            yield node.start_byte
