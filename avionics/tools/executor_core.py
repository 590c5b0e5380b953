"""The execution core: run one function with one set of arguments, and return the documented result.

Every error of a tool becomes a result; only cancellation and the end of the process pass through.
"""

from __future__ import annotations

import contextvars
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import lru_cache, partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from avionics.cancellation import CancellationToken, use_cancellation
from avionics.model.enums import Status
from avionics.model.errors import AvionicsError, UsageError
from avionics.model.results import ToolResult
from avionics.tools.execution.direct_run import DirectWait, Outcome, is_closing, is_direct, leave_direct_run
from avionics.tools.execution.result_builder import DATA_ONLY, ResultOptions, build_invalid, build_result
from avionics.tools.execution.thread_pool import threads
from avionics.tools.schema.parameters import read_parameters
from avionics.tools.schema.plain_signature import PlainSignature, is_awaitable, read_plain_signature

if TYPE_CHECKING:
    import inspect

    from avionics.model.seams import LoggerProtocol

WORKSPACE = "workspace"
"""A first parameter with this name is supplied by the executor, not by the caller."""
CONTEXT = "context"
"""A positional-only first parameter with this name receives the call's context."""

_MEMORY_HINT = "the memory that this process may use is spent: allow it more, or ask about a smaller part"


def is_fault(error: BaseException | None) -> bool:
    """Return whether an exception is an error of the tool, and not cancellation or the end of the process.

    A tool that calls `sys.exit`, or raises a cancellation that nobody requested, has failed.
    """
    if error is None or isinstance(error, KeyboardInterrupt):
        return False
    if isinstance(error, Exception):
        return True
    if is_closing():
        return not isinstance(error, GeneratorExit)
    import asyncio

    if not isinstance(error, asyncio.CancelledError):
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True
    return task is not None and not task.cancelling()


class MisfitError(UsageError):
    """The arguments do not fit the signature of a function."""

    code = "parameter_error"


class CallableSignature(Struct, frozen=True):
    """The properties of a function that matter for calling it.

    Attributes:
        function: The function itself.
        plain: Its parameters; None if they are not plain.
        is_first_bare: Whether the first parameter is positional-only, so that no caller's argument can be bound to it.
        is_async: Whether calling it returns a coroutine.
        is_wrapped: Whether a wrapper may run before a call with invalid arguments is rejected.
    """

    function: Callable[..., Any]
    plain: PlainSignature | None
    first: str
    is_first_bare: bool
    is_async: bool
    is_wrapped: bool

    @property
    def takes_workspace(self) -> bool:
        """Return whether the executor supplies the workspace as the first argument."""
        return self.first == WORKSPACE

    @property
    def takes_context(self) -> bool:
        """Return whether the executor supplies the context of the call as the first argument."""
        return self.is_first_bare and self.first == CONTEXT

    def bind_error(self, leading: tuple[Any, ...], given: Mapping[str, Any]) -> MisfitError | None:
        """Return why a call does not fit the signature, or None."""
        if self.plain is not None and self.plain.fits(leading, given):
            return None
        signature = _inspect(self.function)
        try:
            if signature is not None:
                signature.bind(*leading, **given)
        except TypeError as error:
            return MisfitError(f"Parameter error: {error}")
        return None

    def require_fit(self, leading: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        """Raise `MisfitError` unless a call fits the signature."""
        misfit = self.bind_error(leading, given)
        if misfit:
            raise misfit


@lru_cache(maxsize=1024)
def read_callable(function: Callable[..., Any]) -> CallableSignature:
    """Return the properties of the function, cached because inspection is slow."""
    plain = read_plain_signature(function)
    if plain is not None:
        return CallableSignature(
            function, plain, next(iter(plain.parameters), ""), is_first_bare=False, is_async=plain.is_async,
            is_wrapped=False,
        )  # fmt: skip
    import inspect

    is_async = inspect.iscoroutinefunction(function)
    is_wrapped = not inspect.isroutine(function) or hasattr(function, "__wrapped__")
    signature = _inspect(function)
    first = next(iter(signature.parameters.values()), None) if signature is not None else None
    is_first_bare = first is not None and first.kind is inspect.Parameter.POSITIONAL_ONLY
    return CallableSignature(function, None, first.name if first else "", is_first_bare, is_async, is_wrapped)


@lru_cache(maxsize=1024)
def _inspect(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of any callable; None if it is not available."""
    import inspect

    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


class ToolExecutionCore:
    """Pure execution logic for tools.

    Validates, drops None, binds, runs, normalizes and measures. Asynchronous functions run where they are called,
    synchronous ones in their own thread, so that neither blocks the event loop.

    Args:
        logger: Receives the traceback of a tool's bug; the standard library's logging by default.
        reraise: Whether to let such bugs through, for tests.
    """

    def __init__(self, logger: LoggerProtocol | None = None, *, reraise: bool = False) -> None:
        self._logger = logger
        self._reraise = reraise

    def validate_params(self, parameter_schemas: Mapping[str, Any] | None, params: Mapping[str, Any]) -> list[str]:
        """Return every problem of the parameters, each naming its parameter; none without schemas."""
        if parameter_schemas is None:
            return []
        return list(read_parameters(parameter_schemas).find_faults(params))

    def filter_none_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters that are not None, so that the function's defaults apply."""
        return {name: value for name, value in params.items() if value is not None}

    def normalize_result(self, result: Any, execution_time_ms: int) -> dict[str, Any]:
        """Return a tool's value in the documented format."""
        return build_result(result).evolve(execution_time_ms=execution_time_ms).to_dict()

    async def execute_tool(
        self,
        tool_function: Callable[..., Any],
        params: Mapping[str, Any],
        parameter_schemas: Mapping[str, Any] | None = None,
        tool_name: str = "unknown",
    ) -> dict[str, Any]:
        """Run a tool function with validation, filtering, normalization and timing; its errors become results."""
        return (await self.run(tool_function, params, parameter_schemas, tool_name)).to_dict()

    async def run(
        self,
        function: Callable[..., Any],
        arguments: Any,
        schemas: Mapping[str, Any] | None = None,
        name: str = "unknown",
    ) -> ToolResult:
        """Run a tool function with any arguments."""
        try:
            given = self.prepare(arguments, schemas)
        except Exception as error:
            return self.build_failure(error, name)
        return given if isinstance(given, ToolResult) else await self.call(function, given, schemas, name)

    def prepare(self, arguments: Any, schemas: Mapping[str, Any] | None) -> dict[str, Any] | ToolResult:
        """Return the arguments without None, or the error result with all their problems."""
        if not isinstance(arguments, (dict, Mapping)):
            return build_invalid((f"arguments: expected an object of parameters, got {type(arguments).__name__}",))
        parameters = None if schemas is None else read_parameters(schemas)
        if parameters is not None and parameters.is_plainly_met(arguments):
            return dict(arguments)
        given = self.filter_none_params(arguments)
        faults = () if parameters is None else parameters.find_faults(given)
        return build_invalid(faults) if faults else given

    async def call(
        self,
        function: Callable[..., Any],
        given: Mapping[str, Any],
        schemas: Mapping[str, Any] | None = None,
        name: str = "unknown",
        leading: tuple[Any, ...] = (),
        finish: ResultOptions = DATA_ONLY,
    ) -> ToolResult:
        """Run a tool function with prepared arguments; every call ends here.

        Args:
            function: The function to run.
            given: The arguments as `prepare` returned them.
            schemas: The schemas that validate them and convert them to the tool's own types.
            name: The name of the tool, for messages.
            leading: Arguments that the executor supplies before the caller's.
            finish: Converts the returned value.
        """
        started, signature = perf_counter_ns(), None
        try:
            if schemas is not None:
                given = read_parameters(schemas).to_python(given)
            signature = read_callable(function)
            if signature.is_wrapped:
                signature.require_fit(leading, given)
            if signature.is_async:
                value = await function(*leading, **given)
                result = build_result(value if type(value) is dict else await _settle(value), finish)
            else:
                result = await _run_synchronous(partial(function, *leading, **given), finish)
        except BaseException as error:
            if not is_fault(error):
                raise
            misfit = signature.bind_error(leading, given) if signature and isinstance(error, TypeError) else None
            result = self.build_failure(misfit or error, name, finish.scrub)
        elapsed = (perf_counter_ns() - started) // 1_000_000
        return result if elapsed == result.execution_time_ms else result.evolve(execution_time_ms=elapsed)

    def build_failure(self, error: BaseException, name: str, scrub: Callable[[Any], Any] | None = None) -> ToolResult:
        """Return the error result of an exception: code and hint of a deliberate one, the class of a bug.

        Args:
            error: The exception.
            name: The name of the tool, for the log.
            scrub: Removes secrets from the result and the log.
        """
        if isinstance(error, AvionicsError):
            result = ToolResult(Status.ERROR, error=str(error), error_type=error.code, hint=error.hint)
        elif self._reraise and isinstance(error, Exception):
            raise error
        else:
            self.log_failure(f"tool {name}", error, scrub)
            fault = f"{type(error).__name__}: {error}"
            result = ToolResult(Status.ERROR, error=fault, error_type="tool_error", hint=_get_fault_hint(error))
        return scrub(result) if scrub else result

    def log_failure(self, what: str, error: BaseException, scrub: Callable[[Any], Any] | None) -> None:
        """Log a bug with its traceback; as text if secrets have to be removed."""
        from avionics.tools.log import standard_logger

        logger = self._logger or standard_logger()
        event = f"{what} failed: {type(error).__name__}: {error}"
        if scrub is None:
            logger.error(event, exc_info=error)
            return
        from traceback import format_exception

        logger.error(scrub("\n".join((event, *format_exception(error)))))


def _get_fault_hint(error: BaseException) -> str:
    """Return a hint for a fault that may not be the tool's."""
    return _MEMORY_HINT if isinstance(error, MemoryError) or "start new thread" in str(error) else ""


async def _run_synchronous(call: Callable[[], Any], finish: ResultOptions) -> ToolResult:
    """Run a function that is not asynchronous, though its return value may be."""
    built = await run_in_thread(partial(_run_and_build, call, finish))
    return built if isinstance(built, ToolResult) else build_result(await _settle(built), finish)


def _run_and_build(call: Callable[[], Any], finish: ResultOptions) -> ToolResult | Awaitable[Any]:
    """Return the result of a synchronous call, or the awaitable that it returned."""
    value = call()
    return value if is_awaitable(value) or hasattr(type(value), "__aiter__") else build_result(value, finish)


async def _settle(value: Any) -> Any:
    """Return the result of an awaitable, or the items of an asynchronous iterator."""
    while is_awaitable(value):
        value = await value
    return [item async for item in value] if hasattr(type(value), "__aiter__") else value


async def run_in_thread(body: Callable[[], Any]) -> Any:
    """Run the body in a daemon thread, so that one that hangs blocks neither the caller nor the process.

    When the caller stops waiting, the body is cancelled and ends at the next check.
    """
    outcome = DirectWait() if is_direct() else _LoopWait()
    context, stop = contextvars.copy_context(), CancellationToken()
    context.run(use_cancellation, stop)
    context.run(leave_direct_run)

    def work() -> None:
        value: Any = None
        error: BaseException | None = None
        try:
            value = context.run(body)
        except KeyboardInterrupt as fault:
            # Signals reach only the main thread, so the tool raised this one itself.
            error = RuntimeError(f"the tool raised KeyboardInterrupt: {fault}")
        except BaseException as fault:
            error = fault
        outcome.deliver(value, error)

    job = None
    try:
        job = threads.submit(work)
        value, error = await outcome
    except BaseException:
        stop.set()
        if job is not None:
            threads.abandon(job)
        raise
    if error is not None:
        raise error
    return value


class _LoopWait:
    """Waits in the running event loop for the result of another thread."""

    def __init__(self) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._outcome: asyncio.Future[Outcome] = self._loop.create_future()

    def deliver(self, value: Any, error: BaseException | None) -> None:
        """End the wait; called once, by the other thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._set, (value, error))

    def _set(self, outcome: Outcome) -> None:
        if not self._outcome.done():
            self._outcome.set_result(outcome)

    def __await__(self) -> Generator[Any, Any, Outcome]:
        """Return the outcome."""
        return self._outcome.__await__()
