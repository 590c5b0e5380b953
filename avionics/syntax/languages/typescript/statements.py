"""Control flow: blocks, loops, `catch`, `return`, and narrowing by conditions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from avionics.model.enums import ExpressionKind, NarrowingKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, Narrowing, Span, replace
from avionics.syntax.engine import common_rules
from avionics.syntax.engine.expressions import member_of, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, iter_around, operator_of
from avionics.syntax.engine.uses import ANNOTATE, READ, WRITE, UsesBuilder
from avionics.syntax.languages.typescript.definitions import give, is_async
from avionics.syntax.languages.typescript.names import bind_pattern, holder_of_variables, taken
from avionics.syntax.languages.typescript.node_predicates import unwrap
from avionics.syntax.languages.typescript.types import STRING

_LEXICAL = frozenset(
    {
        "lexical_declaration", "class_declaration", "abstract_class_declaration", "function_declaration",
        "generator_function_declaration", "enum_declaration", "interface_declaration", "type_alias_declaration",
    }
)  # fmt: skip
_EXITS = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})
_FUNCTIONS = frozenset(
    {
        "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
        "arrow_function", "method_definition",
    }
)  # fmt: skip


def block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit `{ … }`, which has a scope if it declares names."""
    if any(child.type in _LEXICAL for child in node.named_children):
        scope = uses.open_block(node, scope)
    uses.visit_children(node, scope)


def for_in_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `for (const x of xs) …` or `for (const key in object) …`."""
    left = node.child_by_field_name("left")
    kind, iterated = node.child_by_field_name("kind"), uses.visit_field(node, "right", scope)
    value = taken(ExpressionKind.ELEMENT, iterated) if operator_of(node) == "of" else typed(STRING)
    inner = uses.open_block(node, scope)
    if left is not None and kind is not None:
        holder = holder_of_variables(uses, scope) if kind.type == "var" else inner
        bind_pattern(uses, left, holder, inner, value)
    else:
        uses.visit(left, inner, WRITE)
    uses.visit_field(node, "body", inner)


def catch_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `catch (e) { … }`."""
    inner = uses.open_block(node, scope)
    parameter = node.child_by_field_name("parameter")
    if parameter is not None:
        annotation = uses.visit_field(node, "type", inner, ANNOTATE)
        bind_pattern(uses, parameter, inner, inner, UNKNOWN, annotation)
    uses.visit_body(node, inner)


def return_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `return x`."""
    function = uses.function_of(scope)
    for child in node.named_children:
        if not child.is_extra:
            value = uses.visit(child, scope, READ, uses.returning.get(function, UNKNOWN))
            if function >= 0:
                give(uses, function, value, _is_in_async(node))


def _is_in_async(node: Node) -> bool:
    around = next((each for each in iter_around(node) if each.type in _FUNCTIONS), None)
    return around is not None and is_async(around)


def if_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read an `if`: its condition narrows types in its block, and its negation those in the other branch."""
    condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is not None and then is not None:
        other, rest = node.child_by_field_name("alternative"), _span_of_rest(uses, node)
        is_one_line = other is not None and uses.source.span(other).end_line == uses.source.span(then).start_line
        on_line = uses.source.of(other) if other is not None and is_one_line else ""
        narrow(uses, condition, uses.source.span(then), unless_in=on_line)
        if other is not None and not is_one_line:
            narrow(uses, condition, uses.source.span(other), holds=False, is_after=True)
        elif other is None and rest is not None and _always_exits(then):
            narrow(uses, condition, rest, holds=False, is_after=True)
    uses.visit_children(node, scope)


def _span_of_rest(uses: UsesBuilder, node: Node) -> Span | None:
    if node.parent is None:
        return None
    end, last = uses.source.span(node).end_line, uses.source.span(node.parent).end_line
    return Span(end + 1, last) if last > end else None


def _always_exits(node: Node) -> bool:
    last = node
    if node.type == "statement_block":
        last = node.named_children[-1] if node.named_child_count else node
    return last.type in _EXITS


def switch_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `switch (x.kind) { case 'a': … }`, in which each case narrows the member."""
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    subject = _read_member(uses, unwrap(value)) if value is not None else None
    values: list[Expression] = []
    for case in body.named_children if body is not None and subject is not None else ():
        case_value = case.child_by_field_name("value")
        values.append(plain_value(uses, case_value) if case_value is not None else UNKNOWN)
        if case.child_by_field_name("body") is None:
            continue
        if UNKNOWN not in values and subject is not None:
            owner, name = subject
            found = Narrowing(owner, uses.source.span(case), NarrowingKind.MEMBER_IS, union_of(values), name)
            uses.narrowings.append(found)
        statements = case.children_by_field_name("body")
        values = [] if _always_exits(statements[-1]) else values
    uses.visit_children(node, scope)


def narrow(
    uses: UsesBuilder, condition: Node, span: Span, *, holds: bool = True, unless_in: str = "", is_after: bool = False
) -> None:
    """Add the narrowings for lines in which a condition holds, or does not; not for names that `unless_in` contains."""
    found = _narrowings(uses, condition, span, holds)
    kept = (each for each in found if each.name not in unless_in)
    uses.narrowings.extend(replace(each, is_after=True) if is_after else each for each in kept)


_MAX_DEPTH = 8
"""Conditions nested deeper add no narrowing, because they are generated."""


def _narrowings(uses: UsesBuilder, condition: Node, span: Span, holds: bool, depth: int = 0) -> list[Narrowing]:
    """Return the narrowings for lines where a condition holds, or does not."""
    condition = unwrap(condition)
    if depth > _MAX_DEPTH:
        return []
    sign, argument = operator_of(condition), condition.child_by_field_name("argument")
    if condition.type == "unary_expression" and sign == "!" and argument is not None:
        return _narrowings(uses, argument, span, not holds, depth + 1)
    if condition.type == "call_expression":
        return _narrow_by_call(uses, condition, span) if holds else []
    if condition.type == "member_expression":
        return _narrow_by_value(uses, condition, _FALSE if holds else _TRUE, span, is_equal=False)
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    if condition.type != "binary_expression" or left is None or right is None:
        return []
    if sign in {"&&", "||"}:
        first, second = (_narrowings(uses, part, span, holds, depth + 1) for part in (left, right))
        return first + second if (sign == "&&") is holds else _join_alternatives(first, second)
    if sign == "instanceof" and holds:
        # Every object is an `Object`, whatever members it has.
        plain = plain_value(uses, right) if uses.source.of(right) != "Object" else UNKNOWN
        return [Narrowing(uses.source.of(left), span, NarrowingKind.TYPE, plain)] if plain is not UNKNOWN else []
    if sign == "in" and holds and left.type == "string" and left.named_child_count == 1:
        member = uses.source.of(left.named_children[0])
        return [Narrowing(uses.source.of(right), span, NarrowingKind.HAS_MEMBER, UNKNOWN, member)]
    if sign in _EQUAL:
        return _narrow_by_value(uses, left, plain_value(uses, right), span, holds is (sign in {"===", "=="}))
    return []


def _narrow_by_call(uses: UsesBuilder, condition: Node, span: Span) -> list[Narrowing]:
    """Return the narrowing by `isCat(x)`, whose function may be a guard (`x is Cat`)."""
    function, arguments = condition.child_by_field_name("function"), condition.child_by_field_name("arguments")
    first = next(iter(code_children(arguments)), None)
    if function is None or first is None or plain_value(uses, first).kind not in _NAMED:
        return []
    callee = plain_value(uses, function)
    is_named = callee.kind in _NAMED
    return [Narrowing(uses.source.of(first), span, NarrowingKind.GUARD, callee)] if is_named else []


_NAMED = frozenset({ExpressionKind.NAME, ExpressionKind.ATTRIBUTE})
_EQUAL = frozenset({"===", "==", "!==", "!="})
_TRUE, _FALSE = (Expression(ExpressionKind.LITERAL, name) for name in ("true", "false"))


def _narrow_by_value(uses: UsesBuilder, left: Node, value: Expression, span: Span, is_equal: bool) -> list[Narrowing]:
    """Return the narrowing of `x` by `x.kind === 'a'`."""
    member = _read_member(uses, left) if value is not UNKNOWN else None
    if member is None:
        return []
    kind = NarrowingKind.MEMBER_IS if is_equal else NarrowingKind.MEMBER_IS_NOT
    owner, name = member
    return [Narrowing(owner.replace("!", ""), span, kind, value, name)]


_MAX_SEARCHED, _MAX_BLOCKS = 40, 12
"""The statements of a block, and the blocks around, in which the constant with the value of a member is looked for."""


def _read_member(uses: UsesBuilder, value: Node) -> tuple[str, str] | None:
    """Return the object and the name of a member that a value is; a constant has the member that it was set to.

    `const kind = x.kind` and `const {kind} = x` tell the alternatives of `x` apart as `x.kind` does.
    """
    if value.type == "identifier":
        name = uses.source.of(value)
        declared = next((d for d in _iter_constants(value) if name in uses.source.of(d).partition("=")[0]), None)
        return _read_constant(uses, declared, name) if declared is not None else None
    owner, member = value.child_by_field_name("object"), value.child_by_field_name("property")
    if value.type != "member_expression" or owner is None or member is None:
        return None
    return uses.source.of(owner), uses.source.of(member)


def _read_constant(uses: UsesBuilder, declared: Node, name: str) -> tuple[str, str] | None:
    """Return the object and the member that the declaration of a constant takes its value from; None if it does not."""
    target, value = declared.child_by_field_name("name"), declared.child_by_field_name("value")
    if target is None or value is None:
        return None
    value = unwrap(value)
    if target.type == "identifier":
        is_member = uses.source.of(target) == name and value.type == "member_expression"
        return _read_member(uses, value) if is_member else None
    taken_names = (each for each in target.named_children if each.type == "shorthand_property_identifier_pattern")
    is_taken = target.type == "object_pattern" and any(uses.source.of(each) == name for each in taken_names)
    return (uses.source.of(value), name) if is_taken and value.type == "identifier" else None


def _iter_constants(node: Node) -> Iterator[Node]:
    """Yield the declarations of constants before a node in the function around it, nearest first."""
    for below in islice((node, *iter_around(node)), _MAX_BLOCKS):
        before = below.prev_named_sibling
        for _ in range(_MAX_SEARCHED):
            if before is None:
                break
            kind = before.child_by_field_name("kind")
            if kind is not None and kind.type == "const":
                yield from before.named_children
            before = before.prev_named_sibling
        if below.type in _FUNCTIONS:
            return


_EITHER = frozenset({NarrowingKind.TYPE, NarrowingKind.MEMBER_IS})
"""Kinds of narrowings that two alternative conditions can have in common."""


def _join_alternatives(first: list[Narrowing], second: list[Narrowing]) -> list[Narrowing]:
    """Return the narrowings for lines where one of two conditions holds: those of a name that both narrow alike."""
    return [
        replace(left, type=union_of((left.type, right.type)))
        for left in first
        for right in second
        if left.kind in _EITHER and (left.name, left.kind, left.member) == (right.name, right.kind, right.member)
    ]


def plain_value(uses: UsesBuilder, node: Node) -> Expression:
    """Return a dotted name, a text or a truth value as an expression, without using its names."""
    if node.type == "identifier":
        return uses.name(uses.source.of(node))
    if node.type == "string" and node.named_child_count == 1:
        return Expression(ExpressionKind.LITERAL, uses.source.of(node.named_children[0]))
    if node.type in {"true", "false"}:
        return Expression(ExpressionKind.LITERAL, node.type)
    if node.type == "member_expression":
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if owner is not None and name is not None:
            return member_of(plain_value(uses, owner), uses.source.of(name))
    return UNKNOWN


FLOW = {
    **dict.fromkeys(("statement_block", "switch_body"), block),
    "for_statement": common_rules.block,
    "for_in_statement": for_in_statement,
    "catch_clause": catch_clause,
    "return_statement": return_statement,
    "if_statement": if_statement,
    "switch_statement": switch_statement,
}
