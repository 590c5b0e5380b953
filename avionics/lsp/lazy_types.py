"""Import the protocol's types without building all of them.

`lsprotocol.types` has 554 attrs classes, and building them takes longer than the rest of the server's start. A session
uses some eighty. So each is built when its first instance is made, or when somebody asks for its fields.

For that, `attrs.define` is replaced while the types are imported, and a private flag of lsprotocol is set. Without it
the server needs one and a half times the processor time to import, and 7 MB more. `tests/lsp/test_lazy_types.py`
compares every type with the one that the library builds at once, so it fails if a release of lsprotocol differs.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Final, get_type_hints

import attrs

_TYPES: Final = "lsprotocol.types"
_FIELDS: Final = "__attrs_attrs__"
_define: Final = attrs.define
_building: Final = threading.RLock()


class _LaterFields:
    """Stands where attrs keeps the fields of a class, and builds the class when they are looked at."""

    def __get__(self, instance: object, cls: type) -> Any:
        _build(cls)
        return getattr(cls, _FIELDS)


def import_types() -> None:
    """Import the types, each to be built later; types that are already imported stay as they are."""
    if _TYPES in sys.modules:
        return
    vars(attrs)["define"] = _define_later
    try:
        from lsprotocol import _hooks, types  # noqa: F401
    finally:
        vars(attrs)["define"] = _define
    # The library would ask for the fields of all types to resolve their annotations; `_build` does so for each.
    _hooks._resolved_forward_references = True


def _define_later(cls: Any = None, **options: Any) -> Any:
    """Return a class that is built later; one of somebody else, or with options, is built at once."""
    if cls is None or options or cls.__module__ != _TYPES:
        return _define(cls, **options)
    setattr(cls, _FIELDS, _LaterFields())
    cls.__init__ = _build_and_init
    return cls


def _build_and_init(self: Any, *arguments: Any, **named: Any) -> None:
    """Build the class of the first instance, and initialize the instance as the class then does."""
    _build(type(self))
    type(self).__init__(self, *arguments, **named)


def _build(cls: type) -> None:
    """Build a class, after those that it inherits from.

    Another thread sees it unbuilt, and waits here, or built as a whole: attrs replaces the two stand-ins in place, once
    the annotations are types.
    """
    from lsprotocol.types import ALL_TYPES_MAP

    with _building:
        for each in reversed(cls.__mro__):
            if isinstance(vars(each).get(_FIELDS), _LaterFields):
                hints = get_type_hints(each, dict(ALL_TYPES_MAP), include_extras=True)
                each.__annotations__ = {name: hints[name] for name in each.__annotations__}
                # With slots attrs would make another class.
                _define(each, slots=False, init=True)
