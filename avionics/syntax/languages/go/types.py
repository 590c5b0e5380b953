"""Go types: the meaning of written types, and the contents of structs and interfaces.

Slices, maps and channels are types of the stub, whose names no program uses.
"""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Binding, Expression
from avionics.syntax.engine.common_rules import transparent
from avionics.syntax.engine.expressions import NOTHING, bare_name, subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, code_children
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, UsesBuilder, UsesRule
from avionics.syntax.languages.go.outline import embedded_name, iter_member_entries

SLICE, MAP, CHANNEL = (bare_name(f"__{name}__") for name in ("slice", "map", "chan"))
_TUPLE = bare_name("typing.Tuple")
"""The type of several results; no program has a name with a dot."""
_PREDECLARED = frozenset(
    {
        "any", "bool", "byte", "comparable", "complex64", "complex128", "float32", "float64", "int", "int8",
        "int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
    }
)  # fmt: skip


def typed(written: Expression) -> Expression:
    """Return a value of a written type."""
    return Expression(ExpressionKind.TYPED, "", (written,))


def sequence_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `[]T`, `[n]T` or `[...]T`."""
    uses.visit_field(node, "length", scope)
    return subscripted(SLICE, uses.visit_field(node, "element", scope, ANNOTATE))


def map_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `map[K]V`."""
    return subscripted(MAP, *(uses.visit_field(node, field, scope, ANNOTATE) for field in ("key", "value")))


def channel_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `chan T`, in either direction."""
    return subscripted(CHANNEL, uses.visit_field(node, "value", scope, ANNOTATE))


def generic_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `T[A, B]`, whose name plays the role of the whole."""
    base = uses.visit_field(node, "type", scope, role)
    return subscripted(base, *visit_arguments(uses, node, scope))


def visit_arguments(uses: UsesBuilder, node: Node, scope: int) -> tuple[Expression, ...]:
    """Visit the type arguments in brackets of a type or call, and return their values."""
    return tuple(uses.visit(part, scope, ANNOTATE) for part in children_of(node, "type_arguments"))


def union_of_types(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read one type, or the alternatives that a constraint allows."""
    if node.named_child_count == 1:
        return transparent(uses, node, scope, ANNOTATE)
    for part in node.named_children:
        uses.visit(part, scope, ANNOTATE)
    return UNKNOWN


def function_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `func(A) B`, whose parameter names have no meaning."""
    parameters = _visit_each(uses, read_declarations(node), scope)
    return callable_type(parameters, visit_result(uses, node, scope))


def callable_type(parameters: tuple[Expression, ...], result: Expression) -> Expression:
    """Return the type of functions with these parameters and this result."""
    return Expression(ExpressionKind.FUNCTION, "", (result, *parameters))


def read_declarations(function: Node, field: str = "parameters") -> list[tuple[Node, list[Node]]]:
    """Return the declarations in a parameter list with the names in each; none in a result that is a bare type.

    If many names share a type, the grammar takes the first ones for types without names. All parameters of a list have
    names, or none has.
    """
    listed = function.child_by_field_name(field)
    if listed is None or listed.type != "parameter_list":
        return []
    found = [(entry, entry.children_by_field_name("name")) for entry in code_children(listed)]
    if not any(names for _, names in found):
        return found
    declarations, names = [], list[Node]()
    for entry, own in found:
        names += own or entry.children_by_field_name("type")
        if own:
            declarations.append((entry, names))
            names = []
    return declarations


def visit_parameter_type(uses: UsesBuilder, entry: Node, scope: int) -> Expression:
    """Read the type of a parameter: a slice for a variadic one."""
    declared = uses.visit_field(entry, "type", scope, ANNOTATE)
    return subscripted(SLICE, declared) if entry.type == "variadic_parameter_declaration" else declared


def _visit_each(uses: UsesBuilder, declarations: list[tuple[Node, list[Node]]], scope: int) -> tuple[Expression, ...]:
    """Return the types that declarations give to each parameter or result; they may name several, or none."""
    found: list[Expression] = []
    for entry, names in declarations:
        found += [visit_parameter_type(uses, entry, scope)] * max(1, len(names))
    return tuple(found)


def visit_result(uses: UsesBuilder, function: Node, scope: int) -> Expression:
    """Read the declared result of a function: a tuple for several, LITERAL "None" for none."""
    written = function.child_by_field_name("result")
    if written is None:
        return NOTHING
    if written.type != "parameter_list":
        return uses.visit(written, scope, ANNOTATE)
    parts = _visit_each(uses, read_declarations(function, "result"), scope)
    return parts[0] if len(parts) == 1 else subscripted(_TUPLE, Expression(ExpressionKind.CONTAINER, "tuple", parts))


def anonymous_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read an anonymous struct or interface; an empty one is unknown."""
    if not any(True for _ in iter_member_entries(node)):
        return UNKNOWN
    inner = uses.open(ScopeKind.CLASS, scope, node)
    bases = bind_members(uses, node, inner, scope)
    if bases:
        uses.bases[inner] = bases
    return Expression(ExpressionKind.OBJECT, index=inner)


def bind_members(uses: UsesBuilder, written: Node, inner: int, scope: int) -> tuple[Expression, ...]:
    """Bind the members of a type in its class scope, and return its bases: embedded types, or the underlying one."""
    if written.type == "function_type":
        line, column = uses.source.place(written)
        called = uses.visit(written, inner, ANNOTATE)
        binding = Binding("__call__", inner, BindingKind.ASSIGNMENT, line, column, within=inner, annotation=called)
        uses.bindings["__call__"].append(binding)
        return ()
    if written.type not in {"struct_type", "interface_type"}:
        underlying = uses.visit(written, inner, ANNOTATE)
        is_plain = underlying.kind is ExpressionKind.NAME and underlying.name in _PREDECLARED
        return () if is_plain or underlying is UNKNOWN else (underlying,)
    bases: list[Expression] = []
    for entry in iter_member_entries(written):
        if entry.type == "field_declaration":
            bases.extend(_bind_field(uses, entry, inner))
        elif entry.type == "method_elem":
            _bind_method(uses, entry, inner)
        elif entry.type == "type_elem" and embedded_name(entry) is not None:
            bases.append(uses.visit(entry.named_children[0], inner, INHERIT))
        else:
            uses.visit(entry, inner, ANNOTATE)
    return tuple(bases)


def _bind_field(uses: UsesBuilder, entry: Node, inner: int) -> tuple[Expression, ...]:
    """Bind the fields of one declaration; an embedded type is a field of its name, and a base."""
    written = entry.child_by_field_name("type")
    names = entry.children_by_field_name("name")
    if written is None:
        return ()
    declared = uses.visit(written, inner, ANNOTATE if names else INHERIT)
    for name in names:
        uses.bind(name, inner, BindingKind.ASSIGNMENT, annotation=declared)
    embedded = embedded_name(written) if not names else None
    if embedded is None:
        return ()
    uses.bind(embedded, inner, BindingKind.ASSIGNMENT, annotation=declared)
    return (declared,)


def _bind_method(uses: UsesBuilder, entry: Node, inner: int) -> None:
    """Bind a method of an interface; that of an interface without a name is bound as a field with a function type."""
    name = entry.child_by_field_name("name")
    if name is None:
        return
    symbol = uses.symbol_at(name)
    if symbol < 0:
        uses.bind(name, inner, BindingKind.ASSIGNMENT, annotation=function_type(uses, entry, inner, ANNOTATE))
        return
    uses.bind(name, inner, BindingKind.DEFINITION)
    own = uses.open(ScopeKind.FUNCTION, inner, entry, symbol, OWN)
    bind_signature(uses, entry, own, inner)


OWN = "(own)"
"""The name of a receiver without a name."""


def bind_signature(uses: UsesBuilder, function: Node, inner: int, scope: int) -> Expression:
    """Bind a function's parameters and named results in its scope, and return its type, read in `scope`."""
    parameters = []
    for entry, names in read_declarations(function):
        declared = visit_parameter_type(uses, entry, scope)
        gathers = entry.type == "variadic_parameter_declaration"
        kind = BindingKind.VARIADIC if gathers else BindingKind.PARAMETER
        parameters.extend([declared] * max(1, len(names)))
        for place in names or [entry]:
            if names:
                uses.bind(place, inner, kind, within=scope, annotation=declared)
            else:
                uses.bind_text("_", place, inner, kind, within=scope, annotation=declared)
    result = visit_result(uses, function, scope)
    for position, entry in enumerate(_named_results(function)):
        several = result.kind is ExpressionKind.SUBSCRIPT and result.parts[0] is _TUPLE
        declared = result.parts[1].parts[position] if several else result
        uses.bind(entry, inner, BindingKind.ASSIGNMENT, within=scope, annotation=declared)
    symbol = uses.scopes[inner].symbol
    if symbol >= 0:
        uses.results[symbol] = result
    return callable_type(tuple(parameters), result)


def _named_results(function: Node) -> list[Node]:
    """Return the names of results in order, () if they have none."""
    return [name for _, names in read_declarations(function, "result") for name in names]


def bind_type_parameters(uses: UsesBuilder, node: Node, inner: int) -> None:
    """Bind `[T Bound]` in a scope, where bounds may use each other."""
    for entry in children_of(node, "type_parameters"):
        bound = uses.visit_field(entry, "type", inner, ANNOTATE)
        for name in entry.children_by_field_name("name"):
            uses.bind(name, inner, BindingKind.TYPE_PARAMETER, annotation=bound)


TYPES: dict[str, UsesRule] = {
    **dict.fromkeys(("slice_type", "array_type", "implicit_length_array_type"), sequence_type),
    "map_type": map_type,
    "channel_type": channel_type,
    "generic_type": generic_type,
    "function_type": function_type,
    **dict.fromkeys(("struct_type", "interface_type"), anonymous_type),
    **dict.fromkeys(("pointer_type", "parenthesized_type", "negated_type"), transparent),
    **dict.fromkeys(("type_constraint", "type_elem"), union_of_types),
}
