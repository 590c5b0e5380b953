"""Questions where something happens, and which option controls it, where many places fit half."""

from __future__ import annotations

import pytest

from avionics.tools.unified.analyze import analyze

TASKS = {
    "errors/task.go": "package errors\n\ntype TaskCalledTooOftenError struct {\n\tTask string\n}\n\n"
    'func (err *TaskCalledTooOftenError) Error() string {\n\treturn "called too often " + err.Task\n}\n',
    "task.go": 'package task\n\nimport "example.com/m/errors"\n\nconst most = 9\n\n'
    "// RunTask runs a task by its name\nfunc RunTask(task string, called int) error {\n"
    "\tif called > most {\n\t\treturn &errors.TaskCalledTooOftenError{Task: task}\n\t}\n\treturn nil\n}\n",
    "go.mod": "module example.com/m\n\ngo 1.22\n",
}


def test_where_something_is_checked_is_where_its_error_is_raised(workspace):
    answer = analyze(workspace(TASKS), "where is it checked that a task is not called too often?")
    assert [(each.file, each.line) for each in answer.get_items("usages")] == [("task.go", 10)]
    assert answer.summary == "an error named like this is raised at task.go:10 in RunTask"
    assert "if called > most" in answer.get_items("code")[0].text


def test_an_error_with_other_words_is_not_where_something_is_checked(workspace):
    assert not analyze(workspace(TASKS), "where is the task run by its name?").get_items("usages")


def test_a_line_of_an_interface_is_no_place_where_something_happens(workspace):
    files = {
        "Pool.java": "interface Pool {\n    /** Closes idle connections after the idle timeout. */\n"
        "    void closeIdleConnections();\n}\n",
        "Keeper.java": "class Keeper implements Pool {\n    public void closeIdleConnections() {\n"
        "        connections.stream().filter(c -> c.idle()).forEach(c -> c.close());\n    }\n}\n",
    }
    opened = workspace(files)
    placed = analyze(opened, "where are the idle connections closed?").get_items("symbols")
    assert [each.file for each in placed] == ["Keeper.java"] * len(placed)
    assert placed
    assert "Pool.java" in {each.file for each in analyze(opened, "idle connections timeout").get_items("symbols")}


@pytest.mark.parametrize(
    "question",
    [
        "where are cross-site requests blocked?",
        "at which place are cross-site requests blocked?",
        "where is a cross site request blocked",
    ],
)
def test_a_test_is_no_place_where_something_happens(workspace, question):
    files = {
        "app/guard.py": "class Guard:\n    def call(self, request):\n        # block requests of another site\n"
        "        if request.site == 'cross-site':\n            return 403\n",
        "tests/test_guard.py": "def test_cross_site_requests_are_blocked(client):\n    assert client.get() == 403\n",
    }
    opened = workspace(files)
    assert {each.file for each in analyze(opened, question).get_items("symbols")} == {"app/guard.py"}
    tested = analyze(opened, "where does a test see that cross-site requests are blocked").get_items("symbols")
    assert "tests/test_guard.py" in {each.file for each in tested}


def test_an_error_is_known_by_what_it_inherits_from(workspace):
    files = {
        "db.py": "class QueryInterrupted(Exception):\n    def __str__(self):\n        return 'query interrupted'\n\n\n"
        "def run(query, limit):\n    if query.seconds() > limit:\n        raise QueryInterrupted(query)\n",
        "view.py": "def show(queries):\n    return [query.interrupted for query in queries]\n",
    }
    answer = analyze(workspace(files), "where are queries interrupted?")
    assert answer.summary == "an error named like this is raised at db.py:8 in run"


def test_what_is_checked_is_answered_with_what_is_named_so(workspace):
    files = {
        "tokens.py": 'def create_token(actor, expires):\n    """Create it, it expires."""\n    return actor, expires\n'
        "\n\ndef verify_token(token, now):\n    return token.expires > now\n",
    }
    symbols = analyze(workspace(files), "where is it checked whether a token has expired?").get_items("symbols")
    assert symbols[0].symbol == "verify_token"


DOCUMENTED = {
    "docs/settings.rst": "Settings\n========\n\nbase_url\n~~~~~~~~\n\nUse this behind a proxy that adds a prefix.\n\n"
    "row_limit\n~~~~~~~~~\n\nHow many results a query returns.\n",
    "docs/config.md": "# Options\n\n## server.strictPort\n\nSet to `true` to exit if it is already in use.\n\n"
    "## Other\n\n| name | description |\n|---|---|\n| `shrinkSpaces` | Removes extra whitespace from queries |\n\n"
    "- `coolDown` - pause after a failure\n",
    "app/defaults.py": "VALUES = (\n    Setting(\n        'base_url',\n        '/',\n    ),\n    Setting(\n"
    "        'row_limit',\n        1000,\n        'Highest number of lines',\n    ),\n)\n",
    "src/server.ts": "export interface Server {\n  port?: number\n  strictPort?:\n    | boolean\n    | 'always'\n}\n",
    "src/Query.java": "class Query {\n    protected boolean shrinkSpaces;\n    private int coolDown = 7;\n\n"
    "    public static String removeExtraWhitespace(String text) {\n        return text;\n    }\n}\n",
    "README.md": "# Tool\n\n```js\n{\n  // `unpack` defines whether a response is decompressed.\n  // Only in Node.\n"
    "  unpack: true,\n}\n```\n",
    "src/types.ts": "export interface Response {\n  response?: string\n}\n\nexport interface RequestOptions {\n"
    "  unpack?: boolean\n  blockingTimeout?: number\n  graceTimeout?: number\n}\n",
    "src/backend.py": "import os\n\nCOLOUR_SUPPORT = bool(os.getenv('TOOL_USE_COLOUR'))\n"
    "BACKEND = os.getenv('TOOL_BACKEND')\n"
    "LLVM_CACHE = os.getenv('LLVM_CACHE')\nUSAGE = (\n    '  TOOL_BACKEND   Takes llvm or gcc.\\n'\n)\n",
    "src/page.ts": "export interface PageOptions {\n  loadAttempts: number;\n  loadDelay: number;\n}\n",
    "examples/app.py": "import os\n\nAPP_PREFIX = os.environ.get('APP_PREFIX')\n",
    "src/hosts.ts": "export const hosts = process.env.__TOOL_MORE_HOSTS ?? ''\n",
}


@pytest.mark.parametrize(
    ("question", "name", "document"),
    [
        ("which setting do I need behind a proxy with a prefix?", "base_url", "docs/settings.rst:4"),
        ("what option makes it exit if the port is in use", "strictPort", "docs/config.md:3"),
        ("setting for removing extra whitespace from queries", "shrinkSpaces", "docs/config.md:11"),
        ("property: pause after a failure", "coolDown", "docs/config.md:13"),
        ("how can I limit the number of rows that a query returns", "row_limit", "docs/settings.rst:9"),
        ("env var for more hosts", "__TOOL_MORE_HOSTS", ""),
        ("option so that the response isn't unzipped", "unpack", "README.md:5"),
        ("timeout for blocking commands: option?", "blockingTimeout", ""),
        ("which variable turns colours off?", "TOOL_USE_COLOUR", ""),
        ("env var to take llvm instead of gcc", "TOOL_BACKEND", ""),
        ("how many times do we try to load, which option", "loadAttempts", ""),
    ],
)
def test_an_option_is_found_by_what_documents_say(workspace, question, name, document):
    answer = analyze(workspace(DOCUMENTED), question)
    assert answer.get_items("options")[0].name.rpartition(".")[2] == name
    assert ("described at" in answer.summary) == bool(document)
    assert document in answer.summary


def test_a_document_alone_declares_no_option(workspace):
    files = {"docs/settings.md": "## moon_colour\n\nThe colour of the moon.\n", "app.py": "SIZE = 1\n"}
    assert not analyze(workspace(files), "which setting is the colour of the moon?").get_items("options")


def test_whether_something_is_so_is_decided_by_what_is_named_so(workspace):
    files = {
        "idle.c": "/* Stop watching the user of this screen when idle. */\nvoid idle_stop(int user) { watch(user); }\n"
        "/* Check whether the user is currently idle. */\nint x_is_idle(void) { return quiet() > 10; }\n",
    }
    answer = analyze(workspace(files), "where do we decide whether the user is idle?")
    assert answer.get_items("symbols")[0].symbol == "x_is_idle"


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which system property makes the pool wait until it is filled", "com.example.blockUntilFilled"),
        ("is there a flag to limit how many tasks run at the same time?", "concurrency"),
        ("which environment variable disables running hooks in parallel?", "HOOKS_NO_CONCURRENCY"),
        ("Which option controls how deep types are converted?", "maxTypeConversionDepth"),
        ("What setting reports connections that are out of the pool too long (leaks)?", "setLeakThreshold"),
        ("which setting says how many events the history may hold?", "history_length"),
        ("what environment variable sets how wide the screen is?", "COLUMNS"),
        ("which environment variable sets the strength of passwords?", "APP_PASSSTRENGTH"),
        ("which env var limits how much of a body is stored", "BODY_LIMIT"),
        ("what setting turns off the API", "DISABLE_API"),
        ("which setting hides kernel threads?", "hideKernelThreads"),
        ("after how many days are entries archived, which variable changes that?", "ARCHIVE_DAYS"),
        ("which env var is the command for a remote shell", "APP_RSH"),
    ],
)
def test_an_option_is_found_by_words_that_mean_the_same(workspace, question, name):
    files = {
        "Pool.java": "class Pool {\n    Pool() {\n"
        '        if (Boolean.getBoolean("com.example.blockUntilFilled")) fill();\n    }\n\n'
        "    /** How long a connection can be out of the pool before a possible leak is logged. */\n"
        "    public void setLeakThreshold(long threshold)\n    {\n    }\n}\n",
        "flags.go": "package flags\n\nfunc init() {\n"
        '\tpflag.BoolVar(&Parallel, "parallel", false, "Run what is given side by side.")\n'
        '\tpflag.IntVarP(&Concurrency, "concurrency", "C", env("TOOL_CONCURRENCY"), "Limit the running tasks.")\n'
        "}\n",
        "hooks.py": "import os\n\nLEGACY = os.environ.get('HOOKS_RUNNING_LEGACY')\n\n\ndef jobs():\n"
        "    if 'HOOKS_NO_CONCURRENCY' in os.environ:\n        return 1\n    return os.cpu_count()\n",
        "keys.go": 'package keys\n\nconst (\n\tEnvPassStrength = "APP_PASSSTRENGTH"\n\tEnvPort = "APP_PORT"\n)\n',
        "vars.rs": '/// Overrides the width of the screen.\npub static COLUMNS: &str = "COLUMNS";\n',
        "settings.py": "import os\n\nBODY_LIMIT = int(os.getenv('BODY_LIMIT', '100'))\n",
        "app_settings.h": "typedef struct {\n    bool hideKernelThreads;\n    bool countThreads;\n} S;\n",
        "table.py": "TABLE = {\n    'DISABLE_API': {'value': 0},\n    'ARCHIVE_SIZE': {'value': 9},\n"
        "    'ARCHIVE_DAYS': {'value': 60},\n    'ENABLE_API_KEYS': {'value': 1},\n}\n",
        "shell.py": "import os\n\nRSH = os.environ.get('APP_RSH')\n",
        "help.py": 'TEXT = """\n    APP_RSH\n        When set, this connects to a remote shell.\n"""\n',
        "context.py": "def fill(body):\n    return {'BODY_LIMIT': body, 'BODY_LIMIT_FORMATTED': len(body)}\n",
        "options.ts": "export interface Options {\n    maxTypeConversionDepth: number;\n    typeNames: string[];\n}\n",
        "settings.h": "struct settings {\n    int history_length; /* events */\n    int history_ignore; /* no */\n};\n",
    }
    option = analyze(workspace(files), question).get_items("options")[0]
    assert option.name == name
    assert option.file != "context.py"


TABLES = {
    "main.c": "static const struct Key params[] = {\n"
    '    ROW("listen_port", INT, cf_port, "6432"),\n    ROW("server_age", TIME, cf_server_age, "3600"),\n'
    '    ROW("so_reuseport", INT, cf_reuseport, "0"),\n    ROW("robin", INT, cf_robin, "0"),\n'
    '    ROW("max_packet", INT, cf_max_packet, "9"),\n    ROW("server_connect_timeout", TIME, cf_wait, "15"),\n};\n',
    "pool.c": "void take(void) {\n    if (cf_robin)\n        append();\n    if (cf_server_age)\n        end();\n}\n",
    "doc/config.md": "# Configuration\n\n### so_reuseport\n\nAllows running multiple instances that listen on the same "
    "port.\n\n### server_age\n\nHow long a connection to the server is used.\n",
    "etc/app.ini": ";; Use servers in turn, not in LIFO manner.\n;robin = 0\n",
    "config.cpp": "const std::unordered_map<std::string, std::string> k_env_table = {\n"
    '    {"DIR", "cache_dir"},\n    {"DIRECT", "direct_mode"},\n    {"COMMENTS", "keep_comments"},\n'
    '    {"STATS", "stats"},\n};\nauto name = std::string("APP_") + key;\n',
    "args.rs": "pub struct Args {\n    /// Hide links, and prevent them from being followed\n"
    '    #[arg(\n        short = \'P\',\n        long = "no-links",\n        env = "APP_NO_LINKS"\n    )]\n'
    "    pub no_links: bool,\n\n    /// Number of server workers\n"
    '    #[arg(long = "workers", default_value = "4")]\n    pub workers: usize,\n\n'
    "    /// Paints keywords in the output\n"
    '    #[arg(name = "painted", value_name = "HOW", help_heading = "Display of results", long)]\n'
    "    is_output_painted: bool,\n\n"
    '    /// Sorts the results by age\n    #[arg(long, value_name = "ORDER")]\n    sort_by_age: bool,\n}\n',
    "retry.ts": "export type RetryOptions = {\n\t/**\n\tThe number of times to retry failed requests.\n\n"
    "\tAn example is { backoff: 'X_RETRY' }.\n\n\t@default 2\n\t*/\n\tretries?: number;\n\n"
    "\t/**\n\tThe upper limit of the delay in milliseconds.\n\n\t@default Infinity\n\t*/\n"
    "\tbackoffLimit?: number;\n};\n",
    "flags.go": 'package main\n\nvar (\n\thooks = flag.Bool("hotreload", false, "watch the rules and reload them")\n'
    '\trules = flag.String("rules", "rules.json", `file of the rules`)\n'
    '\tsecure = flag.Bool("secure", false, "use HTTPS instead of HTTP")\n'
    '\tmethods = flag.String("http-methods", "", `default HTTP methods (as "POST")`)\n)\n',
}


@pytest.mark.parametrize(
    ("question", "name", "line"),
    [
        ("which setting lets several processes listen at one port", "so_reuseport", "main.c:4"),
        ("which config parameter takes servers in turn instead of LIFO", "robin", "main.c:5"),
        ("which setting controls how long a server connection may live", "server_age", "main.c:3"),
        ("what limits the size of a packet", "max_packet", "main.c:6"),
        ("env var for the directory of the cache", "APP_DIR", "config.cpp:2"),
        ("which environment variable keeps comments?", "APP_COMMENTS", "config.cpp:4"),
        ("what flag keeps links from being followed", "no-links", "args.rs:5"),
        ("which flag says how many workers there are", "workers", "args.rs:11"),
        ("which flag makes the output painted", "--painted", "args.rs:16"),
        ("which option says how often failed requests are tried again", "retries", "retry.ts:9"),
        ("which option sets the upper limit of the delay", "backoffLimit", "retry.ts:16"),
        ("which flag sorts the results by age", "--sort-by-age", "args.rs:20"),
        ("which flag makes it reread the rules when they are edited", "hotreload", "flags.go:4"),
        ("is there a flag to use https?", "secure", "flags.go:6"),
    ],
)
def test_an_option_is_a_row_of_a_table_that_a_manual_describes(workspace, question, name, line):
    option = analyze(workspace(TABLES), question).get_items("options")[0]
    assert (option.name, f"{option.file}:{option.line}") == (name, line)


def test_what_an_attribute_assigns_is_no_default(workspace):
    opened = workspace(TABLES)
    assert analyze(opened, "what flag keeps links from being followed").get_items("options")[0].default == ""
    assert analyze(opened, "which flag says how many workers there are").get_items("options")[0].default == '"4"'
    assert analyze(opened, "which flag sets the file of the rules").get_items("options")[0].default == '"rules.json"'


def test_the_heading_of_a_group_does_not_describe_a_flag(workspace):
    options = analyze(workspace(TABLES), "which flag makes the output painted").get_items("options")
    assert options[0].help == "Paints keywords in the output"


def test_a_comment_without_stars_describes_what_stands_below_it_and_declares_nothing(workspace):
    retries, *others = analyze(
        workspace(TABLES), "which option says how often failed requests are tried again"
    ).get_items("options")
    assert (retries.help.partition(".")[0], retries.default) == ("The number of times to retry failed requests", "2")
    assert "X_RETRY" not in {each.name for each in others}
    limit = analyze(workspace(TABLES), "which option sets the upper limit of the delay").get_items("options")[0]
    assert (limit.help, limit.default) == ("The upper limit of the delay in milliseconds.", "Infinity")


def test_lines_that_read_the_variable_of_a_row_are_shown(workspace):
    found = analyze(workspace(TABLES), "which setting takes servers in turn").get_items("lines")
    assert [(each.file, each.line) for each in found] == [("pool.c", 2)]


def test_rows_that_are_no_options_are_not_offered(workspace):
    files = {
        "words.c": "static const struct word verbs[] = {\n"
        + "".join(f'    {{"{word}", 1}},\n' for word in ("packet", "size", "limit", "go"))
        + "};\n"
    }
    assert not analyze(workspace(files), "which setting limits the size of a packet").get_items("options")


def test_parts_of_a_test_are_tests_with_a_line_that_runs_them(workspace):
    files = {
        "go.mod": "module example.com/m\n\ngo 1.22\n",
        "sum/sum.go": "package sum\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Double(a int) int { return a }\n",
        "sum/sum_test.go": 'package sum\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n'
        '\tt.Run("adds two", func(t *testing.T) {\n\t\tif Add(1, 2) != 3 {\n\t\t\tt.Fail()\n\t\t}\n\t})\n'
        '\tt.Run("doubles", func(t *testing.T) {\n\t\tif Double(1) != 2 {\n\t\t\tt.Fail()\n\t\t}\n\t})\n}\n\n'
        "func TestAll(t *testing.T) {\n\tfor _, name := range names {\n"
        "\t\tt.Run(name, func(t *testing.T) { Add(1, 1) })\n\t}\n}\n",
    }
    answer = analyze(workspace(files), "tests for Add")
    assert {(each.line, each.test) for each in answer.get_items("tests")} == {
        (6, 'TestSum "adds two"'),
        (18, "TestAll"),
    }
    assert {each.command for each in answer.get_items("run")} == {
        "go test ./sum -run '^TestSum$/^adds_two$'", "go test ./sum -run '^(TestAll)$'",
    }  # fmt: skip


def test_each_titled_test_of_ginkgo_is_listed(workspace):
    files = {
        "go.mod": "module shop\n",
        "sum/sum.go": "package sum\n\nfunc Add(a, b int) int { return a + b }\n",
        "sum/sum_test.go": 'package sum\n\nimport . "github.com/onsi/ginkgo/v2"\n\nvar _ = Describe("sums", func() {\n'
        '\tIt("adds two", func() { Add(1, 1) })\n\tIt("does nothing", func() {})\n})\n',
    }
    answer = analyze(workspace(files), "tests for Add")
    assert [(each.line, each.test) for each in answer.get_items("tests")] == [(6, '"adds two"')]
    assert [each.command for each in answer.get_items("run")] == ["go test ./sum"]


def test_a_route_that_nothing_declares_is_not_taken_for_a_function_named_like_its_verb(workspace):
    files = {"api.py": "def post():\n    save()\n\n\ndef save(): ...\n"}
    answer = analyze(workspace(files), "how does POST /orders get to save?")
    assert answer.summary == "no route 'POST /orders' is declared in a way that is recognized"
    assert not answer.get_items("steps")


def test_a_path_may_end_at_a_function_of_a_library_and_begin_at_a_name_in_brackets(workspace):
    files = {
        "hook.go": 'package hook\n\nimport "os/exec"\n\nfunc Reload() { run() }\nfunc run() { exec.Command("ls") }\n',
        "runner.go": "package hook\n\ntype Runner struct{}\n\nfunc (r Runner) exec() {}\n",
    }
    answer = analyze(workspace(files), "how does a reload of the hooks (Reload) get to exec.Command?")
    assert [(each.file, each.line) for each in answer.get_items("steps")] == [("hook.go", 5)]


def test_a_file_is_explained_by_the_definitions_in_its_namespaces(workspace):
    inner = "namespace { int own() { return 1; } }"
    code = f"namespace fs = std::filesystem;\nnamespace dep {{\nint read(int n) {{ return n; }}\n{inner}\n}}\n"
    answer = analyze(workspace({"dep.cpp": code}), "explain dep.cpp")
    assert [each.symbol for each in answer.get_items("api")] == ["read", "fs", "dep.own"]


ACCOUNTS = {
    "accounts.py": "def compare_passwords(given, wanted):\n    return given == wanted\n\n\n"
    "def empty_dir(path):\n    for each in path.iterdir():\n        each.unlink()\n\n\n"
    "def build(options):\n    prepare(options)\n    write(options)\n",
}


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("where is the password of a request checked", "compare_passwords"),
        ("where is a directory cleaned up?", "empty_dir"),
    ],
)
def test_code_may_have_other_words_than_a_question(workspace, question, symbol):
    assert analyze(workspace(ACCOUNTS), question).get_items("symbols")[0].symbol == symbol


def test_what_no_code_is_about_is_not_answered_by_code_that_has_one_of_the_words(workspace):
    answer = analyze(workspace(ACCOUNTS), "where is the license of a request printed on paper by somebody")
    assert answer.summary.startswith("no place has most of these words")


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("where is the license of an order printed on paper by somebody in color?", "order"),
        ("license paper somebody order color print", None),
    ],
)
def test_an_open_question_that_no_code_is_about_gets_the_nearest_places_as_such(workspace, question, nearest):
    answer = analyze(workspace(_build_shop()), question)
    assert answer.summary.startswith(
        "no place has most of these words" if nearest else "no symbol, path or text has most of"
    )
    assert not answer.get_items("symbols")
    found = answer.get_items("nearest")
    assert len(found) <= 4
    assert bool(found) == (nearest is not None)
    assert not nearest or any(nearest in each.to_text() for each in found)


AGAIN = {
    "conn.go": "package conn\n\nfunc (c *Conn) resendSubscriptions() {\n\tfor _, each := range c.subs {\n"
    "\t\tc.write(each)\n\t}\n\tc.flush()\n\tc.kick()\n\tc.count()\n}\n\n"
    "func (c *Conn) sendSubscription(each *Subscription) {\n\tc.lock()\n\tc.write(each)\n\tc.unlock()\n"
    "\tc.flush()\n\tc.kick()\n\tc.count()\n}\n\n"
    "// Subscriptions are the subscriptions that were sent.\ntype Subscriptions struct {\n"
    "\tSent []Subscription\n\tLost []Subscription\n}\n",
    "go.mod": "module example.com/m\n\ngo 1.22\n",
}


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("where are the lost subscriptions sent again?", "Conn.resendSubscriptions"),
        ("where is a subscription sent to the server?", "Conn.sendSubscription"),
    ],
)
def test_what_is_done_again_is_done_by_a_verb_with_re_and_not_by_a_type(workspace, question, symbol):
    assert analyze(workspace(AGAIN), question).get_items("symbols")[0].symbol == symbol


@pytest.mark.parametrize(
    "question",
    [
        "when I stage a line, where is the patch for it made?",
        "where are orders deleted that no test uses any more",
        "what becomes of the orders when I press ctrl-c?",
    ],
)
def test_where_something_happens_is_not_asked_of_changes_tests_or_keys(workspace, question):
    assert analyze(workspace(_build_shop()), question).kind in {"phrase", "flow", "key"}


def test_of_long_code_the_line_with_the_limit_is_shown_where_something_is_too_much(workspace):
    steps = "".join(f"    step(peer, {number})\n" for number in range(40))
    files = {
        "udp.py": f"def receive_peer(endpoint, peer):\n    open(peer)\n{steps}"
        "    if endpoint.max_peers and endpoint.peer_count >= endpoint.max_peers:\n        refuse(peer)\n"
        f"{steps.replace('peer', 'endpoint')}",
    }
    (code, *_) = analyze(workspace(files), "what happens when an endpoint has too many peers?").get_items("code")
    assert "endpoint.peer_count >= endpoint.max_peers" in code.text


def test_a_method_called_call_is_an_end_of_a_path(workspace):
    files = {"app.py": "class Desk:\n    def call(self):\n        serve()\n\n\ndef serve(): ...\n"}
    answer = analyze(workspace(files), "from Desk.call to serve")
    assert [(each.source, each.line) for each in answer.get_items("steps")] == [("Desk.call (app.py:2)", 3)]


DESCRIBED = {
    "sorter/settings.py": "class Config:\n    force_single_line: bool = False\n    line_length: int = 79\n"
    "    lines_after_imports: int = -1\n",
    "docs/options.md": "# Options\n\n## Force Single Line\n\nForces all from imports to appear on their own line\n\n"
    "**Type:** Bool\n\n## Line Length\n\nThe max length of an import line (used for wrapping).\n\n"
    "## Lines After Imports\n\nForces a number of blank lines after the imports.\n",
    "browse.c": "#include <stdlib.h>\n\nstatic void lock_terminal(void)\n{\n"
    '    spawn(xgetenv("NNN_LOCKER", "lock"), 0);\n}\n\nstatic void draw(void)\n{\n'
    '    trash = getenv("NNN_TRASH");\n}\n',
    "browse.1": ".Sh ENVIRONMENT\n\\fBNNN_TRASH:\\fR move files to the desktop Trash instead of removing them.\n"
    ".TP\n.B \\-\\-hidden-files\nShow what begins with a dot.\n",
    "src/engine.rs": "impl Engine {\n    /// Bounds the recursion of templates.\n"
    "    pub fn set_recursion_limit(&mut self, level: usize) {\n        self.level = level;\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("question", "name", "document"),
    [
        ("which option limits the length of an import line, for wrapping?", "line_length", "docs/options.md:9"),
        ("number of blank lines after the imports: setting?", "lines_after_imports", "docs/options.md:13"),
        ("which environment variable chooses the program that locks the terminal?", "NNN_LOCKER", ""),
        ("what controls whether deleted files go to the trash", "NNN_TRASH", "browse.1:2"),
        ("which setting controls how deep templates may recurse", "set_recursion_limit", ""),
    ],
)
def test_an_option_is_found_by_its_heading_its_manual_its_function_or_its_setter(workspace, question, name, document):
    answer = analyze(workspace(DESCRIBED), question)
    assert answer.get_items("options")[0].name == name
    assert (f"described at {document}" in answer.summary) == bool(document)


def test_a_heading_alone_declares_no_option(workspace):
    files = {
        "app.py": "def run():\n    return 1\n",
        "docs/options.md": "## Force Single Line\n\nPuts imports there.\n",
    }
    assert not analyze(workspace(files), "which option puts imports on a line?").get_items("options")


def test_where_a_whole_kind_of_errors_is_raised_is_shown(workspace):
    files = {
        "exceptions.py": "class FileSkipped(Exception):\n    pass\n\n\n"
        "class SkippedBySetting(FileSkipped):\n    pass\n",
        "api.py": "from exceptions import SkippedBySetting\n\n\ndef sort(path, config):\n"
        "    if config.has(path):\n        raise SkippedBySetting(path)\n",
    }
    answer = analyze(workspace(files), "where is it decided whether a file is skipped")
    assert [(each.file, each.line) for each in answer.get_items("usages")] == [("api.py", 6)]


def test_a_participle_finds_the_verb_in_a_name(workspace):
    files = {
        "Encoder.java": "class Encoder {\n    int chooseMask(int[] bits) {\n        return bits[0];\n    }\n"
        "    boolean isValidMask(int mask) {\n        return mask > 0;\n    }\n}\n",
    }
    answer = analyze(workspace(files), "where is the mask of a code chosen")
    assert answer.get_items("symbols")[0].symbol == "Encoder.chooseMask"


def find_options(workspace, files, question):
    return [(each.name, each.kind) for each in analyze(workspace(files), question).get_items("options")]


def test_a_field_of_clap_is_the_flag_that_its_attribute_makes_it(workspace):
    files = {
        "src/main.rs": 'const PANELS_HELP: &str = "Sets how many panels are drawn side by side";\n\n#[derive(Parser)]\n'
        'struct Opt {\n    #[arg(\n        help(PANELS_HELP),\n        long,\n        value_name("N")\n    )]\n'
        '    hex_panels: Option<String>,\n\n    #[arg(value_name("FILE"))]\n    file: PathBuf,\n}\n',
        "src/lib.rs": "impl Builder {\n    pub fn num_panels(mut self, num: u64) -> Self {\n        self\n    }\n}\n",
    }
    (first, *_) = find_options(workspace, files, "which option changes the number of panels?")
    assert first == ("--hex-panels", "flag")


def test_what_is_said_of_a_flag_is_in_all_arguments_of_the_call_that_declares_it(workspace):
    files = {
        "app/cli.py": "import click\n\n\n@click.option(\n    '-t',\n    '--target',\n    type=click.Choice(['a']),\n"
        "    callback=check_target,\n    default=os.environ.get('APP_TARGET'),\n"
        "    help='Versions of the language that the output must run on.',\n)\n"
        "def main(target): ...\n\n\ndef check(\n    target: set[str],\n): ...\n",
    }
    asked = "which flag sets the target versions that the output must run on"
    assert find_options(workspace, files, asked)[0] == ("--target", "flag")
    assert find_options(workspace, files, "env var for the target?")[0] == ("APP_TARGET", "environment variable")


def test_that_something_is_a_limit_does_not_make_it_the_limit_of_what_is_asked_about(workspace):
    files = {"src/options.ts": "export interface Options {\n  /** Expiration in seconds */\n  maxAge?: number\n}\n"}
    assert find_options(workspace, files, "which option limits the size of uploaded files") == []


def _build_shop() -> dict[str, str]:
    """Return a program in which several functions have some words of a question, and one has them together."""
    step = "".join(f"    step({number})\n" for number in range(12))
    files = {
        f"{name}.py": f'def {name}(order, customer):\n    """Handle orders of customers."""\n{step}'
        f"    if order.customer.left:\n        archive_{name}(order)\n"
        for name in ("billing", "packing", "shipping", "refunds", "labels")
    }
    files["closing.py"] = (
        f"# Orders of customers who left are archived.\ndef close(order):\n{step}"
        "    if order.customer.left:\n        archive(order)\n"
    )
    files["setters.py"] = "def set_order_customer_archived(order, value):\n    order.archived = value\n"
    files["tests/test_closing.py"] = f"def test_orders_of_customers_who_left_are_archived():\n{step}"
    return files


def test_an_open_question_gets_the_places_that_may_be_meant_with_their_lines(workspace):
    answer = analyze(workspace(_build_shop()), "what happens to the orders of customers that left, are they archived?")
    places = answer.get_items("symbols")
    assert len(places) > 4
    assert (places[0].file, places[0].symbol) == ("closing.py", "close")
    assert "if order.customer.left:" in places[0].text
    assert not answer.get_items("code")
    assert not [each.file for each in places if each.file.startswith("tests/")]
    assert "   15│     if order.customer.left:" in places[0].to_text()


def test_an_open_question_about_tests_gets_tests(workspace):
    answer = analyze(workspace(_build_shop()), "what is tested of archived orders of customers who left, and where?")
    assert [each.file for each in answer.get_items("tests")] == ["tests/test_closing.py"]


def test_what_is_told_before_a_question_is_not_what_the_question_is_about(workspace):
    files = {**_build_shop(), "output/page.py": "def page(): ...\n"}
    told = "when I empty the output directory before closing, what keeps the orders archived there?"
    assert analyze(workspace(files), told).kind != "map"
    assert analyze(workspace(files), "I cloned it just now, what is in the output directory?").kind == "map"


DEFAULTS = {
    "worker/defaults.py": "NAMESPACES = Namespace(\n    worker=Namespace(\n"
    "        max_tasks_per_child=Option(type='int'),\n"
    "        pool=Option('prefork'),\n    ),\n    beat=Namespace(\n        schedule=Option({}),\n    ),\n)\n",
    "docs/configuration.rst": "``worker_max_tasks_per_child``\n~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n\n"
    "Maximum number of tasks that a process executes before it is replaced with a new one.\n",
}


def test_an_option_of_a_group_has_the_name_that_documents_give_it_with_the_group(workspace):
    answer = analyze(workspace(DEFAULTS), "which setting replaces a process after a number of tasks?")
    first = answer.get_items("options")[0]
    assert (first.name, first.file, first.line) == ("worker_max_tasks_per_child", "worker/defaults.py", 3)


def test_an_option_of_a_group_that_no_document_knows_keeps_its_name(workspace):
    answer = analyze(workspace({"worker/defaults.py": DEFAULTS["worker/defaults.py"]}), "which setting is max_tasks?")
    assert "worker_max_tasks_per_child" not in {each.name for each in answer.get_items("options")}


COMMANDS = (
    "static command_t core_commands[] = {\n"
    + "".join(
        f'   {"," * (name != "body_max_size")} {{ str_of("{name}"),\n      MAIN_CONF|TAKE1,\n'
        f"      conf_set_size,\n      LOC_OFFSET,\n"
        f"      offsetof(loc_conf_t, {name}),\n      NULL }},\n\n"
        for name in ("body_max_size", "send_timeout", "keepalive_requests", "index_root")
    )
    + "};\n"
)


def test_a_directive_is_a_row_whose_name_a_macro_wraps(workspace):
    answer = analyze(workspace({"core.c": COMMANDS}), "which directive limits the size of a body?")
    first = answer.get_items("options")[0]
    assert (first.name, first.line) == ("body_max_size", 2)


def test_rows_of_a_macro_that_are_no_options_are_not_offered(workspace):
    rows = "".join(f'    {{ str_of("{name}"), KEY_{name} }},\n' for name in ("left", "right", "above", "below"))
    answer = analyze(workspace({"keys.c": "static key_t keys[] = {\n" + rows + "};\n"}), "which directive is left?")
    assert not answer.get_items("options")


@pytest.mark.parametrize(
    "question", ["which flag overrides existing variables", "which flag sets the colour of the moon"]
)
def test_another_flag_is_no_default(workspace, question):
    code = (
        "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument(\n"
        '    "--override",\n    action="store_true",\n    help="Override existing variables",\n)\n'
        'parser.add_argument(\n    "-v",\n    "--verbose",\n    action="store_true",\n    help="Say more",\n)\n'
        'parser.add_argument(\n    "--moon",\n    "-m",\n    help="Colour of the moon",\n)\n'
    )
    assert analyze(workspace({"main.py": code}), question).get_items("options")[0].default == ""


def test_a_flag_of_a_builder_has_its_default(workspace):
    files = {
        "main.go": "package main\n\nvar (\n"
        '\tretention = app.Flag("data.retention", "How long to keep data for.").Default("120h").Duration()\n)\n'
    }
    answer = analyze(workspace(files), "which flag says how long data is kept")
    assert [(each.name, each.kind, each.default) for each in answer.get_items("options")] == [
        ("data.retention", "flag", '"120h"')
    ]


def test_a_default_may_be_an_expression_of_a_variable_with_defaults(workspace):
    files = {
        "route.go": "package route\n\nvar DefaultOptions = Options{\n\tGroupWait: 30 * time.Second,\n}\n\n"
        "// Options of a route.\ntype Options struct {\n\t// How long to wait for further alerts of a group.\n"
        "\tGroupWait time.Duration\n}\n"
    }
    assert (
        "default 30 * time.Second"
        in analyze(workspace(files), "which option says how long a group waits for alerts?").summary
    )


def test_a_number_of_a_message_is_no_option(workspace):
    files = {"api.proto": "enum Reason {\n  // The group waits for the first one.\n  REASON_FIRST_WAIT = 1;\n}\n"}
    assert not analyze(workspace(files), "which option controls the first wait").get_items("options")


MESSAGES = {
    "errors.py": 'UNKNOWN_TASK = """\\\nReceived unregistered task of type %s.\nIt was discarded.\n"""\n\n\n'
    "def on_unknown(task):\n    error(UNKNOWN_TASK, task)\n",
    "docs.py": 'def help():\n    """Help.\n\n    Received unregistered job of type %s.\n    """\n',
    "upstream.c": 'void pass(void) {\n    log_error(log, 0, "no live upstreams");\n}\n',
}


def test_a_message_may_be_within_a_text_of_several_lines(workspace):
    answer = analyze(workspace(MESSAGES), "Received unregistered task of type 'shop.add'.")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("errors.py", 2)]
    assert "used at errors.py:8" in answer.summary


def test_documentation_of_several_lines_writes_no_message(workspace):
    answer = analyze(workspace(MESSAGES), "Received unregistered job of type 'x'.")
    assert "docs.py" not in {each.file for each in answer.get_items("lines")}


def test_a_message_may_end_with_what_the_program_did(workspace):
    answer = analyze(workspace(MESSAGES), "no live upstreams while connecting to upstream")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("upstream.c", 2)]


def test_who_imports_a_directory_is_not_asked_of_a_field_of_that_name(workspace):
    files = {
        "go.mod": "module example.com/m\n\ngo 1.22\n",
        "limit/bucket.go": "package limit\n\nfunc New() int { return 1 }\n",
        "store/store.go": 'package store\n\nimport "example.com/m/limit"\n\nvar most = limit.New()\n',
        "mem/mem.go": "package mem\n\ntype counter struct {\n\tlimit int\n}\n",
    }
    opened = workspace(files)
    assert [each.file for each in analyze(opened, "which packages import limit").get_items("importers")] == [
        "store/store.go"
    ]
    assert "New" in analyze(opened, "who imports New").summary


def test_whether_something_may_be_done_is_decided_by_what_is_named_so(workspace):
    files = {
        "silence.py": "def set_silence(old, new, silences):\n"
        "    if can_update(old, new):\n        silences.update(new)\n"
        "    else:\n        silences.replace(old, new)\n    return silences\n\n\n"
        "def can_update(old, new):\n    if old.ends < now():\n        return False\n"
        "    return old.start == new.start\n",
    }
    answer = analyze(workspace(files), "where is it decided if a silence can be updated or is replaced")
    assert answer.get_items("symbols")[0].symbol == "can_update"


def test_who_implements_a_trait_is_not_asked_of_a_struct_of_that_name(workspace):
    files = {
        "src/grid.rs": "pub trait Dimensions {\n    fn columns(&self) -> usize;\n}\n\npub struct Grid;\n\n"
        "impl Dimensions for Grid {\n    fn columns(&self) -> usize {\n        1\n    }\n}\n",
        "src/window.rs": "pub struct Dimensions {\n    pub columns: usize,\n}\n\npub struct Window {\n"
        "    pub first: Dimensions,\n    pub second: Dimensions,\n}\n",
    }
    answer = analyze(workspace(files), "who implements the trait Dimensions")
    assert "Grid" in answer.summary or "Grid" in str(answer.sections)
    assert "no subclasses" not in answer.summary


def test_a_file_whose_name_ends_like_the_one_asked_about_is_not_explained_for_it(workspace):
    opened = workspace({"src/config.js": "export const config = 1;\n", "src/user.config.js": "export default {};\n"})
    assert not analyze(opened, "what does other.config.js do").summary.startswith("src/config.js: ")
    assert analyze(opened, "what does user.config.js do").summary.startswith("src/user.config.js: ")


TUNABLE = {
    "man/served.8": ".TP\n.B \\-N, --no-negcache\nDisable negative caching. Negative caching allows served to\n"
    "remember that there are no answers.\n.TP\n.B \\-X, --lease-max=<number>\n"
    "Limits served to a number of leases. The default is 1000.\n",
    "src/option.c": "static const struct option opts[] = {\n"
    "    { \"no-negcache\", 0, 0, 'N' },\n    { \"lease-max\", 1, 0, 'X' },\n    { \"no-daemon\", 0, 0, 'd' },\n"
    "    { \"cache-size\", 1, 0, 'c' },\n};\n",
    "users/manager.go": 'package users\n\nconst (\n\ttokenPrefix = "tk_"\n\thardDeleteAfter = 7 * 24 * time.Hour\n)\n\n'
    "func (m *Manager) RemoveUser() {\n\tm.at(time.Now().Add(hardDeleteAfter))\n}\n",
    "web/arguments.ts": "export const help = `\n      --no-gitignore           Don't respect .gitignore\n"
    "      --max-show-issues        Maximum number of issues to display per type\n`;\n",
    "web/schema.ts": "const rootConfigurationSchema = z.object({\n"
    "  /**\n   * Exports that are only used inside their own file\n"
    "   * are not reported.\n   */\n  ignoreExportsUsedInFile: z.optional(schema),\n});\n",
    "web/defaults.ts": "export const defaultConfig = {\n  ignoreExportsUsedInFile: false,\n};\n",
    "load/parser.py": "def setup(parser):\n"
    '    parser.add_argument("--master", action="store_true", help="Launch as a master, to which workers connect.")\n'
    '    parser.add_argument("--master-host", default="127.0.0.1", help="Host of the master node to connect to.")\n'
    '    parser.add_argument("--expect-workers-max-wait", type=int, default=0,\n'
    '                        help="How long the master waits for workers to connect before giving up.")\n',
    "load/runners.py": "MASTER_HEARTBEAT_TIMEOUT = 60\nRETRY_INTERVAL = 5\n\n\n"
    "class WorkerRunner:\n    def check(self):\n"
    "        if self.last < now() - MASTER_HEARTBEAT_TIMEOUT:\n"
    "            log('nothing heard')\n            self.quit()\n\n"
    "    def again(self):\n        sleep(RETRY_INTERVAL)\n",
    "load/client.py": "DEFAULT_MAX_HOPS = 20\n\n\nclass Client:\n"
    "    def __init__(\n        self,\n        max_hops: int = DEFAULT_MAX_HOPS,\n    ):\n"
    '        """Make a client.\n\n'
    '        * **max_hops** - The greatest number of hops that are followed.\n        """\n'
    "        self.hops = max_hops\n",
}


@pytest.mark.parametrize(
    ("question", "name", "default"),
    [
        ("how do I stop it from caching negative answers?", "no-negcache", ""),
        ("what is the default maximum number of leases", "lease-max", "1000"),
        ("after what time is a user deleted for good, which constant?", "hardDeleteAfter", "7 * 24 * time.Hour"),
        ("flag to stop it from respecting .gitignore", "--no-gitignore", ""),
        ("option: the master gives up when too few workers connect in time", "--expect-workers-max-wait", "0"),
    ],
)
def test_an_option_that_says_all_words_comes_before_one_that_is_named_by_some(workspace, question, name, default):
    found = analyze(workspace(TUNABLE), question).get_items("options")[0]
    assert (found.name, found.default) == (name, default)


def test_a_declaration_with_a_comment_comes_before_a_line_that_sets_the_option(workspace):
    found = analyze(workspace(TUNABLE), "which key ignores exports used inside their own file?").get_items("options")
    assert [each.file for each in found[:2]] == ["web/schema.ts", "web/defaults.ts"]


def test_a_constant_with_the_default_of_an_option_is_no_option_of_its_own(workspace):
    found = analyze(workspace(TUNABLE), "which setting limits how many hops are followed?").get_items("options")
    assert [(each.name, each.line) for each in found] == [("max_hops", 7)]


def test_a_name_in_many_files_is_not_described_by_the_code_that_has_it(workspace):
    files = {f"app/part{at}.py": f"def load{at}(options):\n    return migrate(options)\n" for at in range(8)}
    files["app/tool.py"] = "class ToolOptions:\n    options = Options()\n"
    answer = analyze(workspace(files), "which option is the table of migrations")
    assert "most likely" not in answer.summary


@pytest.mark.parametrize(
    "question", ["what does app/nosuch.py do?", "who imports app/nosuch.py", "tests for app/nosuch.py"]
)
def test_of_a_file_that_does_not_exist_only_near_ones_are_named(workspace, question):
    opened = workspace(
        {"app/shop.py": "app = 1\n\n\ndef do():\n    return app\n", "app/tests/test_shop.py": "import app\n"}
    )
    answer = analyze(opened, question)
    assert answer.summary == "no file app/nosuch.py"
    assert [each.name for each in answer.sections] == ["near"]


def test_where_a_file_that_does_not_exist_is_read_is_a_question_about_code(workspace):
    opened = workspace({"app/shop.py": "def load():\n    return read('conf/shop.toml')\n"})
    assert analyze(opened, "where is conf/shop.toml read?").summary != "no file conf/shop.toml"


@pytest.mark.parametrize(
    ("question", "summary"),
    [
        ("how many classes inherit from Base?", "Base: 2 subclasses"),
        ("how many subclasses does Base have", "Base: 2 subclasses"),
        ("how many functions call load", "load (function, app/shop.py:9): 2 usages in 1 file"),
        ("how many callers does load have?", "load (function, app/shop.py:9): 2 usages in 1 file"),
        ("how many times is load called?", "load (function, app/shop.py:9): 2 usages in 1 file"),
    ],
)
def test_how_many_there_are_is_counted(workspace, question, summary):
    opened = workspace(
        {
            "app/shop.py": "class Base: ...\nclass One(Base): ...\nclass Two(Base): ...\n\n\n"
            "def first():\n    return load(1)\n\ndef load(at):\n    return at\n\n\ndef second():\n    return load(2)\n"
        }
    )
    assert analyze(opened, question).summary.split("\n")[0] == summary


def test_a_message_may_stand_behind_a_level_in_capitals(workspace):
    opened = workspace(
        {
            "app.ts": "export function open(args) {\n  console.error('ERROR');\n"
            "  throw new Error(`Unable to find ${args.config} or the key of it`);\n}\n"
        }
    )
    answer = analyze(opened, "ERROR: Unable to find foo.json or the key of it")
    assert answer.summary.startswith("this message is written at app.ts:3")


def test_an_error_within_a_message_is_no_prefix_of_it(workspace):
    files = {
        "size.go": "package size\n\nfunc read(given string) error {\n"
        '\treturn errors.Fatalf("invalid value for PACK_SIZE %q: %v", given, err)\n}\n',
        "size_test.go": 'package size\n\nvar said = []string{"strconv.ParseUint: parsing \\"foo\\": invalid syntax"}\n',
    }
    message = 'Fatal: invalid value for PACK_SIZE "abc": strconv.ParseUint: parsing "abc": invalid syntax'
    assert analyze(workspace(files), message).summary.startswith("this message is written at size.go:4")


REMOVING = {
    "cmd/unlock.go": "package cmd\n\nfunc (opts *Unlock) AddFlags(f *pflag.FlagSet) {\n"
    '\tf.BoolVar(&opts.RemoveAll, "remove-all", false, "remove all locks, even non-stale ones")\n}\n\n'
    "var staleLockTimeout = 30 * time.Minute\n",
    "doc/bash-completion.sh": '    flags+=("--remove-all")\n    flags+=("--remove-locks")\n',
    "doc/unlock.1": ".TP\n.B --remove-all\nRemove all locks, even non-stale ones.\n",
    "Queue.java": "class AsyncQueue {\n    /** The default buffer size. */\n"
    "    public static final int DEFAULT_QUEUE_SIZE = 256;\n\n"
    "    public void setQueueSize(int queueSize) {\n        this.queueSize = queueSize;\n    }\n}\n",
    "Constants.java": "class Constants {\n"
    '    public static final String CONFIG_FILE_PROPERTY = "tool.configurationFile";\n}\n',
    "Key.java": "class Key {\n    /** Sets the location of the key store. */\n"
    "    public void setLocation(String location) {\n        this.location = location;\n    }\n}\n",
    "load.py": "def setup(http):\n    http.add_argument(\n        '--http-ignore-env',\n"
    "        help='Ignore proxies set in the environment, such as environment variables (`HTTP_PROXY`, etc)',\n    )\n"
    "    http.add_argument('--http-proxy', metavar='HTTP_PROXY', help='A proxy for all requests')\n",
}


@pytest.mark.parametrize(
    ("question", "name", "file", "default"),
    [
        ("which flag removes also locks that are not stale", "remove-all", "cmd/unlock.go", "false"),
        ("after what time is a lock stale, which constant", "staleLockTimeout", "cmd/unlock.go", "30 * time.Minute"),
        ("what is the default size of the queue?", "setQueueSize", "Queue.java", "256"),
        ("which system property is the configuration file?", "tool.configurationFile", "Constants.java", ""),
        ("which option ignores the proxies of the environment variables", "--http-ignore-env", "load.py", ""),
    ],
)
def test_an_option_is_declared_where_the_program_reads_it(workspace, question, name, file, default):
    answer = analyze(workspace(REMOVING), question)
    found = answer.get_items("options")[0]
    assert (found.name, found.file, found.default) == (name, file, default)


HELPERS = {
    "merge.py": "def merge(one, two):\n    one.update(two)\n    return one\n\n\ndef split(one):\n    return one\n",
    "tests/merging.py": "from merge import merge\n\n\nclass merging_:\n    def an_empty_value_stays(self):\n"
    "        assert merge({}, {}) == {}\n",
    "clock.h": "int wait_for_clock(int n);\n",
    "clock.c": '#include "clock.h"\nint wait_for_clock(int n) { return n; }\n',
    "tests/clock_tests.c": '#include <check.h>\n#include "../clock.h"\nSTART_TEST(it_does_not_wait)\n{\n'
    "  ck_assert_int_eq(wait_for_clock(0), 0);\n}\nEND_TEST\n",
}


@pytest.mark.parametrize(
    ("question", "summary", "test"),
    [
        (
            "tests for merge",
            "merge: 1 function in files of tests uses it; what runs them is not known",
            "merging_.an_empty_value_stays",
        ),
        ("which tests cover wait_for_clock?", "wait_for_clock: 1 test uses it", "it_does_not_wait"),
    ],
)
def test_code_in_files_of_tests_is_known_to_use_something_whatever_runs_it(workspace, question, summary, test):
    answer = analyze(workspace(HELPERS), question)
    assert (answer.summary, [each.test for each in answer.get_items("tests")]) == (summary, [test])
    assert not answer.get_items("run")


def test_what_no_code_in_files_of_tests_uses_is_known_to_be_used_by_no_test(workspace):
    answer = analyze(workspace(HELPERS), "tests for split")
    assert answer.summary == "split: no test is known to use it"


STORES = {
    "go.mod": "module example.com/m\n\ngo 1.22\n",
    "store.go": "package m\n\ntype Store interface {\n\tGet(key string) string\n}\n\ntype Memory struct{}\n\n"
    'func (m *Memory) Get(key string) string { return "" }\n',
}


@pytest.mark.parametrize(
    ("question", "kind"),
    [("Store implementations", "kin"), ("list all Store implementers", "kin"), ("Memory implementations", "phrase")],
)
def test_an_interface_before_the_word_for_what_implements_it_asks_for_that(workspace, question, kind):
    answer = analyze(workspace(STORES), question)
    assert answer.kind == kind
    assert kind != "kin" or answer.summary == "Store: 1 subtype"


def test_the_end_of_a_name_means_the_only_function_of_the_product_that_ends_so(workspace):
    files = {
        "src/auth.py": "def relay_auth_check_plain(a):\n    return a\n\n\nsafe = relay_auth_check_plain(1)\n",
        "src/two.py": "def one_read_all_lines():\n    pass\n\n\ndef two_read_all_lines():\n    pass\n",
    }
    opened = workspace(files)
    assert analyze(opened, "who calls auth_check_plain?").summary.startswith("relay_auth_check_plain (function")
    assert analyze(opened, "who calls read_all_lines?").summary.startswith("no symbol named read_all_lines")


def test_a_changed_signature_affects_what_passes_the_function_on(workspace):
    code = "def label(a):\n    return a\n\n\ndef labels(items):\n    return list(map(label, items)), label(1)\n"
    answer = analyze(workspace({"shop/labels.py": code}), "label should get another parameter, what has to change?")
    assert (answer.kind, [each.line for each in answer.get_items("values")]) == ("signature", [6])


def test_the_clause_after_two_revisions_need_not_repeat_them(git_repository, workspace):
    repository = git_repository({"a.py": "def a():\n    return 1\n"}, name="pair")
    repository.git("tag", "v1.2.0")
    repository.commit("Change a", {"a.py": "def a():\n    return 2\n"})
    repository.git("tag", "v1.3.0-rc1")
    answer = analyze(workspace(root=repository.root), "diff v1.2.0 v1.3.0-rc1, what are the code changes?")
    assert answer.kind == "changes"


def test_a_changed_signature_of_many_overrides_is_about_the_method_that_they_override(workspace):
    kinds = [f"Kind{at}" for at in range(14)]
    files = {
        f"runners/{kind.lower()}.py": f"from runners.base import Base\n\n\nclass {kind}(Base):\n"
        "    def run(self, query):\n        return query\n\n    def test(self):\n        return self.run('1')\n"
        for kind in kinds
    }
    base = "class Base:\n    def run(self, query):\n        raise NotImplementedError\n"
    users = "".join(f"from runners.{kind.lower()} import {kind}\nprint({kind}())\n" for kind in kinds)
    tools = workspace({**files, "runners/base.py": base, "main.py": users})
    answer = analyze(tools, "what breaks if I add a required parameter to `run` in the runners?")
    assert (answer.kind, [each.symbol for each in answer.get_items("definitions")]) == ("signature", ["Base.run"])
    assert len(answer.get_items("overrides")) == len(answer.get_items("override_calls")) == 14
    assert not answer.get_items("other_definitions")


def test_scripts_of_tests_that_pass_an_option_are_listed(workspace):
    files = {
        "main.py": "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--kill-all')\n",
        "tests/kill.test": "#!/bin/sh\n./main --kill-all\n",
        "tests/other.test": "#!/bin/sh\n./main --kill-all-at-once\n",
        "run.sh": "#!/bin/sh\n./main --kill-all\n",
    }
    answer = analyze(workspace(files), "are there tests for the --kill-all option?")
    assert [(each.file, each.line) for each in answer.get_items("tests")] == [("tests/kill.test", 2)]
    assert "may be about it" in answer.summary


def test_a_definition_whose_signature_begins_with_a_long_type_is_shown_by_its_name(workspace):
    type_name = f"Dictionary<string, {'List<' * 14}int{'>' * 14}>"
    shop = workspace(
        {"Shop.cs": f"namespace Shop;\npublic class Cart {{\n    public {type_name} Load() => null;\n}}\n"}
    )
    contents = analyze(shop, "what does Shop.cs do?").get_items("api")
    assert [each.to_text() for each in contents if each.symbol == "Cart.Load"] == ["Shop.cs:3 method Cart.Load"]
