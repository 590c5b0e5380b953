"""Go expressions: the names they use, and their values as one file shows them."""

from __future__ import annotations

import re

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.common_rules import name_use, transparent
from avionics.syntax.engine.expressions import call_of, member_of, subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, first_child, operator_of, require_field, require_fields
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.go.spec import VALUED_KEYS
from avionics.syntax.languages.go.types import CHANNEL, MAP, SLICE, typed, visit_arguments

_BOOLEAN = Expression(ExpressionKind.LITERAL, "bool")
_LOGICAL = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_SHIFTS = frozenset({"<<", ">>"})
_TYPE = re.compile(r"\A\W*(?:\w+\.)?(?:[A-Z]|(?:string|bool|byte|rune|error|any|u?int\d*|float\d+)\Z)")
_NAMED = frozenset({ExpressionKind.NAME, ExpressionKind.ATTRIBUTE, ExpressionKind.OBJECT})


def identifier(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a bare name, unless it is `_`."""
    return UNKNOWN if uses.source.of(node) == "_" else name_use(uses, node, scope, role)


def call(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call or a conversion; `make` and `new` return a value of their type argument."""
    function, listed = require_fields(node, "function", "arguments")
    callee = uses.visit(function, scope, CALL)
    types = visit_arguments(uses, node, scope)
    if types:
        callee = subscripted(callee, *types)
    nodes = code_children(listed)
    if nodes and function.type == "identifier" and uses.source.of(function) in {"make", "new"}:
        made = uses.visit(nodes[0], scope, ANNOTATE)
        for argument in nodes[1:]:
            uses.visit(argument, scope)
        return typed(made)
    return call_of(callee, *(uses.visit(argument, scope) for argument in nodes))


def conversion(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `[]byte(x)`, or a call of a generic function with one argument, which looks the same."""
    written = node.child_by_field_name("type")
    value = uses.visit_field(node, "operand", scope)
    if written is None:
        return UNKNOWN
    if written.type == "generic_type":
        return call_of(uses.visit(written, scope, CALL), value)
    return typed(uses.visit(written, scope, ANNOTATE))


def index(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x[i]`, or `f[T]`, a function with type arguments, which is called rather than read."""
    operand, position = require_fields(node, "operand", "index")
    is_type = role is CALL and _TYPE.search(uses.source.of(position)) is not None
    owner = uses.visit(operand, scope, CALL if is_type else READ)
    return subscripted(owner, uses.visit(position, scope))


def part_of_slice(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x[i:j]`, which has the type of `x`."""
    owner = uses.visit_field(node, "operand", scope)
    for field in ("start", "end", "capacity"):
        uses.visit_field(node, field, scope)
    return owner


def unary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a unary operator: pointers are transparent, and `<-x` receives."""
    operand = require_field(node, "operand")
    operator = node.children[0].type
    inner = role if operator == "*" and role in {CALL, ANNOTATE} else READ
    value = uses.visit(operand, scope, inner)
    if operator == "<-":
        return call_of(member_of(value, "__receive__"))
    return _BOOLEAN if operator == "!" else value


def binary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a binary operator: comparisons result in `bool`, others in the type of the operand that is not a literal."""
    left, right = uses.visit_field(node, "left", scope), uses.visit_field(node, "right", scope)
    text = operator_of(node)
    if text in _LOGICAL:
        return _BOOLEAN
    return right if left.kind is ExpressionKind.LITERAL and text not in _SHIFTS else left


def composite_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `T{…}`, whose keys are fields of a struct or indices, and whose elements may leave out their type."""
    body = node.child_by_field_name("body")
    value = typed(uses.visit_field(node, "type", scope, ANNOTATE))
    if body is not None:
        _elements(uses, body, scope, value)
    return value


def literal_value(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `{…}` within a literal, which has the expected type."""
    whole = uses.expected
    _elements(uses, node, scope, whole)
    return whole


def _elements(uses: UsesBuilder, body: Node, scope: int, whole: Expression) -> None:
    """Visit the elements of a literal of a given value."""
    key_type, element_type = held_by(whole)
    for entry in body.named_children:
        value: Node | None = entry
        if entry.type == "keyed_element":
            key, value = entry.child_by_field_name("key"), entry.child_by_field_name("value")
            name = first_child(key)
            if name is not None and name.type == "identifier" and _has_fields(uses, whole):
                uses.add_reference(name, scope, WRITE, whole)
            elif key is not None:
                _element(uses, key, scope, key_type)
        if value is not None:
            _element(uses, value, scope, element_type)


def _element(uses: UsesBuilder, element: Node, scope: int, value: Expression) -> None:
    """Visit an element; braces without a type are a literal of the element type."""
    inner = inner_of(element)
    uses.visit(inner, scope, READ, value if inner.type == "literal_value" else UNKNOWN)


def inner_of(element: Node) -> Node:
    """Return the expression of an element of a literal."""
    return element.named_children[0] if element.type == "literal_element" and element.named_child_count else element


def held_by(whole: Expression) -> tuple[Expression, Expression]:
    """Return a key and an element of the value of a literal, such as those of `map[string]Cart`; UNKNOWN for no key."""
    if whole is UNKNOWN:
        return UNKNOWN, UNKNOWN
    written = whole.parts[0] if whole.kind is ExpressionKind.TYPED else UNKNOWN
    owner = written.parts[0] if written.kind is ExpressionKind.SUBSCRIPT else UNKNOWN
    if owner is SLICE or owner is CHANNEL:
        return UNKNOWN, typed(written.parts[1])
    if owner is MAP:
        return typed(written.parts[1]), typed(written.parts[2])
    return UNKNOWN, subscripted(whole, UNKNOWN)


def _has_fields(uses: UsesBuilder, whole: Expression) -> bool:
    """Return whether names before colons in a literal are fields, not values; types of other files pass for structs."""
    if whole is UNKNOWN:
        return False
    if whole.kind is not ExpressionKind.TYPED:
        return True
    written = whole.parts[0]
    owner = written.parts[0] if written.kind is ExpressionKind.SUBSCRIPT else written
    if owner.kind not in _NAMED or owner in {SLICE, MAP, CHANNEL}:
        return False
    declared = [b.symbol for b in uses.bindings.get(owner.name, ()) if b.symbol >= 0]
    return not any(VALUED_KEYS.match(uses.facts.symbols[symbol].signature) for symbol in declared)


def variadic(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `xs...`, which passes the elements of `xs`."""
    return subscripted(transparent(uses, node, scope, READ), UNKNOWN)
