"""Outlines of C#: what declarations define and import."""

from __future__ import annotations

import re
from collections.abc import Mapping

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, children_of, field_of, head_end, require_field
from avionics.syntax.engine.outline import DeclarationStyle, Outline, OutlineRule
from avionics.syntax.engine.source_text import SourceText, line_comment_above, one_line, one_line_of_code

_KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "struct_declaration": SymbolKind.CLASS,
    "record_declaration": SymbolKind.CLASS,
    "interface_declaration": SymbolKind.INTERFACE,
    "enum_declaration": SymbolKind.ENUM,
}
_MEMBERS = {
    "method_declaration": SymbolKind.METHOD,
    "constructor_declaration": SymbolKind.METHOD,
    "property_declaration": SymbolKind.PROPERTY,
    "event_declaration": SymbolKind.PROPERTY,
    "delegate_declaration": SymbolKind.TYPE,
}
_TAG = re.compile(r"<(?:see|paramref|typeparamref)\s+\w+=\"(?:\w:)?([^\"]*)\"\s*/>|</?[a-zA-Z][^>]*>")
_SUMMARY = re.compile(r"<summary>(.*?)(?:</summary>|<para>|\Z)", re.DOTALL)
_CONDITION = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]*#[ \t]*(?:else\b[^\n]*\n\s*;(?=\s*#)|(?:if|elif|else|endif)\b[^\n]*)", re.MULTILINE
)
"""A line of conditional compilation, with the `;` of an `#else` branch that has no body."""
_NOT_ENDING = re.compile(rb"[^\r\n]")


def open_branches(content: bytes) -> bytes:
    """Return the bytes without the lines of conditional compilation, so that the code of every branch is read.

    The grammar allows them only between whole members and statements: one within a member would lose its class.
    """
    return _CONDITION.sub(lambda lines: _NOT_ENDING.sub(b" ", lines[0]), content)


def has_modifier(node: Node, wanted: str, source: SourceText) -> bool:
    """Return whether a declaration or parameter has a modifier."""
    return any(child.type == "modifier" and source.of(child) == wanted for child in node.named_children)


def _type(outline: Outline, node: Node, parent: int) -> None:
    name, body = require_field(node, "name"), node.child_by_field_name("body")
    bases = tuple(one_line(outline.source.of(each)) for each in children_of(child_of(node, "base_list")))
    index = _STYLE.define(outline, name, _KINDS[node.type], node, parent, body, bases=bases)
    parameters = child_of(node, "parameter_list") if node.type == "record_declaration" else None
    for entry in children_of(parameters):
        written = entry.child_by_field_name("name")
        if written is not None:
            text = one_line_of_code(outline.source.of(entry))
            outline.define(written, SymbolKind.PROPERTY, entry, index, signature=text)
    outline.enter(body, index)


def _member(outline: Outline, node: Node, parent: int) -> None:
    """Define a method, a constructor, a property or a delegate."""
    name = require_field(node, "name")
    body = (
        node.child_by_field_name("body") or node.child_by_field_name("accessors") or node.child_by_field_name("value")
    )
    _STYLE.define(outline, name, _MEMBERS[node.type], node, parent, body)


def _field(outline: Outline, node: Node, parent: int) -> None:
    declaration = child_of(node, "variable_declaration")
    declared = field_of(declaration, "type")
    if declaration is None or declared is None:
        return
    prefix = _plain(outline, node, declared.end_byte)
    for declarator in declaration.named_children:
        name = declarator.child_by_field_name("name") if declarator.type == "variable_declarator" else None
        if name is not None:
            signature = one_line_of_code(f"{prefix} {outline.source.of(declarator)}", 120)
            _STYLE.define(outline, name, SymbolKind.ATTRIBUTE, node, parent, signature=signature)


def _constant(outline: Outline, node: Node, parent: int) -> None:
    name, text = require_field(node, "name"), one_line_of_code(outline.source.of(node))
    outline.define(name, SymbolKind.ATTRIBUTE, node, parent, signature=text, doc=_doc(outline, node))


def _namespace(outline: Outline, node: Node, parent: int) -> None:
    """Read a namespace as that of the file; a second one in the same file is treated as part of it."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and not outline.package:
        outline.package = "".join(outline.source.of(name).split())
    if node.type == "namespace_declaration" and body is not None:
        outline.enter(body, parent)
    elif node.type != "namespace_declaration":
        outline.enter(node, parent)


def _using(outline: Outline, node: Node, parent: int) -> None:
    path, alias = used_path(node), node.child_by_field_name("name")
    if path is None:
        return
    text = "".join(outline.source.of(path).split())
    place = outline.source.place(last_part(path))
    if alias is None:
        outline.imports.append(Import(text, "*", "", 0, *place))
        return
    module, _, name = text.rpartition(".")
    outline.imports.append(Import(module, name, outline.source.of(alias), 0, *place))


def used_path(using: Node) -> Node | None:
    """Return the path that a `using` names, perhaps under an alias."""
    alias = using.child_by_field_name("name")
    paths = [child for child in using.named_children if child.type in {"identifier", "qualified_name"}]
    return next((path for path in reversed(paths) if path != alias), None)


def last_part(path: Node) -> Node:
    """Return the last name of a dotted one."""
    return path.child_by_field_name("name") or path


def _is_exported(outline: Outline, node: Node, parent: int) -> bool:
    is_hidden = outline.get_kind(parent) is SymbolKind.CLASS
    modifiers = [outline.source.of(child) for child in node.named_children if child.type == "modifier"]
    return "private" not in modifiers and (not is_hidden or bool({"public", "protected", "internal"} & set(modifiers)))


def _attributes(outline: Outline, node: Node) -> tuple[str, ...]:
    lists = [child for child in node.named_children if child.type == "attribute_list"]
    found = [each for entry in lists for each in entry.named_children if each.type == "attribute"]
    return tuple(one_line_of_code(outline.source.of(each), 120) for each in found)


def _header(outline: Outline, node: Node, body: Node | None) -> str:
    return one_line_of_code(_plain(outline, node, head_end(node, body))).rstrip("=;{ ")


def _plain(outline: Outline, node: Node, end: int) -> str:
    """Return the text of a declaration up to a byte, without attributes."""
    lists = [child for child in node.named_children if child.type == "attribute_list"]
    start = lists[-1].end_byte if lists else node.start_byte
    return outline.source.between(start, end).strip()


def _doc(outline: Outline, node: Node) -> str:
    """Return the summary in the comment directly above."""
    text = line_comment_above(outline.source.between(max(0, node.start_byte - 8_000), node.start_byte).rstrip())
    summary = _SUMMARY.search(text)
    paragraph = summary[1] if summary else text if "<" not in text else ""
    return one_line(_TAG.sub(lambda match: match[1] or "", paragraph.strip().split("\n\n", 1)[0]), 200)


_STYLE = DeclarationStyle(_header, _doc, _is_exported, _attributes)
OUTLINE: Mapping[str, OutlineRule] = {
    **dict.fromkeys(_KINDS, _type),
    **dict.fromkeys(_MEMBERS, _member),
    **dict.fromkeys(("field_declaration", "event_field_declaration"), _field),
    "enum_member_declaration": _constant,
    **dict.fromkeys(("namespace_declaration", "file_scoped_namespace_declaration"), _namespace),
    "using_directive": _using,
}
NESTED = frozenset({"preproc_if", "preproc_else", "preproc_elif", "preproc_region", "declaration_list"})
