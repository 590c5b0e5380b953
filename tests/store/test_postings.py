"""Words and their blobs, packed."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.store.postings import Inversion, fold_name, from_key, pack, shift, to_counts, to_key, unpack
from avionics.syntax.words import fold
from protocols.errors import IndexStateError

COUNTS = st.dictionaries(st.text(max_size=5), st.integers(1, 70_000), max_size=5)


@given(st.lists(COUNTS, max_size=6), st.integers(1, 1 << 40))
def test_every_word_gives_back_its_blobs_and_counts(documents, segment):
    inversion = Inversion()
    expected: dict[str, dict[int, int]] = {}
    for offset, counts in enumerate(documents):
        inversion.add_counts(offset, counts)
        for word, count in counts.items():
            expected.setdefault(word, {})[segment + offset] = min(count, 65_535)
    rows = list(inversion.iter_rows())
    assert [key for key, _ in rows] == sorted(key for key, _ in rows)
    assert {from_key(key): to_counts(segment, unpack(key, data)) for key, data in rows} == expected
    assert inversion.pairs == sum(map(len, documents))


def test_a_shifted_row_means_the_same_blobs():
    pairs = array("I", [1, (7 << 16) + 3])
    assert to_counts(90, shift(pairs, 10)) == to_counts(100, pairs)


def test_every_single_damaged_byte_of_a_row_is_found():
    row = pack(b"word", array("I", [1, 65_537, 131_074]))
    for place in range(len(row)):
        damaged = bytearray(row)
        damaged[place] ^= 0xFF
        with pytest.raises(IndexStateError):
            unpack(b"word", bytes(damaged))


def test_a_row_is_bound_to_its_word():
    with pytest.raises(IndexStateError):
        unpack(b"ward", pack(b"word", array("I", [1])))


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_has_a_key(word):
    assert from_key(to_key(word)) == word


@given(st.text())
def test_names_are_folded_as_the_syntax_sense_folds_them(name):
    assert fold_name(name) == fold(name)
