"""Rust types and the paths in them, as expressions."""

from __future__ import annotations

import itertools
import re

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.common_rules import constant, undeclared_name
from avionics.syntax.engine.expressions import NOTHING, OWN_CLASS, member_of, subscripted, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, first_child
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, UsesBuilder, UsesRule
from avionics.syntax.languages.rust.paths import ABOVE, CRATE, OWN, PATH

_SILENT = frozenset({"lifetime", "mutable_specifier", "removed_trait_bound", "line_comment", "block_comment"})
_VALUES = frozenset({BindingKind.PARAMETER, BindingKind.ASSIGNMENT})
_LOCAL = frozenset({ScopeKind.FUNCTION, ScopeKind.BLOCK})
_HEADS = frozenset({"self", "super", "crate"})


def typed(declared: Expression) -> Expression:
    """Return a value of a written type."""
    return Expression(ExpressionKind.TYPED, "", (declared,))


def applied(uses: UsesBuilder, name: str, *arguments: Expression) -> Expression:
    """Return a type of the stub with its arguments."""
    return subscripted(uses.name(name), *arguments)


def type_name(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use the bare name of a type; `Self` and `_` use none."""
    text = uses.source.of(node)
    if text == "_":
        return UNKNOWN
    if text == "Self":
        return uses.name(text)
    return uses.name(uses.add_reference(node, scope, role if role is not READ else ANNOTATE))


def generic_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a type with its arguments, then the associated types that it fixes."""
    owner = uses.visit_field(node, "type", scope, role)
    written = [child for child in children_of(node, "type_arguments") if child.type not in _SILENT]
    bounded = {before.id for before, child in itertools.pairwise(written) if child.type == "trait_bounds"}
    for name in (child for child in written if child.id in bounded):
        # The associated type of `Iterator<Item: Clone>` is read as an argument.
        uses.add_reference(name, scope, ANNOTATE, owner)
    given = [_argument(uses, child, scope, owner) for child in written if child.id not in bounded]
    return subscripted(owner, *given) if given else owner


def _argument(uses: UsesBuilder, node: Node, scope: int, owner: Expression) -> Expression:
    """Read one argument of a generic type: `T`, or `Item = T`."""
    if node.type != "type_binding":
        return uses.visit(node, scope, ANNOTATE)
    name = node.child_by_field_name("name")
    if name is not None:
        uses.add_reference(name, scope, ANNOTATE, owner)
    return uses.visit_field(node, "type", scope, ANNOTATE)


def wrapped_type(field: str) -> UsesRule:
    """Return a rule for a type that is treated as the type inside it: `&T`, `*const T`, `impl T`, `dyn T`."""

    def rule(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
        return uses.visit_field(node, field, scope, role if role is not READ else ANNOTATE)

    return rule


def array_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `[T]` or `[T; N]`."""
    element = uses.visit_field(node, "element", scope, ANNOTATE)
    uses.visit_field(node, "length", scope)
    return applied(uses, "slice", element)


def tuple_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `(A, B)`."""
    return applied(uses, "tuple", *(uses.visit(child, scope, ANNOTATE) for child in node.named_children))


def function_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `fn(A) -> B` or `Fn(A) -> B`."""
    uses.visit_field(node, "trait", scope, ANNOTATE)
    given = [
        uses.visit(child.child_by_field_name("type") or child, scope, ANNOTATE)
        for child in children_of(node, "parameters")
        if child.type not in _SILENT
    ]
    result = node.child_by_field_name("return_type")
    gives = uses.visit(result, scope, ANNOTATE) if result is not None else NOTHING
    return Expression(ExpressionKind.FUNCTION, "", (gives, *given))


def bounded_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `A + B + 'a`, something that has all these bounds."""
    return bounds(uses, node, scope, role if role is not READ else ANNOTATE)


def bounds(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read the traits of a list of bounds."""
    found = [uses.visit(child, scope, role) for child in node.named_children if child.type not in _SILENT]
    found = [each for each in found if each is not UNKNOWN]
    return found[0] if len(found) == 1 else union_of(found) if found else UNKNOWN


def path(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a::b::C`, each part of which is a member of the part before."""
    before, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if name is None:
        uses.visit_children(node, scope)
        return UNKNOWN
    if before is None:
        return uses.name(uses.add_reference(name, scope, role))
    if name.type in _HEADS:
        return module_head(uses, node, scope)
    seen_from = _outside_values(uses, before, scope)
    owner = path_owner(uses, before, seen_from)
    if seen_from != scope:
        text = uses.add_reference(name, seen_from, role, owner)
        if owner.kind is not ExpressionKind.NAME:
            return UNKNOWN
        around = own_module(uses, seen_from)
        return member_of(member_of(around, owner.name), text)
    if uses.source.of(name) in {"default", "from", "from_iter"} and role is CALL:
        uses.add_reference(name, scope, role, owner)
        return Expression(ExpressionKind.FUNCTION, "", (typed(owner if owner != OWN_CLASS else uses.name("Self")),))
    return uses.member(name, scope, role, owner)


def path_owner(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read the path before `::`."""
    if node.type in _HEADS:
        return module_head(uses, node, scope)
    if node.type == "bracketed_type":
        return _qualified(uses, node, scope)
    if uses.source.of(node) == "Self":
        return OWN_CLASS
    if node.type == "identifier" and _is_only_called(uses, uses.source.of(node)):
        return uses.name(f"{uses.source.of(node)}{PATH}")
    return uses.visit(node, scope, READ if node.type == "identifier" else ANNOTATE)


def _is_only_called(uses: UsesBuilder, name: str) -> bool:
    """Return whether a file has only functions or macros of that name, with which no path can begin.

    As far as the file shows, `log` is a macro in `use log::log; log!()`.
    """
    symbols = uses.facts.symbols
    outer = {index for index, symbol in enumerate(symbols) if symbol.kind is SymbolKind.MODULE} | {-1}
    kinds = {symbol.kind for symbol in symbols if symbol.name == name and symbol.parent in outer}
    imported = [each for each in uses.facts.imports if each.alias == name]
    if kinds or not imported:
        return bool(kinds) and kinds <= {SymbolKind.FUNCTION, SymbolKind.MACRO} and not imported
    is_of_crate = all((each.module, each.name) == (name, name) for each in imported)
    return is_of_crate and re.search(rb"\b%b!\s*[(\[{]" % re.escape(name.encode()), uses.source.content) is not None


def _outside_values(uses: UsesBuilder, before: Node, scope: int) -> int:
    """Return the scope in which to look up the first part of a path: variables do not hide a module."""
    head: Node | None = before
    while head is not None and head.type == "scoped_identifier":
        head = head.child_by_field_name("path")
    if head is None or head.type != "identifier":
        return scope
    text = uses.source.of(head)
    bound = uses.bindings.get(text, ())
    symbols = uses.facts.symbols
    are_types = [each.symbol >= 0 and symbols[each.symbol].kind is SymbolKind.TYPE for each in bound]
    values = {
        each.scope for each, is_type in zip(bound, are_types, strict=True) if each.kind in _VALUES and not is_type
    }
    current = scope
    while current > 0 and uses.scopes[current].kind in _LOCAL:
        if current in values or (text, current) in uses.moved:
            scope = uses.scopes[current].parent
        current = uses.scopes[current].parent
    return scope


def _qualified(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read `<T as Trait>`, whose members are those of `T`."""
    inner = first_child(node)
    if inner is None or inner.type != "qualified_type":
        return uses.visit(inner, scope, ANNOTATE)
    of = uses.visit_field(inner, "type", scope, ANNOTATE)
    uses.visit_field(inner, "alias", scope, ANNOTATE)
    return OWN_CLASS if of == uses.name("Self") else of


def module_head(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Return the module of `crate`, `self` or `super::super`, seen from the inline modules around."""
    supers, head = 0, node
    while head.type == "scoped_identifier":
        before = head.child_by_field_name("path")
        if before is None:
            return UNKNOWN
        supers, head = supers + 1, before
    if head.type == "crate":
        return uses.name(CRATE)
    return own_module(uses, scope, supers + (head.type == "super"))


def own_module(uses: UsesBuilder, scope: int, supers: int = 0) -> Expression:
    """Return the module of a scope, or one above it."""
    around: list[str] = []
    while scope >= 0:
        symbol = uses.scopes[scope].symbol
        if symbol >= 0 and uses.facts.symbols[symbol].kind is SymbolKind.MODULE:
            around.insert(0, uses.facts.symbols[symbol].name)
        scope = uses.scopes[scope].parent
    found = uses.name(OWN)
    for part in (*around[: max(0, len(around) - supers)], *[ABOVE] * max(0, supers - len(around))):
        found = member_of(found, part)
    return found


def metavariable(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `$crate`."""
    return uses.name(CRATE) if uses.source.of(node) == "$crate" else UNKNOWN


TYPES = {
    "type_identifier": type_name,
    "primitive_type": undeclared_name,
    "generic_type": generic_type,
    **dict.fromkeys(("reference_type", "pointer_type", "higher_ranked_trait_bound"), wrapped_type("type")),
    **dict.fromkeys(("abstract_type", "dynamic_type"), wrapped_type("trait")),
    "array_type": array_type,
    "tuple_type": tuple_type,
    "function_type": function_type,
    "bounded_type": bounded_type,
    "trait_bounds": bounds,
    **dict.fromkeys(("unit_type", "never_type"), constant(NOTHING)),
    **dict.fromkeys(("scoped_identifier", "scoped_type_identifier"), path),
    "metavariable": metavariable,
}
