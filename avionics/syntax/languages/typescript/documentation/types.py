"""Add the uses of the types in JSDoc comments, and return the types that they declare."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.engine.doc_comments import DocComment, DocDeclaration, DocTag
from avionics.syntax.engine.expressions import bare_name, subscripted
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import ANNOTATE, UsesBuilder

_AROUND = frozenset(
    {
        "variable_declarator", "lexical_declaration", "variable_declaration", "export_statement", "pair",
        "assignment_expression", "expression_statement", "field_definition", "parenthesized_expression",
    }
)  # fmt: skip
"""The nodes whose comment is about their value."""
_IN_PARENTHESES = frozenset({"arrow_function", "parenthesized_expression"})
"""The nodes that may begin with a parenthesis and have a comment of their own."""
_ANY_OBJECT = frozenset({"Object", "object"})
_ANY = _ANY_OBJECT | {"Function"}
"""Types that say nothing of the members of a value: in JavaScript `Object` means any value."""
_MAX_PLACED = 200
"""The comments of a file whose scope is looked for, among all scopes."""


def comment_of(uses: UsesBuilder, node: Node) -> DocComment | None:
    """Return the comment about a node: before it, or before the declaration or statement that it is the value of."""
    comments = uses.comments
    current = node if comments else None
    while current is not None:
        found = comments.get(current.start_byte)
        if found is not None:
            # A comment before parentheses is about what they enclose.
            is_cast = uses.source.content[current.start_byte] == ord("(") and current.type not in _IN_PARENTHESES
            return None if is_cast else found
        outer = current.parent
        if outer is None or outer.type not in _AROUND:
            return None
        if outer.type.endswith("_declaration") and outer.named_children[0].start_byte != current.start_byte:
            return None
        current = outer
    return None


def declared_type(uses: UsesBuilder, node: Node, scope: int, *kinds: str) -> Expression:
    """Return the type that the comment about a node declares, `@type` or another tag; UNKNOWN for none."""
    comment = comment_of(uses, node)
    found = (comment.get(kind) for kind in kinds or ("type",)) if comment is not None else ()
    tag = next(filter(None, found), None)
    return read_type(uses, tag, scope) if tag is not None else UNKNOWN


def read_type(uses: UsesBuilder, tag: DocTag, scope: int, role: ReferenceKind = ANNOTATE) -> Expression:
    """Add the uses of the type of a tag, once, and return the type."""
    node = tag.type
    if node is None:
        return UNKNOWN
    known = uses.documented.get(node.start_byte)
    if known is not None:
        return known
    found = uses.visit(node, scope, role)
    found = UNKNOWN if tag.is_loose or is_any(uses, node) else found
    for _ in range(tag.lists if found is not UNKNOWN else 0):
        found = subscripted(bare_name("Array"), found)
    if tag.subject:
        boolean = bare_name("Boolean")
        found = Expression(ExpressionKind.GUARD, tag.subject, (found,)) if found is not UNKNOWN else boolean
    uses.documented[node.start_byte] = found
    return found


def is_any(uses: UsesBuilder, node: Node) -> bool:
    """Return whether a type says nothing of the members of a value."""
    return node.type in {"type_identifier", "predefined_type"} and uses.source.of(node) in _ANY


def bind_templates(uses: UsesBuilder, comment: DocComment | None, scope: int) -> None:
    """Bind the type variables of `@template {Bound} T` in a scope."""
    for tag in comment.find("template") if comment is not None else ():
        uses.bind(tag.name, scope, BindingKind.TYPE_PARAMETER, annotation=read_type(uses, tag, scope))


class DocumentedParameters:
    """The types that the comment about a function declares for its parameters."""

    def __init__(self, uses: UsesBuilder, comment: DocComment | None) -> None:
        self._uses = uses
        self._comment = comment
        found = comment.find("param") if comment is not None else ()
        named = [tag for tag in found if tag.name is not None and tag.name.type == "identifier"]
        self._tags = {uses.source.of(tag.name): tag for tag in reversed(named)}
        self._in_order = named

    def read(self, pattern: Node, at: int, scope: int) -> Expression:
        """Return the type of a parameter, found by its name, or by its position if it is a pattern."""
        if self._comment is None:
            return UNKNOWN
        name = pattern.named_children[0] if pattern.type == "rest_pattern" else pattern
        if name.type == "identifier":
            tag = self._tags.get(self._uses.source.of(name))
        else:
            tag = self._in_order[at] if at < len(self._in_order) else None
        if tag is None:
            return UNKNOWN
        members = _list_members(self._uses, self._comment, tag)
        if not members:
            return read_type(self._uses, tag, scope)
        inner = self._uses.open(ScopeKind.CLASS, scope, self._comment.node)
        bind_members(self._uses, members, inner, scope)
        return Expression(ExpressionKind.OBJECT, index=inner)


def _list_members(uses: UsesBuilder, comment: DocComment, of: DocTag) -> list[DocTag]:
    """Return the tags of the members of a parameter, `options.size`, if its type is `Object`."""
    if not _is_any_object(uses, of):
        return []
    prefix = f"{uses.source.of(of.name)}."
    return [tag for tag in comment.find("param") if uses.source.of(tag.name).startswith(prefix)]


def list_properties(uses: UsesBuilder, declared: DocDeclaration) -> list[DocTag]:
    """Return the tags of the properties of a `@typedef`, if its type is `Object` or none."""
    return [tag for tag in declared.members if tag.kind == "property"] if _is_any_object(uses, declared.tag) else []


def _is_any_object(uses: UsesBuilder, tag: DocTag) -> bool:
    return tag.type is None or (uses.source.of(tag.type) in _ANY_OBJECT and not tag.lists)


def bind_members(uses: UsesBuilder, members: list[DocTag], holder: int, scope: int) -> None:
    """Bind the members that tags declare in the scope of their object; their types are read in `scope`."""
    for tag in members:
        annotation = read_type(uses, tag, scope)
        owner = tag.name.child_by_field_name("object") if tag.name is not None else None
        if tag.name is not None and (owner is None or (tag.kind == "param" and owner.type == "identifier")):
            name = tag.name.child_by_field_name("property") or tag.name
            uses.bind(name, holder, BindingKind.ASSIGNMENT, within=scope, annotation=annotation)


def read_rest(uses: UsesBuilder) -> None:
    """Add the uses of the types that are about no code, such as those of `@throws`."""
    count = 0
    for comment in uses.comments.values():
        tags = [*comment.tags, *(tag for each in comment.declarations for tag in (each.tag, *each.members))]
        if any(tag.type is not None and tag.type.start_byte not in uses.documented for tag in tags):
            scope, count = _scope_around(uses, comment.node) if count < _MAX_PLACED else 0, count + 1
            for tag in tags:
                read_type(uses, tag, scope)


def _scope_around(uses: UsesBuilder, comment: Node) -> int:
    """Return the innermost scope with the line of a comment."""
    parent, line = comment.parent, comment.start_point.row + 1
    if parent is None or parent.type == "program":
        return 0
    inner = range(len(uses.scopes) - 1, 0, -1)
    return next((index for index in inner if uses.scopes[index].span.contains(line)), 0)
