"""Languages own their rules: elsewhere no literal names a language, a file suffix of one, or a measured repository."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from msgspec import Struct

from avionics.syntax.registry import LANGUAGES, LONG_TAIL, conventions_of, require_spec

OWNERS = ("avionics/syntax/languages/", "avionics/syntax/registry.py", "avionics/index/modules/")
"""What may name languages: their packages, the list of them, and the module systems."""

OTHER_MEANINGS = {
    ("avionics/cli/shell/completion.py", "bash"): "a shell of the user",
    ("avionics/connect/blocks.py", ".nvim.lua"): "a configuration of an editor",
    ("avionics/connect/blocks.py", ".config/nvim/after/plugin/avionics.lua"): "a configuration of an editor",
    ("avionics/connect/blocks.py", "notebook"): "what no editor calls a language",
    ("avionics/connect/blocks.py", "tsx"): "what an editor calls a language",
    ("avionics/connect/blocks.py", "jsx"): "what an editor calls a language",
    ("avionics/connect/blocks.py", "csharp"): "what an editor calls a language",
    ("avionics/source/tree.py", "python"): "the name of a search engine, beside ripgrep",
    ("avionics/tools/builtin/python.py", "python"): "the language of the code that the tool runs",
    ("avionics/tools/builtin/python.py", "javascript"): "the language of the code that the tool runs",
    ("avionics/tools/builtin/python.py", "main.js"): "a file of our own",
    ("avionics/tools/builtin/chart.py", "html"): "the form of a picture",
    ("avionics/tools/builtin/python.py", "main.py"): "a file of our own",
    ("avionics/tools/builtin/tables/duckdb_runner.py", "duckdb_worker.py"): "a file of our own",
    ("avionics/tools/builtin/tables/duckdb_runner.py", "values.py"): "a file of our own",
    ("avionics/tools/configured/local_tools.py", "python"): "the language of the code that the tool runs",
    ("avionics/tools/configured/local_tools.py", "javascript"): "the language of the code that the tool runs",
    ("avionics/tools/secrets/secret_scan.py", "wp-config.php"): "a file that holds secrets",
}
NAMES = frozenset((*LANGUAGES, *LONG_TAIL))
SUFFIXES = frozenset(suffix for table in (LANGUAGES, LONG_TAIL) for suffixes in table.values() for suffix in suffixes)
SUFFIX_IN_PATTERN = re.compile(rf"\\\.\(?(?:\?:)?(?:\w+\|)*(?:{'|'.join(re.escape(each[1:]) for each in SUFFIXES)})\b")
"""A suffix in a regular expression: its dot is escaped."""

SUFFIX_OF_NAME = re.compile(rf"\w(?:{'|'.join(map(re.escape, SUFFIXES))})\Z")
"""The name of a file, such as `setup.py`."""

TYPE_MEANINGS = {
    "avionics/index/verdicts/calls/misfits.py": "the decorators of all languages that keep parameters",
    "avionics/index/references/implicit/decorator_effects.py": "a function that returns another one",
}
"""Where names of types and decorators stand among those of other languages, or mean something else."""

WORDS = frozenset({"Any", "Self", "Type", "copy", "field", "frozen", "type"})
"""Names of a language's types and decorators that are words of other languages or of prose."""

REPOSITORIES = frozenset(
    {
        "axios", "celery", "cobra", "django", "flask", "gin", "gson", "hono", "leveldb", "okio", "redis", "retrofit",
        "scrapy", "serilog", "werkzeug", "zod",
    }
)  # fmt: skip
"""Repositories that figures were measured on, without those whose names are plain words or languages."""

REPOSITORY_NAME = re.compile(rf"(?i)\b(?:{'|'.join(sorted(REPOSITORIES))})\b")


def docstrings(module) -> set[int]:
    return {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}


def read_names(value) -> Iterator[str]:
    """Yield the names in the tables of a language."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, frozenset)):
        yield from value
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from read_names(getattr(value, name))


def find_type_names() -> frozenset[str]:
    """Return the names of special types, decorators and bases that languages own."""
    tables = [require_spec(language).type_forms for language in LANGUAGES]
    for suffixes in LANGUAGES.values():
        conventions = conventions_of(f"a{suffixes[0]}")
        tables += [conventions.decorators, conventions.records, conventions.tests.fixtures]
    names = frozenset(name for table in tables for name in read_names(table))
    return frozenset(name for name in names - WORDS if not name.startswith("__"))


TYPE_NAMES = find_type_names()


def type_literals(module) -> Iterator[str]:
    """In the index, no literal is the name of a special type, a decorator or a base of one language."""
    if not module.path.startswith("avionics/index/") or module.path.startswith((*OWNERS, *TYPE_MEANINGS)):
        return
    told = docstrings(module)
    for node in module.nodes:
        is_name = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
        if is_name and node.value in TYPE_NAMES:
            yield f"{node.lineno} {node.value!r}"


def language_literals(module) -> Iterator[str]:
    if module.path.startswith(OWNERS):
        return
    told = docstrings(module)
    for node in module.nodes:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, (str, bytes)) or id(node) in told:
            continue
        text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        is_file = " " not in text and (SUFFIX_IN_PATTERN.search(text) or SUFFIX_OF_NAME.search(text))
        if (text in NAMES or text in SUFFIXES or is_file) and (module.path, text) not in OTHER_MEANINGS:
            yield f"{node.lineno} {text!r}"


def repository_names(module) -> Iterator[str]:
    """Rules for entry points name frameworks, and the help of the command line shows a well-known repository."""
    if module.path.startswith("avionics/cli/") or module.path.endswith("/entry_points.py"):
        return
    for number, line in enumerate(module.text.split("\n"), 1):
        if found := REPOSITORY_NAME.search(line):
            yield f"{number} {found[0]}"


def test_no_literal_outside_the_languages_names_one(check_rule):
    check_rule(language_literals)


def test_no_literal_of_the_index_is_a_special_type_or_decorator(check_rule):
    assert {"Optional", "contextmanager", "NamedTuple", "fixture"} <= TYPE_NAMES
    check_rule(type_literals)


def test_the_product_names_no_measured_repository(check_rule):
    check_rule(repository_names)


def test_other_meanings_are_still_there(product):
    found = {
        (module.path, node.value)
        for module in product
        for node in module.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(OTHER_MEANINGS) <= found


@pytest.mark.parametrize(
    "code",
    [
        'if language != "rust": pass', 'RULES = {"go": 1}', 'path.endswith(".kt")', 're.compile(r"_test\\.go$")',
        'name == "setup.py"', 'data.endswith(b".h")', 're.compile(r"\\.(java|kt|cs)$")',
    ],
)  # fmt: skip
def test_a_language_literal_is_seen(plant, code):
    assert len(list(language_literals(plant("avionics/index/x.py", code)))) == 1
    assert not list(language_literals(plant("avionics/syntax/languages/lua/spec.py", code)))


def test_a_special_type_is_seen(plant):
    assert list(type_literals(plant("avionics/index/x.py", 'last in {"Union"}')))
    assert not list(type_literals(plant("avionics/syntax/languages/python/x.py", 'last in {"Union"}')))


def test_prose_and_other_words_are_no_language_literals(plant):
    code = '"""In python."""\nHINT = "a glob: src/**/*.py"\nKIND = "class"\nPATTERN = r"\\.\\w+"\n'
    assert not list(language_literals(plant("avionics/index/x.py", code)))


def test_a_repository_name_is_seen(plant):
    assert list(repository_names(plant("avionics/index/x.py", "# as Flask does\nOTHER = 'flasks'\n"))) == ["1 Flask"]
