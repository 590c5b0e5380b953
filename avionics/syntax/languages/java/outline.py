"""Outlines of Java: what declarations define and import.

Bodies of methods and values of fields are entered only where their text may contain a class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, head_end, iter_outermost, require_field
from avionics.syntax.engine.outline import DeclarationStyle, Outline, OutlineRule
from avionics.syntax.engine.source_text import comment_opening, line_comment_above, one_line, one_line_of_code

_HAS_CLASS = re.compile(
    rb"\b(?:class|interface|enum|record)\s+\w+\s*[<({\w]|\)\s*\{\s*+(?:[@}]|[^;{}()=]*[\w>\]]\s+\w+\s*[(;=])"
)
"""Found in each body with a local or an anonymous class, and in some others, in which the search then finds nothing."""

_ANNOTATIONS = frozenset({"marker_annotation", "annotation"})
_TAGS = re.compile(r"</?[A-Za-z][^>]*>")
_INLINE = re.compile(r"\{@\w+\s+#?([^}]*)\}")
_END_OF_PARAGRAPH = re.compile(r"\n\s*\n|\n\s*@|<p>|<p/>|<ul>|<pre>|<h\d>")
_KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "record_declaration": SymbolKind.CLASS,
    "interface_declaration": SymbolKind.INTERFACE,
    "annotation_type_declaration": SymbolKind.INTERFACE,
    "enum_declaration": SymbolKind.ENUM,
}
_BASES = ("superclass", "interfaces")


def iter_bases(node: Node) -> Iterator[Node]:
    """Yield the types that a declaration extends and implements."""
    written = [node.child_by_field_name(field) for field in _BASES]
    written.extend(child for child in node.named_children if child.type == "extends_interfaces")
    for clause in written:
        for child in children_of(clause):
            yield from child.named_children if child.type == "type_list" else (child,)


def modifiers_of(node: Node) -> Node | None:
    """Return the node of the modifiers and annotations of a declaration."""
    first = node.child(0)
    return first if first is not None and first.type == "modifiers" else None


def has_modifier(node: Node, *wanted: str) -> bool:
    """Return whether a declaration has one of the modifiers."""
    modifiers = modifiers_of(node)
    return modifiers is not None and any(child.type in wanted for child in modifiers.children)


def _type(outline: Outline, node: Node, parent: int) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    bases = tuple(one_line(outline.source.of(base)) for base in iter_bases(node))
    index = _STYLE.define(outline, name, _KINDS[node.type], node, parent, body, bases=bases)
    for component in children_of(node, "parameters"):
        _component(outline, component, index)
    outline.enter(body, index)


def _component(outline: Outline, node: Node, parent: int) -> None:
    """Define a component of a record: a field and its accessor in one."""
    name = node.child_by_field_name("name")
    if name is None and node.type == "spread_parameter":
        name = node.named_children[-1].child_by_field_name("name")
    if name is not None:
        signature = one_line_of_code(outline.source.of(node))
        outline.define(name, SymbolKind.ATTRIBUTE, node, parent, signature=signature)


def _method(outline: Outline, node: Node, parent: int) -> None:
    name, body = require_field(node, "name"), node.child_by_field_name("body")
    index = _STYLE.define(outline, name, SymbolKind.METHOD, node, parent, body)
    if body is not None:
        _enter_code(outline, body, index)


def _field(outline: Outline, node: Node, parent: int) -> None:
    declared = require_field(node, "type")
    prefix = _without_annotations(outline, node, declared.end_byte)
    for declarator in node.children_by_field_name("declarator"):
        name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        if name is None:
            continue
        signature = one_line_of_code(f"{prefix} {outline.source.of(declarator)}", 120)
        index = _STYLE.define(outline, name, SymbolKind.ATTRIBUTE, node, parent, signature=signature)
        if value is not None:
            _enter_code(outline, value, index)


def _constant(outline: Outline, node: Node, parent: int) -> None:
    """Define a constant of an enum, which may have a body of its own."""
    name, body = require_field(node, "name"), node.child_by_field_name("body")
    index = _STYLE.define(outline, name, SymbolKind.ATTRIBUTE, node, parent, body)
    outline.enter(body, index)


def _enter_code(outline: Outline, code: Node, parent: int) -> None:
    """Look for local and anonymous classes where there may be some."""
    if _HAS_CLASS.search(outline.source.content, code.start_byte, code.end_byte):
        for found in iter_outermost(code, {*_KINDS, "class_body"}):
            if found.type == "class_body":
                outline.enter(found, parent)
            else:
                _type(outline, found, parent)


def _import(outline: Outline, node: Node, parent: int) -> None:
    path = child_of(node, "scoped_identifier", "identifier")
    if path is None:
        return
    text = "".join(outline.source.of(path).split())
    star = child_of(node, "asterisk")
    if star is not None:
        line, column = outline.source.place(star)
        outline.imports.append(Import(text, "*", "", 0, line, column))
        return
    module, _, name = text.rpartition(".")
    line, column = outline.source.place(path.child_by_field_name("name") or path)
    outline.imports.append(Import(module, name, name, 0, line, column))


def _package(outline: Outline, node: Node, parent: int) -> None:
    name = node.named_children[-1] if node.named_child_count else None
    if name is not None:
        outline.package = "".join(outline.source.of(name).split())
        if not outline.doc:
            outline.doc = doc_above(outline, node)


def _module(outline: Outline, node: Node, parent: int) -> None:
    """Read the documentation of `module-info.java`."""
    outline.doc = doc_above(outline, node)


def _is_exported(outline: Outline, node: Node, parent: int) -> bool:
    """Return whether other files see a definition: it is not private and not within code."""
    return not has_modifier(node, "private") and (parent < 0 or outline.is_class(parent))


def _annotations(outline: Outline, node: Node) -> tuple[str, ...]:
    """Return the annotations of a declaration without the `@`."""
    modifiers = modifiers_of(node)
    return tuple(
        one_line_of_code(outline.source.of(child)[1:].strip(), 120)
        for child in children_of(modifiers)
        if child.type in _ANNOTATIONS
    )


def _header(outline: Outline, node: Node, body: Node | None) -> str:
    """Return a declaration up to its body, without annotations."""
    return one_line_of_code(_without_annotations(outline, node, head_end(node, body))).removesuffix(";")


def _without_annotations(outline: Outline, node: Node, end: int) -> str:
    """Return the text of a declaration up to a byte, without annotations."""
    modifiers = modifiers_of(node)
    if modifiers is None:
        return outline.source.between(node.start_byte, end)
    kept = [outline.source.of(child) for child in modifiers.children if child.type not in _ANNOTATIONS]
    rest = outline.source.between(modifiers.end_byte, end).strip()
    return " ".join([*(text for text in kept if not text.startswith("/")), rest])


def doc_above(outline: Outline, node: Node) -> str:
    """Return the first paragraph of the comment directly above a declaration."""
    above = outline.source.content[max(0, node.start_byte - 20_000) : node.start_byte].rstrip()
    if above.endswith(b"*/"):
        start = comment_opening(above)
        is_doc = start >= 0 and above.startswith(b"/**", start)
        return _first_paragraph(above[start + 3 : -2].decode("utf-8", "surrogateescape")) if is_doc else ""
    text = above[-2_000:].decode("utf-8", "surrogateescape")
    return one_line(line_comment_above(text).split("\n\n", 1)[0], 200)


def _first_paragraph(comment: str) -> str:
    lines = [line.strip().lstrip("*").strip() for line in comment.strip().split("\n")]
    text = "\n".join(lines).strip()
    if text.startswith("@"):
        return ""
    first = _END_OF_PARAGRAPH.split(text, maxsplit=1)[0][:2_000]
    return one_line(_TAGS.sub("", _INLINE.sub(r"\1", first)), 200)


_STYLE = DeclarationStyle(_header, doc_above, _is_exported, _annotations)
OUTLINE: Mapping[str, OutlineRule] = {
    **dict.fromkeys(_KINDS, _type),
    "method_declaration": _method,
    "constructor_declaration": _method,
    "compact_constructor_declaration": _method,
    "annotation_type_element_declaration": _method,
    **dict.fromkeys(("field_declaration", "constant_declaration"), _field),
    "enum_constant": _constant,
    **dict.fromkeys(("static_initializer", "block"), _enter_code),
    "import_declaration": _import,
    "package_declaration": _package,
    "module_declaration": _module,
}
NESTED = frozenset({"enum_body_declarations"})
