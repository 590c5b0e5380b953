"""map_module answers what a place is for, what it offers and what hangs together with it."""

from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.tools.answers.answer import render
from avionics.tools.composite.map_module import map_module
from avionics.tools.unified.analyze import analyze

FILES = {
    "README.md": "# Shop\n\n![badge](x)\n\nA shop that sells things to people.\nAnd more.\n\nLast.\n",
    "pyproject.toml": '[project.scripts]\nshop = "shop.cli:main"\n',
    "src/shop/__init__.py": '"""Selling things."""\n\nfrom .stock import Stock\n',
    "src/shop/cli.py": "import click\n\nfrom shop import Stock\n\n\ndef main():\n    Stock()\n",
    "src/shop/stock.py": (
        'class Stock:\n    """What is there."""\n\n    def count(self) -> int:\n        return 1\n\n'
        "    def _hide(self):\n        pass\n"
    ),
    "src/shop/page.txt": "<p>",
    "tests/test_stock.py": "from shop import Stock\n",
}


def test_a_package_is_mapped_the_best_first(workspace):
    assert render(map_module(workspace(FILES), "src/shop")) == (
        "src/shop: package, 3 code files, 18 lines, 4 symbols; other files: 1 .txt\n"
        "public API: exports of __init__.py\n"
        "\n"
        "src/shop/__init__.py:1  Selling things.\n"
        "\n"
        "public API, by use (1):\n"
        "src/shop/stock.py:1 class Stock [used in 3 files] — What is there.\n"
        "\n"
        "contents, by import count (3):\n"
        "src/shop/__init__.py  3 lines, imported by 2 files — Selling things.\n"
        "src/shop/stock.py  8 lines, imported by 1 file\n"
        "src/shop/cli.py  7 lines\n"
        "\n"
        "imports of external packages (1):\n"
        "click  click  src/shop/cli.py:1\n"
        "\n"
        "entry points (1):\n"
        'script shop  pyproject.toml:2  shop = "shop.cli:main" → main (src/shop/cli.py:6)\n'
        "\n"
        "tests that import it (1):\n"
        "tests/test_stock.py:1  Stock\n"
        "\n"
        "[complete: 7 of 7]"
    )


def test_a_file_lists_its_public_members(workspace):
    answer = map_module(workspace(FILES), "src/shop/stock.py")
    assert [(item.symbol, item.members) for item in answer.api] == [("Stock", ("count",))]
    assert [(item.place, item.names) for item in answer.dependents] == [("src/shop/__init__.py", ("Stock",))]


def test_few_importers_of_a_file_are_named_and_many_are_grouped_by_directory(workspace):
    users = {f"src/shop/desk/clerk_{at}.py": "from shop.stock import Stock\n" for at in range(9)}
    few = dict(list(users.items())[:2])
    named = map_module(workspace(FILES | few), "src/shop/stock.py").dependents
    assert {*few} < {each.place for each in named}
    grouped = map_module(workspace(FILES | users), "src/shop/stock.py").dependents
    assert [(each.place, each.files) for each in grouped][:1] == [("src/shop/desk", 9)]


@pytest.mark.parametrize(
    ("file", "text", "groups"),
    [
        ("more.go", "package a\nfunc (c *Cart) Add() {}\nfunc (c *Cart) drop() {}\nfunc New() {}\n", [("Cart", 2)]),
        ("more.cc", '#include "c.h"\nvoid Cart::add() {}\nCart::Cart() {}\nint Tax::rate() { return 1; }\n',
         [("Cart", 2), ("Tax", 1)]),
        ("more.rs", "impl Cart { fn add(&self) {} }\n", [("Cart", 1)]),
        ("more.go", "package a\ntype Cart struct{}\nfunc (c *Cart) Add() {}\n", []),
        ("more.py", "class Cart:\n    def add(self): ...\n", []),
    ],
)  # fmt: skip
def test_a_file_lists_the_methods_of_types_that_it_does_not_define(workspace, file, text, groups):
    opened = workspace({file: text, "c.h": "class Cart { void add(); Cart(); };\nclass Tax { int rate(); };\n"})
    found = map_module(opened, file).methods
    assert [(each.symbol, len(each.members)) for each in found] == groups
    told = analyze(opened, f"what does {file} do?").get_items("methods")
    assert [(each.symbol, each.members) for each in told] == [(each.symbol, each.members) for each in found]


@pytest.mark.parametrize(
    ("asked", "place"),
    [("shop", "src/shop"), ("shop.cli", "src/shop/cli.py"), ("./src/", "src"), (".", "."), ("tests", "tests")],
)
def test_a_place_may_be_a_path_or_a_dotted_name(workspace, asked, place):
    assert map_module(workspace(FILES), asked).path == place


def test_a_place_without_documentation_has_the_purpose_of_its_readme(workspace):
    answer = map_module(workspace(FILES), ".")
    assert [(item.file, item.line, item.text) for item in answer.purpose] == [
        ("README.md", 5, "A shop that sells things to people.")
    ]


def test_the_only_directory_of_a_name_is_meant_by_it(workspace):
    files = {"web/shop/stock/a.ts": "a = 1;", "web/shop/part/one/b.ts": "b = 1;", "web/part/c.ts": "c = 1;"}
    opened = workspace(files)
    assert map_module(opened, "stock").path == "web/shop/stock"
    with pytest.raises(UsageError) as refused:
        map_module(opened, "part")
    assert refused.value.hint.startswith("did you mean web/part")


def test_a_place_that_is_not_there_is_refused_with_what_is_near(workspace):
    with pytest.raises(UsageError) as refused:
        map_module(workspace(FILES), "src/shop/stok.py")
    assert str(refused.value) == "no directory, file or module 'src/shop/stok.py'"
    assert refused.value.hint.startswith("did you mean src/shop/stock.py")


def test_a_path_out_of_the_workspace_is_refused(workspace):
    with pytest.raises(UsageError):
        map_module(workspace(FILES), "../elsewhere")


def test_a_file_in_no_known_language_is_said_to_be_one(workspace):
    answer = map_module(workspace(FILES), "src/shop/page.txt")
    assert answer.headline() == (
        "src/shop/page.txt: file in an unsupported language, 0 code files, 0 lines, 0 symbols; other files: 1 .txt"
    )


def test_a_namespace_or_import_path_means_the_directory_of_its_files(workspace):
    opened = workspace(
        {
            "src/Shop/Core/Cart.cs": "namespace Shop.Core;\npublic class Cart { }\n",
            "src/Shop/Core/Till.cs": "namespace Shop.Core;\npublic class Till { }\n",
            "java/src/main/java/org/shop/Bag.java": "package org.shop;\nclass Bag { }\n",
            "go/go.mod": "module example.com/shop\n",
            "go/till/a.go": "package till\n",
            "go/till/b.go": "package till\n",
        }
    )
    assert map_module(opened, "Shop.Core").path == "src/Shop/Core"
    assert map_module(opened, "org.shop").path == "java/src/main/java/org/shop"
    assert map_module(opened, "example.com/shop/till").path == "go/till"
    assert map_module(opened, "org.shop.Bag").path == "java/src/main/java/org/shop/Bag.java"


@pytest.mark.parametrize(
    ("readme", "line", "said"),
    [
        (
            "# X\n\n```js\napp.get('/', (a, b) => { b.send('Hi') })\n```\n\nA fast way to say hello.\n",
            7,
            "A fast way to say",
        ),
        ("<p>badge</p>\n\n**Fast, small** tool for saying hello.\n", 3, "**Fast, small** tool for"),
        (
            "*We count*\n\nShop.two is a fork of the shop that it\nsells things with, and more of them.\n",
            3,
            "Shop.two is a fork",
        ),
        ("[Go to the old slides and more](http://x)\n\n`fd` finds entries in a tree.\n", 3, "`fd` finds entries in a"),
    ],
)
def test_the_purpose_is_prose_not_code_links_or_badges(workspace, readme, line, said):
    (purpose,) = map_module(workspace({"README.md": readme, "a.py": ""}), ".").purpose
    assert (purpose.line, purpose.text[: len(said)]) == (line, said)


def test_a_module_that_only_holds_classes_is_a_namespace_and_one_with_methods_is_none(workspace):
    files = {
        "lib/shop/cart.rb": "module Shop\n  module Carts\n    class Cart\n      def add; end\n    end\n  end\nend\n",
        "lib/shop/help.rb": "module Shop\n  module Help\n    class Hint; end\n    def hint; end\n  end\nend\n",
        "lib/shop.rb": "require 'shop/cart'\nrequire 'shop/help'\n",
    }
    answer = map_module(workspace(files), "lib/shop")
    assert sorted(each.symbol for each in answer.api) == ["Cart", "Help"]
