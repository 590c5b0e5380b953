"""Read the arguments of a call from its text, where a pattern cannot match their brackets, and match parameters.

The value of an argument that is a path is read, too: literals, templates and constants, joined by `+`.
"""

from __future__ import annotations

import re

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import role_and_place
from avionics.late_pattern import late_pattern
from avionics.model.enums import PARAMETERS
from avionics.model.knowledge import Definition, Usage
from avionics.model.naming import last_part

_MAX_CALLS = 1_000
"""The maximum number of calls of one function that are read."""
_MAX_LENGTH = 20_000
"""Characters of an argument; a longer one is not read."""
_BRACKET_TOKEN = late_pattern(
    r"\"(?>(?:[^\"\\\n]++|\\.)*)\"|'(?>(?:[^'\\\n]++|\\.)*)'|`(?>(?:[^`\\]++|\\.)*)`|//[^\n]*+|/\*(?>(?:[^*]++|\*(?!/))*)(?:\*/|\Z)|[()\[\]{},]"
)
"""The tokens that are needed to match brackets: brackets and commas, and strings and comments, which are skipped."""
_FUNCTION_SIGN = re.compile(r"(?:async|function|func)\b|=>")
_FUNCTION_START = late_pattern(
    r"\s*(?:async\b|function\b|func\b|fun\b|lambda\b|move\b|\||(?:\w+|\([^()]*\))\s*(?::[^=\n]{0,80})?(?:=>|->))"
)
"""The beginning of a function that is written as an argument: `function (`, `lambda`, `(a) =>`."""
_HANDLER = re.compile(r"[A-Za-z_$][\w.$]*+(?:\.\.\.)?\s*+(?:\(|\Z)|\(")


_TERM = late_pattern(
    r"\s*+(?:f([\"'])(?P<format>(?>(?:(?!\1)[^\\\n]|\\.)*))\1|`(?P<template>(?>(?:[^`\\\n]|\\.)*))`"
    r"|r?([\"'])(?P<text>(?>(?:(?!\4)[^\\$\n]|\\.)*))\4|(?P<name>[A-Za-z_]\w*+(?>(?:(?:\.|::)\w++)*))(?![\w(]))"
    r"\s*+(?:\+|\Z)"
)
"""A literal, a format string of Python, a template of JavaScript or a name, before a plus or the end."""
_FORMATTED, _INSERTED = late_pattern(r"\{([^{}]*+)\}"), late_pattern(r"\$\{([^{}]*+)\}")
"""What a format string, and a template, computes."""
_VALUE = late_pattern(r"=(?![=>])\s*+([^=;]++);?\Z")
"""The value of a constant, at the end of its definition."""
_MAX_STEPS = 4
"""How deeply constants may be nested; also ends cycles."""


def get_end(text: str, start: int) -> int:
    """Return where an expression ends: at the next comma or closing bracket that is not within it; -1 past a limit."""
    depth = 0
    for token in _BRACKET_TOKEN.finditer(text, start, start + _MAX_LENGTH):
        sign = token[0]
        if not depth and sign in ",)]}":
            return token.start()
        depth += (sign in "([{") - (sign in ")]}")
    return -1


def read_arguments(text: str, opening: int) -> tuple[tuple[int, int], ...]:
    """Return where each argument of the call with an opening bracket begins and ends; () if the call does not end."""
    begin, found = opening + 1, []
    while (end := get_end(text, begin)) >= 0:
        found.append((begin, end))
        begin = end + 1
        if text[end] != ",":
            return tuple(each for each in found if text[slice(*each)].strip())
    return ()


def is_commented(text: str, offset: int) -> bool:
    """Return whether an offset is in or after a comment on its line."""
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    return before.lstrip().startswith(("/*", "* ", "# ")) or re.search(r"(?<!:)//", before) is not None


def is_function(argument: str) -> bool:
    """Return whether a function is written in an argument."""
    return _FUNCTION_SIGN.search(argument) is not None


def begins_function(text: str, start: int) -> bool:
    """Return whether an argument that begins at a place of a text is a function written there."""
    return _FUNCTION_START.match(text, start) is not None


def may_handle(argument: str) -> bool:
    """Return whether an argument may be a handler: a function, a name, or a call that makes one."""
    return is_function(argument) or _HANDLER.match(argument) is not None


def get_position(code: CodeIndex, function: Definition, name: str) -> int:
    """Return the index of a parameter among those that callers pass; -1 if the function has no such parameter."""
    uses = code.uses(function.file)
    name_at = (function.line, function.symbol.column)
    own = sorted(
        (each.line, each.column, each.name)
        for bindings in uses.bindings.values()
        for each in bindings
        if each.kind in PARAMETERS and uses.scopes[each.scope].symbol == function.index
        if (each.line, each.column) > name_at and each.name != uses.scopes[each.scope].self_name
    )
    return next((at for at, (*_, each) in enumerate(own) if each == name), -1) if function.index >= 0 else -1


class WrittenCall(Struct, frozen=True):
    """A call of a function: its file, the text of the file, and where each argument begins and ends in it."""

    file: str
    text: str
    arguments: tuple[tuple[int, int], ...]


class CallTexts:
    """The texts of files and the calls of functions of one index, each read once."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._texts: dict[str, tuple[str, list[int]]] = {}

    def read_text(self, file: str) -> str:
        """Return the text of a file."""
        if file not in self._texts:
            text = self._code.read_text(file)
            starts = [0]
            for line in text.split("\n"):
                starts.append(starts[-1] + len(line) + 1)
            self._texts[file] = text, starts
        return self._texts[file][0]

    def get_offset(self, file: str, line: int) -> int:
        """Return where a line of a file begins."""
        self.read_text(file)
        return self._texts[file][1][line - 1]

    @cached_method
    def find_calls(self, function: Definition) -> tuple[WrittenCall, ...]:
        """Return the calls of a function, product code first; only the first ones of many."""
        calls = sorted(self._code.graph.iter_calls(function), key=role_and_place)
        return tuple(map(self._read_call, calls[:_MAX_CALLS]))

    def _read_call(self, use: Usage) -> WrittenCall:
        text = self.read_text(use.file)
        opening = text.find("(", self.get_offset(use.file, use.line) + use.column)
        return WrittenCall(use.file, text, read_arguments(text, opening) if opening >= 0 else ())


def read_path(code: CodeIndex, file: str, expression: str, steps: int = 0) -> str | None:
    """Return the path that is the value of an expression; None if a part of it is known only at run time."""
    parts = _read_parts(code, file, expression, steps)
    return None if None in parts or not parts else "".join(part for part in parts if part is not None)


def read_known_path(code: CodeIndex, file: str, expression: str) -> str:
    """Return the path that is the value of an expression, without the parts that are known only at run time."""
    return "".join(part for part in _read_parts(code, file, expression, 0) if part is not None)


def _read_parts(code: CodeIndex, file: str, expression: str, steps: int) -> list[str | None]:
    """Return the values of the parts of an expression, up to one that cannot be read; None for an unknown value."""
    expression, at, parts = expression.strip(), 0, list[str | None]()
    while at < len(expression):
        term = _TERM.match(expression, at)
        if term is None:
            return [*parts, None]
        if term["name"] is not None:
            parts.append(_get_constant(code, file, term["name"], steps))
        elif term["text"] is not None:
            parts.append(term["text"])
        else:
            # Splitting by a pattern with one group gives text and computed parts in turn.
            is_format = term["format"] is not None
            pieces = _FORMATTED.split(term["format"]) if is_format else _INSERTED.split(term["template"])
            for number, piece in enumerate(pieces):
                is_name = number % 2 and piece.strip().replace(".", "").isidentifier()
                computed = _get_constant(code, file, piece.strip(), steps) if is_name else None
                parts.append(computed if number % 2 else piece)
        at = term.end()
    return parts


def _get_constant(code: CodeIndex, file: str, name: str, steps: int) -> str | None:
    """Return the path that is the value of the constant with a name; None if there are several, or it is computed."""
    dotted = name.replace("::", ".")
    named = code.find_definitions(last_part(dotted)) if steps < _MAX_STEPS else ()
    meant = [each for each in named if f".{each.symbol.qualname}".endswith(f".{dotted}")]
    meant = [each for each in meant if each.file == file] or meant or list(named)
    written = [(each, _VALUE.search(each.symbol.signature)) for each in meant]
    values = {read_path(code, each.file, value[1], steps + 1) for each, value in written if value is not None}
    return next(iter(values)) if len(values) == 1 else None
