"""Go's outline: what a file declares and imports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, first_child, head_end, iter_outermost
from avionics.syntax.engine.outline import Outline, OutlineRule
from avionics.syntax.engine.source_text import comment_opening, one_line, one_line_of_code

NESTED: frozenset[str] = frozenset()
_MAJOR = re.compile(r"v\d+\Z")
_FIRST = frozenset({"v0", "v1"})
_AFFIX = re.compile(r"\Ago[-_.]|[-_.](?:go|v\d+)\Z")
_NOT_WORD = re.compile(r"\W")
_MAX_LOOKED_FOR = 1_000
_MAX_COMMENT_BYTES = 20_000
"""The most imports of a file whose names are looked for in its text."""
_DIRECTIVE = re.compile(rb"//(?:go:|line |export |nolint|[ ]?\+build)")
_LOCAL_TYPE = re.compile(rb"^[ \t]+type\b", re.M)


def embedded_name(node: Node | None) -> Node | None:
    """Return the name of an embedded type, such as `B` of `*pkg.B[T]`; None if the node embeds nothing."""
    while node is not None and node.type != "type_identifier":
        if node.type == "qualified_type":
            node = node.child_by_field_name("name")
        elif node.type == "generic_type":
            node = node.child_by_field_name("type")
        elif node.type in {"pointer_type", "type_elem", "parenthesized_type"} and node.named_child_count == 1:
            node = node.named_children[0]
        else:
            return None
    return node


def receiver_of(method: Node) -> tuple[Node | None, Node | None]:
    """Return the name and the type of a method's receiver; None for a missing one."""
    receiver = method.child_by_field_name("receiver")
    entry = next(iter(code_children(receiver)), None)
    return (entry.child_by_field_name("name"), entry.child_by_field_name("type")) if entry else (None, None)


def import_parts(entry: Node) -> tuple[Node | None, Node | None]:
    """Return the path of an import without its quotes, and the name it is given, if any."""
    return first_child(entry, "path"), entry.child_by_field_name("name")


def _package(outline: Outline, node: Node, parent: int) -> None:
    name = node.named_child(0)
    if name is not None:
        outline.package = outline.source.of(name)
        outline.doc = _doc(outline, node)


def _import(outline: Outline, node: Node, parent: int) -> None:
    for entry in _iter_specs(node, "import_spec", "import_spec_list"):
        path, given = import_parts(entry)
        if path is None:
            continue
        written = outline.source.of(path)
        line, column = outline.source.place(path)
        is_dot = given is not None and given.type == "dot"
        alias = outline.source.of(given) if given is not None else _package_name(outline, written)
        name, alias = ("*", "") if is_dot else ("", alias)
        outline.imports.append(Import(written, name, alias, 0, line, column))


def _package_name(outline: Outline, path: str) -> str:
    """Return the most likely name of the package at a path, which only its own files know."""
    *above, last = path.split("/")
    version = last if _MAJOR.match(last) and above else ""
    last = above[-1] if version else last
    short = _AFFIX.sub("", _AFFIX.sub("", last)) or last
    likely = (last, short, _NOT_WORD.sub("_", short), _NOT_WORD.sub("", short), version)
    # Only the paths of modules end with a version that is no name, and only from the second version on.
    for name in dict.fromkeys((version, *likely) if version in _FIRST else likely):
        is_looked_for = name.isidentifier() and len(outline.imports) < _MAX_LOOKED_FOR
        if is_looked_for and re.search(rb"\b%s\s*\." % re.escape(name.encode()), outline.source.content):
            return name
    return _NOT_WORD.sub("", short)


def _function(outline: Outline, node: Node, parent: int) -> None:
    _define_function(outline, node, parent, SymbolKind.FUNCTION, "")


def _method(outline: Outline, node: Node, parent: int) -> None:
    holder = embedded_name(receiver_of(node)[1])
    _define_function(outline, node, parent, SymbolKind.METHOD, outline.source.of(holder))


def _define_function(outline: Outline, node: Node, parent: int, kind: SymbolKind, holder: str) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or outline.source.of(name) == "_":
        return
    signature = _header(outline, node, body)
    doc = _doc(outline, node)
    exported = _is_exported(outline, name)
    index = outline.define(name, kind, node, parent, signature=signature, doc=doc, exported=exported, holder=holder)
    if body is not None and _LOCAL_TYPE.search(outline.source.content, body.start_byte, body.end_byte):
        for declaration in iter_outermost(body, {"type_declaration"}):
            _types(outline, declaration, index)


def _types(outline: Outline, node: Node, parent: int) -> None:
    for entry in node.named_children:
        name, written = entry.child_by_field_name("name"), entry.child_by_field_name("type")
        if name is None or written is None or outline.source.of(name) == "_":
            continue
        whole = node if _is_alone(node) else entry
        kind = SymbolKind.CLASS
        if entry.type == "type_alias":
            kind = SymbolKind.TYPE
        elif written.type == "interface_type":
            kind = SymbolKind.INTERFACE
        is_long = written.type in {"struct_type", "interface_type"} and written.named_child_count > 0
        end = written.start_byte + len(written.type.partition("_")[0]) if is_long else written.end_byte
        text = outline.source.between(entry.start_byte, end)
        signature = one_line_of_code(f"type {text}")
        doc = _doc(outline, whole) or _doc(outline, entry)
        exported = _is_exported(outline, name) and parent < 0
        bases = tuple(one_line(outline.source.of(base)) for base in _iter_embedded(written))
        index = outline.define(name, kind, whole, parent, signature=signature, doc=doc, exported=exported, bases=bases)
        _members(outline, written, index)


def _iter_embedded(written: Node) -> Iterator[Node]:
    """Yield the types that a struct or interface embeds."""
    for entry in iter_member_entries(written):
        if entry.type == "field_declaration" and entry.child_by_field_name("name") is None:
            embedded = entry.child_by_field_name("type")
            if embedded is not None:
                yield embedded
        elif entry.type == "type_elem" and embedded_name(entry) is not None:
            yield entry.named_children[0]


def iter_member_entries(written: Node) -> Iterator[Node]:
    """Yield the declarations in the braces of a struct or interface type; none for other types."""
    if written.type == "interface_type":
        yield from written.named_children
    elif written.type == "struct_type":
        for listed in written.named_children:
            yield from listed.named_children


def _members(outline: Outline, written: Node, holder: int) -> None:
    """Define the fields and methods of a struct or interface; a struct within a field belongs to the field."""
    for entry in iter_member_entries(written):
        kind = SymbolKind.METHOD if entry.type == "method_elem" else SymbolKind.ATTRIBUTE
        declared = entry.child_by_field_name("type")
        end = declared.end_byte if declared is not None else entry.end_byte
        text = outline.source.between(entry.start_byte, end)
        signature, doc = one_line_of_code(text), _doc(outline, entry)
        for name in entry.children_by_field_name("name"):
            if outline.source.of(name) == "_":
                continue
            exported = _is_exported(outline, name)
            index = outline.define(name, kind, entry, holder, signature=signature, doc=doc, exported=exported)
            if declared is not None and declared.type == "struct_type":
                _members(outline, declared, index)


def _values(kind: SymbolKind) -> OutlineRule:
    def rule(outline: Outline, node: Node, parent: int) -> None:
        for entry in _iter_specs(node, "const_spec", "var_spec", "var_spec_list"):
            whole = node if _is_alone(node) else entry
            signature, doc = one_line_of_code(outline.source.of(entry)), _doc(outline, whole)
            for name in entry.children_by_field_name("name"):
                if name.type == "identifier" and outline.source.of(name) != "_":
                    exported = _is_exported(outline, name)
                    outline.define(name, kind, whole, parent, signature=signature, doc=doc, exported=exported)

    return rule


def _iter_specs(node: Node, *kinds: str) -> Iterator[Node]:
    """Yield the entries of a declaration, whether in parentheses or not."""
    for child in node.named_children:
        if child.type.endswith("_list"):
            yield from _iter_specs(child, *kinds)
        elif child.type in kinds:
            yield child


def _is_alone(declaration: Node) -> bool:
    """Return whether the declaration has one entry, without parentheses."""
    first = declaration.named_child(0)
    return declaration.child_count == 2 and first is not None and not first.type.endswith("_list")


def _is_exported(outline: Outline, name: Node) -> bool:
    return outline.source.of(name)[0].isupper()


def _header(outline: Outline, node: Node, body: Node | None) -> str:
    """Return a declaration up to its body."""
    return one_line_of_code(outline.source.between(node.start_byte, head_end(node, body)))


def _doc(outline: Outline, node: Node) -> str:
    """Return the first paragraph of the comment that ends on the line above."""
    content = outline.source.content
    end = content.rfind(b"\n", 0, node.start_byte)
    lines: list[bytes] = []
    while end > 0:
        start = content.rfind(b"\n", 0, end) + 1
        line = content[start:end].strip()
        if line.endswith(b"*/") and not lines:
            above = content[max(0, end - _MAX_COMMENT_BYTES) : end].rstrip()
            inside = above[comment_opening(above) + 2 : -2].strip(b"* \t\r\n")
            return _first_paragraph([each.strip().removeprefix(b"*") for each in inside.splitlines()])
        if not line.startswith(b"//"):
            break
        if not _DIRECTIVE.match(line):
            lines.append(line[2:])
        end = start - 1
    return _first_paragraph(lines[::-1])


def _first_paragraph(lines: list[bytes]) -> str:
    """Return the lines up to the first empty one, on one line."""
    text = b"\n".join(line.strip() for line in lines).strip()
    return one_line(text.split(b"\n\n", 1)[0].decode("utf-8", "surrogateescape"), 200)


OUTLINE = {
    "package_clause": _package,
    "import_declaration": _import,
    "function_declaration": _function,
    "method_declaration": _method,
    "type_declaration": _types,
    "const_declaration": _values(SymbolKind.CONSTANT),
    "var_declaration": _values(SymbolKind.VARIABLE),
}
