"""The founding document's examples, run as they are written; the global catalog in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_python(program: str, seed: str = "0") -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


REGISTERING = """
from avionics.tools import tool_catalog, ToolId, ToolCategory, ToolCatalog
import avionics.tools
ToolCatalog.reset_instance()
from avionics.tools import tool_catalog, EXPOSED_TOOL_IDS

@tool_catalog.register(
    tool_id=ToolId.LOCATE,
    description="Find code anywhere in the codebase",
    parameters={"symbol": "string", "scope": "string?"},
    category=ToolCategory.COMPOSITE,
)
async def locate(symbol: str, scope: str = None):
    return {"status": "success", "matches": [symbol]}
"""


VERBATIM = """
from avionics.tools import tool_catalog, ToolId, ToolCategory

@tool_catalog.register(
    tool_id=ToolId.LOCATE,
    description="Find code anywhere in the codebase",
    parameters={"symbol": "string", "scope": "string?"},
    category=ToolCategory.COMPOSITE,
)
async def locate(symbol: str, scope: str = None):
    # Implementation
    return {"status": "success", "matches": [...]}
"""
"""The document's example, to the letter."""


def test_the_registering_example_runs_verbatim_in_the_place_of_our_own_tool():
    program = (
        VERBATIM
        + """
from avionics import ToolCall, ToolExecutor
print(tool_catalog.get_function(ToolId.LOCATE) is locate, len(tool_catalog.list_all_ids()) > 30)
print(ToolExecutor().run(ToolCall("locate", {"symbol": "x"})).status.value)
try:
    tool_catalog.register(ToolId.LOCATE, "Again", {}, ToolCategory.COMPOSITE)(lambda: {})
except ValueError as error:
    print(str(error)[:28])
"""
    )
    assert run_python(program) == "True True\nsuccess\n'locate' is registered twice\n"


def test_registering_and_checking_availability():
    program = (
        REGISTERING
        + """
if tool_catalog.has_tool_id(ToolId.LOCATE):
    entry = tool_catalog.get_entry(ToolId.LOCATE)
    print(f"Tool: {entry.description}")
"""
    )
    assert run_python(program) == "Tool: Find code anywhere in the codebase\n"


def test_the_prompt_comes_out_in_the_documented_form():
    program = (
        REGISTERING
        + """
tool_catalog.register_function(
    ToolId.ANALYZE, locate, "Unified code analysis", {"query": "string"}, ToolCategory.UNIFIED
)
prompt = tool_catalog.generate_planner_prompt(EXPOSED_TOOL_IDS)
print(prompt)
"""
    )
    assert run_python(program) == (
        "Available Tools:\n"
        "\n"
        "═══ UNIFIED (primary entry point) ═══\n"
        "- analyze(query): Unified code analysis\n"
        "\n"
        "═══ COMPOSITE (multi-step workflows) ═══\n"
        "- locate(symbol, scope?): Find code anywhere in the codebase\n"
    )


def test_the_prompt_of_all_tools_is_the_same_bytes_in_every_process():
    program = """
from avionics.tools import tool_catalog, EXPOSED_TOOL_IDS
print(tool_catalog.generate_planner_prompt(EXPOSED_TOOL_IDS))
"""
    prompts = {run_python(program, seed) for seed in ("0", "1", "424242")}
    assert len(prompts) == 1
    assert prompts.pop().startswith("Available Tools:\n")


def test_the_core_runs_a_tool():
    program = """
import asyncio
from avionics.tools.executor_core import ToolExecutionCore
from avionics.tools.executor import ToolExecutionCore as same
from avionics.model import RiskLevel, ToolCategory
assert same is ToolExecutionCore

async def my_tool_function(symbol):
    return {"status": "success", "data": {"found": symbol}}

async def main():
    core = ToolExecutionCore()
    result = await core.execute_tool(
        tool_function=my_tool_function,
        params={"symbol": "UserService"},
        parameter_schemas={"symbol": "string"},
        tool_name="locate",
    )
    if result["status"] == "success":
        print(result["data"])
    else:
        print(f"Error: {result['error']}")

asyncio.run(main())
"""
    assert run_python(program) == "{'found': 'UserService'}\n"


def test_importing_fills_the_global_catalog_and_a_reset_empties_it_under_every_name():
    program = """
import avionics.tools, avionics.tools.catalog
from avionics.tools import ToolCatalog, TOOL_MODULES, fill_catalog
filled = avionics.tools.tool_catalog
assert filled is avionics.tools.catalog.tool_catalog is ToolCatalog.get_instance()
assert sorted(filled.get_tool_names()) == sorted(path.rpartition(".")[2] for path in TOOL_MODULES)
ToolCatalog.reset_instance()
new = avionics.tools.tool_catalog
assert new is avionics.tools.catalog.tool_catalog is ToolCatalog.get_instance()
assert new is not filled and new.list_all_ids() == []
own = ToolCatalog()
fill_catalog(own)
assert own.to_dict() == filled.to_dict() and new.list_all_ids() == []
"""
    assert run_python(program) == ""


def test_importing_loads_nothing_that_only_a_call_needs():
    program = """
import sys, avionics.tools
print([name for name in ("asyncio", "cattrs", "jsonschema", "logging", "tree_sitter", "git", "rich", "click", "sqlite3")
       if name in sys.modules])
"""
    assert run_python(program) == "[]\n"


def test_looking_at_one_tool_loads_no_other():
    program = """
import sys
from avionics.tools import tool_catalog
tool_catalog.get_tool("list_tools")
categories = ("unified", "composite", "resilient", "standalone", "internal")
prefixes = tuple(f"avionics.tools.{category}." for category in categories)
print(sorted(name for name in sys.modules if name.startswith(prefixes)))
"""
    assert run_python(program) == "['avionics.tools.standalone.list_tools']\n"
