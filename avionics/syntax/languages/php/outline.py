"""Outlines of PHP: what statements define and import."""

from __future__ import annotations

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, require_field, require_fields
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import one_line, one_line_of_code

KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "interface_declaration": SymbolKind.INTERFACE,
    "trait_declaration": SymbolKind.INTERFACE,
    "enum_declaration": SymbolKind.ENUM,
}

_FINAL = late_pattern(r"(?:\w+ )*final\b")


def _define(outline: Outline, name: Node, kind: SymbolKind, whole: Node, parent: int, until: Node | None) -> int:
    """Add a definition with its header, its documentation, and its attributes."""
    stop = until.start_byte if until is not None else whole.end_byte
    header = outline.source.between(whole.start_byte, stop)
    above = whole.prev_named_sibling
    doc = outline.source.of(above) if above is not None and above.type == "comment" else ""
    first = next((child for child in name.named_children if child.type == "name"), name)
    visibility = next((outline.source.of(c) for c in whole.named_children if c.type == "visibility_modifier"), "public")
    # Subclasses elsewhere see what is protected, unless the class is final.
    is_final = parent >= 0 and _FINAL.match(outline.symbols[parent].signature) is not None
    hidden = visibility == "private" or (visibility == "protected" and is_final)
    return outline.define(
        first,
        kind,
        whole,
        parent,
        signature=one_line_of_code(header).rstrip("{; "),
        doc=_first_paragraph(doc),
        exported=not hidden,
        decorators=_attributes(outline, whole),
        bases=_bases(outline, whole),
    )


def _attributes(outline: Outline, node: Node) -> tuple[str, ...]:
    groups = children_of(node, "attributes")
    return tuple(one_line_of_code(outline.source.of(each), 120) for group in groups for each in group.named_children)


def _bases(outline: Outline, node: Node) -> tuple[str, ...]:
    clauses = [child for child in node.named_children if child.type in {"base_clause", "class_interface_clause"}]
    return tuple(outline.source.of(base) for clause in clauses for base in clause.named_children)


def _first_paragraph(comment: str) -> str:
    if not comment.startswith("/**"):
        return ""
    lines = [line.strip().lstrip("*").strip() for line in comment.removeprefix("/**").removesuffix("*/").split("\n")]
    text = "\n".join(line if not line.startswith("@") else "" for line in lines).strip()
    return one_line(text.split("\n\n", 1)[0], 200)


def _type(outline: Outline, node: Node, parent: int) -> None:
    name, body = require_fields(node, "name", "body")
    outline.enter(body, _define(outline, name, KINDS[node.type], node, parent, body))


def _function(outline: Outline, node: Node, parent: int) -> None:
    name, body = require_field(node, "name"), node.child_by_field_name("body")
    kind = SymbolKind.METHOD if outline.is_class(parent) else SymbolKind.FUNCTION
    index = _define(outline, name, kind, node, parent, body)
    for entry in children_of(node, "parameters"):
        field = entry.child_by_field_name("name") if entry.type == "property_promotion_parameter" else None
        if field is not None:
            _define(outline, field, SymbolKind.ATTRIBUTE, entry, parent, None)
    outline.enter(body, index)


def _properties(outline: Outline, node: Node, parent: int) -> None:
    for element in node.named_children:
        name = element.child_by_field_name("name") if element.type == "property_element" else None
        if name is not None:
            _define(outline, name, SymbolKind.ATTRIBUTE, node, parent, None)


def _constants(outline: Outline, node: Node, parent: int) -> None:
    kind = SymbolKind.ATTRIBUTE if outline.is_class(parent) else SymbolKind.CONSTANT
    for element in node.named_children:
        if element.type == "const_element" and element.named_children:
            _define(outline, element.named_children[0], kind, node, parent, None)


def _case(outline: Outline, node: Node, parent: int) -> None:
    _define(outline, require_field(node, "name"), SymbolKind.ATTRIBUTE, node, parent, None)


def _namespace(outline: Outline, node: Node, parent: int) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None:
        outline.package = _dotted(outline.source.of(name))
    outline.enter(body, parent)


def _dotted(path: str) -> str:
    return path.strip("\\").replace("\\", ".")


def _use(outline: Outline, node: Node, parent: int) -> None:
    """Add imports, one by one or in a group; in a class `use` adds a trait instead."""
    if outline.is_class(parent):
        return
    group = node.child_by_field_name("body")
    shared = child_of(node, "namespace_name") if group is not None else None
    before = f"{_dotted(outline.source.of(shared))}." if shared is not None else ""
    for clause in (group or node).named_children:
        if clause.type != "namespace_use_clause" or not clause.named_children:
            continue
        written = clause.named_children[0]
        place = imported_name(written)
        module, _, name = f"{before}{_dotted(outline.source.of(written))}".rpartition(".")
        alias = clause.child_by_field_name("alias")
        bound = outline.source.of(alias) if alias is not None else name
        line, column = outline.source.place(place)
        outline.imports.append(Import(module, name, bound, 0 if module else 1, line, column))


def imported_name(node: Node) -> Node:
    """Return the last name of a path."""
    return node.named_children[-1] if node.type != "name" and node.named_children else node


OUTLINE = {
    **dict.fromkeys(KINDS, _type),
    **dict.fromkeys(("function_definition", "method_declaration"), _function),
    "property_declaration": _properties,
    "const_declaration": _constants,
    "enum_case": _case,
    "namespace_definition": _namespace,
    "namespace_use_declaration": _use,
}
