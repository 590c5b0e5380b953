"""Rules are searched by the alternatives that may match, and find what the whole pattern finds."""

from __future__ import annotations

import json
import re

import pytest

from avionics.tools.questions.intents import RULE_WORDS, Intent, IntentRule, Needs, fold_question
from avionics.tools.questions.rules.intent_rules import RULES
from tests.tools.rule_words import build_table, list_needs, split
from tests.tools.test_intents import WORDINGS

_QUESTIONS = sorted({line.strip() for text in WORDINGS.values() for line in text.strip().splitlines()})


def test_the_table_is_that_of_the_rules():
    stored = json.loads(RULE_WORDS.read_text("ascii"))
    assert stored == build_table(), "run `python -m tests.tools.rule_words --write`"


@pytest.mark.parametrize("rule", RULES[::3], ids=lambda rule: rule.example)
def test_a_rule_finds_what_its_whole_pattern_finds(rule):
    for question in _QUESTIONS[::7]:
        found, whole = rule.search(question), rule.pattern.search(question)
        assert (found is None) == (whole is None), question
        if found is not None:
            assert found.span() == whole.span()
            assert all(found[name] == whole[name] for name in found.re.groupindex)


def test_the_first_match_is_that_of_any_alternative():
    rule = IntentRule(r"b(?P<of>\w)c|a(?P<to>\w)", Intent.MAP, Needs.NOTHING)
    assert rule.search("ax bxc")[0] == "ax"
    assert rule.get_group("ax bxc", "to") == "x"
    assert rule.get_group("ax bxc", "of") == ""
    assert rule.search("nothing") is None


@pytest.mark.parametrize("text", ["WHO CALLS x", "who calls x", "who call\u017f x", "who call\u017f \u212a"])
def test_letters_that_a_pattern_takes_for_the_same_are_the_same(text):
    rule = next(rule for rule in RULES if rule.intent is Intent.USAGE)
    assert rule.search(text) is not None
    assert fold_question("F\u0130N\u0131SH") == "finish"
    assert re.search("finish", "F\u0130N\u0131SH", re.IGNORECASE)


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        ("who (?:else )?calls?", [["who call", "who else call"]]),
        (r"(?:get|set) \S+ (?:to|into)", [["get ", "set "], [" into", " to"]]),
        (r"x(?:a\w+|\w+b)", []),
        (r"(?=list|show)\w+", [["list", "show"]]),
        (r"(?!list)\w+", []),
        (r"(?:the )*tests", [["tests"]]),
        (r"(?:all |every )+\w", [["all ", "every "]]),
        (r"\S+->\S+", [["->"]]),
        (r"a?", []),
    ],
)
def test_every_match_has_a_text_of_each_group(words, needs):
    assert sorted(list_needs(words)) == sorted(needs)


def test_bars_in_groups_and_sets_separate_no_alternatives():
    words = r"a(?:b|c)|[|(]\||d"
    assert [words[start:end] for start, end in split(words)] == ["a(?:b|c)", r"[|(]\|", "d"]
