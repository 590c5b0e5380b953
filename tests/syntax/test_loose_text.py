"""Loose names that a text tells without a parser: those that a parser finds, or none."""

from __future__ import annotations

from array import array

import pytest
from msgspec import structs

from avionics.index.facts.text_scan import find_places
from avionics.syntax.engine.free_names import TAKEN, FreeName, unpack_free_names
from avionics.syntax.extract import extract_whole
from avionics.syntax.registry import require_rules

C = require_rules("c").textual

CERTAIN = (
    "int f(int a)\n{\n\treturn take(a) + take(a + 1);\n}\n",
    "int f(int a)\n{\n\tif (a && !take(a))\n\t\ttake(take(a));\n\telse\n\t\ttake(1);\n}\n",
    "int f(int a)\n{\n\tdo\n\t\ttake(2);\n\twhile (a);\n}\n",
    "void f(struct s *p)\n{\n\tp->x = take(p->y)->take;\n\tp->take(1);\n}\n",
    "void f(void)\n{\n\tswitch (1) {\n\tcase 1:\n\t\ttake(2);\n\t}\n}\n",
    'void f(void)\n{\n\tsay("take(1)", \'"\', take(1));\n\treturn; /* take(2) */\n}\n/* and\n * take(3)\n */\n',
    "struct ops o = {\n\t.take = take,\n\t.give = (void *)1,\n};\nvoid f(void)\n{\n\to.x = take;\n}\n",
    "#ifdef A\nvoid f(void)\n{\n\ttake(1);\n}\n#else\nvoid f(void)\n{\n\ttake(2);\n}\n#endif\n",
    "int g(void)\n{\n\treturn 1;\n}\n",
)
LEFT = (
    "int take(int a)\n{\n\treturn a;\n}\n",
    "int take(int a);\n",
    "static int *take(int a);\n",
    "#define give take(1)\n",
    "#define give \\\n\ttake(1)\n",
    "void f(int take)\n{\n\tuse(take);\n}\n",
    "void f(void)\n{\n\tint (*take)(int) = 0;\n\ttake(1);\n}\n",
    "enum e { give, take };\n",
    "void f(void)\n{\n\ttake(x) {\n\t\tg();\n\t}\n}\n",
    "take(1);\n",
    "class A { void f() { take(1); } };\n",
    "void f(void)\n{\n\tg(a // take(1)\n\t);\n}\n",
    'char *s = "/*";\nvoid f(void)\n{\n\ttake(1);\n}\n',
    "void f(void)\n{\n\tgoto take;\ntake:\n\tg();\n}\n",
    "void f(void)\n{\n\tif (a\n#ifdef B\n\t    && b) {\n#else\n\t    && take(1)) {\n#endif\n\t\tg();\n\t}\n}\n",
)


def parsed(text: str) -> FreeName:
    packed = {name: array("H") for name in ("take", TAKEN)}
    facts, uses = extract_whole(text.encode(), "c")
    found = C.pack_free_names(facts, uses)
    for name, numbers in packed.items():
        numbers.frombytes(found.get(name, b""))
    loose = unpack_free_names(packed["take"], packed[TAKEN])
    is_said = any(symbol.name == "take" and C.is_outermost(symbol) for symbol in facts.symbols)
    return structs.replace(loose, is_bound=loose.is_bound or is_said)


@pytest.mark.parametrize("text", CERTAIN)
def test_what_a_text_tells_is_what_a_parser_finds(text):
    skimmed = C.scan_free_names(text.encode(), find_places(text.encode(), "take"))
    assert skimmed is not None
    assert sorted(skimmed.uses) == sorted(parsed(text).uses)
    assert not parsed(text).texts
    assert not parsed(text).is_bound


@pytest.mark.parametrize("text", LEFT)
def test_what_a_text_does_not_tell_is_left_to_the_parser(text):
    assert C.scan_free_names(text.encode(), find_places(text.encode(), "take")) is None
