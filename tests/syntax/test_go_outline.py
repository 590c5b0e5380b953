"""The outline of Go files: signatures, documentation, imports."""

from __future__ import annotations

from avionics.model.facts import FileFacts
from avionics.syntax.extract import extract_facts


def outline(text: str) -> FileFacts:
    return extract_facts(text.encode(), "go")


def test_a_signature_ends_before_the_body() -> None:
    facts = outline(
        "package a\n\nfunc (s *Server[T]) Run(\n\tctx Context,\n\targs ...string,\n) (err error) {\n}\n"
        'type Server[T any] struct {\n\tName, Alias string `json:"name"`\n\t*Base\n}\n'
        "type Reader interface {\n\tRead(p []byte) (n int, err error)\n}\ntype Table map[string]int\n"
        "const (\n\tOne = 1\n\tTwo\n)\n"
    )
    assert [(symbol.qualname, symbol.signature) for symbol in facts.symbols] == [
        ("Server.Run", "func (s *Server[T]) Run(ctx Context, args ...string) (err error)"),
        ("Server", "type Server[T any] struct"),
        ("Server.Name", "Name, Alias string"),
        ("Server.Alias", "Name, Alias string"),
        ("Reader", "type Reader interface"),
        ("Reader.Read", "Read(p []byte) (n int, err error)"),
        ("Table", "type Table map[string]int"),
        ("One", "One = 1"),
        ("Two", "Two"),
    ]
    assert facts.symbols[1].bases == ("Base",)


def test_documentation_is_the_comment_right_above() -> None:
    facts = outline(
        "// Copyright of somebody.\n\n// Package a does\n// things.\n//\n// And more.\npackage a\n\n"
        "// Not this.\n\n// Run runs.\n//\n//go:noinline\nfunc Run() {}\n\n/*\nStop stops.\n\n"
        "Later.\n*/\nfunc Stop() {}\n\nfunc Bare() {}\n"
    )
    assert facts.doc == "Package a does things."
    assert [symbol.doc for symbol in facts.symbols] == ["Run runs.", "Stop stops.", ""]


def test_names_with_a_capital_are_exported() -> None:
    facts = outline("package a\nvar Open, closed = 1, 2\nfunc _() {}\nvar _ = 3\nfunc Ünlaut() {}\n")
    assert [(symbol.name, symbol.exported) for symbol in facts.symbols] == [
        ("Open", True),
        ("closed", False),
        ("Ünlaut", True),
    ]


def test_an_import_is_called_what_its_package_most_likely_is() -> None:
    facts = outline(
        'package a\n\nimport (\n\t"net/http"\n\t"gopkg.in/yaml.v3"\n\t"a.com/go-redis/v9"\n\t"a.com/x/go-y"\n'
        '\tz "a.com/q"\n\t. "a.com/dot"\n\t_ "a.com/blank"\n)\n\nvar _ = redis.X\nvar _ = yaml.X\n'
    )
    assert [(found.module, found.name, found.alias) for found in facts.imports] == [
        ("net/http", "", "http"),
        ("gopkg.in/yaml.v3", "", "yaml"),
        ("a.com/go-redis/v9", "", "redis"),
        ("a.com/x/go-y", "", "y"),
        ("a.com/q", "", "z"),
        ("a.com/dot", "*", ""),
        ("a.com/blank", "", "_"),
    ]


def test_types_within_functions_are_known_and_variables_are_not() -> None:
    facts = outline("package a\n\nfunc run() {\n\ttype point struct{ x int }\n\tvar y point\n\t_ = y\n}\n")
    assert [symbol.qualname for symbol in facts.symbols] == ["run", "run.point", "run.point.x"]
