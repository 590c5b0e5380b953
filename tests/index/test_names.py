"""Definitions by every way of asking for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from avionics.index.code_index import CodeIndex
from avionics.index.scopes.symbol_lookup import SymbolQuery
from avionics.workspace import Workspace

FILES = {
    "pkg/__init__.py": "from .web import Server\n",
    "pkg/web.py": "class Server:\n    def start_up(self): ...\ndef serve(): ...\n",
    "pkg/other.py": "def serve(): ...\nSERVE = 1\n",
    "tests/test_web.py": "def serve(): ...\n",
}


@pytest.fixture
def code(workspace: Callable[..., Workspace]) -> CodeIndex:
    return workspace(FILES).code


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("serve", ["pkg/other.py", "pkg/web.py", "tests/test_web.py"]),
        ("pkg.web.serve", ["pkg/web.py"]),
        ("web.serve", ["pkg/web.py"]),
        ("pkg.Server", ["pkg/web.py"]),
        ("web.py:serve", ["pkg/web.py"]),
        ("pkg/other.py:serve", ["pkg/other.py"]),
        ("Server.start_up()", ["pkg/web.py"]),
        ("Server.serve", []),
        ("other.Server", []),
        ("Serve", []),
        ("", []),
    ],
)
def test_a_name_is_found_as_it_is_written(code: CodeIndex, asked: str, found: list[str]) -> None:
    assert [definition.file for definition in code.find_definitions(asked)] == found


def test_a_name_may_be_held_by_its_package_or_prototype(workspace) -> None:
    files = {
        "go.mod": "module example.org/m/v2\n",
        "modules/web/server.go": "package web\n\ntype Server struct{}\n\nfunc (s *Server) serve() {}\n",
        "lib/reply.js": "function Reply () {}\nReply.prototype.send = function () {}\nmodule.exports = Reply\n",
    }
    code = workspace(files).code
    assert [d.file for d in code.find_definitions("web.Server.serve")] == ["modules/web/server.go"]
    assert code.find_definitions("other.Server.serve") == ()
    assert [d.file for d in code.find_definitions("Reply.prototype.send")] == ["lib/reply.js"]


@pytest.mark.parametrize("asked", ["pkg/web.py:2", "web.py:2", "./pkg/web.py:2:5"])
def test_a_line_of_a_file_is_the_definition_there(code: CodeIndex, asked: str) -> None:
    assert [each.symbol.qualname for each in code.find_definitions(asked)] == ["Server.start_up"]


@pytest.mark.parametrize("asked", ["pkg/web.py:99", "pkg/nothing.py:2", "py:2", "pkg/__init__.py:1"])
def test_a_line_without_a_definition_is_none(code: CodeIndex, asked: str) -> None:
    assert code.find_definitions(asked) == ()


def test_two_letters_that_changed_places_are_a_misspelling(code: CodeIndex) -> None:
    assert code.names.similar_names("esrve")[0] == "serve"


def test_case_and_underscores_are_folded_only_when_asked(code: CodeIndex) -> None:
    assert [d.name for d in code.names.find_folded("STARTUP")] == ["start_up"]
    assert code.find_definitions("STARTUP") == ()


def test_a_prefix_finds_whole_names(code: CodeIndex) -> None:
    assert {d.name for d in code.names.find_prefixed("ser")} == {"serve", "SERVE", "Server"}


def test_a_misspelt_name_finds_what_looks_like_it_and_nonsense_finds_nothing(code: CodeIndex) -> None:
    assert "Server" in {d.name for d in code.names.find_similar("Sevrer")}
    assert code.names.find_similar("quux") == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a.b.C.d", SymbolQuery("d", "a.b.C")),
        ("src/a.py:C.d", SymbolQuery("d", "C", "src/a.py")),
        ("a.py::test_x", SymbolQuery("test_x", "", "a.py")),
        ("@route(x)", SymbolQuery("route")),
        ("C::d", SymbolQuery("d", "C")),
    ],
)
def test_a_name_is_read_in_its_parts(text: str, wanted: SymbolQuery) -> None:
    assert SymbolQuery.read(text) == wanted


def test_a_function_within_a_function_comes_after_members_of_its_name(workspace: Callable[..., Workspace]) -> None:
    code = workspace({"a.py": "def f():\n    def send(): ...\n\nclass Client:\n    def send(self): ...\n"}).code
    assert [d.symbol.qualname for d in code.find_definitions("send")] == ["Client.send", "f.send"]


def test_in_c_comes_first_what_most_files_can_see(workspace: Callable[..., Workspace]) -> None:
    code = workspace(
        {
            "include/slab.h": "static inline __alloc_size(1) void *alloc(int size) { return 0; }\n#define say(x) x\n",
            "arch/one/include/user.h": "extern void say(int x);\nextern void *alloc(int size);\n",
            "lib/unpack.c": "#define alloc(size) 0\nstatic void say(int x) {}\nvoid *grab(int size) { return 0; }\n",
            "drivers/own.c": "static void *alloc(int size) { return 0; }\nstatic void *grab(int size) { return 0; }\n",
            "tools/slab.c": "void *alloc(int size) { return 0; }\n",
        }
    ).code
    assert [d.file for d in code.find_definitions("alloc")] == [
        "include/slab.h",
        "arch/one/include/user.h",
        "drivers/own.c",
        "lib/unpack.c",
        "tools/slab.c",
    ]
    assert [d.file for d in code.find_definitions("say")][:2] == ["include/slab.h", "arch/one/include/user.h"]
    assert [d.file for d in code.find_definitions("grab")] == ["lib/unpack.c", "drivers/own.c"]
