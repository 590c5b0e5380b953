"""What is on the screen counts: unsaved text, edits, units of columns, ends of lines."""

from __future__ import annotations

import subprocess

import pytest
from lsprotocol import types

WIDE = 'name = "𝒳é"; total = name\nprint(total, name)\n'
"""One character of two units in UTF-16 and four in UTF-8, and one of one and two."""


def test_unsaved_text_is_asked_about_and_the_disk_is_not_touched(start):
    editor = start({"a.py": "def old(): ...\n", "b.py": "from a import old\n\nold()\n"})
    editor.open("a.py")
    editor.replace("a.py", "def old", "def one(): ...\n\n\ndef new")
    editor.open("b.py", "from a import new\n\nnew()\n")
    assert editor.goto("definition", "b.py", "\nne|w()") == ["a.py:4:4"]
    assert editor.references("a.py", "def ne|w") == ["b.py:1:14", "b.py:3:0"]
    assert (editor.root / "a.py").read_text() == "def old(): ...\n"
    assert sorted(path.name for path in editor.root.iterdir()) == ["a.py", "b.py"]


def test_a_closed_document_is_what_the_disk_says(start):
    editor = start({"a.py": "def old(): ...\n\n\nold()\n"})
    editor.open("a.py", "def new(): ...\n\n\nold()\n")
    assert editor.goto("definition", "a.py", "\nol|d()") == []
    editor.close_document("a.py")
    editor.texts.clear()
    assert editor.goto("definition", "a.py", "\nol|d()") == ["a.py:1:4"]


def test_a_file_that_was_never_saved_takes_part(start):
    editor = start({"a.py": "def old(): ...\n"})
    editor.open("new.py", "from a import old\n\nold()\n")
    assert editor.goto("definition", "new.py", "\nol|d()") == ["a.py:1:4"]
    assert editor.references("a.py", "def ol|d") == ["new.py:1:14", "new.py:3:0"]


def test_what_changes_on_disk_is_seen(start):
    editor = start({"a.py": "def old(): ...\n", "b.py": "from a import old\n\nold()\n"})
    assert editor.references("a.py", "def ol|d") == ["b.py:1:14", "b.py:3:0"]
    (editor.root / "c.py").write_text("from a import old\n")
    assert editor.references("a.py", "def ol|d") == ["b.py:1:14", "b.py:3:0", "c.py:1:14"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_counted_in_the_unit_that_was_agreed(start_own, encoding):
    editor = start_own({"a.py": WIDE}, encodings=[encoding])
    assert editor.initialized.capabilities.position_encoding == encoding
    before = {"utf-8": 'name = "𝒳é"; '.encode(), "utf-32": 'name = "𝒳é"; '}
    column = len(before.get(encoding, 'name = "𝒳é"; '.encode("utf-16-le"))) // (2 if encoding == "utf-16" else 1)
    assert editor.goto("definition", "a.py", "print(to|tal") == [f"a.py:1:{column}"]
    assert editor.references("a.py", "na|me = ") == [f"a.py:1:{column + 8}", "a.py:2:13"]
    editor.open("a.py")
    editor.replace("a.py", "total = name", "ziel = name")
    editor.replace("a.py", "print(total", "print(ziel")
    assert editor.goto("definition", "a.py", "print(zi|el") == [f"a.py:1:{column}"]


def test_without_a_word_of_the_client_columns_are_counted_in_utf_16(editor):
    assert editor.initialized.capabilities.position_encoding == "utf-16"


def test_lines_end_as_the_protocol_says_and_not_at_form_feeds(start):
    editor = start({"a.py": "x = 1\r\n\x0c\r\ns = '\u2028'\r\ndef f():\r\n    return x\r\n"})
    editor.open("a.py")
    assert editor.goto("definition", "a.py", "return |x") == ["a.py:1:0"]
    editor.replace("a.py", "def f():\r\n", "y = 2\r\ndef f():\r\n    x = 3\r\n")
    assert editor.goto("definition", "a.py", "return |x") == ["a.py:6:4"]


def test_a_lone_carriage_return_ends_a_line_for_the_client_alone(start):
    editor = start({"a.py": "x = 1\n"})
    editor.open("a.py", "y = 2\n# one\r# two\nx = y\n")
    found = editor.ask(
        "textDocument/definition",
        types.DefinitionParams(types.TextDocumentIdentifier((editor.root / "a.py").as_uri()), types.Position(3, 4)),
    )
    assert editor.places(found) == ["a.py:1:0"]
    outline = editor.ask(
        "textDocument/documentSymbol",
        types.DocumentSymbolParams(types.TextDocumentIdentifier((editor.root / "a.py").as_uri())),
    )
    assert [(each.name, each.selection_range.start.line) for each in outline] == [("y", 0), ("x", 3)]


def test_edits_of_one_message_apply_in_order_and_a_whole_text_replaces_all(start):
    editor = start({"a.py": "x = 1\n"})
    editor.open("a.py")
    insert = types.TextDocumentContentChangePartial
    zero = types.Position(0, 0)
    editor.change("a.py", types.TextDocumentContentChangeWholeDocument("b = a\n"), insert(types.Range(zero, zero), "a"))
    editor.change("a.py", insert(types.Range(zero, types.Position(0, 1)), "a = 1\n"))
    # Past the end of a line is its end, past the last line that of the text.
    far = types.Range(types.Position(0, 99), types.Position(0, 99))
    editor.change("a.py", insert(far, "0"), insert(types.Range(types.Position(9, 9), types.Position(9, 9)), "c = b\n"))
    editor.texts[editor.root / "a.py"] = "a = 10\nb = a\nc = b\n"
    assert editor.goto("definition", "a.py", "c = |b") == ["a.py:2:0"]
    assert editor.goto("definition", "a.py", "b = |a") == ["a.py:1:0"]


def test_halves_of_characters_do_no_harm(start):
    editor = start({"a.py": "x = 1\n"})
    editor.open("a.py", "x = '\ud800'\ny = x\n")
    assert editor.goto("definition", "a.py", "y = |x") == ["a.py:1:0"]


def test_bytes_that_are_no_utf_8_are_one_character_each(start):
    editor = start({"a.py": b"# \xe9\xff\n'\xe9'; f = 1\ng = f\n"})
    found = editor.ask(
        "textDocument/definition",
        types.DefinitionParams(types.TextDocumentIdentifier((editor.root / "a.py").as_uri()), types.Position(2, 4)),
    )
    assert editor.places(found) == ["a.py:2:5"]


def test_a_document_larger_than_any_file_may_be_is_left_alone(start):
    editor = start({"a.py": "x = 1\n", "b.py": "import a\n\na.x\n"})
    editor.open("a.py", "x = 1\n" + "#" * 2_000_001)
    assert editor.goto("definition", "a.py", "|x = 1") == []
    assert editor.goto("definition", "b.py", "a.|x") == []


def test_the_clients_spelling_of_an_address_is_kept(start_own, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a b.py").write_text("def f(): ...\n\n\nf()\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    editor = start_own(folders=[tmp_path / "link"])
    uri = f"{(tmp_path / 'link').as_uri()}/a%20b.py"
    params = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(3, 0))
    assert editor.ask("textDocument/definition", params)[0].uri == uri
    editor.open("a b.py", uri=uri.replace("%20b", "%20%62"))
    assert editor.ask("textDocument/definition", params)[0].uri == uri.replace("%20b", "%20%62")


def test_each_folder_is_a_workspace_of_its_own(start_own, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f"def {name}(): ...\n")
    editor = start_own(folders=[tmp_path / "one"])
    folder = types.WorkspaceFolder((tmp_path / "two").as_uri(), "two")

    def names() -> list[str]:
        found = editor.ask("workspace/symbol", types.WorkspaceSymbolParams("one"))
        found += editor.ask("workspace/symbol", types.WorkspaceSymbolParams("two"))
        return [each.name for each in found]

    assert names() == ["one"]
    event = types.WorkspaceFoldersChangeEvent([folder], [])
    editor.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(event))
    assert names() == ["one", "two"]
    event = types.WorkspaceFoldersChangeEvent([], [folder])
    editor.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(event))
    assert names() == ["one"]


def test_a_document_outside_of_all_folders_is_read_alone(start_own, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b.py").write_text("def g(): ...\n")
    (tmp_path / "out" / "a.py").write_text("from b import g\n\n\ndef f(): ...\n\n\nf()\ng()\n")
    editor = start_own(folders=[tmp_path / "in"])
    editor.root = tmp_path / "out"
    editor.open("a.py")
    assert editor.goto("definition", "a.py", "\n|f()") == ["a.py:4:4"]
    assert editor.goto("definition", "a.py", "\n|g()") == ["a.py:1:14"]


def test_nothing_of_the_repository_is_run(start, tmp_path):
    files = {
        "conftest.py": "open('ran', 'w')\n",
        "setup.py": "open('ran', 'w')\n",
        "sitecustomize.py": "open('ran', 'w')\n",
        ".git/hooks/post-index-change": "#!/bin/sh\ntouch ran\n",
        "a.py": "def f(): ...\n\n\nf()\n",
    }
    editor = start(files)
    subprocess.run(["git", "init", "-q"], cwd=editor.root, check=True)
    (editor.root / ".git/config").write_text("[core]\n\tfsmonitor = touch ran\n\tpager = touch ran\n")
    editor.open("a.py")
    assert editor.goto("definition", "a.py", "\n|f()") == ["a.py:1:4"]
    about = {"uri": editor.root.as_uri()}
    editor.ask("workspace/executeCommand", types.ExecuteCommandParams("avionics.git_status", [about]))
    assert not list(editor.root.rglob("ran"))
