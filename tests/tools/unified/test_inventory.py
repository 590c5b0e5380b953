"""Questions for how a project is run, and for its tables and events."""

from __future__ import annotations

import pytest

from avionics.tools.questions.reading import read_question
from avionics.tools.unified.analyze import analyze

MAKE = (
    "all: build\n\n# Runs the quick tests.\ntest:\n\tgo test ./...\n\n"
    "build:\n\tgo build -o shop\n\nrun: build\n\t./shop\n"
)
SHOP = {
    "Makefile": MAKE,
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "main.go": "package main\n\nfunc main() {}\n\nfunc run() {}\n",
    "web/package.json": '{\n  "scripts": {\n    "dev": "vite",\n    "test:unit": "vitest run"\n  }\n}\n',
    "web/pnpm-lock.yaml": "",
    ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: golangci-lint run\n      - run: |\n"
    "          go vet ./...\n          echo done\n",
    "CONTRIBUTING.md": "# Help\n\n```\n$ docker compose up  # starts it\n```\n\nThen we run go and eat.\n",
}


@pytest.mark.parametrize(
    ("question", "command", "place"),
    [
        ("how do I run the tests?", "make test", "Makefile:4"),
        ("what command runs the test suite", "make test", "Makefile:4"),
        ("how to build it", "make build", "Makefile:7"),
        ("build this from source please, how", "make build", "Makefile:7"),
        ("How can we start the server locally?", "make run", "Makefile:10"),
        ("how do i run the linter", "golangci-lint run", ".github/workflows/ci.yml:4"),
        ("how do I run the tests of the web app", "cd web && pnpm run test:unit", "web/package.json:4"),
        ("how are the unit tests run", "cd web && pnpm run test:unit", "web/package.json:4"),
    ],
)
def test_a_question_how_a_project_is_run_is_answered_by_what_its_files_declare(workspace, question, command, place):
    answer = analyze(workspace(SHOP), question)
    first = next(each.items[0] for each in answer.sections if each.items)
    assert answer.kind == "task"
    assert (first.command, f"{first.file}:{first.line}") == (command, place)
    assert f"`{command}`" in answer.summary


def test_what_a_command_runs_and_what_is_said_of_it_is_shown(workspace):
    answer = analyze(workspace(SHOP), "how do I run the tests?")
    lines = [each.to_text() for each in answer.get_items("commands")]
    assert lines == [
        "Makefile:4  make test → go test ./... — Runs the quick tests.",
        "web/package.json:4  cd web && pnpm run test:unit → vitest run",
    ]
    assert [each.to_text() for each in answer.get_items("usual")] == ["go.mod:1  go test ./..."]


def test_a_command_that_no_file_declares_is_called_usual(workspace):
    files = {"Cargo.toml": '[package]\nname = "shop"\n', "src/lib.rs": "pub fn run() {}\n"}
    assert analyze(workspace(files), "how do I run the tests").summary == (
        "to run the tests: `cargo test` is usual with this build tool; no file declares a command for it; "
        "1 command known, and nothing was run"
    )


def test_a_check_that_runs_no_test_comes_after_the_tests_that_the_build_server_runs(workspace):
    scripts = '{"scripts": {"check": "svelte-check", "verify": "vitest run"}}'
    tests = "jobs:\n  a:\n    steps:\n      - run: cargo test\n"
    opened = workspace({"package.json": scripts, ".github/workflows/ci.yml": tests, "a.ts": ""})
    summary = analyze(opened, "how do I run the tests?").summary
    assert summary.startswith("to run the tests: `npm run verify` is declared")
    opened = workspace({"package.json": '{"scripts": {"check": "tsc"}}', ".github/workflows/ci.yml": tests, "a.ts": ""})
    assert analyze(opened, "how do I run the tests?").summary.startswith("to run the tests: `cargo test` is written")


def test_a_name_with_the_word_test_comes_before_one_of_what_tests_also_do(workspace):
    make = "coverage:\n\tgo test -cover ./...\n\ntest-short:\n\tgo test -short ./...\n\nlist-build-tags:\n\tgo list\n"
    opened = workspace({"Makefile": make, "a.go": "package a\n"})
    tests = analyze(opened, "how do I run the tests?")
    assert tests.summary.startswith("to run the tests: `make test-short` is declared")
    built = analyze(opened, "how do I build it?")
    assert "list-build-tags" not in "".join(each.to_text() for each in built.get_items("commands"))


def test_a_form_of_a_word_of_the_command_is_not_missed_in_it(workspace):
    opened = workspace({"Makefile": "lint:\n\tmypy .\n", "a.py": ""})
    assert analyze(opened, "how do I run the linter?").summary == (
        "to check the code: `make lint` is declared at Makefile:1; 1 command known, and nothing was run"
    )


@pytest.mark.parametrize(
    "question",
    [
        "how do I run main?",
        "how does run work",
        "who runs the tests",
        "which tests cover run",
        "how is the server started in main.go",
        "how do I start the engine",
        "how to build a query",
        "what does the build command do",
    ],
)
def test_a_question_about_code_that_runs_is_not_one_how_the_project_is_run(workspace, question):
    assert "nothing was run" not in analyze(workspace(SHOP), question).summary


def test_a_word_that_no_command_has_is_told(workspace):
    answer = analyze(workspace(SHOP), "how do I run the slow tests")
    assert "`make test` is declared at Makefile:4; it does not name slow" in answer.summary


def test_a_command_is_not_invented_where_no_file_tells_of_one(workspace):
    assert "nothing was run" not in analyze(workspace({"a.py": "def run(): ...\n"}), "how do I run the tests").summary


DJANGO = "from django.db import models\n\n\nclass Base(models.Model):\n    id = 1\n\n\n"
TABLES = {
    "app/models.py": f'{DJANGO}class Order(Base):\n    """An order."""\n    total = 2\n\n\nclass View: ...\n',
    "app/forms.py": "from pydantic import BaseModel\n\n\nclass Model: ...\n\n\nclass Form(BaseModel): ...\n",
    "db/001.sql": "CREATE TABLE IF NOT EXISTS\n  `users` (id INT);\n\ncreate table old (id int);\n",
    "db/002.sql": "ALTER TABLE users ADD name TEXT;\nDROP TABLE old;\n",
    "tests/a.sql": "CREATE TABLE only_for_tests (id INT);\n",
    "README.md": "You create table by table.\n",
}


@pytest.mark.parametrize(
    "question", ["what are the database tables?", "which tables are there", "list all db models", "the database schema"]
)
def test_tables_are_those_that_are_created_and_the_classes_that_stand_for_one(workspace, question):
    answer = analyze(workspace(TABLES), question)
    assert [each.to_text() for each in answer.get_items("models")] == [
        "app/models.py:4  Base: id",
        "app/models.py:8  Order: total — An order",
    ]
    assert [each.to_text() for each in answer.get_items("tables")] == [
        "db/001.sql:1  users",
        "db/001.sql:4  old; dropped at db/002.sql:2",
    ]


def test_one_table_is_found_by_its_name(workspace):
    answer = analyze(workspace(TABLES), "where is the users table defined?")
    assert [each.to_text() for each in answer.get_items("tables")] == ["db/001.sql:1  users"]


STORED = {
    "java": {
        "A.java": "import jakarta.persistence.Entity;\n\n@Entity\npublic class Order {\n    int id;\n}\n",
        "B.java": "import org.other.Entity;\n\n@Entity\npublic class Monster {\n}\n",
    },
    "typescript": {
        "a.ts": 'import { Entity } from "typeorm";\n\n@Entity()\nexport class Order {\n  id = 1;\n}\n',
        "b.ts": 'import { Entity } from "./game";\n\n@Entity()\nexport class Monster {}\n',
    },
    "go": {
        "a.go": 'package a\n\nimport "gorm.io/gorm"\n\ntype Order struct {\n\tgorm.Model\n\tTotal int\n}\n',
        "b.go": "package a\n\ntype Monster struct {\n\tTotal int\n}\n",
    },
    "go-tags": {
        "a.go": 'package a\n\ntype Order struct {\n\tID int64 `json:"id" gorm:"primaryKey"`\n}\n',
        "b.go": 'package a\n\n// gorm:"x" is no tag here.\ntype Monster struct {\n\tID int64 `json:"gorm"`\n}\n',
    },
    "ruby": {
        "a.rb": "class Order < ApplicationRecord\nend\n",
        "b.rb": "class Monster < Creature\nend\n",
    },
    "php": {
        "a.php": "<?php\nuse Illuminate\\Database\\Eloquent\\Model;\nclass Order extends Model {}\n",
        "b.php": "<?php\nuse Game\\Model;\nclass Monster extends Model {}\n",
    },
    "rust": {
        "a.rs": "use diesel::prelude::*;\n\n#[derive(Queryable)]\npub struct Order {\n    pub id: i32,\n}\n",
        "b.rs": "#[derive(Clone)]\npub struct Monster {\n    pub id: i32,\n}\n",
    },
}


@pytest.mark.parametrize("language", STORED)
def test_a_class_is_stored_by_the_conventions_of_its_language_and_its_imports(workspace, language):
    answer = analyze(workspace(STORED[language]), "what are the database models")
    assert [each.symbol for each in answer.get_items("models")] == ["Order"]


def test_what_is_no_table_is_not_called_one(workspace):
    files = {"a.py": "class Table: ...\n\n\ndef create_table(): ...\n\n\ncreate_table()\n"}
    answer = analyze(workspace(files), "which tables are there")
    assert (answer.get_items("tables"), answer.summary.partition(";")[0]) == (
        (),
        "no table or stored class was recognized in product code",
    )


EVENTS = {
    "app/signals.py": "from django.dispatch import Signal\n\norder_done = Signal()\n",
    "web/bus.ts": 'export enum UiEvent { Open, Close }\nbus.emit("saved", 1);\nconsole.log("emit");\n',
    "tests/a.ts": 'bus.emit("only-tested");\n',
}


def test_events_are_signals_announced_names_and_types_called_events(workspace):
    answer = analyze(workspace(EVENTS), "which events are there?")
    assert [each.to_text() for each in answer.get_items("events")] == [
        "app/signals.py:3  order_done (declared)",
        "web/bus.ts:2  saved (announced)",
    ]
    assert [each.to_text() for each in answer.get_items("event_types")] == ["web/bus.ts:1  UiEvent (enum): Open, Close"]


def test_a_question_for_events_of_a_program_without_any_is_searched_for(workspace):
    opened = workspace({"a.py": "def emit(): ...\n"})
    answer = analyze(opened, "which events are there")
    assert (answer.get_items("events"), answer.get_items("event_types")) == ((), ())
    assert answer.summary.startswith("no event was recognized in product code; ")
    assert analyze(opened, "what are the command-line flags?").summary.startswith("no command-line flag was recognized")


START = {
    "README.md": "# shop\n\nSells things.\n",
    "docs/architecture.md": "# How it is built\n",
    "pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.cli:main"\n',
    "shop/__init__.py": "",
    "shop/cli.py": "from shop import core\n\n\ndef main(): ...\n",
    "shop/core.py": "def shop(): ...\n",
    "shop/more.py": "from shop import core\n",
    "tests/test_a.py": "from shop import cli\n",
}


def test_what_to_read_first_are_documents_entry_points_and_what_others_import(workspace):
    answer = analyze(workspace(START), "where should I start reading?")
    assert answer.summary == "read README.md:1 first, then shop/cli.py:4 main (script shop)"
    assert [each.name for each in answer.get_items("documents")] == ["README.md:1", "docs/architecture.md:1"]
    assert [each.name for each in answer.get_items("members")] == ["shop/core.py:1 imported by 2 product files"]


@pytest.mark.parametrize(
    ("question", "about"), [("what does shop do?", "."), ("what is shop", "."), ("what does main do", "main")]
)
def test_the_name_of_the_project_means_all_of_it(workspace, question, about):
    assert read_question(workspace(START).code, question).subject == about


def test_a_name_that_no_document_mentions_is_not_that_of_the_project(workspace):
    files = START | {"README.md": "# Store\n"}
    assert read_question(workspace(files).code, "what does shop do?").subject == "shop"


def test_a_question_for_the_whole_begins_with_what_its_readme_says(workspace):
    files = {"README.md": "# Shop\n\nShop sells letters by weight. It has no basket.\n", "shop.py": "PRICE = 1\n"}
    answer = analyze(workspace(files), "what does this project do?")
    assert answer.summary.startswith("Shop sells letters by weight — ")


KINDS = {
    "app/parsers.py": "class BaseParser:\n    pass\n\n\nclass Csv(BaseParser):\n    pass\n"
    "\n\nclass Json(BaseParser):\n    pass\n",
    "app/queues.py": "MAIL_QUEUE = 'mail'\nREPORT_QUEUE = 'report'\n\n\ndef dequeue():\n    return MAIL_QUEUE\n",
    "app/guards.py": "class AuthGuard:\n    pass\n\n\nclass RoleGuard:\n    pass\n\n\nclass Disregard:\n    pass\n",
    "tests/test_guard.py": "class FakeGuard:\n    pass\n",
}


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("which parsers are there?", ["Csv", "Json"]),
        ("which playlist parsers are supported?", ["Csv", "Json"]),
        ("list all queues", ["MAIL_QUEUE", "REPORT_QUEUE"]),
        ("how many guards are there?", ["AuthGuard", "RoleGuard"]),
        ("which widgets are there?", []),
    ],
)
def test_things_of_a_kind_are_found_by_what_they_inherit_from_or_are_called(workspace, asked, names):
    answer = analyze(workspace(KINDS), asked)
    assert [each.symbol for each in answer.get_items("members")] == names


def test_a_class_that_is_named_in_plain_words_is_explained(workspace):
    answer = analyze(workspace(KINDS), "explain the auth guard")
    assert answer.summary.startswith("AuthGuard (class, app/guards.py:1)")


def test_tests_are_counted(workspace):
    files = {
        "tests/test_a.py": "def test_one():\n    pass\n\n\ndef test_two():\n    pass\n\n\ndef helper():\n    pass\n",
        "src/b.rs": "#[test]\nfn three() {}\n",
        "src/c.test.js": "test('adds', () => {})\ntest('removes', () => {})\n",
    }
    summary = analyze(workspace(files), "how many tests are there?").summary
    assert summary == "3 tests in 2 files, and 1 file whose tests are calls"
