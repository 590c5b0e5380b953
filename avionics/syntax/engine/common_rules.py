"""Rules that languages share; most are made from the names of a node's fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.expressions import RESULT, expect, subscripted, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, operator_of
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, READ, WRITE, UsesBuilder, UsesRule, ValueRule

_MAX_ARGUMENTS = 16
"""In calls with more arguments, the types of functions are not inferred from the other arguments."""


def ignored(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Skip a node that binds and uses nothing."""


def name_use(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a bare name."""
    return uses.name(uses.add_reference(node, scope, role))


def undeclared_name(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Return a name that needs no declaration, such as that of a primitive type."""
    return uses.name(uses.source.of(node))


def block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a block, or a statement whose names end with it."""
    uses.visit_children(node, uses.open_block(node, scope))


def labeled(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a statement without the label in front of it, which is no reference."""
    for child in node.named_children[1:]:
        uses.visit(child, scope)


def functions_last(written: Sequence[Node], is_function: Callable[[Node], bool]) -> Iterator[tuple[int, bool]]:
    """Yield the position of each argument, and whether it is a function whose types depend on the other arguments.

    Functions without a name come last: in `map(lambda x: x.name, xs)` the second argument determines the type of `x`.
    """
    found = [is_function(node) for node in written]
    is_typed_last = len(written) <= _MAX_ARGUMENTS
    yield from ((at, False) for at, each in enumerate(found) if not each)
    yield from ((at, is_typed_last) for at, each in enumerate(found) if each)


def visit_arguments(
    uses: UsesBuilder,
    written: Sequence[Node],
    scope: int,
    callee: Expression,
    functions: frozenset[str],
    result: Expression = UNKNOWN,
) -> list[Expression]:
    """Visit the arguments of a call and return their values.

    `functions` are the node types of functions without a name; `result` is the value that is expected of the call.
    """
    values = [UNKNOWN] * len(written)
    # Pass on only a type that is written in the code: other expectations would grow with each nested call.
    expected = [Expression(ExpressionKind.KEYWORD, RESULT, (result,))] if result.kind is ExpressionKind.TYPED else []
    for at, is_typed_last in functions_last(written, lambda node: node.type in functions):
        given = [*(values if is_typed_last else ()), *expected]
        values[at] = uses.visit(written[at], scope, READ, expect(callee, at, given))
    return values


def return_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Record the value that a function returns; the declared result type is its expected type."""
    function = uses.function_of(scope)
    declared = uses.results.get(uses.scopes[function].symbol, UNKNOWN) if function >= 0 else UNKNOWN
    for child in node.named_children:
        if not child.is_extra:
            value = uses.visit(child, scope, READ, typed(declared))
            if function >= 0:
                uses.returns[function].append(value)


def ternary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a ? b : c`, which may be either."""
    uses.visit_field(node, "condition", scope)
    return union_of(uses.visit_field(node, field, scope) for field in ("consequence", "alternative"))


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `target = value` where variables are declared before they are assigned to."""
    target = uses.visit_field(node, "left", scope, WRITE)
    return uses.visit(node.child_by_field_name("right"), scope, READ, target)


def unroll(node: Node) -> tuple[Node | None, list[Node]]:
    """Return the leftmost operand of a chain of binary operators, and its operations, innermost first.

    Chains are as long as generated code makes them: they are walked without recursion.
    """
    spine = [node]
    while (left := spine[-1].child_by_field_name("left")) is not None and left.type == node.type:
        spine.append(left)
    return left, spine[::-1]


def operands_of(uses: UsesBuilder, node: Node, scope: int) -> tuple[str, list[Expression]]:
    """Visit a chain of binary operators, and return the last operator with all operands."""
    left, operations = unroll(node)
    nodes = [left, *(operation.child_by_field_name("right") for operation in operations)]
    sign = operator_of(node)
    return sign, [uses.visit(operand, scope) for operand in nodes if operand is not None]


def member(object_field: str, name_field: str) -> ValueRule:
    """Make a rule for a member of an object: `object.name`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        owner, name = uses.require(node, scope, object_field, name_field)
        # The parts of a dotted annotation play the same role as the whole; before a call they are only read.
        return uses.member(name, scope, role, uses.visit(owner, scope, role if role is ANNOTATE else READ))

    return rule


def subscript(value_field: str, index_field: str) -> ValueRule:
    """Make a rule for an element of an object, or a generic type with its arguments: `value[index, …]`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        (value,) = uses.require(node, scope, value_field)
        is_type = role in {ANNOTATE, INHERIT}
        owner = uses.visit(value, scope, role if is_type else READ)
        index = node.children_by_field_name(index_field)
        return subscripted(owner, *(uses.visit(part, scope, ANNOTATE if is_type else READ) for part in index))

    return rule


def wrapped(kind: ExpressionKind) -> UsesRule:
    """Make a rule for a node around one expression that changes its value: `await x`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        inner = node.named_children
        if len(inner) != 1:
            uses.visit_children(node, scope)
            return UNKNOWN
        return Expression(kind, "", (uses.visit(inner[0], scope),))

    return rule


def transparent(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Return the value of the only child: parentheses."""
    inner = code_children(node)
    if len(inner) == 1:
        return uses.visit(inner[0], scope, role)
    uses.visit_children(node, scope)
    return UNKNOWN


def last_child(role: ReferenceKind | None = None, *skipped: str) -> ValueRule:
    """Make a rule that returns the value of the last child, such as `b` of `a, b`.

    The children play `role`, or the node's own for None; types in `skipped` are left out.
    """

    def rule(uses: UsesBuilder, node: Node, scope: int, own: ReferenceKind) -> Expression:
        expected, value = uses.expected, UNKNOWN
        children = [child for child in code_children(node) if child.type not in skipped]
        for child in children:
            wanted = expected if child == children[-1] else UNKNOWN
            value = uses.visit(child, scope, own if role is None else role, wanted)
        return value

    return rule


def cast(value_field: str, type_field: str, *, is_type_first: bool = False) -> UsesRule:
    """Make a rule for a cast, whose value is of the written type."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        if not is_type_first:
            uses.visit_field(node, value_field, scope)
        declared = uses.visit_field(node, type_field, scope, ANNOTATE)
        if is_type_first:
            uses.visit_field(node, value_field, scope)
        return typed(declared)

    return rule


def constant(meaning: Expression) -> ValueRule:
    """Make a rule for a node with a constant value; its children are visited."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        uses.visit_children(node, scope)
        return meaning

    return rule


def literal(type_name: str) -> ValueRule:
    """Make a rule for a value of a built-in type."""
    return constant(Expression(ExpressionKind.LITERAL, type_name))


def container(type_name: str) -> UsesRule:
    """Make a rule for a built-in container with its elements."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        inner = role if role is ANNOTATE else READ
        parts = tuple(uses.visit(child, scope, inner) for child in code_children(node))
        return Expression(ExpressionKind.CONTAINER, type_name, parts)

    return rule
