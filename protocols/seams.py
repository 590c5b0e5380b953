"""The seams: places where a product may put its own part.

Knows: what each part must answer.
Does not know: any implementation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class LoggerProtocol(Protocol):
    """A structured logger: an event and its fields. `logging.Logger` adapters and structlog fit."""

    def debug(self, event: str, **fields: Any) -> Any:
        """For the curious."""
        ...

    def info(self, event: str, **fields: Any) -> Any:
        """For the record."""
        ...

    def warning(self, event: str, **fields: Any) -> Any:
        """For the operator."""
        ...

    def error(self, event: str, **fields: Any) -> Any:
        """For whoever must mend it."""
        ...


@runtime_checkable
class AuditSinkProtocol(Protocol):
    """Receives one plain record for every step of a call that is audited."""

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Keep the record; a fault here never changes a result."""
        ...
