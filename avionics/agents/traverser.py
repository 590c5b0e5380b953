"""The traverser: run plans through the executor pipeline. No other part of an agent runs tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any

from msgspec import structs

from avionics.agents.plans import AgentLimits, Plan, PlanStep, StepResult, read_reference
from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.model.tools import ToolCall, ToolContext
from avionics.tools.answers.answer import estimate_tokens
from avionics.tools.execution.direct_run import is_direct
from avionics.tools.executor import ToolExecutor

ROLE = "traverser"


class Traverser:
    """Runs plans through the executor.

    The caller's role becomes "traverser". A budget in the context is for a whole plan, shared by its steps.
    """

    def __init__(self, executor: ToolExecutor, context: ToolContext, limits: AgentLimits | None = None) -> None:
        self._executor = executor
        self._limits = limits or AgentLimits()
        self._context = structs.replace(context, caller=structs.replace(context.caller, role=ROLE))

    async def traverse(self, plan: Plan, done: tuple[StepResult, ...] = ()) -> tuple[StepResult, ...]:
        """Run the steps of a valid plan and return their results in order; independent steps run concurrently.

        The results of earlier rounds, `done`, count towards the limits.
        """
        context = structs.replace(self._context, budget_tokens=self._share(len(plan.steps)))
        found: dict[str, StepResult] = {}
        left = self._limits.max_calls - len(done)
        while waiting := [step for step in plan.steps if step.id not in found]:
            ready = [step for step in waiting if all(need in found for need in step.find_needs())]
            if not ready:
                return tuple(found[step.id] for step in plan.steps if step.id in found)
            allowed = max(0, left) if self._has_room((*done, *found.values())) else 0
            ran = await self._run_steps(ready[:allowed], found, context)
            skipped = [_skip(step, "bounds", "the limit of calls or tokens is reached") for step in ready[allowed:]]
            found |= {evidence.step.id: evidence for evidence in (*ran, *skipped)}
            left -= len(ran)
        return tuple(found[step.id] for step in plan.steps)

    def _has_room(self, done: tuple[StepResult, ...]) -> bool:
        """Return whether the limits allow more results."""
        return sum(estimate_tokens(evidence.text) for evidence in done) < self._limits.max_tokens

    def _share(self, steps: int) -> int:
        """Return the length of one result when this many steps share the budget; 0 is unlimited."""
        budget = self._context.budget_tokens
        return self._limits.step_tokens if budget is None else budget and max(1, budget // max(1, steps))

    async def _run_steps(
        self, steps: list[PlanStep], found: Mapping[str, StepResult], context: ToolContext
    ) -> list[StepResult]:
        """Run steps that do not need each other, concurrently if there is an event loop."""
        if is_direct():
            return [await self._run_step(step, found, context) for step in steps]
        import asyncio

        return await asyncio.gather(*(self._run_step(step, found, context) for step in steps))

    async def _run_step(self, step: PlanStep, found: Mapping[str, StepResult], context: ToolContext) -> StepResult:
        """Run one step; skip it if a step it needs found nothing."""
        for need in step.find_needs():
            if found[need].result.status in (Status.ERROR, Status.NOT_FOUND):
                return _skip(step, "skipped", f"step {need} found no value for it")
        arguments: dict[str, Any] = {}
        for name, value in step.arguments.items():
            reference = read_reference(value)
            if reference is None:
                arguments[name] = value
                continue
            arguments[name] = next(_iter_values(found[reference[0]].result.data, reference[1]), None)
            if arguments[name] is None:
                return _skip(step, "skipped", f"step {reference[0]} found no {reference[1]!r}")
        started = perf_counter()
        call = ToolCall(step.tool, arguments, step.id)
        result = await self._executor.execute(call, context)
        return StepResult(structs.replace(step, arguments=arguments), result, int((perf_counter() - started) * 1000))


def _skip(step: PlanStep, error_type: str, reason: str) -> StepResult:
    """Return the evidence of a step that did not run."""
    return StepResult(step, ToolResult(Status.ERROR, error=f"not run: {reason}", error_type=error_type))


def _iter_values(data: Any, field: str) -> Iterator[Any]:
    """Yield the values of a field anywhere in plain data, in order."""
    if isinstance(data, Mapping):
        if data.get(field) not in (None, "", [], {}) and not isinstance(data[field], (list, Mapping)):
            yield data[field]
        for value in data.values():
            yield from _iter_values(value, field)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _iter_values(value, field)
