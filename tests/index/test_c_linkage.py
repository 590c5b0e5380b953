"""What is told of names without reading the uses of files is what reading them tells."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from avionics.index.code_index import CodeIndex
from avionics.index.references.c_linkage import CLinker, Settled
from avionics.model.enums import Certainty, Evidence
from avionics.model.knowledge import UsageReport
from avionics.model.reasons import Reason, ReasonKind
from avionics.settings import Settings
from avionics.store.schema import LOOSE
from avionics.syntax.engine.free_names import FreeName
from avionics.workspace import Workspace

NAMES = [f"f{number}" for number in range(6)]

USES = (
    "{n}(1);",
    "int v{i} = {n}(2) + {m};",
    "int (*p{i})(int) = {n};",
    "{{ int {n} = 3; {m}({n}); }}",
    "a->{n} = {m}(4);",
    "struct {n} *q{i} = 0;",
    "int w{i} = sizeof(struct {n}) + {n}(5);",
    "{n} = {m};",
    "for (int {n} = 0; {n} < 2; {n}++) {m}(6);",
    "extern int {n}(int); {n}(7);",
    "if (GUARD({n})) {m}(8);",
)
DECLARED = (
    "int {n}(int x);",
    "extern int {n};",
    "static inline int {n}(int x) {{ return {m}(x); }}",
    "#define {n}(x) {m}(x)",
    "struct {n} {{ int {m}; }};",
    "struct s{i} {{ int {n}; }};",
    "typedef int {n};",
    "enum {{ {n} = 1 }};",
)
DEFINED = ("int {n}(int x) {{ return x; }}", "static int {n}(int x) {{ return {m}(x); }}", "int {n} = 1;", *DECLARED)


def write_tree(root: Path, drawn: random.Random) -> None:
    """A tree of C files that use, hide, declare and define a few names in all ways."""
    number = iter(range(10_000))

    def fill(line: str) -> str:
        return line.format(n=drawn.choice(NAMES), m=drawn.choice(NAMES), i=next(number))

    headers = [f"include/h{at}.h" for at in range(6)] + [f"part/include/h{at}.h" for at in range(4, 8)]
    for header in headers:
        included = [f'#include "{drawn.choice(headers).rpartition("/")[2]}"' for _ in range(drawn.randrange(3))]
        write(root / header, [*included, *(fill(drawn.choice(DECLARED)) for _ in range(drawn.randrange(4)))])
    for at in range(24):
        included = [f"#include <{drawn.choice(headers).rpartition('/')[2]}>" for _ in range(drawn.randrange(3))]
        included += ['#include "piece.c"'] * (drawn.random() < 0.1)
        defined = [fill(drawn.choice(DEFINED)) for _ in range(drawn.randrange(3))]
        body = [fill(drawn.choice(USES)) for _ in range(drawn.randrange(1, 5))]
        taken = drawn.choice(["int x", f"int {drawn.choice(NAMES)}"])
        write(
            root / drawn.choice(["src", "part", "part/sub"]) / f"c{at}.c",
            [*included, *defined, f"void user{at}(struct a *a, {taken}) {{", *body, "}"],
        )
    write(root / "src/piece.c", [f"void piece(void) {{ {fill('{n}(1); {m}(2);')} }}"])


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def ask_all(code: CodeIndex) -> Iterator[tuple[str, UsageReport]]:
    for name in NAMES:
        for definition in code.find_definitions(name):
            yield f"{definition.file}:{definition.line}:{definition.symbol.column} {name}", code.usages(definition)


def read_report(report: UsageReport) -> tuple[object, ...]:
    enclosing = [usage.enclosing for usage in report.usages]
    return (report.definitions, report.usages, enclosing, sorted(map(str, report.unresolved)), report.reasons)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_told_without_reading_uses_is_what_reading_them_tells(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path / "root", random.Random(seed))
    told: list[str] = []
    settle = CLinker.link

    def count(self: CLinker, name: str, files: tuple[str, ...], variables: tuple[object, ...]) -> Settled:
        settled = settle(self, name, files, variables)  # type: ignore[arg-type]
        told.extend(settled.files)
        return settled

    with Workspace.open(tmp_path / "root", Settings(cache_directory=tmp_path / "cache")) as workspace:
        monkeypatch.setattr(CLinker, "link", count)
        quick = {place: read_report(report) for place, report in ask_all(workspace.code)}
        assert len(told) > 100
    with Workspace.open(tmp_path / "root", Settings(cache_directory=tmp_path / "cache")) as workspace:
        monkeypatch.setattr(CLinker, "link", lambda *_: Settled())
        for place, report in ask_all(workspace.code):
            assert quick.pop(place) == read_report(report), place
    assert not quick


FILES = {
    "include/a.h": "int grab(int size);\n",
    "src/a.c": '#include "a.h"\nint grab(int size) { return size; }\n',
    "src/seeing.c": '#include "a.h"\nvoid one(void) { grab(1); }\nvoid two(void) { int (*f)(int) = grab; }\n',
    "src/own.c": "static int grab(int size) { return 0; }\nvoid three(void) { grab(1); }\n",
    "src/local.c": '#include "a.h"\nvoid four(int grab) { grab++; }\n',
    "src/blind.c": "void five(void) { grab(1); }\n",
    "src/text.c": '#include "a.h"\n#define GRAB grab(2)\n',
}


def test_of_many_files_the_uses_are_not_read(workspace: Callable[..., Workspace]) -> None:
    opened = workspace(FILES)
    code = opened.code
    report = code.usages(code.find_definitions("grab")[0])
    assert [(each.file, each.line, each.evidence) for each in report.usages] == [
        ("src/seeing.c", 2, Evidence.IMPORT),
        ("src/seeing.c", 3, Evidence.IMPORT),
    ]
    assert {(each.file, each.line, each.column) for each in report.unresolved} == {
        ("src/blind.c", 1, 18),
        ("src/text.c", 2, 0),
    }
    assert [each.enclosing.name for each in report.usages if each.enclosing] == ["one", "two"]
    entries = code.snapshot.entries
    read = {path for path in FILES if opened.store.reader.many_uses([entries[path].blob_id])}
    assert read == {"include/a.h", "src/a.c", "src/own.c"}


def test_a_store_of_an_earlier_time_gives_the_same_answer(workspace: Callable[..., Workspace]) -> None:
    with workspace(FILES) as opened:
        code = opened.code
        told = read_report(code.usages(code.find_definitions("grab")[0]))
        assert len(code.source.summaries.free_names("grab", list(FILES))) == len(FILES)
        with opened.store._session.writing() as connection:
            connection.execute("DELETE FROM postings WHERE kind = ?", (LOOSE,))
    code = workspace(FILES).code
    assert code.source.summaries.free_names("grab", list(FILES)) == {}
    assert read_report(code.usages(code.find_definitions("grab")[0])) == told


def test_loose_names_outlive_merging_clearing_and_a_journey(
    tmp_path: Path, workspace: Callable[..., Workspace]
) -> None:
    opened = workspace(FILES)
    known = ask_loose(opened.code)
    for number in range(20):
        (opened.root / "src" / f"late{number}.c").write_text(f'#include "a.h"\nint n{number} = grab({number});\n')
        opened.index()
    assert {path: each for path, each in ask_loose(opened.code).items() if path in known} == known
    assert len(ask_loose(opened.code)) == len(known) + 20
    for number in range(20):
        (opened.root / "src" / f"late{number}.c").unlink()
    opened.index()
    opened._save()
    assert opened.store.clear(lambda _: True, 10**9).contents == 20
    assert ask_loose(opened.code) == known
    blobs = [entry.blob_id for entry in opened.code.snapshot.entries.values()]
    with (tmp_path / "facts").open("wb") as file:
        opened.store.write_contents(blobs, file)
    with Workspace.open(opened.root, Settings(cache_directory=tmp_path / "other")) as other:
        with (tmp_path / "facts").open("rb") as file:
            other.store.take_contents(file)
        assert other.index().parsed == 0
        assert ask_loose(other.code) == known


def ask_loose(code: CodeIndex) -> dict[str, FreeName]:
    return dict(code.source.summaries.free_names("grab", code.files))


def test_a_file_that_was_read_only_in_part_is_said(workspace: Callable[..., Workspace]) -> None:
    deep = '#include "a.h"\nint six(void) { return grab(1) + ' + "(-" * 400 + "1" + ")" * 400 + "; }\n"
    code = workspace(FILES | {"src/deep.c": deep}).code
    report = code.usages(code.find_definitions("grab")[0])
    assert report.certainty is Certainty.AT_LEAST
    assert Reason(ReasonKind.FILES_PARSED_IN_PART, subject="src/deep.c") in report.reasons


def test_lines_too_long_to_be_told_are_read(workspace: Callable[..., Workspace]) -> None:
    long = '#include "a.h"\nint seven(void) { return ' + " " * 5_000 + "grab(1); }\n"
    code = workspace(FILES | {"src/long.c": long}).code
    assert "src/long.c" not in code.source.summaries.free_names("grab", ["src/long.c"])
    report = code.usages(code.find_definitions("grab")[0])
    assert ("src/long.c", 2, 5_025) in {(each.file, each.line, each.column) for each in report.usages}
