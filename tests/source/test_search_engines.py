"""Both engines of text search give the same whole answers.

Knows: generated trees and patterns.
Does not know: how either engine works.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.settings import Settings
from avionics.source.search.engines import SearchResult
from avionics.source.tree import SourceTree

WITH_RIPGREP = Settings()
WITHOUT_RIPGREP = Settings(program_directories=())

ATOMS = r"a b é É _ 7 . \w \W \d \s \S \b ^ $ [a-cé] [^a] [\w-] \. - { ²"
PATTERNS = st.recursive(
    st.sampled_from([*ATOMS.split(), " ", "\u0301"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)
TEXTS = "a b A é É _ 7 . - \u2028 ² e\u0301 \x85 { aaaaaaaa"
BYTES = [b" ", b"\t", b"\r\n", b"\n", b"\n\n", b"\xff", b"\xc3", b"\x0c", b"\x00"]
PIECES = [*TEXTS.encode().split(b" "), *BYTES]
CONTENTS = st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join)


def both(root: Path, pattern: str, **options: object) -> tuple[SearchResult, SearchResult]:
    results = [SourceTree(root, chosen).search(pattern, **options) for chosen in (WITH_RIPGREP, WITHOUT_RIPGREP)]  # type: ignore[arg-type]
    assert [result.engine for result in results] == ["ripgrep", "python"]
    return structs.replace(results[0], engine=""), structs.replace(results[1], engine="")


@settings(max_examples=150)
@example([b"a"] * 3, "(a+)+$", True, 2)
@example([b"x\r\n\r\ny", b"", b"\n"], "^$", True, 50)
@given(st.lists(CONTENTS, min_size=1, max_size=4), PATTERNS, st.booleans(), st.sampled_from([1, 3, 50]))
def test_both_engines_answer_alike(contents: list[bytes], pattern: str, case_sensitive: bool, limit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(contents):
            (Path(folder) / f"f{number}.txt").write_bytes(content)
        ripgrep, python = both(Path(folder), pattern, case_sensitive=case_sensitive, limit=limit)
    assert ripgrep == python


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), st.booleans())
def test_plain_text_is_found_where_it_stands_by_both(text: str, case_sensitive: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "f.txt").write_text(f"é{text}\nxx{text}", encoding="utf-8", newline="")
        tree = SourceTree(Path(folder), WITH_RIPGREP)
        if "\n" in text:
            with pytest.raises(UsageError):
                tree.search(text, literal=True)
            return
        ripgrep, python = both(Path(folder), text, literal=True, case_sensitive=case_sensitive)
    assert ripgrep == python
    if "\0" not in text and not text.startswith(("x", "é", "\u0301")):
        assert [match.line for match in ripgrep.matches][-1:] == [2]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "the pattern is empty"),
        ("a(?=b)", "look-around"),
        ("(?<!x)a", "look-around"),
        (r"(a)\1", "back-references"),
        ("(?>a)b", "atomic"),
        ("a++", "a repetition of a repetition"),
        ("a**", "a repetition of a repetition"),
        ("*a", "nothing to repeat"),
        ("(a", "an unclosed parenthesis"),
        ("a)", "an unopened closing parenthesis"),
        ("[a", "an unclosed bracket"),
        ("[z-a]", "a range in descending order"),
        ("[[:alpha:]]", "within brackets"),
        (r"\p{L}", "an unknown escape"),
        (r"a\nb", "within one line"),
        ("a\nb", "within one line"),
        ("a{3,2}", "a repetition that is not within"),
        ("a{5000}", "a repetition that is not within"),
        ("((a{900}){900}){900}", "too large"),
        ("(" * 60 + "a" + ")" * 60, "groups nested deeper"),
        ("a\\", "a backslash at the end"),
        ("\ud800", "an invalid character"),
        ("a" * 2_001, "longer than"),
    ],
)
def test_what_is_not_a_pattern_is_refused_with_its_reason(tmp_path: Path, pattern: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        SourceTree(tmp_path, WITHOUT_RIPGREP).search(pattern)
    assert refused.value.hint


def test_a_brace_that_repeats_nothing_is_itself(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text("x interface{}\nmap[string]{a}\n")
    ripgrep, python = both(tmp_path, "interface{}|{a")
    assert ripgrep == python
    assert [(match.line, match.column) for match in ripgrep.matches] == [(1, 2), (2, 11)]


def test_columns_are_characters_and_a_carriage_return_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("ééfoo\r\n\udcff foo\r\n".encode("utf-8", "surrogateescape"))
    ripgrep, python = both(tmp_path, "foo$")
    assert ripgrep == python
    assert [(m.line, m.column, m.text) for m in ripgrep.matches] == [(1, 2, "ééfoo"), (2, 2, "\udcff foo")]


def test_catastrophic_patterns_end_at_once_in_both(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 60_000 + "!\n")
    for pattern in ("(a+)+$", "(a|a)*b", ".*.*.*.*x", "(a?){30}a{30}b", "(.*)*!b"):
        ripgrep, python = both(tmp_path, pattern)
        assert ripgrep == python
        assert ripgrep.matches == ()


def test_lines_of_any_length_are_searched_and_shown_in_part(tmp_path: Path) -> None:
    (tmp_path / "min.js").write_text("x" * 100 + "early" + "y" * 70_000 + "late\nlate\n")
    ripgrep, python = both(tmp_path, "early|late")
    assert ripgrep == python
    assert [(match.line, match.column) for match in ripgrep.matches] == [(1, 100), (2, 0)]
    assert [match.column for match in both(tmp_path, "late")[0].matches] == [70_105, 0]
    assert len(ripgrep.matches[0].text) == Settings().max_line_characters + 1
    assert ripgrep.skipped == ()


def test_files_too_large_to_parse_are_searched(tmp_path: Path) -> None:
    (tmp_path / "bundle.js").write_text("x" * 3_000_000 + "needle" + "y" * 10)
    (tmp_path / "dump.sql").write_text("insert\n" * 400_000 + "needle\n")
    ripgrep, python = both(tmp_path, "needle")
    assert ripgrep == python
    assert [(match.file, match.line, match.column) for match in ripgrep.matches] == [
        ("bundle.js", 1, 3_000_000), ("dump.sql", 400_001, 0),
    ]  # fmt: skip
    small = Settings(max_searched_bytes=2_900_000)
    assert [entry.path for entry in SourceTree(tmp_path, small).search("needle").skipped] == ["bundle.js"]


def test_a_time_limit_cuts_the_answer_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("b\n" * 100)
    for directories in (Settings().program_directories, ()):
        hurried = Settings(search_timeout_seconds=0.0, program_directories=directories)
        truncated = SourceTree(tmp_path, hurried).search("a").truncated
        assert truncated == Reason(ReasonKind.SEARCH_TIMEOUT, subject="0")


def test_a_pattern_too_large_for_ripgrep_is_answered_by_the_other_engine(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("é\n")
    result = SourceTree(tmp_path, WITH_RIPGREP).search(r"é|(?:\w{980}){10}")
    assert ([match.line for match in result.matches], result.engine) in [([1], "python"), ([1], "ripgrep")]


def test_an_rg_inside_the_workspace_is_never_run(tmp_path: Path) -> None:
    planted = tmp_path / "bin"
    planted.mkdir()
    (planted / "rg").write_text(f"#!/bin/sh\ntouch {tmp_path}/canary\n")
    (planted / "rg").chmod(0o755)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "rg").symlink_to("/bin/sh")
    result = SourceTree(tmp_path, Settings(program_directories=(planted, linked))).search("touch")
    assert (result.engine, [match.file for match in result.matches]) == ("python", ["bin/rg"])
    assert not (tmp_path / "canary").exists()


def test_a_pattern_is_never_an_option(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("--pre=/bin/false\n")
    ripgrep, python = both(tmp_path, "--pre=/bin/false")
    assert ripgrep == python
    assert [match.column for match in ripgrep.matches] == [0]
