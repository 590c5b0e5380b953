"""What TypeScript and JavaScript nodes define."""

from __future__ import annotations

from collections.abc import Callable

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children
from avionics.syntax.engine.outline import Outline
from avionics.syntax.languages.typescript.functions import (
    declare,
    decorators_of,
    define_class,
    define_function,
    define_keys,
    define_method,
    doc_above,
    enter_values,
    is_open,
    is_seen,
    is_within_function,
    object_types,
    text_of,
)
from avionics.syntax.languages.typescript.node_predicates import (
    FUNCTIONS,
    is_importing,
    last_name,
    name_of_key,
    pattern_names,
    unwrap,
)

NESTED = frozenset(
    {
        "ambient_declaration", "statement_block", "if_statement", "else_clause", "try_statement",
        "catch_clause", "finally_clause", "for_statement", "for_in_statement", "while_statement",
        "do_statement", "switch_statement", "switch_body", "switch_case", "switch_default", "labeled_statement",
    }
)  # fmt: skip


def _interface(outline: Outline, node: Node, parent: int, whole: Node | None = None, holder: str = "") -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    index = declare(outline, name, SymbolKind.INTERFACE, node, parent, whole, holder=holder)
    outline.enter(body, index)


def _enum(outline: Outline, node: Node, parent: int, whole: Node | None = None) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    index = declare(outline, name, SymbolKind.ENUM, node, parent, whole)
    for member in code_children(body):
        key = member.child_by_field_name("name") if member.type == "enum_assignment" else member
        place = name_of_key(key)
        if place is not None:
            doc = doc_above(outline.source, member)
            outline.define(place, SymbolKind.ATTRIBUTE, member, index, signature=text_of(outline, member), doc=doc)


def _alias(outline: Outline, node: Node, parent: int, whole: Node | None = None) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or is_within_function(outline, parent):
        return
    index = declare(outline, name, SymbolKind.TYPE, node, parent, whole, signature=text_of(outline, node))
    for part in object_types(value):
        outline.enter(part, index)


def _namespace(outline: Outline, node: Node, parent: int, whole: Node | None = None) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    if name.type == "string":
        _augment(outline, outline.source.of(name).strip("\"'"), body, parent)
        return
    index = declare(outline, last_name(name), SymbolKind.MODULE, node, parent, whole)
    outline.enter(body, index)


def _augment(outline: Outline, module: str, body: Node, parent: int) -> None:
    """Define `declare module 'x' { interface Y { … } }`, which imports `Y` and adds to it, and read its imports."""
    for statement in body.named_children:
        if statement.type == "import_statement" or statement.child_by_field_name("source") is not None:
            outline.spec.outline[statement.type](outline, statement, parent)
            continue
        declared = statement.child_by_field_name("declaration") or statement
        rule = DECLARATIONS.get(declared.type)
        if declared.type == "interface_declaration" and (name := declared.child_by_field_name("name")) is not None:
            text, place = outline.source.of(name), outline.source.place(name)
            outline.imports.append(Import(module, text, text, 0, *place))
            _interface(outline, declared, parent, statement, module)
        elif rule is not None:
            rule(outline, declared, parent, statement)


def _function(outline: Outline, node: Node, parent: int, whole: Node | None = None) -> None:
    define_function(outline, node.child_by_field_name("name"), node, parent, whole)


def _field(outline: Outline, node: Node, parent: int) -> None:
    """Define a member that holds a value."""
    key = node.child_by_field_name("name") or node.child_by_field_name("property")
    name = name_of_key(key)
    value, declared = node.child_by_field_name("value"), node.child_by_field_name("type")
    if name is None or parent < 0:
        return
    inner = unwrap(value) if value is not None else None
    if inner is not None and inner.type in FUNCTIONS:
        exported = is_open(outline, node, parent)
        define_function(outline, name, inner, parent, node, kind=SymbolKind.METHOD, exported=exported)
        return
    is_method = declared is not None and declared.named_children[0].type == "function_type"
    index = outline.define(
        name,
        SymbolKind.METHOD if is_method else SymbolKind.ATTRIBUTE,
        node,
        parent,
        signature=text_of(outline, node),
        doc=doc_above(outline.source, node),
        exported=is_open(outline, node, parent),
        decorators=decorators_of(outline, node, None),
    )
    for part in object_types(declared.named_children[0] if declared is not None else None):
        outline.enter(part, index)
    if inner is not None:
        enter_values(outline, inner, index)


def _variables(outline: Outline, node: Node, parent: int, whole: Node | None = None) -> None:
    """Define variables of the file, and functions and classes that are assigned anywhere: `const a = …, b = …`."""
    for declarator in node.named_children:
        name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        if declarator.type != "variable_declarator" or name is None:
            continue
        if not is_importing(outline.source, name, value):
            around = whole or node if node.named_child_count == 1 else declarator
            _variable(outline, name, value, parent, around, is_seen(outline, parent, whole))


def _variable(outline: Outline, name: Node, value: Node | None, parent: int, whole: Node, exported: bool) -> None:
    inner = unwrap(value) if value is not None else None
    if inner is not None and inner.type in FUNCTIONS and name.type == "identifier":
        define_function(outline, name, inner, parent, whole, exported=exported)
        return
    if inner is not None and inner.type == "class" and name.type == "identifier":
        define_class(outline, inner, parent, whole, name)
        return
    is_local = is_within_function(outline, parent)
    if not is_local:
        for part in pattern_names(name):
            kind = SymbolKind.CONSTANT if outline.source.of(part).isupper() else SymbolKind.VARIABLE
            signature, doc = text_of(outline, whole), doc_above(outline.source, whole)
            outline.define(part, kind, whole, parent, signature=signature, doc=doc, exported=exported)
    if inner is None:
        return
    if inner.type == "object" and not is_local and name.type == "identifier":
        define_keys(outline, inner, len(outline.symbols) - 1)
    else:
        enter_values(outline, inner, parent if is_local else len(outline.symbols) - 1)


def returned(outline: Outline, node: Node, parent: int) -> None:
    """Define the functions among the values of `return …`."""
    enter_values(outline, node, parent)


DECLARATIONS: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("class_declaration", "abstract_class_declaration"), define_class),
    "interface_declaration": _interface,
    "enum_declaration": _enum,
    "type_alias_declaration": _alias,
    **dict.fromkeys(("internal_module", "module"), _namespace),
    **dict.fromkeys(("function_declaration", "generator_function_declaration", "function_signature"), _function),
    **dict.fromkeys(("lexical_declaration", "variable_declaration"), _variables),
    "return_statement": returned,
}
MEMBERS = {
    **dict.fromkeys(("method_definition", "method_signature", "abstract_method_signature"), define_method),
    "public_field_definition": _field,
    "field_definition": _field,
    "property_signature": _field,
}
