"""Executor overhead: one call through the whole pipeline against the bare await of the same tool.

Run: python tests/bench/bench_executor.py. Budgets, over the bare await, 3 validated parameters: the executor ≤ 12 µs,
everything on (deadline, four guards, redaction, audit in memory) ≤ 24 µs, the core ≤ 6 × the bare await.
Each row is the least disturbed round, then the median of all rounds.
The bare await is that of the same asynchronous function with the same three arguments, called through the same lambda
in the same loop.
Other frameworks are measured beside it where they are installed.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.model import Caller, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools import ToolCatalog, ToolCategory, ToolId
from avionics.tools.executor import ToolExecutor
from avionics.tools.executor_core import ToolExecutionCore
from avionics.tools.guards import EnabledTools, approved, enabled, permitted, transformed
from avionics.tools.observers.audit import MemorySink, audited

CALLS, ROUNDS, TURN = 2_000, 15, 50
ARGUMENTS = {"symbol": "UserService", "scope": "src", "limit": 3}
CATALOG = ToolCatalog()
Run = Callable[[], Awaitable[object]]


@CATALOG.register(
    ToolId.LOCATE, "Find code", {"symbol": "string", "scope": "string?", "limit": "integer?"}, ToolCategory.COMPOSITE
)
async def ready(symbol: str, scope: str = "", limit: int = 10) -> dict[str, Any]:
    """Answers at once."""
    return {"status": "success", "data": {"symbol": symbol, "scope": scope, "limit": limit}}


@CATALOG.register(ToolId.ANALYZE, "Think", {"query": "string"}, ToolCategory.UNIFIED)
def threaded(query: str) -> dict[str, Any]:
    """Answers from a thread."""
    return {"status": "success", "data": {"query": query}}


async def microseconds(run: Run, calls: int = CALLS) -> tuple[float, float]:
    """Time of one call: the least and the median round; between rounds the loop turns and drops its dead timers."""
    rounds = []
    for _ in range(ROUNDS * calls // TURN):
        started = perf_counter()
        for _ in range(TURN):
            await run()
        rounds.append((perf_counter() - started) / TURN * 1e6)
        await asyncio.sleep(0)
    return min(rounds), median(rounds)


def own_rows() -> Iterator[tuple[str, Run]]:
    """The ways into our own pipeline."""
    core, executor = ToolExecutionCore(), ToolExecutor(CATALOG, (), settings=Settings())
    definition = CATALOG.get_tool("locate")
    assert definition is not None
    everything = ToolExecutor(
        CATALOG,
        (enabled(EnabledTools()), permitted(), transformed(lambda tool, args, user, context: args), approved()),
        (audited(MemorySink()),),
        Settings(),
    )
    call, context = ToolCall("locate", ARGUMENTS, "call-1"), ToolContext(Caller("ada"), thread_id="t", trace_id="x")
    schemas = definition.parameter_schemas
    yield "core", lambda: core.run(ready, ARGUMENTS, schemas, "locate")
    yield "core, with the documented dict", lambda: core.execute_tool(ready, ARGUMENTS, schemas, "locate")
    yield "executor, no guards", lambda: executor.execute(call, context)
    yield "executor, everything on", lambda: everything.execute(call, context)
    yield (
        "executor, synchronous tool in its thread",
        lambda: executor.execute(ToolCall("analyze", {"query": "x"}), context),
    )


def foreign_rows() -> Iterator[tuple[str, Run | None]]:
    """The same tool in other frameworks; None for one that is not installed."""
    for name, build in (("langchain-core", langchain), ("pydantic-ai", pydantic_ai), ("mcp", mcp), ("vanna", vanna)):
        try:
            yield name, build()
        except ImportError:
            yield name, None


def langchain() -> Run:
    """A structured tool, invoked."""
    from langchain_core.tools import StructuredTool

    tool = StructuredTool.from_function(coroutine=ready, name="locate", description="Find code")
    return lambda: tool.ainvoke(ARGUMENTS)


def pydantic_ai() -> Run:
    """A tool of a toolset, called by the manager that agents call tools by."""
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.usage import RunUsage

    toolset = FunctionToolset([Tool(ready, takes_ctx=False, name="locate")])
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    call, managers = ToolCallPart("locate", ARGUMENTS), []

    async def run() -> object:
        if not managers:
            managers.append(await ToolManager(toolset).for_run_step(context))
        return await managers[0].handle_call(call)

    return run


def mcp() -> Run:
    """A tool of the SDK's server, called in the process."""
    try:
        from mcp.server.mcpserver import MCPServer as Server
    except ImportError:
        from mcp.server.fastmcp import FastMCP as Server

    server = Server("bench")
    server.tool(name="locate")(ready)
    return lambda: server.call_tool("locate", ARGUMENTS)


def vanna() -> Run:
    """A tool of its registry, executed."""
    from pydantic import BaseModel
    from vanna.core.registry import ToolRegistry
    from vanna.core.tool import Tool, ToolContext, ToolResult
    from vanna.core.tool import ToolCall as Call
    from vanna.core.user import User

    class Arguments(BaseModel):
        symbol: str
        scope: str = ""
        limit: int = 10

    class Locate(Tool[Arguments]):
        name, description = "locate", "Find code"

        def get_args_schema(self) -> type[Arguments]:
            return Arguments

        async def execute(self, context: ToolContext, args: Arguments) -> ToolResult:
            await ready(args.symbol, args.scope, args.limit)
            return ToolResult(success=True, result_for_llm="")

    registry = ToolRegistry()
    registry.register_local_tool(Locate(), access_groups=[])
    call = Call(id="1", name="locate", arguments=ARGUMENTS)
    context = ToolContext.model_construct(user=User(id="ada"), conversation_id="c", request_id="r", metadata={})
    return lambda: registry.execute(call, context)


async def main() -> None:
    """Print the overheads and their ratios to the floor."""
    gc.freeze()
    bare, usual = await microseconds(lambda: ready(**ARGUMENTS))
    print(f"bare await {bare:.2f} µs, median {usual:.2f}")

    async def report(name: str, run: Run, calls: int) -> None:
        least, middle = await microseconds(run, calls)
        over = f"{least - bare:.1f} µs over the bare await ({least / bare:.0f} ×)"
        print(f"{name}: {over}, median {middle - usual:.1f}")

    for name, run in own_rows():
        await report(name, run, CALLS)
    for name, foreign in foreign_rows():
        if foreign is None:
            print(f"{name}: skipped, not installed")
        else:
            await report(name, foreign, CALLS // 10)


if __name__ == "__main__":
    asyncio.run(main())
