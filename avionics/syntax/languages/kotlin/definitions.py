"""Kotlin declarations: classes, functions, properties, lambdas, and the scopes they open."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression, replace
from avionics.syntax.engine.expressions import ANYTHING, expect, function_giving, item_of, member_of, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, code_children, require_field
from avionics.syntax.engine.uses import ANNOTATE, INHERIT, UsesBuilder
from avionics.syntax.languages.kotlin.outline import BODIES, name_and_receiver
from avionics.syntax.languages.kotlin.types import TYPES, as_list, visit_arguments

OWN_NAME = "this"
_IMPLICIT = "it"
_COMPANION = "Companion"
_ONLY_OBJECT = "INSTANCE"
"""The field by which Java reads an object declaration."""


def class_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a class, interface, object or enum, and visit its members."""
    name = require_field(node, "name")
    own = uses.name(uses.source.of(name))
    _visit_modifiers(uses, node, scope)
    inner = uses.define_class(name, node, scope)
    _bind_type_parameters(uses, node, inner, scope)
    constructor = child_of(node, "primary_constructor")
    if constructor is not None:
        uses.constructors[inner] = uses.open(ScopeKind.FUNCTION, inner, node, -1, OWN_NAME)
    for entry in children_of(child_of(constructor, "class_parameters")):
        _bind_class_parameter(uses, entry, inner)
    uses.bases[inner] = _visit_bases(uses, node, scope, uses.constructors.get(inner, inner))
    if node.type == "object_declaration":
        uses.bind_text(_ONLY_OBJECT, node, inner, value=own)
    body = child_of(node, *BODIES)
    if body is not None:
        visit_members(uses, body, inner, own)


def _visit_bases(uses: UsesBuilder, node: Node, scope: int, within: int) -> tuple[Expression, ...]:
    """Visit the bases of a class and the objects it delegates to, and return the bases.

    Arguments of a base and such objects are read within the class: `: Base(size), List<T> by items`.
    """
    found = []
    for entry in children_of(child_of(node, "delegation_specifiers")):
        inner = entry.named_children[0] if entry.named_child_count else entry
        parts = inner.named_children if inner.type in {"constructor_invocation", "explicit_delegation"} else [inner]
        for position, part in enumerate(parts):
            if position == 0:
                found.append(uses.visit(part, scope, INHERIT))
            elif part.type == "value_arguments":
                visit_arguments(uses, part, within, found[-1])
            else:
                uses.visit(part, within)
    return tuple(found)


def visit_members(uses: UsesBuilder, body: Node, scope: int, own: Expression) -> None:
    """Visit the members of a class; those of its companion count as its own."""
    for child in body.named_children:
        if child.type == "enum_entry":
            _enum_entry(uses, child, scope, own)
        elif child.type == "companion_object":
            inner, name = child_of(child, "class_body"), child_of(child, "identifier")
            uses.bind_text(_COMPANION if name is None else uses.source.of(name), child, scope, value=own)
            _visit_bases(uses, child, scope, scope)
            if inner is not None:
                visit_members(uses, inner, scope, own)
        else:
            uses.visit(child, scope)


def _enum_entry(uses: UsesBuilder, node: Node, scope: int, own: Expression) -> None:
    name, body = child_of(node, "identifier"), child_of(node, "class_body")
    visit_arguments(uses, child_of(node, "value_arguments"), scope, own)
    value = anonymous_class(uses, body, scope, (own,)) if body is not None else UNKNOWN
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value, annotation=own)


def anonymous_class(uses: UsesBuilder, body: Node, scope: int, bases: tuple[Expression, ...]) -> Expression:
    """Open the scope of a class without a name, and return an object of it."""
    inner = uses.open(ScopeKind.CLASS, scope, body)
    uses.bases[inner] = bases
    visit_members(uses, body, inner, UNKNOWN)
    return Expression(ExpressionKind.OBJECT, index=inner)


def object_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `object : Base() { … }`."""
    bases, body = _visit_bases(uses, node, scope, scope), child_of(node, "class_body")
    return anonymous_class(uses, body, scope, bases) if body is not None else UNKNOWN


def _bind_class_parameter(uses: UsesBuilder, entry: Node, scope: int) -> None:
    """Bind a parameter of the primary constructor: a property of the class, or a name that only initializers see."""
    _visit_modifiers(uses, entry, scope)
    name, declared, within = child_of(entry, "identifier"), child_of(entry, *TYPES), uses.constructors[scope]
    annotation = uses.visit(declared, scope, ANNOTATE)
    for child in entry.named_children:
        if child.type != "modifiers" and child not in (name, declared):
            uses.visit(child, within)
    is_property = any(child.type in {"val", "var"} for child in entry.children)
    kind = BindingKind.ASSIGNMENT if is_property else BindingKind.PARAMETER
    uses.bind(name, scope if is_property else within, kind, annotation=annotation)


def _bind_type_parameters(uses: UsesBuilder, node: Node, scope: int, outside: int) -> None:
    for entry in children_of(child_of(node, "type_parameters")):
        name, bound = child_of(entry, "identifier"), child_of(entry, *TYPES)
        annotation = uses.visit(bound, outside, ANNOTATE)
        uses.bind(name, scope, BindingKind.TYPE_PARAMETER, annotation=annotation)


def _visit_receiver(uses: UsesBuilder, node: Node, extended: Node | None, name: Node, scope: int) -> Expression:
    """Read the type that an extension is declared for: `Cart` of `fun Cart.add()` and of `fun Cart.Companion.of()`."""
    of = _visit_written_receiver(uses, extended, name, scope)
    return of.parts[0] if of.kind is ExpressionKind.ATTRIBUTE and of.name == _COMPANION else of


def _visit_written_receiver(uses: UsesBuilder, extended: Node | None, name: Node, scope: int) -> Expression:
    """Read the type that an extension is declared for, as written."""
    if extended is None:
        return UNKNOWN
    if name.start_byte >= extended.end_byte:
        return uses.visit(extended, scope, ANNOTATE)
    meaning = UNKNOWN
    for part in extended.named_children:
        if part.end_byte > name.start_byte:
            continue
        if part.type == "identifier":
            plain = uses.name(uses.add_reference(part, scope, ANNOTATE))
            meaning = plain if meaning is UNKNOWN else member_of(meaning, plain.name)
        else:
            uses.visit_children(part, scope)
    return meaning


def function_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a function; an extension is bound in its scope and as a member of the type it extends."""
    name, extended = name_and_receiver(node)
    if name is None:
        uses.visit_children(node, scope)
        return
    uses.bind(name, scope, BindingKind.DEFINITION)
    _visit_modifiers(uses, node, scope)
    receiver = _visit_receiver(uses, node, extended, name, scope)
    holder = scope
    if receiver is not UNKNOWN:
        holder = uses.open(ScopeKind.CLASS, scope, node, of=receiver)
        uses.bind(name, holder, BindingKind.DEFINITION)
    own = OWN_NAME if uses.scopes[holder].kind is ScopeKind.CLASS else ""
    symbol = uses.symbol_at(name)
    inner = uses.open(ScopeKind.FUNCTION, holder, node, symbol, own)
    _bind_type_parameters(uses, node, inner, inner)
    parameters, body = child_of(node, "function_value_parameters"), child_of(node, "function_body")
    if parameters is not None:
        _bind_parameters(uses, parameters, inner)
        after = [c for c in node.named_children if c.type in TYPES and c.start_byte >= parameters.end_byte]
        if after:
            uses.results[symbol] = uses.visit(after[0], inner, ANNOTATE)
    if body is not None:
        _visit_body(uses, body, inner)


def anonymous_function(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `fun(x: T): R { … }`, and return a function that gives its declared type or its value."""
    inner = uses.open(ScopeKind.FUNCTION, scope, node)
    parameters, body = child_of(node, "function_value_parameters"), child_of(node, "function_body")
    _bind_parameters(uses, parameters, inner)
    declared = UNKNOWN
    for each in (child for child in node.named_children if child.type in TYPES):
        written = uses.visit(each, inner, ANNOTATE)
        declared = written if parameters is not None and each.start_byte >= parameters.end_byte else declared
    if body is not None:
        _visit_body(uses, body, inner)
    result = union_of(tuple(uses.returns.get(inner, ()))) if declared is UNKNOWN else typed(declared)
    return function_giving(result, inner)


def _visit_body(uses: UsesBuilder, body: Node, inner: int) -> None:
    """Visit a block, or `= expression`, whose value the function returns."""
    for child in body.named_children:
        if child.type == "block":
            uses.visit_children(child, inner)
        elif not child.is_extra:
            uses.returns[inner].append(uses.visit(child, inner))


def _bind_parameters(uses: UsesBuilder, parameters: Node | None, scope: int) -> None:
    entries = code_children(parameters)
    for position, entry in enumerate(entries):
        if entry.type == "parameter_modifiers":
            uses.visit_children(entry, scope)
        if entry.type != "parameter":
            continue
        name, declared = child_of(entry, "identifier"), child_of(entry, *TYPES)
        annotation = uses.visit(declared, scope, ANNOTATE)
        after = entries[position + 1] if position + 1 < len(entries) else None
        has_default = after is not None and after.type not in {"parameter", "parameter_modifiers"}
        value = uses.visit(after, scope) if has_default and after is not None else UNKNOWN
        before = entries[position - 1] if position else None
        is_many = before is not None and before.type == "parameter_modifiers" and "vararg" in uses.source.of(before)
        if is_many:
            annotation, value = as_list(annotation), UNKNOWN
        elif has_default and value is UNKNOWN:
            value = ANYTHING
        if name is not None:
            kind = BindingKind.VARIADIC if is_many else BindingKind.PARAMETER
            uses.bind(name, scope, kind, value=value, annotation=annotation)


def constructor_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a secondary constructor or `init`."""
    made_in = uses.constructors.get(scope, scope) if node.type == "anonymous_initializer" else scope
    inner = uses.open(ScopeKind.FUNCTION, made_in, node, -1, OWN_NAME if made_in == scope else "")
    for child in node.named_children:
        if child.type == "function_value_parameters":
            _bind_parameters(uses, child, inner)
        elif child.type in {"block", "constructor_delegation_call"}:
            uses.visit_children(child, inner)
        else:
            uses.visit(child, scope)


def property_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a property or a local variable, and visit its accessors."""
    name, extended = name_and_receiver(node)
    _visit_modifiers(uses, node, scope)
    is_member = uses.scopes[scope].kind is ScopeKind.CLASS
    holder = scope
    if name is not None and extended is not None:
        receiver = _visit_receiver(uses, node, extended, name, scope)
        holder = uses.open(ScopeKind.CLASS, scope, node, of=receiver)
    is_member = is_member or holder != scope
    within = around = uses.open(ScopeKind.FUNCTION, holder, node, -1, OWN_NAME) if is_member else scope
    made_in = uses.open(ScopeKind.FUNCTION, uses.constructors[scope], node) if scope in uses.constructors else within
    place = child_of(node, "variable_declaration", "multi_variable_declaration")
    declared = child_of(place, *TYPES) if place is not None and place.type == "variable_declaration" else None
    annotation = uses.visit(declared, within, ANNOTATE)
    value, known = UNKNOWN, len(uses.references.get(uses.source.of(name), ())) if name is not None else 0
    for child in node.named_children:
        if child.type in {"getter", "setter"}:
            result = _accessor(uses, child, around)
            value = result if value is UNKNOWN else value
        elif child.type == "property_delegate":
            uses.visit_children(child, made_in)
        elif place is not None and child.start_byte >= place.end_byte and child.type != "type_constraints":
            value, within = uses.visit(child, made_in), made_in
    if name is not None:
        if not is_member:
            _look_up_outside(uses, uses.source.of(name), scope, known)
        for binding_scope in dict.fromkeys((scope, holder)):
            uses.bind(name, binding_scope, BindingKind.ASSIGNMENT, within=within, value=value, annotation=annotation)
    elif place is not None:
        bind_several(uses, place, scope, value)


def _look_up_outside(uses: UsesBuilder, name: str, scope: int, known: int) -> None:
    """Move the uses of a local's name in its own initializer to the scope around: `val total = total(items)`.

    The first `known` uses of the name are those before the declaration.
    """
    outside, references = uses.scopes[scope].parent, uses.references.get(name, [])
    if outside < 0 or any(each.scope > scope for each in uses.bindings.get(name, ())):
        return
    for at in range(known, len(references)):
        if references[at].receiver is None:
            references[at] = replace(references[at], scope=outside)


def _accessor(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Visit `get()` or `set(value)`, and return the result of the former."""
    inner = uses.open(ScopeKind.FUNCTION, scope, node)
    for child in node.named_children:
        if child.type == "identifier":
            uses.bind(child, inner, BindingKind.PARAMETER)
        elif child.type == "function_value_parameters":
            _bind_parameters(uses, child, inner)
        elif child.type == "function_body":
            _visit_body(uses, child, inner)
    returned = uses.returns.get(inner, [])
    return returned[0] if len(returned) == 1 and node.type == "getter" else UNKNOWN


def bind_several(uses: UsesBuilder, node: Node, scope: int, value: Expression) -> None:
    """Bind the names to the left of `=` or `in`: `total`, or `(key, value)`."""
    if node.type == "variable_declaration":
        name, declared = child_of(node, "identifier"), child_of(node, *TYPES)
        annotation = uses.visit(declared, scope, ANNOTATE)
        uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value, annotation=annotation)
        return
    for position, entry in enumerate(node.named_children):
        if entry.type == "variable_declaration":
            bind_several(uses, entry, scope, item_of(value, position))


def lambda_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a lambda; its parameters, or `it`, have the types of the expected function's parameters."""
    expected = uses.expected
    inner = uses.open(ScopeKind.FUNCTION, scope, node)
    parameters = child_of(node, "lambda_parameters")
    for position, entry in enumerate(children_of(parameters)):
        bind_several(uses, entry, inner, expect(expected, position))
    if parameters is None:
        uses.bind_text(_IMPLICIT, node, inner, within=scope, value=expect(expected, 0))
    last = UNKNOWN
    for child in node.named_children:
        if child.type != "lambda_parameters" and not child.is_extra:
            last = uses.visit(child, inner)
    return function_giving(last, inner)


def type_alias(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind another name for a type."""
    name, meant = node.child_by_field_name("type"), child_of(node, *TYPES)
    meaning = uses.visit(meant, scope, ANNOTATE)
    uses.bind(name, scope, BindingKind.ASSIGNMENT, value=meaning)


def _visit_modifiers(uses: UsesBuilder, node: Node, scope: int) -> None:
    uses.visit_children(child_of(node, "modifiers"), scope)
