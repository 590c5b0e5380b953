"""A small shop for tests of tools to ask about: a package, its tests, a page of documentation."""

from __future__ import annotations

import pytest

SHOP = {
    "README.md": "# Shop\n\nAn order cannot be empty.\n",
    "shop/__init__.py": """from .models import Order as Order
from .pricing import total_of

__all__ = ['Order', 'total_of']
""",
    "shop/models.py": '''"""What is sold. More words."""

from __future__ import annotations


class Record:
    """Something that is kept. More words."""

    def save(self, force: bool = False) -> None:
        """Keep it."""

    def unused(self) -> None:
        """Nobody asks for it."""


class Item(Record):
    """A thing with a price."""

    price: int = 0

    def save(self, force: bool = False) -> None:
        super().save(force)


class Order(Record):
    """What somebody buys."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def add(self, item: Item) -> Order:
        """Put an item in."""
        item.save()
        self.items.append(item)
        return self
''',
    "shop/pricing.py": '''from shop.models import Order

TAX_RATE = 0.2


def total_of(order: Order) -> float:
    """The price of an order, with tax."""
    return sum(item.price for item in order.items) * (1 + TAX_RATE)


def add(left: int, right: int) -> int:
    return left + right
''',
    "shop/cli.py": """import argparse

from shop import Order, pricing, total_of


def traced(function):
    return function


@traced
def main(thing) -> None:
    order = Order()
    order.save()
    print(total_of(order), total_of(order))
    thing.save()


def report():
    from shop.pricing import TAX_RATE

    return pricing.add(1, TAX_RATE)


main(total_of(Order()))
""",
    "tests/test_orders.py": """from shop import Order, total_of
from shop.models import Item


class Fake(Order):
    def save(self, force=False):
        super().save(force=True)


def test_total():
    order = Order().add(Item())
    order.save()
    assert total_of(order) == 0
""",
}


@pytest.fixture
def shop(workspace):
    """Return a function that opens a workspace of the shop; `shop({"a.py": "x = 1"})` has another file."""
    return lambda more=(): workspace({**SHOP, **dict(more)})
