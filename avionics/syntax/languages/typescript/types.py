"""Types as written."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import GATHERING, UNKNOWN, Expression, Reference
from avionics.syntax.engine.common_rules import constant, last_child, name_use
from avionics.syntax.engine.expressions import (
    NOTHING,
    ONLY,
    OWN_OBJECT,
    WITHOUT,
    bare_name,
    call_of,
    subscripted,
    typed,
    union_of,
)
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import (
    child_of,
    children_of,
    code_children,
    field_of,
    first_child,
    iter_around,
    iter_outermost,
    require_fields,
)
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, READ, UsesBuilder
from avionics.syntax.languages.typescript.names import attribute, taken
from avionics.syntax.languages.typescript.node_predicates import FUNCTIONS

_NAMED = {
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "symbol": "Symbol",
    "bigint": "BigInt",
    "unique symbol": "Symbol",
}
FIRST_TYPE = last_child(ANNOTATE)
"""Reads a node around a type: `: T`, `(T)`, `readonly T`."""

KEYS = "keyof"
"""The name under which `keyof T` is recorded, which reads all keys of `T`."""
_NONE = frozenset({"void", "undefined", "null", "never"})


STRING, NUMBER, BOOLEAN = (bare_name(name) for name in ("String", "Number", "Boolean"))


def generic(name: str, *arguments: Expression) -> Expression:
    """Return a generic type of the standard library."""
    return subscripted(bare_name(name), *arguments)


def type_of(value: Expression) -> Expression:
    """Return the type of a value, for use in a type position."""
    return Expression(ExpressionKind.TYPEOF, "", (value,)) if value is not UNKNOWN else UNKNOWN


def predefined(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a type without a declaration: `string`, `void`."""
    text = uses.source.of(node)
    if text in _NONE:
        return NOTHING
    return bare_name(_NAMED[text]) if text in _NAMED else UNKNOWN


def type_name(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read the name of a type; the grammar treats `bigint` as one, although no program declares it."""
    library = _NAMED.get(uses.source.of(node))
    if library is None:
        return name_use(uses, node, scope, role)
    uses.add_reference(node, scope, role, bare_name(library))
    return bare_name(library)


def literal_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `'a'`, `1`, `null` or `true`, which is a union of one type that has the name of its value."""
    inner = first_child(node)
    kind = inner.type if inner is not None else ""
    if inner is not None and kind == "string" and inner.named_child_count == 1:
        return Expression(ExpressionKind.LITERAL, uses.source.of(inner.named_children[0]))
    if kind in {"true", "false"}:
        return Expression(ExpressionKind.UNION, kind, (BOOLEAN,))
    return {"string": STRING, "number": NUMBER}.get(kind, NOTHING)


def nested_name(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a.B`."""
    module, name = require_fields(node, "module", "name")
    owner = _dotted(uses, module, scope)
    uses.add_reference(name, scope, role if role is INHERIT else ANNOTATE, owner)
    return attribute(owner, uses.source.of(name))


def import_alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `import X = a.B`, which names a member of a namespace."""
    name, meant = node.named_children[0], node.named_children[-1]
    owner, member = meant.child_by_field_name("object"), meant.child_by_field_name("property")
    if owner is None or member is None:
        uses.bind(name, scope, BindingKind.ASSIGNMENT, value=name_use(uses, meant, scope, ANNOTATE))
        return
    inner = _dotted(uses, owner, scope)
    uses.add_reference(member, scope, ANNOTATE, inner)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=attribute(inner, uses.source.of(member)))


def _dotted(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read a dotted name before a type."""
    if node.type != "nested_identifier":
        return name_use(uses, node, scope, READ) if node.type == "identifier" else uses.visit(node, scope)
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if owner is None or name is None:
        return UNKNOWN
    inner = _dotted(uses, owner, scope)
    uses.add_reference(name, scope, READ, inner)
    return attribute(inner, uses.source.of(name))


def generic_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `A<B>`; types such as `ReturnType` are computed."""
    name, written = require_fields(node, "name", "type_arguments")
    inner = role if role is INHERIT else ANNOTATE
    owner = uses.visit(name, scope, inner)
    arguments = type_arguments(uses, written, scope)
    if owner.name in _SELECTING and len(arguments) == 2 and owner.kind is ExpressionKind.NAME:
        return Expression(ExpressionKind.OPERATION, _SELECTING[owner.name], arguments)
    if owner.name in _OPERATORS and arguments and owner.kind is ExpressionKind.NAME:
        return _operator(owner.name, arguments[0])
    if owner.name in _KEY_ROLES and len(arguments) > 1 and arguments[0] is not UNKNOWN:
        for key in _iter_keys(written):
            uses.add_reference(key, scope, _KEY_ROLES[owner.name], typed(arguments[0]))
    return subscripted(owner, *arguments)


_KEY_ROLES = {"Pick": READ, "Omit": ReferenceKind.DELETE}
"""Types of the standard library whose second argument names members of the first, and the role of those names."""


def _iter_keys(arguments: Node) -> Iterator[Node]:
    """Yield the texts of the strings that the second of some type arguments joins."""
    for second in code_children(arguments)[1:2]:
        for text in iter_outermost(second, {"string"}, lambda each: each.type in {"union_type", "literal_type"}):
            if text.named_child_count == 1:
                yield text.named_children[0]


_SELECTING = {"Exclude": WITHOUT, "Extract": ONLY}
"""Types of the standard library that leave some of the alternatives of their first argument."""
_OPERATORS = frozenset({"ReturnType", "InstanceType", "Awaited", "NonNullable"})


def _operator(name: str, argument: Expression) -> Expression:
    """Return what a type operator of the standard library computes."""
    if name == "NonNullable":
        return argument
    if name == "Awaited":
        return type_of(taken(ExpressionKind.AWAIT, typed(argument)))
    return type_of(call_of(typed(argument))) if argument is not UNKNOWN else UNKNOWN


def type_arguments(uses: UsesBuilder, node: Node, scope: int) -> tuple[Expression, ...]:
    """Visit `<A, B>`, and return the types."""
    return tuple(uses.visit(child, scope, ANNOTATE) for child in code_children(node))


def alternatives(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `A | B` or `A & B`, walking down the left side of the chain without recursion."""
    parts: list[Expression] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type in {"union_type", "intersection_type"}:
            pending.extend(reversed(code_children(current)))
        else:
            parts.append(uses.visit(current, scope, ANNOTATE))
    return union_of(parts)


def array_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `T[]`."""
    return generic("Array", uses.visit(node.named_children[0], scope, ANNOTATE))


def tuple_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `[A, b: B, ...C[]]`."""
    parts = []
    for child in node.named_children:
        declared = child.child_by_field_name("type")
        parts.append(uses.visit(child if declared is None else declared, scope, ANNOTATE))
    return generic("tuple", *parts)


def function_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `<T>(a: A) => B` or `new (a: A) => B`."""
    scope = bind_type_parameters(uses, node, scope)
    parameters = node.child_by_field_name("parameters")
    given = parameter_types(uses, parameters, scope) if parameters is not None else ()
    result = uses.visit(node.child_by_field_name("return_type") or node.child_by_field_name("type"), scope, ANNOTATE)
    last = parameters.named_children[-1] if given and parameters is not None else None
    pattern = field_of(last, "pattern")
    gathers = pattern is not None and pattern.type == "rest_pattern"
    return Expression(ExpressionKind.FUNCTION, GATHERING if gathers else "", (result, *given))


def parameter_types(uses: UsesBuilder, parameters: Node, scope: int) -> tuple[Expression, ...]:
    """Return the types of parameters whose names nothing uses."""
    found = []
    for parameter in parameters.named_children:
        pattern = parameter.child_by_field_name("pattern")
        meaning = uses.visit_field(parameter, "type", scope, ANNOTATE)
        if pattern is not None and pattern.type != "this":
            found.append(meaning)
    return tuple(found)


def bind_type_parameters(uses: UsesBuilder, node: Node, scope: int) -> int:
    """Bind `<T extends Bound>`, and return their scope, a new one within a function."""
    declared = node.child_by_field_name("type_parameters")
    if declared is None:
        return scope
    if uses.scopes[scope].kind is ScopeKind.FUNCTION:
        scope = uses.open_block(node, scope)
    declare_type_parameters(uses, node, scope)
    return scope


def declare_type_parameters(uses: UsesBuilder, node: Node, scope: int) -> None:
    """Bind `<T extends Bound>` in a scope; with a default, that is the declared type and the bound is the value."""
    for parameter in children_of(node, "type_parameters"):
        name = _name_of_parameter(parameter)
        if name is None:
            continue
        bound = uses.visit_field(parameter, "constraint", scope, ANNOTATE)
        fallback = uses.visit_field(parameter, "value", scope, ANNOTATE)
        annotation, value = (bound, UNKNOWN) if fallback in {UNKNOWN, NOTHING} else (fallback, bound)
        uses.bind(name, scope, BindingKind.TYPE_PARAMETER, value=value, annotation=annotation)


def _name_of_parameter(node: Node) -> Node | None:
    """Return the name of a type parameter. The grammar takes the variance of `in T` and `out T` for the name."""
    after, name = node.next_named_sibling, node.child_by_field_name("name")
    if name is None or name.text not in {b"in", b"out"}:
        return name
    error = child_of(node, "ERROR") or (after if after is not None and after.type == "ERROR" else None)
    return error.named_children[-1] if error is not None and error.named_child_count else name


def type_query(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `typeof x`."""
    return type_of(uses.visit(node.named_children[0], _scope_of_values(uses, node, scope), READ))


def _scope_of_values(uses: UsesBuilder, node: Node, scope: int) -> int:
    """Return the scope whose values a type sees: type parameters do not see the parameters of their function."""
    ends = {"type_parameters", *FUNCTIONS}
    around = next((each for each in iter_around(node) if each.type in ends), None)
    of = around.parent if around is not None and around.type == "type_parameters" else None
    if of is None or of.child_by_field_name("parameters") is None:
        return scope
    function = uses.function_of(scope)
    is_own = function >= 0 and uses.scopes[function].span == uses.source.span(of)
    return uses.scopes[function].parent if is_own else scope


def lookup_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `T['key']`, `T[number]` or `T[K]`."""
    owner, key = node.named_children[0], node.named_children[-1]
    value = typed(uses.visit(owner, scope, ANNOTATE))
    written = key.named_children[0] if key.type == "literal_type" and key.named_child_count else key
    if written.type == "string" and written.named_child_count == 1 and value is not UNKNOWN:
        name = written.named_children[0]
        uses.add_reference(name, scope, READ, value)
        return type_of(attribute(value, uses.source.of(name)))
    uses.visit(key, scope, ANNOTATE)
    is_element = uses.source.of(key) == "number"
    return type_of(taken(ExpressionKind.ELEMENT, value) if is_element else subscripted(value, UNKNOWN))


def key_query(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `keyof T`, whose values are strings that name members of `T`."""
    of = FIRST_TYPE(uses, node, scope, role)
    if of != UNKNOWN:
        uses.dynamic.append(Reference(KEYS, READ, *uses.source.place(node), scope, typed(of)))
    return STRING


def conditional_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `A extends B ? C : D`, which may be either; what it infers is a type parameter of its own."""
    inner = uses.open_block(node, scope)
    for field in ("left", "right"):
        uses.visit(node.child_by_field_name(field), inner, ANNOTATE)
    consequence, alternative = (
        uses.visit(node.child_by_field_name(field), inner, ANNOTATE) for field in ("consequence", "alternative")
    )
    return union_of((consequence, alternative))


def infer_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `infer R`."""
    name, *bounds = node.named_children
    uses.bind(name, scope, BindingKind.TYPE_PARAMETER)
    for bound in bounds:
        uses.visit(bound, scope, ANNOTATE)


def type_predicate(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x is T`."""
    name = node.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        uses.add_reference(name, scope, READ)
    narrowed = uses.visit_field(node, "type", scope, ANNOTATE)
    function = node.parent.parent if node.parent is not None else None
    first = next(iter(children_of(function, "parameters")), None)
    parameter = field_of(first, "pattern")
    if name is None or parameter is None or narrowed is UNKNOWN or uses.source.of(parameter) != uses.source.of(name):
        return BOOLEAN
    return Expression(ExpressionKind.GUARD, uses.source.of(name), (narrowed,))


def text_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a template literal type."""
    FIRST_TYPE(uses, node, scope, role)
    return STRING


TYPES = {
    **dict.fromkeys(("type_annotation", "opting_type_annotation", "omitting_type_annotation"), FIRST_TYPE),
    **dict.fromkeys(("type_predicate_annotation", "asserts_annotation", "asserts", "constraint"), FIRST_TYPE),
    **dict.fromkeys(("default_type", "parenthesized_type", "readonly_type", "optional_type", "rest_type"), FIRST_TYPE),
    "template_type": FIRST_TYPE,
    "predefined_type": predefined,
    "type_identifier": type_name,
    "nested_type_identifier": nested_name,
    "import_alias": import_alias,
    "generic_type": generic_type,
    **dict.fromkeys(("union_type", "intersection_type"), alternatives),
    "array_type": array_type,
    "tuple_type": tuple_type,
    **dict.fromkeys(("function_type", "constructor_type"), function_type),
    "type_query": type_query,
    "lookup_type": lookup_type,
    "index_type_query": key_query,
    "conditional_type": conditional_type,
    "infer_type": infer_type,
    "type_predicate": type_predicate,
    "this_type": constant(OWN_OBJECT),
    "literal_type": literal_type,
    "template_literal_type": text_type,
}
