"""Outlines: what a file defines, as one quick walk tells."""

from __future__ import annotations

import pytest

from avionics.model.facts import FileFacts, Import, ParseProblem
from avionics.syntax.extract import extract_facts, extract_whole


def outline(text: str) -> FileFacts:
    return extract_facts(text.encode("utf-8", "surrogateescape"), "python")


def test_a_signature_is_one_line_however_it_was_broken() -> None:
    facts = outline(
        "class A(\n    Base,  # why\n    metaclass=M,\n):\n"
        "    @route(  # type: ignore\n        '/x',\n    )\n"
        "    def f(  # type: ignore\n        self,\n        x: dict[str, int] = {'#': 1},\n    ) -> str: ...\n"
        "X = [\n    1,\n    2,\n]\n"
    )
    assert [symbol.signature for symbol in facts.symbols] == [
        "class A(Base, metaclass=M)",
        "def f(self, x: dict[str, int] = {'#': 1}) -> str",
        "X = [1, 2]",
    ]
    assert facts.symbols[1].decorators == ("route('/x')",)


def test_lines_are_counted_by_newline_alone() -> None:
    facts = outline("x = 1\r# a\x0b b\x0c c\u2028d\x85e\ndef after(): ...\n")
    assert [(symbol.name, symbol.line) for symbol in facts.symbols] == [("x", 1), ("after", 2)]
    assert facts.lines == 2


def test_columns_are_counted_in_characters() -> None:
    facts = outline('größe = "ä"; wert = 2\n')
    assert [(symbol.name, symbol.column) for symbol in facts.symbols] == [("größe", 0), ("wert", 13)]


def test_a_syntax_error_costs_only_its_place() -> None:
    facts = outline("def before(): ...\n\nif (:\n\ndef after(): ...\n")
    assert {"before", "after"} <= {symbol.name for symbol in facts.symbols}
    assert [type(problem) for problem in facts.problems] == [ParseProblem] * len(facts.problems)
    assert facts.problems[0].line in {3, 4, 5}


def test_bytes_of_no_encoding_survive() -> None:
    facts = extract_facts(b"name = '\xff\xfe'\ndef f(): ...\n", "python")
    assert [symbol.name for symbol in facts.symbols] == ["name", "f"]
    assert facts.symbols[0].signature == "name = '\udcff\udcfe'"


def test_deep_nesting_ends_and_is_an_outline_all_the_same() -> None:
    deep = (
        "x = "
        + "(" * 20_000
        + ")" * 20_000
        + "\n"
        + "".join(" " * i + "if a:\n" for i in range(500))
        + "def f(): ...\n"
    )
    assert outline(deep).lines > 500


def test_imports_and_exports_are_read_wherever_they_stand() -> None:
    facts = outline(
        "__all__ = ['a']\n__all__ += ['b']\n__all__.append('c')\n"
        "try:\n    from .x import y as z\nexcept ImportError:\n    import os.path\n"
        "def f():\n    from ..m import *\n"
    )
    assert facts.exports == ("a", "b", "c")
    assert facts.imports == (
        Import("x", "y", "z", 1, 5, 19),
        Import("os.path", "", "os", 0, 7, 11),
        Import("m", "*", "", 2, 9, 20, lazy=True),
    )


def test_members_are_those_of_the_class_and_of_its_methods() -> None:
    facts = outline(
        "class A:\n    size: int = 1\n"
        "    def f(self):\n        self.rows = self.rows = []\n        other.x = 1\n        local = 2\n"
        "    @property\n    def p(self): ...\n"
    )
    assert [(symbol.kind.value, symbol.qualname) for symbol in facts.symbols] == [
        ("class", "A"),
        ("attribute", "A.size"),
        ("method", "A.f"),
        ("attribute", "A.rows"),
        ("property", "A.p"),
    ]


@pytest.mark.parametrize(
    ("language", "start", "definition"),
    [
        ("typescript", 'use("/**");\n', "export function serve(): void {}\n"),
        ("javascript", "/* Another comment. */\n", "function serve() {}\n"),
        ("java", "class A {\n", "void serve() {} }\n"),
        ("go", "package a\n", "func serve() {}\n"),
        ("c", "", "void serve(void) {}\n"),
    ],
)
def test_a_comment_that_quotes_a_glob_is_read_from_its_start(language, start, definition) -> None:
    text = f'{start}/**\n * Serves it.\n *\n * use("/api/**", serve);\n */\n{definition}'
    symbols = extract_facts(text.encode(), language).symbols
    assert [symbol.doc for symbol in symbols if symbol.name == "serve"] == ["Serves it."]


def test_a_signature_has_no_comments() -> None:
    text = (
        "function f(\n  options: {\n    /**\n     * Use `x-y`.\n     */\n    x?: string; // not y\n  },\n): void {}\n"
    )
    (found, *_) = extract_facts(text.encode(), "typescript").symbols
    assert found.signature == "function f(options: {x?: string;}): void"


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"!function(e){" + b"e.pack=function(n){return n};" * 100 + b"function packed(){}}(window)\n", []),
        (
            b"const rows = [" + b"{ id: 1, name: 'a' }, " * 200 + b"]\nfunction pick(a) { return rows[a] }\n",
            ["rows", "pick"],
        ),
        (b"function pick(a) { return a }\nconst all = () => pick(1)\n" * 100, ["pick", "all"] * 100),
    ],
    ids=["minified", "data", "plain"],
)
def test_minified_code_defines_nothing(content, names):
    assert [each.name for each in extract_facts(content, "javascript").symbols] == names


def test_a_translation_of_qt_has_no_code_though_its_name_is_that_of_typescript() -> None:
    content = b'<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS><name>Cart</name>\nfunction total() { return price }\n</TS>\n'
    facts, uses = extract_whole(content, "typescript")
    assert (facts.symbols, facts.problems, dict(uses.references)) == ((), (), {})
    assert "total" in dict(facts.words)


def test_an_element_at_the_beginning_of_a_program_is_code() -> None:
    _, uses = extract_whole(b"<View/>;\nrender(total);\n", "tsx")
    assert {"View", "total"} <= set(uses.references)


def test_a_comment_for_a_tool_is_no_documentation_of_the_code_below_it() -> None:
    text = (
        "/** Loads it. */\n/* v8 ignore next */\nexport function load(): void {}\n\n"
        "// Says hello.\n// eslint-disable-next-line no-console\nexport function hello(): void {}\n\n"
        "/* istanbul ignore next */\nexport function bare(): void {}\n"
    )
    found = extract_facts(text.encode(), "typescript").symbols
    assert [(each.name, each.doc) for each in found] == [("load", "Loads it."), ("hello", "Says hello."), ("bare", "")]


def test_a_comment_among_the_members_of_an_enum_is_the_documentation_of_the_next_one() -> None:
    text = "enum Kind {\n  /**\n   * Sent first.\n   */\n  FIRST = 'first', // not last\n  LAST,\n}\n"
    facts = extract_facts(text.encode(), "typescript")
    assert [(symbol.qualname, symbol.doc) for symbol in facts.symbols] == [
        ("Kind", ""),
        ("Kind.FIRST", "Sent first."),
        ("Kind.LAST", ""),
    ]
