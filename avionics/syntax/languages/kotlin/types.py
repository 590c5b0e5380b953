"""Kotlin types: everything in a type position."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.expressions import bare_name, member_of, subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of
from avionics.syntax.engine.uses import ANNOTATE, READ, UsesBuilder

TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")


def user_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a.b.Type<Argument>`."""
    kind = role if role is not READ else ANNOTATE
    names = [child for child in node.named_children if child.type == "identifier"]
    meaning: Expression | None = None
    arguments: tuple[Expression, ...] = ()
    for child in node.named_children:
        if child.type == "type_arguments":
            parts = [part for projection in child.named_children for part in projection.named_children[-1:]]
            arguments = tuple(uses.visit(part, scope, ANNOTATE) for part in parts)
        elif child.type == "identifier":
            own = kind if child == names[-1] else ANNOTATE
            text = uses.add_reference(child, scope, own, meaning)
            meaning = uses.name(text) if meaning is None else member_of(meaning, text)
    if meaning is None:
        return UNKNOWN
    return subscripted(meaning, *arguments) if arguments else meaning


def inner_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `Type?` or `(Type)`, which is the type."""
    meanings = [uses.visit(child, scope, role) for child in node.named_children if child.type in TYPES]
    return meanings[-1] if meanings else UNKNOWN


def function_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `(A, B) -> C`: the result of a function, then its parameters."""
    parameters: list[Expression] = []
    result = UNKNOWN
    for child in node.named_children:
        if child.type != "function_type_parameters":
            result = uses.visit(child, scope, ANNOTATE)
            continue
        for entry in child.named_children:
            declared = entry if entry.type in TYPES else child_of(entry, *TYPES)
            parameters.append(uses.visit(declared, scope, ANNOTATE))
    return Expression(ExpressionKind.FUNCTION, "", (result, *parameters))


def annotation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use the annotation of `@Name(…)`."""
    for child in node.named_children:
        called = child.named_children if child.type == "constructor_invocation" else [child]
        for part in called:
            uses.visit(part, scope, ReferenceKind.DECORATE)


def as_list(element: Expression) -> Expression:
    """Return the type of a parameter of any number of arguments."""
    return subscripted(bare_name("Array"), element)
