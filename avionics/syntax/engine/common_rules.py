"""Rules that languages share: each makes a rule from the names of a node's fields."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.expressions import subscripted, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import UsesBuilder, UsesRule, ValueRule


def name_use(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """A bare name."""
    return uses.name(uses.add_reference(node, scope, role))


def member(object_field: str, name_field: str) -> ValueRule:
    """A member of an object: `object.name`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        owner, name = node.child_by_field_name(object_field), node.child_by_field_name(name_field)
        if owner is None or name is None:
            uses.visit_children(node, scope)
            return UNKNOWN
        # The parts of a dotted annotation or base play the same role as the whole; before a call they are only read.
        inner = role if role in _SPREADING else ReferenceKind.READ
        receiver = uses.visit(owner, scope, inner)
        return uses.member(name, scope, role, receiver)

    return rule


_SPREADING = frozenset({ReferenceKind.ANNOTATE})


def subscript(value_field: str, index_field: str) -> ValueRule:
    """An element of an object, or a generic type with its arguments: `value[index, …]`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        value = node.child_by_field_name(value_field)
        if value is None:
            uses.visit_children(node, scope)
            return UNKNOWN
        inner = role if role in {ReferenceKind.ANNOTATE, ReferenceKind.INHERIT} else ReferenceKind.READ
        argument_role = ReferenceKind.ANNOTATE if inner is not ReferenceKind.READ else ReferenceKind.READ
        owner = uses.visit(value, scope, inner)
        index = [uses.visit(part, scope, argument_role) for part in node.children_by_field_name(index_field)]
        return subscripted(owner, *index)

    return rule


def wrapped(kind: ExpressionKind) -> UsesRule:
    """A node around one expression that changes what it gives: `await x`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        inner = node.named_children
        if len(inner) != 1:
            uses.visit_children(node, scope)
            return UNKNOWN
        return Expression(kind, "", (uses.visit(inner[0], scope),))

    return rule


def transparent(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """A node that means what its only child means: parentheses."""
    inner = [child for child in node.named_children if not child.is_extra]
    if len(inner) == 1:
        return uses.visit(inner[0], scope, role)
    uses.visit_children(node, scope)
    return UNKNOWN


def literal(type_name: str) -> UsesRule:
    """A value of a built-in type."""
    meaning = Expression(ExpressionKind.LITERAL, type_name)

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        uses.visit_children(node, scope)
        return meaning

    return rule


def container(type_name: str) -> UsesRule:
    """A built-in container with its elements."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        inner = role if role is ReferenceKind.ANNOTATE else ReferenceKind.READ
        parts = tuple(uses.visit(child, scope, inner) for child in node.named_children if not child.is_extra)
        return Expression(ExpressionKind.CONTAINER, type_name, parts)

    return rule


def union(*fields: str) -> UsesRule:
    """A node that is one of several: `a or b`, `A | B`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        inner = role if role is ReferenceKind.ANNOTATE else ReferenceKind.READ
        parts = [node.child_by_field_name(field) for field in fields]
        return union_of(uses.visit(part, scope, inner) for part in parts if part is not None)

    return rule
