"""Read the arguments of calls and the parameters of functions at given places of a file."""

from __future__ import annotations

import bisect
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from avionics.model.enums import BODIES
from avionics.model.facts import FileFacts
from avionics.syntax.argument_texts import ArgumentList, ParameterList, read_argument_list, read_parameter_list
from avionics.syntax.engine import grammars
from avionics.syntax.engine.budget import TooCostlyError
from avionics.syntax.engine.call_shapes import (
    CallGrammar,
    CallShape,
    CallSignature,
    ExhaustiveMatch,
    PassedName,
    read_base_call,
    read_call,
    read_match,
    read_open_key,
    read_openness,
    read_passed,
    read_requirement,
    read_signature,
)
from avionics.syntax.engine.conditions import read_condition
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.registry import require_spec

Position = tuple[int, int]
"""A line from 1 and a column from 0 in characters."""

Part = tuple[int, int]
"""The first and the last line of a function that can be parsed without the rest of its file."""

_MAX_KEPT = 128
"""The number of files whose calls are cached: a language server needs the same ones after each edit of what they
call."""


_Read = TypeVar("_Read")


def list_parts(facts: FileFacts) -> tuple[Part, ...]:
    """Return the outermost functions of a file that can be parsed alone; () in most languages."""
    spec = require_spec(facts.language)
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
    """Return the arguments of those calls whose callee's name is at one of the places.

    With the `parts` of the file only functions with such places are parsed, if that is less work.
    """
    return _read_calls(content, language, tuple(places), parts)


@functools.lru_cache(maxsize=_MAX_KEPT)
def _read_calls(
    content: bytes, language: str, places: tuple[Position, ...], parts: tuple[Part, ...]
) -> Mapping[Position, CallShape]:
    return _read_at(content, language, places, read_call, parts)


def read_passed_names(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, PassedName]:
    """Return where names at the places are passed, for those that are arguments of calls."""
    return _read_at(content, language, places, read_passed)


def read_signatures(
    content: bytes, language: str, places: Iterable[Position], parts: tuple[Part, ...] = ()
) -> Mapping[Position, CallSignature]:
    """Return the signatures of functions whose name is at one of the places; `parts` as for `read_calls`."""
    return _read_at(content, language, places, read_signature, parts)


def read_requirements(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, bool]:
    """Return, for members whose names are at the places, whether subclasses have to implement them."""
    return _read_at(content, language, places, read_requirement)


def read_open_blocks(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, bool]:
    """Return for the blocks that begin at the places whether they may have members that they do not show."""
    return _read_at(content, language, places, read_openness)


def read_open_keys(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, bool]:
    """Return for the keys at the places whether they may be ones that the types of their objects lack."""
    return _read_at(content, language, places, read_open_key)


def read_base_calls(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, bool]:
    """Return whether the constructors at the places implicitly call a constructor of their base class."""
    return _read_at(content, language, places, read_base_call)


def read_matches(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, ExhaustiveMatch]:
    """Return the exhaustive matches whose first cases have a label at one of the places."""
    return _read_at(content, language, places, read_match)


def read_argument_lists(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, ArgumentList]:
    """Return the texts of the arguments of those calls whose callee's name is at one of the places."""
    return _read_at(content, language, places, read_argument_list)


def read_parameter_lists(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, ParameterList]:
    """Return the texts of the parameters of those functions whose name is at one of the places."""
    return _read_at(content, language, places, read_parameter_list)


def read_conditions(content: bytes, language: str, lines: Iterable[int]) -> Mapping[int, str]:
    """Return for each line the plain condition under which it runs, as `if x` or `unless x`; others are left out."""
    spec = require_spec(language)
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
            found[line] = read_condition(root, starts[line - 1] + indent)
    return {line: condition for line, condition in found.items() if condition}


def _read_at(
    content: bytes,
    language: str,
    places: Iterable[Position],
    read: Callable[[CallGrammar, Node], _Read | None],
    parts: tuple[Part, ...] = (),
) -> Mapping[Position, _Read]:
    spec = require_spec(language)
    if spec.calls is None:
        return {}
    code = content if spec.prepare is None else spec.prepare(content)
    lines = code.split(b"\n")
    found = {}
    try:
        for (first, root), inside in _parse_around(code, spec.grammar, lines, tuple(places), parts):
            for line, column in inside:
                text = lines[line - 1] if line <= len(lines) else b""
                offset = (
                    column
                    if text.isascii()
                    else len(text.decode("utf-8", "surrogateescape")[:column].encode("utf-8", "surrogateescape"))
                )
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
    """Parse the parts around some places, or all of the code if they are most of it or cannot be parsed alone."""
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
