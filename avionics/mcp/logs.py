"""Send log messages to clients, at the level that each has set.

A client of the handshake revisions sets the level for its connection, and receives warnings until then; a newer one
sets it in each request, and otherwise receives nothing.
"""

from __future__ import annotations

from typing import Final

from avionics.mcp.protocol.params import LOG_LEVELS, LevelParams, LogLevel
from avionics.mcp.protocol.peer import Peers
from avionics.mcp.protocol.service import ENVELOPE_VERSIONS, LOG_LEVEL_KEY, McpRequest, Result
from avionics.model.results import ToolResult

_DEFAULT_LEVEL: Final[LogLevel] = "warning"

_BUG: Final = "tool_error"
"""The error type of a bug in a tool."""


class Logs:
    """Sends log messages to clients that asked for their level."""

    def __init__(self) -> None:
        self._levels: Peers[LogLevel] = Peers()

    async def set_level(self, request: McpRequest, params: LevelParams) -> Result:
        """Send this connection messages of the level and above from now on."""
        self._levels.put(request.peer, params.level)
        return {}

    async def send(self, request: McpRequest, level: LogLevel, text: str) -> None:
        """Send a message to the client that made a request, if its level includes it."""
        wanted = self._get_level(request)
        if wanted is None or LOG_LEVELS.index(level) < LOG_LEVELS.index(wanted):
            return
        await request.notify("notifications/message", {"level": level, "logger": "avionics", "data": text})

    async def send_outcome(self, request: McpRequest, tool: str, result: ToolResult) -> None:
        """Send the status and the duration of a call; a bug in the tool is a warning."""
        level: LogLevel = "warning" if result.error_type == _BUG else "debug"
        await self.send(request, level, f"{tool}: {result.status.value} in {result.execution_time_ms} ms")

    def _get_level(self, request: McpRequest) -> LogLevel | None:
        if request.version not in ENVELOPE_VERSIONS:
            return self._levels.get(request.peer) or _DEFAULT_LEVEL
        asked = request.meta.get(LOG_LEVEL_KEY)
        return next((level for level in LOG_LEVELS if level == asked), None)
