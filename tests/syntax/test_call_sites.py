"""Functions that are parsed without the rest of their file are read as they are within it."""

from __future__ import annotations

from pathlib import Path

import pytest

import avionics
from avionics.syntax import call_sites
from avionics.syntax.call_sites import list_parts, read_calls, read_signatures
from avionics.syntax.extract import extract_facts

_FILES = sorted((Path(avionics.__file__).parent / "index" / "types").rglob("*.py"))

_NESTED = """\
import run

run(1)


class Cart:
    @run(2, key=3)
    def add(self, item, *, count=1):
        def inner(a, /, b): return run(a, b)
        return inner(
            item, run(*count),
        )

    total = property(lambda self: run(4))


if run:
    def late(value=run()): run("é", run(5, 6))
"""


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_parts_read_like_the_whole_file(path: Path) -> None:
    _compare(path.read_bytes())


def test_nested_and_decorated_functions_read_like_the_whole_file() -> None:
    found = _compare(_NESTED.encode())
    assert {shape.positional for shape in found.values()} == {0, 1, 2}


def test_only_the_function_with_the_place_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    content = ("x = 1\n" * 50 + "def run(a): walk(a, 2)\n").encode()
    parts = list_parts(extract_facts(content, "python"))
    parsed: list[bytes] = []
    parse = call_sites.grammars.parse
    monkeypatch.setattr(call_sites.grammars, "parse", lambda code, grammar: parsed.append(code) or parse(code, grammar))
    assert read_calls(content, "python", [(51, 12)], parts)[51, 12].positional == 2
    assert parsed == [b"def run(a): walk(a, 2)"]


def test_a_file_that_does_not_parse_has_no_parts() -> None:
    assert list_parts(extract_facts(b"def run(a): ...\n\n\ndef (:\n", "python")) == ()


def _compare(content: bytes) -> dict[tuple[int, int], call_sites.CallShape]:
    """Compare what is read of each name, alone in its part and in the whole file, and return what calls pass."""
    facts = extract_facts(content, "python")
    parts = list_parts(facts)
    lines = content.decode().split("\n")
    places = [
        (number, column)
        for number, line in enumerate(lines, 1)
        for column, char in enumerate(line)
        if (char.isalpha() or char == "_") and not (column and (line[column - 1].isalnum() or line[column - 1] == "_"))
    ]
    names = [(each.line, each.column) for each in facts.symbols]
    whole = read_calls(content, "python", places)
    signatures = read_signatures(content, "python", names)
    inside = [place for place in places if any(first <= place[0] <= last for first, last in parts)]
    found = {}
    for part in parts:
        own = [place for place in inside if part[0] <= place[0] <= part[1]]
        padded = content + b"\n" * 2 * len(lines)  # A part is parsed alone only if it is a small share of the file.
        found.update(read_calls(padded, "python", own, parts))
        named = [name for name in names if part[0] <= name[0] <= part[1]]
        apart = read_signatures(padded, "python", named, parts)
        assert apart == {name: signatures[name] for name in named if name in signatures}
    assert found == {place: shape for place, shape in whole.items() if place in set(inside)}
    return found
