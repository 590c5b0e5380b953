"""Other people's configurations: one entry goes in and out, and no other byte changes."""

from __future__ import annotations

import json
import os
import tomllib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from avionics.connect import files
from avionics.connect.changes import apply_change, build_snippet, get_entry, plan_connection, plan_disconnection
from avionics.connect.clients import CLIENTS, Server
from avionics.connect.records import EntryRecords
from avionics.model.errors import ConfigError

SERVER = Server("avionics", ("serve", "--repo", '/src/a "b" é\\c'))

JSON_CONFIGS = {
    "nothing in it": "",
    "an empty object": "{}",
    "an empty object over lines": "{\n}\n",
    "no line end": '{\n  "mcpServers": {}\n}',
    "another server": '{\n  "mcpServers": {\n    "a": {\n      "command": "x",\n      "args": []\n    }\n  }\n}\n',
    "tabs": '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"a": {"command": "x"}\n\t}\n}\n',
    "four spaces, other keys after": '{\n    "mcpServers": {\n        "a": {}\n    },\n    "z": [1, {"y": null}]\n}\n',
    "one line": '{"mcpServers":{"a":{"command":"x","env":{"K":"v"}}},"n":1e3}',
    "one line, empty": '{"mcpServers": {}}\n',
    "CRLF": '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
    "numbers and escapes kept as written": '{\n  "a": 1.0e+10, "b": "\\u00e9\\/\\ud800",\n  "mcpServers": {"x": {}}\n}',
    "keys out of order, unknown ones": '{\n  "zeta": true,\n  "$schema": "https://x",\n  "alpha": []\n}\n',
    "a text that looks like the key": '{\n  "note": "\\"mcpServers\\": {}",\n  "mcpServers": {}\n}\n',
}
JSONC_CONFIGS = {
    "comments everywhere": '// x\n{\n  /* a */ "mcpServers": { // b\n    "a": {"z": 1}, // c\n    // d\n  },\n}\n//e\n',
    "a comment after the last server": '{\n  "mcpServers": {\n    "a": {} // why\n  }\n}\n',
    "a block comment over lines": '{\n  "mcpServers": {\n    "a": {} /* one\n    two */\n  }\n}\n',
    "trailing commas": '{\n  "mcpServers": {\n    "a": {"args": [1, 2,],},\n  },\n}\n',
    "a trailing comma on one line": '{"mcpServers": {"a": {},},}',
    "a server commented out": '{\n  "mcpServers": {\n    // "b": {"command": "y"},\n  }\n}\n',
    "only comments": "// nothing yet\n",
    "a comment in a text": '{\n  "url": "http://x//y /* z */",\n  "mcpServers": {},\n}\n',
    "commas before comments": '{\n  "mcpServers": {\n    "a": {}, // one\n    "b": {}  // two\n  } // three\n}\n',
}
TOML_CONFIGS = {
    "nothing in it": "",
    "no line end": 'model = "x"',
    "another server": 'model = "x" # why\n\n[mcp_servers.a]\ncommand = "y"\n\n[mcp_servers.a.env]\nK = "v"\n',
    "CRLF": 'model = "x"\r\n\r\n[mcp_servers.a]\r\ncommand = "y"\r\n',
    "a text that looks like the table": 'note = """\n[mcp_servers.avionics]\n"""\n',
    "dotted keys": 'mcp_servers.a.command = "x"\n[profiles."a b"]\nmodel = \'c:\\d\'\n',
    "arrays of tables": "[[hooks]]\nname = 'a'\n\n[[hooks]]\nname = 'b'\n# the end\n\n\n",
    "dates and inline tables": "at = 1979-05-27T07:32:00Z\np = { x = 1, y = [1,\n 2] }\n",
}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16")


def iter_cases():
    for title, text in JSON_CONFIGS.items():
        for client in ("claude-code", "cursor"):
            yield pytest.param(client, text, id=f"{client}, {title}")
    for title, text in JSONC_CONFIGS.items():
        yield pytest.param("gemini", text, id=f"gemini, {title}")
    for title, text in TOML_CONFIGS.items():
        yield pytest.param("codex", text, id=f"codex, {title}")


CASES = list(iter_cases())
CUTTABLE = [case for case in CASES if "looks like the table" not in str(case.id)]


@pytest.fixture
def records(tmp_path):
    return EntryRecords(tmp_path / "cache" / "clients")


def connect(client, file, records, server=SERVER):
    change = plan_connection(CLIENTS[client], file, server)
    apply_change(change, records)
    return change


def disconnect(client, file, records):
    change = plan_disconnection(CLIENTS[client], file, records)
    apply_change(change, records)
    return change


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("client", "text"), CASES)
def test_in_and_out_again_leaves_every_byte(client, text, encoding, tmp_path, records):
    file = tmp_path / "config"
    before = text.encode(encoding)
    file.write_bytes(before)
    change = connect(client, file, records)
    after = file.read_bytes()
    written = change.inserted.encode({"utf-16": "utf-16-le"}.get(encoding, "utf-8"))
    assert after.replace(written, b"", 1) == before
    assert get_entry(CLIENTS[client], file)
    assert records.get_backup(file).read_bytes() == before
    assert connect(client, file, records).is_nothing
    assert file.read_bytes() == after
    disconnect(client, file, records)
    assert file.read_bytes() == before
    assert disconnect(client, file, records).is_nothing


@pytest.mark.parametrize(("client", "text"), CASES)
def test_what_was_edited_in_between_stays(client, text, tmp_path, records):
    file = tmp_path / "config"
    file.write_bytes(text.encode())
    connect(client, file, records)
    comment = b"\n# later\n" if client == "codex" else b"\n \n"
    file.write_bytes(file.read_bytes() + comment)
    disconnect(client, file, records)
    assert file.read_bytes() == text.encode() + comment


@pytest.mark.parametrize(("client", "text"), CUTTABLE)
def test_without_the_record_the_entry_alone_is_taken_out(client, text, tmp_path, records):
    file = tmp_path / "config"
    file.write_bytes(text.encode())
    connect(client, file, records)
    disconnect(client, file, EntryRecords(tmp_path / "elsewhere"))
    assert get_entry(CLIENTS[client], file) is None
    assert connect(client, file, records).inserted


def test_a_reformatted_file_gives_the_entry_back_too(tmp_path, records):
    file = tmp_path / "config"
    file.write_text('{"mcpServers": {"a": {}}, "z": 1}')
    connect("claude-code", file, records)
    file.write_text(json.dumps(json.loads(file.read_text()), indent=4, sort_keys=True))
    disconnect("claude-code", file, records)
    assert json.loads(file.read_text()) == {"mcpServers": {"a": {}}, "z": 1}


def test_an_entry_that_grew_goes_with_its_tables(tmp_path, records):
    file = tmp_path / "config.toml"
    file.write_text("[a]\nb = 1\n")
    connect("codex", file, records)
    with file.open("a") as config:
        config.write('startup_timeout_sec = 30\n\n[mcp_servers.avionics.env]\nK = "v"\n\n# of c\n[c]\nd = 2\n')
    disconnect("codex", file, records)
    assert tomllib.loads(file.read_text()) == {"a": {"b": 1}, "c": {"d": 2}}
    assert "# of c\n[c]" in file.read_text()


def test_a_file_that_was_not_there_is_gone_again_with_its_directories(tmp_path, records):
    file = tmp_path / "repo" / ".cursor" / "mcp.json"
    (tmp_path / "repo").mkdir()
    connect("cursor", file, records)
    assert file.read_text() == build_snippet(CLIENTS["cursor"], SERVER)
    disconnect("cursor", file, records)
    assert list((tmp_path / "repo").iterdir()) == []


@pytest.mark.parametrize(
    ("client", "text", "reason"),
    [
        ("claude-code", "{", "line 1 column 2"),
        ("claude-code", '{"a": 1} // comment', "it is not JSON: line 1 column 10"),
        ("claude-code", '{"a": 1,}', "it is not JSON"),
        ("cursor", '{"a": NaN}', "NaN is not JSON"),
        ("cursor", '{"a": 1} /* no end', "it is not JSON with comments"),
        ("cursor", "[]", "a list where an object is expected"),
        ("cursor", "[" * 100_000, "cannot be parsed"),
        ("cursor", '{"mcpServers": null}', "'mcpServers' is not an object"),
        ("cursor", '{"mcpServers": {}, "mcpServers": {}}', "it has 'mcpServers' 2 times"),
        ("cursor", '{"mcpServers": {"avionics": {"command": "other"}}}', "it already has another 'avionics'"),
        ("codex", "a = ", "it is not TOML"),
        ("codex", "mcp_servers = { a = { command = 'x' } }", "it has no place for mcp_servers.avionics"),
        ("codex", 'mcp_servers = "x"', "it has no place for mcp_servers.avionics"),
    ],
)  # fmt: skip
def test_what_cannot_be_changed_without_harm_is_refused_and_left(client, text, reason, tmp_path, records):
    file = tmp_path / "config"
    file.write_text(text)
    with pytest.raises(ConfigError) as refusal:
        connect(client, file, records)
    assert reason in str(refusal.value)
    assert refusal.value.hint
    assert file.read_text() == text
    assert not records.directory.exists()


def test_bytes_that_are_no_text_are_refused(tmp_path, records):
    file = tmp_path / "config"
    file.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ConfigError, match="not utf-8 text"):
        connect("cursor", file, records)


def test_a_link_is_refused_and_its_target_named(tmp_path, records):
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    file = tmp_path / "config"
    file.symlink_to(target)
    with pytest.raises(ConfigError) as refusal:
        connect("cursor", file, records)
    assert str(target) in refusal.value.hint
    assert target.read_text() == "{}"


def test_a_directory_and_a_pipe_are_refused_at_once(tmp_path, records):
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ConfigError, match="not a regular file"):
            connect("cursor", file, records)


def test_a_second_name_of_the_file_is_not_cut_off(tmp_path, records):
    file = tmp_path / "config"
    file.write_text("{}")
    os.link(file, tmp_path / "second")
    with pytest.raises(ConfigError, match="other hard links"):
        connect("cursor", file, records)


@pytest.mark.parametrize("read_only", ["file", "directory"])
def test_what_is_read_only_is_refused_before_anything_is_written(read_only, tmp_path, records):
    directory = tmp_path / "place"
    directory.mkdir()
    file = directory / "config"
    file.write_text("{}")
    which = file if read_only == "file" else directory
    which.chmod(which.stat().st_mode & ~0o222)
    try:
        with pytest.raises(ConfigError, match="read-only"):
            connect("cursor", file, records)
        assert file.read_text() == "{}"
    finally:
        which.chmod(0o755)


def test_a_file_that_changed_meanwhile_is_left_as_it_is_now(tmp_path, records):
    file = tmp_path / "config"
    file.write_text("{}")
    change = plan_connection(CLIENTS["cursor"], file, SERVER)
    file.write_text('{"new": 1}')
    with pytest.raises(ConfigError, match="has changed in the meantime"):
        apply_change(change, records)
    assert file.read_text() == '{"new": 1}'
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cache", "config"]


def test_a_file_that_appeared_meanwhile_is_left_as_it_is(tmp_path, records):
    file = tmp_path / "config"
    change = plan_connection(CLIENTS["cursor"], file, SERVER)
    file.write_text("{}")
    with pytest.raises(ConfigError, match="has changed in the meantime"):
        apply_change(change, records)
    assert file.read_text() == "{}"


def test_the_mode_of_the_file_stays_and_the_backup_is_private(tmp_path, records):
    file = tmp_path / "config"
    file.write_text("{}")
    file.chmod(0o640)
    connect("cursor", file, records)
    assert file.stat().st_mode & 0o777 == 0o640
    assert records.get_backup(file).stat().st_mode & 0o777 == 0o600


def test_without_a_place_for_the_backup_nothing_is_written(tmp_path):
    (tmp_path / "cache").write_text("in the way")
    file = tmp_path / "config"
    file.write_text("{}")
    with pytest.raises(ConfigError, match="cannot write a backup"):
        connect("cursor", file, EntryRecords(tmp_path / "cache" / "clients"))
    assert file.read_text() == "{}"


def test_links_inside_a_repository_lead_nowhere(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    root = tmp_path / "repo"
    root.mkdir()
    (root / ".cursor").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="is a link"):
        files.require_inside(root, CLIENTS["cursor"].get_project_file(root))


def test_the_change_is_shown_as_a_diff(tmp_path):
    file = tmp_path / "config"
    file.write_text('{\n  "mcpServers": {\n    "a": {}\n  }\n}')
    change = plan_connection(CLIENTS["cursor"], file, Server("avionics", ("serve",)))
    assert change.to_diff().split("\n")[2:] == [
        "@@ -2,3 +2,9 @@", '   "mcpServers": {', '-    "a": {}', '+    "a": {},', '+    "avionics": {',
        '+      "command": "avionics",', '+      "args": [', '+        "serve"', "+      ]", "+    }", "   }",
    ]  # fmt: skip


KEYS = st.sampled_from(["mcpServers", "a", "b c", "é", "avionics ", '"', ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
SPACE = st.sampled_from(["", " ", "\n", "\r\n", "\n\t", "\n    "])
COMMENT = st.sampled_from(["", "", "", '// a "b" {\n', "/* c , } */", "/* d\n */"])


@st.composite
def documents(draw):
    """A JSONC text: any layout, any comments, trailing commas; its servers, where it has any, are an object."""

    def gap():
        return draw(SPACE) + draw(COMMENT) + draw(SPACE)

    def written(value):
        if isinstance(value, dict):
            parts = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{written(each)}{gap()}" for key, each in value.items()]
            comma = "," if parts and draw(st.booleans()) else ""
            return "{" + ",".join(parts) + comma + gap() + "}"
        if isinstance(value, list):
            return "[" + ",".join(gap() + written(each) + gap() for each in value) + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    value = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    if "mcpServers" in value:
        value["mcpServers"] = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    return gap() + written(value) + gap()


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=documents())
@example(text='{"a"://x\n1}')
def test_any_layout_of_json_survives_the_round_trip(text, tmp_path_factory):
    place = tmp_path_factory.mktemp("round")
    file, records = place / "config", EntryRecords(place / "records")
    before = text.encode("utf-8", "surrogatepass")
    if "\ud800" <= max(text) <= "\udfff":
        return
    file.write_bytes(before)
    connect("cursor", file, records)
    entry = get_entry(CLIENTS["cursor"], file)
    assert entry == {"command": SERVER.command, "args": list(SERVER.arguments)}
    structural = plan_disconnection(CLIENTS["cursor"], file, EntryRecords(place / "none"))
    assert structural.after != structural.before
    disconnect("cursor", file, records)
    assert file.read_bytes() == before
