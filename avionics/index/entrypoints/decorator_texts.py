"""Read decorators and annotations whole; facts keep only the beginnings of long ones."""

from __future__ import annotations

import re

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import get_end
from avionics.model.facts import Symbol
from avionics.syntax.engine.source_text import one_line_of_code
from avionics.syntax.engine.words import LONGER

_MAX_ABOVE = 60
"""The maximum number of lines from the beginning of decorators to the name of their definition."""
_SPACE = re.compile(r"\s+")


def list_decorators(code: CodeIndex, file: str, symbol: Symbol) -> tuple[str, ...]:
    """Return the decorators of a symbol, each with all of its arguments."""
    return tuple(_read_whole(code, file, symbol, each) if each.endswith(LONGER) else each for each in symbol.decorators)


def _read_whole(code: CodeIndex, file: str, symbol: Symbol, beginning: str) -> str:
    """Return the decorator that begins with a text; the text itself if it is not found above the symbol."""
    first = max(0, min(symbol.span.start_line, symbol.line - _MAX_ABOVE) - 1)
    text = "\n".join(code.read_lines(file)[first : symbol.line])
    name, start = beginning.partition("(")[0], _SPACE.sub("", beginning.removesuffix(LONGER))
    for match in re.finditer(rf"(?<![\w.]){re.escape(name)}\s*\(", text):
        end = match.end()
        while (end := get_end(text, end)) >= 0 and text[end] == ",":
            end += 1
        whole = text[match.start() : end + 1] if end >= 0 else ""
        if _SPACE.sub("", whole).startswith(start):
            return one_line_of_code(whole, len(whole))
    return beginning
