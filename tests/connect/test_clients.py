"""Each client's own file and shape."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from avionics.connect.changes import apply_change, build_snippet, plan_connection
from avionics.connect.clients import CLIENTS, Server, build_server, require_client
from avionics.connect.records import EntryRecords
from avionics.model.errors import UsageError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "clients.md"
SERVER = Server("avionics", ("serve", "--repo", "."))
PLAIN = {"command": "avionics", "args": ["serve", "--repo", "."]}


@pytest.mark.parametrize(
    ("name", "project", "keys", "entry"),
    [
        ("claude-code", ".mcp.json", ("mcpServers",), PLAIN),
        ("codex", ".codex/config.toml", ("mcp_servers",), PLAIN),
        ("cursor", ".cursor/mcp.json", ("mcpServers",), PLAIN),
        ("vscode", ".vscode/mcp.json", ("servers",), {"type": "stdio", **PLAIN}),
        ("opencode", "opencode.json", ("mcp",),
         {"type": "local", "command": ["avionics", "serve", "--repo", "."], "enabled": True}),
        ("gemini", ".gemini/settings.json", ("mcpServers",), PLAIN),
        ("zed", ".zed/settings.json", ("context_servers",), {**PLAIN, "env": {}}),
        ("mcp-json", ".mcp.json", ("mcpServers",), PLAIN),
    ],
)  # fmt: skip
def test_every_client_has_its_file_and_shape(name, project, keys, entry, tmp_path):
    client = CLIENTS[name]
    assert client.get_project_file(tmp_path) == tmp_path / project
    assert client.keys == keys
    assert client.shape(SERVER) == entry


def test_an_unknown_client_is_refused_with_those_there_are():
    with pytest.raises(UsageError) as refusal:
        require_client("emacs")
    assert refusal.value.hint.startswith("one of claude-code, codex")


def test_toml_is_written_as_a_table():
    assert build_snippet(CLIENTS["codex"], SERVER) == (
        '[mcp_servers.avionics]\ncommand = "avionics"\nargs = ["serve", "--repo", "."]\n'
    )


def test_opencode_takes_the_file_that_is_there_and_the_shape_it_has(tmp_path):
    file = tmp_path / "opencode.jsonc"
    file.write_text('{\n  "mcp": {\n    "servers": {}\n  }\n}\n')
    client = CLIENTS["opencode"]
    assert client.get_project_file(tmp_path) == file
    apply_change(plan_connection(client, file, SERVER), EntryRecords(tmp_path / "records"))
    assert '"servers": {\n      "avionics": {\n        "type": "local"' in file.read_text()
    assert "enabled" not in file.read_text()


def test_a_server_of_the_name_servers_is_not_taken_for_the_map(tmp_path):
    assert CLIENTS["opencode"].get_keys({"mcp": {"servers": {"type": "local", "command": ["x"]}}}) == ("mcp",)


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", ".config/Code/User"), ("darwin", "Library/Application Support/Code/User"),
     ("win32", "AppData/Roaming/Code/User")],
)  # fmt: skip
def test_the_users_file_is_where_the_platform_has_it(platform, expected, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert CLIENTS["vscode"].get_user_file() == tmp_path / expected / "mcp.json"


def test_the_server_is_named_by_its_whole_path_unless_it_is_to_be_portable():
    assert build_server(".", portable=True) == SERVER
    server = build_server("/src")
    assert server.command.startswith("/")
    assert server.arguments[-3:] == ("serve", "--repo", "/src")


@pytest.mark.parametrize("name", CLIENTS)
def test_the_page_has_the_snippet_of_every_client(name):
    client = CLIENTS[name]
    snippet = build_snippet(client, build_server(client.workspace, portable=True))
    assert f"\n{snippet}```\n\nThen {client.check}.\n" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("name", CLIENTS)
def test_the_readme_shows_each_entry_as_it_is_written(name):
    client = CLIENTS[name]
    snippet = build_snippet(client, build_server(client.workspace, portable=True))
    shown = json.dumps(json.loads(snippet)) if snippet.startswith("{") else snippet
    assert shown in (PAGE.parents[1] / "README.md").read_text("utf-8")
