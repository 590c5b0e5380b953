"""Rust flow: blocks, `let`, conditions that bind, `match`, loops.

Each `let` opens a scope for what follows, so that a name means the latest binding before it.
"""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Span, replace
from avionics.syntax.engine.expressions import element_of, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, field_of
from avionics.syntax.engine.uses import ANNOTATE, UsesBuilder
from avionics.syntax.languages.rust.expressions import collected
from avionics.syntax.languages.rust.patterns import bind_pattern
from avionics.syntax.languages.rust.types import typed

_MAX_NODES = 60
"""Larger expressions are dropped: nested names multiply."""

_ITEMS = ("_item", "_declaration", "macro_definition")


def block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a block, and return its last value; it sees all its items, and what a `let` binds from there on."""
    base = current = uses.open_block(node, scope)
    end = uses.source.span(node).end_line
    value = UNKNOWN
    for child in node.named_children:
        if child.is_extra or child.type == "label":
            continue
        value = UNKNOWN
        if child.type == "let_declaration":
            current = _let(uses, child, current, end)
        elif child.type.endswith(_ITEMS):
            uses.visit(child, base)
        else:
            result = uses.visit(child, current)
            value = _value_of_last(result, child) if child.type == "expression_statement" else result
    return close(uses, value, base)


def _value_of_last(given: Expression, node: Node) -> Expression:
    """Return the value of a last statement, UNKNOWN for one with a semicolon."""
    return given if _is_block_like(node) else UNKNOWN


def _is_block_like(node: Node) -> bool:
    """Return whether a statement is an expression without a semicolon."""
    return node.type == "expression_statement" and bool(node.children) and node.children[-1].type != ";"


def _let(uses: UsesBuilder, node: Node, scope: int, end: int) -> int:
    """Bind `let p: T = v else { … };`, and return the scope of what follows."""
    pattern = node.child_by_field_name("pattern")
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    value = uses.visit_field(node, "value", scope)
    uses.visit_field(node, "alternative", scope)
    inner = uses.open(ScopeKind.BLOCK, scope, Span(node.start_point.row + 1, end))
    callee = value.parts[0] if value.kind is ExpressionKind.CALL else UNKNOWN
    if (
        callee.kind is ExpressionKind.ATTRIBUTE
        and callee.name == "unwrap"
        and callee.parts[0].kind is ExpressionKind.CALL
    ):
        callee = callee.parts[0].parts[0]
    if annotation is not UNKNOWN and callee.kind is ExpressionKind.ATTRIBUTE and callee.name == "collect":
        annotation = collected(annotation, callee)
    if pattern is not None:
        bind_pattern(uses, pattern, inner, value, scope, annotation)
    return inner


def _condition(uses: UsesBuilder, node: Node | None, scope: int, end: int) -> int:
    """Read a condition, and return the scope of code that runs only if it holds."""
    if node is None:
        return scope
    if node.type == "let_chain":
        for part in node.named_children:
            scope = _condition(uses, part, scope, end)
        return scope
    if node.type != "let_condition":
        uses.visit(node, scope)
        return scope
    pattern = node.child_by_field_name("pattern")
    value = uses.visit_field(node, "value", scope)
    inner = uses.open(ScopeKind.BLOCK, scope, Span(node.start_point.row + 1, end))
    if pattern is not None:
        bind_pattern(uses, pattern, inner, value, scope)
    return inner


def if_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `if` or `if let`, whose value is that of one of its blocks."""
    first = len(uses.scopes)
    inner = _condition(uses, node.child_by_field_name("condition"), scope, uses.source.span(node).end_line)
    then = uses.visit_field(node, "consequence", inner)
    other = node.child_by_field_name("alternative")
    otherwise = uses.visit(other.named_children[-1], scope) if other is not None and other.named_children else UNKNOWN
    return _one_of(uses, (then, otherwise), first)


def while_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `while` or `while let`."""
    inner = _condition(uses, node.child_by_field_name("condition"), scope, uses.source.span(node).end_line)
    uses.visit_field(node, "body", inner)


def for_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read a `for`, which binds its pattern to each element."""
    pattern = node.child_by_field_name("pattern")
    iterated = uses.visit_field(node, "value", scope)
    inner = uses.open_block(node, scope)
    if pattern is not None:
        bind_pattern(uses, pattern, inner, element_of(iterated), scope)
    uses.visit_field(node, "body", inner)


def match_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a `match`, whose value is that of one of its arms."""
    first = len(uses.scopes)
    matched = uses.visit_field(node, "value", scope)
    given = [_arm(uses, arm, scope, matched) for arm in children_of(node, "body") if arm.type == "match_arm"]
    return _one_of(uses, tuple(given), first)


def _arm(uses: UsesBuilder, node: Node, scope: int, matched: Expression) -> Expression:
    """Read an arm, whose guard and value see the names of its pattern."""
    end = uses.source.span(node).end_line
    inner = uses.open_block(node, scope)
    pattern = node.child_by_field_name("pattern")
    guard = field_of(pattern, "condition")
    for part in children_of(pattern):
        if part != guard:
            bind_pattern(uses, part, inner, matched, scope)
    inner = _condition(uses, guard, inner, end)
    return uses.visit_field(node, "value", inner)


def _one_of(uses: UsesBuilder, values: tuple[Expression, ...], first: int) -> Expression:
    """Return one of several values of one type; unknown values are left out."""
    known = [closed for value in values if (closed := close(uses, value, first)) is not UNKNOWN]
    return known[0] if len(known) == 1 else union_of(known) if known else UNKNOWN


def close(uses: UsesBuilder, value: Expression, first: int) -> Expression:
    """Return a value in which names bound by scopes from index `first` on are replaced by their values."""
    return _Closing(uses, first).close(value, frozenset())


class _Closing:
    """Replaces names by their values within one expression, up to a number of nodes."""

    def __init__(self, uses: UsesBuilder, first: int) -> None:
        self._uses = uses
        self._first = first
        self._left = _MAX_NODES

    def close(self, value: Expression, open_names: frozenset[str]) -> Expression:
        self._left -= 1
        if self._left < 0:
            return UNKNOWN
        if value.kind is ExpressionKind.NAME:
            return self._name(value, open_names)
        if not value.parts or (value.kind is ExpressionKind.FUNCTION and value.index >= 0):
            return value
        parts = tuple(self.close(part, open_names) for part in value.parts)
        return value if parts == value.parts else replace(value, parts=parts)

    def _name(self, value: Expression, open_names: frozenset[str]) -> Expression:
        bound = [b for b in self._uses.bindings.get(value.name, ()) if b.scope >= self._first]
        if not bound:
            return value
        if value.name in open_names or len(bound) > 1:
            return UNKNOWN
        return self._get_value(bound[0], open_names | {value.name})

    def _get_value(self, binding: Binding, open_names: frozenset[str]) -> Expression:
        if binding.kind not in {BindingKind.ASSIGNMENT, BindingKind.PARAMETER}:
            return UNKNOWN
        if binding.annotation is not UNKNOWN:
            return typed(self.close(binding.annotation, open_names))
        return self.close(binding.value, open_names)
