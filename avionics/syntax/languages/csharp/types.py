"""C# names and types: type positions and `using`."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, replace
from avionics.model.naming import generic
from avionics.syntax.engine.expressions import bare_name, member_of, subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, require_fields
from avionics.syntax.engine.uses import ANNOTATE, CALL, UsesBuilder
from avionics.syntax.languages.csharp.outline import last_part, used_path

ARRAY = bare_name(generic("__Array", 1))


def generic_name(
    uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind, receiver: Expression | None = None
) -> Expression:
    """Read `Name<Argument>`."""
    name = child_of(node, "identifier")
    if name is None:
        return UNKNOWN
    sought = "" if _is_method(node) else name_of_generic(uses, node)
    text = uses.add_reference(name, scope, role, receiver, sought_as=sought)
    meaning = uses.name(text) if receiver is None else member_of(receiver, text)
    written = children_of(child_of(node, "type_argument_list"))
    values = tuple(uses.visit(part, scope, ANNOTATE) for part in written)
    # Only types keep their type arguments; those of a method are inferred from its arguments.
    is_type = role is not CALL or receiver is None
    return subscripted(meaning, *values) if values and is_type else meaning


def _is_method(node: Node) -> bool:
    """Return whether a name with type arguments is called: `Sum<int>(x)`, `x.Sum<int>()`, `x?.Sum<int>()`."""
    around = node.parent
    if around is not None and around.type == "member_access_expression" and around.child_by_field_name("name") == node:
        around = around.parent
    return around is not None and around.type in {"invocation_expression", "member_binding_expression"}


def name_of_generic(uses: UsesBuilder, node: Node) -> str:
    """Return the name of the type that `Name<A, B>` or `Name<,>` means, with the number of its parameters."""
    name, arguments = child_of(node, "identifier"), child_of(node, "type_argument_list")
    written = uses.source.of(name) if name is not None else ""
    commas = sum(each.type == "," for each in arguments.children) if arguments is not None else 0
    return generic(written, commas + 1)


def qualified_name(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a.b.Type`."""
    qualifier, name = require_fields(node, "qualifier", "name")
    within = uses.visit(qualifier, scope, ANNOTATE)
    # The position in which it is looked up as a type or namespace, even if a value of that name is nearer.
    within = replace(within, index=0) if within.kind is ExpressionKind.NAME else within
    return member_use(uses, name, scope, role, within)


def member_use(uses: UsesBuilder, name: Node, scope: int, role: ReferenceKind, receiver: Expression) -> Expression:
    """Read the name of a member, which may have type arguments."""
    if name.type == "generic_name":
        return generic_name(uses, name, scope, role, receiver)
    return uses.member(name, scope, role, receiver)


def array_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `T[]`."""
    meaning = uses.visit_field(node, "type", scope, ANNOTATE)
    uses.visit_body(node, scope, "rank")
    return subscripted(ARRAY, meaning)


def tuple_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `(A a, B b)`."""
    for entry in node.named_children:
        uses.visit_field(entry, "type", scope, ANNOTATE)


def attribute(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use the class that `[Name(…)]` names."""
    uses.visit_field(node, "name", scope, ReferenceKind.DECORATE)
    for entry in children_of(child_of(node, "attribute_argument_list")):
        if entry.named_child_count:
            uses.visit(entry.named_children[-1], scope)


def using_directive(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the import of a `using`: of a namespace, the members of a class, or a type under another name."""
    path = used_path(node)
    if path is None:
        return
    if node.child_by_field_name("name") is not None:
        uses.use_import(last_part(path), scope)
        return
    uses.bind_import(last_part(path), scope)
    if any(child.type == "static" for child in node.children):
        uses.visit(path, scope, ReferenceKind.IMPORT)
