"""Rewrite the syntax that the grammar does not know yet.

Since Go 1.26 `new` takes a value too: `new(30 * time.Second)`. The grammar (tree-sitter-go 0.25) expects a type there
and reads the rest of the function as nothing but errors. Without the word `new` it is a value in parentheses, which has
the same type for us: pointers are transparent. A name alone, `new(limit)`, is read as a type, and finds what it names.
"""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern

_MARK = b"new("
_VALUE = (
    rb"[\"'`\d!&^+-]"  # "text"   -1   &item
    rb"|\.\d"
    rb"|(?:true|false)\b"
    rb"|(?!func\b)\w[\w.]{0,200}(?:\[[\w.,* \[\]]{0,200}\])?\("  # size()   int64(0)   first[string](names)
    rb"|(?:\[\d{0,20}\]|map\[[\w.*]{1,200}\]){0,8}\*?(?!struct\b|interface\b)\w[\w.]{0,200}\{"  # Point{}   []int{1}
    rb"|\w[\w.]{0,200}\[[\"'`\d]"  # names[0]
    rb"|\w{1,200}\.\w{1,200}\.\w"  # part.options.name; a type has one dot
    rb"|\w[\w.]{0,200}[ \t]{0,20}[-+*/%&|^<>=!]"  # count + 1
)
_GIVEN = late_pattern(rb"(?<![\w.])new\(\s{0,200}(?:%b)" % _VALUE)
_TEXT_OR_GIVEN = late_pattern(
    rb"\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`|'(?:[^'\\\n]|\\.){1,10}'|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
    rb"|(?<![\w.])(?P<word>new)(?=\(\s{0,200}(?:%b))" % _VALUE
)


def open_new_of_values(content: bytes) -> bytes:
    """Return the bytes with blanks in place of each `new` that is given a value."""
    if _MARK not in content or _GIVEN.search(content) is None or b"func new(" in content:
        return content
    return _TEXT_OR_GIVEN.sub(_without_word, content)


def _without_word(found: re.Match[bytes]) -> bytes:
    return found[0] if found["word"] is None else b" " * len(found["word"])
