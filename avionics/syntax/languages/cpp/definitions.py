"""Declarations of C++ beyond C: namespaces, templates, loops and handlers, aliases, initialiser lists, friends."""

from __future__ import annotations

from msgspec import structs

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import OUTERMOST, UNKNOWN, Expression
from avionics.syntax.engine.expressions import element_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, code_children, require_field
from avionics.syntax.engine.uses import ANNOTATE, CALL, WRITE, UsesBuilder
from avionics.syntax.languages.c.declarators import iter_scopes, last_name, read_declarator
from avionics.syntax.languages.c.definitions import (
    bind_parameters,
    define_function,
    variable_of,
)
from avionics.syntax.languages.c.definitions import macro as define_macro
from avionics.syntax.languages.c.types import TAGGED, bind_listed_template_parameters
from avionics.syntax.languages.cpp.outline import (
    inherits_constructors,
    is_inline,
    iter_leaves,
    namespace_names,
    opened_namespace,
)


def namespace(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a namespace, whose names are its members."""
    body = require_field(node, "body")
    for name in () if is_inline(node) else namespace_names(node):
        uses.bind(name, scope, BindingKind.DEFINITION)
        scope = uses.open(ScopeKind.CLASS, scope, uses.source.span(node), uses.symbol_at(name))
    uses.visit_children(body, scope)


def macro(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a macro, and the namespace that its body opens, to which the declarations at its uses belong."""
    value = node.child_by_field_name("value")
    opened = opened_namespace(uses.source.of(value)) if value is not None else ""
    if value is not None and opened:
        uses.bind(value, 0, BindingKind.DEFINITION, bound_as=opened)
        inner = uses.open(ScopeKind.CLASS, 0, uses.source.span(node), uses.symbol_at(value))
        uses.bind_import(value, inner)
    define_macro(uses, node, scope, role)


def alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `using T = …`."""
    name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
    within = scope
    if node.parent is not None and node.parent.type == "template_declaration":
        within = uses.open_block(node, scope)
        bind_listed_template_parameters(uses, node.parent, within)
    if name is not None and written is not None:
        own = uses.references[uses.source.of(name)]
        first, around = len(own), uses.scopes[scope].parent
        value = uses.visit(written, within, ANNOTATE)
        # `using T = list<T>` declares the name behind its value, in which the name is that of the scope around.
        for at in (at for at in range(first, len(own)) if around >= 0 and own[at].receiver is None):
            own[at] = structs.replace(own[at], scope=around)
        uses.bind(name, scope, BindingKind.ASSIGNMENT, within=within, value=value)


def namespace_alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `namespace a = b::c`."""
    name = node.child_by_field_name("name")
    value: Expression = UNKNOWN
    for child in node.named_children:
        if child == name:
            continue
        for part in iter_leaves(child):
            if value is UNKNOWN:
                value = _first_name(uses, part, scope, child)
            else:
                value = uses.member(part, scope, ANNOTATE, value)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value)


def _first_name(uses: UsesBuilder, part: Node, scope: int, whole: Node) -> Expression:
    """Use the first part of a qualified name, which with a leading `::` is looked up in the file."""
    if not uses.source.of(whole).startswith("::"):
        return uses.name(uses.add_reference(part, scope, ANNOTATE))
    return Expression(ExpressionKind.NAME, uses.add_reference(part, 0, ANNOTATE), index=OUTERMOST)


def using(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the names that `using namespace a` or `using a::b` imports from a namespace or a base class."""
    written = next(iter(code_children(node)), None)
    if written is None:
        return
    name = last_name(written)
    is_space = any(child.type == "namespace" for child in node.children)
    if inherits_constructors(written):
        uses.add_reference(name, scope, ANNOTATE)
    index = uses.bind_import(name, scope)
    outer: Expression | None = None
    for part in (*map(last_name, iter_scopes(written)), *((name,) if is_space else ())):
        outer = _first_name(uses, part, scope, written) if outer is None else uses.member(part, scope, ANNOTATE, outer)
    symbol = uses.scopes[scope].symbol if uses.scopes[scope].kind is ScopeKind.CLASS else -1
    if index >= 0 and symbol >= 0 and uses.facts.symbols[symbol].kind is not SymbolKind.MODULE:
        # In a class it names a member of a base, which may be written as any type.
        uses.add_reference(name, scope, ReferenceKind.READ, outer)
    elif index >= 0 and not is_space:
        uses.add_reference(name, scope, ReferenceKind.IMPORT, index=index)


def template(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a template, whose parameters are bound by the definition in it, though not by a class declaration."""
    for child in node.named_children:
        if child.type in TAGGED and child.child_by_field_name("body") is None:
            bind_listed_template_parameters(uses, node, uses.open_block(node, scope))
        if child.type not in {"template_parameter_list", "requires_clause"}:
            uses.visit(child, scope)


def concept(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a concept."""
    name = node.child_by_field_name("name")
    inner = uses.open_block(node, scope)
    if node.parent is not None and node.parent.type == "template_declaration":
        bind_listed_template_parameters(uses, node.parent, inner)
    for child in node.named_children:
        if child == name:
            uses.bind(child, scope, BindingKind.DEFINITION)
        else:
            uses.visit(child, inner)


def initializers(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit `: field(value), Base(value)` of a constructor, whose parameters do not shadow members and bases."""
    outside = uses.scopes[scope].parent
    for entry in node.named_children:
        first, *rest = entry.named_children or (None,)
        if first is not None and first.type == "field_identifier":
            uses.add_reference(first, outside, WRITE)
        elif first is not None and first.type == "template_method":
            uses.add_reference(last_name(first), outside, CALL)
            uses.visit_field(first, "arguments", scope)
        else:
            uses.visit(first, outside, CALL)
        for child in rest:
            uses.visit(child, scope)


def for_range(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `for (T x : values)`."""
    inner = uses.open_block(node, scope)
    uses.visit_field(node, "initializer", inner)
    values = uses.visit_field(node, "right", inner)
    written = uses.visit_field(node, "type", inner, ANNOTATE)
    declarator = node.child_by_field_name("declarator")
    declared = read_declarator(declarator) if declarator is not None else None
    if declared is not None:
        variable_of(uses, declared.name, inner, written, element_of(values))
    uses.visit_field(node, "body", inner)


def catch(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `catch (T& e) { … }`."""
    inner = uses.open_block(node, scope)
    bind_parameters(uses, node, inner)
    uses.visit_body(node, inner)


def friend(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use a friend, which is no member; a friend function is declared around the class, whose names its body sees."""
    around = uses.scopes[scope].parent
    for child in node.named_children:
        if child.type in {"declaration", "function_definition"}:
            declared = read_declarator(child.child_by_field_name("declarator") or child)
            if declared is None or declared.function is None:
                continue
            if child.type == "function_definition":
                define_function(uses, child, around, scope)
            else:
                inner = uses.open(ScopeKind.FUNCTION, scope, uses.source.span(child))
                bind_parameters(uses, declared.function, inner)
                uses.visit_children(child_of(declared.function, "trailing_return_type"), inner)
                uses.visit_field(child, "type", scope, ANNOTATE)
                if declared.name.type in {"identifier", "qualified_identifier"}:
                    uses.visit(declared.name, around, ReferenceKind.IMPORT)
        else:
            uses.visit(child, around, ANNOTATE)
