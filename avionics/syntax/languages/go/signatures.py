"""Go calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter, CallShape, CallSignature
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, text_of
from avionics.syntax.languages.go.spec import PREDECLARED


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameters of a declaration, which may name several or none."""
    gathers = "*" if node.type == "variadic_parameter_declaration" else ""
    if node.type not in {"parameter_declaration", "variadic_parameter_declaration"}:
        return
    names = node.children_by_field_name("name")
    for name in names:
        text = text_of(name)
        yield CallParameter(text, is_optional=bool(gathers), gathers=gathers)
    if not names:
        yield CallParameter("", is_optional=bool(gathers), gathers=gathers)


_NAMED = frozenset({"type_identifier", "qualified_type", "generic_type"})
"""Types that may be those of a structure; in a slice of structures, a literal lists elements."""


def read_literal(node: Node) -> CallShape | None:
    """Return the number of fields in a literal that does not name them."""
    of, given = node.child_by_field_name("type"), code_children(node.child_by_field_name("body"))
    is_unnamed = bool(given) and all(each.type == "literal_element" for each in given)
    return CallShape(len(given)) if is_unnamed and of is not None and of.type in _NAMED else None


def read_fields(node: Node) -> CallSignature | None:
    """Return the fields of a structure in order; embedded ones have the name of their type."""
    of = node.child_by_field_name("type") if node.type == "type_spec" else None
    if of is None or of.type != "struct_type":
        return None
    found = []
    for each in (field for listed in of.named_children for field in listed.named_children):
        if each.type == "field_declaration":
            names = each.children_by_field_name("name") or each.children_by_field_name("type")
            found += [CallParameter(text_of(name)) for name in names]
    return CallSignature(tuple(found))


def gives_several(node: Node) -> bool:
    """Return whether an argument is a call that may have several results: not a conversion, nor a predeclared one."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    return function is not None and text_of(function) not in PREDECLARED


CALLS = CallGrammar(
    calls={"call_expression": "function"},
    literals={"composite_literal": "type"},
    read_literal=read_literal,
    read_fields=read_fields,
    read_parameters=read_parameter,
    spreads=frozenset({"variadic_argument"}),
    spreads_rest=True,
    gives_several=gives_several,
)
