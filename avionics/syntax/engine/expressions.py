"""Short ways to write the expressions that rules of all languages build; `Expression` describes each kind."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from avionics.model.enums import ExpressionKind
from avionics.model.facts import UNKNOWN, Expression, Reference
from avionics.model.naming import as_written

ANYTHING = Expression(ExpressionKind.UNION)
"""A value known only to be present, such as a default."""

OWN_OBJECT, OWN_CLASS, SUPER = map(Expression, (ExpressionKind.SELF, ExpressionKind.OWN_CLASS, ExpressionKind.SUPER))
NOTHING = Expression(ExpressionKind.LITERAL, "None")
ANY_NUMBER = Expression(ExpressionKind.LITERAL, "...")
"""The last argument of a type with any number of elements, such as `...` in `tuple[int, ...]`."""
RESULT = "=>"
"""The name of a KEYWORD argument that the code does not have: its value is the expected type of the call's result."""
WITHOUT, ONLY = "-", "&"
"""Names of an OPERATION on two types: keep the alternatives of the first that are not, or are, among the second."""
SLICE = Expression(ExpressionKind.LITERAL, "slice")
"""The index of a slice, which takes several elements: `values[1:3]`."""


def typed(declared: Expression) -> Expression:
    """Return a value of a declared type, UNKNOWN for an unknown type."""
    if declared.kind is ExpressionKind.TYPEOF:
        return declared.parts[0]
    return Expression(ExpressionKind.TYPED, "", (declared,)) if declared is not UNKNOWN else UNKNOWN


def bare_name(text: str) -> Expression:
    """Return the value that a bare name means."""
    return Expression(ExpressionKind.NAME, text)


def dotted_name(text: str) -> Expression:
    """Return the value that a dotted name means: `a.b.c`."""
    first, *rest = text.split(".")
    return reduce(member_of, rest, bare_name(first))


def value_of(reference: Reference) -> Expression:
    """Return the value that a reference reads."""
    if reference.receiver is None:
        return bare_name(reference.name)
    return member_of(reference.receiver, reference.name)


def member_of(owner: Expression, name: str) -> Expression:
    """Return the member of a value."""
    return Expression(ExpressionKind.ATTRIBUTE, name, (owner,))


def call_of(callee: Expression, *arguments: Expression) -> Expression:
    """Return the expression for the result of a call."""
    return Expression(ExpressionKind.CALL, "", (callee, *arguments))


def subscripted(owner: Expression, *arguments: Expression) -> Expression:
    """Return a value with its index, or a type with its arguments."""
    return Expression(ExpressionKind.SUBSCRIPT, "", (owner, *arguments))


def last_name(expression: Expression) -> str:
    """Return the last name of a type as written: of `a.b.C[T]`, `C`."""
    while expression.kind is ExpressionKind.SUBSCRIPT:
        expression = expression.parts[0]
    return as_written(expression.name)


def dotted(expression: Expression) -> str:
    """Return the text of a dotted name, "" for anything else."""
    if expression.kind is ExpressionKind.NAME:
        return expression.name
    if expression.kind is ExpressionKind.ATTRIBUTE:
        owner = dotted(expression.parts[0])
        return f"{owner}.{expression.name}" if owner else ""
    return ""


def union_of(parts: Iterable[Expression]) -> Expression:
    """Return a value that is one of several."""
    return Expression(ExpressionKind.UNION, "", tuple(parts))


def one_of(parts: Iterable[Expression]) -> Expression:
    """Return the union of the known values; a single one by itself, UNKNOWN if there is none."""
    known = tuple(part for part in parts if part is not UNKNOWN)
    return known[0] if len(known) == 1 else union_of(known) if known else UNKNOWN


def element_of(iterated: Expression) -> Expression:
    """Return an element of an iterated value."""
    return Expression(ExpressionKind.ELEMENT, "", (iterated,))


def pointed_to_by(value: Expression) -> Expression:
    """Return the value of `*value` and `value->`: the target of a smart pointer, or any other value itself."""
    is_plain = value.kind in {ExpressionKind.UNKNOWN, ExpressionKind.SELF, ExpressionKind.LITERAL}
    return value if is_plain else Expression(ExpressionKind.POINTED, "", (value,))


def item_of(unpacked: Expression, position: int) -> Expression:
    """Return the item at a position of an unpacked value."""
    return Expression(ExpressionKind.ITEM, "", (unpacked,), position)


def function_giving(result: Expression, scope: int) -> Expression:
    """Return the expression for a function without a name, which has a result and a scope."""
    return Expression(ExpressionKind.FUNCTION, index=scope, parts=(result,))


def expect(callee: Expression, argument: int | str, given: Iterable[Expression] = ()) -> Expression:
    """Return the expression for the declared type of an argument, by position or name; UNKNOWN for an unknown callee.

    `given` are the arguments of the call, from which the types of a generic callee follow.
    """
    if callee is UNKNOWN:
        return UNKNOWN
    if isinstance(argument, str):
        return Expression(ExpressionKind.EXPECTED, argument, (callee, *given))
    return Expression(ExpressionKind.EXPECTED, parts=(callee, *given), index=argument)
