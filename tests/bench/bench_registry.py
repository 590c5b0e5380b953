"""A registry of many tools: what it costs to register and to list a thousand.

Run: python tests/bench/bench_registry.py. Budget: 1,000 tools register and list in ≤ 0.3 s CPU.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

from pydantic import Field

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.registry import ToolRegistry

COUNT, BUDGET_SECONDS = 1_000, 0.3


class SearchInput(ToolInput):
    """What most tools take: a few bounded parameters."""

    query: str = Field(description="What to find", min_length=1)
    limit: int = Field(default=10, description="How many", gt=0, le=100)
    path: str | None = Field(default=None, description="Where")


def build_class(number: int) -> type[BaseTool]:
    """A tool class with an input model of its own."""
    model = type(f"Input{number}", (SearchInput,), {"__module__": __name__})
    members = {
        "name": f"tool.{number}",
        "description": f"Does thing {number}",
        "input_model": model,
        "_execute": lambda self, input_data: None,
    }
    return type(f"Tool{number}", (BaseTool,), members)


def main() -> None:
    """Print the costs."""
    classes = [build_class(number) for number in range(COUNT)]
    started = process_time()
    registry = ToolRegistry()
    registry.register_tools(classes)
    registered = process_time()
    assert len(registry.list_tools()) == COUNT
    listed = process_time()
    assert len(registry.get_all_schemas()) == COUNT
    described = process_time()
    assert len(registry.get_all_schemas()) == COUNT
    again = process_time()
    total = listed - started
    print(f"{COUNT} tools: register {registered - started:.3f} s, list {listed - registered:.4f} s")
    print(f"register and list: {total:.3f} s CPU ({total / BUDGET_SECONDS:.2f} × the budget of {BUDGET_SECONDS} s)")
    print(f"all schemas: {described - listed:.3f} s the first time, {again - described:.3f} s after")


if __name__ == "__main__":
    main()
