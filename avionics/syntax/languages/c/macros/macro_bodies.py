"""Macros in places where the grammar does not allow them, and the names in macro bodies.

Attribute-like macros (`class API Store {`, `EXPORTED void f();`, `int __init f(void)`) are blanked before parsing, so
that the definitions around them are read; the names in blanked text still count as uses. The patterns match shapes
that have no other meaning in C and C++.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from msgspec import Struct

from avionics.late_pattern import late_pattern
from avionics.model.enums import ExpressionKind
from avionics.model.facts import Expression, Reference
from avionics.model.naming import tagged
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.uses import ANNOTATE, READ, UsesBuilder
from avionics.syntax.languages.c.dialect import find_cpp_only
from avionics.syntax.languages.c.macros.fragments import ANY_WHITE, NAME, S
from avionics.syntax.languages.c.macros.macro_repair import Shapes, Span, find_headers, find_misplaced
from avionics.syntax.languages.c.preprocessor import broken_conditions, is_code

_SOME_TYPE = b"int "
"""Replaces a macro that begins a function: `CALL(name, int, n) {` is read as `int name(int n) {`."""
_TITLE = b"..."
"""Replaces the title of a test behind its class: `TEST(Store, "adds") {` is read as `TEST(Store, ...) {`."""
_LONG_MACRO = re.compile(rb"define[ \t][^\n]{0,1000}\\\r?\n(?:[^\n]{0,1000}\\\r?\n){0,1000}")
_INNER_COMMENT = re.compile(rb"define[ \t][^\n/\"]{0,400}(/\*[^\n*]{0,400}\*/)[ \t]{0,80}[^\s/\\]")
_COMMENT = re.compile(rb"/\*[^\n]{0,400}?\*/")
_MAX_BEFORE = 20
"""The number of characters before a name that are examined."""
_AFTER_TAG_WORD = re.compile(r"\b(?:struct|union|enum)\s+\Z")
_AFTER_OWNER = re.compile(r"(?:::|\.|->)\s?\Z")
_INSIDE = Expression(ExpressionKind.UNKNOWN, "inside a macro")
_BODY = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(\.\s*|->\s*|#\s*)?\b([A-Za-z_]\w*)""", re.S
)
_WORDS_OF_C = frozenset(
    {
        "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto",
        "sizeof", "typeof", "struct", "union", "enum", "const", "volatile", "static", "extern", "inline", "void",
        "int", "char", "long", "short", "unsigned", "signed", "float", "double", "typedef", "class", "template",
        "typename", "namespace", "using", "this", "new", "delete", "true", "false", "nullptr", "NULL", "auto",
        "bool", "ifdef", "ifndef", "elif", "endif", "defined", "alignof", "_Alignof",
    }
)  # fmt: skip


_MAX_LINE_LENGTH = 800
_MAX_PLACES = 5_000
"""Places examined for each shape; a hostile file may have one every few bytes."""
# TEST_CASE("adds numbers", "[math]") {   SECTION("of two") {
_TITLED = re.compile(
    rb"[\n{}]" + S + rb"[A-Z][A-Z0-9_]{2,200}" + S + rb"\(" + ANY_WHITE
    + rb"(\"[^\"\\\n]{0,400}\"(?:\s{0,80},?\s{0,80}\"[^\"\\\n]{0,400}\"){0,4})\s{0,80}\)\s{0,80}(?=\{)"
)  # fmt: skip
# TEST_CASE_METHOD(Store, "adds numbers", "[math]") {
_TITLED_OF_CLASS = re.compile(
    rb"[\n{}]" + S + rb"[A-Z][A-Z0-9_]{2,200}" + S + rb"\(" + ANY_WHITE + NAME + rb",\s{0,80}"
    rb"(\"[^\"\\\n]{1,400}\"(?:\s{0,80},?\s{0,80}\"[^\"\\\n]{0,400}\"){0,4})\s{0,80}\)\s{0,80}(?=\{)"
)  # fmt: skip
_TITLE_END = re.compile(rb"\"\s{0,80}\)\s{0,80}\{")
"""The end of every title."""
# printf("size: %" PRIu64 "\n", size);
_STRING_OR_CHARACTER = (
    rb"\"(?>(?:[^\"\\\n]|\\.){0,2000})\"|'(?>(?:[^'\\\n]|\\.){1,8})'|//[^\n]{0,2000}+|/\*[^*\n]{0,2000}+\*/"
)
_TEXT_MACRO = re.compile(
    rb"(?:" + _STRING_OR_CHARACTER + rb")(?:(?<=\")\s{1,80}([A-Z][A-Za-z0-9_]{2,200})(?=" + ANY_WHITE + rb"[\"),;]))?"
)
# alignas(LINE_SIZE) int count;   struct alignas(2 * LINE_SIZE) Store {
_ALIGNED = late_pattern(rb"\b(?:_A|a)lignas\s?\(((?:[^();{}]|\([^();{}]{0,100}\)){1,200})\)", needs=(b"lignas",))


class _Blanked(Struct, frozen=True):
    """Spans of bytes that are blanked before parsing.

    Attributes:
        named: The spans whose names count as uses.
        alternatives: The spans of alternatives that are left out, whose names may be uses.
    """

    named: tuple[Span, ...]
    alternatives: tuple[Span, ...]


def blank_for_c(content: bytes) -> bytes:
    """Return the bytes without the parts for C++ alone and without misplaced macros."""
    for_cpp = find_cpp_only(content)
    if for_cpp:
        blanked = bytearray(content)
        for start, end in for_cpp:
            blanked[start:end] = bytes(byte if byte == 10 else 32 for byte in content[start:end])
        content = bytes(blanked)
    return blank_macros(content)


def blank_macros(content: bytes, more: Shapes = ()) -> bytes:
    """Return the bytes with misplaced macros and broken conditions blanked, the same bytes if there are none.

    `more` are the shapes of macros of C++ alone.
    """
    found = _read_blanked(content, more)
    spans = (*found.named, *found.alternatives, *_comments_in_macros(content))
    titles: tuple[Span, ...] = ()
    if _TITLE_END.search(content):
        spans, titles = (*spans, *_find_titles(content)), _find_titles(content, of_class=True)
    if not (spans or titles):
        return content
    blanked = bytearray(content)
    for start, end in spans:
        blanked[start:end] = bytes(byte if byte == 10 else 32 for byte in content[start:end])
    for start, end in titles:
        blanked[start : start + len(_TITLE)] = _TITLE
        blanked[start + len(_TITLE) : end] = bytes(
            10 if byte == 10 else 32 for byte in content[start + len(_TITLE) : end]
        )
    for macro, comma in find_headers(content):
        blanked[macro : macro + len(_SOME_TYPE)], blanked[comma : comma + 1] = _SOME_TYPE, b"("
    return bytes(blanked)


@lru_cache(maxsize=1)
def _read_blanked(content: bytes, more: Shapes) -> _Blanked:
    """Return what is blanked in the bytes of a file; needed before parsing and once more for the names in it."""
    broken = broken_conditions(content)
    named = (*find_misplaced(content, more), *_iter_text_macros(content), *broken.directives)
    return _Blanked(named, broken.alternatives)


def _find_titles(content: bytes, *, of_class: bool = False) -> tuple[Span, ...]:
    """Return the spans of the titles of tests: strings that a macro before a block is given, maybe behind a class."""
    found = (_TITLED_OF_CLASS if of_class else _TITLED).finditer(b"\n" + content)
    return tuple((each.start(1) - 1, each.end(1) - 1) for each in islice(found, _MAX_PLACES))


def _iter_text_macros(content: bytes) -> Iterator[Span]:
    """Yield the spans of macros behind strings that they are joined to, which the grammar of C++ does not have."""
    for found in islice(_TEXT_MACRO.finditer(content), _MAX_PLACES):
        line = content.rfind(b"\n", max(0, found.start() - _MAX_LINE_LENGTH), found.start()) + 1
        if found[1] and content[line : found.start()].lstrip()[:1] != b"#":
            yield found.span(1)


def _comments_in_macros(content: bytes) -> Iterator[Span]:
    """Return the spans of comments within the bodies of macros, where the grammar would end the body."""
    for found in _INNER_COMMENT.finditer(content):
        yield found.span(1)
    for found in _LONG_MACRO.finditer(content):
        if b"/*" in found[0]:
            yield from (comment.span() for comment in _COMMENT.finditer(content, *found.span()))


def refer_blanked(uses: UsesBuilder, content: bytes, more: Shapes = ()) -> None:
    """Count the names in what was blanked, and in alignments, as uses; those in alternatives left out may be uses.

    `more` are the shapes of macros with which the bytes were blanked.
    """
    blanked = _read_blanked(content, more)
    for start, end in blanked.named:
        for position, (name, line, column, before) in enumerate(_iter_names(content, start, end)):
            is_macro = not position and content[end - 1 : end + 1] != b":*"
            scope = 0 if is_macro else _scope_at(uses, line)
            receiver = _INSIDE if _AFTER_OWNER.search(before) else None
            is_tag = uses.spec.name == "c" and _AFTER_TAG_WORD.search(before) is not None
            sought, role = (tagged(name), ANNOTATE) if is_tag else (name, READ)
            uses.references[sought].append(Reference(sought, role, line, column, scope, receiver))
    for start, end in blanked.alternatives:
        for name, line, _, _ in _iter_names(content, start, end):
            uses.strings[name].append(line)
    for found in islice(_ALIGNED.finditer(content), _MAX_PLACES):
        if is_code(content, found.start()):
            # Declarations are read without their alignments, of which few have any.
            for name, line, column, before in _iter_names(content, *found.span(1)):
                receiver = _INSIDE if _AFTER_OWNER.search(before) else None
                uses.references[name].append(Reference(name, READ, line, column, _scope_at(uses, line), receiver))


def _scope_at(uses: UsesBuilder, line: int) -> int:
    """Return the innermost scope around a line."""
    around = (index for index in range(len(uses.scopes) - 1, 0, -1) if uses.scopes[index].span.contains(line))
    return next(around, 0)


def _iter_names(content: bytes, start: int, end: int) -> Iterator[tuple[str, int, int, str]]:
    """Yield the names in a part of the bytes, each with its line, its column and the text before it."""
    row = content.count(b"\n", 0, start) + 1
    column = len(content[content.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "surrogateescape"))
    text = content[start:end].decode("utf-8", "surrogateescape")
    for found in _BODY.finditer(text):
        if found[2] and found[2] not in _WORDS_OF_C:
            at = found.start(2)
            below, before = text.count("\n", 0, at), text.rfind("\n", 0, at) + 1
            yield found[2], row + below, at - before if below else column + at, text[max(0, at - _MAX_BEFORE) : at]


def macro_body(uses: UsesBuilder, body: Node, parameters: Node | None) -> None:
    """Record the names in a macro's body as text, because their meaning is decided where the macro is used."""
    own = {uses.source.of(child) for child in parameters.named_children} if parameters is not None else set()
    line, at = uses.source.place(body)[0], 0
    text = uses.source.of(body)
    for found in _BODY.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        name = found[2]
        if name and not (found[1] or "").startswith("#") and name not in own and name not in _WORDS_OF_C:
            uses.strings[name].append(line)
