"""Results: the answer of a call, its completeness, and the conversion of values to plain data."""

from __future__ import annotations

import math
from binascii import b2a_base64
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from datetime import date, time
from enum import Enum
from pathlib import PurePath
from typing import Any, ClassVar, NoReturn

from msgspec import Struct, structs

from avionics.model.enums import Certainty, Status
from avionics.model.reasons import OUT_OF_TIME, Reason


class NextStep(Struct, frozen=True):
    """One call worth making after an answer. Each interface writes it in its own syntax, or leaves it out.

    Attributes:
        tool: The name of the tool; "" repeats the call that gave the answer, with `arguments` added.
        arguments: Its arguments.
        purpose: What it is for, as it follows the call: "for the rest".
    """

    tool: str
    arguments: Mapping[str, Any]
    purpose: str


class Coverage(Struct, frozen=True):
    """How complete an answer is.

    Attributes:
        found: The number of results.
        shown: How many of them the answer lists.
        certainty: Whether `found` is exact, a lower bound, or unknown.
        unresolved: The number of places that may be results.
        reasons: Why it is incomplete; the plain form has their sentences under `because`.
        next: The one call to make next, if any; the plain form has its text under `next`.
        settled: Whether an empty result is an answer: the subject exists and has none.
    """

    found: int
    shown: int
    certainty: Certainty = Certainty.EXACT
    unresolved: int = 0
    reasons: tuple[Reason, ...] = ()
    next: NextStep | None = None
    settled: bool = False

    OMITTED: ClassVar[frozenset[str]] = frozenset({"reasons", "next", "settled"})
    """The fields that `to_plain` leaves out."""

    @property
    def status(self) -> Status:
        """Return not_found if nothing was found, partial if the answer is incomplete, else success."""
        if self.found == 0 and self.unresolved == 0 and not self.settled:
            return Status.NOT_FOUND
        if self.shown < self.found or self.certainty is not Certainty.EXACT:
            return Status.PARTIAL
        return Status.SUCCESS

    @property
    def ran_out_of_time(self) -> bool:
        """Return whether there was no time to examine everything, so that nothing found is not evidence of absence."""
        return any(each.kind in OUT_OF_TIME for each in self.reasons)

    @classmethod
    def of(cls, count: int, *, is_exact: bool, reasons: tuple[Reason, ...] = (), **more: Any) -> Coverage:
        """Return the coverage of an answer that lists everything found; there may be more unless `is_exact`."""
        certainty = Certainty.EXACT if is_exact else Certainty.AT_LEAST
        return cls(count, count, certainty, reasons=tuple(dict.fromkeys(reasons)), **more)

    def with_reasons(self, *reasons: Reason) -> Coverage:
        """Return the coverage with more reasons, each once."""
        return structs.replace(self, reasons=tuple(dict.fromkeys((*self.reasons, *reasons))))


def complete(count: int) -> Coverage:
    """Return the coverage of an answer that lists everything."""
    return Coverage(found=count, shown=count)


class Attempt(Struct, frozen=True):
    """One step of a fallback chain, and its outcome."""

    step: str
    outcome: str
    found: int = 0
    milliseconds: int = 0


class Citation(Struct, frozen=True):
    """A place that supports an answer."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


_PLAIN = frozenset({type(None), bool, int, str})


def to_plain(value: Any) -> Any:
    """Convert a value to JSON-ready data.

    Classes with fields (attrs, dataclasses, msgspec, pydantic) become dicts, enums their values, sequences, sets and
    iterators lists, dates ISO 8601 text, bytes their UTF-8 text or `{"base64": …}`. NaN and the infinities become the
    strings "NaN", "Infinity" and "-Infinity". Fields that the class names in `OMITTED`, or marks with metadata
    `plain=False`, are left out. Raise `ValueError` if two keys of a mapping have the same text, or `TypeError` if
    something in the value is a coroutine that was not awaited.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or type(item) not in _PLAIN:
                return _plain_items(value)
        return value.copy()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else _spell_number(value)
    if isinstance(value, (str, int)):
        return value
    fields = _plain_fields(kind)
    if fields is not None:
        return {name: to_plain(getattr(value, name)) for name in fields}
    if isinstance(value, Mapping):
        return _plain_items(value)
    if isinstance(value, (set, frozenset)):
        return sorted((to_plain(item) for item in value), key=lambda item: (type(item).__name__, str(item)))
    if isinstance(value, (list, tuple, Iterator)):
        return [to_plain(item) for item in value]
    if isinstance(value, PurePath):
        return value.as_posix()
    return _spell(value)


def _plain_items(value: Mapping[Any, Any]) -> dict[str, Any]:
    plain = {key if type(key) is str else str(to_plain(key)): to_plain(item) for key, item in value.items()}
    if len(plain) != len(value):
        raise ValueError("two keys of a mapping are the same as text, such as 1 and '1'")
    return plain


def _plain_fields(kind: type) -> Iterable[str] | None:
    if issubclass(kind, Struct):
        omitted = getattr(kind, "OMITTED", ())
        return [name for name in kind.__struct_fields__ if name not in omitted] if omitted else kind.__struct_fields__
    if kind is ToolResult:
        return ToolResult.FIELDS
    of_attrs = getattr(kind, "__attrs_attrs__", None)
    if of_attrs is not None:
        return [field.name for field in of_attrs if field.metadata.get("plain", True)]
    if hasattr(kind, "__dataclass_fields__"):
        from dataclasses import fields, is_dataclass

        assert is_dataclass(kind)
        return [field.name for field in fields(kind) if field.metadata.get("plain", True)]
    of_pydantic = getattr(kind, "model_fields", None)
    return tuple(of_pydantic) if isinstance(of_pydantic, Mapping) and hasattr(kind, "model_dump") else None


def _spell_number(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _spell(value: Any) -> Any:
    """Return a scalar as text; bytes that are not UTF-8 in base64."""
    if isinstance(value, Awaitable):
        raise TypeError(f"the data contains a {type(value).__name__} that was never awaited")
    if isinstance(value, (bytes, bytearray, memoryview)):
        content = bytes(value)
        try:
            return content.decode()
        except UnicodeDecodeError:
            return {"base64": b2a_base64(content, newline=False).decode()}
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


class ToolResult:
    """The outcome of one call; `to_dict()` is the documented result format, exactly.

    A tool may write it as `ToolResult(success=True, result_for_llm="…", ui_component=…)` or as
    `ToolResult(data=…)`, with any value as data; the executor makes an object of it.

    Attributes:
        status: The outcome.
        data: The answer as plain data, from the executor always an object; None for errors.
        message: Set for not_found and partial.
        error: The message of an error; None if there is none.
        error_type: Its stable code.
        validation_errors: Every problem of the parameters.
        hint: What the caller can do about an error.
        execution_time_ms: Whole milliseconds, ≥ 0.
        text: The answer as a model or a person reads it; not part of `to_dict()`.
        rest: The handle to the part that was cut, if it is stored; not part of `to_dict()`.
        metadata: Further data of the tool; not part of `to_dict()`.
        answer: The declared answer as it is shown, if the tool returned one; not part of `to_dict()`.
        is_wrapped: Whether the tool returned a value that is not an object, which `data` wraps as `{"result": …}`.
    """

    status: Status
    data: Any
    message: str
    error: str | None
    error_type: str
    validation_errors: tuple[str, ...]
    hint: str
    execution_time_ms: int
    text: str
    rest: str
    metadata: Mapping[str, Any]
    answer: Any
    is_wrapped: bool

    FIELDS: ClassVar = (
        "status", "data", "message", "error", "error_type", "validation_errors", "hint", "execution_time_ms", "text",
        "rest", "metadata", "answer", "is_wrapped",
    )  # fmt: skip
    _UNCOMPARED: ClassVar = 2
    """Results are equal whatever the last fields are."""

    def __init__(
        self,
        status: Status | None = None,
        data: Any = None,
        message: str = "",
        error: str | None = None,
        error_type: str = "",
        validation_errors: tuple[str, ...] = (),
        hint: str = "",
        execution_time_ms: int = 0,
        text: str = "",
        rest: str = "",
        metadata: Mapping[str, Any] | None = None,
        answer: Any = None,
        is_wrapped: bool = False,
        *,
        success: bool | None = None,
        result_for_llm: str = "",
        ui_component: Any = None,
    ) -> None:
        """Create a result from a status or from `success`, which is true by default.

        Raise `TypeError` if both the status and the success are given, or the success in place of the status.
        """
        if status is None:
            status, text = Status.ERROR if success is False else Status.SUCCESS, result_for_llm or text
            if success is False:
                error, error_type = error or result_for_llm, error_type or "tool_error"
            elif data is None and result_for_llm:
                data = {"result": result_for_llm}
            shown = {} if ui_component is None else {"ui_component": ui_component}
            metadata = {**(metadata or {}), **shown}
        elif success is not None or isinstance(status, bool):
            raise TypeError("give either a status or success, by its name: ToolResult(success=True, …)")
        if error is None and status is Status.ERROR:
            error = ""
        # The object is frozen, so set its fields without `__setattr__`.
        self.__dict__.update(
            status=status, data=data, message=message, error=error, error_type=error_type,
            validation_errors=validation_errors, hint=hint, execution_time_ms=execution_time_ms, text=text, rest=rest,
            metadata={} if metadata is None else metadata, answer=answer, is_wrapped=is_wrapped,
        )  # fmt: skip

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name!r} cannot be set or deleted: a ToolResult does not change; call evolve()")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return all(mine[name] == theirs[name] for name in self.FIELDS[: -self._UNCOMPARED])

    def __hash__(self) -> int:
        return hash(tuple(vars(self)[name] for name in self.FIELDS[: -self._UNCOMPARED]))

    def evolve(self, **changes: Any) -> ToolResult:
        """Return the result with other values of some fields."""
        return ToolResult(**{**vars(self), **changes})

    def __repr__(self) -> str:
        """Return the fields that are set, without the text, which repeats the data."""
        fields = {"status": self.status.value, "data": self.data, "error": self.error, "error_type": self.error_type,
                "validation_errors": self.validation_errors, "hint": self.hint, "message": self.message,
                "metadata": self.metadata}  # fmt: skip
        return f"ToolResult({', '.join(f'{name}={value!r}' for name, value in fields.items() if value)})"

    @property
    def success(self) -> bool:
        """Return whether the tool succeeded at least in part; finding nothing is a success."""
        return self.status is not Status.ERROR

    @property
    def result_for_llm(self) -> str:
        """Return what a model reads: the text, or the error."""
        return self.error or "" if self.status is Status.ERROR else self.text

    @property
    def output(self) -> Any:
        """Return what the tool returned: `data`, or the value that `data` wraps."""
        return self.data["result"] if self.is_wrapped else self.data

    @property
    def ui_component(self) -> Any:
        """Return what a frontend shows, if the tool made anything for it."""
        return self.metadata.get("ui_component")

    def to_dict(self) -> dict[str, Any]:
        """Return the documented result format."""
        plain: dict[str, Any] = {"status": self.status.value}
        if self.status is Status.ERROR:
            plain |= {"error": self.error or "", "error_type": self.error_type}
            if self.validation_errors:
                plain["validation_errors"] = list(self.validation_errors)
            if self.hint:
                plain["hint"] = self.hint
        else:
            plain["data"] = dict(self.data or {})
            if self.message:
                plain["message"] = self.message
        plain["execution_time_ms"] = self.execution_time_ms
        return plain

    def model_dump(self) -> dict[str, Any]:
        """Return the fields that the output of a class-based tool has."""
        return {"success": self.success, "data": self.output, "error": self.error, "metadata": dict(self.metadata)}
