"""What a file uses by name and does not bind, as numbers and back."""

from __future__ import annotations

from array import array

from avionics.index.facts.worker_protocol import Task, Want, perform
from avionics.model.enums import ReferenceKind
from avionics.model.facts import FileFacts, FileUses
from avionics.model.naming import fold_name
from avionics.store.codec import PackedFacts, decode_facts, decode_import_lines, decode_symbols_named, encode_facts
from avionics.syntax.engine.free_names import TAKEN, FreeName, unpack_free_names
from avionics.syntax.extract import extract_facts, extract_uses, extract_whole
from avionics.syntax.registry import require_rules

C = require_rules("c").textual

SOURCE = b"""#include "x.h"
#include <y.h>
#define F(p) kfree(p)
int global;
static int use(int n, struct node *node)
{
\tint local = n;
\tkfree(&local);
\t{ int shadow = 1; shadow++; }
\treturn global + local + other + shadow + node->kfree + call(n, kfree);
}
struct s { int a[SIZE]; struct t *p; item_t q; };
"""


def take(source: bytes) -> dict[str, FreeName]:
    packed = C.pack_free_names(*extract_whole(source, "c"))
    numbers = {name: array("H", data) for name, data in packed.items()}
    return {name: unpack_free_names(each, numbers[TAKEN]) for name, each in numbers.items() if name != TAKEN}


def test_what_the_file_binds_is_left_out_and_the_rest_keeps_place_and_role() -> None:
    call, read = ReferenceKind.CALL, ReferenceKind.READ
    assert take(SOURCE) == {
        "kfree": FreeName(((8, 1, call), (10, 64, read)), texts=(3,)),
        "other": FreeName(((10, 25, read),)),
        "shadow": FreeName(((10, 33, read),)),
        "call": FreeName(((10, 56, call),)),
        "SIZE": FreeName(((12, 17, read),)),
        "item_t": FreeName(((12, 37, ReferenceKind.ANNOTATE),)),
    }


def test_places_that_do_not_fit_leave_the_whole_file_to_be_read() -> None:
    assert C.pack_free_names(*extract_whole(SOURCE, "c"))
    for source in (SOURCE + b"int far = " + b" " * 4_200 + b"away;\n", SOURCE + b"\n" * 70_000 + b"int far = away;\n"):
        assert C.pack_free_names(*extract_whole(source, "c")) == {}


def test_a_file_that_says_nothing_is_known_to_have_been_read() -> None:
    assert C.pack_free_names(FileFacts("c"), FileUses((), {}, {})).keys() == {TAKEN}


def test_outline_and_uses_of_one_parse_are_those_of_two() -> None:
    for source, language in ((SOURCE, "c"), (b"class A { int b; };\nint c(A a) { return a.b; }\n", "cpp")):
        facts, uses = extract_whole(source, language)
        assert facts == extract_facts(source, language)
        assert uses == extract_uses(source, language, facts)


def test_an_index_asks_for_the_loose_names_of_c_alone() -> None:
    for source, language, has_loose in ((SOURCE, "c", True), (b"def f(): g()\n", "python", False)):
        facts = perform(Task(source, language, Want.INDEX))
        assert isinstance(facts, PackedFacts)
        assert bool(facts.loose) == has_loose
        assert facts == PackedFacts.of(extract_facts(source, language), facts.loose)


def test_parts_of_an_outline_are_those_of_the_whole() -> None:
    odd = SOURCE + b"int K_free, kF_ree;\n"
    for source in (odd, odd + b"int k\xfffree;\n// \xff\nint \xff_x;\n"):
        data = encode_facts(extract_facts(source, "c"))
        facts = decode_facts(data)
        assert decode_import_lines(data) == tuple((each.module, each.level) for each in facts.imports)
        for folded in {fold_name(each.name) for each in facts.symbols} | {"kfree", "none"}:
            named = tuple((at, each) for at, each in enumerate(facts.symbols) if fold_name(each.name) == folded)
            assert decode_symbols_named(data, folded) == named
