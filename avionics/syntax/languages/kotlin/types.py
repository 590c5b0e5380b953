"""Kotlin types: everything in a type position."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.expressions import bare_name, member_of, subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, code_children
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
        called, meaning = child.named_children if child.type == "constructor_invocation" else [child], UNKNOWN
        for part in called:
            if part.type == "value_arguments":
                visit_arguments(uses, part, scope, meaning)
            else:
                meaning = uses.visit(part, scope, ReferenceKind.DECORATE)


def visit_arguments(uses: UsesBuilder, node: Node | None, scope: int, callee: Expression) -> None:
    """Visit the arguments of a call whose result is not needed, as of a base or an annotation."""
    for entry in children_of(node):
        name, value = read_argument(entry)
        if name is not None:
            name_argument(uses, name, scope, callee)
        uses.visit(value, scope)


def name_argument(uses: UsesBuilder, name: Node, scope: int, callee: Expression) -> None:
    """Use the parameter that an argument names, if it is known what is called."""
    if callee is not UNKNOWN:
        uses.add_reference(name, scope, ReferenceKind.KEYWORD, callee)


def read_argument(entry: Node) -> tuple[Node | None, Node | None]:
    """Return the nodes of the name and the value of an argument."""
    parts = [child for child in code_children(entry) if child.type != "annotation"]
    if any(child.type == "=" for child in entry.children) and len(parts) == 2:
        return parts[0], parts[1]
    return None, parts[-1] if parts else None


def as_list(element: Expression) -> Expression:
    """Return the type of a parameter of any number of arguments."""
    return subscripted(bare_name("Array"), element)
