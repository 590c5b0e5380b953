"""Whether a contract is kept, in every language, and what is new since a revision."""

from __future__ import annotations

import pytest

from avionics.model.errors import ConfigError, UsageError
from avionics.tools.composite.check_architecture import check_architecture


def contract(*rules: str, head: str = "") -> str:
    return head + "\n".join(f"[[contract.rules]]\n{rule}\n" for rule in rules)


def check(workspace, files, *rules, head=""):
    """Return the violations as `file:line message`."""
    answer = check_architecture(workspace({**files, "avionics.toml": contract(*rules, head=head)}))
    return [f"{each.file}:{each.line} {each.message}" for each in answer.violations]


SHOP = {
    "shop/__init__.py": "",
    "shop/web.py": "from shop import cart\n",
    "shop/cart.py": "import shop.store\n\n\ndef late():\n    from shop import web\n",
    "shop/store.py": "import sqlite3\n",
}
LAYERS = 'name = "layers"\ntype = "layers"\nlayers = ["shop.web", "shop.cart", "shop.store"]'


def test_an_import_that_leads_up_is_a_violation_wherever_it_stands(workspace):
    assert check(workspace, SHOP, LAYERS) == [
        "shop/cart.py:5 shop.cart imports shop.web: layer 2 must not import layer 1, which is above it"
    ]
    assert check(workspace, SHOP, f'{LAYERS}\nimports = "load"') == []


def test_a_chain_through_files_in_no_layer_counts_and_is_cited_step_by_step(workspace):
    files = {**SHOP, "shop/cart.py": "from shop import glue\n", "shop/glue.py": "x = 1\nimport shop.web\n"}
    answer = check_architecture(workspace({**files, "avionics.toml": contract(LAYERS)}))
    (found,) = answer.violations
    assert found.chain == ("shop/cart.py:1 → shop/glue.py", "shop/glue.py:2 → shop/web.py")
    assert found.to_text().count("\n") == 2
    assert check(workspace, files, f"{LAYERS}\nindirect = false") == []


def test_siblings_in_a_layer_are_independent_unless_said_otherwise(workspace):
    rule = 'name = "l"\ntype = "layers"\nlayers = [["shop.web", "shop.cart"], "shop.store"]'
    assert [each.partition(" ")[0] for each in check(workspace, SHOP, rule)] == ["shop/cart.py:5", "shop/web.py:1"]
    assert check(workspace, SHOP, f"{rule}\nindependent = false") == []


def test_adjacent_layers_only_and_files_in_no_layer(workspace):
    files = {**SHOP, "shop/web.py": "import shop.store\n", "shop/cart.py": ""}
    rule = f'{LAYERS}\nadjacent = true\ncomplete = "shop"'
    assert check(workspace, files, rule) == [
        "shop/__init__.py:1 shop/__init__.py is in no layer",
        "shop/web.py:1 shop.web imports shop.store: only the next layer may be imported",
    ]


@pytest.mark.parametrize(
    ("files", "source", "target", "place"),
    [
        ({"a/x.ts": "import { y } from '../b/y'\n", "b/y.ts": "export const y = 1\n"}, "a", "b", "a/x.ts:1"),
        ({"a/x.c": '#include "../b/y.h"\n', "b/y.h": "int y;\n"}, "a", "b", "a/x.c:1"),
        (
            {"go.mod": "module m\n", "a/x.go": 'package a\nimport "m/b"\nvar X = b.Y\n',
             "b/y.go": "package b\nvar Y = 1\n"},
            "a", "b", "a/x.go:2",
        ),
        (
            {"a/X.java": "package a;\nimport b.Y;\nclass X { Y y; }\n", "b/Y.java": "package b;\npublic class Y {}\n"},
            "a", "b", "a/X.java:2",
        ),
        (
            {"Cargo.toml": '[package]\nname = "m"\n', "src/lib.rs": "mod a;\nmod b;\n",
             "src/a.rs": "use crate::b::Y;\n", "src/b.rs": "pub struct Y;\n"},
            "src/a.rs", "src/b.rs", "src/a.rs:1",
        ),
    ],
)  # fmt: skip
def test_the_same_rule_holds_in_every_language(workspace, files, source, target, place):
    rule = f'name = "f"\ntype = "forbidden"\nfrom = "{source}"\nto = "{target}"'
    assert [each.partition(" ")[0] for each in check(workspace, files, rule)] == [place]
    back = f'name = "f"\ntype = "forbidden"\nfrom = "{target}"\nto = "{source}"'
    assert check(workspace, files, back) == []


def test_forbidden_through_others_and_required(workspace):
    forbidden = 'name = "f"\ntype = "forbidden"\nfrom = "shop.web"\nto = "shop.store"'
    assert check(workspace, SHOP, forbidden) == []
    assert check(workspace, SHOP, f"{forbidden}\nindirect = true")[0].startswith("shop/web.py:1 ")
    required = 'name = "r"\ntype = "required"\nfrom = "shop/*.py"\nto = "shop.store"'
    assert [each.partition(":")[0] for each in check(workspace, SHOP, required)] == ["shop/__init__.py", "shop/web.py"]


def test_independent_siblings_by_wildcard(workspace):
    files = {"apps/a/m.py": "import apps.b.m\n", "apps/b/m.py": "", "apps/c/m.py": "import lib\n", "lib.py": ""}
    rule = 'name = "i"\ntype = "independent"\nsiblings = "apps/*"'
    assert check(workspace, files, rule) == ["apps/a/m.py:1 apps/a imports apps/b: they are siblings"]


def test_a_public_surface_is_files_or_names(workspace):
    files = {"pkg/__init__.py": "", "pkg/api.py": "def f(): ...\ndef g(): ...\n", "pkg/inner.py": "x = 1\n",
             "use.py": "from pkg.api import f, g\nfrom pkg.inner import x\n",
             "pkg/own.py": "from pkg.inner import x\n"}  # fmt: skip
    rule = 'name = "p"\ntype = "public"\npackage = "pkg"\nsurface = '
    assert check(workspace, files, f'{rule}["pkg.api"]') == [
        "use.py:2 x of pkg/inner.py is not in the public surface of pkg"
    ]
    assert [each.partition(" of ")[0] for each in check(workspace, files, f'{rule}["pkg.api:f", "pkg.inner:*"]')] == [
        "use.py:1 g"
    ]
    assert check(workspace, files, f'{rule}[]\nexempt = "use.py"') == []


def test_packages_and_their_owners(workspace):
    files = {"web/a.py": "import requests\nimport os\n", "db/b.py": "import sqlite3\nimport attrs\n"}
    allow = 'name = "p"\ntype = "packages"\nfiles = "**"\nallow = ["attrs"]\ndeny = ["sqlite3"]'
    assert check(workspace, files, allow) == [
        "db/b.py:1 db/b.py must not import sqlite3",
        "web/a.py:1 web/a.py imports requests; allowed: attrs",
    ]
    owners = 'name = "o"\ntype = "owners"\nfiles = "**"\nlisted = true\n[contract.rules.owners]\nrequests = "db"'
    assert check(workspace, files, owners) == [
        "db/b.py:2 db/b.py imports attrs, which has no owner",
        "web/a.py:1 web/a.py imports requests, which belongs to db",
    ]


def test_cycles_between_files_directories_and_groups(workspace):
    files = {"a/x.py": "import b.y\n", "b/y.py": "import a.z\n", "a/z.py": ""}
    rule = 'name = "c"\ntype = "cycles"\namong = ["a", "b"]'
    assert check(workspace, files, f'{rule}\nlevel = "files"') == []
    assert check(workspace, files, f'{rule}\nlevel = "directories"') == [
        "a/x.py:1 2 directories import one another: a, b"
    ]
    assert check(workspace, files, rule) == ["a/x.py:1 2 groups import one another: a, b"]
    checked = {**files, "b/y.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a.z\n"}
    assert check(workspace, checked, f'{rule}\nimports = "runtime"') == []


def test_limits(workspace):
    files = {"d/a.py": "x = 1\n" * 9, "d/b.py": "import d.a\n", "d/c.py": "import d.a\nimport d.b\n"}
    rule = 'name = "l"\ntype = "limits"\nfiles = "d"\nmax_lines = 8\nmax_files = 2\nmax_fan_in = 1\nmax_fan_out = 1'
    assert check(workspace, files, rule) == [
        "d/a.py:1 d has 3 files; at most 2 are allowed",
        "d/a.py:1 d/a.py has 2 files that import it; at most 1 are allowed",
        "d/a.py:1 d/a.py has 9 lines; at most 8 are allowed",
        "d/c.py:1 d/c.py has 2 files that it imports; at most 1 are allowed",
    ]


def test_exceptions_hold_until_their_last_day_and_say_when_they_are_over_or_unused(workspace):
    excepted = '[[contract.exceptions]]\nfrom = "shop.cart"\nto = "shop.web"\nreason = "old"\n'

    def run(more):
        files = {**SHOP, "avionics.toml": contract(LAYERS) + excepted + more}
        return check_architecture(workspace(files))

    assert (run("").kept, run("").rules[0].excepted, run("").problems) == (True, 1, ())
    assert run("until = 2999-01-01\n").kept
    over = run("until = 2001-01-01\n")
    assert (over.kept, [each.text for each in over.problems]) == (
        False, ["exception 1 (old) ended on 2001-01-01; its imports count again"],
    )  # fmt: skip
    unused = run('\n[[contract.exceptions]]\nfrom = "shop.store"\nto = "shop.web"\nreason = "none"\n')
    assert [each.text for each in unused.problems] == ["exception 2 (none) matches no import; remove it"]


def test_a_warning_does_not_break_the_contract_and_ignored_files_are_not_looked_at(workspace):
    files = {**SHOP, "avionics.toml": contract(f'{LAYERS}\nseverity = "warning"')}
    answer = check_architecture(workspace(files))
    assert (len(answer.violations), answer.kept) == (1, True)
    assert check(workspace, SHOP, LAYERS, head='[contract]\nignore = "shop/web.py"\n') == []


def test_a_pattern_that_matches_nothing_is_a_problem_unless_optional(workspace):
    rule = 'name = "f"\ntype = "forbidden"\nfrom = "shop"\nto = ["gone", "maybe?"]'
    answer = check_architecture(workspace({**SHOP, "avionics.toml": contract(rule)}))
    assert [each.text for each in answer.problems] == [
        "the pattern 'gone' matches no file; correct it, or write 'gone?'"
    ]


def test_every_fault_of_a_contract_is_named_with_its_fix(workspace):
    rules = (
        'name = "a"\ntype = "layer"',
        'name = "b"\ntype = "layers"\nlayers = ["x"]',
        'type = "cycles"\namong = "@nowhere"',
        'name = "b"\ntype = "limits"\nfiles = "x"\nmax_line = 3',
        'name = "s"\ntype = "forbidden"\nfrom = "*/*/*/*/*"\nto = "a"',
    )  # fmt: skip
    ending = '[[contract.exceptions]]\nfrom = "a"\nreason = "r"\nrules = ["c"]\nuntil = "2020"\n'
    with pytest.raises(ConfigError) as caught:
        check_architecture(workspace({"a.py": "", "avionics.toml": contract(*rules) + ending}))
    for fault in (
        "unknown type 'layer', did you mean 'layers'?", "at least two layers", "name is missing",
        "unknown part 'nowhere'",
        "unknown key 'max_line', did you mean 'max_lines'?", "give one of max_lines", "expected a date",
        "5 wildcards; at most 4", "keys: name",
    ):  # fmt: skip
        assert fault in str(caught.value)


def test_there_is_no_contract(workspace):
    with pytest.raises(UsageError, match="no architecture contract") as caught:
        check_architecture(workspace({"a.py": "", "pyproject.toml": "[project]\nname = 'x'\n"}))
    assert "propose" in caught.value.hint


def test_a_contract_in_pyproject_and_one_in_a_file_that_is_named(workspace):
    table = contract(LAYERS).replace("[[contract", "[[tool.avionics.contract")
    assert not check_architecture(workspace({**SHOP, "pyproject.toml": table})).kept
    assert check_architecture(workspace({**SHOP, "ci/rules.toml": contract(LAYERS)}), contract="ci/rules.toml").rules


def test_what_a_revision_had_already_is_apart_from_what_is_new(git_repository, workspace):
    repository = git_repository({**SHOP, "avionics.toml": contract(LAYERS)})
    repository.git("mv", "shop/cart.py", "shop/basket.py")
    moved = LAYERS.replace("shop.cart", "shop.basket")
    repository.commit("move", {"avionics.toml": contract(moved), "shop/web.py": "from shop import basket\n"})
    answer = check_architecture(workspace(root=repository.root), base="HEAD~1")
    assert ([each.file for each in answer.known], answer.violations, answer.kept) == (["shop/basket.py"], (), True)
    (repository.root / "shop/store.py").write_text("import shop.web\n", "utf-8")
    later = check_architecture(workspace(root=repository.root), base="HEAD~1")
    assert ([each.file for each in later.violations], later.kept) == (["shop/store.py"], False)


def test_a_relative_import_that_leads_nowhere_is_reported(workspace):
    files = {"a/x.ts": "import './gone'\nimport './look.css'\n", "a/look.css": "", "b/y.ts": ""}
    rule = 'name = "f"\ntype = "forbidden"\nfrom = "a"\nto = "b"'
    answer = check_architecture(workspace({**files, "avionics.toml": contract(rule)}))
    assert [(reason.count, reason.subject) for reason in answer.coverage.reasons] == [(1, "a/x.ts:1")]


def test_a_second_process_gives_the_same_answer_from_the_store(workspace, settings):
    files = {**SHOP, "avionics.toml": contract(LAYERS)}
    first = check_architecture(workspace(files))
    assert check_architecture(workspace(files)) == first
    changed = workspace({**files, "shop/cart.py": ""})
    assert check_architecture(changed).violations == ()
