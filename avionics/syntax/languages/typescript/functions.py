"""Functions: under a name, in a class, and among the values of an expression."""

from __future__ import annotations

from types import MappingProxyType

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import one_line_of_code
from avionics.syntax.languages.typescript.definition_builder import (
    LOCAL,
    decorators_above,
    decorators_of,
    doc_above,
    is_open,
    is_seen,
    text_of,
    without_comments,
)
from avionics.syntax.languages.typescript.node_predicates import (
    FUNCTIONS,
    assigned_place,
    is_property,
    last_assigned,
    name_of_key,
    unwrap,
)

_HELD = late_pattern(rb"=>|\)\s*[{:]")
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
    text = outline.source.content[around.start_byte : body.start_byte if body is not None else around.end_byte]
    index = outline.define(
        name,
        kind,
        around,
        parent,
        signature=one_line_of_code(without_comments(text.decode("utf-8", "surrogateescape")))
        .rstrip("{;, ")
        .removesuffix("=>")
        .rstrip(),
        doc=doc_above(outline.source, around),
        exported=is_seen(outline, parent, whole) if exported is None else exported,
        decorators=(
            *decorators_above(outline, node),
            *(decorators_of(outline, node, whole) if b"@" in text else ()),
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
    key = node.child_by_field_name("name")
    name = name_of_key(key) if key is not None else None
    define_function(outline, name, node, parent, kind=_kind_of(node), exported=is_open(outline, node, parent))
    parameters = node.child_by_field_name("parameters")
    if name is not None and parameters is not None and outline.source.of(name) == "constructor":
        _parameter_properties(outline, parameters, parent)


def _kind_of(method: Node) -> SymbolKind:
    accessors = {child.type for child in method.children[:4]}
    return SymbolKind.PROPERTY if accessors & {"get", "set"} else SymbolKind.METHOD


def _parameter_properties(outline: Outline, parameters: Node, parent: int) -> None:
    """Define the member that `constructor(private x: X)` declares."""
    for parameter in parameters.named_children:
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
            name = name_of_key(key) if key is not None else None
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
    """Define the functions among the values of an expression, on behalf of the symbol around.

    Methods of objects and assigned functions have names there, which no bare name means; unnamed functions, such as
    callbacks, and unnamed classes are entered.
    """
    pending = [node] if _may_hold(outline, node) else []
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
            body = current.child_by_field_name("body")
            pending += reversed(body.named_children) if body is not None else ()
        elif kind in _FIELDS:
            value = _define_field(outline, current, parent)
            pending += [value] if value is not None else []
        elif kind == "method_definition":
            key = current.child_by_field_name("name")
            name = name_of_key(key) if key is not None else None
            define_function(outline, name, current, parent, kind=_kind_of(current), exported=False)
        elif kind in {"pair", "assignment_expression"}:
            value = _define_held(outline, current, parent)
            pending += [value] if value is not None else []
        elif current.named_child_count and _may_hold(outline, current):
            pending.extend(reversed(current.named_children))


def _define_field(outline: Outline, node: Node, parent: int) -> Node | None:
    """Define the function in a field of an unnamed class, or return the field's value to be searched."""
    key, value = (node.child_by_field_name(each) for each in ("name", "value"))
    key = key or node.child_by_field_name("property")
    name, inner = name_of_key(key) if key is not None else None, unwrap(value) if value is not None else None
    if inner is None or name is None or inner.type not in FUNCTIONS:
        return value
    define_function(outline, name, inner, parent, node, kind=SymbolKind.METHOD, exported=False)
    return None


def _is_plain_function(outline: Outline, parent: int) -> bool:
    """Return whether an enclosing symbol is a function outside of classes, whose own object is what it makes."""
    return parent >= 0 and outline.symbols[parent].kind is SymbolKind.FUNCTION


def _may_hold(outline: Outline, node: Node) -> bool:
    """Return whether a node may contain a function."""
    return _HELD.search(outline.source.content, node.start_byte, node.end_byte) is not None


def _define_held(outline: Outline, node: Node, parent: int) -> Node | None:
    """Define the function under a key or an assigned name, or return its value to be searched."""
    if node.type == "pair":
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        name, kind = name_of_key(key) if key is not None else None, SymbolKind.METHOD
        inner = unwrap(value) if value is not None else None
    else:
        key, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        owner = key.child_by_field_name("object") if key is not None else None
        # Members that an object of a class assigns to itself are declared elsewhere.
        is_own = owner is not None and owner.type == "this" and not _is_plain_function(outline, parent)
        name = assigned_place(key) if key is not None and not is_own else None
        kind = SymbolKind.FUNCTION if key is not None and key.type == "identifier" else SymbolKind.METHOD
        inner = last_assigned(unwrap(value)) if value is not None else None
    if inner is None or name is None or inner.type not in FUNCTIONS:
        return value
    define_function(outline, name, inner, parent, node, kind=kind, exported=False)
    return None
