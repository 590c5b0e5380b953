"""What every tool that is an object, not a function, has in common: it is its own definition."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

from avionics.model.enums import RiskLevel
from avionics.model.tools import Fallback
from avionics.tools.schema.parameters import Parameters


class OwnDefinition:
    """A tool that satisfies `ToolDefinitionProtocol` itself, so that a registry gives back what was registered.

    Attributes:
        risk_level: What running it may do.
        fallbacks: What to ask instead when it finds nothing, in order.
        timeout_seconds: Its own limit, if it has one.
        output_schema: JSON Schema of what it gives, if it says.
        examples: `{"input": …, "output": …}` each.
    """

    risk_level: RiskLevel = RiskLevel.LOW
    fallbacks: tuple[Fallback, ...] = ()
    timeout_seconds: float | None = None
    output_schema: Mapping[str, Any] | None = None
    examples: tuple[Mapping[str, Any], ...] = ()

    @cached_property
    def parameter_schemas(self) -> Parameters:
        """What arguments are judged by; read when first asked for."""
        return self._read_parameters()

    @property
    def parameters(self) -> Mapping[str, str]:
        """Name → kind, for people and planners."""
        return MappingProxyType(self.parameter_schemas.to_strings())

    @abstractmethod
    def _read_parameters(self) -> Parameters:
        """The parameters as this kind of tool spells them."""
