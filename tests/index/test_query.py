from __future__ import annotations

import pytest

from avionics.index.search.query import Frame, read_query, spellings_of, stem, stems_of


@pytest.mark.parametrize(
    "words",
    [
        "cache caches cached caching",
        "entry entries",
        "stop stops stopped stopping",
        "setting settings",
        "path paths",
        "bind binds binding bindings",
        "map maps mapped mapping mappings",
        "array arrays",
        "delay delays delayed delaying",
    ],
)
def test_inflections_of_a_word_have_one_stem_and_are_found_from_it(words):
    stems = {stem(word) for word in words.split()}
    assert len(stems) == 1
    assert set(words.split()) - {"settings"} <= set(spellings_of(stems.pop()))


@pytest.mark.parametrize("word", ["string", "class", "status", "need", "url", "this"])
def test_what_only_looks_inflected_stays_as_it_is(word):
    assert stem(word) == word


def test_identifiers_are_split_and_kept_whole():
    query = read_query("HTTPServerError in parse_headers")
    assert set(query.terms) == {"http", "server", "error", "pars", "header"}
    assert set(query.identifiers) == {"httpservererror", "parse_headers"}
    assert query.names == ("HTTPServerError", "parse_headers")
    assert stems_of("parse_headers") == ("pars", "header")


def test_the_first_line_counts_double_and_common_words_do_not_count():
    query = read_query("Fix the redirect\n\nThe cookie is gone")
    assert query.terms["redirect"] > query.terms["cooki"]
    assert set(query.terms) == {"redirect", "cooki", "gon"}


@pytest.mark.parametrize(
    ("text", "is_less"),
    [("what happens when the user deletes a page", True), ("where is the user deleted", False)],
)
def test_who_does_something_counts_less_than_what_is_done(text, is_less):
    terms = read_query(text).terms
    assert (terms["user"] < terms["delet"]) is is_less


def test_a_common_word_alone_is_looked_for_and_several_are_nothing():
    assert set(read_query("get").terms) == {"get"}
    assert read_query("what is this").is_empty
    assert read_query("  \n ").is_empty


def test_traceback_frames_come_innermost_first_and_places_after_them():
    query = read_query(
        'Crash\nTraceback (most recent call last):\n  File "/usr/lib/app/main.py", line 3, in main\n'
        '  File "/usr/lib/app/core.py", line 70, in Core.run\nValueError: no\nsee src/app/other.py:12'
    )
    assert query.frames == (
        Frame("/usr/lib/app/core.py", 70, "Core.run"),
        Frame("/usr/lib/app/main.py", 3, "main"),
        Frame("src/app/other.py", 12),
    )
    assert query.paths == ("src/app/other.py",)


def test_quoted_phrases_and_names_in_backticks_are_told_apart():
    query = read_query("`render` says \"no such table\" and 'Blueprint.register'")
    assert query.phrases == ("no such table",)
    assert query.names == ("Blueprint.register", "render")


def test_a_long_log_is_read_in_part():
    query = read_query("error\n" + " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600)))
    assert len(query.terms) == 80
    assert "error" in query.terms


def test_what_a_title_has_before_its_colon_is_its_topic():
    assert read_query("printer: fix columns").topic == {"printer"}
    assert read_query("fix(core/parser): trailing comma").topic == {"cor", "parser"}
    assert read_query("the answer is std::vector").topic == frozenset()


def test_what_an_error_says_is_a_phrase():
    text = "Crash\nTraceback (most recent call last):\nKeyError: no such table here\nrust: thread panicked"
    assert "no such table here" in read_query(text).phrases


def test_words_that_follow_one_another_in_a_line_are_pairs():
    assert read_query("exit code of the\nopen spider").pairs == {("exit", "cod"), ("open", "spider")}
