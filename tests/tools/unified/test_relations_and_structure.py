"""Questions about relations within a place or with code from elsewhere, and about the structure of a whole program."""

from __future__ import annotations

import re

import pytest

from avionics.cancellation import limit_answer
from avionics.tools.unified.analyze import analyze

HASHERS = {
    "Cargo.toml": '[package]\nname = "sums"\n',
    "src/lib.rs": "use blake3;\nuse other::Xxh3;\n\npub trait Sum {\n    fn sum(&self) -> u64;\n}\n\n"
    "impl Sum for Xxh3 {\n    fn sum(&self) -> u64 {\n        1\n    }\n}\n\n"
    "impl Sum for blake3::Hasher {\n    fn sum(&self) -> u64 {\n        2\n    }\n}\n",
}
OWN = "pub struct Plain;\n\nimpl Sum for Plain {\n    fn sum(&self) -> u64 {\n        3\n    }\n}\n"

SHOP = {
    "shop/__init__.py": "",
    "shop/prices.py": "def get_price(item):\n    return item.price\n",
    "shop/cart.py": "from shop.prices import get_price\n\n\ndef total(items):\n    return sum(map(get_price, items))\n",
    "shop/web/page.py": "from shop.prices import get_price\n\n\ndef show(item):\n    return get_price(item)\n",
    "shop/web/feed.py": "from shop import prices\n\n\ndef list_all(item):\n    return [prices.get_price(item)]\n",
}


def test_a_trait_is_implemented_for_types_that_the_workspace_does_not_define(workspace):
    answer = analyze(workspace(HASHERS), "which structs implement Sum")
    assert answer.summary == "Sum: 2 outside types"
    assert [each.line for each in answer.get_items("usages")] == [8, 14]


def test_types_of_the_workspace_are_listed_beside_those_of_other_packages(workspace):
    files = HASHERS | {"src/lib.rs": HASHERS["src/lib.rs"] + OWN}
    answer = analyze(workspace(files), "who implements Sum?")
    assert answer.summary == "Sum: 1 subtype, 2 outside types"
    assert [each.symbol for each in answer.get_items("subclasses")] == ["Plain"]


def test_a_block_that_implements_a_trait_within_a_function_makes_no_subtype_of_the_function(workspace):
    local = "\n#[test]\nfn adds() {\n    struct Local;\n    impl Sum for Local {\n        fn sum(&self) -> u64 {\n"
    files = HASHERS | {"src/lib.rs": HASHERS["src/lib.rs"] + OWN + local + "            4\n        }\n    }\n}\n"}
    answer = analyze(workspace(files), "who implements Sum?")
    assert [each.symbol for each in answer.get_items("subclasses")] == ["Plain", "adds.Local"]


LISTENING = {
    "serve.rs": "pub trait Listener {\n    fn accept(&self);\n}\n\npub struct Tap;\n\nimpl Listener for Tap {\n"
    "    fn accept(&self) {}\n}\n\npub fn serve<L: Listener>(listener: L) {\n    listener.accept();\n}\n",
}


@pytest.mark.parametrize(
    "question", ["What implements the Listener trait of shop::serve?", "which types implement trait Listener of serve"]
)
def test_a_question_about_subtypes_is_about_what_it_calls_a_type(workspace, question):
    assert [each.symbol for each in analyze(workspace(LISTENING), question).get_items("subclasses")] == ["Tap"]


def test_a_struct_is_not_taken_for_an_interface_whose_name_differs_in_its_case(workspace):
    files = {"a.go": "package a\n\ntype generator struct{}\n\nfunc (g *generator) run() {}\n"}
    answer = analyze(workspace(files), "which types implement the Generator interface?")
    assert answer.summary.startswith("no symbol named Generator")
    assert "generator (" in answer.get_items("near")[0].name


def test_of_a_file_whose_package_needs_no_import_the_files_that_mention_its_names_are_shown(workspace):
    files = {
        "src/shop/Limit.java": "package shop;\n\npublic class Limit {\n    public int get() { return 3; }\n}\n",
        "src/shop/Cart.java": "package shop;\n\nclass Cart {\n    Limit limit = new Limit();\n}\n",
        "src/web/Page.java": "package web;\n\nimport shop.Limit;\n\nclass Page {\n    Limit limit;\n}\n",
        "src/web/Other.java": "package web;\n\nclass Other {\n    int limit;\n}\n",
    }
    answer = analyze(workspace(files), "which classes use src/shop/Limit.java?")
    assert answer.summary == "src/shop/Limit.java: imported by 1 file; 1 more file mentions its names"
    assert [each.name for each in answer.get_items("users")] == ["src/shop/Cart.java: Limit"]


@pytest.mark.parametrize(
    ("question", "files"),
    [
        ("who in shop/web calls get_price", {"shop/web/page.py", "shop/web/feed.py"}),
        ("which functions in shop/cart.py use get_price?", {"shop/cart.py"}),
        ("what within the web directory still uses get_price", {"shop/web/page.py", "shop/web/feed.py"}),
        ("who calls get_price in shop/web/page.py", {"shop/web/page.py"}),
        ("usages of get_price in the web package please", {"shop/web/page.py", "shop/web/feed.py"}),
        ("where is get_price used in cart.py", {"shop/cart.py"}),
        ("who calls get_price in shop/prices.py", {"shop/cart.py", "shop/web/page.py", "shop/web/feed.py"}),
        ("who calls get_price in production", {"shop/cart.py", "shop/web/page.py", "shop/web/feed.py"}),
    ],
)
def test_users_are_looked_for_in_the_place_that_a_question_names(workspace, question, files):
    answer = analyze(workspace(SHOP), question)
    assert {each.file for each in answer.get_items("usages")} == files


def test_importers_are_looked_for_in_the_place_that_a_question_names(workspace):
    answer = analyze(workspace(SHOP), "what in shop/web imports shop/prices.py?")
    assert [each.file for each in answer.get_items("importers")] == ["shop/web/feed.py", "shop/web/page.py"]
    assert answer.summary == "shop/prices.py: imported by 2 files in shop/web; elsewhere 1 import"


@pytest.mark.parametrize(
    ("module", "count"), [("acme/parts", 1), ("parts", 1), ("acme/parts/v2/lex", 1), ("v2/parts", 0), ("lex", 1)]
)
def test_a_module_is_named_by_the_end_of_the_path_of_one_above_it(workspace, module, count):
    files = {
        "go.mod": "module example.com/own\n\ngo 1.22\n",
        "main.go": 'package main\n\nimport "github.com/acme/parts/v2/lex"\n\nfunc main() { lex.Run() }\n',
    }
    answer = analyze(workspace(files), f"which files import {module}")
    assert len(answer.get_items("importers")) == count


def test_a_package_of_several_files_is_imported_once_by_each_line(workspace):
    files = {
        "go.mod": "module example.com/own\n\ngo 1.22\n",
        "main.go": 'package main\n\nimport "example.com/own/lib"\n\nfunc main() { lib.One(); lib.Two() }\n',
        "lib/one.go": "package lib\n\nfunc One() {}\n",
        "lib/two.go": "package lib\n\nfunc Two() {}\n",
    }
    answer = analyze(workspace(files), "what imports lib/?")
    assert [(each.names, each.target) for each in answer.get_items("importers")] == [(("One", "Two"), "lib")]


def test_a_file_is_explained_by_the_methods_of_types_that_only_it_uses(workspace):
    files = {
        "go.mod": "module example.com/own\n\ngo 1.22\n",
        "cut.go": "package own\n\ntype cutter struct{ at int }\n\nfunc (c *cutter) Split() int { return c.at }\n\n"
        "func (c *cutter) Close() {}\n\nfunc one() {}\n\nfunc two() {}\n",
    }
    contents = analyze(workspace(files), "explain cut.go").get_items("api")
    assert {each.symbol: each.members for each in contents} == {
        "cutter": ("Split", "Close"), "one": (), "two": (),
    }  # fmt: skip


def test_what_was_added_comes_first_where_only_that_is_asked_for(git_repository, workspace):
    repository = git_repository({"a.py": "def one():\n    return 1\n\n\ndef old(): ...\n"})
    repository.commit("Change", {"a.py": "def one():\n    return 2\n\n\ndef new(): ...\n"})
    opened = workspace(root=repository.root)
    for question, kind, name in (
        ("which functions were added between HEAD~1 and HEAD?", "added", "new"),
        ("show the functions removed since HEAD~1", "removed", "old"),
    ):
        first = analyze(opened, question).sections[0]
        assert (first.name, [each.symbol for each in first.items]) == (kind, [name])


def test_the_last_commits_to_a_file_come_before_commits_with_the_words_of_its_path(git_repository, workspace):
    repository = git_repository({"shop/prices.py": "def one():\n    return 1\n"})
    repository.commit("Move the shop and its prices", {"other.py": ""})
    repository.commit("Round", {"shop/prices.py": "def one():\n    return 2\n"})
    answer = analyze(workspace(root=repository.root), "show me what the last commit to shop/prices.py did")
    assert not answer.get_items("telling")
    assert answer.get_items("commits")[0].subject == "Round"


def test_a_quoted_message_that_somebody_got_has_values_of_its_own(workspace):
    files = {"run.rs": 'fn run(p: &str) -> String {\n    format!("Cannot launch {p}: {}", 1)\n}\n'}
    answer = analyze(workspace(files), 'I get "Cannot launch ffmpeg: No such file or directory"')
    assert answer.get_items("lines")[0].line == 2


PACKAGE = {
    "shop/__init__.py": "from shop import cart\n",
    "shop/cart.py": "class CartError(Exception): ...\n\n\nclass Cart:\n    def add(self): ...\n",
    "shop/page.py": "from shop import cart\n\n\ndef show():\n    return cart.Cart()\n",
    "shop/main.py": "def main():\n    step()\n\n\ndef step(): ...\n",
    "tool/main.py": "def main(): ...\n",
}


def test_a_file_that_its_package_imports_by_name_is_imported_by_others_too(workspace):
    answer = analyze(workspace(PACKAGE), "explain shop/cart.py")
    assert answer.summary == "shop/cart.py: 4 definitions, imported by 2 files".replace("4", "5 lines, 3")


@pytest.mark.parametrize(
    "question", ["flow from main in shop/main.py to step", "how does main in shop/main.py get to step?"]
)
def test_an_end_of_a_path_may_be_named_with_its_file(workspace, question):
    answer = analyze(workspace(PACKAGE), question)
    assert answer.summary == "shop/main.py:main → step: 1 path found"


def test_exceptions_of_a_file_are_its_classes(workspace):
    answer = analyze(workspace(PACKAGE), "which exceptions are defined in shop/cart.py")
    assert [each.symbol for each in answer.get_items("members")] == ["CartError", "Cart"]


def test_classes_that_extend_one_of_a_library_are_asked_for_by_a_participle(workspace):
    answer = analyze(workspace(PACKAGE), "all classes extending Exception")
    assert [each.symbol for each in answer.get_items("subclasses")] == ["CartError"]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("TypeError: Error: Foo is not a valid node type", 2),
        ("where does this come from: Unable to find profile (web) in config file: bandit.yaml", 4),
    ],
)
def test_a_message_has_a_level_or_a_file_of_its_own(workspace, question, line):
    files = {
        "a.py": 'def check(name):\n    raise TypeError(f"Error: {name} is not a valid node type")\n\n'
        'TEXT = "Unable to find profile ({}) in config file: {}".format\n',
    }
    answer = analyze(workspace(files), question)
    assert answer.summary.startswith(f"this message is written at a.py:{line}")


SCOPED = {
    "packages.json": "{}",
    "@acme/lines/package.json": '{"name": "@acme/lines", "main": "src/index.ts"}',
    "@acme/lines/license.md": "Free\n",
    "@acme/lines/src/index.ts": "export function toLines(text: string) { return text.split('\\n'); }\n",
    "@acme/lines/src/plug-names.ts": "export const NAME = 1;\n",
    "@acme/rules/src/body.ts": "import { NAME } from '../../lines/src/plug-names';\nexport const body = NAME;\n",
}


@pytest.mark.parametrize(
    ("question", "path"),
    [("what's in @acme/lines/src", "@acme/lines/src"), ("contents of @acme/lines", "@acme/lines")],
)
def test_a_directory_may_have_an_at_sign(workspace, question, path):
    assert analyze(workspace(SCOPED), question).summary.startswith(f"{path}: package")


def test_a_file_with_a_hyphen_is_not_the_class_that_a_part_of_its_name_has(workspace):
    files = SCOPED | {"src/plug.ts": "export class Plug {}\nexport const use = new Plug();\n"}
    answer = analyze(workspace(files), "which files import plug-names")
    assert [each.file for each in answer.get_items("importers")] == ["@acme/rules/src/body.ts"]


PROGRAM = {
    "app/__init__.py": "",
    "app/text.py": "def trim(text):\n    return text.strip()\n\n\ndef fold(text):\n    return trim(text)\n\n\n"
    "def unfold(text):\n    return text\n\n\nclass Line:\n    def cut(self):\n        return trim('')\n",
    "app/tree.py": "from app.text import trim\n\n\ndef walk(node):\n    trim(node.name)\n"
    "    for each in node.children:\n"
    "        walk(each)\n\n\ndef dig(node):\n    return lambda: other(node)\n\n\n"
    "def other(node):\n    return dig(node)\n",
    "app/one.py": "from app import two\n\n\ndef first():\n    return two.second()\n",
    "app/two.py": "from app import one\n\n\ndef second():\n    return one.first()\n",
    "tests/test_text.py": "from app.text import fold, unfold\n\n\ndef test_fold():\n"
    "    assert fold(' a') == 'a'\n    assert unfold('a')\n",
}


def test_the_functions_that_product_code_uses_most_come_first(workspace):
    answer = analyze(workspace(PROGRAM), "which functions are used most?")
    first = answer.get_items("members")[0]
    assert (first.symbol, first.uses, first.files) == ("function trim", 3, 2)
    assert answer.summary == "the most used of 9 functions is trim: 3 proven usages in 2 files"


def test_the_files_that_others_import_most_come_first(workspace):
    answer = analyze(workspace(PROGRAM), "most imported files")
    assert {(each.file, each.count) for each in answer.get_items("members")} == {
        ("app/text.py", 1),
        ("app/one.py", 1),
        ("app/two.py", 1),
    }


def test_a_function_that_calls_itself_by_way_of_another_is_not_directly_recursive(workspace):
    answer = analyze(workspace(PROGRAM), "recursive functions")
    assert [each.name for each in answer.get_items("members")] == ["app/tree.py:7 function walk (from line 4)"]
    assert answer.summary == "1 function calls itself directly"


def test_a_method_of_a_type_from_elsewhere_is_not_said_to_call_itself(workspace):
    source = (
        "use other::Sum;\n\npub trait Make {\n    fn new() -> Self;\n}\n\nimpl Make for Sum {\n    fn new() -> Self {\n"
    )
    files = {"src/lib.rs": source + "        Sum::new()\n    }\n}\n", "Cargo.toml": '[package]\nname = "a"\n'}
    assert not analyze(workspace(files), "which functions are recursive?").get_items("members")


def test_an_overload_that_calls_another_one_is_not_recursive(workspace):
    source = (
        "class A {\n    int f(int a) { return f(a, 1); }\n    int f(int a, int b) { return a; }\n"
        "    int g(int a) { return a > 0 ? g(a - 1) : 0; }\n}\n"
    )
    answer = analyze(workspace({"A.java": source}), "which functions are recursive?")
    assert [each.name.split()[2] for each in answer.get_items("members")] == ["A.g"]


def test_what_only_tests_use_is_what_no_product_code_mentions(workspace):
    answer = analyze(workspace(PROGRAM), "what is only used in tests?")
    assert [each.symbol for each in answer.get_items("members")] == ["function fold", "function unfold"]
    files = PROGRAM | {
        "app/run.py": "from app import text\n\n\ndef run(name):\n    return getattr(text, 'unfold')(name)\n"
    }
    answer = analyze(workspace(files), "which functions are only used in tests")
    assert [each.symbol for each in answer.get_items("members")] == ["function fold"]


def test_what_no_test_mentions_may_be_run_by_others(workspace):
    answer = analyze(workspace(PROGRAM), "untested functions in app/text.py")
    assert [each.symbol for each in answer.get_items("members")] == ["trim", "Line.cut"]
    assert answer.summary == "2 of 4 functions are mentioned in no test; tests may run them by way of others"


def test_files_that_import_one_another_are_a_cycle(workspace):
    answer = analyze(workspace(PROGRAM), "are there circular imports?")
    assert [each.places for each in answer.get_items("cycles")] == [("app/one.py", "app/two.py")]
    lazy = PROGRAM | {"app/two.py": "def second():\n    from app import one\n\n    return one.first()\n"}
    assert analyze(workspace(lazy), "circular imports").summary.startswith("no files import one another")


def test_files_that_change_often_and_those_who_change_them_are_counted(git_repository, workspace):
    repository = git_repository({"a.py": "A = 1\n", "b.py": "B = 1\n"})
    repository.commit("More", {"b.py": "B = 2\n"})
    opened = workspace(root=repository.root)
    answer = analyze(opened, "which files change most often?")
    assert [(each.file, each.count) for each in answer.get_items("members")] == [("b.py", 2), ("a.py", 1)]
    assert [each.commits for each in analyze(opened, "who are the main authors").get_items("authors")] == [2]


def test_all_definitions_of_a_kind_are_listed_without_those_of_tests(workspace):
    answer = analyze(workspace(PROGRAM), "how many classes are there")
    assert answer.summary == "the workspace (without tests) has 1 class; 9 other definitions"


SHAPES = {
    "shapes/lib.rs": "pub struct Late;\n\npub enum Mode {\n    Fast,\n}\n\npub trait Run {\n    fn run(&self);\n}\n",
}


@pytest.mark.parametrize(
    ("question", "summary"),
    [
        ("which classes are in shapes", "shapes has 1 struct, 1 enum, 1 interface; 1 other definition"),
        ("list the structs in shapes/", "shapes has 1 struct; 3 other definitions"),
        ("list all structs", "the workspace (without tests) has 1 struct; 3 other definitions"),
    ],
)
def test_the_classes_of_a_directory_are_all_its_types_but_its_structs_are_not(workspace, question, summary):
    assert analyze(workspace(SHAPES), question).summary == summary


def test_which_files_use_a_module_is_not_asked_of_a_field_called_files(workspace):
    files = PROGRAM | {"app/args.py": "class Args:\n    files = []\n\n\ndef take(args):\n    return args.files\n"}
    answer = analyze(workspace(files), "which files use the text module")
    assert [each.file for each in answer.get_items("importers")] == ["app/tree.py", "tests/test_text.py"]


def test_why_something_exists_is_told_by_the_history_of_the_file_that_is_called_so(git_repository, workspace):
    repository = git_repository({"a.c": "int one;\n"})
    repository.commit(
        "Replace the cache with a bloom filter",
        {"src/bloom.c": "static int bloom[2];\nint add(void) { return bloom[0]; }\n"},
    )
    repository.commit("bloom exists, why it does", {"b.c": "int two;\n"})
    answer = analyze(workspace(root=repository.root), "why does bloom exist?")
    assert answer.get_items("commits")[0].subject == "Replace the cache with a bloom filter"


@pytest.mark.parametrize(
    ("question", "start"), [("why was the parcel api added", "Add parcel API; api: "), ("why was api added", "api: ")]
)
def test_a_commit_that_says_more_of_the_question_than_its_subject_leads_the_summary(
    git_repository, workspace, question, start
):
    repository = git_repository({"api/a.py": "one = 1\n"})
    repository.commit("Add parcel API", {"parcels/routes.py": "def show():\n    return 1\n"})
    repository.commit("Let the api count", {"api/a.py": "one = 2\n"})
    summary = analyze(workspace(root=repository.root), question).summary
    assert re.sub(r"\Athe commit whose message fits best is \w+: ", "", summary).startswith(start)


def test_tests_that_are_calls_are_found_beside_a_helper_with_the_name_of_a_test(workspace):
    files = {
        "src/text.ts": "export function fold(text: string): string {\n  return text;\n}\n",
        "test/text.spec.ts": "import { fold } from '../src/text';\n\nfunction testAll(words: string[]) {}\n\n"
        "it('folds a word', () => {\n  expect(fold('A')).toBe('a');\n});\n",
    }
    answer = analyze(workspace(files), "tests for fold?")
    assert [(each.line, each.test) for each in answer.get_items("tests")] == [(5, '"folds a word"')]


def test_a_directory_is_named_by_the_end_of_its_path(workspace):
    files = {
        "lib/src/main/java/acme/errors/Late.java": "package acme.errors;\n\npublic class Late {}\n",
        "lib/src/main/java/acme/errors/Early.java": "package acme.errors;\n\npublic class Early {}\n",
        "lib/src/test/java/acme/errors/LateTest.java": "package acme.errors;\n\npublic class LateTest {}\n",
    }
    answer = analyze(workspace(files), "list the classes in acme/errors")
    assert answer.summary == "lib/src/main/java/acme/errors has 2 classes"


@pytest.mark.parametrize("question", ["text.trim: used or dead?", "trim - dead or alive", "is trim needed or not?"])
def test_whether_something_is_used_or_dead_is_answered_by_its_users(workspace, question):
    assert len(analyze(workspace(PROGRAM), question).get_items("usages")) == 4


@pytest.mark.parametrize("question", ["most used functions", "recursive functions", "what is only used in tests"])
def test_what_was_not_counted_in_time_is_not_said_to_be_none(workspace, question):
    opened = workspace(PROGRAM)
    analyze(opened, "text.trim")
    with limit_answer(0.0):
        answer = analyze(opened, question)
    assert "the time ran out" in answer.summary
    assert answer.coverage.ran_out_of_time


def test_in_a_large_tree_the_calls_in_the_text_say_whose_usages_to_count(workspace, monkeypatch):
    monkeypatch.setattr("avionics.index.analysis.symbol_usage._MAX_FILES_READ", 1)
    answer = analyze(workspace(PROGRAM), "which functions are used most?")
    first = answer.get_items("members")[0]
    assert (first.symbol, first.uses, first.files) == ("function trim", 3, 2)
    assert answer.get_items("near") == ()


OVERRIDES = {
    "shapes.py": "class Shape:\n    def draw_it(self): ...\n\n\nclass Round(Shape):\n    def draw_it(self): ...\n\n\n"
    "class Other:\n    def draw_it(self): ...\n\n\ndef show(shape: Shape, other: Shape):\n    shape.draw_it()\n"
    "    other.draw_it()\n",
    "test_shapes.py": "from shapes import Other, Round\n\n\ndef test_round():\n    Round().draw_it()\n\n\n"
    "def test_other():\n    Other().draw_it()\n",
}


def test_the_tests_of_a_method_are_those_of_its_overrides_too_but_not_of_its_namesakes(workspace):
    answer = analyze(workspace(OVERRIDES), "tests for Shape.draw_it")
    assert answer.headline() == "Shape.draw_it: 2 tests may be about it, none of which is known to use it"
    answer = analyze(workspace(OVERRIDES), "any tests for draw_it?")
    assert answer.headline() == "Shape.draw_it with 1 override: 1 test uses it"
    assert [each.line for each in answer.get_items("tests")] == [4]


def test_a_removed_file_is_cited_where_it_was(git_repository, workspace):
    repository = git_repository({"keep.py": "KEPT = 1\n", "gone.py": "import os\n\n\ndef lost():\n    return os\n"})
    repository.commit("Remove", {"gone.py": None, "keep.py": "KEPT = 1\nMORE = 2\n\n\ndef work():\n    return MORE\n"})
    answer = analyze(workspace(root=repository.root), "what changed between HEAD~1 and HEAD?")
    assert [each.to_text() for each in answer.get_items("changed_files")] == [
        "keep.py:5 added work, MORE",
        "was gone.py:4 removed lost",
    ]


SAME_PACKAGE = {
    "go.mod": "module example.org/shop\n",
    "cart/delay.go": "package cart\n\ntype Delay int\n\nfunc (d Delay) Wait() {}\n",
    "cart/line.go": "package cart\n\ntype Line struct {\n\tDelay Delay\n}\n\n"
    "func (l Line) Get() Delay { return l.Delay }\n",
    "cart/sum.go": "package cart\n\nfunc sum(d Delay) int { return int(d) }\n",
    "cart/delay_test.go": 'package cart\n\nimport "testing"\n\nfunc TestDelay(t *testing.T) { Delay(1).Wait() }\n',
    "main.go": 'package main\n\nimport "example.org/shop/cart"\n\nfunc main() { _ = cart.Line{} }\n',
}


def test_files_of_a_package_that_declare_a_field_with_the_name_of_a_type_mention_the_type(workspace):
    answer = analyze(workspace(SAME_PACKAGE), "explain cart/delay.go")
    assert [each.name for each in answer.get_items("users")] == ["cart/line.go: Delay", "cart/sum.go: Delay"]
    assert [each.name for each in answer.get_items("tests")] == ["cart/delay_test.go: Delay, Wait"]
    assert answer.coverage.certainty.value == "at_least"


@pytest.mark.parametrize(
    "asked", ["which packages import example.org/shop/cart?", "who imports `example.org/shop/cart`"]
)
def test_a_whole_import_path_names_its_package(workspace, asked):
    answer = analyze(workspace(SAME_PACKAGE), asked)
    assert answer.kind == "dependents"
    assert [each.file for each in answer.get_items("importers")] == ["main.go"]


def test_the_import_path_of_another_host_names_no_package_of_the_workspace(workspace):
    assert analyze(workspace(SAME_PACKAGE), "who imports example.net/other/cart").get_items("importers") == ()


QUEUE = {
    "queue.h": "namespace mail {\nclass Queue {\npublic:\n  void push(int n);\n  int pop();\n};\n}\n",
    "queue.cc": '#include "queue.h"\n\nnamespace mail {\n'
    "void Queue::push(int n) {}\nint Queue::pop() { return 1; }\n}\n",
    "main.cc": '#include "queue.h"\n\nint main() { mail::Queue queue; return queue.pop(); }\n',
}


def test_a_file_with_the_methods_of_a_class_within_a_namespace_is_explained_by_them(workspace):
    answer = analyze(workspace(QUEUE), "explain queue.cc")
    assert answer.summary == "queue.cc: 6 lines, 2 definitions, declared in queue.h, which 1 file imports"
    assert [each.symbol for each in answer.get_items("methods")] == ["mail.Queue"]


def test_a_source_file_of_cpp_is_used_through_its_header(workspace):
    answer = analyze(workspace(QUEUE), "who uses queue.cc?")
    assert answer.summary == "queue.cc: no file imports it; queue.h declares its code"
    assert [each.file for each in answer.get_items("header_importers")] == ["main.cc"]


def test_files_parsed_in_part_are_told_of_only_within_the_place_that_is_compared(git_repository, workspace):
    repository = git_repository({"good/a.py": "A = 1\n", "bad/b.py": "B = 1\n"})
    repository.commit("Change", {"good/a.py": "A = 2\n", "bad/b.py": "def broken(:\n    B = (\n"})
    answer = analyze(workspace(root=repository.root), "what changed between HEAD~1 and HEAD in good?")
    assert answer.coverage.certainty.value == "exact"
    assert not answer.coverage.reasons


PAGES = {
    "app.py": "def run():\n    return render('parts/head.html')\n",
    "pages/parts/head.html": "<h1>{{ title }}</h1>\n",
    "pages/index.html": "{% include 'parts/head.html' %}\n{% include 'parts/overhead.html' %}\n",
    "texts/de.po": "#: pages/parts/head.html:1\n",
    "views/notes/_note.html.erb": "<p>a</p>\n",
    "views/list.html.erb": "<%= render 'notes/note' %>\n<%= render 'notes/notes' %>\n",
    "bin/start.sh": "echo start\n",
    "Makefile": "run:\n\tsh bin/start.sh\n",
}


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("which templates include parts/head.html?", ["app.py:2", "pages/index.html:1"]),
        ("who uses bin/start.sh?", ["Makefile:2"]),
        ("which views use views/notes/_note.html.erb?", ["views/list.html.erb:1"]),
        ("what imports texts/de.po?", []),
    ],
)
def test_the_lines_that_name_a_file_which_no_file_imports_are_listed(workspace, question, lines):
    answer = analyze(workspace(PAGES), question)
    assert [f"{each.file}:{each.line}" for each in answer.get_items("lines")] == lines
    assert ("name it" in answer.summary or "names it" in answer.summary) == bool(lines)


def test_what_a_name_is_and_who_asks_for_it_are_not_its_meaning(workspace):
    files = PAGES | {"tag.py": "def tag():\n    pass\n", "pages/row.html": "{% render_row %}\n"}
    for question in ("who uses the render_row tag?", "which pages use render_row?"):
        summary = analyze(workspace(files), question).summary
        assert summary.startswith("no symbol named render_row; 'render_row' is at pages/row.html:1")
