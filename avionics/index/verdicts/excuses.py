"""Lines on which a name that leads nowhere is no error: the text excuses it, or a macro may make another name of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from avionics.index.code_index import CodeIndex
from avionics.model.enums import SymbolKind
from avionics.model.naming import fold_name

_EXCUSES_BELOW = ("@ts-ignore", "@ts-expect-error")
"""What excuses the line after it, too."""
_EXCUSES = ("# noqa", "# type: ignore", "# pyright: ignore", *_EXCUSES_BELOW, "NOLINT", "noinspection")

_CONDITION = re.compile(r"\s*#\s*(?:el)?if")
"""A condition of a preprocessor, in which a name that nothing defines counts as false."""

_PARAMETERS = re.compile(r"#\s*+define\s++\w++\(([^()]*+)\)([\s\S]*+)")
_NAME = re.compile(r"\w+")
_BRACKET = re.compile(r"\)|(\b\w++)?(?:(?<![ \t])[ \t]*+)?\(")


def list_guarded_lines(text: str) -> frozenset[int]:
    """Return the lines inside a `try` that catches a failing import."""
    lines = text.split("\n")
    found: set[int] = set()
    for number, line in enumerate(lines):
        if line.strip() != "try:":
            continue
        end = _end_of_block(lines, number)
        if end < len(lines) and lines[end].lstrip().startswith("except"):
            found.update(range(number + 1, _end_of_block(lines, end) + 1))
    return frozenset(found)


def _end_of_block(lines: Sequence[str], head: int) -> int:
    """Return the index of the first line after a head that is not indented further."""
    margin = len(lines[head]) - len(lines[head].lstrip())
    end = head + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > margin):
        end += 1
    return end


def is_excused(lines: list[str], place: tuple[str, int, int], name: str) -> bool:
    """Return whether a comment of another checker excuses the line, or the text there is not the name itself."""
    _, number, column = place
    line = lines[number - 1] if number <= len(lines) else ""
    above = lines[number - 2] if number > 1 else ""
    if (
        _CONDITION.match(line)
        or any(each in line for each in _EXCUSES)
        or any(each in above for each in _EXCUSES_BELOW)
    ):
        return True
    return not line[column:].startswith(name)


def is_given_to_macro(code: CodeIndex, lines: list[str], place: tuple[str, int, int]) -> bool:
    """Return whether a name is given to a macro that may drop it, join it to another name or take it for text."""
    file, number, column = place
    if not code.resolver.scopes.spec(file).linkage:
        return False
    depth = 0
    for found in reversed(list(_BRACKET.finditer(lines[number - 1][:column]))):
        depth += 1 if found[0] == ")" else -1
        if depth < 0:
            depth = 0
            if found[1] and any(map(_changes_arguments, _iter_macros(code, found[1]))):
                return True
    return False


def _iter_macros(code: CodeIndex, name: str) -> Iterator[str]:
    """Yield the texts of the macros of a name."""
    for file in code.files_defining(fold_name(name)):
        for symbol in code.facts(file).symbols:
            if symbol.name == name and symbol.kind is SymbolKind.MACRO:
                lines = code.read_text(file).split("\n")[symbol.span.start_line - 1 : symbol.span.end_line]
                yield "\n".join(lines)


def _changes_arguments(macro: str) -> bool:
    """Return whether a macro has `#` or `##` in its text, or a parameter that its text does not name."""
    found = _PARAMETERS.search(macro)
    if found is None:
        return False
    words = set(_NAME.findall(found[2]))
    return "#" in found[2] or any(each not in words for each in _NAME.findall(found[1]))
