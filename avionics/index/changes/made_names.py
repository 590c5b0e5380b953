"""Tell which names macros may define that no file spells out as a definition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.index.code_index import CodeIndex
from avionics.index.model.cached_method import cached_method
from avionics.model.enums import FUNCTIONS
from avionics.syntax.registry import conventions_of

_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_MAX_CALL = 60_000
"""The maximum number of characters of a call that are read."""

_MAX_LINES = 30
"""The maximum number of lines between the start of a call and a name in it."""


class MadeNames:
    """The names that macros may define in the files of one version."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code

    def may_make(self, file: str, name: str) -> bool:
        """Return whether the arguments of a macro in a file declare a name, as in `bitflags! { struct Name … }`."""
        made = conventions_of(file).made
        if not made.declaring or not self._code.has_file(file):
            return False
        declares = re.compile(made.declaring.replace("NAME", re.escape(name)))
        return any(name in text and declares.search(text) for _, text in self.list_calls(file))

    def may_rewrite(self, place: tuple[str, int, int]) -> bool:
        """Return whether a place is in the arguments of a macro that may put something before the names in them."""
        file, line, column = place
        pattern = conventions_of(file).made.rewriting
        lines = self._code.read_lines(file)[max(0, line - _MAX_LINES) : line]
        text = "\n".join((*lines[:-1], lines[-1][:column])) if lines else ""
        starts = (found.end() for found in pattern.finditer(text))
        return any(_read_arguments(text[start:]) == text[start:] for start in starts)

    @cached_method
    def list_calls(self, file: str) -> tuple[tuple[int, str], ...]:
        """Return the calls of macros in a file that may stand for definitions: line, and text of the call."""
        return tuple(self._iter_calls(file))

    def _iter_calls(self, file: str) -> Iterator[tuple[int, str]]:
        pattern, text = conventions_of(file).made.macro, self._code.read_text(file)
        functions = [each.span for each in self._code.facts(file).symbols if each.kind in FUNCTIONS]
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.end()) + 1
            if not any(span.contains(line) for span in functions):
                yield line, f"{found[0]}{_read_arguments(text[found.end() : found.end() + _MAX_CALL])}"


def _read_arguments(text: str) -> str:
    """Return the text up to the bracket that closes the arguments which begin there."""
    depth = 1
    for position, each in enumerate(text):
        depth += _BRACKETS.get(each, 0)
        if not depth:
            return text[:position]
    return text
