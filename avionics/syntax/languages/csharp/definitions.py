"""C# declarations: types, members, local functions, lambdas, and the scopes they open."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import generic
from avionics.syntax.engine.expressions import ANYTHING, expect, function_giving, item_of, member_of, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, field_of, require_field
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, READ, UsesBuilder
from avionics.syntax.languages.csharp.outline import has_modifier
from avionics.syntax.languages.csharp.types import name_of_generic

_SELF = "this"


def type_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a class, struct, record, interface or enum, and visit its members."""
    name = require_field(node, "name")
    body = node.child_by_field_name("body")
    inner = uses.define_class(name, node, scope, _name_of(uses, node))
    _visit_attributes(uses, node, inner)  # Its attributes see its members.
    _bind_type_parameters(uses, node, inner, scope)
    written = children_of(child_of(node, "base_list"))
    found = [uses.visit(each, scope, INHERIT) for each in written if each.type != "argument_list"]
    uses.bases[inner] = tuple(found)
    for entry in node.named_children:
        if entry.type == "parameter_list":
            _bind_components(uses, entry, inner)
    if node.type == "enum_declaration" and body is not None:
        own = uses.name(uses.source.of(name))
        for member in body.named_children:
            _enum_member(uses, member, inner, own)
    elif body is not None:
        uses.visit_children(body, inner)


def _name_of(uses: UsesBuilder, node: Node) -> str:
    """Return the name of a type, which the number of its type parameters is a part of."""
    return generic(uses.source.of(require_field(node, "name")), len(children_of(child_of(node, "type_parameter_list"))))


def _enum_member(uses: UsesBuilder, node: Node, scope: int, own: Expression) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        uses.visit_field(node, "value", scope)
        uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=own)


def _bind_components(uses: UsesBuilder, parameters: Node, scope: int) -> None:
    """Bind the parameters after the name of a class, which its members see; those of a record are properties."""
    for entry in parameters.named_children:
        name = entry.child_by_field_name("name")
        if name is not None:
            uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=uses.visit_field(entry, "type", scope, ANNOTATE))


def _bind_type_parameters(uses: UsesBuilder, node: Node, scope: int, outside: int) -> None:
    """Bind `<T>`, with the bound that a `where` gives it."""
    bounds: dict[str, Expression] = {}
    for clause in node.named_children:
        if clause.type == "type_parameter_constraints_clause" and clause.named_child_count:
            types = [each.child_by_field_name("type") for each in clause.named_children[1:]]
            written = [uses.visit(each, outside, ANNOTATE) for each in types if each is not None]
            bounds[uses.source.of(clause.named_children[0])] = written[0] if written else UNKNOWN
    for entry in children_of(child_of(node, "type_parameter_list")):
        name = entry.child_by_field_name("name")
        if name is not None:
            bound = bounds.get(uses.source.of(name), UNKNOWN)
            uses.bind(name, scope, BindingKind.TYPE_PARAMETER, annotation=bound)


def method_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a method, a constructor or a local function; `this` before the first parameter extends a type."""
    name = require_field(node, "name")
    is_constructor = node.type == "constructor_declaration"
    uses.bind(name, scope, BindingKind.DEFINITION, bound_as="__init__" if is_constructor else "")
    _visit_attributes(uses, node, scope)
    parameters = node.child_by_field_name("parameters")
    first = next(iter(children_of(parameters)), None)
    is_static = has_modifier(node, "static", uses.source)
    holder, own = scope, "" if is_static or uses.scopes[scope].kind is not ScopeKind.CLASS else _SELF
    if first is not None and has_modifier(first, "this", uses.source):
        extended, own_name = first.child_by_field_name("type"), first.child_by_field_name("name")
        if extended is not None and own_name is not None:
            extended_type = _plain_type(uses, extended)
            holder = uses.open(ScopeKind.CLASS, scope, node, of=extended_type)
            uses.bind(name, holder, BindingKind.DEFINITION)
            own = uses.source.of(own_name)
    symbol = uses.symbol_at(name)
    inner = uses.open(ScopeKind.FUNCTION, holder, node, symbol, own)
    _bind_type_parameters(uses, node, inner, inner)
    result = uses.visit_field(node, "returns" if node.type == "method_declaration" else "type", inner, ANNOTATE)
    if symbol >= 0 and not is_constructor:
        uses.results[symbol] = result
    bind_parameters(uses, parameters, inner)
    uses.visit_children(child_of(node, "constructor_initializer"), inner)
    _visit_body(uses, node.child_by_field_name("body"), inner)


def operator_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read an operator, a conversion or a destructor, which code does not call by a name."""
    _visit_attributes(uses, node, scope)
    own = _SELF if node.type == "destructor_declaration" else ""
    inner = uses.open(ScopeKind.FUNCTION, scope, node, -1, own)
    uses.visit_field(node, "type", inner, ANNOTATE)
    bind_parameters(uses, node.child_by_field_name("parameters"), inner)
    _visit_body(uses, node.child_by_field_name("body"), inner)


def _plain_type(uses: UsesBuilder, node: Node) -> Expression:
    """Return a type as an expression without recording uses of its names, which visiting it does."""
    if node.type == "identifier":
        return uses.name(uses.source.of(node))
    if node.type == "generic_name":
        return uses.name(name_of_generic(uses, node))
    if node.type == "nullable_type" and node.named_child_count:
        return _plain_type(uses, node.named_children[0])
    name, qualifier = node.child_by_field_name("name"), node.child_by_field_name("qualifier")
    if name is None:
        return uses.name(uses.source.of(node))
    last = _plain_type(uses, name)
    return last if qualifier is None else member_of(_plain_type(uses, qualifier), last.name)


def _visit_body(uses: UsesBuilder, body: Node | None, scope: int) -> Expression:
    """Visit a block or `=> expression`, and return the value of the latter."""
    if body is None:
        return UNKNOWN
    if body.type == "arrow_expression_clause":
        meaning = uses.visit(body.named_children[0], scope) if body.named_child_count else UNKNOWN
        uses.returns[scope].append(meaning)
        return meaning
    uses.visit_children(body, scope)
    return UNKNOWN


def bind_parameters(uses: UsesBuilder, parameters: Node | None, scope: int) -> None:
    """Bind the parameters of a function; those of any number follow `params`."""
    for entry in children_of(parameters):
        name = entry.child_by_field_name("name")
        if entry.type != "parameter" or name is None:
            if entry.type not in {"parameter", "identifier"}:
                uses.visit(entry, scope, ANNOTATE)
            continue
        _visit_attributes(uses, entry, scope)
        annotation = uses.visit_field(entry, "type", scope, ANNOTATE)
        value = UNKNOWN
        if entry.named_children[-1].start_byte > name.start_byte:
            value = uses.visit(entry.named_children[-1], scope)
            value = ANYTHING if value is UNKNOWN else value
        uses.bind(name, scope, BindingKind.PARAMETER, value=value, annotation=annotation)
    gathered = field_of(parameters, "name")
    if parameters is not None and gathered is not None:
        annotation = uses.visit_field(parameters, "type", scope, ANNOTATE)
        uses.bind(gathered, scope, BindingKind.VARIADIC, annotation=annotation)


def property_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a property or an indexer, and visit its accessors."""
    name = node.child_by_field_name("name")
    _visit_attributes(uses, node, scope)
    static = has_modifier(node, "static", uses.source)
    inner = uses.open(ScopeKind.FUNCTION, scope, node, uses.symbol_at(name), "" if static else _SELF)
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    bind_parameters(uses, node.child_by_field_name("parameters"), inner)
    for accessor in children_of(node, "accessors"):
        own = uses.open_block(accessor, inner)
        if child_of(accessor, "get") is None:
            uses.bind_text("value", accessor, own, BindingKind.PARAMETER, within=scope, annotation=annotation)
        _visit_body(uses, accessor.child_by_field_name("body"), own)
    value = node.child_by_field_name("value")
    if value is not None:
        _visit_body(uses, value, inner) if value.type == "arrow_expression_clause" else uses.visit(value, inner)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, within=scope, annotation=annotation)


def field_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind fields and events."""
    _visit_attributes(uses, node, scope)
    declaration = child_of(node, "variable_declaration")
    static = has_modifier(node, "static", uses.source)
    if declaration is not None:
        within = uses.open(ScopeKind.FUNCTION, scope, node, -1, "" if static else _SELF)
        bind_variables(uses, declaration, scope, within)


def variable_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the variables of a block."""
    bind_variables(uses, node, scope, scope)


def bind_variables(uses: UsesBuilder, node: Node, scope: int, within: int) -> None:
    """Bind each name of a declaration."""
    annotation = uses.visit_field(node, "type", within, ANNOTATE)
    for declarator in node.named_children:
        if declarator.type != "variable_declarator":
            continue
        name, several = declarator.child_by_field_name("name"), child_of(declarator, "tuple_pattern")
        values = [child for child in declarator.named_children if child not in {name, several}]
        value = uses.visit(values[-1], within, READ, typed(annotation)) if values else UNKNOWN
        bind_names(uses, name or several, scope, within, value, annotation)


def bind_names(
    uses: UsesBuilder, node: Node | None, scope: int, within: int, value: Expression, annotation: Expression = UNKNOWN
) -> None:
    """Bind a name, or those of `var (a, (b, c))` and `(A a, var b)`, to a value and its items."""
    if node is None:
        return
    if node.type == "identifier":
        uses.bind(node, scope, BindingKind.ASSIGNMENT, within=within, value=value, annotation=annotation)
    elif node.type == "declaration_expression":
        declared = uses.visit_field(node, "type", within, ANNOTATE)
        bind_names(uses, node.child_by_field_name("name"), scope, within, value, declared)
    elif node.type in {"tuple_pattern", "tuple_expression"}:
        for position, each in enumerate(node.named_children):
            inner = each.named_children[-1] if each.type == "argument" and each.named_child_count else each
            bind_names(uses, inner, scope, within, item_of(value, position))


def lambda_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a lambda; its parameters have the types that the expected function is passed."""
    expected = uses.expected
    inner = uses.open(ScopeKind.FUNCTION, scope, node)
    parameters = node.child_by_field_name("parameters")
    body = node.child_by_field_name("body") or child_of(node, "block")
    if parameters is not None:
        entries = [parameters] if parameters.type == "implicit_parameter" else parameters.named_children
        for position, entry in enumerate(entries):
            name = entry.child_by_field_name("name") if entry.type == "parameter" else entry
            if name is None:
                continue
            value = expect(expected, position)
            annotation = uses.visit_field(entry, "type", scope, ANNOTATE) if entry.type == "parameter" else UNKNOWN
            uses.bind(name, inner, BindingKind.PARAMETER, within=scope, value=value, annotation=annotation)
    if body is None:
        return UNKNOWN
    if body.type != "block":
        return function_giving(uses.visit(body, inner), inner)
    uses.visit_children(body, inner)
    returned = tuple(uses.returns.get(inner, ()))
    return function_giving(union_of(returned), inner)


def delegate_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a named type of functions."""
    name = node.child_by_field_name("name")
    inner = uses.open_block(node, scope)
    _bind_type_parameters(uses, node, inner, inner)
    result, taken = uses.visit_field(node, "type", inner, ANNOTATE), []
    for entry in children_of(node, "parameters"):
        taken.append(uses.visit_field(entry, "type", inner, ANNOTATE))
    if name is not None:
        meaning = Expression(ExpressionKind.FUNCTION, parts=(result, *taken))
        bound_as = _name_of(uses, node)
        uses.bind(name, scope, BindingKind.ASSIGNMENT, within=inner, value=meaning, bound_as=bound_as)


def namespace(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit the members of a namespace as if they stood in the file itself."""
    name = node.child_by_field_name("name")
    for child in node.named_children:
        if child != name:
            uses.visit_children(child, scope) if child.type == "declaration_list" else uses.visit(child, scope)


def _visit_attributes(uses: UsesBuilder, node: Node, scope: int) -> None:
    for child in node.named_children:
        if child.type == "attribute_list":
            uses.visit_children(child, scope)
