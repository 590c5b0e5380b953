"""The pipeline: its order, its limits, and what becomes of a call in every case."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from avionics.model import (
    Caller,
    Coverage,
    Fallback,
    RiskLevel,
    Status,
    ToolCall,
    ToolContext,
    ToolResult,
    UsageError,
    complete,
)
from avionics.settings import Settings
from avionics.tools import ToolCatalog, ToolCategory, ToolDefinition, ToolId
from avionics.tools.answers.answer import estimate_tokens, part
from avionics.tools.answers.items import PlaceItem
from avionics.tools.executor import Guard, Observation, PendingCall, Refusal, Stage, ToolExecutor
from avionics.tools.executor_core import ToolExecutionCore
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent
from tests.timing import HOUR_SECONDS, PATIENCE_SECONDS, run_on_virtual_clock


@attrs.frozen
class Places:
    coverage: Coverage
    places: tuple[PlaceItem, ...] = part("Places")

    def headline(self) -> str:
        return f"{self.coverage.found} places"


class Root:
    """What the pipeline needs of a workspace: to be told when an answer begins and ends."""

    def __init__(self):
        self.answers = 0
        self.open = 0

    @contextmanager
    def pinned_index(self) -> Iterator[Root]:
        self.answers += 1
        self.open += 1
        yield self
        self.open -= 1


def catalog_of(**functions: Callable[..., Any]) -> ToolCatalog:
    """A catalog of tools by their names, parameters read off their signatures."""
    from avionics.tools.declare import read_signature

    catalog = ToolCatalog()
    for name, function in functions.items():
        catalog.register_function(ToolId(name), function, name, read_signature(function), ToolCategory.INTERNAL)
    return catalog


def executor_of(*, guards=(), observers=(), settings=None, **functions) -> ToolExecutor:
    return ToolExecutor(catalog_of(**functions), guards, observers, settings or Settings(), Silent())


async def echo(symbol: str, limit: int = 10) -> dict[str, Any]:
    return {"status": "success", "data": {"symbol": symbol, "limit": limit}}


def run(executor: ToolExecutor, tool: str, context: ToolContext | None = None, /, **arguments) -> dict[str, Any]:
    """The result in the documented format, without its time."""
    plain = executor.run(ToolCall(tool, arguments), context).to_dict()
    assert plain.pop("execution_time_ms") >= 0
    return plain


def test_a_call_gives_what_the_core_gives():
    core = ToolExecutionCore()
    for arguments in ({"symbol": "x", "limit": None}, {"limit": "3"}, {"symbol": "x", "other": 1}):
        schemas = catalog_of(locate=echo).get_tool("locate").parameter_schemas
        expected = asyncio.run(core.execute_tool(echo, arguments, schemas, "locate"))
        expected.pop("execution_time_ms")
        assert run(executor_of(locate=echo), "locate", **arguments) == expected


def test_an_unknown_tool_is_not_found_and_the_nearest_names_are_offered():
    assert run(executor_of(locate=echo, analyze=echo), "locat") == {
        "status": "error",
        "error": "there is no tool 'locat'",
        "error_type": "tool_not_found",
        "hint": "did you mean locate?",
    }


def test_the_global_catalog_is_asked_unless_another_is_given():
    assert run(ToolExecutor(), "list_tools")["status"] == "success"


def test_the_steps_come_in_their_order():
    seen = []

    def guard(name: str) -> Callable[[PendingCall], PendingCall]:
        def check(step: PendingCall) -> PendingCall:
            seen.append(name)
            return step

        return check

    class Even:
        def validate_value(self, value):
            seen.append("validate")
            return True, ""

    async def function(count):
        seen.append("run")
        return {}

    catalog = ToolCatalog()
    catalog.register_function(ToolId.LOCATE, function, "", {"count": Even()}, ToolCategory.INTERNAL)
    guards = [
        Guard(guard("what 1")),
        Guard(guard("who 1"), Stage.WHO),
        Guard(guard("what 2"), Stage.WHAT),
        Guard(guard("who 2"), Stage.WHO),
    ]
    executor = ToolExecutor(catalog, guards, [lambda _: seen.append("observe")], Settings())
    executor.run(ToolCall("locate", {"count": 2}))
    assert seen == ["who 1", "who 2", "validate", "what 1", "what 2", "validate", "run", "observe"]


def test_a_who_guard_refuses_before_the_arguments_are_looked_at():
    refuse = Guard(lambda _: Refusal("permission_denied", "planners only plan", "ask a traverser"), Stage.WHO)
    assert run(executor_of(guards=[refuse], locate=echo), "locate", wrong=1) == {
        "status": "error",
        "error": "planners only plan",
        "error_type": "permission_denied",
        "hint": "ask a traverser",
    }


def test_a_what_guard_sees_well_formed_arguments_only_and_may_change_them():
    seen = []

    def shorten(step: PendingCall) -> PendingCall:
        seen.append(dict(step.arguments))
        return step.evolve(arguments={**step.arguments, "limit": 1})

    executor = executor_of(guards=[Guard(shorten)], locate=echo)
    assert run(executor, "locate", limit="x")["error_type"] == "validation_error"
    assert run(executor, "locate", symbol="x")["data"] == {"symbol": "x", "limit": 1}
    assert seen == [{"symbol": "x"}]


def test_what_a_guard_made_of_the_arguments_is_validated_too():
    spoil = Guard(lambda step: step.evolve(arguments={"symbol": 3}))
    assert run(executor_of(guards=[spoil], locate=echo), "locate", symbol="x")["error_type"] == "validation_error"


def test_a_guard_may_take_its_time():
    async def approve(step: PendingCall) -> Refusal:
        await asyncio.sleep(0)
        return Refusal("approval_required", "nobody approved")

    assert run(executor_of(guards=[Guard(approve)], locate=echo), "locate", symbol="x")["error"] == "nobody approved"


def test_a_guard_that_fails_lets_nothing_through():
    ran = []

    def broken(step: PendingCall) -> PendingCall:
        raise KeyError("policy")

    def function() -> None:
        ran.append(True)

    for stage in Stage:
        assert run(executor_of(guards=[Guard(broken, stage)], locate=function), "locate") == {
            "status": "error",
            "error": "KeyError: 'policy'",
            "error_type": "tool_error",
        }
    assert ran == []


def test_observers_are_told_of_every_call_exactly_once_however_it_ends():
    seen: list[Observation] = []

    async def fail() -> None:
        raise KeyError("lost")

    async def hang() -> None:
        await asyncio.sleep(HOUR_SECONDS)

    refuse = Guard(lambda step: Refusal("rejected", "no") if step.tool.name == "git_diff" else step)
    executor = executor_of(
        guards=[refuse], observers=[seen.append], locate=echo, git_log=fail, git_blame=hang, git_diff=fail
    )
    calls = [
        (ToolCall("locate", {"symbol": "x"}), "success"),
        (ToolCall("locate", {}), "validation_error"),
        (ToolCall("nowhere"), "tool_not_found"),
        (ToolCall("git_log"), "tool_error"),
        (ToolCall("git_diff"), "rejected"),
        (ToolCall("git_blame"), "deadline"),
    ]
    for call, outcome in calls:
        context = ToolContext(timeout_seconds=0.01 if outcome == "deadline" else None, request_id=call.name)
        result = executor.run(call, context)
        assert (result.error_type or result.status.value) == outcome
        assert [(told.call, told.context, told.result) for told in seen] == [(call, context, result)]
        seen.clear()


def test_observers_are_told_of_calls_that_were_cancelled_or_raised():
    seen: list[Observation] = []
    begun = asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.sleep(HOUR_SECONDS)

    async def fail() -> None:
        raise KeyError("lost")

    async def cancel() -> None:
        task = asyncio.create_task(executor_of(observers=[seen.append], locate=hang).execute(ToolCall("locate")))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    with pytest.raises(KeyError):
        ToolExecutor(catalog_of(locate=fail), observers=[seen.append], reraise=True).run(ToolCall("locate"))
    assert [observation.result for observation in seen] == [None, None]


def test_an_observers_own_fault_changes_nothing_but_the_log():
    seen, log = [], Silent()

    def broken(observation: Observation) -> None:
        raise KeyError("disk full")

    executor = ToolExecutor(catalog_of(locate=echo), (), [broken, seen.append], Settings(), log)
    assert executor.run(ToolCall("locate", {"symbol": "x"})).status is Status.SUCCESS
    assert len(seen) == 1
    assert log.lines == ["observer of locate failed: KeyError: 'disk full'"]


def test_a_synchronous_caller_in_an_event_loop_is_told_to_await():
    executor = ToolExecutor(ToolRegistry(), settings=Settings())

    async def call():
        with pytest.raises(UsageError, match="cannot be used inside an event loop") as refused:
            executor.run(ToolCall("anything"))
        return refused.value.hint

    assert asyncio.run(call()) == "await execute(call, context)"


def test_a_hung_asynchronous_tool_ends_at_the_deadline_and_cleans_up():
    cleaned = []

    async def hang() -> None:
        try:
            await asyncio.sleep(HOUR_SECONDS)
        finally:
            cleaned.append(True)

    result = executor_of(locate=hang).run(ToolCall("locate"), ToolContext(timeout_seconds=0.1))
    assert cleaned == [True]
    assert result.execution_time_ms >= 100
    assert result.evolve(execution_time_ms=0) == ToolResult(
        Status.ERROR,
        error="locate did not answer within 0.1 s",
        error_type="deadline",
        hint="narrow the question, or allow more time",
    )


def test_a_hung_synchronous_tool_ends_at_the_deadline_though_its_thread_goes_on():
    release = threading.Event()

    def hang() -> None:
        release.wait(PATIENCE_SECONDS)

    result = executor_of(locate=hang).run(ToolCall("locate"), ToolContext(timeout_seconds=0.1))
    assert result.error_type == "deadline"
    release.set()


def test_the_least_of_the_limits_holds():
    async def hang() -> None:
        await asyncio.sleep(HOUR_SECONDS)

    catalog = ToolCatalog()
    catalog.register_function(ToolId.LOCATE, hang, "", {}, ToolCategory.INTERNAL, timeout_seconds=0.02)
    catalog.register_function(ToolId.ANALYZE, hang, "", {}, ToolCategory.INTERNAL)
    executor = ToolExecutor(catalog, settings=Settings(timeout_seconds=0.03))
    for name, asked, limit in (("locate", 60, "0.02"), ("locate", 0.01, "0.01"), ("analyze", None, "0.03")):
        result = executor.run(ToolCall(name), ToolContext(timeout_seconds=asked))
        assert result.error == f"{name} did not answer within {limit} s"


def test_a_timeout_inside_the_tool_is_the_tools_own_failure():
    async def function() -> None:
        raise TimeoutError("the network is slow")

    assert run(executor_of(locate=function), "locate") == {
        "status": "error",
        "error": "TimeoutError: the network is slow",
        "error_type": "tool_error",
    }


def test_ten_calls_run_at_once():
    together = threading.Barrier(10)

    def function() -> None:
        together.wait(PATIENCE_SECONDS)

    executor = executor_of(locate=function)

    async def all_at_once() -> list[ToolResult]:
        return await asyncio.gather(*(executor.execute(ToolCall("locate")) for _ in range(10)))

    assert all(result.status is Status.SUCCESS for result in asyncio.run(all_at_once()))


def test_concurrent_calls_never_see_one_anothers_context():
    def ask(workspace: Any, number: int) -> dict[str, Any]:
        sleep(0.002)
        return {"workspace": workspace.number, "number": number}

    class Numbered(Root):
        def __init__(self, number: int):
            super().__init__()
            self.number = number

    seen: list[tuple[int, str, Any]] = []
    executor = executor_of(
        locate=ask,
        guards=[Guard(lambda step: step.evolve(arguments={"number": int(step.context.caller.id)}))],
        observers=[lambda each: seen.append((each.call.arguments["number"], each.context.caller.id, each.result.data))],
    )

    async def all_at_once() -> None:
        await asyncio.gather(
            *(
                executor.execute(
                    ToolCall("locate", {"number": number}), ToolContext(Caller(str(number)), Numbered(number))
                )
                for number in range(30)
            )
        )

    asyncio.run(all_at_once())
    assert sorted(seen) == [(n, str(n), {"workspace": n, "number": n}) for n in range(30)]


def test_the_workspace_is_bound_in_and_told_of_one_answer():
    root = Root()

    def ask(workspace: Root, symbol: str) -> dict[str, Any]:
        return {"open": workspace.open, "symbol": symbol}

    context = ToolContext(workspace=root)
    assert run(executor_of(locate=ask), "locate", context, symbol="x")["data"] == {"open": 1, "symbol": "x"}
    assert (root.answers, root.open) == (1, 0)


def test_a_tool_without_a_workspace_leaves_the_contexts_alone():
    root = Root()
    assert run(executor_of(locate=echo), "locate", ToolContext(workspace=root), symbol="x")["status"] == "success"
    assert root.answers == 0


def test_a_tool_that_needs_a_workspace_says_so():
    def ask(workspace: Root) -> None: ...

    assert run(executor_of(locate=ask), "locate") == {
        "status": "error",
        "error": "locate needs a workspace",
        "error_type": "usage_error",
        "hint": "give the directory to ask about",
    }


def test_the_caller_cannot_give_the_workspace():
    def ask(workspace: Root) -> None: ...

    result = run(executor_of(locate=ask), "locate", ToolContext(workspace=Root()), workspace="/")
    assert result["validation_errors"] == ["workspace: unknown parameter; known: none"]


def places(count: int) -> Places:
    return Places(complete(count), tuple(PlaceItem(f"src/file_{n}.py", n, "x" * 40) for n in range(1, count + 1)))


def test_the_budget_cuts_the_answer_and_says_so():
    def function() -> Places:
        return places(500)

    executor = executor_of(locate=function)

    def ask(budget: int | None) -> ToolResult:
        return executor.run(ToolCall("locate"), ToolContext(budget_tokens=budget))

    whole = ask(0)
    assert (whole.status, len(whole.data["places"])) == (Status.SUCCESS, 500)
    sizes = [estimate_tokens(ask(budget).text) for budget in (300, None, 3_000, 10**9)]
    assert [size <= limit for size, limit in zip(sizes, (300, 2_000, 3_000, 6_000), strict=True)] == [True] * 4
    assert sizes == sorted(sizes)
    cut = ask(300)
    assert cut.status is Status.PARTIAL
    assert cut.data["coverage"]["found"] == 500
    assert cut.data["coverage"]["shown"] == len(cut.data["places"]) < 500


def test_the_text_of_plain_data_is_cut_too():
    async def function() -> dict[str, Any]:
        return {"words": ["word"] * 10_000}

    result = executor_of(locate=function).run(ToolCall("locate"), ToolContext(budget_tokens=100))
    assert estimate_tokens(result.text) <= 100
    assert result.text.endswith("\n[cut to about 100 tokens]")


def test_a_budget_below_nothing_is_refused():
    result = run(executor_of(locate=echo), "locate", ToolContext(budget_tokens=-1), symbol="x")
    assert (result["error_type"], result["error"]) == ("usage_error", "invalid budget of -1 tokens")


def fallback_executor(*, guards=(), **functions: Callable[..., Any]) -> ToolExecutor:
    """find_symbol(name, kind?) falls back to locate(symbol) and then to analyze(query)."""
    catalog = catalog_of(**{name: function for name, function in functions.items() if name != "find_symbol"})
    catalog.register_function(
        ToolId.FIND_SYMBOL,
        functions["find_symbol"],
        "",
        {"name": "string", "kind": "string?"},
        ToolCategory.INTERNAL,
        fallbacks=(Fallback("locate", {"name": "symbol"}), Fallback("analyze", {"name": "query"})),
    )
    return ToolExecutor(catalog, guards, settings=Settings(), logger=Silent())


async def nothing(name: str = "", kind: str = "", symbol: str = "") -> dict[str, Any]:
    return {"status": "not_found", "near": ["x"]}


async def answer(query: str) -> dict[str, Any]:
    return {"status": "success", "data": {"answer": query, "attempt_history": ["its own"]}}


def attempts_of(result: dict[str, Any]) -> list[tuple[str, str]]:
    history = result["data"]["attempt_history"]
    return [(each["step"], each["outcome"]) for each in history if isinstance(each, dict)]


def test_fallbacks_are_asked_in_order_until_one_finds_something():
    async def broken(symbol: str) -> None:
        raise KeyError(symbol)

    result = run(
        fallback_executor(find_symbol=nothing, locate=broken, analyze=answer), "find_symbol", name="x", kind="class"
    )
    assert result["status"] == "success"
    assert result["message"] == "find_symbol found nothing; answer of analyze"
    assert result["data"]["answer"] == "x"
    assert result["data"]["attempt_history"][-1] == "its own"
    assert attempts_of(result) == [
        ("find_symbol", "not_found"),
        ("locate", "tool_error: KeyError: 'x'"),
        ("analyze", "success"),
    ]


def test_where_no_fallback_finds_anything_the_first_answer_stays():
    result = run(fallback_executor(find_symbol=nothing, locate=nothing), "find_symbol", name="x")
    assert (result["status"], result["data"]["near"]) == ("not_found", ["x"])
    assert attempts_of(result) == [
        ("find_symbol", "not_found"),
        ("locate", "not_found"),
        ("analyze", "tool_not_found: there is no tool 'analyze'"),
    ]


def test_a_fallback_passes_the_same_guards():
    def only_find_symbol(step: PendingCall) -> PendingCall | Refusal:
        return step if step.tool.name == "find_symbol" else Refusal("not_enabled", "off")

    for stage in Stage:
        executor = fallback_executor(guards=[Guard(only_find_symbol, stage)], find_symbol=nothing, analyze=answer)
        result = run(executor, "find_symbol", name="x")
        assert result["status"] == "not_found"
        assert ("analyze", "not_enabled: off") in attempts_of(result)


@pytest.mark.parametrize(
    "own",
    [{"status": "success"}, {"status": "partial"}, {"status": "error", "error": "broken"}],
)
def test_a_tool_that_answered_or_failed_needs_no_fallback(own):
    async def function(name: str) -> dict[str, Any]:
        return own

    def never(query: str) -> None:
        raise AssertionError

    result = run(fallback_executor(find_symbol=function, analyze=never), "find_symbol", name="x")
    assert result["status"] == own["status"]
    assert "attempt_history" not in result.get("data", {})


def test_a_tool_may_raise_a_usage_error_and_its_hint_reaches_the_caller():
    def function() -> None:
        raise UsageError("no such revision", hint="git_log lists them")

    assert run(executor_of(locate=function), "locate") == {
        "status": "error",
        "error": "no such revision",
        "error_type": "usage_error",
        "hint": "git_log lists them",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = {
    "success": {"status", "data", "execution_time_ms"},
    "not_found": {"status", "data", "message", "execution_time_ms"},
    "partial": {"status", "data", "message", "execution_time_ms"},
    "error": {"status", "error", "error_type", "execution_time_ms"},
}


@given(
    name=st.sampled_from(["locate", "analyze", "locat", ""]) | JSON,
    arguments=JSON | st.dictionaries(st.sampled_from(["symbol", "limit", "self", "workspace"]), JSON, max_size=4),
    returned=JSON | st.dictionaries(st.sampled_from(["status", "data", "message", "error", "hint"]), JSON),
)
def test_no_call_whatsoever_raises_or_breaks_the_format(name, arguments, returned):
    async def anything(symbol: str = "", limit: int = 1) -> Any:
        return returned

    result = executor_of(locate=echo, analyze=anything).run(ToolCall(name, arguments)).to_dict()
    optional = {"validation_errors", "hint"} if result["status"] == "error" else set()
    assert KEYS[result["status"]] <= set(result) <= KEYS[result["status"]] | optional
    json.dumps(result)


@pytest.mark.parametrize("risk", RiskLevel)
def test_a_tool_that_failed_is_not_run_again(risk):
    """Not even a harmless one: whether it is worth another try is for the caller to say."""
    calls = []

    def fail():
        calls.append(1)
        raise OSError("for a moment")

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("fail", fail, {}, "Fail", risk_level=risk))
    result = ToolExecutor(registry, (), settings=Settings(), logger=Silent()).run(ToolCall("fail"))
    assert (result.error_type, len(calls)) == ("tool_error", 1)


def test_a_guard_may_enrich_the_context_that_the_tool_is_given():
    def enrich(step):
        metadata = {**step.context.metadata, "tenant": step.context.caller.id.partition("@")[2]}
        return step.evolve(context=structs.replace(step.context, metadata=metadata))

    def tell(context, /):
        return dict(context.metadata)

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("tell", tell, {}, "Tell"))
    executor = ToolExecutor(registry, (Guard(enrich, Stage.WHO),), settings=Settings())
    given_ = ToolContext(Caller("ada@acme"), metadata={"locale": "en"})
    assert executor.run(ToolCall("tell"), given_).data == {"locale": "en", "tenant": "acme"}
    assert given_.metadata == {"locale": "en"}


def test_deadlines_of_calls_that_run_at_once_are_each_call_s_own():
    """They share a timer, which is set to the earliest: whichever begins first, and when others have ended."""
    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("wait", asyncio.sleep, {"delay": "number"}, "Wait"))
    executor = ToolExecutor(registry, (), settings=Settings())

    async def call(limit, delay):
        now = asyncio.get_running_loop().time
        started = now()
        result = await executor.execute(ToolCall("wait", {"delay": delay}), ToolContext(timeout_seconds=limit))
        return result.error_type, round(now() - started, 6)

    async def all_of_them():
        limits = (5, 0.4, 0.2, 0.6, 30)
        late = await asyncio.gather(*(call(limit, 5 if limit < 5 else 0) for limit in limits))
        return late, await call(0.2, 5)

    for _ in range(2):  # The second time in another loop.
        together, after = run_on_virtual_clock(all_of_them())
        assert together == [("", 0), ("deadline", 0.4), ("deadline", 0.2), ("deadline", 0.6), ("", 0)]
        assert after == ("deadline", 0.2)
