"""Answers about one workspace agree with each other and with those about a copy; see `bench_consistency.py`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from avionics.index.code_index import CodeIndex
from avionics.model.knowledge import Definition
from avionics.workspace import Workspace

Open = Callable[..., Workspace]
SCRIPT = Path(__file__).parents[1] / "bench" / "relation_checks.py"

FILES = {
    "shop/__init__.py": "from shop.orders import total_of_order\n__all__ = ['total_of_order']\n",
    "shop/orders.py": (
        "# total_of_order adds up.\n"
        "def total_of_order(order):\n    return sum(order.line_prices())\n\n\n"
        "class OrderLines:\n"
        "    def line_prices(self):\n        return [1]\n\n"
        "    def print_total(self):\n        print(total_of_order(self), 'total_of_order')\n"
    ),
    "tests/test_orders.py": (
        "from shop import total_of_order\nfrom shop.orders import OrderLines\n\n\n"
        "def test_total():\n    assert total_of_order(OrderLines()) == 1\n"
    ),
    "web/cart.ts": (
        "export function addToCart(name: string) { return name }\n"
        "export const cartHandlers = { onAdd: () => addToCart('a'), onKey() { addToCart('b') } }\n"
    ),
    "web/page.ts": "import { addToCart as add, cartHandlers } from './cart'\nadd('c')\ncartHandlers.onAdd()\n",
    "go.mod": "module example.com/shop\n",
    "store.go": (
        "package shop\n\ntype priceStore interface{ fetchPrice(name string) int }\n\n"
        "type memoryStore struct{}\n\nfunc (m memoryStore) fetchPrice(name string) int { return 1 }\n\n"
        'func totalPrice(s priceStore) int { return s.fetchPrice("a") }\n'
    ),
    "README.md": "Call `total_of_order`, or addToCart.\n",
}


@pytest.fixture
def checks():
    spec = importlib.util.spec_from_file_location("relation_checks", SCRIPT)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def iter_definitions(code: CodeIndex) -> Iterator[Definition]:
    for file in code.files:
        for index, symbol in enumerate(code.facts(file).symbols):
            yield Definition(file, symbol, index)


def test_answers_about_one_workspace_agree(workspace: Open, checks) -> None:
    opened = workspace(FILES)
    asked = list(iter_definitions(opened.code))
    assert list(checks.iter_caller_faults(opened, asked)) == []
    assert list(checks.iter_importer_faults(opened, opened.code.files)) == []
    assert list(checks.iter_impact_faults(opened, asked)) == []
    assert list(checks.iter_thread_faults(opened.code, asked, 1)) == []


def test_other_names_change_no_count_and_comments_one(workspace: Open, checks, tmp_path: Path) -> None:
    opened = workspace(FILES)
    assert list(checks.iter_copy_faults(opened, iter_definitions(opened.code), tmp_path / "copies")) == []


def test_a_caller_that_is_missed_is_a_fault(workspace: Open, checks, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = workspace(FILES)
    (asked,) = opened.code.find_definitions("total_of_order")
    monkeypatch.setattr("avionics.tools.composite.explore_symbol_usage.count_callers", lambda code, usages: {})
    assert list(checks.iter_caller_faults(opened, [asked])) == [
        "no caller for shop/orders.py:11, a call of shop/orders.py:2 total_of_order",
        "no caller for tests/test_orders.py:6, a call of shop/orders.py:2 total_of_order",
    ]
