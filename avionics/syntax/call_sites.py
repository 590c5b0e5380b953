"""Read what calls pass and what functions take, at given places of a file."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from avionics.syntax.argument_texts import ArgumentList, ParameterList, read_argument_list, read_parameter_list
from avionics.syntax.engine import grammars
from avionics.syntax.engine.budget import TooCostlyError
from avionics.syntax.engine.call_shapes import (
    CallGrammar,
    CallShape,
    CallSignature,
    PassedName,
    read_call,
    read_passed,
    read_requirement,
    read_signature,
)
from avionics.syntax.engine.conditions import read_condition
from avionics.syntax.engine.grammars import Node
from avionics.syntax.registry import require_spec

Position = tuple[int, int]
"""A line from 1 and a column from 0 in characters."""

_MAX_KEPT = 128
"""Files whose calls are remembered: a language server asks for the same ones after each edit of what they call."""

_Read = TypeVar("_Read")


def read_calls(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, CallShape]:
    """Return what is passed by those calls whose callee's name stands at one of the places."""
    return _read_calls(content, language, tuple(places))


@functools.lru_cache(maxsize=_MAX_KEPT)
def _read_calls(content: bytes, language: str, places: tuple[Position, ...]) -> Mapping[Position, CallShape]:
    return _read_at(content, language, places, read_call)


def read_passed_names(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, PassedName]:
    """Return for those names at the places that are arguments of calls where they are passed."""
    return _read_at(content, language, places, read_passed)


def read_signatures(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, CallSignature]:
    """Return what those functions take whose name stands at one of the places."""
    return _read_at(content, language, places, read_signature)


def read_requirements(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, bool]:
    """Return for the members whose names stand at the places whether subclasses have to implement them."""
    return _read_at(content, language, places, read_requirement)


def read_argument_lists(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, ArgumentList]:
    """Return the texts of the arguments of those calls whose callee's name stands at one of the places."""
    return _read_at(content, language, places, read_argument_list)


def read_parameter_lists(content: bytes, language: str, places: Iterable[Position]) -> Mapping[Position, ParameterList]:
    """Return the texts of the parameters of those functions whose name stands at one of the places."""
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
    content: bytes, language: str, places: Iterable[Position], read: Callable[[CallGrammar, Node], _Read | None]
) -> Mapping[Position, _Read]:
    spec = require_spec(language)
    if spec.calls is None:
        return {}
    code = content if spec.prepare is None else spec.prepare(content)
    try:
        root = grammars.parse(code, spec.grammar)
    except TooCostlyError:
        return {}
    lines = code.split(b"\n")
    found = {}
    for line, column in places:
        text = lines[line - 1] if line <= len(lines) else b""
        offset = (
            column
            if text.isascii()
            else len(text.decode("utf-8", "surrogateescape")[:column].encode("utf-8", "surrogateescape"))
        )
        node = root.descendant_for_point_range((line - 1, offset), (line - 1, offset))
        value = read(spec.calls, node) if node is not None else None
        if value is not None:
            found[line, column] = value
    return found
