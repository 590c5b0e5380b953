"""The traverser: carries plans out, at once where it can, within its bounds, and as nobody else."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from avionics.agents.plans import AgentLimits, Plan, PlanStep
from avionics.agents.traverser import Traverser
from avionics.model import Caller, Status, ToolCall, ToolContext
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import permitted
from tests.timing import PATIENCE_SECONDS

LOCATE = PlanStep("1", "locate", {"symbol": "Order"})


def traverse(workspace, *steps, done=(), limits=None, observers=(), budget=None):
    executor = ToolExecutor(guards=(permitted(),), observers=observers, reraise=True)
    context = ToolContext(Caller("test", role="planner"), workspace, budget_tokens=budget)
    traverser = Traverser(executor, context, limits)
    return asyncio.run(traverser.traverse(Plan(steps), done))


def test_only_the_traverser_executes(shop):
    executor = ToolExecutor(guards=(permitted(),))
    planner = ToolContext(Caller("test", role="planner"), shop)
    assert executor.run(ToolCall("locate", {"symbol": "Order"}), planner).error_type == "permission_denied"
    assert traverse(shop, LOCATE)[0].result.status is Status.SUCCESS


def test_every_call_passes_the_pipeline_as_the_traverser(shop):
    seen = []
    traverse(shop, LOCATE, PlanStep("2", "git_status"), observers=(seen.append,))
    assert {(each.call.name, each.context.caller.role) for each in seen} == {
        ("locate", "traverser"), ("git_status", "traverser"),
    }  # fmt: skip


def test_results_come_in_the_order_of_the_steps(shop):
    found = traverse(shop, PlanStep("b", "git_status"), LOCATE, PlanStep("a", "list_tools"))
    assert [each.step.id for each in found] == ["b", "1", "a"]


def test_a_step_uses_what_an_earlier_one_found(shop):
    found = traverse(shop, LOCATE, PlanStep("2", "read_code", {"path": "$1.file", "start_line": "$1.line"}))
    assert found[1].step.arguments == {"path": "shop/models.py", "start_line": 11}
    assert "class Order(Record):" in found[1].text


@pytest.mark.parametrize(
    ("first", "reason"),
    [({"symbol": "Nonesuch123"}, "step 1 found no value for it"), ({"symbol": "Order"}, "step 1 found no 'colour'")],
)
def test_a_step_without_what_it_needs_is_not_run(shop, first, reason):
    found = traverse(shop, PlanStep("1", "locate", first), PlanStep("2", "read_code", {"path": "$1.colour"}))
    assert found[1].result.error == f"not run: {reason}"


def test_independent_steps_run_at_once():
    from avionics.tools.catalog import ToolCatalog, ToolCategory, ToolId

    together = threading.Barrier(5)

    def meet(symbol: str) -> dict[str, str]:
        together.wait(PATIENCE_SECONDS)
        time.sleep(0.02)
        return {"symbol": symbol}

    catalog = ToolCatalog()
    catalog.register_function(ToolId.LOCATE, meet, "meet", {"symbol": "string"}, ToolCategory.COMPOSITE)
    traverser = Traverser(ToolExecutor(catalog), ToolContext())
    steps = tuple(PlanStep(str(number), "locate", {"symbol": "x"}) for number in range(5))
    found = asyncio.run(traverser.traverse(Plan(steps)))
    assert [each.result.status for each in found] == [Status.SUCCESS] * 5
    assert all(each.milliseconds >= 20 for each in found)


def test_calls_are_bounded_over_all_rounds(shop):
    steps = tuple(PlanStep(str(number), "locate", {"symbol": "Order"}) for number in range(3))
    done = traverse(shop, LOCATE)
    found = traverse(shop, *steps, done=done, limits=AgentLimits(max_calls=2))
    assert [each.result.error_type for each in found] == ["", "bounds", "bounds"]


def test_what_may_be_read_is_bounded(shop):
    done = traverse(shop, LOCATE)
    assert traverse(shop, LOCATE, done=done, limits=AgentLimits(max_tokens=10))[0].result.error_type == "bounds"


def test_a_budget_is_shared_by_the_steps_of_a_plan(shop):
    seen = []
    traverse(shop, LOCATE, PlanStep("2", "git_status"), observers=(seen.append,), budget=900)
    assert [each.context.budget_tokens for each in seen] == [450, 450]
    traverse(shop, LOCATE, observers=(seen.append,), budget=0)
    assert seen[-1].context.budget_tokens == 0
