"""Tool types: what a configuration's `type` may say, and what builds it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from threading import RLock
from typing import Any, TypeAlias

import attrs

from avionics.model.errors import ConfigError
from avionics.tools.schema.parameters import ANYTHING, Parameters, build_parameters, read_parameters

Builder: TypeAlias = Callable[..., Awaitable[Any]]
"""`async def build(tool_config, account_id, db, auth_token=None, **context)` → a tool, or None with no reason given."""


def _read_fields(fields: Mapping[str, Any]) -> Parameters:
    """The fields; others are let be, for a configuration may be newer or older than we are."""
    return attrs.evolve(read_parameters(fields), extra=ANYTHING)


@attrs.frozen
class ToolType:
    """One kind of tool that can be configured.

    Attributes:
        name: What `type` says.
        build: Makes the tool.
        fields: What else its configuration holds: names to strings such as "integer?", or `Parameter`s.
        description: What such a tool is for.
    """

    name: str
    build: Builder
    fields: Parameters = attrs.field(factory=lambda: build_parameters(()), converter=_read_fields)
    description: str = ""

    def find_faults(self, config: Mapping[str, Any]) -> tuple[str, ...]:
        """Everything that is wrong with a configuration, each fault naming its field."""
        return self.fields.find_faults(config)

    def find_unknown(self, config: Mapping[str, Any]) -> tuple[str, ...]:
        """Fields nobody will read, which may be misspelt."""
        return tuple(str(name) for name in config if name not in self.fields and name != "type")


class ToolTypeRegistry:
    """The types there are; may be asked and added to from any thread.

    Args:
        types: Those there are from the start.
    """

    def __init__(self, types: Iterable[ToolType] = ()) -> None:
        self._types: dict[str, ToolType] = {}
        self._lock = RLock()
        for each in types:
            self.add_type(each)

    def add_type(self, added: ToolType, *, replace: bool = False) -> None:
        """Make a type known; the same type twice is once.

        Raises:
            ConfigError: Its name is none, or another type has it and `replace` does not say that it may go.
        """
        if not isinstance(added.name, str) or not added.name or not callable(added.build):
            raise ConfigError("a tool type has a name and a builder that can be called")
        with self._lock:
            before = self._types.get(added.name, added)
            if before != added and not replace:
                raise ConfigError(
                    f"the tool type {added.name!r} is registered already", hint="replace=True lets the later one win"
                )
            self._types[added.name] = added

    def remove_type(self, name: str) -> None:
        """Forget a type; an unknown one is no fault."""
        with self._lock:
            self._types.pop(name, None)

    def get_type(self, name: str) -> ToolType | None:
        """The type of that name, or None."""
        with self._lock:
            return self._types.get(name)

    def is_registered(self, name: str) -> bool:
        """Whether there is a type of that name."""
        return self.get_type(name) is not None

    def list_types(self) -> tuple[str, ...]:
        """The names of all types, in the order they came."""
        with self._lock:
            return tuple(self._types)
