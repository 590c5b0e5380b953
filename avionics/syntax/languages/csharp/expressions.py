"""C# expressions: calls, members, creation, patterns, loops."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.common_rules import operands_of
from avionics.syntax.engine.expressions import ANYTHING, call_of, element_of, expect, subscripted, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, require_field
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.csharp.definitions import bind_names
from avionics.syntax.languages.csharp.types import member_use

_TEXT = Expression(ExpressionKind.LITERAL, "string")
_TRUTH = Expression(ExpressionKind.LITERAL, "bool")
_TRUTHS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "is"})

_DECLARING = frozenset({"out", "ref", "in"})
"""The words before an argument that declares a variable."""


def member_access(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `object.member`."""
    owner, name = uses.require(node, scope, "expression", "name")
    return member_use(uses, name, scope, role, uses.visit(owner, scope))


def conditional_access(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `object?.member…`, a chain that begins with the object."""
    condition = node.child_by_field_name("condition")
    if condition is None or node.named_child_count < 2:
        uses.visit_children(node, scope)
        return UNKNOWN
    return _visit_chain(uses, node.named_children[-1], scope, role, _visit_object(uses, condition, scope))


def _visit_object(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Visit the expression before `?.`, and return the object: `b` of `a && b?.c`, which is read as `(a && b)?.c`."""
    if node.type == "binary_expression":
        uses.visit_field(node, "left", scope)
        return _visit_object(uses, require_field(node, "right"), scope)
    if node.type == "cast_expression":
        uses.visit_field(node, "type", scope, ANNOTATE)
        return _visit_object(uses, require_field(node, "value"), scope)
    if node.type in {"prefix_unary_expression", "await_expression"} and node.named_child_count:
        return _visit_object(uses, node.named_children[-1], scope)
    return uses.visit(node, scope)


def _visit_chain(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind, receiver: Expression) -> Expression:
    """Read the chain behind `?`, `.b.c()` of `a?.b.c()`, whose first receiver is given."""
    if node.type == "member_binding_expression":
        name = node.child_by_field_name("name")
        return member_use(uses, name, scope, role, receiver) if name is not None else UNKNOWN
    if node.type == "member_access_expression":
        owner, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
        if owner is not None and name is not None:
            return member_use(uses, name, scope, role, _visit_chain(uses, owner, scope, READ, receiver))
    if node.type == "invocation_expression":
        function = node.child_by_field_name("function")
        if function is not None:
            return _called(uses, node, scope, _visit_chain(uses, function, scope, CALL, receiver))
    if node.type == "conditional_access_expression":
        condition = node.child_by_field_name("condition")
        if condition is not None:
            inner = _visit_chain(uses, condition, scope, READ, receiver)
            return _visit_chain(uses, node.named_children[-1], scope, role, inner)
    if node.type == "element_binding_expression":
        uses.visit_children(node, scope)
        return subscripted(receiver, UNKNOWN)
    return uses.visit(node, scope, role)


def invocation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call."""
    (function,) = uses.require(node, scope, "function")
    return _called(uses, node, scope, uses.visit(function, scope, CALL))


def _called(uses: UsesBuilder, node: Node, scope: int, callee: Expression) -> Expression:
    given = _visit_arguments(uses, node.child_by_field_name("arguments"), scope, callee)
    uses.pass_arguments(callee, given)
    return call_of(callee, *given)


def _visit_arguments(
    uses: UsesBuilder, arguments: Node | None, scope: int, callee: Expression
) -> tuple[Expression, ...]:
    plain: list[Expression] = []
    named: list[Expression] = []
    for entry in children_of(arguments):
        if entry.type != "argument":
            continue
        name = entry.child_by_field_name("name")
        if name is None:
            value = entry.children[-1]
            plain.append(uses.visit(value, scope, READ, expect(callee, len(plain))))
        else:
            text = uses.source.of(name)
            meaning = uses.visit(entry.children[-1], scope, READ, expect(callee, text))
            named.append(Expression(ExpressionKind.KEYWORD, text, (meaning,)))
    return (*plain, *named)


def argument(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read an argument in brackets."""
    return uses.visit(node.children[-1], scope)


def object_creation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `new Type(…) { Member = … }`."""
    (created,) = uses.require(node, scope, "type")
    meaning = uses.visit(created, scope, CALL)
    values = _visit_arguments(uses, node.child_by_field_name("arguments"), scope, meaning)
    meaning = uses.construct(meaning, values)
    initializer = node.child_by_field_name("initializer")
    if initializer is not None:
        _initialize(uses, initializer, scope, meaning)
    if meaning.kind is ExpressionKind.SUBSCRIPT:
        return typed(meaning)
    return call_of(meaning, *values)


def implicit_creation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `new(…) { Member = … }`, an object of the type that its place calls for."""
    of = uses.expected if uses.expected is not UNKNOWN else ANYTHING
    _visit_arguments(uses, child_of(node, "argument_list"), scope, UNKNOWN)
    initializer = child_of(node, "initializer_expression")
    if initializer is not None:
        _initialize(uses, initializer, scope, of)
    return of if of is not ANYTHING else UNKNOWN


def _initialize(uses: UsesBuilder, node: Node, scope: int, of: Expression) -> None:
    """Visit an initializer, where names to the left of `=` are members of the new object."""
    among = uses.open(ScopeKind.CLASS, scope, node, of=of)
    for entry in node.named_children:
        left, right = entry.child_by_field_name("left"), entry.child_by_field_name("right")
        if entry.type != "assignment_expression" or left is None or right is None:
            uses.visit(entry, scope)
            continue
        uses.visit(left, among if left.type == "identifier" else scope, WRITE)
        uses.visit(right, scope)


def array_creation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `new T[n] {…}`."""
    meaning = uses.visit_field(node, "type", scope, ANNOTATE)
    for child in node.named_children[1:]:
        uses.visit(child, scope)
    return typed(meaning)


def element_access(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `value[index]`."""
    value = uses.visit_field(node, "expression", scope)
    uses.visit_body(node, scope, "subscript")
    return subscripted(value, UNKNOWN)


def type_of(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `typeof(T)`, a `Type`, or `default(T)`, a `T`."""
    meaning = uses.visit_field(node, "type", scope, ANNOTATE)
    return typed(meaning) if node.type == "default_expression" else typed(uses.name("Type"))


def unary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x!`, which is `x`, `x++`, which writes it, or `!x`, a boolean."""
    text = uses.source.of(node)
    inner = WRITE if "++" in text[:2] + text[-2:] or "--" in text[:2] + text[-2:] else role
    meaning = uses.visit(node.named_children[0], scope, inner) if node.named_child_count else UNKNOWN
    return _TRUTH if text.startswith("!") else meaning


def binary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of operators."""
    sign, operands = operands_of(uses, node, scope)
    if sign in _TRUTHS:
        return _TRUTH
    return _TEXT if sign == "+" and _TEXT in operands else union_of(operands)


def switch_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x switch { pattern => value }`."""
    uses.visit(node.named_children[0], scope)
    arms = []
    for arm in node.named_children[1:]:
        inner = uses.open_block(arm, scope)
        values = [uses.visit(child, inner) for child in arm.named_children]
        arms.extend(values[-1:])
    return union_of(arms)


def declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Bind `T name` in a pattern or after `out`; the grammar takes the product in `f(a * b)` for a pointer."""
    written, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    before = node.prev_sibling
    if written is not None and written.type == "pointer_type" and (before is None or before.type not in _DECLARING):
        uses.visit_children(written, scope)
        uses.visit(name, scope)
        return UNKNOWN
    meaning = uses.visit(written, scope, ANNOTATE)
    if name is not None and name.type == "identifier":
        uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=meaning)
    return typed(meaning)


def recursive_pattern(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `T { Member: pattern } name`."""
    meaning, name = uses.visit_field(node, "type", scope, ANNOTATE), node.child_by_field_name("name")
    uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=meaning)
    for entry in children_of(child_of(node, "property_pattern_clause")):
        parts = entry.named_children
        if len(parts) > 1 and parts[0].type == "identifier":
            uses.add_reference(parts[0], scope, READ, typed(meaning))
        for part in parts[1:]:
            uses.visit(part, scope)
    for entry in children_of(child_of(node, "positional_pattern_clause")):
        for part in entry.named_children[-1:]:
            uses.visit(part, scope)


def foreach_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the variables of `foreach (T x in values)` and `foreach (var (x, y) in values)` to the elements."""
    element = element_of(uses.visit_field(node, "right", scope))
    inner = uses.open_block(node, scope)
    declared = uses.visit_field(node, "type", scope, ANNOTATE)
    bind_names(uses, node.child_by_field_name("left"), inner, scope, element, declared)
    uses.visit_field(node, "body", inner)


def query_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read a query, `from x in values … into y …`, and bind the name after `into`."""
    inner = uses.open_block(node, scope)
    for child in node.named_children:
        if child.type == "identifier":
            uses.bind(child, inner, BindingKind.ASSIGNMENT)
        else:
            uses.visit(child, inner)


def let_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the value in `let x = value`."""
    name, *values = node.named_children
    found = [uses.visit(each, scope) for each in values]
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=found[-1] if found else UNKNOWN)


def join_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind an element in `join T x in values on key equals other into group`, and the group."""
    uses.visit_field(node, "type", scope, ANNOTATE)
    name, *rest = (each for each in node.named_children if each != node.child_by_field_name("type"))
    values = [uses.visit(each, scope) for each in rest[:1]]
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=element_of(values[0]) if values else UNKNOWN)
    for each in rest[1:]:
        if each.type == "join_into_clause":
            uses.bind(each.named_children[-1], scope, BindingKind.ASSIGNMENT)
        else:
            uses.visit(each, scope)


def from_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind an element in `from x in values`."""
    name = node.child_by_field_name("name")
    values = uses.visit(node.named_children[-1], scope)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=element_of(values))


def catch_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `catch (T e) when (…)`."""
    inner = uses.open_block(node, scope)
    for child in node.named_children:
        if child.type == "catch_declaration":
            declaration(uses, child, inner, role)
        else:
            uses.visit(child, inner)


def pattern_test(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x is pattern`, where a bare name is a type or a constant."""
    uses.visit_field(node, "expression", scope)
    uses.visit_field(node, "pattern", scope, ANNOTATE)
    return _TRUTH


def type_test(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x is Name` within code that was parsed as a pattern."""
    uses.visit_field(node, "left", scope)
    named = node.child_by_field_name("right")
    if named is not None:
        _value_or_type(uses, named, scope, ANNOTATE)
    return _TRUTH


def constant_pattern(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use a value to compare with, or a type; a bare name is that of a type if there is one."""
    for child in node.named_children:
        _value_or_type(uses, child, scope, role)


def _value_or_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use the constant or type that a pattern names; `x is Name && more` has all of `Name && more` as its pattern."""
    left = node.child_by_field_name("left") if node.type == "binary_expression" else None
    if node.type == "identifier":
        uses.add_reference(node, scope, ANNOTATE, index=0)
    elif left is not None:
        _value_or_type(uses, left, scope, role)
        uses.visit_field(node, "right", scope)
    else:
        uses.visit(node, scope, role)
