"""Outlines of C and C++: functions, types with their members, variables, macros. Function bodies are not entered.

Prototypes are symbols whose signature ends with a semicolon; forward declarations of types are not symbols.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, replace
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, code_children, iter_outermost
from avionics.syntax.engine.outline import Outline, OutlineRule
from avionics.syntax.engine.source_text import one_line_of_code
from avionics.syntax.languages.c.comments import doc_above, doc_of_file
from avionics.syntax.languages.c.declarators import (
    Declared,
    cast_name,
    has_word,
    is_macro_call,
    is_made,
    is_members_macro,
    iter_declared,
    iter_scopes,
    last_name,
    macro_definition,
    read_definition,
)

NESTED = frozenset(
    {
        "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef", "linkage_specification",
        "declaration_list", "ERROR", "expression_statement",
    }
)  # fmt: skip
TYPES = frozenset({"struct_specifier", "union_specifier", "class_specifier", "enum_specifier"})
_KINDS = {"enum_specifier": SymbolKind.ENUM}
_LOCAL_TYPE = re.compile(rb"\b(?:struct|class)\s+\w+\s*(?:final\s*)?(?::[^;{}()]{0,400})?\{")
_WITHIN = (
    (b"define", frozenset({"preproc_def", "preproc_function_def"})),
    (b"using ", frozenset({"using_declaration"})),
)
"""Text in a function's body that may declare something for the whole file, and the node types to look for there."""
_DEFINING = frozenset({"default_method_clause", "delete_method_clause"})
"""What may replace a body; the semicolon after it does not make a prototype."""
_MAX_HEADER_LENGTH = 600


def function(outline: Outline, node: Node, parent: int) -> None:
    """Define a function, and the macros defined in its body."""
    declared = read_definition(node)
    body = node.child_by_field_name("body")
    type_node = node.child_by_field_name("type")
    if type_node is not None:
        declared_type(outline, type_node, type_node, parent)
    if declared is not None and (declared.function is not None or macro_definition(node, declared) is not None):
        end = body.start_byte if body is not None else node.end_byte
        define_function(outline, declared, node, parent, end)
    if body is not None:
        within(outline, body, len(outline.symbols) - 1)


def within(outline: Outline, body: Node, parent: int) -> None:
    """Define what a function's body declares for the whole file: macros, imported names, local classes."""
    content = outline.source.content
    wanted = {
        kind for word, kinds in _WITHIN for kind in kinds if content.find(word, body.start_byte, body.end_byte) >= 0
    }
    if outline.spec.name != "c" and _LOCAL_TYPE.search(content, body.start_byte, body.end_byte):
        wanted |= {"struct_specifier", "class_specifier"}
    for inner in iter_outermost(body, wanted) if wanted else ():
        outline.spec.outline[inner.type](outline, inner, -1 if inner.type.startswith("preproc") else parent)


def define_function(outline: Outline, declared: Declared, node: Node, parent: int, end: int) -> None:
    """Add a function or prototype whose header ends before the byte."""
    name = last_name(declared.name)
    holder = _holder(outline, declared.name)
    defined = macro_definition(node, declared) if not outline.is_class(parent) else None
    if defined is not None:
        holder = outline.source.of(defined.holder) if defined.holder is not None else ""
        name = defined.name
    is_member = bool(holder) or outline.is_class(parent)
    whole = template_around(node)
    header = outline.source.content[whole.start_byte : min(end, whole.start_byte + _MAX_HEADER_LENGTH)]
    signature = one_line_of_code(header.decode("utf-8", "surrogateescape")).replace(" ;", ";")
    is_defined = any(child.type in _DEFINING for child in node.children)
    index = outline.define(
        name,
        SymbolKind.METHOD if is_member else SymbolKind.FUNCTION,
        whole,
        parent,
        signature=signature.removesuffix(";") if is_defined else signature,
        doc=doc_above(outline.source.content, whole.start_byte),
        exported=is_member or not has_word(node, b"static"),
        decorators=(outline.source.of(defined.macro),) if defined is not None else (),
        holder=holder,
    )
    if name.type == "operator_cast":
        symbol, called = outline.symbols[index], cast_name(name)
        qualname = symbol.qualname.removesuffix(symbol.name) + called
        outline.symbols[index] = replace(symbol, name=called, qualname=qualname)


def _holder(outline: Outline, name: Node) -> str:
    """Return the dotted name of the class or namespace that a qualified name adds to."""
    return ".".join(outline.source.of(last_name(part)) for part in iter_scopes(name))


def template_around(node: Node) -> Node:
    """Return the template declaration around a definition, or the definition."""
    outer = node.parent
    return outer if outer is not None and outer.type == "template_declaration" else node


def declaration(outline: Outline, node: Node, parent: int) -> None:
    """Define variables and prototypes, and the type that a declaration may define as well."""
    found = list(iter_declared(node))
    if found and outline.is_class(parent) and is_members_macro(node, found[0], outline.symbols[parent].name):
        return
    type_node = node.child_by_field_name("type")
    holder = -1
    if type_node is not None:
        holder = declared_type(outline, type_node, node, parent, found[0] if found else None)
    exported = not has_word(node, b"static")
    for declared in found:
        name = last_name(declared.name)
        is_function = declared.function is not None and not declared.is_callable
        if is_function and not is_made(node, declared):
            define_function(outline, declared, node, parent, node.end_byte)
        elif not (holder >= 0 and declared is found[0]):
            variable(outline, name, node, parent, exported, _holder(outline, declared.name))


def variable(outline: Outline, name: Node, node: Node, parent: int, exported: bool, holder: str = "") -> int:
    """Define a variable of a file, or a field."""
    is_field = bool(holder) or (parent >= 0 and not is_namespace(outline, parent))
    text = outline.source.content[node.start_byte : min(node.end_byte, node.start_byte + _MAX_HEADER_LENGTH)]
    return outline.define(
        name,
        SymbolKind.ATTRIBUTE if is_field else SymbolKind.VARIABLE,
        node,
        parent,
        signature=one_line_of_code(text.decode("utf-8", "surrogateescape")).removesuffix(";"),
        doc=doc_above(outline.source.content, node.start_byte),
        exported=exported or is_field,
        holder=holder,
    )


def is_namespace(outline: Outline, parent: int) -> bool:
    """Return whether the enclosing symbol is a namespace."""
    return outline.symbols[parent].kind is SymbolKind.MODULE


def type_definition(outline: Outline, node: Node, parent: int) -> None:
    """Define a `typedef`: the name of an anonymous type, or another name for a type."""
    found = list(iter_declared(node))
    type_node = node.child_by_field_name("type")
    if type_node is None:
        return
    is_anonymous = type_node.type in TYPES and type_node.child_by_field_name("name") is None
    if is_anonymous and found:
        define_type(outline, type_node, last_name(found[0].name), node, parent)
        found = found[1:]
    else:
        declared_type(outline, type_node, type_node, parent)
    for declared in found:
        signature = one_line_of_code(outline.source.of(node)).removesuffix(";")
        doc = doc_above(outline.source.content, node.start_byte)
        outline.define(declared.name, SymbolKind.TYPE, node, parent, signature=signature, doc=doc)


def type_specifier(outline: Outline, node: Node, parent: int) -> None:
    """Define a type that is declared by itself."""
    declared_type(outline, node, node, parent)


def declared_type(outline: Outline, type_node: Node, whole: Node, parent: int, first: Declared | None = None) -> int:
    """Add the type that a declaration also defines; return the index of the variable if the type has no name."""
    if type_node.type not in TYPES or type_node.child_by_field_name("body") is None:
        return -1
    name = type_node.child_by_field_name("name")
    if name is not None:
        define_type(outline, type_node, last_name(name), template_around(type_node), parent, _holder(outline, name))
    elif first is not None and type_node.type != "enum_specifier":
        index = variable(outline, last_name(first.name), whole, parent, not has_word(whole, b"static"))
        members(outline, type_node, index)
        return index
    else:
        members(outline, type_node, parent)
    return -1


def define_type(outline: Outline, type_node: Node, name: Node, whole: Node, parent: int, holder: str = "") -> int:
    """Add a type and its members."""
    body = type_node.child_by_field_name("body")
    end = body.start_byte if body is not None else whole.end_byte
    header = outline.source.between(type_node.start_byte, end)
    bases = child_of(type_node, "base_class_clause")
    index = outline.define(
        name,
        _KINDS.get(type_node.type, SymbolKind.CLASS),
        whole,
        parent,
        signature=one_line_of_code(header if type_node.child_by_field_name("name") else outline.source.of(name)),
        doc=doc_above(outline.source.content, whole.start_byte),
        bases=tuple(outline.source.of(base) for base in bases.named_children if base.type != "access_specifier")
        if bases is not None
        else (),
        holder=holder,
    )
    members(outline, type_node, index)
    return index


def members(outline: Outline, type_node: Node, holder: int) -> None:
    """Define the fields, methods, constants and types within a type."""
    outline.enter(type_node.child_by_field_name("body"), holder)


def enumerator(outline: Outline, node: Node, parent: int) -> None:
    """Define a constant of an enum."""
    name = node.child_by_field_name("name")
    if name is not None and not is_macro_call(node):
        outline.define(name, SymbolKind.ATTRIBUTE, node, parent, signature=one_line_of_code(outline.source.of(node)))


def macro(outline: Outline, node: Node, parent: int) -> None:
    """Define a macro, unless it is an include guard."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or (value is None and _is_guard(outline, node, name)):
        return
    text = outline.source.content[node.start_byte : min(node.end_byte, node.start_byte + _MAX_HEADER_LENGTH)]
    signature = one_line_of_code(text.decode("utf-8", "surrogateescape").replace("\\\n", " "))
    doc = doc_above(outline.source.content, node.start_byte)
    outline.define(name, SymbolKind.MACRO, node, -1, signature=signature, doc=doc)


def _is_guard(outline: Outline, node: Node, name: Node) -> bool:
    """Return whether an empty macro is an include guard: defined under its own `#ifndef`, which contains more."""
    outer = node.parent
    if outer is None or outer.type != "preproc_ifdef" or outer.children[0].type != "#ifndef":
        return False
    guarded = outer.child_by_field_name("name")
    is_alone = code_children(outer) == [guarded, node]
    return guarded is not None and not is_alone and outline.source.of(guarded) == outline.source.of(name)


def include(outline: Outline, node: Node, parent: int) -> None:
    """Add an `#include`; quoted ones are looked for beside the file first."""
    path = node.child_by_field_name("path")
    if path is None or path.type not in {"string_literal", "system_lib_string"}:
        return
    line, column = outline.source.place(path)
    is_quoted = path.type == "string_literal"
    written = outline.source.of(path)[1:-1]
    outline.imports.append(Import(written, "*", "", int(is_quoted), line, column))


def file_comment(outline: Outline, node: Node, parent: int) -> None:
    """Read the comment at the top of the file as its documentation."""
    if not outline.doc and not outline.symbols and not outline.imports and node.start_byte < 4:
        outline.doc = doc_of_file(outline.source.content)


OUTLINE: Mapping[str, OutlineRule] = {
    "comment": file_comment,
    "function_definition": function,
    **dict.fromkeys(("declaration", "field_declaration"), declaration),
    "type_definition": type_definition,
    **dict.fromkeys(("struct_specifier", "union_specifier", "enum_specifier"), type_specifier),
    "enumerator": enumerator,
    **dict.fromkeys(("preproc_def", "preproc_function_def"), macro),
    "preproc_include": include,
}
