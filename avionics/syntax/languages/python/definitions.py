"""Python definitions: functions, classes, lambdas, comprehensions, and the scopes they open."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression, replace
from avionics.syntax.engine.expressions import ANYTHING, bare_name, element_of, expect, item_of, subscripted, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, code_children, field_of, require_field
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, UsesBuilder, UsesRule
from avionics.syntax.languages.python.names import read_type_comments
from avionics.syntax.languages.python.outline import decorators_of, parameter_name

_ALL_POSITIONAL, _ALL_NAMED = (Expression(ExpressionKind.LITERAL, name) for name in ("tuple", "dict"))
_SENT = Expression(ExpressionKind.SENT)


def function_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a function, and visit its body in a scope of its own."""
    name, parameters = uses.require(node, scope, "name", "parameters")
    symbol = uses.symbol_at(name)
    uses.bind(name, scope, BindingKind.DEFINITION)
    first = next(iter(code_children(parameters)), None)
    is_method = uses.scopes[scope].kind is ScopeKind.CLASS and "staticmethod" not in decorators_of(uses.facts, symbol)
    own = parameter_name(first) if is_method and first is not None else None
    inner = uses.open(ScopeKind.FUNCTION, scope, node, symbol, uses.source.of(own))
    outside = _bind_type_parameters(uses, node.child_by_field_name("type_parameters"), inner, scope)
    _bind_parameters(uses, parameters, inner, outside)
    declared = node.child_by_field_name("return_type")
    if declared is not None:
        uses.results[symbol] = uses.visit(declared, outside, ANNOTATE)
    read_type_comments(uses, node, outside)
    read_type_comments(uses, parameters, outside)
    uses.visit_body(node, inner)


def lambda_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a lambda; its parameters have the types that the expected function is passed."""
    expected = uses.expected
    inner = uses.open(ScopeKind.FUNCTION, scope, node)
    parameters = node.child_by_field_name("parameters")
    if parameters is not None:
        _bind_parameters(uses, parameters, inner, scope)
        _expect(uses, parameters, expected)
    value = uses.visit_field(node, "body", inner)
    return Expression(ExpressionKind.FUNCTION, parts=(value,))


def _expect(uses: UsesBuilder, parameters: Node, expected: Expression) -> None:
    """Bind the plain parameters of a lambda to values of the parameter types of the expected function."""
    if expected is UNKNOWN:
        return
    for position, entry in enumerate(parameters.named_children):
        if entry.type == "identifier":
            bound = uses.bindings[uses.source.of(entry)]
            bound[-1] = replace(bound[-1], value=expect(expected, position))


def _bind_type_parameters(uses: UsesBuilder, declared: Node | None, inner: int, scope: int) -> int:
    """Bind `[T: Bound]`, and return the scope for the rest of the header."""
    if declared is None:
        return scope
    for entry in declared.named_children:
        if entry.type == "ERROR":
            # The grammar does not support defaults (`[T = int]`).
            uses.visit_children(entry, scope)
            continue
        name = next((part for part in _iter_leaves(entry) if part.type == "identifier"), None)
        if name is not None:
            bound = _bound_of(uses, child_of(entry, "constrained_type"), scope)
            uses.bind(name, inner, BindingKind.TYPE_PARAMETER, within=scope, annotation=bound)
    return inner


def _bound_of(uses: UsesBuilder, constrained: Node | None, scope: int) -> Expression:
    """Return the bound of a type parameter, or the union of those it is one of."""
    if constrained is None:
        return UNKNOWN
    written = constrained.named_children[-1]
    inside = written.named_children[0] if written.named_child_count else written
    return union_of(
        uses.visit(each, scope, ANNOTATE) for each in (inside.named_children if inside.type == "tuple" else [written])
    )


def type_alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `type A[T] = …`, which may have type parameters of its own."""
    left = node.child_by_field_name("left")
    name = next(_iter_leaves(left), None) if left is not None else None
    if left is None or name is None or name.type != "identifier":
        uses.visit_children(node, scope)
        return
    declared = child_of(left.named_children[0], "type_parameter")
    is_generic = declared is not None
    inner = uses.open(ScopeKind.BLOCK, scope, node, uses.symbol_at(name)) if is_generic else scope
    _bind_type_parameters(uses, declared, inner, scope)
    value = uses.visit_field(node, "right", inner, ANNOTATE)
    uses.bind(name, uses.holder(scope), BindingKind.ASSIGNMENT, within=inner, value=value)


def _iter_leaves(node: Node) -> Iterator[Node]:
    """Yield the named leaves below a node in order."""
    if node.named_child_count == 0:
        yield node
    for child in node.named_children:
        yield from _iter_leaves(child)


def _bind_parameters(uses: UsesBuilder, parameters: Node, inner: int, outside: int) -> None:
    """Bind parameters; defaults and annotations are read outside the function."""
    for entry in parameters.named_children:
        name = parameter_name(entry)
        if name is None:
            continue
        default = entry.child_by_field_name("value")
        annotation = uses.visit_field(entry, "type", outside, ANNOTATE)
        value = uses.visit(default, outside)
        if default is not None and value is UNKNOWN:
            value = ANYTHING
        star = next(
            (child.type for child in (entry, *entry.named_children) if child.type.endswith("splat_pattern")), ""
        )
        kind = BindingKind.VARIADIC if star else BindingKind.PARAMETER
        if star:
            value = _ALL_POSITIONAL if star.startswith("list") else _ALL_NAMED
        is_unpacked = annotation.kind is ExpressionKind.SUBSCRIPT and annotation.parts[0].name == "Unpack"
        if star and annotation is not UNKNOWN and not is_unpacked:
            base = bare_name("tuple" if star.startswith("list") else "dict")
            key = () if star.startswith("list") else (bare_name("str"),)
            annotation = subscripted(base, *key, annotation)
        uses.bind(name, inner, kind, within=outside, value=value, annotation=annotation)


def class_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a class, and visit its body in a scope that its methods do not see."""
    name = require_field(node, "name")
    inner = uses.define_class(name, node, scope)
    outside = _bind_type_parameters(uses, node.child_by_field_name("type_parameters"), inner, scope)
    inherited = []
    for base in children_of(node, "superclasses"):
        if base.type == "keyword_argument":
            uses.visit_field(base, "value", outside)
        elif not base.is_extra:
            inherited.append(uses.visit(base, outside, INHERIT))
    uses.bases[inner] = tuple(inherited)
    uses.visit_body(node, inner)


def decorator(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use a decorator in the scope of the definition it decorates."""
    name = field_of(node.parent, "definition", "name")
    for child in node.named_children:
        meaning = uses.visit(child, scope, ReferenceKind.DECORATE)
        if name is not None:
            uses.decorators[uses.symbol_at(name)].append(meaning)


def return_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Record what a function returns or yields; the value of a `yield` is what is sent to it."""
    function = uses.function_of(scope)
    for child in node.named_children:
        value = uses.visit(child, scope)
        if function >= 0:
            (uses.yields if node.type == "yield" else uses.returns)[function].append(value)
    return _SENT if node.type == "yield" else UNKNOWN


def comprehension(type_name: str) -> UsesRule:
    """Return a rule for a comprehension, which has a scope for everything but its first iterable."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        inner = uses.open(ScopeKind.COMPREHENSION, scope, node)
        where, loops = scope, {}
        for clause in node.named_children:
            if clause.type == "for_in_clause":
                left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
                if left is None or right is None:
                    continue
                element = element_of(uses.visit(right, where))
                _bind_loop(uses, left, inner, element, where)
                if left.type == "identifier":
                    loops[uses.source.of(left)] = element
                where = inner
            elif clause.type == "if_clause":
                uses.visit_children(clause, inner)
        value = uses.visit_field(node, "body", inner)
        return Expression(ExpressionKind.CONTAINER, type_name, (_substitute(value, loops),))

    return rule


def _bind_loop(uses: UsesBuilder, target: Node, scope: int, value: Expression, within: int) -> None:
    """Bind the loop names of a comprehension, which live in its own scope."""
    if target.type == "identifier":
        uses.bind(target, scope, BindingKind.ASSIGNMENT, within=within, value=value)
        return
    for position, part in enumerate(target.named_children):
        _bind_loop(uses, part, scope, item_of(value, position), within)


def _substitute(value: Expression, names: dict[str, Expression]) -> Expression:
    """Return an expression with loop names replaced by their values, so that it can be read outside."""
    if value.kind is ExpressionKind.NAME:
        return names.get(value.name, value)
    if not value.parts:
        return value
    return replace(value, parts=tuple(_substitute(part, names) for part in value.parts))
