"""Elements: JSX."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.common_rules import expect
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import UsesBuilder
from avionics.syntax.languages.typescript.expressions import key_use
from avionics.syntax.languages.typescript.names import typed
from avionics.syntax.languages.typescript.types import of_library, type_arguments

READ, CALL = ReferenceKind.READ, ReferenceKind.CALL


def element(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """`<Component prop={value}>…</Component>`: the component is used, each attribute is a member of its props."""
    opening = node.child_by_field_name("open_tag") or node
    name = opening.child_by_field_name("name")
    component = UNKNOWN
    if name is not None and (name.type != "identifier" or not uses.source.of(name)[:1].islower()):
        component = uses.visit(name, scope, CALL)
    written = opening.child_by_field_name("type_arguments")
    if written is not None:
        type_arguments(uses, written, scope)
    props = expect(component, 0)
    for attribute_node in opening.children_by_field_name("attribute"):
        if attribute_node.type == "jsx_attribute":
            _jsx_attribute(uses, attribute_node, scope, props)
        else:
            uses.visit_children(attribute_node, scope)
    for child in node.named_children if node is not opening else ():
        if child.type == "jsx_closing_element":
            closing = child.child_by_field_name("name")
            if closing is not None and component is not UNKNOWN:
                uses.visit(closing, scope)
        elif child.type != "jsx_opening_element":
            uses.visit(child, scope)
    return typed(Expression(ExpressionKind.ATTRIBUTE, "Element", (of_library("JSX"),)))


def _jsx_attribute(uses: UsesBuilder, node: Node, scope: int, props: Expression) -> None:
    name, *value = node.named_children
    wanted = key_use(uses, name, scope, props) if name.type == "property_identifier" else UNKNOWN
    for part in value:
        if part.type == "jsx_expression":
            for inner in part.named_children:
                uses.visit(inner, scope, READ, wanted)
        else:
            uses.visit(part, scope)


ELEMENTS = {
    "jsx_element": element,
    "jsx_self_closing_element": element,
}
