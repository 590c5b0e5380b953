"""Tell C from C++, whose headers share a suffix."""

from __future__ import annotations

import re

_CPP = re.compile(
    rb"^[ \t]*(?:(?:inline\s+)?namespace(?:\s+[\w:]+)?\s*\{|template[ \t]*<|using\s+(?:namespace\s+)?[\w:]+\s*[;=]|"
    rb"class(?:\s+\w+){1,2}(?:\s+final)?\s*(?::[^;{}()]{0,400})?\{|(?:public|private|protected)[ \t]*:|"
    rb"#[ \t]*include[ \t]*<(?:string|vector|memory|map|utility|functional|algorithm|atomic|mutex|cstd\w+)>)",
    re.M,
)
# struct store {⏎  int count() const;
_METHOD = re.compile(
    rb"\bstruct\s[^;{}()]{0,200}\{[^{}]{0,1000}?\n[ \t]{1,80}"
    rb"(?:(?:static|inline|virtual|constexpr|explicit)[ \t]{1,80}){0,3}"
    rb"[A-Za-z_][\w:]{0,80}(?:<[\w:, *&]{0,80}>)?(?:[ \t]{0,80}[*&]{1,2}[ \t]{0,80}|[ \t]{1,80})"
    rb"(?!_)(?![A-Z_0-9]{1,80}\()[A-Za-z]\w{0,80}\([^()*]{0,200}\)[ \t]{0,80}(?:const[ \t]{0,80})?[;{]"
)
"""A structure with a function, behind one word for its type: attributes and macros of C stand behind a name."""


def written_in(content: bytes) -> str:
    """Return the language of a header: "c" or "cpp"."""
    return "cpp" if _CPP.search(content) or _METHOD.search(content) else "c"
