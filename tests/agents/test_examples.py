"""The loops that docs/agents.md shows for other frameworks, run against the scripted server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"


@pytest.mark.parametrize(("name", "prefix"), [("openai", "/v1/"), ("anthropic", "/")])
def test_an_example_runs_tools_through_the_corridor(name, prefix, shop, chat_server, monkeypatch, tmp_path):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    match = re.search(rf"^```python example {name}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names = {}
    exec(compile(match[1], name, "exec"), names)
    calls = [("locate", {"symbol": "Order"}), ("locate", {"nope": 1})]
    server = chat_server(
        {"calls": calls, "is_streamed": False}, {"text": "At shop/models.py:11.", "is_streamed": False}
    )
    answer = names[f"ask_{name}"]("where is Order?", shop.root, server.url + prefix, "m", "key")
    assert answer == "At shop/models.py:11."
    told = str(server.requests[1][2]["messages"])
    assert "Order(Record)" in told or "shop/models.py:11" in told
    assert "nope: unknown parameter" in told
    assert len(server.requests[0][2]["tools"]) == 10
