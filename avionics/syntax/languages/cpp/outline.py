"""Outlines of C++ beyond C: namespaces, templates, aliases, and names imported by `using`.

Inline namespaces are part of the namespace around them; the members of an unnamed one are visible only in its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, replace
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, require_field
from avionics.syntax.engine.outline import Outline, OutlineRule
from avionics.syntax.engine.source_text import one_line_of_code
from avionics.syntax.languages.c.comments import doc_above
from avionics.syntax.languages.c.declarators import iter_scopes, last_name
from avionics.syntax.languages.c.outline import NESTED as NESTED_IN_C
from avionics.syntax.languages.c.outline import OUTLINE as OUTLINE_OF_C
from avionics.syntax.languages.c.outline import function, template_around, type_specifier
from avionics.syntax.languages.c.outline import macro as define_macro

NESTED = NESTED_IN_C | {"template_declaration", "export_declaration"}
NAMESPACE = 2
"""The level of an import that names a namespace rather than a file."""
OPENED_BY_MACRO = 3
"""The level of an import that names a macro: everything declared where the macro is used."""
_OPENS = re.compile(
    r"[\s\\]*(?:[A-Z_][A-Z0-9_]{0,80}(?:\([^()]{0,200}\))?[\s\\]{1,200}){0,4}namespace\s+(\w+)[\s\\]*\{"
)
"""What a macro begins with that opens a namespace, maybe behind other macros."""


def namespace(outline: Outline, node: Node, parent: int) -> None:
    """Define a namespace; `namespace a::b` is one within another."""
    body = node.child_by_field_name("body")
    if body is None:
        return
    first = len(outline.symbols)
    names = () if is_inline(node) else namespace_names(node)
    for name in names:
        signature = f"namespace {outline.source.of(name)}"
        doc = doc_above(outline.source.content, node.start_byte)
        parent = outline.define(name, SymbolKind.MODULE, node, parent, signature=signature, doc=doc)
    outline.enter(body, parent)
    if not names and not is_inline(node):
        for index in range(first, len(outline.symbols)):
            outline.symbols[index] = replace(outline.symbols[index], exported=False)


def is_inline(node: Node) -> bool:
    """Return whether a namespace is inline."""
    return bool(node.children) and node.children[0].type == "inline"


def namespace_names(node: Node) -> tuple[Node, ...]:
    """Return the names of a namespace, outermost first; () for an unnamed one."""
    name = node.child_by_field_name("name")
    return tuple(iter_leaves(name)) if name is not None else ()


def iter_leaves(node: Node) -> Iterator[Node]:
    """Yield the names below a node, or the node itself if it is one."""
    for child in node.named_children:
        yield from iter_leaves(child)
    if not node.named_child_count:
        yield node


def alias(outline: Outline, node: Node, parent: int) -> None:
    """Define `using T = …` and `namespace a = b`."""
    name, whole = require_field(node, "name"), template_around(node)
    signature = one_line_of_code(outline.source.of(whole)).removesuffix(";")
    doc = doc_above(outline.source.content, whole.start_byte)
    outline.define(name, SymbolKind.TYPE, whole, parent, signature=signature, doc=doc)


def using(outline: Outline, node: Node, parent: int) -> None:
    """Import all names of a namespace (`using namespace a`) or one (`using a::b`)."""
    written = next(iter(code_children(node)), None)
    if written is None:
        return
    name = last_name(written)
    outer = [outline.source.of(last_name(part)) for part in iter_scopes(written)]
    # A leading `::` is kept as an empty first part: the name is not looked up in the namespaces around.
    outer[:0] = [""] if outer and outline.source.of(written).startswith("::") else []
    text, lazy = outline.source.of(name), outline.is_function(parent)
    line, column = outline.source.place(name)
    if any(child.type == "namespace" for child in node.children):
        outline.imports.append(Import(".".join((*outer, text)), "*", "", NAMESPACE, line, column, lazy))
    elif outer and not inherits_constructors(written):
        outline.imports.append(Import(".".join(outer), text, text, NAMESPACE, line, column, lazy))


def inherits_constructors(written: Node) -> bool:
    """Return whether `using Base::Base` or `using Base<T>::Base` names constructors, which binds no name."""
    *_, holder = (None, *iter_scopes(written))
    return holder is not None and last_name(holder).text == last_name(written).text


def friend(outline: Outline, node: Node, parent: int) -> None:
    """Define a friend function with a body around the class, of which it is not a member."""
    for child in node.named_children:
        if child.type == "function_definition":
            around = outline.symbols[parent].parent if parent >= 0 else -1
            function(outline, child, around)


def macro(outline: Outline, node: Node, parent: int) -> None:
    """Define a macro; a macro whose body opens a namespace names that as well."""
    define_macro(outline, node, parent)
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    opened = opened_namespace(outline.source.of(value)) if value is not None else ""
    if name is not None and value is not None and opened:
        index = outline.define(value, SymbolKind.MODULE, node, -1, signature=f"namespace {opened}")
        outline.symbols[index] = replace(outline.symbols[index], name=opened, qualname=opened)
        line, column = outline.source.place(value)
        outline.imports.append(Import(outline.source.of(name), "*", "", OPENED_BY_MACRO, line, column))


def opened_namespace(body: str) -> str:
    """Return the namespace that the body of a macro opens, "" for other macros."""
    found = _OPENS.match(body)
    return found[1] if found is not None else ""


def concept(outline: Outline, node: Node, parent: int) -> None:
    """Define a concept."""
    name, whole = require_field(node, "name"), template_around(node)
    text = one_line_of_code(outline.source.of(whole)).removesuffix(";")
    outline.define(name, SymbolKind.TYPE, whole, parent, signature=text)


OUTLINE: Mapping[str, OutlineRule] = {
    **OUTLINE_OF_C,
    "class_specifier": type_specifier,
    "namespace_definition": namespace,
    **dict.fromkeys(("alias_declaration", "namespace_alias_definition"), alias),
    "using_declaration": using,
    "friend_declaration": friend,
    "concept_definition": concept,
    "preproc_def": macro,
}
