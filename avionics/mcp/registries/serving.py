"""Serve a registry over standard input and output, or over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypedDict

from avionics.mcp.registries.server import RegistryOptions, build_registry_service
from avionics.mcp.serving import HttpAddress, run_service
from avionics.mcp.transports.routes import Routes
from avionics.model.errors import UsageError
from avionics.model.grants import Grant, read_permissions
from avionics.model.tools import ToolRegistryProtocol
from avionics.settings import Settings
from avionics.tools.execution.call_step import Guard, Observer
from avionics.tools.executor import ToolExecutor
from avionics.tools.observers.telemetry import CallCounts

TRANSPORTS = ("stdio", "http")


class Listening(TypedDict):
    """Where a server listens: the arguments of `serve_registry` of these names."""

    transport: str
    host: str
    port: int
    announce: Callable[[str], object]


def serve_registry(
    registry: ToolRegistryProtocol,
    *,
    transport: str = "stdio",
    host: str = "127.0.0.1",
    port: int = 8321,
    grants: Grant | Iterable[Grant] = (),
    guards: Iterable[Guard] | None = None,
    observers: Iterable[Observer | Callable[[Any], object]] = (),
    executor: ToolExecutor | None = None,
    options: RegistryOptions | None = None,
    settings: Settings | None = None,
    announce: Callable[[str], object] = lambda _: None,
    routes: Routes | None = None,
) -> None:
    """Serve the tools of a registry until the client leaves (stdio) or the process is told to end (http).

    Args:
        registry: The tools: a registry, a view or the catalog.
        transport: "stdio" or "http".
        host: The address to listen on, for http; anything but loopback requires `AVIONICS_TOKEN`.
        port: The port to listen on, for http; 0 selects a free one.
        grants: What clients may do besides reading the workspace.
        guards: As for `ToolExecutor`; not together with `grants`.
        observers: As for `ToolExecutor`: audit and telemetry.
        executor: Runs the calls; instead of the three above.
        options: The caller, the workspace and the form of results.
        settings: The limits and the token.
        announce: Receives the URL.
        routes: Further routes besides the protocol, for http.

    Raises:
        UsageError: The transport is unknown, the policy is given twice, or the address cannot be listened on.
    """
    if transport not in TRANSPORTS:
        raise UsageError(f"unknown transport {transport!r}", hint=f"one of {', '.join(TRANSPORTS)}")
    if executor is not None and (read_permissions(grants) or guards is not None or tuple(observers)):
        raise UsageError("an executor has its own policy", hint="give it the grants, guards and observers")
    settings = settings or Settings.from_environment()
    address = HttpAddress(host, port, announce) if transport == "http" else None
    counts = CallCounts()
    observers = (*observers, counts.observe) if address else observers
    executor = executor or ToolExecutor(registry, guards, observers, settings, grants=grants)
    service = build_registry_service(executor, options or RegistryOptions())
    run_service(service, settings, address, counts, routes)
