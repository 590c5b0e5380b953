"""PHP expressions and flow: variables, members, calls, loops.

Members are known for `$this`, `self`, `static`, `parent`, named classes, and values of declared or constructed types.
"""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import called, tagged
from avionics.syntax.engine.expressions import OWN_OBJECT, call_of, element_of, item_of, member_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, code_children
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.php.definitions import CONSTRUCTOR
from avionics.syntax.languages.php.names import NAMES, OWN, bare

_TARGETS = frozenset({"variable_name", "by_ref", "list_literal"})
_OBJECTS = frozenset({ExpressionKind.SELF, ExpressionKind.OWN_CLASS, ExpressionKind.SUPER, ExpressionKind.OBJECT})


def variable(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `$x`; `$this` is the own object."""
    text = uses.source.of(node)
    return OWN_OBJECT if text == "$this" else uses.name(text)


def member(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `$x->name` or `X::$name`."""
    owner = uses.visit_field(node, "scope" if node.type.startswith("scoped") else "object", scope)
    name = node.child_by_field_name("name")
    if name is not None and name.type == "variable_name" and name.named_children:
        name = name.named_children[0] if node.type.startswith("scoped") else None
    if name is None or name.type != "name":
        return UNKNOWN
    text = uses.add_reference(name, scope, role, owner, sought_as=tagged(uses.source.of(name)))
    return member_of(owner, text)


def class_constant(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `X::NAME`; `X::class` is the name of the class."""
    of, *rest = node.named_children
    owner = uses.visit(of, scope)
    if not rest or rest[0].type != "name" or uses.source.of(rest[0]) == "class":
        return UNKNOWN
    return uses.member(rest[0], scope, READ, owner)


def call(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `f()`, `$x->f()`, `X::f()` or `new X()`."""
    arguments = node.child_by_field_name("arguments") or child_of(node, "arguments")
    callee = _callee(uses, node, scope)
    given = [uses.visit(inner, scope) for argument in children_of(arguments) for inner in argument.named_children[-1:]]
    return callee if callee.kind in _OBJECTS else call_of(callee, *given)


def _callee(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    if node.type == "object_creation_expression":
        made = next((child for child in node.named_children if child.type != "arguments"), None)
        if made is None:
            return UNKNOWN
        own = OWN.get(uses.source.of(made)) if made.type in NAMES else None
        if own is not None:
            uses.add_reference(made, scope, CALL, own, sought_as=CONSTRUCTOR)
            return OWN_OBJECT
        return bare(uses, made, scope, CALL) if made.type in NAMES else uses.visit(made, scope, CALL)
    function = node.child_by_field_name("function")
    if function is not None:
        is_name = function.type in NAMES
        return bare(uses, function, scope, CALL, is_call=True) if is_name else uses.visit(function, scope, CALL)
    owner = uses.visit_field(node, "scope" if node.type.startswith("scoped") else "object", scope)
    name = node.child_by_field_name("name")
    if name is None or name.type != "name":
        return UNKNOWN
    text = uses.add_reference(name, scope, CALL, owner, sought_as=called(uses.source.of(name)))
    return member_of(owner, text)


def array_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read the elements of an array; those of `[Cart::class, 'pay']` and `[$this, 'pay']` name a method."""
    elements = code_children(node)
    pair = [each.named_children[0] for each in elements if len(each.named_children) == 1]
    method = child_of(pair[1], "string_content") if len(pair) == len(elements) == 2 else None
    if method is None or not uses.source.of(method).isidentifier():
        uses.visit_children(node, scope)
        return UNKNOWN
    first = pair[0]
    is_class = first.type == "class_constant_access_expression" and uses.source.of(first.named_children[-1]) == "class"
    owner = uses.visit(first.named_children[0] if is_class else first, scope)
    if is_class or owner == OWN_OBJECT:
        uses.add_reference(method, scope, READ, owner, sought_as=called(uses.source.of(method)))
    return UNKNOWN


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `$x = value`, `$x ??= value`, `[$x, $y] = value` or `$x->name = value`."""
    value = uses.visit_field(node, "right", scope)
    bind_target(uses, node.child_by_field_name("left"), scope, value)
    return value


def bind_target(uses: UsesBuilder, node: Node | None, scope: int, value: Expression) -> None:
    """Bind a variable, or those in a list, to a value and its items; a member is written."""
    if node is None:
        return
    if node.type == "variable_name":
        uses.bind(node, scope, BindingKind.ASSIGNMENT, value=value)
    elif node.type == "by_ref":
        bind_target(uses, node.named_children[-1], scope, value)
    elif node.type == "list_literal":
        has_keys = any(each.type == "=>" for each in node.children)
        for position, each in enumerate(code_children(node)):
            if each.type in _TARGETS:
                bind_target(uses, each, scope, UNKNOWN if has_keys else item_of(value, position))
            else:
                uses.visit(each, scope, READ if has_keys else WRITE)
    else:
        uses.visit(node, scope, WRITE)


def augmented_assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `$x .= value`, or `$x ??= value`, which may bind the variable."""
    if any(each.type == "??=" for each in node.children):
        return assignment(uses, node, scope, role)
    value = uses.visit_field(node, "right", scope)
    uses.visit_field(node, "left", scope, WRITE)
    return value


def declared_variables(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `global $x, $y`, or `static $x = value`, whose value may change."""
    for each in node.named_children:
        if each.type == "variable_name":
            uses.bind(each, scope, BindingKind.ASSIGNMENT)
        else:
            uses.visit_field(each, "value", scope)
            uses.bind(each.child_by_field_name("name"), scope, BindingKind.ASSIGNMENT)


def foreach_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read a loop, which binds its variables to each element and its key."""
    parts = code_children(node)
    body = node.child_by_field_name("body")
    iterated = uses.visit(parts[0], scope) if parts else UNKNOWN
    target = parts[1] if len(parts) > 1 and parts[1] != body else None
    if target is not None and target.type == "pair":
        bind_target(uses, target.named_children[0], scope, UNKNOWN)
        target = target.named_children[-1]
    bind_target(uses, target, scope, element_of(iterated))
    uses.visit_children(body, scope)


def catch_clause(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `catch (A | B $e)`, which binds an object of the caught classes."""
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    name = node.child_by_field_name("name")
    if name is not None:
        value = Expression(ExpressionKind.TYPED, "", (annotation,))
        uses.bind(name, scope, BindingKind.ASSIGNMENT, value=value)
    uses.visit_body(node, scope)
