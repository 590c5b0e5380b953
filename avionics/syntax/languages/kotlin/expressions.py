"""Kotlin expressions: calls, members, casts, conditions, imports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.model.enums import BindingKind, ExpressionKind, NarrowingKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression, Narrowing
from avionics.syntax.engine.common_rules import unroll
from avionics.syntax.engine.expressions import (
    NOTHING,
    OWN_OBJECT,
    SUPER,
    bare_name,
    call_of,
    element_of,
    expect,
    member_of,
    typed,
    union_of,
)
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, code_children, operator_of
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.kotlin.definitions import OWN_NAME, bind_several
from avionics.syntax.languages.kotlin.types import TYPES, name_argument, read_argument

_TEXT = typed(bare_name("String"))
_TRUTH = Expression(ExpressionKind.LITERAL, "Boolean")
_TRUTHS = frozenset({"==", "!=", "===", "!==", "<", ">", "<=", ">=", "&&", "||"})
_BEHIND = frozenset({"navigation_expression", "call_expression", "index_expression"})
_ON_RECEIVER = frozenset({"apply", "run"})
"""Functions of every object in whose lambda members of the receiver are in scope."""
_MORE = Expression(ExpressionKind.KEYWORD, "**", (UNKNOWN,))
"""Stands for an argument whose parameter is not named."""
_WORD = re.compile(r"[A-Za-z_]\w*")


def identifier(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a bare name."""
    text = uses.source.of(node)
    if text == "null":
        return NOTHING
    if text in {"true", "false"}:
        return _TRUTH
    return uses.name(uses.add_reference(node, scope, role))


def navigation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `object.member`, `object?.member` or `Type::member`."""
    *before, name = node.named_children
    if not before or name.type != "identifier":
        uses.visit_children(node, scope)
        return UNKNOWN
    receiver = uses.visit(before[0], scope)
    if any(child.type == "::" for child in node.children) and uses.source.of(name) == "class":
        return UNKNOWN
    return uses.member(name, scope, role, receiver)


def call(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call, which may have a lambda after its brackets.

    The grammar reads `f(a) { }` as a call of `f(a)`.
    """
    function, *rest = node.named_children
    if function.type == "call_expression" and rest and rest[0].type == "annotated_lambda":
        inner = function.named_children
        if inner[-1].type == "value_arguments":
            function, rest = inner[0], [*inner[1:], *rest]
    callee = uses.visit(function, scope, CALL)
    position, parts, named = 0, [], []
    for child in rest:
        if child.type == "value_arguments":
            for entry in child.named_children:
                if entry.type != "value_argument":
                    continue
                name, value = read_argument(entry)
                if value is None:
                    continue
                argument = uses.source.of(name) if name is not None else position
                passed = uses.visit(value, scope, READ, expect(callee, argument))
                if name is None:
                    parts.append(passed)
                    position += 1
                else:
                    name_argument(uses, name, scope, callee)
                    named.append(Expression(ExpressionKind.KEYWORD, uses.source.of(name), (passed,)))
        elif child.type == "annotated_lambda":
            last = _trailing(uses, child, scope, callee, parts, position)
            # Behind named arguments, the lambda is for the last parameter.
            parts, named = (parts, [*named, _MORE]) if named else ([*parts, last], named)
        else:
            uses.visit(child, scope)
    if function.type in {"identifier", "navigation_expression", "unary_expression"} and callee.name:
        uses.pass_arguments(callee, (*parts, *named))
    return call_of(callee, *parts, *named)


def _trailing(
    uses: UsesBuilder, node: Node, scope: int, callee: Expression, parts: list[Expression], position: int
) -> Expression:
    """Read the lambda after the brackets; in `x.apply { }` and `with(x) { }` members of `x` need no receiver."""
    literal = child_of(node, "lambda_literal")
    if literal is None:
        uses.visit_children(node, scope)
        return UNKNOWN
    lambda_receiver = UNKNOWN
    if callee.kind is ExpressionKind.ATTRIBUTE and callee.name in _ON_RECEIVER:
        lambda_receiver = callee.parts[0]
    elif callee.name == "with" and callee.kind is ExpressionKind.NAME and len(parts) == 1:
        lambda_receiver = parts[0]
    if lambda_receiver is UNKNOWN:
        return uses.visit(literal, scope, READ, expect(callee, position))
    return uses.visit(literal, _open_for(uses, lambda_receiver, literal, scope), READ, expect(callee, position))


def this_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `this` or `this@Outer`."""
    label = child_of(node, "identifier")
    return typed(uses.name(uses.source.of(label))) if label is not None else OWN_OBJECT


def super_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `super` or `super<Base>`."""
    named = child_of(node, *TYPES)
    return typed(uses.visit(named, scope, ANNOTATE)) if named is not None else SUPER


def index(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `value[key]`."""
    parts = tuple(uses.visit(child, scope) for child in node.named_children)
    return Expression(ExpressionKind.SUBSCRIPT, "", parts)


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `target = value`."""
    uses.visit_field(node, "left", scope, WRITE)
    return uses.visit_field(node, "right", scope)


def unary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x!!`, which is `x`, `x++`, which writes it, or `!x`, a boolean.

    The grammar reads `!x.y`, `!x!!.y` and `!f(x)` as members and a call of `!x` and `!f`.
    """
    sign = operator_of(node)
    meaning = uses.visit_field(node, "argument", scope, WRITE if sign in {"++", "--"} else role)
    around = node.parent
    while around is not None and around.type == "unary_expression" and around.start_byte == node.start_byte:
        around = around.parent  # `!x!!.y`
    is_owner = around is not None and around.type in _BEHIND and around.start_byte == node.start_byte
    return _TRUTH if sign == "!" and not is_owner else meaning


def binary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of operators."""
    left, operations = unroll(node)
    operands = [] if left is None else [uses.visit(left, scope)]
    for operation in operations:
        right = operation.child_by_field_name("right")
        if right is not None:
            before = operation.child_by_field_name("left") if operator_of(operation) == "&&" else None
            operands.append(uses.visit(right, _narrow(uses, before, right, scope)))
    sign_text = operator_of(node)
    if sign_text in _TRUTHS:
        return _TRUTH
    return union_of(operands) if sign_text == "?:" else operands[0] if operands else UNKNOWN


def infix(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of calls without dots and brackets: `first to second`."""
    operations = [node]
    while (first := operations[-1].named_children[0]).type == "infix_expression":
        operations.append(first)
    value = uses.visit(first, scope)
    for operation in reversed(operations):
        _, *rest = code_children(operation)
        if len(rest) != 2 or rest[0].type != "identifier":
            value = UNKNOWN
            for each in rest:
                uses.visit(each, scope)
            continue
        callee = uses.member(rest[0], scope, CALL, value)
        passed = uses.visit(rest[1], scope, READ, expect(callee, 0))
        uses.pass_arguments(callee, (passed,))
        value = call_of(callee, passed)
    return value


def conditional(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read an `if`: its condition narrows types in the first branch, and its value is that of either branch."""
    condition = node.child_by_field_name("condition")
    branches = [child for child in node.named_children if child != condition and not child.is_extra]
    if condition is not None:
        uses.visit(condition, scope)
    within = (scope if at else _narrow(uses, condition, branch, scope) for at, branch in enumerate(branches))
    return union_of(_branch(uses, branch, at) for branch, at in zip(branches, within, strict=True))


def _branch(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Visit a branch, and return its value: that of the last expression of a block."""
    if node.type != "block":
        return uses.visit(node, scope)
    inner = uses.open_block(node, scope)
    last = UNKNOWN
    for child in node.named_children:
        if not child.is_extra:
            last = uses.visit(child, inner)
    return last


def _narrow(uses: UsesBuilder, condition: Node | None, branch: Node, scope: int) -> int:
    """Record each `name is Type` that a condition requires of a branch, and return the scope of the branch."""
    for left, right in _iter_tests(uses, condition):
        scope = _narrow_to(uses, uses.source.of(left), _plain(uses, right), branch, scope)
    return scope


def _iter_tests(uses: UsesBuilder, condition: Node | None) -> Iterator[tuple[Node, Node]]:
    """Yield both sides of each `name is Type` that a condition requires."""
    if condition is None:
        return
    is_joined = condition.type == "binary_expression" and operator_of(condition) == "&&"
    if is_joined or condition.type == "parenthesized_expression":
        for part in condition.named_children:
            yield from _iter_tests(uses, part)
    elif condition.type == "is_expression" and all(child.type != "!is" for child in condition.children):
        left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
        if left is not None and right is not None:
            yield left, right


def _narrow_to(uses: UsesBuilder, name: str, tested: Expression, branch: Node, scope: int) -> int:
    """Record the type of a name in a branch, and return the scope of the branch.

    In `if (this is Cart)`, the members of `Cart` need no receiver in the branch, like those of the own class.
    """
    span = uses.source.span(branch)
    if name != OWN_NAME:
        uses.narrowings.append(Narrowing(name, span, NarrowingKind.TYPE, tested))
        return scope
    return _open_for(uses, typed(tested), branch, scope)


def _open_for(uses: UsesBuilder, of: Expression, node: Node, scope: int) -> int:
    """Open a scope in which `this` is another object, whose members need no receiver, and return it."""
    span = uses.source.span(node)
    return uses.open(ScopeKind.BLOCK, uses.open(ScopeKind.CLASS, scope, span, of=of), span, -1, OWN_NAME)


def _plain(uses: UsesBuilder, node: Node) -> Expression:
    """Return a type as an expression without recording uses of its names, which visiting it does."""
    meaning: Expression = UNKNOWN
    for child in node.named_children:
        if child.type == "identifier":
            text = uses.source.of(child)
            meaning = uses.name(text) if meaning is UNKNOWN else member_of(meaning, text)
    return meaning


def when(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a `when`; an arm after `is Type` knows the type of the subject."""
    inner = uses.open_block(node, scope)
    subject, name = child_of(node, "when_subject"), ""
    if subject is not None:
        value = uses.visit(subject.named_children[-1], scope)
        place = child_of(subject, "variable_declaration")
        name = uses.source.of(subject.named_children[-1])
        if place is not None:
            bind_several(uses, place, inner, value)
            name = uses.source.of(place.named_children[0])
    arms: list[Expression] = []
    for entry in node.named_children:
        if entry.type != "when_entry":
            continue
        conditions, within = entry.children_by_field_name("condition"), inner
        for condition in conditions:
            uses.visit(condition, inner)
        only = conditions[0] if len(conditions) == 1 else None
        tested = child_of(only, *TYPES) if only is not None and only.type == "type_test" else None
        if tested is not None and name:
            within = _narrow_to(uses, name, _plain(uses, tested), entry, inner)
        elif subject is None:
            within = _narrow(uses, only, entry, inner)
        arms.extend(_branch(uses, child, within) for child in entry.named_children if child not in conditions)
    return union_of(arms)


def type_test(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x is Type`."""
    for child in node.named_children:
        uses.visit(child, scope, ANNOTATE if child.type in TYPES else READ)
    return _TRUTH


def for_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `for (x in values)`."""
    place, *rest = [child for child in code_children(node) if child.type not in {"annotation", "label"}]
    inner = uses.open_block(node, scope)
    if rest:
        bind_several(uses, place, inner, element_of(uses.visit(rest[0], scope)))
    for body in rest[1:]:
        uses.visit(body, inner)


def catch_block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `catch (e: Type)`."""
    inner = uses.open_block(node, scope)
    name, declared, body = child_of(node, "identifier"), child_of(node, *TYPES), child_of(node, "block")
    annotation = uses.visit(declared, scope, ANNOTATE)
    uses.bind(name, inner, BindingKind.ASSIGNMENT, within=scope, annotation=annotation)
    uses.visit_children(body, inner)


def returned(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `return value` or `return@label value`."""
    label = node.child_by_field_name("label")
    values = [child for child in node.named_children if child != label and not child.is_extra]
    function = uses.function_of(scope)
    for value in values:
        meaning = uses.visit(value, scope)
        if function >= 0 and label is None:
            uses.returns[function].append(meaning)


def string(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a string; `$name` in it uses the name."""
    before = ""
    for child in node.named_children:
        if child.type == "interpolation":
            uses.visit_children(child, scope)
        elif before == "$" and (name := _WORD.match(uses.source.of(child))):
            uses.add_reference(child, scope, READ, sought_as=name[0])
        before = uses.source.of(child) if child.type == "string_content" else ""
    return _TEXT


def import_header(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind an import, and add uses of the imported definition and of the classes around it."""
    path = child_of(node, "qualified_identifier", "identifier")
    star = next((child for child in node.children if child.type == "*"), None)
    parts = path.named_children or [path] if path is not None else []
    if star is not None:
        uses.bind_import(star, scope)
    elif parts:
        place = parts.pop()
        uses.add_reference(place, scope, ReferenceKind.IMPORT, None, uses.bind_import(place, scope))
    around: Expression | None = None
    own = uses.facts.package.split(".")
    for position, part in enumerate(parts):
        text = uses.source.of(part)
        if around is not None and text[:1].isupper():
            # A class of the file's own package may be private to the file, which alone sees it, by its bare name.
            is_own = own == [uses.source.of(each) for each in parts[:position]]
            uses.add_reference(part, scope, ReferenceKind.IMPORT, None if is_own else around)
        around = uses.name(text) if around is None else member_of(around, text)


def labeled(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a statement without its label, which is no reference."""
    for child in node.named_children:
        if child.type not in {"label", "identifier"}:
            uses.visit(child, scope)
