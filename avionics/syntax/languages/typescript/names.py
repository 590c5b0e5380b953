"""Names and their bindings: patterns, declarations, assignments."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression, replace
from avionics.syntax.engine.expressions import member_of, typed
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import iter_around, require_fields
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.typescript.documentation.types import declared_type
from avionics.syntax.languages.typescript.modules import bind_as, bind_whole, holder_of, name_of_exported
from avionics.syntax.languages.typescript.node_predicates import (
    FUNCTIONS,
    assigned_place,
    declared_imports,
    is_importing,
    loader_of,
    name_of_key,
    unwrap,
)

_MAX_BINDINGS = 200
"""A name bound more often is in generated or minified code, where further values add nothing."""
_HOLDING = frozenset({BindingKind.ASSIGNMENT, BindingKind.PARAMETER})
_CASTS = frozenset({"as_expression", "satisfies_expression"})
_AROUND_VALUES = _CASTS | {"parenthesized_expression"}


def attribute(owner: Expression, name: str) -> Expression:
    """Return the member of a value, UNKNOWN for an unknown value."""
    return member_of(owner, name) if owner is not UNKNOWN else UNKNOWN


def taken(kind: ExpressionKind, value: Expression, index: int = -1) -> Expression:
    """Return a part of a value, such as an element or the item at a position; UNKNOWN for an unknown value."""
    return Expression(kind, "", (value,), index) if value is not UNKNOWN else UNKNOWN


def bind_pattern(
    uses: UsesBuilder, target: Node, holder: int, scope: int, value: Expression, annotation: Expression = UNKNOWN
) -> None:
    """Bind the names of a pattern in the given scope; values are read in `scope`."""
    if target.type in {"identifier", "shorthand_property_identifier_pattern"}:
        uses.bind(target, holder, BindingKind.ASSIGNMENT, within=scope, value=value, annotation=annotation)
    elif target.type == "object_pattern":
        _object_pattern(uses, target, holder, scope, typed(annotation) if annotation is not UNKNOWN else value)
    elif target.type == "array_pattern":
        _array_pattern(uses, target, holder, scope, typed(annotation) if annotation is not UNKNOWN else value)
    elif target.type in {"assignment_pattern", "object_assignment_pattern"}:
        left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
        default = uses.visit(right, scope, READ, value)
        if left is not None:
            bind_pattern(uses, left, holder, scope, default if value is UNKNOWN else value, annotation)
    elif target.type == "rest_pattern":
        for inner in target.named_children:
            bind_pattern(uses, inner, holder, scope, value, annotation)
    else:
        uses.visit(target, scope, WRITE)


def _object_pattern(uses: UsesBuilder, target: Node, holder: int, scope: int, value: Expression) -> None:
    """Bind `{ a, b: c, d = 1, ...rest }`, each key of which uses a member of the value."""
    for entry in target.named_children:
        if entry.type == "rest_pattern":
            bind_pattern(uses, entry, holder, scope, value)
            continue
        key, bound = entry.child_by_field_name("key"), entry.child_by_field_name("value")
        if entry.type == "pair_pattern" and key is not None and bound is not None:
            bind_pattern(uses, bound, holder, scope, _use_key(uses, key, scope, value))
        elif entry.type in {"shorthand_property_identifier_pattern", "object_assignment_pattern"}:
            name = entry.child_by_field_name("left") or entry
            bind_pattern(uses, entry, holder, scope, _use_key(uses, name, scope, value))


def _use_key(uses: UsesBuilder, key: Node, scope: int, value: Expression) -> Expression:
    """Add a use of the member that a key of a pattern names, and return the member: `size` of `{ size: s } = box`."""
    name = name_of_key(key)
    if name is None:
        uses.visit(key, scope)
        return UNKNOWN
    uses.add_reference(name, scope, READ, value)
    return attribute(value, uses.source.of(name))


def _array_pattern(uses: UsesBuilder, target: Node, holder: int, scope: int, value: Expression) -> None:
    position = 0
    for child in target.children:
        if child.type == ",":
            position += 1
        elif child.is_named and child.type == "rest_pattern":
            bind_pattern(uses, child, holder, scope, value)
        elif child.is_named:
            bind_pattern(uses, child, holder, scope, taken(ExpressionKind.ITEM, value, position))


def holder_of_variables(uses: UsesBuilder, scope: int) -> int:
    """Return the scope to which a `var` in a scope belongs."""
    while uses.scopes[scope].kind is ScopeKind.BLOCK and uses.scopes[scope].parent >= 0:
        scope = uses.scopes[scope].parent
    return scope


def declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `const`, `let` and `var`."""
    holder = scope if node.type == "lexical_declaration" else holder_of_variables(uses, scope)
    for declarator in node.named_children:
        name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        if declarator.type == "variable_declarator" and name is not None:
            _declarator(uses, declarator, name, value, holder, scope)


def _declarator(uses: UsesBuilder, node: Node, name: Node, value: Node | None, holder: int, scope: int) -> None:
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    if annotation is UNKNOWN and uses.comments:
        annotation = declared_type(uses, node, scope)
    if value is None:
        bind_pattern(uses, name, holder, scope, UNKNOWN, annotation)
        return
    if is_importing(uses.source, name, value):
        member = unwrap(value)
        imported_name = member.child_by_field_name("property") if member.type == "member_expression" else None
        for place, _, _ in declared_imports(uses.source, name, value):
            index = uses.bind_import(place, holder)
            uses.add_reference(imported_name or place, scope, ReferenceKind.IMPORT, None, index)
        if (loader := loader_of(value)) is not None:
            # `require` may be a local variable: `const require = createRequire(import.meta.url)`.
            uses.visit(loader, scope, CALL)
        return
    inner = unwrap(value)
    is_plain = annotation is UNKNOWN and not _is_cast(uses, value)
    if name.type == "identifier" and is_plain and (inner.type in FUNCTIONS or inner.type == "class"):
        uses.bind(name, holder, BindingKind.DEFINITION, within=scope)
        uses.visit(value, scope)
        return
    meaning = uses.visit(value, scope, READ, typed(annotation))
    bind_pattern(uses, name, holder, scope, meaning, annotation)


def _is_cast(uses: UsesBuilder, value: Node) -> bool:
    if value.type != "parenthesized_expression":
        return value.type in _CASTS
    comment = uses.comments.get(value.start_byte)
    return (comment is not None and comment.get("type") is not None) or _is_cast(uses, value.named_children[0])


def named_place(node: Node) -> Node | None:
    """Return the node whose position the outline has for a function without a name: `add` of `const add = () => 1`."""
    outer = next((each for each in iter_around(node) if each.type not in _AROUND_VALUES), None)
    if outer is None:
        return None
    if outer.type in {"variable_declarator", "public_field_definition", "field_definition", "pair"}:
        fields = map(outer.child_by_field_name, ("name", "key", "property"))
        return name_of_key(next(filter(None, fields), None))
    if outer.type == "assignment_expression":
        left = outer.child_by_field_name("left")
        while outer.parent is not None and outer.parent.type == "assignment_expression":
            outer = outer.parent
            left = outer.child_by_field_name("left") or left
        return assigned_place(left) if left is not None else None
    if outer.type == "export_statement":
        return next((child for child in outer.children if child.type == "default"), None)
    return None


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a = b`, `a.b = c` or `[a, b] = c`."""
    left, right = require_fields(node, "left", "right")
    left = unwrap(left)
    if left.type in {"object_pattern", "array_pattern"}:
        value = uses.visit(right, scope)
        _destructure(uses, left, scope, value)
        return value
    if left.type == "member_expression":
        return _assign_member(uses, left, right, scope)
    meaning = uses.visit(left, scope, WRITE)
    value = uses.visit(right, scope, READ, meaning)
    if left.type == "identifier" and uses.source.of(left) != "exports":
        _rebind(uses, left, scope, value)
    return value


def _destructure(uses: UsesBuilder, target: Node, scope: int, value: Expression) -> None:
    """Read `({ a, b: c.d } = value)`: the keys are members of the value, the targets are written."""
    for entry in target.named_children:
        if entry.type == "pair_pattern":
            key, bound = entry.child_by_field_name("key"), entry.child_by_field_name("value")
            if key is not None and bound is not None:
                inner = _use_key(uses, key, scope, value)
                if bound.type in {"object_pattern", "array_pattern"}:
                    _destructure(uses, bound, scope, inner)
                else:
                    uses.visit(bound, scope, WRITE)
        elif entry.type == "shorthand_property_identifier_pattern":
            uses.add_reference(entry, scope, WRITE)
        elif entry.type in {"object_pattern", "array_pattern"}:
            _destructure(uses, entry, scope, UNKNOWN)
        else:
            uses.visit(entry, scope, WRITE)


def _rebind(uses: UsesBuilder, name: Node, scope: int, value: Expression) -> None:
    """Bind a further value of a variable without a declared type, or a function that the outline defines."""
    text = uses.source.of(name)
    if len(uses.bindings.get(text, ())) > _MAX_BINDINGS:
        return
    bound = {binding.scope: binding for binding in reversed(uses.bindings.get(text, ()))}
    while scope >= 0 and scope not in bound:
        scope = uses.scopes[scope].parent
    known = bound.get(scope)
    if known is None or known.symbol >= 0 or known.kind not in _HOLDING:
        return
    symbol = uses.symbol_at(name)
    is_plain = known.kind is BindingKind.ASSIGNMENT and known.annotation is UNKNOWN and value is not UNKNOWN
    if is_plain or symbol >= 0:
        (line, column), kind = uses.source.place(name), BindingKind.ASSIGNMENT
        rebound = replace(known, kind=kind, line=line, column=column, value=value, symbol=symbol)
        uses.bindings[text].append(rebound)


def _assign_member(uses: UsesBuilder, left: Node, right: Node, scope: int) -> Expression:
    """Read `a.b = c`: a member of the module, of an object or function of this file, or of the own object."""
    owner, name = left.child_by_field_name("object"), left.child_by_field_name("property")
    if owner is None or name is None:
        return UNKNOWN
    annotation = declared_type(uses, left, scope) if uses.comments else UNKNOWN
    declared = typed(annotation)
    written = uses.source.of(left)
    if written == "module.exports":
        named = name_of_exported(unwrap(right))
        if named is not None and scope == 0:
            # The exported name cannot be used as a bare name, but it is the value of the module.
            uses.bind(named, 0, BindingKind.DEFINITION)
        value = uses.visit(right, scope, READ, declared)
        bind_whole(uses, name, scope, value)
        _bind_exports(uses, unwrap(right), scope)
        return value
    text, inner = uses.source.of(owner), unwrap(right)
    holder = holder_of(text)
    if holder == "" and not _is_local(uses, text.partition(".")[0], scope):
        uses.visit(owner, scope)
        value = uses.visit(right, scope, READ, declared)
        _bind_export(uses, name, scope, value if declared is UNKNOWN else declared, inner)
        return value
    symbol = uses.symbol_at(name) if inner.type in FUNCTIONS else -1
    if holder and owner.type != "this" and symbol >= 0 and uses.facts.symbols[symbol].exported:
        return _bind_added_member(uses, left, right, owner, name, scope)
    meaning = uses.visit(left, scope, WRITE)
    value = uses.visit(right, scope, READ, meaning)
    own_class = uses.class_of_method(scope) if owner.type == "this" else -1
    if symbol >= 0 and own_class < 0:
        holder_scope = _get_object_scope(uses, text, scope)
        uses.bind(
            name,
            holder_scope if holder_scope >= 0 else uses.open(ScopeKind.CLASS, scope, left),
            BindingKind.DEFINITION,
            within=scope,
        )
    if own_class >= 0:
        uses.bind(name, own_class, BindingKind.MEMBER, within=scope, value=value, annotation=annotation)
    return value


def _is_local(uses: UsesBuilder, name: str, scope: int) -> bool:
    """Return whether a function around binds a name: `function (module, exports) { … }` within a bundle."""
    bound = {binding.scope for binding in uses.bindings.get(name, ())}
    while scope > 0 and scope not in bound:
        scope = uses.scopes[scope].parent
    return scope > 0


def _get_object_scope(uses: UsesBuilder, name: str, scope: int) -> int:
    """Return the scope of the members of a variable's object literal, `const cart = {…}`; -1 for any other value."""
    bound = {binding.scope: binding.value for binding in reversed(uses.bindings.get(name, ()))}
    while scope >= 0 and scope not in bound:
        scope = uses.scopes[scope].parent
    value = bound.get(scope, UNKNOWN)
    return value.index if value.kind is ExpressionKind.OBJECT else -1


def _bind_added_member(uses: UsesBuilder, left: Node, right: Node, owner: Node, name: Node, scope: int) -> Expression:
    """Bind a member that is added from outside: `Class.prototype.x = function …`, `object.x = function …`."""
    target = owner
    if owner.type == "member_expression":
        target = owner.child_by_field_name("object") or owner
    owner_value = uses.visit(target, scope)
    bound = [
        b.value
        for b in uses.bindings.get(owner_value.name, ())
        if b.scope == 0 and b.value.kind is ExpressionKind.OBJECT
    ]
    member_scope = bound[0].index if bound else uses.open(ScopeKind.CLASS, scope, left, of=owner_value)
    uses.bind(name, member_scope, BindingKind.DEFINITION, within=scope)
    # The class of the object may declare the member; then this is an assignment to it.
    uses.add_reference(name, scope, WRITE, receiver=owner_value if target is owner else typed(owner_value))
    return uses.visit(right, member_scope)


def _bind_exports(uses: UsesBuilder, value: Node, scope: int) -> None:
    """Bind the members of the module in `module.exports = { a, b: c }`."""
    for entry in value.named_children if value.type == "object" else ():
        if entry.type == "shorthand_property_identifier":
            continue
        key, value_node = entry.child_by_field_name("key"), entry.child_by_field_name("value")
        name = name_of_key(key)
        if name is not None and value_node is not None:
            meaning = uses.name(uses.source.of(value_node)) if value_node.type == "identifier" else UNKNOWN
            _bind_export(uses, name, scope, meaning, value_node)


def _bind_export(uses: UsesBuilder, name: Node, scope: int, value: Expression, value_node: Node) -> None:
    """Bind a member of the module; `exports.add = add` needs no binding if the name is one of the module's scope."""
    text = uses.source.of(name)
    if value_node.type == "identifier" and uses.source.of(value_node) == text:
        uses.add_reference(name, scope, WRITE)
        if scope > 0:
            bind_as(uses, text, name, 0, scope, value)
        return
    if value_node.type in FUNCTIONS and uses.symbol_at(name) >= 0:
        uses.bind(name, 0, BindingKind.DEFINITION, within=scope)
    else:
        bind_as(uses, text, name, 0, scope, value)
