"""What every match of a pattern must hold is read from the pattern."""

from __future__ import annotations

import pytest

from avionics.source.search.pattern import parse_pattern
from avionics.source.search.required_literals import AllOf, AnyOf, Literal, read_required


def part(text: str) -> Literal:
    return Literal(text, is_whole=False, is_folded=False)


def word(text: str) -> Literal:
    return Literal(text, is_whole=True, is_folded=False)


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        ("foo bar baz", (part("foo"), word("bar"), part("baz"))),
        (r"^foo\(7up, 12\)", (word("foo"), word("up"))),
        (r"static\s+int +x", (part("static"), word("int"), part("x"))),
        # What ends a line may be cut off in the middle, and what a boundary is depends on who is asked.
        (r"a foo$", (part("a"), part("foo"))),
        (r"\bfoo\b", (part("foo"),)),
        # Outside of ASCII nothing is said of words.
        ("größe x", (part("gr"), part("e"), part("x"))),
        ("ab?c*d+e{2}", (part("a"), part("d"), part("e"))),
        ("[kK]free[ab]c", (Literal("kfree", is_whole=False, is_folded=True), part("c"))),
        ("foo|bar", (AnyOf((AllOf((part("foo"),)), AllOf((part("bar"),)))),)),
        ("x(?:foo|.*)y", (part("x"), part("y"))),
        (r"\d\w.", ()),
    ],
)
def test_runs_of_word_characters_are_required(pattern: str, needs: tuple[object, ...]) -> None:
    assert read_required(parse_pattern(pattern)) == AllOf(needs)


def test_a_folded_pattern_requires_words_in_any_case() -> None:
    node = parse_pattern("Foo2 BAR 7", case_sensitive=False)
    assert read_required(node) == AllOf((Literal("foo2", False, True), Literal("bar", True, True)))
