"""C calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter
from avionics.syntax.engine.grammars import Node

BUILTIN_NAMES = frozenset(
    {
        "EOF", "NULL", "alignas", "alignof", "assert", "bool", "errno", "false", "nullptr", "offsetof", "ptrdiff_t",
        "size_t", "ssize_t", "static_assert", "stderr", "stdin", "stdout", "thread_local", "true", "typeof",
        "va_arg", "va_copy", "va_end", "va_list", "va_start",
        "asprintf", "explicit_bzero", "freezero", "fseeko", "ftello", "getdelim", "getentropy", "getopt_long",
        "getpeereid", "getprogname", "gettimeofday", "gmtime_r", "inet_aton", "inet_ntop", "inet_pton", "isblank",
        "localtime_r", "memmem", "memmove", "mempcpy", "memrchr", "mkdtemp", "mkstemp", "nanosleep", "pread", "pwrite",
        "reallocarray", "realpath", "recallocarray", "setenv", "setprogname", "snprintf", "stpcpy", "strcasecmp",
        "strcasestr", "strchrnul", "strdup", "strerror_r", "strlcat", "strlcpy", "strncasecmp", "strndup", "strnlen",
        "strsep", "strtok_r", "strtoll", "strtonum", "strtoull", "timegm", "unsetenv", "usleep", "vasprintf",
        "vsnprintf",
    }
)  # fmt: skip
"""Keywords of newer standards, and what the standard headers have that projects define for systems without it."""


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node; `(void)` declares none."""
    if node.type == "variadic_parameter":
        yield CallParameter("", is_optional=True, gathers="*")
        return
    declarator = node.child_by_field_name("declarator")
    if declarator is None and node.text == b"void":
        return
    text = (getattr(declarator, "text", b"") or b"").decode("utf-8", "replace")
    yield CallParameter(text, is_optional=node.type == "optional_parameter_declaration")


CALLS = CallGrammar(calls={"call_expression": "function"}, read_parameters=read_parameter, unspecified_empty=True)
