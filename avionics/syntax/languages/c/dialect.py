"""Tell C from C++, whose headers share a suffix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from avionics.syntax.languages.c.preprocessor import is_code

_CPP = re.compile(
    rb"\n[ \t]*(?:(?:inline\s+)?namespace(?:\s+[\w:]+)?\s*\{|namespace\s+\w+\s*=|template[ \t]*<|"
    rb"using\s+(?:namespace\s+)?[\w:]+\s*[;=]|"
    rb"class(?:\s+\w+){1,2}(?:\s+final)?\s*(?::[^;{}()]{0,400})?\{|(?:public|private|protected)[ \t]*:|"
    rb"struct(?:\s+\w+){1,2}\s*:(?!:)[^;{}()]{0,400}\{|"
    rb"#[ \t]*include[ \t]*<(?:string|vector|memory|map|utility|functional|algorithm|atomic|mutex|cstd\w+)>)"
)
"""As below, a line begins behind the end of another one: such patterns are found several times faster."""
# struct store {⏎  int count() const;
_METHOD = re.compile(
    rb"struct(?<!\wstruct)\s[^;{}()]{0,200}\{[^{}]{0,1000}?\n[ \t]{1,80}"
    rb"(?:(?:static|inline|virtual|constexpr|explicit)[ \t]{1,80}){0,3}"
    rb"[A-Za-z_][\w:]{0,80}(?:<[\w:, *&]{0,80}>)?(?:[ \t]{0,80}[*&]{1,2}[ \t]{0,80}|[ \t]{1,80})"
    rb"(?!_)(?![A-Z_0-9]{1,80}\()[A-Za-z]\w{0,80}\([^()*]{0,200}\)[ \t]{0,80}(?:const[ \t]{0,80})?[;{]"
)
"""A structure with a function after one word for its type; attributes and macros of C follow a name."""
# struct store {⏎  explicit store(int n) : n_(n) {}
_CONSTRUCTOR = re.compile(
    rb"struct(?<!\wstruct)[ \t]{1,80}(?:[A-Z_0-9]{1,80}[ \t]{1,80})?([A-Za-z_]\w{0,200})(?:[ \t]{1,80}final)?\s{0,80}"
    rb"(?::[^;{}()]{0,400})?\{[^{}]{0,1000}?\n[ \t]{1,80}(?:(?:inline|constexpr|explicit)[ \t]{1,80}){0,3}"
    rb"~?\1[ \t]{0,80}\("
)
# size_t Tell() const {   int count() const noexcept;
_CONSTANT_METHOD = re.compile(
    rb"\n[ \t]*[A-Za-z_][^\n#\"'()/;\\]{1,200}\([^\n#\"'()/\\]{0,200}\)[ \t]{0,80}const"
    rb"(?:[ \t]{1,80}(?:noexcept|override|final)){0,2}[ \t]{0,80}(?:;|\{|=[ \t]{0,80}0)"
)
# void draw(struct dd* dd, const struct mesh& mesh);   int pick(T& from, int at = 0)   int pick(const T&, T&);
_REFERENCE = re.compile(
    rb"\n(?!\w{1,200}[ \t]{0,80}\(|(?:else|return|case)\b)[A-Za-z_][\w \t*]{1,200}\([^()#\"'/;]{0,400}?"
    rb"(?:\bconst[ \t]{1,80}(?:struct[ \t]{1,80})?\w{1,80}[ \t]{0,80}&|\w&)[ \t]{0,80}(?:\w{1,80}[ \t]{0,80})?[,)=]"
)
"""A function that takes a reference: in C, the parentheses after a type and a name contain no `&`."""

# enum class mode {   #include <optional>
_CPP_ALONE = re.compile(rb"\n[ \t]*(?:enum\s+(?:class|struct)\s+\w|#[ \t]*include[ \t]*<[a-z_]{1,80}>)")
# static size_t count(std::size_t n);
_QUALIFIED = re.compile(rb"(?![ \t]*[*/#])[^\n\"'/\[]{0,400}?\w::~?[A-Za-z_]")
_MAX_QUALIFIED = 100
"""The lines with `::` that are looked at: those in comments prove nothing."""

_SHAPES = (_CPP, _METHOD, _CONSTRUCTOR, _CONSTANT_METHOD, _REFERENCE)
# #ifdef __cplusplus⏎extern "C" {⏎namespace store {⏎#endif
_FOR_CPP = re.compile(
    rb"^[ \t]*+#[ \t]*+if(?:def[ \t]++|[ \t]++defined[ \t]*+\(?[ \t]*+)__cplusplus\b[^\n]*\n"
    rb"((?>(?:\s{0,80}+(?:extern[ \t]+\"C\"|namespace[ \t]+\w+|using[ \t]+namespace[ \t]+\w+;|[{}]|//[^\n]*+|"
    rb"/\*[^\n*]*+\*/)){1,20}))(?=\s{0,80}#[ \t]*endif)",
    re.M,
)
"""The part of a C header that only C++ reads: the namespace and the linkage around its declarations."""


def find_cpp_only(content: bytes) -> tuple[tuple[int, int], ...]:
    """Return the spans that open and close a namespace for C++ alone, () if there are none."""
    found = tuple(each.span(1) for each in _FOR_CPP.finditer(content)) if b"__cplusplus" in content else ()
    return found if any(b"namespace" in content[start:end] for start, end in found) else ()


def written_in(content: bytes) -> str:
    """Return the language of a header: "c" or "cpp"."""
    for start, end in reversed(find_cpp_only(content)):
        content = content[:start] + content[end:]
    content = b"\n" + content
    if any(shape.search(content) for shape in _SHAPES):
        return "cpp"
    # A header of C may have a part for C++.
    return "c" if b"__cplusplus" in content or not _is_cpp_alone(content) else "cpp"


def _is_cpp_alone(content: bytes) -> bool:
    """Return whether a header without `__cplusplus` has syntax that C does not have."""
    if _CPP_ALONE.search(content):
        return True
    return any(is_code(content, at) for at in islice(_iter_qualified(content), _MAX_QUALIFIED))


def _iter_qualified(content: bytes) -> Iterator[int]:
    """Yield where the first name after a `::` begins on each line that has one."""
    at = content.find(b"::")
    while at >= 0:
        found = _QUALIFIED.match(content, content.rfind(b"\n", 0, at) + 1)
        if found is not None:
            yield found.end() - 1
        end = content.find(b"\n", at)
        at = content.find(b"::", end) if end >= 0 else -1
