"""Java definitions: types, methods, fields, lambdas, and the scopes they open."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import called
from avionics.syntax.engine.expressions import expect, function_giving, subscripted, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, require_field
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, READ, UsesBuilder
from avionics.syntax.languages.java.names import ARRAY, as_array, written_type
from avionics.syntax.languages.java.outline import has_modifier, iter_bases, modifiers_of

_ROOT = "Object"
_SELF = "this"


def type_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a class, record, interface, annotation or enum, and visit its members."""
    name = require_field(node, "name")
    body = node.child_by_field_name("body")
    _visit_modifiers(uses, node, scope)
    inner = uses.define_class(name, node, scope)
    _bind_type_parameters(uses, node, inner, scope)
    # The header is outside the scope of the members.
    bases = [uses.visit(base, scope, INHERIT) for base in iter_bases(node)]
    uses.bases[inner] = (*bases, *_implied_bases(uses, node, uses.name(uses.source.of(name)), bases))
    uses.visit_body(node, scope, "permits")
    _bind_components(uses, node.child_by_field_name("parameters"), inner, uses.symbol_at(name))
    if body is not None:
        uses.visit_children(body, inner)
        if node.type == "interface_declaration":
            _bind_callable(uses, body, inner)


def _implied_bases(uses: UsesBuilder, node: Node, own: Expression, bases: list[Expression]) -> tuple[Expression, ...]:
    """Return the bases that the language adds to the written ones."""
    if node.type == "enum_declaration":
        return (subscripted(uses.name("__Enum"), own),)
    if node.type == "record_declaration":
        return (uses.name("__Record"),)
    is_root = own.name == _ROOT and uses.facts.package == "java.lang"
    return () if is_root or node.child_by_field_name("superclass") is not None else (uses.name(_ROOT),)


def _bind_callable(uses: UsesBuilder, body: Node, scope: int) -> None:
    """Bind the only abstract method of an interface as `__call__`: such an interface is a function."""
    abstract = [
        child
        for child in body.named_children
        if child.type == "method_declaration" and not has_modifier(child, "default", "static", "private")
    ]
    name = abstract[0].child_by_field_name("name") if len(abstract) == 1 else None
    uses.bind(name, scope, BindingKind.DEFINITION, bound_as="__call__")


def _bind_type_parameters(uses: UsesBuilder, node: Node, scope: int, outside: int) -> None:
    """Bind `<T extends Bound>`; bounds are outside of the scope."""
    for entry in children_of(node, "type_parameters"):
        parts = [child for child in entry.named_children if child.type in {"type_identifier", "identifier"}]
        bounds = [child for child in entry.named_children if child.type == "type_bound"]
        written = [uses.visit(bound, outside, ANNOTATE) for clause in bounds for bound in clause.named_children]
        if parts:
            annotation = written[0] if written else UNKNOWN
            uses.bind(parts[0], scope, BindingKind.TYPE_PARAMETER, annotation=annotation)


def _bind_components(uses: UsesBuilder, parameters: Node | None, scope: int, record: int) -> None:
    """Bind the components of a record: each is a field and, unless declared explicitly, a method of the same name."""
    written = {s.name for s in uses.facts.symbols if s.parent == record and s.kind is SymbolKind.METHOD}
    for entry in children_of(parameters):
        name, annotation = _parameter(uses, entry, scope)
        if name is None:
            continue
        uses.bind(name, scope, BindingKind.ASSIGNMENT, within=scope, annotation=annotation)
        if uses.source.of(name) not in written:
            uses.results[uses.symbol_at(name)] = annotation
            uses.bind(name, scope, BindingKind.DEFINITION, bound_as=called(uses.source.of(name)))


def _parameter(uses: UsesBuilder, entry: Node, scope: int) -> tuple[Node | None, Expression]:
    """Return the name and the type of a parameter; a parameter of any number of arguments is an array."""
    if entry.type == "formal_parameter":
        _visit_modifiers(uses, entry, scope)
        return entry.child_by_field_name("name"), written_type(uses, entry, scope)
    if entry.type != "spread_parameter":
        return None, UNKNOWN
    *before, declarator = entry.named_children
    meanings = [uses.visit(child, scope, ANNOTATE) for child in before if child.type != "modifiers"]
    _visit_modifiers(uses, entry, scope)
    element = meanings[-1] if meanings else UNKNOWN
    return declarator.child_by_field_name("name"), subscripted(ARRAY, element)


def _bind_parameters(uses: UsesBuilder, parameters: Node | None, scope: int) -> None:
    for entry in children_of(parameters):
        name, annotation = _parameter(uses, entry, scope)
        if name is not None:
            kind = BindingKind.VARIADIC if entry.type == "spread_parameter" else BindingKind.PARAMETER
            uses.bind(name, scope, kind, annotation=annotation)


def method_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a method, or an element of an annotation."""
    name = require_field(node, "name")
    uses.bind(name, scope, BindingKind.DEFINITION, bound_as=called(uses.source.of(name)))
    inner = _open_function(uses, node, scope, uses.symbol_at(name))
    uses.results[uses.symbol_at(name)] = written_type(uses, node, inner)
    _visit_function(uses, node, inner)


def constructor_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a constructor, whose name is that of its class."""
    name = require_field(node, "name")
    uses.bind(name, scope, BindingKind.DEFINITION, bound_as="__init__")
    _visit_function(uses, node, _open_function(uses, node, scope, uses.symbol_at(name)))


def _open_function(uses: UsesBuilder, node: Node, scope: int, symbol: int) -> int:
    """Open the scope of a method, bind its type parameters, and return the scope."""
    _visit_modifiers(uses, node, scope)
    own = "" if has_modifier(node, "static") else _SELF
    inner = uses.open(ScopeKind.FUNCTION, scope, node, symbol, own)
    _bind_type_parameters(uses, node, inner, inner)
    return inner


def _visit_function(uses: UsesBuilder, node: Node, inner: int) -> None:
    """Visit the parameters, exceptions, default and body of a method."""
    _bind_parameters(uses, node.child_by_field_name("parameters"), inner)
    uses.visit_children(child_of(node, "throws"), inner)
    uses.visit_field(node, "value", inner)
    uses.visit_body(node, inner)


def field_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind fields, reading their values in a separate scope in which `this` is known."""
    _visit_modifiers(uses, node, scope)
    plain = uses.visit_field(node, "type", scope, ANNOTATE)
    for declarator in node.children_by_field_name("declarator"):
        bind_declarator(uses, declarator, scope, plain, _open_initializer(uses, node, scope))


def bind_declarator(uses: UsesBuilder, declarator: Node, scope: int, plain: Expression, within: int) -> None:
    """Bind one of the names of a declaration, with its own brackets and its value."""
    name = declarator.child_by_field_name("name")
    if name is None:
        return
    annotation = as_array(uses, plain, declarator.child_by_field_name("dimensions"))
    value = uses.visit(declarator.child_by_field_name("value"), within, READ, typed(annotation))
    uses.bind(name, scope, BindingKind.ASSIGNMENT, within=within, value=value, annotation=annotation)


def _open_initializer(uses: UsesBuilder, node: Node, scope: int) -> int:
    """Open the scope for the value of a field or the code of an initializer."""
    own = "" if node.type == "static_initializer" or has_modifier(node, "static") else _SELF
    return uses.open(ScopeKind.FUNCTION, scope, node, -1, own)


def initializer(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit `static { … }`."""
    inner = _open_initializer(uses, node, scope)
    for block in node.named_children:
        uses.visit_children(block, inner)


def block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a block, which scopes the names declared in it; directly in a class it is an initializer."""
    if uses.scopes[scope].kind is ScopeKind.CLASS:
        uses.visit_children(node, _open_initializer(uses, node, scope))
    else:
        uses.visit_children(node, uses.open_block(node, scope))


def enum_constant(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a constant: a member of its enum whose value is an object of the enum or of its own class."""
    name = require_field(node, "name")
    body = node.child_by_field_name("body")
    _visit_modifiers(uses, node, scope)
    within = _open_initializer(uses, node, scope)
    own = uses.facts.symbols[uses.scopes[scope].symbol].name if uses.scopes[scope].symbol >= 0 else ""
    uses.visit_body(node, within, "arguments")
    value = UNKNOWN
    if body is not None:
        value = anonymous_class(uses, body, within, uses.name(own))
    uses.bind(name, scope, BindingKind.ASSIGNMENT, within=within, value=value, annotation=uses.name(own))


def anonymous_class(uses: UsesBuilder, body: Node, scope: int, base: Expression) -> Expression:
    """Open the scope of a class without a name, and return an object of it."""
    inner = uses.open(ScopeKind.CLASS, scope, body)
    uses.bases[inner] = (base,)
    uses.visit_children(body, inner)
    return Expression(ExpressionKind.OBJECT, index=inner)


def lambda_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a lambda; its parameters have the types of the expected function's parameters."""
    expected = uses.expected
    inner = uses.open(ScopeKind.FUNCTION, scope, node)
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if parameters is not None and parameters.type == "formal_parameters":
        _bind_parameters(uses, parameters, inner)
    elif parameters is not None:
        written = [parameters] if parameters.type == "identifier" else parameters.named_children
        for position, name in enumerate(written):
            uses.bind(name, inner, BindingKind.PARAMETER, within=scope, value=expect(expected, position))
    if body is None:
        return UNKNOWN
    if body.type != "block":
        return function_giving(uses.visit(body, inner), inner)
    uses.visit_children(body, inner)
    returned = uses.returns.get(inner, [])
    result = union_of(returned) if returned else UNKNOWN
    return function_giving(result, inner)


def _visit_modifiers(uses: UsesBuilder, node: Node, scope: int) -> None:
    """Visit the annotations of a declaration in the scope around it."""
    uses.visit_children(modifiers_of(node), scope)
