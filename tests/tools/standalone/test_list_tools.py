"""list_tools: the tools an agent may ask."""

from __future__ import annotations

import pytest

from avionics.model import Status, UsageError
from avionics.tools import ToolCategory, tool_catalog
from avionics.tools.answers.answer import render, to_result
from avionics.tools.standalone.list_tools import list_tools


def test_without_a_category_it_lists_the_exposed_tools_in_their_order():
    answer = list_tools()
    assert [item.name for item in answer.tools] == [entry.id.value for entry in tool_catalog.get_exposed_entries()]
    assert answer.coverage.found == len(answer.tools)
    assert to_result(answer).status is Status.SUCCESS


def test_a_tool_is_listed_with_its_parameters_and_its_line():
    (item,) = (item for item in list_tools("standalone").tools if item.name == "list_tools")
    assert item.to_text() == "- list_tools(category?): List the tools you can ask, with their parameters."
    assert dict(item.parameters) == {"category": "string?"}
    assert item.to_text() in render(list_tools())


@pytest.mark.parametrize("category", ["unified", "composite", "resilient", "standalone"])
def test_a_category_lists_all_its_tools(category):
    entries = tool_catalog.get_entries_by_category(ToolCategory(category))
    assert [item.name for item in list_tools(category).tools] == [entry.id.value for entry in entries]


@pytest.mark.parametrize("category", ["internal", "everything", ""])
def test_a_category_that_is_not_for_agents_is_refused_with_those_that_are(category):
    with pytest.raises(UsageError) as caught:
        list_tools(category)
    assert caught.value.hint == "one of unified, composite, resilient, standalone"


def test_it_is_registered_as_it_is_declared():
    assert (
        tool_catalog.get_function(tool_catalog.get_entry(list_tools.__avionics_declaration__.tool_id).id) is list_tools
    )
