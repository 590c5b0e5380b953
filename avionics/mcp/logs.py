"""Log messages to the client: what a server does for it, as loud as it wants to hear.

A client of the handshake revisions sets the level for its connection, and hears warnings until then; a newer one asks
with each request, and hears nothing otherwise.

Knows: levels, and who wants which.
Does not know: what is worth saying.
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
    """Sends what clients want to hear."""

    def __init__(self) -> None:
        self._levels: Peers[LoggingLevel] = Peers()

    async def set_level(self, request: Request, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """From now on this connection hears that level and above."""
        self._levels.put(request.session, params.level)
        return types.EmptyResult()

    async def say(self, request: Request, level: LoggingLevel, text: str) -> None:
        """Tells the client that made a request, if it wants to hear it."""
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
