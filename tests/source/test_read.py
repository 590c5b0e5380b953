"""Reading: bytes, text and lines.

Knows: files of odd content.
Does not know: which files a walk finds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from avionics.model.errors import SourceError, UsageError
from avionics.settings import Settings
from avionics.source.paths import SkipReason
from avionics.source.read import Content, clip_line, is_binary
from avionics.source.tree import SourceTree


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    return SourceTree(tmp_path, Settings())


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", ("",)),
        (b"a\nb", ("a", "b")),
        (b"a\r\nb\r\n", ("a", "b")),
        (b"a\rb\x0cc\xe2\x80\xa8d\xc2\x85e\n", ("a\rb\x0cc\u2028d\x85e",)),
        (b"\xef\xbb\xbfa\n\xff\n", ("a", "\udcff")),
    ],
)
def test_lines_are_separated_by_newline_alone(tree: SourceTree, data: bytes, lines: tuple[str, ...]) -> None:
    (tree.root / "f").write_bytes(data)
    assert tree.lines("f") == lines
    assert tree.read("f") == data
    assert tree.text("f").encode("utf-8", "surrogateescape") == data


def test_near_paths_are_looked_for_only_where_somebody_asked_for_one(tree: SourceTree) -> None:
    (tree.root / "app.py").write_text("a\n")
    assert tree.read_known("app.py") == b"a\n"
    with pytest.raises(SourceError) as asked:
        tree.read("apps.py")
    assert asked.value.hint == "did you mean app.py?"
    with pytest.raises(SourceError, match="any more") as gone:
        tree.read_known("apps.py")
    assert gone.value.hint == ""


def test_a_range_of_lines_counts_from_one_and_includes_its_end(tree: SourceTree) -> None:
    (tree.root / "f").write_text("1\n2\n3\n4\n")
    assert tree.lines("f", 2, 3) == ("2", "3")
    assert tree.lines("f", 4) == ("4",)
    assert tree.lines("f", 5, 9) == ()
    for start, end in ((0, 1), (3, 2), (-1, None)):
        with pytest.raises(UsageError, match="invalid range of lines"):
            tree.lines("f", start, end)


def test_a_file_with_nul_at_its_start_is_binary() -> None:
    assert (is_binary(b"x" * 8_191 + b"\0"), is_binary(b"x" * 8_192 + b"\0")) == (True, False)


def test_many_contents_come_in_order_with_the_reason_of_each_that_is_missing(tree: SourceTree) -> None:
    (tree.root / "d").mkdir()
    (tree.root / "d" / "x").write_bytes(b"1")
    (tree.root / "y").write_bytes(b"")
    (tree.root / "z").symlink_to("y")
    assert list(tree.iter_contents(["d/x", "gone", "y", "no/x", "z", "d/x"])) == [
        Content("d/x", b"1"),
        Content("gone", b"", SkipReason.MISSING),
        Content("y", b""),
        Content("no/x", b"", SkipReason.MISSING),
        Content("z", b"", SkipReason.LINK),
        Content("d/x", b"1"),
    ]


def test_a_long_line_is_shown_around_its_column() -> None:
    line = "abcdefghij" * 10
    assert clip_line(line, 100) == line
    assert clip_line(line, 8) == "abcdefgh…"
    assert clip_line(line, 8, 50) == "…ijabcdef…"
    assert clip_line(line, 8, 99) == "…cdefghij"
