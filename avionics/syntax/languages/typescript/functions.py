"""What all TypeScript and JavaScript definitions have in common, and functions and classes, which may be values too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, field_of, iter_outermost
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import (
    SourceText,
    comment_opening,
    list_line_comments,
    one_line,
    one_line_of_code,
)
from avionics.syntax.languages.typescript.node_predicates import (
    FUNCTIONS,
    assigned_place,
    is_property,
    last_assigned,
    name_of_key,
    unwrap,
)

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
_PRAGMA = late_pattern(
    r"[\s/*]*(?:(?:v8|c8|istanbul|node:coverage) (?:ignore|enable|disable)\b"
    r"|(?:eslint|oxlint|stylelint)-(?:disable|enable)"
    r"|eslint-env\b|(?:prettier|biome|deno-lint)-ignore|[tj]slint:|@ts-(?:ignore|expect-error|check|nocheck)\b|c?spell\w*:)"
)
"""A comment for a tool, which says nothing of the code below it."""

_MAX_LENGTH = 700
"""The maximum number of characters of a definition that are folded into one line."""
_HIDDEN = frozenset({"private", "protected"})


LOCAL = -2
"""The enclosing symbol of definitions in an unnamed function."""


def is_within_function(outline: Outline, parent: int) -> bool:
    """Return whether definitions within a symbol are local to a function or class, not those of a file or namespace."""
    return parent == LOCAL or outline.get_kind(parent) not in {None, SymbolKind.MODULE}


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
    return one_line_of_code(without_comments(outline.source.between(node.start_byte, body.start_byte)))


def text_of(outline: Outline, node: Node) -> str:
    """Return a definition as one line."""
    return one_line_of_code(without_comments(outline.source.of(node)[:_MAX_LENGTH])).rstrip(";,")


def decorators_of(outline: Outline, node: Node, whole: Node | None) -> tuple[str, ...]:
    """Return the text of the decorators of a definition or of its statement."""
    holders = [node] if whole is None or whole is node else [whole, node]
    written = [child for holder in holders for child in holder.named_children if child.type == "decorator"]
    return tuple(one_line_of_code(outline.source.of(child).lstrip("@ "), 120) for child in written)


def decorators_above(outline: Outline, node: Node) -> tuple[str, ...]:
    """Return the text of the decorators of a method, which precede it in its class, perhaps with comments."""
    found: list[str] = []
    above = node.prev_named_sibling if node.type == "method_definition" else None
    while above is not None and above.type in {"decorator", "comment"}:
        if above.type == "decorator":
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
    return _doc_in(source.content[max(0, start - _MAX_COMMENT_BYTES) : start])


def _doc_in(above: bytes) -> str:
    """Return the first paragraph of the comment at the end of some text; a comment for a tool is passed over."""
    above = above.rstrip(b" \t")
    if not above.endswith(b"\n"):
        return ""
    above = above[:-1].rstrip(b" \t\r")
    if above.endswith(b"*/"):
        opening = comment_opening(above)
        text = above[opening + 2 : -2].decode("utf-8", "surrogateescape")
        if opening >= 0 and _PRAGMA.match(text):
            return _doc_in(above[:opening])
        return _paragraph(_STARS.sub("", text)) if opening >= 0 else ""
    lines = [each for each in list_line_comments(above.decode("utf-8", "surrogateescape")) if not _PRAGMA.match(each)]
    return _paragraph(_SLASHES.sub("", "\n".join(lines)))


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


_FUNCTION_TEXT = late_pattern(rb"=>|\)\s*[{:]")
"""Text that every function has: an arrow, or a body or result type after its parameters."""
_OVERLOAD = ("overload",)
_OVERLOADED = MappingProxyType(
    {
        "function_signature": frozenset({"program", "export_statement", "statement_block"}),
        "method_signature": frozenset({"class_body"}),
    }
)
"""Type of a signature → types of its parent if it is an overload of the function that follows."""
_FIELDS = frozenset({"field_definition", "public_field_definition"})
_PLAIN = frozenset({"identifier", "property_identifier", "string", "number", "type_arguments"})


def define_function(
    outline: Outline,
    name: Node | None,
    node: Node,
    parent: int,
    whole: Node | None = None,
    *,
    kind: SymbolKind = SymbolKind.FUNCTION,
    exported: bool | None = None,
    holder: str = "",
) -> None:
    """Define a function under a name, and the definitions in its body."""
    body = node.child_by_field_name("body")
    if name is None:
        return
    around = whole or node
    header = outline.source.between(around.start_byte, body.start_byte if body is not None else around.end_byte)
    index = outline.define(
        name,
        kind,
        around,
        parent,
        signature=one_line_of_code(without_comments(header)).rstrip("{;, ").removesuffix("=>").rstrip(),
        doc=doc_above(outline.source, around),
        exported=is_seen(outline, parent, whole) if exported is None else exported,
        decorators=(
            *decorators_above(outline, node),
            *(decorators_of(outline, node, whole) if "@" in header else ()),
            *_OVERLOAD[: _is_overload(node)],
        ),
        holder=holder,
    )
    if body is not None:
        enter_body(outline, body, index)


def _is_overload(node: Node) -> bool:
    """Return whether a signature declares one overload of the function that follows."""
    around = _OVERLOADED.get(node.type)
    parent = node.parent if around is not None else None
    return around is not None and parent is not None and parent.type in around


def enter_body(outline: Outline, body: Node, index: int) -> None:
    """Define the definitions in the body of a function, or its value."""
    if body.type == "statement_block":
        outline.enter(body, index)
    else:
        enter_values(outline, body, index)


def define_method(outline: Outline, node: Node, parent: int) -> None:
    """Define a method of a class, an interface or an object, and the members among a constructor's parameters."""
    name = name_of_key(node.child_by_field_name("name"))
    define_function(outline, name, node, parent, kind=_kind_of(node), exported=is_open(outline, node, parent))
    if outline.source.of(name) == "constructor":
        _parameter_properties(outline, node, parent)


def _kind_of(method: Node) -> SymbolKind:
    accessors = {child.type for child in method.children[:4]}
    return SymbolKind.PROPERTY if accessors & {"get", "set"} else SymbolKind.METHOD


def _parameter_properties(outline: Outline, constructor: Node, parent: int) -> None:
    """Define the member that `constructor(private x: X)` declares."""
    for parameter in children_of(constructor, "parameters"):
        pattern = parameter.child_by_field_name("pattern")
        if pattern is not None and pattern.type == "identifier" and is_property(parameter):
            seen = is_open(outline, parameter, parent)
            signature = text_of(outline, parameter)
            outline.define(pattern, SymbolKind.ATTRIBUTE, parameter, parent, signature=signature, exported=seen)


def define_keys(outline: Outline, node: Node, parent: int) -> None:
    """Define the members of an object that is assigned to a name."""
    for entry in node.named_children:
        if entry.type == "method_definition":
            define_method(outline, entry, parent)
        elif entry.type == "pair":
            key, value = entry.child_by_field_name("key"), entry.child_by_field_name("value")
            name = name_of_key(key)
            if name is None or value is None or key is None or key.type == "number":
                continue
            inner = unwrap(value)
            if inner.type in FUNCTIONS:
                define_function(outline, name, inner, parent, entry, kind=SymbolKind.METHOD, exported=True)
            else:
                signature = text_of(outline, entry)
                index = outline.define(name, SymbolKind.ATTRIBUTE, entry, parent, signature=signature)
                enter_values(outline, inner, index)


def define_own(outline: Outline, node: Node, name: Node, whole: Node, parent: int) -> bool:
    """Define the member of `this.x = …` in a language without declarations, and return whether it is a function."""
    if outline.spec.name not in {"javascript", "jsx"} or parent < 0 or not outline.is_function(parent):
        return False
    holder, value = outline.symbols[parent].parent, node.child_by_field_name("right")
    is_known = any(symbol.parent == holder and symbol.name == outline.source.of(name) for symbol in outline.symbols)
    if not outline.is_class(holder) or is_known:
        return False
    inner = last_assigned(unwrap(value)) if value is not None else None
    if inner is not None and inner.type in FUNCTIONS:
        define_function(outline, name, inner, holder, whole, kind=SymbolKind.METHOD, exported=True)
        return True
    outline.define(name, SymbolKind.ATTRIBUTE, whole, holder, signature=one_line_of_code(outline.source.of(whole)))
    return False


def enter_values(outline: Outline, node: Node, parent: int) -> None:
    """Define the functions in an expression, with the symbol around it as their parent.

    Methods of object literals and assigned functions are defined by their keys; functions without a name, such as
    callbacks, and classes without a name are searched for further definitions.
    """
    pending = [node] if _may_contain_function(outline, node) else []
    while pending:
        current = pending.pop()
        kind = current.type
        if kind in _PLAIN:
            continue
        if kind in FUNCTIONS:
            name, body = current.child_by_field_name("name"), current.child_by_field_name("body")
            if name is not None:
                define_function(outline, name, current, parent, exported=False)
            elif body is not None:
                enter_body(outline, body, parent if parent >= 0 else LOCAL)
        elif kind == "class":
            pending += reversed(children_of(current, "body"))
        elif kind in _FIELDS:
            value = _define_field(outline, current, parent)
            pending += [value] if value is not None else []
        elif kind == "method_definition":
            name = name_of_key(current.child_by_field_name("name"))
            define_function(outline, name, current, parent, kind=_kind_of(current), exported=False)
        elif kind in {"pair", "assignment_expression"}:
            value = _define_assigned(outline, current, parent)
            pending += [value] if value is not None else []
        elif current.named_child_count and _may_contain_function(outline, current):
            pending.extend(reversed(current.named_children))


def _define_field(outline: Outline, node: Node, parent: int) -> Node | None:
    """Define the function in a field of an unnamed class, or return the value of the field to be searched."""
    key, value = (node.child_by_field_name(each) for each in ("name", "value"))
    key = key or node.child_by_field_name("property")
    name, inner = name_of_key(key), unwrap(value) if value is not None else None
    if inner is None or name is None or inner.type not in FUNCTIONS:
        return value
    define_function(outline, name, inner, parent, node, kind=SymbolKind.METHOD, exported=False)
    return None


def _is_plain_function(outline: Outline, parent: int) -> bool:
    """Return whether an enclosing symbol is a function outside of classes, whose `this` is the object it creates."""
    return outline.get_kind(parent) is SymbolKind.FUNCTION


def _may_contain_function(outline: Outline, node: Node) -> bool:
    """Return whether a node may contain a function."""
    return _FUNCTION_TEXT.search(outline.source.content, node.start_byte, node.end_byte) is not None


def _define_assigned(outline: Outline, node: Node, parent: int) -> Node | None:
    """Define the function of `key: () => …` or `name = () => …`, or return the value to be searched."""
    if node.type == "pair":
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        name, kind = name_of_key(key), SymbolKind.METHOD
        inner = unwrap(value) if value is not None else None
    else:
        key, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        owner = field_of(key, "object")
        # Members that an object of a class assigns to itself are declared elsewhere.
        is_own = owner is not None and owner.type == "this" and not _is_plain_function(outline, parent)
        name = assigned_place(key) if key is not None and not is_own else None
        kind = SymbolKind.FUNCTION if key is not None and key.type == "identifier" else SymbolKind.METHOD
        inner = last_assigned(unwrap(value)) if value is not None else None
    if inner is None or name is None or inner.type not in FUNCTIONS:
        return value
    define_function(outline, name, inner, parent, node, kind=kind, exported=False)
    return None
