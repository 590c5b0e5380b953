"""Rust macros, which are never expanded.

Arguments that parse as Rust are read as Rust, which is how `println!`, `assert!` and `vec!` use them. All other tokens
are only noted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import structs

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, Reference
from avionics.model.naming import tagged
from avionics.syntax.engine import grammars
from avionics.syntax.engine.expressions import OWN_CLASS, OWN_OBJECT, bare_name, call_of, member_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, code_children
from avionics.syntax.engine.uses import CALL, READ, UsesBuilder
from avionics.syntax.languages.rust.item_macros import iter_declared_modules, iter_item_blocks
from avionics.syntax.languages.rust.paths import CRATE
from avionics.syntax.languages.rust.types import applied, own_module, path, typed

_INSIDE = Expression(ExpressionKind.UNKNOWN, "inside a macro")
"""The receiver of a name that a macro may use in any way; its part is the text before the name."""
_READABLE = frozenset({"tuple_expression", "parenthesized_expression", "array_expression", "unit_expression", "block"})
_CAPTURED = re.compile(r"\{\{|\{(\w*)(:[^{}]*)?\}")
"""An escaped brace, or a placeholder of a format string: a name and a format."""
_SPEC_ARGUMENT = re.compile(r"(?<!\w)([^\W\d]\w*+)\$")
"""A variable for a width or a precision: `{x:>width$}`."""
_STRINGS = frozenset({"string_literal", "raw_string_literal"})
_FORMATS = frozenset(
    {
        "format", "print", "println", "eprint", "eprintln", "write", "writeln", "panic", "format_args", "todo",
        "unimplemented", "unreachable", "assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "bail",
        "anyhow", "ensure", "trace", "debug", "info", "warn", "error", "log",
    }
)  # fmt: skip
_SAME = frozenset({"dbg"})
_SELECTING = frozenset({"select", "select_biased"})
_QUOTING = frozenset({"quote", "quote_spanned", "parse_quote", "parse_quote_spanned"})
"""Macros whose tokens are code of the crate that a procedural macro is used in."""
_JOINTS = frozenset({".", "::"})
_HEADS = {("self", "."): OWN_OBJECT, ("crate", "::"): bare_name(CRATE)}
_PATTERN = re.compile(r"\b(?:let|mut|ref|for)\s+(\w+)|\|([^|]{0,200})\||([^;{\n]{0,200})=>")
"""Where patterns stand among the tokens of a macro: in statements, closures and arms."""
_PATTERN_NAME = re.compile(r"\b([^\W\dA-Z]\w*+)(?!\s*[.(:])")
_MAX_CHAIN = 8
_VISIBLE = re.compile(rb"[^\n]")


def macro_invocation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call of a macro."""
    macro = node.child_by_field_name("macro")
    tokens = child_of(node, "token_tree")
    if macro is None or tokens is None:
        return UNKNOWN
    use_macro(uses, macro, scope)
    name = uses.source.of(macro).rpartition("::")[2]
    items = tuple(iter_item_blocks(uses.source.content, uses.spec.grammar, node))
    for block in items:
        uses.visit_children(block, scope)
    declared = tuple(iter_declared_modules(uses.source, node))
    for module in declared:
        uses.bind_import(module, scope)
        uses.bind_import(module, scope, behind=1)
    if items or declared:
        return UNKNOWN
    for text in (child for child in tokens.named_children if child.type in _STRINGS):
        _add_format_names(uses, text, scope, None if name in _FORMATS else _INSIDE)
    if name == "matches":
        return _matches(uses, tokens, scope)
    chosen = _select(uses, node, tokens, scope) if name in _SELECTING else None
    if chosen is not None:
        return chosen
    written = _parse_as_rust(uses, tokens) if name not in _QUOTING else None
    if written is None:
        mention_all(uses, tokens, scope, are_strings_read=True)
        return UNKNOWN
    parts = [_operand(uses, child, scope) for child in code_children(written)]
    if name == "vec":
        element = Expression(ExpressionKind.TYPEOF, "", tuple(parts[:1]))
        return typed(applied(uses, "Vec", element) if parts else uses.name("Vec"))
    if name == "format":
        return typed(uses.name("String"))
    return parts[0] if name in _SAME and len(parts) == 1 else UNKNOWN


def use_macro(uses: UsesBuilder, macro: Node, scope: int) -> None:
    """Record a call of a macro, without its arguments."""
    if macro.type == "scoped_identifier":
        path(uses, macro, scope, CALL)
    else:
        uses.add_reference(macro, scope, CALL)


def _operand(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read one argument; in `name = value` the name is one of the macro, and only the value is read."""
    if node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            return uses.visit_field(node, "right", scope)
    return uses.visit(node, scope)


def _parse_as_rust(uses: UsesBuilder, tokens: Node) -> Node | None:
    """Return the tokens parsed as Rust, None if they are not."""
    if tokens.end_byte - tokens.start_byte <= 2:
        return tokens
    node = _unwrap(grammars.parse_part(uses.source.content, uses.spec.grammar, tokens))
    is_whole = node is not None and (node.start_byte, node.end_byte) == (tokens.start_byte, tokens.end_byte)
    return node if node is not None and node.type in _READABLE and is_whole else None


def _unwrap(node: Node) -> Node | None:
    """Return the only expression of a parsed part; None if there are several or it has errors."""
    while node.type in {"source_file", "ERROR", "expression_statement"}:
        inner = [child for child in node.named_children if not child.is_missing]
        if len(inner) != 1:
            return None
        node = inner[0]
    return None if node.has_error else node


def mention_all(uses: UsesBuilder, tokens: Node, scope: int, *, are_strings_read: bool = False) -> None:
    """Add every name among tokens as one that may be used there, and those in strings that may be formats.

    Each is recorded with the names before it, as in `a.b`, for callers that assume that the macro leaves it unchanged.
    """
    bound = frozenset(_iter_bound(uses.source.of(tokens)))
    pending = [tokens]
    while pending:
        node = pending.pop()
        children, is_read = node.children, are_strings_read and node is tokens
        before: Expression | None = None
        for position, child in enumerate(children):
            if child.type == "identifier":
                before = _mention(uses, children, position, scope, before, bound)
            elif child.type in _STRINGS and not is_read:
                _add_format_names(uses, child, scope, _INSIDE)
            elif child.named_child_count:
                pending.append(child)
                before = None
            elif child.type not in _JOINTS:
                follows = children[position + 1].type if position + 1 < len(children) else ""
                before = _HEADS.get((child.type, follows))


def _mention(
    uses: UsesBuilder, tokens: list[Node], at: int, scope: int, before: Expression | None, bound: Collection[str]
) -> Expression | None:
    """Add the name at an index among tokens, and return its value if the macro leaves it unchanged."""
    joint = tokens[at - 1].type if at else ""
    text, written = _get_lookup_name(uses, tokens, at), uses.source.of(tokens[at])
    if joint in _JOINTS:
        uses.add_reference(tokens[at], scope, READ, _receiver_inside(before or UNKNOWN), sought_as=text)
        return member_of(before, text) if before is not None and not _is_long(before) else None
    is_bound = written in bound
    uses.add_reference(tokens[at], scope, READ, _receiver_inside(UNKNOWN) if is_bound else _INSIDE, sought_as=text)
    return None if is_bound else OWN_CLASS if written == "Self" else uses.name(written)


def _iter_bound(text: str) -> Iterator[str]:
    """Yield the variables that patterns among tokens may bind."""
    for found in _PATTERN.finditer(text):
        yield from _PATTERN_NAME.findall(next(filter(None, found.groups()), ""))


def _receiver_inside(before: Expression) -> Expression:
    """Return the receiver of a name inside a macro that follows a dot or `::`."""
    return structs.replace(_INSIDE, parts=(before,))


def _is_long(chain: Expression) -> bool:
    """Return whether a chain of names is too long to be resolved."""
    for _ in range(_MAX_CHAIN):
        if not chain.parts:
            return False
        chain = chain.parts[0]
    return True


def _get_lookup_name(uses: UsesBuilder, tokens: list[Node], position: int) -> str:
    """Return the name under which a word among tokens is looked up: fields and methods have separate names."""
    text = uses.source.of(tokens[position])
    follows = tokens[position + 1] if position + 1 < len(tokens) else None
    is_called = follows is not None and follows.type == "token_tree" and uses.source.of(follows).startswith("(")
    is_member = position > 0 and tokens[position - 1].type == "."
    return tagged(text) if is_member and not is_called else text


def _matches(uses: UsesBuilder, tokens: Node, scope: int) -> Expression:
    """Read the chains of names in `matches!(value, pattern)`, such as `State::Open(x)`; what it binds has no scope."""
    before: Expression | None = None
    previous, is_pattern, supers = "", False, 0
    children = tokens.children
    for position, child in enumerate(children):
        text = uses.source.of(child)
        is_pattern = is_pattern or child.type == ","
        is_head = position + 1 < len(children) and children[position + 1].type == "::"
        if is_head and child.type in {"crate", "self", "super"}:
            supers += child.type == "super"
            before = uses.name(CRATE) if child.type == "crate" else own_module(uses, scope, supers)
        elif child.type == "identifier" and previous in {".", "::"} and before is not None:
            text = _get_lookup_name(uses, tokens.children, position)
            uses.add_reference(child, scope, READ, before, sought_as=text)
            before = member_of(before, text)
        elif child.type == "identifier" and (text[:1].isupper() or is_head or not is_pattern):
            before = OWN_CLASS if text == "Self" else uses.name(text)
            if text != "Self":
                uses.add_reference(child, scope, READ)
        elif child.type == "token_tree":
            mention_all(uses, child, scope)
            before = call_of(before) if before is not None else None
        elif child.type == "self":
            before = OWN_OBJECT
        elif child.type not in {".", "::"}:
            before, supers = None, 0
        previous = child.type
    return typed(uses.name("bool"))


def _select(uses: UsesBuilder, node: Node, tokens: Node, scope: int) -> Expression | None:
    """Read `select! { pattern = future, if condition => handler, … }`; None if it has another form.

    The futures are read as statements, and the rest as the arms of a `match` on an unknown value. Tokens that differ
    are overwritten with as many bytes, so that all positions stay.
    """
    children = [child for child in tokens.children[1:-1] if not child.is_extra]
    if uses.source.of(tokens)[:1] != "{" or not any(child.type == "=>" for child in children):
        return None
    content = uses.source.content
    futures, arms = bytearray(content), bytearray(content)
    _blank(futures, tokens.start_byte + 1, tokens.end_byte - 1)
    arms[node.start_byte : tokens.start_byte] = b"match..".ljust(tokens.start_byte - node.start_byte)
    at = 0
    if [uses.source.of(child) for child in children[:2]] == ["biased", ";"]:
        _blank(arms, children[0].start_byte, children[1].end_byte)
        at = 2
    while at < len(children):
        arrow = next((i for i in range(at, len(children)) if children[i].type == "=>"), None)
        equals = next((i for i in range(at, arrow or at) if children[i].type == "="), None)
        if arrow is None or (equals is None and arrow != at + 1):
            return None
        if equals is not None:
            guard = next((i for i in range(equals, arrow) if children[i].type == "if"), arrow)
            start, end = children[equals].end_byte, children[guard - 1 if guard == arrow else guard - 2].end_byte
            _blank(arms, children[equals].start_byte, children[guard].start_byte)
            futures[start:end] = content[start:end]
            futures[children[arrow].start_byte] = ord(";")
        elif children[at].type == "else":
            arms[children[at].start_byte : children[at].end_byte] = b"_   "
        at = _end_of_handler(uses, children, arrow + 1)
    awaited = _unwrap(grammars.parse_part(bytes(futures), uses.spec.grammar, tokens))
    chosen = _unwrap(grammars.parse_part(bytes(arms), uses.spec.grammar, node))
    types = (awaited and awaited.type, chosen and chosen.type)
    if awaited is None or chosen is None or types != ("block", "match_expression"):
        return None
    uses.visit_children(awaited, scope)
    return uses.visit(chosen, scope)


def _blank(code: bytearray, start: int, end: int) -> None:
    """Overwrite bytes with spaces, except line ends."""
    code[start:end] = _VISIBLE.sub(b" ", code[start:end])


def _end_of_handler(uses: UsesBuilder, tokens: list[Node], start: int) -> int:
    """Return the index after the handler that begins at a token: a block, or everything up to the next comma."""
    is_block = start < len(tokens) and uses.source.of(tokens[start])[:1] == "{"
    end = start + 1 if is_block else next((i for i in range(start, len(tokens)) if tokens[i].type == ","), len(tokens))
    return end + (end < len(tokens) and tokens[end].type == ",")


def _add_format_names(uses: UsesBuilder, text: Node, scope: int, receiver: Expression | None) -> None:
    """Add the variables that a format string names: `"{width}"`, `"{LIMIT:?}"`, `"{x:>width$}"`.

    Their receiver marks that an unknown macro may use the string differently.
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
    uses.bind(node.child_by_field_name("name"), scope, BindingKind.DEFINITION)
    for rule in node.named_children:
        right = rule.child_by_field_name("right") if rule.type == "macro_rule" else None
        if right is not None:
            mention_all(uses, right, scope)
