"""What is written to cost: every kind of file in every language, within its time, its memory and all patience."""

from __future__ import annotations

import os
import resource

import pytest

from avionics.index.facts.worker_process import Worker
from avionics.index.facts.worker_protocol import Task, Want
from avionics.store.codec import PackedFacts, ParseFailure, encode_uses
from avionics.store.payload import to_payload
from avionics.syntax.engine.embedded_code import cells, scripts
from avionics.syntax.engine.grammars import has_grammar
from avionics.syntax.extract import extract_facts, extract_uses
from avionics.syntax.registry import LANGUAGES, LONG_TAIL, has_long_tail, require_rules
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from tests.hostile.bombs import iter_bombs
from tests.hostile.repositories import Repository
from tests.timing import within_cost

LONG = int(os.environ.get("AVIONICS_LONG_TESTS") or 0)
SIZE = 600_000 if LONG else 700
MAX_FLOORS = 1_200 if LONG else 250
"""Processor time, in the floors of `within_cost`."""

MOST_BYTES = 300_000_000


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_kind_of_file_is_too_much_for_its_language(language):
    if not has_grammar(require_rules(language).grammar):
        pytest.skip("its grammar is not installed")

    def read(content):
        facts = extract_facts(content, language)
        to_payload(PackedFacts.of(facts))
        encode_uses(extract_uses(content, language, facts))

    for name, content in iter_bombs(language, SIZE):
        before = peak_bytes()
        within_cost(MAX_FLOORS, read, content)
        assert peak_bytes() - before < MOST_BYTES, name


@pytest.mark.parametrize("language", sorted(LONG_TAIL))
def test_no_kind_of_file_of_the_long_tail_ends_more_than_its_reader(language):
    """Perl's own parser ends its process over a few quotes."""
    if not has_long_tail():
        pytest.skip("its grammars are not installed")
    worker = Worker(cpu_seconds=1)
    for name, content in iter_bombs(language, SIZE):
        (found,) = worker.perform([Task(content, language, Want.INDEX)])
        assert isinstance(found, PackedFacts | ParseFailure), name
    worker.stop()


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024


HEAVY = {
    "cpp": b"A<" * 100_000 + b"int" + b">" * 100_000 + b" a;",
    "go": b"package p\ntype T " + b"struct{a " * 30_000,
    "c": b"int f(){return " + b"a." * 30_000 + b"b;}",
    "javascript": b"x=" + b"a()." * 20_000 + b"b",
    "notebook": b'"cell_type": "code"\n"source": [\n"\\ud800"\n',
}
"""What ended a process, a call or the machine's memory once."""


@pytest.mark.parametrize("language", HEAVY)
def test_what_was_too_much_once_is_no_more(language):
    content, before = HEAVY[language], peak_bytes()
    facts = extract_facts(content, language)
    encode_uses(extract_uses(content, language, facts))
    assert peak_bytes() - before < MOST_BYTES


@pytest.mark.parametrize(
    "part", [b"<script>", b"<script ", b"<script a='", b"</script ", b"<script>a</script>", b"type="]
)
def test_pages_are_read_in_a_time_that_grows_with_them(part):
    page = b"<script>f()</script>" + part * (500_000 // len(part))
    assert b"f()" in within_cost(100, scripts, page)


@pytest.mark.parametrize("part", [b"\\", b'"', b" ", b"[", b'"source": [\n', b'"source": [\n"a"\n'])
def test_notebooks_are_read_in_a_time_that_grows_with_them(part):
    book = b'"cell_type": "code"\n"source": [\n"f()\\n",\n"' + part * (500_000 // len(part))
    assert b"f()" in within_cost(100, cells, book)


def test_lists_of_lists_in_a_circle_do_not_double_with_each_turn(workspace):
    functions = "".join(
        f"def {own}(n):\n    if n:\n        return [a(n), b(n), c(n)]\n    return (a(n), b(n), c(n), Leaf())\n\n\n"
        for own in "abc"
    )
    leaf = "class Leaf:\n    def run(self):\n        return 1\n\n\n"
    use = "def use(n):\n    for each in a(n):\n        for other in each:\n            other.run()\n"
    opened = workspace({"grow.py": leaf + functions + use})
    answer = within_cost(100, explore_symbol_usage, opened, "run", attempts=1)
    assert (answer.coverage.found, answer.coverage.unresolved) == (1, 0)


MANIFESTS = {
    "extends-cycle": {"tsconfig.json": '{"extends": "./other.json"}', "other.json": '{"extends": "./tsconfig.json"}'},
    "extends-out": {
        "tsconfig.json": '{"extends": ["../../outside/secret.txt", "{OUTSIDE}/secret.txt", "/etc/passwd"]}'
    },
    "paths-out": {
        "tsconfig.json": '{"compilerOptions": {"baseUrl": "../..", "paths": {"*": ["{OUTSIDE}/*", "../*"]}}}'
    },
    "json-deep": {"package.json": '{"exports":' + '{".":' * 20_000, "tsconfig.json": "[" * 100_000},
    "json-nested": {"package.json": '{"name":"b","exports":' + '{"import":' * 900 + "1" + "}" * 901},
    "json-quotes": {"tsconfig.json": '"' + '\\"' * 400_000, "package.json": "/*" * 400_000},
    "json-kinds": {
        "package.json": '{"name": 1, "exports": [[[{}]]], "main": [], "imports": 3, "bin": [1]}',
        "tsconfig.json": '{"compilerOptions": [], "references": [1, {"path": 2}], "extends": {}}',
    },
    "json-wide": {
        "tsconfig.json": '{"compilerOptions":{"paths":{' + ",".join(f'"a{at}/*":["b"]' for at in range(20_000)) + "}}}"
    },
    "mod-spaces": {"go.mod": "module" + "\n" * 500_000, "x/go.mod": "replace a" + " " * 500_000},
    "mod-out": {"go.mod": "module m\nreplace a => ../../outside\nreplace b => {OUTSIDE}\nreplace c => ../..\n"},
    "cargo-out": {
        "Cargo.toml": '[package]\nname="a"\n[lib]\npath="../../outside/secret.py"\n[dependencies]\n'
        'b={path="{OUTSIDE}"}\n[[bin]]\npath="/etc/passwd"\n'
    },
    "cargo-deep": {"Cargo.toml": "a=" + "[" * 100_000, "x/Cargo.toml": "a." * 5_000 + "b=1"},
    "cargo-kinds": {
        "Cargo.toml": 'package=1\nlib=[]\nbin="a"\n[workspace]\nmembers=[[]]\ndependencies=3\n[target]\na=1\n'
    },
    "csproj": {"a.csproj": '<Using Include="' * 50_000, "g.cs": "global using" + "\n" * 300_000},
    "setup": {
        "setup.py": "console_scripts=" * 40_000,
        "pyproject.toml": "[project.scripts]\n" + "".join(f'a{at}="b:c"\n' for at in range(20_000)),
        "setup.cfg": "[options.entry_points]\nconsole_scripts =\n" + " a" * 90_000,
    },
}
CODE = {
    "a.ts": "import {b} from 'b'\nimport {c} from '#c'\nimport {d} from 'a1/d'\n"
    "export function f() { b(); c(); d() }\n",
    "a.go": 'package m\nimport "a/x"\nimport "m/y"\nfunc F() { x.G(); y.H() }\n',
    "src/lib.rs": "use b::c;\npub fn r() { c(); }\n",
    "a.cs": "using X;\nclass K { void M() { } }\n",
    "a.py": "import b\n\ndef p():\n    return b.c()\n",
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_may_say_anything(name, arena, ask, untouched):
    """Huge, deep, cyclic ones, and those that lead out: never followed, not even looked for."""
    root = arena.base / "repos" / f"manifest-{name}"
    root.mkdir()
    repository = Repository(arena, root)
    for file, text in {**CODE, **MANIFESTS[name]}.items():
        repository.write(file, text.replace("{OUTSIDE}", str(arena.outside)))
    untouched(root)
    for tool, given in (
        *(("find_references", {"symbol": symbol}) for symbol in ("f", "F", "r", "K", "p")),
        ("get_imports", {"path": "a.ts"}),
        ("get_imports", {"path": "a.go"}),
        ("map_module", {"path": "."}),
        ("trace_entry_point", {"entry": "a"}),
        ("get_dependencies", {"path": "src/lib.rs"}),
    ):
        answer = within_cost(500, ask, root, tool, attempts=1, **given)
        assert answer["class"] in {"success", "partial", "not_found", "validation_error"}, tool
        assert tool != "find_references" or answer["class"] in {"success", "partial"}


def test_a_chain_of_bases_and_a_cycle_of_imports_have_an_end(arena, ask):
    root = arena.base / "repos" / "chains"
    root.mkdir()
    repository = Repository(arena, root)
    repository.write(
        "a.py",
        "class A0: ...\n"
        + "".join(f"class A{at + 1}(A{at}): ...\n" for at in range(3_000))
        + "def use(x: A3000):\n    return x.nothing()\n",
    )
    repository.write(
        "A.java",
        "class A<T extends A<A<T>>> { A<T> a; }\nclass B extends C {}\nclass C extends B { void m() { n(); } }\n",
    )
    repository.write(
        "t.ts",
        "type A = B; type B = A;\nexport class C<T extends C<C<T>>> { x: A }\nexport function g(c: C<any>) { c.x.y }\n",
    )
    for at in range(300):
        repository.write(f"c/h{at}.h", f'#include "h{(at + 1) % 300}.h"\nint in{at}(void);\n')
        repository.write(f"r/m{at}.ts", f"export * from './m{(at + 1) % 300}'\n")
    repository.write("r/use.ts", "import {gone} from './m0'\ngone()\n")
    repository.write("c/use.c", '#include "h0.h"\nint main(void) { return in7(); }\n')
    for symbol in ("A3000", "A", "B", "C", "g", "in7", "use"):
        answer = within_cost(500, ask, root, "find_references", attempts=1, symbol=symbol)
        assert answer["class"] in {"success", "partial"}, symbol
    assert ask(root, "get_imports", path="r/use.ts")["class"] in {"success", "partial"}
