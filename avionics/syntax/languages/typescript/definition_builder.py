"""What all TypeScript and JavaScript definitions have in common, and classes, which may be values too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import iter_outermost
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import SourceText, comment_opening, one_line, one_line_of_code

_MAX_COMMENT_BYTES = 4_000
"""Bytes above a definition that are searched for its comment."""
_BLANK = late_pattern(r"\n[ \t*]*(?:\n|@)")
_STARS = late_pattern(r"^[ \t]*\*? ?", re.M)
_QUOTE = late_pattern("[\"'`]")
_MAX_SIGNATURE_CHARACTERS = 4_000
"""Signatures are cut far below this; `_REMARK` may take quadratic time."""
_REMARK = late_pattern(r"/\*.*?\*/|//.*")
_BLOCK = late_pattern(r"^[ \t]*+/\*(?>(?:[^*]++|\*(?!/))*)\*/", re.M)
_SLASHES = late_pattern(r"^[ \t]*//[/!]* ?", re.M)

_MAX_LENGTH = 700
"""The most characters of a definition that its one line is made of."""
_HIDDEN = frozenset({"private", "protected"})


LOCAL = -2
"""The enclosing symbol of definitions in an unnamed function."""


def is_within_function(outline: Outline, parent: int) -> bool:
    """Return whether what a symbol encloses is local: only functions and classes count."""
    return parent == LOCAL or (parent >= 0 and outline.symbols[parent].kind is not SymbolKind.MODULE)


def is_seen(outline: Outline, parent: int, whole: Node | None) -> bool:
    """Return whether other files see a definition: it is exported, or belongs to an exported namespace."""
    if whole is not None and whole.type == "export_statement":
        return True
    return not is_within_function(outline, parent) and parent >= 0 and outline.symbols[parent].exported


def is_open(outline: Outline, node: Node, parent: int) -> bool:
    """Return whether code outside of the class is meant to use a member."""
    if parent >= 0 and not outline.symbols[parent].exported:
        return False
    modifiers = {outline.source.of(child) for child in node.children[:3] if child.type == "accessibility_modifier"}
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    return not modifiers & _HIDDEN and (name is None or name.type != "private_property_identifier")


def header_of(outline: Outline, node: Node, body: Node) -> str:
    """Return a definition up to its body."""
    text = outline.source.content[node.start_byte : body.start_byte]
    return one_line_of_code(without_comments(text.decode("utf-8", "surrogateescape")))


def text_of(outline: Outline, node: Node) -> str:
    """Return a definition as one line."""
    return one_line_of_code(without_comments(outline.source.of(node)[:_MAX_LENGTH])).rstrip(";,")


def decorators_of(outline: Outline, node: Node, whole: Node | None) -> tuple[str, ...]:
    """Return the text of the decorators of a definition or of its statement."""
    holders = [node] if whole is None or whole is node else [whole, node]
    written = [child for holder in holders for child in holder.named_children if child.type == "decorator"]
    return tuple(one_line_of_code(outline.source.of(child).lstrip("@ "), 120) for child in written)


def decorators_above(outline: Outline, node: Node) -> tuple[str, ...]:
    """Return the text of the decorators of a method, which precede it in its class."""
    found: list[str] = []
    above = node.prev_named_sibling if node.type == "method_definition" else None
    while above is not None and above.type == "decorator":
        found.append(one_line_of_code(outline.source.of(above).lstrip("@ "), 120))
        above = above.prev_named_sibling
    return tuple(reversed(found))


def declare(
    outline: Outline,
    name: Node,
    kind: SymbolKind,
    node: Node,
    parent: int,
    whole: Node | None,
    *,
    signature: str = "",
    holder: str = "",
) -> int:
    """Define a type or a namespace that a statement, perhaps an exported one, declares, and return its index."""
    around, body = whole or node, node.child_by_field_name("body")
    signature = signature or header_of(outline, node, body or node)
    doc, exported = doc_above(outline.source, around), is_seen(outline, parent, whole)
    decorators = decorators_of(outline, node, whole) if kind is SymbolKind.CLASS else ()
    bases = tuple(outline.source.of(base) for base in bases_of(node))
    return outline.define(
        name, kind, around, parent, signature=signature, doc=doc, exported=exported, decorators=decorators,
        bases=bases, holder=holder,
    )  # fmt: skip


def define_class(
    outline: Outline, node: Node, parent: int, whole: Node | None = None, given: Node | None = None
) -> None:
    """Define a class with its members; `given` is the name it is assigned to."""
    name, body = given or node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        outline.enter(body, declare(outline, name, SymbolKind.CLASS, node, parent, whole))


def bases_of(node: Node) -> Iterator[Node]:
    """Yield what a class or an interface extends and implements."""
    for heritage in node.named_children:
        if heritage.type == "class_heritage":
            for clause in heritage.named_children:
                if clause.type in {"extends_clause", "implements_clause"}:
                    yield from (child for child in clause.named_children if child.type != "type_arguments")
                else:
                    yield clause
        elif heritage.type == "extends_type_clause":
            yield from heritage.named_children


def object_types(node: Node | None) -> Iterator[Node]:
    """Return the object types that a type is made of."""
    joining = {"intersection_type", "union_type", "parenthesized_type"}
    return iter_outermost(node, {"object_type"}, lambda part: part.type in joining)


def doc_above(source: SourceText, node: Node) -> str:
    """Return the first paragraph of the comment that ends directly above the node, on one line."""
    start = node.start_byte
    above = source.content[max(0, start - _MAX_COMMENT_BYTES) : start].rstrip(b" \t")
    if not above.endswith(b"\n"):
        return ""
    above = above[:-1].rstrip(b" \t\r")
    if above.endswith(b"*/"):
        opening = comment_opening(above)
        return _paragraph(_STARS.sub("", _decode(above[opening + 2 : -2]))) if opening >= 0 else ""
    if not above[above.rfind(b"\n") + 1 :].lstrip().startswith(b"//"):
        return ""
    lines: list[bytes] = []
    for line in reversed(above.split(b"\n")):
        if not line.lstrip().startswith(b"//"):
            break
        lines.insert(0, line)
    return _paragraph(_SLASHES.sub("", _decode(b"\n".join(lines))))


def without_comments(text: str) -> str:
    """Return code without its comments; a line in which a comment may be inside quotes is left as it is."""
    text = text[:_MAX_SIGNATURE_CHARACTERS]
    if "/*" not in text and "//" not in text:
        return text
    lines = _BLOCK.sub("", text).split("\n")
    plain = (line if _QUOTE.search(line) else _REMARK.sub("", line) for line in lines)
    return "\n".join(plain)


def _paragraph(text: str) -> str:
    text = "\n" + text.strip("*! \t\r\n")
    found = _BLANK.search(text, 1)
    text = text[: found.start()] if found is not None else text
    return "" if text.lstrip().startswith("@") else one_line(text, 200)


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
