"""Classes, interfaces, enums, aliases and namespaces, and the scopes they open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.doc_comments import DocComment, DocDeclaration
from avionics.syntax.engine.expressions import subscripted, typed
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, code_children, require_fields
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, READ, UsesBuilder
from avionics.syntax.languages.typescript.definitions import open_function
from avionics.syntax.languages.typescript.documentation.comments import read_doc_comments
from avionics.syntax.languages.typescript.documentation.types import (
    bind_members,
    bind_templates,
    comment_of,
    declared_type,
    is_any,
    list_properties,
    read_type,
)
from avionics.syntax.languages.typescript.modules import ambient_module
from avionics.syntax.languages.typescript.names import named_place
from avionics.syntax.languages.typescript.node_predicates import last_name, name_of_key, unwrap
from avionics.syntax.languages.typescript.types import STRING, declare_type_parameters, function_type, generic

_MAX_SIGNATURES = 8
"""The maximum number of call signatures kept for an object; dozens differ only in arity."""


def signature(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the result of calling or constructing an object of an interface."""
    special = "__call__"
    annotation = function_type(uses, node, scope, role)
    if sum(each.scope == scope for each in uses.bindings[special]) < _MAX_SIGNATURES:
        uses.bind_text(special, node, scope, annotation=annotation)


def index_signature(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind the result of indexing, and every undeclared member unless keys are numbers: `[key: string]: T`."""
    clause = child_of(node, "mapped_type_clause")
    if clause is not None:
        return
    uses.visit_field(node, "index_type", scope, ANNOTATE)
    annotation = Expression(ExpressionKind.FUNCTION, "", (uses.visit_field(node, "type", scope, ANNOTATE), STRING))
    key = node.child_by_field_name("index_type")
    is_number = key is not None and key.text == b"number"
    for special in ("__getitem__",) if is_number else ("__getitem__", "__getattr__"):
        uses.bind_text(special, node, scope, annotation=annotation)


def field(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a member that holds a value."""
    key = node.child_by_field_name("name") or node.child_by_field_name("property")
    name = name_of_key(key)
    for child in node.named_children:
        if child.type in {"decorator", "computed_property_name"}:
            uses.visit(child, scope)
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    if annotation is UNKNOWN and uses.comments:
        annotation = declared_type(uses, node, scope)
    value_node = node.child_by_field_name("value")
    inner = unwrap(value_node) if value_node is not None else None
    if inner is not None and name is not None and inner.type == "arrow_function" and annotation is UNKNOWN:
        uses.bind(name, scope, BindingKind.DEFINITION)
        open_function(uses, inner, scope, uses.symbol_at(name), "this")
        return
    value = uses.visit(value_node, scope, READ, typed(annotation))
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value, annotation=annotation)


def class_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a class, declared or used as a value."""
    name = node.child_by_field_name("name")
    place = (named_place(node) if node.type == "class" else None) or name
    symbol = next((at for each in (place, name) if (at := uses.symbol_at(each)) >= 0), -1)
    if symbol >= 0 and uses.facts.symbols[symbol].kind is not SymbolKind.CLASS:
        symbol = -1
    if name is not None and node.type != "class":
        uses.bind(name, scope, BindingKind.DEFINITION)
    inner = uses.open(ScopeKind.CLASS, scope, node, symbol)
    if symbol < 0:
        uses.bases[inner] = ()
    declare_type_parameters(uses, node, inner)
    comment = comment_of(uses, node)
    bind_templates(uses, comment, inner)
    for child in node.named_children:
        if child.type == "decorator":
            uses.visit(child, scope, ReferenceKind.DECORATE)
        elif child.type == "class_heritage":
            _heritage(uses, child, inner)
    if comment is not None:
        _documented_heritage(uses, comment, inner)
    uses.visit_body(node, inner)


def _heritage(uses: UsesBuilder, node: Node, scope: int) -> None:
    """Read `extends A<B> implements C`."""
    found: list[Expression] = []
    for clause in node.named_children:
        if clause.type == "implements_clause":
            found.extend(typed(uses.visit(child, scope, INHERIT)) for child in clause.named_children)
        elif clause.type == "extends_clause":
            found.extend(_extended(uses, clause, scope))
        else:
            found.append(uses.visit(clause, scope, INHERIT))
    uses.bases[scope] = tuple(found)


def _documented_heritage(uses: UsesBuilder, comment: DocComment, scope: int) -> None:
    """Read `@extends {A<B>}`, which tells the arguments of the base of a class, and `@implements {C}`."""
    bases = list(uses.bases.get(scope, ()))
    for tag in comment.find("extends"):
        base = read_type(uses, tag, scope, INHERIT)
        if bases and base.kind is ExpressionKind.SUBSCRIPT and base.parts[0].name == bases[0].name:
            bases[0] = typed(base)
    for tag in comment.find("implements"):
        base = first = read_type(uses, tag, scope, INHERIT)
        while first.parts:
            first = first.parts[0]
        # A comment may name a type that nothing declares.
        if first.name in uses.declared_names:
            bases.append(typed(base))
    if bases:
        uses.bases[scope] = tuple(bases)


def _extended(uses: UsesBuilder, clause: Node, scope: int) -> list[Expression]:
    found: list[Expression] = []
    for child in clause.named_children:
        if child.type == "type_arguments":
            arguments = tuple(uses.visit(part, scope, ANNOTATE) for part in child.named_children)
            found[-1] = subscripted(found[-1], *arguments)
        else:
            found.append(uses.visit(child, scope, INHERIT))
    return found


def interface(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind an interface; one in `declare module 'x'` extends that module's interface of the same name."""
    name, body = require_fields(node, "name", "body")
    if uses.bind_import(name, scope) >= 0:
        inner = uses.open(ScopeKind.CLASS, scope, node, of=uses.name(uses.source.of(name)))
    else:
        inner = uses.define_class(name, node, scope)
    declare_type_parameters(uses, node, inner)
    for child in node.named_children:
        if child.type == "extends_type_clause":
            bases = code_children(child)
            uses.bases[inner] = tuple(typed(uses.visit(base, inner, INHERIT)) for base in bases)
    uses.visit_children(body, inner)


def enum(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind an enum, whose members are its instances."""
    name, body = require_fields(node, "name", "body")
    inner = uses.define_class(name, node, scope)
    own = uses.name(uses.source.of(name))
    for member in code_children(body):
        if member.type == "enum_assignment":
            uses.visit_field(member, "value", inner)
        key = member.child_by_field_name("name") if member.type == "enum_assignment" else member
        place = name_of_key(key)
        uses.bind(place, inner, BindingKind.ASSIGNMENT, within=scope, annotation=own)


def alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `type A<T> = …`; a type made of an object type has members of its own."""
    name, value = require_fields(node, "name", "value")
    is_generic = node.child_by_field_name("type_parameters") is not None
    _bind_alias(uses, name, node, value, scope, is_generic, lambda inner: declare_type_parameters(uses, node, inner))


def _bind_alias(
    uses: UsesBuilder,
    name: Node,
    node: Node,
    value: Node,
    scope: int,
    is_generic: bool,
    declare_parameters: Callable[[int], None],
) -> None:
    """Bind the name of a type that a declaration or a comment gives it."""
    symbol, parts = uses.symbol_at(name), _intersected(value)
    own = [part for part in parts if part.type == "object_type" and not is_mapped(part)]
    if own and symbol >= 0:
        inner = uses.define_class(name, node, scope)
        declare_parameters(inner)
        others = tuple(typed(uses.visit(part, inner, ANNOTATE)) for part in parts if part not in own)
        uses.bases[inner] = others
        for part in own:
            uses.visit_children(part, inner)
        return
    inner = uses.open(ScopeKind.BLOCK, scope, node, symbol) if is_generic else scope
    declare_parameters(inner)
    meaning = uses.visit(value, inner, ANNOTATE)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, within=inner, value=meaning)


def read_documentation(uses: UsesBuilder, root: Node) -> None:
    """Read the documentation comments of a file, and bind the types that they import and declare."""
    uses.comments = read_doc_comments(uses.source.content, root)
    for comment in uses.comments.values():
        for statement in comment.imports:
            uses.visit(statement, 0)
        for declared in comment.declarations:
            if declared.tag.name is not None and declared.tag.name.type == "identifier":
                _DECLARED[declared.tag.kind](uses, comment, declared, declared.tag.name)


def _documented_alias(uses: UsesBuilder, comment: DocComment, declared: DocDeclaration, name: Node) -> None:
    """Bind `@typedef {Object} A` with the properties that follow it, or `@typedef {B} A`."""
    properties, value = list_properties(uses, declared), declared.tag.type
    templates = comment.find("template")
    if properties:
        holder = uses.define_class(name, comment.node, 0)
        bind_templates(uses, comment, holder)
        bind_members(uses, properties, holder, holder)
    elif value is not None and not is_any(uses, value):
        uses.documented[value.start_byte] = UNKNOWN
        _bind_alias(
            uses, name, comment.node, value, 0, bool(templates), lambda inner: bind_templates(uses, comment, inner)
        )
    else:
        read_type(uses, declared.tag, 0)
        uses.bind(name, 0, BindingKind.ASSIGNMENT)


def _documented_callback(uses: UsesBuilder, comment: DocComment, declared: DocDeclaration, name: Node) -> None:
    """Bind `@callback A` with its parameters and its result."""
    inner = uses.open(ScopeKind.BLOCK, 0, comment.node, uses.symbol_at(name)) if comment.find("template") else 0
    bind_templates(uses, comment, inner)
    result, given = UNKNOWN, list[Expression]()
    for tag in declared.members:
        found = read_type(uses, tag, inner)
        if tag.kind == "returns":
            result = found
        elif tag.kind == "param" and (tag.name is None or tag.name.type == "identifier"):
            given.append(found)
    value = Expression(ExpressionKind.FUNCTION, "", (result, *given))
    uses.bind(name, 0, BindingKind.ASSIGNMENT, within=inner, value=value)


_DECLARED: Mapping[str, Callable[[UsesBuilder, DocComment, DocDeclaration, Node], None]] = {
    "typedef": _documented_alias,
    "callback": _documented_callback,
}


def _intersected(node: Node) -> list[Node]:
    """Return the parts of an intersection, or the type itself."""
    found, pending = [], [node]
    while pending:
        part = pending.pop()
        if part.type in {"intersection_type", "parenthesized_type"}:
            pending.extend(reversed(code_children(part)))
        else:
            found.append(part)
    return found


def is_mapped(node: Node) -> bool:
    """Return whether an object type maps the keys of another."""
    return any(
        child.type == "index_signature" and any(part.type == "mapped_type_clause" for part in child.named_children)
        for child in node.named_children
    )


def object_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `{ a: A; b(): B }`."""
    if is_mapped(node):
        return _mapped(uses, node, scope)
    inner = uses.open(ScopeKind.CLASS, scope, node)
    uses.visit_children(node, inner)
    return Expression(ExpressionKind.OBJECT, index=inner)


def _mapped(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read `{ [K in keyof T]: T[K] }`, which is `T`, or a type whose members all have one type."""
    inner = uses.open_block(node, scope)
    meaning = UNKNOWN
    for entry in node.named_children:
        clause = child_of(entry, "mapped_type_clause")
        if clause is None:
            continue
        key, over = clause.child_by_field_name("name"), clause.child_by_field_name("type")
        uses.bind(key, inner, BindingKind.TYPE_PARAMETER)
        owner = over.named_children[0] if over is not None and over.type == "index_type_query" else None
        if owner is not None and _is_lookup_in(uses, entry.child_by_field_name("type"), owner):
            uses.visit_field(entry, "type", inner, ANNOTATE)
            meaning = uses.visit(owner, inner, ANNOTATE)
        else:
            keys = uses.visit(over, inner, ANNOTATE)
            meaning = generic("Record", keys, uses.visit_field(entry, "type", inner, ANNOTATE))
    return meaning


def _is_lookup_in(uses: UsesBuilder, declared: Node | None, owner: Node) -> bool:
    """Return whether the declared type of a mapped member is that of the member of `owner`: `T[K]`, `T[K] | null`."""
    pending, asked = [declared] if declared is not None else [], uses.source.of(owner)
    while pending:
        node = pending.pop()
        if node.type == "lookup_type":
            return uses.source.of(node.named_children[0]) == asked
        if node.type in {"union_type", "parenthesized_type"} or node.type.endswith("annotation"):
            pending.extend(node.named_children)
    return False


def namespace(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `namespace N { … }` or visit `declare module 'x' { … }`."""
    name, body = require_fields(node, "name", "body")
    if ambient_module(node) is not None:
        uses.visit_children(body, uses.open_block(node, scope))
        return
    last = last_name(name)
    inner = uses.define_class(last, node, scope)
    uses.visit_children(body, inner)


def ambient(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit `declare …`; names in `declare global { … }` are visible in all files."""
    for child in node.named_children:
        if child.type == "statement_block":
            uses.visit_children(child, 0)
        else:
            uses.visit(child, scope)


CLASS_RULES = {
    **dict.fromkeys(("call_signature", "construct_signature"), signature),
    "index_signature": index_signature,
    **dict.fromkeys(("public_field_definition", "field_definition", "property_signature"), field),
    **dict.fromkeys(("class_declaration", "abstract_class_declaration", "class"), class_definition),
    "interface_declaration": interface,
    "enum_declaration": enum,
    "type_alias_declaration": alias,
    "object_type": object_type,
    **dict.fromkeys(("internal_module", "module"), namespace),
    "ambient_declaration": ambient,
}
