"""PHP names: classes, functions and constants, and the types made of them.

Variables keep their `$`, and functions and fields have separate names (`avionics.model.naming`), so none collide.
"""

from __future__ import annotations

from avionics.model.enums import ReferenceKind
from avionics.model.facts import Expression
from avionics.model.naming import as_namespace, called
from avionics.syntax.engine.expressions import OWN_CLASS, OWN_OBJECT, SUPER, member_of, one_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import ANNOTATE, UsesBuilder

OWN = {"self": OWN_CLASS, "static": OWN_CLASS, "parent": SUPER}
NAMES = frozenset({"name", "qualified_name", "relative_name"})


def bare(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind, *, is_call: bool = False) -> Expression:
    """Use a class, function or constant by its name: plain, qualified, or from the root."""
    text = uses.source.of(node)
    if node.type == "name":
        if text in OWN:  # In `new static::$made()`.
            return OWN[text]
        return uses.name(uses.add_reference(node, scope, role, sought_as=called(text) if is_call else text))
    *around, last = [part for child in node.named_children for part in (child.named_children or [child])]
    owner = uses.name(as_namespace("")) if text.startswith("\\") else None
    for part in around:
        space = as_namespace(uses.source.of(part))
        owner = uses.name(space) if owner is None else member_of(owner, space)
    written = uses.source.of(last)
    name = uses.add_reference(last, scope, role, owner, sought_as=called(written) if is_call else written)
    return uses.name(name) if owner is None else member_of(owner, name)


def relative_scope(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `self`, `static` or `parent`."""
    return OWN.get(uses.source.of(node), OWN_CLASS)


def named_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Use a class in a type position."""
    inner = node.named_children[0]
    text = uses.source.of(inner)
    if text in OWN:
        return SUPER if text == "parent" else OWN_OBJECT
    return bare(uses, inner, scope, ANNOTATE)


def alternatives(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `A|B` or `?A`."""
    return one_of(uses.visit(child, scope, ANNOTATE) for child in node.named_children)
