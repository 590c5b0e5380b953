"""Java calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter, ExhaustiveMatch
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, text_of


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node."""
    name = node.child_by_field_name("name")
    text = text_of(name)
    gathers = "*" if node.type == "spread_parameter" else ""
    yield CallParameter(text, is_optional=bool(gathers), gathers=gathers)


def is_required(node: Node) -> bool:
    """Return whether a method has no body, as in an interface or if it is abstract."""
    if node.type != "method_declaration" or node.child_by_field_name("body") is not None:
        return False
    words = {child.type for each in node.children if each.type == "modifiers" for child in each.children}
    return not words & {"native", "static", "default", "private"}


def calls_base(node: Node) -> bool:
    """Return whether a constructor implicitly calls one of the base class, because it calls no other itself."""
    body = node.child_by_field_name("body")
    if node.type != "constructor_declaration" or body is None or body.has_error:
        return False
    return all(each.type != "explicit_constructor_invocation" for each in body.named_children)


_TAKES_VALUE = frozenset(
    {
        "variable_declarator", "return_statement", "yield_statement", "argument_list", "assignment_expression",
        "lambda_expression", "parenthesized_expression", "binary_expression", "ternary_expression",
    }
)  # fmt: skip


_PATTERNS = frozenset({"type_pattern", "record_pattern"})


def read_match(node: Node) -> ExhaustiveMatch | None:
    """Return the switch whose first case has a node as label; None if a case accepts other values.

    Only a switch with a value or with patterns must be exhaustive.
    """
    while node.parent is not None and node.parent.type in {"scoped_type_identifier", *_PATTERNS, "pattern"}:
        node = node.parent
    case = node.parent.parent if node.parent is not None and node.parent.type == "switch_label" else None
    block = case.parent if case is not None else None
    switch = block.parent if block is not None else None
    cases = code_children(block)
    if switch is None or cases[0] != case or switch.has_error:
        return None
    is_value = switch.parent is not None and switch.parent.type in _TAKES_VALUE
    labels: list[Node] = []
    for each in (child for case in cases for child in case.children if child.type == "switch_label"):
        given = [child for child in code_children(each) if child.type != "guard"]
        named = [_get_label(child) for child in given]
        if not named or not (is_value or given[0].type == "pattern"):
            return None
        for label in named:
            if label is None:
                return None
            labels.append(label)
    return ExhaustiveMatch.of(switch, labels)


def _get_label(given: Node) -> Node | None:
    """Return the name of the constant or the type that a case takes; None for any other value."""
    if given.type == "identifier":
        return given
    pattern = given.named_children[0] if given.type == "pattern" and given.named_children else None
    named = pattern.named_children[0] if pattern is not None and pattern.type in _PATTERNS else None
    while named is not None and named.type == "scoped_type_identifier":
        named = named.named_children[-1]
    return named if named is not None and named.type.endswith("identifier") else None


CALLS = CallGrammar(
    calls={
        "method_invocation": "name",
        "object_creation_expression": "type",
        "explicit_constructor_invocation": "constructor",
    },
    read_parameters=read_parameter,
    receivers=frozenset({"receiver_parameter"}),
    is_required=is_required,
    calls_base=calls_base,
    read_match=read_match,
    closed_type=late_pattern(r"(?<!-)\bsealed\s"),
)
