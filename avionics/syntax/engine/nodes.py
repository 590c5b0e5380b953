"""Short ways to look around in a syntax tree, where any node may be missing."""

from __future__ import annotations

from collections.abc import Sequence

from avionics.syntax.engine.grammars import Node


def child_of(node: Node, *kinds: str) -> Node | None:
    """Return the first named child of one of the kinds, or None."""
    return next((child for child in node.named_children if child.type in kinds), None)


def children_of(node: Node | None, field: str = "") -> Sequence[Node]:
    """Return the named children of a node, or of the node in one of its fields; none for a missing node."""
    if field and node is not None:
        node = node.child_by_field_name(field)
    return node.named_children if node is not None else ()
