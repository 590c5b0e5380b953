"""Rust paths: `use` trees, and the meaning of `crate`, `self` and `super`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct, structs

from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import field_of
from avionics.syntax.engine.source_text import SourceText

PATH = "::"
"""The end of a name that is looked up as the start of a path only."""
CRATE, OWN, ABOVE = "crate::", "self::", "super::"
"""Names by which the module system resolves the crate's root, the file's own module, and a module's parent."""

SLICE = "slice"
"""The name of the type with the members of `[T]` and `[T; N]`."""

PRIMITIVES = frozenset(f"{SLICE} str bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64".split())
"""The primitive types, whose names are in lower case."""


class UsedName(Struct, frozen=True):
    """One name of a `use` tree.

    Attributes:
        path: The parts before it: `("crate", "a")`.
        name: The name; "*" for all.
        alias: What it is bound to; "" for all.
    """

    path: tuple[str, ...]
    name: str
    alias: str


def iter_module_files(source: SourceText, node: Node) -> Iterator[tuple[Node, str]]:
    """Yield the files that `mod x;` may mean, each with the node that names it; "" means the default location.

    `#[path = "a.rs"]` names the file, `#[cfg_attr(unix, path = "b.rs")]` names it under a condition.
    """
    is_fixed, above, name = False, node.prev_named_sibling, node.child_by_field_name("name")
    while above is not None and above.type in {"line_comment", "block_comment", "attribute_item"}:
        attribute = above.named_children[0] if above.type == "attribute_item" and above.named_children else None
        tokens = field_of(attribute, "arguments")
        for word, value in pairwise((tokens or attribute).named_children) if attribute is not None else ():
            if source.of(word) == "path" and value.type == "string_literal":
                is_fixed = is_fixed or tokens is None
                yield value, source.of(value).strip('"')
        above = above.prev_named_sibling
    if name is not None and not is_fixed:
        yield name, ""


def segments(source: SourceText, node: Node | None) -> tuple[str, ...]:
    """Return the parts of a written path."""
    if node is None:
        return ()
    if node.type in {"scoped_identifier", "scoped_type_identifier"}:
        return (*segments(source, node.child_by_field_name("path")), source.of(node.child_by_field_name("name")))
    return (source.of(node),)


def iter_used_names(source: SourceText, node: Node, before: tuple[str, ...] = ()) -> Iterator[tuple[Node, UsedName]]:
    """Yield the names in a `use` tree, each with its node."""
    match node.type:
        case "use_list":
            for child in node.named_children:
                yield from iter_used_names(source, child, before)
        case "scoped_use_list":
            inner = node.child_by_field_name("list")
            path = (*before, *segments(source, node.child_by_field_name("path")))
            if inner is not None:
                yield from iter_used_names(source, inner, path)
        case "use_wildcard":
            path = (*before, *(segments(source, node.named_children[0]) if node.named_children else ()))
            # Until the edition of 2018, `use ::*` takes all of the crate's root.
            yield node, UsedName(path or ("crate",), "*", "")
        case "use_as_clause":
            path_node, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            for place, used in iter_used_names(source, path_node, before) if path_node is not None else ():
                yield place, structs.replace(used, alias=source.of(alias) if alias is not None else "_")
        case "scoped_identifier":
            name = node.child_by_field_name("name")
            if name is not None:
                path = (*before, *segments(source, node.child_by_field_name("path")))
                yield name, UsedName(path, source.of(name), source.of(name))
        case "identifier":
            yield node, UsedName(before, source.of(node), source.of(node))
        case "self" if before:
            yield node, UsedName(before[:-1], before[-1], before[-1])


def place_module(path: tuple[str, ...], around: tuple[str, ...]) -> tuple[str, int]:
    """Return the dotted module of a path, and its level: 0 as written, 1 from the own module, 2 from its parent.

    `around` are the inline modules around it.
    """
    if not path or path[0] not in {"self", "super"}:
        return ".".join(path), 0
    rest = path[1:] if path[0] == "self" else path
    supers = 0
    while supers < len(rest) and rest[supers] == "super":
        supers += 1
    inner = around[: max(0, len(around) - supers)]
    return ".".join((*inner, *rest[supers:])), 1 + max(0, supers - len(around))
