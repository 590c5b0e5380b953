"""Start a service on a transport, and end it on a signal or with its client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.mcp.protocol.service import Service
from avionics.mcp.repositories import Repositories
from avionics.mcp.server import ServerOptions, build_service
from avionics.mcp.transports.stdio import serve_stdio, stop_on_signals
from avionics.model.errors import MissingDependencyError
from avionics.settings import Settings
from avionics.tools.observers.telemetry import CallCounts, export_metrics

if TYPE_CHECKING:
    from avionics.mcp.transports.routes import Routes

_CLOSING_SECONDS = 1.0
"""Seconds that shutdown waits until new facts are stored, which takes a fraction of this."""


class HttpAddress(Struct, frozen=True):
    """Where a server listens for HTTP: port 0 takes a free one, and `announce` is called with the URL."""

    host: str
    port: int
    announce: Callable[[str], object]


def serve_repositories(
    directories: Sequence[Path], settings: Settings, options: ServerOptions, address: HttpAddress | None
) -> bool:
    """Serve directories as `run_service` does; return False if work was left unfinished.

    Raise `UsageError` if one of them is not a directory.
    """
    repositories = Repositories.open(directories, settings)
    counts = CallCounts() if address else None
    run_service(build_service(repositories, settings, options, counts), settings, address, counts)
    return repositories.close(_CLOSING_SECONDS)


def run_service(
    service: Service,
    settings: Settings,
    address: HttpAddress | None,
    counts: CallCounts | None,
    routes: Routes | None = None,
) -> None:
    """Serve one client over standard input and output, or any over HTTP if an address is given.

    The service ends when the client leaves, or the process is told to end. Over HTTP the counts are shown at /metrics
    and reported to OpenTelemetry. Raise `UsageError` if the address cannot be listened at, or `MissingDependencyError`
    if the extra `mcp` is not installed.
    """
    if address is not None:
        _run_on_http(service, settings, address, counts or CallCounts(), routes)
        return

    async def serve() -> None:
        await serve_stdio(service, settings.max_request_bytes, stop_on_signals())

    asyncio.run(serve())


def _run_on_http(
    service: Service, settings: Settings, address: HttpAddress, counts: CallCounts, routes: Routes | None
) -> None:
    try:
        from avionics.mcp.transports.http import PATH, open_socket, serve_http
        from avionics.mcp.transports.sdk_server import build_sdk_server
    except ModuleNotFoundError as error:
        reason = f"the Model Context Protocol over HTTP needs the package {error.name!r}"
        raise MissingDependencyError(reason, hint="pip install 'avionics[mcp]'") from None
    export_metrics((*counts.list_metrics(), *(routes.metrics if routes else ())))
    host = address.host
    listening = open_socket(host, address.port, settings.server_token)

    async def serve() -> None:
        stop = stop_on_signals()
        shown = f"[{host}]" if ":" in host else host
        address.announce(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        await serve_http(build_sdk_server(service), listening, host, settings, counts, stop, routes)

    with listening:
        asyncio.run(serve())
