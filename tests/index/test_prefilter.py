"""The prefilter leaves out no file that matches: a search that heeds it answers as one that reads every file.

Knows: generated trees, patterns and literals; real sources.
Does not know: how words are kept.
"""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import avionics.index.facts.snapshot
import avionics.index.facts.word_index
import avionics.store.vocabulary
from avionics.settings import Settings
from avionics.source.search.engines import SourceMatch
from avionics.store.store import Store
from avionics.tools.internal.files.grep_search import grep_search
from avionics.workspace import Workspace

PIECES = [
    "foo",
    "Foo",
    "FOO",
    "bar_baz",
    "f",
    "7",
    "77foo",
    "foo7",
    "_",
    "é",
    "½",
    "²",
    "ı",
    "K",
    "ſ",
    "\u0301",
    "(",
    ".",
    "-",
]
LONG = "foo" + 158 * "x"
CONTENTS = st.lists(
    st.sampled_from(
        [*(piece.encode() for piece in PIECES), LONG.encode(), b" ", b"\n", b"\r\n", b"\xff", b"\xc3", b"\x00"]
    ),
    max_size=20,
).map(b"".join)
ATOMS = [
    "foo",
    "oo",
    "bar_baz",
    "Foo",
    "7",
    " ",
    r"\b",
    "^",
    "$",
    r"\s",
    r"\W",
    r"\(",
    "½",
    "é",
    "[fF]",
    ".",
    "-",
    LONG,
]
PATTERNS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}"])).map(lambda pair: f"({pair[0]}){pair[1]}"),
    ),
    max_leaves=8,
)
NAMES = ("a.py", "b.c", "c.txt", "d.py", "e")


def search(opened: Workspace, pattern: str, *, is_narrowed: bool, **options: bool) -> tuple[SourceMatch, ...]:
    code = opened.get_index_if_built()
    assert code is not None
    narrow = code.narrow if is_narrowed else None
    return opened.source.search(pattern, paths=code.paths, narrow=narrow, **options).matches


@pytest.fixture
def words_of_all_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of any size are read as very large ones are."""
    monkeypatch.setattr(avionics.index.facts.word_index, "_PAGES_THRESHOLD", 0)
    monkeypatch.setattr(avionics.store.vocabulary, "_PAGES_THRESHOLD", 0)


@pytest.mark.usefixtures("words_of_all_files")
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@example([b"\xc2\xbdfoo ", b"", b"", b"", b""], r"\bfoo\b", True)
@example([LONG.encode(), b"", b"", b"", b""], "foox", True)
@example([b"77foo bar_baz (", b"", b"", b"", b""], r"7foo bar_baz \(", True)
@example([b"FOO", b"foo", b"", b"", b""], " ?foo", False)
@given(st.lists(CONTENTS, min_size=5, max_size=5), PATTERNS, st.booleans())
def test_generated_patterns_match_the_same_lines(contents: list[bytes], pattern: str, case_sensitive: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        root.mkdir()
        for name, content in zip(NAMES, contents, strict=True):
            (root / name).write_bytes(content)
        with Workspace.open(
            root, Settings(cache_directory=Path(folder) / "cache", worker_threshold_files=100)
        ) as opened:
            opened.index()
            found = search(opened, pattern, is_narrowed=True, case_sensitive=case_sensitive)
            assert found == search(opened, pattern, is_narrowed=False, case_sensitive=case_sensitive)


@pytest.mark.usefixtures("words_of_all_files")
def test_literals_of_real_sources_match_the_same_lines(tmp_path: Path) -> None:
    root = shutil.copytree(
        Path(__file__).parents[2] / "avionics" / "source", tmp_path / "tree", ignore=shutil.ignore_patterns("*.pyc")
    )
    drawn = random.Random(5)
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as opened:
        opened.index()
        lines = [line for path in opened.code.paths for line in opened.source.lines(path) if len(line) > 12]
        narrowed = 0
        for _ in range(150):
            line = drawn.choice(lines)
            start = drawn.randrange(len(line) - 8)
            text = line[start : start + drawn.randrange(3, 40)]
            text = drawn.choice([text, text.swapcase(), text + "q", text.strip()]) or "q"
            options = {"literal": True, "case_sensitive": drawn.random() < 0.6}
            found = search(opened, text, is_narrowed=True, **options)
            assert found == search(opened, text, is_narrowed=False, **options), text
            narrowed += opened.code.narrow(pattern_of(text)) is not None
        assert narrowed > 100


def pattern_of(text: str) -> object:
    from avionics.source.search.pattern import parse_pattern

    return parse_pattern(text, literal=True)


def test_files_without_known_words_are_always_searched(workspace, tmp_path: Path) -> None:
    files = {"a.py": "needle = 1\n", "b.py": "other = 1\n", "notes.txt": "a needle\n", "c.py": "pin = 2\n"}
    opened = workspace(files)
    opened.index()
    found = opened.code.narrow(pattern_of("needle"))
    assert [path for path in files if path in found] == ["a.py", "notes.txt"]
    assert [match.file for match in grep_search(opened, "needle").matches] == ["a.py", "notes.txt"]


def test_a_part_that_very_many_words_hold_narrows_nothing(workspace) -> None:
    opened = workspace({f"{n}.py": f"common_{n} = {n}\n" for n in range(150)})
    opened.index()
    assert opened.code.narrow(pattern_of("ommon")) is None
    assert opened.code.narrow(pattern_of("ommon_77")) == {"77.py"}


def test_a_search_sees_what_was_written_since_the_index(workspace) -> None:
    opened = workspace({"a.py": "one = 1\n", "b.py": "two = 2\n"})
    opened.index()
    (opened.root / "b.py").write_text("one = 2\n")
    (opened.root / "c.py").write_text("one = 3\n")
    answer = grep_search(opened, "one")
    assert [match.file for match in answer.matches] == ["a.py", "b.py", "c.py"]
    assert answer.files_searched == 3


def test_a_damaged_store_narrows_nothing(workspace) -> None:
    opened = workspace({"a.py": "one = 1\n", "b.py": "two = 2\n"})
    opened.index()
    code = opened.code
    store = opened.store
    assert isinstance(store, Store)
    with store._session.writing() as connection:
        connection.execute("UPDATE postings SET page = x'00'")
    assert code.narrow(pattern_of("one")) is None
    assert re.search("one", grep_search(opened, "one").matches[0].text)
