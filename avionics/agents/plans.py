"""Plans: which tools to call with which arguments, and their validation.

The argument `"$1.file"` stands for the first `file` in the result of step 1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from avionics.late_pattern import late_pattern
from avionics.model.enums import Status
from avionics.model.errors import AvionicsError
from avionics.model.naming import suggest_name
from avionics.model.results import ToolResult
from avionics.model.tools import ToolCall, ToolRegistryProtocol
from avionics.tools.schema.parameters import Parameters

if TYPE_CHECKING:
    from avionics.model.chat import ChatReply

_REFERENCE = late_pattern(r"\$([\w.-]+)\.(\w+)")
_FENCE = late_pattern(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


class AgentLimits(Struct, frozen=True):
    """The limits of one question.

    Attributes:
        max_rounds: How often results lead to a new plan; each round costs a turn of the model.
        max_steps: The maximum number of steps of one plan.
        max_calls: The calls of all rounds together.
        max_repairs: How often a malformed plan, or an answer with wrong citations, is returned to the model.
        step_tokens: The length of one result.
        max_tokens: The length of all results together, which a small model can still read.
        seconds: The time for everything.
    """

    max_rounds: int = 3
    max_steps: int = 6
    max_calls: int = 12
    max_repairs: int = 2
    step_tokens: int = 2_000
    max_tokens: int = 16_000
    seconds: float = 180.0


class PlanStep(Struct, frozen=True):
    """One call of a plan: `why` is what it should find out, `needs` the steps that must have found something before."""

    id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    needs: tuple[str, ...] = ()

    def find_needs(self) -> tuple[str, ...]:
        """Return the steps it depends on: those named, and those its arguments refer to."""
        referred = (reference[0] for value in self.arguments.values() if (reference := read_reference(value)))
        return tuple(dict.fromkeys((*self.needs, *referred)))


class Plan(Struct, frozen=True):
    """Steps to run; independent steps run concurrently.

    Attributes:
        said: The text that a model sent with them.
        is_native: Whether the model sent them as tool calls.
    """

    steps: tuple[PlanStep, ...]
    said: str = ""
    is_native: bool = False


class Draft(Struct, frozen=True):
    """An answer that has not been verified yet."""

    text: str


class Malformed(Struct, frozen=True):
    """A reply that is neither a plan nor an answer, and why."""

    faults: tuple[str, ...]


class PlanRefusedError(AvionicsError):
    """A model's plans stayed malformed; nothing of the last one ran."""

    code = "plan_refused"

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__(f"the plan was refused: {'; '.join(faults)}", hint="ask again, or without --model")
        self.faults = faults


class StepResult(Struct, frozen=True):
    """The result of one step, and how long it took."""

    step: PlanStep
    result: ToolResult
    milliseconds: int = 0

    @property
    def citations(self) -> list[str]:
        """Return the places that the result cites."""
        cited: list[str] = (self.result.data or {}).get("citations", [])
        return cited

    @property
    def attempt_history(self) -> list[dict[str, Any]]:
        """Return what the tool tried, in order."""
        tried: list[dict[str, Any]] = (self.result.data or {}).get("attempt_history", [])
        return tried

    @property
    def text(self) -> str:
        """Return the result as a model reads it."""
        result = self.result
        if result.status is not Status.ERROR:
            return result.text or result.message
        return "\n".join(filter(None, (f"error: {result.error}", *result.validation_errors, result.hint)))


class Round(Struct, frozen=True):
    """One plan and its results."""

    plan: Plan
    evidence: tuple[StepResult, ...]


class Correction(Struct, frozen=True):
    """A reply that was returned to the model, and why."""

    reply: ChatReply
    faults: tuple[str, ...]


def list_evidence(rounds: Iterable[Round]) -> tuple[StepResult, ...]:
    """Return the results of all rounds."""
    return tuple(evidence for each in rounds for evidence in each.evidence)


def read_reference(value: object) -> tuple[str, str] | None:
    """Return the step and the field that an argument refers to, None for a plain value."""
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return (match[1], match[2]) if match else None


def plan_calls(calls: tuple[ToolCall, ...], said: str) -> Plan:
    """Return the plan for the tool calls of a model."""
    steps = (PlanStep(call.id or str(number), call.name, call.arguments) for number, call in enumerate(calls, 1))
    return Plan(tuple(steps), said, is_native=True)


def read_plan(text: str) -> Plan | Draft | Malformed:
    """Parse a plan in JSON, with or without a fence and text around it; text without one is an answer."""
    written = _read_json(text)
    if written is None:
        return Draft(text.strip()) if text.strip() else Malformed(("the reply is empty",))
    if isinstance(written, str):
        return Malformed((f"the plan is not JSON: {written}",))
    if isinstance(written.get("answer"), str) and not written.get("steps"):
        return Draft(written["answer"].strip())
    steps = written.get("steps")
    if not isinstance(steps, list) or not steps:
        return Malformed(('the plan has no list "steps"',))
    read = [_read_step(number, step) for number, step in enumerate(steps, 1)]
    faults = tuple(each for each in read if isinstance(each, str))
    return Malformed(faults) if faults else Plan(tuple(each for each in read if isinstance(each, PlanStep)), text)


def find_faults(
    plan: Plan, registry: ToolRegistryProtocol, allowed: Collection[str], max_steps: int
) -> tuple[str, ...]:
    """Return every problem of a plan; a plan with a problem never runs."""
    return tuple(_iter_faults(plan, registry, allowed, max_steps))


def _iter_faults(plan: Plan, registry: ToolRegistryProtocol, allowed: Collection[str], max_steps: int) -> Iterator[str]:
    if len(plan.steps) > max_steps:
        yield f"the plan has {len(plan.steps)} steps; the limit is {max_steps}"
    known: set[str] = set()
    for step in plan.steps:
        where = f"step {step.id}"
        if step.id in known:
            yield f"{where}: two steps have this id"
        for needed in step.find_needs():
            if needed not in known:
                yield f"{where}: needs {needed!r}, which is not an earlier step"
        known.add(step.id)
        tool = registry.get_tool(step.tool)
        if tool is None or step.tool not in allowed:
            yield f"{where}: {_name_fault(step.tool, allowed, is_known=tool is not None)}"
            continue
        for fault in _find_argument_faults(step, tool.parameter_schemas):
            yield f"{where}: {fault}"


def _name_fault(name: str, allowed: Collection[str], *, is_known: bool) -> str:
    """Return why a plan may not use a tool of that name, and which it may."""
    fault = "this caller may not use" if is_known else "there is no tool"
    return f"{fault} {name!r}; {suggest_name(name, sorted(allowed))}"


def _find_argument_faults(step: PlanStep, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the problems of the arguments whose values are already known."""
    if not isinstance(parameters, Parameters):
        return ()
    referring = {name for name, value in step.arguments.items() if read_reference(value)}
    plain = {name: value for name, value in step.arguments.items() if name not in referring}
    unknown = tuple(f"{name}: unknown parameter" for name in sorted(referring) if name not in parameters)
    faults = parameters.find_faults(plain)
    return (*unknown, *(fault for fault in faults if fault.partition(": missing")[0] not in referring))


def _read_step(number: int, written: Any) -> PlanStep | str:
    """Parse one step; return a message if it is invalid."""
    import json

    where = f"step {number}"
    if not isinstance(written, Mapping) or not isinstance(written.get("tool"), str):
        return f'{where}: not an object with a "tool"'
    arguments = written.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return f"{where}: its arguments are not JSON"
    needs = written.get("needs") or []
    if not isinstance(arguments, Mapping):
        return f"{where}: its arguments are not an object"
    if not isinstance(needs, list):
        return f"{where}: its needs are not a list"
    identity = str(written.get("id") or number)
    return PlanStep(identity, written["tool"], arguments, str(written.get("why") or ""), tuple(map(str, needs)))


def _read_json(text: str) -> Any:
    """Return the JSON object in a text, bare or fenced, the parser's message if malformed, or None if there is none."""
    import json

    stripped = text.strip()
    fenced = [block.strip() for block in _FENCE.findall(text)]
    candidates = [each for each in (*fenced, stripped) if each.startswith("{")]
    at = text.find('{"steps"')
    if at >= 0:
        candidates.append(text[at:])
    complaint = None
    for candidate in candidates:
        try:
            found, _ = json.JSONDecoder().raw_decode(candidate)
        except (ValueError, RecursionError) as error:
            complaint = complaint or str(error)
            continue
        if "steps" in found or "answer" in found:
            return found
    return complaint if complaint and ("steps" in text or stripped.startswith("{")) else None
