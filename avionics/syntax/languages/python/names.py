"""Python names: targets of assignments, imports, `global`, `del`."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, iter_scopes_around
from avionics.syntax.engine import grammars
from avionics.syntax.engine.expressions import item_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import iter_outermost
from avionics.syntax.engine.uses import ANNOTATE, READ, WRITE, UsesBuilder

_FUNCTION_COMMENT = late_pattern(r"#\s*type:\s*(?=\([^\n]*\)\s*->)")
_TYPE_COMMENT = late_pattern(r"#\s*type:\s*(?!ignore\b)(?=[\w\"'])", re.ASCII)


def bind_target(
    uses: UsesBuilder, target: Node, scope: int, value: Expression, annotation: Expression = UNKNOWN
) -> None:
    """Bind the target of an assignment, a loop or an `as`."""
    kind = target.type
    if kind == "identifier":
        _bind_name(uses, target, scope, value, annotation)
    elif kind == "attribute":
        _bind_member(uses, target, scope, value, annotation)
    elif kind in {"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"}:
        for position, part in enumerate(target.named_children):
            bind_target(uses, part, scope, item_of(value, position))
    elif kind in {"list_splat_pattern", "list_splat", "parenthesized_expression", "as_pattern_target"}:
        inner = UNKNOWN if kind.startswith("list") else value
        for part in target.named_children:
            bind_target(uses, part, scope, inner, annotation)
    else:
        uses.visit(target, scope)


def _bind_name(uses: UsesBuilder, name: Node, scope: int, value: Expression, annotation: Expression) -> None:
    """Bind a plain name in the scope it belongs to, which `global` and `nonlocal` change."""
    holder = uses.holder(scope)
    holder = uses.moved.get((uses.source.of(name), holder), holder)
    uses.bind(name, holder, BindingKind.ASSIGNMENT, within=scope, value=value, annotation=annotation)


def _bind_member(uses: UsesBuilder, target: Node, scope: int, value: Expression, annotation: Expression) -> None:
    """Bind `x.name = …`: a member of the class when `x` is the method's own object."""
    owner, name = target.child_by_field_name("object"), target.child_by_field_name("attribute")
    if owner is None or name is None:
        return
    receiver = uses.visit(owner, scope)
    holder = uses.class_of_method(scope)
    own_names = (uses.scopes[at].self_name for at in iter_scopes_around(uses.scopes, scope))
    if holder >= 0 and owner.type == "identifier" and uses.source.of(owner) in own_names:
        uses.bind(name, holder, BindingKind.MEMBER, within=scope, value=value, annotation=annotation)
    uses.add_reference(name, scope, WRITE, receiver)


def assignment(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read an assignment, annotated or not, and return the value of its right side."""
    left, declared = node.child_by_field_name("left"), node.child_by_field_name("type")
    annotation = uses.visit(declared, scope, ANNOTATE) if declared is not None else _in_comment(uses, node, scope)
    value = uses.visit_field(node, "right", scope)
    if left is not None:
        bind_target(uses, left, scope, value, annotation)
    return value


def _in_comment(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read the type in a comment after an assignment: `x = None  # type: Box`."""
    statement = node.parent
    comment = statement.next_sibling if statement is not None and statement.type == "expression_statement" else None
    if comment is None or comment.type != "comment" or comment.start_point.row != node.end_point.row:
        return UNKNOWN
    found = _TYPE_COMMENT.match(uses.source.of(comment))
    return uses.visit_part(comment, scope, found.end()) if found is not None else UNKNOWN


def read_type_comments(uses: UsesBuilder, node: Node, scope: int) -> None:
    """Use the types in comments of a header: `# type: (Box) -> Lid`, or `# type: Box` behind a parameter."""
    for comment in (each for each in node.children if each.type == "comment"):
        text = uses.source.of(comment)
        if (found := _FUNCTION_COMMENT.match(text)) is not None:
            written = grammars.parse_part(uses.source.content, uses.spec.grammar, comment, found.end())
            for each in iter_outermost(written, {"identifier", "attribute", "subscript", "string"}):
                uses.visit(each, scope, ANNOTATE)
        elif (found := _TYPE_COMMENT.match(text)) is not None:
            uses.visit_part(comment, scope, found.end())


def augmented(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `x += 1`, which uses and binds `x`."""
    left = node.child_by_field_name("left")
    uses.visit_field(node, "right", scope)
    if left is not None and left.type == "identifier":
        uses.add_reference(left, scope, WRITE)
        _bind_name(uses, left, scope, UNKNOWN, UNKNOWN)
    else:
        uses.visit(left, scope, WRITE)


def named_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `(x := y)`, which binds in the function around, from a comprehension too."""
    name = node.child_by_field_name("name")
    value = uses.visit_field(node, "value", scope)
    if name is not None:
        bind_target(uses, name, scope, value)
    return value


def outer_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a name of `global` or `nonlocal`, which belongs to a scope further out."""
    target = 0 if node.type == "global_statement" else uses.function_of(uses.scopes[scope].parent)
    for name in node.named_children:
        if name.type == "identifier":
            uses.bind(name, scope, BindingKind.OUTER, within=max(target, 0))
            uses.add_reference(name, scope, READ)


def delete_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `del`, which deletes names and members."""
    targets = node.named_children
    if len(targets) == 1 and targets[0].type == "expression_list":
        targets = targets[0].named_children
    for target in targets:
        uses.visit(target, scope, ReferenceKind.DELETE)


def import_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `import a.b`: the name `a`, or an alias for `a.b`."""
    for entry in node.children_by_field_name("name"):
        name = entry.named_children[0] if entry.type == "aliased_import" else entry
        if uses.bind_import(name, uses.holder(scope)) < 0:
            uses.use_import(name.named_children[-1], uses.holder(scope))


def import_from_statement(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `from m import n`, which uses `n` of `m`."""
    for entry in node.children_by_field_name("name"):
        name = entry.named_children[0] if entry.type == "aliased_import" else entry
        uses.use_import(name, uses.holder(scope))
    for child in node.named_children:
        if child.type == "wildcard_import":
            uses.bind_import(child, uses.holder(scope))
