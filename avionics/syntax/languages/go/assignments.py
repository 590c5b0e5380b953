"""Go constants, variables, `:=` and `=`.

A name means what is declared above it: `x := x.Next()` reads the outer `x`. Where a block declares a name that it
used before, the rest of the block is a scope of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat, takewhile

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression, Span
from avionics.syntax.engine.expressions import item_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, code_children
from avionics.syntax.engine.uses import ANNOTATE, WRITE, UsesBuilder

UNORDERED = -1
"""The first scope where the order of declarations does not matter: a package."""
_MAX_SCOPES = 1_000
"""Order is ignored in a block that opens more, because a name is looked up through all of them; real code has fewer."""
_BOOLEAN = Expression(ExpressionKind.LITERAL, "bool")
_MAY_FAIL = frozenset({"index_expression", "type_assertion_expression", "unary_expression"})


def parts_of(listed: Node | None) -> list[Node]:
    """Return the expressions of a list, or a single expression as a list."""
    if listed is None:
        return []
    if listed.type != "expression_list":
        return [listed]
    return code_children(listed)


def visit_values(uses: UsesBuilder, right: Node | None, count: int, scope: int) -> list[Expression]:
    """Return the value assigned to each of `count` names: one value each, or the results of one expression."""
    nodes = parts_of(right)
    values = [uses.visit(node, scope) for node in nodes]
    if len(values) == 1 and count > 1:
        if count == 2 and nodes[0].type in _MAY_FAIL:
            return [values[0], _BOOLEAN]
        return [item_of(values[0], position) for position in range(count)]
    return values + [UNKNOWN] * (count - len(values))


def rest_scope(uses: UsesBuilder, names: Sequence[Node], scope: int, first: int) -> int:
    """Return the scope for declarations of some names and all that follows in a block, whose scope is `first`.

    It is a new one if the block has used one of the names with an outer meaning before.
    """
    is_ordered = first != UNORDERED and len(uses.scopes) - first < _MAX_SCOPES
    for name in names if is_ordered else ():
        text = uses.source.of(name)
        used = uses.references.get(text)
        if used and used[-1].scope >= first and not _is_declared(uses, text, scope, first):
            return uses.open(ScopeKind.BLOCK, scope, Span(uses.source.place(name)[0], uses.scopes[scope].span.end_line))
    return scope


def _is_declared(uses: UsesBuilder, name: str, scope: int, first: int) -> bool:
    """Return whether the block whose scope is `first` has declared a name so far."""
    latest = takewhile(lambda binding: binding.scope >= first, reversed(uses.bindings.get(name, ())))
    bound = {binding.scope for binding in latest}
    while bound and scope >= first:
        if scope in bound:
            return True
        scope = uses.scopes[scope].parent
    return False


def declare_short(uses: UsesBuilder, node: Node, scope: int, first: int) -> int:
    """Declare the names of `a, b := …` that are new in the block, and return the scope of what follows."""
    return declare_names(
        uses, parts_of(node.child_by_field_name("left")), node.child_by_field_name("right"), scope, first
    )


def declare_names(uses: UsesBuilder, left: Sequence[Node], right: Node | None, scope: int, first: int) -> int:
    """Bind names to the values on the right, declaring new ones, and return the scope of what follows."""
    values = visit_values(uses, right, len(left), scope)
    is_new = [not _is_declared(uses, uses.source.of(name), scope, first) for name in left]
    holder = rest_scope(uses, left, scope, first)
    for name, new, value in zip(left, is_new, values, strict=False):
        if not new:
            uses.visit(name, scope, WRITE)
        elif uses.source.of(name) != "_":
            uses.bind(name, holder, BindingKind.ASSIGNMENT, within=scope, value=value)
    return holder


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `a, b = …` or `a += …`, which declare nothing."""
    for target in parts_of(node.child_by_field_name("left")):
        uses.visit(target, scope, WRITE)
    for value in parts_of(node.child_by_field_name("right")):
        uses.visit(value, scope)


def step(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `x++` or `x--`."""
    for target in node.named_children:
        uses.visit(target, scope, WRITE)


def constants(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the constants of a package."""
    declare_constants(uses, node, scope, UNORDERED)


def declare_constants(uses: UsesBuilder, node: Node, scope: int, first: int) -> int:
    """Bind constants, and return the scope of what follows; one without a value repeats the one above it."""
    declared: Expression = UNKNOWN
    values: list[Expression] = []
    for entry in node.named_children:
        if entry.type != "const_spec":
            continue
        names = _names(entry)
        value_list = entry.child_by_field_name("value")
        within = scope
        if value_list is not None:
            declared = uses.visit_field(entry, "type", scope, ANNOTATE)
            values = visit_values(uses, value_list, len(names), scope)
        scope = rest_scope(uses, names, scope, first)
        # The first of a group lacks a value only while it is being edited; then it has a name all the same.
        for name, value in zip(names, chain(values, repeat(UNKNOWN)), strict=False):
            _bind(uses, name, scope, within, value, declared)
    return scope


def variables(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the variables of a package."""
    declare_variables(uses, node, scope, UNORDERED)


def declare_variables(uses: UsesBuilder, node: Node, scope: int, first: int) -> int:
    """Bind the names of a `var`, and return the scope of what follows."""
    for entry in (child_of(node, "var_spec_list") or node).named_children:
        if entry.type != "var_spec":
            continue
        names, within = _names(entry), scope
        declared = uses.visit_field(entry, "type", scope, ANNOTATE)
        values = visit_values(uses, entry.child_by_field_name("value"), len(names), scope)
        scope = rest_scope(uses, names, scope, first)
        for name, value in zip(names, values, strict=False):
            _bind(uses, name, scope, within, value, declared)
    return scope


def _names(entry: Node) -> list[Node]:
    """Return the names an entry declares; the grammar counts commas among them."""
    return [name for name in entry.children_by_field_name("name") if name.type == "identifier"]


def _bind(uses: UsesBuilder, name: Node, scope: int, within: int, value: Expression, declared: Expression) -> None:
    if uses.source.of(name) != "_":
        uses.bind(name, scope, BindingKind.ASSIGNMENT, within=within, value=value, annotation=declared)
