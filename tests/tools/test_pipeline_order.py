"""The pipeline's order, written down by everything that takes part in it."""

from __future__ import annotations

import attrs
import pytest

from avionics.model import Coverage, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import PlaceItem
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import Event, Guard, Observer, PendingCall, Refusal, Stage, ToolExecutor
from avionics.tools.registry import ToolRegistry


@attrs.frozen
class Places:
    coverage: Coverage
    places: tuple[PlaceItem, ...] = part("Places")

    def headline(self) -> str:
        return "places"


def build(seen, refuse_at=None, *, misuse=None, budget=None):
    """An executor all of whose parts write down that they were asked, and with what."""

    class Registry(ToolRegistry):
        def get_tool(self, name):
            seen.append("find")
            return super().get_tool(name)

        def transform_args(self, tool, args, user, context):
            seen.append(f"transform {sorted(args)}")
            return {**args, "added": 1}

    class Number:
        required = False

        def validate_value(self, value):
            seen.append("validate")
            return True, ""

    async def act(**arguments):
        seen.append(f"run {sorted(arguments)}")
        items = tuple(PlaceItem("a.py", line, "x" * 60) for line in range(1, 200))
        return Places(Coverage(len(items), len(items)), items)

    class Definition(ToolDefinition):
        def get_misuse(self, arguments):
            seen.append("cross-field")
            return misuse

    def guard(stage):
        def check(step: PendingCall):
            seen.append(f"guard {stage.value}")
            return Refusal("rejected", "no") if stage is refuse_at else step

        return Guard(check, stage)

    def tell(observation):
        told = f"audit {observation.moment.value}"
        if observation.moment is Event.RESULT:
            cut = "cut to" in observation.result.text
            told += f" {observation.result.error_type or 'cut' if cut else observation.result.error_type or 'whole'}"
        seen.append(told)

    registry = Registry()
    registry.register_tool(Definition("act", act, {"x": "integer", "y": "string?", "added": Number()}, "Act"))
    return ToolExecutor(
        registry, [guard(stage) for stage in reversed(Stage)], [Observer(tell, frozenset(Event))], Settings()
    )


def test_the_steps_of_a_call_come_in_their_order():
    seen = []
    build(seen).run(ToolCall("act", {"x": 1, "y": None}), ToolContext(budget_tokens=300))
    assert seen == [
        "find",
        "guard who",
        "cross-field",
        "transform ['x']",
        "guard what",
        "validate",
        "cross-field",
        "guard final",
        "audit access",
        "audit invocation",
        "run ['added', 'x']",
        "audit result cut",
    ]


@pytest.mark.parametrize(
    ("stage", "steps"),
    [
        (Stage.WHO, ["find", "guard who"]),
        (Stage.WHAT, ["find", "guard who", "cross-field", "transform ['x']", "guard what"]),
        (
            Stage.FINAL,
            [
                "find",
                "guard who",
                "cross-field",
                "transform ['x']",
                "guard what",
                "validate",
                "cross-field",
                "guard final",
            ],
        ),
    ],
)
def test_a_refusal_ends_the_call_where_it_is_given(stage, steps):
    seen = []
    build(seen, stage).run(ToolCall("act", {"x": 1}))
    assert seen == [*steps, "audit access", "audit result rejected"]


def test_a_call_that_misuses_its_tool_goes_no_further():
    seen = []
    result = build(seen, misuse="x and y exclude one another").run(ToolCall("act", {"x": 1}))
    assert result.validation_errors == ("x and y exclude one another",)
    assert seen == ["find", "guard who", "cross-field", "audit result validation_error"]


def test_a_malformed_call_goes_no_further():
    seen = []
    build(seen).run(ToolCall("act", {"x": "1"}))
    assert seen == ["find", "guard who", "audit result validation_error"]


def test_a_call_of_no_tool_is_told_too():
    seen = []
    build(seen).run(ToolCall("ask"))
    # The second look is at the tools that the error may name.
    assert seen == ["find", "find", "audit result tool_not_found"]


def test_a_final_guard_can_change_nothing():
    spoil = Guard(lambda step: step.evolve(arguments={"x": 2}), Stage.FINAL)
    ran = []

    async def act(x):
        ran.append(x)

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("act", act, {"x": "integer"}, "Act"))
    ToolExecutor(registry, [spoil], settings=Settings()).run(ToolCall("act", {"x": 1}))
    assert ran == [1]


def test_a_tool_that_asks_for_the_context_is_given_it_and_callers_cannot_name_it():
    async def act(context, /, x):
        return {"who": context.caller.id, "x": x}

    async def grep(context: int):
        return {"lines": context}

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("act", act, {"x": "integer"}, "Act"))
    registry.register_tool(ToolDefinition("grep", grep, {"context": "integer"}, "Search"))
    executor = ToolExecutor(registry, settings=Settings())
    assert executor.run(ToolCall("act", {"x": 1})).data == {"who": "anonymous", "x": 1}
    assert executor.run(ToolCall("act", {"x": 1, "context": 2})).error_type == "validation_error"
    assert executor.run(ToolCall("grep", {"context": 2})).data == {"lines": 2}
