"""A definition is called unused only when nothing could use it."""

from __future__ import annotations

import pytest

from avionics.index.analysis.unused_code import Unused, Use
from avionics.model.enums import Certainty
from avionics.model.reasons import Reason, ReasonKind

_FOREIGN = (
    'struct Conf { _name: *const u8 }\n#[no_mangle]\npub unsafe extern "C" fn load(of: *const Conf) { drop(of) }\n'
)
_WALK = (
    "import start from 'lib'\nclass Node { dead() {} }\nfunction walk() {\n  var at = start, to = at, up = to\n"
    + "".join(f"  if (at) at = to.{each}\n  if (to) to = up.{each}\n  up = at.{each}\n" for each in "abcdefgh")
    + "  at.dead()\n}\nwalk()\n"
)
"""Members of members of something outside: each variable may be so many that none of them is told apart."""

_OWN_ACCESSOR = (
    "class App:\n    @classmethod\n    def cached_property(cls, made):\n        setattr(cls, made.__name__, made)\n"
    "        return made\n@App.cached_property\ndef drive(app): return 1\n"
)
_STANDARD_ACCESSOR = (
    "from functools import cached_property\nclass App:\n    @cached_property\n    def drive(self): return 1\nApp()\n"
)
_LISTING = "def load(module):\n    for each in vars(module).values(): print(each)\n"

_LARAVEL = '{"require": {"laravel/framework": "^13.0"}}'
_POLICY = "<?php\nclass AlbumPolicy { public function show() {} }\n"
_PICKER = "class Picker {\n  private static void open() { }\n}\n"
_DEFINED = (
    "G_DEFINE_TYPE(FileMonitor, file_monitor, G_TYPE_OBJECT)\nstatic void file_monitor_init(FileMonitor *monitor) { }\n"
)
_BEAN = "public class Bean {\n  public void setSize(int size) {}\n  void setWidth(int width) {}\n}\n"
_FILLING = (
    "class Filler {\n  void fill(Object bean) {\n    for (Method m : bean.getClass().getMethods())\n"
    '      if (m.getName().startsWith("set")) m.invoke(bean, 1);\n  }\n}\n'
)
_PUBLISHING = (
    "def publish(name):\n    def mark(func):\n        STORE\n        return func\n    return mark\n"
    "def other(func): return func.name\nclass A:\n    @publish('values')\n    def _values(self): ...\n"
)
_RULE = "\n.a {{\n  width: {}(color);\n}}\n"


def judged(opened, name):
    """Return the verdict on a definition: its use, and why."""
    (definition,) = opened.code.find_definitions(name)
    verdict = Unused(opened.code, opened.code.graph, opened.code.resolver, opened.code.unseen).judge(definition)
    return verdict.use, verdict.reasons


_GO = {
    "rt/rt.go": """package rt

//go:linkname poll x.org/g/use.poll
func poll() int { return 1 }

//go:nosplit
func quiet() int { return 2 }

func pushed() int { return 3 }

//export called
func called() int { return 4 }

// export idle
func idle() int { return 5 }

//go:generate stringer -type=color
type color int

type pair struct{ left, right int }

type kept struct{ one int }

type keeps []kept

type held struct{ flag uint8 }

type header struct{ held held }

type plain struct{ gap int }

const (
	none = iota
	first
	middle
	second
	last
)

const (
	listed = 1
	known  = first + second
)

var _ = known

var _ = []any{pair{1, 2}, plain{}, []plain{{}}, map[string]named{"a": {from: 1}}}

type named struct{ from, to int }
""",
    "rt/raw.go": """package rt

import "unsafe"

var _, _ = keeps{{1}}, unsafe.Sizeof(header{})
""",
    "use/use.go": """package use

//go:linkname mine x.org/g/rt.pushed
func mine() int

func main() { mine() }
""",
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("poll", ReasonKind.DIRECTIVE),
        ("quiet", None),
        ("pushed", ReasonKind.DIRECTIVE),
        ("called", ReasonKind.DIRECTIVE),
        ("idle", None),
        ("color", ReasonKind.DIRECTIVE),
        ("pair.left", ReasonKind.SET_BY_POSITION),
        ("kept.one", ReasonKind.SET_BY_POSITION),
        ("held.flag", ReasonKind.MEMORY_LAYOUT),
        ("plain.gap", None),
        ("none", ReasonKind.ENUM_MEMBER),
        ("middle", ReasonKind.ENUM_MEMBER),
        ("last", None),
        ("listed", None),
        ("named.to", None),
    ],
)
def test_directives_literals_and_layouts_use_without_a_name(workspace, name, kind):
    use, reasons = judged(workspace(_GO), name)
    assert (use, [each.kind for each in reasons]) == (Use.UNKNOWN if kind else Use.UNUSED, [kind] if kind else [])


@pytest.mark.parametrize(
    ("name", "files", "use"),
    [
        ("Conf._name", {"src/lib.rs": _FOREIGN}, Use.UNKNOWN),
        ("Conf._name", {"src/lib.rs": _FOREIGN.replace(' extern "C"', "")}, Use.UNUSED),
        ("Conf._name", {"src/lib.rs": _FOREIGN.replace("*const Conf", "&Conf")}, Use.UNUSED),
        ("Raw.pad", {"src/lib.rs": "#[derive(Clone)]\n#[repr(C)]\npub struct Raw { pad: u32 }\n"}, Use.UNKNOWN),
        ("Own.pad", {"src/lib.rs": "#[derive(Clone)]\npub struct Own { pad: u32 }\n"}, Use.UNUSED),
        (
            "Raw.pad",
            {"Raw.cs": "[StructLayout(LayoutKind.Sequential)]\nstruct Raw { int pad; }\nclass A { Raw raw; }\n"},
            Use.UNKNOWN,
        ),
        ("Own.pad", {"Own.cs": "struct Own { int pad; }\nclass A { Own own; }\n"}, Use.UNUSED),
    ],
)
def test_a_declared_layout_uses_fields(workspace, name, files, use):
    verdict, reasons = judged(workspace(files), name)
    kinds = {each.kind for each in reasons}
    assert (verdict, ReasonKind.MEMORY_LAYOUT in kinds) == (use, use is Use.UNKNOWN)


_PAIR = "struct pair { int a, b; };\nint f(struct pair *p, int n) { return p->a + n; }\n"


@pytest.mark.parametrize(
    ("name", "files", "kind"),
    [
        ("pair.b", {"a.c": _PAIR}, None),
        ("pair.b", {"a.c": _PAIR + "void *g(void) { return malloc(sizeof(struct pair)); }\n"}, None),
        ("pair.b", {"a.c": _PAIR + "int g(int n) { return n < sizeof(struct pair); }\n"}, ReasonKind.SET_BY_POSITION),
        (
            "pair.b",
            {
                "a.c": "typedef struct pair { int a, b; } pair_t;\n"
                "int f(void *p) { const pair_t *at = (const pair_t *)p; return at->a; }\n"
            },
            ReasonKind.SET_BY_POSITION,
        ),
        (
            "outer.of.whole",
            {
                "a.c": "struct outer { int a; union { int whole; char low; } of; };\n"
                "int f(void *p) { struct outer *at = (struct outer *)p; return at->a; }\n"
            },
            ReasonKind.SET_BY_POSITION,
        ),
        ("outer.of.whole", {"a.c": "struct outer { int a; union { int whole; char low; } of; };\n"}, None),
        (
            "old.first",
            {"a.c": "struct old { int first, reserved1, last; };\nint f(struct old *p) { return p->last; }\n"},
            ReasonKind.MEMORY_LAYOUT,
        ),
        (
            "__caps.held",
            {"a.c": "struct __caps { int all, held; };\nint f(struct __caps *p) { return p->all; }\n"},
            ReasonKind.MEMORY_LAYOUT,
        ),
        (
            "cpu.r1",
            {"arch/include/cpu.h": "struct cpu { int r0, r1; };\n", "arch/save.S": "\tstr r4, [r0, #4]\n"},
            ReasonKind.MEMORY_LAYOUT,
        ),
        ("pair.b", {"a.c": _PAIR + "int fill(struct pair *into);\n"}, ReasonKind.MEMORY_LAYOUT),
        ("BASS", {"a.c": "enum { LOUD, BASS, /* and */ COUNT };\nint all[COUNT];\n"}, ReasonKind.ENUM_MEMBER),
        ("BASS", {"a.c": "enum { LOUD, BASS, COUNT = 2 };\nint all[COUNT];\n"}, None),
        ("COUNT", {"a.c": "enum { LOUD, COUNT };\nint is_loud(int n) { return n == LOUD; }\n"}, None),
        ("BASS", {"a.c": "enum { LOUD, BASS, COUNT };\n"}, None),
        (
            "Code.BASS",
            {"a.cpp": "enum Code : char {\n  LOUD = 0,\n  BASS,\n  COUNT\n};\nint all[COUNT];\n"},
            ReasonKind.ENUM_MEMBER,
        ),
        ("pair.b", {"a.c": _PAIR + "int fill(struct pair *into);\nint fill(struct pair *into) { return 1; }\n"}, None),
        ("cpu.r1", {"arch/include/cpu.h": "struct cpu { int r0, r1; };\n", "boot/start.S": "\tb main\n"}, None),
        (
            "pair.b",
            {
                "a.h": _PAIR + "int fill(struct pair *into);\n",
                "lib.rs": 'pub extern "C" fn fill(into: &mut Pair) -> i32 { 1 }\n',
            },
            ReasonKind.MEMORY_LAYOUT,
        ),
    ],
)
def test_a_field_of_c_is_used_where_its_place_is(workspace, name, files, kind):
    use, reasons = judged(workspace(files), name)
    assert (use, kind in [*(each.kind for each in reasons), None]) == (Use.UNKNOWN if kind else Use.UNUSED, True)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("dead", {"m.py": "def dead(): ...\n"}),
        ("Dead", {"m.py": "class Dead: ...\n"}),
        ("Agent.premain", {"Agent.java": "class Agent {\n  private void premain(String options) {}\n}\n"}),
        ("Box.Plain", {"Box.cs": "partial class Box {\n  private void Plain() { }\n}\n"}),
        ("A.dead", {"m.py": "class A:\n    def dead(self): ...\n    def used(self): ...\nA().used()\n"}),
        ("a.dead", {"a.py": "def dead(): ...\n", "b.py": "def dead(): ...\ndead()\n"}),
        ("dead", {"m.py": "def dead(): ...\n# dead is dead\ndef f():\n    '''Not dead.'''\nf()\n"}),
        ("dead", {"m.py": "def dead(): ...\ndef f(dead): return dead\nf(1)\n"}),
        (
            "Reply.dead",
            {
                "m.go": 'package m\n\nimport "x.org/web"\n\ntype Reply struct{}\n\n'
                "func (r *Reply) dead() {}\n\nfunc f() { web.Render(&Reply{}) }\n"
            },
        ),
        ("dead", {"m.py": "def dead(): ...\ndef f(x, n): return getattr(x, 'make_' + n)\nf(1, '')\n"}),
        ("A.dead", {"m.py": "import web\nclass A:\n    def dead(self): ...\nisinstance(web.x, A)\n"}),
        (
            "Reply.Text",
            {"m.go": 'package m\n\ntype Reply struct {\n\tText string `json:"text"`\n}\n'},
        ),
        (
            "b",
            {"a.c": "struct pair { int a, b; };\nstruct pair known = {.a = 1};\nint f(void) { return known.a; }\n"},
        ),
        ("CHASSIS", {"a.c": "enum kind {\n  BIOS = 0,\n  CHASSIS\n};\n"}),
        ("idle", {"a.c": "__attribute__((unused)) static int idle(void) { return 1; }\n"}),
        ("hidden", {"a.js": 'function hidden() {}\nconst link = \'<a href="#" onclick="my.hidden()">\' + 1\n'}),
        ("Step.dead", {"m.ts": "export class Step {\n  dead: string = '';\n}\nnew Step();\n"}),
        (
            "start",
            {
                "src/esm.ts": "export function start() {}\n",
                "a.js": "const { stop } = require('./dist/cjs');\nstop();\n",
            },
        ),
        (
            "A.dead",
            {"a.py": "class A:\n    def dead(self): ...\ndef make(): return A()\n", "b.py": "import a\na.make()\n"},
        ),
        (
            "A._dead",
            {
                "a.py": "class A:\n    def _dead(self): ...\ndef make(): return A()\n",
                "b.py": "import lib\nfrom a import make\nlib.register(make())\n",
            },
        ),
        ("dead", {"all.js": "export const dead = 1\n", "b.js": "import * as every from './all.js'\nevery.other\n"}),
        ("_size", {"a.cc": "static int _size = 192;\n"}),
        ("_run", {"a.c": "void _run(void) { f(); }\n"}),
        (
            "dead",
            {
                "a.py": "import sys\ndef dead(): ...\ndef run(b): getattr(sys.modules[b], f())\nrun('x')\n",
                "b.py": "import a\n",
            },
        ),
        ("Bean.setSize", {"Bean.java": _BEAN, "Filler.java": _FILLING.replace('"set"', '"add"')}),
        ("Bean.setSize", {"Bean.java": _BEAN, "test/FillerTest.java": _FILLING}),
        ("Bean.setWidth", {"Bean.java": _BEAN.replace("void setW", "private void setW"), "Filler.java": _FILLING}),
        ("plain", {"src/lib.rs": "struct Shape;\nmod plain {\n    struct Shape;\n}\n"}),
        ("Shape._size", {"src/lib.rs": "struct Shape {\n    _size: u8,\n}\n"}),
        ("SHORT", {"a.c": "#include <windows.h>\ntypedef struct tag *SHORT;\n"}),
        ("row", {"a.c": "typedef char row[2 * sizeof(long)];\n"}),
        ("A._values", {"a.py": _PUBLISHING.replace("STORE", "print(func.__name__, name)")}),
        (
            "Told.dead",
            {
                "src/lib.rs": "use ext::send;\nstruct Told { size: u8 }\nimpl Told {\n    pub fn dead(&self) {}\n}\n"
                "pub fn f() { send(Told { size: 1 }) }\n"
            },
        ),
        ("BeanInfoHelp", {"BeanInfoHelp.java": "class BeanInfoHelp { }\n"}),
        ("A._dead", {"m.py": "import web\nclass A:\n    def _dead(self): ...\nweb.register(A)\n"}),
        ("A.dead", {"m.py": "from abc import ABC\nclass A(ABC):\n    @property\n    def dead(self): ...\n"}),
        (
            "Pool.dead",
            {"a.cc": "#include <vector>\nclass Pool { void dead(); };\nbool b(int x) { return x < 3; }\nPool p;\n"},
        ),
        ("plain", {"a.cc": "struct Plain { int n; };\nstatic Plain plain;\n"}),
        ("Wide.dead", {"src/lib.rs": "struct Wide;\nimpl Wide { const dead: u8 = 1; }\n"}),
        ("mode", {"a.c": "enum mode { OFF, ON };\n"}),
        ("DEAD", {"a.c": "#define DEAD 1\n"}),
        ("Dead", {"a.ts": "interface Dead {\n  n: number;\n}\nexport {};\n"}),
        ("M.main", {"M.java": "class M {\n  private void main() {}\n}\n"}),
        ("tools", {"src/lib.rs": "mod tools {\n    fn helper() {}\n}\n"}),
        ("Ask.idle", {"a.ts": "export interface Ask {\n  idle?: string;\n}\n", "b.ts": "f(a ? idle : 1, 'idle-b');\n"}),
        (
            "Black",
            {
                "Themes.cs": "class Theme { }\nclass Black : Theme { }\n"
                "class All { object a = typeof(Theme); } // GetTypes\n"
            },
        ),
        (
            "Player.pause",
            {
                "src/lib.rs": "struct Player;\n#[interface]\nimpl Go for Player {\n    fn go(&self) {}\n}\n"
                "#[allow(dead_code)]\n#[cfg(unix)]\nimpl Player {\n    fn pause(&self) {}\n}\n"
            },
        ),
        ("Sorting", {"a.kt": "package a\n\nimport dagger.Module\n\n@Deprecated\nclass Sorting { }\n"}),
        ("Ask.idle", {"a.kt": 'class Ask(\n    @Deprecated("")\n    val idle: Int,\n)\n'}),
        ("Gallery", {"a.kt": "package a\n\nclass Gallery {\n    @Deprecated\n    private fun shown() { }\n}\n"}),
        (
            "color",
            {"a.vue": f"<script setup>\nconst color = 1\n</script>\n<style>{_RULE.format('calc')}</style>\n"},
        ),
        ("AlbumPolicy", {"composer.json": '{"require": {"guzzlehttp/guzzle": "7"}}', "app/P.php": _POLICY}),
        ("AlbumPolicy", {"a/composer.json": _LARAVEL, "app/P.php": _POLICY}),
        (
            "AlbumPolicy._show",
            {"composer.json": _LARAVEL, "app/P.php": "<?php\nclass AlbumPolicy { private function _show() {} }\n"},
        ),
        (
            "Mail",
            {
                "app/Values/Mail.php": "<?php\nnamespace App\\Values;\nclass Mail {}\n",
                "app/All.php": "<?php\nnamespace App;\n$made = new ('App\\\\Others\\\\' . $name)();\n",
            },
        ),
        (
            "HomePage",
            {
                "web.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web" />\n',
                "HomePage.cs": "internal class HomePage { }\n",
            },
        ),
        ("run", {"p.html": "<script>\nfunction run() { }\n</script>\n", "A.java": "class A { int f() { run(); } }\n"}),
        ("Picker.open", {"Picker.java": _PICKER, "src/main.rs": 'fn main() { call("open"); }\n'}),
        ("file_monitor_init", {"a.c": _DEFINED.replace(", file_monitor,", ", other,")}),
        ("file_monitor_reset", {"a.c": _DEFINED.replace("_init", "_reset")}),
        ("own", {"a.c": "struct base { int x; };\nstruct top { int own; struct base base; };\n"}),
        ("base", {"a.c": "struct base_s { int x; };\nstruct top { int own; struct base_s base; };\n"}),
        ("f", {"m.py": "def f(): ...\nHELP = 'Before the call push(f) must run.'\n"}),
        ("ECHO", {"plug.py": "ECHO = 'echo'\n", "a.py": f"import plug\n{_LISTING}"}),
    ],
)
def test_what_nothing_could_use_is_unused(workspace, name, files):
    opened = workspace(files)
    if name == "a.dead":
        (definition,) = opened.code.find_definitions("dead", file="a.py")
        judge = Unused(opened.code, opened.code.graph, opened.code.resolver, opened.code.unseen)
        assert judge.judge(definition).use is Use.UNUSED
    else:
        assert judged(opened, name) == (Use.UNUSED, ())


@pytest.mark.parametrize(
    ("name", "files", "why"),
    [
        ("f", {"m.py": "def f(): ...\nf()\n"}, ()),
        ("A.__len__", {"m.py": "class A:\n    def __len__(self): ...\n"}, (Reason(ReasonKind.CALLED_BY_LANGUAGE),)),
        ("test_a", {"tests/test_m.py": "def test_a(): ...\n"}, (Reason(ReasonKind.COLLECTED_TEST),)),
        (
            "start",
            {"a.c": "__attribute__((constructor)) static void start(void) {}\n"},
            (Reason(ReasonKind.RUN_BY_LANGUAGE),),
        ),
        ("index", {"m.py": "import web\napp = web.App()\n@app.route('/')\ndef index(): ...\n"}, None),
        (
            "index",
            {"m.py": "def make(app):\n    @app.route('/')\n    def index(): ...\n"},
            (Reason(ReasonKind.REGISTERED, subject="app.route('/')"),),
        ),
        (
            "Child.run",
            {"m.py": "class Base:\n    def run(self): ...\nclass Child(Base):\n    def run(self): ...\nBase().run()\n"},
            (Reason(ReasonKind.OVERRIDES_USED, place=("m.py", 2), subject="Base.run"),),
        ),
        (
            "Mixin.test_a",
            {
                "tests/test_m.py": "import unittest\nclass Mixin:\n    def test_a(self): ...\n"
                "class Real(Mixin, unittest.TestCase): ...\n"
            },
            (Reason(ReasonKind.INHERITED_TEST, place=("tests/test_m.py", 4), subject="Real"),),
        ),
        (
            "thing",
            {
                "tests/conftest.py": "import pytest\n@pytest.fixture\ndef thing(): ...\n",
                "tests/test_m.py": "def test_a(thing): ...\n",
            },
            (),
        ),
        ("f", {"m.py": "def f(): ...\n__all__ = ['f']\n"}, ()),
        (
            "A.serialVersionUID",
            {"A.java": "class A {\n  private static final long serialVersionUID = 1;\n}\n"},
            (Reason(ReasonKind.CALLED_BY_LANGUAGE),),
        ),
        (
            "Agent.premain",
            {"Agent.java": "class Agent {\n  public static void premain(String options) {}\n}\n"},
            (Reason(ReasonKind.RUN_BY_LANGUAGE),),
        ),
        (
            "ShownBeanInfo",
            {"ShownBeanInfo.java": "class ShownBeanInfo extends SimpleBeanInfo { }\n"},
            (Reason(ReasonKind.CALLED_BY_LANGUAGE),),
        ),
        (
            "lambda_handler",
            {"handle.py": "def lambda_handler(event, context): ...\n"},
            (Reason(ReasonKind.RUN_BY_LANGUAGE),),
        ),
        (
            "activate",
            {
                "extension.ts": "export const kept = 1\nexport function activate(context) {}\n",
                "test/a.ts": "import { kept } from '../extension'\nkept\n",
            },
            (Reason(ReasonKind.RUN_BY_LANGUAGE),),
        ),
        (
            "Main",
            {"Main.java": "class Main {\n  public static void main(String[] args) {}\n}\n"},
            (Reason(ReasonKind.RUN_BY_LANGUAGE),),
        ),
        (
            "tests",
            {"src/lib.rs": "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {}\n}\n"},
            (Reason(ReasonKind.COLLECTED_TEST),),
        ),
    ],
)
def test_what_something_surely_calls_is_used(workspace, name, files, why):
    use, reasons = judged(workspace(files), name)
    if why is None:
        assert use is not Use.UNUSED
    else:
        assert (use, reasons) == (Use.USED, why)


@pytest.mark.parametrize(
    ("name", "files", "why"),
    [
        ("f", {"m.py": "def f(): f()\n"}, Reason(ReasonKind.RECURSIVE_ONLY)),
        ("f", {"m.py": "import reg\n@reg.add\ndef f(): ...\n"}, Reason(ReasonKind.DECORATOR, subject="reg.add")),
        ("f", {"m.py": "def f(): ...\nnames = ['f']\n"}, Reason(ReasonKind.STRING_LITERAL, place=("m.py", 2))),
        ("f", {"m.py": "def f(): ...\nHOOK = 'm:f'\n"}, Reason(ReasonKind.STRING_LITERAL, place=("m.py", 2))),
        (
            "f",
            {"m.py": "def f(): ...\nKEYS = {'q': 'app.push(f)'}\n"},
            Reason(ReasonKind.STRING_LITERAL, place=("m.py", 2)),
        ),
        ("drive", {"m.py": _OWN_ACCESSOR}, Reason(ReasonKind.DECORATOR, subject="App.cached_property")),
        ("App.drive", {"m.py": _STANDARD_ACCESSOR}, None),
        (
            "ECHO",
            {"plug.py": "from app import cap\nECHO = cap('echo')\n", "a.py": f"import plug\n{_LISTING}"},
            Reason(ReasonKind.LISTED_MEMBERS, place=("a.py", 3)),
        ),
        (
            "$",
            {"m.js": "(() => {\n  function $() {}\n  function run() { $() }\n  run()\n})()\n"},
            Reason(ReasonKind.NO_WORD),
        ),
        ("Node.dead", {"m.js": _WALK}, None),
        (
            "late",
            {"m.py": "def late(): ...\nCODE = 'x = late() + 1'\n"},
            Reason(ReasonKind.STRING_LITERAL, place=("m.py", 2)),
        ),
        ("f", {"m.py": "def f(): ...\ndef g():\n    '''>>> f()'''\ng()\n"}, None),
        (
            "Ask.kind",
            {
                "a.ts": "export interface Ask {\n  kind?: string;\n}\n",
                "b.ts": "const make = () => ({\n  kind: 1,\n});\n",
            },
            Reason(ReasonKind.MAPPING_KEY, place=("b.ts", 2)),
        ),
        (
            "Ask.kind",
            {
                "a.ts": "export interface Ask {\n  kind?: string;\n}\n",
                "b.ts": "export type Of<T> = T extends { kind?: infer R } ? R : never;\n",
            },
            Reason(ReasonKind.MAPPING_KEY, place=("b.ts", 1)),
        ),
        (
            "Ask.kind",
            {
                "a.ts": "export interface Ask {\n  kind?: string;\n}\n",
                "b.tsx": "import { useForm } from 'forms';\nuseForm<Ask>().set('kind', 1);\n",
            },
            Reason(ReasonKind.MAPPING_KEY, place=("b.tsx", 2)),
        ),
        (
            "Black",
            {
                "Themes.cs": "class Theme { }\nclass Black : Theme { }\n"
                "class All { object a = typeof(Theme).Assembly.GetTypes(); }\n"
            },
            Reason(ReasonKind.LISTED_MEMBERS, place=("Themes.cs", 3)),
        ),
        (
            "Player.pause",
            {"src/lib.rs": 'struct Player;\n#[interface(name = "org.x")]\nimpl Player {\n    fn pause(&self) {}\n}\n'},
            Reason(ReasonKind.DECORATOR, subject='interface(name = "org.x")'),
        ),
        (
            "Sorting",
            {"a.kt": "package a\n\nimport dagger.Module\n\n@Module\n@InstallIn(All::class)\nclass Sorting { }\n"},
            Reason(ReasonKind.DECORATOR, subject="Module"),
        ),
        (
            "Ask.canEdit",
            {"a.kt": 'class Ask(\n    @SerializedName("can_edit")\n    val canEdit: Boolean,\n)\n'},
            Reason(ReasonKind.DECORATOR, subject='SerializedName("can_edit")'),
        ),
        (
            "V.visit_a",
            {"m.py": "class V:\n    def visit_a(self): ...\ndef go(v, n): return getattr(v, f'visit_{n}')\ngo(1, 2)\n"},
            Reason(ReasonKind.BUILT_NAME, place=("m.py", 3)),
        ),
        (
            "V.any",
            {
                "m.py": "class B:\n    def go(self, n): return getattr(self, n)\n",
                "n.py": "from m import B\nclass V(B):\n    def any(self): ...\n",
            },
            Reason(ReasonKind.COMPUTED_ACCESS, place=("m.py", 2)),
        ),
        (
            "f",
            {"m.py": "def f(): ...\ndef g(n): return globals()[n]\ng(1)\n"},
            Reason(ReasonKind.COMPUTED_ACCESS, place=("m.py", 2)),
        ),
        (
            "A.close",
            {"m.py": "class A:\n    def close(self): ...\nA()\n"},
            Reason(ReasonKind.LIBRARY_PROTOCOL),
        ),
        ("A.seen", {"m.py": "class A:\n    def seen(self): ...\ndef g(x): x.seen()\ng(A())\n"}, None),
        (
            "A.hook",
            {"m.py": "import lib\nclass A(lib.Base):\n    def hook(self): ...\nA()\n"},
            Reason(ReasonKind.EXTERNAL_BASE, subject="lib.Base"),
        ),
        (
            "Fake.send_it",
            {
                "m.py": "class Real:\n    def send_it(self): ...\ndef f(r: Real): r.send_it()\n",
                "tests/test_m.py": "from m import f\nclass Fake:\n    def send_it(self): ...\n"
                "def test_a(): f(Fake())\n",
            },
            Reason(ReasonKind.MEMBER_ACCESS, place=("m.py", 3)),
        ),
        (
            "f",
            {"docs/_ext/links.py": "def f(): ...\n", "docs/conf.py": "import links\nlinks.f()\n", "m.py": "\n"},
            None,
        ),
        ("A._repr_html_", {"m.py": "class A:\n    def _repr_html_(self): ...\nA()\n"}, None),
        (
            "Mixin.hook",
            {"m.py": "import lib\nclass Mixin:\n    def hook(self): ...\nclass A(Mixin, lib.Base): ...\nA()\n"},
            Reason(ReasonKind.SUBCLASS_WITH_EXTERNAL_BASE, place=("m.py", 4), subject="A", detail="lib.Base"),
        ),
        (
            "A.go",
            {
                "m.py": "from typing import Protocol\nclass Runs(Protocol):\n    def go(self): ...\n"
                "class A:\n    def go(self): ...\ndef f(r: Runs): r.go()\nf(A())\n"
            },
            Reason(ReasonKind.PROTOCOL_MEMBER, place=("m.py", 3), subject="Runs"),
        ),
        (
            "A.__go",
            {"m.py": "class A:\n    def __go(self): ...\n", "n.py": "def f(a): a._A__go()\nf(1)\n"},
            Reason(ReasonKind.MANGLED_NAME, subject="_A__go"),
        ),
        (
            "f",
            {"m.py": "def f(): ...\n", "broken.py": "def (:\n  f(\n"},
            Reason(ReasonKind.PARSED_IN_PART, subject="broken.py"),
        ),
        (
            "f",
            {"sub/m.py": "def f(): ...\n", "n.py": "from elsewhere.m import f\nf()\n"},
            Reason(ReasonKind.UNLOCATED_IMPORT, place=("n.py", 1)),
        ),
        (
            "A.dead",
            {"m.py": "import web\nclass A:\n    def dead(self): ...\nweb.serve(A())\n"},
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("m.py", 4)),
        ),
        (
            "A.to_python",
            {"m.py": "import web\nclass A:\n    def to_python(self): ...\nweb.register(A, 'a')\n"},
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("m.py", 4)),
        ),
        (
            "A.to_python",
            {"m.py": "from web import known\nclass A:\n    def to_python(self): ...\nknown['a'] = A\n"},
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("m.py", 4)),
        ),
        (
            "Header.size",
            {
                "base.js": "const Emitter = require('events')\nmodule.exports = class Base extends Emitter {}\n",
                "dump.js": "const Base = require('./base.js')\n"
                "class Header { constructor(at) { this.size = at.read() } }\n"
                "class Dump extends Base { start(at) { const made = new Header(at); this.emit('x', made) } }\n"
                "new Dump().start()\n",
            },
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("dump.js", 3)),
        ),
        (
            "Reply.Render",
            {
                "m.go": 'package m\n\nimport "x.org/web"\n\ntype Reply struct{}\n\n'
                "func (r *Reply) Render() error { return nil }\n\nfunc f() { web.Render(&Reply{}) }\n"
            },
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("m.go", 9)),
        ),
        (
            "Kind.B",
            {"m.py": "from enum import Enum\nclass Kind(Enum):\n    A = 1\n    B = 2\nKind.A\n"},
            Reason(ReasonKind.ENUM_MEMBER),
        ),
        (
            "Kind.B",
            {"M.java": "class M {\n  enum Kind { A, B }\n  static Kind f() { return Kind.A; }\n}\n"},
            Reason(ReasonKind.ENUM_MEMBER),
        ),
        (
            "Tool.constructor",
            {"tool.ts": "export class Tool {\n  private constructor() {}\n  static f() {}\n}\nTool.f()\n"},
            Reason(ReasonKind.PRIVATE_CONSTRUCTOR),
        ),
        (
            "Pool.max_size",
            {"a.cc": "#include <vector>\nclass Pool { public: int max_size(); };\nstd::vector<int, Pool> held;\n"},
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("a.cc", 3)),
        ),
        (
            "starter",
            {"a.cc": "struct Starter { Starter(); };\nstatic Starter starter;\n"},
            Reason(ReasonKind.CONSTRUCTED_OBJECT),
        ),
        (
            "mode",
            {"a.c": "static enum mode { OFF, ON } current;\n"},
            Reason(ReasonKind.TAG_AND_TYPEDEF, subject="declaration"),
        ),
        (
            "mode",
            {"a.h": "typedef struct mode {\n  int on;\n}\nmode_t;\n", "a.c": '#include "a.h"\nmode_t now;\n'},
            Reason(ReasonKind.TAG_AND_TYPEDEF, subject="declaration"),
        ),
        ("_TIME_DEFINED", {"a.h": "#define _TIME_DEFINED 1\n"}, Reason(ReasonKind.SPECIAL_NAME)),
        (
            "SymbolConstructor",
            {"a.ts": "declare global {\n  interface SymbolConstructor {\n    x: symbol;\n  }\n}\nexport {};\n"},
            Reason(ReasonKind.AUGMENTATION, place=("a.ts", 1)),
        ),
        (
            "Step.isStep",
            {
                "m.go": "package m\n\ntype Step interface {\n\tisStep()\n}\n\ntype A struct{}\n\n"
                "func (A) isStep() {}\n\nvar _ Step = A{}\n"
            },
            Reason(ReasonKind.PROTOCOL_MEMBER, place=("m.go", 3), subject="Step"),
        ),
        (
            "Reply.Text",
            {
                "m.go": 'package m\n\ntype Reply struct {\n\tText string `json:"text"`\n\tCode int\n}\n\n'
                "func read(into any) {}\n\nfunc Ask() {\n\tvar r Reply\n\tread(&r)\n}\n"
            },
            Reason(ReasonKind.FIELD_TAG, subject='`json:"text"`'),
        ),
        ("Grid.of", {"src/lib.rs": "pub struct Grid<T> { of: PhantomData<T> }\n"}, None),
        (
            "pad",
            {"a.c": "struct info { uint32_t size; uint8_t pad[4]; };\nint f(struct info *i) { return i->size; }\n"},
            Reason(ReasonKind.MEMORY_LAYOUT, place=("a.c", 1)),
        ),
        (
            "b",
            {"a.c": "struct pair { int a, b; };\nstruct pair known = {1, 2};\nint f(void) { return known.a; }\n"},
            Reason(ReasonKind.SET_BY_POSITION, place=("a.c", 2)),
        ),
        (
            "b",
            {"a.c": "struct pair { int a, b; };\nint f(char *text) { return ((struct pair *)text)->a; }\n"},
            Reason(ReasonKind.SET_BY_POSITION, place=("a.c", 2)),
        ),
        (
            "Box.OnSizeChanged",
            {"Box.cs": "partial class Box {\n  partial void OnSizeChanged(int value) { }\n}\n"},
            Reason(ReasonKind.SPECIAL_NAME),
        ),
        (
            "shown",
            {"a.js": 'function shown() {}\nconst link = \'<a href="#" onclick="shown()">\' + 1\n'},
            Reason(ReasonKind.DIRECTIVE, place=("a.js", 2)),
        ),
        (
            "App.tick",
            {
                "src/main.rs": "use std::sync::Arc;\nuse tokio::sync::Mutex;\npub struct App {}\n"
                "impl App {\n    pub fn tick(&self) {}\n}\nasync fn run(app: &Arc<Mutex<App>>) {\n"
                "    let app = app.lock().await;\n    app.tick();\n}\n"
            },
            None,
        ),
        (
            "App.tick",
            {
                "src/main.rs": "pub struct App {}\nimpl App {\n    pub fn tick(&self) {}\n}\n"
                "fn run(app: &parking_lot::Mutex<App>) {\n    let app = app.lock();\n    app.tick();\n}\n"
            },
            None,
        ),
        (
            "CHASSIS",
            {"a.c": "typedef enum kind_e {\n  BIOS = 0,\n  CHASSIS,\n  CACHE\n} kind;\nint f(kind k) { return k; }\n"},
            Reason(ReasonKind.ENUM_MEMBER),
        ),
        (
            "Id._brand",
            {"m.ts": "export type Id = number & { _brand: any };\nexport const f = (id: Id) => id;\nf(1 as Id);\n"},
            None,
        ),
        (
            "Step.brand",
            {"m.ts": "export class Step {\n  brand: unknown;\n}\nnew Step();\n"},
            Reason(ReasonKind.MARKING_MEMBER),
        ),
        (
            "start",
            {
                "src/esm.ts": "export function start() {}\n",
                "esm.mjs": "import { createRequire } from 'module';\nconst require = createRequire(import.meta.url);\n"
                "const esm = require('./dist/esm');\nesm.start();\n",
            },
            Reason(ReasonKind.UNLOCATED_IMPORT, place=("esm.mjs", 3)),
        ),
        (
            "start",
            {
                "src/index.ts": "export function start() {}\n",
                "run.js": "const { start } = require('./dist');\nstart();\n",
            },
            Reason(ReasonKind.UNLOCATED_IMPORT, place=("run.js", 1)),
        ),
        (
            "Gallery",
            {"a.kt": "package a\n\nclass Gallery {\n    @Preview\n    private fun shown() { }\n}\n"},
            Reason(ReasonKind.DECORATOR, subject="Preview"),
        ),
        (
            "color",
            {"a.vue": f"<script setup>\nconst color = 1\n</script>\n<style>{_RULE.format('v-bind')}</style>\n"},
            None,
        ),
        (
            "AlbumPolicy",
            {"composer.json": _LARAVEL, "app/P.php": _POLICY},
            Reason(ReasonKind.FOUND_BY_LIBRARY, subject="laravel/framework"),
        ),
        (
            "AlbumPolicy.show",
            {"composer.json": _LARAVEL, "app/P.php": _POLICY, "app/Q.php": "<?php\n// see AlbumPolicy\n"},
            Reason(ReasonKind.FOUND_BY_LIBRARY, subject="laravel/framework"),
        ),
        (
            "Mail",
            {
                "app/Values/Mail.php": "<?php\nnamespace App\\Values;\nclass Mail {}\n",
                "app/All.php": "<?php\nnamespace App;\n$made = new ('App\\\\Values\\\\' . $name)();\n",
            },
            Reason(ReasonKind.STRING_LITERAL, place=("app/All.php", 3)),
        ),
        (
            "CleanUp",
            {
                "Gemfile": "source 'https://rubygems.org'\ngem 'rails', '~> 7.1'\n",
                "app/jobs/clean_up.rb": "class CleanUp < ApplicationJob\n  def perform\n  end\nend\n",
            },
            Reason(ReasonKind.FOUND_BY_LIBRARY, subject="rails"),
        ),
        (
            "HomePage",
            {
                "web.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web" />\n',
                "HomePage.cs": "internal class HomePage : Controller { }\n",
            },
            Reason(ReasonKind.FOUND_BY_LIBRARY, subject="Microsoft.NET.Sdk.Web"),
        ),
        (
            "run",
            {
                "p.html": "<script>\nfunction run() { }\n</script>\n",
                "A.java": 'class A { void f() { view.evaluateJavascript("run()", null); } }\n',
            },
            Reason(ReasonKind.STRING_LITERAL, place=("A.java", 1)),
        ),
        (
            "Picker.open",
            {"Picker.java": _PICKER, "src/main.rs": 'fn main() { env.call(jni_str!("open")); }\n'},
            Reason(ReasonKind.STRING_LITERAL, place=("src/main.rs", 1)),
        ),
        (
            "file_monitor_init",
            {"a.c": _DEFINED},
            Reason(ReasonKind.PASTED_PART, place=("a.c", 1), subject="file_monitor"),
        ),
        (
            "base",
            {"a.c": "struct base_s { int x; };\nstruct top { struct base_s base; int own; };\n"},
            Reason(ReasonKind.MEMORY_LAYOUT, place=("a.c", 2)),
        ),
        (
            "A.told",
            {
                "a.py": "class A:\n    def told(self): ...\ndef make(): return A()\n",
                "b.py": "import lib\nfrom a import make\nlib.register(make())\n",
            },
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("a.py", 3)),
        ),
        (
            "B.LIMIT",
            {
                "a.py": "class A: ...\nclass B:\n    LIMIT = 1\ndef choose(x): return B if x else A\n",
                "b.py": "import lib\nfrom a import choose\nlib.configure(choose(1))\n",
            },
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("a.py", 4)),
        ),
        (
            "A.told",
            {
                "a.ts": "class A { told() {} }\nexport function make() { return new A() }\n",
                "b.ts": "import { add } from 'lib'\nimport { make } from './a'\nadd(make())\n",
            },
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("a.ts", 2)),
        ),
        (
            "Event.Told",
            {
                "a.go": "package m\n\ntype Event struct{}\n\nfunc (e *Event) Told() {}\n\n"
                "func make1() *Event { return &Event{} }\n",
                "b.go": 'package m\n\nimport "x.org/lib"\n\nfunc Use() { lib.Add(make1()) }\n',
            },
            Reason(ReasonKind.ESCAPING_INSTANCE, place=("a.go", 7)),
        ),
        (
            "first",
            {
                "all.js": "export const first = 1\n",
                "give.js": "import * as every from './all.js'\nexport const all = every\n",
            },
            Reason(ReasonKind.ESCAPING_MODULE, place=("give.js", 2)),
        ),
        ("_heap_size", {"a.cc": "#ifdef VITA\nint _heap_size = 192;\n#endif\n"}, Reason(ReasonKind.SPECIAL_NAME)),
        ("__linked", {"a.c": "void __linked(void) { f(); }\n"}, None),
        (
            "core_test",
            {"a.py": "import inspect, sys\ndef core_test(): ...\nprint(inspect.getmembers(sys.modules[__name__]))\n"},
            Reason(ReasonKind.COMPUTED_ACCESS, place=("a.py", 3)),
        ),
        (
            "core_test",
            {
                "a.py": "from sys import modules\ndef core_test(): ...\nown = modules[__name__]\n"
                "getattr(own, f() + 'test')\n"
            },
            Reason(ReasonKind.COMPUTED_ACCESS, place=("a.py", 4)),
        ),
        (
            "Bean.setSize",
            {"Bean.java": _BEAN, "Filler.java": _FILLING},
            Reason(ReasonKind.BUILT_NAME, place=("Filler.java", 4)),
        ),
        (
            "Bean.SetSize",
            {
                "Bean.cs": "public class Bean {\n  public void SetSize(int size) { }\n}\n",
                "Filler.cs": "class Filler {\n  void Fill(object o) {\n    foreach (var m in o.T().GetMethods())\n"
                '      if (m.Name.StartsWith("Set")) m.Invoke(o, null);\n  }\n}\n',
            },
            Reason(ReasonKind.BUILT_NAME, place=("Filler.cs", 4)),
        ),
        (
            "SHORT",
            {"a.c": "typedef struct tag *SHORT;\n#include <windows.h>\n"},
            Reason(ReasonKind.SPECIAL_NAME),
        ),
        (
            "drawing",
            {"src/lib.rs": "struct Shape;\nmod drawing {\n    impl super::Draw for super::Shape {}\n}\n"},
            Reason(ReasonKind.IMPLEMENTS, subject="Draw"),
        ),
        (
            "adding",
            {"src/lib.rs": "struct Shape;\nmod adding {\n    impl super::Shape { fn dead() {} }\n}\n"},
            Reason(ReasonKind.IMPLEMENTS, subject="Shape"),
        ),
        ("Shape._priv", {"src/lib.rs": "struct Shape {\n    _priv: (),\n}\n"}, None),
        (
            "is_wide",
            {"a.c": "typedef char is_wide[sizeof(long) == 8 ? 1 : -1];\n"},
            Reason(ReasonKind.MEMORY_LAYOUT, place=("a.c", 1)),
        ),
        (
            "A._values",
            {"a.py": _PUBLISHING.replace("STORE", "func.__dict__.setdefault('own', {})[name] = func")},
            Reason(ReasonKind.DECORATOR, subject="publish('values')"),
        ),
        (
            "Shown.initialize",
            {"Shown.java": "class Shown {\n  void initialize() {}\n}\n", "a.fxml": "<Pane fx:controller='Shown'/>\n"},
            Reason(ReasonKind.LIBRARY_PROTOCOL),
        ),
        (
            "Shown.initialize",
            {"Shown.kt": "class Shown {\n  fun initialize() {}\n}\n", "a.fxml": "<Pane fx:controller='Shown'/>\n"},
            Reason(ReasonKind.LIBRARY_PROTOCOL),
        ),
        (
            "B.run",
            {
                "a.h": "struct Base {\n  void run();\n};\n",
                "a.cc": '#include "a.h"\nusing B = Base;\nvoid B::run() {}\n',
            },
            Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=2),
        ),
        (
            "Url.username",
            {"m.py": "from urllib.parse import SplitResult\nclass Url(SplitResult):\n    username = ''\n"},
            Reason(ReasonKind.OVERRIDES, subject="SplitResult.username"),
        ),
        (
            "Thing.BITS",
            {"src/lib.rs": "trait Wide { const BITS: u8; }\nimpl Wide for ext::Thing { const BITS: u8 = 1; }\n"},
            Reason(ReasonKind.IMPLEMENTS, subject="Wide"),
        ),
    ],
)
def test_what_could_be_used_unseen_is_unknown_and_says_why(workspace, name, files, why):
    opened = workspace(files)
    use, reasons = judged(opened, name)
    assert use is Use.UNKNOWN
    assert reasons
    if why is not None:
        # What may use it unseen is looked for only if all mentions are settled, because one reason is enough.
        (definition,) = opened.code.find_definitions(name)
        assert why in {*reasons, *opened.code.unseen.find_reasons(definition)}


def test_texts_that_are_not_code_make_it_unknown_when_they_mention_it(workspace):
    opened = workspace({"m.py": "def f(): ...\n", "run.txt": "call f\n"})
    reason = Reason(ReasonKind.TEXT_MENTION, subject="run.txt")
    assert judged(opened, "f") == (Use.UNKNOWN, (reason,))


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"m.py": "def f(): ...\n"}, "f"),
        ({"m.py": "def f(): ...\n", "run.txt": "call f\n"}, "f"),
        ({"m.py": "import other\nclass A:\n    def run(self): ...\nother.start(A())\n"}, "A.run"),
        (
            {"m.go": 'package m\nimport "fmt"\ntype T int\nfunc (t T) String() string { return fmt.Sprint(1) }\n'},
            "T.String",
        ),
        ({"m.py": "def f(): ...\nf()\n"}, "f"),
    ],
)
def test_unused_and_usages_agree(workspace, files, name):
    opened = workspace(files)
    (definition,) = opened.code.find_definitions(name)
    use, _ = judged(opened, name)
    report = opened.code.usages(definition)
    assert (use is Use.UNUSED) == (not report.usages and report.certainty is Certainty.EXACT)
