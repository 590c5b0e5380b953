"""The context of the call that is running, for tools that keep things for a caller or a thread."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from avionics.model.tools import ToolContext

_NOBODY: Final = ToolContext()
_current: ContextVar[ToolContext] = ContextVar("avionics_call", default=_NOBODY)

set_current_context: Final = _current.set
reset_current_context: Final = _current.reset


def get_current_context() -> ToolContext:
    """Return the context of the call that is running; outside of calls, one of an anonymous caller."""
    return _current.get()
