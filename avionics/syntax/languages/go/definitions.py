"""Go definitions: functions, methods, types, and the scopes they open."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ReferenceKind, ScopeKind
from avionics.model.facts import Expression
from avionics.syntax.engine.expressions import subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, require_field, require_fields
from avionics.syntax.engine.uses import ANNOTATE, UsesBuilder
from avionics.syntax.languages.go.outline import import_parts, receiver_of
from avionics.syntax.languages.go.statements import visit_body
from avionics.syntax.languages.go.types import OWN, bind_members, bind_signature, bind_type_parameters, typed


def import_spec(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the package name of an import; a blank one binds nothing."""
    path, given = import_parts(node)
    if path is not None and (given is None or given.type != "blank_identifier"):
        uses.bind_import(path, scope)


def function_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a function, unless it is named `_`."""
    name = require_field(node, "name")
    if uses.source.of(name) != "_":
        uses.bind(name, scope, BindingKind.DEFINITION)
    _open_function(uses, node, scope, uses.symbol_at(name))


def method_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a method, which is added to the type of its receiver and names the type's parameters again."""
    name, (own, written) = node.child_by_field_name("name"), receiver_of(node)
    if name is None or written is None:
        return
    span = uses.source.span(node)
    outer = uses.open(ScopeKind.BLOCK, scope, span)
    receiver_type = _receiver_type(uses, written, outer)
    added = uses.open(ScopeKind.CLASS, outer, span, of=receiver_type)
    uses.bind(name, added, BindingKind.DEFINITION)
    own_name = uses.source.of(own) if own is not None else OWN
    inner = uses.open(ScopeKind.FUNCTION, added, span, uses.symbol_at(name), own_name)
    if own is not None and own_name != "_":
        uses.bind(own, inner, BindingKind.PARAMETER, within=outer, annotation=receiver_type)
    bind_signature(uses, node, inner, outer)
    visit_body(uses, node.child_by_field_name("body"), inner)


def _receiver_type(uses: UsesBuilder, written: Node, scope: int) -> Expression:
    """Read the type of a receiver; the names in its brackets are bound, not used."""
    while written.type in {"pointer_type", "parenthesized_type"} and written.named_child_count == 1:
        written = written.named_children[0]
    if written.type != "generic_type":
        return uses.visit(written, scope, ANNOTATE)
    names = []
    for entry in children_of(written, "type_arguments"):
        name = entry.named_children[0] if entry.type == "type_elem" and entry.named_child_count else entry
        names.append(uses.name(uses.source.of(name)))
        uses.bind(name, scope, BindingKind.TYPE_PARAMETER)
    return subscripted(uses.visit_field(written, "type", scope, ANNOTATE), *names)


def _open_function(uses: UsesBuilder, node: Node, scope: int, symbol: int) -> Expression:
    """Read a function, and return its type; its type parameters have a scope of their own around it."""
    span = uses.source.span(node)
    if node.child_by_field_name("type_parameters") is not None:
        scope = uses.open(ScopeKind.BLOCK, scope, span)
        bind_type_parameters(uses, node, scope)
    inner = uses.open(ScopeKind.FUNCTION, scope, span, symbol)
    declared = bind_signature(uses, node, inner, scope)
    visit_body(uses, node.child_by_field_name("body"), inner)
    return declared


def function_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a function without a name."""
    return typed(_open_function(uses, node, scope, -1))


def type_spec(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a type as a class, whose bases are the types that it embeds, or its underlying type."""
    name, written = require_fields(node, "name", "type")
    inner = uses.define_class(name, node, scope)
    bind_type_parameters(uses, node, inner)
    uses.bases[inner] = bind_members(uses, written, inner, scope)


def type_alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind another name for a type."""
    name = require_field(node, "name")
    within = scope
    if node.child_by_field_name("type_parameters") is not None:
        within = uses.open_block(node, scope)
        bind_type_parameters(uses, node, within)
    value = uses.visit_field(node, "type", within, ANNOTATE)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, within=within, value=value)
