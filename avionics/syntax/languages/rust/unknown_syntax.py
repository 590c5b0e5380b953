"""Rewrite the syntax that the grammar does not know any more.

Before the edition of 2018 `try` was the name of a macro, and `try!(load(path))` was written where `load(path)?` is now.
The grammar (tree-sitter-rust 0.24) knows only the keyword. The macro is read as the operator, in its place.
"""

from __future__ import annotations

from avionics.late_pattern import late_pattern

_MARK, _OWN = b"try!(", late_pattern(rb"\bmacro_rules!\s{1,20}try\b")
_TOKEN = late_pattern(
    rb"\"(?>(?:[^\"\\]++|\\(?s:.))*)(?:\"|\Z)|\br(#{0,8})\"(?s:.*?)(?:\"\1|\Z)|'(?:[^'\\\n]|\\[^\n]{1,9}?)'|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
    rb"|(?<![\w#])(?P<macro>try!\()|(?P<open>\()|(?P<close>\))"
)
_PLAIN = late_pattern(rb"\s{0,200}(?!(?:match|if|unsafe|loop|while|for|move|return|async)\b)[\w<]")
"""How a value begins that the operator may follow as it stands."""


def open_try_macros(content: bytes) -> bytes:
    """Return the bytes with `…?` in place of each `try!(…)`, or with nothing but its parentheses."""
    if _MARK not in content or _OWN.search(content) is not None:
        return content
    code = bytearray(content)
    opened: list[int] = []
    for found in _TOKEN.finditer(content):
        if found["macro"] is not None:
            code[found.start() : found.end() - 1] = b"    "
            opened.append(found.end() - 1 if _PLAIN.match(content, found.end()) is not None else -1)
        elif found["open"] is not None:
            opened.append(-1)
        elif found["close"] is not None and opened and (start := opened.pop()) >= 0:
            code[start], code[found.start()] = b" ?"
    return bytes(code)
