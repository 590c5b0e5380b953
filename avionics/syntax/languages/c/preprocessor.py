"""Preprocessor conditions: their lines, and the conditions in the middle of a statement, which no grammar allows.

The directives of the latter are blanked before parsing. Guarded parts of a list and a lone branch are kept; of
alternatives only the first one is. Where alternatives open or close blocks without closing or opening them, the one
that does so most is kept: `#ifdef A⏎ if (a) {⏎#else⏎ if (b) {⏎#endif`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from msgspec import Struct

from avionics.model.mappings import group_pairs
from avionics.syntax.conventions import Branch

_DIRECTIVE = re.compile(rb"\n[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|else|endif)\b(?:[^\n\\]|\\(?:\r?\n|.))*")
_OPEN = frozenset(bytes((byte,)) for byte in b",(=+-|&?<*/%^!~[")
_WORDS_BEFORE_MORE = frozenset({b"class", b"struct", b"union", b"enum", b"return"})
_TEMPLATE_HEAD = re.compile(rb"template\s*<.*>$")
_CLASS_HEAD = re.compile(rb"(?:template\s*<|class\s|struct\s)[^;{}()?]*\Z")
_OPENED_LIST = re.compile(rb"[=(,]\s*\{$")
_MAX_LOOK_BACK_LENGTH = 2_000
_MAX_LINE_LENGTH = 800
_MAX_COMMENT_LENGTH = 10_000
_MAX_GAP_LENGTH = 200
_MAX_CONDITIONALS = 5_000
"""Further conditions in the middle of statements are not read."""

_NO_CODE = re.compile(
    rb"""(?m)^[ \t]*#(?:[^\n\\]|\\(?:\r?\n|.))*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*(?s:.*?)\*/"""
)
_GOES_ON = re.compile(rb"\s*(?:(else\s+if\b)|else\b|&&|\|\||<<|[?,)=|]|:(?!:))")
_HEADER = re.compile(rb"(?:^|:)[ \t]*+(?:else\s++)?(?:if|while|for|switch)\s*+\(", re.MULTILINE)
_STOPS_SHORT = re.compile(rb"(?:\b(?:else|do|static|inline|constexpr|virtual|explicit)|\]\]|[=(|&+?])\s*\Z")
_ENDS_IN_PARAMETERS = re.compile(rb"\)\s*+(?:\w++\s*+){0,3}\Z")
_BASES = re.compile(rb"\s*((?:#[^\n]{0,400}\n\s{0,80}){1,20}):(?!:)")
"""Macros that are defined between the name of a class and its bases."""
# #ifdef __GNUC__⏎__attribute__((noreturn))⏎#endif⏎void stop(void);
_ATTRIBUTES = re.compile(
    rb"(?>(?:\s*+(?:__attribute__\s*+\(\((?>(?:[^;{}()]++|\((?>(?:[^;{}()]++|\([^;{}()]*+\))*)\))*)\)\)"
    rb"|\[\[[^;{}\[\]]*+\]\]))*)\s*+"
)
_BRACES = re.compile(rb"[{}]")
_NEVER = re.compile(rb"#[ \t]*if[ \t]+0\b")
_MAX_BRANCH_LENGTH = 6_000
"""Longer alternatives are read as they are."""

_DEFINED = re.compile(r"(!?) ?\(?(?:defined ?\(? ?(\w+) ?\)?)\)?")
_WORDS = re.compile(r"\w+|[^\w\s]")
_TEST = re.compile(r"[ \t]*#[ \t]*[a-z]+")
_DEFINE = re.compile(rb"\s*#[ \t]*define[ \t]+(\w+)")
_MAX_MACROS = 5_000
# #define list_constexpr constexpr   #define list_nodiscard [[nodiscard]]   #define list_ref_qual &
_OBJECT_MACRO = re.compile(rb"\n[ \t]{0,80}#[ \t]{0,80}define[ \t]{1,80}([A-Za-z_]\w{0,200})([^\n]{0,400})")
_ONLY_SPECIFIERS = re.compile(
    rb"(?:[ \t]{0,80}(?:(?:constexpr|consteval|constinit|inline|noexcept|override|final|explicit|__inline(?:__)?|"
    rb"__forceinline)\b|&{1,2}|\[\[[^\[\]\n]{0,80}\]\]|"
    rb"__attribute__[ \t]{0,4}\(\([^()\n]{0,80}(?:\([^()\n]{0,80}\))?\)\)|"
    rb"__declspec\([^()\n]{0,80}\))){0,4}[ \t]{0,80}\r?(?://[^\n]{0,400}|/\*[^\n]{0,400})?\Z"
)

Span = tuple[int, int]


class Broken(Struct, frozen=True):
    """Spans of bytes: directives in the middle of statements, and the alternatives that are left out."""

    directives: tuple[Span, ...] = ()
    alternatives: tuple[Span, ...] = ()


def broken_conditions(content: bytes) -> Broken:
    """Return the conditions in the middle of a statement or a list."""
    directives: list[Span] = []
    alternatives: list[Span] = []
    standing = bytearray(content)
    last = -1
    for group in _iter_groups(content):
        branches = [(here[1], after[0]) for here, after in pairwise(group)]
        is_next = last >= 0 and not content[last : min(group[0][0], last + _MAX_GAP_LENGTH)].strip()
        if not is_next and not _is_open(content, group[0][0]):
            kept = _kept(standing, group, branches)
            if kept:
                directives.extend(group)
                before_bases = [_BASES.match(content, *branch) for branch in kept]
                directives.extend(found.span(1) for found in before_bases if found is not None)
                dropped = [branch for branch in branches if branch not in kept]
                alternatives.extend(dropped)
                for start, end in dropped:
                    standing[start:end] = b" " * (end - start)
            continue
        directives.extend(group)
        last = group[-1][1]
        if not all(last_code(content[start:end], end - start).endswith(b",") for start, end in branches):
            alternatives.extend(branches[1:])
    return Broken(tuple(directives), tuple(alternatives)) if len(directives) <= _MAX_CONDITIONALS else Broken()


def list_branches(content: bytes) -> tuple[Branch, ...]:
    """Return the branches of every condition except the guard around a whole header."""
    found = []
    for group in _iter_groups(content):
        texts = [content[start:end].decode("utf-8", "replace") for start, end in group[:-1]]
        first = _read_test(texts[0])
        if _is_guard(content, group, first[0]):
            continue
        before: list[tuple[str, bool]] = []
        for text, (here, after) in zip(texts, pairwise(group), strict=True):
            test, is_true = _read_test(text)
            tests = frozenset([*before, (test, is_true)] if test else before)
            start, end = content.count(b"\n", 0, here[1]) + 2, content.count(b"\n", 0, after[0])
            found.append(Branch(start, end, tests))
            before.append((test, not is_true))
    return tuple(found)


def _read_test(directive: str) -> tuple[str, bool]:
    """Return the condition of a directive, and the value for which its branch is compiled; "" for `#else`."""
    head = _TEST.match(directive)
    assert head is not None
    text = directive[head.end() :].partition("//")[0].partition("/*")[0].strip()
    word = head[0].lstrip(" \t#")
    if word in {"ifdef", "ifndef", "elifdef"}:
        return f"defined {text}", word != "ifndef"
    plain = _DEFINED.fullmatch(" ".join(text.split()))
    if plain is not None:
        return f"defined {plain[2]}", not plain[1]
    return " ".join(_WORDS.findall(text)), True


def _is_guard(content: bytes, group: list[Span], test: str) -> bool:
    """Return whether a condition is the guard of a header: its first line defines its macro, and nothing follows it."""
    name = test.removeprefix("defined ").encode("utf-8", "replace")
    defined = _DEFINE.match(content, group[0][1])
    return defined is not None and defined[1] == name and not _NO_CODE.sub(b"", content[group[-1][1] :]).strip()


def _iter_groups(content: bytes) -> Iterator[list[Span]]:
    """Yield the directives of each condition, from its `#if` to its `#endif`."""
    if content.find(b"#") < 0:
        return
    pending: list[list[Span]] = []
    # A pattern that begins with a line's end is found several times faster than one with a line's start.
    for found in _DIRECTIVE.finditer(b"\n" + content):
        if found[1].startswith(b"if"):
            pending.append([])
        if pending:
            pending[-1].append((found.start(), found.end() - 1))
            if found[1] == b"endif":
                yield pending.pop()


def _kept(content: bytearray, group: list[Span], branches: list[Span]) -> list[Span]:
    """Return which alternatives to keep if some are not whole statements; none if all of them are."""
    if any(end - start > _MAX_BRANCH_LENGTH for start, end in branches):
        return []
    texts = [_condensed(_NO_CODE.sub(b"", content[start:end])) for start, end in branches]
    moved = [_movement(text) for text in texts]
    if _NEVER.match(content, *group[0]):
        moved[0] = (0, 0)
    most = max(moved, key=lambda movement: (abs(movement[0]), -movement[1]))
    if any(most):
        return [branches[moved.index(most)]]
    if any(texts) and all(map(_ATTRIBUTES.fullmatch, texts)):
        return branches
    more, headers = [_GOES_ON.match(text) for text in texts], [_ends_in_header(text) for text in texts]
    if all(headers) or all(found is not None and found[1] for found in more):
        return branches
    is_body_behind = content[group[-1][1] : group[-1][1] + _MAX_GAP_LENGTH].lstrip()[:1] == b"{"
    is_broken = (
        any(more)
        or (is_body_behind and any(map(_ENDS_IN_PARAMETERS.search, texts)))
        or any(headers)
        or any(_STOPS_SHORT.search(text) for text in texts)
    )
    return branches[:1] if is_broken else []


def _ends_in_header(text: bytes) -> bool:
    """Return whether the last statement is the header of an unfinished one: `if (…)`."""
    last = max(text.rfind(b";"), text.rfind(b"{"), text.rfind(b"}")) + 1
    return text.rstrip().endswith(b")") and _HEADER.search(text[last:]) is not None


def _condensed(text: bytes) -> bytes:
    """Return the lines of code with runs of blanks folded into one."""
    return b"\n".join(b" ".join(words) for line in text.split(b"\n") if (words := line.split()))


def _movement(text: bytes) -> tuple[int, int]:
    """Return the block depth at the end of a text relative to its start, and the lowest depth in between."""
    depth = lowest = 0
    for brace in _BRACES.finditer(text):
        depth += 1 if brace[0] == b"{" else -1
        lowest = min(lowest, depth)
    return depth, lowest


def _is_open(content: bytes, at: int) -> bool:
    """Return whether a statement or list continues at a byte."""
    code = last_code(content, at)
    if code == b":" or (code.endswith(b":") and _CLASS_HEAD.match(code)):
        return True
    if code[-1:] in {b'"', b"'"} and not code.startswith(b"extern"):
        return True
    if code[-1:] in _OPEN or _OPENED_LIST.search(code) or _TEMPLATE_HEAD.match(code):
        return True
    return code.rpartition(b" ")[2] in _WORDS_BEFORE_MORE


def last_code(content: bytes, at: int) -> bytes:
    """Return the last line of code before a byte, without comments; "#" for a directive, "" for none."""
    in_comment = False
    for line in reversed(content[max(0, at - _MAX_LOOK_BACK_LENGTH) : at].splitlines()):
        code = b"" if in_comment else line.partition(b"//")[0].strip()
        if in_comment:
            in_comment = b"/*" not in line
        elif code.endswith(b"*/"):
            in_comment = b"/*" not in code
            code = code[: max(0, code.rfind(b"/*"))].rstrip()
        if code.startswith(b"#"):
            return b"#"
        if code and not code.startswith(b"*"):
            return code
    return b""


def is_code(content: bytes, at: int) -> bool:
    """Return whether the byte stands in code rather than in a comment or a string."""
    line = content[content.rfind(b"\n", max(0, at - _MAX_LINE_LENGTH), at) + 1 : at][-_MAX_LINE_LENGTH:]
    if b"//" in line or b'"' in line:
        return False
    opened = content.rfind(b"/*", max(0, at - _MAX_COMMENT_LENGTH), at)
    return opened < 0 or content.find(b"*/", opened, at) >= 0


def compile_specifiers(content: bytes) -> re.Pattern[bytes] | None:
    """Return a pattern for the macros that a file defines as specifiers or as nothing; None if there are none."""
    bodies = group_pairs((found[1], found[2]) for found in islice(_OBJECT_MACRO.finditer(content), _MAX_MACROS))
    names = [
        name
        for name, found in bodies.items()
        if any(map(bytes.strip, found)) and all(map(_ONLY_SPECIFIERS.match, found))
    ]
    return re.compile(rb"\b(" + b"|".join(names) + rb")\b") if names else None
