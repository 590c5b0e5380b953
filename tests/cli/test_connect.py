"""`connect` and `disconnect` as people and scripts meet them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from avionics.cli.doctor import examine_clients
from avionics.cli.main import main
from avionics.connect.blocks import BLOCKS
from avionics.connect.clients import CLIENTS
from tests.timing import PATIENCE_SECONDS


@pytest.fixture(autouse=True)
def repo(tmp_path, monkeypatch):
    """A repository, the current directory; home and cache are the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def files_below(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def test_the_change_is_shown_then_made_then_what_comes_next(repo, capsys):
    (repo / ".mcp.json").write_text('{\n  "mcpServers": {}\n}\n')
    assert main(["connect", "claude-code"]) == 0
    printed = capsys.readouterr().out
    diff, _, done = printed.partition("\n\n")
    assert diff.startswith(f"--- {repo}/.mcp.json\n+++ {repo}/.mcp.json\n@@ ")
    assert '+    "avionics": {' in diff
    assert done.startswith(f"{repo}/.mcp.json is written\nbackup: ")
    assert done.endswith("to undo: avionics disconnect claude-code\n")
    entry = json.loads((repo / ".mcp.json").read_text())["mcpServers"]["avionics"]
    assert entry["args"][-3:] == ["serve", "--repo", str(repo)]


def test_print_writes_nothing(repo, tmp_path, capsys):
    assert main(["connect", "codex", "--print"]) == 0
    assert "+[mcp_servers.avionics]\n" in capsys.readouterr().out
    assert files_below(tmp_path) == []
    assert main(["connect", "codex"]) == 0
    assert main(["disconnect", "codex", "--print"]) == 0
    assert files_below(repo) == [".codex/config.toml"]


@pytest.mark.parametrize("place", [["--user"], ["--file", "a place/own.json"], ["--repo", "sub dir"]])
def test_the_command_that_is_shown_undoes_it_where_it_was_done(place, repo, tmp_path, capsys):
    (repo / "sub dir").mkdir()
    (repo / "a place").mkdir()
    before = files_below(tmp_path / "home"), files_below(repo)
    assert main(["connect", "cursor", *place]) == 0
    assert (files_below(tmp_path / "home"), files_below(repo)) != before
    undo = shlex.split(capsys.readouterr().out.rpartition("to undo: ")[2])
    assert main(undo[1:]) == 0
    assert (files_below(tmp_path / "home"), files_below(repo)) == before


def test_doctor_names_every_place_that_is_connected(repo, tmp_path, capsys):
    for client in ("cursor", "helix", "agents-md", "claude-skill"):
        assert main(["connect", client]) == 0
    assert main(["connect", "neovim", "--user"]) == 0
    shown = examine_clients(repo)
    assert shown.detail.count(str(tmp_path)) == 5
    assert main(["disconnect", "neovim", "--user"]) == main(["disconnect", "claude-skill"]) == 0
    assert examine_clients(repo).detail.count(str(tmp_path)) == 3


@pytest.mark.parametrize("client", [*CLIENTS, *(name for name, block in BLOCKS.items() if block.project)])
def test_connecting_is_done_once_and_undone_wholly(client, repo, capsys):
    assert main(["connect", client]) == 0
    written = files_below(repo)
    assert len(written) == 1
    capsys.readouterr()
    assert main(["connect", client]) == 0
    assert capsys.readouterr().out.endswith("already has the entry; nothing to do\n")
    assert main(["disconnect", client]) == 0
    assert list(repo.iterdir()) == []
    capsys.readouterr()
    assert main(["disconnect", client]) == 0
    assert capsys.readouterr().out.endswith("has no entry; nothing to do\n")


def test_a_shared_file_names_no_place_of_this_machine(repo, capsys):
    assert main(["connect", "vscode", "--portable"]) == 0
    assert json.loads((repo / ".vscode/mcp.json").read_text()) == {
        "servers": {
            "avionics": {"type": "stdio", "command": "avionics", "args": ["serve", "--repo", "${workspaceFolder}"]}
        }
    }


def test_the_users_own_file_serves_whatever_directory_the_client_works_in(repo, tmp_path, capsys):
    assert main(["connect", "codex", "--user"]) == 0
    assert '"--repo", "."]' in (tmp_path / "home/.codex/config.toml").read_text()
    assert files_below(repo) == []


def test_another_file_may_be_named(repo, tmp_path, capsys):
    place = tmp_path / "elsewhere.json"
    place.write_text("{}")
    assert main(["connect", "zed", "--file", str(place)]) == 0
    assert "context_servers" in json.loads(place.read_text())


def test_scripts_get_one_document(repo, capsys):
    assert main(["connect", "cursor", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["client"], document["changed"], document["backup"]) == ("cursor", True, None)
    assert document["diff"].startswith("--- /dev/null\n")
    assert json.loads(document["entry"])["mcpServers"]["avionics"]["args"][-1] == str(repo)
    assert main(["disconnect", "cursor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entry"] is None


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (["emacs"], None, "'emacs' is not one of"),
        (["mcp-json", "--user"], None, "no known configuration for all repositories"),
        (["cursor"], "{", "was not changed: it is not JSON with comments: line 1 column 2"),
        (["cursor"], '{"mcpServers": {"avionics": {}}}', "it already has another 'avionics'"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(arguments, text, said, repo, capsys):
    file = repo / ".cursor/mcp.json"
    file.parent.mkdir()
    if text:
        file.write_text(text)
    assert main(["connect", *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert "\nhint: " in printed.err
    assert files_below(repo) == ([".cursor/mcp.json"] if text else [])


def test_a_repository_cannot_lead_the_change_elsewhere(repo, tmp_path, capsys):
    (tmp_path / "elsewhere").mkdir()
    (repo / ".cursor").symlink_to(tmp_path / "elsewhere")
    assert main(["connect", "cursor"]) == 2
    assert "is a link" in capsys.readouterr().err
    assert files_below(tmp_path / "elsewhere") == []


def test_what_a_configuration_says_cannot_pose_as_ours(repo, capsys):
    (repo / ".cursor").mkdir()
    (repo / ".cursor/mcp.json").write_text('{"a": "\u202ex", "mcpServers": {}}')
    assert main(["connect", "cursor", "--print"]) == 0
    assert "\\u{202e}" in capsys.readouterr().out


def test_what_is_written_starts_a_server_that_answers(repo):
    assert main(["connect", "claude-code"]) == 0
    entry = json.loads((repo / ".mcp.json").read_text())["mcpServers"]["avionics"]
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(hello) + "\n",
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS, cwd="/",
    )  # fmt: skip
    answer = json.loads(done.stdout.split("\n")[0])
    assert answer["result"]["serverInfo"]["name"] == "avionics"
