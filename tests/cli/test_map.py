"""`avionics map`: text within a budget, most used first; a picture if one is asked for."""

from __future__ import annotations

import json
import shlex

import pytest

from avionics.cli.main import main

FILES = {
    "shop/cart.py": '"""Carts of customers."""\n\n\nclass Cart:\n    pass\n\n\ndef unused_here():\n    pass\n',
    "shop/price.py": "def compute_price():\n    return 1\n\n\ndef run():\n    pass\n",
    **{f"shop/use{number}.py": "from shop.cart import Cart\n\nCart()\n" for number in range(4)},
    **{f"zoo/part{number}.py": f"class SomePart{number}:\n    pass\n" for number in range(20)},
    "shop/pay.py": "from shop.price import compute_price\n\ncompute_price()  # run\n",
    "tests/test_cart.py": "from shop.price import compute_price, run\n\n\ndef test_price():\n    compute_price()\n",
}


@pytest.fixture(autouse=True)
def shop(enter):
    """A small repository, the current directory, with a cache of its own."""
    enter(FILES)


def test_the_most_used_come_first_below_their_files(capsys):
    assert main(["map"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:7] == [
        "shop/cart.py — Carts of customers (2):", "  4 class Cart  [4 files]", "  8 def unused_here()",
        "shop/price.py (2):", "  1 def compute_price()  [1 file]",
    ]  # fmt: skip
    assert not any("test" in line for line in lines)


def test_a_map_fits_its_budget_and_says_how_to_get_the_rest(capsys):
    for budget in range(50, 200, 5):
        assert main(["map", "--budget", str(budget)]) == 0
        printed = capsys.readouterr().out
        if "class Cart" in printed:
            break
    assert "class Cart" in printed
    assert "SomePart9" not in printed
    command = next(line for line in printed.splitlines() if line.startswith("next: ")).removeprefix("next: ")
    assert main(shlex.split(command, comments=True)[1:]) == 0
    assert "SomePart9" in capsys.readouterr().out
    assert main(["map", "--json"]) == 0
    symbols = json.loads(capsys.readouterr().out)["data"]["symbols"]
    assert next((each["symbol"], each["files"]) for each in symbols) == ("Cart", 4)


def test_a_path_is_explained_and_a_picture_is_drawn_if_asked_for(capsys, tmp_path):
    assert main(["map", "shop/cart.py"]) == 0
    assert "imported by" in capsys.readouterr().out
    assert main(["map", "--format", "svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
    assert main(["map", "-o", str(tmp_path / "map.svg")]) == 0
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    assert main(["map", "shop", "--format", "page"]) == 2
    assert "a picture shows the whole repository" in capsys.readouterr().err


def test_only_files_that_can_see_a_symbol_count_as_using_it(directory, capsys, monkeypatch):
    """A word like the name in another language, another package or a file without the import is no use of it."""
    go = {
        "go.mod": "module shop\n",
        "models/order.go": "package models\n\ntype Campaign struct{}\n\ntype hiddenPart struct{}\n",
        "models/more.go": "package models\n\nvar part hiddenPart\n",
        "api/api.go": 'package api\n\nimport "shop/models"\n\nvar all []models.Campaign // hiddenPart\n',
        "other/other.go": "package other\n\n// Campaign is not used here, nor is hiddenPart.\nfunc Run() {}\n",
        "web/page.js": "const hiddenPart = 'Campaign'\n",
    }
    monkeypatch.chdir(directory(go))
    assert main(["map", "--json"]) == 0
    counts = {each["symbol"]: each["files"] for each in json.loads(capsys.readouterr().out)["data"]["symbols"]}
    assert (counts["Campaign"], counts["hiddenPart"]) == (1, 1)


def test_a_name_that_is_passed_on_is_used_through_the_module_that_passes_it_on(directory, capsys, monkeypatch):
    monkeypatch.chdir(
        directory(
            {
                "shop/__init__.py": "from shop.cart import *\n",
                "shop/cart.py": "class ShoppingCart:\n    pass\n",
                "app.py": "import shop\n\nshop.ShoppingCart()\n",
                "tool.py": "print('ShoppingCart')\n",
            }
        )
    )
    assert main(["map", "--json"]) == 0
    counts = {each["symbol"]: each["files"] for each in json.loads(capsys.readouterr().out)["data"]["symbols"]}
    assert counts["ShoppingCart"] == 1
