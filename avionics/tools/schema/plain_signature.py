"""Read the parameters of plain functions from their code.

The module `inspect` reads those of every callable, but importing it takes a twentieth of the time of a short answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import FunctionType, GeneratorType
from typing import Any, ClassVar, TypeGuard

from msgspec import Struct

_GATHERS = 0x04 | 0x08
"""The flags of code with `*args` and `**options`, as in `inspect`."""
_IS_COROUTINE, _IS_ITERABLE_COROUTINE = 0x80, 0x100
_REPLACED = frozenset({"__signature__", "__text_signature__", "__wrapped__", "_is_coroutine_marker"})
"""Attributes that make a function another one for `inspect`."""


class PlainParameter(Struct, frozen=True):
    """A parameter of a function; `empty` stands for an annotation or default that it does not have."""

    name: str
    annotation: Any
    default: Any

    empty: ClassVar[Any] = Ellipsis


class PlainSignature(Struct, frozen=True):
    """The parameters of a function that takes each of them by its name."""

    parameters: Mapping[str, PlainParameter]
    positional: int
    is_async: bool

    def fits(self, leading: tuple[Any, ...], given: Mapping[str, Any]) -> bool:
        """Return whether the function accepts these arguments; `leading` are given without their names."""
        if len(leading) > self.positional:
            return False
        left = dict(list(self.parameters.items())[len(leading) :])
        is_known = all(name in left for name in given)
        return is_known and all(name in given or each.default is not each.empty for name, each in left.items())


def read_plain_signature(function: Callable[..., Any]) -> PlainSignature | None:
    """Return the parameters of a function written in Python; None if only `inspect` can tell them."""
    if type(function) is not FunctionType or not _REPLACED.isdisjoint(function.__dict__):
        return None
    code, named_only = function.__code__, function.__kwdefaults__ or {}
    if code.co_posonlyargcount or code.co_flags & _GATHERS:
        return None
    positional, defaults = code.co_argcount, function.__defaults__ or ()
    if Ellipsis in defaults or Ellipsis in named_only.values():
        return None
    names = code.co_varnames[: positional + code.co_kwonlyargcount]
    known = {**dict(zip(names[positional - len(defaults) : positional], defaults, strict=True)), **named_only}
    written = function.__annotations__
    parameters = {name: PlainParameter(name, written.get(name, Ellipsis), known.get(name, Ellipsis)) for name in names}
    return PlainSignature(parameters, positional, bool(code.co_flags & _IS_COROUTINE))


def read_doc(function: Callable[..., Any]) -> str:
    """Return the docstring of a function without its indentation, "" if it has none."""
    doc = function.__doc__ if type(function) is FunctionType else None
    if doc is None or "\t" in doc:
        import inspect

        return inspect.getdoc(function) or ""
    first, *rest = doc.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in rest)]).strip("\n")


def is_awaitable(value: object) -> TypeGuard[Awaitable[Any]]:
    """Return whether a value can be awaited."""
    is_marked = isinstance(value, GeneratorType) and bool(value.gi_code.co_flags & _IS_ITERABLE_COROUTINE)
    return is_marked or isinstance(value, Awaitable)
