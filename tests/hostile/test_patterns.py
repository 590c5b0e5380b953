"""Every pattern of ours takes time that grows with the text, not with its square, whatever the text."""

from __future__ import annotations

import functools
import importlib
import itertools
import math
import pkgutil
import re
import re._parser as parser
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs
from msgspec import Struct, structs

import avionics
from avionics.late_pattern import LatePattern
from tests.timing import measure_floor

LENGTH = 3_000
"""Of the text whose cost is compared with that of a text of an eighth of its length."""

MIN_FLOORS = 0.1
"""A pattern that is cheaper for the longer text is not looked at: clocks are too coarse for it."""

MAX_GROWTH = 24
"""A linear pattern takes 8 times as long for a text 8 times as long, a quadratic one 64 times.

A pattern whose repetitions are bounded takes the square of a text that is shorter than its bounds, so what looks
quadratic up to `LENGTH` is looked at again up to eight times that length.
"""

SHORT = {
    "conventions.FINDING_BASES": "the name of a class",
    "plans._FENCE": "a plan is as long as a model's answer",
    "rules._BETWEEN_PARTS": "a question is cut to a length",
    "layout._ENTRY": "a line of a configuration of at most 64 KB",
    "annotation_routes._ARGUMENT_NAME": "a decorator is one line of 160 characters",
    "discovery._FIRST_TEXT": "a decorator is one line of 160 characters",
    "file_roles._VENDORED": "a path",
    "js_manifests._SOURCE": "a path",
    "comments._LINE_COMMENTS": "at most 6,000 bytes above a definition",
    "outline._TAG": "a comment of at most 8,000 bytes",
    "outline._INLINE": "at most 2,000 characters of a comment",
    "outline._TAGS": "at most 2,000 characters of a comment",
    "preprocessor._NO_CODE": "a branch of at most 6,000 bytes",
    "free_name_scan._LAST_WORD": "at most 100 bytes before a name",
    "token_context._LAST_WORD": "at most 200 bytes before a name",
    "functions._REMARK": "a signature of at most 4,000 characters",
    "purposes._CODE": "the first 20,000 characters of a README",
    "purposes._LINK": "the first 20,000 characters of a README",
    "blocks._MARKED": "a file of instructions that its user asks to edit",
    "literals._VALUE": "a message is cut to a length",
    "change_reader._SURE": "a question of at most 400 characters",
    "change_reader._BOTH": "a question of at most 400 characters",
    "ends_reader._PATTERNS": "a question of at most 400 characters",
    "macro_mentions._LAST_WORD": "at most 100 characters before a parenthesis",
    "declarations._GROUP": "a line is cut to 400 characters",
    "declarations._OPTIONS": "the name of a class or variable on such a line",
    "descriptions._BEHIND": "a line is cut to 400 characters",
    "descriptions._ASSIGNED_VALUE": "a line is cut to 400 characters",
    "declared_names.NUMBER_CONSTANT": "a line is cut to 400 characters",
    "candidate_lines._OF_A_TOOL": "a path",
    "documentation._SENTENCE": "a line is cut to 1,000 characters",
    "documentation._BESIDE": "a line is cut to 1,000 characters",
    "intent_rules.RULES": "a question of at most 400 characters",
    "question_reader._CHANGES": "a question of at most 400 characters",
    "option_rules.OPTION_RULES": "a question of at most 400 characters",
    "structure_rules.STRUCTURE_RULES": "a question of at most 400 characters",
}
"""Patterns that take the square of a text's length, as module.name, and why they are given short texts only."""


def iter_patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Every pattern that a module of ours keeps, by its name; those in tables too."""
    for found in pkgutil.walk_packages(avionics.__path__, "avionics."):
        if not found.name.endswith("__main__"):
            try:
                module = importlib.import_module(found.name)
            except ImportError:
                continue  # an extra that is not installed
            for name, value in vars(module).items():
                for pattern in patterns_in(value, 3):
                    if pattern.pattern:
                        yield f"{found.name.removeprefix('avionics.')}.{name}", pattern


def patterns_in(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, LatePattern):
        yield value.compile()
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from patterns_in(each, depth - 1)
    elif depth and isinstance(value, dict):
        yield from patterns_in(tuple(value.values()), depth - 1)
    elif depth and (attrs.has(type(value)) or isinstance(value, Struct)):
        late = [name for name, kept in vars(type(value)).items() if isinstance(kept, functools.cached_property)]
        fields = structs.astuple(value) if isinstance(value, Struct) else attrs.astuple(value, recurse=False)
        kept = (*fields, *(getattr(value, name) for name in late))
        yield from patterns_in(kept, depth - 1)


def sample(items: Any) -> str:
    """A text that the parts of a parsed pattern match, or nearly."""
    return "".join(sample_of(str(kind), argument) for kind, argument in items)


def sample_of(kind: str, argument: Any) -> str:
    match kind:
        case "LITERAL":
            return chr(argument)
        case "IN":
            return next((each for each in PROBES if is_in(each, argument)), "é")
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return sample(argument[2]) * max(1, min(argument[0], 50))
        case "SUBPATTERN":
            return sample(argument[3])
        case "ATOMIC_GROUP":
            return sample(argument)
        case "BRANCH":
            return sample(argument[1][0])
        case "ANY" | "NOT_LITERAL":
            return "a"
    return ""


PROBES = "a1 .-_:,/*\"'<({\\\n\tA=[#\0"
CLASSES = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w", "NOT_SPACE": r"\S", "NOT_DIGIT": r"\D", "NOT_WORD": r"\W"}


def is_in(character: str, members: Any) -> bool:
    is_negated = str(members[0][0]) == "NEGATE"
    return is_negated != any(is_member(character, str(kind), argument) for kind, argument in members[is_negated:])


def is_member(character: str, kind: str, argument: Any) -> bool:
    if kind == "LITERAL":
        return ord(character) == argument
    if kind == "RANGE":
        return bool(argument[0] <= ord(character) <= argument[1])
    return re.match(CLASSES[str(argument).removeprefix("CATEGORY_")], character) is not None


def iter_pumps(items: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """What may be repeated, and what must stand before it."""
    for at, (kind, argument) in enumerate(items):
        head = before + sample(list(items)[:at])
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                if argument[1] > 200:
                    inner = list(argument[2])
                    yield head, sample(inner)
                    yield "", head
                    yield "", head + sample(inner)
                    if len(inner) == 1 and str(inner[0][0]) == "IN":
                        yield from ((head, each) for each in PROBES if is_in(each, inner[0][1]))
                yield from iter_pumps(argument[2], head)
            case "SUBPATTERN":
                yield from iter_pumps(argument[3], head)
            case "ATOMIC_GROUP":
                yield from iter_pumps(argument, head)
            case "BRANCH":
                for branch in argument[1]:
                    yield from iter_pumps(branch, head)


def seconds_of(pattern: re.Pattern[Any], text: Any, *, is_searched: bool) -> float:
    """Return the processor time for a text; infinity for one that takes more than a fifth of a second."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    started = time.thread_time()
    # The timer may run out while it is being stopped, so that what stops it is within the outer statement.
    try:
        try:
            if is_searched:
                for _ in pattern.finditer(text):
                    pass
            else:
                pattern.match(text)
                pattern.fullmatch(text)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TimeoutError:
        return math.inf
    return time.thread_time() - started


def give_up(*_: object) -> None:
    raise TimeoutError


def find_slow(pattern: re.Pattern[Any], floor: float, *, is_searched: bool) -> str:
    """Return a kind of text that takes the pattern more than a time that grows with it; "" for none."""
    is_bytes = isinstance(pattern.pattern, bytes)
    written = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    tree = parser.parse(written, pattern.flags & ~re.UNICODE)
    pumps = dict.fromkeys((*iter_pumps(tree), *(("", each) for each in (sample(tree), " ", "\n", "a", "a "))))

    def cost(before: str, pump: str, length: int) -> float:
        text = before + pump * (length // len(pump)) + "\x01"
        asked = text.encode("utf-8", "surrogatepass") if is_bytes else text
        return seconds_of(pattern, asked, is_searched=is_searched)

    def is_steep(before: str, pump: str, length: int) -> bool:
        # What a busy machine adds to one reading of the clock, it hardly adds to the least of five. It never makes a
        # pattern take two hundred times as long, so that one that had to be stopped is not tried again.
        shorter = get_least(cost(before, pump, length // 8) for _ in range(5))
        allowed = max(MIN_FLOORS * floor, MAX_GROWTH * shorter)
        if shorter == math.inf:
            return True
        for _ in range(5):
            longer = cost(before, pump, length)
            if longer <= allowed or longer == math.inf:
                return longer > allowed
        return True

    for before, pump in pumps:
        is_dear = pump and cost(before, pump, LENGTH) > MIN_FLOORS * floor
        if is_dear and is_steep(before, pump, LENGTH) and is_steep(before, pump, 8 * LENGTH):
            return f"{before!r} + {pump!r} * n"
    return ""


def get_least(costs: Iterable[float]) -> float:
    """The least of some costs; those after an infinite one are not measured."""
    return min(itertools.takewhile(lambda each: each < math.inf, costs), default=math.inf)


def short_name(name: str) -> str:
    return ".".join(name.split(".")[-2:])


def test_no_pattern_is_slower_than_its_text_is_long():
    previous = signal.signal(signal.SIGVTALRM, give_up)
    slow, floor, patterns = {}, measure_floor(), list(iter_patterns())
    for pattern, name in {pattern: name for name, pattern in patterns}.items():
        if short_name(name) in SHORT:
            continue
        module, _, word = name.rpartition(".")
        code = Path(importlib.import_module(f"avionics.{module}").__file__).read_text()
        is_searched = re.search(rf"\b{word}\.(search|finditer|findall|sub|split)\b", code) is not None
        is_matched = re.search(rf"\b{word}\.(match|fullmatch)\b", code) is not None
        if found := find_slow(pattern, floor, is_searched=is_searched or not is_matched):
            slow[name] = found
    signal.signal(signal.SIGVTALRM, previous)
    assert slow == {}, slow
    assert set(SHORT) <= {short_name(name) for name, _ in patterns}, "patterns that are there no more"


def test_a_quadratic_pattern_is_seen():
    previous = signal.signal(signal.SIGVTALRM, give_up)
    assert find_slow(re.compile(r"(?:a|b)+c"), measure_floor(), is_searched=True)
    assert not find_slow(re.compile(r"(?:a|b)+c"), measure_floor(), is_searched=False)
    # So slow that the shorter text too takes longer than any is given.
    assert find_slow(re.compile(rb"\)\s*(?:\w+\s*){0,3}\Z"), measure_floor(), is_searched=True)
    signal.signal(signal.SIGVTALRM, previous)
