"""Java calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter
from avionics.syntax.engine.grammars import Node

BUILTIN_NAMES = frozenset(
    {
        "Appendable", "AutoCloseable", "Boolean", "Byte", "CharSequence", "Character", "Class", "ClassLoader",
        "Cloneable", "Comparable", "Deprecated", "Double", "Enum", "Error", "Exception", "Float",
        "FunctionalInterface", "IllegalArgumentException", "IllegalStateException", "IndexOutOfBoundsException",
        "Integer", "InterruptedException", "Iterable", "Long", "Math", "Module", "NullPointerException", "Number",
        "NumberFormatException", "Object", "Override", "Process", "ProcessBuilder", "Readable", "Record",
        "Runnable", "Runtime", "RuntimeException", "SafeVarargs", "Short", "StackTraceElement", "String",
        "StringBuffer", "StringBuilder", "SuppressWarnings", "System", "Thread", "ThreadLocal", "Throwable",
        "UnsupportedOperationException", "Void",
    }
)  # fmt: skip
"""The classes of java.lang that code is likeliest to name."""

_THROWABLE = (
    "getMessage getLocalizedMessage getCause initCause getStackTrace setStackTrace fillInStackTrace printStackTrace "
    "addSuppressed getSuppressed"
)
_MEMBERS = {
    "Serializable": "",
    "Cloneable": "",
    "RandomAccess": "",
    "Comparable": "compareTo",
    "Iterable": "iterator forEach spliterator",
    "Iterator": "hasNext next remove forEachRemaining",
    "Runnable": "run",
    "Callable": "call",
    "Closeable": "close",
    "AutoCloseable": "close",
    "Flushable": "flush",
    "__Enum": "compareTo name ordinal getDeclaringClass describeConstable values valueOf",
    **dict.fromkeys(
        (
            "Throwable", "Exception", "Error", "RuntimeException", "IOException", "IllegalArgumentException",
            "IllegalStateException", "NullPointerException", "UnsupportedOperationException",
            "IndexOutOfBoundsException",
        ),
        _THROWABLE,
    ),
}  # fmt: skip
OUTSIDE_MEMBERS = MappingProxyType({name: frozenset(members.split()) for name, members in _MEMBERS.items()})
"""The members of interfaces and exceptions of the standard library, without those of every object."""


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node."""
    name = node.child_by_field_name("name")
    text = (getattr(name, "text", b"") or b"").decode("utf-8", "replace")
    gathers = "*" if node.type == "spread_parameter" else ""
    yield CallParameter(text, is_optional=bool(gathers), gathers=gathers)


def is_required(node: Node) -> bool:
    """Return whether a method has no body: that of an interface, or an abstract one."""
    if node.type != "method_declaration" or node.child_by_field_name("body") is not None:
        return False
    words = {child.type for each in node.children if each.type == "modifiers" for child in each.children}
    return not words & {"native", "static", "default", "private"}


CALLS = CallGrammar(
    calls={"method_invocation": "name", "object_creation_expression": "type"},
    read_parameters=read_parameter,
    receivers=frozenset({"receiver_parameter"}),
    is_required=is_required,
)
