"""The loops that docs/agents.md shows for other frameworks, run against the scripted server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"


SCRIPT = (
    {"calls": [("locate", {"symbol": "Order"}), ("locate", {"nope": 1})], "is_streamed": False},
    {"text": "At shop/models.py:11.", "is_streamed": False},
)


def example(name):
    """The names an example of the page defines."""
    match = re.search(rf"^```python example {name}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(match[1], name, "exec"), names)
    return names


def make_chat_model(url: str) -> Any:
    """Make a chat model of LangChain's that speaks the OpenAI API, as `ChatOpenAI` does."""
    # LangChain takes two seconds to import, which only the worker that runs this test has to spend.
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, convert_to_openai_messages
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.utils.function_calling import convert_to_openai_tool

    class OverHttp(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "over-http"

        def bind_tools(self, tools, **more):
            return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **more)

        def _generate(self, messages, stop=None, run_manager=None, **more):
            body = {"model": "m", "messages": convert_to_openai_messages(messages), "tools": more["tools"]}
            reply = httpx.post(f"{url}/v1/chat/completions", json=body, trust_env=False).raise_for_status().json()
            said = reply["choices"][0]["message"]
            calls = [
                {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
                for call in said.get("tool_calls") or ()
            ]
            message = AIMessage(said["content"], tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=message)])

    return OverHttp()


def test_the_langchain_example_runs_tools_through_the_pipeline(shop, chat_server, monkeypatch, tmp_path):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    server = chat_server(*SCRIPT)
    answer = example("langchain")["ask_langchain"]("where is Order?", shop.root, make_chat_model(server.url))
    assert answer == "At shop/models.py:11."
    assert sorted(tool["function"]["name"] for tool in server.requests[0][2]["tools"])[0] == "analyze"
    said = [message for message in server.requests[1][2]["messages"] if message["role"] == "tool"]
    found, refused = (json.loads(message["content"]) for message in said)
    assert found["data"]["citations"] == ["shop/models.py:11"]
    assert "nope: unknown parameter" in refused["validation_errors"][1]


@pytest.mark.parametrize(("name", "prefix"), [("openai", "/v1/"), ("anthropic", "/")])
def test_an_example_runs_tools_through_the_pipeline(name, prefix, shop, chat_server, monkeypatch, tmp_path):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    server = chat_server(*SCRIPT)
    answer = example(name)[f"ask_{name}"]("where is Order?", shop.root, server.url + prefix, "m", "key")
    assert answer == "At shop/models.py:11."
    told = str(server.requests[1][2]["messages"])
    assert "Order(Record)" in told or "shop/models.py:11" in told
    assert "nope: unknown parameter" in told
    assert len(server.requests[0][2]["tools"]) == 11
