"""Written types of C and C++, and the definitions within them.

Pointers, arrays, references and qualifiers are ignored: a type matters for the members of its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import tagged
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, require_field
from avionics.syntax.engine.uses import ANNOTATE, CALL, INHERIT, UsesBuilder
from avionics.syntax.languages.c.declarators import (
    Declared,
    has_word,
    is_macro_call,
    iter_declared,
    iter_scopes,
    last_name,
    parameters_of,
    read_declarator,
)

_NUMBER = Expression(ExpressionKind.LITERAL, "int")
TAGGED = frozenset({"struct_specifier", "union_specifier", "class_specifier", "enum_specifier"})
_CONDITIONS = frozenset({"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else"})


def type_scope(uses: UsesBuilder, scope: int, name: str) -> int:
    """Return the scope where a type name is looked up: types of C are those of the file, whatever shadows them."""
    if uses.spec.name != "c":
        return scope
    local = {binding.scope for binding in uses.bindings.get(name, ()) if binding.value.kind is ExpressionKind.OBJECT}
    while uses.scopes[scope].parent >= 0 and scope not in local:
        scope = uses.scopes[scope].parent
    return scope


def type_name(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a type by its name."""
    kind = role if role in {INHERIT, CALL} else ANNOTATE
    return uses.name(uses.add_reference(node, type_scope(uses, scope, uses.source.of(node)), kind))


def plain_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Return the value of a number."""
    return _NUMBER


def tagged_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Define a struct, union, class or enum, or use it by its tag, as a declaration without its members does."""
    name = node.child_by_field_name("name")
    if node.child_by_field_name("body") is not None:
        return define_type(uses, node, scope, name)
    if name is None:
        return UNKNOWN
    if uses.spec.name != "c":
        return uses.visit(name, scope, ANNOTATE)
    sought = tagged(uses.source.of(name))
    return uses.name(uses.add_reference(name, type_scope(uses, scope, sought), ANNOTATE, sought_as=sought))


def define_type(
    uses: UsesBuilder, node: Node, scope: int, name: Node | None, typedef: Node | None = None
) -> Expression:
    """Bind a type where it is defined, and open its scope; without a name, it is the scope itself."""
    named = last_name(name) if name is not None else typedef
    where = adding_scope(uses, name, scope) if name is not None else holder_of_types(uses, scope)
    where = holder_of_types(uses, where)
    symbol = uses.symbol_at(named)
    meaning = uses.source.of(named)
    if name is not None and uses.spec.name == "c":
        meaning = tagged(meaning)
    if symbol >= 0 and named is not None:
        uses.bind(named, where, BindingKind.DEFINITION, bound_as=meaning)
    if node.type == "enum_specifier":
        return _enum(uses, node, where, meaning, symbol)
    inner = uses.open(ScopeKind.CLASS, where, uses.source.span(node), symbol)
    if symbol < 0 and named is not None:
        own = Expression(ExpressionKind.OBJECT, index=inner)
        uses.bind(named, where, BindingKind.ASSIGNMENT, value=own, bound_as=meaning)
    if node.parent is not None and node.parent.type == "template_declaration":
        bind_listed_template_parameters(uses, node.parent, inner)
    if name is not None:
        visit_arguments(uses, name, inner)
    _bases(uses, node, inner)
    uses.visit_body(node, inner)
    return uses.name(meaning) if meaning else Expression(ExpressionKind.OBJECT, index=inner)


def visit_arguments(uses: UsesBuilder, name: Node, scope: int) -> None:
    """Use the arguments of the templates in a defined name: `T` and `U` of `Store<T>::Row<U>`."""
    for part in (*iter_scopes(name), name.child_by_field_name("name") or name, name):
        uses.visit_children(part.child_by_field_name("arguments"), scope)


def adding_scope(uses: UsesBuilder, name: Node, scope: int) -> int:
    """Return the scope that holds a defined name: for one qualified by a class, a scope that adds to the class."""
    of = UNKNOWN
    for part in iter_scopes(name):
        plain = last_name(part)
        if of is UNKNOWN:
            of = uses.name(uses.add_reference(plain, scope, ANNOTATE))
        else:
            of = uses.member(plain, scope, ANNOTATE, of)
    return scope if of is UNKNOWN else adding_scope_of(uses, of, name, scope)


def adding_scope_of(uses: UsesBuilder, of: Expression, name: Node, scope: int) -> int:
    """Return the scope of the members that are added to a type."""
    known = uses.added.get((scope, of))
    if known is None:
        known = uses.added[scope, of] = uses.open(ScopeKind.CLASS, scope, uses.source.span(name), of=of)
    return known


UNNAMED = "(unnamed)"
"""The name under which unnamed parameters are bound; no code can write it."""


def bind_listed_template_parameters(uses: UsesBuilder, template: Node, inner: int) -> None:
    """Bind the parameters that a template lists, types and values alike, and use their types and defaults."""
    visit_requirement(uses, template, inner)
    for parameter in children_of(template, "parameters"):
        declarator = parameter.child_by_field_name("declarator")
        declared = read_declarator(declarator) if declarator is not None else None
        named = declared.name if declared is not None else parameter.child_by_field_name("name")
        written = parameter.child_by_field_name("type")
        # A value without a name has its type alone.
        name = named or (child_of(parameter, "type_identifier") if written is None else None)
        visit_type_default(uses, parameter, inner)
        uses.visit(written, inner, ANNOTATE)
        uses.visit_field(parameter, "default_value", inner)
        if name is None and written is not None:
            uses.bind_text(UNNAMED, parameter, inner, BindingKind.TYPE_PARAMETER)
        if name is not None and name.type in {"type_identifier", "identifier"}:
            uses.bind(name, inner, BindingKind.TYPE_PARAMETER)


def visit_requirement(uses: UsesBuilder, template: Node, inner: int) -> None:
    """Use what a template requires of its parameters."""
    required = child_of(template, "requires_clause")
    uses.visit_children(required, inner)


def visit_type_default(uses: UsesBuilder, parameter: Node, inner: int) -> None:
    """Use the default of a template's parameter that is a type, or a template (`template <class> class C = Held`)."""
    own = child_of(parameter, "optional_type_parameter_declaration") or parameter
    uses.visit_field(own, "default_type", inner, ANNOTATE)


def holder_of_types(uses: UsesBuilder, scope: int) -> int:
    """Return the scope that holds the types defined in a scope: in C, the one around a struct."""
    while uses.spec.name == "c" and uses.scopes[scope].kind is ScopeKind.CLASS:
        scope = uses.scopes[scope].parent
    return scope


def _enum(uses: UsesBuilder, node: Node, scope: int, meaning: str, symbol: int) -> Expression:
    """Bind an enum, and its constants around it unless it is an `enum class`."""
    is_scoped = any(child.type in {"class", "struct"} for child in node.children)
    inner = uses.open(ScopeKind.CLASS, scope, uses.source.span(node), symbol)
    of = uses.name(meaning) if symbol >= 0 else UNKNOWN
    uses.visit_field(node, "base", scope, ANNOTATE)
    for constant in _iter_constants(uses, children_of(node, "body"), scope):
        name = constant.child_by_field_name("name")
        if name is None:
            continue
        if is_macro_call(constant):
            uses.add_reference(name, scope, CALL)
            continue
        uses.visit_field(constant, "value", inner if is_scoped else scope)
        uses.bind(name, inner if is_scoped else scope, BindingKind.ASSIGNMENT, within=scope, annotation=of)
    return of


def _iter_constants(uses: UsesBuilder, nodes: Iterable[Node], scope: int) -> Iterator[Node]:
    """Yield the constants of an enum, also those under conditions, which are visited."""
    for node in nodes:
        if node.type == "enumerator":
            yield node
        elif node.type in _CONDITIONS:
            uses.visit_field(node, "name", scope)
            uses.visit_field(node, "condition", scope)
            yield from _iter_constants(uses, node.named_children, scope)
        elif node.type.startswith("preproc"):
            uses.visit(node, scope)


def _bases(uses: UsesBuilder, node: Node, scope: int) -> None:
    """Visit the bases of a class."""
    clause = child_of(node, "base_class_clause")
    if clause is not None:
        written = [base for base in clause.named_children if base.type != "access_specifier"]
        uses.bases[scope] = tuple(uses.visit(base, scope, INHERIT) for base in written)


def type_of(declared: Declared, written: Expression) -> Expression:
    """Return the type of a declared name: the written one or, for a pointer to a function, the result of a call."""
    if declared.is_callable and written is not UNKNOWN:
        return Expression(ExpressionKind.FUNCTION, "", (written,))
    return written


def type_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a `typedef`: an alias, or the name of an anonymous type."""
    written = require_field(node, "type")
    found = list(iter_declared(node))
    where = holder_of_types(uses, scope)
    is_defining = written.type in TAGGED and written.child_by_field_name("body") is not None
    tag = written.child_by_field_name("name") if written.type in TAGGED else None
    if is_defining and tag is None and found:
        of = define_type(uses, written, scope, None, last_name(found[0].name))
        found = found[1:]
    else:
        of = uses.visit(written, scope, ANNOTATE)
    for declared in found:
        visit_declarator(uses, declared, scope, is_type=True)
        is_same = tag is not None and uses.source.of(tag) == uses.source.of(declared.name)
        if is_same and uses.spec.name != "c":
            uses.bind(declared.name, where, BindingKind.DEFINITION)
        else:
            uses.bind(declared.name, where, BindingKind.ASSIGNMENT, within=scope, value=type_of(declared, of))


def visit_declarator(uses: UsesBuilder, declared: Declared, scope: int, *, is_type: bool = False) -> None:
    """Use the names in a declarator: the types of a function pointer's parameters, the sizes of arrays.

    With `is_type`, a function declarator is part of a type, and declares no function with parameters of its own.
    """
    node = declared.name.parent
    while node is not None and node.type.endswith("declarator") and node.type != "init_declarator":
        if node.type == "array_declarator":
            uses.visit_field(node, "size", scope)
        elif node.type == "function_declarator" and (is_type or declared.is_callable or node != declared.function):
            for parameter in parameters_of(node):
                _parameter_type(uses, parameter, scope)
        node = node.parent


def _parameter_type(uses: UsesBuilder, parameter: Node, scope: int) -> None:
    """Use the types in a parameter of a type."""
    if parameter.type in {"parameter_declaration", "variadic_parameter_declaration"}:
        uses.visit_field(parameter, "type", scope, ANNOTATE)
        declarator = parameter.child_by_field_name("declarator")
        declared = read_declarator(declarator) if declarator is not None else None
        if declared is not None:
            visit_declarator(uses, declared, scope, is_type=True)
        elif declarator is not None:
            visit_unnamed(uses, declarator, scope)


def visit_unnamed(uses: UsesBuilder, declarator: Node, scope: int) -> None:
    """Use the types of the parameters in a declarator that names nothing: `void (*)(T)`."""
    for child in declarator.named_children:
        if child.type == "parameter_declaration":
            _parameter_type(uses, child, scope)
        elif child.type.endswith(("declarator", "parameter_list")):
            visit_unnamed(uses, child, scope)


def type_descriptor(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a type that declares no name: of a cast, a template argument or `sizeof`."""
    of = uses.visit_field(node, "type", scope, ANNOTATE)
    declarator = node.child_by_field_name("declarator")
    is_function = declarator is not None and "function" in declarator.type
    for child in declarator.named_children if declarator is not None else ():
        if child.type == "parameter_list":
            visit_unnamed(uses, child, scope)
        else:
            uses.visit(child, scope)
    return Expression(ExpressionKind.FUNCTION, "", (of,)) if is_function and of is not UNKNOWN else of


def is_static(node: Node) -> bool:
    """Return whether a member belongs to its class rather than to an object."""
    return has_word(node, b"static", b"friend")
