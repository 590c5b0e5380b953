"""What a stranger's files cannot make us do: leave the root, wait, follow, miscount or show what nobody may see."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from tests.hostile.repositories import Repository, make
from tests.timing import within_cost

PATHS = (
    "..", "../", "../..", "../outside/secret.txt", "{REL_OUT}/secret.txt", "{OUTSIDE}/secret.txt",
    "{ROOT}-evil/secret.py",
    "{ROOT}/../control-evil/secret.py", "src/../../control-evil/secret.py", "./../control-evil/secret.py",
    "src/../../../outside/secret.txt", "//etc/passwd", "/etc/passwd", "/proc/self/environ", "/proc/self/cwd/../x",
    "/dev/zero",
    "/", "~/secret.txt", "~root", "$HOME/x", "src\\..\\..\\x", "..\\outside\\secret.txt", "%2e%2e/outside/secret.txt",
    "..%2foutside", "..;/outside", "file:///etc/passwd", "src/app.py/../../../outside/secret.txt", "src/app.py/",
    "src/app.py/.",
    "src/app.py\0", "src/app.py\0.txt", "\0", "src/app.py ", "src/app.py.", " src/app.py",
    "src//../..//outside/secret.txt",
    "a" * 5_000, "a/" * 3_000, "../" * 2_000 + "etc/passwd", "\ud800", "src/\udcff.py", "src/ａｐｐ.py", "SRC/APP.PY",
    "src/app\u200b.py",
    "\u2025/outside", "\uff0e\uff0e/outside/secret.txt", "src/app.py:1", "src/app.py::$DATA", "C:\\x", "-", "--",
    "-rf", "{a,b}",
    "src/*", "src/app.py\n../../outside/secret.txt", ".git/../../outside/secret.txt",
    "./src/./../../outside/secret.txt", "",
    " ", "\t", "\x1b[31m", "\u202e", "CON", "src/app.py#L1", "src/app.py?x", "|cat /etc/passwd", "`id`", "$(id)",
    "; id",
)  # fmt: skip
LENIENT = {"src/app.py/", "src/app.py/.", "src/*"}
"""What may as well be taken for a path that exists."""

OUT = ("link_file.txt", "link_dir/secret.txt", "link_dir/dir/secret.py", "link_up/control-evil/secret.py", "link_self",
       "link_dev", "link_proc", "link_root/etc/passwd", "link_relative.py", "broken", "src/linked.py", "chain_a.py",
       "link_dir", "link_in.py", "link_tty", "link_random.py", "link_root")  # fmt: skip
SPECIAL = ("pipe.py", "src/pipe.txt", "tests/test_pipe.py", "pipe/__init__.py", "socket.py", "directory.py", "zero.py",
           "README.rst", "setup.cfg")  # fmt: skip
READERS = {"read_code": "path", "read_file": "path", "get_file_symbols": "path", "parse_symbols": "path",
           "get_imports": "path", "git_blame": "path", "find_similar_files": "path"}  # fmt: skip
LISTERS = {"list_files": "path", "tree_structure": "path", "grep_search": "path"}

LINES = {
    "seps": 4, "cr": 3, "crlf": 3, "latin": 4, "bom": 4, "wide": 4, "surrogate": 4, "overlong": 4, "unfinished": 1,
    "newlines": 10_001, "formfeed": 2, "nul": 4,
}  # fmt: skip
"""Where the function of each odd encoding stands, newlines alone counted."""


@pytest.fixture(scope="module")
def standing(arena):
    """The repositories by name, each built once."""
    built: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in built:
            built[name] = make(arena, name)
        return built[name]

    return get


@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_no_spelling_of_a_path_leads_out(path, arena, standing, ask, untouched):
    root = standing("control")
    untouched(root)
    asked = arena.fill(path, root)
    for tool, name in (READERS | LISTERS).items():
        given = {name: asked, **({"pattern": "."} if tool == "grep_search" else {})}
        outcome = ask(root, tool, budget=500, **given)
        assert "root:x:0" not in json.dumps(outcome)
        if tool in READERS and path not in LENIENT and "app.py" not in path:
            assert outcome["class"] in {"validation_error", "not_found", "error"}, (tool, outcome)
    assert ask(root, "glob_files", pattern=asked)["class"] in {"validation_error", "not_found", "success"}


@pytest.mark.parametrize("path", OUT)
def test_no_link_is_followed(path, standing, ask, untouched):
    root = standing("symlinks")
    untouched(root)
    for tool in (*READERS, *LISTERS):
        if tool == "git_blame":
            continue  # a committed link has lines of its own: where it points
        given = {"path": path, **({"pattern": "."} if tool == "grep_search" else {})}
        assert ask(root, tool, budget=500, **given)["class"] in {"validation_error", "not_found", "error"}, tool


@pytest.mark.parametrize("path", SPECIAL)
def test_what_is_no_regular_file_is_refused_at_once(path, standing, ask, untouched):
    root = standing("special")
    untouched(root)
    for tool in READERS:
        assert ask(root, tool, budget=500, path=path)["class"] in {"validation_error", "not_found", "error"}, tool
    assert ask(root, "find_symbol", name="Cart")["class"] == "success"


def test_devices_are_refused_at_once(standing, ask):
    root = standing("special")
    for path in ("device.py", "block.py"):
        if (root / path).exists():
            assert ask(root, "read_code", path=path)["class"] == "error"
    assert ask(root, "grep_search", pattern="class Cart")["class"] == "success"


@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".avionicsignore", ".rgignore", "src/.gitignore"])
@pytest.mark.parametrize("kind", ["pipe", "link", "directory", "loop", "device", "huge", "binary", "stars"])
def test_an_ignore_file_is_read_only_if_it_is_one(name, kind, arena, ask, untouched):
    root = arena.base / "repos" / f"ignore-{kind}-{name.replace('/', '-')}"
    root.mkdir()
    repository = Repository(arena, root)
    repository.control()
    path = root / name
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to(arena.outside / "secret.txt")
        case "directory":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "device":
            path.symlink_to("/dev/zero")
        case "huge":
            path.write_bytes(b"*.nothing\n" * 300_000)
        case "binary":
            path.write_bytes(os.urandom(2_000).replace(b"*", b"a").replace(b"?", b"a").replace(b"[", b"a"))
        case "stars":
            path.write_text("*a" * 5_000 + "\n" + "**/" * 2_000 + "b\n" + "[" * 5_000 + "\n" + "{a,b}" * 1_000 + "\n")
    untouched(root)
    for tool, given in (("grep_search", {"pattern": "class Cart"}), ("find_symbol", {"name": "Cart"})):
        assert within_cost(150, ask, root, tool, attempts=1, **given)["class"] in {"success", "partial"}


def test_every_odd_name_is_listed_and_read(standing, ask, untouched):
    root = standing("names")
    untouched(root)
    found = [item["file"] for item in ask(root, "glob_files", pattern="n/**")["data"]["files"]]
    assert len(found) == len(list(os.scandir(root / "n")))
    for path in found:
        shown = ask(root, "read_code", path=path)
        assert (shown["class"], shown["data"]["path"]) == ("success", path)
        assert "\n[complete: 9 of 9]" not in shown["text"]
    for number in range(28):
        if number not in {16, 17}:
            assert ask(root, "find_symbol", name=f"named_{number}")["class"] == "success", number


@pytest.mark.parametrize("name", LINES)
def test_lines_are_counted_by_newlines_alone(name, standing, ask):
    (found,) = ask(standing("encodings"), "find_symbol", name=f"enc_{name}")["data"]["symbols"]
    assert (found["file"], found["line"]) == (f"{name}.py", LINES[name])


@pytest.mark.parametrize("name", ["utf16", "utf32", "shift", "empty", "nul"])
def test_a_text_in_another_encoding_harms_nobody(name, standing, ask):
    root = standing("encodings")
    assert ask(root, "read_code", path=f"{name}.py")["class"] in {"success", "error"}
    assert ask(root, "parse_symbols", path=f"{name}.py")["class"] in {"success", "partial", "error", "not_found"}


def test_links_swapped_while_we_look_lead_nowhere(arena, ask, untouched):
    """A directory and a file that turn into links and back as fast as they can."""
    root = arena.base / "repos" / "swapped"
    root.mkdir()
    repository = Repository(arena, root)
    repository.control()
    repository.write("d/secret.txt", "inside\n")
    repository.write("f.txt", "inside\n")
    (root / "out").symlink_to(arena.outside)
    (root / "out.txt").symlink_to(arena.outside / "secret.txt")
    untouched(arena.base / "bin")
    is_over = threading.Event()

    def swap() -> None:
        while not is_over.is_set():
            time.sleep(0)
            for one, other in (("d", "out"), ("f.txt", "out.txt")):
                os.rename(root / one, root / "aside")
                os.rename(root / other, root / one)
                os.rename(root / "aside", root / other)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(60):
            ask(root, "read_code", path="d/secret.txt")
            ask(root, "read_code", path="f.txt")
            ask(root, "grep_search", pattern="OUTSIDE")
            ask(root, "list_files", path="d")
    finally:
        is_over.set()
        thread.join()


def test_a_hard_link_is_a_file_of_the_repository_like_any_other(arena, ask):
    """A hard link is the file itself: whoever could make it could read it."""
    root = arena.base / "repos" / "hard"
    root.mkdir()
    Repository(arena, root).control()
    os.link(root / "src" / "shop.py", root / "again.py")
    found = ask(root, "find_symbol", name="Cart")["data"]["symbols"]
    assert {item["file"] for item in found} == {"src/shop.py", "again.py"}
