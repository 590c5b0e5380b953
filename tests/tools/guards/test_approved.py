"""What is risky runs only after somebody said yes to exactly that."""

from __future__ import annotations

import asyncio

import pytest

from avionics.model import Caller, RiskLevel, ToolCall, ToolContext
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import Approvals, approved, build_digest, transformed
from tests.timing import HOUR_SECONDS


def call(executor, **arguments):
    return executor.run(ToolCall("act", arguments), ToolContext(Caller("ada"), thread_id="t"))


@pytest.mark.parametrize("risk", list(RiskLevel))
def test_only_what_is_of_high_risk_needs_approval(pipeline, ran, risk):
    result = call(pipeline(approved(), risk_level=risk), x=1)
    assert result.error_type == ("approval_required" if risk is RiskLevel.HIGH else "")
    assert bool(ran) == (risk is not RiskLevel.HIGH)


def test_nobody_approves_unless_somebody_is_asked(pipeline):
    registry = pipeline(risk_level=RiskLevel.HIGH).registry
    digest = build_digest("act", {"x": 1}, "ada", "t")
    assert call(ToolExecutor(registry), x=1).to_dict() | {"execution_time_ms": 0} == {
        "status": "error",
        "error": "act has high risk and was not approved",
        "error_type": "approval_required",
        "hint": f"request approval of {digest}",
        "execution_time_ms": 0,
    }


def test_a_policy_may_say_otherwise(pipeline):
    assert call(pipeline(approved(risks=()), risk_level=RiskLevel.HIGH), x=1).status == "success"
    assert call(pipeline(approved(risks=[RiskLevel.LOW])), x=1).error_type == "approval_required"


def test_the_approver_sees_what_will_run(pipeline, ran):
    asked = []

    def approve(request):
        asked.append(request)
        return True

    executor = pipeline(approved(approve), transformed(lambda *_: {"x": 9}), risk_level=RiskLevel.HIGH)
    assert call(executor, x=1).status == "success"
    (request,) = asked
    assert (request.tool, request.arguments, request.risk_level) == ("act", {"x": 9}, RiskLevel.HIGH)
    assert (request.caller.id, request.thread_id, request.digest) == (
        "ada",
        "t",
        build_digest("act", {"x": 9}, "ada", "t"),
    )
    assert ran == [{"x": 9}]


def test_an_approver_may_take_its_time(pipeline):
    async def approve(request):
        await asyncio.sleep(0)
        return request.arguments["x"] == 1

    executor = pipeline(approved(approve), risk_level=RiskLevel.HIGH)
    assert [call(executor, x=x).error_type for x in (1, 2)] == ["", "approval_required"]


@pytest.mark.parametrize("answer", [False, None, "yes", 1])
def test_anything_but_true_is_no(pipeline, ran, answer):
    assert call(pipeline(approved(lambda _: answer), risk_level=RiskLevel.HIGH), x=1).error_type == "approval_required"
    assert ran == []


def test_what_runs_is_what_was_approved_whatever_the_caller_changes_meanwhile(ran):
    from avionics.settings import Settings
    from avionics.tools.catalog import ToolDefinition
    from avionics.tools.registry import ToolRegistry

    async def act(rows):
        ran.append(rows)

    registry, rows = ToolRegistry(), [1]
    registry.register_tool(ToolDefinition("act", act, {"rows": "array"}, "Act", risk_level=RiskLevel.HIGH))

    async def approve(request):
        rows.append(2)
        return True

    executor = ToolExecutor(registry, [approved(approve)], settings=Settings())
    assert call(executor, rows=rows).status == "success"
    assert ran == [[1]]


def test_an_approval_is_for_one_caller_in_one_thread(pipeline):
    approvals = Approvals()
    executor = pipeline(approved(approvals), risk_level=RiskLevel.HIGH)

    def ask(caller, thread):
        return executor.run(ToolCall("act", {"x": 1}), ToolContext(Caller(caller), thread_id=thread)).error_type

    digest = call(executor, x=1).hint.rpartition(" ")[2]
    approvals.grant(digest)
    assert [ask("eve", "t"), ask("ada", "u"), ask("ada", "t"), ask("ada", "t")] == [
        "approval_required", "approval_required", "", "approval_required"
    ]  # fmt: skip


def test_an_approval_between_two_calls_is_for_those_arguments_and_good_once(pipeline):
    approvals = Approvals()
    executor = pipeline(approved(approvals), risk_level=RiskLevel.HIGH)
    digest = call(executor, x=1).hint.rpartition(" ")[2]
    approvals.grant(digest)
    assert [call(executor, x=x).error_type for x in (2, 1, 1)] == ["approval_required", "", "approval_required"]


def test_the_digest_is_of_tool_and_arguments_whatever_their_order():
    assert build_digest("act", {"a": 1, "b": [2]}) == build_digest("act", {"b": (2,), "a": 1})
    different = {
        build_digest(*each) for each in [("act", {"a": 1}), ("act", {"a": "1"}), ("act", {"b": 1}), ("b", {"a": 1})]
    }
    assert len(different) == 4


def test_an_approver_that_fails_approves_nothing(pipeline, ran):
    def approve(request):
        raise KeyError("no terminal")

    assert call(pipeline(approved(approve), risk_level=RiskLevel.HIGH), x=1).error_type == "tool_error"
    assert ran == []


def test_a_deadline_of_the_call_ends_the_wait_for_an_approver(pipeline, ran):
    async def approve(request):
        await asyncio.sleep(HOUR_SECONDS)

    executor = pipeline(approved(approve), risk_level=RiskLevel.HIGH)
    result = executor.run(ToolCall("act", {"x": 1}), ToolContext(timeout_seconds=0.05))
    assert (result.error_type, result.error, ran) == ("deadline", "act did not answer within 0.05 s", [])
