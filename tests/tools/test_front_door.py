"""`from avionics import …`: functions are tools, their type hints the schema."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import enum
import uuid
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import attrs
import pytest
from pydantic import BaseModel, Field

from avionics import Caller, Context, ToolCall, ToolExecutor, ToolRegistry, ToolResult, tool
from avionics.model import RegistrationError
from avionics.tools import ToolDefinition
from avionics.tools.declare import read_signature


def test_what_a_program_needs_is_in_one_place():
    from avionics import tools

    assert [name for name in tools.__all__ if not hasattr(tools, name)] == []
    assert {"BaseTool", "Bounds", "approved", "audited", "combined", "permitted", "tool"} <= set(tools.__all__)


def test_an_unknown_tool_is_answered_with_those_that_the_caller_sees():
    registry = ToolRegistry()

    @registry.tool(groups="admin")
    def delete_all() -> None:
        """Delete."""

    @registry.tool
    def count() -> int:
        """Count."""
        return 1

    run = ToolExecutor(registry).run
    assert run(ToolCall("delete_al")).hint == "known: count"
    assert run(ToolCall("delete_al"), Context(Caller("ada", groups="admin"))).hint == "did you mean delete_all?"
    assert run(ToolCall("cuont")).hint == "did you mean count?"
    assert ToolExecutor(ToolRegistry()).run(ToolCall("count")).hint == ""


def test_a_result_is_printed_as_what_it_says():
    assert repr(ToolResult(data={"x": 1}, text="{}")) == "ToolResult(status='success', data={'x': 1})"
    failed = ToolResult(success=False, error="no", hint="ask")
    assert repr(failed) == "ToolResult(status='error', error='no', error_type='tool_error', hint='ask')"


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Data:
    x: int


@attrs.frozen
class Attrs:
    x: int


class Model(BaseModel):
    x: int = Field(ge=1)


class Typed(TypedDict):
    x: int


@attrs.frozen
class Deep:
    when: dt.date
    who: Model


class Loose(TypedDict):
    x: Annotated[int, Field(ge=1)]
    y: NotRequired[dt.date | str]


def registered(function, **options):
    registry = ToolRegistry()
    registry.tool(function, **options)
    return registry


KINDS: dict[str, tuple[Any, Any, Any, Any]] = {
    "union": (int | str, "a", "a", 1.5),
    "date": (dt.date, "2026-01-02", dt.date(2026, 1, 2), "soon"),
    "time": (dt.datetime, "2026-01-02T03:04:05", dt.datetime(2026, 1, 2, 3, 4, 5), 3),
    "id": (uuid.UUID, str(uuid.UUID(int=1)), uuid.UUID(int=1), "x"),
    "path": (Path, "a/b", Path("a/b"), 1),
    "enum": (Color, "red", Color.RED, "blue"),
    "literal": (Literal["EUR", "USD"], "EUR", "EUR", "DM"),
    "dataclass": (Data, {"x": 1}, Data(1), {"x": "1"}),
    "attrs": (Attrs, {"x": 1}, Attrs(1), {"y": 1}),
    "pydantic": (Model, {"x": 1}, Model(x=1), {"x": 0}),
    "typed dict": (Typed, {"x": 1}, {"x": 1}, {}),
    "constrained": (Annotated[int, Field(ge=1, le=5)], 5, 5, 6),
    "list": (list[Data], [{"x": 1}], [Data(1)], [{"x": None}]),
    "attrs with a date and a model": (
        Deep,
        {"when": "2026-01-02", "who": {"x": 1}},
        Deep(dt.date(2026, 1, 2), Model(x=1)),
        {"when": "2026-01-02", "who": {"x": 0}},
    ),
    "typed dict with a bound": (Loose, {"x": 1}, {"x": 1}, {"x": 0}),
    "typed dict with a date": (Loose, {"x": 1, "y": "2026-01-02"}, {"x": 1, "y": "2026-01-02"}, {"x": 1, "y": 3}),
    "set": (set[int], [1, 2], {1, 2}, ["1"]),
    "optional date": (dt.date | None, "2026-01-02", dt.date(2026, 1, 2), "never"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_type_hint_is_the_schema(kind):
    annotation, given, expected, wrong = KINDS[kind]
    got = []

    def act(value):
        """Act."""
        got.append(value)

    act.__annotations__ = {"value": annotation}
    executor = ToolExecutor(registered(act))
    assert executor.run(ToolCall("act", {"value": given})).error is None
    assert (got, type(got[0])) == ([expected], type(expected))
    assert executor.run(ToolCall("act", {"value": wrong})).error_type == "validation_error"


def test_a_signature_read_without_the_decorator_has_the_same_types():
    def act(when: dt.date) -> str:
        return f"{when:%A}"

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("act", act, read_signature(act), "Acts"))
    executor = ToolExecutor(registry)
    assert executor.run(ToolCall("act", {"when": "2026-01-02"})).data == {"result": "Friday"}
    assert executor.run(ToolCall("act", {"when": "soon"})).error_type == "validation_error"


@pytest.mark.parametrize(
    ("call", "context", "message"),
    [
        ("price", None, "expected a ToolCall, got str"),
        ({"name": "price"}, None, "expected a ToolCall, got dict"),
        (ToolCall("act"), Caller("ada"), "expected a Context, got Caller"),
    ],
)
def test_what_is_no_call_or_no_context_is_named(call, context, message):
    result = ToolExecutor(ToolRegistry()).run(call, context)
    assert (result.error, result.error_type) == (message, "validation_error")
    assert result.hint.startswith(("ToolCall(name", "Context(Caller"))


def test_the_context_is_injected_and_no_parameter():
    registry = ToolRegistry()

    @registry.tool(permissions={"database:read"}, risk="low", groups="staff")
    def price(sku: str, currency: Literal["EUR", "USD"] = "EUR", *, context: Context) -> dict[str, str]:
        """Look up a price.

        Args:
            sku: The article number.
        """
        return {"of": sku, "in": currency, "for": context.caller.id}

    @registry.tool
    async def later(context: Context | None = None) -> str:
        """Wait."""
        assert context is not None
        await asyncio.sleep(0)
        return context.caller.id

    ada = Context(Caller("ada", groups="staff", permissions="database:read"))
    executor = ToolExecutor(registry)
    assert executor.run(ToolCall("price", {"sku": "7"}), ada).data == {"of": "7", "in": "EUR", "for": "ada"}
    assert executor.run(ToolCall("later"), ada).data == {"result": "ada"}
    assert executor.run(ToolCall("price", {"sku": "7", "context": {}}), ada).error_type == "validation_error"
    assert executor.run(ToolCall("price", {"sku": "7"})).error_type == "permission_denied"
    (schema,) = (each for each in registry.get_schemas(ada.caller) if each.name == "price")
    assert set(schema.parameters["properties"]) == {"sku", "currency"}
    assert schema.parameters["properties"]["sku"]["description"] == "The article number."
    assert schema.description == "Look up a price."
    assert price("7", context=ada)["for"] == "ada"


def test_a_declared_or_a_plain_function_can_be_registered():
    @tool(name="shop.count", timeout_seconds=3)
    def count(words: list[str]) -> int:
        """Count words."""
        return len(words)

    def plain(word: str) -> str:
        """Repeat a word."""
        return word * 2

    registry = ToolRegistry()
    registry.register_tools([count, plain])
    assert registry.get_tool_names() == ("shop.count", "plain")
    assert registry.execute_tool("shop.count", words=["a"]).data == 1
    assert registry.execute_tool("plain", word="a").data == "aa"
    with pytest.raises(RegistrationError, match=r"registered twice: by .*\.plain and .*\.plain"):
        registry.register_tool(plain)


def untyped(x):
    """Test."""


def many(*values: int):
    """Test."""


def undescribed(x: int):
    pass


def misdescribed(x: int):
    """Test.

    Args:
        y: What?
    """


def misfit(x: int = "3"):  # type: ignore[assignment]
    """Test."""


def unknown_type(x: socket.socket):  # type: ignore[name-defined]  # noqa: F821
    """Test."""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (untyped, "needs a type"),
        (many, "by name"),
        (undescribed, "docstring"),
        (misdescribed, "describes y, which is not a parameter"),
        (misfit, "default does not fit"),
        (unknown_type, "cannot be read"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused_at_registration(function, message):
    with pytest.raises(ValueError, match=message):
        ToolRegistry().register_tool(function)


@pytest.mark.parametrize("option", [{"risk": "extreme"}, {"category": "gardening"}])
def test_an_option_nobody_knows_is_refused(option):
    def act() -> None:
        """Act."""

    with pytest.raises(ValueError, match=next(iter(option.values()))):
        ToolRegistry().tool(act, **option)


def test_langchain_invokes_inside_a_running_loop_and_its_tools_register_directly():
    langchain = pytest.importorskip("langchain_core.tools")
    from avionics.tools.interop.langchain import build_langchain_tool

    registry = ToolRegistry()

    def double(x: int) -> int:
        """Double a number."""
        return 2 * x

    registry.register_tool(double)
    exported = build_langchain_tool(registry.get_tool("double"), ToolExecutor(registry))

    async def inside():
        return exported.invoke({"x": 2})

    assert asyncio.run(inside())["data"] == {"result": 4}
    other = ToolRegistry()
    other.register_tool(langchain.StructuredTool.from_function(double))
    assert ToolExecutor(other).run(ToolCall("double", {"x": 3})).data == {"result": 6}
