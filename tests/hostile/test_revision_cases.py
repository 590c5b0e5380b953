"""What a stranger's revisions cannot make us do: names that are options, trees no git would write, files of facts."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import zlib

import pytest

from avionics.model.errors import AvionicsError
from avionics.settings import Settings
from avionics.store import transfer
from avionics.workspace import Workspace
from tests.hostile.git_damage import DAMAGES
from tests.hostile.repositories import Repository

REVISIONS = (
    "--output=x",
    "-x",
    "--",
    "@{-1}",
    "@{upstream}",
    "HEAD@{1}",
    ":/x",
    ":/second",
    ":0:src/app.py",
    "HEAD:src/app.py",
    "HEAD^{/first}",
    "HEAD^{tree}",
    "HEAD..HEAD~1",
    "HEAD...HEAD",
    "^HEAD",
    "HEAD HEAD~1",
    "HEAD\nHEAD~1",
    "HEAD\0",
    "\ud800",
    "\x1b[31m",
    "a" * 100_000,
    "HEAD" + "~" * 5_000,
    "HEAD~999999999999",
    "../../x",
    "refs/../x",
    "*",
    "$(touch x)",
    "{OUTSIDE}",
    "main.lock",
    "0" * 40,
    "f" * 64,
    "",
    " ",
    "HEAD^" * 2_000,
    "@",
    "--all",
    "HEAD --",
    "\u202e",
)
AT_REVISION = {
    "find_symbol": {"name": "Cart"},
    "read_code": {"path": "src/app.py"},
    "grep_search": {"pattern": "class"},
}
REVIEWS = ("compare_revisions", "impact_of_change", "tests_for_change")
ANY = {"success", "partial", "not_found", "validation_error", "error"}


@pytest.fixture(scope="module")
def sound(arena):
    """A repository with two commits."""
    root = arena.base / "reviewed"
    root.mkdir()
    Repository(arena, root).history()
    return root


@pytest.mark.parametrize("revision", REVISIONS, ids=range(len(REVISIONS)))
def test_a_revision_is_a_commit_or_refused(revision, sound, arena, ask, untouched):
    untouched(sound)
    asked = arena.fill(revision, sound)
    for tool, given in AT_REVISION.items():
        answer = ask(sound, tool, budget=500, **given, rev=asked)
        assert answer["class"] in ANY, tool
        assert (
            asked == "@"
            or answer["class"] not in {"success", "partial"}
            or revision in {"@{-1}", "HEAD@{1}", "HEAD^{/first}", ":/second"}
        ), (tool, answer["text"])
    for tool in REVIEWS:
        assert ask(sound, tool, budget=500, base=asked)["class"] in ANY, tool
    assert not (sound / "x").exists()


@pytest.mark.parametrize(
    "name",
    [
        "replaced",
        "promised",
        "alternates",
        "alternates-loop",
        "garbage-shallow",
        "many-refs",
        "forged-commits",
        "link-objects",
        "pack-pack",
        "objects",
        "looping",
    ],
)
def test_a_spoiled_git_directory_has_revisions_or_none(name, sound, arena, ask, untouched):
    root = arena.base / "repos" / f"review-{name}"
    shutil.copytree(sound, root, symlinks=True)
    DAMAGES[name](Repository(arena, root))
    untouched(root)
    for tool, given in AT_REVISION.items():
        assert ask(root, tool, budget=500, **given, rev="HEAD")["class"] in ANY, tool
    for tool in REVIEWS:
        assert ask(root, tool, budget=500, base="HEAD~1")["class"] in ANY, tool


NAMES = (
    b"../x.py",
    b"..",
    b".",
    b".git",
    b".git/config",
    b"a/b.py",
    b"/etc/passwd",
    b"\xff\xfe.py",
    b"n\new.py",
    b"\x1b[31m.py",
    b"a\\b.py",
    b"-x.py",
    b"d" * 5_000,
    b"\xe2\x80\xae.py",
    b"",
    b"same.py",
    b"same.py",
    b"CON.py",
    b".GIT",
    b"git~1",
    b"x.py ",
)


def plant_tree(root, entries) -> str:
    """A commit of a tree that git itself would not write."""

    def put(kind: str, data: bytes) -> str:
        command = ["git", "-C", str(root), "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode().strip()

    body = b"".join(
        mode + b" " + name + b"\0" + bytes.fromhex(put("blob", data) if isinstance(data, bytes) else data)
        for mode, name, data in entries
    )
    return put("commit", f"tree {put('tree', body)}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n".encode())


def test_a_tree_may_have_any_names(sound, arena, ask, untouched):
    """Names that lead out, double ones, links and submodules: listed or left out, never followed, never written."""
    root = arena.base / "repos" / "planted-tree"
    shutil.copytree(sound, root)
    entries = [(b"100644", name, b"def planted(): ...\n") for name in NAMES]
    entries += [
        (b"120000", b"link.py", str(arena.outside / "secret.py").encode()),
        (b"160000", b"sub", "1" * 40),
        (b"40000", b"loop", "2" * 40),
        (b"100644", b"gone.py", "3" * 40),
        (b"7777777", b"odd.py", b"x = 1\n"),
        (b"100644", b"sound.py", b"def sound(): ...\n"),
    ]
    for number, some in enumerate((entries[:-6] + entries[-1:], entries[-6:-4] + entries[-1:], entries[-4:], entries)):
        commit = plant_tree(root, some)
        untouched(root)
        for tool, given in (
            ("find_symbol", {"name": "sound"}),
            ("find_symbol", {"name": "planted"}),
            ("read_code", {"path": "link.py"}),
            ("list_files", {}),
            ("grep_search", {"pattern": "."}),
            ("read_code", {"path": "../x.py"}),
            ("read_code", {"path": ".git/config"}),
        ):
            answer = ask(root, tool, budget=500, **given, rev=commit)
            assert answer["class"] in ANY, (number, tool)
            assert "repositoryformatversion" not in json.dumps(answer)
        for tool in REVIEWS:
            assert ask(root, tool, budget=500, base=commit)["class"] in ANY, (number, tool)


def record(data: bytes) -> bytes:
    return packed_record(zlib.compress(data))


def packed_record(packed: bytes) -> bytes:
    return len(packed).to_bytes(8, "little") + transfer._digest(packed) + packed


FILES = {
    "empty": lambda: b"",
    "text": lambda: b"hello\n" * 1_000,
    "head": lambda: transfer.MAGIC,
    "length": lambda: transfer.MAGIC + b"\xff" * 8 + b"\0" * 32,
    "huge-length": lambda: transfer.MAGIC + (500_000_000).to_bytes(8, "little") + b"\0" * 32 + b"x" * 100,
    "digest": lambda: transfer.MAGIC + record(b"\x90")[:8] + b"\0" * 32 + record(b"\x90")[40:],
    "no-list": lambda: transfer.MAGIC + record(b"\xc0"),
    "count": lambda: transfer.MAGIC + record(b"\x94\x01\x01\xdd\xff\xff\xff\xff\x80"),
    "deep": lambda: transfer.MAGIC + record(b"\x91" * 1_000_000),
    "map": lambda: transfer.MAGIC + record(b"\x94\x01\x01\x90\xdf\xff\xff\xff\xff"),
    "many": lambda: transfer.MAGIC + record(b"") * 20_000,
    "truncated": lambda: transfer.MAGIC + record(b"\x94\x01\x01\x90\x80")[:-3],
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_facts_is_taken_in_or_refused(name, tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("def here(): ...\n")
    with Workspace.open(tmp_path / "root", Settings(cache_directory=tmp_path / "cache")) as workspace:
        try:
            taken = workspace.store.take_contents(io.BytesIO(FILES[name]()))
        except AvionicsError:
            taken = None
        assert taken is None or taken.contents == 0
        workspace.index()
        assert [found.name for found in workspace.code.facts("a.py").symbols] == ["here"]
