"""Words and names."""

from __future__ import annotations

import pytest

from avionics.model.naming import fold_name, split_name
from avionics.syntax.engine.words import LONGER, count_document_words, count_words


def test_words_are_counted_wherever_they_stand() -> None:
    assert count_words(b"def f(x):  # f of x\n    return 'f' + x1") == {
        "def": 1, "f": 3, "x": 2, "of": 1, "return": 1, "x1": 1,
    }  # fmt: skip


def test_identifiers_of_any_script_are_words_and_data_is_not() -> None:
    assert count_words("größe = 1".encode()) == {"größe": 1}
    assert count_words("cafe\u0301 cafe f\u0338".encode()) == {"cafe\u0301": 1, "cafe": 1, "f\u0338": 1}
    assert count_words("// √(width² + größe₂) ½x".encode()) == {"width": 1, "größe": 1, "x": 1}
    assert count_words(b"f " + b"a" * 160 + b" f " + b"a" * 161 + b" " + b"b" * 170) == {
        "f": 2, "a" * 160: 1, LONGER: 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("call ship, or ship5", {"call": 1, "ship": 1, "or": 1, "ship5": 1}),
        ("the “ship” — or ‘ship’…", {"the": 1, "ship": 2, "or": 1, LONGER: 1}),
        ("船ship ship船 é16ship ship_é ship·5ship", {"ship": 2, LONGER: 1}),
    ],
)
def test_documents_count_ascii_identifiers_between_any_punctuation(text: str, words: dict[str, int]) -> None:
    assert count_document_words(text.encode()) == words


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("HTTPServerError", ("http", "server", "error", "httpservererror")),
        ("read_file", ("read", "file", "read_file")),
        ("__init__", ("init",)),
        ("x", ()),
        ("utf8Decode", ("utf", "decode", "utf8decode")),
    ],
)
def test_a_name_is_split_where_its_writer_joined_it(name: str, parts: tuple[str, ...]) -> None:
    assert split_name(name) == parts


def test_names_that_differ_in_spelling_only_fold_alike() -> None:
    assert fold_name("URL_for") == fold_name("urlFor") == "urlfor"
