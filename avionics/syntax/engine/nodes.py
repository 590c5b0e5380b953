"""Helpers for reading a syntax tree, in which any node may be missing."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from avionics.syntax.engine.grammars import Node


def child_of(node: Node | None, *kinds: str) -> Node | None:
    """Return the first named child of one of the kinds; None if there is none, and for a missing node."""
    return next((child for child in children_of(node) if child.type in kinds), None)


def field_of(node: Node | None, *fields: str) -> Node | None:
    """Return the node in a field of a node, with more fields in a field of that, and so on; None if one is missing."""
    for field in fields:
        node = node.child_by_field_name(field) if node is not None else None
    return node


def children_of(node: Node | None, field: str = "") -> Sequence[Node]:
    """Return the named children of a node, or of the node in one of its fields; none for a missing node."""
    if field and node is not None:
        node = node.child_by_field_name(field)
    return node.named_children if node is not None else ()


def first_child(node: Node | None, field: str = "") -> Node | None:
    """Return the first named child of a node, or of the node in one of its fields; None if there is none."""
    return next(iter(children_of(node, field)), None)


def code_children(node: Node | None) -> list[Node]:
    """Return the named children of a node that are not comments; none for a missing node."""
    return [child for child in node.named_children if not child.is_extra] if node is not None else []


def text_of(node: Node | None) -> str:
    """Return the text of a node, "" for a missing one."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def operator_of(node: Node) -> str:
    """Return the operator of an operation, "" if its node has none."""
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def iter_outermost(
    node: Node | None, kinds: Container[str], is_entered: Callable[[Node], bool] = lambda _: True
) -> Iterator[Node]:
    """Yield the outermost nodes of some kinds, from a node down, in their order; only entered nodes are looked into."""
    pending = [node] if node is not None else []
    while pending:
        current = pending.pop()
        if current.type in kinds:
            yield current
        elif is_entered(current):
            pending.extend(reversed(current.named_children))


def iter_around(node: Node) -> Iterator[Node]:
    """Yield the nodes around a node, innermost first."""
    around = node.parent
    while around is not None:
        yield around
        around = around.parent


def head_end(node: Node, body: Node | None) -> int:
    """Return the byte where the body of a declaration begins, or where the declaration ends if it has none."""
    return body.start_byte if body is not None else node.end_byte


class MissingPartError(Exception):
    """Raised where a node has nothing in a field that its rule needs, as in code with a syntax error. Ends the rule."""


def require_field(node: Node, field: str) -> Node:
    """Return the node in a field. Raise `MissingPartError` if there is none."""
    found = node.child_by_field_name(field)
    if found is None:
        raise MissingPartError(field)
    return found


def require_fields(node: Node, *fields: str) -> tuple[Node, ...]:
    """Return the nodes in some fields. Raises as `require_field` does."""
    return tuple([require_field(node, field) for field in fields])
