"""Python control flow: loops, `with`, `except`, `match`, and narrowing by conditions."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, NarrowingKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, Narrowing, Span
from avionics.syntax.engine.common_rules import name_use
from avionics.syntax.engine.expressions import bare_name, element_of, member_of, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, code_children, operator_of
from avionics.syntax.engine.uses import READ, UsesBuilder
from avionics.syntax.languages.python.names import bind_target, read_type_comments

_EXITS = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})


def for_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read a loop, which binds its target to each element."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and right is not None:
        iterated = uses.visit(right, scope)
        bind_target(uses, left, scope, element_of(iterated))
    read_type_comments(uses, node, scope)
    for field in ("body", "alternative"):
        for block in node.children_by_field_name(field):
            uses.visit_children(block, scope)


def with_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `with x as y`, which binds the result of entering `x`."""
    clause = node.parent
    if clause is not None and clause.parent is not None and node.prev_named_sibling is None:
        read_type_comments(uses, clause.parent, scope)
    value = node.child_by_field_name("value")
    if value is not None and value.type == "as_pattern":
        entered = uses.visit(value.named_children[0], scope)
        alias = value.child_by_field_name("alias")
        if alias is not None:
            bind_target(uses, alias, scope, Expression(ExpressionKind.ENTER, "", (entered,)))
    else:
        uses.visit(value, scope)


def except_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `except T as e`, which binds an instance of `T`."""
    for child in node.named_children:
        if child.type == "block":
            uses.visit_children(child, scope)
        elif child.type == "as_pattern":
            caught = uses.visit(child.named_children[0], scope)
            alias = child.child_by_field_name("alias")
            if alias is not None:
                types = caught.parts if caught.kind is ExpressionKind.CONTAINER else (caught,)
                bind_target(uses, alias, scope, typed(union_of(types)))
        else:
            uses.visit(child, scope)


def guarded_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `if`, `elif`, `while` or `assert`, whose condition narrows the types in the code it guards."""
    condition = node.child_by_field_name("condition") or next(iter(node.named_children), None)
    uses.visit_children(node, scope)
    if condition is None:
        return
    block = node.child_by_field_name("consequence") or node.child_by_field_name("body")
    if block is not None:
        _narrow(uses, condition, uses.source.span(block))
    rest = Span(uses.source.span(node).end_line, uses.source.span(node.parent).end_line) if node.parent else None
    if rest is not None and node.type == "assert_statement":
        _narrow(uses, condition, rest)
    exits = block is not None and block.named_children and block.named_children[-1].type in _EXITS
    if rest is not None and exits and condition.type == "not_operator" and node.type == "if_statement":
        _narrow(uses, condition.named_children[0], rest)


def _narrow(uses: UsesBuilder, condition: Node, span: Span) -> None:
    """Record each `isinstance(name, type)` that the condition requires."""
    if condition.type == "parenthesized_expression":
        _narrow(uses, condition.named_children[0], span)
    elif condition.type == "boolean_operator":
        if operator_of(condition) == "and":
            for part in condition.named_children:
                _narrow(uses, part, span)
    elif condition.type == "comparison_operator":
        _narrow_exact(uses, condition, span)
    elif condition.type == "call":
        _narrow_by_call(uses, condition, span)


def _narrow_by_call(uses: UsesBuilder, condition: Node, span: Span) -> None:
    """Record `isinstance(name, type)`, and any other call, whose function may be a guard (`-> TypeIs[type]`)."""
    function = condition.child_by_field_name("function")
    nodes = children_of(condition, "arguments")
    if function is None or not nodes:
        return
    if uses.source.of(function) != "isinstance":
        tested, callee = _plain(uses, nodes[0]), _plain(uses, function)
        if tested is not UNKNOWN and callee is not UNKNOWN:
            uses.narrowings.append(Narrowing(uses.source.of(nodes[0]), span, NarrowingKind.GUARD, callee))
    elif len(nodes) == 2:
        uses.narrowings.append(Narrowing(uses.source.of(nodes[0]), span, NarrowingKind.TYPE, _plain(uses, nodes[1])))


def _narrow_exact(uses: UsesBuilder, condition: Node, span: Span) -> None:
    """Record `type(name) is Class`."""
    if len(condition.children) != 3 or condition.children[1].type not in {"is", "=="}:
        return
    asked, _, given = condition.children
    function, arguments = asked.child_by_field_name("function"), asked.child_by_field_name("arguments")
    if function is None or arguments is None or uses.source.of(function) != "type":
        return
    if arguments.named_child_count == 1:
        name = uses.source.of(arguments.named_children[0])
        uses.narrowings.append(Narrowing(name, span, NarrowingKind.TYPE, _plain(uses, given)))


def _plain(uses: UsesBuilder, node: Node) -> Expression:
    """Return a class or tuple of classes without recording uses of their names, which visiting them does."""
    if node.type == "identifier":
        return bare_name(uses.source.of(node))
    if node.type == "attribute":
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if owner is not None and name is not None:
            return member_of(_plain(uses, owner), uses.source.of(name))
    if node.type in {"tuple", "binary_operator"}:
        return union_of(_plain(uses, part) for part in node.named_children)
    return UNKNOWN


def case_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read a case, which binds its captures and narrows the type of the subject in its block."""
    subject = node.parent.parent.child_by_field_name("subject") if node.parent and node.parent.parent else None
    block = node.child_by_field_name("consequence")
    for child in node.named_children:
        if child.type == "case_pattern":
            matched = _pattern(uses, child, scope)
            if subject is not None and block is not None and matched is not UNKNOWN:
                span = uses.source.span(block)
                uses.narrowings.append(Narrowing(uses.source.of(subject), span, NarrowingKind.TYPE, matched))
        elif child.type == "block":
            uses.visit_children(child, scope)
        else:
            uses.visit(child, scope)


def _pattern(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Bind the captures of a pattern, and return the type that it requires; UNKNOWN if none."""
    if node.type == "dotted_name":
        return _pattern_name(uses, node, scope)
    if node.type == "class_pattern":
        meaning = _dotted(uses, node.named_children[0], scope)
        for child in node.named_children[1:]:
            _pattern(uses, child, scope)
        return meaning
    if node.type == "keyword_pattern":
        for child in node.named_children[1:]:
            _pattern(uses, child, scope)
        return UNKNOWN
    if node.type == "as_pattern":
        meaning = _pattern(uses, node.named_children[0], scope)
        bind_target(uses, node.named_children[-1], scope, UNKNOWN, meaning)
        return meaning
    if node.type == "splat_pattern":
        for child in node.named_children:
            bind_target(uses, child, scope, UNKNOWN)
        return UNKNOWN
    parts = [_pattern(uses, child, scope) for child in node.named_children]
    return parts[0] if node.type == "case_pattern" and len(parts) == 1 else UNKNOWN


def _pattern_name(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read a lone name, which captures, or a dotted one, a value to compare with."""
    if node.named_child_count == 1:
        name = node.named_children[0]
        if uses.source.of(name) != "_":
            bind_target(uses, name, scope, UNKNOWN)
    else:
        _dotted(uses, node, scope)
    return UNKNOWN


def _dotted(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Use a dotted name."""
    first, *others = node.named_children
    meaning = name_use(uses, first, scope, READ)
    for part in others:
        uses.add_reference(part, scope, READ, meaning)
        meaning = member_of(meaning, uses.source.of(part))
    return meaning


def boolean_operator(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a or b`, which may be either, or `a and b`, whose type is that of `b`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    first = uses.visit(left, scope)
    second = uses.visit(right, scope)
    if operator_of(node) == "and":
        if left is not None and right is not None:
            _narrow(uses, left, uses.source.span(right))
        return second
    return union_of((first, second))


def conditional_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a if c else b`, which may be either."""
    parts = [uses.visit(child, scope) for child in code_children(node)]
    return union_of((parts[0], parts[-1])) if len(parts) == 3 else UNKNOWN
