"""Configurations as they are found: every byte survives the round trip, or the refusal says why it cannot."""

from __future__ import annotations

import codecs
import json
import os

import pytest

from avionics.connect import files
from avionics.connect.changes import apply_change, get_entry, plan_connection, plan_disconnection
from avionics.connect.clients import CLIENTS, Server
from avionics.connect.records import EntryRecords
from avionics.model.errors import ConfigError, SourceError
from tests.timing import within_cost

SERVER = Server("/opt/my tools/avionics", ("serve", "--repo", "/src/größe 😀"))

VSCODE = """\
{
\t// Servers of the team; see WIKI
\t"inputs": [
\t\t{ "type": "promptString", "id": "token", "password": true, },
\t],
\t"servers": {
\t\t"github": {
\t\t\t"type": "http", /* "stdio" was slow */
\t\t\t"url": "https://x.example//mcp",
\t\t},
\t},
}
"""
ZED = """\
// Zed settings
//
// see https://zed.dev/docs/configuring-zed
{
  "ui_font_size": 16,
  "theme": {"mode": "system", "light": "One Light", "dark": "One Dark"},
  "context_servers": {
    // "old": {"command": "old"},
  },
  "lsp": {"rust-analyzer": {"binary": {"path": "C:\\\\bin\\\\ra.exe"}}}
}
"""
OPENCODE = """\
{
    "$schema": "https://opencode.ai/config.json",
    "mcp": {
        "playwright": {"type": "local", "command": ["npx", "-y", "@playwright/mcp"], "enabled": false}
    }
}"""
CLAUDE = json.dumps(
    {
        "numStartups": 412,
        "history": [{"display": f"fix the {number}th bug \u2028 \U0001f600", "n": number} for number in range(2_000)],
        "mcpServers": {"a b": {"type": "sse", "url": "https://x"}},
        "mcpServers ": {},
        "projects": {"/src/x": {"mcpServers": {"avionics": {"command": "of another place"}}}},
    },
    indent=2,
    ensure_ascii=False,
)
CODEX = """\
# Codex
model = "gpt-5-codex"
approval_policy = 'on-request' # ask

["mcp_servers"."with dot.in name"]
command = "npx"
args = [
  "-y", # yes
  "x@1",
]
[mcp_servers.docs.env]
"A.B" = '''
[mcp_servers.avionics2]
'''

[projects."/home/me/a [b]"]
trust_level = "trusted"
"""
CASES = [
    ("vscode", VSCODE), ("zed", ZED), ("opencode", OPENCODE), ("claude-code", CLAUDE), ("codex", CODEX),
    ("gemini", " \n\t\n"), ("gemini", '{"mcpServers":{}}// no line end'), ("gemini", '{"a":1,\r\n"b":2\n,"c":3}\r\n'),
    ("cursor", '{\n  "mcpServers": {\n    "a": {},\n\n\n    "b": {}\n\n  }\n\n}\n\n\n'),
    ("cursor", '\n\n  {"mcpServers"\n:\n{\n}\n}'),
    ("cursor", '{"mcpServers": {"\\u0061vionics2": {}, "": {}, "avionics ": {}}}'),
    ("zed", '{\n  // only words\n}\n'), ("zed", "/* a */ { /* b */ } /* c */\n"), ("zed", "{,}".replace(",", "\n\n")),
    ("codex", "# only words\n"), ("codex", "\n\n\n"), ("codex", 'mcp_servers."x".command = "y"\r\n'),
]  # fmt: skip
ANYWHERE = {
    "a key twice that is not ours": '{"x": 1, "x": 2, "SERVERS": {"a": {"y": 1, "y": 2}}}',
    "lines that end in CR alone": '{\r "SERVERS": {\r  "a": {}\r }\r}\r',
    "tabs and spaces": '{\n\t  "SERVERS": {\n \t\t"a": {}\n\t }\n}',
    "our key spelt in escapes": '{"ESCAPED": {"a": {}}}',
    "our key within another": '{"a": {"SERVERS": {}}, "b": 1}',
    "deep": '{"z": ' + "[" * 300 + "]" * 300 + ', "SERVERS": {}}',
    "a number that no float holds": '{"n": 123456789012345678901234567890.123e400, "SERVERS": {}}',
    "one long text": '{"z": "' + "x, }" * 500_000 + '", "SERVERS": {"a": {}}}',
    "line separators": '{"z": "\u2028\u2029\x7f", "SERVERS": {}}',
    "nothing": "",
    "blank lines": "\r\n\r\n",
}
"""What every client that keeps its servers in JSON may find; SERVERS is its own key."""
ENCODINGS = {
    "utf-8": b"", "utf-8-sig": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE,
}  # fmt: skip


@pytest.fixture
def records(tmp_path):
    return EntryRecords(tmp_path / "cache" / "clients")


def connect(client, file, records):
    change = plan_connection(CLIENTS[client], file, SERVER)
    apply_change(change, records)
    return change


def disconnect(client, file, records):
    apply_change(plan_disconnection(CLIENTS[client], file, records), records)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("client", "text"), CASES)
def test_in_and_out_again_leaves_every_byte(client, text, encoding, tmp_path, records):
    file = tmp_path / "config"
    mark = ENCODINGS[encoding]
    before = mark + text.encode("utf-8" if mark == codecs.BOM_UTF8 else encoding)
    file.write_bytes(before)
    connect(client, file, records)
    assert get_entry(CLIENTS[client], file) == CLIENTS[client].shape(SERVER)
    assert connect(client, file, records).is_nothing
    disconnect(client, file, records)
    assert file.read_bytes() == before
    disconnect(client, file, EntryRecords(tmp_path / "none"))
    assert file.read_bytes() == before


@pytest.mark.parametrize("title", ANYWHERE)
@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "codex"])
def test_every_client_finds_its_file_again_as_it_was(client, title, tmp_path, records):
    file, key = tmp_path / "config", CLIENTS[client].keys[0]
    escaped = "".join(f"\\u{ord(character):04x}" for character in key)
    before = codecs.BOM_UTF8 + ANYWHERE[title].replace("SERVERS", key).replace("ESCAPED", escaped).encode()
    file.write_bytes(before)
    within_cost(250, connect, client, file, records, attempts=1)
    assert get_entry(CLIENTS[client], file) == CLIENTS[client].shape(SERVER)
    within_cost(250, disconnect, client, file, records, attempts=1)
    assert file.read_bytes() == before


@pytest.mark.parametrize("value", ["null", "[]", '""', "7", "true", '"servers"'])
@pytest.mark.parametrize("client", ["claude-code", "vscode", "opencode", "zed"])
def test_something_else_where_the_servers_belong_is_refused(client, value, tmp_path, records):
    file = tmp_path / "config"
    text = json.dumps({CLIENTS[client].keys[0]: json.loads(value)})
    file.write_text(text)
    with pytest.raises(ConfigError, match="is not an object") as refusal:
        connect(client, file, records)
    assert refusal.value.hint
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("client", "data", "reason"),
    [
        ("cursor", b"{'mcpServers': {}}", "it is not JSON"),
        ("cursor", b'{mcpServers: {}}', "it is not JSON"),
        ("cursor", b'{"mcpServers": {}}}', "it is not JSON"),
        ("cursor", b'{"mcpServers": {"a": {}}, "x": {}, "mcpServers": {"b": {}}}', "2 times"),
        ("cursor", b'{"mcpServers": {"avionics": {}, "avionics": {}}}', "it already has another 'avionics'|2 times"),
        ("cursor", b'{"mcpServers": {"avionics": null}}', "avionics"),
        ("cursor", b'{"a": "\x00"}', "it is not JSON"),
        ("cursor", b'\xff\xfe{\x00"\x00', "it is not JSON"),
        ("cursor", b'\xff\xfe{\x00"\x00a', "it is not utf-16-le text"),
        ("cursor", b'\xff\xfe\x00\xd8{\x00', "utf-16-le text"),
        ("codex", b'[mcp_servers.avionics]\ncommand = "x"\n', "it already has another 'avionics'"),
        ("codex", b'[[mcp_servers]]\nname = "x"\n', "it has no place"),
        ("codex", b'mcp_servers = []\n', "it has no place"),
        ("codex", b'a = 1\na = 2\n', "it is not TOML"),
        ("codex", b'[mcp_servers.a]\n[mcp_servers.a]\n', "it is not TOML"),
    ],
)  # fmt: skip
def test_what_nobody_can_read_for_sure_is_refused_and_left(client, data, reason, tmp_path, records):
    file = tmp_path / "config"
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=reason):
        connect(client, file, records)
    assert file.read_bytes() == data
    assert not records.directory.exists()


def test_a_configuration_of_ten_megabytes_is_served_and_a_larger_one_than_any_refused(tmp_path, records):
    file = tmp_path / "config"
    before = json.dumps({"history": ["x" * 99] * 100_000, "mcpServers": {}}, indent=1).encode()
    file.write_bytes(before)
    within_cost(500, connect, "claude-code", file, records, attempts=1)
    within_cost(500, disconnect, "claude-code", file, records, attempts=1)
    assert file.read_bytes() == before
    with file.open("r+b") as config:
        config.truncate(files.MAX_CONFIGURATION_BYTES)
    with pytest.raises(ConfigError, match="larger than any configuration"):
        connect("claude-code", file, records)


def test_a_link_that_leads_nowhere_is_refused_too(tmp_path, records):
    file = tmp_path / "config"
    file.symlink_to(tmp_path / "gone.json")
    with pytest.raises(ConfigError, match="is a link"):
        connect("cursor", file, records)
    assert not (tmp_path / "gone.json").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_a_clear_refusal(tmp_path, records):
    file = tmp_path / "config"
    file.write_text("{}")
    file.chmod(0)
    with pytest.raises(SourceError, match="cannot read"):
        connect("cursor", file, records)


def test_the_entry_of_a_project_inside_the_users_own_file_is_another_one(tmp_path, records):
    file = tmp_path / "config"
    file.write_text(CLAUDE)
    connect("claude-code", file, records)
    disconnect("claude-code", file, EntryRecords(tmp_path / "none"))
    assert json.loads(file.read_text())["projects"]["/src/x"]["mcpServers"]["avionics"] == {
        "command": "of another place"
    }
