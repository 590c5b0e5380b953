"""Questions that name code among plain words, and questions about something that no code is called after."""

from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.tools.unified.analyze import analyze

ORM = {
    "go.mod": "module example.com/orm\n\ngo 1.22\n",
    "db.go": "package orm\n\ntype DB struct {\n\tConfig\n}\n\n"
    "// Save writes a value\nfunc (db *DB) Save(value any) error {\n\treturn db.write(value)\n}\n\n"
    "func (db *DB) write(value any) error {\n\treturn ErrNoRow\n}\n\n"
    "func saved(slice []any) bool {\n\t// whether what is called slice happens to be saved\n"
    "\treturn len(slice) > 0\n}\n",
    "errors.go": 'package orm\n\nimport "example.com/orm/log"\n\nvar ErrNoRow = log.ErrNoRow\n',
    "log/log.go": 'package log\n\nimport "errors"\n\nvar ErrNoRow = errors.New("no such row")\n\n'
    "func Quiet(err error) bool {\n\treturn errors.Is(err, ErrNoRow)\n}\n",
    "config.go": "package orm\n\n// Config of a database\ntype Config struct {\n"
    "\t// Writes are wrapped in a transaction by default; this disables it\n\tSkipDefaultTransaction bool\n"
    "\t// DisableNestedTransaction disables nested transactions\n\tDisableNestedTransaction bool\n"
    "\tClock func() int\n}\n",
    "delete.go": "package orm\n\nfunc (db *DB) Delete(value any) error {\n\treturn nil\n}\n",
    "soft_delete.go": "package orm\n\n// DeletedAt says when\ntype DeletedAt int\n\n"
    "func (d DeletedAt) Keep() bool {\n\treturn d > 0\n}\n",
    "delete_test.go": 'package orm\n\nimport "testing"\n\nfunc TestDelete(t *testing.T) {\n\tnew(DB).Delete(1)\n}\n',
    "soft_delete_test.go": 'package orm\n\nimport "testing"\n\n'
    "func TestKept(t *testing.T) {\n\tif !DeletedAt(1).Keep() {\n\t\tt.Fail()\n\t}\n}\n",
    "upsert_test.go": 'package orm\n\nimport "testing"\n\nfunc TestUpsertOnConflict(t *testing.T) {\n}\n',
}


@pytest.mark.parametrize(
    "question",
    ["what happens when Save is called on a slice", "how does Save write a slice?", "how does db.Save get to the disk"],
)
def test_a_function_that_a_question_names_is_the_best_match(workspace, question):
    answer = analyze(workspace(ORM), question)
    assert answer.get_items("symbols")[0].symbol == "DB.Save"
    assert not answer.get_items("lines")


def test_a_capitalized_word_that_is_no_name_is_a_plain_word(workspace):
    answer = analyze(workspace(ORM), "what happens when Monday is called on a slice")
    assert answer.get_items("symbols")[0].symbol == "saved"


def test_a_message_is_used_where_a_variable_set_to_its_variable_is(workspace):
    answer = analyze(workspace(ORM), "no such row: where is it returned?")
    assert [(each.file, each.line) for each in answer.get_items("usages")] == [
        ("db.go", 13),
        ("log/log.go", 8),
        ("errors.go", 5),
    ]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which option disables the default transaction", "SkipDefaultTransaction"),
        ("which option disables nested transactions", "DisableNestedTransaction"),
        ("which setting gives the clock", "Clock"),
    ],
)
def test_fields_of_a_go_type_that_is_called_a_configuration_are_options(workspace, question, name):
    assert analyze(workspace(ORM), question).get_items("options")[0].name == name


@pytest.mark.parametrize(
    ("question", "tests"),
    [
        ("which tests cover soft delete", ["TestKept"]),
        ("tests for upserting with on conflict", ["TestUpsertOnConflict"]),
        ("are there tests for frobnication of rows?", []),
    ],
)
def test_tests_about_something_of_several_words(workspace, question, tests):
    answer = analyze(workspace(ORM), question)
    assert [each.test for each in answer.get_items("tests")] == tests
    assert not answer.get_items("symbols")


@pytest.mark.parametrize(
    "question", ["what env variables does it read", "list all environment variables", "which env vars does shop use?"]
)
def test_all_environment_variables_are_listed(workspace, question):
    files = {
        "shop/run.py": 'import os\n\nPORT = os.environ.get("SHOP_PORT", "80")\nLEVEL = os.getenv("SHOP_LEVEL")\n',
        "shop/app.py": 'def read(app):\n    return app.config["SERVER_NAME"]\n',
    }
    answer = analyze(workspace(files), question)
    assert sorted(each.name for each in answer.get_items("options")) == ["SHOP_LEVEL", "SHOP_PORT"]
    assert answer.summary == "the code reads 2 environment variables"


def test_that_no_environment_variable_is_read_is_said(workspace):
    answer = analyze(workspace(ORM), "which environment variables are there?")
    assert answer.summary == "the code reads no environment variable in a way that is recognized"


@pytest.mark.parametrize(
    ("question", "base"),
    [
        ("what changed in v1.1", "v1.0"),
        ("what changed in 1.1?", "v1.0"),
        ("what breaks in v1.1", "v1.0"),
        ("what changed in v1.0", "v1.0~1"),
        ("what changed in the last release?", "v1.0"),
        ("what is new since the latest release", "v1.1"),
    ],
)
def test_what_changed_in_a_release_is_compared_with_the_release_before(git_repository, workspace, question, base):
    repository = git_repository({"a.py": "ONE = 1\n"})
    for tag in ("v1.0", "other-1.0", "v1.1"):
        repository.commit(tag, {f"{tag[:2]}.py": f"def f():\n    return '{tag}'\n"})
        repository.git("tag", tag)
    assert analyze(workspace(root=repository.root), question).summary.startswith(f"{base} (")


def test_a_release_that_is_not_there_is_named(git_repository, workspace):
    opened = workspace(root=git_repository({"a.py": "ONE = 1\n"}).root)
    with pytest.raises(UsageError, match=r"no such revision: v9\.0\Z"):
        analyze(opened, "what changed in v9.0")
    with pytest.raises(UsageError, match=r"no tag of HEAD's history has a number"):
        analyze(opened, "what changed since the last release")


def test_of_options_alike_that_of_the_command_in_question_comes_first_and_no_field_that_it_sets(workspace):
    command = (
        "package {name}\n\ntype Options struct {{\n\tSkipConfirm bool\n}}\n\nfunc Run() {{\n\topts := Options{{}}\n"
        '\tcmd.Flags().BoolVar(&opts.SkipConfirm, "yes", false, "skip the confirmation prompt")\n}}\n'
    )
    files = {f"cmd/{name}/{name}.go": command.format(name=name) for name in ("archive", "delete", "rename")}
    answer = analyze(workspace(files), "which option skips the confirmation prompt of rename")
    first = answer.get_items("options")[0]
    assert (first.name, first.file) == ("yes", "cmd/rename/rename.go")


def test_a_directory_imports_what_its_files_import_from_outside_it(workspace):
    files = {
        "shop/web/a.ts": "import { b } from './b';\nimport { tax } from '../tax';\nimport express from 'express';\n",
        "shop/web/b.ts": "import { tax } from '../tax';\nexport const b = tax;\n",
        "shop/web/a.test.ts": "import { expect } from 'vitest';\n",
        "shop/tax.ts": "export const tax = 1;\n",
    }
    answer = analyze(workspace(files), "what does shop/web import")
    assert [(each.module, each.target) for each in answer.get_items("imports")] == [("../tax", "shop/tax.ts")]
    assert [each.module for each in answer.get_items("external")] == ["express"]


def test_why_something_changed_is_found_by_the_one_rare_word_of_messages(git_repository, workspace):
    repository = git_repository({"a.py": "ONE = 1\n"})
    repository.commit("Bump jsonwebtoken to v10", {"a.py": "ONE = 2\n"})
    repository.commit("Count", {"a.py": "ONE = 3\n"})
    answer = analyze(workspace(root=repository.root), "why was jsonwebtoken upgraded")
    assert [each.subject for each in answer.get_items("telling")] == ["Bump jsonwebtoken to v10"]


def test_what_uses_a_package_is_not_what_uses_the_class_in_it_that_is_called_alike(workspace):
    files = {
        "shop/__init__.py": "",
        "shop/queue/__init__.py": "",
        "shop/queue/queue.py": "class Queue: ...\n\n\ndef fill():\n    return Queue()\n",
        "app.py": "from shop.queue.queue import fill\n\nfill()\n",
    }
    answer = analyze(workspace(files), "what uses the queue package?")
    assert answer.summary == "shop/queue: imported by 1 file outside of it"
    unused = analyze(workspace({**files, "app.py": ""}), "what uses the queue package?")
    assert unused.summary == "shop/queue: no file outside of it imports it"


def test_several_words_mean_the_function_that_makes_what_they_say(workspace):
    files = {
        "disk.go": "package shop\n\ntype toDisk struct{}\n\nfunc NewDiskWriter() *toDisk {\n\treturn &toDisk{}\n}\n",
        "writer.go": "package shop\n\ntype Writer struct{}\n",
        "disk_test.go": 'package shop\n\nimport "testing"\n\nfunc TestDisk(t *testing.T) {\n\tNewDiskWriter()\n}\n',
    }
    answer = analyze(workspace(files), "is there a test for the disk writer?")
    assert answer.summary == "NewDiskWriter: 1 test uses it"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what methods does Cart have?", ["add", "_sum"]),
        ("what are the public methods of Cart", ["add"]),
        ("fields of Cart", ["limit"]),
        ("members of Cart", ["limit", "add", "_sum"]),
    ],
)
def test_the_members_of_a_class_are_listed_by_kind(workspace, question, names):
    files = {
        "cart.py": "class Base: ...\n\n\nclass Cart(Base):\n    limit = 3\n\n    def add(self): ...\n\n"
        "    def _sum(self): ...\n",
        "other.py": "class Cart:\n    def close(self): ...\n",
    }
    opened = workspace(files)
    answer = analyze(opened, f"{question.rstrip('?')} in cart.py")
    assert [each.symbol for each in answer.get_items("members")] == [f"Cart.{name}" for name in names]
    assert answer.coverage.found == len(names)


def test_methods_in_other_files_are_members_and_those_of_another_package_are_not(workspace):
    files = {
        "go.mod": "module example.com/m\n",
        "shop/cart.go": "package shop\n\ntype Cart struct{ n int }\n\nfunc (c *Cart) Add() {}\n",
        "shop/sum.go": "package shop\n\nfunc (c Cart) Sum() int { return 0 }\n",
        "till/cart.go": "package till\n\ntype Cart struct{}\n\nfunc (c *Cart) Close() {}\n",
    }
    answer = analyze(workspace(files), "which methods does shop.Cart have")
    assert [each.symbol for each in answer.get_items("members")] == ["Cart.Add", "Cart.Sum"]
    assert answer.summary == "Cart has 2 methods; 1 other member"


def test_a_function_has_no_members(workspace):
    answer = analyze(workspace({"a.py": "def run():\n    return 1\n"}), "what methods does run have?")
    assert answer.get_items("members") == ()


def test_the_definitions_of_a_kind_in_a_file_or_directory_are_listed(workspace):
    files = {
        "shop/cart.h": "#define LIMIT 3\n\nstruct cart { int n; };\ntypedef struct cart basket;\n",
        "shop/classes.py": "class Cart:\n    def add(self): ...\n\n\ndef fill(): ...\n",
    }
    opened = workspace(files)
    for question, names in (
        ("which macros are defined in shop/cart.h", ["LIMIT"]),
        ("what classes are in shop/classes.py", ["Cart"]),
        ("list the functions in shop/classes.py", ["Cart.add", "fill"]),
        ("how many structs are there in shop/cart.h", ["cart"]),
        ("fields of basket", ["cart.n"]),
    ):
        assert [each.symbol for each in analyze(opened, question).get_items("members")] == names
    assert analyze(opened, "which macros are in shop/classes.py").summary.startswith("shop/classes.py has none of them")


def test_where_something_is_returned_puts_the_lines_that_return_it_first(workspace):
    files = {"a.go": "package a\n\nvar ErrFull = 1\n\nfunc B() int {\n\tprintln(ErrFull)\n\treturn ErrFull\n}\n"}
    answer = analyze(workspace(files), "where is ErrFull returned?")
    assert [each.line for each in answer.get_items("usages")] == [7, 6]
    assert "1 line may return it" in answer.summary


def test_a_module_that_nothing_imports_is_told_as_that(workspace):
    files = {
        "src/cookie.js": "import { parse } from 'cookie';\n\nexport class Cookie {}\n",
        "src/app.js": "import { Cookie } from './cookie.js';\n",
    }
    opened = workspace(files)
    assert analyze(opened, "which files import zod?").summary == "zod: no file imports it"
    assert analyze(opened, "which files import cookie").summary == "cookie: imported by 1 file"
    assert analyze(opened, "who imports cookie.js").summary == "src/cookie.js: imported by 1 file"
    assert analyze(opened, "who imports Cookie").get_items("definitions")[0].symbol == "Cookie"


WITH_TESTS = {
    "parcel.py": "def weigh(parcel):\n    return parcel.weight\n\n\ndef price(parcel):\n    return weigh(parcel) * 2\n",
    "tests/test_parcel.py": "from parcel import weigh\n\n\ndef test_weigh():\n    assert weigh(1)\n",
}


def test_usages_in_tests_are_left_out_only_if_the_question_leaves_them_out(workspace):
    opened = workspace(WITH_TESTS)
    without = analyze(opened, "who calls weigh outside of tests?")
    assert [(each.file, each.line) for each in without.get_items("usages")] == [("parcel.py", 6)]
    assert without.coverage.found == 1
    assert "3 usages in 2 files (2 in tests)" in without.summary
    included = analyze(opened, "who calls weigh, tests included?")
    assert {each.file for each in included.get_items("usages")} == {"parcel.py", "tests/test_parcel.py"}


def test_a_helper_of_tests_beside_the_code_is_not_meant_before_the_function_of_its_name(workspace):
    files = {
        "Cargo.toml": "[package]\nname = 'tool'\nversion = '0.1.0'\n",
        "src/lib.rs": "mod names;\n\npub fn run() {\n    names::fill(1);\n}\n",
        "src/names.rs": "pub fn fill(n: i32) -> i32 {\n    n\n}\n\n#[cfg(test)]\nmod tests {\n"
        "    fn fill(n: i32) -> i32 {\n        super::fill(n)\n    }\n\n    #[test]\n    fn fills() {\n"
        "        fill(1);\n        fill(2);\n        fill(3);\n    }\n}\n",
    }
    answer = analyze(workspace(files), "who calls fill?")
    assert answer.summary.startswith("fill (function, src/names.rs:1): 2 usages in 2 files (1 in tests)")


@pytest.mark.parametrize(
    "asked",
    [
        "who calls weigh, leave out the tests please",
        "who calls weigh (ignore test code)",
        "callers of weigh, but exclude our unit tests, thanks",
        "who calls weigh in production code",
        "usages of weigh in non-test code only",
        "does anything besides tests use weigh?",
        "who other than the unit tests calls weigh",
        "list the non-test callers of weigh",
        "usages of weigh, tests not needed",
        "who calls weigh? the tests are not relevant",
        "callers of weigh - tests don't matter",
        "who uses weigh, I don't need the tests",
    ],
)
def test_a_question_may_leave_out_tests_in_several_wordings(workspace, asked):
    answer = analyze(workspace(WITH_TESTS), asked)
    assert {each.file for each in answer.get_items("usages")} == {"parcel.py"}


def test_code_is_found_in_its_source_rather_than_in_what_is_built_of_it(workspace):
    files = {
        "build/util.cjs": "function weigh(d) {\n  return d;\n}\nmodule.exports = { weigh };\n",
        "build/index.cjs": "const { weigh } = require('./util.cjs');\nweigh(1);\nweigh(2);\nweigh(3);\n",
        "build/util.d.ts": "export declare function weigh(d: number): number;\n",
        "src/util.ts": "export function weigh(d: number) {\n  return d;\n}\n",
        "src/index.ts": "import { weigh } from './util.ts';\nweigh(1);\n",
    }
    answer = analyze(workspace(files), "who calls weigh?")
    assert [each.file for each in answer.get_items("definitions")] == ["src/util.ts"]
    assert next(each.file for each in answer.get_items("usages")) == "src/index.ts"


def test_a_prototype_is_no_other_definition_of_its_function(workspace):
    files = {
        "weigh.h": "int weigh(int parcel);\n",
        "weigh.c": '#include "weigh.h"\n\nint weigh(int parcel)\n{\n    return parcel;\n}\n',
        "tests/test_weigh.c": '#include "../weigh.h"\n\nint main(void)\n{\n    return weigh(1);\n}\n',
        "other/weigh.c": "static int weigh(int parcel)\n{\n    return parcel + 1;\n}\n"
        "int other(void) { return weigh(2); }\n",
    }
    answer = analyze(workspace(files), "how is weigh tested?")
    assert [each.file for each in answer.get_items("definitions")] == ["weigh.c"]
    assert [each.file for each in answer.get_items("other_definitions")] == ["other/weigh.c"]


def test_a_question_where_the_member_of_an_object_is_set_does_not_ask_for_an_option(workspace):
    files = {
        "probe.h": "struct probe { int maxTtl; };\n",
        "probe.c": '#include "probe.h"\n\nint read_ttl(struct probe *probe)\n{\n    return probe->maxTtl;\n}\n\n'
        "void init(struct probe *probe)\n{\n    probe->maxTtl = 30;\n}\n",
    }
    answer = analyze(workspace(files), "where do we set probe->maxTtl?")
    assert answer.kind != "option"
    assert [each.line for each in answer.get_items("usages")] == [10, 5]
    assert "1 line may assign it" in answer.summary
