"""Agent clients: where each keeps its MCP servers, and in which form. docs/clients.md names the sources."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import attrs

from avionics.model.errors import UsageError

ENTRY = "avionics"
"""The name of the server in every client."""


class Syntax(Enum):
    """The syntax of a configuration file."""

    JSON = "JSON"
    JSONC = "JSON with comments"
    TOML = "TOML"


@attrs.frozen
class Server:
    """The program that a client starts, and its arguments."""

    command: str
    arguments: tuple[str, ...]


Shape: TypeAlias = Callable[[Server], dict[str, Any]]


def _plain(server: Server) -> dict[str, Any]:
    return {"command": server.command, "args": list(server.arguments)}


def _typed(server: Server) -> dict[str, Any]:
    return {"type": "stdio", **_plain(server)}


def _with_environment(server: Server) -> dict[str, Any]:
    return {**_plain(server), "env": {}}


def _one_list(server: Server) -> dict[str, Any]:
    return {"type": "local", "command": [server.command, *server.arguments], "enabled": True}


@attrs.frozen
class Client:
    """One agent client.

    Attributes:
        name: Its name on the command line.
        project: Its file inside a repository; of several the first that exists, else the last.
        user: Its file for all repositories below the home directory, by `sys.platform`; "" is any other. Empty: none.
        shape: The form of a server.
        workspace: The client's placeholder for its working directory.
    """

    name: str
    title: str
    project: tuple[str, ...]
    user: Mapping[str, str]
    keys: tuple[str, ...]
    syntax: Syntax
    shape: Shape
    workspace: str
    check: str

    def get_project_file(self, root: Path) -> Path:
        """Return its file inside a repository."""
        candidates = tuple(root / name for name in self.project)
        return next((path for path in candidates if path.exists()), candidates[-1])

    def get_user_file(self) -> Path | None:
        """Return its file for all repositories; None if it has none."""
        path = self.user.get(sys.platform, self.user.get(""))
        return Path.home() / path if path else None

    def get_keys(self, configuration: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the path of keys to the servers in this file. OpenCode 2 has one more, and reads both forms."""
        nested = configuration.get(self.keys[0]) if self.name == "opencode" else None
        servers = nested.get("servers") if isinstance(nested, Mapping) else None
        is_map = isinstance(servers, Mapping) and all(isinstance(each, Mapping) for each in servers.values())
        return (*self.keys, "servers") if is_map else self.keys


def _anywhere(path: str) -> Mapping[str, str]:
    return MappingProxyType({"": path})


_CODE_USER = MappingProxyType(
    {
        "": ".config/Code/User/mcp.json",
        "darwin": "Library/Application Support/Code/User/mcp.json",
        "win32": "AppData/Roaming/Code/User/mcp.json",
    }
)
_ZED_USER = MappingProxyType({"": ".config/zed/settings.json", "win32": "AppData/Roaming/Zed/settings.json"})
_FOLDER = "${workspaceFolder}"
_SERVERS = ("mcpServers",)

CLIENTS: Mapping[str, Client] = MappingProxyType(
    {
        client.name: client
        for client in (
            Client(
                "claude-code", "Claude Code", (".mcp.json",), _anywhere(".claude.json"), _SERVERS, Syntax.JSON,
                _plain, ".", "start `claude` there and enter /mcp",
            ),
            Client(
                "codex", "Codex CLI", (".codex/config.toml",), _anywhere(".codex/config.toml"), ("mcp_servers",),
                Syntax.TOML, _plain, ".", "start `codex` there, in a trusted directory, and enter /mcp",
            ),
            Client(
                "cursor", "Cursor", (".cursor/mcp.json",), _anywhere(".cursor/mcp.json"), _SERVERS, Syntax.JSONC,
                _plain, _FOLDER, "restart Cursor; its settings list the servers",
            ),
            Client(
                "vscode", "VS Code", (".vscode/mcp.json",), _CODE_USER, ("servers",), Syntax.JSONC,
                _typed, _FOLDER, "run the command `MCP: List Servers`",
            ),
            Client(
                "opencode", "OpenCode", ("opencode.jsonc", "opencode.json"),
                _anywhere(".config/opencode/opencode.json"), ("mcp",), Syntax.JSONC,
                _one_list, ".", "run `opencode mcp list` there",
            ),
            Client(
                "gemini", "Gemini CLI", (".gemini/settings.json",), _anywhere(".gemini/settings.json"), _SERVERS,
                Syntax.JSONC, _plain, ".", "run `gemini mcp list` there",
            ),
            Client(
                "zed", "Zed", (".zed/settings.json",), _ZED_USER, ("context_servers",), Syntax.JSONC,
                _with_environment, ".", "open Settings, AI, MCP Servers",
            ),
            Client(
                "mcp-json", "any client that reads .mcp.json", (".mcp.json",), MappingProxyType({}), _SERVERS,
                Syntax.JSON, _plain, ".", "see what the client reports about its MCP servers",
            ),
        )
    }
)  # fmt: skip
"""The supported clients, by name."""


def require_client(name: str) -> Client:
    """Return the client of that name. Raise `UsageError` if there is none."""
    if name not in CLIENTS:
        raise UsageError(f"unknown client {name!r}", hint=f"one of {', '.join(CLIENTS)}")
    return CLIENTS[name]


def build_server(repo: str, *, portable: bool = False) -> Server:
    """Return the MCP server about a directory, named as the client should write it, as a client starts it."""
    return build_program(("serve", "--repo", repo), portable=portable)


def build_program(arguments: tuple[str, ...], *, portable: bool = False) -> Server:
    """Return the program with its arguments as a client starts it.

    Its absolute path also works for a client that was not started from a shell; `portable` names it as in the PATH.
    """
    if portable:
        return Server(ENTRY, arguments)
    script = Path(sysconfig.get_path("scripts")) / ("avionics.exe" if sys.platform == "win32" else "avionics")
    if script.is_file():
        return Server(str(script), arguments)
    return Server(sys.executable, ("-m", "avionics.cli", *arguments))
