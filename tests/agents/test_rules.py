"""Planning without a model: one step a part of the question, by the one table of questions."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from avionics.agents.plans import Draft, Round, find_faults
from avionics.agents.rules import RulePlanner
from avionics.tools import EXPOSED_TOOL_IDS, tool_catalog
from avionics.tools.questions.intents import Intent


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        ("Order", ["Order"]),
        ("where is Order?", ["where is Order?"]),
        ("where is Order defined", ["where is Order defined"]),
        ("where are prices made?", ["where are prices made?"]),
        ("where does 'the total is not a number' come from?", ["where does 'the total is not a number' come from?"]),
        ("who calls with_tax?", ["who calls with_tax?"]),
        ("where is Order, and who uses it?", ["where is Order", "who uses `Order`?"]),
        ("Who uses Order? What is in shop?", ["Who uses Order", "What is in shop?"]),
        ("who calls total_of and how does it work", ["who calls total_of", "how does `total_of` work"]),
        ("how are taxes and prices added?", ["how are taxes and prices added?"]),
        ("explain with_tax and who uses it", ["explain with_tax", "who uses `with_tax`"]),
        ("describe the Order", ["describe the Order"]),
        ("explain how prices are made", ["explain how prices are made"]),
        ("where is the tax rate set and who calls total_of?", ["where is the tax rate set", "who calls total_of?"]),
        ("who calls total_of and why?", ["who calls total_of and why?"]),
        (
            "how many pages may an order have, and which option is it",
            ["how many pages may an order have, and which option is it"],
        ),
        (
            "which option limits the pages of an order, and what is its default?",
            ["which option limits the pages of an order, and what is its default?"],
        ),
        ("how can I exclude pages? which variable?", ["how can I exclude pages? which variable?"]),
        ("where are taxes added, and how are prices rounded?", ["where are taxes added", "how are prices rounded?"]),
        ("I am about to change with_tax. Which tests cover it?", ["Which tests cover `with_tax`?"]),
        (
            "POST /orders arrives. how do we get from there to with_tax?",
            ["how do we get from POST /orders to with_tax?"],
        ),
        ("explain shop/models.py, who uses it?", ["explain shop/models.py", "who uses shop/models.py?"]),
        ("a price is wrong. where is the discount?", ["a price is wrong. where is the discount?"]),
        ("which taxes exist, i.e. who calls with_tax?", ["which taxes exist, i.e. who calls with_tax?"]),
    ],
)
def test_a_question_is_taken_apart_where_each_part_is_a_question(question, queries, shop):
    plan = RulePlanner(shop).plan(question)
    assert [step.arguments["query"] for step in plan.steps] == queries
    assert all(step.tool == "analyze" and step.why for step in plan.steps)


def test_an_issue_is_one_question(shop):
    issue = "The total is wrong.\n\nWho uses Order? What is in shop?\n"
    assert len(RulePlanner(shop).plan(issue).steps) == 1
    assert len(RulePlanner(shop).plan("who uses Order? " * 40).steps) == 1


def test_the_reason_says_kind_and_subject(shop):
    assert RulePlanner(shop).plan("who calls with_tax?").steps[0].why == "who uses a symbol (with_tax)"


def test_its_plans_have_no_faults(shop):
    names = {tool_id.value for tool_id in EXPOSED_TOOL_IDS}
    plan = RulePlanner(shop, "shop").plan("where is Order, and who uses it?")
    assert find_faults(plan, tool_catalog, names, 6) == ()
    assert plan.steps[0].arguments["scope"] == "shop"


def test_what_was_found_is_the_answer(shop):
    planner = RulePlanner(shop)
    plan = planner.plan("Order")
    assert asyncio.run(planner.decide("Order", (Round(plan, ()),))) == Draft("")


_ROW = re.compile(r"^\| (?P<why>.+?) \| `(?P<question>.+)` \|$", re.MULTILINE)
_QUESTIONS = Path(__file__).parents[2] / "docs" / "questions.md"


@pytest.mark.parametrize(("why", "question"), _ROW.findall(_QUESTIONS.read_text("utf-8")))
def test_the_examples_in_the_documentation_are_read_as_it_says(why, question, shop):
    (step,) = RulePlanner(shop).plan(question).steps
    assert step.why.partition(" (")[0] == why


def test_the_documentation_has_an_example_of_everything_that_a_question_may_ask_for():
    documented = {why for why, _ in _ROW.findall(_QUESTIONS.read_text("utf-8"))}
    assert documented == {intent.meaning for intent in Intent if intent is not Intent.TRACEBACK}
