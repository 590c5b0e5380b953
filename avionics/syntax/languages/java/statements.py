"""Java flow: declarations of variables, loops, `try`, `switch` and patterns."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.expressions import element_of, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of
from avionics.syntax.engine.uses import ANNOTATE, READ, UsesBuilder
from avionics.syntax.languages.java.definitions import bind_declarator
from avionics.syntax.languages.java.names import written_type
from avionics.syntax.languages.java.outline import modifiers_of

_BOOLEAN = Expression(ExpressionKind.LITERAL, "boolean")


def local_variable(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the variables of a block."""
    uses.visit_children(modifiers_of(node), scope)
    plain = uses.visit_field(node, "type", scope, ANNOTATE)
    for declarator in node.children_by_field_name("declarator"):
        bind_declarator(uses, declarator, scope, plain, scope)


def if_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the patterns of a condition within the `if`, or around it for `if (!(x instanceof T t)) return;`."""
    condition = node.child_by_field_name("condition")
    binds = condition is not None and "instanceof" in uses.source.of(condition)
    if condition is not None and binds and all(part.type != "unary_expression" for part in _conditions(condition)):
        scope = uses.open_block(node, scope)
    uses.visit_children(node, scope)


def _conditions(condition: Node) -> list[Node]:
    """Return the parts that `&&` and `||` join in a condition, looking into parentheses."""
    found, pending = [], [condition]
    while pending:
        node = pending.pop()
        found.append(node)
        if node.type in {"parenthesized_expression", "binary_expression"}:
            pending.extend(node.named_children)
    return found


def enhanced_for(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `for (T x : values)`."""
    value = uses.visit_field(node, "value", scope)
    inner = uses.open_block(node, scope)
    name = node.child_by_field_name("name")
    annotation = written_type(uses, node, scope)
    if name is not None:
        element = element_of(value)
        uses.bind(name, inner, BindingKind.ASSIGNMENT, within=scope, value=element, annotation=annotation)
    uses.visit_field(node, "body", inner)


def resource(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a resource of a `try`."""
    (name,) = uses.require(node, scope, "name")
    annotation = written_type(uses, node, scope)
    value = uses.visit(node.child_by_field_name("value"), scope, READ, typed(annotation))
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value, annotation=annotation)


def try_with_resources(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a `try` whose resources are bound in its body alone."""
    inner = uses.open_block(node, scope)
    for child in node.named_children:
        is_inside = child.type in {"resource_specification", "block"}
        uses.visit(child, inner if is_inside else scope)


def catch_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `catch (A | B e)`."""
    inner = uses.open_block(node, scope)
    for child in node.named_children:
        if child.type != "catch_formal_parameter":
            uses.visit(child, inner)
            continue
        name = child.child_by_field_name("name")
        types = [uses.visit(part, scope, ANNOTATE) for part in children_of(child_of(child, "catch_type"))]
        uses.bind(name, inner, BindingKind.PARAMETER, within=scope, annotation=union_of(types))


def switch(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a `switch`; its labels may be constants of its subject's type, and its value is that of any arm."""
    subject_type = uses.visit_field(node, "condition", scope)
    inner = uses.open_block(node, scope)
    arms: list[Expression] = []
    for group in children_of(node, "body"):
        is_rule = group.type == "switch_rule"
        arm = uses.open_block(group, inner) if is_rule else inner
        for child in group.named_children:
            if child.type == "switch_label":
                _label(uses, child, arm, subject_type)
            elif is_rule and child.type == "expression_statement" and child.named_child_count:
                arms.append(uses.visit(child.named_children[0], arm))
            else:
                uses.visit(child, arm)
    return union_of(arms) if arms else UNKNOWN


def _label(uses: UsesBuilder, node: Node, scope: int, asked: Expression) -> None:
    """Read `case A, B`, whose bare names are first looked up in the type of the subject."""
    for child in node.named_children:
        if child.type == "identifier":
            among = uses.open(ScopeKind.CLASS, scope, node, of=asked)
            uses.visit(child, among)
        else:
            uses.visit(child, scope)


def instanceof(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x instanceof T t`."""
    uses.visit_field(node, "left", scope)
    name = node.child_by_field_name("name")
    meaning = uses.visit_field(node, "right", scope, ANNOTATE)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=meaning)
    uses.visit_field(node, "pattern", scope)
    return _BOOLEAN


def pattern(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the names of `T t` or `Record(T t, …)`."""
    *before, last = node.named_children
    if node.type == "record_pattern":
        uses.visit(before[0] if before else last, scope, ANNOTATE)
        if before:
            uses.visit_children(last, scope)
        return
    if last.type != "identifier":
        uses.visit_children(node, scope)
        return
    types = [uses.visit(child, scope, ANNOTATE) for child in before]
    uses.bind(last, scope, BindingKind.ASSIGNMENT, annotation=types[-1] if types else UNKNOWN)
