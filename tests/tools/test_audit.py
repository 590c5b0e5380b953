"""Every call is written down, once, however it ended, and the writing changes nothing."""

from __future__ import annotations

import asyncio
import json
import os
import stat

import pytest

from avionics.model import Caller, Fallback, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import Guard, Refusal, ToolExecutor
from avionics.tools.observers.audit import JsonLinesSink, MemorySink, audited, observed
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent
from tests.timing import HOUR_SECONDS

CONTEXT = ToolContext(Caller("ada", "traverser"), thread_id="t", request_id="r", trace_id="x")


def tools_of(**functions):
    registry = ToolRegistry()
    for name, function in functions.items():
        registry.register_tool(
            ToolDefinition(name, function, {"x": "integer?"}, "Act", timeout_seconds=0.05 if name == "hang" else None)
        )
    return registry


async def fine(x=0):
    return {"doubled": 2 * x}


async def broken(x=0):
    raise KeyError("lost")


async def hang(x=0):
    await asyncio.sleep(HOUR_SECONDS)


def refuse_secret(step):
    return Refusal("rejected", "not this") if step.tool.name == "secret" else step


def build(sink, logger=None, **switches):
    registry = tools_of(fine=fine, broken=broken, hang=hang, secret=fine)
    return ToolExecutor(registry, [Guard(refuse_secret)], [audited(sink, **switches)], Settings(), logger or Silent())


def events(sink):
    return [event for event, _ in sink.records]


def test_a_call_is_recorded_from_access_to_result():
    sink = MemorySink()
    build(sink).run(ToolCall("fine", {"x": 2}, "c1"), CONTEXT)
    common = {
        "call_id": "c1",
        "tool": "fine",
        "caller": "ada",
        "role": "traverser",
        "thread_id": "t",
        "request_id": "r",
        "trace_id": "x",
    }
    records = [(event, dict(fields)) for event, fields in sink.records]
    assert all(record.pop("at") > 1.7e9 for _, record in records)
    assert records[-1][1].pop("duration_ms") >= 0
    assert records == [
        ("tool_access", {**common, "granted": True}),
        ("tool_invocation", {**common, "arguments": {"x": 2}}),
        ("tool_result", {**common, "success": True, "status": "success", "result_characters": len('{"doubled": 4}')}),
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "told", "error_type"),
    [
        ("secret", {}, ["tool_access", "tool_result"], "rejected"),
        ("broken", {}, ["tool_access", "tool_invocation", "tool_result"], "tool_error"),
        ("hang", {}, ["tool_access", "tool_invocation", "tool_result"], "deadline"),
        ("fine", {"x": "2"}, ["tool_result"], "validation_error"),
        ("nothing", {}, ["tool_result"], "tool_not_found"),
    ],
)
def test_a_call_that_gave_nothing_is_recorded_exactly_once(name, arguments, told, error_type):
    sink = MemorySink()
    result = build(sink).run(ToolCall(name, arguments, "c1"), CONTEXT)
    assert events(sink) == told
    (end,) = sink.find_records("tool_result")
    assert (end["success"], end["status"], end["error_type"], end["error"]) == (
        False,
        "error",
        error_type,
        result.error,
    )


def test_a_cancelled_call_is_recorded_exactly_once_and_leaves_nothing_running():
    sink, cleaned, begun = MemorySink(), [], asyncio.Event()

    async def endless(x=0):
        begun.set()
        try:
            await asyncio.sleep(HOUR_SECONDS)
        finally:
            cleaned.append(True)

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("endless", endless, {}, "Wait"))
    executor = ToolExecutor(registry, observers=[audited(sink)], settings=Settings())

    async def cancel():
        task = asyncio.create_task(executor.execute(ToolCall("endless")))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert asyncio.run(cancel()) == 1
    assert cleaned == [True]
    (end,) = sink.find_records("tool_result")
    assert (end["success"], end["status"], end["result_characters"]) == (False, "cancelled", 0)


def test_a_refusal_says_why_and_never_became_an_invocation():
    sink = MemorySink()
    build(sink).run(ToolCall("secret"), CONTEXT)
    (access,) = sink.find_records("tool_access")
    assert (access["granted"], access["error_type"], access["reason"]) == (False, "rejected", "not this")


@pytest.mark.parametrize("off", ["access", "invocations", "results"])
def test_each_kind_of_record_can_be_switched_off(off):
    sink = MemorySink()
    build(sink, **{off: False}).run(ToolCall("fine"), CONTEXT)
    kinds = {"access": "tool_access", "invocations": "tool_invocation", "results": "tool_result"}
    assert events(sink) == [event for kind, event in kinds.items() if kind != off]


def test_a_sink_that_fails_changes_no_result_and_starves_no_other():
    class Full:
        def record(self, event, fields):
            raise OSError("disk full")

    sink, log = MemorySink(), Silent()
    executor = ToolExecutor(tools_of(fine=fine), (), [audited(Full()), audited(sink)], Settings(), log)
    assert executor.run(ToolCall("fine", {"x": 1})).data == {"doubled": 2}
    assert events(sink) == ["tool_access", "tool_invocation", "tool_result"]
    assert log.lines == ["observer of fine failed: OSError: disk full"] * 3


def test_a_fallback_that_ran_is_recorded_as_its_own_invocation():
    async def nothing(x=0):
        return {"status": "not_found"}

    registry, sink = tools_of(fine=fine), MemorySink()
    registry.register_tool(ToolDefinition("first", nothing, {"x": "integer?"}, "Try", fallbacks=(Fallback("fine"),)))
    ToolExecutor(registry, observers=[audited(sink)], settings=Settings()).run(ToolCall("first", {"x": 3}))
    assert [(event, fields["tool"]) for event, fields in sink.records] == [
        ("tool_access", "first"),
        ("tool_invocation", "first"),
        ("tool_access", "fine"),
        ("tool_invocation", "fine"),
        ("tool_result", "first"),
    ]


def test_memory_keeps_the_newest_records():
    sink = MemorySink(max_records=2)
    for number in range(5):
        sink.record("n", {"number": number})
    assert [fields["number"] for fields in sink.find_records("n")] == [3, 4]


def test_a_file_gets_one_json_object_a_line_that_only_its_owner_may_read(tmp_path):
    path = tmp_path / "audit.jsonl"
    executor = build(JsonLinesSink(path))
    executor.run(ToolCall("fine", {"x": 1}, "one\ntwo"), CONTEXT)
    executor.run(ToolCall("broken"), CONTEXT)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["tool_access", "tool_invocation", "tool_result"] * 2
    assert lines[0]["call_id"] == "one\ntwo"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links are followed here")
def test_a_file_that_is_a_link_is_not_written_to(tmp_path):
    (tmp_path / "audit.jsonl").symlink_to(tmp_path / "elsewhere")
    log = Silent()
    assert build(JsonLinesSink(tmp_path / "audit.jsonl"), log).run(ToolCall("fine")).data == {"doubled": 0}
    assert len(log.lines) == 3
    assert not (tmp_path / "elsewhere").exists()


def test_an_observation_carries_the_whole_outcome():
    sink = MemorySink()
    executor = ToolExecutor(tools_of(fine=fine, broken=broken), (), [observed(sink)], Settings(), Silent())
    executor.run(ToolCall("fine", {"x": 2}, "c1"), CONTEXT)
    executor.run(ToolCall("broken", {}, "c2"), CONTEXT)
    records = [dict(fields) for fields in sink.find_records("TOOL_EXECUTION")]
    assert all(record.pop("metadata")["duration"] >= 0 for record in records)
    common = {"type": "TOOL_EXECUTION", "threadId": "t", "traceId": "x"}
    assert records == [
        {
            **common,
            "callId": "c1",
            "toolName": "fine",
            "arguments": {"x": 2},
            "status": "success",
            "output": {"doubled": 4},
        },
        {
            **common,
            "callId": "c2",
            "toolName": "broken",
            "arguments": {},
            "status": "error",
            "error": "KeyError: 'lost'",
            "errorType": "tool_error",
        },
    ]


def test_ended_calls_become_spans():
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from avionics.tools.observers.telemetry import OpenTelemetrySink

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    executor = build(OpenTelemetrySink(tracer))
    with tracer.start_as_current_span("request") as request:
        executor.run(ToolCall("fine", {"x": 1}, "c1"), CONTEXT)
        executor.run(ToolCall("hang", {}, "c2"), CONTEXT)
    spans = exporter.get_finished_spans()[:2]
    assert [span.name for span in spans] == ["execute_tool fine", "execute_tool hang"]
    assert all(span.parent.span_id == request.get_span_context().span_id for span in spans)
    assert spans[1].end_time - spans[1].start_time >= 0.05e9
    assert [span.status.is_ok for span in spans] == [True, False]
    assert dict(spans[1].attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "hang",
        "gen_ai.tool.call.id": "c2",
        "gen_ai.conversation.id": "t",
        "avionics.status": "error",
        "avionics.result_characters": 0,
        "error.type": "deadline",
    }
