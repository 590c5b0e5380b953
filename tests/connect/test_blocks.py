"""Blocks of text for agents and editors: put in at the end, and taken out to the byte."""

from __future__ import annotations

import json
import tomllib

import pytest

from avionics.connect.blocks import BLOCKS, LANGUAGES, plan_block, plan_block_removal
from avionics.connect.changes import apply_change
from avionics.connect.clients import Server
from avionics.connect.records import EntryRecords
from avionics.model import ConfigError
from avionics.syntax.registry import get_language

SERVER = Server("/opt/my tools/avionics", ("lsp",))
SHARED = [name for name, block in BLOCKS.items() if block.comment is not None]

BEFORE = {
    "text": b"first\n",
    "no last line end": b"first",
    "blank lines at the end": b"first\n\n\n",
    "CRLF": b"first\r\nsecond\r\n",
    "byte order mark": b"\xef\xbb\xbffirst\n",
    "empty": b"",
}


def content_of(block, before):
    """What a file of the block's kind may hold."""
    return before.replace(b"first", b"# first").replace(b"second", b"# second") if block.is_toml else before


def connect(block, file, records):
    change = plan_block(block, file, SERVER)
    apply_change(change, records)
    return change


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("name", SHARED)
def test_a_block_is_taken_out_to_the_byte(name, before, tmp_path):
    block, file, records = BLOCKS[name], tmp_path / "file", EntryRecords(tmp_path / "records")
    data = content_of(block, BEFORE[before])
    file.write_bytes(data)
    assert connect(block, file, records).to_diff()
    assert file.read_bytes().startswith(data)
    assert plan_block(block, file, SERVER).is_nothing
    apply_change(plan_block_removal(block, file, records), records)
    assert file.read_bytes() == data
    assert plan_block_removal(block, file, records).is_nothing


@pytest.mark.parametrize("name", SHARED)
def test_what_was_edited_around_it_stays_also_without_a_record(name, tmp_path):
    block, file, records = BLOCKS[name], tmp_path / "file", EntryRecords(tmp_path / "records")
    file.write_bytes(content_of(block, b"first\n"))
    connect(block, file, records)
    file.write_bytes(b"# above\n" + file.read_bytes() + b"# below\n")
    expected = b"# above\n" + content_of(block, b"first\n") + b"# below\n"
    for known in (records, EntryRecords(tmp_path / "none")):
        change = plan_block_removal(block, file, known)
        assert change.after == expected


@pytest.mark.parametrize("name", BLOCKS)
def test_a_file_of_its_own_is_gone_again(name, tmp_path):
    block, file, records = BLOCKS[name], tmp_path / "a" / "b" / "file", EntryRecords(tmp_path / "records")
    connect(block, file, records)
    apply_change(plan_block_removal(block, file, records), records)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("name", BLOCKS)
def test_another_block_is_not_overwritten(name, tmp_path):
    block, file = BLOCKS[name], tmp_path / "file"
    text = block.build_text(SERVER)
    file.write_text(text.replace("avionics", "aviOnics").replace("aviOnics: ", "avionics: "))
    with pytest.raises(ConfigError, match="it already has another 'avionics'"):
        plan_block(block, file, SERVER)


def test_a_file_that_was_edited_is_not_removed(tmp_path):
    block, file, records = BLOCKS["claude-skill"], tmp_path / "SKILL.md", EntryRecords(tmp_path / "records")
    connect(block, file, records)
    file.write_text(file.read_text().replace("analyze", "mine"))
    with pytest.raises(ConfigError, match="it was edited since"):
        plan_block_removal(block, file, records)


def test_toml_that_cannot_be_read_is_left_alone(tmp_path):
    file = tmp_path / "languages.toml"
    file.write_text("[language-server.avionics]\n")
    with pytest.raises(ConfigError, match="it would not be TOML"):
        plan_block(BLOCKS["helix"], file, SERVER)


def test_the_skill_and_the_line_are_short():
    assert BLOCKS["claude-skill"].build_text(SERVER).count("\n") <= 40
    assert BLOCKS["agents-md"].build_text(SERVER).count("\n") <= 5


def test_configurations_name_the_program_as_their_editor_reads_it():
    helix = tomllib.loads(BLOCKS["helix"].build_text(SERVER))
    assert helix["language-server"]["avionics"] == {"command": "/opt/my tools/avionics", "args": ["lsp"]}
    assert {each["name"] for each in helix["language"]} >= {"python", "tsx", "c-sharp"}
    plugin = json.loads(BLOCKS["claude-code-lsp"].build_text(SERVER))
    entry = plugin["lspServers"]["avionics"]
    assert (entry["command"], entry["args"], entry["extensionToLanguage"][".tsx"]) == (
        "/opt/my tools/avionics", ["lsp"], "typescriptreact",
    )  # fmt: skip
    assert '"/opt/my tools/avionics", "lsp"' in BLOCKS["neovim"].build_text(SERVER)
    assert '. ("/opt/my tools/avionics" "lsp")' in BLOCKS["eglot"].build_text(SERVER)


def test_every_extension_is_one_of_a_supported_language():
    unknown = [each for several in LANGUAGES.values() for each in several if not get_language(f"a{each}")]
    assert unknown == []
