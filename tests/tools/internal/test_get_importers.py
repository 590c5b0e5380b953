"""get_importers lists who imports a file."""

from __future__ import annotations

import pytest
from msgspec import structs

from avionics.model.enums import Certainty, Status
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.items import ImportItem
from avionics.tools.answers.next_step import write_python
from avionics.tools.internal.imports.get_importers import get_importers
from avionics.workspace import Workspace


def test_importers_are_listed_with_their_lines_product_code_first(shop):
    answer = get_importers(shop(), "shop/models.py")
    assert answer.importers == (
        ImportItem("shop/__init__.py", 1, (1,), ".models", ("Order",), "shop/models.py"),
        ImportItem("shop/pricing.py", 1, (1,), "shop.models", ("Order",), "shop/models.py"),
        ImportItem("tests/test_orders.py", 2, (2,), "shop.models", ("Item",), "shop/models.py"),
    )
    assert answer.headline() == "shop/models.py: imported by 3 files (1 in tests)"
    expected = "get_importers(path='shop/__init__.py') for files that may re-export it"
    assert write_python(answer.coverage.next) == expected


def test_a_package_is_imported_through_its_own_file(shop):
    answer = get_importers(shop(), "shop")
    assert answer.path == "shop/__init__.py"
    assert [each.file for each in answer.importers] == ["shop/cli.py", "tests/test_orders.py"]


def test_a_file_nobody_imports_is_an_answer_too(shop):
    answer = get_importers(shop(), "tests/test_orders.py")
    assert answer.headline() == "tests/test_orders.py: no file imports it"
    assert answer.coverage.status is Status.SUCCESS


@pytest.mark.parametrize(
    ("files", "asked", "large"),
    [
        ({"store.h": "int f();\n", "b.c": '#include "store.h"\n'}, "store.h", "b.c"),
        ({"store.py": "x = 1\n", "b.py": "import store\n"}, "store.py", "b.py"),
        ({"store.py": "x = 1\n", "b.py": "import storeroom\n"}, "store.py", None),
        ({"store.py": "x = 1\n", "b.js": "import './store'\n", "b.txt": "import store\n"}, "store.py", None),
    ],
)
def test_code_too_large_to_parse_that_names_a_file_may_import_it(directory, settings, files, asked, large):
    padded = {name: f"{text}{chr(10) * 1_200}" if name.startswith("b.") else text for name, text in files.items()}
    with Workspace.open(directory(padded), structs.replace(settings, max_file_bytes=1_000)) as opened:
        coverage = get_importers(opened, asked).coverage
    assert coverage.reasons == ((Reason(ReasonKind.FILES_TOO_LARGE, subject=large),) if large else ())
    assert coverage.certainty is (Certainty.AT_LEAST if large else Certainty.EXACT)


def test_a_file_that_is_not_there_is_refused(shop):
    with pytest.raises(UsageError, match=r"no file or directory named 'shop/price\.py'"):
        get_importers(shop(), "shop/price.py")


def test_a_symbol_is_refused_with_the_file_that_defines_it(workspace):
    with pytest.raises(UsageError, match="no file or directory named 'Cart'") as refused:
        get_importers(workspace({"shop/cart.py": "class Cart: ...\n"}), "Cart")
    assert refused.value.hint.startswith("a class of this name is in shop/cart.py")


LIBRARIES = {
    "a.py": "import rich\nfrom rich.text import Text\n",
    "b.py": "from rich import text\nfrom other.rich import x\n",
    "c.py": "import richer\nrich = 1\n",
    "d.go": 'package d\n\nimport (\n\t"golang.org/x/sync/errgroup"\n\tyaml "gopkg.in/yaml/v3"\n)\n',
    "e.ts": "import { ref } from '@vue/reactivity';\nimport rich from './rich';\n",
    "rich.ts": "export default 1;\n",
    "src/f.rs": "use serde::de::Error;\n",
}


@pytest.mark.parametrize(
    ("module", "places"),
    [
        ("rich", ["a.py:1", "a.py:2", "b.py:1"]),
        ("rich.text", ["a.py:2", "b.py:1"]),
        ("errgroup", ["d.go:4"]),
        ("golang.org/x/sync", ["d.go:4"]),
        ("yaml", ["d.go:5"]),
        ("@vue/reactivity", ["e.ts:1"]),
        ("serde::de", ["src/f.rs:1"]),
        ("text", []),
        ("sync", []),
    ],
)
def test_the_importers_of_a_library_are_found_by_its_module(workspace, module, places):
    opened = workspace(LIBRARIES)
    if not places:
        with pytest.raises(UsageError, match="no file or directory named"):
            get_importers(opened, module)
        return
    assert [f"{each.file}:{line}" for each in get_importers(opened, module).importers for line in each.lines] == places


def test_the_importers_of_a_directory_import_a_file_in_it_from_outside(workspace):
    files = {
        "go.mod": "module example.org/shop\n",
        "plugin/manager.go": "package plugin\n\nfunc New() {}\n",
        "plugin/config.go": "package plugin\n",
        "api/api.go": 'package api\n\nimport "example.org/shop/plugin"\n\nfunc run() { plugin.New() }\n',
        "plugin/mock/mock.go": 'package mock\n\nimport "example.org/shop/plugin"\n\nfunc run() { plugin.New() }\n',
    }
    answer = get_importers(workspace(files), "plugin")
    assert [(each.file, each.lines) for each in answer.importers] == [("api/api.go", (3,))]


def test_imports_of_a_name_that_lead_nowhere_are_told_before_none_is_claimed(workspace):
    files = {"lib/deep/ring.h": "int turn(int n);\n", "main.c": "#include <made/by/build/ring.h>\n"}
    answer = get_importers(workspace(files), "lib/deep/ring.h")
    assert (
        answer.headline() == "lib/deep/ring.h: no import leads to it; 1 import of that file name could not be resolved"
    )
    assert [each.file for each in answer.importers] == ["main.c"]
    assert answer.coverage.certainty is Certainty.AT_LEAST


def test_a_module_of_rust_is_imported_by_the_files_that_take_it_from_the_one_that_declares_it(workspace):
    files = {
        "Cargo.toml": '[package]\nname = "app"\n',
        "src/main.rs": "mod auth;\nmod crypto;\nuse crate::crypto::sign;\nfn main() { sign() }\n",
        "src/auth.rs": "use crate::{\n    crypto,\n    main,\n};\npub fn check() { crypto::sign() }\n",
        "src/crypto.rs": "pub fn sign() {}\n",
        "src/other.rs": "use crate::main;\n",
    }
    found = get_importers(workspace(files), "src/crypto.rs")
    assert {(each.file, each.line) for each in found.importers} == {
        ("src/auth.rs", 2), ("src/main.rs", 2), ("src/main.rs", 3),
    }  # fmt: skip
