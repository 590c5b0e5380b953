"""Rust macros, which are never expanded.

Arguments that parse as Rust are read as Rust, which is how `println!`, `assert!` and `vec!` use them. All other tokens
are only noted.
"""

from __future__ import annotations

import re

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, Reference
from avionics.model.naming import tagged
from avionics.syntax.engine import grammars
from avionics.syntax.engine.expressions import OWN_CLASS, OWN_OBJECT, call_of, member_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of
from avionics.syntax.engine.uses import CALL, READ, UsesBuilder
from avionics.syntax.languages.rust.item_macros import iter_item_blocks
from avionics.syntax.languages.rust.types import applied, path, typed

_INSIDE = Expression(ExpressionKind.UNKNOWN, "inside a macro")
_READABLE = frozenset({"tuple_expression", "parenthesized_expression", "array_expression", "unit_expression", "block"})
_CAPTURED = re.compile(r"\{\{|\{(\w*)(:[^{}]*)?\}")
"""A brace written twice, or what a format string holds a place for: a name, and how to write its value."""
_SPEC_ARGUMENT = re.compile(r"(?<!\w)([^\W\d]\w*+)\$")
"""A variable that gives a width or a precision: `{x:>width$}`."""
_STRINGS = frozenset({"string_literal", "raw_string_literal"})
_FORMATS = frozenset(
    {
        "format", "print", "println", "eprint", "eprintln", "write", "writeln", "panic", "format_args", "todo",
        "unimplemented", "unreachable", "assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "bail",
        "anyhow", "ensure", "trace", "debug", "info", "warn", "error", "log",
    }
)  # fmt: skip
_SAME = frozenset({"dbg"})


def macro_invocation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call of a macro."""
    macro = node.child_by_field_name("macro")
    tokens = child_of(node, "token_tree")
    if macro is None or tokens is None:
        return UNKNOWN
    if macro.type == "scoped_identifier":
        path(uses, macro, scope, CALL)
    else:
        uses.add_reference(macro, scope, CALL)
    name = uses.source.of(macro).rpartition("::")[2]
    items = tuple(iter_item_blocks(uses.source.content, uses.spec.grammar, node))
    for block in items:
        uses.visit_children(block, scope)
    if items:
        return UNKNOWN
    for text in (child for child in tokens.named_children if child.type in _STRINGS):
        _captured(uses, text, scope, None if name in _FORMATS else _INSIDE)
    if name == "matches":
        return _matches(uses, tokens, scope)
    written = _read(uses, tokens)
    if written is None:
        mention_all(uses, tokens, scope, are_strings_read=True)
        return UNKNOWN
    parts = [_operand(uses, child, scope) for child in written.named_children if not child.is_extra]
    if name == "vec":
        element = Expression(ExpressionKind.TYPEOF, "", tuple(parts[:1]))
        return typed(applied(uses, "Vec", element) if parts else uses.name("Vec"))
    if name == "format":
        return typed(uses.name("String"))
    return parts[0] if name in _SAME and len(parts) == 1 else UNKNOWN


def _operand(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read one argument; the name in `name = value` is the macro's own."""
    if node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            return uses.visit_field(node, "right", scope)
    return uses.visit(node, scope)


def _read(uses: UsesBuilder, tokens: Node) -> Node | None:
    """Return the tokens parsed as Rust, None where they are not."""
    if tokens.end_byte - tokens.start_byte <= 2:
        return tokens
    node = grammars.parse_part(uses.source.content, uses.spec.grammar, tokens)
    while node.type in {"source_file", "ERROR", "expression_statement"}:
        inner = [child for child in node.named_children if not child.is_missing]
        if len(inner) != 1:
            return None
        node = inner[0]
    is_whole = (node.start_byte, node.end_byte) == (tokens.start_byte, tokens.end_byte)
    return node if node.type in _READABLE and is_whole and not node.has_error else None


def mention_all(uses: UsesBuilder, tokens: Node, scope: int, *, are_strings_read: bool = False) -> None:
    """Add every name among tokens as one that may be used there, and those that strings may format."""
    pending = [tokens]
    while pending:
        node = pending.pop()
        children, is_read = node.children, are_strings_read and node is tokens
        for position, child in enumerate(children):
            if child.type == "identifier":
                text = _sought(uses, children, position)
                uses.add_reference(child, scope, READ, _INSIDE, sought_as=text)
            elif child.type in _STRINGS and not is_read:
                _captured(uses, child, scope, _INSIDE)
            elif child.named_child_count:
                pending.append(child)


def _sought(uses: UsesBuilder, tokens: list[Node], position: int) -> str:
    """Return the name under which a word among tokens is looked up: fields and methods have separate names."""
    text = uses.source.of(tokens[position])
    follows = tokens[position + 1] if position + 1 < len(tokens) else None
    is_called = follows is not None and follows.type == "token_tree" and uses.source.of(follows).startswith("(")
    is_member = position > 0 and tokens[position - 1].type == "."
    return tagged(text) if is_member and not is_called else text


def _matches(uses: UsesBuilder, tokens: Node, scope: int) -> Expression:
    """Read `matches!(value, pattern)`, using chains of names; what the pattern captures is not told apart."""
    before: Expression | None = None
    previous, is_pattern = "", False
    for position, child in enumerate(tokens.children):
        text = uses.source.of(child)
        is_pattern = is_pattern or child.type == ","
        if child.type == "identifier" and previous in {".", "::"} and before is not None:
            text = _sought(uses, tokens.children, position)
            uses.add_reference(child, scope, READ, before, sought_as=text)
            before = member_of(before, text)
        elif child.type == "identifier" and (text[:1].isupper() or not is_pattern):
            before = OWN_CLASS if text == "Self" else uses.name(text)
            if text != "Self":
                uses.add_reference(child, scope, READ)
        elif child.type == "token_tree":
            mention_all(uses, child, scope)
            before = call_of(before) if before is not None else None
        elif child.type == "self":
            before = OWN_OBJECT
        elif child.type not in {".", "::"}:
            before = None
        previous = child.type
    return typed(uses.name("bool"))


def _captured(uses: UsesBuilder, text: Node, scope: int, receiver: Expression | None) -> None:
    """Add the variables that a format string names: `"{width}"`, `"{LIMIT:?}"`, `"{x:>width$}"`.

    The receiver says where an unknown macro may do something else with the string.
    """
    line, column = uses.source.place(text)
    for number, each in enumerate(uses.source.of(text).split("\n")):
        start = column if number == 0 else 0
        for found in _CAPTURED.finditer(each):
            places = [(found[1], found.start(1))] if (found[1] or "").isidentifier() else []
            if found[2]:
                places += [(m[1], found.start(2) + m.start(1)) for m in _SPEC_ARGUMENT.finditer(found[2])]
            for name, at in places:
                used = Reference(name, READ, line + number, start + at, scope, receiver)
                uses.references[name].append(used)


def macro_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the name of a `macro_rules!`, whose expansion is not read."""
    name = node.child_by_field_name("name")
    uses.bind(name, scope, BindingKind.DEFINITION)
    for rule in node.named_children:
        right = rule.child_by_field_name("right") if rule.type == "macro_rule" else None
        if right is not None:
            mention_all(uses, right, scope)
