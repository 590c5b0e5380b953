"""Tools that only say that they ran, and a pipeline for them."""

from __future__ import annotations

import pytest
from msgspec import structs

from avionics.model import RiskLevel
from avionics.settings import Settings
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import ToolExecutor
from avionics.tools.registry import ToolRegistry


@pytest.fixture
def ran():
    """The arguments of every run, in order."""
    return []


@pytest.fixture
def pipeline(ran):
    """`pipeline(guard, …, risk_level=…)`: an executor of the one tool `act(x, y?)`, which notes that it ran."""

    def build(*guards, registry=None, risk_level=RiskLevel.LOW, **changed):
        async def act(**arguments):
            ran.append(arguments)
            return {"done": arguments}

        tool = ToolDefinition("act", act, {"x": "integer", "y": "string?"}, "Act", risk_level=risk_level)
        for name, value in changed.items():
            structs.force_setattr(tool, name, value)
        tools = registry or ToolRegistry()
        tools.register_tool(tool)
        return ToolExecutor(tools, guards, settings=Settings())

    return build
