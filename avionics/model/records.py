"""Read and replace the fields of value classes, attrs classes and msgspec structs alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from msgspec import Struct
from msgspec.structs import replace


def get_fields(kind: type) -> Mapping[str, str] | None:
    """Return field → constructor parameter for the fields a value is constructed from; None for any other class."""
    if issubclass(kind, Struct):
        return {name: name for name in kind.__struct_fields__}
    return {field.name: field.alias for field in attrs.fields(kind) if field.init} if attrs.has(kind) else None


def evolve(value: Any, changes: Mapping[str, Any]) -> Any:
    """Return a copy of a value with other constructor parameters."""
    return replace(value, **changes) if isinstance(value, Struct) else attrs.evolve(value, **changes)
