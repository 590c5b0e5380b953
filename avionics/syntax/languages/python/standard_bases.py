"""Which members the classes of Python's standard library call on the objects of their subclasses."""

from __future__ import annotations

import functools
import importlib

_MODULES = frozenset({"builtins", "collections.abc", "abc", "typing", "enum", "numbers"})
"""Modules whose classes call no member by a name that they do not declare, and keep no attributes of their own."""
_COLLECTIONS = frozenset({"OrderedDict", "defaultdict", "deque", "Counter"})


@functools.cache
def get_called_members(base: str) -> frozenset[str] | None:
    """Return the members that a class may call on objects of its subclasses; None if that is not known.

    Args:
        base: The dotted name of the class.
    """
    module, _, name = base.rpartition(".")
    if module not in _MODULES and not (module == "collections" and name in _COLLECTIONS):
        return None
    found = getattr(importlib.import_module(module), name, None)
    of = getattr(found, "__origin__", found)
    if not isinstance(of, type):
        return None
    return frozenset(member for each in of.__mro__ for member in vars(each))
