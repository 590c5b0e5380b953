"""Ten questions on the shop, with a scripted model and with none; docs/agents.md shows what came of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from avionics.agents.agent import Agent
from avionics.agents.openai_chat import OpenAIChat
from avionics.agents.planner import Planner
from avionics.agents.report import build_result
from avionics.agents.rules import RulePlanner
from avionics.agents.transport import Endpoint
from avionics.agents.traverser import Traverser
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import permitted
from protocols import Caller, Status, ToolContext

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"

QUESTIONS = {
    "where is Order?": (
        [("locate", {"symbol": "Order"})],
        "Order is a class at shop/models.py:11.",
    ),
    "who calls with_tax?": (
        [("explore_symbol_usage", {"symbol": "with_tax"})],
        "Only total_of, at shop/pricing.py:10.",
    ),
    "what is in shop/pricing.py?": (
        [("map_module", {"path": "shop/pricing.py"})],
        "total_of (shop/pricing.py:8) and with_tax (shop/pricing.py:13).",
    ),
    "how is the price of an order made?": (
        [("analyze", {"query": "price of an order"}), ("read_code", {"path": "shop/pricing.py"})],
        "total_of (shop/pricing.py:8) asks with_tax (shop/pricing.py:10), which adds the tax (shop/pricing.py:15).",
    ),
    "subclasses of Record": (
        [("explore_symbol_usage", {"symbol": "Record"})],
        "Order inherits from it: shop/models.py:11.",
    ),
    "where is Order, and who uses it?": (
        [("locate", {"symbol": "Order"}), ("explore_symbol_usage", {"symbol": "Order"})],
        "It is at shop/models.py:11; main makes one at shop/cli.py:9.",
    ),
    "shop/cli.py:10": (
        [("read_code", {"path": "shop/cli.py", "start_line": 7, "end_line": 12})],
        "main puts an item into the order (shop/cli.py:10).",
    ),
    "what happens when main runs?": (
        [("trace_entry_point", {"entry": "shop/cli.py:main"})],
        "main (shop/cli.py:7) makes an order and prints its total.",
    ),
    "TAX_RATE": (
        [("locate", {"symbol": "TAX_RATE"})],
        "A constant at shop/pricing.py:5.",
    ),
    "who uses Record.save?": (
        [("explore_symbol_usage", {"symbol": "Record.save"})],
        "Order.add, at shop/models.py:16.",
    ),
}


def ask(workspace, planner, question):
    traverser = Traverser(ToolExecutor(guards=(permitted(),), reraise=True), ToolContext(Caller("test"), workspace))
    return asyncio.run(Agent(planner, traverser, workspace).ask(question))


def with_a_model(workspace, chat_server, question):
    calls, answer = QUESTIONS[question]
    server = chat_server({"text": "", "calls": calls}, {"text": answer})
    return ask(workspace, Planner(OpenAIChat.at("scripted", Endpoint(server.url))), question)


def told(inquiry):
    """An inquiry as the page shows it: the steps, what came of them, the first line of the answer."""
    lines = [
        f"  {evidence.step.tool}({', '.join(f'{k}={v!r}' for k, v in evidence.step.arguments.items())})"
        f" → {evidence.result.status.value}"
        for evidence in inquiry.evidence
    ]
    answers = [inquiry.text] if inquiry.text else [evidence.text.split("\n")[0] for evidence in inquiry.evidence]
    return "\n".join([f"? {inquiry.question}", *lines, *(f"= {answer}" for answer in answers)])


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_with_a_model(question, shop, chat_server):
    inquiry = with_a_model(shop, chat_server, question)
    assert inquiry.text == QUESTIONS[question][1]
    assert inquiry.citations
    assert inquiry.notes == ()


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_without_a_model(question, shop):
    inquiry = ask(shop, RulePlanner(shop), question)
    result = build_result(inquiry)
    assert result.status in (Status.SUCCESS, Status.PARTIAL)
    cited = set(result.data["citations"])
    wanted = {"shop/" + place.split()[0].strip("();:,.") for place in QUESTIONS[question][1].split("shop/")[1:]}
    assert cited & wanted or {place.split(":")[0] for place in wanted} <= {place.split(":")[0] for place in cited}


@pytest.mark.parametrize("heading", ["With a model", "Without a model"])
def test_the_page_shows_what_happens(heading, shop, chat_server):
    inquiries = [
        with_a_model(shop, chat_server, each) if heading == "With a model" else ask(shop, RulePlanner(shop), each)
        for each in QUESTIONS
    ]
    transcript = "\n\n".join(told(each) for each in inquiries)
    assert f"### {heading}\n\n```text\n{transcript}\n```\n" in PAGE.read_text("utf-8"), transcript
