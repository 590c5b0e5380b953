"""Read how imports are written: the words of a module's name, and names that one statement lists."""

from __future__ import annotations

import functools

from avionics.late_pattern import late_pattern
from avionics.model.facts import Import

_WORD = late_pattern(r"\w+")

_COMMENT = late_pattern(r"(?:#|//).*+")
_LISTED = late_pattern(r"[\w\s,{]*+")
"""The text between two names of one list, without comments."""

_STATEMENT = late_pattern(r"\b(?:import|from|use)\b")


@functools.lru_cache(maxsize=4_096)
def words_of(module: str) -> frozenset[str]:
    """Return the name of a module and its words; many files import the same modules."""
    return frozenset((module, *_WORD.findall(module)))


def are_listed_together(text: str, first: Import, second: Import) -> bool:
    """Return whether two imports are names in the list of one statement."""
    if (first.module, first.level) != (second.module, second.level) or first.line > second.line:
        return False
    lines = text.split("\n")[first.line - 1 : second.line]
    lines[-1] = lines[-1][: second.column]
    between = _COMMENT.sub("", "\n".join((lines[0][first.column :], *lines[1:])))
    return _LISTED.fullmatch(between) is not None and _STATEMENT.search(between) is None
