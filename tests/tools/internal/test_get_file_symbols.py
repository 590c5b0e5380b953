"""get_file_symbols outlines a file."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import UsageError
from avionics.tools.answers.answer import render
from avionics.tools.internal.symbols.get_file_symbols import ProblemItem, get_file_symbols

MODELS = """\
shop/models.py: 10 symbols in 35 lines of python — What is sold

6-13 class Record — Something that is kept
  9-10 def save(self, force: bool = False) -> None — Keep it
  12-13 def unused(self) -> None — Nobody asks for it
16-22 class Item(Record) — A thing with a price
  19 price: int = 0
  21-22 def save(self, force: bool = False) -> None
25-35 class Order(Record) — What somebody buys
  28-29 def __init__(self) -> None
  29 self.items: list[Item] = []
  31-35 def add(self, item: Item) -> Order — Put an item in

[complete: 10 of 10]"""


def test_symbols_are_nested_with_lines_signatures_and_documentation(shop):
    assert render(get_file_symbols(shop(), "shop/models.py")) == MODELS


def test_a_package_means_its_own_file(shop):
    answer = get_file_symbols(shop(), "shop")
    assert (answer.path, answer.coverage.status) == ("shop/__init__.py", Status.SUCCESS)


def test_what_could_not_be_parsed_is_listed_and_the_rest_is_there(shop):
    answer = get_file_symbols(shop({"bad.py": "def good(): pass\n\n\ndef (:\n\n\nclass Fine: pass\n"}), "bad.py")
    assert {"good", "Fine"} <= {each.symbol for each in answer.symbols}
    assert [type(each) for each in answer.problems] == [ProblemItem] * len(answer.problems)
    assert answer.problems[0].line == 4


def test_a_file_that_cannot_be_outlined_is_refused_with_the_reason(shop):
    workspace = shop()
    with pytest.raises(UsageError, match="unsupported language") as refused:
        get_file_symbols(workspace, "README.md")
    assert "python" in refused.value.hint
    with pytest.raises(UsageError, match="is a directory"):
        get_file_symbols(workspace, "tests")
    with pytest.raises(UsageError, match=r"no file or directory named 'shop/modls\.py'") as refused:
        get_file_symbols(workspace, "shop/modls.py")
    assert refused.value.hint.startswith("did you mean shop/models.py")
    with pytest.raises(UsageError, match="outside the workspace"):
        get_file_symbols(workspace, "../x.py")
