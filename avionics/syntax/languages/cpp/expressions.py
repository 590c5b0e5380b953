"""Expressions and types of C++ beyond C: qualified names, templates, lambdas, `new`, casts."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import OUTERMOST, UNKNOWN, Expression
from avionics.syntax.engine.expressions import (
    call_of,
    item_of,
    member_of,
    pointed_to_by,
    subscripted,
    typed,
)
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, code_children, operator_of, require_field
from avionics.syntax.engine.uses import ANNOTATE, CALL, INHERIT, UsesBuilder
from avionics.syntax.languages.c.definitions import bind_parameters
from avionics.syntax.languages.c.expressions import call_expression as call_in_c

_CASTS = frozenset({"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"})
_MAKERS = {
    "make_unique": "unique_ptr", "make_shared": "shared_ptr", "allocate_shared": "shared_ptr",
    "static_pointer_cast": "shared_ptr", "dynamic_pointer_cast": "shared_ptr", "const_pointer_cast": "shared_ptr",
    "make_optional": "optional",
}  # fmt: skip
_GETTERS = frozenset({"get", "get_if", "any_cast"})
"""Functions of `std` that take a member of a tuple by its position, or a value by its type."""
_SAME = frozenset(
    {
        "remove_reference_t", "remove_const_t", "remove_volatile_t", "remove_cv_t", "remove_cvref_t", "remove_extent_t",
        "remove_all_extents_t", "remove_pointer_t", "decay_t", "type_identity_t", "add_const_t", "add_pointer_t",
        "add_lvalue_reference_t", "add_rvalue_reference_t", "unwrap_reference_t",
    }
)  # fmt: skip
"""Templates of `std` whose result has the members of their argument."""
MORE = Expression(ExpressionKind.KEYWORD, "**", (UNKNOWN,))
"""What `values...` passes: any number of arguments."""
_STD = Expression(ExpressionKind.NAME, "std", index=0)
_NAMES = frozenset({"identifier", "type_identifier", "field_identifier", "namespace_identifier", "operator_name"})


def qualified(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a::b::c`; with a leading `::` it is looked up in the file."""
    return qualified_use(uses, node, scope, role, None)


def qualified_use(
    uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind, arguments: tuple[Expression, ...] | None
) -> Expression:
    """Use a qualified name, with the arguments it is called with."""
    outer, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    value = _visit_first_part(uses, outer, scope)
    for _ in range(30):
        if name is None or name.type != "qualified_identifier":
            break
        part, name = name.child_by_field_name("scope"), name.child_by_field_name("name")
        value = _use_within(uses, part, scope, ANNOTATE, value, None) if part is not None else value
    return _use_within(uses, name, scope, role, value, arguments) if name is not None else UNKNOWN


def _visit_first_part(uses: UsesBuilder, outer: Node | None, scope: int) -> Expression | None:
    """Return the value of the first part of a qualified name, None for the whole file (`::name`)."""
    if outer is None:
        return None
    if outer.type == "namespace_identifier":
        return Expression(ExpressionKind.NAME, uses.add_reference(outer, scope, ANNOTATE), index=0)
    return uses.visit(outer, scope, ANNOTATE)


def _use_within(
    uses: UsesBuilder,
    name: Node,
    scope: int,
    role: ReferenceKind,
    value: Expression | None,
    arguments: tuple[Expression, ...] | None,
) -> Expression:
    """Use a name within the value of the parts before it, None for the whole file."""
    if name.type == "dependent_name" and name.named_child_count:
        name = name.named_children[0]
    plain = name.child_by_field_name("name") if name.type.startswith("template_") else name
    if plain is None or plain.type not in _NAMES:
        uses.visit_children(name, scope)
        return UNKNOWN
    text = uses.add_reference(plain, 0 if value is None else scope, role, value, arguments=arguments)
    found = Expression(ExpressionKind.NAME, text, index=OUTERMOST) if value is None else member_of(value, text)
    if plain is name:
        return found
    type_arguments = template_arguments(uses, name, scope)
    if value is not None and (value.kind, value.name) == (ExpressionKind.NAME, _STD.name) and text in _SAME:
        return type_arguments[0] if type_arguments else UNKNOWN
    return subscripted(found, *type_arguments)


def template_arguments(uses: UsesBuilder, node: Node, scope: int) -> tuple[Expression, ...]:
    """Visit the arguments of a template, and return their values."""
    listed = node.child_by_field_name("arguments")
    return tuple(uses.visit(child, scope, ANNOTATE) for child in listed.named_children) if listed is not None else ()


def template_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a type with arguments."""
    name = require_field(node, "name")
    owner = uses.visit(name, scope, role if role in {INHERIT, CALL} else ANNOTATE)
    return subscripted(owner, *template_arguments(uses, node, scope))


def template_function(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a function with template arguments."""
    given = template_arguments(uses, node, scope)
    found = uses.visit_field(node, "name", scope, role)
    return subscripted(found, *given) if found is not UNKNOWN else found


def call_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call; casts and `make_unique<T>(…)` name the type of their value."""
    function, arguments = uses.require(node, scope, "function", "arguments")
    last = function.child_by_field_name("name") if function.type == "qualified_identifier" else function
    name = last.child_by_field_name("name") if last is not None and last.type == "template_function" else None
    text = uses.source.of(name)
    if last is not None and (text in _CASTS or text in _MAKERS):
        type_arguments = template_arguments(uses, last, scope)
        outer = _visit_first_part(uses, function.child_by_field_name("scope"), scope) if function is not last else None
        if text in _MAKERS and name is not None:
            uses.add_reference(name, scope, CALL, outer)
        uses.visit_children(arguments, scope)
        if text in _MAKERS and type_arguments:
            pointer = member_of(_STD, _MAKERS[text])
            type_arguments = (subscripted(pointer, type_arguments[0]),)
        return Expression(ExpressionKind.TYPED, "", type_arguments[:1]) if type_arguments else UNKNOWN
    if function.type == "qualified_identifier":
        parts = tuple(uses.visit(child, scope) for child in code_children(arguments))
        callee = qualified_use(uses, function, scope, CALL, parts)
        if text in _GETTERS and last is not None and callee.parts[:1] == (member_of(_STD, text),):
            return _get_taken(uses, last, callee, parts)
        return call_of(callee, *parts)
    return call_in_c(uses, node, scope, role)


def _get_taken(uses: UsesBuilder, function: Node, callee: Expression, given: tuple[Expression, ...]) -> Expression:
    """Return the member of a value that `std::get<1>(value)` or `std::get<T>(value)` returns."""
    written = next((uses.source.of(child) for child in children_of(function, "arguments")), "")
    if not written.isdigit():
        return Expression(ExpressionKind.TYPED, "", callee.parts[1:2])
    return item_of(given[0], int(written)) if given else UNKNOWN


def new_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `new T(…)`, which calls the constructor of `T`."""
    written, arguments = node.child_by_field_name("type"), node.child_by_field_name("arguments")
    given = tuple(uses.visit(part, scope) for part in arguments.named_children) if arguments is not None else ()
    of = construct(uses, written, scope, given) if written is not None else UNKNOWN
    for field in ("placement", "declarator"):
        uses.visit_body(node, scope, field)
    return call_of(of, *given) if of is not UNKNOWN else UNKNOWN


def construct(uses: UsesBuilder, written: Node, scope: int, given: tuple[Expression, ...]) -> Expression:
    """Use the type that an object is constructed of with these arguments, and return it."""
    if written.type == "type_identifier":
        return uses.name(uses.add_reference(written, scope, CALL, arguments=given))
    if written.type == "qualified_identifier":
        return qualified_use(uses, written, scope, CALL, given)
    return uses.visit(written, scope, CALL)


def pointer(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `*value` or `&value`."""
    value = uses.visit_field(node, "argument", scope)
    return pointed_to_by(value) if operator_of(node) == "*" else value


def subscript(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `value[index]`."""
    value = uses.visit_field(node, "argument", scope)
    index = node.child_by_field_name("indices") or node.child_by_field_name("index")
    uses.visit(index, scope)
    return subscripted(value, Expression(ExpressionKind.LITERAL, "int"))


def lambda_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a lambda; a captured name is used in the scope around it and bound within it."""
    inner = uses.open(ScopeKind.FUNCTION, scope, uses.source.span(node))
    declarator = node.child_by_field_name("declarator")
    for capture in children_of(node, "captures"):
        if capture.type == "lambda_capture_initializer":
            name = capture.child_by_field_name("left")
            captured_value = uses.visit_field(capture, "right", scope)
            uses.bind(name, inner, BindingKind.ASSIGNMENT, within=scope, value=captured_value)
        else:
            uses.visit(capture, scope)
    result = UNKNOWN
    if declarator is not None:
        bind_parameters(uses, declarator, inner)
        for child in declarator.named_children:
            if child.type == "trailing_return_type" and child.named_child_count:
                result = uses.visit(child.named_children[0], inner, ANNOTATE)
    uses.visit_body(node, inner)
    return Expression(ExpressionKind.FUNCTION, "", (typed(result),))
