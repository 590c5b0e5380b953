"""Whatever is asked, with everything on: a result in the documented format, and exactly one record of its end.

`tests/bench/bench_many_calls.py` asks ten thousand times.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from avionics.model import Caller, RiskLevel, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.catalog import ToolDefinition
from avionics.tools.execution.overflow_store import Offload
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import EnabledTools, ToolRejection, approved, enabled, permitted, transformed
from avionics.tools.observers.audit import MemorySink, audited, observed
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent
from tests.timing import HOUR_SECONDS

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = ("ask", "risky", "off", "broken", "slow", "thread", "nowhere")
KEYS = st.sampled_from(["x", "items", "password", "self", "context", "arguments", "workspace"])
ARGUMENTS = (
    JSON
    | st.fixed_dictionaries({}, optional={"x": st.integers(), "items": st.lists(JSON, max_size=3)})
    | (st.dictionaries(KEYS | st.text(max_size=8), JSON, max_size=4))
)
RETURNED = JSON | st.dictionaries(st.sampled_from(["status", "data", "message", "error", "hint"]), JSON)
CALLS = st.lists(st.tuples(st.sampled_from(NAMES) | JSON, ARGUMENTS, st.text(max_size=5)), min_size=1, max_size=5)
QUESTIONS = {
    "calls": CALLS,
    "returned": RETURNED,
    "budget": st.none() | st.integers(-1, 200),
    "role": st.sampled_from(["", "planner"]),
}
REQUIRED = {
    "success": {"status", "data", "execution_time_ms"},
    "not_found": {"status", "data", "message", "execution_time_ms"},
    "partial": {"status", "data", "message", "execution_time_ms"},
    "error": {"status", "error", "error_type", "execution_time_ms"},
}


def transform(tool, args, user, context):
    return ToolRejection("not a nine") if args.get("x") == 9 else {**args, "x": args.get("x", 1)}


def build(returned: Any, sink: MemorySink) -> ToolExecutor:
    """Every guard, every observer, and tools that do all that tools do."""

    async def ask(x: int = 0, items: list[Any] | None = None) -> Any:
        return returned

    async def broken(**arguments: Any) -> Any:
        raise ValueError(returned)

    async def slow(**arguments: Any) -> Any:
        await asyncio.sleep(HOUR_SECONDS)

    def thread(**arguments: Any) -> Any:
        return returned

    registry, threads = ToolRegistry(), EnabledTools()
    threads.set_enabled("", [name for name in NAMES if name != "off"])
    for name, function in (
        ("ask", ask),
        ("risky", ask),
        ("off", ask),
        ("broken", broken),
        ("slow", slow),
        ("thread", thread),
    ):
        risk = RiskLevel.HIGH if name == "risky" else RiskLevel.LOW
        schemas = {"x": "integer?", "items": "array?", "password": "any?"}
        if function is ask:
            del schemas["password"]
        limit = 0.001 if name == "slow" else None
        registry.register_tool(ToolDefinition(name, function, schemas, "Act", risk_level=risk, timeout_seconds=limit))
    guards = (
        enabled(threads),
        permitted(),
        transformed(transform),
        approved(lambda request: bool(request.arguments["x"] % 2)),
    )
    return ToolExecutor(registry, guards, (audited(sink), observed(sink)), Settings(), Silent(), offload=Offload())


@settings(max_examples=50)
@given(**QUESTIONS)
def test_no_call_whatsoever_raises_breaks_the_format_or_escapes_the_audit(calls, returned, budget, role):
    sink = MemorySink()
    executor = build(returned, sink)
    batch = [ToolCall(name, arguments, call_id) for name, arguments, call_id in calls]
    context = ToolContext(Caller("ada", role), budget_tokens=budget)
    results = asyncio.run(executor.execute_tools(batch, context, max_concurrent=2))
    assert [each.call_id for each in results] == [call.id for call in batch]
    for each in results:
        plain = each.result.to_dict()
        optional = {"validation_errors", "hint"} if plain["status"] == "error" else set()
        assert REQUIRED[plain["status"]] <= set(plain) <= REQUIRED[plain["status"]] | optional
        assert type(plain["execution_time_ms"]) is int
        assert plain["execution_time_ms"] >= 0
        json.dumps([plain, each.to_dict()])
    assert sorted(record["call_id"] for record in sink.find_records("tool_result")) == sorted(call.id for call in batch)
    assert len(sink.find_records("TOOL_EXECUTION")) == len(batch)
    json.dumps([fields for _, fields in sink.records])
