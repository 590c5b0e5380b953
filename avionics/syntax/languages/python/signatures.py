"""Python calls and parameter lists, as a caller sees them."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from avionics.syntax.engine.call_shapes import NAMED_ONLY, UNNAMED_ONLY, CallGrammar, CallParameter
from avionics.syntax.engine.grammars import Node

BUILTIN_NAMES = frozenset(dir(builtins)) | {
    "__file__", "__path__", "__builtins__", "__annotations__", "__dict__", "__class__", "__module__", "__qualname__",
    "__cached__", "__version__", "WindowsError", "reveal_type", "reveal_locals", "unicode", "basestring", "long",
    "xrange", "raw_input", "unichr", "execfile", "get_ipython", "_",
    "ExceptionGroup", "BaseExceptionGroup", "EncodingWarning", "aiter", "anext", "PythonFinalizationError",
}  # fmt: skip
"""The names of every supported version of Python, of Python 2, of notebooks, and `_`, which gettext installs."""

_OPTIONAL = frozenset({"default_parameter", "typed_default_parameter"})
_GATHERS = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node; of a separator one that is named after it."""
    if node.type == "keyword_separator":
        yield CallParameter(NAMED_ONLY, gathers=NAMED_ONLY)
        return
    if node.type == "positional_separator":
        yield CallParameter(UNNAMED_ONLY)
        return
    inner = node.named_children[0] if node.type == "typed_parameter" and node.named_children else node
    gathers = _GATHERS.get(inner.type, "")
    named = node.child_by_field_name("name") or (inner.named_children[0] if gathers and inner.named_children else inner)
    name = (named.text or b"").decode("utf-8", "replace")
    yield CallParameter(name, is_optional=node.type in _OPTIONAL or bool(gathers), gathers=gathers)


def is_required(node: Node) -> bool:
    """Return whether a method is decorated as abstract."""
    around = node.parent
    if node.type != "function_definition" or around is None or around.type != "decorated_definition":
        return False
    texts = (each.text or b"" for each in around.named_children if each.type == "decorator")
    return any(text.rstrip().endswith((b"abstractmethod", b"abstractproperty")) for text in texts)


CALLS = CallGrammar(
    calls={"call": "function"},
    read_parameters=read_parameter,
    keyword="keyword_argument",
    spreads=frozenset({"list_splat", "dictionary_splat"}),
    named_arguments=True,
    is_required=is_required,
    checks_overrides=True,
    is_separable=True,
)
