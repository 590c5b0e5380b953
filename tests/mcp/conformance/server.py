"""The product's server with the tools, prompts and resources that the official conformance suite asks for by name.

Everything but their contents is the product's: the gate, the transports, the pipeline, prompts, completions,
subscriptions, logs. Run: python tests/mcp/conformance/server.py DIRECTORY
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import warnings
from enum import Enum
from functools import partial
from pathlib import Path

from asking import PROMPT, TOOLS, Events, call_asking_tool, plan_round, said, to_wire
from mcp import MCPDeprecationWarning, types
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from avionics.mcp.answers import Contents
from avionics.mcp.calls import CallLimits, CallRunner
from avionics.mcp.features.completions import Completions
from avionics.mcp.features.prompts import Prompts, PromptText
from avionics.mcp.features.resources import Resources
from avionics.mcp.features.subscriptions import Subscriptions
from avionics.mcp.logs import Logs
from avionics.mcp.projection import ToolList
from avionics.mcp.protocol.service import INVALID_PARAMS, ProtocolError
from avionics.mcp.repositories import Repositories
from avionics.mcp.server import Parts, join_parts
from avionics.mcp.transports.http import PATH, open_socket, serve_http
from avionics.mcp.transports.sdk_server import build_sdk_server
from avionics.mcp.transports.stdio import stop_on_signals
from avionics.model import ToolCategory, UsageError
from avionics.settings import Settings
from avionics.tools.catalog import ToolCatalog
from avionics.tools.executor import ToolExecutor
from avionics.tools.observers.telemetry import CallCounts
from tests.timing import PATIENCE_SECONDS

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
SILENCE = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0\2\0\x10\0data\0\0\0\0").decode()
IMAGE = types.ImageContent(type="image", data=PIXEL, mime_type="image/png")
AUDIO = types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")
STEP_SECONDS = 0.05


def embedded(uri: str, text: str) -> types.EmbeddedResource:
    held = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return types.EmbeddedResource(type="resource", resource=held)


CONTENTS = {
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [said("Multiple content types test:"), IMAGE, embedded("test://mixed", "{}")],
    "test_logging_tool": [said("done")],
    "test_tool_with_logging": [said("done")],
    "test_tool_with_progress": [said("done")],
}
"""What no tool of ours gives: pictures, sound, resources within answers, and steps of its own to tell of."""

DIALECT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADED = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}
SCHEMAS = {
    **{name: {"type": "object"} for name in (*CONTENTS, *TOOLS)},
    "json_schema_2020_12_tool": DIALECT,
    "test_header": HEADED,
}


class FixtureId(str, Enum):
    TEXT = "test_simple_text"
    ERROR = "test_error_handling"


catalog: ToolCatalog[FixtureId] = ToolCatalog(FixtureId)


@catalog.register(FixtureId.TEXT, "Text.", {}, ToolCategory.STANDALONE)
def simple_text() -> dict:
    return {"status": "success", "data": {}, "message": "This is a simple text response for testing."}


@catalog.register(FixtureId.ERROR, "Fails.", {}, ToolCategory.STANDALONE)
def error_handling() -> dict:
    raise UsageError("This tool intentionally returns an error for testing")


class FixtureCalls(CallRunner):
    """Our calls, and contents that no tool of ours gives."""

    async def call_tool(self, request, params):
        if params.name not in SCHEMAS:
            return await super().call_tool(request, params)
        if params.name in TOOLS:
            return await call_asking_tool(request, params)
        for number in range(3):
            if params.name == "test_tool_with_progress":
                await request.report_progress(number * 50, 100, "")
            if params.name in {"test_tool_with_logging", "test_logging_tool"}:
                await self._logs.send(request, "info", f"step {number}")
            await asyncio.sleep(STEP_SECONDS)
        return to_wire(types.CallToolResult(content=CONTENTS.get(params.name, [said("done")])))


class FixturePrompts(Prompts):
    """Our prompts, and messages that none of ours has."""

    async def get_prompt(self, request, params):
        if params.name == PROMPT and (asked := plan_round(request, params.name)):
            return to_wire(asked)
        contents = {
            "test_prompt_with_image": [IMAGE, said("Please analyze the image above.")],
            "test_prompt_with_embedded_resource": [
                embedded((params.arguments or {}).get("resourceUri", ""), "Embedded resource content for testing."),
                said("Please process the embedded resource above."),
            ],
        }.get(params.name)
        if contents is None:
            return await super().get_prompt(request, params)
        messages = [types.PromptMessage(role="user", content=each) for each in contents]
        return to_wire(types.GetPromptResult(messages=messages))


class FixtureResources(Resources):
    """Our resources, and the suite's own addresses."""

    async def list_resources(self, request, params):
        ours = await super().list_resources(request, params)
        text = {"uri": "test://static-text", "name": "text", "description": "Text."}
        return {"resources": [*ours["resources"], text]}

    async def read(self, request, params):
        if params.uri == "test://static-binary":
            return {"contents": [{"uri": params.uri, "mimeType": "image/png", "blob": PIXEL}]}
        return await super().read(request, params)

    async def read_text(self, address, request_id=""):
        if address.startswith("test://template/"):
            return json.dumps({"id": address.split("/")[3], "templateTest": True})
        if address == "test://static-text":
            return "This is the content of the static text resource."
        if address == "test://watched-resource":
            raise ProtocolError(INVALID_PARAMS, "not there yet")
        return await super().read_text(address, request_id)

    def require(self, address):
        return None if address == "test://watched-resource" else super().require(address)


def build_parts(repositories: Repositories, settings: Settings, counts: CallCounts) -> Parts:
    schemas = {**SCHEMAS, **{each.value: {"type": "object"} for each in FixtureId}}
    listed = {name: {"name": name, "description": "A fixture.", "inputSchema": each} for name, each in schemas.items()}
    tools = ToolList({name: partial(dict, tool) for name, tool in listed.items()})
    logs = Logs()
    executor = ToolExecutor(catalog, observers=(counts.observe,), settings=settings)
    calls = FixtureCalls(catalog, tools, repositories, executor, 32, Contents.BOTH, logs, CallLimits())
    texts = [
        PromptText("test_simple_prompt", "Simple.", {}, lambda _: "This is a simple prompt for testing."),
        PromptText("test_prompt_with_arguments", "Two.", {"arg1": True, "arg2": True}, "{arg1} {arg2}".format_map),
        PromptText("test_prompt_with_embedded_resource", "A resource.", {"resourceUri": True}, str),
        PromptText("test_prompt_with_image", "A picture.", {}, str),
        PromptText(PROMPT, "Asks first.", {}, str),
    ]
    resources = FixtureResources(repositories, calls)
    subscriptions = Subscriptions(resources.read_text, resources.require, 2.0)
    prompts = FixturePrompts({text.name: text for text in texts})
    return Parts(calls, prompts, resources, Completions(repositories, PATIENCE_SECONDS), subscriptions, logs)


async def main(directory: Path) -> None:
    settings, counts, stop = Settings.from_environment(), CallCounts(), stop_on_signals()
    repositories = Repositories.open([directory], settings)
    with open_socket("127.0.0.1", 0, settings.server_token) as listening:
        sys.stderr.write(f"serving at http://127.0.0.1:{listening.getsockname()[1]}{PATH}\n")
        sys.stderr.flush()
        server = build_sdk_server(join_parts(build_parts(repositories, settings, counts)))
        security = RequestStateSecurity.ephemeral()
        server.middleware.append(RequestStateBoundary(security, default_audience="avionics"))
        server.streamable_http_app = partial(server.streamable_http_app, event_store=Events(), retry_interval=50)
        await serve_http(server, listening, "127.0.0.1", settings, counts, stop)
    repositories.close(1.0)


if __name__ == "__main__":
    # The newest revision has no sampling and no logs; the older ones, which the suite asks for, do.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    asyncio.run(main(Path(sys.argv[1])))
