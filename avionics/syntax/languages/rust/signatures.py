"""Rust calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter
from avionics.syntax.engine.grammars import Node

BUILTIN_NAMES = frozenset(
    {
        "AsMut", "AsRef", "AsyncFn", "AsyncFnMut", "AsyncFnOnce", "Box", "Clone", "Copy", "Default",
        "DoubleEndedIterator", "Drop", "Eq", "Err", "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From",
        "FromIterator", "Future", "Into", "IntoFuture", "IntoIterator", "Iterator", "None", "Ok", "Option", "Ord",
        "PartialEq", "PartialOrd", "Result", "Self", "Send", "Sized", "Some", "String", "Sync", "ToOwned",
        "ToString", "TryFrom", "TryInto", "Unpin", "Vec", "alloc", "bool", "char", "core", "drop", "f32", "f64",
        "i128", "i16", "i32", "i64", "i8", "isize", "std", "str", "u128", "u16", "u32", "u64", "u8", "usize",
    }
)  # fmt: skip
"""The standard prelude and the primitive types."""


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node; attributes are none."""
    if node.type == "variadic_parameter":
        yield CallParameter("", is_optional=True, gathers="*")
    elif node.type == "parameter":
        pattern = node.child_by_field_name("pattern")
        yield CallParameter((getattr(pattern, "text", b"") or b"").decode("utf-8", "replace"))
    elif node.type != "attribute_item":
        yield CallParameter("")


def is_required(node: Node) -> bool:
    """Return whether a function of a trait has no body."""
    holder = node.parent.parent if node.parent is not None else None
    return node.type == "function_signature_item" and holder is not None and holder.type == "trait_item"


CALLS = CallGrammar(
    calls={"call_expression": "function"},
    read_parameters=read_parameter,
    receivers=frozenset({"self_parameter"}),
    paths=frozenset({"scoped_identifier"}),
    is_required=is_required,
)
