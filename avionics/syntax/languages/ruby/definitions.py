"""Ruby definitions: classes, modules, methods, accessors, and the scopes they open."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Reference
from avionics.syntax.engine.expressions import OWN_OBJECT, bare_name, member_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, require_field
from avionics.syntax.engine.uses import CALL, INHERIT, UsesBuilder
from avionics.syntax.languages.ruby.outline import Delegation

_CONSTRUCTOR = "initialize"
_MIXINS = frozenset({"include", "extend", "prepend"})
_RECORDS = frozenset({"Struct", "Data"})
"""The core classes that make a plain class of the names of its fields."""
_SINGLE = frozenset({"identifier", "keyword_parameter", "optional_parameter"})


def class_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a class or module; `class A::B` adds `B` to `A`."""
    name = require_field(node, "name")
    if name.type == "scope_resolution":
        before = name.child_by_field_name("scope")
        name = name.child_by_field_name("name") or name
        if before is not None:
            outer_class = uses.visit(before, scope)
            scope = uses.open(ScopeKind.CLASS, scope, node, of=outer_class)
    inner = uses.define_class(name, node, scope)
    visited = (_visit_superclass(uses, base, scope) for base in children_of(node, "superclass"))
    bases = [each for each in visited if each is not None]
    for child in children_of(node, "body"):
        mixed = _mixed_in(uses, child)
        bases.extend(_visit_mixin(uses, base, name, scope, inner) for base in mixed)
        if not mixed:
            uses.visit_children(child, inner) if child.type == "singleton_class" else uses.visit(child, inner)
    uses.bases[inner] = tuple(bases)


def _visit_superclass(uses: UsesBuilder, node: Node, scope: int) -> Expression | None:
    """Return a superclass: `Base` also for `Base[1.0]`, None for `Struct.new(:a)`, UNKNOWN for another call."""
    if node.type == "element_reference":
        node, *versions = node.named_children
        for each in versions:
            uses.visit(each, scope)
    base = uses.visit(node, scope, INHERIT)
    if base.kind in {ExpressionKind.NAME, ExpressionKind.ATTRIBUTE}:
        return base
    receiver = node.child_by_field_name("receiver")
    return None if receiver is not None and uses.source.of(receiver) in _RECORDS else UNKNOWN


def _mixed_in(uses: UsesBuilder, node: Node) -> list[Node]:
    """Return the modules that `include A, B` names."""
    method, arguments = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    is_mixin = node.type == "call" and uses.source.of(method) in _MIXINS
    if not is_mixin or arguments is None or node.child_by_field_name("receiver") is not None:
        return []
    return [each for each in arguments.named_children if each.type in {"constant", "scope_resolution"}]


def _visit_mixin(uses: UsesBuilder, node: Node, name: Node, scope: int, inner: int) -> Expression:
    """Return the module that a class includes: one of its own, defined before, or else one around it."""
    if any(each.scope == inner for each in uses.bindings.get(uses.source.of(node), ())):
        own = uses.visit(node, inner, INHERIT)
        return member_of(bare_name(uses.source.of(name)), own.name)
    return uses.visit(node, scope, INHERIT)


def method_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a method, which returns its last expression."""
    name = require_field(node, "name")
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    is_member = uses.scopes[scope].kind is ScopeKind.CLASS
    uses.bind(name, scope, BindingKind.DEFINITION)
    if is_member and uses.source.of(name) == _CONSTRUCTOR:
        uses.bind(name, scope, BindingKind.DEFINITION, bound_as="__init__")
    own = "self" if is_member and not _is_static(node) else ""
    inner = uses.open(ScopeKind.FUNCTION, scope, node, uses.symbol_at(name), own)
    bind_parameters(uses, parameters, inner)
    value = UNKNOWN
    is_short = body is not None and body.type != "body_statement"
    for child in [body] if is_short else children_of(body):
        value = uses.visit(child, inner)
    uses.returns[inner].append(value)


def _is_static(node: Node) -> bool:
    """Return whether a method belongs to the class itself: `def self.x`, or in `class << self`."""
    around = node.parent.parent if node.parent is not None else None
    return node.type == "singleton_method" or (around is not None and around.type == "singleton_class")


def bind_parameters(uses: UsesBuilder, parameters: Node | None, scope: int) -> None:
    """Bind parameters, of which only the names are known."""
    for entry in children_of(parameters):
        name = entry.child_by_field_name("name") or (entry if entry.type == "identifier" else None)
        value = uses.visit_field(entry, "value", scope)
        if name is not None:
            single = value if entry.type in _SINGLE else UNKNOWN
            uses.bind(name, scope, BindingKind.PARAMETER, value=single)
        else:
            bind_parameters(uses, entry, scope)


def bind_accessors(uses: UsesBuilder, arguments: Node, scope: int) -> None:
    """Bind the members of `attr_accessor :name`, which access `@name`."""
    for each in arguments.named_children:
        if each.type == "simple_symbol":
            _bind_symbol(uses, each, scope, member_of(OWN_OBJECT, f"@{uses.source.of(each)[1:]}"))
        else:
            uses.visit(each, scope)


def bind_delegated(uses: UsesBuilder, delegation: Delegation, scope: int) -> None:
    """Bind the methods of `delegate :name, to: :client`, each of which calls that of another object."""
    receiver = member_of(OWN_OBJECT, delegation.receiver)
    for symbol, called in delegation.methods:
        _bind_symbol(uses, symbol, scope, member_of(receiver, called))
        line, column = uses.source.place(symbol)
        uses.references[called].append(Reference(called, CALL, line, column + 1, scope, receiver))


def _bind_symbol(uses: UsesBuilder, symbol: Node, scope: int, value: Expression) -> None:
    """Bind the member that a symbol names behind its colon."""
    line, column = uses.source.place(symbol)
    name, index = uses.source.of(symbol)[1:], uses.symbol_at(symbol, behind=1)
    binding = Binding(name, scope, BindingKind.ASSIGNMENT, line, column + 1, index, within=scope, value=value)
    uses.bindings[name].append(binding)
