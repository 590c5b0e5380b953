"""Rust expressions: calls, members, literals of structs, closures, and their values."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import tagged
from avionics.syntax.engine.common_rules import unroll, visit_arguments
from avionics.syntax.engine.expressions import (
    OWN_CLASS,
    call_of,
    expect,
    function_giving,
    item_of,
    member_of,
    subscripted,
    union_of,
)
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, code_children, operator_of, require_field
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.rust.patterns import bind_pattern, iter_places, own_object
from avionics.syntax.languages.rust.types import applied, typed

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "bitand", "|": "bitor", "^": "bitxor",
    "<<": "shl", ">>": "shr",
}  # fmt: skip
"""Operator → the method of its trait (https://doc.rust-lang.org/std/ops/)."""
_MAX_OPERATIONS = 16
_FUNCTIONS = frozenset({"closure_expression"})
_SAME = frozenset({"clone", "to_owned", "by_ref"})
"""Methods that return their receiver, or a value with the same members."""


def identifier(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a bare name; `Self` is the own type."""
    if uses.source.of(node) == "Self":
        return OWN_CLASS
    return uses.name(uses.add_reference(node, scope, role))


def field_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `value.name`, `value.0`, or the method of `value.name()`; fields and methods have separate names."""
    name = node.child_by_field_name("field")
    value = uses.visit_field(node, "value", scope)
    if name is None:
        return UNKNOWN
    text = uses.source.of(name)
    if name.type == "integer_literal":
        member = member_of(value, text)
        item = item_of(value, int(text)) if text.isdigit() else UNKNOWN
        return union_of((member, item))
    is_called = node.parent is not None and node.parent.type in {"call_expression", "generic_function"}
    if not (is_called and role is CALL):
        text = tagged(text)
    uses.add_reference(name, scope, role, value, sought_as=text)
    return member_of(value, text)


def call_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call; closures among the arguments get the types that the callee declares."""
    function, arguments = uses.require(node, scope, "function", "arguments")
    callee = uses.visit(function, scope, CALL)
    written = code_children(arguments)
    given = visit_arguments(uses, written, scope, callee, _FUNCTIONS)
    if callee.kind is ExpressionKind.ATTRIBUTE and callee.name in _SAME and not given:
        return callee.parts[0]
    if callee.kind is ExpressionKind.TYPED:
        return callee
    return call_of(callee, *given)


def generic_function(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `f::<T>`; `collect` and `parse` return the type written there."""
    callee = uses.visit_field(node, "function", scope, role)
    written = [child for child in children_of(node, "type_arguments") if child.type != "lifetime"]
    types = [uses.visit(child, scope, ANNOTATE) for child in written]
    if callee.kind is ExpressionKind.ATTRIBUTE and callee.name == "collect" and types:
        return typed(collected(types[0], callee))
    return callee


def collected(declared: Expression, callee: Expression) -> Expression:
    """Return the result of `collect` for a type such as `Vec<_>`: the gap is the type of the items."""
    return _filled(declared, Expression(ExpressionKind.ELEMENT, "", callee.parts))


def _filled(declared: Expression, element: Expression) -> Expression:
    """Return a type with `_` replaced by the element type, or by that of a result around the collection."""
    if declared is UNKNOWN:
        return Expression(ExpressionKind.TYPEOF, "", (element,))
    if declared.kind is not ExpressionKind.SUBSCRIPT:
        return declared
    owner, *arguments = declared.parts
    if owner.name in {"Result", "Option"}:
        element = unwrapped(element)
    return subscripted(owner, *(_filled(part, element) for part in arguments))


def unwrapped(value: Expression) -> Expression:
    """Return the value in a result or an option."""
    return call_of(member_of(value, "unwrap"))


def closure(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a closure; its parameters have the types that the expected function is passed."""
    expected = uses.expected
    inner = uses.open(ScopeKind.FUNCTION, scope, node)
    uses.visit_field(node, "return_type", scope, ANNOTATE)
    parameters = node.child_by_field_name("parameters")
    for position, entry in enumerate(iter_places(parameters) if parameters is not None else ()):
        pattern = entry.child_by_field_name("pattern") if entry.type == "parameter" else entry
        declared = entry.child_by_field_name("type") if entry.type == "parameter" else None
        annotation = uses.visit(declared, scope, ANNOTATE)
        if pattern is not None:
            bind_pattern(uses, pattern, inner, expect(expected, position), scope, annotation)
    result = uses.visit_field(node, "body", inner)
    return function_giving(result, inner)


def struct_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `Point { x: 1, y, ..rest }`, which uses each field."""
    name = require_field(node, "name")
    owner = own_object(uses, uses.visit(name, scope, ANNOTATE))
    for child in children_of(node, "body"):
        if child.type == "shorthand_field_initializer":
            field = child.named_children[-1]
            uses.add_reference(field, scope, READ)
            uses.add_reference(field, scope, WRITE, owner, sought_as=tagged(uses.source.of(field)))
        elif child.type == "field_initializer":
            field_name = child.child_by_field_name("field")
            if field_name is not None and field_name.type == "field_identifier":
                uses.add_reference(field_name, scope, WRITE, owner, sought_as=tagged(uses.source.of(field_name)))
            uses.visit_field(child, "value", scope)
        else:
            uses.visit_children(child, scope)
    return owner


def try_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `value?`, whose value is the content of a successful one."""
    return unwrapped(uses.visit(node.named_child(0), scope))


def index_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `value[i]`; a range results in the same type."""
    parts = code_children(node)
    given = [uses.visit(part, scope) for part in parts]
    if len(parts) == 2 and parts[1].type == "range_expression":
        return given[0]
    return Expression(ExpressionKind.SUBSCRIPT, "", tuple(given)) if given else UNKNOWN


def binary_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of operators: comparisons result in `bool`, others in the result of the operator's method."""
    left, operations = unroll(node)
    value = uses.visit(left, scope)
    for at, operation in enumerate(operations):
        right, sign = uses.visit_field(operation, "right", scope), operator_of(operation)
        if sign in _COMPARISONS:
            value = typed(uses.name("bool"))
        elif value.kind is not ExpressionKind.LITERAL or right.kind is not ExpressionKind.LITERAL:
            method = _OPERATORS.get(sign, "") if at < _MAX_OPERATIONS else ""
            value = Expression(ExpressionKind.OPERATION, method, (value, right)) if method else UNKNOWN
    return value


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `a = b` or `a += b`."""
    uses.visit_field(node, "right", scope)
    uses.visit_field(node, "left", scope, WRITE)


def array_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `[a, b]` or `[a; n]`."""
    given = [uses.visit(child, scope) for child in code_children(node)]
    element = Expression(ExpressionKind.TYPEOF, "", tuple(given[:1])) if given else UNKNOWN
    return typed(applied(uses, "slice", element))


def parameter(uses: UsesBuilder, node: Node, scope: int, within: int) -> None:
    """Bind a parameter with its declared type."""
    pattern = node.child_by_field_name("pattern")
    annotation = uses.visit_field(node, "type", within, ANNOTATE)
    if pattern is None or pattern.type == "self":
        return
    name = pattern
    while name.type == "mut_pattern" and name.named_children:
        name = name.named_children[-1]
    if name.type == "identifier":
        uses.bind(name, scope, BindingKind.PARAMETER, within=within, annotation=annotation)
    else:
        bind_pattern(uses, pattern, scope, typed(annotation), within)
