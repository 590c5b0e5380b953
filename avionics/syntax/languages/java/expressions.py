"""Java expressions: calls, members, creation, operators, literals."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import called
from avionics.syntax.engine.common_rules import operands_of, visit_arguments
from avionics.syntax.engine.expressions import (
    OWN_CLASS,
    SUPER,
    call_of,
    member_of,
    subscripted,
    typed,
    union_of,
)
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, code_children, operator_of
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, UsesBuilder
from avionics.syntax.languages.java.definitions import anonymous_class
from avionics.syntax.languages.java.names import TEXT, as_array, note_text, refer_called

_BOOLEAN = Expression(ExpressionKind.LITERAL, "boolean")
_FUNCTIONS = frozenset({"lambda_expression"})
_CLASSES = frozenset({"class_declaration", "enum_declaration", "record_declaration"})
_BODIES = frozenset({"class_body", "enum_body", "interface_body"})
_TRUTHS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_BY_TEXT = frozenset({"getMethod", "getDeclaredMethod", "getField", "getDeclaredField"})
"""Methods of `Class` whose text names a member."""


def field_access(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `object.field` or `Outer.this`."""
    owner, name = uses.require(node, scope, "object", "field")
    receiver = uses.visit(owner, scope)
    if name.type == "this":
        return typed(receiver)
    if any(child.type == "super" for child in node.children[1:]):
        receiver = _super_of(uses, owner, receiver)
    return uses.member(name, scope, role, receiver)


def _super_of(uses: UsesBuilder, named: Node, receiver: Expression) -> Expression:
    """Return the value of `Name.super`: the object as that interface, or `super` if `Name` is the class itself.

    For an outer class the value is unknown, so that its override is not mistaken for the member of its superclass.
    """
    around, bodies = named.parent, 0
    while around is not None:
        bodies += around.type in _BODIES
        declared = around.child_by_field_name("name") if around.type in _CLASSES else None
        if declared is not None and uses.source.of(declared) == uses.source.of(named):
            return SUPER if bodies == 1 else UNKNOWN
        around = around.parent
    return typed(receiver)


def _visit_arguments(
    uses: UsesBuilder, arguments: Node | None, scope: int, callee: Expression
) -> tuple[Expression, ...]:
    """Visit the arguments of a call, and return their values."""
    written = code_children(arguments)
    return tuple(visit_arguments(uses, written, scope, callee, _FUNCTIONS))


def method_invocation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call of a method of an object, of a class, or of a class around."""
    (name,) = uses.require(node, scope, "name")
    owner, arguments = node.child_by_field_name("object"), node.child_by_field_name("arguments")
    receiver = uses.visit(owner, scope) if owner is not None else None
    if receiver is not None and owner is not None and any(child.type == "super" for child in node.children[1:]):
        receiver = _super_of(uses, owner, receiver)
    uses.visit_body(node, scope, "type_arguments")
    text = called(uses.source.of(name))
    parts = () if receiver is None else (receiver,)
    callee = Expression(ExpressionKind.ATTRIBUTE, text, parts) if parts else uses.name(text)
    values = _visit_arguments(uses, arguments, scope, callee)
    refer_called(uses, name, scope, CALL, receiver, values)
    if arguments is not None and arguments.named_child_count and uses.source.of(name) in _BY_TEXT:
        note_text(uses, arguments.named_children[0])
    return call_of(callee, *values)


def constructor_invocation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `this(…)` or `super(…)`."""
    which = node.child_by_field_name("constructor")
    own = SUPER if which is not None and which.type == "super" else OWN_CLASS
    callee = member_of(own, "__init__")
    given = _visit_arguments(uses, node.child_by_field_name("arguments"), scope, callee)
    if which is not None:
        uses.add_reference(which, scope, CALL, own, arguments=given, sought_as=callee.name)


def object_creation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `new Class<…>(…) { … }` or `outer.new Inner(…)`."""
    (created,), arguments = uses.require(node, scope, "type"), node.child_by_field_name("arguments")
    first = node.named_children[0]
    is_inner = first.end_byte <= created.start_byte and node.children[0].type != "new"
    if is_inner and created.type == "type_identifier":
        receiver = uses.visit(first, scope)
        meaning = uses.member(created, scope, CALL, receiver)
    else:
        meaning = uses.visit(created, scope, CALL)
    uses.visit_children(child_of(node, "type_arguments"), scope)
    values = _visit_arguments(uses, arguments, scope, meaning)
    meaning = uses.construct(meaning, values)
    body = node.named_children[-1]
    if body.type == "class_body":
        return anonymous_class(uses, body, scope, meaning)
    if meaning.kind is ExpressionKind.SUBSCRIPT:
        return typed(meaning)
    return call_of(meaning, *values)


def array_creation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `new T[n]` or `new T[] {…}`."""
    meaning = uses.visit_field(node, "type", scope, ANNOTATE)
    for child in node.named_children[1:]:
        if child.type in {"dimensions_expr", "dimensions"}:
            uses.visit_children(child, scope)
            meaning = as_array(uses, meaning, child)
        else:
            uses.visit(child, scope)
    return typed(meaning)


def method_reference(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `Owner::method`, the method as a value, or `Class::new`, the class."""
    owner, *rest = [child for child in node.named_children if child.type != "type_arguments"]
    if not rest:
        return uses.visit(owner, scope, CALL)
    receiver = uses.visit(owner, scope)
    text = refer_called(uses, rest[-1], scope, READ, receiver)
    return member_of(receiver, text)


def class_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `Type.class`."""
    meaning = uses.visit(node.named_children[0], scope, READ)
    return typed(subscripted(uses.name("Class"), meaning))


def cast(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `(Type) value`, which is of the type."""
    types = [uses.visit(part, scope, ANNOTATE) for part in node.children_by_field_name("type")]
    meaning = typed(types[0]) if types else UNKNOWN
    uses.visit(node.child_by_field_name("value"), scope, READ, meaning)
    return meaning


def unary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `!x`, a boolean, or `-x`, which has the type of `x`."""
    operand = uses.visit_field(node, "operand", scope)
    return _BOOLEAN if operator_of(node) == "!" else operand


def binary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of operators."""
    sign, operands = operands_of(uses, node, scope)
    if sign in _TRUTHS:
        return _BOOLEAN
    if sign == "+" and TEXT in operands:
        return TEXT
    plain = tuple(dict.fromkeys(operands))
    # A literal takes the type of the operand it is combined with, for numbers and strings alike.
    plain = tuple(part for part in plain if part.kind is not ExpressionKind.LITERAL) or plain
    return plain[0] if len(plain) == 1 else union_of(plain)


def number(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a number; its last letter determines its type."""
    last = uses.source.of(node)[-1].lower()
    if node.type == "decimal_floating_point_literal":
        return Expression(ExpressionKind.LITERAL, "float" if last == "f" else "double")
    return Expression(ExpressionKind.LITERAL, "long" if last == "l" else "int")
