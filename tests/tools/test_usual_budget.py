"""The answer to a question is shorter by default than other answers, in every interface."""

from __future__ import annotations

import pytest

from avionics.model.tools import ToolCall, ToolContext
from avionics.tools.executor import ToolExecutor

FILES = {
    f"app/part{number}.py": f"def handle_order_{number}(order):\n" + "".join(
        f"    order.check_the_order_line_{line}_of_part_{number}()\n" for line in range(40)
    )
    for number in range(30)
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        ({"query": "what is in app"}, 1.1 * 1_200 * 4),
        ({"query": "show me the code of app/part1.py handle_order_1"}, 1.1 * 2_000 * 4),
        ({"query": "how are orders and their order lines checked in each of the parts"}, 1.1 * 1_200 * 4),
    ],
)
def test_a_question_is_answered_within_its_usual_budget(workspace, settings, arguments, most):
    context = ToolContext(workspace=workspace(FILES))
    result = ToolExecutor(settings=settings).run(ToolCall("analyze", arguments), context)
    assert 0 < len(result.text) <= most


def test_a_question_has_a_smaller_budget_than_the_tools_that_answer_it(workspace, settings):
    executor, context = ToolExecutor(settings=settings), ToolContext(workspace=workspace(FILES))
    listed = executor.run(ToolCall("grep_search", {"pattern": "check_the_order_line"}), context)
    asked = executor.run(ToolCall("analyze", {"query": "`check_the_order_line` in which files?"}), context)
    assert len(asked.text) <= 1.1 * 1_200 * 4 < len(listed.text) <= 1.1 * 2_000 * 4
