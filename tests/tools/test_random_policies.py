"""Random registries, views, guards, transforms and callers: a plain reading of the policy decides what runs.

`AVIONICS_TEST_CALLS=10000` makes ten thousand programs.
"""

from __future__ import annotations

import os
import random

from avionics.model import Caller, Permission, RiskLevel, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import (
    READ_ONLY,
    EnabledTools,
    ToolRejection,
    approved,
    enabled,
    permitted,
    transformed,
)
from avionics.tools.observers.audit import MemorySink, audited
from avionics.tools.registries.registry_views import build_enabled_view, combined, filtered, prefixed
from avionics.tools.registry import ToolRegistry
from avionics.tools.schema.parameters import Bounds, Parameter, Shape

PROGRAMS = int(os.environ.get("AVIONICS_TEST_CALLS", "400"))
NAMES, GROUPS, USERS = ("a", "b", "c"), ("staff", "admin"), ("ada", "eve")
GRANTS = (Permission.FILESYSTEM_READ, Permission.FILESYSTEM_WRITE, Permission.DATABASE_READ)
SCHEMA = {"x": Parameter("x", Shape("integer", bounds=Bounds(le=10)))}


class Program:
    """One random program, and what a plain reading of it allows."""

    def __init__(self, seed: int) -> None:
        self.random = chance = random.Random(seed)
        self.ran: list[tuple[str, int]] = []
        self.tools = {}
        self.banned = chance.choice([None, *USERS])
        self.raises_to = chance.choice([None, 3, 30])
        self.in_place = chance.random() < 0.5
        program = self

        class Registry(ToolRegistry):
            def transform_args(self, tool, args, user, context):
                return program.transform(args, user)

        self.registry = Registry()
        for name in NAMES:
            self.tools[name] = {
                "access_groups": tuple(chance.sample(GROUPS, chance.randint(0, 2))),
                "required_permissions": frozenset(chance.sample(GRANTS, chance.randint(0, 2))),
                "risk_level": chance.choice(list(RiskLevel)),
            }
            self.registry.register_tool(ToolDefinition(name, self.make(name), SCHEMA, "T", **self.tools[name]))
        self.off = set(chance.sample(NAMES, chance.randint(0, 1)))
        self.approves = chance.random() < 0.5
        self.on = set(chance.sample(NAMES, chance.randint(1, 3)))
        self.grants = frozenset(chance.sample(GRANTS, chance.randint(0, 1)))
        self.hidden, self.prefix = set(), ""
        self.registry.disable(*self.off)
        self.view = self.registry
        for _ in range(chance.randint(0, 3)):
            self.wrap()

    def make(self, name):
        def act(x):
            self.ran.append((name, x))
            return {"x": x}

        return act

    def transform(self, args, user):
        if user.id == self.banned:
            return ToolRejection("banned")
        if self.raises_to is None:
            return args
        if not self.in_place:
            return {"x": self.raises_to}
        args["x"] = self.raises_to
        return args

    def wrap(self) -> None:
        kind = self.random.choice(["combined", "filtered", "prefixed", "enabled"])
        if kind == "combined":
            self.view = combined(ToolRegistry(), self.view)
        elif kind == "prefixed":
            self.view, self.prefix = prefixed(self.view, "p."), f"p.{self.prefix}"
        else:
            out, prefix = self.random.choice(NAMES), self.prefix
            self.hidden.add(out)
            if kind == "filtered":
                self.view = filtered(self.view, lambda tool: tool.name != f"{prefix}{out}")
            else:
                state = EnabledTools([f"{prefix}{name}" for name in NAMES if name != out])
                self.view = build_enabled_view(self.view, state, "t")

    def build(self, sink) -> ToolExecutor:
        approver = approved((lambda _: True) if self.approves else None)
        self.has_state = self.random.random() < 0.5
        guards = [permitted(grants=self.grants), approver]
        if self.has_state:
            guards.append(enabled(EnabledTools([f"{self.prefix}{name}" for name in self.on])))
        if self.random.random() < 0.3:
            guards.append(transformed(lambda tool, args, user, context: args))
        self.random.shuffle(guards)
        return ToolExecutor(self.view, guards, (audited(sink),), Settings())

    def allows(self, name, caller, x) -> int | None:
        """The argument the call may run with, or None."""
        tool = self.tools[name]
        granted = READ_ONLY | self.grants if caller.permissions is None else caller.permissions
        seen = name not in self.off and name not in self.hidden and (not self.has_state or name in self.on)
        grouped = not tool["access_groups"] or bool(caller.groups & set(tool["access_groups"]))
        final = x if self.raises_to is None else self.raises_to
        calm = tool["risk_level"] is not RiskLevel.HIGH or self.approves
        may = seen and grouped and tool["required_permissions"] <= granted and caller.role != "planner" and calm
        return final if may and caller.id != self.banned and x <= 10 and final <= 10 else None


def test_no_call_runs_that_its_policy_refuses_and_each_is_audited_once():
    ran = refused = 0
    for seed in range(PROGRAMS):
        program, sink = Program(seed), MemorySink()
        executor, chance = program.build(sink), program.random
        for number in range(4):
            name, x = chance.choice(NAMES), chance.choice([1, 10, 11])
            permissions = None if chance.random() < 0.4 else frozenset(chance.sample(GRANTS, chance.randint(0, 3)))
            caller = Caller(
                chance.choice(USERS),
                role=chance.choice(["", "", "traverser", "planner"]),
                groups=chance.sample(GROUPS, chance.randint(0, 2)),
                permissions=permissions,
            )
            program.ran.clear()
            call = ToolCall(f"{program.prefix}{name}", {"x": x}, str(number))
            result = executor.run(call, ToolContext(caller, thread_id="t"))
            expected = program.allows(name, caller, x)
            assert program.ran == ([] if expected is None else [(name, expected)]), (seed, number)
            assert result.success == (expected is not None), (seed, number, result)
            ends = [fields for event, fields in sink.records if event == "tool_result"]
            assert [each["call_id"] for each in ends] == [str(each) for each in range(number + 1)], seed
            ran, refused = ran + result.success, refused + (not result.success)
    assert ran > PROGRAMS / 10
    assert refused > PROGRAMS
