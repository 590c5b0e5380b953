"""Outlines of Rust: what items define and import."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, require_field
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import one_line, one_line_of_code
from avionics.syntax.languages.rust.item_macros import iter_declared_modules, iter_item_blocks
from avionics.syntax.languages.rust.paths import SLICE, UsedName, iter_module_files, iter_used_names, place_module

NESTED = frozenset({"foreign_mod_item", "declaration_list"})
_ITEM = re.compile(rb"\b(?:use|fn|struct|enum|union|impl|trait|mod|const|static|type|macro_rules!)\s")
"""Matches in a function's body that contains items; only those few bodies are searched."""

_NAMED_TYPES = frozenset({"type_identifier", "primitive_type"})


def last_type_name(node: Node | None) -> Node | None:
    """Return the name of a type as written, such as `B` of `&mut a::B<T>`."""
    while node is not None and node.type not in _NAMED_TYPES:
        inner = [node.child_by_field_name(field) for field in ("name", "type", "trait")]
        node = next((each for each in inner if each is not None), None)
    return node


def _define(
    outline: Outline,
    node: Node,
    parent: int,
    kind: SymbolKind,
    *,
    until: str = "body",
    holder: str = "",
    exported: bool | None = None,
    bases: tuple[str, ...] = (),
) -> int:
    """Add an item named by its `name` field; its header goes up to the field `until`."""
    name = node.child_by_field_name("name")
    if name is None:
        return -1
    doc, decorators = _above(outline, node)
    return outline.define(
        name,
        kind,
        node,
        parent,
        signature=_header(outline, node, until),
        doc=doc,
        exported=_is_public(node, outline, parent) if exported is None else exported,
        decorators=decorators,
        bases=bases,
        holder=holder,
    )


def _above(outline: Outline, node: Node) -> tuple[str, tuple[str, ...]]:
    """Return the documentation and the attributes above an item."""
    docs: list[str] = []
    attributes: list[str] = []
    above = node.prev_named_sibling
    while above is not None and above.type in {"line_comment", "block_comment", "attribute_item"}:
        if above.type == "attribute_item":
            attributes.append(one_line_of_code(outline.source.of(above)[2:-1], 120))
        elif above.child_by_field_name("outer") is not None:
            written = above.child_by_field_name("doc")
            docs.append(outline.source.of(written) if written is not None else "\n")
        above = above.prev_named_sibling
    return first_paragraph("".join(reversed(docs))), tuple(reversed(attributes))


def first_paragraph(text: str) -> str:
    """Return the first paragraph of a documentation comment, on one line."""
    lines = [line.strip().lstrip("*").strip() for line in text.strip().split("\n")]
    end = lines.index("") if "" in lines else len(lines)
    return one_line(" ".join(lines[:end]), 200)


def _header(outline: Outline, node: Node, until: str) -> str:
    """Return an item up to one of its fields."""
    end = node.child_by_field_name(until) if until else None
    stop = end.start_byte if end is not None else node.end_byte
    text = outline.source.between(node.start_byte, stop)
    return one_line_of_code(text).rstrip("{;=, ")


def _is_public(node: Node, outline: Outline, parent: int) -> bool:
    """Return whether an item is `pub`, or belongs to an item whose members are all public."""
    if outline.get_kind(parent) in {SymbolKind.INTERFACE, SymbolKind.ENUM}:
        return True
    return any(child.type == "visibility_modifier" for child in node.children[:2])


def _function(outline: Outline, node: Node, parent: int, holder: str = "", *, exported: bool | None = None) -> None:
    kind = SymbolKind.METHOD if holder or outline.is_class(parent) else SymbolKind.FUNCTION
    index = _define(outline, node, parent, kind, holder=holder, exported=exported)
    body = node.child_by_field_name("body")
    if body is not None and index >= 0 and _ITEM.search(outline.source.content, body.start_byte, body.end_byte):
        _inner_items(outline, body, index)


def _inner_items(outline: Outline, body: Node, parent: int) -> None:
    """Define the items within a function's body, at any depth."""
    pending = [body]
    while pending:
        for child in pending.pop().named_children:
            # A statement such as `if` or a block contains further ones.
            rule = None if child.type == "expression_statement" else OUTLINE.get(child.type)
            if rule is not None:
                rule(outline, child, parent)
            elif child.named_child_count:
                pending.append(child)


def _struct(outline: Outline, node: Node, parent: int) -> None:
    body = node.child_by_field_name("body")
    is_tuple = body is not None and body.type == "ordered_field_declaration_list"
    _fields(outline, node, _define(outline, node, parent, SymbolKind.CLASS, until="" if is_tuple else "body"))


def _fields(outline: Outline, node: Node, index: int) -> None:
    for field in children_of(node, "body") if index >= 0 else ():
        if field.type == "field_declaration":
            _define(outline, field, index, SymbolKind.ATTRIBUTE, until="")


def _enum(outline: Outline, node: Node, parent: int) -> None:
    index = _define(outline, node, parent, SymbolKind.ENUM)
    for variant in children_of(node, "body") if index >= 0 else ():
        if variant.type == "enum_variant":
            _fields(outline, variant, _define(outline, variant, index, SymbolKind.ATTRIBUTE, until=""))


def _trait(outline: Outline, node: Node, parent: int) -> None:
    written = children_of(node, "bounds")
    bases = tuple(one_line(outline.source.of(base)) for base in written if base.type != "lifetime")
    index = _define(outline, node, parent, SymbolKind.INTERFACE, bases=bases)
    if index >= 0:
        outline.enter(node.child_by_field_name("body"), index)


def _impl(outline: Outline, node: Node, parent: int) -> None:
    """Define the members that an `impl` adds to a type."""
    body = require_field(node, "body")
    written = node.child_by_field_name("type")
    type_name = last_type_name(written)
    while written is not None and written.type in {"reference_type", "pointer_type"}:
        written = written.child_by_field_name("type")
    is_slice = written is not None and written.type == "array_type"
    holder = SLICE if is_slice else outline.source.of(type_name) if type_name is not None else "impl"
    exported = True if node.child_by_field_name("trait") is not None else None
    for child in _iter_members(outline, body):
        if child.type in {"function_item", "function_signature_item"}:
            _function(outline, child, parent, holder, exported=exported)
        elif child.type in {"const_item", "type_item"}:
            kind = SymbolKind.ATTRIBUTE if child.type == "const_item" else SymbolKind.TYPE
            _define(outline, child, parent, kind, until="", holder=holder, exported=exported)


def _iter_members(outline: Outline, body: Node) -> Iterator[Node]:
    """Yield the items of an `impl`, including those inside macros."""
    for child in body.named_children:
        yield child
        if child.type == "macro_invocation":
            for block in iter_item_blocks(outline.source.content, outline.spec.grammar, child):
                yield from _iter_members(outline, block)


def _macro_items(outline: Outline, node: Node, parent: int) -> None:
    """Yield the items inside a macro that is among items, and import the files of modules that it declares.

    Such a macro may also take all names of each: that import stands behind the first letter of the module's name.
    """
    if not outline.is_function(parent):
        for name in iter_declared_modules(outline.source, node):
            text = outline.source.of(name)
            line, column = outline.source.place(name)
            module = ".".join((*_modules_around(outline, parent), text))
            outline.imports.append(Import(module, "", text, 1, line, column))
            outline.imports.append(Import(module, "*", "", 1, line, column + 1))
        for block in iter_item_blocks(outline.source.content, outline.spec.grammar, node):
            outline.enter(block, parent)


def _statement(outline: Outline, node: Node, parent: int) -> None:
    """Read a macro among items that ends with a semicolon."""
    for child in node.named_children:
        if child.type == "macro_invocation":
            _macro_items(outline, child, parent)


def _alias(outline: Outline, node: Node, parent: int) -> None:
    _define(outline, node, parent, SymbolKind.TYPE, until="")


def _value(outline: Outline, node: Node, parent: int) -> None:
    """Define a constant or a static."""
    if outline.is_class(parent):
        kind = SymbolKind.ATTRIBUTE
    else:
        kind = SymbolKind.CONSTANT if node.type == "const_item" else SymbolKind.VARIABLE
    if not outline.is_function(parent):
        _define(outline, node, parent, kind, until="")


def _macro(outline: Outline, node: Node, parent: int) -> None:
    name = require_field(node, "name")
    doc, decorators = _above(outline, node)
    is_exported = any(decorator.startswith("macro_export") for decorator in decorators)
    signature = f"macro_rules! {outline.source.of(name)}"
    outline.define(
        name, SymbolKind.MACRO, node, parent, signature=signature, doc=doc, exported=is_exported, decorators=decorators
    )


def _module(outline: Outline, node: Node, parent: int) -> None:
    """Define `mod x { … }`, or import the file of `mod x;`."""
    name, body = require_field(node, "name"), node.child_by_field_name("body")
    if body is not None:
        outline.enter(body, _define(outline, node, parent, SymbolKind.MODULE))
        return
    text = outline.source.of(name)
    for place, path in iter_module_files(outline.source, node):
        module = f"#{path}" if path else ".".join((*_modules_around(outline, parent), text))
        _import(outline, place, parent, UsedName((), text, text), module, 1, taken="")


def _modules_around(outline: Outline, parent: int) -> tuple[str, ...]:
    """Return the inline modules around, outermost first."""
    around = [outline.symbols[at] for at in outline.iter_around(parent)]
    return tuple(each.name for each in reversed(around) if each.kind is SymbolKind.MODULE)


def _use(outline: Outline, node: Node, parent: int) -> None:
    argument = require_field(node, "argument")
    around = _modules_around(outline, parent)
    for place, used in iter_used_names(outline.source, argument):
        module, level = place_module(used.path, around)
        if not used.path and used.name != "*":
            _import(outline, place, parent, used, used.name, 0, taken="")
        else:
            _import(outline, place, parent, used, module, level, taken=used.name)


def _extern_crate(outline: Outline, node: Node, parent: int) -> None:
    name, alias = require_field(node, "name"), node.child_by_field_name("alias")
    text = outline.source.of(name)
    bound = outline.source.of(alias) if alias is not None else text
    _import(outline, name, parent, UsedName((), text, bound), text, 0, taken="")


def _import(outline: Outline, place: Node, parent: int, used: UsedName, module: str, level: int, *, taken: str) -> None:
    line, column = outline.source.place(place)
    found = Import(module, taken, used.alias, level, line, column, outline.is_function(parent))
    outline.imports.append(found)


def _redirect_own_imports(outline: Outline) -> None:
    """Make `use name as other` an import from its own module if that declares the name, which then is no crate."""
    symbols, whole_imports = outline.symbols, [at for at, each in enumerate(outline.imports) if not each.name]
    modules = [each for each in symbols if each.kind is SymbolKind.MODULE] if whole_imports else []
    defined = {
        (_modules_around(outline, each.parent), each.name)
        for each in (symbols if whole_imports else ())
        if each.parent < 0 or symbols[each.parent].kind is SymbolKind.MODULE
    }
    around_imports = [
        tuple(each.name for each in modules if each.span.contains(found.line)) if whole_imports else ()
        for found in outline.imports
    ]
    named_imports = [
        (around, found) for around, found in zip(around_imports, outline.imports, strict=True) if found.name
    ]
    defined |= {(around, found.alias) for around, found in named_imports if not found.lazy}
    for at in whole_imports:
        found, around = outline.imports[at], around_imports[at]
        if not found.level and (around, found.module) in defined:
            outline.imports[at] = structs.replace(found, module=".".join(around), name=found.module, level=1)


def whole(outline: Outline, root: Node) -> None:
    """Read the documentation of the file, the `//!` lines at its beginning, and redirect its imports from itself."""
    _redirect_own_imports(outline)
    written: list[str] = []
    for child in root.named_children:
        doc = child.child_by_field_name("doc")
        if child.child_by_field_name("inner") is not None:
            written.append(outline.source.of(doc) if doc is not None else "\n")
        elif child.type not in {"line_comment", "block_comment", "inner_attribute_item", "shebang"}:
            break
    outline.doc = first_paragraph("".join(written))


OUTLINE = {
    **dict.fromkeys(("function_item", "function_signature_item"), _function),
    **dict.fromkeys(("struct_item", "union_item"), _struct),
    "enum_item": _enum,
    "trait_item": _trait,
    "impl_item": _impl,
    **dict.fromkeys(("type_item", "associated_type"), _alias),
    **dict.fromkeys(("const_item", "static_item"), _value),
    "macro_definition": _macro,
    "macro_invocation": _macro_items,
    "expression_statement": _statement,
    "mod_item": _module,
    "use_declaration": _use,
    "extern_crate_declaration": _extern_crate,
}
