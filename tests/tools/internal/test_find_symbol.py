"""find_symbol finds definitions by name."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status, SymbolKind
from avionics.model.errors import UsageError
from avionics.tools.answers.answer import to_result
from avionics.tools.declare import get_declaration
from avionics.tools.internal.symbols.find_symbol import find_symbol
from avionics.tools.resolution.symbol_resolver import EXACT, FOLDED, PREFIX


def names(answer) -> list[str]:
    """What was found, in order."""
    return [each.symbol for each in answer.symbols]


def test_the_exact_name_comes_first_then_case_then_the_start(shop):
    workspace = shop()
    found = {name: find_symbol(workspace, name) for name in ("add", "ADD", "ad")}
    assert {name: (answer.way, names(answer)) for name, answer in found.items()} == {
        "add": (EXACT, ["add", "Order.add"]),
        "ADD": (FOLDED, ["add", "Order.add"]),
        "ad": (PREFIX, ["add", "Order.add"]),
    }


def test_a_kind_and_a_scope_narrow_it(shop):
    workspace = shop()
    assert names(find_symbol(workspace, "add")) == ["add", "Order.add"]
    assert names(find_symbol(workspace, "add", SymbolKind.METHOD)) == ["Order.add"]
    assert names(find_symbol(workspace, "save", scope="tests")) == ["Fake.save"]


def test_an_unknown_kind_is_refused_with_the_known_ones():
    parameters = get_declaration(find_symbol).parameters
    (fault,) = parameters.find_faults({"name": "x", "kind": "klass"})
    assert "kind" in fault
    assert all(kind.value in fault for kind in SymbolKind)


def test_a_name_of_another_kind_is_near(shop):
    answer = find_symbol(shop(), "Order", SymbolKind.FUNCTION)
    assert answer.headline() == "no function named 'Order'"
    assert ([each.symbol for each in answer.near], to_result(answer).status) == (["Order"], Status.NOT_FOUND)


def test_an_empty_name_is_refused(shop):
    with pytest.raises(UsageError, match="the name is empty"):
        find_symbol(shop(), " ")
