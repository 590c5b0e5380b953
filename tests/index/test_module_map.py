"""A map says what is in a place, what it offers, and what imports what, from outlines alone."""

from __future__ import annotations

from avionics.index.analysis.module_summary import build_module_map
from avionics.index.analysis.purposes import iter_purposes

FILES = {
    "app/__init__.py": '"""The application."""\n\nfrom app.core import Core\nfrom app.core import helper as assist\n'
    "from app.shapes import *\nfrom other.thing import Thing\n",
    "app/core.py": "import json\n\nimport requests\n\nfrom app import store\n\n\n"
    "class Core:\n    def run(self):\n        pass\n\n"
    "    def _hidden(self):\n        pass\n\n\ndef helper():\n    pass\n",
    "app/store.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from app.core import Core\n\n\n"
    "def save():\n    from app.shapes import Square\n",
    "app/shapes.py": '__all__ = ["Square"]\n\n\nclass Square:\n    pass\n\n\nclass Circle:\n    pass\n',
    "app/data.bin.txt": "1",
    "other/__init__.py": "",
    "other/thing.py": "from app import Core\nfrom app.store import save\n\n\nclass Thing:\n    pass\n",
    "other/a.py": "from other.b import b\n\na = 1\n",
    "other/b.py": "import other.c\n\nb = 1\n",
    "other/c.py": "from . import a\n",
    "tests/test_core.py": "from app.core import Core\n",
}


def mapped(opened, path, depth=1):
    return build_module_map(opened.code, path, depth, opened.source.text)


def links(found):
    return [(each.place, each.files, each.names, f"{each.first.file}:{each.first.line}", each.only) for each in found]


def test_a_package_offers_what_its_init_gathers_from_within_or_others_import(workspace):
    found = mapped(workspace(FILES), "app")
    assert found.offered == "exports of __init__.py"
    assert [(o.name, o.definition.file, o.definition.line, o.importers, o.members) for o in found.offers] == [
        ("Core", "app/core.py", 8, 4, ("run",)),
        ("assist", "app/core.py", 16, 1, ()),
        ("Square", "app/shapes.py", 4, 1, ()),
    ]


def test_imports_are_counted_both_ways_and_tests_stand_apart(workspace):
    found = mapped(workspace(FILES), "app")
    assert links(found.uses) == [("other", 1, ("Thing",), "app/__init__.py:6", "")]
    assert links(found.users) == [("other", 1, ("Core", "save"), "other/thing.py:1", "")]
    assert links(found.tests) == [("tests/test_core.py", 1, ("Core",), "tests/test_core.py:1", "")]
    assert links(found.outside) == [("requests", 1, ("requests",), "app/core.py:3", "")]
    assert found.standard == ("json", "typing")


def test_a_file_says_which_imports_are_for_type_checkers_or_within_functions(workspace):
    assert links(mapped(workspace(FILES), "app/store.py").uses) == [
        ("app/core.py", 1, ("Core",), "app/store.py:4", "for type checkers"),
        ("app/shapes.py", 1, ("Square",), "app/store.py:8", "within functions"),
    ]


def test_sizes_and_parts_are_counted_and_the_most_imported_part_comes_first(workspace):
    found = mapped(workspace(FILES), ".")
    assert [(part.path, part.files, part.importers, part.doc) for part in found.parts] == [
        ("app", 4, 2, "The application."),
        ("other", 5, 1, ""),
        ("tests", 1, 0, ""),
    ]
    assert (len(found.files), found.suffixes) == (10, {".txt": 1})


def test_only_imports_that_run_on_loading_make_a_cycle_and_one_way_round_is_shown(workspace):
    opened = workspace(FILES)
    assert mapped(opened, "app").cycles == ()
    (cycle,) = mapped(opened, "other").cycles
    assert cycle.places == ("other/a.py", "other/b.py", "other/c.py")
    assert [(edge.file, edge.line, edge.target) for edge in cycle.way] == [
        ("other/a.py", 1, "other/b.py"),
        ("other/b.py", 1, "other/c.py"),
        ("other/c.py", 1, "other/a.py"),
    ]


def test_a_directory_without_an_init_offers_what_others_import_from_its_modules(workspace):
    opened = workspace(
        {"kit/tool.py": "def used(): pass\ndef unused(): pass\n", "main.py": "from kit.tool import used\n"}
    )
    found = mapped(opened, "kit")
    assert [(offer.name, offer.importers) for offer in found.offers] == [("used", 1)]


def offered(found):
    return [(o.name, f"{o.definition.file}:{o.definition.line}", o.importers) for o in found.offers]


def test_what_headers_declare_is_used_by_who_includes_and_names_it_and_is_listed_once(workspace):
    opened = workspace(
        {
            "inc/list.h": "typedef struct list list;\nlist *list_new(void);\nvoid list_free(list *l);\n",
            "src/list.c": '#include "../inc/list.h"\nlist *list_new(void) { return 0; }\nvoid list_free(list *l) {}\n',
            "src/main.c": '#include <stdio.h>\n#include "../inc/list.h"\nint main(void) { list_new(); return 0; }\n',
        }
    )
    found = mapped(opened, ".")
    assert offered(found) == [
        ("list_new", "inc/list.h:2", 2), ("list", "inc/list.h:1", 2), ("list_free", "inc/list.h:3", 1),
    ]  # fmt: skip
    assert (found.standard, found.outside) == (("stdio",), ())


def test_a_package_of_several_files_offers_what_these_define_not_what_lies_below(workspace):
    opened = workspace(
        {
            "go.mod": "module shop.org/s\n",
            "shop.go": "package shop\n\nfunc Open() {}\n",
            "internal/text/text.go": "package text\n\nfunc Trim() {}\n",
            "order.go": 'package shop\n\nimport "shop.org/s/internal/text"\n\nfunc order() { Open(); text.Trim() }\n',
        }
    )
    assert offered(mapped(opened, ".")) == [("Open", "shop.go:3", 1)]


def test_classes_of_one_namespace_use_one_another_without_imports(workspace):
    opened = workspace(
        {
            "src/Shop/Cart.cs": "namespace Shop;\npublic class Cart { }\n",
            "src/Shop/Till.cs": "using System.Text;\nnamespace Shop;\npublic class Till { Cart cart; }\n",
            "test/TillTests.cs": "using Shop;\nclass TillTests { Till till; }\n",
        }
    )
    found = mapped(opened, "src")
    assert offered(found) == [("Cart", "src/Shop/Cart.cs:2", 1), ("Till", "src/Shop/Till.cs:3", 1)]
    assert (found.standard, [link.place for link in found.tests]) == (("System",), ["test/TillTests.cs"])


def test_the_file_that_a_language_names_speaks_for_a_directory(workspace):
    opened = workspace(
        {
            "lib/Cargo.toml": '[package]\nname = "lib"\n',
            "lib/src/lib.rs": "//! Counts things.\n\npub use crate::count::Counter;\n\nmod count;\n",
            "lib/src/count.rs": "pub struct Counter;\n\npub struct Inner;\n",
            "web/src/index.ts": "export { open } from './open'\n",
            "web/src/open.ts": "export function open() {}\nexport function close() {}\n",
        }
    )
    found = mapped(opened, "lib")
    assert (found.package_file, found.offered) == ("lib/src/lib.rs", "exports of lib.rs")
    assert offered(found) == [("Counter", "lib/src/count.rs:1", 1)]
    assert offered(mapped(opened, "web")) == [("open", "web/src/open.ts:1", 1)]


def test_a_directory_that_holds_nearly_all_is_listed_by_what_lies_in_it(workspace):
    files = {f"src/main/java/shop/{name}/A{name}.java": f"package shop.{name};\nclass A{name} {{}}\n" for name in "abc"}
    opened = workspace(files | {"build.gradle.kts": "plugins {}\n"})
    assert [part.path for part in mapped(opened, ".").parts] == [
        "src/main/java/shop/a", "src/main/java/shop/b", "src/main/java/shop/c", "build.gradle.kts",
    ]  # fmt: skip


def test_most_of_a_standard_library_under_one_name_is_told_apart_by_the_second(workspace):
    uses = "use std::io::Read;\nuse std::fmt::Debug;\nuse std::fs::File;\nuse serde::Serialize;\n"
    found = mapped(workspace({"src/main.rs": f"{uses}fn main() {{}}\n"}), ".")
    assert found.standard == ("std.fmt", "std.fs", "std.io")
    assert [link.place for link in found.outside] == ["serde"]


def test_a_file_that_is_another_as_a_whole_offers_what_that_one_does(workspace):
    opened = workspace(
        {
            "index.js": "module.exports = require('./lib/app');\n",
            "lib/app.js": "exports.open = function () {};\nfunction hidden() {}\n",
        }
    )
    found = mapped(opened, ".")
    assert (found.offered, [offer.name for offer in found.offers]) == ("exports of app.js", ["open"])


def test_a_readme_states_the_purpose_in_a_short_sentence_or_below_title_and_thanks(workspace):
    thanks = "### Sponsors\n\nA special *thank you* goes to our biggest sponsor, who pays\nfor all of the servers.\n\n"
    short = f"# shop\n\nA command-line shop.\n\n{thanks}"
    below = f"# shop\n\n{thanks}Keeps the things that are for sale.\n"
    late = "This is the branch of the next version.\n\n# shop\n\n*Sells things to those who pay*\n"
    cases = (
        (short, (3, "A command-line shop.")),
        (below, (8, "Keeps the things that are for sale.")),
        (late, (5, "*Sells things to those who pay*")),
        ("This shop sells things.\n\n# Usage\n", (1, "This shop sells things.")),
    )
    for text, expected in cases:
        opened = workspace({"README.md": text, "shop.py": "x = 1\n"})
        assert [*iter_purposes(opened.code, ".", "", opened.source.text)] == [("README.md", *expected)]


def test_what_the_standard_library_defines_is_not_offered(workspace):
    files = {
        "src/main.rs": "mod cart;\nuse cart::Cart;\nuse std::result::Result;\n"
        "fn main() -> Result<(), ()> { Cart::new(); Ok(()) }\n",
        "src/cart.rs": "pub struct Cart;\nimpl Cart { pub fn new() -> Cart { Cart } }\n",
        "Cargo.toml": '[package]\nname = "shop"\n',
    }
    assert [each.definition.file for each in mapped(workspace(files), ".").offers] == ["src/cart.rs"]


def test_what_a_barrel_imports_for_itself_is_not_offered(workspace):
    files = {
        "lib/index.ts": 'import {\n  helper,\n} from "./helper";\nexport {\n  shown,\n} from "./shown";\n'
        'import { later } from "./later";\nexport function run() { return helper(); }\nexport { later };\n',
        "lib/helper.ts": "export function helper() { return 1; }\n",
        "lib/shown.ts": "export function shown() { return 1; }\n",
        "lib/later.ts": "export const later = 1;\n",
        "app.ts": 'import { run } from "./lib";\nimport { helper } from "./lib/helper";\nrun(); helper();\n',
    }
    found = mapped(workspace(files), "lib")
    assert sorted(each.name for each in found.offers) == ["later", "run", "shown"]


def test_what_a_module_of_rust_uses_without_pub_is_not_offered(workspace):
    files = {
        "Cargo.toml": "[package]\nname = 'shop'\nversion = '0.1.0'\n",
        "src/lib.rs": "mod cart;\npub mod tax;\n",
        "src/cart.rs": "pub struct Cart {}\n",
        "src/tax/mod.rs": "mod rate;\n\nuse crate::cart::{\n    Cart,\n};\npub use rate::{\n    Rate,\n};\n"
        "pub fn tax(cart: &Cart) {}\n",
        "src/tax/rate.rs": "pub struct Rate {}\n",
    }
    found = mapped(workspace(files), "src/tax")
    assert sorted(each.name for each in found.offers) == ["Rate", "tax"]
