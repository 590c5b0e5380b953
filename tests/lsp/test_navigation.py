"""From a name to its definition, type, implementations and uses, over stdio."""

from __future__ import annotations

import pytest
from lsprotocol import types


def test_a_call_leads_to_the_method(editor):
    assert editor.goto("definition", "shop/app.py", "cart.a|dd(") == ["shop/cart.py:16:8"]


def test_the_end_of_a_name_belongs_to_it(editor):
    assert editor.goto("definition", "shop/app.py", "cart.add|(") == ["shop/cart.py:16:8"]


def test_a_local_leads_to_where_it_is_assigned(editor):
    assert editor.goto("definition", "shop/app.py", "return c|art") == ["shop/app.py:5:4"]


def test_a_named_argument_leads_to_its_parameter(editor):
    assert editor.goto("definition", "shop/app.py", "co|unt=2") == ["shop/cart.py:16:24"]


def test_an_imported_module_leads_to_its_file(editor):
    assert editor.goto("definition", "shop/app.py", "from shop.c|art") == ["shop/cart.py:1:0"]


def test_a_package_leads_to_its_own_file_and_not_to_the_module_imported_from_it(start):
    editor = start(
        {
            "shop/__init__.py": "",
            "shop/till/__init__.py": "",
            "shop/till/cart.py": "class Cart: ...\n",
            "app.py": "from shop.till.cart import Cart\nfrom shop.till import cart\nfrom shop import till\n",
            "shop/near.py": "from .till.cart import Cart\n",
            "loose/bare.py": "x = 1\n",
            "use.py": "from loose.bare import x\n",
            "a.b.h": "int n;\n",
            "m.c": '#include "a.b.h"\n',
            "a.ts": "export const x = 1\n",
            "a.b.ts": "export const y = 1\n",
            "m.ts": 'import { y } from "./a.b"\n',
            "n.ts": "import {\n  y,\n} from './a.b'\nconst b = { b: 1 }\nmock('./a.b')\n",
        }
    )
    assert editor.goto("definition", "app.py", "from s|hop.till.cart") == ["shop/__init__.py:1:0"]
    assert editor.goto("definition", "app.py", "from shop.t|ill.cart") == ["shop/till/__init__.py:1:0"]
    assert editor.goto("definition", "app.py", "from shop.till.c|art") == ["shop/till/cart.py:1:0"]
    assert editor.goto("definition", "app.py", "t|ill import cart") == ["shop/till/__init__.py:1:0"]
    assert editor.goto("definition", "app.py", "s|hop import till") == ["shop/__init__.py:1:0"]
    assert editor.goto("definition", "shop/near.py", "t|ill.cart") == ["shop/till/__init__.py:1:0"]
    assert editor.goto("definition", "use.py", "l|oose.bare") == ["loose/bare.py:1:0"]
    assert editor.goto("definition", "m.c", "a|.b.h") == ["a.b.h:1:0"]
    assert editor.goto("definition", "m.ts", "a|.b") == ["a.b.ts:1:0"]
    assert editor.goto("definition", "n.ts", "from './a|.b'") == ["a.b.ts:1:0"]
    assert editor.goto("definition", "n.ts", "mock('./a|.b'") == ["a.b.ts:1:0"]
    assert editor.goto("definition", "n.ts", "const b| =") == ["n.ts:4:6"]


def test_an_included_file_is_led_to(start):
    files = {
        "src/a.c": '#include "b/list.h"\n#include <shop.h>\n#include <stdio.h>\n',
        "src/b/list.h": "int size;\n",
        "include/shop.h": "int open;\n",
        "pkg/one.py": "from .two import name\nfrom . import two\n",
        "pkg/two.py": "name = 1\n",
    }
    editor = start(files)
    assert editor.goto("definition", "src/a.c", "b/li|st.h") == ["src/b/list.h:1:0"]
    assert editor.goto("definition", "src/a.c", "sh|op.h") == ["include/shop.h:1:0"]
    assert editor.goto("definition", "src/a.c", "std|io.h") == []
    assert editor.goto("definition", "src/a.c", "#inc|lude") == []
    assert editor.goto("definition", "pkg/one.py", "from .tw|o") == ["pkg/two.py:1:0"]


def test_a_module_is_used_where_it_is_imported_from_the_one_around_it(start):
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": "limit = 3\n",
        "one.py": "from shop import (\n    cart,\n)\n\ncart.limit\n",
        "two.py": "from shop import cart as basket\n\nbasket.limit\n",
        "three.py": "cart = 3\nprint(cart)\n",
        "rust/src/lib.rs": "pub mod cart;\npub mod till;\n",
        "rust/src/cart.rs": "pub fn add() {}\n",
        "rust/src/till.rs": "use crate::{cart, missing};\n\npub fn pay() {\n    cart::add();\n}\n",
        "rust/Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    }
    editor = start(files)
    assert editor.references("one.py", "\nca|rt.limit") == ["one.py:2:4", "one.py:5:0", "two.py:1:17", "two.py:3:0"]
    assert editor.references("rust/src/till.rs", "    ca|rt::add") == [
        "rust/src/lib.rs:1:8", "rust/src/till.rs:1:12", "rust/src/till.rs:4:4",
    ]  # fmt: skip


def test_a_jump_leads_to_its_label_in_the_same_function(start):
    code = (
        "int f(int a) {\n    if (a) goto out;\n    if (a > 2) goto out;\n    /* goto out */\nout:\n    return a;\n}\n"
        "int g(int out) {\n    goto end;\nout:\n    return out ? out : 1;\nend: return 0;\n}\n"
    )
    editor = start({"a.c": code})
    assert editor.goto("definition", "a.c", "(a) goto ou|t") == ["a.c:5:0"]
    assert editor.goto("definition", "a.c", "goto en|d") == ["a.c:12:0"]
    assert editor.references("a.c", "(a) goto ou|t", declaration=True) == ["a.c:2:16", "a.c:3:20", "a.c:5:0"]
    assert editor.goto("definition", "a.c", "return ou|t ?") == ["a.c:8:10"]
    assert editor.goto("definition", "a.c", "got|o end") == []


def test_the_word_for_the_own_class_leads_to_it(start):
    code = (
        "pub struct Cart;\n\nimpl Cart {\n    pub fn new() -> Self {\n        Self {}\n    }\n}\n\n"
        "pub trait Sized2 {\n    fn of(n: Self);\n}\n"
    )
    editor = start({"src/lib.rs": code, "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n'})
    assert editor.goto("definition", "src/lib.rs", "-> Se|lf") == ["src/lib.rs:1:11"]
    assert editor.goto("definition", "src/lib.rs", "    Se|lf {}") == ["src/lib.rs:1:11"]
    assert editor.goto("definition", "src/lib.rs", "n: Se|lf") == ["src/lib.rs:9:10"]


MACROS = """\
macro_rules! compare { ($a:ty, $b:ty) => {}; }
macro_rules! choose { ($($any:tt)*) => {}; }
pub struct Cart;
pub enum Event { Paid(u8), Sent }
compare!(Cart, &'a str);
fn count() -> u8 { 1 }
fn run(cart: Cart, event: Event) {
    choose! { 'a' => each(|n| Ok(Event::Paid(count()))), Event::Sent => n };
    choose!('a cart, event.lost, self::count);
}
fn n() {}
"""


def test_a_name_inside_a_macro_leads_where_it_does_as_written(start):
    editor = start({"src/lib.rs": MACROS, "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n'})
    assert editor.goto("definition", "src/lib.rs", "compare!(Ca|rt") == ["src/lib.rs:3:11"]
    assert editor.goto("definition", "src/lib.rs", "Event::Pa|id(count") == ["src/lib.rs:4:17"]
    assert editor.goto("definition", "src/lib.rs", "choose!('a ca|rt") == ["src/lib.rs:7:7"]
    assert editor.references("src/lib.rs", "enum Ev|ent") == ["src/lib.rs:7:26", "src/lib.rs:8:33", "src/lib.rs:8:57"]
    assert editor.references("src/lib.rs", "fn co|unt()") == ["src/lib.rs:8:45"]


@pytest.mark.parametrize("where", ["Sent => |n", "event.lo|st"])
def test_a_name_that_a_macro_may_bind_or_that_stands_behind_another_is_no_other_of_that_name(start, where):
    lost = "\nfn lost() {}\n"
    editor = start({"src/lib.rs": MACROS + lost, "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n'})
    assert editor.goto("definition", "src/lib.rs", where) == []
    assert editor.references("src/lib.rs", "fn |n()") == editor.references("src/lib.rs", "fn lo|st") == []


def test_a_name_in_the_text_of_a_c_macro_leads_to_what_its_file_sees_and_a_member_or_string_nowhere(start):
    code = '#include "p.h"\n#define DROP(x) do { \\\n    freed(x); (x)->freed = log("freed"); \\\n} while (0)\n'
    editor = start({"p.h": "int freed(void *p);\n", "p.c": code + "int freed(void *p) { return 0; }\n"})
    assert editor.goto("definition", "p.c", "    fre|ed(x)") == ["p.c:5:4"]
    assert editor.goto("definition", "p.c", "->fre|ed") == editor.goto("definition", "p.c", '"fre|ed"') == []


def test_what_a_trait_asks_for_is_where_its_implementation_is_announced(start):
    code = (
        "pub trait Flow { type Slice; fn take(&self) -> Self::Slice; }\npub struct Wide;\n"
        "impl Flow for Wide { type Slice = u8; fn take(&self) -> Self::Slice { 1 } }\n"
        "impl Wide { fn own(&self) {} }\n"
    )
    editor = start({"src/lib.rs": code, "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n'})
    assert editor.goto("definition", "src/lib.rs", "type Sli|ce = u8") == ["src/lib.rs:1:22"]
    assert editor.goto("declaration", "src/lib.rs", "fn ta|ke(&self) -> Self::Slice {") == ["src/lib.rs:1:32"]
    assert editor.goto("definition", "src/lib.rs", "Self::Sli|ce {") == ["src/lib.rs:3:26"]
    assert editor.goto("definition", "src/lib.rs", "fn ow|n") == ["src/lib.rs:4:15"]


def test_a_receiver_of_unknown_type_leads_nowhere(editor):
    assert editor.goto("definition", "shop/app.py", "thing.tot|al()") == []


def test_a_place_without_a_name_leads_nowhere(editor):
    assert editor.goto("definition", "shop/app.py", "\n|\n\ndef main") == []


def test_a_use_in_c_leads_to_the_body_and_is_declared_in_the_header(editor):
    assert editor.goto("definition", "native/main.c", "return list_s|ize") == ["native/list.c:3:4"]
    assert editor.goto("declaration", "native/main.c", "return list_s|ize") == ["native/list.h:1:4"]
    assert editor.goto("definition", "native/list.c", "int list_s|ize") == ["native/list.h:1:4"]
    assert editor.goto("definition", "native/list.h", "int list_s|ize") == ["native/list.c:3:4"]
    assert editor.goto("definition", "shop/cart.py", "def ad|d(") == ["shop/cart.py:16:8"]


def test_a_variable_has_the_class_of_what_it_holds(editor):
    assert editor.goto("typeDefinition", "shop/app.py", "return c|art") == ["shop/cart.py:9:6"]


def test_a_class_is_implemented_below_and_a_method_overridden(editor):
    assert editor.goto("implementation", "shop/cart.py", "class B|ase") == ["shop/cart.py:9:6"]
    assert editor.goto("implementation", "shop/cart.py", "Base:\n    def to|tal") == ["shop/cart.py:22:8"]


def test_references_of_a_method(editor):
    found = editor.references("shop/cart.py", "def ad|d(")
    assert found == ["shop/app.py:6:9", "tests/test_cart.py:5:18"]
    assert editor.references("shop/app.py", "cart.a|dd", declaration=True) == [
        "shop/app.py:6:9",
        "shop/cart.py:16:8",
        "tests/test_cart.py:5:18",
    ]


def test_references_of_a_parameter_are_its_uses_and_named_arguments(editor):
    assert editor.references("shop/cart.py", "co|unt=1") == ["shop/app.py:6:16"]


def test_references_of_a_local(editor):
    assert editor.references("shop/cart.py", "wan|ted = Money") == ["shop/cart.py:19:26", "shop/cart.py:20:15"]


def test_references_of_a_module_are_its_imports(editor):
    assert editor.references("shop/app.py", "from shop.c|art") == ["shop/app.py:1:10", "tests/test_cart.py:1:10"]


def test_a_name_from_outside_is_used_in_every_file_that_imports_it(start):
    more = "from os import sep as mark\nimport sep\n\nz = mark\nsep.os\n"
    editor = start(
        {"a.py": "import os\n\nx = os.sep\ny = os.name\n", "b.py": "import os\n\nz = os.sep\n", "c.py": more}
    )
    every = ["a.py:1:7", "a.py:3:4", "a.py:4:4", "b.py:1:7", "b.py:3:4"]
    assert editor.references("a.py", "x = o|s.") == every
    assert editor.references("b.py", "z = os.s|ep") == ["a.py:3:7", "b.py:3:7", "c.py:1:15", "c.py:4:4"]
    assert editor.goto("definition", "a.py", "x = o|s.") == ["a.py:1:7"]
    assert editor.goto("declaration", "a.py", "x = o|s.") == ["a.py:1:7"]


def test_a_variable_that_holds_what_a_library_has_is_used_only_where_it_is_bound(start):
    text = "import os\n\n\ndef f():\n    sep = os.sep\n    return sep\n"
    editor = start({"a.py": text, "b.py": text})
    assert editor.references("a.py", "return s|ep") == ["a.py:6:11"]


def test_highlights_tell_writes_from_reads(editor):
    found = editor.ask(
        "textDocument/documentHighlight",
        types.DocumentHighlightParams(**editor.at("shop/cart.py", "wan|ted = Money")),
    )
    assert [(each.range.start.line + 1, each.kind) for each in found] == [
        (18, types.DocumentHighlightKind.Write),
        (19, types.DocumentHighlightKind.Read),
        (20, types.DocumentHighlightKind.Read),
    ]


def test_partial_results_are_everything_and_the_file_itself_comes_first(start):
    editor = start()
    params = types.ReferenceParams(
        **editor.at("shop/app.py", "cart.a|dd", context=types.ReferenceContext(False), partial_result_token="part")
    )
    assert editor.ask("textDocument/references", params) == []
    editor.wait_for(lambda: len(editor.progress) == 2)
    uris = [[each["uri"] for each in part.value] for part in editor.progress]
    assert [part.token for part in editor.progress] == ["part", "part"]
    assert [[uri.rpartition("/")[2] for uri in part] for part in uris] == [["app.py"], ["test_cart.py"]]


def test_an_overloaded_function_is_the_one_that_takes_the_arguments(start):
    files = {
        "till.hpp": "struct Till {\n  int add(int price = 1);\n  int add(int price, int count);\n};\n",
        "till.cpp": '#include "till.hpp"\nint Till::add(int a, int b) { return b; }\nint Till::add(int a) {}',
        "use.cpp": '#include "till.hpp"\nint one(Till t) { return t.add(); }\nint two(Till t) { return t.add(1, 2); }',
    }
    editor = start(files)
    assert editor.goto("definition", "use.cpp", "t.a|dd()") == ["till.cpp:3:10"]
    assert editor.goto("definition", "use.cpp", "t.a|dd(1") == ["till.cpp:2:10"]
    assert editor.references("use.cpp", "t.a|dd()") == ["use.cpp:2:27"]
    assert editor.references("till.hpp", "a|dd(int price, int count)") == ["use.cpp:3:27"]


def test_a_defaulted_constructor_is_no_announcement_of_another_one(start):
    editor = start(
        {"till.hpp": "struct Till {\n  Till() = default;\n  explicit Till(int n);\n  Till(int n, int m) {}\n};\n"}
    )
    assert editor.goto("definition", "till.hpp", "T|ill() =") == ["till.hpp:2:2"]
    assert editor.goto("definition", "till.hpp", "T|ill(int n, int") == ["till.hpp:4:2"]


def test_a_function_of_several_builds_leads_to_each_body(start):
    files = {
        "io.h": "void open_all(void);\nint closed(void);\n",
        "io_unix.c": '#include "io.h"\nvoid open_all(void) {}\nstatic int closed(void) { return 1; }\n',
        "io_windows.c": '#include "io.h"\nvoid open_all(void) {}\n',
        "use.c": '#include "io.h"\nint use(void) { open_all(); return closed(); }\n',
    }
    editor = start(files)
    assert editor.goto("definition", "use.c", "open|_all") == ["io_unix.c:2:5", "io_windows.c:2:5"]
    assert editor.goto("definition", "io.h", "open|_all") == ["io_unix.c:2:5", "io_windows.c:2:5"]
    assert editor.goto("definition", "use.c", "clo|sed") == ["io.h:2:4"]


def test_a_namespace_leads_to_its_other_parts_and_a_type_declared_ahead_to_its_definition(start):
    files = {
        "a.hpp": "namespace shop {\nstruct Cart;\nstruct Gone;\n}\nnamespace shop {\nstruct Cart { int size; };\n}\n",
        "b.h": "struct till;\nstruct till { int size; };\n",
    }
    editor = start(files)
    assert editor.goto("definition", "a.hpp", "namespace sh|op {\nstruct Cart;") == ["a.hpp:1:10", "a.hpp:5:10"]
    assert editor.goto("definition", "a.hpp", "struct Ca|rt;") == ["a.hpp:6:7"]
    assert editor.goto("definition", "a.hpp", "struct Go|ne;") == []
    assert editor.goto("definition", "b.h", "struct ti|ll;") == ["b.h:2:7"]


def test_a_declaration_leads_to_the_definition_whose_parameters_are_written_alike(start):
    files = {
        "value.hpp": (
            "struct Value {\n"
            "  explicit Value(bool on);\n"
            "  explicit Value(double number = 0);\n"
            "  Value(Value&& other);\n"
            "  Value(const Value& other);\n"
            "  int at(int i) const;\n"
            "  int& at(int i);\n"
            "  void put(const char *, unsigned n);\n"
            "  void put(char, unsigned);\n"
            "  template <typename T> T take();\n"
            "  int take(int n);\n"
            "};\n"
        ),
        "value.cpp": (
            '#include "value.hpp"\n'
            "Value::Value(double number) {}\n"
            "Value::Value(bool on) {}\n"
            "Value::Value(Value const &other) {}\n"
            "Value::Value(Value &&other) {}\n"
            "int& Value::at(int i) { return i; }\n"
            "int Value::at(int i) const { return i; }\n"
            "void Value::put(char c, unsigned n) {}\n"
            "void Value::put(char const* text, unsigned) {}\n"
            "int Value::take(int n) { return n; }\n"
        ),
    }
    editor = start(files)
    assert editor.goto("definition", "value.hpp", "V|alue(bool") == ["value.cpp:3:7"]
    assert editor.goto("definition", "value.hpp", "V|alue(double") == ["value.cpp:2:7"]
    assert editor.goto("definition", "value.hpp", "V|alue(Value&&") == ["value.cpp:5:7"]
    assert editor.goto("definition", "value.hpp", "a|t(int i) const") == ["value.cpp:7:11"]
    assert editor.goto("definition", "value.hpp", "p|ut(const") == ["value.cpp:9:12"]
    assert editor.goto("definition", "value.hpp", "t|ake();") == ["value.hpp:10:26"]
    assert editor.goto("definition", "value.hpp", "t|ake(int n)") == ["value.cpp:10:11"]
    assert editor.goto("declaration", "value.cpp", "a|t(int i) {") == ["value.hpp:7:7"]
    assert editor.references("value.cpp", "V|alue(Value const", declaration=True) == ["value.cpp:4:7", "value.hpp:5:2"]


def test_the_definition_of_a_class_leads_to_where_it_is_declared_ahead(start):
    editor = start(
        {
            "ahead.hpp": "class Store;\nclass Till;\nnamespace other { class Till; }\n",
            "store.hpp": '#include "ahead.hpp"\nclass Store {};\nclass Alone {};\nclass Till;\nclass Till {};\n',
        }
    )
    assert editor.goto("definition", "store.hpp", "class S|tore {") == ["ahead.hpp:1:6"]
    assert editor.goto("definition", "store.hpp", "class T|ill {") == ["store.hpp:4:6"]
    assert editor.goto("definition", "store.hpp", "class A|lone {") == ["store.hpp:3:6"]
    assert editor.goto("definition", "ahead.hpp", "class S|tore;") == ["store.hpp:2:6"]


def test_a_use_of_a_namespace_leads_to_its_first_part(start):
    parts = "namespace shop {\nnamespace parts { int a(); }\n}\n"
    more = "namespace shop {\nnamespace parts { int b(); }\nnamespace parts { int c(); }\nint d = parts::c();\n}\n"
    editor = start({"a.hpp": parts + more})
    assert editor.goto("definition", "a.hpp", "int d = p|arts") == ["a.hpp:2:10"]
    assert editor.goto("definition", "a.hpp", "int d = parts::c|()") == ["a.hpp:6:22"]


def test_a_class_that_nothing_defines_leads_to_where_it_is_declared_ahead(start):
    editor = start(
        {
            "tags.hpp": "namespace tags {\nstruct fast;\nstruct slow;\nstruct slow {};\n}\nint fast_one;\n",
            "use.cpp": (
                '#include "tags.hpp"\nstruct own;\ntypedef tags::fast current;\n'
                "void run(own* a, lost* b, tags::slow c);\n"
            ),
        }
    )
    assert editor.goto("definition", "use.cpp", "tags::f|ast") == ["tags.hpp:2:7"]
    assert editor.goto("definition", "use.cpp", "run(o|wn") == ["use.cpp:2:7"]
    assert editor.goto("definition", "use.cpp", "tags::s|low c") == ["tags.hpp:4:7"]
    assert editor.goto("definition", "use.cpp", "l|ost* b") == []
    assert editor.goto("definition", "tags.hpp", "struct f|ast") == []


def test_the_references_of_a_class_that_nothing_defines_are_all_that_name_it(start):
    tags = "namespace tags {\nstruct fast;\ntypedef fast current;\n}\ntemplate <class T> struct box {};\n"
    use = '#include "tags.hpp"\ntemplate <> struct box<tags::fast> {};\nint g(int fast) { return fast; }\nlost c;\n'
    editor = start({"tags.hpp": tags, "use.cpp": use})
    everywhere = ["tags.hpp:2:7", "tags.hpp:3:8", "use.cpp:2:29"]
    assert editor.references("use.cpp", "tags::f|ast", declaration=True) == everywhere
    assert editor.references("tags.hpp", "struct f|ast", declaration=True) == everywhere
    assert editor.references("use.cpp", "return f|ast", declaration=True) == ["use.cpp:3:10", "use.cpp:3:25"]
    assert editor.goto("definition", "use.cpp", "l|ost c") == []


def test_a_static_member_leads_to_its_definition_outside_of_the_class(start):
    files = {
        "till.hpp": (
            "struct Till {\n"
            "  static int open;\n"
            "  static const int most;\n"
            "  inline static int least;\n"
            "  static int alone;\n"
            "  int use() { return open + most + least + alone + total; }\n"
            "  int total;\n"
            "};\n"
        ),
        "till.cpp": '#include "till.hpp"\nint Till::open = 0;\nconst int Till::most = 2;\n',
        "other.cpp": "struct Other { static int open; };\nint Other::open;\n",
    }
    editor = start(files)
    assert editor.goto("definition", "till.hpp", "return o|pen") == ["till.cpp:2:10"]
    assert editor.goto("definition", "till.hpp", "static int o|pen") == ["till.cpp:2:10"]
    assert editor.goto("definition", "till.hpp", "+ m|ost") == ["till.cpp:3:16"]
    assert editor.goto("definition", "till.cpp", "Till::o|pen") == ["till.hpp:2:13"]
    assert editor.goto("declaration", "till.hpp", "return o|pen") == ["till.hpp:2:13"]
    assert editor.references("till.hpp", "return o|pen", declaration=True) == [
        "till.cpp:2:10",
        "till.hpp:2:13",
        "till.hpp:6:21",
    ]
    assert editor.goto("definition", "till.hpp", "+ l|east") == ["till.hpp:4:20"]
    assert editor.goto("definition", "till.hpp", "+ a|lone") == ["till.hpp:5:13"]
    assert editor.goto("definition", "till.hpp", "+ t|otal") == ["till.hpp:7:6"]


def test_a_call_of_one_of_several_overloads_has_the_calls_that_may_mean_the_same(start):
    files = {
        "queue.hpp": (
            "template <class T> struct Queue {\n"
            "  void push(const T& v);\n"
            "  template <class P> void push(P&& v);\n"
            "  void push(int at, int count);\n"
            "};\n"
        ),
        "use.cpp": (
            '#include "queue.hpp"\n'
            "void f(Queue<int> q) { q.push(1); }\n"
            "void g(Queue<int> q) { q.push(2); q.push(3, 4); }\n"
        ),
    }
    editor = start(files)
    ambiguous = ["queue.hpp:2:7", "queue.hpp:3:26", "use.cpp:2:25", "use.cpp:3:25"]
    assert editor.references("use.cpp", "q.p|ush(1)", declaration=True) == ambiguous
    assert editor.references("use.cpp", "q.p|ush(3", declaration=True) == ["queue.hpp:4:7", "use.cpp:3:36"]
    assert editor.references("queue.hpp", "p|ush(const T", declaration=True) == ["queue.hpp:2:7"]


def test_a_constructor_that_is_only_declared_leads_to_no_body_of_another(start):
    files = {
        "value.hpp": "struct Value {\n  Value() = default;\n  explicit Value(int n);\n  Value(const Value&);\n};\n",
        "value.cpp": '#include "value.hpp"\nusing std::string;\nValue::Value(int n) {}\n',
        "text.hpp": "struct Text {\n  explicit Text(std::string n);\n  explicit Text(int n, int m);\n};\n",
        "text.cpp": '#include "text.hpp"\nText::Text(string n) {}\n',
    }
    editor = start(files)
    assert editor.goto("definition", "value.hpp", "explicit V|alue") == ["value.cpp:3:7"]
    assert editor.goto("definition", "value.hpp", "V|alue(const") == ["value.hpp:4:2"]
    assert editor.references("value.cpp", "V|alue(int", declaration=True) == ["value.cpp:3:7", "value.hpp:3:11"]
    assert editor.goto("definition", "text.hpp", "explicit T|ext(std") == ["text.cpp:2:6"]
    assert editor.goto("definition", "text.hpp", "explicit T|ext(int") == ["text.hpp:3:11"]


def test_a_use_of_a_template_has_those_of_its_specializations(start):
    files = {
        "box.hpp": (
            "template <class T> struct box { int n; };\n"
            "template <> struct box<char> { int n; box& own(); };\n"
            "struct crate : box<int> {};\n"
        ),
        "use.cpp": '#include "box.hpp"\nbox<char> a;\nnamespace other { struct box {}; box b; }\n',
    }
    editor = start(files)
    every = ["box.hpp:1:26", "box.hpp:2:19", "box.hpp:2:38", "box.hpp:3:15", "use.cpp:2:0"]
    assert editor.references("use.cpp", "b|ox<char> a", declaration=True) == every
    assert editor.references("use.cpp", "b|ox b", declaration=True) == ["use.cpp:3:25", "use.cpp:3:33"]
    assert editor.goto("definition", "use.cpp", "b|ox<char> a") == ["box.hpp:1:26", "box.hpp:2:19"]
    own = ["box.hpp:2:19", "box.hpp:2:38", "use.cpp:2:0"]
    assert editor.references("box.hpp", "struct b|ox<char>", declaration=True) == own


def test_a_template_of_which_only_specializations_are_defined_leads_to_its_declaration_too(start):
    files = {
        "list.hpp": (
            "template <class... T> struct list;\n"
            "template <> struct list<> {};\n"
            "template <class T> struct cell;\n"
            "template <class T> struct cell {};\n"
        ),
        "use.cpp": '#include "list.hpp"\nlist<int> a;\ncell<int> b;\n',
    }
    editor = start(files)
    assert editor.goto("definition", "use.cpp", "l|ist<int> a") == ["list.hpp:2:19", "list.hpp:1:29"]
    assert editor.goto("definition", "use.cpp", "c|ell<int> b") == ["list.hpp:4:26"]


def test_a_namespace_is_led_to_where_a_file_reads_it_first(start):
    files = {
        "base.hpp": "namespace shop {\nstruct Item {};\n}\n",
        "z.hpp": '#include "base.hpp"\nnamespace shop {\nstruct Till {};\n}\n',
        "alone.hpp": "namespace shop {\nint count();\n}\n",
        "use.cpp": '#include "z.hpp"\nnamespace shop {\nint run() { return 1; }\n}\nusing namespace shop;\n',
    }
    editor = start(files)
    assert editor.goto("definition", "use.cpp", "using namespace s|hop") == ["base.hpp:1:10"]
    assert editor.goto("definition", "z.hpp", "namespace s|hop") == ["base.hpp:1:10"]
    # At the place where it is defined, all others that open it are shown.
    everywhere = ["alone.hpp:1:10", "base.hpp:1:10", "use.cpp:2:10", "z.hpp:2:10"]
    assert sorted(editor.goto("definition", "alone.hpp", "namespace s|hop")) == everywhere
