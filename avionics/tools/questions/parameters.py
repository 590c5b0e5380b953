"""Read which parameter of a function a question is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = r"(?:parameter|param|argument|arg)s?\b"
_NAMED = re.compile(
    rf"(?<!\w)[`'\"]?(\w++)[`'\"]?\s++{_WORD}|{_WORD}\s++(?:called |named )?[`'\"]?(\w++)|`(\w++)`", re.IGNORECASE
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def get_parameter(text: str, names: Sequence[str]) -> str:
    """Return the one of some parameters that a text names or counts, as in "the second parameter"; "" for none."""
    for match in _NAMED.finditer(text):
        word = next(filter(None, match.groups()))
        at = _ORDINALS.index(word.lower()) if word.lower() in _ORDINALS else len(names)
        if word in names or at < len(names):
            return word if word in names else names[at]
        if word.lower() == "last" and names:
            return names[-1]
    return ""
