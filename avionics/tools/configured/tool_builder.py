"""Build the tools of a configuration, and report why some cannot be built."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

import attrs
from msgspec import structs

from avionics.model.errors import AvionicsError
from avionics.model.naming import number_name, suggest_name
from avionics.model.seams import LoggerProtocol
from avionics.model.secret import Secret
from avionics.model.tools import ToolContext, ToolDefinitionProtocol
from avionics.settings import EndpointSettings
from avionics.tools.configured.agent_config import BuildFailure, ToolSpec
from avionics.tools.configured.tool import ConfiguredTool, ToolType, ToolTypeRegistry
from avionics.tools.executor import ToolExecutor
from avionics.tools.executor_core import is_fault
from avionics.tools.interop.langchain import build_langchain_tool, is_langchain_tool, read_langchain_tool
from avionics.tools.registries.tool_override import overlaid
from avionics.tools.registry import ToolRegistry
from avionics.tools.secrets.redaction import Redactor

TAG: Final = "[TOOL FACTORY]"


@attrs.frozen
class ToolBuildReport:
    """The outcome of a configuration.

    Attributes:
        tools: The tools, in the order of the configuration.
        failures: The tools that could not be built, and why.
        notes: Remarks about tools that may not be as intended.
    """

    tools: tuple[ToolDefinitionProtocol, ...] = ()
    failures: tuple[BuildFailure, ...] = ()
    notes: tuple[str, ...] = ()

    def to_langchain(self, executor: ToolExecutor | None = None, context: ToolContext | None = None) -> list[Any]:
        """Return all tools as LangChain's `StructuredTool`, whose calls go through one executor.

        Args:
            executor: Runs the calls; by default one for these tools alone.
            context: The context of the calls.

        Raises:
            MissingDependencyError: langchain-core is not installed.
        """
        if executor is None:
            registry = ToolRegistry()
            registry.register_tools(self.tools)
            executor = ToolExecutor(registry)
        return [build_langchain_tool(tool, executor, context) for tool in self.tools]


@attrs.frozen
class BuildContext:
    """The account, settings and further arguments with which tools are built."""

    account_id: int | str
    db: Any
    auth_token: str | None
    types: ToolTypeRegistry
    context: Mapping[str, Any]


class ToolBuilder:
    """Builds the tools of one configuration, and adds each to its report."""

    def __init__(self, order: BuildContext, log: LoggerProtocol) -> None:
        self._order = order
        self._log = log
        self._tools: dict[str, ToolDefinitionProtocol] = {}
        self._failures: list[BuildFailure] = []
        self._notes: list[str] = []

    def get_report(self) -> ToolBuildReport:
        """Return the report so far."""
        return ToolBuildReport(tuple(self._tools.values()), tuple(self._failures), tuple(self._notes))

    async def build(self, spec: ToolSpec | BuildFailure) -> None:
        """Build one tool, or record why that failed; nothing but cancellation is raised."""
        if isinstance(spec, BuildFailure):
            self._fail(spec, spec.reason)
            return
        self._log.debug(f"{TAG} Creating tool of type: {spec.type}")
        kind = self._order.types.get_type(spec.type)
        if kind is None:
            reason = f"unknown tool type {spec.type[:80]!r}; {suggest_name(spec.type, self._order.types.list_types())}"
            self._log.warning(f"{TAG} {spec.place}: {reason}")
            self._failures.append(BuildFailure(spec.place, spec.type, reason))
        elif faults := (*kind.find_faults(spec.config), *self._find_unknown(kind, spec)):
            self._fail(spec, "; ".join(faults))
        else:
            await self._build(kind, spec)

    async def _build(self, kind: ToolType, spec: ToolSpec) -> None:
        """Run the builder."""
        order = self._order
        try:
            made: Any = kind.build(dict(spec.config), order.account_id, order.db, order.auth_token, **order.context)
            made = await made if inspect.isawaitable(made) else made
            if is_langchain_tool(made):
                plain = read_langchain_tool(made)
                made = ConfiguredTool(plain.name, plain.function, plain.parameter_schemas, plain.description)
        except BaseException as error:
            if not is_fault(error):
                raise
            self._fail(spec, self._describe_error(spec, error))
            return
        if made is None:
            self._fail(spec, "the builder returned no tool")
        elif not isinstance(made, ToolDefinitionProtocol):
            self._fail(spec, f"the builder returned a {type(made).__name__}, which is not a tool")
        else:
            self._take(spec, made)

    def _find_unknown(self, kind: ToolType, spec: ToolSpec) -> tuple[str, ...]:
        """Return a fault for each unknown field; those of version 1 are only noted."""
        unknown = kind.find_unknown(spec.config) if kind.fields else ()
        described = tuple(_describe_field(name, tuple(kind.fields)) for name in unknown)
        if not spec.is_lenient:
            return described
        for each in described:
            self._note(f"{spec.place}: {each}")
        return ()

    def _take(self, spec: ToolSpec, made: ToolDefinitionProtocol) -> None:
        """Keep the tool under a unique name, because two indexes may have namespaces of the same name."""
        name = number_name(made.name, self._tools)
        if name != made.name:
            self._note(f"{spec.place}: renamed to {name!r}, because another tool is called {made.name!r}")
            made = structs.replace(made, name=name) if isinstance(made, ConfiguredTool) else overlaid(made, name=name)
        self._tools[name] = made

    def _fail(self, spec: ToolSpec | BuildFailure, reason: str) -> None:
        """Record and log why a tool could not be built."""
        self._log.error(f"{TAG} {spec.place}: no tool of type {spec.type or '?'}: {reason}")
        self._failures.append(BuildFailure(spec.place, spec.type, reason))

    def _note(self, note: str) -> None:
        """Record and log a possible mistake in a configuration."""
        self._log.warning(f"{TAG} {note}")
        self._notes.append(note)

    def _describe_error(self, spec: ToolSpec, error: BaseException) -> str:
        """Describe a builder's exception; the traceback of a bug goes to the log, and credentials are removed."""
        settings = self._order.context.get("settings") or EndpointSettings.from_environment()
        known = (*settings.secrets, *([Secret(self._order.auth_token)] if self._order.auth_token else ()))
        redactor = Redactor(known=known)
        scrub = redactor.get_scrub(spec.config) or str
        if isinstance(error, AvionicsError):
            return redactor.redact_text(scrub(f"{error} ({error.hint})" if error.hint else str(error)))
        trace = "".join(traceback.format_exception(error))
        self._log.error(f"{TAG} the builder of {spec.type} failed\n{redactor.redact_text(scrub(trace))}")
        return redactor.redact_text(scrub(f"{type(error).__name__}: {error}"))


def _describe_field(name: str, known: tuple[str, ...]) -> str:
    """Describe an unknown field, with the most similar one."""
    spelled = {field.lower(): field for field in known}
    near = get_close_matches(name.lower(), spelled, n=1)
    return f"unknown field {name[:80]!r}" + (f"; did you mean {spelled[near[0]]}?" if near else "")
