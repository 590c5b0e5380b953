"""Runs the Markdown suites: what a reference means, and what must not be claimed.

A heading is a test. Fenced blocks whose first word after the language is a path are its files. Under a line of code, a
comment whose caret stands under a name asserts about that name:

    # ^ resolves: a.py:3, b.py:7    the definitions it leads to, and no other
    # ^ resolves:                   nothing is claimed
    # ^ possible: a.py:3            as `resolves`, and it may mean any other definition of the name as well
    # ^ used exactly: a.py:3, b.py:7    where the symbol defined there is used, and that this is all
    # ^ used at least: a.py:3       the same, where there may be more
    # ^ unused:                     `avionics unused` reports the symbol defined there; public or not
    # ^ may be used:                it does not, though no use is found
    # ^ defines: method A.f         a symbol of that kind and qualified name is defined there
"""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from avionics.index import modules
from avionics.index.analysis.unused_code import Unused, Use
from avionics.index.code_index import CodeIndex
from avionics.index.facts.worker_pool import get_pool
from avionics.index.model.values import Module, Variable
from avionics.model.enums import Certainty
from avionics.model.knowledge import Definition
from avionics.settings import Settings
from avionics.syntax import languages, registry
from avionics.workspace import Workspace
from tests.conftest import write_files

_HERE = Path(__file__).parent
_GUIDE = _HERE.parents[1] / "docs" / "adding-a-language.md"
_SUITES = sorted([*_HERE.glob("*.md"), *(_HERE.parent / "languages").glob("*.md")])
_FENCE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.M | re.S)
_BLOCK = re.compile(r"^## [^\n]*?`([^`]+)`\n(?:(?!^## )[^\n]*\n)*?^(`{3,})\w+\n(.*?)^\2$", re.M | re.S)
_ASSERTION = re.compile(
    r'^\s*"?(?:#|//|--)[^\^]*(\^) (resolves|possible|used exactly|used at least|unused|may be used|defines):([^"\\]*)'
)


@attrs.frozen
class Case:
    name: str
    files: tuple[tuple[str, str], ...]


@attrs.frozen
class Assertion:
    file: str
    line: int
    column: int
    verb: str
    expected: str


def read_cases() -> list[Case]:
    return [case for suite in _SUITES for case in cases_of(suite.stem, suite.read_text(encoding="utf-8"))]


def cases_of(suite: str, text: str) -> list[Case]:
    sections = re.split(r"^## ", text, flags=re.M)[1:]
    return [Case(f"{suite}: {each.partition(chr(10))[0].strip()}", tuple(_FENCE.findall(each))) for each in sections]


def read_assertions(file: str, text: str) -> list[Assertion]:
    found, code_line = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        match = _ASSERTION.match(line)
        if match is None:
            code_line = number
        else:
            found.append(Assertion(file, code_line, match.start(1), match[2], match[3].strip()))
    return found


def meaning_of(code: CodeIndex, asserted: Assertion) -> str:
    for references in code.uses(asserted.file).references.values():
        for reference in references:
            if (reference.line, reference.column) == (asserted.line, asserted.column):
                found = code.resolver.resolve(asserted.file, reference)
                if asserted.verb == "possible" and found.unknown is None:
                    return "(settled)"
                return ", ".join(sorted({place for target in found.targets for place in places_of(code, target)}))
    return "(no reference stands there)"


def places_of(code: CodeIndex, target: object) -> list[str]:
    if isinstance(target, Variable):
        bindings = code.resolver.scopes.bindings(target)
        definitions = [binding for binding in bindings if binding.symbol >= 0] or bindings[:1]
        imported = all(binding.imported >= 0 for binding in bindings)
        return [] if imported else [f"{target.file}:{binding.line}" for binding in definitions]
    return [target.file or target.directory] if isinstance(target, Module) else []


def definition_at(code: CodeIndex, asserted: Assertion) -> str:
    for symbol in code.facts(asserted.file).symbols:
        if (symbol.line, symbol.column) == (asserted.line, asserted.column):
            return f"{symbol.kind.value} {symbol.qualname}"
    return ""


def usages_of(code: CodeIndex, asserted: Assertion) -> str:
    for index, symbol in enumerate(code.facts(asserted.file).symbols):
        if (symbol.line, symbol.column) == (asserted.line, asserted.column):
            report = code.graph.usages(Definition(asserted.file, symbol, index))
            if asserted.verb != f"used {_CERTAINTIES[report.certainty]}":
                return f"(used {_CERTAINTIES[report.certainty]})"
            places = {(usage.file, usage.line) for usage in report.usages}
            return ", ".join(f"{file}:{line}" for file, line in sorted(places))
    return "(nothing is defined there)"


def use_of(code: CodeIndex, asserted: Assertion) -> str:
    for index, symbol in enumerate(code.facts(asserted.file).symbols):
        if (symbol.line, symbol.column) == (asserted.line, asserted.column):
            judge = Unused(code.source, code.graph, code.resolver, code.unseen)
            use = judge.judge(Definition(asserted.file, symbol, index)).use
            return "" if _USES[use] == asserted.verb else f"({use.value})"
    return "(nothing is defined there)"


_USES = {Use.UNUSED: "unused", Use.UNKNOWN: "may be used", Use.USED: "used"}
_CERTAINTIES = {Certainty.EXACT: "exactly", Certainty.AT_LEAST: "at least", Certainty.UNKNOWN: "unknown"}
_ANSWERS = {"defines": definition_at, "used exactly": usages_of, "used at least": usages_of,
            "unused": use_of, "may be used": use_of}  # fmt: skip


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_a_name_means_what_the_language_says(case: Case, tmp_path: Path) -> None:
    hold_to(case, tmp_path)


def test_the_guide_to_adding_a_language_adds_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = {path: text for path, _, text in _BLOCK.findall(_GUIDE.read_text(encoding="utf-8"))}
    code = {path: text for path, text in blocks.items() if path.endswith(".py")}
    assert sum(len(text.splitlines()) for text in code.values()) <= 100
    write_files(tmp_path, {str(Path(path).relative_to("avionics")): text for path, text in code.items()})
    for package, folder in ((languages, "syntax/languages"), (modules, "index/modules")):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / folder)])
    monkeypatch.setattr(registry, "LANGUAGES", {**registry.LANGUAGES, "lua": (".lua",)})
    worker = get_pool().first
    worker.stop()
    monkeypatch.setattr(worker, "_can_start", False)  # a process of its own would not know the language
    cached = (registry._suffixes, registry.require_spec, registry.require_rules)
    for function in cached:
        function.cache_clear()
    try:
        for case in cases_of("guide", blocks["tests/languages/lua.md"]):
            hold_to(case, tmp_path / "case")
    finally:
        for function in cached:
            function.cache_clear()


def hold_to(case: Case, tmp_path: Path) -> None:
    root = write_files(tmp_path / "root", dict(case.files))
    asserted = [assertion for path, text in case.files for assertion in read_assertions(path, text)]
    assert asserted, "a case without an assertion proves nothing"
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        code = workspace.code
        said = {(a.file, a.line, a.column): _ANSWERS.get(a.verb, meaning_of)(code, a) for a in asserted}
    assert said == {(a.file, a.line, a.column): a.expected for a in asserted}


def test_half_of_the_assertions_are_refusals_or_nearly() -> None:
    expected = [
        assertion.expected
        for case in read_cases()
        for path, text in case.files
        for assertion in read_assertions(path, text)
        if assertion.verb in {"resolves", "possible"}
    ]
    refusals = sum(1 for text in expected if not text)
    assert 0.35 <= refusals / len(expected) <= 0.65
