"""Parameters that are read from the code of a function are those that `inspect` reads; it is left to others."""

from __future__ import annotations

import functools
import inspect

import pytest

from avionics.tools.schema.plain_signature import is_awaitable, read_doc, read_plain_signature


def plain(workspace, name: str, *, limit: int = 3, scope: str | None = None) -> list[str]:
    """Find it.

    Args:
        name: What.
    """


async def waits(name: str = "x") -> None: ...


def none() -> None: ...


@functools.wraps(plain)
def wrapped(*given, **named): ...


def gathers(*names): ...


def unnamed(name, /): ...


class Called:
    def __call__(self, name): ...

    def method(self, name): ...


@pytest.mark.parametrize("function", [plain, waits, none, Called.method])
def test_parameters_are_those_of_inspect(function):
    found, known = read_plain_signature(function), inspect.signature(function)
    assert found is not None
    assert list(found.parameters) == list(known.parameters)
    assert found.is_async == inspect.iscoroutinefunction(function)
    for name, each in known.parameters.items():
        read = found.parameters[name]
        assert (read.default is read.empty) == (each.default is each.empty)
        assert (read.annotation is read.empty) == (each.annotation is each.empty)
        assert read.default is read.empty or read.default == each.default
    assert read_doc(function) == (inspect.getdoc(function) or "")


@pytest.mark.parametrize(
    "function", [wrapped, gathers, unnamed, Called(), Called().method, functools.partial(plain), len]
)
def test_other_callables_are_left_to_inspect(function):
    assert read_plain_signature(function) is None


@pytest.mark.parametrize(
    ("leading", "given"),
    [((), {}), ((1,), {}), ((1,), {"name": "a"}), ((1, 2), {}), ((1, 2), {"name": "a"}), ((1, 2, 3), {}),
     ((), {"workspace": 1, "name": "a", "limit": 2}), ((1,), {"name": "a", "other": 2})],
)  # fmt: skip
def test_what_fits_is_what_inspect_binds(leading, given):
    try:
        inspect.signature(plain).bind(*leading, **given)
        is_fit = True
    except TypeError:
        is_fit = False
    assert read_plain_signature(plain).fits(leading, given) is is_fit


def test_a_coroutine_can_be_awaited_and_a_list_cannot():
    coroutine = waits()
    assert is_awaitable(coroutine)
    coroutine.close()
    assert not is_awaitable([])
