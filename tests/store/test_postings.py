"""Words and their blobs, packed."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.model.errors import IndexStateError
from avionics.store.postings import (
    PAGE_WORDS,
    Inversion,
    NumberedWords,
    Postings,
    Vocabulary,
    WordRows,
    from_key,
    open_page,
    shift,
    to_key,
)

COUNTS = st.dictionaries(st.text(max_size=5), st.integers(1, 70_000), max_size=5)


@given(st.lists(COUNTS, max_size=6), st.integers(1, 1 << 40))
def test_every_word_gives_back_its_blobs_and_counts(documents, segment):
    inversion = Inversion()
    expected: dict[str, dict[int, int]] = {}
    for offset, counts in enumerate(documents):
        inversion.add_counts(offset, counts)
        for word, count in counts.items():
            expected.setdefault(word, {})[segment + offset] = min(count, 65_535)
    pages = [open_page(page.data) for page in inversion.to_rows().iter_pages()]
    rows = {word: pairs for page in pages for word, pairs in page.items()}
    assert list(rows) == sorted(rows)
    assert {from_key(word): Postings([(segment, pairs)]).count() for word, pairs in rows.items()} == expected
    assert inversion.pairs == sum(map(len, documents))


@given(st.lists(COUNTS, max_size=6))
def test_words_as_numbers_of_a_common_vocabulary_are_stored_as_the_words(documents):
    plain, numbered, vocabulary, words = Inversion(), Inversion(), Vocabulary(), []
    for offset, counts in enumerate(documents):
        found = vocabulary.to_numbers(counts)
        assert found.start == len(words)
        words.extend(found.new)
        plain.add_counts(offset, counts)
        numbered.add_numbered(offset, words, found)
    assert numbered.to_rows() == plain.to_rows()
    assert numbered.pairs == plain.pairs


@pytest.mark.parametrize("counts", [b"\1\0", b""])
def test_a_number_that_no_word_has_and_a_missing_count_are_refused(counts):
    with pytest.raises(IndexStateError):
        Inversion().add_numbered(0, ["one"], NumberedWords(0, ("one",), b"\1\0\0\0" if counts else b"\0\0\0\0", counts))


def test_words_of_a_content_that_could_not_be_packed_are_new_in_the_next():
    vocabulary = Vocabulary()
    with pytest.raises(OverflowError):
        vocabulary.to_numbers({"lost": -1})
    assert vocabulary.to_numbers({"kept": 1}).new == ("lost", "kept")


def test_a_part_counts_in_all_the_words_it_is_a_part_of_and_not_in_itself():
    inversion = Inversion()
    inversion.add_counts(0, {"readFile": 2, "File": 3, "file": 7})
    inversion.add_counts(4, {"file_name": 1})
    rows = inversion.gather_terms().to_rows()
    counts = {
        from_key(word): Postings([(10, bytes(pairs))]).count()
        for word, pairs in zip(rows.words, rows.pairs, strict=True)
    }
    assert counts == {
        "read": {10: 2},
        "file": {10: 5, 14: 1},
        "readfile": {10: 2},
        "name": {14: 1},
    }


@given(st.dictionaries(st.integers(0, 65_000), st.integers(1, 65_535), max_size=9))
def test_shifted_pairs_mean_the_same_blobs(counts):
    data = array("I", [offset << 16 | count for offset, count in sorted(counts.items())]).tobytes()
    assert Postings([(90, shift(data, 535))]).count() == Postings([(625, data)]).count()


def test_every_single_damaged_byte_of_a_page_is_found():
    (page,) = WordRows.of({b"word": b"12345678", b"ward": b"1234"}).iter_pages()
    for place in range(len(page.data)):
        damaged = bytearray(page.data)
        damaged[place] ^= 0xFF
        with pytest.raises(IndexStateError):
            open_page(bytes(damaged))


def test_words_are_cut_into_pages_named_by_their_first_word():
    rows = {b"%04d" % number: b"" for number in range(PAGE_WORDS + 1)}
    assert [(page.first, len(open_page(page.data))) for page in WordRows.of(rows).iter_pages()] == [
        (b"", PAGE_WORDS),
        (b"%04d" % PAGE_WORDS, 1),
    ]


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_has_a_key(word):
    assert from_key(to_key(word)) == word
