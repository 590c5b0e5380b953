"""Which file an include means, and what that lets a file see."""

from __future__ import annotations

from pathlib import Path

from avionics.index.code_index import CodeIndex
from avionics.model.reasons import ReasonKind
from avionics.settings import Settings
from avionics.workspace import Workspace
from tests.conftest import write_files


def targets_of(code: CodeIndex, path: str) -> dict[str, str | None]:
    return {link.module: link.target for link in code.imports(path)}


def test_includes_are_found_beside_the_file_then_in_include_directories_above_then_nearest(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "root",
        {
            "include/x/api.h": "",
            "src/near.h": "",
            "src/main.c": '#include "near.h"\n#include "x/api.h"\n#include <x/api.h>\n#include "../tool/t.h"\n'
            "#include <string.h>\n#include <far.h>\n",
            "tool/t.h": "",
            "other/near.h": "",
            "other/string.h": "",
            "deps/far/include/far.h": "",
        },
    )
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        found = targets_of(workspace.code, "src/main.c")
        importers = [link.file for link in workspace.code.importers("include/x/api.h")]
    assert {name.lstrip("."): target for name, target in found.items()} == {
        "near.h": "src/near.h",
        "x/api.h": "include/x/api.h",
        "/tool/t.h": "tool/t.h",
        "string.h": None,
        "far.h": "deps/far/include/far.h",
    }
    assert set(importers) == {"src/main.c"}


def test_headers_that_include_one_another_in_circles_and_diamonds_are_seen_once(tmp_path: Path) -> None:
    depth = 40
    files = {
        f"h{level}{side}.h": f'#include "h{level + 1}a.h"\n#include "h{level + 1}b.h"\nint f{level}{side};\n'
        for level in range(depth)
        for side in "ab"
    }
    files |= {f"h{depth}{side}.h": '#include "h0a.h"\nint last;\n' for side in "ab"}
    root = write_files(tmp_path / "root", {**files, "main.c": '#include "h0a.h"\nint main(void) { return last; }\n'})
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        (definition, *_) = workspace.code.find_definitions("last")
        report = workspace.code.usages(definition)
    assert [(usage.file, usage.line) for usage in report.usages] == [("main.c", 2)]


def test_what_a_source_announces_without_a_header_is_what_its_directory_defines_once(tmp_path: Path) -> None:
    announced = "extern const int entry;\nint read(int at);\nint use(void) { return entry + read(1); }\n"
    root = write_files(
        tmp_path / "root",
        {
            "src/list.h": "int read(int at);\n",
            "src/list.c": '#include "list.h"\nconst int entry = 1;\nint read(int at) { return at; }\nint twice = 1;\n',
            "src/table.c": announced,
            "src/again.c": "extern int twice;\nint again(void) { return twice; }\n",
            "src/other.c": "int twice = 2;\n",
            "tool/main.c": announced,
        },
    )
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        used = {
            name: [
                (usage.file, usage.line)
                for definition in workspace.code.find_definitions(name, file="src/list.c")
                for usage in workspace.code.usages(definition).usages
            ]
            for name in ("entry", "read", "twice")
        }
    assert used == {"entry": [("src/table.c", 3)], "read": [("src/table.c", 3)], "twice": []}


def test_a_call_leads_to_the_body_rather_than_to_its_prototype(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "root",
        {
            "db.h": "int db_open(int n);\n",
            "db.c": '#include "db.h"\nint db_open(int n) { return n; }\n',
            "main.c": '#include "db.h"\nint main(void) { return db_open(1); }\n',
        },
    )
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        code = workspace.code
        (main, *_) = code.find_definitions("main")
        called = [found.file for _, definitions, _ in code.graph.callees(main) for found in definitions]
        first = code.find_definitions("db_open")[0]
        usages = [(usage.file, usage.line) for usage in code.usages(first).usages]
    assert called == ["db.c"]
    assert first.file == "db.c"
    assert usages == [("main.c", 2)]


def test_an_operator_is_never_said_to_be_unused(tmp_path: Path) -> None:
    text = "struct P { P operator+(P o); ~P(); };\nP f(P a) { return a + a; }\n"
    root = write_files(tmp_path / "root", {"a.cc": text})
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        (definition, *_) = workspace.code.find_definitions("operator+")
        report = workspace.code.usages(definition)
    assert (report.usages, report.certainty.value) == ((), "unknown")


def test_a_call_that_nothing_seen_declares_may_use_what_a_linker_joins(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "root",
        {
            "a.c": "int shared(int x) { return x; }\nstatic int own(int x) { return x; }\n",
            "b.c": "#include <not/here.h>\nint main(void) { return shared(1) + own(2); }\n",
        },
    )
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        code = workspace.code
        shared, own = (code.usages(code.find_definitions(name)[0]) for name in ("shared", "own"))
    assert [(use.file, use.line, use.reason.kind) for use in shared.unresolved] == [("b.c", 2, ReasonKind.NOT_DECLARED)]
    assert (own.usages, own.unresolved) == ((), ())
