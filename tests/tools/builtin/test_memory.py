"""Memory: questions and the tool uses that answered them."""

from __future__ import annotations

import pytest

from avionics.tools.builtin import build_memory_tools
from avionics.tools.builtin.memory import MAX_QUESTION_CHARACTERS, ToolMemory, ToolUse


@pytest.fixture
def memory():
    save, search = build_memory_tools()
    for number, question in enumerate(("Who are our top customers by revenue?", "How many orders were late?")):
        output = save.execute(question=question, tool_name="run_sql", args={"sql": f"SELECT {number}"})
        assert output.data == {"saved": True, "remembered": number + 1}
    return search


def test_a_similar_question_finds_the_use_that_answered(memory):
    output = memory.execute(question="who is the top customer by revenue")
    assert [use["args"] for use in output.data["uses"]] == [{"sql": "SELECT 0"}]
    assert 0.7 <= output.data["uses"][0]["similarity"] <= 1


def test_a_question_of_another_kind_finds_nothing(memory):
    assert memory.execute(question="What is the weather?").data == {"uses": [], "similarity": "lexical"}


def test_the_threshold_is_seven_tenths_and_the_limit_ten_unless_asked_otherwise(memory):
    defaults = {row.name: row.default for row in memory.get_parameters()}
    assert (defaults["similarity_threshold"], defaults["limit"]) == (0.7, 10)
    assert len(memory.execute(question="late", similarity_threshold=0).data["uses"]) == 2


def test_the_most_similar_comes_first_and_the_limit_holds():
    memory = ToolMemory()
    for number in range(20):
        memory.save(ToolUse(f"orders of customer {number}", "run_sql", {}))
    found = memory.find_similar("orders of customer 7")
    assert len(found) == 10
    assert found[0] == (pytest.approx(1), ToolUse("orders of customer 7", "run_sql", {}))


def test_uses_can_be_narrowed_to_a_tool(memory):
    assert memory.execute(question="How many orders were late?", tool_name_filter="chart").data["uses"] == []


def test_the_same_use_is_kept_once_and_the_oldest_is_forgotten():
    memory = ToolMemory(capacity=2)
    for question in ("a", "b", "b", "c"):
        memory.save(ToolUse(question, "t", {}))
    assert len(memory) == 2
    assert memory.find_similar("a") == ()


@pytest.mark.parametrize(
    "arguments",
    [{"limit": 0}, {"limit": 101}, {"similarity_threshold": 2}, {"question": "x" * (MAX_QUESTION_CHARACTERS + 1)}],
)
def test_bounds_hold(memory, arguments):
    assert memory.execute(**{"question": "x", **arguments}).metadata["error_type"] == "ValidationError"
