"""Ruby expressions: constants, calls, variables, blocks.

Members are known for `self`, constants, and what a constant's `new` returns.
"""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.expressions import OWN_CLASS, OWN_OBJECT, call_of, member_of, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, first_child, require_field
from avionics.syntax.engine.uses import CALL, INHERIT, READ, WRITE, UsesBuilder
from avionics.syntax.languages.ruby.definitions import bind_accessors, bind_delegated, bind_parameters
from avionics.syntax.languages.ruby.outline import ACCESSORS, REQUIRES, read_delegation


def scope_resolution(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `A::B`; `::B` is looked up from the top level."""
    name = require_field(node, "name")
    before = node.child_by_field_name("scope")
    if before is None:
        return uses.name(uses.add_reference(name, 0, role))
    owner = uses.visit(before, scope, role if role is INHERIT else READ)
    return uses.member(name, scope, role, owner)


def identifier(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a local variable, else call a method of the own object."""
    text = uses.source.of(node)
    if _is_local(uses, text, scope):
        return uses.name(text)
    callee = uses.name(uses.add_reference(node, scope, CALL))
    return call_of(callee)


def _is_local(uses: UsesBuilder, text: str, scope: int) -> bool:
    """Return whether a name is bound in the function around or in a block of it."""
    bound = {binding.scope for binding in uses.bindings.get(text, ()) if binding.symbol < 0}
    while scope >= 0 and uses.scopes[scope].kind is not ScopeKind.CLASS:
        if scope in bound:
            return True
        if uses.scopes[scope].kind is ScopeKind.FUNCTION:
            return False
        scope = uses.scopes[scope].parent
    return False


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
        bind_accessors(uses, arguments, scope)
        return UNKNOWN
    is_bare = receiver is None and arguments is not None and uses.scopes[scope].kind is ScopeKind.CLASS
    delegation = read_delegation(uses.source, text, arguments) if is_bare and arguments is not None else None
    if delegation is not None:
        bind_delegated(uses, delegation, scope)
        return UNKNOWN
    callee = _callee(uses, receiver, method, scope, role)
    values = [uses.visit(child, scope) for child in children_of(arguments)]
    uses.visit_field(node, "block", scope)
    if text == "class" and receiver is not None and callee.parts == (OWN_OBJECT,):
        return OWN_CLASS
    return call_of(callee, *values)


def _callee(
    uses: UsesBuilder, receiver: Node | None, method: Node | None, scope: int, role: ReferenceKind
) -> Expression:
    if method is None:
        return uses.visit(receiver, scope)
    kind = role if role is WRITE else CALL
    if receiver is None:
        return uses.name(uses.add_reference(method, scope, kind))
    if uses.source.of(method) == "new":
        return uses.visit(receiver, scope, CALL)
    owner = uses.visit(receiver, scope)
    return uses.member(method, scope, kind, owner)


def block(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit a block, which sees the names around it."""
    inner = uses.open_block(node, scope)
    bind_parameters(uses, node.child_by_field_name("parameters"), inner)
    uses.visit_body(node, inner)


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x = value`, `@x = value`, `X = value` or `a.x = value`."""
    left = node.child_by_field_name("left")
    value = uses.visit_field(node, "right", scope)
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
        uses.bind(target, scope, BindingKind.ASSIGNMENT, value=value)
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
