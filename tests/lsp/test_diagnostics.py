"""What an edit breaks, in the file that is edited and in others, through a real server and client."""

from __future__ import annotations

import pytest
from lsprotocol import types

FILES = {
    "core.py": "def stop():\n    return 1\n\n\ndef run(mode):\n    return mode\n",
    "main.py": "from core import run, stop\n\nrun(1)\nstop()\n",
    "far/other.py": "import core\n\ncore.stop()\n",
}


@pytest.fixture
def open_repository(start_own, git_repository):
    """Starts an editor on a repository with these files."""
    return lambda files=FILES: start_own(folders=[git_repository(files).root])


def shown(editor):
    """What the client shows now, as `file:line:column-column severity code`, each file's last word."""
    last = {each.uri: each.diagnostics for each in editor.published}
    return sorted(
        f"{editor.place(uri, each.range)}-{each.range.end.character} {each.severity.name} {each.code}"
        for uri, diagnostics in last.items()
        for each in diagnostics
    )


def test_a_rename_is_shown_where_it_breaks_and_cleared_when_it_is_mended(open_repository):
    editor = open_repository()
    editor.open("core.py")
    editor.replace("core.py", "def stop", "def halt")
    broken = ["far/other.py:3:5-9 Error missing-member", "main.py:1:22-26 Error missing-import"]
    editor.wait_for(lambda: shown(editor) == broken)
    (found,) = next(each for each in reversed(editor.published) if each.uri.endswith("main.py")).diagnostics
    assert (found.source, found.message) == (
        "avionics",
        "'stop' of core was renamed to 'halt' and is still used by its old name; use 'halt'",
    )
    editor.replace("core.py", "def halt", "def stop")
    editor.wait_for(lambda: shown(editor) == [])


def test_an_edit_of_the_broken_file_mends_it(open_repository):
    editor = open_repository()
    editor.open("core.py")
    editor.open("main.py")
    editor.replace("core.py", "run(mode)", "run(mode, depth)")
    editor.wait_for(lambda: shown(editor) == ["main.py:3:0-3 Error call-mismatch"])
    (found,) = next(each for each in reversed(editor.published) if each.diagnostics).diagnostics
    (related,) = found.related_information
    assert editor.place(related.location.uri, related.location.range) == "core.py:5:4"
    editor.replace("main.py", "run(1)", "run(1, 2)")
    editor.wait_for(lambda: shown(editor) == [])
    last = [each for each in editor.published if each.uri.endswith("main.py")][-1]
    assert last.version == 2


def test_what_was_broken_before_the_edit_is_not_shown(open_repository):
    editor = open_repository({**FILES, "old.py": "from core import never\n"})
    editor.open("core.py")
    editor.replace("core.py", "def stop", "def halt")
    editor.wait_for(lambda: len(shown(editor)) == 2)
    assert not [each for each in shown(editor) if each.startswith("old.py")]


def test_a_file_that_changes_on_disk_is_checked_once_the_client_says_so(open_repository):
    editor = open_repository()
    editor.open("core.py")
    editor.wait_for(lambda: editor.published)
    (editor.root / "main.py").write_text("from core import run, gone\n")
    changed = types.FileEvent((editor.root / "main.py").as_uri(), types.FileChangeType.Changed)
    editor.notify("workspace/didChangeWatchedFiles", types.DidChangeWatchedFilesParams([changed]))
    editor.wait_for(lambda: shown(editor) == ["main.py:1:22-26 Error missing-import"])


def test_the_last_of_many_edits_counts(open_repository):
    editor = open_repository()
    editor.open("core.py")
    for number in range(30):
        editor.replace("core.py", "def stop" if not number else f"def halt{number - 1}", f"def halt{number}")
    latest: dict[str, str] = {}

    def is_last_named() -> bool:
        latest.update({each.uri: repr(each.diagnostics) for each in list(editor.published)})
        return len(shown(editor)) == 2 and sum("renamed to 'halt29'" in told for told in latest.values()) == 2

    editor.wait_for(is_last_named)
    editor.replace("core.py", "def halt29", "def stop")

    def versions() -> list[int | None]:
        return [each.version for each in list(editor.published) if each.uri.endswith("core.py")]

    editor.wait_for(lambda: shown(editor) == [] and versions()[-1] == 32)
    assert versions() == sorted(versions())


def test_a_comment_accepts_a_finding(open_repository):
    editor = open_repository({**FILES, "main.py": "from core import stop  # avionics: ignore[missing-import]\n"})
    editor.open("core.py")
    editor.replace("core.py", "def stop", "def halt")
    editor.wait_for(lambda: shown(editor) == ["far/other.py:3:5-9 Error missing-member"])


def test_a_closed_file_is_still_shown_as_broken(open_repository):
    editor = open_repository()
    editor.open("core.py")
    editor.open("main.py")
    editor.replace("core.py", "run(mode)", "run(mode, depth)")
    editor.wait_for(lambda: shown(editor) == ["main.py:3:0-3 Error call-mismatch"])
    count = len(editor.published)
    editor.close_document("main.py")
    editor.wait_for(lambda: len(editor.published) >= count + 2 and shown(editor))
    assert shown(editor) == ["main.py:3:0-3 Error call-mismatch"]
    editor.close_document("core.py")
    editor.wait_for(lambda: shown(editor) == [])


def test_a_closed_folder_takes_its_diagnostics_along(open_repository, git_repository):
    editor = open_repository({"README": ""})
    other = editor.with_folder(git_repository(FILES).root)
    other.open("core.py")
    other.replace("core.py", "def stop", "def halt")
    other.wait_for(lambda: len(shown(other)) == 2)
    event = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(other.root.as_uri(), "")])
    other.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(event))
    other.wait_for(lambda: shown(other) == [])


def test_what_git_converts_is_no_change(start_own, git_repository):
    repository = git_repository({"core.py": "def stop(): ...\n", "main.py": "from core import stop\n"})
    repository.git("config", "core.autocrlf", "true")
    (repository.root / "main.py").write_bytes(b"from core import stop\r\n")
    editor = start_own(folders=[repository.root])
    editor.open("core.py")
    editor.replace("core.py", "def stop", "def halt")
    editor.wait_for(lambda: shown(editor) == ["main.py:1:17-21 Error missing-import"])


def test_a_violation_of_the_contract_is_shown(open_repository):
    contract = '[[contract.rules]]\nname = "apart"\ntype = "forbidden"\nfrom = ["core.py"]\nto = ["far"]\n'
    editor = open_repository({"core.py": "x = 1\n", "far/a.py": "y = 2\n", "avionics.toml": contract})
    editor.open("core.py")
    editor.replace("core.py", "x = 1", "import far.a\nx = 1")
    editor.wait_for(lambda: shown(editor) == ["core.py:1:0-6 Error contract-violation"])
    editor.replace("core.py", "import far.a\n", "")
    editor.wait_for(lambda: shown(editor) == [])
