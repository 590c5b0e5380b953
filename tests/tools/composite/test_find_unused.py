"""What nothing uses, and what cannot be known."""

from __future__ import annotations

import math
from threading import Event, Thread

import pytest
from msgspec import structs

from avionics.cancellation import limit_answer, seconds_left, untimed
from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.tools import ToolCall, ToolContext
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.composite.find_unused import find_unused
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace

FILES = {
    "pkg/__init__.py": "",
    "pkg/m.py": "def _dead(): ...\n\n\ndef offered(): ...\n\n\ndef used(): ...\n\n\ndef spelled(): ...\n\n\n"
    "used()\nprint('spelled')\n",
    "conf.py": "theme = 'x'\n_own = 1\n",
    "docs/notes.md": "Call documented().\n",
    "pkg/n.py": "def documented(): ...\n",
    "tests/test_m.py": "from pkg.m import used\nfrom pkg import n\n\n\ndef idle(): ...\n\n\n"
    "def test_it():\n    used()\n",
}


def test_variables_that_their_statements_have_to_name_are_not_listed(workspace):
    files = {
        "m.py": "for i, item in enumerate('ab'):\n    print(item)\nfor _each in range(2):\n    print()\n"
        "head, _tail = 'ab'\n_own, left = 1, 2\n_table: dict[str, int] = {}\nprint(head, left)\n",
        "m.ts": "const [_first, second] = [1, 2]\nconst { secret, ...rest } = { secret: 1, more: 2 }\n"
        "const { other } = { other: 1 }\nconst _lone = 1\nconsole.log(second, rest)\n",
        "run.ts": "import './m'\n",
    }
    answer = find_unused(workspace(files))
    found = [each.symbol for each in (*answer.unused, *answer.public)]
    assert sorted(found) == ["_lone", "_table", "other"]


def test_names_that_are_no_words_are_looked_for_in_strings(workspace):
    files = {"m.js": "export const globs = { '**/*.js'() {}, '**/*.go'() {}, '(('() {} }\nspyOn(globs, '**/*.js')\n"}
    answer = find_unused(workspace(files))
    because = describe_reason(Reason(ReasonKind.STRING_LITERAL, place=("m.js", 2)))
    named = {each.symbol: because in each.because for each in answer.unknown}
    assert named == {"globs.**/*.js": True, "globs.**/*.go": False, "globs.((": False}


def test_what_code_too_large_to_parse_mentions_is_not_called_unused(directory, settings):
    large = "// filler\n" * 200
    code = 'static int named(int a) { return a; }\nstatic int idle(int a) { return a; }\n#include "rows.inc"\n'
    root = directory({"a.c": code, "rows.inc": f"{large}int b = named(1);\n"})
    with Workspace.open(root, structs.replace(settings, max_file_bytes=1_000)) as opened:
        answer = find_unused(opened)
    because = describe_reason(Reason(ReasonKind.FILES_TOO_LARGE, subject="rows.inc"))
    assert [each.symbol for each in answer.unused] == ["idle"]
    assert {each.symbol: each.because for each in answer.unknown} == {"named": (because,)}


def test_macros_of_a_file_that_is_no_utf_8_are_judged(workspace):
    code = "/* \udce5 */\n#define KEY 1\n#undef KEY\n#define KEY 2\nint f(void) { return KEY; }\n"
    answer = find_unused(workspace({"a.c": code.encode("latin-1", "surrogateescape")}))
    assert [each.symbol for each in (*answer.unused, *answer.public)] == ["f"]


def test_what_a_bundled_module_is_may_be_loaded_by_the_bundle(workspace):
    bundle = "(function (t) { t[1] = { 2: function (module) { module.exports = function (a) { return a } } } })([])\n"
    answer = find_unused(workspace({"a.js": bundle}))
    assert not [each.symbol for each in (*answer.unused, *answer.public) if each.symbol.endswith("exports")]


def test_what_only_its_program_sees_is_not_public(workspace):
    files = {
        "A.cs": "public class A {\n  internal static int Idle(int a) { return a; }\n"
        "  public static int Open(int a) { return a; }\n  protected internal int Below(int a) { return a; }\n}\n"
        "class Inner {\n  public int field;\n}\npublic record Cup(int Size);\npublic partial class Part { }\n"
        "partial class Part { public int Rest; }\nclass ByCs { }\n",
        "B.kt": "internal class B {\n  val rest = 1\n}\n\nclass C {\n  val more = 1\n}\nclass ByKt\n",
        "D.java": "public class D {\n  int near;\n  protected int below;\n  public enum E { X }\n}\n"
        "class F {\n  public int hidden;\n}\nclass ByD { }\n",
        "G.java": "public interface G {\n  int asked();\n}\nclass ByG { }\n",
        "H.php": "<?php\nclass H {\n  protected int $kept = 1;\n  private int $own = 1;\n}\n"
        "final class Last {\n  protected int $inner = 1;\n}\nclass ByPhp { }\n",
        "Main.cs": "class Program {\n  static void Main() { new ByCs(); }\n}\n",
        "Main.kt": "fun main() { println(ByKt()) }\n",
        "Main.java": "class Main {\n  public static void main(String[] x) { new ByD(); new ByG(); }\n}\n",
        "main.php": "<?php\nnew ByPhp();\n",
    }
    answer = find_unused(workspace(files))
    assert {each.symbol for each in answer.unused} == {
        *("A.Idle", "B", "B.rest", "Inner", "Inner.field", "D.near", "F", "F.hidden", "H.own", "Last.inner"),
    }
    assert {each.symbol for each in answer.public} == {
        *("A", "A.Open", "A.Below", "C", "C.more", "Cup", "Cup.Size", "Part", "Part.Rest"),
        *("D", "D.below", "D.E", "D.E.X", "G", "G.asked", "H", "H.kept", "Last"),
    }


def test_what_an_exported_namespace_offers_is_public(workspace):
    files = {
        "a.hpp": "namespace lib {\nint offered(int a);\nnamespace {\nint hidden(int a) { return a; }\n}\n}\n",
        "a.cpp": '#include "a.hpp"\nint lib::offered(int a) { return a; }\nint main() { return 0; }\n',
        "b.ts": "export namespace E {\n  export function from() {}\n}\nnamespace Own {\n  export function x() {}\n}\n",
        "c.ts": "import { E } from './b';\nE;\n",
    }
    answer = find_unused(workspace(files))
    assert {"hidden", "x"} <= {each.symbol.rpartition(".")[2] for each in answer.unused}
    assert not {"offered", "from"} & {each.symbol.rpartition(".")[2] for each in answer.unused}


def test_what_a_private_class_offers_through_public_code_is_public(workspace):
    files = {
        "lib/__init__.py": "from .core import Client, run, made, held\n",
        "lib/core.py": "class _Base:\n    def inherited(self): ...\n    def _hidden(self): ...\n\n\n"
        "class Client(_Base):\n    def __init__(self):\n        self.kept = _Kept()\n        self._own = _Own()\n\n\n"
        "class _Kept:\n    def stored(self): ...\n\n\nclass _Own:\n    def inside(self): ...\n\n\n"
        "class _Result:\n    def returned(self): ...\n\n\ndef run(): return _Result()\n\n\n"
        "class _Told:\n    def announced(self): ...\n\n\ndef made(make) -> '_Told': return make()\n\n\n"
        "class _Taken:\n    def taken(self): ...\n\n\ndef held(of: _Taken): ...\n\n\n"
        "class _Value:\n    def bought(self): ...\n\n\nvalue = _Value()\n",
        "a.ts": "class Base {\n  offered() {}\n  private concealed() {}\n}\nexport class Below extends Base {}\n"
        "class Lone {\n  unseen() {}\n}\nconst lone = new Lone()\nexport type Kind = typeof lone\n",
        "b.ts": "import { Below } from './a'\nnew Below()\n",
    }
    answer = find_unused(workspace(files))
    unused = {each.symbol.rpartition(".")[2] for each in answer.unused}
    public = {each.symbol.rpartition(".")[2] for each in answer.public}
    assert unused >= {"_hidden", "inside", "taken", "concealed"}
    assert public >= {"inherited", "stored", "returned", "announced", "bought", "offered"}


def test_what_a_page_exports_is_for_its_framework_even_if_something_imports_the_page(workspace):
    page = "export const TABS = 1\nexport async function getStaticProps() {}\nfunction local() {}\n"
    files = {f"{place}/x.tsx": page for place in ("pages", "lib")}
    files["main.ts"] = "import { TABS } from './pages/x'\nimport { TABS as T } from './lib/x'\nconsole.log(TABS, T)\n"
    answer = find_unused(workspace(files))
    assert {(each.file, each.symbol) for each in (*answer.unused, *answer.public)} == {
        ("pages/x.tsx", "local"), ("lib/x.tsx", "local"), ("lib/x.tsx", "getStaticProps"),
    }  # fmt: skip


def test_members_of_an_exported_type_are_public(workspace):
    code = "export type Track = { title: string; inner: { deep: number } }\ntype Own = { hidden: string }\n"
    code += "export const first = {} as Track\nconsole.log({} as Own)\n"
    answer = find_unused(workspace({"a.ts": code, "b.ts": "import { first } from './a'\nfirst.inner\n"}))
    assert [each.symbol for each in answer.unused] == ["Own.hidden"]
    assert {each.symbol for each in answer.public} == {"Track.title"}


def test_what_a_loaded_class_inherits_from_a_private_one_is_not_called_unused(workspace):
    suite = "class _Suite:\n    def time_it(self): ...\n    def _helper(self): ...\n\n\nclass Small(_Suite): ...\n"
    answer = find_unused(workspace({"bench/suite.py": suite}))
    assert [each.symbol for each in (*answer.unused, *answer.public)] == ["_Suite._helper"]


def test_a_prototype_and_its_body_are_one_definition(workspace):
    files = {
        "a.h": "int idle(int a);\nint busy(int a);\nint missing(int a);\n",
        "a.c": '#include "a.h"\nint idle(int a) { return a; }\nint busy(int a) { return a; }\n',
        "kept.c": "static void kept(void) __attribute__((used));\n\nstatic void kept(void)\n{\n}\n",
        "b.h": f"int wide({', '.join(f'const char *argument{at}' for at in range(9))});\n",
        "b.c": f"int wide({', '.join(f'const char *argument{at}' for at in range(9))}) {{ return 1; }}\n",
        "main.c": '#include "a.h"\nint main(void) { return busy(1); }\n',
    }
    answer = find_unused(workspace(files))
    found = sorted((each.file, each.line, each.symbol) for each in (*answer.unused, *answer.public))
    assert found == [("a.c", 2, "idle"), ("a.h", 3, "missing"), ("b.c", 1, "wide")]
    assert answer.summary.startswith("6 definitions checked")


def test_a_file_that_nothing_imports_or_runs_may_be_a_plugin(workspace):
    files = {
        "plugins/greet.py": "def on_start(host): ...\n\n\ndef _dead(): ...\n",
        "tools/run.py": "#!/usr/bin/python\ndef main(): ...\n\n\ndef idle(): ...\n\n\nmain()\n",
        "tools/both.py": "def metric_cleanup(): ...\n\n\nif __name__ == '__main__':\n    pass\n",
    }
    files[".editor.py"] = "#!/usr/bin/python\n\n\ndef flags_for(name): ...\n"
    files |= {"pack/__init__.py": "", "pack/both.py": "#!/usr/bin/python\ndef hook(): ...\n"}
    answer = find_unused(workspace(files))
    because = describe_reason(Reason(ReasonKind.FILE_NOT_IMPORTED))
    assert sorted(each.symbol for each in (*answer.unused, *answer.public)) == ["_dead", "idle"]
    loaded = dict.fromkeys(("on_start", "flags_for", "hook", "metric_cleanup"), (because,))
    assert {each.symbol: each.because for each in answer.unknown} == loaded


def test_what_a_string_names_as_a_module_may_be_read_from_it(workspace):
    files = {
        "site/__init__.py": "KEY = 'site.settings'\nOTHER = 'settings'\n",
        "site/settings.py": "DEBUG = True\n_own = 1\n",
        "site/plain.py": "IDLE = True\n",
        "run.py": "from site import KEY, OTHER\nimport site.settings, site.plain\nprint(KEY, OTHER)\n",
    }
    answer = find_unused(workspace(files))
    because = describe_reason(Reason(ReasonKind.STRING_LITERAL, place=("site/__init__.py", 1)))
    assert {each.symbol: each.because for each in answer.unknown} == {"DEBUG": (because,)}
    assert sorted(each.symbol for each in (*answer.unused, *answer.public)) == ["IDLE", "_own"]


def test_what_a_module_offers_that_is_passed_outside_is_not_called_unused(workspace):
    files = {
        "adapter.js": "exports.getParent = node => node.parent\nfunction own() {}\n",
        "write.js": "const parse = require('parse')\nconst tree = require('./adapter')\nparse({\n  tree\n})\n",
        "plain.js": "exports.getChild = node => node.child\nexports.made = 1\n",
        "read.js": "const parse = require('parse')\nconst plain = require('./plain')\nparse(plain.made)\n",
        "rules.py": "def check(value): ...\n\n\ndef _own(): ...\n",
        "run.py": "import lib\nimport rules\n\nlib.register(rules)\n",
    }
    answer = find_unused(workspace(files))
    assert sorted(each.symbol for each in (*answer.unused, *answer.public)) == ["_own", "getChild", "own"]
    assert {each.symbol: each.because for each in answer.unknown} == {
        "getParent": (describe_reason(Reason(ReasonKind.ESCAPING_MODULE, place=("write.js", 4))),),
        "check": (describe_reason(Reason(ReasonKind.ESCAPING_MODULE, place=("run.py", 4))),),
    }


def test_macros_of_a_header_that_nothing_includes_are_for_code_outside(workspace):
    files = {
        "include/allocator.h": "#define xrealloc(p, n) realloc(p, n)\nint declared(int a);\n",
        "own.h": "#define IDLE 1\n",
        "main.c": '#include "own.h"\n#define LOST 2\nint main(void) { return 0; }\n',
    }
    answer = find_unused(workspace(files))
    because = describe_reason(Reason(ReasonKind.FILE_NOT_IMPORTED))
    assert sorted(each.symbol for each in (*answer.unused, *answer.public)) == ["IDLE", "LOST", "declared"]
    assert {each.symbol: each.because for each in answer.unknown} == {"xrealloc": (because,)}


def test_what_a_file_takes_over_as_a_whole_is_loaded_with_it(workspace):
    files = {
        "shared.py": "theme = 'x'\n_own = 1\n",
        "conf.py": "from shared import *\n",
        "n.py": "from m import used\n",
    }
    answer = find_unused(workspace(files | {"m.py": "used = 1\nidle = 2\n"}))
    because = (describe_reason(Reason(ReasonKind.FILE_NOT_IMPORTED)),)
    assert {each.symbol: each.because for each in answer.unknown if each.file == "shared.py"} == {"theme": because}
    assert "idle" in {each.symbol for each in (*answer.unused, *answer.public)}


def test_unused_public_and_unknown_are_told_apart(workspace):
    answer = find_unused(workspace(FILES))
    assert [each.symbol for each in answer.unused] == ["_own", "_dead"]
    assert [each.symbol for each in answer.public] == ["offered"]
    assert {each.symbol: each.because[0] for each in answer.unknown} == {
        "theme": describe_reason(Reason(ReasonKind.FILE_NOT_IMPORTED)),
        "spelled": describe_reason(Reason(ReasonKind.STRING_LITERAL, place=("pkg/m.py", 14))),
        "documented": describe_reason(Reason(ReasonKind.TEXT_MENTION, subject="docs/notes.md")),
    }
    assert answer.summary == "7 definitions checked: 2 unused, 1 unused here but public, 3 unknown, 1 used"
    assert (answer.coverage.found, answer.coverage.certainty) == (3, Certainty.AT_LEAST)


def test_what_a_framework_loads_by_its_file_is_not_called_unused(workspace):
    files = {
        "site/pages/home.tsx": "export default function Home() {}\nexport function onRoute() {}\nfunction dead() {}\n",
        "site/b.ts": "export function used() {}\nexport function idle() {}\n",
        "site/c.ts": "import { used } from './b'\nused()\n",
        "site/utilities.js": "// The license does not require anything.\nfunction isInNet(host) {}\n",
        "site/tool.js": "const fs = require('fs')\nfunction lost() { fs.a() }\n",
    }
    answer = find_unused(workspace(files))
    assert [each.symbol for each in (*answer.unused, *answer.public)] == ["dead", "idle", "lost"]
    assert {each.symbol: each.because for each in answer.unknown} == {
        "Home": (describe_reason(Reason(ReasonKind.DEFAULT_EXPORT)),),
        "onRoute": (describe_reason(Reason(ReasonKind.FILE_NOT_IMPORTED)),),
        "isInNet": (describe_reason(Reason(ReasonKind.FILE_NOT_IMPORTED)),),
    }


def test_what_a_loaded_object_holds_is_not_called_unused(workspace):
    files = {
        "tool.config.ts": "export default define(o => {\n  const common = { build(x) {}, target: 'node' }\n"
        "  return [{ ...common, done: () => 1 }]\n})\n",
        "site.config.js": "module.exports = { plugins: [['redirect', { create: function (path) {} }]] }\n",
        "reporter.ts": "export default class Reporter {\n  finished() {}\n  private idle() {}\n}\n",
        "a.ts": "const table = { dead() {} }\n",
        "b.ts": "import './a'\n",
    }
    answer = find_unused(workspace(files))
    assert {each.symbol for each in (*answer.unused, *answer.public)} == {"table", "table.dead", "Reporter.idle"}


def test_fields_of_cpp_that_are_set_or_read_by_their_order_are_not_called_unused(workspace):
    head = "#pragma once\nstruct Pair { int a; int b; };\nstruct Three { int c; int d; int e; };\n"
    head += "struct Lone { int f; int g; int h; int i; };\nstruct Made { int j; int k; int l; int m; int n; };\n"
    text = '#include "s.hpp"\nstatic Pair both() { Pair p; return p; }\nstatic Three three() { return {1, 2, 3}; }\n'
    text += "static void take(Lone) {}\n"
    text += "int main() { auto [x, y] = both(); take(Lone()); three(); Made made{1, 2}; return x + y; }\n"
    answer = find_unused(workspace({"s.hpp": head, "main.cpp": text}))
    dead = sorted(each.symbol for each in (*answer.unused, *answer.public) if "." in each.symbol)
    assert dead == ["Lone.f", "Lone.g", "Lone.h", "Lone.i"]
    by_position = {each.symbol[:4] for each in answer.unknown if "." in each.symbol}
    assert by_position == {"Pair", "Thre", "Made"}


def test_fields_of_records_that_a_call_sets_by_their_order_are_not_called_unused(workspace):
    text = "from dataclasses import dataclass\n\n\n"
    for name, made in (("Read", "cls(*values)"), ("Named", "cls(a=values, _b=1)"), ("Plain", "print(values)")):
        text += f"@dataclass\nclass {name}:\n    a: int\n    _b: int\n\n"
        text += f"    @classmethod\n    def parse(cls, values):\n        return {made}\n\n\n"
    text += "print(Read.parse([1, 2]).a, Named.parse(1).a, Plain.parse(1), Plain(\n    a=1,\n    _b=2,\n).a)\n"
    answer = find_unused(workspace({"m.py": text, "n.py": "import m\n"}))
    assert {each.symbol: each.because for each in answer.unknown} == {
        "Read._b": (describe_reason(Reason(ReasonKind.SET_BY_POSITION, place=("m.py", 11))),)
    }


def test_fields_that_the_declaration_of_their_type_sets_by_their_order_are_not_called_unused(workspace):
    text = 'static struct row {\n  const char *a;\n  int b;\n} rows[] = {\n  { "a", 1 },\n};\n'
    text += 'static struct {\n  const char *c;\n  int d;\n} lone = { "a", 1 };\n'
    text += "static struct named { int e; int f; int g; } one = { .e = 1 };\n"
    text += "int main(void) { return rows[0].a == lone.c && one.e; }\n"
    answer = find_unused(workspace({"main.c": text}))
    dead = sorted(each.symbol.rpartition(".")[2] for each in (*answer.unused, *answer.public))
    assert dead == ["f", "g"]


def test_what_is_added_to_the_namespace_of_a_library_is_not_called_unused(workspace):
    text = "#include <archive/text.hpp>\n#include <vector>\n"
    text += "namespace archive { inline int ARCHIVE_SAVE(int a) { return a; } }\n"
    text += "namespace shop { static int idle(int a) { return a; } }\nint main() { return 0; }\n"
    answer = find_unused(workspace({"main.cpp": text}))
    assert [each.symbol for each in answer.unused] == ["shop.idle"]
    assert [each.symbol for each in answer.unknown] == ["archive.ARCHIVE_SAVE"]


def test_a_type_that_templates_of_the_standard_library_read_of_a_class_is_not_called_unused(workspace):
    text = (
        "#include <iterator>\nnamespace shop {\nclass Rows {\n public:\n"
        "  typedef std::forward_iterator_tag iterator_category;\n  using idle = int;\n  int next();\n};\n"
        "inline int run(Rows& rows) { return rows.next(); }\n}\n"
    )
    answer = find_unused(
        workspace({"rows.h": text, "main.cpp": '#include "rows.h"\nint main() { shop::Rows r; return run(r); }\n'})
    )
    because = (describe_reason(Reason(ReasonKind.LIBRARY_PROTOCOL)),)
    assert {each.symbol: each.because for each in answer.unknown} == {"shop.Rows.iterator_category": because}
    assert [each.symbol for each in (*answer.unused, *answer.public)] == ["shop.Rows.idle"]


def test_a_member_that_a_trait_of_the_standard_library_asks_for_is_not_called_unused(workspace):
    files = {
        "Cargo.toml": '[package]\nname = "sets"\nversion = "0.1.0"\n',
        "src/lib.rs": "pub struct Set(Vec<u8>);\n\nimpl<'a> IntoIterator for &'a Set {\n    type Item = &'a u8;\n"
        "    type IntoIter = std::slice::Iter<'a, u8>;\n    fn into_iter(self) -> Self::IntoIter {\n"
        "        self.0.iter()\n    }\n}\n\nfn idle() {}\n",
    }
    answer = find_unused(workspace(files))
    assert [each.symbol for each in answer.unused] == ["idle"]


def test_a_scope_bounds_what_is_judged_not_where_uses_are_looked_for(workspace):
    answer = find_unused(workspace(FILES), "pkg/m.py")
    assert answer.summary.startswith("4 definitions checked in pkg/m.py: ")


def test_everything_used_is_an_exact_answer(workspace):
    answer = find_unused(workspace({"m.py": "def f(): ...\nf()\n"}))
    assert (answer.coverage.found, answer.coverage.certainty) == (0, Certainty.EXACT)


def test_a_scope_that_is_not_there_is_refused(workspace):
    with pytest.raises(UsageError):
        find_unused(workspace(FILES), "nowhere")


def test_a_member_of_an_object_without_a_name_is_never_called_unused(workspace):
    blocks = "[1].map(() => { { return 1 } })\n" * 40
    code = (
        "class Reply {\n  send () {}\n}\nconst fake = new Proxy({ send () {}, code: { send () {} } }, {})\n"
        "module.exports = build\nfunction build () {\n  const r = new Reply()\n  r.send()\n  return fake\n}\n"
    )
    answer = find_unused(workspace({"a.js": blocks + code}))
    assert answer.unused == ()
    assert "fake.send" in {each.symbol for each in answer.unknown}


@pytest.mark.parametrize(
    ("limits", "checked", "said"),
    [
        ({"answer_seconds": 1e-9}, 0, "0 of 7 definitions checked in time, so nothing is known about them"),
        ({"timeout_seconds": 3600.0}, 7, "7 definitions checked: 2 unused"),
    ],
)
def test_what_there_was_no_time_for_is_counted(workspace, settings, limits, checked, said):
    context = ToolContext(workspace=workspace(FILES), **limits)
    result = ToolExecutor(settings=settings).run(ToolCall("find_unused", {}), context)
    assert result.data["summary"].startswith(said)
    left = describe_reason(Reason(ReasonKind.DEFINITIONS_NOT_CHECKED, 7))
    assert (left in result.text) is (checked < 7)


def test_without_time_to_index_every_file_nothing_is_claimed(workspace):
    asked = workspace(FILES)
    with limit_answer(60.0, 0.0):
        answer = find_unused(asked)
    assert answer.summary == f"no definition checked in time, because {len(FILES)} files are not indexed yet"
    assert answer.coverage.reasons == (Reason(ReasonKind.FILES_NOT_READ, len(FILES)),)
    assert (answer.coverage.certainty, answer.unused, answer.public) == (Certainty.AT_LEAST, (), ())
    assert find_unused(asked).summary.startswith("7 definitions checked: 2 unused")


def test_an_answer_does_not_wait_for_another_thread_that_indexes_longer_than_it_has_time(workspace):
    asked, held, answered = workspace(FILES), Event(), Event()

    def hold() -> None:
        with asked._lock:
            held.set()
            answered.wait()

    Thread(target=hold).start()
    held.wait()
    with limit_answer(60.0, 0.0):
        answer = find_unused(asked)
    answered.set()
    assert answer.coverage.reasons == (Reason(ReasonKind.TIME_RAN_OUT),)


@pytest.mark.parametrize(
    ("times", "unused"),
    [((9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 0.0), ["rare"]), ((8.0, 8.0, 8.0, 3.0, 3.0, 0.0), [])],
    ids=["in time", "with time to count one of them"],
)
def test_names_with_few_mentions_come_first_as_far_as_they_are_counted(workspace, monkeypatch, times, unused):
    users = {f"user{number}.py": "import a\n\na.common()\n" for number in range(3)}
    files = {"a.py": "def common():\n    pass\n\n\ndef rare():\n    pass\n", **users}
    monkeypatch.setattr("avionics.tools.composite.find_unused.seconds_left", iter(times).__next__)
    answer = find_unused(workspace(files))
    assert [each.symbol for each in (*answer.unused, *answer.public)] == unused
    assert answer.coverage.reasons == (Reason(ReasonKind.DEFINITIONS_NOT_CHECKED, 1),)


def test_building_the_index_is_not_counted(workspace):
    with limit_answer(3600.0):
        before = seconds_left()
        with untimed():
            while seconds_left() > before - 0.01:
                pass
        assert seconds_left() > before - 0.01
    assert seconds_left() == math.inf


@pytest.mark.parametrize(
    ("module", "base", "unused"),
    [
        ("RuboCop", "Base", set()),
        ("RuboCop", "Object", set()),
        ("Shop", "Base", set()),
        ("Shop", "Object", {"Shop", "Shop.Cop", "Shop.Cop.Plain"}),
    ],
    ids=["that a library finds", "that a library may have", "outside of the library", "that nothing finds"],
)
def test_a_module_is_as_little_unused_as_the_classes_in_it(workspace, module, base, unused):
    code = f"require 'rubocop'\n\nmodule {module}\n  module Cop\n    class Plain < {base}\n    end\n  end\nend\n"
    found, _ = _list_unused(workspace, {"cops/plain.rb": code, "main.rb": "require_relative 'cops/plain'\n"})
    assert set(found) == unused


def test_a_name_that_the_grammar_makes_up_is_no_definition(workspace):
    code = "const char low[4] __attribute__((weak)) = SET;\nstatic int idle() { return 1; }\n"
    found, unknown = _list_unused(workspace, {"a.cpp": f"{code}int main() {{ return low[0]; }}\n", "a.c": code})
    assert "" not in {*found, *unknown}


def test_what_is_compiled_only_for_tests_is_not_product_code(workspace):
    text = "fn main() {}\n\nfn left() {}\n\n#[cfg(test)]\nmod checks {\n    fn helper() {}\n}\n"
    answer = find_unused(workspace({"Cargo.toml": '[package]\nname = "m"\n', "src/main.rs": text}))
    assert [each.symbol for each in answer.unused] == ["left"]


def _list_unused(workspace, files):
    """Return the names that nothing uses, here or at all, and those of which that is unknown."""
    answer = find_unused(workspace(files))
    return [each.symbol for each in (*answer.unused, *answer.public)], {each.symbol for each in answer.unknown}


@pytest.mark.parametrize(
    ("branches", "unknown"),
    [
        ("if system == 'a':\n    from pkg.a import *\nelse:\n    from pkg.b import *\n", set()),
        ("from pkg.a import *\nfrom pkg.b import *\n", {"opened"}),
    ],
)
def test_each_of_several_star_imports_may_give_a_name_where_conditions_choose(workspace, branches, unknown):
    files = {
        "pkg/a.py": "def opened(): ...\ndef idle(): ...\n",
        "pkg/b.py": "def opened(): ...\ndef idle(): ...\n",
        "pkg/__init__.py": f"system = 'a'\n{branches}print(system)\n",
        "app.py": "from pkg import opened\nopened()\n",
    }
    assert _list_unused(workspace, files) == (["idle", "idle"], unknown)


def test_a_class_within_a_subclass_of_an_outside_one_may_be_read_by_it(workspace):
    files = {
        "forms.py": "from lib import Form\n\n\nclass Login(Form):\n    class Meta:\n        csrf = True\n\n\n"
        "class Plain:\n    class Colors:\n        RED = 1\n        BLUE = 2\n\n    own = Colors.RED\n",
        "app.py": "from forms import Login, Plain\nLogin()\nprint(Plain.own)\n",
    }
    unused, unknown = _list_unused(workspace, files)
    assert (unused, "Login.Meta.csrf" in unknown) == (["Plain.Colors.BLUE"], True)


def test_what_is_named_as_a_test_among_the_code_may_be_collected(workspace):
    files = {"pkg/rule.py": "def test_rule(): ...\ndef tested(): ...\n", "app.py": "import pkg.rule\n"}
    assert _list_unused(workspace, files) == (["tested"], {"test_rule"})


def test_a_class_in_a_file_that_nothing_imports_may_be_a_plugin(workspace):
    files = {
        "plugins/sums.py": "class Module:\n    def filters(self): ...\n    def _own(self): ...\n\n\ndef _idle(): ...\n"
    }
    unused, unknown = _list_unused(workspace, files)
    assert (unused, unknown) == (["_idle"], {"Module", "Module.filters", "Module._own"})


@pytest.mark.parametrize(
    ("files", "unused"),
    [
        (
            {
                "src/a.cs": "namespace A.Util;\nstatic class Ints\n{\n    public static int Twice(this int x) => x;\n"
                "    public static int Sum(this System.Collections.Generic.IEnumerable<int> x) => 1;\n"
                "    public static int Idle(this int x) => x;\n"
                "    public static void Deconstruct(this string s, out int a, out int b) { a = 1; b = 2; }\n}\n",
                "src/b.cs": "using A.Util;\nnamespace A;\nclass Program\n{\n    static void Main()\n    {\n"
                '        3.Twice(); new System.Collections.Generic.List<int>().Sum(); var (a, b) = "x";\n    }\n}\n',
            },
            ["Ints.Idle"],
        ),
        (
            {
                "a.cs": "using System;\nnamespace A;\nclass Mark : Attribute { }\nclass SizeAttribute : Mark { }\n"
                "class IdleAttribute : Mark { }\nclass ClickExtension : Mark { }\nclass LeftExtension : Mark { }\n"
                "class Program\n{\n    [Size] static void Main() { int Idle = 1; Console.WriteLine(Idle); }\n}\n",
                "b.xaml": '<Grid Tapped="{ui:Click}">Left, Idle</Grid>\n',
            },
            ["IdleAttribute", "LeftExtension"],
        ),
        (
            {
                "a.cs": "namespace A;\ninterface IPart { bool Own { get; } }\n"
                "class Box : IPart\n{\n    public void Put(int x) { }\n    bool IPart.Own => true;\n}\n"
                "static class More\n{\n    public static void Put(this Box box, string text, int times) { }\n"
                "    public static void Put(this Box box, int x) { }\n"
                "    public static bool Own(this Box box) => false;\n    public static void Idle(this Box box) { }\n}\n"
                "class Program\n{\n    static void Main()\n    {\n        var box = new Box();\n"
                '        box.Put("a", 1); box.Put(1); if (((IPart)box).Own || box.Own()) { }\n    }\n}\n',
            },
            ["More.Idle"],
        ),
        (
            {
                "plugin.py": "def on_start(): ...\ndef on_stop(): ...\n\n\nprint(1)\n",
                "main.py": "import plugin\n",
                "host.c": 'void run(void *module) { PyObject_GetAttrString(module, "on_start"); }\n',
            },
            ["run", "on_stop"],
        ),
        (
            {
                "a.svelte": "<script>\n  function pick() {}\n  function idle() {}\n  function color() {}\n</script>\n\n"
                "<button\n  class:on={1 > 2}\n  onclick={(event) => {\n    if (event.shiftKey) {\n      pick();\n"
                "    }\n  }}\n>\n  idle\n</button>\n\n<style>\n  form {\n    color: red;\n  }\n</style>\n",
                "b.vue": "<script setup>\nfunction go() {}\nfunction left() {}\n</script>\n\n<template>\n"
                '  <a :class="{\n      on: count > 3 && go(),\n    }">left</a>\n</template>\n',
            },
            ["idle", "color", "left"],
        ),
        (
            {
                "a.h": "#define WITH_OLD\n#include <lib.h>\n#define IDLE\n#define oom(x) exit(x)\n",
                "part.c": "#ifndef A_H\n#define oom(x) abort()\n#endif\nvoid part(int x) { oom(x); }\n",
                "a.c": '#include "a.h"\n#include "part.c"\nint main(void) { part(1); return 0; }\n',
            },
            ["IDLE"],
        ),
        (
            {
                "a.cs": "using System;\nnamespace A;\nstatic class Ext\n{\n"
                "    public static int Twice<T>(this T x) => 2;\n    public static int Idle<T>(this T x) => 2;\n}\n"
                "class Program\n{\n    static T Get<T>(Func<T> given, T other) => other;\n"
                "    static void Main() { var made = Get(() => 1, () => 2); made.Twice(); }\n}\n",
            },
            ["Ext.Idle"],
        ),
        (
            {
                "src/a/Types.java": "package a;\n\nclass Types {\n    static class Made {\n        Made() {}\n\n"
                "        Made(int x) {}\n    }\n\n    static class Left {\n        Left() {}\n\n"
                "        Left(int x) {}\n    }\n\n    public static void main(String[] x) {\n"
                "        lib.Maker.add(Made::new);\n        new Left(1);\n    }\n}\n",
            },
            ["Types.Left.Left"],
        ),
        (
            {
                "api.h": "#define API(name) api_##name\nint API(open)(void);\n",
                "api.c": '#include "api.h"\nint API(open)(void) { return 1; }\nstatic int idle(void) { return 2; }\n',
            },
            ["idle"],
        ),
        (
            {
                "view.ts": "exports.start = () => 1\nexports.idle = () => 2\n"
                "exports.wrap = (text: string) => `<% e.start(); %>${text}`\n",
                "pad.ts": "exports.connect = (to: any) => to\nexports.idle = 1\n",
                "router.ts": "type Part = { connect: (to: any) => void }\nconst parts: Part[] = []\n"
                "exports.add = (part: Part) => { parts.push(part); part.connect(1) }\n",
                "app.ts": "const router = require('./router')\nconst pad = require('./pad')\n"
                "const view = require('./view')\nrouter.add(pad)\nview.wrap('')\n",
            },
            ["idle", "idle"],
        ),
        (
            {
                "src/Data.cs": "namespace A;\nclass Box { public Part Inner { get; set; } }\n"
                "class Part { public int Size { get; set; } }\nclass Left { public int Idle { get; set; } }\n"
                "class Made { public int Height { get; set; } }\n",
                "src/b.cs": "using System.Text.Json;\nnamespace A;\nclass Program\n{\n"
                '    static void Main()\n    {\n        JsonSerializer.Deserialize<Box>("{}");\n'
                "        Made made = new();\n    }\n}\n",
                "src/Ext.cs": "namespace A;\nstatic class Texts\n{\n    extension(string text)\n    {\n"
                "        public int Twice() => 2;\n    }\n}\n",
            },
            ["Left", "Left.Idle"],
        ),
        (
            {
                "src/Guard.cs": "namespace Outside.Marks\n{\n    class Mark { }\n    class Left { }\n}\n"
                "static class Guard\n{\n    public static void NotNull(object o) { }\n}\n",
                "src/b.cs": "namespace A;\nclass Program\n{\n    static void Main() { Guard.NotNull(1); }\n}\n",
            },
            ["Mark", "Left"],
        ),
        (
            {
                "src/a.kt": "package a\n\nclass Sum(val x: Int)\noperator fun Sum.plus(o: Sum) = o\n"
                "fun Sum.idle() = 1\nfun main() { println(Sum(1) + Sum(2)) }\n"
            },
            ["Sum.x", "Sum.idle"],
        ),
        (
            {
                "src/A.php": "<?php\nnamespace A;\nclass Bag {\n    public function __construct() {}\n"
                "    public function __get($name) { return 1; }\n    public function idle() {}\n}\n",
                "src/b.php": "<?php\nuse A\\Bag;\n$bag = new Bag();\necho $bag->size;\n",
            },
            ["Bag.idle"],
        ),
        (
            {
                "lib/a.rb": "class Integer\n  def twice; self * 2; end\nend\n\nclass Bag\n  def initialize; end\n"
                "  def idle; end\nend\n",
                "run.rb": "require_relative 'lib/a'\nBag.new\nputs 3.twice\n",
            },
            ["Bag.idle"],
        ),
        (
            {
                "src/a/Main.java": "package a;\n\npublic class Main {\n"
                "    public static void main(String[] x) throws Exception {\n"
                '        Class.forName(Main.class.getPackageName() + ".Impl").getDeclaredConstructor().newInstance();\n'
                '        Main.class.getDeclaredMethod("called").invoke(null);\n        new Read();\n    }\n\n'
                "    static void called() {}\n\n    static void idle() {}\n}\n",
                "src/a/Impl.java": "package a;\n\nfinal class Impl {\n    Impl() {}\n}\n",
                "src/a/Read.java": "package a;\n\nimport com.lib.Json;\n\nclass Read {\n    static class Told {\n"
                "        int size;\n    }\n\n    static class Held {\n        int idle;\n    }\n\n"
                '    static Object begin(Held held) {\n        return Json.read("{}", Told.class);\n    }\n}\n',
            },
            ["Main.idle", "Read.Held.idle", "Read.begin"],
        ),
        (
            {
                "src/com/a/Main.java": "package com.a;\n\npublic class Main {\n"
                "    public static void main(String[] x) throws Exception {\n"
                '        run("com.a.jobs.Job" + x[0]);\n        scan("com.a.plugins");\n'
                '        assert x[1].startsWith("com.a.plain");\n    }\n\n'
                "    static void run(String path) throws Exception {\n"
                "        Main.class.getClassLoader().loadClass(path).getDeclaredConstructor().newInstance();\n    }\n\n"
                "    static void scan(String name) {}\n}\n",
                "src/com/a/jobs/JobSend.java": "package com.a.jobs;\n\npublic class JobSend {\n"
                "    public JobSend() { new Near(); }\n}\n",
                "src/com/a/jobs/Left.java": "package com.a.jobs;\n\npublic class Left {}\n\nclass Near {}\n",
                "src/com/a/plugins/Greet.java": "package com.a.plugins;\n\npublic class Greet {}\n",
                "src/com/a/plain/Idle.java": "package com.a.plain;\n\npublic class Idle {}\n\nclass Far {}\n",
                "src/com/a/plain/Use.java": "package com.a.plain;\n\npublic class Use {\n    Far far = new Far();\n}\n",
            },
            ["Left", "Idle"],
        ),
        (
            {
                "plugins/busy.js": "exports.hook_start = function (next) {}\nfunction idle() {}\n",
                "data/proxy.js": "function FindProxy(url) { return url }\n",
                "run.js": "const fs = require('fs')\nfunction left() {}\nfs.close(1)\n",
            },
            ["idle", "left"],
        ),
        (
            {
                "a.h.in": '#undef WITH_NEW\n#ifndef WITH_NEW\n#include "old.h"\n#endif\n',
                "old.h": "static inline int twice(int x) { return x; }\nstatic inline int idle(int x) { return x; }\n",
                "a.c": '#include "a.h"\nint main(void) { return twice(1); }\n',
            },
            ["idle"],
        ),
        (
            {
                "setup.py": "from setuptools import setup\n\n"
                "setup(entry_points={'shop.plugins': ['one = pkg.m:named']})\n",
                "pkg/__init__.py": "",
                "pkg/m.py": "def named(): ...\ndef idle(): ...\n",
                "app.py": "import pkg.m\n",
            },
            ["idle"],
        ),
    ],
)
def test_what_the_language_calls_without_its_name_is_not_called_unused(workspace, files, unused):
    assert _list_unused(workspace, files)[0] == unused


@pytest.mark.parametrize(
    ("use", "unused"), [("sys.modules['gi'] = Gi", []), ("print(sys.modules['gi'] == 1)", ["Gi", "Gi.SHIFT"])]
)
def test_what_stands_for_a_module_from_outside_may_be_used_by_its_names(workspace, use, unused):
    answer = find_unused(
        workspace({"a.py": "import mocks\n", "mocks.py": f"import sys\nclass Gi:\n    SHIFT = 0\n{use}\n"})
    )
    assert [each.symbol for each in (*answer.unused, *answer.public)] == unused


@pytest.mark.parametrize("export", ["export default Later", "export { Later }", "export { Later as default, Later }"])
def test_members_of_a_class_that_is_exported_later_are_public(workspace, export):
    code = f"class Later {{\n  shown() {{}}\n  #own() {{}}\n  private kept() {{}}\n}}\n{export}\n"
    answer = find_unused(
        workspace({"a.ts": code, "b.ts": "import All, { Later } from './a'\nnew All()\nnew Later()\n"})
    )
    assert [each.symbol for each in answer.public] == ["Later.shown"]
    assert [each.symbol for each in answer.unused] == ["Later.#own", "Later.kept"]


def test_members_of_a_class_that_no_file_exports_are_not_public(workspace):
    code = "class Later {\n  shown() {}\n}\nconst made = [new Later()]\nexport const size = made.length\n"
    answer = find_unused(workspace({"a.ts": code, "b.ts": "import { size } from './a'\nconsole.log(size)\n"}))
    assert ([each.symbol for each in answer.unused], answer.public) == (["Later.shown"], ())


def test_a_static_member_is_reported_once_and_as_public_as_its_declaration(workspace):
    header = "class Box {\n public:\n  static int count;\n  static inline int kept = 1;\n};\n"
    files = {"a.h": header, "a.cpp": '#include "a.h"\nint Box::count = 0;\nBox box;\n'}
    answer = find_unused(workspace(files))
    assert [(each.file, each.symbol) for each in answer.public] == [("a.cpp", "Box.count"), ("a.h", "Box.kept")]
    assert answer.unused == ()


@pytest.mark.parametrize(
    ("files", "unused", "unknown"),
    [
        (
            {"fuzz/a.go": "package fuzz\n\nfunc FuzzRead(data []byte) int { return 0 }\n\nfunc idle() {}\n"},
            ["idle"],
            {"FuzzRead"},
        ),
        (
            {"Init.cs": "namespace System.Special;\nstatic class Init {\n  private static void Idle() { }\n}\n"},
            ["Init.Idle"],
            {"Init"},
        ),
        (
            {
                "pay/a.go": "package pay\n\nfunc Pay() {}\n\nfunc Idle() {}\n",
                "go.mod": "module x.org/shop\n",
                "main.go": 'package main\n\nimport "x.org/shop/pay"\n\nfunc Spare() {}\n\nfunc main() { pay.Pay() }\n',
            },
            ["Spare", "Idle"],
            set(),
        ),
    ],
)
def test_what_is_in_a_file_that_no_other_uses_may_be_loaded_with_it(workspace, files, unused, unknown):
    assert _list_unused(workspace, files) == (unused, unknown)
