"""find_references lists every usage of a definition."""

from __future__ import annotations

from avionics.tools.answer import to_result
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from avionics.tools.internal.find_references import find_references
from protocols.enums import Status


def test_it_is_the_same_report_as_explore_symbol_usage(shop):
    workspace = shop()
    listed, explored = find_references(workspace, "Record.save"), explore_symbol_usage(workspace, "Record.save")
    assert listed.usages == explored.usages
    assert (listed.definitions, listed.unresolved) == (explored.definitions, explored.unresolved)
    assert (listed.headline(), listed.coverage) == (explored.headline(), explored.coverage)


def test_the_other_definitions_of_the_name_are_listed_and_can_be_asked_for(shop):
    workspace = shop()
    answer = find_references(workspace, "add")
    assert [each.symbol for each in answer.other_definitions] == ["Order.add"]
    assert (
        answer.coverage.next == "find_references(symbol='add', file='shop/models.py', line=31) for Order.add, the other"
    )
    assert [each.line for each in find_references(workspace, "add", "shop/models.py", 31).usages] == [11]


def test_a_name_imported_under_another_is_followed(shop):
    more = {"a.py": "from shop import total_of as price\n\nprint(price(1))\n"}
    answer = find_references(shop(more), "total_of")
    assert [(each.line, each.role) for each in answer.usages if each.file == "a.py"] == [(1, "import"), (3, "call")]


def test_an_unknown_name_is_not_found_with_near_names(shop):
    result = to_result(find_references(shop(), "total_off"))
    assert (result.status, [each["symbol"] for each in result.data["near"]]) == (Status.NOT_FOUND, ["total_of"])
