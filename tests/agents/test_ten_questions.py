"""Ten questions on the shop and ten on flask, with a scripted model and with none; docs/transcript.md shows what came.

Flask is asked where a checkout of it is: FLASK_CHECKOUT names the directory.
"""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from avionics.agents.agent import Agent
from avionics.agents.openai_chat import OpenAIChat
from avionics.agents.planner import Planner
from avionics.agents.report import build_result
from avionics.agents.rules import RulePlanner
from avionics.agents.transport import Endpoint
from avionics.agents.traverser import Traverser
from avionics.model import Caller, Status, ToolContext
from avionics.settings import Settings
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import permitted
from avionics.workspace import Workspace

PAGE = Path(__file__).resolve().parents[2] / "docs" / "transcript.md"
FLASK = Path(os.environ.get("FLASK_CHECKOUT", "/nonexistent"))

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


FLASK_QUESTIONS = {
    "where is Flask.route?": (
        [("locate", {"symbol": "Flask.route"})],
        "Flask inherits it: Scaffold.route, src/flask/sansio/scaffold.py:336.",
    ),
    "who calls Flask.full_dispatch_request?": (
        [("explore_symbol_usage", {"symbol": "Flask.full_dispatch_request"})],
        "Flask.wsgi_app, at src/flask/app.py:1511; else only two tests.",
    ),
    "what is in src/flask/signals.py?": (
        [("map_module", {"path": "src/flask/signals.py"})],
        "Ten signals of blinker's, from template_rendered (src/flask/signals.py:8) on.",
    ),
    "how are sessions signed?": (
        [("analyze", {"query": "how are sessions signed?"}), ("explore_symbol_usage", {
            "symbol": "SecureCookieSessionInterface.get_signing_serializer"})],
        "save_session serializes with get_signing_serializer (src/flask/sessions.py:303) before it sets the cookie "
        "(src/flask/sessions.py:373), and open_session checks with the same (src/flask/sessions.py:324).",
    ),
    "subclasses of Scaffold": (
        [("explore_symbol_usage", {"symbol": "Scaffold"})],
        "App (src/flask/sansio/app.py:59) inherits from it.",
    ),
    "where is Blueprint, and who uses BlueprintSetupState?": (
        [("locate", {"symbol": "Blueprint"}), ("explore_symbol_usage", {"symbol": "BlueprintSetupState"})],
        "There are two: src/flask/blueprints.py:18 extends src/flask/sansio/blueprints.py:119, which makes the state "
        "at src/flask/sansio/blueprints.py:246.",
    ),
    "src/flask/wrappers.py:18": (
        [("read_code", {"path": "src/flask/wrappers.py", "start_line": 18, "end_line": 30})],
        "The request class that flask uses by default begins there (src/flask/wrappers.py:18).",
    ),
    "what happens when wsgi_app runs?": (
        [("trace_entry_point", {"entry": "src/flask/app.py:Flask.wsgi_app"})],
        "It makes a request context (src/flask/app.py:1506), then dispatches.",
    ),
    "why is stream_with_context as it is?": (
        [("explain_code_history", {"path": "src/flask/helpers.py", "symbol": "stream_with_context"})],
        "Its overload at src/flask/helpers.py:51 came with a commit that mends findings of mypy; no more is recorded.",
    ),
    "who uses SecureCookieSessionInterface.get_signing_serializer?": (
        [("explore_symbol_usage", {"symbol": "SecureCookieSessionInterface.get_signing_serializer"})],
        "open_session (src/flask/sessions.py:324) and save_session (src/flask/sessions.py:373), and nobody else.",
    ),
}  # fmt: skip


def ask(workspace, planner, question):
    traverser = Traverser(ToolExecutor(guards=(permitted(),), reraise=True), ToolContext(Caller("test"), workspace))
    return asyncio.run(Agent(planner, traverser, workspace).ask(question))


def with_a_model(workspace, chat_server, question):
    calls, answer = {**QUESTIONS, **FLASK_QUESTIONS}[question]
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


def transcript(workspace, chat_server, heading, questions):
    inquiries = [
        with_a_model(workspace, chat_server, each)
        if heading == "With a model"
        else ask(workspace, RulePlanner(workspace), each)
        for each in questions
    ]
    return "\n\n".join(told(each) for each in inquiries), inquiries


def shown(section, heading):
    """The block under a heading of a section of the page."""
    return re.search(
        rf"^## {section}\n.*?^### {heading}\n\n```text\n(.*?)\n```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )[1]


def shape(text, heading):
    """A transcript to compare: counts in the tools' own first lines may differ, as in every document."""
    return text if heading == "With a model" else re.sub(r"\d+", "N", text)


@pytest.mark.parametrize("heading", ["With a model", "Without a model"])
def test_the_page_shows_what_happens(heading, shop, chat_server):
    text, _ = transcript(shop, chat_server, heading, QUESTIONS)
    assert shape(text, heading) == shape(shown("A small shop", heading), heading), text


@pytest.mark.skipif(not FLASK.is_dir(), reason="needs FLASK_CHECKOUT, a checkout of flask 3.1.3")
@pytest.mark.parametrize("heading", ["With a model", "Without a model"])
def test_the_page_shows_what_happens_on_flask(heading, chat_server, tmp_path):
    with Workspace.open(FLASK, Settings(cache_directory=tmp_path)) as workspace:
        text, inquiries = transcript(workspace, chat_server, heading, FLASK_QUESTIONS)
    assert shape(text, heading) == shape(shown("Flask 3.1.3", heading), heading), text
    assert [inquiry.notes for inquiry in inquiries] == [()] * 10
    if heading == "With a model":
        assert all(inquiry.citations for inquiry in inquiries)
