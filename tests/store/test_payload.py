"""Plain data survives as bytes, and damaged bytes are never decoded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.model.errors import IndexStateError
from avionics.store.payload import from_payload, to_payload

TEXT = st.text(alphabet=st.characters(codec=None), max_size=20)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | TEXT | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | st.integers(0, 99), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN, st.booleans())
def test_what_was_packed_comes_back(value, compress):
    assert from_payload(to_payload(value, compress=compress)) == value


def test_bytes_of_no_encoding_come_back():
    text = b"caf\xe9 \xff".decode("utf-8", "surrogateescape")
    assert from_payload(to_payload({text: [text, b"\xff", 1]})) == {text: [text, b"\xff", 1]}


def test_every_single_damaged_byte_is_found():
    payload = to_payload({"words": list(range(300)), "text": "x" * 300})
    for place in range(len(payload)):
        damaged = bytearray(payload)
        damaged[place] ^= 0x41
        with pytest.raises(IndexStateError):
            from_payload(bytes(damaged))


@pytest.mark.parametrize("kept", [0, 1, 4, 5, 20])
def test_a_payload_cut_short_is_found(kept):
    with pytest.raises(IndexStateError):
        from_payload(to_payload("x" * 40)[:kept])
