"""Start the repositories, the server and a transport, and shut them down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from avionics.mcp.metrics import Metrics
from avionics.mcp.repositories import Repositories
from avionics.mcp.server import ServerOptions, build_server
from avionics.mcp.stdio import serve_stdio, stop_on_signals
from avionics.settings import Settings

_CLOSING_SECONDS = 1.0
"""Seconds that shutdown waits until new facts are stored, which takes a fraction of this."""


def run_stdio(directories: Sequence[Path], settings: Settings, options: ServerOptions) -> bool:
    """Serve one client over standard input and output; return False if work was left unfinished.

    Raises:
        UsageError: One of the directories is none.
    """
    repositories = Repositories.open(directories, settings)

    async def serve() -> None:
        stop = asyncio.Event()
        stop_on_signals(stop)
        await serve_stdio(build_server(repositories, settings, options), settings.max_request_bytes, stop)

    asyncio.run(serve())
    return repositories.close(_CLOSING_SECONDS)


def run_http(
    directories: Sequence[Path],
    settings: Settings,
    options: ServerOptions,
    host: str,
    port: int,
    announce: Callable[[str], object],
) -> bool:
    """Serve clients over HTTP until the process is told to end; return False if work was left unfinished.

    Args:
        directories: What can be asked about.
        settings: Limits, and the token.
        options: What is offered.
        host: The address to listen at.
        port: The port; 0 takes a free one.
        announce: Told the URL.

    Raises:
        UsageError: One of the directories is none, or the address cannot be listened at.
    """
    from avionics.mcp.http import PATH, open_socket, serve_http

    repositories = Repositories.open(directories, settings)
    metrics = Metrics()
    listening = open_socket(host, port, settings.server_token)

    async def serve() -> None:
        stop = asyncio.Event()
        stop_on_signals(stop)
        server = build_server(repositories, settings, options, metrics)
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        await serve_http(server, listening, host, settings, metrics, stop)

    with listening:
        asyncio.run(serve())
    return repositories.close(_CLOSING_SECONDS)
