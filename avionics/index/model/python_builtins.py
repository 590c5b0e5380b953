"""The names of Python's standard library that the resolver knows.

Only names that change where a reference leads; everything else outside the workspace is opaque.
"""

from __future__ import annotations

OPTIONAL = frozenset({"Optional"})
UNION = frozenset({"Union"})
CLASS_OF = frozenset({"Type", "type"})
TRANSPARENT = frozenset(
    {
        "Annotated",
        "ClassVar",
        "Final",
        "Required",
        "NotRequired",
        "ReadOnly",
        "InitVar",
        "Unpack",
    }
)
GUARDS = frozenset({"TypeGuard", "TypeIs"})
"""Types of results that narrow the type of an argument if they are true."""
EMPTY_DECLARATIONS = frozenset({"Final", "ClassVar", "TypeAlias"})
"""Annotations that, without arguments, leave the type to the value."""
AWAITABLES = frozenset({"Awaitable", "Coroutine", "Future", "Task", "Deferred"})
ITERATED_FIRST = frozenset(
    {
        "list", "List", "tuple", "Tuple", "set", "Set", "frozenset", "FrozenSet", "deque", "Deque", "Sequence",
        "MutableSequence", "Iterable", "Iterator", "Generator", "AsyncIterable", "AsyncIterator", "AsyncGenerator",
        "Collection", "Container", "AbstractSet", "MutableSet", "KeysView", "Reversible", "generator",
    }
)  # fmt: skip
MAPPINGS = frozenset(
    {
        "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ChainMap",
        "WeakValueDictionary",
    }
)  # fmt: skip
GENERIC_MARKERS = frozenset({"Generic", "Protocol"})
CONTEXT_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
RAISED = "pytest.ExceptionInfo"
"""The object that a test of an expected exception receives."""
ENTERED = frozenset({"ContextManager", "AbstractContextManager", "AsyncContextManager", "AbstractAsyncContextManager"})
SAME_AS_ARGUMENT = frozenset(
    {
        "sorted", "reversed", "list", "tuple", "set", "frozenset", "iter", "aiter", "deque", "filter", "copy",
        "deepcopy", "replace", "evolve",
    }
)  # fmt: skip
YIELDING = frozenset({"Generator", "Iterator", "AsyncGenerator", "AsyncIterator", "Iterable"})
ELEMENT_OF_ARGUMENT = frozenset({"next", "anext", "min", "max", "choice"})
CLASS_METHODS = ("classmethod", "class_method")
IMPLICIT_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
FIXTURES = ("fixture",)
CALLED_BY_LIBRARIES = frozenset(
    {
        "read", "readline", "readlines", "readinto", "write", "writelines", "close", "flush", "seek", "tell", "fileno",
        "isatty", "readable", "writable", "seekable", "truncate", "getvalue", "acquire", "release", "locked", "wait",
        "notify", "emit", "handle", "filter", "format", "run", "start", "join", "send", "throw", "recv", "keys",
        "values", "items", "get", "pop", "update", "copy", "setdefault", "append", "extend", "insert", "remove", "add",
        "discard", "put", "cancel", "result", "done", "submit", "shutdown", "find_spec", "find_module", "load_module",
        "exec_module", "create_module", "get_data", "invalidate_caches", "default", "encode", "decode", "getinfo",
    }
)  # fmt: skip
"""Members of the protocols by which the standard library uses objects that it is given: files, locks, mappings, …"""
BUILTIN = "builtins."


def last_part(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def is_decorated(decorators: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Return whether one of the decorators, without its arguments, ends with one of the names."""
    return any(decorator.partition("(")[0].endswith(names) for decorator in decorators)
