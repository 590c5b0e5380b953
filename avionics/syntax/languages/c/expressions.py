"""Expressions of C and C++: the names they use, and the types of their values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import tagged
from avionics.syntax.engine.common_rules import unroll
from avionics.syntax.engine.expressions import call_of, member_of, pointed_to_by, subscripted, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import field_of
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder, UsesRule
from avionics.syntax.languages.c.types import type_scope

_NUMBER = Expression(ExpressionKind.LITERAL, "int")
_TAG_WORDS = (b" struct", b" union", b" enum")
_NO_NAMES = frozenset({"struct", "union", "enum", "const", "volatile", "__func__", "__FUNCTION__", "defined"})


def name_use(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a bare name, except keywords that remain of code that the grammar cannot read."""
    text = uses.source.of(node)
    if text in _NO_NAMES or not text:
        return UNKNOWN
    return uses.name(uses.add_reference(node, scope, role))


def transparent(field: str) -> UsesRule:
    """Make a rule for an operator whose value has the members of its operand: `*p`, `&x`, `p[i]`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        value = UNKNOWN
        operand = node.child_by_field_name(field)
        for child in node.named_children:
            if child == operand:
                value = uses.visit(child, scope)
            else:
                uses.visit(child, scope)
        return value

    return rule


def member(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `value.name` or `pointer->name`, walking down its left side without recursion."""
    return member_use(uses, node, scope, role, None)


def member_use(
    uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind, arguments: tuple[Expression, ...] | None
) -> Expression:
    """Use a member, with the arguments it is called with."""
    chain = [node]
    while (owner := chain[-1].child_by_field_name("argument")) is not None and owner.type == "field_expression":
        chain.append(owner)
    value = uses.visit(owner, scope)
    for part in reversed(chain):
        name = part.child_by_field_name("field")
        if name is None:
            return UNKNOWN
        plain, given = plain_member(uses, name, scope)
        is_last = part is node
        if uses.spec.overloads and uses.source.of(part.child_by_field_name("operator") or name) == "->":
            value = pointed_to_by(value)
        text = uses.add_reference(
            plain, scope, role if is_last else READ, value, arguments=arguments if is_last else None
        )
        value = member_of(value, text)
        value = subscripted(value, *given) if given else value
    return value


def plain_member(uses: UsesBuilder, name: Node, scope: int) -> tuple[Node, tuple[Expression, ...]]:
    """Return the bare name of a member that may be qualified, and the template arguments that it is given."""
    given: tuple[Expression, ...] = ()
    for _ in range(8):
        inner = name.child_by_field_name("name")
        if name.type == "dependent_name" and name.named_child_count:
            inner = name.named_children[-1]
        if inner is None:
            break
        for child in name.named_children:
            if child.type == "template_argument_list":
                given = tuple(uses.visit(each, scope, ANNOTATE) for each in child.named_children)
            elif child != inner:
                uses.visit(child, scope)
        name = inner
    plain = name.named_children[0] if name.type == "destructor_name" and name.named_child_count else name
    return plain, given


def call_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call of a function, of a macro, or through a pointer."""
    function, arguments = uses.require(node, scope, "function", "arguments")
    held = _given_type(arguments) if arguments.has_error else None
    if held is not None:
        uses.add_reference(function, scope, CALL)
        return _held_in(uses, arguments, held, scope)
    given = tuple(_iter_given(uses, arguments, scope))
    callee = called(uses, function, scope, given)
    return call_of(callee, *given)


def _iter_given(uses: UsesBuilder, arguments: Node, scope: int) -> Iterator[Expression]:
    """Yield the arguments of a call; a macro may be given a type by its tag: `CHECK(kind, enum color, "%d")`."""
    before = b""
    for child in arguments.named_children:
        tag = child.named_children[0] if child.is_error and child.named_child_count == 1 else child
        if before.endswith(_TAG_WORDS) and tag.type == "identifier":
            text = uses.source.of(tag)
            sought = tagged(text) if uses.spec.name == "c" else text
            yield uses.name(uses.add_reference(tag, type_scope(uses, scope, sought), ANNOTATE, sought_as=sought))
        elif not child.is_extra:
            yield uses.visit(child, scope)
        # An error may have the comma as well.
        before = b" " + (child.text or b"").lstrip(b", \t\r\n") if arguments.has_error else b""


def _given_type(arguments: Node) -> Node | None:
    """Return the tag of the type among a macro's arguments: `container_of(pointer, struct T, member)`."""
    words = [
        leaf for child in arguments.named_children for leaf in (child.named_children if child.is_error else (child,))
    ]
    for word, tag in pairwise(words):
        is_tag = word.type == tag.type == "identifier" and word.text in {b"struct", b"union"}
        if is_tag and word is not words[0]:
            return tag
    return None


def _held_in(uses: UsesBuilder, arguments: Node, tag: Node, scope: int) -> Expression:
    """Read a macro that takes a value, a type and a member of the type, and returns an object of the type."""
    sought = tagged(uses.source.of(tag)) if uses.spec.name == "c" else uses.source.of(tag)
    where = type_scope(uses, scope, sought)
    typed = Expression(
        ExpressionKind.TYPED, "", (uses.name(uses.add_reference(tag, where, ANNOTATE, sought_as=sought)),)
    )
    for child in arguments.named_children:
        if child.start_byte > tag.end_byte and child.type == "identifier":
            uses.add_reference(child, scope, READ, typed)
        elif child.start_byte > tag.end_byte and child.type == "field_expression":
            _member_of(uses, child, scope, typed)
        elif not child.is_error and not child.is_extra and child != tag:
            uses.visit(child, scope)
    return typed


def _member_of(uses: UsesBuilder, node: Node, scope: int, owner: Expression) -> Expression:
    """Use the members of a type in `member.inner`."""
    outer, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
    if outer is not None and outer.type == "field_expression":
        owner = _member_of(uses, outer, scope, owner)
    elif outer is not None and outer.type == "identifier":
        owner = uses.member(outer, scope, READ, owner)
    if name is None or name.type != "field_identifier":
        return UNKNOWN
    return uses.member(name, scope, READ, owner)


def called(uses: UsesBuilder, function: Node, scope: int, given: tuple[Expression, ...]) -> Expression:
    """Use a callee with these arguments, and return it."""
    arguments = given if uses.spec.overloads else None
    if function.type == "identifier":
        return uses.name(uses.add_reference(function, scope, CALL, arguments=arguments))
    if function.type == "field_expression":
        return member_use(uses, function, scope, CALL, arguments)
    callee = uses.visit(function, scope, CALL)
    if arguments is not None and function.type == "template_function":
        uses.pass_arguments(callee, arguments)
    return callee


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a = b` or a compound assignment."""
    right = node.child_by_field_name("right")
    value = uses.visit_field(node, "left", scope, WRITE)
    if right is not None and right.type == "initializer_list":
        initializer(uses, right, scope, value)
    else:
        uses.visit(right, scope)
    return value


def binary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of operators; `p + n` has the members of `p`."""
    left, operations = unroll(node)
    value = uses.visit(left, scope)
    for operation in operations:
        operator = operation.child_by_field_name("operator")
        other = uses.visit_field(operation, "right", scope)
        if operator is None or operator.type not in {"+", "-"}:
            value = _NUMBER
        elif value.kind is ExpressionKind.LITERAL:
            value = other
    return value


def conditional(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a ? b : c`, which may be either."""
    uses.visit_field(node, "condition", scope)
    parts = [uses.visit_field(node, field, scope) for field in ("consequence", "alternative")]
    known = tuple(part for part in parts if part.kind is not ExpressionKind.LITERAL and part.name != "NULL")
    return union_of(known) if len(known) > 1 else known[0] if known else UNKNOWN


def compound_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `(T){.a = 1}`, which is a `T`."""
    written, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    of = uses.visit(written, scope, ANNOTATE)
    whole = typed(of)
    declarator = field_of(written, "declarator")
    is_array = declarator is not None and "array" in declarator.type
    if value is not None:
        initializer(uses, value, scope, whole, 1 if is_array else 0)
    return whole


def initializer(uses: UsesBuilder, node: Node, scope: int, of: Expression, arrays: int = 0) -> None:
    """Visit `{.a = 1, [2] = {…}, …}`, whose designators are members of the initialized value."""
    inner = of if arrays else UNKNOWN
    for part in node.named_children:
        if part.type == "initializer_list":
            initializer(uses, part, scope, inner, max(0, arrays - 1))
        elif part.type == "initializer_pair":
            _designated(uses, part, scope, of, arrays)
        else:
            uses.visit(part, scope)


def _designated(uses: UsesBuilder, node: Node, scope: int, of: Expression, arrays: int) -> None:
    """Visit `.a.b[2] = value`."""
    target = of
    for designator in node.children_by_field_name("designator"):
        if designator.type == "field_designator" and designator.named_child_count:
            text = uses.add_reference(designator.named_children[0], scope, WRITE, target)
            target = member_of(target, text) if target is not UNKNOWN else UNKNOWN
        else:
            arrays = max(0, arrays - 1)
            uses.visit_children(designator, scope)
    value = node.child_by_field_name("value")
    if value is not None and value.type == "initializer_list":
        initializer(uses, value, scope, target, arrays)
    else:
        uses.visit(value, scope)


def initializer_list(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a list of values for an object whose type is not named."""
    initializer(uses, node, scope, UNKNOWN)


def offsetof(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `offsetof(T, member)`."""
    name = node.child_by_field_name("member")
    of = uses.visit_field(node, "type", scope, ANNOTATE)
    broken = any(child.is_error for child in node.children)
    if name is not None:
        uses.add_reference(name, scope, READ, UNKNOWN if broken else Expression(ExpressionKind.TYPED, "", (of,)))
    return _NUMBER
