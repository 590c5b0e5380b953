"""`ask`: questions of one part and of several, explained or not."""

from __future__ import annotations

import json

import pytest

from avionics.cli.main import main

FILES = {
    "shop/cart.py": '"""C."""\n\n\nclass Cart:\n    """Wanted."""\n\n    def total(self) -> int:\n        return 1\n',
    "shop/main.py": "from shop.cart import Cart\n\n\ndef main():\n    return Cart().total()\n",
}
BOTH = "where is Cart, and who uses it?"


@pytest.fixture(autouse=True)
def shop(enter):
    """A small repository, the current directory, with a cache of its own."""
    return enter(FILES)


def test_a_question_of_one_part_is_the_tools_own_result(capsys):
    main(["run", "analyze", "-p", "query=who uses Cart?", "--json"])
    ran = json.loads(capsys.readouterr().out)
    assert main(["ask", "who uses Cart?", "--json"]) == 0
    asked = json.loads(capsys.readouterr().out)
    assert asked["data"]["usages"] == ran["data"]["usages"]
    assert sorted(asked["data"]) == sorted(ran["data"])


def test_each_part_of_a_question_is_answered_under_its_words(capsys):
    assert main(["ask", BOTH]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("where is Cart\nCart (class, shop/cart.py:4)")
    assert "\nwho uses `Cart`?\nCart (class, shop/cart.py:4)" in printed
    assert main(["ask", BOTH, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert [answer["question"] for answer in data["answers"]] == ["where is Cart", "who uses `Cart`?"]
    assert "shop/main.py:5" in data["citations"]


def test_an_explanation_has_plan_times_ways_and_evidence(capsys):
    assert main(["ask", BOTH, "--explain"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[:2] == ["plan:", "  1. analyze(query='where is Cart')"]
    assert lines[2].startswith("     why: a name")
    assert lines[3].startswith("     success in ")
    assert lines[4].startswith("       symbol: found, ")
    assert any(line.startswith("evidence: shop/cart.py:4, ") for line in lines)
    assert "answer:" in lines
    assert main(["ask", BOTH, "--explain", "--json"]) == 0
    explanation = json.loads(capsys.readouterr().out)["data"]["explanation"]
    assert [step["tool"] for step in explanation["rounds"][0]] == ["analyze", "analyze"]


def test_the_budget_is_for_the_whole_answer(capsys):
    main(["ask", BOTH, "--budget", "300"])
    assert len(capsys.readouterr().out) < 300 * 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x", "--base-url", "http://localhost:1"], "no model is given"),
        (["x", "--model", "m", "--base-url", "nowhere"], "'nowhere' is not the URL of a server"),
        (["  "], "the question is empty"),
        (["x", "--model", "m", "--api", "soap"], "'soap' is not one of"),
        (["x", "--model", "m", "--key-file", "nowhere"], "'nowhere' does not exist"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, said, capsys):
    assert main(["ask", *arguments]) == 2
    assert said in capsys.readouterr().err
