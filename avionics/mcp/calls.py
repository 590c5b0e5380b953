"""Run the calls of clients, and report their progress and results."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any

from msgspec import Struct

from avionics.mcp.answers import Contents, build_call_result
from avionics.mcp.logs import Logs
from avionics.mcp.projection import BUDGET, REPOSITORY, ToolList, build_own_parameters, takes_workspace
from avionics.mcp.protocol.params import CallParams, ListParams
from avionics.mcp.protocol.service import McpRequest, Result, raise_unknown_tool
from avionics.mcp.repositories import Repositories, ServedRepository
from avionics.mcp.warmup_answers import build_stopgap, is_answered_cold, is_at_once, plan_stopgap
from avionics.model.enums import Status
from avionics.model.errors import DeadlineExceededError
from avionics.model.results import ToolResult
from avionics.model.tools import Caller, ToolCall, ToolContext
from avionics.tools.catalog import ToolCatalog, ToolDefinition
from avionics.tools.execution.result_builder import build_invalid
from avionics.tools.executor import ToolExecutor
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import build_parameters

_PROGRESS_SECONDS = 0.1
"""How often to check the first indexing for progress."""

_REPORT_SECONDS = 2.0
"""How often a call that is under way reports progress."""

_WAIT_SECONDS = 0.05
"""How often a call that waits for the first reading asks whether it takes long."""

_COLD_AT_ONCE = 2
"""The number of concurrent calls that are answered without the index; each keeps the texts of the tree in memory."""

_CALLER = Caller("mcp")


class CallLimits(Struct, frozen=True):
    """How long calls may take, in seconds. Most clients give up after a minute.

    Attributes:
        patience_seconds: How long a call waits for the first indexing before it is answered without the index.
        deadline_seconds: When a call without an answer yet ends with the results of a text search.
        stopgap_seconds: The time limit of that search.
        answer_seconds: When a tool answers with the results so far.
    """

    patience_seconds: float = 10.0
    deadline_seconds: float = 45.0
    stopgap_seconds: float = 10.0
    answer_seconds: float = 4.5


class CallRunner:
    """Answers calls of the listed tools, a limited number at a time; the others wait their turn."""

    def __init__(
        self,
        catalog: ToolCatalog[ToolId],
        tools: ToolList,
        repositories: Repositories,
        executor: ToolExecutor,
        at_once: int,
        contents: Contents,
        logs: Logs,
        limits: CallLimits,
    ) -> None:
        self._catalog = catalog
        self._tools = tools
        self._repositories = repositories
        self._executor = executor
        self._turns = asyncio.Semaphore(at_once)
        self._cold_turns = asyncio.Semaphore(_COLD_AT_ONCE)
        self._contents = contents
        self._logs = logs
        self._limits = limits
        self._own = build_own_parameters(repositories.names)
        self._own_without_repository = build_own_parameters(())

    async def list_tools(self, _request: McpRequest, _params: ListParams) -> Result:
        """Return the tools of the profile, always in the same order."""
        return {"tools": [_without_schema(tool, self._contents) for tool in self._tools.get_all()]}

    async def call_tool(self, request: McpRequest, params: CallParams) -> Result:
        """Run a call and return its result. Raise `ProtocolError` if the profile has no such tool."""
        definition = self._catalog.get_tool(params.name) if params.name in self._tools.names else None
        if definition is None:
            raise_unknown_tool(params.name, list(self._tools.names))
        async with self._turns:
            result = await self._answer(request, definition, params.arguments or {})
        await self._logs.send_outcome(request, params.name, result)
        return build_call_result(result, self._contents)

    def get_input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the listed input schema of a tool; None for an unknown one."""
        tool = self._tools.get(name)
        return tool["inputSchema"] if tool else None

    async def ask(
        self, name: str, arguments: Mapping[str, Any], repository: ServedRepository, request_id: str
    ) -> ToolResult:
        """Return the whole answer of a tool; for resources, which have no budget."""
        context = ToolContext(_CALLER, repository.workspace, request_id=request_id, budget_tokens=0)
        async with self._turns:
            return await self._executor.execute(ToolCall(name, arguments), context)

    async def _answer(self, request: McpRequest, tool: ToolDefinition, given: Mapping[str, Any]) -> ToolResult:
        """Take out the parameters of this interface and run the call through the executor."""
        asked = {name: given[name] for name in self._own if name in given}
        about_one = takes_workspace(tool)
        own = self._own if about_one else self._own_without_repository
        if own.find_faults(asked):
            every = build_parameters((*tool.parameter_schemas.values(), *own.values()))
            names = f"repo: one of {', '.join(self._repositories.names)}" if REPOSITORY in own else ""
            return build_invalid(every.find_faults(given)).evolve(hint=names)
        call = ToolCall(tool.name, {name: value for name, value in given.items() if name not in asked})
        repository = self._repositories.get(asked.get(REPOSITORY)) if about_one else None
        context = self._build_context(request, repository, asked.get(BUDGET))
        if repository is None:
            return await self._executor.execute(call, context)
        asked_at = monotonic()
        async with self._progress(repository, request, call.name):
            end = asked_at + self._limits.patience_seconds
            if is_at_once(call) or await _is_soon_read(call, repository, end):
                with repository.workspace.pinned_index(since=asked_at):
                    result = await self._executor.execute(call, context)
                return await self._replace_overdue(result, call, context, repository)
            answer = await self._answer_cold(call, context, end) if is_answered_cold(call) else None
            note = f"still {repository.describe_reading()}"
            return answer or await self._search_instead(call, context, note)

    async def _answer_cold(self, call: ToolCall, context: ToolContext, end: float) -> ToolResult | None:
        """Return the answer from the files that contain the words of the call, or None if that takes too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(end - monotonic()), self._cold_turns:
                return await self._executor.execute(call, context)
        return None

    async def _replace_overdue(
        self, result: ToolResult, call: ToolCall, context: ToolContext, repository: ServedRepository
    ) -> ToolResult:
        """Return the result; if the call ran out of time, the results of a text search instead."""
        if result.error_type != DeadlineExceededError.code:
            return result
        note = result.error or "" if repository.is_read else f"still {repository.describe_reading()}"
        return await self._search_instead(call, context, note)

    async def _search_instead(self, call: ToolCall, context: ToolContext, note: str) -> ToolResult:
        """Return the results of a text search for a call, with a note that they are not a complete answer."""
        found = ToolResult(Status.NOT_FOUND, data={})
        if stopgap := plan_stopgap(call):
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.stopgap_seconds):
                    found = await self._executor.execute(stopgap, context)
        return build_stopgap(found, note)

    @asynccontextmanager
    async def _progress(self, repository: ServedRepository, request: McpRequest, name: str) -> AsyncIterator[None]:
        """Report progress while a call is under way, to a client that asked for it."""
        if not repository.is_read:
            repository.start_reading()
            await self._logs.send(request, "info", repository.describe_reading())
        reporting = asyncio.create_task(_report_progress(repository, request, name))
        try:
            yield
        finally:
            reporting.cancel()

    def _build_context(
        self, request: McpRequest, repository: ServedRepository | None, budget: int | None
    ) -> ToolContext:
        workspace = repository.workspace if repository else None
        writer = self._tools.build_writer(repository.name if repository else "")
        return ToolContext(
            _CALLER,
            workspace,
            request_id=request.identity,
            timeout_seconds=self._limits.deadline_seconds,
            answer_seconds=self._limits.answer_seconds,
            budget_tokens=budget,
            write_call=writer,
        )


async def _is_soon_read(call: ToolCall, repository: ServedRepository, end: float) -> bool:
    """Return whether the first reading ends in time; a call that need not wait for a long one does not."""
    is_waiting = not is_answered_cold(call)
    while not repository.is_read and (left := end - monotonic()) > 0 and (is_waiting or not repository.is_long):
        await repository.wait_until_read(min(left, _WAIT_SECONDS))
    return repository.is_read


async def _report_progress(repository: ServedRepository, request: McpRequest, name: str) -> None:
    """Report the files of a first reading, then the seconds that the call takes; the number always grows."""
    reported = 0
    while not repository.is_read:
        await asyncio.sleep(_PROGRESS_SECONDS)
        done, total = repository.progress
        if done > reported:
            reported = done
            await request.report_progress(done, total, repository.describe_reading())
    started = monotonic()
    while True:
        await asyncio.sleep(_REPORT_SECONDS)
        seconds = monotonic() - started
        await request.report_progress(reported + seconds, None, f"{name}: {seconds:.0f} s")


def _without_schema(tool: Mapping[str, Any], contents: Contents) -> Mapping[str, Any]:
    """Return the tool as listed: without an output schema if results carry no data."""
    left_out = "outputSchema" if contents is Contents.TEXT else ""
    return {name: value for name, value in tool.items() if name != left_out}
