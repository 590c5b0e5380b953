"""Read facts about a place of one version from the text of its lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from avionics.index.code_index import CodeIndex
from avionics.late_pattern import late_pattern
from avionics.syntax.call_sites import read_open_keys
from avionics.syntax.conventions import Branch, read_tests
from avionics.syntax.registry import conventions_of

_MACRO = late_pattern(r"\s*#\s*define\s")
_MAX_KEPT = 32
"""The number of files whose conditions are cached."""


def begins_path(code: CodeIndex, place: tuple[str, int, int], name: str) -> bool:
    """Return whether the name at a place begins a path, as in `serde::Value`: a package needs no import there."""
    file, line, column = place
    return code.read_line(file, line)[column + len(name) :].lstrip().startswith("::")


def is_in_angles(code: CodeIndex, place: tuple[str, int, int], header: str) -> bool:
    """Return whether a header without a directory is included as those of the system are: `#include <io.h>`."""
    file, line, _ = place
    return "/" not in header and f"<{header}>" in code.read_line(file, line)


def is_open_key(code: CodeIndex, place: tuple[str, int, int]) -> bool:
    """Return whether the name at a place is a key of an object that may have more keys than its type declares."""
    file, line, column = place
    calls = code.resolver.scopes.rules(file).calls
    if calls is None or calls.is_open_key is None:
        return False
    return any(read_open_keys(code.read_content(file), code.facts(file).language, [(line, column)]).values())


def is_in_macro(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is in the body of a macro, whose definitions take effect elsewhere."""
    while number > 1 and lines[number - 2].endswith("\\"):
        number -= 1
    return _MACRO.match(lines[number - 1]) is not None


def read_conditions(code: CodeIndex, file: str, line: int) -> frozenset[tuple[str, bool]]:
    """Return the conditions under which a line is compiled, each with the value that it must have."""
    list_branches = conventions_of(file).list_branches
    if list_branches is None:
        return frozenset()
    return read_tests(_list_branches(list_branches, code.read_content(file)), line)


@lru_cache(maxsize=_MAX_KEPT)
def _list_branches(read: Callable[[bytes], tuple[Branch, ...]], content: bytes) -> tuple[Branch, ...]:
    """Return the lines of a file that are compiled under conditions, for the many places in it that are asked about."""
    return read(content)


def list_lines_without_match(lines: Iterable[str], others: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the lines that other lines lack; each other line matches one line with the same text."""
    left = Counter(others)
    found = []
    for number, line in enumerate(lines, 1):
        if left[line] > 0:
            left[line] -= 1
        else:
            found.append(number)
    return frozenset(found)
