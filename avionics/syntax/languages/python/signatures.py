"""Python calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from avionics.syntax.engine.call_shapes import NAMED_ONLY, UNNAMED_ONLY, CallGrammar, CallParameter, CallShape
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, iter_outermost, text_of

_OPTIONAL = frozenset({"default_parameter", "typed_default_parameter"})
_GATHERS = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node; of a separator one that is named after it."""
    if node.type == "keyword_separator":
        yield CallParameter(NAMED_ONLY, gathers=NAMED_ONLY)
        return
    if node.type == "positional_separator":
        yield CallParameter(UNNAMED_ONLY)
        return
    inner = node.named_children[0] if node.type == "typed_parameter" and node.named_children else node
    gathers = _GATHERS.get(inner.type, "")
    named = node.child_by_field_name("name") or (inner.named_children[0] if gathers and inner.named_children else inner)
    name = text_of(named)
    yield CallParameter(name, is_optional=node.type in _OPTIONAL or bool(gathers), gathers=gathers)


def is_required(node: Node) -> bool:
    """Return whether a method is decorated as abstract."""
    around = node.parent
    if node.type != "function_definition" or around is None or around.type != "decorated_definition":
        return False
    texts = (each.text or b"" for each in around.named_children if each.type == "decorator")
    return any(text.rstrip().endswith((b"abstractmethod", b"abstractproperty")) for text in texts)


_GIVEN = {"assignment": "right", "typed_default_parameter": "value"}
"""Node type of a declaration with a type → the field of its value."""

_OWN_SCOPES = frozenset({"function_definition", "class_definition", "lambda"})


def read_literal(node: Node) -> CallShape | None:
    """Return the keys of the dictionary assigned to a place with a declared type, or returned by a function.

    If a function returns several dictionaries, it is the one with the fewest keys.
    """
    holder = node.parent
    if holder is None or [each.type for each in node.named_children] not in (["identifier"], ["attribute"]):
        return None
    if holder.type in _GIVEN:
        return _read_dictionary(holder.child_by_field_name(_GIVEN[holder.type]))
    body = holder.child_by_field_name("body") if holder.type == "function_definition" else None
    statements = iter_outermost(body, {"return_statement"}, _holds_returns)
    returned = (_read_dictionary(each.named_children[0]) for each in statements if each.named_children)
    closed = [each for each in returned if each is not None and not each.is_open]
    return min(closed, key=lambda each: len(each.keywords), default=None)


def _holds_returns(node: Node) -> bool:
    """Return whether return statements of the same function may be below a node."""
    return node.type not in _OWN_SCOPES and node.type != "expression_statement"


def _read_dictionary(value: Node | None) -> CallShape | None:
    """Return the keys of a dictionary whose keys are strings, None for any other value."""
    while value is not None and value.type == "parenthesized_expression" and len(value.named_children) == 1:
        value = value.named_children[0]
    if value is None or value.type != "dictionary" or value.has_error:
        return None
    keys = [_read_key(each.child_by_field_name("key")) for each in code_children(value)]
    return CallShape(0, tuple(key for key in keys if key), is_open="" in keys, line=value.start_point[0] + 1)


def _read_key(key: Node | None) -> str:
    """Return the text of a plain string, "" for any other key."""
    parts = key.named_children if key is not None and key.type == "string" else []
    is_plain = [each.type for each in parts] == ["string_start", "string_content", "string_end"]
    return text_of(parts[1]) if is_plain and not parts[1].named_children else ""


CALLS = CallGrammar(
    calls={"call": "function"},
    read_parameters=read_parameter,
    keyword="keyword_argument",
    spreads=frozenset({"list_splat", "dictionary_splat"}),
    named_arguments=True,
    is_required=is_required,
    checks_overrides=True,
    literals=MappingProxyType({"type": ""}),
    read_literal=read_literal,
    is_separable=True,
)
