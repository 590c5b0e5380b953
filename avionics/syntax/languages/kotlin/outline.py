"""Outlines of Kotlin: what declarations define and import.

Members of a companion object count as those of its class; an extension is a member added to the type it extends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, head_end, require_field
from avionics.syntax.engine.outline import DeclarationStyle, Outline, OutlineRule
from avionics.syntax.engine.source_text import one_line, one_line_of_code
from avionics.syntax.languages.java.outline import doc_above

_EXTENDED = frozenset({"user_type", "nullable_type", "parenthesized_type"})
_MARKED = re.compile(r"\?>\{")
"""The text by which `> {` was replaced for parsing; see `tree_repair`."""

BODIES = frozenset({"class_body", "enum_class_body"})


def name_and_receiver(node: Node) -> tuple[Node | None, Node | None]:
    """Return the nodes of a declared name and of the type it extends, which the grammar may read as one: `Cart.add`."""
    place = node if node.type == "function_declaration" else child_of(node, "variable_declaration")
    name = place.child_by_field_name("name") if place is node else child_of(place, "identifier") if place else None
    before = [child for child in node.named_children if name is not None and child.start_byte < name.start_byte]
    extended = next((child for child in before if child.type in _EXTENDED), None)
    if name is not None and name.end_byte > name.start_byte:
        return name, extended
    if extended is None or extended.type != "user_type" or extended.named_child_count < 2:
        return None, None
    return extended.named_children[-1], extended


def _class(outline: Outline, node: Node, parent: int) -> None:
    name = require_field(node, "name")
    body = child_of(node, *BODIES)
    is_interface = any(child.type == "interface" for child in node.children)
    kind = SymbolKind.INTERFACE if is_interface else SymbolKind.CLASS
    if body is not None and body.type == "enum_class_body":
        kind = SymbolKind.ENUM
    bases = tuple(one_line(outline.source.of(each)) for each in children_of(child_of(node, "delegation_specifiers")))
    index = _STYLE.define(outline, name, kind, node, parent, body, bases=bases)
    for entry in children_of(child_of(child_of(node, "primary_constructor"), "class_parameters")):
        written = child_of(entry, "identifier")
        if written is not None and any(child.type in {"val", "var"} for child in entry.children):
            text = one_line_of_code(outline.source.of(entry))
            decorators = _annotations(outline, entry)
            outline.define(written, SymbolKind.ATTRIBUTE, entry, index, signature=text, decorators=decorators)
    outline.enter(body, index)


def _companion(outline: Outline, node: Node, parent: int) -> None:
    outline.enter(child_of(node, "class_body"), parent)


def _function(outline: Outline, node: Node, parent: int) -> None:
    name, extended = name_and_receiver(node)
    if name is None:
        return
    is_member = outline.is_class(parent) or extended is not None
    kind, holder = SymbolKind.METHOD if is_member else SymbolKind.FUNCTION, _holder(outline, extended, name)
    _STYLE.define(outline, name, kind, node, parent, child_of(node, "function_body"), holder=holder)


def _holder(outline: Outline, extended: Node | None, name: Node) -> str:
    """Return the plain name of the type that an extension is declared for."""
    if extended is None:
        return ""
    end = min(extended.end_byte, name.start_byte) if extended.start_byte < name.start_byte else extended.end_byte
    text = outline.source.between(extended.start_byte, end)
    path = text.partition("<")[0].strip("?.() ").removesuffix(".Companion")
    return path.rpartition(".")[2]


def _property(outline: Outline, node: Node, parent: int) -> None:
    name, extended = name_and_receiver(node)
    names = [name] if name is not None else []
    for entry in children_of(child_of(node, "multi_variable_declaration")):
        names.extend(child for child in entry.named_children[:1] if child.type == "identifier")
    for each in names:
        is_member = outline.is_class(parent) or extended is not None
        kind, holder = SymbolKind.ATTRIBUTE if is_member else SymbolKind.VARIABLE, _holder(outline, extended, each)
        written = _MARKED.sub("> {", _plain(outline, node, node.end_byte).split("\n")[0])
        signature = one_line_of_code(written, 120)
        _STYLE.define(outline, each, kind, node, parent, signature=signature, holder=holder)


def _entry(outline: Outline, node: Node, parent: int) -> None:
    name, body = child_of(node, "identifier"), child_of(node, "class_body")
    if name is None:
        return
    signature = _header(outline, node, body)
    index = outline.define(name, SymbolKind.ATTRIBUTE, node, parent, signature=signature, doc=doc_above(outline, node))
    outline.enter(body, index)


def _alias(outline: Outline, node: Node, parent: int) -> None:
    name, text = require_field(node, "type"), one_line_of_code(outline.source.of(node))
    outline.define(name, SymbolKind.TYPE, node, parent, signature=text, doc=doc_above(outline, node))


def _import(outline: Outline, node: Node, parent: int) -> None:
    path, alias = child_of(node, "qualified_identifier"), child_of(node, "identifier")
    if path is None:
        path, alias = alias, None
    if path is None:
        return
    text = "".join(outline.source.of(path).split())
    star = next((child for child in node.children if child.type == "*"), None)
    if star is not None:
        outline.imports.append(Import(text, "*", "", 0, *outline.source.place(star)))
        return
    module, _, name = text.rpartition(".")
    bound = outline.source.of(alias) if alias is not None else name
    place = path.named_children[-1] if path.named_child_count else path
    # A name without a package is one of the outermost package, and not of the file itself.
    level = 0 if module else 1
    outline.imports.append(Import(module, name, bound, level, *outline.source.place(place)))


def _package(outline: Outline, node: Node, parent: int) -> None:
    path = child_of(node, "qualified_identifier", "identifier")
    outline.package = "".join(outline.source.of(path).split()) if path is not None else ""


def _is_exported(outline: Outline, node: Node, parent: int) -> bool:
    is_local = parent >= 0 and not outline.is_class(parent)
    modifiers = children_of(child_of(node, "modifiers"))
    return not is_local and all(outline.source.of(each) != "private" for each in modifiers)


def _annotations(outline: Outline, node: Node) -> tuple[str, ...]:
    found = children_of(child_of(node, "modifiers"))
    texts = [*_list_above(outline, node), *(outline.source.of(each) for each in found if each.type == "annotation")]
    return tuple(one_line_of_code(each[1:], 120) for each in texts)


def _list_above(outline: Outline, node: Node) -> list[str]:
    """Return the annotations that the grammar takes for an expression above a declaration: `@Module @In(A) class B`."""
    above, around = node.prev_named_sibling, node.parent
    if above is None or around is None or around.type not in {"source_file", "class_body"}:
        return []
    texts: list[str] = []
    while above.type == "annotated_expression" and above.named_child_count > 1:
        texts.append(outline.source.of(above.named_children[0]))
        above = above.named_children[-1]
    is_argument = bool(texts) and above.type == "parenthesized_expression"
    return [*texts[:-1], texts[-1] + outline.source.of(above)] if is_argument else []


def _header(outline: Outline, node: Node, body: Node | None) -> str:
    return one_line_of_code(_plain(outline, node, head_end(node, body))).removesuffix("=").strip()


def _plain(outline: Outline, node: Node, end: int) -> str:
    """Return the text of a declaration up to a byte, without annotations."""
    modifiers = child_of(node, "modifiers")
    if modifiers is None or all(child.type != "annotation" for child in modifiers.named_children):
        return outline.source.between(node.start_byte, end)
    kept = [outline.source.of(child) for child in modifiers.named_children if child.type != "annotation"]
    return " ".join([*kept, outline.source.between(modifiers.end_byte, end).strip()])


_STYLE = DeclarationStyle(_header, doc_above, _is_exported, _annotations)
OUTLINE: Mapping[str, OutlineRule] = {
    **dict.fromkeys(("class_declaration", "object_declaration"), _class),
    "companion_object": _companion,
    "function_declaration": _function,
    "property_declaration": _property,
    "enum_entry": _entry,
    "type_alias": _alias,
    "import": _import,
    "package_header": _package,
}
NESTED: frozenset[str] = frozenset()
