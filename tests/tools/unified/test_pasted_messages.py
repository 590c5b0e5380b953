"""Messages as people paste them: with prefixes, values, causes and traces, against texts that are built from pieces."""

import pytest

from avionics.model.enums import Certainty
from avionics.tools.unified.analyze import analyze

TEXTS = {
    "kind.rs": "pub enum Kind {\n    HookFailed { command: String },\n    NoVersion { matching: String },\n}\n\n"
    "impl fmt::Display for Kind {\n    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        match self {\n"
    "            Kind::HookFailed { command } => write!(\n                f,\n"
    "                \"Hook command '{}' indicated a failure.\n\nPlease verify the tool.\",\n                command\n"
    "            ),\n            Kind::NoVersion { matching } => {\n"
    '                write!(f, "No version matches {} here", matching)\n'
    "            }\n        }\n    }\n}\n",
    "lib.rs": "mod kind;\nmod hook;\n",
    "hook.rs": "use crate::kind::Kind;\n\nfn run(bin: &str) -> Result<(), Kind> {\n    if !launch(bin) {\n"
    "        return Err(Kind::HookFailed { command: bin.into() });\n    }\n    Ok(())\n}\n",
    "shop/finder.go": 'package shop\n\nimport "errors"\n\ntype finder struct {\n\tfailure string\n}\n\n'
    'func newFinder() finder {\n\treturn finder{\n\t\tfailure: "no usable printer program was found",\n\t}\n}\n\n'
    "func (f finder) find() error {\n\treturn errors.New(f.failure)\n}\n",
    "shop/http.go": 'package shop\n\nimport "fmt"\n\ntype Error struct {\n\tCode int\n}\n\n'
    "func (e *Error) Error() string {\n"
    '\treturn fmt.Sprintf("HTTP code %d while fetching %s", e.Code, e)\n}\n\n'
    "func fetch() error {\n\treturn &Error{Code: 404}\n}\n\n"
    'func update(err error) error {\n\treturn fmt.Errorf("unable to update: %s", err)\n}\n',
    "sync.py": "class StorageEmpty(Exception):\n    pass\n\n\ndef sync(a, b):\n    if not a:\n"
    "        raise StorageEmpty(a)\n",
    "report.py": "from sync import StorageEmpty\n\n\ndef report(name):\n    try:\n        work()\n"
    "    except StorageEmpty as e:\n        log(\n            f'{name}: Storage \"{e.name}\" was '\n"
    '            "completely emptied. Use "\n            f"`sync --force {name}` to delete all."\n        )\n'
    "    except KeyError:\n        log('an entry has been lost for ' + name + ' since ' + when())\n",
    "Late.java": "class Late {\n    void stop(int n) {\n        throw new IllegalStateException(\n"
    '            "worker " + n + " refused to stop"\n                + " within " + wait + " seconds");\n    }\n}\n',
    "Texts.java": 'enum Problem {\n    TOO_BIG("the file %s is bigger than the disk"),\n'
    '    TOO_OLD("the file %s was replaced");\n'
    "    final String text;\n    Problem(String text) { this.text = text; }\n}\n",
    "Save.java": "class Save {\n    void save() {\n        fail(Problem.TOO_BIG);\n    }\n}\n",
    "errors.rs": '#[derive(Error)]\npub enum LoadError {\n    #[error("cannot read the map {0}")]\n'
    "    Map(String),\n    Other,\n    Gone,\n}\n\n"
    "pub fn is_final(e: &LoadError) -> bool {\n    match e {\n        LoadError::Other\n        | LoadError::Map(_)\n"
    "        | LoadError::Gone => true,\n    }\n}\n\n"
    "pub fn load(p: &str) -> Result<(), LoadError> {\n    Err(LoadError::Map(p.into()))\n}\n",
    "locales/en.json": '{\n  "cart": {\n    "cart_is_full": "The cart of {{name}} cannot take any more"\n  }\n}\n',
    "messages.properties": "order.rejected=Order {0} was rejected by the warehouse\n",
    "cart.ts": "export function add(t: any) {\n  throw new Error(t('cart_is_full'));\n}\n",
    "Order.java": 'class Order {\n    void place() {\n        reject("order.rejected");\n    }\n}\n',
    "Full.java": "class DiskFull extends RuntimeException {\n    DiskFull(String d) {\n"
    '        super("Unable to write to the disk " + d);\n    }\n}\n',
    "Gone.java": "class DiskGone extends RuntimeException {\n    DiskGone(String d) {\n"
    '        super("Unable to write to the disk " + d);\n    }\n}\n',
    "Pull.java": "class Pull {\n    void out() {\n        throw new DiskGone(d);\n    }\n}\n",
    "open.py": "def read(name):\n    raise OSError(f'no such file, {name}')\n",
    "jar.py": "def jar(name):\n    return 'could not open the cookie jar: ' + name\n\n\n"
    "def load(name, e):\n    raise OSError(f'error opening the cookie jar {name}: {e}')\n",
    "parse.py": "def parse(text):\n    raise fail('Unterminated array', text)\n\n\n"
    "def fail(what, text):\n    return Error(what + ' at line ' + text.line + ' column ' + text.column)\n",
    "tests/test_all.py": "def test_it():\n    assert 'worker 7 refused to stop within 30 seconds'\n"
    "    assert 'this only stands in a test'\n",
}


def test_a_message_that_begins_with_a_value_is_the_cause_of_its_heading(workspace):
    code = (
        "def start(log):\n    log('Configuration errors:')\n\n\n"
        "def check(name, value, error):\n    error(f\"'{name}' cache size must be at least 1, got '{value}'\")\n"
    )
    answer = analyze(
        workspace({"a.py": code}), "Configuration errors:\n  'Pages' cache size must be at least 1, got '0'"
    )
    assert answer.summary.startswith("this message is written at a.py:6")


HELP = {
    "main.c": "void help(void) {\n    fprintf(stderr, \"Try '%s -h' for more information.\\n\", name);\n}\n\n"
    "void parse(char *s) {\n    die_with_help(\"unknown column name: '%s'\", s);\n}\n",
}


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("shop: unknown column name: 'tiem'\nTry 'shop -h' for more information.", 6),
        ("Try 'shop -h' for more information.", 2),
    ],
)
def test_the_last_line_of_a_message_that_tells_how_to_get_help_is_not_the_message(workspace, message, line):
    answer = analyze(workspace(HELP), message)
    assert [each.line for each in answer.get_items("lines")] == [line]


@pytest.mark.parametrize(
    ("message", "place", "used"),
    [
        (
            "tool error: Hook command '/x.sh 22' indicated a failure.\n\nPlease verify the tool.",
            "kind.rs:11",
            "hook.rs:5",
        ),
        ("Hook command 'x' indicated a failure.", "kind.rs:11", "hook.rs:5"),
        ("\x1b[31merror:\x1b[0m No version matches 27.4 here", "kind.rs:17", ""),
        ("2026/02/11 08:01:12 no usable printer program was found", "shop/finder.go:11", "shop/finder.go:16"),
        ("ERROR: unable to update: HTTP code 404 while fetching http://x/y", "shop/http.go:10", "shop/http.go:14"),
        ('{"level":"error","msg":"unable to update: disk gone"}', "shop/http.go:18", ""),
        (
            'error: my/cal: Storage "r/w" was completely emptied. Use `sync --force my/cal` to delete all.',
            "report.py:10",
            "sync.py:7",
        ),
        ("x.y.DiskGone: Unable to write to the disk sdb1", "Gone.java:3", "Pull.java:3"),
        ("Error: Unterminated array at line 3 column 7", "parse.py:2", ""),
        ("could not open the cookie jar: /etc/jar", "jar.py:2", ""),
        ("error opening the cookie jar /run/t: open /run/t: no such file or directory", "jar.py:6", ""),
        ("[verbose] an entry has been lost for my/cal since noon", "report.py:14", ""),
        ("where does this come from: 12:00:01 WARN worker 7 refused to stop within 30 seconds", "Late.java:4", ""),
        ("Caused by: x.Problem: the file a.bin is bigger than the disk", "Texts.java:2", "Save.java:3"),
        ("thread 'main' panicked at src/main.rs:3:9:\ncannot read the map \"w1\"", "errors.rs:3", "errors.rs:18"),
        ("relay-tool: error: worker 7 refused to stop within 30 seconds", "Late.java:4", ""),
        ("ERROR: unable to update: `no usable printer program was found`", "shop/finder.go:11", "shop/finder.go:16"),
        ("ERROR: unable to update: `the usable program of the printer`", "shop/http.go:18", ""),
        ("Error: The cart of Ada Lovelace cannot take any more", "locales/en.json:3", "cart.ts:2"),
        ("SEVERE Order 4711 was rejected by the warehouse", "messages.properties:1", "Order.java:3"),
    ],
)
def test_a_pasted_message_leads_to_its_text_and_to_where_it_is_raised(workspace, message, place, used):
    answer = analyze(workspace(TEXTS), message)
    assert answer.summary.startswith("this message is written at ")
    assert answer.coverage.certainty is Certainty.AT_LEAST  # Not all code that may write a text is compared with it.
    line = answer.get_items("lines")[0]
    assert f"{line.file}:{line.line}" == place
    assert [f"{each.file}:{each.line}" for each in answer.get_items("usages")[:1]] == ([used] if used else [])


@pytest.mark.parametrize(
    "message",
    [
        "error: the printer is out of paper",
        "ERROR: Hook command 'x' was never heard of",
        "panic: worker 7 refused to listen to anybody at all",
        "[error] the file a.bin is much too small",
        "error: worker 12 refused to",
        "debug: cannot start '/opt/x' with these parameters: No such file or directory (os error 2)",
    ],
)
def test_a_message_that_no_text_makes_is_not_said_to_be_written(workspace, message):
    assert not analyze(workspace(TEXTS), message).summary.startswith("this message is written at ")


def test_a_text_of_tests_is_the_last_resort(workspace):
    assert "at tests/test_all.py:3" in analyze(workspace(TEXTS), "Error: this only stands in a test").summary


MADE = {
    "src/Messages.java": "interface Messages {\n    Messages ALL = load();\n"
    '    @Message(id = 39, value = "Too many parcels, there is room for %s")\n    Late tooMany(int room);\n'
    '    @Message(id = 40, value = "The parcel is open")\n    Late open();\n}\n',
    "src/Post.java": "class Post {\n    void put() {\n        throw Messages.ALL.tooMany(9);\n    }\n}\n",
    "logs.ts": "export function logLostLetter(name: string) {\n  return {\n    code: 3,\n"
    "    message: `The letter ${name} was lost on its way`\n  };\n}\n",
    "post.ts": 'import { logLostLetter } from "./logs";\n\nexport function deliver(name: string) {\n'
    "  if (!name) throw logLostLetter(name);\n}\n",
}


@pytest.mark.parametrize(
    ("message", "place", "used"),
    [
        (
            "org.post.Late: UT39: Too many parcels, there is room for 9",
            "src/Messages.java:3 as Messages.tooMany",
            "src/Post.java:3",
        ),
        ("Error: The letter 4711 was lost on its way", "logs.ts:4 in logLostLetter", "post.ts:4"),
    ],
)
def test_of_a_message_that_a_function_only_makes_its_calls_are_shown(workspace, message, place, used):
    answer = analyze(workspace(MADE), message)
    assert answer.summary.startswith(f"this message is written at {place}, which is used at {used} in ")


def test_a_message_in_a_long_function_is_shown_without_the_calls_of_the_function(workspace):
    lines = "".join(f"    step({number})\n" for number in range(20))
    files = {
        "post.py": f"def deliver():\n{lines}    raise ValueError('The letter was lost on its way')\n",
        "main.py": "from post import deliver\n\n\ndef main():\n    deliver()\n",
    }
    answer = analyze(workspace(files), "ValueError: The letter was lost on its way")
    assert answer.summary == "this message is written at post.py:22 in deliver"


MARKED = {
    "post.ts": "import {Letter, Parcel} from './kinds.js';\n\nexport function refuse(): Letter | Parcel {\n  return {\n"
    "    message: 'Expected the weight of a parcel to be positive',\n  };\n}\n",
    "kinds.ts": "export interface Letter {\n  message: string;\n}\n\n"
    "export interface Parcel {\n  message: string;\n}\n\n"
    "export function read(letter: Letter) {\n  return letter.message;\n}\n",
}


def test_a_message_behind_a_sign_is_one_and_a_field_that_it_may_not_be_the_value_of_is_not_shown(workspace):
    opened = workspace(MARKED)
    answer = analyze(opened, "❌ [post] Expected the weight of a parcel to be positive")
    assert answer.summary.startswith("this message is written at post.ts:5 in refuse")
    assert not answer.get_items("usages")
    assert analyze(opened, "⚠️  the weight of a parcel to be positive").kind == "error"
    assert not analyze(opened, "❌ where is the weight of a parcel read?").summary.startswith("this message")


def test_a_message_in_a_macro_whose_line_begins_like_a_comment_is_found_and_one_in_a_comment_is_not(workspace):
    files = {
        "a/late.h": '#  define LATE "the letter is late again today"\n',
        "a/note.c": "// the letter is late again today\nint note(void) { return 0; }\n",
    }
    answer = analyze(workspace(files), "error: the letter is late again today")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("a/late.h", 1)]


def test_a_message_that_begins_with_the_path_of_no_file_is_a_message(workspace):
    files = {
        "check.ts": "export function check(file: string) {\n  throw new Error(`'${file}' is not included here.`);\n}\n"
    }
    opened = workspace(files)
    assert analyze(opened, "'src/api.ts' is not included here.\nerror Command failed").summary.startswith(
        "this message is written at check.ts:2"
    )
    assert analyze(opened, "'src/api.ts' is not included anywhere?").summary == "no file src/api.ts"


COMMON = {"rules.py": "".join(f"x{number} = 'is not a rule'  # it is not a rule {number}\n" for number in range(250))}
UNTYPED = "java.lang.IllegalArgumentException: Script login.js is not a 'proxy' script: sender"


def test_a_message_whose_words_are_common_is_found_by_three_of_them_before_its_value(workspace):
    files = {
        "Check.java": "class Check {\n    void check(Script script) {\n        throw new IllegalArgumentException(\n"
        '            "Script "\n                + script.name\n                + " is not a \'"\n'
        '                + wanted\n                + "\' script: "\n                + script.kind);\n    }\n}\n',
    }
    answer = analyze(workspace({**COMMON, **files}), UNTYPED)
    assert [each.file for each in answer.get_items("lines")] == ["Check.java"]


def test_common_words_about_something_else_are_no_message(workspace):
    assert "is written" not in analyze(workspace(COMMON), UNTYPED).summary


def test_two_words_that_begin_a_message_up_to_a_value_are_one_of_its_texts(workspace):
    files = {
        "choose.js": "function choose(name) {\n"
        "  throw new Error(`Unknown tool: \"${name}\"${near ? ('; did you mean \"' + near + '\"?') : ''}`);\n}\n",
        "help.js": "function help(list, name) {\n  list.push(' did you mean: ' + name + '?');\n}\n",
    }
    answer = analyze(workspace(files), 'Error: Unknown tool: "sow"; did you mean "saw"?')
    assert "choose.js" in {each.file for each in answer.get_items("lines")}
    # Words in the middle of a message do not begin it.
    answer = analyze(workspace(files), 'Error: the shop has no known tool: "sow"; did you mean "saw"?')
    assert "choose.js" not in {each.file for each in answer.get_items("lines")}


def test_of_texts_with_the_same_words_the_one_with_the_numbers_of_the_message_is_meant(workspace):
    files = {
        "options.c": "void any(int low, int high) {\n"
        '    fail("value out of range (%d - %d): %s", low, high, text);\n}\n'
        'void less(void) {\n    fail("value out of range (-1 - 255): %s", text);\n}\n'
        'void tos(void) {\n    fail("value out of range (0 - 255): %s", text);\n}\n',
    }
    answer = analyze(workspace(files), "tool: value out of range (0 - 255): 300")
    # No code for the range from -1 prints a range from 0.
    assert [each.line for each in answer.get_items("lines")] == [8, 2]


def test_of_lines_with_a_number_those_with_other_words_of_the_question_come_first(workspace):
    files = {"a.js": "const shown = 404;\n", "b.js": "export const missing = (page) => page.status === 404;\n"}
    answer = analyze(workspace(files), "where is a page missing with 404?")
    assert [each.file for each in answer.get_items("lines")] == ["b.js", "a.js"]


def test_a_text_is_not_printed_by_a_line_that_passes_another_value_in_its_place(workspace):
    files = {
        "a.go": "package a\n\nfunc check(i int) error {\n\tif i > 1 {\n"
        '\t\treturn fmt.Errorf("field %s must be set", "cart.owner")\n\t}\n'
        '\treturn fmt.Errorf("field %s must be set", fmt.Sprintf("cart.lines[%d].id", i))\n}\n',
        "z.go": "package a\n\nfunc (e ErrEmpty) Error() string {\n"
        '\treturn fmt.Sprintf("field %s must be set", e.name)\n}\n',
    }
    answer = analyze(workspace(files), "Error: field version must be set")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("z.go", 4)]
    answer = analyze(workspace(files), "Error: field cart.owner must be set")
    assert ("a.go", 5) in [(each.file, each.line) for each in answer.get_items("lines")]


LOGS = {
    "relay.py": "def open_box(name):\n    logger.warning(f'Unknown box {name}.')\n\n\n"
    "def open_letter(name):\n    logger.error(f'Unknown box {name}.')\n",
}


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("2026-08-01 10:11:12,001 - ERROR - Unknown box foo.", 6),
        ("2026-08-01 10:11:12,001 - shop.relay - WARNING - Unknown box foo.", 2),
        ("2026-08-01T10:11:12.001Z [warn] Unknown box foo.", 2),
        ("ERROR Unknown box foo.", 6),
    ],
)
def test_the_head_of_a_line_of_a_log_tells_the_level_and_is_no_part_of_the_message(workspace, message, line):
    answer = analyze(workspace(LOGS), message)
    assert answer.summary.startswith(f"this message is written at relay.py:{line} ")
