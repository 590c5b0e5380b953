"""Rust items: functions, types, traits, `impl`s, modules, `use`, and the scopes they open."""

from __future__ import annotations

import re

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression, replace
from avionics.model.naming import tagged
from avionics.syntax.engine.expressions import member_of, one_of, subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import (
    child_of,
    children_of,
    code_children,
    field_of,
    first_child,
    require_field,
    require_fields,
)
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, READ, UsesBuilder
from avionics.syntax.languages.rust.expressions import parameter
from avionics.syntax.languages.rust.macros import mention_all, use_macro
from avionics.syntax.languages.rust.outline import last_type_name
from avionics.syntax.languages.rust.paths import UsedName, iter_module_files, iter_used_names
from avionics.syntax.languages.rust.types import bounds, module_head, path_owner

_INERT = frozenset(
    {
        "allow", "cfg", "deny", "deprecated", "doc", "expect", "forbid", "inline", "link", "must_use", "repr",
        "target_feature", "warn",
    }
)  # fmt: skip
"""Attributes of the language itself, which refer to nothing in the code."""
_SPELT = re.compile(r"[^\W\d]\w*")
_ASSOCIATED = {
    "Iterator": ("Item",),
    "DoubleEndedIterator": ("Item",),
    "IntoIterator": ("Item",),
    "Deref": ("Target",),
    "DerefMut": ("Target",),
    "Future": ("Output",),
    "Index": ("Output",),
}
"""Traits of the stub whose arguments are the associated types of implementations."""


def function_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a function, and visit its body in a scope of its own."""
    name, parameters = require_fields(node, "name", "parameters")
    symbol = uses.symbol_at(name)
    uses.bind(name, scope, BindingKind.DEFINITION)
    entries = code_children(parameters)
    own = "self" if entries and _is_self_parameter(uses, entries[0]) else ""
    inner = uses.open(ScopeKind.FUNCTION, scope, node, symbol, own)
    for entry in entries:
        pattern = entry.child_by_field_name("pattern")
        if pattern is not None and pattern.type == "identifier":
            # Bounds and the types of parameters are read before parameters are bound, which they never refer to.
            uses.moved[uses.source.of(pattern), inner] = scope
    type_parameters(uses, node, inner)
    for entry in entries:
        if entry.type == "parameter":
            parameter(uses, entry, inner, inner)
    declared = node.child_by_field_name("return_type")
    if declared is not None:
        uses.results[symbol] = uses.visit(declared, inner, ANNOTATE)
    uses.visit_field(node, "body", inner)


def _is_self_parameter(uses: UsesBuilder, entry: Node) -> bool:
    return entry.type == "self_parameter" or uses.source.of(entry.child_by_field_name("pattern")) == "self"


def type_parameters(uses: UsesBuilder, node: Node, inner: int) -> None:
    """Bind `<T: Bound>` with all that a `where` adds."""
    where_bounds: dict[str, list[Expression]] = {}
    for predicate in children_of(child_of(node, "where_clause")):
        left, right = predicate.child_by_field_name("left"), predicate.child_by_field_name("bounds")
        uses.visit(left, inner, ANNOTATE)
        if right is not None and left is not None:
            where_bounds.setdefault(uses.source.of(left), []).append(bounds(uses, right, inner, ANNOTATE))
    for entry in children_of(node, "type_parameters"):
        name = entry.child_by_field_name("name")
        if name is None or entry.type not in {"type_parameter", "const_parameter"}:
            continue
        uses.visit_field(entry, "default_type", inner, ANNOTATE)
        field = "bounds" if entry.type == "type_parameter" else "type"
        written = (uses.visit_field(entry, field, inner, ANNOTATE), *where_bounds.get(uses.source.of(name), ()))
        uses.bind(name, inner, BindingKind.TYPE_PARAMETER, within=inner, annotation=one_of(written))


def struct_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a struct with its fields; fields without a name are called by their position."""
    name = require_field(node, "name")
    body = node.child_by_field_name("body")
    inner = uses.define_class(name, node, scope)
    type_parameters(uses, node, inner)
    if body is not None and body.type == "ordered_field_declaration_list":
        _bind_positions(uses, body, inner, (f"{uses.source.of(name)}.", ""))
    elif body is not None:
        _fields(uses, body, inner)


def _fields(uses: UsesBuilder, body: Node, scope: int) -> None:
    _attributes(uses, body, scope)
    for field in body.named_children:
        name, declared = field.child_by_field_name("name"), field.child_by_field_name("type")
        if field.type == "field_declaration" and name is not None and declared is not None:
            annotation = uses.visit(declared, scope, ANNOTATE)
            as_field = tagged(uses.source.of(name))
            uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=annotation, bound_as=as_field)


def _bind_positions(uses: UsesBuilder, body: Node, scope: int, prefixes: tuple[str, ...]) -> None:
    """Bind the items of a tuple under the names that patterns and member accesses use."""
    _attributes(uses, body, scope)
    for position, declared in enumerate(body.children_by_field_name("type")):
        annotation = uses.visit(declared, scope, ANNOTATE)
        for prefix in prefixes:
            uses.bind_text(f"{prefix}{position}", declared, scope, annotation=annotation)


def enum_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind an enum with its variants."""
    name = require_field(node, "name")
    body = node.child_by_field_name("body")
    inner = uses.define_class(name, node, scope)
    type_parameters(uses, node, inner)
    own = uses.name(uses.source.of(name))
    if body is not None:
        _attributes(uses, body, inner)
    for variant in children_of(body):
        if variant.type == "enum_variant":
            _variant(uses, variant, inner, own)


def _variant(uses: UsesBuilder, node: Node, scope: int, enum_value: Expression) -> None:
    """Bind a variant: an object of the enum, a function that returns one, or an object with its own fields."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return
    uses.visit_field(node, "value", scope)
    if body is None:
        uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=enum_value)
    elif body.type == "ordered_field_declaration_list":
        uses.bind(name, scope, BindingKind.DEFINITION)
        _bind_positions(uses, body, scope, (f"{uses.source.of(name)}.",))
        uses.open(ScopeKind.FUNCTION, scope, node, uses.symbol_at(name))
        uses.results[uses.symbol_at(name)] = enum_value
    else:
        inner = uses.open(ScopeKind.CLASS, scope, node)
        uses.bases[inner] = (enum_value,)
        uses.bind(name, scope, BindingKind.ASSIGNMENT, value=Expression(ExpressionKind.OBJECT, index=inner))
        _fields(uses, body, inner)


def trait_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a trait with its required and provided members."""
    name = require_field(node, "name")
    inner = uses.define_class(name, node, scope)
    type_parameters(uses, node, inner)
    found = [uses.visit(base, inner, INHERIT) for base in children_of(node, "bounds")]
    uses.bases[inner] = tuple(base for base in found if base is not UNKNOWN)
    uses.visit_body(node, inner)


def impl_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit the members that are added to a type, possibly for a trait."""
    type_node = require_field(node, "type")
    trait = node.child_by_field_name("trait")
    inner = uses.open(ScopeKind.CLASS, scope, node)
    type_parameters(uses, node, inner)
    added_to = uses.visit(type_node, inner, ANNOTATE)
    uses.scopes[inner] = replace(uses.scopes[inner], of=added_to)
    base = uses.visit(trait, inner, INHERIT)
    uses.visit_body(node, inner)
    if trait is not None and base is not UNKNOWN:
        uses.bases[inner] = (_with_associated(uses, base, trait, inner),)


def _with_associated(uses: UsesBuilder, base: Expression, trait: Node, scope: int) -> Expression:
    """Return a trait of the stub with the associated types of the implementation."""
    name = last_type_name(trait)
    wanted = _ASSOCIATED.get(uses.source.of(name), ()) if name is not None else ()
    given = [bound.value for each in wanted for bound in uses.bindings.get(each, ()) if bound.scope == scope]
    return subscripted(base, *given) if given else base


def alias_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `type A = B;` or an associated type of a trait."""
    name = require_field(node, "name")
    within = scope
    if node.child_by_field_name("type_parameters") is not None:
        within = uses.open_block(node, scope)
        type_parameters(uses, node, within)
    above = node.child_by_field_name("bounds")
    value = uses.visit_field(node, "type", within, ANNOTATE)
    if above is not None:
        value = bounds(uses, above, within, ANNOTATE)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, within=within, value=value)


def value_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a `const` or `static`."""
    name = node.child_by_field_name("name")
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    uses.visit_field(node, "value", scope)
    if name is not None and uses.source.of(name) != "_":
        uses.bind(name, scope, BindingKind.ASSIGNMENT, annotation=annotation)


def mod_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `mod x { … }` with its members, or `mod x;`, an import of a file."""
    name = require_field(node, "name")
    body = node.child_by_field_name("body")
    if body is None:
        for place, _ in iter_module_files(uses.source, node):
            uses.bind_import(place, scope)
        return
    uses.visit_children(body, uses.define_class(name, node, scope))


def extern_crate(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `extern crate x as y;`."""
    uses.use_import(require_field(node, "name"), scope)


def use_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the names of a `use` tree, and use them and the modules on their paths."""
    argument = require_field(node, "argument")
    for place, used in iter_used_names(uses.source, argument):
        index = uses.bind_import(place, scope)
        if place.type == "identifier":
            uses.add_reference(place, scope, ReferenceKind.IMPORT, None, index)
        elif place.type == "self":
            _refer_own(uses, place, scope, used, index)
    _use_paths(uses, argument, scope, UNKNOWN)


def _refer_own(uses: UsesBuilder, place: Node, scope: int, used: UsedName, index: int) -> None:
    """Use `b` in `a::b::{self}`, which `self` imports."""
    owner = place.parent.parent if place.parent is not None else None
    path = field_of(owner, "path")
    name = path.child_by_field_name("name") if path is not None and path.type == "scoped_identifier" else path
    if name is not None and uses.source.of(name) == used.name:
        uses.add_reference(name, scope, ReferenceKind.IMPORT, None, index)


def _use_paths(uses: UsesBuilder, node: Node, scope: int, before: Expression) -> None:
    """Use the modules in the paths of a `use` tree: `a` and `b` of `use a::{b::C, D}`."""
    match node.type:
        case "scoped_use_list":
            way, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
            module = _use_path(uses, way, scope, before) if way is not None else before
            if inner is not None:
                _use_paths(uses, inner, scope, module)
        case "use_list":
            for child in node.named_children:
                _use_paths(uses, child, scope, before)
        case "use_as_clause":
            way = node.child_by_field_name("path")
            if way is not None:
                _use_paths(uses, way, scope, before)
        case "use_wildcard" if node.named_children:
            _use_path(uses, node.named_children[0], scope, before)
        case "scoped_identifier":
            way = node.child_by_field_name("path")
            if way is not None:
                _use_path(uses, way, scope, before)


def _use_path(uses: UsesBuilder, node: Node, scope: int, before: Expression) -> Expression:
    """Use the parts of one path of a `use` tree, and return the value that it leads to."""
    if before is UNKNOWN:
        return path_owner(uses, node, scope)
    if node.type == "scoped_identifier":
        way, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        owner = _use_path(uses, way, scope, before) if way is not None else before
        if name is None:
            return owner
        node = name
    else:
        owner = before
    if node.type in {"self", "super", "crate"}:
        return module_head(uses, node, scope)
    return uses.member(node, scope, READ, owner)


def _attributes(uses: UsesBuilder, body: Node, scope: int) -> None:
    """Visit the attributes of fields and variants."""
    for child in body.named_children:
        if child.type == "attribute_item":
            attribute_item(uses, child, scope, READ)


def attribute_item(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use the traits in `#[derive(A, b::C)]`; how other macros use their arguments is not known.

    The value of an attribute is a literal, or a macro that makes one: `#[doc = linked!(name)]` uses no `name`.
    """
    attribute = first_child(node)
    macro = field_of(attribute, "value", "macro")
    if macro is not None:
        use_macro(uses, macro, scope)
    arguments = field_of(attribute, "arguments")
    if attribute is None or arguments is None:
        return
    name = uses.source.of(attribute.named_children[0])
    if name != "derive":
        if name not in _INERT:
            mention_all(uses, arguments, scope)
            _mention_strings(uses, arguments)
        return
    before: Expression | None = None
    for token in arguments.children:
        if token.type == "identifier":
            text = uses.add_reference(token, scope, ReferenceKind.DECORATE, before)
            before = member_of(before, text) if before is not None else uses.name(text)
        elif token.type != "::":
            before = None


def _mention_strings(uses: UsesBuilder, tokens: Node) -> None:
    """Record the names in strings among tokens: `#[serde(with = "path::of::module")]`."""
    pending = [tokens]
    while pending:
        for child in pending.pop().named_children:
            if child.type == "string_literal":
                line, column = uses.source.place(child)
                for found in _SPELT.finditer(uses.source.of(child)):
                    # A name that a format string captures is noted as a use.
                    used = uses.references.get(found[0], ())
                    if (line, column + found.start()) not in {(each.line, each.column) for each in used}:
                        uses.strings[found[0]].append(line)
            elif child.named_child_count:
                pending.append(child)
