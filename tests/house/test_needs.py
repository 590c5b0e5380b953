"""The texts without which a pattern is not tried: every match has to contain one of them."""

from __future__ import annotations

import importlib
import pkgutil
from itertools import product
from re import _constants as sre
from re import _parser as parser

import pytest
from msgspec import Struct, structs

import avionics
from avionics.late_pattern import GuardedPattern, late_pattern

_MAX_CHOICES = 400
"""Sets of characters and sequences of choices with more members count as any text."""


def texts_of(parsed, is_folded: bool) -> set[str]:
    """Return texts, one of which is part of every text that the pattern matches; U+0000 stands for any other text."""
    whole = {""}
    for code, value in parsed:
        choices = choices_of(code, value, is_folded)
        if len(whole) * len(choices) > _MAX_CHOICES:
            # Keep the more telling part: the texts so far, or those that follow.
            rest = {f"\0{each}\0" for each in choices}
            whole = rest if min(map(useful, rest)) > min(map(useful, whole)) else {f"{each}\0" for each in whole}
        else:
            whole = {a + b for a, b in product(whole, choices)}
    return whole


def useful(text: str) -> int:
    return max(map(len, text.split("\0")))


def choices_of(code, value, is_folded: bool) -> set[str]:
    if code is sre.LITERAL:
        return {chr(value).casefold() if is_folded else chr(value)}
    if code is sre.SUBPATTERN:
        return texts_of(value[3], is_folded)
    if code is sre.ATOMIC_GROUP:
        return texts_of(value, is_folded)
    if code is sre.BRANCH:
        return set().union(*(texts_of(each, is_folded) for each in value[1]))
    if code is sre.IN and all(kind is sre.LITERAL for kind, _ in value):
        return {chr(each).casefold() if is_folded else chr(each) for _, each in value}
    if code in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
        least, most, body = value
        once = texts_of(body, is_folded)
        repeated = (
            {"".join(each) for each in product(once, repeat=least)} if len(once) ** least < _MAX_CHOICES else {"\0"}
        )
        if least == most:
            return repeated
        if (least, most) == (0, 1):
            return {"", *once}
        return {f"{each}\0" for each in repeated}
    if code is sre.ASSERT:
        return {f"\0{each}\0" for each in texts_of(value[1], is_folded)}
    if code in {sre.AT, sre.ASSERT_NOT}:
        return {""}
    return {"\0"}


def is_held(pattern: GuardedPattern) -> bool:
    parsed = parser.parse(pattern.pattern, pattern._flags)
    found = texts_of(parsed, pattern._is_folded)
    needs = [need if isinstance(need, str) else need.decode("latin-1") for need in pattern._needs]
    return all(any(need in text for need in needs) for text in found)


def iter_guarded():
    def held(value, place):
        if isinstance(value, GuardedPattern):
            yield place, value
        elif isinstance(value, tuple | Struct):
            for each in value if isinstance(value, tuple) else structs.astuple(value):
                yield from held(each, place)

    for module in pkgutil.walk_packages(avionics.__path__, "avionics."):
        if module.name.partition(".")[2].split(".")[0] in {"agents", "index", "syntax", "tools"}:
            try:
                loaded = importlib.import_module(module.name)
            except ImportError:
                continue
            for name, value in vars(loaded).items():
                yield from held(value, f"{module.name}.{name}")


def test_every_match_has_one_of_the_texts_that_a_pattern_needs():
    found = list(iter_guarded())
    assert len(found) > 10
    assert [place for place, pattern in found if not is_held(pattern)] == []


@pytest.mark.parametrize(
    ("text", "needs", "is_right"),
    [
        (r"a(?:bc|bd)+e", ("ab",), True),
        (r"a(?:bc|d)e", ("bc",), False),
        (r"\w+: x", (": ",), True),
        (r"(?:\w+: )?x", (": ",), False),
        (r"[ab]c", ("ac", "bc"), True),
        (r"[^b]c", ("bc",), False),
        (r"(?i:AB)", ("ab",), False),
        (rb"\bab\b", (b"ab",), True),
        (rb"\bab?\b", (b"ab",), False),
    ],
)
def test_a_text_that_a_match_may_lack_is_found_out(text, needs, is_right):
    assert is_held(late_pattern(text, needs=needs)) is is_right
