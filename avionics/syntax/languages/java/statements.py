"""Java flow: declarations of variables, loops, `try`, `switch` and patterns."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import UsesBuilder
from avionics.syntax.languages.java.definitions import bind_declarator, visit_value
from avionics.syntax.languages.java.names import ANNOTATE, typed, written_type

_BOOLEAN = Expression(ExpressionKind.LITERAL, "boolean")


def local_variable(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Variables of a block."""
    declared = node.child_by_field_name("type")
    for child in node.named_children:
        if child.type == "modifiers":
            uses.visit_children(child, scope)
    plain = uses.visit(declared, scope, ANNOTATE) if declared is not None else UNKNOWN
    for declarator in node.children_by_field_name("declarator"):
        bind_declarator(uses, declarator, scope, plain, scope)
    return UNKNOWN


def own_block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """A statement whose names end with it: `for`, `try` with resources, an arm of a `switch`."""
    uses.visit_children(node, uses.open(ScopeKind.BLOCK, scope, uses.source.span(node)))
    return UNKNOWN


def if_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """What a condition's patterns bind ends with the `if`; behind a `!`, it lives on where the `if` stands."""
    condition = node.child_by_field_name("condition")
    if condition is None or not _has_pattern(uses, condition):
        uses.visit_children(node, scope)
        return UNKNOWN
    lives_on = any(child.type == "unary_expression" for child in _conditions(condition))
    return _visit_all(uses, node, scope) if lives_on else own_block(uses, node, scope, role)


def _visit_all(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    uses.visit_children(node, scope)
    return UNKNOWN


def _has_pattern(uses: UsesBuilder, condition: Node) -> bool:
    return b"instanceof" in uses.source.content[condition.start_byte : condition.end_byte]


def _conditions(condition: Node) -> list[Node]:
    """The parts that a condition joins by `&&` and `||`, parentheses opened."""
    found, pending = [], [condition]
    while pending:
        node = pending.pop()
        found.append(node)
        if node.type in {"parenthesized_expression", "binary_expression"}:
            pending.extend(node.named_children)
    return found


def enhanced_for(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """`for (T x : values)`."""
    value = uses.visit_field(node, "value", scope)
    inner = uses.open(ScopeKind.BLOCK, scope, uses.source.span(node))
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    annotation = written_type(uses, node, scope)
    if name is not None:
        element = Expression(ExpressionKind.ELEMENT, "", (value,))
        uses.bind(name, inner, BindingKind.ASSIGNMENT, within=scope, value=element, annotation=annotation)
    if body is not None:
        uses.visit(body, inner)
    return UNKNOWN


def resource(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """What a `try` opens and closes."""
    name = node.child_by_field_name("name")
    if name is None:
        uses.visit_children(node, scope)
        return UNKNOWN
    annotation = written_type(uses, node, scope)
    value = visit_value(uses, node.child_by_field_name("value"), scope, typed(annotation))
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value, annotation=annotation)
    return UNKNOWN


def try_with_resources(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """The resources are seen in the body alone."""
    inner = uses.open(ScopeKind.BLOCK, scope, uses.source.span(node))
    for child in node.named_children:
        is_inside = child.type in {"resource_specification", "block"}
        uses.visit(child, inner if is_inside else scope)
    return UNKNOWN


def catch_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """`catch (A | B e)`."""
    inner = uses.open(ScopeKind.BLOCK, scope, uses.source.span(node))
    for child in node.named_children:
        if child.type != "catch_formal_parameter":
            uses.visit(child, inner)
            continue
        name = child.child_by_field_name("name")
        caught = next((part for part in child.named_children if part.type == "catch_type"), None)
        types = tuple(uses.visit(part, scope, ANNOTATE) for part in caught.named_children) if caught is not None else ()
        if name is not None:
            uses.bind(
                name, inner, BindingKind.PARAMETER, within=scope, annotation=Expression(ExpressionKind.UNION, "", types)
            )
    return UNKNOWN


def switch(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """A `switch`: its labels may be constants of what it asks for; as a value it may be any of its arms."""
    subject, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    asked = uses.visit(subject, scope) if subject is not None else UNKNOWN
    inner = uses.open(ScopeKind.BLOCK, scope, uses.source.span(node))
    arms: list[Expression] = []
    for group in body.named_children if body is not None else ():
        is_rule = group.type == "switch_rule"
        arm = uses.open(ScopeKind.BLOCK, inner, uses.source.span(group)) if is_rule else inner
        for child in group.named_children:
            if child.type == "switch_label":
                _label(uses, child, arm, asked)
            elif is_rule and child.type == "expression_statement" and child.named_child_count:
                arms.append(uses.visit(child.named_children[0], arm))
            else:
                uses.visit(child, arm)
    return Expression(ExpressionKind.UNION, "", tuple(arms)) if arms else UNKNOWN


def _label(uses: UsesBuilder, node: Node, scope: int, asked: Expression) -> None:
    """`case A, B`: bare names are first looked for in the type of what is asked."""
    for child in node.named_children:
        if child.type == "identifier":
            among = uses.open(ScopeKind.CLASS, scope, uses.source.span(node), of=asked)
            uses.visit(child, among)
        else:
            uses.visit(child, scope)


def instanceof(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """`x instanceof T t`."""
    uses.visit_field(node, "left", scope)
    right, name = node.child_by_field_name("right"), node.child_by_field_name("name")
    meaning = uses.visit(right, scope, ANNOTATE) if right is not None else UNKNOWN
    if name is not None:
        uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=meaning)
    uses.visit_field(node, "pattern", scope)
    return _BOOLEAN


def pattern(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """`T t` and `Record(T t, …)`."""
    *before, last = node.named_children
    if node.type == "record_pattern":
        uses.visit(before[0] if before else last, scope, ANNOTATE)
        if before:
            uses.visit_children(last, scope)
        return UNKNOWN
    if last.type != "identifier":
        uses.visit_children(node, scope)
        return UNKNOWN
    types = [uses.visit(child, scope, ANNOTATE) for child in before]
    uses.bind(last, scope, BindingKind.ASSIGNMENT, annotation=types[-1] if types else UNKNOWN)
    return UNKNOWN


def return_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """`return x`: a lambda returned is what the method declares."""
    function = uses.function_of(scope)
    value = next((child for child in node.named_children if not child.is_extra), None)
    declared = uses.results.get(uses.scopes[function].symbol, UNKNOWN) if function >= 0 else UNKNOWN
    meaning = visit_value(uses, value, scope, typed(declared))
    if function >= 0 and value is not None:
        uses.returns[function].append(meaning)
    return UNKNOWN


def labeled(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """A label is no name of anything."""
    for child in node.named_children[1:]:
        uses.visit(child, scope)
    return UNKNOWN
