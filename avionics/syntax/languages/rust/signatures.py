"""Rust calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter, CallShape, CallSignature, ExhaustiveMatch
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, field_of, text_of


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter that a node declares; an attribute declares none."""
    if node.type == "variadic_parameter":
        yield CallParameter("", is_optional=True, gathers="*")
    elif node.type == "parameter":
        pattern = node.child_by_field_name("pattern")
        yield CallParameter(text_of(pattern))
    elif node.type != "attribute_item":
        yield CallParameter("")


_ATTRIBUTES = frozenset(
    {
        "allow", "async_trait", "cfg", "deny", "deprecated", "doc", "expect", "forbid", "inline", "must_use",
        "on_unimplemented", "skip", "warn",
    }
)  # fmt: skip
"""Attributes that give a block or a trait no members."""

_MEMBERS = frozenset(
    {
        "associated_type", "attribute_item", "block_comment", "const_item", "empty_statement", "function_item",
        "function_signature_item", "inner_attribute_item", "line_comment", "type_item",
    }
)  # fmt: skip
"""What blocks and traits consist of beside macros."""


def _list_attributes(node: Node) -> list[str]:
    """Return the last names of the paths of the attributes above an item."""
    found = []
    above = node.prev_named_sibling
    while above is not None and (above.type == "attribute_item" or above.is_extra):
        inner = above.named_children[0] if above.type == "attribute_item" and above.named_children else None
        if inner is not None:
            path = inner.named_children[0].text if inner.named_children else b""
            found.append((path or b"").decode("utf-8", "replace").rpartition("::")[2])
        above = above.prev_named_sibling
    return found


def is_required(node: Node) -> bool:
    """Return whether a function of a trait has no body, and no condition takes it away."""
    holder = node.parent.parent if node.parent is not None else None
    is_asked = node.type == "function_signature_item" and holder is not None and holder.type == "trait_item"
    return is_asked and "cfg" not in _list_attributes(node)


def is_open_block(first: Node) -> bool:
    """Return whether a macro or an attribute may give the block or trait that begins with a node other members."""
    block: Node | None = first
    while block is not None and block.type not in {"impl_item", "trait_item"}:
        block = block.parent
    body = field_of(block, "body")
    if block is None or body is None or body.has_error:
        return True
    are_plain = all(each in _ATTRIBUTES for each in _list_attributes(block))
    return not are_plain or any(each.type not in _MEMBERS for each in body.named_children)


_REST = frozenset({"base_field_initializer", "remaining_field_pattern"})
"""What stands for all remaining fields."""


def read_literal(node: Node) -> CallShape:
    """Return the fields in a struct expression or pattern."""
    if node.type == "tuple_struct_pattern":
        parts = [each for each in node.children if (each.is_named and not each.is_extra) or each.type == "_"][1:]
        initializers = [each for each in parts if each.type not in _REST]
        return CallShape(len(initializers), is_open=len(initializers) < len(parts))
    body = node.child_by_field_name("body") or node
    names = []
    for each in body.named_children:
        if each.type in {"field_initializer", "shorthand_field_initializer", "field_pattern"}:
            named = each.child_by_field_name("field") or each.child_by_field_name("name") or each.named_children[-1]
            names.append(text_of(named))
    return CallShape(0, tuple(names), is_open=any(each.type in _REST for each in body.named_children))


def read_fields(node: Node) -> CallSignature | None:
    """Return the fields of a structure or variant; None if an attribute may remove one."""
    body = node.child_by_field_name("body")
    if node.type not in {"struct_item", "enum_variant"} or b"cfg" in ((body.text or b"") if body is not None else b""):
        return None
    if body is None:
        return CallSignature(())
    if body.type == "ordered_field_declaration_list":
        count = len(body.children_by_field_name("type"))
        return CallSignature(tuple(CallParameter(str(at)) for at in range(count)))
    fields = (each.child_by_field_name("name") for each in body.named_children if each.type == "field_declaration")
    names = (text_of(each) for each in fields if each is not None)
    return CallSignature(tuple(CallParameter(name, is_named_only=True) for name in names))


_LABELS = frozenset(
    {
        "identifier", "type_identifier", "scoped_identifier", "scoped_type_identifier", "tuple_struct_pattern",
        "struct_pattern", "or_pattern", "reference_pattern", "captured_pattern", "match_pattern",
    }
)  # fmt: skip
"""The nodes around the name of a variant in the pattern of an arm."""


def read_match(node: Node) -> ExhaustiveMatch | None:
    """Return the match whose first arm has a node as pattern; None if an arm names no variant."""
    arm: Node | None = node
    while arm is not None and arm.type in _LABELS:
        arm = arm.parent
    block = arm.parent if arm is not None and arm.type == "match_arm" else None
    arms = code_children(block)
    if block is None or block.parent is None or arms[0] != arm or block.parent.has_error:
        return None
    labels: list[Node] = []
    for each in arms:
        pattern = each.child_by_field_name("pattern")
        if pattern is None or any(child.type == "attribute_item" for child in each.children):
            return None
        named = _list_labels(next(child for child in pattern.children if child.type != "|"))
        if not named:
            return None
        labels += named
    return ExhaustiveMatch.of(block.parent, labels)


def _list_labels(pattern: Node) -> list[Node]:
    """Return the names of the variants that a pattern matches; [] if it may match others."""
    pending, found = [pattern], []
    while pending:
        node = pending.pop()
        inner = node.child_by_field_name("name") if node.type.startswith("scoped_") else None
        inner = node.child_by_field_name("type") if node.type in {"tuple_struct_pattern", "struct_pattern"} else inner
        if node.type in {"identifier", "type_identifier"}:
            found.append(node)
        elif inner is not None:
            pending.append(inner)
        elif node.type == "or_pattern":
            pending += [each for each in node.children if each.type != "|"]
        elif node.type in {"reference_pattern", "captured_pattern"}:
            pending.append(node.children[-1])
        else:
            return []
    return found


CALLS = CallGrammar(
    calls={"call_expression": "function"},
    literals={"struct_expression": "name", "struct_pattern": "type", "tuple_struct_pattern": "type"},
    read_literal=read_literal,
    read_fields=read_fields,
    read_parameters=read_parameter,
    receivers=frozenset({"self_parameter", "self"}),
    paths=frozenset({"scoped_identifier"}),
    is_required=is_required,
    is_open_block=is_open_block,
    read_match=read_match,
)
