"""C calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import text_of


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node; `(void)` declares none."""
    if node.type == "variadic_parameter":
        yield CallParameter("", is_optional=True, gathers="*")
        return
    declarator = node.child_by_field_name("declarator")
    if declarator is None and node.text == b"void":
        return
    # A type alone may end with stars, as in `int size(cart *)`.
    text = "" if declarator is not None and declarator.type.startswith("abstract_") else text_of(declarator)
    yield CallParameter(text, is_optional=node.type == "optional_parameter_declaration")


CALLS = CallGrammar(calls={"call_expression": "function"}, read_parameters=read_parameter, unspecified_empty=True)
