"""explore_symbol_usage tells who uses a symbol, and how sure that is."""

from __future__ import annotations

import pytest
from msgspec import structs

from avionics.model import ToolCall, ToolContext
from avionics.model.enums import Certainty, Status
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.settings import Settings
from avionics.tools.answers.answer import to_result
from avionics.tools.answers.items import UsageItem
from avionics.tools.answers.next_step import write_python
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.composite.explore_symbol_usage import CallerItem, explore_symbol_usage
from avionics.tools.composite.locate import locate
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace

UNCERTAIN = "no usages found; dynamic or external use cannot be ruled out"


def is_proven_unused(answer) -> bool:
    """Return whether the answer says that nothing uses the symbol."""
    coverage = answer.coverage
    return (coverage.found, coverage.unresolved, coverage.certainty) == (0, 0, Certainty.EXACT)


def places(items) -> list[str]:
    """`file:line` of each, in order."""
    return [f"{item.file}:{item.line}" for item in items]


def test_usages_carry_role_enclosing_function_evidence_and_their_line(shop):
    usages = explore_symbol_usage(shop(), "total_of").usages
    assert places(usages) == [
        "shop/__init__.py:2",
        "shop/__init__.py:4",
        "shop/cli.py:3",
        "shop/cli.py:14",
        "shop/cli.py:14",
        "shop/cli.py:24",
        "tests/test_orders.py:1",
        "tests/test_orders.py:13",
    ]
    assert usages[3] == UsageItem(
        "shop/cli.py", 14, 10, "call", "main", "import", "print(total_of(order), total_of(order))"
    )
    assert [each.role for each in usages] == ["import", "read", "import", "call", "call", "call", "import", "call"]


def test_product_code_comes_before_tests_and_both_are_counted(shop):
    answer = explore_symbol_usage(shop(), "Record.save")
    assert places(answer.usages) == [
        "shop/cli.py:13",
        "shop/models.py:22",
        "tests/test_orders.py:7",
        "tests/test_orders.py:12",
    ]
    assert answer.headline().partition("\n")[0] == (
        "Record.save (method, shop/models.py:9): 4 confirmed usages in 3 files (2 in tests), 1 possible"
    )


def test_callers_are_functions_once_each_and_module_level_calls_have_none(shop):
    callers = explore_symbol_usage(shop(), "total_of").callers
    assert callers == (
        CallerItem("shop/cli.py", 11, "main", 2),
        CallerItem("tests/test_orders.py", 10, "test_total", 1),
    )


def test_a_decorator_is_called_by_what_holds_the_decorated_function(shop):
    more = {"a.py": "def mark(x):\n    return lambda f: f\n\n\ndef build():\n    @mark(1)\n    def inner(): pass\n"}
    assert explore_symbol_usage(shop(more), "mark").callers == (CallerItem("a.py", 5, "build", 1),)


def test_overrides_subclasses_and_importers_are_told(shop):
    workspace = shop()
    save, item_save, order = (explore_symbol_usage(workspace, name) for name in ("Record.save", "Item.save", "Order"))
    assert [each.symbol for each in save.overrides] == ["Item.save", "Fake.save"]
    assert [each.symbol for each in item_save.overridden] == ["Record.save"]
    assert [each.symbol for each in order.subclasses] == ["Fake"]
    assert places(order.importers) == [
        "shop/__init__.py:1",
        "shop/cli.py:3",
        "shop/pricing.py:1",
        "tests/test_orders.py:1",
    ]


def test_an_inherited_member_is_the_one_of_its_ancestor(shop):
    assert places(explore_symbol_usage(shop(), "Order.save").definitions) == ["shop/models.py:9"]


def test_places_that_could_not_be_proven_are_apart_with_their_reason(shop):
    answer = explore_symbol_usage(shop(), "Record.save")
    assert [(each.file, each.line, each.text) for each in answer.unresolved] == [("shop/cli.py", 15, "thing.save()")]
    assert (answer.coverage.found, answer.coverage.unresolved) == (4, 1)
    assert answer.coverage.certainty is Certainty.AT_LEAST
    assert answer.coverage.reasons == (Reason(ReasonKind.RECEIVER_TYPE_UNKNOWN),)


def test_that_there_are_no_usages_is_said_to_be_proven_only_when_it_is(shop):
    text = "HOOKS = []\ndef mark(f): HOOKS.append(f)\n\n\n@mark\ndef hook(): pass\n\n\ndef lonely(): pass\n"
    workspace = shop({"a.py": text})
    unused, hook = explore_symbol_usage(workspace, "lonely"), explore_symbol_usage(workspace, "hook")
    assert unused.headline().partition("\n")[0] == "lonely (function, a.py:9): no usages; every mention was checked"
    assert (unused.coverage.certainty, to_result(unused).status) == (Certainty.EXACT, Status.SUCCESS)
    assert hook.headline().partition("\n")[0] == f"hook (function, a.py:6): {UNCERTAIN}"
    assert hook.coverage.reasons == (Reason(ReasonKind.DECORATOR, subject="mark"),)
    assert to_result(hook).status is Status.PARTIAL
    handed_out = explore_symbol_usage(workspace, "Record.unused")
    assert handed_out.coverage.reasons == (Reason(ReasonKind.ESCAPING_INSTANCE, place=("shop/cli.py", 12)),)


LARGE = "// filler filler filler\n" * 60
INCLUDING = 'static int helper(int a) { return a; }\n#include "%s"\n'


@pytest.mark.parametrize(
    ("files", "large"),
    [
        ({"a.c": INCLUDING % "rows.inc", "rows.inc": f"{LARGE}int b = helper(1);\n"}, "rows.inc"),
        ({"a.c": INCLUDING % "gen/rows.h", "gen/rows.h": f"{LARGE}int b = helper(1);\n"}, "gen/rows.h"),
        ({"a.c": INCLUDING % "rows.txt", "rows.txt": f"{LARGE}int b = helper(1);\n"}, "rows.txt"),
        ({"a.cpp": INCLUDING % "rows.inl", "rows.inl": f"{LARGE}int b = helper(1);\n"}, "rows.inl"),
        ({"a.c": "int helper(int a) { return a; }\n", "b.c": f"{LARGE}int b = helper(1);\n"}, "b.c"),
        ({"a.py": "def helper(): pass\n", "b.py": f"import a\na.helper()\n{LARGE.replace('/', '#')}"}, "b.py"),
        ({"a.ts": "function helper() {}\n", "b.js": f"{LARGE}helper()\n"}, "b.js"),
        ({"a.go": "package p\n\nfunc helper() {}\n", "b.go": f"package p\n\n{LARGE}var b = helper\n"}, "b.go"),
        ({"a.c": INCLUDING % "rows.inc", "rows.inc": f"{LARGE}unhelper, helper_2, Helper\n"}, None),
        ({"a.c": "static int helper(int a) { return a; }\n", "b.c": f"{LARGE}int b = helper(1);\n"}, None),
        ({"a.c": "int helper(int a) { return a; }\n", "rows.csv": f"{LARGE}helper\n"}, None),
        ({"a.py": "def helper(): pass\n", "b.js": f"{LARGE}helper()\n", "c.txt": f"{LARGE}helper"}, None),
    ],
)
@pytest.mark.parametrize("searched", [1_000_000, 1_100])
def test_code_too_large_to_parse_that_mentions_a_name_leaves_it_open(directory, settings, files, large, searched):
    limits = structs.replace(settings, max_file_bytes=1_000, max_searched_bytes=searched)
    with Workspace.open(directory(files), limits) as opened:
        answer = explore_symbol_usage(opened, "helper")
    is_unsearched = searched < len(LARGE) and "rows.inc" in files
    told = large or ("rows.inc" if is_unsearched else None)
    expected = (Reason(ReasonKind.FILES_TOO_LARGE, subject=told),) if told else ()
    assert answer.coverage.reasons == expected
    assert answer.coverage.certainty is (Certainty.AT_LEAST if told else Certainty.EXACT)
    assert ("every mention was checked" in answer.headline()) is not bool(told)


@pytest.mark.parametrize(("included", "possible"), [("rows.txt", ["rows.txt"]), ("other.txt", [])])
def test_text_that_c_includes_is_code_whatever_it_is_called(workspace, included, possible):
    files = {"a.c": INCLUDING % included, "rows.txt": "int b = helper(1);\n", "other.txt": "\n"}
    answer = explore_symbol_usage(workspace(files), "helper")
    assert [each.file for each in answer.unresolved] == possible


def test_definitions_that_share_a_name_are_never_merged(shop):
    answer = explore_symbol_usage(shop(), "add")
    assert (places(answer.definitions), places(answer.usages)) == (["shop/pricing.py:11"], ["shop/cli.py:21"])
    assert places(answer.other_definitions) == ["shop/models.py:31"]
    assert write_python(answer.coverage.next) == (
        "explore_symbol_usage(symbol='add', file='shop/models.py', line=31) for Order.add, the other definition"
    )


@pytest.mark.parametrize(
    ("symbol", "file", "line"),
    [
        ("Order.add", None, None),
        ("shop/models.py:Order.add", None, None),
        ("add", "shop/models.py", None),
        ("add", "shop/models.py", 31),
        ("add", "tests/test_orders.py", 11),
    ],
)
def test_a_definition_is_named_by_its_class_its_file_its_line_or_a_use_of_it(shop, symbol, file, line):
    answer = explore_symbol_usage(shop(), symbol, file, line)
    assert (places(answer.definitions), places(answer.usages)) == (["shop/models.py:31"], ["tests/test_orders.py:11"])


def test_a_scope_keeps_usages_within_it_and_counts_the_rest(shop):
    answer = explore_symbol_usage(shop(), "Record.save", scope="tests")
    assert places(answer.usages) == ["tests/test_orders.py:7", "tests/test_orders.py:12"]
    assert answer.headline().partition("\n")[0] == (
        "Record.save (method, shop/models.py:9): 2 usages in 1 file within tests (2 in tests)"
    )
    assert answer.coverage.reasons == (Reason(ReasonKind.OUTSIDE_SCOPE, 2, subject="tests"),)


def test_an_unknown_symbol_is_not_found_with_near_names(shop):
    result = to_result(explore_symbol_usage(shop(), "Ordr"))
    assert (result.status, result.message) == (Status.NOT_FOUND, "no symbol named 'Ordr'")
    assert [each["symbol"] for each in result.data["near"]] == ["Order"]
    assert [each["outcome"] for each in result.data["attempt_history"]] == ["not_found", "not_found", "found"]


@pytest.mark.parametrize(("path", "kind"), [("shop/models.py", "file"), ("./shop/models.py", "file")])
def test_a_path_is_no_symbol_and_leads_to_the_map(shop, path, kind):
    answer = explore_symbol_usage(shop(), path)
    assert (answer.summary, answer.near) == (f"shop/models.py is a {kind}, not a symbol", ())
    assert write_python(answer.coverage.next) == ("map_module(path='shop/models.py') for its contents and importers")


def test_a_directory_is_no_symbol_though_its_last_part_is_the_name_of_one(workspace):
    opened = workspace({"app/db/one.py": "x = 1\n", "app/use.py": "import outside\n\noutside.db()\n"})
    answer = explore_symbol_usage(opened, "app/db/")
    assert (answer.summary, answer.unresolved) == ("app/db is a directory, not a symbol", ())


def test_near_names_stand_in_the_class_that_was_named(shop):
    near = explore_symbol_usage(shop(), "Item.sav").near
    assert [each.symbol for each in near] == ["Item.save", "Record.save", "Fake.save"]


def test_a_name_that_only_text_has_points_to_it_and_a_module_to_its_importers(shop):
    workspace = shop()
    assert write_python(explore_symbol_usage(workspace, "buys").coverage.next) == (
        "locate(symbol='buys') for the text: 1 file mentions it"
    )
    assert write_python(explore_symbol_usage(workspace, "shop.models").coverage.next) == (
        "map_module(path='shop/models.py') for the importers of this module"
    )


def test_a_question_that_cannot_be_answered_names_the_fix(shop):
    workspace = shop()
    with pytest.raises(UsageError, match="a line needs its file"):
        explore_symbol_usage(workspace, "add", line=3)
    with pytest.raises(UsageError, match=r"no file or directory named 'shop/model\.py'") as refused:
        explore_symbol_usage(workspace, "add", "shop/model.py")
    assert refused.value.hint.startswith("did you mean shop/models.py")
    with pytest.raises(UsageError, match="unsupported language"):
        explore_symbol_usage(workspace, "add", "README.md")
    with pytest.raises(UsageError, match="no file or directory named 'shops'"):
        explore_symbol_usage(workspace, "add", scope="shops")


def test_a_file_or_line_without_the_name_is_not_found(shop):
    workspace = shop()
    assert explore_symbol_usage(workspace, "add", "shop/cli.py", 1).headline() == (
        "shop/cli.py:1 neither defines nor uses 'add'"
    )


def test_a_local_name_is_said_to_be_local_with_the_lines_that_use_it(tmp_path):
    (tmp_path / "a.py").write_text(
        "total = 1\ndef count(items):\n    total = 0\n    for each in items:\n        total += each\n"
        "    return total\nclass Box:\n    def fill(self, much): return 2\n"
    )
    with Workspace.open(tmp_path, Settings(cache_directory=tmp_path / "cache")) as workspace:
        said = explore_symbol_usage(workspace, "each", "a.py").headline()
        assert said == "a.py:4 'each' is local to count, used in line 5"
        said = explore_symbol_usage(workspace, "much", "a.py", 8).headline()
        assert said == "a.py:8 'much' is local to Box.fill, not used"
        assert explore_symbol_usage(workspace, "count", "a.py").symbol == "count"
        assert "neither defines nor uses" in explore_symbol_usage(workspace, "eachs", "a.py").headline()


def test_a_call_in_a_class_without_a_name_is_its_methods_and_one_in_an_object_the_named_functions_around(tmp_path):
    (tmp_path / "a.js").write_text(
        "function helper() {}\nregister(class { run() { helper() } })\nregister({ stop() { helper() } })\n"
        "function outer() { register({ go() { helper() } }) }\nexport {}\n"
    )
    with Workspace.open(tmp_path, Settings(cache_directory=tmp_path / "cache")) as workspace:
        callers = explore_symbol_usage(workspace, "helper", "a.js").callers
        assert [(each.symbol, each.line) for each in callers] == [("run", 2), ("stop", 3), ("outer", 4)]
        run = explore_symbol_usage(workspace, "run", "a.js")
        assert run.coverage.reasons == (Reason(ReasonKind.ANONYMOUS_CLASS),)


def test_the_data_has_the_fields_programs_rely_on(shop):
    data = to_result(explore_symbol_usage(shop(), "Record.save")).data
    fields = ("definitions", "usages", "callers", "unresolved", "importers", "subclasses", "overrides")
    assert all(isinstance(data[field], list) for field in fields)
    assert all({"file", "line"} <= set(item) for field in fields for item in data[field])
    assert data["citations"][:2] == ["shop/cli.py:13", "shop/models.py:22"]


def test_an_edit_is_seen_by_the_next_question(shop):
    workspace = shop()
    assert not explore_symbol_usage(workspace, "unused").usages
    (workspace.root / "new.py").write_text("from shop.models import Record\nRecord().unused()\n")
    assert places(explore_symbol_usage(workspace, "unused").usages) == ["new.py:2"]


def test_constructors_named_like_their_class_are_no_other_definitions(shop):
    workspace = shop({"Bag.java": "class Bag { Bag() {} }\nclass Use { Bag bag = new Bag(); }\n"})
    answer = explore_symbol_usage(workspace, "Bag")
    assert answer.other_definitions == ()
    assert (answer.coverage.found, answer.coverage.certainty) == (2, Certainty.EXACT)


def test_usages_of_the_overridden_member_are_told_but_not_counted(workspace):
    text = (
        "interface Shape { int area(); }\n"
        "class Square implements Shape { public int area() { return 1; } }\n"
        "class Plan {\n    int sum(Shape each, Square one) {\n        return each.area() + one.area();\n    }\n}\n"
    )
    answer = explore_symbol_usage(workspace({"Plan.java": text}), "Square.area")
    assert ([(each.line, each.column) for each in answer.usages], answer.coverage.found) == ([(5, 33)], 1)
    assert [(each.line, each.column, each.enclosing) for each in answer.through] == [(5, 20, "Plan.sum")]
    assert explore_symbol_usage(workspace({"Plan.java": text}), "Shape.area").through == ()


def test_a_constructor_is_meant_by_the_name_of_its_class_twice_and_overrides_nothing(workspace):
    files = {
        "Bag.java": "class Bag {\n  Bag() {}\n  Bag of() { return new Bag(); }\n}\n",
        "Box.java": "class Box extends Bag {\n  Box() { super(); }\n}\n",
    }
    opened = workspace(files)
    answer = explore_symbol_usage(opened, "Box.Box")
    assert (places(answer.definitions), answer.overridden) == (["Box.java:2"], ())
    assert places(explore_symbol_usage(opened, "Box").definitions) == ["Box.java:1"]


def test_an_overridden_method_of_a_library_is_not_cited(workspace):
    source = "class Bag {\n  @Override public boolean equals(Object o) { return o == this; }\n}\n"
    answer = explore_symbol_usage(workspace({"Bag.java": source}), "Bag.equals")
    assert answer.overridden == ()
    assert answer.coverage.reasons == (Reason(ReasonKind.OVERRIDES, subject="Object.equals"),)


def test_what_no_base_can_have_asked_for_is_known_whole(shop):
    rust = (
        "use std::fmt;\n\npub struct Line;\n\nimpl fmt::Display for Line {\n"
        "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }\n}\n\n"
        "impl Line {\n    pub fn crlf() -> Line { Line }\n}\n\nfn main() { Line::crlf(); }\n"
    )
    answer = explore_symbol_usage(shop({"main.rs": rust}), "Line::crlf")
    assert (answer.symbol, answer.coverage.found, answer.coverage.reasons) == ("Line.crlf", 1, ())
    reasons = explore_symbol_usage(shop({"main.rs": rust}), "Line::fmt").coverage.reasons
    assert reasons == (Reason(ReasonKind.IMPLEMENTS, subject="Display"),)


def test_what_implements_a_trait_is_listed_though_the_impl_stands_apart(shop):
    rust = "pub trait Sink {}\n\npub struct Json;\n\nimpl Sink for Json {}\n"
    answer = explore_symbol_usage(shop({"main.rs": rust}), "Sink")
    assert places(answer.subclasses) == ["main.rs:3"]


def test_a_constructor_that_may_run_without_its_class_being_named_is_never_known_whole(shop):
    files = {
        "a.cs": "class Log { public Log(int level) { } }\nclass Use { Log Make() { return new(1); } }\n",
        "b.java": "class Bag { Bag(int size) { } }\nclass Use { Bag make() { return new Bag(1); } }\n",
    }
    workspace = shop(files)
    hidden = explore_symbol_usage(workspace, "Log.Log")
    assert hidden.coverage.reasons == (Reason(ReasonKind.IMPLICIT_CONSTRUCTION),)
    assert explore_symbol_usage(workspace, "Bag.Bag").coverage.reasons == ()


def test_an_object_that_fills_an_interface_is_listed_and_its_silence_is_no_proof(shop):
    more = {
        "gate.ts": "import { run } from './run'\nexport interface Gate { open(): void }\n"
        "export function build() {\n  const gate: Gate = {\n    open() { run() },\n  }\n  return gate\n}\n"
        "export function use(gate: Gate) { gate.open() }\n",
        "run.ts": "export function run() {}\n",
    }
    workspace = shop(more)
    found = locate(workspace, "open", scope="gate.ts").matches
    assert [each.symbol for each in found] == ["Gate.open", "build.open"]
    answer = explore_symbol_usage(workspace, "build.open")
    assert (answer.usages, answer.coverage.certainty) == ((), Certainty.AT_LEAST)
    assert answer.coverage.reasons == (Reason(ReasonKind.DECLARED_TYPE),)
    within = explore_symbol_usage(workspace, "run", "run.ts")
    assert [each.enclosing for each in within.usages if each.role == "call"] == ["build.open"]
    assert within.callers == (CallerItem("gate.ts", 3, "build", 1),)


def test_what_an_attribute_of_rust_names_may_be_used_there(workspace):
    code = (
        "fn read_number(v: &str) -> i64 { 1 }\nfn fallback() -> i64 { 1 }\nfn left() {}\n"
        "pub struct Args {\n    #[arg(long, value_parser = read_number)]\n    pub a: i64,\n"
        '    #[serde(default = "crate::fallback")]\n    pub b: i64,\n}\n#[allow(left)]\npub struct C;\n'
    )
    opened = workspace({"Cargo.toml": '[package]\nname = "x"\n', "src/lib.rs": code})
    found = {name: explore_symbol_usage(opened, name) for name in ("read_number", "fallback", "left")}
    assert [(each.line, each.reason) for name in found for each in found[name].unresolved] == [
        (5, describe_reason(Reason(ReasonKind.INSIDE_MACRO))),
        (7, describe_reason(Reason(ReasonKind.STRING_LITERAL))),
    ]
    assert is_proven_unused(found["left"])


def test_a_name_taken_out_of_the_object_that_a_module_is_means_its_member(workspace):
    opened = workspace(
        {
            "keys.js": "const keys = { one: Symbol('one'), two: 2 }\nmodule.exports = keys\n",
            "use.js": "const { one } = require('./keys.js')\nfunction Reply () { this[one] = null }\n",
        }
    )
    assert [(each.file, each.line) for each in explore_symbol_usage(opened, "one").usages] == [
        ("use.js", 1),
        ("use.js", 2),
    ]
    assert explore_symbol_usage(opened, "two").usages == ()


def test_a_method_that_an_interface_without_a_name_asks_for_may_be_used_through_it(workspace):
    code = (
        "package m\n\ntype conn struct{}\n\nfunc (conn) tls() int { return 1 }\n\nfunc (conn) left() {}\n\n"
        "func use(c any) int {\n\tif nc, ok := c.(interface{ tls() int }); ok {\n\t\treturn nc.tls()\n\t}\n"
        "\treturn 0\n}\n"
    )
    opened = workspace({"go.mod": "module m\n", "a.go": code})
    found = explore_symbol_usage(opened, "tls")
    assert found.coverage.reasons == (Reason(ReasonKind.ANONYMOUS_INTERFACE, place=("a.go", 10)),)
    assert is_proven_unused(explore_symbol_usage(opened, "left"))


CALLS = {
    "m.py": (
        "def find(name, conds=None, *, limit=1): ...\n\n\nclass Store:\n    def put(self, key, value=0): ...\n\n\n"
        "def use(store: Store):\n    find('a')\n    find('b', 2)\n    find('c', limit=3, conds=4)\n    find(*[1])\n"
        "    store.put('k', 1)\n    store.put('k')\n"
    )
}


def test_a_call_whose_result_may_be_several_passes_no_more_than_the_function_takes(workspace):
    code = (
        "package m\n\nfunc one(a int) {}\n\nfunc any(a ...int) {}\n\n"
        "func use() {\n\tone(given())\n\tone(2)\n\tany(given())\n}\n"
    )
    opened = workspace({"go.mod": "module m\n", "a.go": code})
    found = explore_symbol_usage(opened, "one", passing="*").arguments
    assert [(each.passed, each.calls) for each in found] == [(("a",), 2)]
    assert "…" in explore_symbol_usage(opened, "any", passing="*").arguments[0].passed


def test_calls_are_grouped_by_the_parameters_that_they_pass(workspace):
    answer = explore_symbol_usage(workspace(CALLS), "find", passing="*")
    assert [(item.passed, item.calls, item.line) for item in answer.arguments] == [
        (("name",), 1, 9), (("name", "conds"), 1, 10), (("name", "conds", "limit"), 1, 11), (("…",), 1, 12),
    ]  # fmt: skip
    narrowed = explore_symbol_usage(workspace(CALLS), "find", passing="conds")
    assert [usage.line for usage in narrowed.usages] == [10, 11]
    assert narrowed.summary.endswith("; 2 of 4 calls pass conds")


@pytest.mark.parametrize(
    ("symbol", "signature", "broken"),
    [
        ("find", "(name, limit=1)", [(11, "'find' has no parameter 'conds'")]),
        ("find", "name, limit=1", [(11, "'find' has no parameter 'conds'")]),
        ("find", "(name, conds, *, limit=1)", [(9, "the call of 'find' lacks the argument 'conds'")]),
        ("find", "(name, conds=None, *, limit=1, more=2)", []),
        ("Store.put", "(key)", [(13, "the call of 'Store.put' passes too many arguments: 1 more than it takes")]),
        ("Store.put", "(self, key, value, force)", [(13, "the call of 'Store.put' lacks the argument 'force'"),
                                                    (14, "the call of 'Store.put' lacks the argument 'value'")]),
    ],
)  # fmt: skip
def test_the_calls_that_new_parameters_break_are_listed(workspace, symbol, signature, broken):
    answer = explore_symbol_usage(workspace(CALLS), symbol, signature=signature)
    assert [(item.line, item.because) for item in answer.broken] == broken


@pytest.mark.parametrize("given", [{"passing": "nothing"}, {"signature": "(a b c"}])
def test_parameters_that_mean_nothing_are_refused(workspace, given):
    with pytest.raises(UsageError):
        explore_symbol_usage(workspace(CALLS), "find" if "passing" in given else "Store", **given)


def test_a_function_in_an_object_literal_calls_where_no_named_function_is_around(workspace):
    text = (
        "export function target() {}\n"
        "export const handlers = {\n"
        "  onClick: () => target(),\n"
        "  onKey() { target() },\n"
        "  nested: {\n"
        "    deep: () => target(),\n"
        "  },\n"
        "}\n"
        "register({\n"
        "  handle: () => target(),\n"
        "})\n"
        "export function outer() {\n"
        "  return { inner: () => target() }\n"
        "}\n"
        "target()\n"
    )
    answer = explore_symbol_usage(workspace({"a.ts": text}), "target")
    assert [each.line for each in answer.callers] == [3, 4, 6, 10, 12]


def test_of_a_method_and_a_helper_of_one_name_the_more_used_is_meant(workspace):
    text = (
        "class Real:\n    def process(self): ...\n    def idle(self): ...\n\n"
        "def process(x): ...\n\ndef idle(): ...\n\n"
        "def use(r: Real):\n    r.process()\n    r.process()\n\nprocess(1)\nidle()\n"
    )
    opened = workspace({"a.py": text})
    answer = explore_symbol_usage(opened, "process")
    assert (answer.definitions[0].symbol, len(answer.usages)) == ("Real.process", 2)
    assert [each.symbol for each in answer.other_definitions] == ["process"]
    assert explore_symbol_usage(opened, "idle").definitions[0].symbol == "idle"
    assert explore_symbol_usage(opened, "process", "a.py", 5).definitions[0].symbol == "process"


def test_a_file_that_was_not_read_in_time_makes_no_answer_complete(workspace, monkeypatch):
    monkeypatch.setattr("avionics.workspace._COLD_FILES", 1)
    monkeypatch.setattr("avionics.index.facts.on_demand_facts._SECONDS", 0.0)
    monkeypatch.setattr("avionics.index.facts.on_demand_facts._LAST_SECONDS", 0.0)
    opened = workspace({"app.py": "def start():\n    return 1\n\n\nstart()\n", "more.py": "x = 1\n"})
    call = ToolCall("explore_symbol_usage", {"symbol": "start", "file": "app.py", "line": 1})
    result = ToolExecutor().run(call, ToolContext(workspace=opened))
    assert result.status is Status.PARTIAL
    assert result.data["coverage"]["certainty"] != "exact"
    assert result.data["unread_files"] == 1


@pytest.mark.parametrize(
    ("files", "symbol", "told"),
    [
        (
            {
                "a.kt": "package a\n\nimport lib.Kind\n\nfun Kind.twice() = 2\n",
                "b.kt": "package a\n\nfun run(given: lib.Other) = given.made()?.kind?.twice()\n",
            },
            "twice",
            (0, 1, Certainty.AT_LEAST),
        ),
        (
            {
                "a.cs": "namespace A;\nclass Made\n{\n    static bool Read(int x) => x > 0;\n"
                "    bool Go() => Read(1);\n}\n",
                "b.cs": "using System.Reflection;\nnamespace A;\nclass Test\n{\n"
                '    void Run() { Invoke(typeof(Made), "Read"); }\n    void Invoke(System.Type of, string name)\n'
                "    {\n        of.GetMethod(name, BindingFlags.NonPublic);\n    }\n}\n",
            },
            "Read",
            (1, 0, Certainty.AT_LEAST),
        ),
        (
            {
                "lib/jek.rb": "module Jek\n  autoload :Cache, 'jek/cache'\n  def self.go; Cache.new; end\nend\n",
                "lib/jek/cache.rb": "module Jek\n  class Cache\n    def link?(x); x; end\n  end\nend\n",
            },
            "Cache",
            (2, 0, Certainty.EXACT),
        ),
    ],
)
def test_what_reaches_a_symbol_in_another_way_is_counted_or_keeps_the_answer_open(workspace, files, symbol, told):
    coverage = explore_symbol_usage(workspace(files), symbol).coverage
    assert (coverage.found, coverage.unresolved, coverage.certainty) == told


def test_a_name_that_ends_with_a_mark_is_accounted_for_as_it_is_written(workspace):
    files = {"a.rb": "class Cache\n  def link?(x); x; end\nend\nCache.new.link?(1)\n"}
    ledger = explore_symbol_usage(workspace(files), "link?").ledger
    assert (ledger.mentions, ledger.definitions, ledger.usages, ledger.unwritten) == (2, 1, 1, 0)
