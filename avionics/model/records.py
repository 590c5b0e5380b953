"""Read and replace the fields of value classes: msgspec structs, results, and classes of attrs.

attrs is imported only when a value of one of its classes is changed; reading fields needs only the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from avionics.model.results import ToolResult


def get_fields(kind: type) -> Mapping[str, str] | None:
    """Return field → constructor parameter for the fields a value is constructed from; None for any other class."""
    if issubclass(kind, Struct):
        return {name: name for name in kind.__struct_fields__}
    if kind is ToolResult:
        return {name: name for name in ToolResult.FIELDS}
    of_attrs = getattr(kind, "__attrs_attrs__", None)
    return None if of_attrs is None else {field.name: field.alias for field in of_attrs if field.init}


def iter_defaults(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a value class that may have a default, with the default of each."""
    if issubclass(kind, Struct):
        defaults = kind.__struct_defaults__
        yield from zip(kind.__struct_fields__[-len(defaults) :], defaults, strict=True) if defaults else ()
    else:
        yield from ((field.name, field.default) for field in getattr(kind, "__attrs_attrs__", ()))


def evolve(value: Any, changes: Mapping[str, Any]) -> Any:
    """Return a copy of a value with other constructor parameters."""
    if isinstance(value, Struct):
        return replace(value, **changes)
    if isinstance(value, ToolResult):
        return value.evolve(**changes)
    import attrs

    return attrs.evolve(value, **changes)
