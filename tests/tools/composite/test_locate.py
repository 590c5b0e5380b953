"""locate finds where something is, by the surest way that answers."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import UsageError
from avionics.tools.answers.answer import to_result
from avionics.tools.answers.items import PlaceItem, SymbolItem
from avionics.tools.composite.locate import LocatedFile, locate
from avionics.tools.resolution.symbol_resolver import FOLDED, PREFIX, resolve_symbol


def places(answer) -> list[str]:
    """`file:line` of every match, in order."""
    return [f"{match.file}:{match.line}" for match in answer.matches]


def test_a_name_is_found_with_its_signature_documentation_and_lines(shop):
    answer = locate(shop(), "total_of")
    assert answer.matches == (
        SymbolItem(
            "shop/pricing.py", 6, 6, 8, "total_of", "function", "def total_of(order: Order) -> float",
            "The price of an order, with tax.",
        ),
    )  # fmt: skip
    assert (answer.way, [attempt.outcome for attempt in answer.attempts]) == ("exact name", ["found"])


@pytest.mark.parametrize(
    ("text", "way", "found"),
    [
        ("Order.add", "exact name", ["shop/models.py:31"]),
        ("shop.Order", "exact name", ["shop/models.py:25"]),
        ("models.py:Order", "exact name", ["shop/models.py:25"]),
        ("Order.save", "exact name", ["shop/models.py:9"]),
        ("totalof", FOLDED, ["shop/pricing.py:6"]),
        ("order.ADD", FOLDED, ["shop/models.py:31"]),
        ("shop/cli.py:13", "place", ["shop/cli.py:11", "shop/cli.py:13"]),
        ("cli.py:1", "place", ["shop/cli.py:1"]),
        ("cli.py", "path", ["shop/cli.py:1"]),
        ("pricing", "path", ["shop/pricing.py:1"]),
        ("shop/pri", "path", ["shop/pricing.py:1"]),
        ("TAX", PREFIX, ["shop/pricing.py:3"]),
        ("cannot be empty", "text", ["README.md:3"]),
        ("items.append(item)", "text", ["shop/models.py:34"]),
    ],
)
def test_the_surest_way_that_finds_something_answers(shop, text, way, found):
    answer = locate(shop(), text)
    assert (answer.way, places(answer)) == (way, found)
    assert [attempt.found for attempt in answer.attempts if attempt.outcome == "found"] == [len(found)]


def test_product_code_comes_before_tests(shop):
    assert places(locate(shop({"tests/fakes.py": "class Order: pass\n"}), "Order")) == [
        "shop/models.py:25",
        "tests/fakes.py:1",
    ]


def test_a_directory_is_found_with_the_number_of_its_files(shop):
    assert locate(shop(), "shop").matches == (LocatedFile("shop", 1, "directory", 4, ""),)


def test_a_file_says_what_it_is_for(shop):
    assert "shop/models.py file — What is sold" in to_result(locate(shop(), "models.py")).text


def test_a_scope_narrows_every_way(shop):
    workspace = shop()
    assert locate(workspace, "Order.add", scope="tests").near[0].symbol == "Order.add"
    assert places(locate(workspace, "save", scope="tests")) == ["tests/test_orders.py:6"]
    assert places(locate(workspace, "Item()", scope="tests")) == ["tests/test_orders.py:11"]


def test_a_misspelt_name_is_not_found_with_near_names(shop):
    result = to_result(locate(shop(), "Recrod"))
    assert (result.status, result.message) == (Status.NOT_FOUND, "no match for 'Recrod' in symbols, paths or text")
    assert [each["symbol"] for each in result.data["near"]] == ["Record"]
    assert len(result.data["attempt_history"]) == 6


def test_a_misspelt_member_that_text_mentions_also_has_near_names(shop):
    answer = locate(shop({"notes.md": "Order.addd is long\n"}), "Order.addd")
    assert answer.matches == (PlaceItem("notes.md", 1, "Order.addd is long"),)
    assert answer.near[0].symbol == "Order.add"


def test_a_misspelt_path_is_not_found_with_near_paths(shop):
    answer = locate(shop(), "shop/pricng.py")
    assert (answer.matches, answer.near_paths[0].name) == ((), "shop/pricing.py")


def test_a_line_beyond_the_end_of_a_file_is_refused_with_its_length(shop):
    with pytest.raises(UsageError, match=r"^shop/pricing\.py has \d+ lines$"):
        locate(shop(), "shop/pricing.py:9999")


def test_text_longer_than_a_page_is_cut_and_says_so(shop):
    answer = locate(shop({"notes.md": "plenty of words\n" * 60}), "plenty of words")
    assert (answer.headline(), to_result(answer).status) == (
        "'plenty of words': at least 50 matches by text",
        Status.PARTIAL,
    )


def test_nothing_to_locate_and_a_scope_that_is_not_there_are_refused(shop):
    workspace = shop()
    with pytest.raises(UsageError, match="the symbol is empty"):
        locate(workspace, "  ")
    with pytest.raises(UsageError, match="no file or directory named 'src'"):
        locate(workspace, "Order", scope="src")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Policy<T>", ["Policies.cs:2", "Policies.cs:1", "Policies.cs:3"]),
        ("Policy<K, V>", ["Policies.cs:3", "Policies.cs:1", "Policies.cs:2"]),
        ("Policy<List<int>>", ["Policies.cs:2", "Policies.cs:1", "Policies.cs:3"]),
        ("Policy<T>.Wrap", ["Policies.cs:2"]),
        ("Order<T>", []),
    ],
)
def test_type_arguments_are_no_part_of_a_name_and_choose_among_types_of_it(workspace, text, found):
    source = (
        "class Policy { void Run() {} }\nclass Policy<T> { void Wrap() {} }\n"
        "class Policy<K, V> { Policy<K> a; void Run() {} }\n"
    )
    assert places(locate(workspace({"Policies.cs": source}), text)) == found


def test_a_use_of_a_generic_type_leads_to_that_type(workspace):
    opened = workspace({"A.cs": "class Box { }\nclass Box<T> { }\nclass Use {\n    Box<int> a;\n    Box b;\n}\n"})
    found = [[each.line for each in resolve_symbol(opened.code, "Box", "A.cs", line)] for line in (4, 5)]
    assert found == [[2], [1]]
