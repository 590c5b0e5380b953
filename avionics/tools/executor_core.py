"""The pure core: run one function with one set of arguments, and say what came of it in the documented format.

Everything a tool can do wrong ends here as a result; nothing but cancellation and the end of the process passes.

Knows: arguments, functions, results.
Does not know: registries, who may call, fallbacks, deadlines.
"""

from __future__ import annotations

import contextvars
import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache, partial
from time import perf_counter
from types import TracebackType
from typing import Any

import attrs

from avionics.stopping import Stop, use_stop
from avionics.tools.log import standard_logger
from avionics.tools.outcome import DATA_ONLY, Finish, build_invalid, build_result
from avionics.tools.parameters import read_parameters
from protocols.enums import Status
from protocols.errors import AvionicsError
from protocols.results import ToolResult
from protocols.seams import LoggerProtocol


def is_fault(error: BaseException | None) -> bool:
    """Whether an exception is a fault of what ran, and not cancellation or the end of the process.

    A tool that calls `sys.exit`, or lets out a cancellation that nobody asked for, is a tool that failed.
    """
    if isinstance(error, (Exception, SystemExit)):
        return True
    import asyncio

    if not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task()
    return task is not None and not task.cancelling()


class Containment:
    """Holds what goes wrong in its block; cancellation and the end of the process pass through."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Containment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not is_fault(error):
            return False
        self.error = error
        return True


@attrs.frozen
class Nature:
    """What a function is like.

    Attributes:
        signature: None when it does not tell.
        first: The name of its first parameter.
        is_first_bare: Whether the first parameter cannot be given by name, so that no caller's argument is meant.
        is_async: Whether calling it gives a coroutine.
        required: What must be given by name.
        accepted: What may be given by name; empty when names alone do not settle whether a call fits.
    """

    signature: inspect.Signature | None
    first: str
    is_first_bare: bool
    is_async: bool
    required: frozenset[str]
    accepted: frozenset[str]

    def get_misfit(self, leading: tuple[Any, ...], given: Mapping[str, Any]) -> str | None:
        """Why a call does not fit the signature, or None. Names settle it ten times faster than binding does."""
        if self.signature is None or (self.accepted and self.required <= given.keys() <= self.accepted):
            return None
        try:
            self.signature.bind(*leading, **given)
        except TypeError as error:
            return str(error)
        return None


@lru_cache(maxsize=1024)
def read_nature(function: Callable[..., Any], leading: int = 0) -> Nature:
    """What the function is like when so many arguments go before the caller's; remembered, for it is slow to read."""
    is_async = inspect.iscoroutinefunction(function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return Nature(None, "", False, is_async, frozenset(), frozenset())  # noqa: FBT003
    parameters = list(signature.parameters.values())
    named = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    settled = all(parameter.kind in named for parameter in parameters)
    rest = parameters[leading:]
    return Nature(
        signature,
        parameters[0].name if parameters else "",
        bool(parameters) and parameters[0].kind is inspect.Parameter.POSITIONAL_ONLY,
        is_async,
        required=frozenset(parameter.name for parameter in rest if parameter.default is parameter.empty),
        accepted=frozenset(parameter.name for parameter in rest) if settled else frozenset(),
    )


class ToolExecutionCore:
    """Pure execution logic for tools.

    Validates, drops None, binds, runs, normalizes and times. Asynchronous functions run where they are called,
    synchronous ones in a thread of their own, so that neither holds up the event loop.

    Args:
        logger: Where the traceback of a tool's own bug goes; the standard library's logging unless given.
        reraise: Let such bugs through instead, for tests.
    """

    def __init__(self, logger: LoggerProtocol | None = None, *, reraise: bool = False) -> None:
        self._logger = logger
        self._reraise = reraise

    def validate_params(self, parameter_schemas: Mapping[str, Any] | None, params: Mapping[str, Any]) -> list[str]:
        """Every fault of the parameters, each naming its parameter; no schemas, no faults."""
        if parameter_schemas is None:
            return []
        return list(read_parameters(parameter_schemas).find_faults(params))

    def filter_none_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that are not None, so that the function's defaults apply."""
        return {name: value for name, value in params.items() if value is not None}

    def normalize_result(self, result: Any, execution_time_ms: int) -> dict[str, Any]:
        """What a tool returned, in the documented format."""
        return attrs.evolve(build_result(result), execution_time_ms=execution_time_ms).to_dict()

    async def execute_tool(
        self,
        tool_function: Callable[..., Any],
        params: Mapping[str, Any],
        parameter_schemas: Mapping[str, Any] | None = None,
        tool_name: str = "unknown",
    ) -> dict[str, Any]:
        """Run a tool function with validation, filtering, normalization and timing; its faults are results."""
        return (await self.run(tool_function, params, parameter_schemas, tool_name)).to_dict()

    async def run(
        self,
        function: Callable[..., Any],
        arguments: Any,
        schemas: Mapping[str, Any] | None = None,
        name: str = "unknown",
    ) -> ToolResult:
        """Run a tool function on whatever the caller gave as arguments."""
        try:
            given = self.prepare(arguments, schemas)
        except Exception as error:
            return self.build_failure(error, name)
        return given if isinstance(given, ToolResult) else await self.call(function, given, schemas, name)

    def prepare(self, arguments: Any, schemas: Mapping[str, Any] | None) -> dict[str, Any] | ToolResult:
        """The arguments without None, or the error result that says everything wrong with them."""
        if not isinstance(arguments, (dict, Mapping)):
            return build_invalid((f"arguments: expected an object of parameters, got {type(arguments).__name__}",))
        given = {name: value for name, value in arguments.items() if value is not None}
        faults = () if schemas is None else read_parameters(schemas).find_faults(given)
        return build_invalid(faults) if faults else given

    async def call(
        self,
        function: Callable[..., Any],
        given: Mapping[str, Any],
        schemas: Mapping[str, Any] | None = None,
        name: str = "unknown",
        leading: tuple[Any, ...] = (),
        finish: Finish = DATA_ONLY,
    ) -> ToolResult:
        """Run a tool function on arguments that were prepared; the one way every call goes.

        Args:
            function: What runs.
            given: The arguments as `prepare` left them.
            schemas: What they were judged by, and how they become the tool's own types.
            name: The tool's name, for messages.
            leading: Arguments the corridor gives before the caller's.
            finish: What becomes of the value it returns.
        """
        started = perf_counter()
        try:
            result = await self._attempt(function, given, schemas, leading, finish)
        except BaseException as error:
            if not is_fault(error):
                raise
            result = self.build_failure(error, name, finish.scrub)
        elapsed = int((perf_counter() - started) * 1000)
        return result if elapsed == result.execution_time_ms else attrs.evolve(result, execution_time_ms=elapsed)

    def build_failure(self, error: BaseException, name: str, scrub: Callable[[Any], Any] | None = None) -> ToolResult:
        """The error result of an exception: a deliberate one says its code and hint, a bug its class.

        Args:
            error: What was raised.
            name: The tool's name, for the log.
            scrub: Takes secrets out of the result and the log.
        """
        if isinstance(error, AvionicsError):
            result = ToolResult(Status.ERROR, error=str(error), error_type=error.code, hint=error.hint)
        elif self._reraise and isinstance(error, Exception):
            raise error
        else:
            self.log_failure(f"tool {name}", error, scrub)
            result = ToolResult(Status.ERROR, error=f"{type(error).__name__}: {error}", error_type="tool_error")
        return scrub(result) if scrub else result

    def log_failure(self, what: str, error: BaseException, scrub: Callable[[Any], Any] | None = None) -> None:
        """Write a bug down where the operator reads it, with its traceback: as text where secrets come out of it."""
        logger = self._logger or standard_logger()
        event = f"{what} failed: {type(error).__name__}: {error}"
        if scrub is None:
            logger.error(event, exc_info=error)
            return
        from traceback import format_exception

        logger.error(scrub("\n".join((event, *format_exception(error)))))

    def tell(self, listener: Callable[[Any], object], told: Any, scrub: Callable[[Any], Any] | None = None) -> None:
        """Tell somebody of a call; their own fault changes nothing but the log."""
        try:
            listener(told)
        except BaseException as error:
            if not is_fault(error):
                raise
            self.log_failure(f"observer of {told.call.name}", error, scrub)

    async def _attempt(
        self,
        function: Callable[..., Any],
        given: Mapping[str, Any],
        schemas: Mapping[str, Any] | None,
        leading: tuple[Any, ...],
        finish: Finish,
    ) -> ToolResult:
        """Bind, run, normalize."""
        if schemas is not None:
            given = read_parameters(schemas).to_python(given)
        nature = read_nature(function, len(leading))
        misfit = nature.get_misfit(leading, given)
        if misfit:
            return ToolResult(Status.ERROR, error=f"Parameter error: {misfit}", error_type="parameter_error")
        if nature.is_async:
            return build_result(await function(*leading, **given), finish)
        built = await run_in_thread(partial(_run_and_build, partial(function, *leading, **given), finish))
        return built if isinstance(built, ToolResult) else build_result(await built, finish)


def _run_and_build(call: Callable[[], Any], finish: Finish) -> ToolResult | Awaitable[Any]:
    """The result of a synchronous call, or what must still be awaited."""
    value = call()
    return value if inspect.isawaitable(value) else build_result(value, finish)


async def run_in_thread(body: Callable[[], Any]) -> Any:
    """Run the body in a daemon thread: one that hangs keeps neither the caller nor the process.

    Whoever stops waiting says so to the body, which ends at the next place where it looks.
    """
    import asyncio
    from threading import Thread

    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context, stop = contextvars.copy_context(), Stop()
    context.run(use_stop, stop)

    def deliver(value: Any, error: BaseException | None) -> None:
        if not outcome.done():
            outcome.set_result((value, error))

    def work() -> None:
        value, error = None, None
        try:
            value = context.run(body)
        except BaseException as fault:
            error = fault
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, value, error)

    Thread(target=work, daemon=True, name="avionics-tool").start()
    try:
        value, error = await outcome
    except asyncio.CancelledError:
        stop.set()
        raise
    if error is not None:
        raise error
    return value
