"""`doctor`: the index, the extras and the connected clients."""

from __future__ import annotations

import json

import pytest

from avionics.cli import doctor
from avionics.cli.main import main
from avionics.workspace import Workspace


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Home and cache of the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_what_was_read_is_counted(directory, settings):
    root = directory({"a.py": "x = 1\n", "b.py": "y = 2\n"})
    assert doctor.examine_index(root, settings).state == doctor.NOTE
    with Workspace.open(root, settings) as workspace:
        workspace.index()
    finding = doctor.examine_index(root, settings)
    assert (finding.state, finding.detail.split(",")[0]) == (doctor.GOOD, f"{root}: 2 files indexed")


def test_a_missing_extra_is_worth_a_note_that_says_how_to_get_it():
    finding = doctor.examine_extra("mcp", "no-such-package", "mcp", "answers over MCP")
    assert (finding.state, finding.hint[:13], finding.hint[-6:]) == (doctor.NOTE, "pip install '", "[mcp]'")
    assert doctor.examine_extra("x", "attrs", "x", "values").state == doctor.GOOD


def test_an_extra_is_installed_from_the_directory_that_avionics_was_installed_from(tmp_path):
    assert doctor.read_source("{}") == "avionics"
    for directory, source in ((tmp_path, str(tmp_path)), (tmp_path / "gone", "avionics")):
        record = {"url": directory.as_uri(), "dir_info": {"editable": True}}
        assert doctor.read_source(json.dumps(record)) == source
    assert doctor.read_source('{"url": "https://example.org/avionics.whl", "archive_info": {}}') == "avionics"


def test_connected_clients_are_named(directory, capsys):
    root = directory({})
    assert doctor.examine_clients(root).hint.startswith("avionics connect claude-code|codex")
    main(["connect", "codex", "--repo", str(root)])
    main(["connect", "opencode", "--repo", str(root)])
    finding = doctor.examine_clients(root)
    assert finding.state == doctor.GOOD
    assert finding.detail == f"codex ({root}/.codex/config.toml), opencode ({root}/opencode.json)"


def test_a_client_whose_program_is_gone_and_a_broken_file_are_named(directory):
    gone = {"mcpServers": {"avionics": {"command": "/no/such/avionics"}}}
    root = directory({".mcp.json": json.dumps(gone), ".cursor/mcp.json": "{"})
    finding = doctor.examine_clients(root)
    assert finding.state == doctor.NOTE
    assert "starts /no/such/avionics, which does not exist: disconnect claude-code" in finding.detail
    assert f"{root}/.cursor/mcp.json was not changed: it is not JSON with comments" in finding.detail
