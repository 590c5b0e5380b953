"""Go statements: the blocks they open, and what they declare there."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN
from avionics.syntax.engine.expressions import element_of, item_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import ANNOTATE, READ, WRITE, UsesBuilder
from avionics.syntax.languages.go.assignments import (
    assignment,
    declare_constants,
    declare_names,
    declare_short,
    declare_variables,
    parts_of,
)

_DECLARATIONS = {
    "short_var_declaration": declare_short,
    "var_declaration": declare_variables,
    "const_declaration": declare_constants,
}


def visit_body(uses: UsesBuilder, body: Node | None, scope: int) -> None:
    """Read the statements of a function, which share the scope of its parameters."""
    if body is not None:
        _visit_all(uses, body.named_children, scope, scope)


def _visit_all(uses: UsesBuilder, nodes: Iterable[Node], scope: int, first: int) -> int:
    """Read statements in order, and return the scope after the last one."""
    for node in nodes:
        if node.type in {"statement_list", "labeled_statement"}:
            scope = _visit_all(uses, node.named_children, scope, first)
        else:
            scope = _visit_one(uses, node, scope, first)
    return scope


def _visit_one(uses: UsesBuilder, node: Node | None, scope: int, first: int) -> int:
    """Read one statement, and return the scope of what follows."""
    if node is None:
        return scope
    declare = _DECLARATIONS.get(node.type)
    if declare is not None:
        return declare(uses, node, scope, first)
    uses.visit(node, scope)
    return scope


def block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit statements in braces."""
    inner = uses.open_block(node, scope)
    _visit_all(uses, node.named_children, inner, inner)


def guarded(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit an `if` or a `switch`, whose first declaration holds in all branches."""
    first = uses.open_block(node, scope)
    initializer = node.child_by_field_name("initializer")
    inner = _visit_one(uses, initializer, first, first)
    for child in node.named_children:
        if child != initializer:
            uses.visit(child, inner)


def case(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a branch of a `switch` or `select`: a block without braces."""
    first = inner = uses.open_block(node, scope)
    for child in node.named_children:
        if child.type == "receive_statement":
            inner = _receive(uses, child, inner, first)
        else:
            inner = _visit_all(uses, (child,), inner, first)


def _receive(uses: UsesBuilder, node: Node, scope: int, first: int) -> int:
    """Read `case v, ok := <-channel`, and return the scope of what follows."""
    left, right = parts_of(node.child_by_field_name("left")), node.child_by_field_name("right")
    if _declares(node):
        return declare_names(uses, left, right, scope, first)
    assignment(uses, node, scope, READ)
    return scope


def _declares(node: Node) -> bool:
    return any(child.type == ":=" for child in node.children)


def type_switch(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `switch x := y.(type)`: in each branch `x` has the branch's type, or that of `y` for several types."""
    first = uses.open_block(node, scope)
    inner = _visit_one(uses, node.child_by_field_name("initializer"), first, first)
    value = uses.visit_field(node, "value", inner)
    alias = next(iter(parts_of(node.child_by_field_name("alias"))), None)
    for branch in node.named_children:
        if branch.type not in {"type_case", "default_case"}:
            continue
        body = uses.open_block(branch, inner)
        written = branch.children_by_field_name("type")
        types = [uses.visit(part, inner, ANNOTATE) for part in written if part.is_named]
        declared = types[0] if len(types) == 1 else UNKNOWN
        if declared.kind is ExpressionKind.LITERAL:
            declared = UNKNOWN
        uses.bind(alias, body, BindingKind.ASSIGNMENT, within=inner, value=value, annotation=declared)
        _visit_all(uses, [child for child in branch.named_children if child not in written], body, body)


def loop(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a `for`, whose header declares names for its body."""
    first = inner = uses.open_block(node, scope)
    for child in node.named_children:
        if child.type == "range_clause":
            _range(uses, child, inner, scope)
        elif child.type == "for_clause":
            inner = _visit_one(uses, child.child_by_field_name("initializer"), inner, first)
            for field in ("condition", "update"):
                uses.visit_field(child, field, inner)
        else:
            uses.visit(child, inner)


def _range(uses: UsesBuilder, clause: Node, inner: int, outside: int) -> None:
    """Bind `k, v := range x`, where iterating gives pairs."""
    iterated = uses.visit_field(clause, "right", outside)
    pair = element_of(iterated)
    for position, target in enumerate(parts_of(clause.child_by_field_name("left"))):
        if not _declares(clause):
            uses.visit(target, outside, WRITE)
        elif uses.source.of(target) != "_":
            value = item_of(pair, position)
            uses.bind(target, inner, BindingKind.ASSIGNMENT, within=outside, value=value)
