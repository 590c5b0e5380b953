"""The executor pipeline, the only way in which calls are run.

    look up the tool → access guards → drop None, validate → argument guards: transform, validate again, approve
         → observers → run under a deadline → cut to the budget → observers

Policies are guards and observers beside the pipeline; none is part of it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from avionics.cancellation import limit_answer
from avionics.model.enums import Status
from avionics.model.errors import DeadlineExceededError, IndexStateError, RemoteError, SourceError, UsageError
from avionics.model.grants import Grant, read_permissions
from avionics.model.results import ToolResult
from avionics.model.tools import Fallback, ToolCall, ToolContext, ToolDefinitionProtocol, ToolRegistryProtocol
from avionics.settings import Settings
from avionics.tools.answers.answer import StoredRest
from avionics.tools.batch import CallResult, run_batch
from avionics.tools.execution.call_step import (
    Check,
    Decision,
    Event,
    Guard,
    Observation,
    Observer,
    PendingCall,
    Refusal,
    Stage,
)
from avionics.tools.execution.citation_check import check_citations
from avionics.tools.execution.current_call import reset_current_context, set_current_context
from avionics.tools.execution.deadlines import Deadlines
from avionics.tools.execution.direct_run import run_directly
from avionics.tools.execution.ignored_notice import name_ignored
from avionics.tools.execution.next_calls import build_next_writer
from avionics.tools.execution.result_builder import (
    ResultOptions,
    build_attempt,
    build_invalid,
    build_malformed,
    build_not_found,
    get_fallback_reason,
    hold_to_schema,
    with_attempts,
)
from avionics.tools.execution.result_cache import ResultCache, build_key
from avionics.tools.execution.usual_budget import get_usual_tokens
from avionics.tools.executor_core import ToolExecutionCore, is_fault, read_callable, run_in_thread
from avionics.tools.guards.approved import approved
from avionics.tools.guards.permitted import is_visible, permitted
from avionics.tools.guards.transformed import transformed, transforms_arguments
from avionics.tools.revisions import REVISION, at_revision, get_revision, leave_room, name_source
from avionics.tools.secrets.redaction import Redactor, Scrub

if TYPE_CHECKING:
    from avionics.model.seams import LoggerProtocol
    from avionics.tools.execution.overflow_store import Offload, Owner

_ANSWER_SHARE = 0.8
"""How much of an explicit time limit a tool may spend on looking; the rest is for writing the answer."""

_FIRST_PAUSE_SECONDS = 0.05
"""The pause before a tool is run again; each following one is twice as long."""

_WORTH_REPEATING = frozenset({DeadlineExceededError.code, RemoteError.code, SourceError.code, "tool_error"})
"""The error types that another run may not have."""


class _CallState(Struct):
    """The state of one call in the pipeline."""

    call: ToolCall
    context: ToolContext
    started: float
    limit_seconds: float | None
    default_seconds: float | None = None
    scrub: Scrub | None = None
    arguments: Mapping[str, Any] | None = None


class ToolPipeline:
    """Runs calls through the pipeline.

    Args:
        registry: The tools; required unless a subclass has its own. Its `transform_args`, if any, runs before the
            guards that examine arguments.
        guards: Asked stage by stage, in order; the first refusal ends the call. By default planners cannot execute,
            access groups and permissions are enforced, and calls with high risk are refused, because nobody approves
            them.
        observers: Functions called exactly once at the end of every call, also of one that was refused, failed or was
            cancelled; or an `Observer`, which receives further events.
        settings: The limits.
        logger: Receives bugs with their tracebacks.
        redactor: Removes secrets from results and logs.
        offload: Stores what a budget cuts, for `get_rest`.
        reraise: Whether to let bugs of tools through, for tests.
    """

    def __init__(
        self,
        registry: ToolRegistryProtocol | None = None,
        guards: Iterable[Guard] | None = None,
        observers: Iterable[Observer | Callable[[Observation], object]] = (),
        settings: Settings | None = None,
        logger: LoggerProtocol | None = None,
        *,
        grants: Grant | Iterable[Grant] = (),
        redactor: Redactor | None = None,
        offload: Offload | None = None,
        reraise: bool = False,
    ) -> None:
        if guards is not None and read_permissions(grants):
            raise UsageError("grants and guards cannot be combined", hint="give the guard permitted(grants=…)")
        asked = (permitted(grants=grants), approved()) if guards is None else tuple(guards)
        transform = getattr(registry, "transform_args", None)
        given = (getattr(guard, "transform", None) for guard in asked)
        if transform is not None and transforms_arguments(registry) and transform not in given:
            asked = (transformed(transform), *asked)
        self._given_registry = registry
        self._is_guarded = guards is not None
        self._access_checks, self._argument_checks, self._approval_checks = (
            tuple(guard.check for guard in asked if guard.stage is stage) for stage in Stage
        )
        known = tuple(each if isinstance(each, Observer) else Observer(each) for each in observers)
        self._access_observers, self._invocation_observers, self._result_observers = (
            tuple(each.tell for each in known if moment in each.moments) for moment in Event
        )
        self._settings = settings or Settings.from_environment()
        self._redactor = redactor or Redactor()
        self._offload = offload
        self._deadlines = Deadlines()
        self._cache = ResultCache()
        self._finish = ResultOptions(self._settings.default_budget_tokens, shows_secrets=self._settings.show_secrets)
        self._core = ToolExecutionCore(logger, reraise=reraise)

    @property
    def registry(self) -> ToolRegistryProtocol:
        """Return the tools."""
        assert self._given_registry is not None
        return self._given_registry

    async def execute(self, call: ToolCall, context: ToolContext | None = None) -> ToolResult:
        """Run a call; nothing but cancellation is raised."""
        context = context or ToolContext()
        if not (isinstance(call, ToolCall) and isinstance(context, ToolContext)):
            return build_malformed(call, context)
        state = _CallState(call, context, perf_counter(), context.timeout_seconds)
        result = None
        try:
            state.scrub = self._redactor.get_scrub(call.arguments)
            asked = state.limit_seconds
            if asked is None:
                result = await self._admit_and_run(state, self._settings.timeout_seconds)
            elif asked > 0:
                # The call's time limit covers all steps; the tool's covers only its run.
                result = await self._run_in_time(self._admit_and_run(state, None), asked, state)
            else:
                result = _build_overdue(state, asked)
        except BaseException as error:
            if not is_fault(error):
                raise
            result = self._core.build_failure(error, call.name, state.scrub)
        finally:
            if self._result_observers:
                self._notify(self._result_observers, Event.RESULT, state, call, result)
        return result

    async def execute_tools(
        self,
        calls: Iterable[ToolCall],
        context: ToolContext | None = None,
        *,
        max_concurrent: int | None = None,
        timeout_seconds: float | None = None,
    ) -> tuple[CallResult, ...]:
        """Run many calls and return one result each, in order; a failed call does not affect the others.

        Args:
            calls: The calls.
            context: The circumstances of each; its `timeout_seconds` starts with each call.
            max_concurrent: How many run at a time; the setting by default.
            timeout_seconds: The time limit for all of them; calls that have not started by then never do.
        """
        bound = self._settings.max_concurrent_calls if max_concurrent is None else max_concurrent
        return await run_batch(self.execute, calls, context or ToolContext(), bound, timeout_seconds)

    def get_rest(self, handle: str, context: ToolContext | None = None) -> ToolResult:
        """Return more of an answer that was cut: the best part that fits the budget, with a handle to the rest.

        Args:
            handle: The `rest` of the result that was cut.
            context: The context of the call, or one of the same caller and thread.
        """
        context = context or ToolContext()
        if self._offload is None:
            raise UsageError("this executor does not store what it cuts", hint="construct it with an Offload")
        result = self._offload.get_rest(handle, _get_owner(context), self._get_budget_tokens(context))
        return result if context.workspace is None else check_citations(result, context.workspace)

    def run(self, call: ToolCall, context: ToolContext | None = None) -> ToolResult:
        """Run a call synchronously. Raise `UsageError` if an event loop is running, which this would block."""
        if _is_in_event_loop():
            raise UsageError("run() cannot be used inside an event loop", hint="await execute(call, context)")
        if self._runs_directly(call):
            return run_directly(self.execute(call, context))
        import asyncio

        return asyncio.run(self.execute(call, context))

    def run_blocking(self, call: ToolCall, context: ToolContext | None = None) -> ToolResult:
        """Run a call and wait for it, even inside a running event loop, which is blocked meanwhile."""
        if not _is_in_event_loop():
            return self.run(call, context)
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1, "avionics-blocking") as pool:
            return pool.submit(self.run, call, context).result()

    def _runs_directly(self, call: ToolCall) -> bool:  # noqa: ARG002  what a subclass decides by
        """Return whether the call can run without an event loop."""
        return False

    async def _admit_and_run(self, state: _CallState, default_seconds: float | None) -> ToolResult:
        """Admit and run the call; a tool without its own time limit uses the default, None for unlimited."""
        step = await self._admit(state.call, state)
        if isinstance(step, ToolResult):
            return state.scrub(step) if state.scrub else step
        state.default_seconds = default_seconds
        workspace = step.context.workspace
        if workspace is None:
            return await self._find(step, state)
        return await self._ask_in_workspace(step, state, workspace)

    async def _admit(self, call: ToolCall, state: _CallState) -> PendingCall | ToolResult:
        """Return the call ready to run, or the result that explains why it may not."""
        tool = self.registry.get_tool(call.name)
        if tool is None:
            registry = self.registry
            return build_not_found(
                call.name, registry, lambda name: is_visible(registry.get_tool(name), state.context.caller)
            )
        step = PendingCall(call, state.context, tool, call.arguments)
        verdict: Decision | ToolResult = await _check(self._access_checks, step) if self._access_checks else step
        if isinstance(verdict, PendingCall):
            verdict = await self._admit_arguments(verdict, state)
        if isinstance(verdict, ToolResult):
            return verdict
        refusal = verdict if isinstance(verdict, Refusal) else None
        if refusal and state.scrub:
            refusal = state.scrub(refusal)
        if self._access_observers:
            self._notify(self._access_observers, Event.ACCESS, state, call, refusal=refusal)
        if refusal:
            return ToolResult(Status.ERROR, error=refusal.reason, error_type=refusal.error_type, hint=refusal.hint)
        assert isinstance(verdict, PendingCall)
        return verdict

    async def _admit_arguments(self, step: PendingCall, state: _CallState) -> Decision | ToolResult:
        """Return the call with its final arguments: validated, transformed, validated again, approved."""
        asked = get_revision(step)
        if isinstance(asked, ToolResult):
            return asked
        if asked is not None:
            step = await run_in_thread(partial(at_revision, step, asked))
            state.context = step.context
        given = self._validate(step.tool, step.arguments)
        if isinstance(given, ToolResult):
            return given
        given = _copy_containers(given)
        call, context = step.call, step.context
        if self._argument_checks:
            verdict = await _check(self._argument_checks, PendingCall(call, context, step.tool, given))
            if isinstance(verdict, Refusal):
                return verdict
            if verdict.arguments is not given:
                state.scrub = self._redactor.get_scrub(state.call.arguments, verdict.arguments)
            call, context = verdict.call, verdict.context
            # Validate again even if the guard returned the same object, because it may have modified it.
            given = self._validate(step.tool, verdict.arguments)
            if isinstance(given, ToolResult):
                return given
            given = _copy_containers(given)
        step = PendingCall(call, context, step.tool, given)
        state.arguments = given
        if self._approval_checks:
            # The last guards get a copy, so that they cannot change the arguments they approve.
            verdict = await _check(
                self._approval_checks, PendingCall(step.call, step.context, step.tool, _copy_containers(dict(given)))
            )
            if isinstance(verdict, Refusal):
                return verdict
        return step

    def _validate(self, tool: ToolDefinitionProtocol, arguments: Any) -> dict[str, Any] | ToolResult:
        """Return the arguments without None, or their problems, each alone and in combination."""
        given = self._core.prepare(arguments, tool.parameter_schemas)
        get_misuse = getattr(tool, "get_misuse", None)
        if get_misuse is None or isinstance(given, ToolResult):
            return given
        misuse = get_misuse(given)
        return build_invalid((str(misuse),)) if misuse else given

    async def _ask_in_workspace(self, step: PendingCall, state: _CallState, workspace: Any) -> ToolResult:
        """Run the tool, or its fallbacks, with one index for everything it asks."""

        async def find() -> ToolResult:
            return name_source(await self._find(step, state), workspace, state.call.arguments)

        if not read_callable(step.tool.function).takes_workspace:
            return await find()
        with workspace.pinned_index():
            result = await find()
        if result.error_type != IndexStateError.code:
            return result
        # The answer used facts that were evicted or damaged; reading the files again restores them.
        with workspace.pinned_index(refresh=True):
            return await find()

    async def _find(self, step: PendingCall, state: _CallState) -> ToolResult:
        """Return the tool's result, or if it found nothing that of the first fallback that finds something."""
        tool = step.tool
        if getattr(tool, "cache_seconds", 0) or getattr(tool, "retries", 0):
            result = await self._run_again_or_remember(step, state)
        else:
            result = await self._run_within_limit(step, state)
        fallbacks = tool.fallbacks
        if fallbacks and (reason := get_fallback_reason(result)):
            fallbacks = tuple(fallback for fallback in fallbacks if reason in fallback.on)
            return await self._fall_back(result, step, state, fallbacks) if fallbacks else result
        return result

    async def _run_again_or_remember(self, step: PendingCall, state: _CallState) -> ToolResult:
        """Return a cached result of the same call, or run the tool, with retries if the caller is not at fault.

        Results of a tool that reads a workspace are never cached, because files change.
        """
        tool = step.tool
        seconds: float = getattr(tool, "cache_seconds", 0)
        key = build_key(step) if seconds and not read_callable(tool.function).takes_workspace else None
        kept = None if key is None else self._cache.get(key)
        if kept is not None:
            return kept.evolve(execution_time_ms=0)
        result = await self._run_within_limit(step, state)
        attempts = []
        for number in range(getattr(tool, "retries", 0)):
            if result.error_type not in _WORTH_REPEATING:
                break
            attempts.append(build_attempt(tool.name, result))
            import asyncio

            await asyncio.sleep(_FIRST_PAUSE_SECONDS * 2**number)
            result = await self._run_within_limit(step, state)
        if attempts:
            result = with_attempts(result, [*attempts, build_attempt(tool.name, result)])
        if key is not None:
            self._cache.put(key, result, seconds)
        return result

    def _run_within_limit(self, step: PendingCall, state: _CallState) -> Awaitable[ToolResult]:
        """Run one tool within its own time limit or the default one, unless that of the call is shorter."""
        own, asked = step.tool.timeout_seconds, state.limit_seconds
        limit = state.default_seconds if own is None else own
        work = self._run(step, state)
        if limit is None or (asked is not None and asked <= limit):
            return work
        return self._run_in_time(work, limit, state)

    async def _fall_back(
        self, own: ToolResult, step: PendingCall, state: _CallState, fallbacks: tuple[Fallback, ...]
    ) -> ToolResult:
        """Return the result of the first fallback that finds anything, else the tool's own."""
        attempts = [build_attempt(step.tool.name, own)]
        verb = {"not_found": "found nothing", "deadline": "took too long"}.get(get_fallback_reason(own), "failed")
        for fallback in fallbacks:
            other = await self._run_fallback(step, fallback, state)
            attempts.append(build_attempt(fallback.tool, other))
            if other.status in (Status.SUCCESS, Status.PARTIAL):
                note = f"{step.tool.name} {verb}; answer of {fallback.tool}"
                text = f"{note}:\n\n{other.text}" if other.text else ""
                return with_attempts(other, attempts).evolve(message=note, text=text)
        return with_attempts(own, attempts)

    async def _run_fallback(self, step: PendingCall, fallback: Fallback, state: _CallState) -> ToolResult:
        """Ask another tool the same question, through the same guards."""
        tool = self.registry.get_tool(fallback.tool)
        known = tool.parameter_schemas if tool else {}
        renamed = {fallback.renamed.get(name, name): value for name, value in step.arguments.items()}
        arguments = {name: value for name, value in renamed.items() if name in known}
        other = await self._admit(structs.replace(step.call, name=fallback.tool, arguments=arguments), state)
        return other if isinstance(other, ToolResult) else await self._run_within_limit(other, state)

    async def _run(self, step: PendingCall, state: _CallState) -> ToolResult:
        """Run one tool in the core, with the values it receives besides its arguments."""
        tool, workspace = step.tool, step.context.workspace
        signature = read_callable(tool.function)
        if signature.takes_workspace and workspace is None:
            raise UsageError(f"{tool.name} needs a workspace", hint="give the directory to ask about")
        budget = leave_room(self._get_budget_tokens(step.context, step.call), workspace)
        finish, keep = self._finish, self._get_keep(step.context)
        if budget != finish.budget_tokens or state.scrub or keep:
            finish = structs.replace(finish, budget_tokens=budget, scrub=state.scrub, keep=keep)
        if step.context.write_call is not None:
            carried = {name: value for name, value in state.call.arguments.items() if name == REVISION}
            finish = structs.replace(finish, write=build_next_writer(step.context.write_call, step.call, carried))
        if self._invocation_observers:
            self._notify(self._invocation_observers, Event.INVOCATION, state, step.call)
        leading = (workspace,) if signature.takes_workspace else (step.context,) if signature.takes_context else ()
        token = set_current_context(step.context)
        call = self._core.call(tool.function, step.arguments, tool.parameter_schemas, tool.name, leading, finish)
        try:
            if signature.takes_workspace:
                with limit_answer(self._answer_seconds(step.context), _ANSWER_SHARE * _limit_of(step, state)):
                    result = await call
            else:
                result = await call
        finally:
            reset_current_context(token)
        output_schema = getattr(tool, "output_schema", None)
        if output_schema is not None:
            result = hold_to_schema(result, output_schema, tool.name)
        return name_ignored(check_citations(result, workspace), workspace) if signature.takes_workspace else result

    async def _run_in_time(
        self, work: Coroutine[Any, Any, ToolResult], limit_seconds: float, state: _CallState
    ) -> ToolResult:
        """Return the result of the work, or the error that time ran out."""
        result = await self._deadlines.within(limit_seconds, work)
        return _build_overdue(state, limit_seconds) if result is None else result

    def _get_keep(self, context: ToolContext) -> Callable[[Any], StoredRest] | None:
        """Return the function that stores the rest of an answer in this context, if any."""
        if self._offload is None:
            return None
        revision = getattr(context.workspace, "revision", "")
        return partial(self._offload.keep, owner=_get_owner(context), revision=revision)

    def _answer_seconds(self, context: ToolContext) -> float:
        """Return after how many seconds a tool should answer with what it has."""
        limit = context.timeout_seconds
        usual = self._settings.answer_seconds if limit is None else _ANSWER_SHARE * limit
        return usual if context.answer_seconds is None else context.answer_seconds

    def _get_budget_tokens(self, context: ToolContext, call: ToolCall | None = None) -> int:
        """Return the length limit of the text; 0 is unlimited."""
        asked = context.budget_tokens
        if asked is None:
            return get_usual_tokens(self._settings, call)
        if asked < 0:
            raise UsageError(f"invalid budget of {asked} tokens", hint="give a number of tokens, or 0 for unlimited")
        return min(asked, self._settings.max_budget_tokens)

    def _notify(
        self,
        observers: tuple[Callable[[Observation], object], ...],
        moment: Event,
        state: _CallState,
        call: ToolCall,
        result: ToolResult | None = None,
        refusal: Refusal | None = None,
    ) -> None:
        """Notify the observers of an event."""
        seconds = perf_counter() - state.started
        observation = Observation(call, state.context, result, moment, state.arguments, refusal, seconds)
        for notify in observers:
            try:
                notify(observation)
            except BaseException as error:
                if not is_fault(error):
                    raise
                self._core.log_failure(f"observer of {call.name}", error, state.scrub)


def _is_in_event_loop() -> bool:
    """Return whether an event loop runs in this thread, which none does before asyncio is imported."""
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    with suppress(RuntimeError):
        asyncio.get_running_loop()
        return True
    return False


async def _check(checks: tuple[Check, ...], step: PendingCall) -> Decision:
    """Return the step after the guards, or the first refusal."""
    for check in checks:
        verdict = check(step)
        if not isinstance(verdict, (PendingCall, Refusal)):
            verdict = await verdict
        if isinstance(verdict, Refusal):
            return verdict
        step = verdict
    return step


def _copy_containers(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with copies of lists and objects, so that holders of the originals cannot change them."""
    for name, value in given.items():
        if type(value) in (list, dict):
            from copy import deepcopy

            given[name] = deepcopy(value)
    return given


def _get_owner(context: ToolContext) -> Owner:
    """Return who receives the answers to calls in this context."""
    from avionics.tools.execution.overflow_store import Owner

    return Owner(context.caller.id, context.thread_id)


def _limit_of(step: PendingCall, state: _CallState) -> float:
    """Return after how many seconds the run of a tool is cancelled; infinity if it never is."""
    own = state.default_seconds if step.tool.timeout_seconds is None else step.tool.timeout_seconds
    return min((each for each in (own, state.limit_seconds) if each is not None), default=math.inf)


def _build_overdue(state: _CallState, limit_seconds: float) -> ToolResult:
    """Return the error that time ran out."""
    return ToolResult(
        Status.ERROR,
        error=f"{str(state.call.name)[:80]} did not answer within {limit_seconds:g} s",
        error_type=DeadlineExceededError.code,
        hint="narrow the question, or allow more time",
        execution_time_ms=int((perf_counter() - state.started) * 1000),
    )
