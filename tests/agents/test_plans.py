"""Plans: how they are read, and everything that keeps one from running."""

from __future__ import annotations

import pytest

from avionics.agents.plans import Draft, Malformed, Plan, PlanStep, find_faults, plan_calls, read_plan
from avionics.model import ToolCall
from avionics.tools import EXPOSED_TOOL_IDS, tool_catalog

EXPOSED = frozenset(tool_id.value for tool_id in EXPOSED_TOOL_IDS)
STEP = PlanStep("1", "locate", {"symbol": "Order"}, "where it is")
WRITTEN = '{"steps": [{"id": "1", "tool": "locate", "arguments": {"symbol": "Order"}, "why": "where it is"}]}'


def faults_of(*steps: PlanStep, most: int = 6) -> tuple[str, ...]:
    return find_faults(Plan(steps), tool_catalog, EXPOSED, most)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"  {WRITTEN}\n",
        f"First I look.\n```json\n{WRITTEN}\n```\nThen I answer.",
        f"```\n{WRITTEN}\n```",
        f"Here is my plan: {WRITTEN}",
        WRITTEN.replace('{"symbol": "Order"}', '"{\\"symbol\\": \\"Order\\"}"'),
        WRITTEN.replace('"id": "1", ', ""),
    ],
)
def test_a_plan_is_read_whatever_is_around_it(text):
    assert read_plan(text) == Plan((STEP,), text)


def test_text_is_an_answer_and_so_is_an_object_that_says_so():
    assert read_plan("It is in shop/models.py:11.") == Draft("It is in shop/models.py:11.")
    assert read_plan('{"answer": "here"}') == Draft("here")
    assert read_plan("A dict is {} and a set is {1}.") == Draft("A dict is {} and a set is {1}.")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the reply is empty"),
        ('{"steps": [{"tool": "locate",}]}', "the plan is not JSON"),
        ('```json\n{"steps": [\n```', "the plan is not JSON"),
        ('{"steps": []}', 'the plan has no list "steps"'),
        ('{"steps": ["locate"]}', 'step 1: not an object with a "tool"'),
        ('{"steps": [{"tool": "locate", "arguments": [1]}]}', "step 1: its arguments are not an object"),
        ('{"steps": [{"tool": "locate", "arguments": "{"}]}', "step 1: its arguments are not JSON"),
        ('{"steps": [{"tool": "locate", "needs": "1"}]}', "step 1: its needs are not a list"),
    ],
)
def test_a_malformed_plan_says_why(text, fault):
    read = read_plan(text)
    assert isinstance(read, Malformed)
    assert read.faults[0].startswith(fault)


def test_calls_of_a_model_are_steps():
    plan = plan_calls((ToolCall("locate", {"symbol": "Order"}, "c1"), ToolCall("git_status")), "looking")
    assert [(step.id, step.tool) for step in plan.steps] == [("c1", "locate"), ("2", "git_status")]
    assert plan.is_native


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (PlanStep("1", "locat", {}), "step 1: there is no tool 'locat'; did you mean locate?"),
        (PlanStep("1", "rm", {}), "step 1: there is no tool 'rm'; known: analyze, "),
        (PlanStep("1", "grep_search", {"pattern": "x"}), "step 1: this caller may not use 'grep_search'"),
        (PlanStep("1", "locate", {}), "step 1: symbol: missing"),
        (PlanStep("1", "locate", {"symbol": 3}), "step 1: symbol: expected string"),
        (PlanStep("1", "locate", {"symbol": "a", "nope": 1}), "step 1: nope: unknown parameter"),
        (PlanStep("1", "read_code", {"path": "$2.file"}), "step 1: needs '2', which is not an earlier step"),
        (PlanStep("1", "read_code", {"path": "$1.file"}), "step 1: needs '1', which is not an earlier step"),
    ],
)
def test_a_plan_with_a_fault_is_known_before_it_runs(step, fault):
    assert faults_of(step)[0].startswith(fault)


def test_every_fault_of_a_plan_is_named_at_once():
    assert len(faults_of(PlanStep("1", "nope"), PlanStep("1", "locate"), PlanStep("2", "locate", {"x": 1}))) == 5


def test_a_plan_of_too_many_steps_is_refused():
    assert faults_of(STEP, PlanStep("2", "git_status"), most=1) == ("the plan has 2 steps; the limit is 1",)


def test_what_an_earlier_step_will_find_may_be_referred_to():
    assert faults_of(STEP, PlanStep("2", "read_code", {"path": "$1.file", "start_line": "$1.line"})) == ()
    assert faults_of(STEP, PlanStep("2", "read_code", {"pat": "$1.file"}))[0] == "step 2: pat: unknown parameter"
