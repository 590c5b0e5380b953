"""The common part of tools that are objects, not functions, and their own definitions."""

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
    """A tool that satisfies `ToolDefinitionProtocol` itself, so that a registry returns the registered object.

    Attributes:
        risk_level: The risk of running it.
        fallbacks: The tools to call, in order, if it finds nothing.
        timeout_seconds: Its own time limit, if any.
        output_schema: JSON Schema of its output, if declared.
        examples: `{"input": …, "output": …}` each.
        cache_seconds: How long a result may be reused for the same call by the same caller; only for low risk.
        retries: How often to retry it after a failure that is not the caller's fault; only for low risk.
    """

    risk_level: RiskLevel = RiskLevel.LOW
    fallbacks: tuple[Fallback, ...] = ()
    timeout_seconds: float | None = None
    output_schema: Mapping[str, Any] | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    cache_seconds: float = 0
    retries: int = 0

    @cached_property
    def parameter_schemas(self) -> Parameters:
        """Return the schemas that validate arguments, read at the first use."""
        return self._read_parameters()

    @property
    def parameters(self) -> Mapping[str, str]:
        return MappingProxyType(self.parameter_schemas.to_strings())

    @abstractmethod
    def _read_parameters(self) -> Parameters:
        """Return the parameters as this kind of tool declares them."""
