"""Read which parameter of a function a question is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from avionics.late_pattern import late_pattern

_WORD = r"(?:parameter|param|argument|arg)s?\b"
_NAMED = late_pattern(
    rf"(?<!\w)[`'\"]?(\w++)[`'\"]?(?=\s++{_WORD})|{_WORD}\s++(?:called |named )?[`'\"]?(\w++)|`(\w++)`", re.IGNORECASE
)
_ORDINAL = late_pattern(
    rf"(?<!\w)(?<!\ba )(first|second|third|fourth|fifth|last)\s++(?:positional |keyword |optional )?{_WORD}",
    re.IGNORECASE,
)
"""The number of a parameter; "a second parameter" is one to be added."""
_IS_THERE = late_pattern(r"\b(?:drop|remov|delet|renam|los|without|chang|swap|reorder|pass|omit)\w*", re.IGNORECASE)
"""Words of questions about a parameter that should exist already; others add one."""
_REPLACED = late_pattern(
    r"\b(?:instead|in (?:its|their) place|replac\w+ (?:\w+ ){0,4}(?:by|with)|rather than)\b", re.IGNORECASE
)
"""Words for a parameter that another one replaces, which concerns also the calls that do not pass it."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def get_parameter(text: str, names: Sequence[str]) -> str:
    """Return the parameter that a text names or numbers, as in "the second parameter"; "" if there is none.

    There is none, either, if another parameter takes its place, because then each call is concerned.
    """
    if _REPLACED.search(text):
        return ""
    for match in _NAMED.finditer(text):
        word = next(filter(None, match.groups()))
        at = _ORDINALS.index(word.lower()) if word.lower() in _ORDINALS else len(names)
        if word in names or at < len(names):
            return word if word in names else names[at]
        if word.lower() == "last" and names:
            return names[-1]
    return ""


def get_absent_parameter(text: str, names: Sequence[str]) -> str:
    """Return the position of a parameter that a text mentions but that does not exist; "" if there is none."""
    counted = _ORDINAL.search(text)
    if counted is None or not _IS_THERE.search(text):
        return ""
    word = counted[1].lower()
    at = _ORDINALS.index(word) if word in _ORDINALS else 0
    return word if at >= len(names) else ""
