"""Languages of the long tail: their definitions are read by the habits of grammars."""

from __future__ import annotations

from pathlib import Path

import pytest

from avionics.model.enums import Certainty
from avionics.model.reasons import Reason, ReasonKind
from avionics.settings import Settings
from avionics.syntax.extract import extract_facts
from avionics.syntax.registry import LANGUAGES, LONG_TAIL, get_language
from avionics.workspace import Workspace


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.lua", "-- Adds.\nlocal function add(a, b) return a end\n", [("function add", "Adds.")]),
        ("a.sh", "# Runs.\nrun() { echo 1; }\n", [("function run", "Runs.")]),
        (
            "a.scala",
            "class Foo(x: Int) { def bar(y: Int): Int = x + y }\ntrait T { def z: Int }\n",
            [("class Foo", ""), ("method Foo.bar", ""), ("interface T", ""), ("method T.z", "")],
        ),
        (
            "a.swift",
            "protocol P { func f() }\nfunc g() { let x = 1 }\n",
            [("interface P", ""), ("method P.f", ""), ("function g", "")],
        ),
        ("a.proto", "message Foo { string a = 1; }\nenum E { A = 0; }\n", [("class Foo", ""), ("enum E", "")]),
        ("a.lua", "x = add(1)\n", []),
    ],
)
def test_definitions_are_read_without_knowing_the_language(
    path: str, text: str, expected: list[tuple[str, str]]
) -> None:
    facts = extract_facts(text.encode(), get_language(path) or "")
    assert [(f"{s.kind.value} {s.qualname}", s.doc) for s in facts.symbols] == expected


def test_no_ending_belongs_to_two_languages() -> None:
    endings = [ending for table in (LONG_TAIL, LANGUAGES) for endings in table.values() for ending in endings]
    assert sorted(endings) == sorted(set(endings))


def test_usages_in_a_language_whose_uses_are_not_read_are_unknown_not_none(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.lua").write_text("function add(a) return a end\nprint(add(1))\n")
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        (definition,) = workspace.code.find_definitions("add")
        report = workspace.code.usages(definition)
    assert (report.usages, report.certainty) == ((), Certainty.UNKNOWN)
    assert report.reasons == (Reason(ReasonKind.USAGES_UNSUPPORTED, 1, subject="lua"),)
