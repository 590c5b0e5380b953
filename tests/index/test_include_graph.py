"""How files include one another is found once, kept, and never believed of what has changed since."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from avionics.index.code_index import CodeIndex
from avionics.index.facts import include_graph
from avionics.index.facts.file_summaries import StoredFileSummaries
from avionics.index.facts.include_graph import IncludeGraph
from avionics.workspace import Workspace

FILES = {
    "include/deep.h": "int deep(void);\n",
    "include/api.h": '#include "deep.h"\n',
    "src/one.c": '#include "api.h"\n#include <stdio.h>\n',
    "src/two.c": '#include "two.h"\n',
    "src/three.c": '#include "three.h"\n',
    "src/round.h": '#include "again.h"\n',
    "src/again.h": '#include "round.h"\n#include "deep.h"\n',
}
TARGETS = ["include/deep.h", "src/round.h"]


def see(code: CodeIndex) -> dict[str, list[str]]:
    """File → the targets it sees."""
    graph = IncludeGraph(code.files, code.source.summaries)
    included = graph.map_included(TARGETS, code.files)
    return {
        file: [each for bit, each in enumerate(TARGETS) if seen >> bit & 1] for file, seen in sorted(included.items())
    }


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose include lines are read from now on, where any number of includes is worth keeping."""
    monkeypatch.setattr(include_graph, "_WORTH_KEEPING", 1)
    read: list[str] = []
    load = StoredFileSummaries.load_import_lines

    def load_and_note(self: StoredFileSummaries, paths: Iterable[str]) -> None:
        paths = list(paths)
        read.extend(paths)
        load(self, paths)

    monkeypatch.setattr(StoredFileSummaries, "load_import_lines", load_and_note)
    return read


def test_includes_are_followed_backwards_through_circles(workspace: Callable[..., Workspace]) -> None:
    assert see(workspace(FILES).code) == {
        "include/api.h": ["include/deep.h"],
        "include/deep.h": ["include/deep.h"],
        "src/again.h": ["include/deep.h", "src/round.h"],
        "src/one.c": ["include/deep.h"],
        "src/round.h": ["include/deep.h", "src/round.h"],
    }


def test_what_was_found_is_read_by_the_next_process(workspace: Callable[..., Workspace], read: list[str]) -> None:
    with workspace(FILES) as opened:
        first = see(opened.code)
        assert set(read) == set(FILES)
    read.clear()
    assert see(workspace(FILES).code) == first
    assert read == []


def test_a_file_whose_content_changed_is_read_anew(workspace: Callable[..., Workspace], read: list[str]) -> None:
    with workspace(FILES) as opened:
        first = see(opened.code)
    read.clear()
    changed = {"src/one.c": "int one;\n", "src/two.c": '#include "round.h"\n'}
    code = workspace(FILES | changed).code
    expected = {file: seen for file, seen in first.items() if file != "src/one.c"}
    assert see(code) == expected | {"src/two.c": ["include/deep.h", "src/round.h"]}
    assert set(read) == set(changed)


def test_a_file_that_came_changes_what_includes_mean(workspace: Callable[..., Workspace], read: list[str]) -> None:
    with workspace(FILES) as opened:
        assert "src/three.c" not in see(opened.code)
    code = workspace(FILES | {"src/three.h": '#include "deep.h"\n'}).code
    assert see(code)["src/three.c"] == ["include/deep.h"]
    assert "src/one.c" in read


def test_sight_is_what_following_each_file_shows(workspace: Callable[..., Workspace], read: list[str]) -> None:
    drawn = random.Random(3)
    names = [f"d{at % 3}/h{at}.h" for at in range(30)]
    files = {
        name: "".join(f'#include "../{other}"\n' for other in drawn.sample(names, drawn.randrange(3))) for name in names
    }
    for _ in range(2):
        code = workspace(files).code
        graph, layout = IncludeGraph(code.files, code.source.summaries), code.modules.system_of("a.c")
        included = graph.map_included(names, names)
        for file in names:
            seen = {other for bit, other in enumerate(names) if included[file] >> bit & 1}
            assert seen == {other for other in names if layout._sees(file, other)}  # type: ignore[attr-defined]
        files[names[0]] = f'#include "../{names[1]}"\n'


def test_only_the_last_few_findings_stay(workspace: Callable[..., Workspace], tmp_path: Path) -> None:
    store = workspace({"a.c": "int a;\n"}).store
    for number in range(20):
        store.writer.put_derived(f"k{number}", [number])
    kept = [number for number in range(20) if store.reader.get_derived(f"k{number}") == [number]]
    assert kept == list(range(12, 20))
    assert store.clear(lambda _: True, 10**9) is not None
    assert store.reader.get_derived("k19") is None


def test_a_file_whose_includes_one_thread_knows_is_seen_by_every_other(workspace):
    opened = workspace(FILES)
    opened.index()
    files = opened.code.files
    graph = IncludeGraph(files, opened.code.source.summaries)
    looked = []

    class Observed(dict):
        """Looks back from the included files, as another thread may, at once when the includes of a file are known."""

        def __setitem__(self, number, found):
            super().__setitem__(number, found)
            looked.extend(files[number] in graph.map_included([files[each]], ()) for each in found)

    graph._included_by_number = Observed()
    graph.map_included(TARGETS, files)
    assert looked
    assert all(looked)
