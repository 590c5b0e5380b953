"""Executor overhead: one call through the whole corridor against the bare await of the same tool.

Run: python tests/bench/bench_executor.py. Budget (docs/design.md): ≤ 20 µs over the bare await, 3 validated parameters.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from statistics import median
from time import perf_counter
from typing import Any

from avionics.settings import Settings
from avionics.tools import ToolCatalog, ToolCategory, ToolId
from avionics.tools.executor import ToolExecutor
from avionics.tools.executor_core import ToolExecutionCore
from protocols import ToolCall, ToolContext

CALLS, ROUNDS = 2_000, 15
ARGUMENTS = {"symbol": "UserService", "scope": "src", "limit": 3}
CATALOG = ToolCatalog()


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


async def microseconds(run: Callable[[], Awaitable[object]]) -> float:
    """Median time of one call; the loop turns now and then, as it does in a server."""
    rounds = []
    for _ in range(ROUNDS):
        started = perf_counter()
        for _ in range(CALLS):
            await run()
        rounds.append((perf_counter() - started) / CALLS * 1e6)
        await asyncio.sleep(0)
    return median(rounds)


async def main() -> None:
    """Print the overheads and their ratios to the floor."""
    executor, core = ToolExecutor(CATALOG, settings=Settings()), ToolExecutionCore()
    definition = CATALOG.get_tool("locate")
    assert definition is not None
    call, context = ToolCall("locate", ARGUMENTS), ToolContext()
    gc.freeze()
    bare = await microseconds(lambda: ready(**ARGUMENTS))
    rows = {
        "core": await microseconds(lambda: core.run(ready, ARGUMENTS, definition.parameter_schemas, "locate")),
        "executor": await microseconds(lambda: executor.execute(call, context)),
        "executor, synchronous tool in its thread": await microseconds(
            lambda: executor.execute(ToolCall("analyze", {"query": "x"}), context)
        ),
    }
    print(f"bare await {bare:.2f} µs")
    for name, taken in rows.items():
        print(f"{name}: {taken - bare:.1f} µs over the bare await ({taken / bare:.0f} ×; budget 20 µs)")


if __name__ == "__main__":
    asyncio.run(main())
