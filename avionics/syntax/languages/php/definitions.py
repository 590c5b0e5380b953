"""PHP definitions: classes, functions, fields, constants, imports, and the scopes they open."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression, replace
from avionics.model.naming import as_namespace, called, tagged
from avionics.syntax.engine.expressions import OWN_OBJECT, function_giving
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, UsesBuilder
from avionics.syntax.languages.php.names import NAMES, bare
from avionics.syntax.languages.php.outline import imported_name

CONSTRUCTOR = "__init__"
_CONSTRUCTOR = "__construct"


def class_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Bind a class of any kind, and return an object of it for a class without a name."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    inner = uses.define_class(name, node, scope)
    uses.visit_field(node, "attributes", scope)
    clauses = [child for child in node.named_children if child.type in {"base_clause", "class_interface_clause"}]
    mixed = [child for child in children_of(body) if child.type == "use_declaration"]
    uses.bases[inner] = tuple(
        bare(uses, base, scope, INHERIT)
        for clause in (*clauses, *mixed)
        for base in clause.named_children
        if base.type in NAMES
    )
    for child in children_of(body):
        if child.type != "use_declaration":
            uses.visit(child, inner)
    return Expression(ExpressionKind.OBJECT, index=inner)


def function_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Bind a function or method with its parameters, and the fields that a constructor's parameters make."""
    name, parameters, body = (node.child_by_field_name(field) for field in ("name", "parameters", "body"))
    symbol, own = -1, ""
    if name is not None:
        symbol = uses.symbol_at(name)
        text = uses.source.of(name)
        uses.bind(name, scope, BindingKind.DEFINITION, bound_as=called(text))
        if text == _CONSTRUCTOR and uses.scopes[scope].kind is ScopeKind.CLASS:
            uses.bind(name, scope, BindingKind.DEFINITION, bound_as=CONSTRUCTOR)
        is_static = any(child.type == "static_modifier" for child in node.named_children)
        own = "this" if uses.scopes[scope].kind is ScopeKind.CLASS and not is_static else ""
    inner = uses.open(ScopeKind.FUNCTION, scope, node, symbol, own)
    for entry in children_of(parameters):
        _parameter(uses, entry, scope, inner)
    declared = node.child_by_field_name("return_type")
    if declared is not None:
        uses.results[symbol] = uses.visit(declared, scope, ANNOTATE)
    if body is not None:
        value = uses.visit(body, inner)
        if node.type == "arrow_function":
            return function_giving(value, inner)
    return UNKNOWN


def _parameter(uses: UsesBuilder, entry: Node, scope: int, inner: int) -> None:
    name = entry.child_by_field_name("name")
    if name is None:
        return
    annotation = uses.visit_field(entry, "type", scope, ANNOTATE)
    uses.visit_field(entry, "default_value", scope)
    if entry.type == "variadic_parameter":
        uses.bind(name, inner, BindingKind.PARAMETER, within=scope)
        return
    uses.bind(name, inner, BindingKind.PARAMETER, within=scope, annotation=annotation)
    if entry.type == "property_promotion_parameter":
        _bind_field(uses, name, scope, annotation)


def _bind_field(uses: UsesBuilder, name: Node, scope: int, annotation: Expression) -> None:
    plain = name.named_children[0] if name.named_children else name
    bound_as = tagged(uses.source.of(plain))
    uses.bind(plain, scope, BindingKind.ASSIGNMENT, annotation=annotation, bound_as=bound_as)


def property_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind typed fields."""
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    for element in node.named_children:
        name = element.child_by_field_name("name") if element.type == "property_element" else None
        if name is not None:
            uses.visit_field(element, "default_value", scope)
            _bind_field(uses, name, scope, annotation)


def constant_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind constants, within a class or outside."""
    for element in node.named_children:
        if element.type == "const_element" and element.named_children:
            name, *rest = element.named_children
            value = [uses.visit(part, scope) for part in rest]
            uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value[0] if value else UNKNOWN)


def enum_case(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a case of an enumeration, whose value is an object of it."""
    uses.visit_field(node, "value", scope)
    uses.bind(node.child_by_field_name("name"), scope, BindingKind.ASSIGNMENT, annotation=OWN_OBJECT)


def import_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the name that one clause of a `use` imports."""
    if node.named_children:
        place = imported_name(node.named_children[0])
        index = uses.bind_import(place, scope)
        if index >= 0:
            uses.add_reference(place, scope, ReferenceKind.IMPORT, None, index)
            alias = uses.facts.imports[index].alias
            # Bind all three names: only what is imported shows whether it is a class, a function or a namespace.
            for name in (called(alias), as_namespace(alias)):
                uses.bindings[name].append(replace(uses.bindings[alias][-1], name=name))
