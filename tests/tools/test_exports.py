"""Exports: one declaration, and every listing that others read."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import pytest
from jsonschema import Draft202012Validator

from avionics.model import Permission, RiskLevel, ToolDomain, ToolSchema
from avionics.settings import Settings
from avionics.tools import ToolDefinition, tool_catalog
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.declare import read_signature
from avionics.tools.executor import ToolExecutor
from avionics.tools.interop.tool_exports import (
    build_anthropic_tool,
    build_executor_schema,
    build_listing,
    build_mcp_annotations,
    build_mcp_tool,
    build_openai_tool,
    build_tool_schema,
    build_wire_name,
    build_wire_names,
)
from avionics.tools.registry import ToolRegistry

ROOT = Path(__file__).parents[2]


def add(left: int, right: int = 1) -> dict[str, int]:
    """Add.

    Args:
        left: The one.
    """
    return {"sum": left + right}


ADD = ToolDefinition("math.add", add, read_signature(add), "Adds")
SCHEMA = {
    "type": "object",
    "properties": {
        "left": {"type": "integer", "description": "The one."},
        "right": {"type": "integer", "default": 1},
    },
    "required": ["left"],
    "additionalProperties": False,
}


class FetchInput(ToolInput):
    url: str


class Fetch(BaseTool):
    name = "web.fetch"
    description = "Fetches"
    category = ToolDomain.WEB
    risk_level = RiskLevel.MEDIUM
    required_permissions = frozenset({Permission.NETWORK_ACCESS})
    access_groups = ("ops",)
    input_model = FetchInput
    output_schema = MappingProxyType({"type": "object", "properties": {"status": {"type": "integer"}}})
    examples = ({"input": {"url": "https://example.org"}, "output": {"status": 200}},)

    def _execute(self, input_data):
        return {"status": 200}


FETCH = {
    "type": "object",
    "properties": {"url": {"type": "string"}},
    "required": ["url"],
    "additionalProperties": False,
}


def test_a_model_is_told_of_a_tool():
    assert build_tool_schema(ADD) == ToolSchema("math.add", "Adds", SCHEMA)
    schema = build_tool_schema(Fetch())
    assert schema == ToolSchema("web.fetch", "Fetches", FETCH, ("ops",), Fetch.output_schema, Fetch.examples)
    assert schema.input_schema == FETCH


def test_a_listing_has_parameters_one_by_one():
    assert build_listing(ADD) == {
        "name": "math.add",
        "description": "Adds",
        "category": "custom",
        "parameters": [
            {
                "name": "left",
                "type": "integer",
                "description": "The one.",
                "required": True,
                "default": None,
                "schema": {"type": "integer", "description": "The one."},
            },
            {
                "name": "right",
                "type": "integer",
                "description": "",
                "required": False,
                "default": 1,
                "schema": {"type": "integer", "default": 1},
            },
        ],
        "permissions": [],
    }


def test_an_executor_schema_has_what_the_tool_says_and_no_more():
    assert build_executor_schema(ADD) == {"name": "math.add", "description": "Adds", "inputSchema": SCHEMA}
    assert build_executor_schema(Fetch()) == {
        "name": "web.fetch",
        "description": "Fetches",
        "inputSchema": FETCH,
        "outputSchema": Fetch.output_schema,
        "examples": list(Fetch.examples),
    }


def test_an_mcp_tool_is_annotated_by_its_risk():
    assert build_mcp_tool(Fetch()) == {
        "name": "web.fetch",
        "description": "Fetches",
        "inputSchema": FETCH,
        "outputSchema": Fetch.output_schema,
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": False,
            "openWorldHint": True,
        },
    }


@pytest.mark.parametrize(
    ("risk", "expected"),
    [
        (RiskLevel.LOW, (True, False, True, False)),
        (RiskLevel.MEDIUM, (False, False, False, False)),
        (RiskLevel.HIGH, (False, True, False, False)),
    ],
)
def test_every_risk_has_its_annotations(risk, expected):
    assert tuple(build_mcp_annotations(ToolDefinition("a", add, {}, "Adds", risk_level=risk)).values()) == expected


def test_the_mcp_sdk_takes_it():
    types = pytest.importorskip("mcp.types")
    assert types.Tool.model_validate(build_mcp_tool(Fetch())).name == "web.fetch"


def test_openai_and_anthropic_have_their_own_words():
    name = build_wire_name("math.add")
    assert build_openai_tool(ADD) == {
        "type": "function",
        "function": {"name": name, "description": "Adds", "parameters": SCHEMA},
    }
    assert build_anthropic_tool(ADD) == {"name": name, "description": "Adds", "input_schema": SCHEMA}


def test_wire_names_are_what_providers_take_and_lead_back():
    names = ["locate", "a.b", "a_b", "a-b", "a..b", "x" * 64, "x" * 65, "x" * 66, "y." * 60]
    wired = build_wire_names(names)
    assert sorted(wired.values()) == sorted(names)
    assert all(name.replace("_", "").replace("-", "").isalnum() and len(name) <= 64 for name in wired)
    assert (build_wire_name("locate"), wired["x" * 64]) == ("locate", "x" * 64)


def test_wire_names_stay_readable_and_only_a_collision_gets_a_suffix():
    assert build_wire_names(["filesystem.read_file", "math.add"]) == {
        "filesystem_read_file": "filesystem.read_file",
        "math_add": "math.add",
    }
    wired = build_wire_names(["a.b", "a_b", "a/b", "c.d"])
    assert wired["a_b"] == "a_b"
    assert wired["c_d"] == "c.d"
    assert sorted(wired) == sorted(build_wire_names(["c.d", "a/b", "a.b", "a_b"]))


@pytest.mark.parametrize("name", tool_catalog.get_tool_names())
def test_every_schema_of_every_tool_is_json_schema(name):
    tool = tool_catalog.get_tool(name)
    schema = build_mcp_tool(tool)["inputSchema"]
    Draft202012Validator.check_schema(schema)
    assert "$ref" not in str(schema)


def langchain_tool():
    pytest.importorskip("langchain_core")
    from avionics.tools.interop.langchain import build_langchain_tool

    registry = ToolRegistry()
    registry.register_tool(ADD)
    return build_langchain_tool(ADD, ToolExecutor(registry, settings=Settings()))


def test_a_langchain_tool_runs_through_the_pipeline():
    tool = langchain_tool()
    assert (tool.name, tool.description) == (build_wire_name("math.add"), "Adds")
    assert tool.args_schema == SCHEMA
    result = tool.invoke({"left": 2})
    assert (result["status"], result["data"]) == ("success", {"sum": 3})
    assert asyncio.run(tool.ainvoke({"left": 2}))["data"] == {"sum": 3}
    assert tool.invoke({"left": "2"})["error_type"] == "validation_error"


def test_without_langchain_the_missing_package_and_its_extra_are_named():
    program = """
import sys
sys.modules["langchain_core"] = None
from avionics.tools import tool_catalog
from avionics.tools.executor import ToolExecutor
from avionics.tools.interop.langchain import build_langchain_tool
from avionics.model import MissingDependencyError
try:
    build_langchain_tool(tool_catalog.get_tool("locate"), ToolExecutor())
except MissingDependencyError as error:
    print(error, "|", error.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "LangChain tools need langchain-core | pip install 'avionics[langchain]'\n", done.stderr
