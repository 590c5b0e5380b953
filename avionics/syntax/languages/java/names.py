"""Java names, types, imports and annotations.

Methods have a namespace apart from fields, variables and types: they are bound and looked up as `name()`.
"""

from __future__ import annotations

from avionics.model.enums import ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, replace
from avionics.model.naming import called
from avionics.syntax.engine.expressions import bare_name, member_of, subscripted, typed
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, code_children, require_field
from avionics.syntax.engine.uses import ANNOTATE, READ, UsesBuilder

ARRAY = bare_name("__Array")
"""The stub's name for arrays, which no program uses."""

TEXT = typed(bare_name("String"))
_TYPES = frozenset({"type_identifier", "scoped_type_identifier", "generic_type", "array_type", "annotated_type"})
_REFLECTING = frozenset({"MethodSource", "FieldSource", "CsvFileSource"})
"""Annotations whose text names members."""


def refer_called(
    uses: UsesBuilder,
    name: Node,
    scope: int,
    kind: ReferenceKind,
    receiver: Expression | None,
    arguments: tuple[Expression, ...] | None = None,
) -> str:
    """Add a use of the method whose name is under a node, and return the name by which it is looked up."""
    text = called(uses.source.of(name))
    return uses.add_reference(name, scope, kind, receiver, arguments=arguments, sought_as=text)


def type_identifier(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use the name of a type, unless it is `var`."""
    if uses.source.of(node) == "var":
        return UNKNOWN
    return uses.name(uses.add_reference(node, scope, role if role is not READ else ANNOTATE))


def scoped_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use `Outer.Inner` or the qualified name of a type."""
    owner, *rest = [child for child in node.named_children if child.type in _TYPES]
    meaning = uses.visit(owner, scope, ANNOTATE)
    kind = role if role is not READ else ANNOTATE
    for part in rest:
        meaning = uses.member(part, scope, kind, meaning)
    return meaning


def generic_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a type with its arguments; `Foo<>` has none."""
    owner, arguments = node.named_children[0], node.named_children[-1]
    meaning = uses.visit(owner, scope, role)
    given = tuple(uses.visit(part, scope, ANNOTATE) for part in code_children(arguments))
    return subscripted(meaning, *given) if given else meaning


def array_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `T[]`, an array of `T`, or `T[][]`, an array of those."""
    dimensions = node.child_by_field_name("dimensions")
    meaning = uses.visit_field(node, "element", scope, role)
    return as_array(uses, meaning, dimensions)


def as_array(uses: UsesBuilder, element: Expression, dimensions: Node | None) -> Expression:
    """Return an array of an element, one for each pair of brackets."""
    for _ in range(uses.source.of(dimensions).count("[") if dimensions is not None else 0):
        element = subscripted(ARRAY, element)
    return element


def written_type(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read the `type` field of a declaration, with the brackets after its name."""
    meaning = uses.visit_field(node, "type", scope, ANNOTATE)
    return as_array(uses, meaning, node.child_by_field_name("dimensions"))


def scoped_identifier(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a dotted name that may begin with packages, which are not used."""
    name, owner = node.child_by_field_name("name"), node.child_by_field_name("scope")
    if name is None or owner is None:
        return uses.name(uses.source.of(node))
    receiver = scoped_identifier(uses, owner, scope, role if role is ReferenceKind.IMPORT else READ)
    text = uses.source.of(name)
    if text[:1].isupper():
        uses.add_reference(name, scope, role, receiver)
    return member_of(receiver, text)


def import_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind an import, and add uses of the imported definition and the classes around it."""
    path = child_of(node, "scoped_identifier", "identifier")
    if path is None:
        return
    star = child_of(node, "asterisk")
    if star is not None:
        uses.bind_import(star, scope)
        scoped_identifier(uses, path, scope, ReferenceKind.IMPORT)
        return
    name, owner = path.child_by_field_name("name"), path.child_by_field_name("scope")
    if name is None or owner is None:
        return
    uses.use_import(name, scope)
    if any(child.type == "static" for child in node.children):
        plain = uses.bindings[uses.source.of(name)][-1]
        uses.bindings[called(plain.name)].append(replace(plain, name=called(plain.name)))
    scoped_identifier(uses, owner, scope, ReferenceKind.IMPORT)


def package_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Visit the annotations of a package; its name is not used."""
    for child in node.named_children[:-1]:
        uses.visit(child, scope)


def annotation(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use the annotation of `@Name(element = value)`, and the elements it names."""
    name = require_field(node, "name")
    meaning = uses.visit(name, scope, ReferenceKind.DECORATE)
    names_members = meaning.name in _REFLECTING
    for child in children_of(node, "arguments"):
        if names_members:
            note_text(uses, child)
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type != "element_value_pair" or key is None or value is None:
            uses.visit(child, scope)
            continue
        refer_called(uses, key, scope, READ, meaning)
        uses.visit(value, scope)


def note_text(uses: UsesBuilder, node: Node) -> None:
    """Record the string literals under a node, each of which names a member."""
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == "string_fragment":
            text = uses.source.of(current).rpartition("#")[2].rpartition(".")[2]
            uses.strings[text].append(uses.source.place(current)[0])
        pending.extend(current.named_children)
