"""Split the words of the rules that read questions, and tell which texts each alternative needs.

    python -m tests.tools.rule_words [--write]

Prints how many alternatives there are and how many need nothing. `--write` writes them to
`avionics/tools/questions/rule_words.json`, which `IntentRule.search` reads; `test_rule_words.py` holds the file to the
rules. Run it after every change of a rule.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from re import _constants as sre
from re import _parser as parser
from typing import Any

from avionics.tools.questions.intents import RULE_WORDS, identify_words
from avionics.tools.questions.rules.intent_rules import RULES

_MAX_TEXTS = 48
"""A part of a pattern that stands for more texts counts as any text."""
_MAX_GROUP = 100
_MAX_GROUPS = 3
_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)
"""What matters to find the alternatives of a pattern: parentheses and bars outside of sets of characters."""

Group = frozenset[str]
Part = list[Any]


def build_table() -> dict[str, list[Part]]:
    """Return for the words of each rule where its alternatives start and end, and what each of them needs."""
    return {identify_words(words): list_parts(words) for words in dict.fromkeys(rule.words for rule in RULES)}


def list_parts(words: str) -> list[Part]:
    """Return the alternatives of some words."""
    return [[start, end, list_needs(words[start:end])] for start, end in split(words)]


def split(words: str) -> list[tuple[int, int]]:
    """Return where the alternatives of a pattern start and end."""
    depth, start, found = 0, 0, []
    for token in _TOKENS.finditer(words):
        if token[0] == "|" and depth == 0:
            found.append((start, token.start()))
            start = token.end()
        depth += (token[0] == "(") - (token[0] == ")")
    return [*found, (start, len(words))]


def list_needs(words: str) -> list[list[str]]:
    """Return the most telling groups of texts of which every match has one, in lower case."""
    groups = list_groups(parser.parse(words, re.IGNORECASE))
    telling = sorted(
        (each for each in groups if is_telling(each)), key=lambda each: (*map(int.__neg__, rate(each)), sorted(each))
    )
    return [sorted(each) for each in telling[:_MAX_GROUPS]]


def list_groups(parsed: Iterable[Any]) -> list[Group]:
    """Return groups of texts; every text that a parsed pattern matches contains one text of each group."""
    groups: list[Group] = []
    run = {""}
    for code, value in parsed:
        texts = list_texts(code, value)
        if texts is not None and len(run) * len(texts) <= _MAX_TEXTS:
            run = {before + text for before in run for text in texts}
        else:
            groups.append(drop_longer(run))
            run = {""} if texts is None else texts
        if texts is None or code is sre.ASSERT:
            groups += list_groups_within(code, value)
    return [each for each in dict.fromkeys([*groups, drop_longer(run)]) if "" not in each]


def list_groups_within(code: Any, value: Any) -> list[Group]:
    """Return the groups of a part that does not stand for a few texts."""
    if code in {sre.SUBPATTERN, sre.ASSERT, sre.ATOMIC_GROUP}:
        return list_groups(value if code is sre.ATOMIC_GROUP else value[-1])
    if code in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT} and value[0]:
        return list_groups(value[2])
    if code is sre.BRANCH:
        choices = [[each for each in list_groups(branch) if is_telling(each)] for branch in value[1]]
        return [drop_longer(set().union(*(max(each, key=rate) for each in choices)))] if all(choices) else []
    return []


def list_texts(code: Any, value: Any) -> set[str] | None:
    """Return all texts that a part of a pattern stands for; None if there are too many."""
    if code is sre.LITERAL:
        return {chr(value).casefold()}
    if code in {sre.AT, sre.ASSERT, sre.ASSERT_NOT}:
        return {""}
    if code is sre.IN and all(kind is sre.LITERAL for kind, _ in value):
        return {chr(each).casefold() for _, each in value}
    if code in {sre.SUBPATTERN, sre.ATOMIC_GROUP}:
        return list_texts_of(value if code is sre.ATOMIC_GROUP else value[3])
    if code is sre.BRANCH:
        choices = [list_texts_of(each) for each in value[1]]
        known = [each for each in choices if each is not None]
        found = set().union(*known)
        return found if len(known) == len(choices) and len(found) <= _MAX_TEXTS else None
    if code in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT} and value[:2] == (0, 1):
        once = list_texts_of(value[2])
        return None if once is None else {"", *once}
    return None


def list_texts_of(parsed: Iterable[Any]) -> set[str] | None:
    """Return all texts that a parsed pattern matches; None if there are too many."""
    run = {""}
    for code, value in parsed:
        texts = list_texts(code, value)
        if texts is None or len(run) * len(texts) > _MAX_TEXTS:
            return None
        run = {before + text for before in run for text in texts}
    return run


def drop_longer(texts: set[str]) -> Group:
    """Return the texts that contain no other of them."""
    return frozenset(text for text in texts if not any(other != text and other in text for other in texts))


def is_telling(group: Group) -> bool:
    """Return whether many questions lack every text of a group, and testing them does not take long."""
    return len(group) <= _MAX_GROUP and all(len(each) > 1 or not (each.isalnum() or each.isspace()) for each in group)


def rate(group: Group) -> tuple[int, int]:
    """Return how telling a group is."""
    return min(map(len, group)), -len(group)


def main() -> None:
    table = build_table()
    parts = [part for each in table.values() for part in each]
    print(f"{len(parts)} alternatives, of which {sum(not part[2] for part in parts)} need nothing")
    if "--write" in sys.argv:
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
        RULE_WORDS.write_text(f"{{\n{lines}\n}}\n", "ascii")


if __name__ == "__main__":
    main()
