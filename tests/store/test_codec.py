"""Facts survive as bytes."""

from __future__ import annotations

import pytest

from avionics.model.errors import IndexStateError
from avionics.model.facts import UNKNOWN, Expression, FileFacts, replace
from avionics.store.codec import PackedFacts, decode_facts, decode_uses, encode_facts, encode_uses
from avionics.store.payload import from_payload, to_payload
from avionics.syntax.extract import extract_facts, extract_uses

SOURCE = b'''"""About apples."""
from __future__ import annotations
import os.path as p
from . import pears as q
from .nuts import *

__all__ = ["Apple", "pick"]

class Apple(Fruit, metaclass=Meta):
    """A fruit."""
    size: int = 3

    @property
    def colour(self) -> str | None:
        return self._colour or getattr(self, "x")

async def pick(n: int = 1, *rest: list[Apple]) -> Iterator[Apple]:
    if isinstance(n, Apple):
        n.bite()
    with open("f") as f, q.peel() as (a, b):
        yield Apple(n)[0].colour
    del a
    return await later(lambda x: x + 1)
'''


def read(source: bytes) -> tuple[FileFacts, object]:
    facts = extract_facts(source, "python")
    return facts, extract_uses(source, "python", facts)


def test_an_outline_comes_back_without_words():
    facts, _ = read(SOURCE)
    assert decode_facts(encode_facts(facts)) == replace(facts, words={})


def test_uses_come_back():
    _, uses = read(SOURCE)
    assert decode_uses(encode_uses(uses)) == uses


def test_a_table_has_only_the_names_in_it_before_and_after_it_is_decoded():
    references = decode_uses(encode_uses(read(SOURCE)[1])).references
    for _ in range(2):
        assert [name in references for name in ("Appl", "\udce9", "Apple")] == [False, False, True]
        assert references.get("Appl") is None
        with pytest.raises(KeyError):
            references["ple"]


def test_facts_of_bytes_of_no_encoding_come_back():
    source = b'"""Caf\xe9."""\nclass A:\n    """\xff\xfe"""\n    x = "\xff"\nA.x = b(y="\xe9")\n'
    facts, uses = read(source)
    assert decode_facts(encode_facts(facts)) == replace(facts, words={})
    assert decode_uses(encode_uses(uses)) == uses


def test_empty_facts_come_back():
    assert decode_facts(encode_facts(FileFacts("python"))) == FileFacts("python")
    _, uses = read(b"")
    assert decode_uses(encode_uses(uses)) == uses


def test_what_is_unknown_comes_back_as_the_one_unknown():
    _, uses = read(b"def f(x): pass\n")
    (binding,) = decode_uses(encode_uses(uses)).bindings["x"]
    assert binding.value == UNKNOWN
    assert binding.annotation == UNKNOWN


def test_an_unknown_receiver_is_not_a_missing_one():
    _, uses = read(b"(a or b).c\nd\n")
    known = decode_uses(encode_uses(uses)).references
    assert isinstance(known["c"][0].receiver, Expression)
    assert known["d"][0].receiver is None


def test_rows_of_a_name_are_decoded_once():
    _, uses = read(SOURCE)
    references = decode_uses(encode_uses(uses)).references
    assert references["Apple"] is references["Apple"]
    assert "nothing" not in references
    assert references.get("nothing") is None
    assert len(references) == len(uses.references)


def test_packed_facts_travel_as_a_message():
    packed = PackedFacts.of(read(SOURCE)[0])
    assert from_payload(to_payload(packed), PackedFacts) == packed


def test_damaged_facts_are_refused():
    facts, uses = read(SOURCE)
    for data, decode in ((encode_facts(facts), decode_facts), (encode_uses(uses), decode_uses)):
        for place in range(0, len(data), 7):
            damaged = bytearray(data)
            damaged[place] ^= 1
            with pytest.raises(IndexStateError):
                decode(bytes(damaged))
