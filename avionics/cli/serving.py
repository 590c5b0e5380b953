"""`avionics serve` and `avionics lsp`: answer agents and editors over their protocols."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import structs

from avionics.cli.options import examples
from avionics.cli.output.exit_codes import ANSWERED
from avionics.model import UsageError
from avionics.model.secret import Secret
from avionics.model.tools import ToolRegistryProtocol
from avionics.posix import share_heap
from avionics.process_end import end_process
from avionics.tools.ids import PROFILES

if TYPE_CHECKING:
    from avionics.mcp.answers import Contents
    from avionics.mcp.registries.serving import Listening
    from avionics.settings import Settings
    from avionics.tools.executor import ToolExecutor


@click.command(
    "serve",
    epilog=examples(
        "avionics serve",
        "avionics serve --repo ../flask --repo ../werkzeug",
        "avionics serve --transport http --port 8321",
        "avionics serve --tools shop.tools:registry --grant database:read --audit calls.jsonl",
        "avionics serve --fleet postgresql://db/avionics --transport http",
    ),
)
@click.option(
    "--repo", "repositories", multiple=True, type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR", help="A directory to serve; repeat for more.  [default: the current one]",
)  # fmt: skip
@click.option("--transport", type=click.Choice(("stdio", "http")), default="stdio", show_default=True,
              help="Serve the client that starts this process, or clients over http.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on, for http.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8321,
    show_default=True,
    help="The port to listen on, for http; 0 selects a free one.",
)
@click.option("--profile", type=click.Choice(tuple(PROFILES)), default="exposed", show_default=True,
              help="The set of tools to offer.")  # fmt: skip
@click.option("--token", default="", help="The bearer token for http clients; better set as AVIONICS_TOKEN.")
@click.option("--results", type=click.Choice(("text", "data", "both")), default="text", show_default=True,
              help="Send results as text for models, as data for programs, or both.")  # fmt: skip
@click.option("--tools", metavar="MODULE:NAME", default="",
              help="Serve this ToolRegistry or ToolExecutor instead; its module is imported.")  # fmt: skip
@click.option("--grant", "grants", multiple=True, metavar="PERMISSION",
              help="With --tools: a permission of clients, such as database:read; repeat for more.")  # fmt: skip
@click.option("--audit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="With --tools: append every call to FILE as JSON lines.")  # fmt: skip
@click.option("--fleet", metavar="URL", help="Serve the tools about a fleet for the groups of AVIONICS_FLEET_GROUPS."
              "  [default: AVIONICS_FLEET, unless --repo or --tools is given]")  # fmt: skip
def serve_command(
    repositories: tuple[Path, ...], transport: str, host: str, port: int, profile: str, token: str, results: str,
    tools: str, grants: tuple[str, ...], audit: Path | None, fleet: str | None,
) -> int:  # fmt: skip
    """Answer agents over the Model Context Protocol."""
    from avionics.settings import Settings

    if not tools and (grants or audit):
        raise UsageError("--grant and --audit are for --tools", hint="the tools about code only read")
    share_heap()
    with not_collecting():
        from avionics.mcp import serving
        from avionics.mcp.answers import Contents
        from avionics.mcp.server import ServerOptions
    settings = Settings.from_environment()
    if token:
        settings = structs.replace(settings, server_token=Secret(token))
    listening: Listening = {"transport": transport, "host": host, "port": port, "announce": announce}
    if tools:
        serve_tools(tools, repositories, listening, Contents(results), grants, audit, settings)
        return ANSWERED
    url = settings.fleet.reveal() if fleet is None and not repositories else fleet
    if url:
        from avionics.cli.fleet import serve_fleet

        serve_fleet(url, listening, Contents(results), settings)
        return ANSWERED
    options = ServerOptions(PROFILES[profile], Contents(results))
    directories = repositories or (Path(),)
    address = None if transport == "stdio" else serving.HttpAddress(host, port, announce)
    if not serving.serve_repositories(directories, settings, options, address):
        end_process(ANSWERED)
    return ANSWERED


def serve_tools(
    place: str,
    repositories: tuple[Path, ...],
    listening: Listening,
    contents: Contents,
    grants: tuple[str, ...],
    audit: Path | None,
    settings: Settings,
) -> None:
    """Serve a registry or an executor that a module holds.

    Raise `UsageError` if there is none at that place, or the options contradict each other.
    """
    from avionics.mcp.registries.server import RegistryOptions
    from avionics.mcp.registries.serving import serve_registry
    from avionics.tools.executor import ToolExecutor
    from avionics.tools.observers.audit import JsonLinesSink, audited
    from avionics.workspace import Workspace

    if len(repositories) > 1:
        raise UsageError("--tools takes one --repo", hint="serve the others with a second server")
    found = load_tools(place)
    observers = (audited(JsonLinesSink(audit)),) if audit else ()
    workspace = Workspace.open(repositories[0], settings) if repositories else None
    serve_registry(
        found.registry if isinstance(found, ToolExecutor) else found,
        grants=grants,
        observers=observers,
        executor=found if isinstance(found, ToolExecutor) else None,
        options=RegistryOptions(workspace=workspace, contents=contents),
        settings=settings,
        **listening,
    )


def load_tools(place: str) -> ToolRegistryProtocol | ToolExecutor:
    """Import the registry or executor that `module:name` names. Raise `UsageError` if it names neither."""
    from avionics.tools.executor import ToolExecutor

    module_name, _, name = place.partition(":")
    if not module_name or not name:
        raise UsageError(f"invalid --tools {place!r}", hint="give MODULE:NAME, such as shop.tools:registry")
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise UsageError(f"cannot import {module_name}: {error}", hint="check the name and PYTHONPATH") from error
    found = getattr(module, name, None)
    if not isinstance(found, (ToolRegistryProtocol, ToolExecutor)):
        what = f"is a {type(found).__name__}" if found is not None else "does not exist"
        raise UsageError(f"{place} {what}, not a ToolRegistry or ToolExecutor")
    return found


@click.command("lsp", epilog=examples("avionics lsp", "avionics connect neovim --print"))
@click.option("--stdio", is_flag=True, help="Use standard input and output, as the server always does.")
def lsp_command(stdio: bool) -> int:  # noqa: ARG001  clients pass it to every language server
    """Answer an editor over the Language Server Protocol.

    The editor starts it and names its workspace folders. `avionics connect` shows how to configure each editor.
    """
    from avionics.settings import Settings

    share_heap()
    with not_collecting():
        from avionics.lsp import process
    end_process(process.run(Settings.from_environment()))


@contextmanager
def not_collecting() -> Iterator[None]:
    """Pause the cyclic garbage collector while imports create objects that stay; it takes a tenth of that time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


def announce(address: str) -> None:
    """Print the address of the server."""
    click.echo(f"serving at {address}", err=True)
