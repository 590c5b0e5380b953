"""Ruby definitions: classes, modules, methods, accessors, and the scopes they open."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Reference, get_class_side
from avionics.syntax.engine.expressions import OWN_CLASS, OWN_OBJECT, bare_name, member_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, require_field
from avionics.syntax.engine.uses import CALL, INHERIT, READ, UsesBuilder
from avionics.syntax.languages.ruby.outline import RECORDS, Delegation, MadeClass, read_made_class

_CONSTRUCTOR = "initialize"
_MIXINS = frozenset({"include", "extend", "prepend"})
_ACCESSED = {"attr_reader": ("",), "attr_writer": ("=",), "attr_accessor": ("", "=")}
"""What follows the name of an attribute in the names of the methods that are defined for it."""
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
        else:
            scope = 0
    inner = _open_class(uses, name, node, scope)
    visited = (_visit_superclass(uses, base, scope, inner) for base in children_of(node, "superclass"))
    bases, extended = [each for each in visited if each is not None], list[Expression]()
    for child in children_of(node, "body"):
        mixed = [_visit_mixin(uses, base, name, scope, inner) for base in _mixed_in(uses, child)]
        # The modules that are included last come first, and all of them before the superclass.
        bases[:0] = mixed
        if mixed and uses.source.of(child.child_by_field_name("method")) == "extend":
            extended += mixed
        if not mixed:
            uses.visit(child, inner)
    uses.bases[inner] = tuple(bases)
    if extended:
        side = class_side(uses, inner)
        uses.bases[side] = (*uses.bases.get(side, ()), *extended)


def _open_class(uses: UsesBuilder, name: Node, node: Node, scope: int) -> int:
    """Bind a class, open its scope and that of its own members, and return the first. A block holds no constants."""
    inner = uses.define_class(name, node, around_blocks(uses, scope))
    uses.open(ScopeKind.CLASS, inner, node, uses.scopes[inner].symbol)
    return inner


def around_blocks(uses: UsesBuilder, scope: int) -> int:
    """Return the innermost scope around that is not one of a block."""
    while uses.scopes[scope].kind is ScopeKind.BLOCK:
        scope = uses.scopes[scope].parent
    return scope


def made_class(uses: UsesBuilder, name: Node, node: Node, made: MadeClass, scope: int) -> None:
    """Bind a class that the core makes: `Point = Struct.new(:x) do … end`."""
    inner = _open_class(uses, name, node, scope)
    bases = [uses.visit(each, scope, INHERIT) for each in made.bases]
    uses.bases[inner] = tuple(
        each if each.kind in {ExpressionKind.NAME, ExpressionKind.ATTRIBUTE} else UNKNOWN for each in bases
    )
    _bind_fields(uses, made, inner)
    if made.block is not None:
        bind_parameters(uses, made.block.child_by_field_name("parameters"), inner)
        uses.visit_body(made.block, inner)


def _bind_fields(uses: UsesBuilder, made: MadeClass, scope: int) -> None:
    """Bind the fields of a record; those of `Data` cannot be assigned."""
    for each in made.fields:
        for suffix in ("", "=") if made.maker == "Struct" else ("",):
            _bind_symbol(uses, each, scope, UNKNOWN, suffix)


def _visit_superclass(uses: UsesBuilder, node: Node, scope: int, inner: int) -> Expression | None:
    """Return a superclass: `Base` also for `Base[1.0]`, None for `Struct.new(:a)`, UNKNOWN for another call."""
    if node.type == "element_reference":
        node, *versions = node.named_children
        for each in versions:
            uses.visit(each, scope)
    base = uses.visit(node, scope, INHERIT)
    if base.kind in {ExpressionKind.NAME, ExpressionKind.ATTRIBUTE}:
        return base
    made = read_made_class(uses.source, node)
    if made is None or made.maker not in RECORDS:
        return UNKNOWN
    _bind_fields(uses, made, inner)
    return None


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


def singleton_class(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `class << self`, whose members are those of the class itself."""
    value = node.child_by_field_name("value")
    side = class_side(uses, scope) if value is not None and value.type == "self" else scope
    uses.visit_body(node, side)
    mixed = [each for child in children_of(node, "body") for each in _mixed_in(uses, child)]
    if mixed and side != scope:
        # The uses of these names are read with the body.
        named = [uses.name(uses.source.of(each)) if each.type == "constant" else UNKNOWN for each in mixed]
        uses.bases[side] = (*uses.bases.get(side, ()), *named)


def class_side(uses: UsesBuilder, scope: int) -> int:
    """Return the scope of what a class has apart from its objects; another scope than that of a class itself."""
    side = get_class_side(uses.scopes, scope)
    return side if side >= 0 else scope


def method_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a method, which returns its last expression."""
    name = require_field(node, "name")
    scope = class_side(uses, scope) if node.type == "singleton_method" else scope
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    around = around_blocks(uses, scope)
    is_member = uses.scopes[around].kind is ScopeKind.CLASS
    # Outside of classes, a block may be the body of a class that a test framework makes.
    holder = around if is_member else scope
    # Unlike a local variable, a method may be used before its definition.
    text, (line, column) = uses.source.of(name), uses.source.place(name)
    method = Binding(text, holder, BindingKind.DEFINITION, line, column, uses.symbol_at(name), within=holder)
    if text.endswith("="):
        # A setter that is written out replaces the one that `attr_accessor` has made.
        made = (holder, BindingKind.ASSIGNMENT)
        uses.bindings[text] = [each for each in uses.bindings[text] if (each.scope, each.kind) != made]
    uses.bindings[text].append(method)
    if is_member and uses.source.of(name) == _CONSTRUCTOR:
        uses.bind(name, holder, BindingKind.DEFINITION, bound_as="__init__")
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


def bind_accessors(uses: UsesBuilder, accessor: str, arguments: Node, scope: int) -> None:
    """Bind the members of `attr_accessor :name`, which access `@name`."""
    for each in arguments.named_children:
        if each.type == "simple_symbol":
            value = member_of(OWN_OBJECT, f"@{uses.source.of(each)[1:]}")
            for suffix in _ACCESSED[accessor]:
                _bind_symbol(uses, each, scope, value, suffix)
        else:
            uses.visit(each, scope)


def alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the first name of `alias new old`, and use the second."""
    bind_alias(uses, require_field(node, "name"), require_field(node, "alias"), scope)


def bind_alias(uses: UsesBuilder, name: Node, of: Node, scope: int) -> None:
    """Bind a further name of a method; either name may be a symbol."""
    scope = around_blocks(uses, scope)
    text, (line, column) = uses.source.of(of), uses.source.place(of)
    called, shift = text.removeprefix(":"), text.startswith(":")
    receiver = None
    if uses.scopes[scope].kind is ScopeKind.CLASS:
        receiver = OWN_CLASS if get_class_side(uses.scopes, scope - 1) == scope else OWN_OBJECT
    value = member_of(receiver, called) if receiver is not None else uses.name(called)
    if name.type == "simple_symbol":
        _bind_symbol(uses, name, scope, value)
    else:
        uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value)
    uses.references[called].append(Reference(called, READ, line, column + shift, scope, receiver))


def bind_delegated(uses: UsesBuilder, delegation: Delegation, scope: int) -> None:
    """Bind the methods of `delegate :name, to: :client`, each of which calls that of another object."""
    receiver = member_of(OWN_OBJECT, delegation.receiver)
    for symbol, called in delegation.methods:
        _bind_symbol(uses, symbol, scope, member_of(receiver, called))
        line, column = uses.source.place(symbol)
        uses.references[called].append(Reference(called, CALL, line, column + 1, scope, receiver))


def _bind_symbol(uses: UsesBuilder, symbol: Node, scope: int, value: Expression, suffix: str = "") -> None:
    """Bind the member that a symbol names behind its colon."""
    line, column = uses.source.place(symbol)
    name, index = f"{uses.source.of(symbol)[1:]}{suffix}", uses.symbol_at(symbol, behind=1)
    binding = Binding(name, scope, BindingKind.ASSIGNMENT, line, column + 1, index, within=scope, value=value)
    uses.bindings[name].append(binding)
