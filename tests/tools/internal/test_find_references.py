"""find_references lists every usage of a definition."""

from __future__ import annotations

from avionics.model.enums import Status
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.answer import to_result
from avionics.tools.answers.next_step import write_python
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from avionics.tools.internal.symbols.find_references import find_references


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
    assert write_python(answer.coverage.next).startswith(
        "find_references(symbol='add', file='shop/models.py', line=31)"
    )
    assert [each.line for each in find_references(workspace, "add", "shop/models.py", 31).usages] == [11]


def test_a_name_imported_under_another_is_followed(shop):
    more = {"a.py": "from shop import total_of as price\n\nprint(price(1))\n"}
    answer = find_references(shop(more), "total_of")
    assert [(each.line, each.role) for each in answer.usages if each.file == "a.py"] == [(1, "import"), (3, "call")]


def test_an_unknown_name_is_not_found_with_near_names(shop):
    result = to_result(find_references(shop(), "total_off"))
    assert (result.status, [each["symbol"] for each in result.data["near"]]) == (Status.NOT_FOUND, ["total_of"])


def test_of_very_many_usages_the_first_are_quoted_and_all_are_counted(workspace, monkeypatch):
    monkeypatch.setattr("avionics.tools.internal.symbols.find_references.MAX_QUOTED", 3)
    users = {f"src/u{at}.c": f'#include "a.h"\nstatic void user{at}(void) {{ grab({at}); }}\n' for at in range(5)}
    opened = workspace({"include/a.h": "int grab(int size);\n", **users})
    for tool in (find_references, explore_symbol_usage):
        answer = tool(opened, "grab")
        assert [(each.file, each.text) for each in answer.usages] == [
            (f"src/u{at}.c", f"static void user{at}(void) {{ grab({at}); }}") for at in range(3)
        ]
        assert (answer.coverage.found, answer.coverage.shown) == (5, 3)
        assert Reason(ReasonKind.NOT_QUOTED, 2) in answer.coverage.reasons
        assert to_result(answer).status is Status.PARTIAL
    assert [each.symbol for each in explore_symbol_usage(opened, "grab").callers] == ["user0", "user1", "user2"]
