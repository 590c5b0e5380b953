"""Read the texts of argument and parameter lists with their positions, so that edits can rewrite them."""

from __future__ import annotations

from msgspec import Struct

from avionics.syntax.engine.call_shapes import CallGrammar, get_parameter_list, is_receiver, list_parameters
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import text_of

_EFFECTS = (
    "assignment", "await", "call", "creation", "invocation", "macro", "named_expression", "new_expression",
    "try_expression", "update", "yield",
)  # fmt: skip
"""Parts of the types of nodes whose evaluation may have side effects."""

_RECEIVING = b"<-"
"""A unary operator of Go that takes a value from a channel."""

Span = tuple[int, int]
"""Offsets in bytes: the first, and the one after the last."""


class ArgumentText(Struct, frozen=True):
    """One argument as it is written.

    Attributes:
        span: Its span, including its name.
        keyword: The name by which it is passed; "" by position.
        has_effect: Whether its evaluation may have side effects.
        is_literal: Whether it contains no name, so that its value does not depend on when it is evaluated.
    """

    span: Span
    keyword: str
    has_effect: bool
    is_literal: bool


class ArgumentList(Struct, frozen=True):
    """The arguments of a call.

    Attributes:
        span: The text between the parentheses.
        arguments: The arguments in their order.
        has_comment: Whether there is a comment among them.
    """

    span: Span
    arguments: tuple[ArgumentText, ...]
    has_comment: bool


class ParameterText(Struct, frozen=True):
    """The parameters that one part of a list declares, `a, b int` in Go, and their type; "" if none is written."""

    names: tuple[str, ...]
    type: str


class ParameterList(Struct, frozen=True):
    """The parameters of a function: the text between the parentheses, and its parts.

    Attributes:
        span: What stands between the parentheses.
        parameters: The parts that callers see.
        first: The text of the first part, whether callers see it or not; "" if there is none.
    """

    span: Span
    parameters: tuple[ParameterText, ...]
    first: str


def read_argument_list(grammar: CallGrammar, name: Node) -> ArgumentList | None:
    """Return the arguments of the call of the name under a node; None if it is not called with parentheses."""
    node: Node | None = name
    while node is not None:
        field = grammar.calls.get(node.type)
        listed = node.child_by_field_name("arguments") if field is not None else None
        if listed is not None and listed.start_byte >= name.end_byte:
            return _read_arguments(grammar, listed)
        node = node.parent
    return None


def _read_arguments(grammar: CallGrammar, listed: Node) -> ArgumentList | None:
    is_list = listed.type.startswith("argument")  # `sum(x for x in xs)` has no argument list.
    if not is_list or listed.has_error or not listed.children or listed.children[0].type != "(":
        return None
    found = []
    for each in listed.named_children:
        if not each.is_extra:
            named = each.child_by_field_name("name") if each.type == grammar.keyword else None
            given = (named and each.child_by_field_name("value")) or each
            keyword = text_of(named)
            found.append(
                ArgumentText((each.start_byte, each.end_byte), keyword, _has_effect(each), not _has_name(given))
            )
    has_comment = any(each.is_extra for each in listed.named_children)
    return ArgumentList((listed.start_byte + 1, listed.end_byte - 1), tuple(found), has_comment)


def _has_effect(node: Node) -> bool:
    if any(mark in node.type for mark in _EFFECTS):
        return True
    if node.type == "unary_expression" and _RECEIVING in (node.text or b""):
        return True
    return any(map(_has_effect, node.named_children))


def _has_name(node: Node) -> bool:
    return "identifier" in node.type or any(map(_has_name, node.named_children))


def read_parameter_list(grammar: CallGrammar, name: Node) -> ParameterList | None:
    """Return the parameters of the function whose name is under a node; None if there is no list."""
    listed = get_parameter_list(grammar, name)
    if listed is None or listed.children[:1] == [] or listed.children[0].type != "(":
        return None
    parts = list_parameters(listed)
    seen = [_read_parameter(grammar, each) for each in parts if not is_receiver(grammar, each)]
    first = text_of(parts[0]) if parts else ""
    return ParameterList((listed.start_byte + 1, listed.end_byte - 1), tuple(seen), first)


def _read_parameter(grammar: CallGrammar, node: Node) -> ParameterText:
    names = tuple(each.name for each in grammar.read_parameters(node))
    text = text_of(node)
    default = node.child_by_field_name("value")
    if default is not None:
        text = text.removesuffix(text_of(default)).rstrip(" =")
    for name in names:
        text = text.replace(name, "", 1).removeprefix("?")
    return ParameterText(names, " ".join(text.replace(",", " ").split()))
