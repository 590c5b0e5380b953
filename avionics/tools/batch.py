"""Batches: run many calls concurrently, with one result each, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from msgspec import Struct, structs

from avionics.model.enums import Status
from avionics.model.results import ToolResult, to_plain
from avionics.model.tools import ToolCall, ToolContext

Execute: TypeAlias = Callable[[ToolCall, ToolContext], Awaitable[ToolResult]]


class CallResult(Struct, frozen=True):
    """The outcome of one call of a batch."""

    call_id: str
    tool_name: str
    result: ToolResult

    def to_dict(self) -> dict[str, Any]:
        """Return `callId`, `toolName`, `status`, `output` or `error`, and `metadata` with the rest.

        That is the duration in milliseconds, the message, the hint and the invalid parameters if there are any, and the
        tool's own metadata.
        """
        result = self.result
        plain: dict[str, Any] = {"callId": self.call_id, "toolName": self.tool_name, "status": result.status.value}
        if result.status is Status.ERROR:
            plain |= {"error": result.error, "errorType": result.error_type}
        else:
            plain["output"] = result.output if result.is_wrapped else dict(result.data or {})
        about = {"message": result.message, "hint": result.hint, "validationErrors": list(result.validation_errors)}
        present = {name: value for name, value in about.items() if value}
        return plain | {"metadata": {**to_plain(result.metadata), **present, "duration": result.execution_time_ms}}


async def run_batch(
    execute: Execute,
    calls: Iterable[ToolCall],
    context: ToolContext,
    max_concurrent: int,
    timeout_seconds: float | None,
) -> tuple[CallResult, ...]:
    """Run the calls, a few at a time; a failed call does not affect the others, and `execute` raises only cancellation.

    The deadline of the context starts with each call; the time limit is for all, and calls that have not started by
    then are not run.
    """
    import asyncio

    wanted = tuple(calls)
    results: dict[int, ToolResult] = {}
    waiting = iter(enumerate(wanted))
    now = asyncio.get_running_loop().time
    over = None if timeout_seconds is None else now() + timeout_seconds

    async def work() -> None:
        for place, call in waiting:
            results[place] = await execute(call, context if over is None else _limit_context(context, over - now()))

    async with asyncio.TaskGroup() as group:
        for _ in range(min(max(1, max_concurrent), len(wanted))):
            group.create_task(work())
    return tuple(
        CallResult(getattr(call, "id", ""), getattr(call, "name", ""), results[place])
        for place, call in enumerate(wanted)
    )


def _limit_context(context: ToolContext, seconds: float) -> ToolContext:
    """Return the context with its time limit reduced to what is left."""
    left = max(0.0, seconds)
    asked = context.timeout_seconds
    return structs.replace(context, timeout_seconds=left if asked is None else min(asked, left))
