"""The corridor: the one way a call becomes a result, whoever asks.

    find → who may → well-formed → what may → run under a deadline → fallbacks → observers

Policies stand beside the corridor as guards and observers; none is spelled inside it.

Knows: the order of the steps.
Does not know: any policy, any tool, or how the result is shown.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from time import perf_counter
from typing import Any, TypeAlias

import attrs

from avionics.settings import Settings
from avionics.tools.catalog import ToolCatalog
from avionics.tools.citations import check_citations
from avionics.tools.declare import WORKSPACE
from avionics.tools.executor_core import Containment, ToolExecutionCore, read_nature
from protocols.enums import Status
from protocols.errors import UsageError
from protocols.results import Attempt, ToolResult, to_plain
from protocols.seams import LoggerProtocol
from protocols.tools import Fallback, ToolCall, ToolContext, ToolDefinitionProtocol, ToolRegistryProtocol

__all__ = ["CallStep", "Guard", "Observation", "Refusal", "Stage", "ToolExecutionCore", "ToolExecutor"]


class Stage(str, Enum):
    """When a guard is asked: before the arguments are looked at, or once they are known to be well-formed."""

    WHO = "who"
    WHAT = "what"


@attrs.frozen
class CallStep:
    """A call on its way: what was found, and the arguments as they stand."""

    call: ToolCall
    context: ToolContext
    tool: ToolDefinitionProtocol
    arguments: Mapping[str, Any]


@attrs.frozen
class Refusal:
    """Why a call may not go on: `not_enabled`, `permission_denied`, `approval_required` or `rejected`."""

    error_type: str
    reason: str
    hint: str = ""


Verdict: TypeAlias = CallStep | Refusal


@attrs.frozen
class Guard:
    """A policy: takes a step and gives it back, perhaps changed, or refuses; may be asynchronous."""

    check: Callable[[CallStep], Verdict | Awaitable[Verdict]]
    stage: Stage = Stage.WHAT


@attrs.frozen
class Observation:
    """A call that is over; `result` is None when it was cancelled."""

    call: ToolCall
    context: ToolContext
    result: ToolResult | None


class ToolExecutor:
    """Runs calls through the corridor; holds no state of any call.

    Args:
        registry: Where tools are found; the global catalog unless given.
        guards: Asked in order, who-guards before what-guards; the first refusal ends the call.
        observers: Told of every call exactly once, also when it was refused, failed or was cancelled.
        settings: Limits.
        logger: Where bugs and their tracebacks go.
        reraise: Let a tool's bugs through, for tests.
    """

    def __init__(
        self,
        registry: ToolRegistryProtocol | None = None,
        guards: Iterable[Guard] = (),
        observers: Iterable[Callable[[Observation], object]] = (),
        settings: Settings | None = None,
        logger: LoggerProtocol | None = None,
        *,
        reraise: bool = False,
    ) -> None:
        guards = tuple(guards)
        self._given_registry = registry
        self._who = tuple(guard for guard in guards if guard.stage is Stage.WHO)
        self._what = tuple(guard for guard in guards if guard.stage is Stage.WHAT)
        self._observers = tuple(observers)
        self._settings = settings or Settings.from_environment()
        self._core = ToolExecutionCore(logger, reraise=reraise)

    @property
    def _registry(self) -> ToolRegistryProtocol:
        """The registry given, or the global catalog there is now."""
        return self._given_registry or ToolCatalog.get_instance()

    async def execute(self, call: ToolCall, context: ToolContext | None = None) -> ToolResult:
        """The result of a call; nothing but cancellation is raised."""
        context = context or ToolContext()
        result = None
        try:
            result = await self._core.contain(self._answer(call, context), call.name)
            return result
        finally:
            if self._observers:
                self._observe(Observation(call, context, result))

    def run(self, call: ToolCall, context: ToolContext | None = None) -> ToolResult:
        """`execute` for synchronous callers, outside of any event loop."""
        import asyncio

        return asyncio.run(self.execute(call, context))

    async def _answer(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """The steps, in order."""
        import asyncio

        step = await self._admit(call, context)
        if isinstance(step, ToolResult):
            return step
        limit, started = self._limit_seconds(step), perf_counter()
        try:
            async with asyncio.timeout(limit) as deadline:
                with _answering(step):
                    return await self._run_with_fallbacks(step)
        except TimeoutError:
            if not deadline.expired():
                raise
        return ToolResult(
            Status.ERROR,
            error=f"{step.tool.name} did not answer within {limit:g} s",
            error_type="deadline",
            hint="narrow the question, or allow more time",
            execution_time_ms=int((perf_counter() - started) * 1000),
        )

    async def _admit(self, call: ToolCall, context: ToolContext) -> CallStep | ToolResult:
        """The call ready to run, or the result that says why it may not."""
        tool = self._registry.get_tool(call.name)
        if tool is None:
            return _build_not_found(call.name, self._registry)
        verdict = await _ask(self._who, CallStep(call, context, tool, call.arguments))
        if self._what and isinstance(verdict, CallStep):
            invalid = self._core.get_invalid(verdict.arguments, tool.parameter_schemas)
            if invalid:
                return invalid
            verdict = await _ask(self._what, verdict)
        if isinstance(verdict, Refusal):
            return ToolResult(Status.ERROR, error=verdict.reason, error_type=verdict.error_type, hint=verdict.hint)
        return verdict

    async def _run_with_fallbacks(self, step: CallStep) -> ToolResult:
        """What the tool found; where it found nothing, what the first of its fallbacks found that found anything."""
        own = await self._run(step)
        if own.status is not Status.NOT_FOUND or not step.tool.fallbacks:
            return own
        attempts = [_build_attempt(step.tool.name, own)]
        for fallback in step.tool.fallbacks:
            other = await self._run_fallback(step, fallback)
            attempts.append(_build_attempt(fallback.tool, other))
            if other.status in (Status.SUCCESS, Status.PARTIAL):
                note = f"{step.tool.name} found nothing; {fallback.tool} answers"
                text = f"{note}:\n\n{other.text}" if other.text else ""
                return attrs.evolve(_with_attempts(other, attempts), message=note, text=text)
        return _with_attempts(own, attempts)

    async def _run_fallback(self, step: CallStep, fallback: Fallback) -> ToolResult:
        """What another tool says to the same question; it passes the same guards."""
        tool = self._registry.get_tool(fallback.tool)
        known = tool.parameter_schemas if tool else {}
        renamed = {fallback.renamed.get(name, name): value for name, value in step.arguments.items()}
        arguments = {name: value for name, value in renamed.items() if name in known}
        other = await self._admit(attrs.evolve(step.call, name=fallback.tool, arguments=arguments), step.context)
        return other if isinstance(other, ToolResult) else await self._run(other)

    async def _run(self, step: CallStep) -> ToolResult:
        """Run one tool in the core, its workspace bound."""
        tool, workspace = step.tool, step.context.workspace
        takes_workspace = read_nature(tool.function).first == WORKSPACE
        if takes_workspace and workspace is None:
            raise UsageError(f"{tool.name} needs a workspace", hint="say which directory to ask about")
        result = await self._core.run(
            tool.function,
            step.arguments,
            tool.parameter_schemas,
            tool.name,
            leading=(workspace,) if takes_workspace else (),
            budget_tokens=self._budget_tokens(step.context),
        )
        return check_citations(result, workspace) if takes_workspace else result

    def _limit_seconds(self, step: CallStep) -> float:
        """The least of the tool's and the call's own limits, or the setting where there is none."""
        limits = [limit for limit in (step.tool.timeout_seconds, step.context.timeout_seconds) if limit is not None]
        return min(limits, default=self._settings.timeout_seconds)

    def _budget_tokens(self, context: ToolContext) -> int:
        """How long the text may be; 0 is whole."""
        asked = context.budget_tokens
        if asked is None:
            return self._settings.default_budget_tokens
        if asked < 0:
            raise UsageError(f"the budget is {asked} tokens", hint="give a number of tokens, or 0 for everything")
        return min(asked, self._settings.max_budget_tokens)

    def _observe(self, observation: Observation) -> None:
        """Tell every observer; an observer's own fault changes nothing but the log."""
        for observer in self._observers:
            with Containment() as held:
                observer(observation)
            if held.error:
                self._core.log_failure(f"observer of {observation.call.name}", held.error)


async def _ask(guards: tuple[Guard, ...], step: CallStep) -> Verdict:
    """The step as the guards leave it, or the first refusal."""
    for guard in guards:
        verdict = guard.check(step)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if isinstance(verdict, Refusal):
            return verdict
        step = verdict
    return step


def _answering(step: CallStep) -> AbstractContextManager[object]:
    """The one answer of a workspace, in which it looks at the disk for changes once."""
    workspace = step.context.workspace
    if workspace is None or read_nature(step.tool.function).first != WORKSPACE:
        return nullcontext()
    answering: AbstractContextManager[object] = workspace.answering()
    return answering


def _build_not_found(name: str, registry: ToolRegistryProtocol) -> ToolResult:
    """There is no such tool; the nearest names."""
    from difflib import get_close_matches

    asked = str(name)[:80]
    near = get_close_matches(asked, registry.get_tool_names(), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "list_tools names them all"
    return ToolResult(Status.ERROR, error=f"there is no tool {asked!r}", error_type="tool_not_found", hint=hint)


def _build_attempt(name: str, result: ToolResult) -> Attempt:
    """One tool's part in an answer that several tools were asked for."""
    coverage = (result.data or {}).get("coverage")
    found = coverage.get("found", 0) if isinstance(coverage, Mapping) else 0
    outcome = f"{result.error_type}: {result.error}" if result.status is Status.ERROR else result.status.value
    return Attempt(name, outcome, found, result.execution_time_ms)


def _with_attempts(result: ToolResult, attempts: list[Attempt]) -> ToolResult:
    """The result with the tools asked before its own attempts."""
    data = dict(result.data or {})
    data["attempt_history"] = [*to_plain(attempts), *data.get("attempt_history", ())]
    return attrs.evolve(result, data=data, execution_time_ms=sum(attempt.milliseconds for attempt in attempts))
