"""Read how a plain C file uses a name that it binds nowhere, without parsing it.

That is possible where every occurrence of the name is a call, an operand, a member, or in a comment or string. A name
that may be anything else, or that occurs in a directive or a skipped alternative, needs the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from avionics.model.enums import ReferenceKind, SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.engine.free_names import FreeName
from avionics.syntax.engine.uses import CALL, READ
from avionics.syntax.languages.c.dialect import written_in
from avionics.syntax.languages.c.preprocessor import broken_conditions
from avionics.syntax.languages.c.textual.token_context import after_call, skip_blank

_MAYBE_CPP = tuple(
    re.compile(pattern)
    for pattern in (
        rb"namespace(?:\s+[\w:]+)?\s*\{", rb"template[ \t]*<", rb"using\s+(?:namespace\s+)?[\w:]+\s*[;=]",
        rb"class\s+\w+\s*[\w:{]", rb"public[ \t]*:", rb"private[ \t]*:", rb"protected[ \t]*:",
        rb"#[ \t]*include[ \t]*<[a-z]+>",
    )
)  # fmt: skip
"""A file that matches none of these is not C++; each begins with a literal, which makes the search cheap."""
_TAGS = frozenset({SymbolKind.CLASS, SymbolKind.ENUM})
_BRANCH = re.compile(rb"#[ \t]*(if|el|endif)")
_QUOTED = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_LAST_WORD = re.compile(rb"\w+\Z")
_BEFORE_OPERANDS = frozenset({b"return", b"else", b"do", b"case", b"sizeof"})
_STATEMENT = (b";", b"{", b"}", b")", b":")
_OPERATORS = tuple(bytes((each,)) for each in b"=!+-/%|?<>^[~")
_AFTER_CALL = tuple(bytes((each,)) for each in b";)],?:=!<>+-*/%|&^.}[")
_MAX_CALL_LENGTH = 2_000


def scan_free_names(content: bytes, places: Iterable[tuple[int, int]]) -> FreeName | None:
    """Return how a file uses the name at these places, all of its occurrences; None if only parsing can tell."""
    if any(each.search(content) for each in _MAYBE_CPP) and written_in(content) != "c":
        return None
    uses = []
    for start, end in places:
        line = content.rfind(b"\n", 0, start) + 1
        prefix = content[line:start]
        if _is_comment(content, start):
            continue
        if not _is_plain_line(content, line, prefix) or _is_left_out(content, start):
            return None
        if _is_quoted(prefix) or _is_member(content, start):
            continue
        role = _role(content, start, end, line)
        if role is None:
            return None
        column = len(prefix.decode("utf-8", "surrogateescape"))
        uses.append((content.count(b"\n", 0, start) + 1, column, role))
    return FreeName(tuple(uses))


def is_outermost(symbol: Symbol) -> bool:
    """Return whether a symbol appears to bind its name at the top level.

    Enumerators do, wherever their enum is. Tags are bound under names of their own (`avionics.model.naming.tagged`).
    """
    if symbol.kind in _TAGS:
        return symbol.signature.startswith("typedef")
    return symbol.parent < 0 or symbol.signature.startswith(symbol.name)


def may_be_code(content: bytes, at: int) -> bool:
    """Return whether a place is neither in a comment nor in a string, as far as the text alone shows."""
    rest = _QUOTED.sub(b"", content[content.rfind(b"\n", 0, at) + 1 : at])
    return not (b'"' in rest or b"//" in rest or _is_comment(content, at))


def _is_comment(content: bytes, at: int) -> bool:
    """Return whether a place is certainly in a block comment."""
    opened, closed = content.rfind(b"/*", 0, at), content.rfind(b"*/", 0, at)
    if opened < 0 or closed > opened + 1:
        return False
    prefix = content[content.rfind(b"\n", 0, opened) + 1 : opened]
    return not (b'"' in prefix or b"'" in prefix or b"//" in prefix)


def _is_left_out(content: bytes, at: int) -> bool:
    """Return whether a place is in an alternative that is not read as code."""
    branches: list[bool] = []
    for found in _BRANCH.finditer(content, 0, at):
        if found[1] == b"if":
            branches.append(False)
        elif branches:
            branches[-1:] = [True] if found[1] == b"el" else []
    return any(branches) and any(first <= at < last for first, last in broken_conditions(content).alternatives)


def _is_plain_line(content: bytes, line: int, prefix: bytes) -> bool:
    """Return whether only code and strings, and no directive, stand before a place on its line."""
    opened, closed = prefix.rfind(b"/*"), prefix.rfind(b"*/")
    before = content.rfind(b"/*", 0, line), content.rfind(b"*/", 0, line)
    if opened > closed or (closed < 0 and before[0] >= 0 and before[1] <= before[0] + 1):
        return False
    return not (
        prefix.lstrip().startswith(b"#")
        or b"//" in prefix
        or content[max(0, line - 2) : line].rstrip(b"\r\n").endswith(b"\\")
    )


def _is_quoted(prefix: bytes) -> bool:
    rest = _QUOTED.sub(b"", prefix)
    return b'"' in rest or b"'" in rest


def _is_member(content: bytes, start: int) -> bool:
    """Return whether a name is a member of something."""
    before = _before(content, start)
    return before.endswith((b"->", b".")) and not before.endswith(b"..")


def _before(content: bytes, start: int) -> bytes:
    """Return the text before a place, without blanks."""
    return content[max(0, start - 100) : start].rstrip()


def _role(content: bytes, start: int, end: int, line: int) -> ReferenceKind | None:
    """Return the role of a name; None if it is uncertain."""
    before = _before(content, start)
    at = skip_blank(content, end)
    is_call = content[at : at + 1] == b"("
    word = _LAST_WORD.search(before)
    if word is not None:
        is_operand = word[0] in _BEFORE_OPERANDS and before[: word.start()].rstrip()[-1:] != b"#"
        return CALL if is_operand and is_call and _is_used(content, at) else None
    if is_call:
        is_known = before.endswith((*_OPERATORS, b"(", b",", b"&&", *_STATEMENT)) and content[line : line + 1] in b" \t"
        return CALL if is_known and _is_used(content, at) else None
    if before.endswith(b"=") and content[at : at + 1] in {b",", b";", b"}"}:
        return READ
    return None


def _is_used(content: bytes, opened: int) -> bool:
    """Return whether the text behind the call with a parenthesis at a place uses its value or ends the statement."""
    return after_call(content, opened, _MAX_CALL_LENGTH) in _AFTER_CALL
