"""Questions in the words of people who do not know the code: wishes, synonyms, and what happens to their own files."""

from __future__ import annotations

import pytest

from avionics.model.enums import Certainty
from avionics.tools.unified.analyze import analyze
from avionics.tools.unified.answer_lines import LikelyPlace

TOOL = {
    "cli.go": "package main\n\nvar flags = []cli.Flag{\n"
    '\t&cli.StringFlag{Name: "throttleUpload", Usage: "throttle the upload speed"},\n'
    '\t&cli.BoolFlag{\n\t\tName: "ignore-crawlers",\n\t\tUsage: "do not count them in the report",\n\t},\n}\n',
    "options.js": "const OPTIONS = [\n  {\n    short: 'p',\n    flag: 'concurrent',\n    type: 'string',\n"
    "    description: 'the number of linters to run at once, or false for serial',\n  },\n"
    "  {\n    short: 'q',\n    flag: 'quiet',\n    type: 'boolean',\n    description: 'print nothing',\n  },\n]\n",
    "Factory.java": "class Factory {\n"
    '    public static final String PROP_DAEMON = "app.scheduler.makeThreadDaemon";\n}\n',
    "config/defaults.py": "class Config:\n    strict = c.Type(bool, default=False)\n"
    '    """Stop the build when there are warnings."""\n    exclude_docs = c.Optional(c.Paths())\n'
    '    """Patterns of files to exclude from the site."""\n',
    "main.py": "clean_help = 'Remove stale pages from the target before building.'\n\n\n"
    "@click.option('-c', '--clean/--dirty', help=clean_help)\ndef build():\n    pass\n",
}


@pytest.mark.parametrize(
    ("question", "name", "file"),
    [
        ("sending eats all my bandwidth, can I slow it down", "throttleUpload", "cli.go"),
        ("leave bots out of the report", "ignore-crawlers", "cli.go"),
        ("run the linters one after the other", "concurrent", "options.js"),
        ("property so that the thread is a daemon of the scheduler", "app.scheduler.makeThreadDaemon", "Factory.java"),
        ("how do I make the build fail on warnings", "strict", "config/defaults.py"),
        ("can I leave a few files out of the site? which setting", "exclude_docs", "config/defaults.py"),
        ("which flag deletes stale pages from the target?", "--clean", "main.py"),
        ("The upload takes all of my bandwidth. Can the upload be throttled?", "throttleUpload", "cli.go"),
        ('"12 linters done" is printed each time, can I have it print nothing?', "quiet", "options.js"),
        ("Crawlers shouldn't appear in the report", "ignore-crawlers", "cli.go"),
    ],
)
def test_an_option_is_found_by_what_somebody_wants(workspace, question, name, file):
    first = analyze(workspace(TOOL), question).get_items("options")[0]
    assert (first.name, first.file) == (name, file)


@pytest.mark.parametrize(
    "question", ["where are bots left out of the report?", "crawlers", "paint the walls of the house"]
)
def test_what_is_no_wish_or_fits_no_option_is_not_answered_with_one(workspace, question):
    assert not analyze(workspace(TOOL), question).get_items("options")


def test_an_entry_that_describes_a_flag_is_no_option(workspace):
    options = analyze(workspace(TOOL), "which option has the description of the type").get_items("options")
    assert "options.js" not in {each.file for each in options}


def test_an_option_of_a_tool_is_none_of_the_program(workspace):
    files = {
        "vite.config.ts": "export default {\n  uploadTimeout: 30,\n}\n",
        "src/options.ts": "export interface Options {\n"
        "  /** Seconds until an upload is given up. */\n  uploadTimeout: number\n}\n",
    }
    found = analyze(workspace(files), "which option sets the upload timeout?").get_items("options")
    assert {each.file for each in found} == {"src/options.ts"}


RECOVERY = {
    "README.md": "# Store\n",
    "store.py": "def recover_jobs(dead_instance):\n    for job in dead_instance.jobs:\n        job.restart()\n\n\n"
    "def list_jobs(instance):\n    return instance.jobs\n",
    "files.py": "def exclude_duplicates(folder):\n    # README.md gives way to an index in the same folder\n"
    "    return [each for each in folder if each != 'README.md']\n",
}


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("an instance died: where are its jobs taken over?", "recover_jobs"),
        ("what happens if there is both a README.md and an index in a folder?", "exclude_duplicates"),
        ("how does it restart the jobs of a dead instance of git blame?", "recover_jobs"),
        ("what happens to my unstaged changes of the jobs of a dead instance", "recover_jobs"),
    ],
)
def test_what_a_program_does_is_answered_with_its_code(workspace, question, symbol):
    assert symbol in {each.symbol for each in analyze(workspace(RECOVERY), question).get_items("symbols")}


RELATED = {
    "orders.py": "def total_amount(order, currency):\n    amount = 0\n    for each in order.lines:\n"
    "        amount += each.price * each.quantity\n    return convert(amount, currency)\n",
    "mail.py": "def remove_all(mails):\n    for each in list(mails):\n        mails.remove(each)\n        clear(each)\n"
    "        delete(each)\n    return mails\n\n\ndef remove_attachment(mail):\n    picture = mail.photo\n"
    "    if picture:\n        picture.remove()\n        mail.photo = None\n    return mail\n",
}


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("where is it decided how much money the customer owes us in the end?", "total_amount"),
        ("where do we throw away the image of a letter?", "remove_attachment"),
    ],
)
def test_words_that_are_only_related_to_those_of_the_code_lead_to_it(workspace, question, symbol):
    assert analyze(workspace(RELATED), question).get_items("nearest")[0].symbol == symbol


def test_a_file_is_still_explained(workspace):
    assert analyze(workspace(RECOVERY), "what is in store.py?").summary.startswith("store.py")


MESSAGES = {
    "labels.h": '#define ERR_NO_TIME \\\n  _("No time format was found.")\n',
    "table.c": '#include "codes.h"\nstatic const char *texts[] = {\n  [E_FULL] = "the queue of the server is full",\n'
    '  [E_LATE] = "the request came too late",\n};\nconst char *text(int code) { return texts[code]; }\n',
    "codes.h": "enum { E_FULL, E_LATE };\n",
    "use.c": '#include "codes.h"\n#include "labels.h"\n'
    "int push(int n) {\n  if (n > 9)\n    return E_FULL;\n  return 0;\n}\n"
    "const char *verify(int t) {\n  if (!t)\n    return ERR_NO_TIME;\n  return 0;\n}\n",
}


@pytest.mark.parametrize(
    ("message", "holder", "line"),
    [("No time format was found.", "ERR_NO_TIME", 10), ("the queue of the server is full", "E_FULL", 5)],
)
def test_a_message_leads_to_the_uses_of_the_constant_that_stands_for_it(workspace, message, holder, line):
    answer = analyze(workspace(MESSAGES), message)
    assert f"as {holder}, which is used at use.c:{line}" in answer.summary
    assert {each.file for each in answer.get_items("usages")} == {"use.c"}


GIT_UI = {
    "args.rs": 'const KEYS: &str = "keys";\n\nfn app() -> Command {\n    Command::new("ui")\n        .arg(\n'
    '            Arg::new(KEYS)\n                .help("Use a custom file with bindings")\n'
    '                .short(\'k\')\n                .long("key-bindings")\n                .value_name("KEY_FILE"),\n'
    "        )\n        .arg(\n            Arg::new(THEME)\n"
    '                .help("Set the theme")\n                .long("theme"),\n        )\n}\n\n'
    "const SPINNER_INTERVAL: u64 = 80;\n",
    "config.go": "package ui\n\ntype GitConfig struct {\n\t// If true, periodically fetch from remote\n"
    '\tAutoFetch bool `yaml:"autoFetch"`\n\t// Time between fetches, in seconds\n'
    '\tFetchInterval int `yaml:"fetchInterval"`\n}\n\n'
    "func defaults() GitConfig {\n\treturn GitConfig{\n\t\tAutoFetch: true,\n\t\tFetchInterval: 60,\n\t}\n}\n\n"
    'var needRestart = []string{\n\t"Git.AutoFetch",\n\t"Git.FetchInterval",\n}\n',
    "send.py": "import os\n\nNO_EXTENSIONS = bool(os.environ.get('UI_NO_EXTENSIONS'))\n"
    "NOSENDFILE = bool(os.environ.get('UI_NOSENDFILE'))\n",
}


@pytest.mark.parametrize(
    ("question", "name", "line", "default"),
    [
        ("how can I use another file for key bindings", "key-bindings", "args.rs:9", ""),
        ("where is the interval of the spinner defined?", "SPINNER_INTERVAL", "args.rs:19", "80"),
        ("which setting makes it fetch automatically from the remote", "autoFetch", "config.go:5", "true"),
        ("how do I change how often it fetches", "fetchInterval", "config.go:7", "60"),
        ("env variable to disable sendfile", "UI_NOSENDFILE", "send.py:4", ""),
    ],
)
def test_an_option_is_found_where_a_builder_a_list_or_a_literal_names_it_too(workspace, question, name, line, default):
    first = analyze(workspace(GIT_UI), question).get_items("options")[0]
    assert (first.name, f"{first.file}:{first.line}", first.default) == (name, line, default)


def test_what_a_builder_says_of_an_option_is_in_the_other_calls_of_its_chain(workspace):
    options = analyze(workspace(GIT_UI), "which flag sets the theme").get_items("options")
    assert [(each.name, each.help) for each in options if each.name == "theme"] == [("theme", "Set the theme")]


WRITTEN = {
    "Query.java": "class QueryMap {\n    void apply(String key) {\n"
    '        throw error("Query map contained null value for key \'" + key + "\'.");\n    }\n}\n',
    "root.ts": "export const owner = { value: 1 };\nexport function createRoot(dispose) {\n"
    '  if (!dispose) throw new Error("Dispose method must be an explicit argument to createRoot function");\n}\n',
    "english.go": 'package i18n\n\nvar Texts = []string{"Paste a commit message when the commit panel has text"}\n',
}


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Query map contained null value for key 'foo'.", "Query.java:3"),
        ("Dispose method must be an explicit argument to createRoot function", "root.ts:3"),
    ],
)
def test_a_text_that_the_code_has_word_for_word_is_a_message_whatever_it_seems_to_ask(workspace, message, line):
    answer = analyze(workspace(WRITTEN), message)
    assert [f"{each.file}:{each.line}" for each in answer.get_items("lines")] == [line]
    assert answer.summary.startswith(f"this message is written at {line}")


def test_a_wish_with_some_words_of_a_message_is_not_that_message(workspace):
    answer = analyze(workspace(WRITTEN), "hide the length of the commit message in the commit panel")
    assert not answer.summary.startswith("this message")


def test_a_key_leads_to_what_it_is_bound_to_and_not_to_the_fields_of_its_help(workspace):
    files = {
        "Action.c": "typedef struct { const char *key; int ro; const char *info; } Help;\n"
        "static int actionKill(void) { return 1; }\n"
        'static const Help help[] = {\n   { .key = "F9 k: ", .ro = 1, .info = "kill process" },\n};\n'
        "void bind(Action *keys) {\n   keys[KEY_F(9)] = actionKill;\n}\n"
    }
    answer = analyze(workspace(files), "how does pressing F9 kill a process")
    assert [each.line for each in answer.get_items("lines")] == [7]
    assert [each.line for each in answer.get_items("handled")] == [2]


def test_three_words_that_are_one_name_are_that_name_even_in_a_test(workspace):
    files = {
        "models/branch.go": "package models\n\ntype Branch struct{}\n",
        "tests/new_branch_autostash.go": 'package tests\n\nvar NewBranchAutostash = Test{Name: "stash"}\n',
    }
    answer = analyze(workspace(files), "tests for new branch autostash")
    assert answer.summary.startswith("NewBranchAutostash is itself in a file of tests")


BOUND = {
    "cmd/root.go": "package cmd\n\nfunc init() {\n\trootCmd.Flags().Float32VarP(\n\t\tflags.RefreshRate,\n"
    '\t\t"refresh", "r",\n\t\tconfig.DefaultRate,\n\t\t"Specify the default refresh rate in seconds",\n\t)\n}\n',
    "config/root.rs": "pub struct RootConfig {\n    pub command_timeout: u64,\n    pub follow_links: bool,\n}\n\n"
    "impl Default for RootConfig {\n    fn default() -> Self {\n        Self {\n"
    "            command_timeout: 500,\n            follow_links: true,\n        }\n    }\n}\n",
    "docs/es-ES/config/README.md": "| Option | Default | Description |\n| --- | --- | --- |\n"
    "| `command_timeout` | `500` | Tiempo de espera para los comandos ejecutados, command, en milisegundos. |\n",
    "docs/config/README.md": "| Option | Default | Description |\n| --- | --- | --- |\n"
    "| `command_timeout` | `500` | Timeout for commands that are executed. |\n",
}


def test_a_flag_may_be_named_behind_the_variable_for_its_value(workspace):
    first = analyze(workspace(BOUND), "command line flag for the refresh rate").get_items("options")[0]
    assert (first.name, first.file, first.line) == ("refresh", "cmd/root.go", 6)


def test_a_command_may_be_what_an_option_is_about_and_translations_are_not_read(workspace):
    asked = "how long may a command run before it is stopped, which setting"
    first = analyze(workspace(BOUND), asked).get_items("options")[0]
    assert (first.name, first.default) == ("command_timeout", "500")
    assert "Tiempo" not in first.help


def test_where_a_class_is_created_asks_for_its_usages(workspace):
    files = {
        "pieces.py": "class PieceSelector:\n    def select(self):\n        return 1\n",
        "storage.py": "from pieces import PieceSelector\n\n\ndef open_storage():\n    return PieceSelector()\n",
    }
    answer = analyze(workspace(files), "where is PieceSelector created")
    assert [(each.file, each.line) for each in answer.get_items("usages") if each.role == "call"] == [("storage.py", 5)]


CALLS = {
    "options.py": "class Options(Base):\n    def __init__(self):\n"
    '        self.add_option(\n            "ping_keepalive",\n            int,\n            58,\n            """\n'
    "            Send a ping if a connection is idle for so many seconds.\n"
    '            """,\n        )\n'
    '        self.add_option("view_cutoff", int, VIEW_CUTOFF, "Lines of a view.")\n',
    "command.rs": 'fn flags() -> Vec<CliFlag> {\n    vec![\n        CliFlag::switch(\n            "no-config-file",\n'
    "            Some('n'),\n            \"start with no config file\",\n        ),\n"
    '        CliFlag::switch(\n            "no-history",\n            None,\n'
    '            "write no history",\n        ),\n'
    "    ]\n}\n",
    "life.go": "package life\n\nconst DefaultGrace = 10 * time.Second\n\ntype LifeCycle struct {\n"
    '\tGraceTimeOut Duration `description:"Duration to give requests a chance to finish." json:"graceTimeOut"`\n}\n\n'
    "func (a *LifeCycle) SetDefaults() {\n\ta.GraceTimeOut = Duration(DefaultGrace)\n}\n",
    "setup.c": 'void setup(void)\n{\n\tchar *str;\n\n\tstr = g_getenv("IRCNICK");\n\tset_nick(str);\n'
    '\tstr = g_getenv("TERM");\n\tset_term(str);\n}\n',
    "constants.ts": "export const MAX_ZOOM = 30;\nexport const MIN_ZOOM = 0.1;\n",
}


@pytest.mark.parametrize(
    ("question", "name", "default"),
    [
        ("which option stops connections from going idle, and after how many seconds", "ping_keepalive", "58"),
        ("flag to start without a config file", "no-config-file", ""),
        ("how long may requests take to finish, which setting", "graceTimeOut", "DefaultGrace (10 * time.Second)"),
        ("which environment variable gives my nick", "IRCNICK", ""),
        ("maximum zoom", "MAX_ZOOM", "30"),
        ("what is the lowest zoom that is allowed?", "MIN_ZOOM", "0.1"),
    ],
)
def test_options_have_the_name_and_the_default_that_their_calls_give_them(workspace, question, name, default):
    first = analyze(workspace(CALLS), question).get_items("options")[0]
    assert (first.name, first.default) == (name, default)


def test_two_plain_words_are_the_file_that_they_name_before_they_are_a_variable(workspace):
    files = {
        "src/textWrapping.ts": "export const wrapText = (text: string) => text;\n",
        "src/other.ts": "export interface Line { text: string }\n",
        "tests/textWrapping.test.ts": 'import { wrapText } from "../src/textWrapping";\n'
        'it("wraps", () => { expect(wrapText("a")).toBe("a"); });\n',
        "tests/stream.test.ts": "const text = async () => 1;\nit('reads', () => { text(); });\n",
    }
    answer = analyze(workspace(files), "tests for text wrapping")
    assert {each.file for each in answer.get_items("tests")} == {"tests/textWrapping.test.ts"}


def test_words_of_a_longer_text_are_no_message(workspace):
    files = {
        "a.py": 'def explain():\n    return "Pay attention: this is so from another language level on, see there"\n'
        'def name():\n    return "no file name"\n\ndef language_level():\n    return 3\n'
    }
    opened = workspace(files)
    assert analyze(opened, "language level").get_items("symbols")[0].symbol == "language_level"
    assert "message is written at a.py:4" in analyze(opened, "no file name").summary


SHOP = {
    "shop/errors.py": "class Lost(Exception):\n    pass\n\n\nCODE = 3\n",
    "shop/store.py": "from typing import Optional\n\n\nclass Order:\n    pass\n\n\n"
    "def load(path: str) -> Optional[Order]:\n    return None\n\n\ndef keep(order: Order) -> bool: ...\n\n\n"
    "class Store:\n    def first(self) -> Order: ...\n",
    "shop/store.rs": "use x::Order;\npub fn made<T: Fn(u8) -> Order>(make: T) -> Result<Order, ()> { make(1) }\n"
    "pub fn kept(order: Order) -> bool { true }\n",
    "shop/Store.java": "class Store {\n    public static Order open(String name) throws IOException { return null; }\n"
    "    void close(Order order) {}\n\n    @Deprecated\n    void drop() {}\n}\n",
    "shop/store.go": "package shop\n\nfunc (o *Order) Next() (*Order, error) { return nil, nil }\n\n"
    "// Keep keeps.\n//\n// Deprecated: use Next.\nfunc (o *Order) Keep() error { return nil }\n\n"
    "// Old is not deprecated as a whole.\nfunc Old() {}\n",
    "shop/store.ts": "export const find = (name: string): Promise<Order> => load(name)\n"
    "export function sell(order: Order): void {}\n/** @deprecated since 2 */\nexport function give(): void {}\n",
}


def test_functions_are_found_by_what_they_return(workspace):
    answer = analyze(workspace(SHOP), "which functions return an Order?")
    found = {(each.file, each.symbol) for each in answer.get_items("members")}
    assert found == {
        ("shop/Store.java", "Store.open"), ("shop/store.go", "Order.Next"), ("shop/store.py", "load"),
        ("shop/store.py", "Store.first"), ("shop/store.rs", "made"), ("shop/store.ts", "find"),
    }  # fmt: skip
    assert answer.summary == "6 functions declare to return Order"


def test_functions_are_found_by_what_they_take(workspace):
    answer = analyze(workspace(SHOP), "which functions take an Order?")
    found = {(each.file, each.symbol) for each in answer.get_items("members")}
    assert found == {
        ("shop/Store.java", "Store.close"), ("shop/store.py", "keep"), ("shop/store.rs", "kept"),
        ("shop/store.ts", "sell"),
    }  # fmt: skip
    assert answer.summary == "4 functions declare to take Order"


def test_a_word_that_no_function_declares_to_return_is_searched_for(workspace):
    assert not analyze(workspace(SHOP), "which functions return early?").get_items("members")


def test_deprecated_definitions_are_those_that_are_marked(workspace):
    opened = workspace(SHOP)
    answer = analyze(opened, "which functions are deprecated?")
    assert {each.symbol for each in answer.get_items("members")} == {"Store.drop", "Order.Keep", "give"}
    inside = analyze(opened, "what is deprecated in shop/store.ts?")
    assert [each.symbol for each in inside.get_items("members")] == ["give"]
    assert (
        analyze(opened, "is anything deprecated in shop/errors.py").summary == "no definition is marked as deprecated"
    )


def test_a_way_from_a_name_of_a_setting_is_no_question_for_an_option(workspace):
    files = {"app.py": "def config():\n    load()\n\n\ndef load(): ...\n"}
    answer = analyze(workspace(files), "path from config to load")
    assert answer.summary == "config → load: 1 path found"


@pytest.mark.parametrize(
    ("question", "line", "said"),
    [
        ("where is the constant retry_limit returned?", 5, "1 line may return it"),
        ("where is retry_limit incremented", 10, "2 lines may assign it"),
        ("where is the global `retry_limit` mutated?", 10, "2 lines may assign it"),
    ],
)
def test_the_lines_that_do_with_a_name_what_is_asked_come_first(workspace, question, line, said):
    text = (
        "retry_limit = 3\n\n\ndef get():\n    return retry_limit\n\n\ndef more():\n    global retry_limit\n"
        "    retry_limit += 1\n    limit = retry_limit\n    retry_limit = limit\n"
    )
    answer = analyze(workspace({"a.py": text}), question)
    assert answer.get_items("usages")[0].line == line
    assert answer.summary.partition("\n")[0].endswith(said)


def test_no_line_is_said_to_return_a_name_that_none_returns(workspace):
    answer = analyze(workspace({"a.py": "CODE_A = 3\nprint(CODE_A)\n"}), "where is CODE_A returned?")
    assert "return" not in answer.summary


PACKAGED = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = [\n    "requests>=2.0",\n    "PyYAML",\n]\n'
    '[project.optional-dependencies]\ntest = ["pytest"]\n',
    "shop/net.py": "import json\nimport requests\nfrom attrs import define\n\nfrom shop import store\n",
    "shop/store.py": "import requests.adapters\n",
    "tests/test_net.py": "import pytest\n",
    "web/package.json": '{\n  "name": "web",\n  "dependencies": {"left-pad": "^1.0", "web-own": "file:../own"},\n'
    '  "devDependencies": {"vitest": "1"}\n}\n',
    "web/src/page.js": "import pad from 'left-pad/lib'\nimport fs from 'fs'\nimport own from './own'\n",
    "web/src/own.js": "export default 1\n",
    "go.mod": "module example.com/shop\n\nrequire (\n\tgithub.com/a/b/v2 v2.1.0\n"
    "\tgithub.com/c/d v1.0.0 // indirect\n)\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"github.com/a/b/v2/sub"\n)\n',
    "rs/Cargo.toml": '[package]\nname = "rs"\n[dependencies]\nserde-json = "1"\nown = { path = "../own" }\n',
    "rs/src/lib.rs": "use serde_json::Value;\nuse std::fs;\n",
    "java/pom.xml": "<project><groupId>com.shop</groupId><artifactId>j</artifactId><dependencies><dependency>"
    "<groupId>com.lib.core</groupId><artifactId>core</artifactId><version>1</version></dependency></dependencies>"
    "</project>\n",
    "java/src/A.java": "import com.lib.core.Thing;\nimport com.lib.other.Thing2;\nclass A {}\n",
}


def test_packages_are_found_in_manifests_and_imports(workspace):
    answer = analyze(workspace(PACKAGED), "which third-party packages are used?")
    declared = {
        (each.name, each.file, each.line, each.use, each.files): each.imported for each in answer.get_items("packages")
    }
    assert declared == {
        ("requests", "pyproject.toml", 4, "", 2): "shop/net.py:2",
        ("PyYAML", "pyproject.toml", 5, "", 0): "",
        ("pytest", "pyproject.toml", 8, "development", 1): "tests/test_net.py:1",
        ("left-pad", "web/package.json", 3, "", 1): "web/src/page.js:1",
        ("vitest", "web/package.json", 4, "development", 0): "",
        ("github.com/a/b/v2", "go.mod", 4, "", 1): "main.go:5",
        ("github.com/c/d", "go.mod", 5, "indirect", 0): "",
        ("serde-json", "rs/Cargo.toml", 4, "", 1): "rs/src/lib.rs:1",
        ("com.lib.core:core", "java/pom.xml", 1, "", 1): "java/src/A.java:1",
    }
    assert answer.get_items("packages")[0].name == "requests"
    assert {each.name for each in answer.get_items("external")} == {"attrs", "com.lib"}
    assert answer.coverage.certainty is not Certainty.EXACT


def test_packages_of_a_directory_are_those_that_it_imports_or_declares(workspace):
    answer = analyze(workspace(PACKAGED), "which third-party libraries are used in shop/?")
    assert [(each.name, each.files) for each in answer.get_items("packages")] == [("requests", 2)]
    assert [each.name for each in answer.get_items("external")] == ["attrs"]


@pytest.mark.parametrize(
    ("question", "summary"),
    [
        (
            "is requests a dependency?",
            "requests is a dependency (pyproject.toml:4, >=2.0); imported by 2 files",
        ),
        (
            "do we depend on pyyaml",
            "PyYAML is a dependency (pyproject.toml:5); no import has its name",
        ),
        (
            "is `vitest` a direct dependency of this project",
            "vitest is a dependency (web/package.json:4, 1 for development use); no import has its name",
        ),
        (
            "is github.com/c/d a dependency",
            "github.com/c/d is listed among what the dependencies need (go.mod:5, v1.0.0); no import has its name",
        ),
        ("is attrs a dependency", "no manifest that is read declares attrs, but it is imported by 1 file"),
        ("is flask a dependency", "no manifest that is read declares flask, and no import has its name"),
        (
            "which version of serde_json do we use?",
            "serde-json is a dependency (rs/Cargo.toml:4, 1); imported by 1 file",
        ),
    ],
)
def test_whether_a_package_is_a_dependency(workspace, question, summary):
    assert analyze(workspace(PACKAGED), question).summary == summary


def test_a_version_of_something_that_is_no_package_is_searched_for(workspace):
    files = {"app.py": "def schema():\n    return 3\n"}
    assert analyze(workspace(files), "which version of the schema is written?").kind != "packages"


NOTED = {
    "app/one.py": '"""Notes."""\n\n\nclass Kept:\n    """Is kept."""\n\n    def go(self):\n        # TODO: go on\n'
    '        return "# TODO no"  # FIXME later\n\n\n# TODO and again\nasync def load():\n    """Load."""\n'
    "    return TODO\n",
    "app/two.ts": "/** Doc. */\nexport const load = async (path: string) => path\nexport function asyncish() {}\n"
    "export class Job {\n  async run() {}\n}\n// TODOs are no TODO\n",
    "app/three.rs": "/// Doc.\npub fn a() {}\npub async fn b() {\n    a();\n    a();\n}\n/* TODO: c */\n",
    "tests/test_one.py": "def test_go():\n    # TODO test\n    assert 1\n",
    "README.md": "# TODO\n",
}


def test_markers_are_found_in_comments_only(workspace):
    opened = workspace(NOTED)
    answer = analyze(opened, "where are the TODOs?")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [
        ("app/one.py", 8), ("app/one.py", 12), ("app/three.rs", 7), ("app/two.ts", 7), ("tests/test_one.py", 2),
    ]  # fmt: skip
    assert answer.summary.startswith("5 comments with TODO in 4 files (app/one.py 2, ")
    assert answer.summary.endswith("; 2 other lines of code have the word")
    inside = analyze(opened, "list FIXMEs and TODOs in app/one.py")
    assert [each.line for each in inside.get_items("lines")] == [8, 9, 12]
    assert analyze(opened, "any HACK comments?").summary == "0 comments with HACK in 0 files"


def test_todos_that_the_code_has_as_a_class_are_no_comments(workspace):
    assert analyze(workspace({"app.py": "class Todo:\n    pass\n\n\ntodos = []\n"}), "list todos").get_items("symbols")


def test_the_longest_definitions_and_files_come_first(workspace):
    opened = workspace(NOTED)
    answer = analyze(opened, "what are the longest functions?")
    first = answer.get_items("members")[0]
    assert (first.file, first.line, first.lines, first.what) == ("app/three.rs", 3, 4, "function b")
    assert answer.summary == "the longest of 8 functions has 4 lines: function b"
    assert analyze(opened, "biggest files").get_items("members")[0].file == "app/one.py"
    assert [each.what for each in analyze(opened, "largest class in app/two.ts").get_items("members")] == ["class Job"]
    assert analyze(opened, "longest enums").kind != "largest"


def test_asynchronous_functions_are_those_that_are_declared_so(workspace):
    answer = analyze(workspace(NOTED), "which functions are async?")
    assert [(each.file, each.symbol) for each in answer.get_items("members")] == [
        ("app/one.py", "load"), ("app/three.rs", "b"), ("app/two.ts", "load"), ("app/two.ts", "Job.run"),
    ]  # fmt: skip
    assert answer.summary == "4 of the functions are declared as asynchronous"


def test_undocumented_definitions_are_those_of_product_code(workspace):
    opened = workspace(NOTED)
    answer = analyze(opened, "which functions have no docstring?")
    assert {each.symbol for each in answer.get_items("members")} == {"Kept.go", "asyncish", "b", "Job.run"}
    assert answer.summary == "4 of the functions are without documentation in product code; 1 other definition too"


def test_where_nothing_is_documented_no_definition_is_said_to_lack_it(workspace):
    assert not analyze(workspace({"b.py": "def go(): ...\n"}), "undocumented functions").get_items("members")


@pytest.mark.parametrize(
    "question",
    ["list TODOs in lib/", "largest files in lib/", "async functions in lib/", "third-party packages used in lib/"],
)
def test_a_directory_that_does_not_exist_is_not_answered_with_everything(workspace, question):
    answer = analyze(workspace(NOTED), question)
    assert answer.summary == "no directory lib/"
    assert not answer.coverage.found


SCREEN = {
    "screen.py": "def width():\n    size = os.get_terminal_size()\n    if size.columns > 0:\n"
    "        return size.columns\n    # The terminal did not say.\n    fallback = 80\n    return fallback\n",
    "widget.sh": "find_line() {\n  found=$(find . -name line)\n  echo $found\n}\nsource_code() {\n  cat code\n}\n",
    "ansi.py": "def strip_color(line):\n    parts = []\n    for part in line:\n        if not part.is_escape:\n"
    "            parts.append(part)\n    return parts\n\n\ndef strip_code(code):\n    line = code\n    return line\n",
    "repos.py": "INDEX_MAX_AGE = 3600\n\n\ndef update_if_old(index):\n    # How old the list of plugins may be.\n"
    "    age = now() - index.written\n    if age > INDEX_MAX_AGE:\n        index.update()\n    return index\n",
    "cli.py": "@click.option('--plugins', help='the list of plugins')\ndef main(plugins):\n    return plugins\n",
}


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("how does it find out how wide the terminal is?", "width"),
        ("which code strips the colours of a line", "strip_color"),
        ("colours are stripped from a line, which code does that", "strip_color"),
        ("where in the code are the colours of a line stripped?", "strip_color"),
    ],
)
def test_words_that_only_ask_are_not_searched_for_and_others_are_in_any_spelling(workspace, question, symbol):
    assert analyze(workspace(SCREEN), question).get_items("symbols")[0].symbol == symbol


def test_a_number_that_the_program_finds_out_is_no_option(workspace):
    answer = analyze(workspace(SCREEN), "where does it look how old the list of plugins is?")
    assert not answer.get_items("options")
    assert answer.get_items("symbols")[0].symbol == "update_if_old"
    assert analyze(workspace(SCREEN), "where can I say how long the list of plugins is?").get_items("options")


def test_what_is_checked_belongs_to_a_question_though_the_verb_may_only_ask(workspace):
    files = {
        "rights.py": "def allow(user, place):\n    rights = load(user)\n    if place not in rights:\n"
        "        return False\n    return True\n",
        "places.py": "def list_places(place):\n    place.load()\n    place.sort()\n    return place.places\n",
    }
    answer = analyze(workspace(files), "where are rights checked for places?")
    assert answer.get_items("symbols")[0].symbol == "allow"


UPDATER = {
    "relay.py": "class Relay:\n    pass\n",
    "app.py": "import relay\n\n\ndef build_feed_url(version):\n    # The address from which updates are fetched.\n"
    "    channel = version.channel\n    return f'https://{channel}/{version}'\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "how does relay decide from which address updates are fetched",
        "how does relay know which address updates are fetched from?",
    ],
)
def test_how_a_program_chooses_is_not_asked_of_who_uses_its_name(workspace, question):
    answer = analyze(workspace(UPDATER), question)
    assert answer.get_items("symbols")[0].symbol == "build_feed_url"


def test_who_imports_a_file_is_still_answered(workspace):
    assert analyze(workspace(UPDATER), "which updates import relay.py?").summary.startswith(
        "relay.py: imported by 1 file"
    )


def _build_library() -> dict[str, str]:
    steps = "".join(f"    name = name.replace('{at}', folder.name)\n" for at in range(20))
    places = "".join(
        f"def place_folder_{at}(library, folder):\n    return library.join(folder)\n\n\n" for at in range(6)
    )
    return {
        "library.py": f'def build_folder(library, folder, name):\n    """Build a folder of a library."""\n{steps}'
        "    path = library / name\n    if not fits(path):\n"
        "        raise ValueError(path)\n    return path\n",
        "places.py": places,
        "cards.py": "".join(
            f"def sort_cards_{at}(cards):\n    two = cards[:2]\n    return two\n\n\n" for at in range(14)
        )
        + "def _same_card(one, other):\n    names = one.name, other.name\n    owners = one.owner, other.owner\n"
        "    if not all(names):\n        return False\n    if not all(owners):\n        return False\n"
        "    return names[0] == names[1] and owners[0] == owners[1]\n",
    }


def test_where_something_is_prevented_the_lines_that_refuse_it_are_shown(workspace):
    answer = analyze(workspace(_build_library()), "where is it ensured that a folder does not escape the library?")
    shown = "\n".join(each.to_text() for each in (*answer.get_items("symbols"), *answer.get_items("code")))
    assert "raise ValueError" in shown


def test_what_is_the_same_is_compared_by_a_function_with_that_word_in_its_name(workspace):
    answer = analyze(workspace(_build_library()), "where is it decided that two cards are the same one?")
    assert "_same_card" in {each.symbol for each in answer.get_items("symbols")}


def _build_mirror() -> dict[str, str]:
    others = "".join(
        f"def copy_project_{at}(project, mirror):\n    if project.is_new:\n        mirror.copy(project)\n"
        "    return project\n\n\n"
        for at in range(8)
    )
    return {
        "mirror.py": "def remove_stale(projects, mirror):\n    for project in mirror.list():\n"
        "        if project not in projects:\n            mirror.remove(project)\n    return mirror\n\n\n"
        "def login(session):\n    return session.login\n\n\n"
        "def open_mirror(mirror):\n    mirror.load()\n    mirror.check()\n    mirror.start()\n    return mirror\n",
        "pages.py": others,
        "app.py": "from mirror import login, open_mirror\n\n\ndef start(session):\n"
        "    login(session)\n    open_mirror(session)\n",
    }


@pytest.mark.parametrize(
    "question",
    [
        "A project of FooHub that is gone has to vanish from our mirror, too. Where is that done?",
        "A project such as shop-1.0.tar.gz is gone, so it has to vanish from the mirror. How is that done?",
        'Projects called "north" or "blue-7" that are gone have to vanish from the mirror. Where?',
        "projects that are gone vanish from the mirror as well. I'm looking for the code that does that",
    ],
)
def test_examples_and_products_that_no_code_has_leave_a_question_open(workspace, question):
    places = analyze(workspace(_build_mirror()), question).get_items("symbols")
    assert all(isinstance(each, LikelyPlace) for each in places)
    assert "remove_stale" in {each.symbol for each in places[:2]}


def test_what_asks_for_functions_is_not_answered_with_options(workspace):
    files = _build_mirror() | {
        "cli.py": "@click.option('--stale-size', help='size of a stale mirror')\ndef main():\n    pass\n"
    }
    question = "After a very large mirror has gone stale the memory for it is given back. Which functions?"
    assert not analyze(workspace(files), question).get_items("options")


@pytest.mark.parametrize(
    "question",
    [
        "where is a login token used again as long as it is still good",
        "where is decided which project of the mirror opens a page, from the rules that were given by a person",
    ],
)
def test_a_plain_word_that_is_a_name_too_does_not_make_a_description_a_question_about_it(workspace, question):
    answer = analyze(workspace(_build_mirror()), question)
    assert not answer.get_items("usages")
    assert answer.get_items("symbols") or answer.get_items("nearest")


def test_who_uses_a_name_in_plain_letters_is_still_answered(workspace):
    answer = analyze(
        workspace(_build_mirror()), "in which places of the whole program is login called by anybody else?"
    )
    assert [each.file for each in answer.get_items("usages")][:1] == ["app.py"]


def test_a_name_that_the_code_has_is_not_an_example(workspace):
    files = _build_mirror() | {"git.py": "class GitLab:\n    def list(self):\n        return self.projects\n"}
    answer = analyze(
        workspace(files), "Projects removed from GitLab have to vanish from our mirror. Where does that happen?"
    )
    assert answer.get_items("symbols")[0].symbol == "GitLab"


def test_of_the_words_that_no_code_has_only_those_of_the_question_are_told(workspace):
    answer = analyze(workspace(_build_mirror()), "where are projects of the mirror zapped again and frobnicated?")
    told = str(answer.coverage)
    assert "frobnicated" in told
    assert "rezap" not in told


def test_the_parts_of_a_host_that_somebody_made_up_are_not_searched_for(workspace):
    files = _build_mirror() | {
        "acme.py": "def order_shop(acme, shop):\n    for each in acme.shops:\n        shop.reg(each)\n"
        "    return acme, shop\n",
    }
    question = "My projects are at shop.acme.reg and vanish from the mirror when they are gone. Where is that done?"
    places = analyze(workspace(files), question).get_items("symbols")
    assert places[0].symbol == "remove_stale"
    assert "order_shop" not in {each.symbol for each in places}
