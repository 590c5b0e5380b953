"""Rust patterns: the names they bind and use."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.model.enums import BindingKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import tagged
from avionics.syntax.engine.expressions import OWN_OBJECT, element_of, item_of, member_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import ANNOTATE, READ, UsesBuilder
from avionics.syntax.languages.rust.types import typed

_REST = frozenset({"remaining_field_pattern"})
_SAME_VALUE = frozenset({"mut_pattern", "ref_pattern", "reference_pattern", "captured_pattern", "or_pattern"})
_SILENT = frozenset({"mutable_specifier", "line_comment", "block_comment"})


def bind_pattern(
    uses: UsesBuilder, node: Node, scope: int, value: Expression, within: int, annotation: Expression = UNKNOWN
) -> None:
    """Bind the names of a pattern in a scope; the value it takes apart is to be read in `within`."""
    parts = [child for child in node.named_children if child.type not in _SILENT]
    if node.type in {"identifier", "shorthand_field_identifier"}:
        _bind_name(uses, node, scope, value, within, annotation)
    elif node.type in _SAME_VALUE:
        for child in parts:
            bind_pattern(uses, child, scope, value, within, annotation)
    elif node.type in _TAKEN_APART:
        _TAKEN_APART[node.type](uses, node, scope, value, within)
    elif node.type == "slice_pattern":
        for child in parts:
            bind_pattern(uses, child, scope, element_of(value), within)
    elif node.type not in {"self", *_REST}:
        uses.visit(node, scope)


def _bind_name(
    uses: UsesBuilder, node: Node, scope: int, value: Expression, within: int, annotation: Expression
) -> None:
    """Bind a name that begins in lower case; others are constants or variants to compare with."""
    text = uses.source.of(node)
    if text[:1].isupper():
        uses.add_reference(node, scope, READ)
    elif text != "_":
        uses.bind(node, scope, BindingKind.ASSIGNMENT, within=within, value=value, annotation=annotation)


def iter_places(node: Node, skipped: Node | None = None) -> Iterator[Node]:
    """Yield the pattern at each position of a tuple; `_` is a position, too, although its node is unnamed."""
    for child in node.children:
        if (child.is_named or child.type == "_") and child != skipped and child.type not in _SILENT:
            yield child


def _bind_items(uses: UsesBuilder, node: Node, scope: int, value: Expression, within: int) -> None:
    """Bind the parts of a tuple; positions after `..` are not counted."""
    is_counted = True
    for position, part in enumerate(iter_places(node)):
        is_counted = is_counted and part.type not in _REST
        item = item_of(value, position) if is_counted else UNKNOWN
        bind_pattern(uses, part, scope, item, within)


def _bind_payload(uses: UsesBuilder, node: Node, scope: int, value: Expression, within: int) -> None:
    """Bind the items of the variant or struct in `Some(x)` or `Point(x, y)`."""
    owner = node.child_by_field_name("type")
    if owner is None:
        return
    uses.visit(owner, scope)
    last = uses.source.of(owner).partition("<")[0].removesuffix("::").rpartition("::")[2]
    prefix = "" if last == "Self" else f"{last}."
    is_counted = True
    for position, part in enumerate(iter_places(node, owner)):
        is_counted = is_counted and part.type not in _REST
        content = member_of(value, f"{prefix}{position}") if is_counted else UNKNOWN
        bind_pattern(uses, part, scope, content, within)


def _bind_fields(uses: UsesBuilder, node: Node, scope: int, value: Expression, within: int) -> None:
    """Bind the names in `Point { x, y: other }`, which uses each field."""
    struct = node.child_by_field_name("type")
    if struct is None:
        return
    owner = own_object(uses, uses.visit(struct, scope, ANNOTATE))
    for field in node.named_children:
        name = field.child_by_field_name("name") if field.type == "field_pattern" else None
        if name is None:
            continue
        text = uses.add_reference(name, scope, READ, owner, sought_as=tagged(uses.source.of(name)))
        content = member_of(owner, text)
        bind_pattern(uses, field.child_by_field_name("pattern") or name, scope, content, within)


def own_object(uses: UsesBuilder, of: Expression) -> Expression:
    """Return an object of the type that a struct literal or pattern names."""
    return OWN_OBJECT if of == uses.name("Self") else typed(of)


_TAKEN_APART = {"tuple_pattern": _bind_items, "tuple_struct_pattern": _bind_payload, "struct_pattern": _bind_fields}
