"""Read the arguments of calls and the parameters of functions at given places of a file."""

from __future__ import annotations

import bisect
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from avionics.model.enums import BODIES
from avionics.model.facts import FileFacts
from avionics.syntax.argument_texts import read_argument_list, read_parameter_list
from avionics.syntax.engine import grammars
from avionics.syntax.engine.budget import TooCostlyError
from avionics.syntax.engine.call_shapes import (
    CallGrammar,
    CallShape,
    read_base_call,
    read_call,
    read_match,
    read_open_key,
    read_openness,
    read_passed,
    read_requirement,
    read_signature,
)
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.engine.nodes import text_of
from avionics.syntax.registry import require_rules

Position = tuple[int, int]
"""A line from 1 and a column from 0 in characters."""

Part = tuple[int, int]
"""The first and the last line of a function that can be parsed without the rest of its file."""

_MAX_KEPT = 128
"""The number of files whose calls are cached: a language server needs the same ones after each edit of what they
call."""


_MAX_CONDITION = 40
"""Longer conditions are not returned, because a label should be short."""

_FUNCTIONS = ("function", "method", "lambda", "closure", "arrow", "constructor", "class")
"""The beginnings of the types of nodes whose bodies run separately."""

_Read = TypeVar("_Read")


def list_parts(facts: FileFacts) -> tuple[Part, ...]:
    """Return the outermost functions of a file that can be parsed alone; () in most languages."""
    spec = require_rules(facts.language)
    if spec.calls is None or not spec.calls.is_separable or facts.problems:
        return ()
    found: list[Part] = []
    spans = (each.span for each in facts.symbols if each.kind in BODIES)
    for first, last in sorted((span.start_line, span.end_line) for span in spans):
        if not found or first > found[-1][1]:
            found.append((first, last))
    return tuple(found)


def read_calls(
    content: bytes, language: str, places: Iterable[Position], parts: tuple[Part, ...] = ()
) -> Mapping[Position, CallShape]:
    """Return place → the arguments of the call, for the places of called names: of `add` in `cart.add(1)`.

    With the `parts` of the file only functions with such places are parsed, if that is less work.
    """
    return _read_calls(content, language, tuple(places), parts)


@functools.lru_cache(maxsize=_MAX_KEPT)
def _read_calls(
    content: bytes, language: str, places: tuple[Position, ...], parts: tuple[Part, ...]
) -> Mapping[Position, CallShape]:
    return _read_at(read_call, content, language, places, parts)


def read_conditions(content: bytes, language: str, lines: Iterable[int]) -> Mapping[int, str]:
    """Return line → the short condition under which it runs, `if x` or `unless x`; lines without one are left out."""
    spec = require_rules(language)
    code = content if spec.prepare is None else spec.prepare(content)
    try:
        root = grammars.parse(code, spec.grammar)
    except TooCostlyError:
        return {}
    texts = code.splitlines(keepends=True)
    starts = (0, *itertools.accumulate(map(len, texts)))
    found = {}
    for line in lines:
        if line <= len(texts):
            indent = len(texts[line - 1]) - len(texts[line - 1].lstrip())
            found[line] = _read_condition(root, starts[line - 1] + indent)
    return {line: condition for line, condition in found.items() if condition}


def _read_condition(root: Node, offset: int) -> str:
    """Return `if CONDITION` or `unless CONDITION` for the code at an offset in bytes; "" if no plain one applies.

    Only the innermost condition of the same function is read. A loop's condition is not one.
    """
    child = root.descendant_for_byte_range(offset, offset + 1)
    while child is not None and child.parent is not None:
        parent = child.parent
        kind = parent.type
        if kind.startswith(_FUNCTIONS) and parent.child_by_field_name("body") is not None:
            return ""
        condition = parent.child_by_field_name("condition")
        if condition is not None and kind.startswith(("if", "elif", "elsif")) and child != condition:
            return _write_condition(parent, child, condition)
        child = parent
    return ""


def _write_condition(parent: Node, child: Node, condition: Node) -> str:
    text = text_of(condition).strip()
    if text.startswith("(") and text.endswith(")") and ")" not in text[1:-1]:
        text = text[1:-1].strip()
    others = parent.children_by_field_name("alternative")
    if child in others:
        word = "unless"
    elif child.start_byte > condition.end_byte:
        word = "if"
    else:
        return ""
    is_plain = 0 < len(text) <= _MAX_CONDITION and "\n" not in text and (word == "if" or len(others) == 1)
    return f"{word} {text}" if is_plain else ""


def _read_at(
    read: Callable[[CallGrammar, Node], _Read | None],
    content: bytes,
    language: str,
    places: Iterable[Position],
    parts: tuple[Part, ...] = (),
) -> Mapping[Position, _Read]:
    """Return place → what `read` returns for the node there; places for which it returns None are left out."""
    spec = require_rules(language)
    if spec.calls is None:
        return {}
    code = content if spec.prepare is None else spec.prepare(content)
    lines = code.split(b"\n")
    found = {}
    try:
        for (first, root), inside in _parse_around(code, spec.grammar, lines, tuple(places), parts):
            for line, column in inside:
                text = lines[line - 1] if line <= len(lines) else b""
                offset = column
                if not text.isascii():
                    offset = len(text.decode("utf-8", "surrogateescape")[:column].encode("utf-8", "surrogateescape"))
                node = root.descendant_for_point_range((line - first, offset), (line - first, offset))
                value = read(spec.calls, node) if node is not None else None
                if value is not None:
                    found[line, column] = value
    except TooCostlyError:
        return {}
    return found


_Parsed = tuple[int, Node]
"""The line at which parsed code begins, and the root of its tree."""


def _parse_around(
    code: bytes, grammar: Grammar, lines: list[bytes], places: tuple[Position, ...], parts: tuple[Part, ...]
) -> list[tuple[_Parsed, tuple[Position, ...]]]:
    """Parse the parts that contain some places; or all code, if the parts are most of it or have syntax errors alone.

    Return for each parsed piece the places in it.
    """
    starts = [first for first, _ in parts]
    around: dict[Part, list[Position]] = {}
    for place in places:
        at = bisect.bisect_right(starts, place[0]) - 1
        if at < 0 or parts[at][1] < place[0]:
            around.clear()
            break
        around.setdefault(parts[at], []).append(place)
    if around and sum(last - first + 1 for first, last in around) * 2 <= len(lines):
        found = []
        for part, inside in around.items():
            root = grammars.parse(b"\n".join(lines[part[0] - 1 : part[1]]), grammar)
            if root.has_error:
                break
            found.append(((part[0], root), tuple(inside)))
        else:
            return found
    return [((1, _parse_last(code, grammar)), places)]


@functools.lru_cache(maxsize=1)
def _parse_last(code: bytes, grammar: Grammar) -> Node:
    """Parse code, and cache the last tree, because several readers need the same file in turn."""
    return grammars.parse(code, grammar)


read_passed_names = functools.partial(_read_at, read_passed)
"""Return where names at the places are passed, for those that are arguments of calls."""

read_signatures = functools.partial(_read_at, read_signature)
"""Return the signatures of functions whose name is at one of the places; takes `parts` as `read_calls` does."""

read_requirements = functools.partial(_read_at, read_requirement)
"""Return, for members whose names are at the places, whether subclasses have to implement them."""

read_open_blocks = functools.partial(_read_at, read_openness)
"""Return for the blocks that begin at the places whether they may have members that they do not show."""

read_open_keys = functools.partial(_read_at, read_open_key)
"""Return for the keys at the places whether they may be ones that the types of their objects lack."""

read_base_calls = functools.partial(_read_at, read_base_call)
"""Return whether the constructors at the places implicitly call a constructor of their base class."""

read_matches = functools.partial(_read_at, read_match)
"""Return the exhaustive matches whose first cases have a label at one of the places."""

read_argument_lists = functools.partial(_read_at, read_argument_list)
"""Return the texts of the arguments of those calls whose callee's name is at one of the places."""

read_parameter_lists = functools.partial(_read_at, read_parameter_list)
"""Return the texts of the parameters of those functions whose name is at one of the places."""
