"""Send log messages to clients, at the level that each has set.

A client of the handshake revisions sets the level for its connection, and hears warnings until then; a newer one asks
with each request, and hears nothing otherwise.
"""

from __future__ import annotations

from typing import Any, Final, get_args

from mcp import types
from mcp.server import ServerRequestContext
from mcp.types import LOG_LEVEL_META_KEY, LoggingLevel
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from avionics.mcp.sessions import Peers

Request = ServerRequestContext[Any, Any]

_LEVELS: Final[tuple[LoggingLevel, ...]] = get_args(LoggingLevel)
_UNTOLD: Final[LoggingLevel] = "warning"


class Logs:
    """Sends log messages to clients that asked for their level."""

    def __init__(self) -> None:
        self._levels: Peers[LoggingLevel] = Peers()

    async def set_level(self, request: Request, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """Send this connection messages of the level and above from now on."""
        self._levels.put(request.session, params.level)
        return types.EmptyResult()

    async def say(self, request: Request, level: LoggingLevel, text: str) -> None:
        """Send a message to the client that made a request, if its level includes it."""
        wanted = self._get_level(request)
        if wanted is None or _LEVELS.index(level) < _LEVELS.index(wanted):
            return
        said = types.LoggingMessageNotificationParams(level=level, logger="avionics", data=text)
        await request.session.send_notification(types.LoggingMessageNotification(params=said), request.request_id)

    def _get_level(self, request: Request) -> LoggingLevel | None:
        if request.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return self._levels.get(request.session) or _UNTOLD
        asked = (request.meta or {}).get(LOG_LEVEL_META_KEY)
        return asked if asked in _LEVELS else None
