"""Tell C from C++, whose headers share a suffix."""

from __future__ import annotations

import re

_CPP = re.compile(
    rb"^[ \t]*(?:(?:inline\s+)?namespace(?:\s+[\w:]+)?\s*\{|template[ \t]*<|using\s+(?:namespace\s+)?[\w:]+\s*[;=]|"
    rb"class(?:\s+\w+){1,2}(?:\s+final)?\s*(?::[^;{}()]{0,400})?\{|(?:public|private|protected)[ \t]*:|"
    rb"#[ \t]*include[ \t]*<(?:string|vector|memory|map|utility|functional|algorithm|atomic|mutex|cstd\w+)>)",
    re.M,
)


def written_in(content: bytes) -> str:
    """Return the language of a header: "c" or "cpp"."""
    return "cpp" if _CPP.search(content) is not None else "c"
