"""Ruby expressions: constants, calls, variables, blocks.

Members are known for `self`, constants, and what a constant's `new` returns.
"""

from __future__ import annotations

import re

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import OUTERMOST, UNKNOWN, Expression
from avionics.syntax.engine.expressions import OWN_CLASS, OWN_OBJECT, call_of, member_of, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, first_child, require_field
from avionics.syntax.engine.uses import CALL, INHERIT, READ, WRITE, UsesBuilder
from avionics.syntax.languages.ruby.definitions import (
    around_blocks,
    bind_accessors,
    bind_alias,
    bind_delegated,
    bind_parameters,
    class_side,
    made_class,
)
from avionics.syntax.languages.ruby.outline import ACCESSORS, REQUIRES, read_delegation, read_made_class

_NEW = "new"
_CALLBACK = re.compile(r"(?:(?:skip_|prepend_|append_)?(?:before|after|around)_\w+|validate|helper_method|rescue_from)")
"""A call in the body of a class that names methods of its objects by symbols."""
_OF_METHODS = frozenset({"if", "unless", "with", "only", "except"})
"""Keywords of such calls whose symbols name methods, too."""


def scope_resolution(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `A::B`; `::B` is looked up from the top level."""
    name = require_field(node, "name")
    before = node.child_by_field_name("scope")
    if before is None:
        return Expression(ExpressionKind.NAME, uses.add_reference(name, 0, role), index=OUTERMOST)
    owner = uses.visit(before, scope, role if role is INHERIT else READ)
    return uses.member(name, scope, role, owner)


def identifier(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a local variable, else call a method of the own object."""
    text = uses.source.of(node)
    if _is_local(uses, text, scope):
        return uses.name(text)
    callee = uses.name(uses.add_reference(node, class_side(uses, scope), CALL))
    return call_of(callee)


def _is_local(uses: UsesBuilder, text: str, scope: int) -> bool:
    """Return whether a name is bound in the function around or in a block of it."""
    return _get_local_scope(uses, text, scope) >= 0


def _get_local_scope(uses: UsesBuilder, text: str, scope: int) -> int:
    """Return the scope of the function around, or of a block of it, that binds a name; -1 if none does."""
    bound = {binding.scope for binding in uses.bindings.get(text, ()) if binding.symbol < 0}
    while scope >= 0 and uses.scopes[scope].kind is not ScopeKind.CLASS:
        if scope in bound:
            return scope
        if uses.scopes[scope].kind is ScopeKind.FUNCTION:
            return -1
        scope = uses.scopes[scope].parent
    return -1


def own_value(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Return `self`: the own object in methods, elsewhere the class."""
    around = uses.function_of(scope)
    return OWN_OBJECT if around >= 0 and uses.scopes[around].self_name else OWN_CLASS


def instance_variable(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `@name`."""
    return member_of(OWN_OBJECT, uses.source.of(node))


def symbol(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Record `:name`, a text that often names a method."""
    uses.strings[uses.source.of(node)[1:]].append(node.start_point.row + 1)


def call(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call; `new` of a constant creates an object of it."""
    receiver, method, arguments = (node.child_by_field_name(field) for field in ("receiver", "method", "arguments"))
    text = uses.source.of(method)
    if receiver is None and arguments is not None and text in REQUIRES:
        for place in arguments.named_children[-1:]:
            uses.bind_import(place, 0)
        for named in arguments.named_children[:-1]:  # `autoload :Name, "path"`
            uses.add_reference(named, scope, READ, sought_as=uses.source.of(named).lstrip(":"))
        return UNKNOWN
    if receiver is None and arguments is not None and text in ACCESSORS:
        bind_accessors(uses, text, arguments, scope)
        return UNKNOWN
    is_bare = receiver is None and arguments is not None and uses.scopes[scope].kind is ScopeKind.CLASS
    delegation = read_delegation(uses.source, text, arguments) if is_bare and arguments is not None else None
    if delegation is not None:
        bind_delegated(uses, delegation, scope)
        return UNKNOWN
    if receiver is None and text == "alias_method" and arguments is not None:
        names = arguments.named_children
        if len(names) == 2 and all(each.type == "simple_symbol" for each in names):
            bind_alias(uses, names[0], names[1], scope)
            return UNKNOWN
    callee = _callee(uses, node, scope, role)
    values: list[Expression] = []
    if is_bare and arguments is not None and _CALLBACK.fullmatch(text):
        _add_callbacks(uses, arguments, scope)
    else:
        values = [uses.visit(child, scope) for child in children_of(arguments)]
    uses.visit_field(node, "block", scope)
    if text == "class" and receiver is not None and callee.parts == (OWN_OBJECT,):
        return OWN_CLASS
    return call_of(callee, *values)


def _add_callbacks(uses: UsesBuilder, arguments: Node, scope: int) -> None:
    """Record the methods of the own objects that a callback of Rails names: `before_save :check, if: :is_new`.

    https://guides.rubyonrails.org/active_record_callbacks.html
    """
    for each in arguments.named_children:
        key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
        given = value if key is not None and uses.source.of(key).strip(":") in _OF_METHODS else each
        listed = children_of(given) if given is not None and given.type == "array" else (given,)
        for named in listed:
            if named is not None and named.type == "simple_symbol":
                uses.add_reference(named, scope, READ, OWN_OBJECT, sought_as=uses.source.of(named)[1:], behind=1)
            else:
                uses.visit(named, scope)


def _callee(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Return what a call calls: for `new`, the class."""
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    if method is None:
        return uses.visit(receiver, scope)
    kind, text = role if role is WRITE else CALL, uses.source.of(method)
    if receiver is None:
        own = own_value(uses, node, scope, role)
        outside = _get_outside_local(uses, node, text, scope)
        if outside >= 0 and uses.scopes[around_blocks(uses, outside)].kind is ScopeKind.MODULE:
            return uses.name(uses.add_reference(method, outside, kind))
        if outside >= 0:
            return uses.member(method, scope, kind, own)
        callee = uses.name(uses.add_reference(method, class_side(uses, scope), kind))
        return own if text == _NEW and own == OWN_CLASS else callee
    if text == _NEW:
        made = uses.visit(receiver, scope, CALL)
        uses.add_reference(method, scope, CALL, made)
        return made
    owner = uses.visit(receiver, scope)
    if kind is WRITE:
        name = uses.add_reference(method, scope, WRITE, owner, sought_as=f"{uses.source.of(method)}=")
        return member_of(owner, name)
    return uses.member(method, scope, kind, owner)


def _get_outside_local(uses: UsesBuilder, node: Node, name: str, scope: int) -> int:
    """Return the scope around that of a local variable with the name of a call, which the call cannot mean; else -1."""
    around = node.parent
    target = around.child_by_field_name("left") or around.child_by_field_name("name") if around is not None else None
    if node.child_by_field_name("arguments") is None:
        return -1
    if (local := _get_local_scope(uses, name, scope)) >= 0:
        return uses.scopes[local].parent
    is_assigned = target is not None and uses.source.of(target) == name
    return uses.scopes[scope].parent if is_assigned else -1


def block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a block, which sees the names around it."""
    inner = uses.open_block(node, scope)
    bind_parameters(uses, node.child_by_field_name("parameters"), inner)
    uses.visit_body(node, inner)


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x = value`, `@x = value`, `X = value` or `a.x = value`."""
    left = node.child_by_field_name("left")
    made = read_made_class(uses.source, node.child_by_field_name("right"))
    if made is not None and left is not None and left.type == "constant":
        made_class(uses, left, node, made, scope)
        return UNKNOWN
    value = uses.visit_field(node, "right", scope)
    if node.type == "operator_assignment" and left is not None and left.type == "call":
        uses.visit(left, scope)
    for target in left.named_children if left is not None and left.type == "left_assignment_list" else [left]:
        if target is not None:
            _assign(uses, target, scope, value if target == left else UNKNOWN)
    return value


def _assign(uses: UsesBuilder, target: Node, scope: int, value: Expression) -> None:
    if target.type == "instance_variable":
        holder = uses.class_of_method(scope)
        if holder >= 0:
            uses.bind(target, holder, BindingKind.MEMBER, within=scope, value=value)
    elif target.type == "identifier":
        if not _is_local(uses, uses.source.of(target), scope):
            uses.bind(target, scope, BindingKind.ASSIGNMENT, value=value)
    elif target.type == "constant":
        uses.bind(target, around_blocks(uses, scope), BindingKind.ASSIGNMENT, within=scope, value=value)
    else:
        uses.visit(target, scope, WRITE)


def return_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `return value`."""
    function = uses.function_of(scope)
    for given in node.named_children:
        for child in given.named_children:
            value = uses.visit(child, scope)
            if function >= 0:
                uses.returns[function].append(value)


def rescue(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `rescue A => e`, which binds an object of the rescued classes."""
    types = [uses.visit(child, scope) for child in children_of(node, "exceptions")]
    name = first_child(node, "variable")
    if name is not None and name.type == "identifier":
        caught = Expression(ExpressionKind.TYPED, "", (union_of(types),))
        uses.bind(name, scope, BindingKind.ASSIGNMENT, value=caught)
    uses.visit_body(node, scope)
