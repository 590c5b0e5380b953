"""Find macros where the grammar does not allow them: before, within and after declarations, and alone on a line.

The patterns match shapes that have no other meaning in C and C++: an identifier before a type's keyword, three names
where a declaration has two, a name between `class` and the class's name. Every repetition in a pattern is bounded, so
that each place takes constant time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.c.macros.fragments import (
    ANY_WHITE,
    CALL,
    DECLARATOR,
    NAME,
    SOME,
    SPECIFIERS,
    TYPE,
    TYPE_WORD,
    UPPER,
    WHITE,
    WITHOUT_TYPE,
    S,
)
from avionics.syntax.languages.c.preprocessor import compile_specifiers, is_code, last_code

_KEYWORDS = frozenset(
    b"alignas asm auto bool break case catch char class const constexpr consteval constinit continue co_return"
    b" co_await co_yield default delete do double else enum explicit export"
    b" extern final float for friend goto if inline int long"
    b" mutable namespace new noexcept not operator or and override private protected public register restrict return"
    b" short signed sizeof static struct switch template this thread_local throw try typedef typename typeof union"
    b" unsigned using virtual void volatile while requires concept import module __attribute__ _Atomic __extension__"
    b" __inline __inline__ __typeof__ __declspec _Noreturn _Static_assert _Alignas __asm__ _Generic".split()
)
_STATEMENTS = frozenset(b"if for while switch else return do case goto sizeof catch throw delete new using".split())
_STORAGE = frozenset(
    b"static extern inline const volatile virtual constexpr friend explicit struct class union enum".split()
)
_BEFORE_OTHERS = (
    _STATEMENTS | _STORAGE | frozenset(b"register unsigned signed typedef typename auto define typeof".split())
)
_NOT_TYPES = frozenset(b"const final override noexcept volatile and or not if else __inline __inline__".split())

Span = tuple[int, int]

SpanReader = Callable[[re.Match[bytes]], Iterable[Span | None]]
"""Returns the spans of macros in a match, None for a match of something else."""

Shapes = Sequence[tuple[re.Pattern[bytes], SpanReader]]
"""Patterns for macros that the grammar does not allow, each with what reads its matches."""

_NO_QUALIFIED = (
    rb"(?!" + WHITE + rb"(?:const|volatile)\b\s{0,20}(?:[*&]|" + NAME + rb"\s{0,20}(?:[=;,]|\[)))"
)  # fmt: skip
"""Passes over a type before a qualifier: `U32 const size = 1;`, `U16 const* next;`."""

# EXPORTED void f();   NO_SANITIZE("bounds")⏎int f()   API INLINE const std::string& f() {
_LEADING = re.compile(
    rb"\n" + S + SPECIFIERS + rb"(" + UPPER + CALL + rb"?(?:[ \t]{1,20}" + UPPER + CALL + rb"?){0,4})" + _NO_QUALIFIED
    + rb"(?=" + WHITE + rb"(?:" + TYPE_WORD + rb"|" + TYPE + DECLARATOR + rb"|" + WITHOUT_TYPE + rb"))"
)  # fmt: skip
# API type *(f) (int n);   where the parentheses prevent the expansion of a macro of that name
_GUARDED = re.compile(
    rb"\n" + S + SPECIFIERS + rb"(" + UPPER + CALL + rb"?)" + SOME + TYPE
    + rb"[ \t*]{0,80}(\()" + S + NAME + S + rb"(\))" + S + rb"\("
)  # fmt: skip
# BEGIN_DECLS⏎   Q_OBJECT⏎
_ALONE = re.compile(
    rb"\n" + S + rb"(" + UPPER + CALL + rb"?)(?="
    + S + rb"\r?(?:\n|//[^\n]{0,300}\n|/\*[^\n*]{0,300}\*/[ \t\r]*\n|\Z))"
)  # fmt: skip
# class store FINAL : public base {
_BEHIND_NAME = rb"[A-Z0-9_]{0,80}+[a-z]\w{0,120}+\s{1,20}+"
_BEHIND = rb"[A-Z][A-Z0-9_]{2,80}+(?=" + ANY_WHITE + rb"(?::(?!:)|\{))"
_AFTER_CLASS = re.compile(rb"(?:class|struct)" + SOME + _BEHIND_NAME + rb"(" + _BEHIND + rb")")
# class EXPORTED Store {   struct PACKED header : base   class EXPORTED Store;
_IN_TYPE = re.compile(
    rb"(?:class|struct|union)" + SOME + rb"(?!" + _BEHIND_NAME + _BEHIND
    + rb")((?!(?:final|alignas|__attribute__|__declspec)\b)" + NAME + CALL
    + rb"?)(?=" + WHITE + rb"(?!final\b)" + NAME + rb"(?:::\w{1,200}){0,8}(?:<[^;{}()]{0,200}>)?(?:\s{1,80}final)?"
    + ANY_WHITE + rb"(?::(?!:)|\{))"
)  # fmt: skip
# class EXPORTED Store⏎#if …⏎ : Base {
_IN_SPLIT_TYPE = re.compile(
    rb"(?:class|struct)" + SOME + rb"(" + UPPER + CALL + rb"?)(?=" + SOME + NAME + S + rb"\r?\n" + S
    + rb"#[ \t]{0,20}if)"
)  # fmt: skip
# int INTERNAL count = 1;
_BETWEEN = re.compile(rb"[ \t](" + UPPER + rb")(?=" + SOME + NAME + rb"[ \t]{0,20}[;=\[])")
_PLAIN_TYPE_BEFORE = re.compile(
    rb"\b(?:void|int|char|long|short|unsigned|signed|float|double|bool|[a-z]\w{0,200}_t)" + SOME + rb"\Z"
)
# static int always_inline f(void) {
_BEFORE_FUNCTION = re.compile(
    rb"(?:\b(?:void|int|char|long|short|unsigned|signed|float|double|bool)|_t)" + SOME + rb"(" + NAME + rb")(?="
    + SOME + rb"(" + NAME + rb")[ \t]?\([^;{}]{0,400}\)\s{0,80}\{)"
)  # fmt: skip
# static int matching(put_f)⏎put_store(struct store *s) {
_BEFORE_LINE = re.compile(
    rb"\n((?>(?:[A-Za-z_]\w{0,80}+[ \t*]{1,20}+){1,6}))([a-z_]\w{1,80}+\([\w, \t*]{0,200}+\))[ \t]{0,20}\r?\n"
    rb"(?=([a-z_]\w{0,200}+)[ \t]?\([^;{}]{0,600}\)\s{0,80}[;{])"
)
# enum mode UNDERLYING(unsigned char) {
_IN_ENUM = late_pattern(
    rb"enum(?:" + SOME + rb"(?:class|struct))?" + SOME + rb"(?!(?:class|struct)\b)" + NAME + SOME
    + rb"(" + UPPER + CALL + rb"?)(?=" + ANY_WHITE + rb"\{)",
    needs=(b"enum",),
)  # fmt: skip
# struct store { Object_HEAD int size; };   struct store {⏎Object_HEAD⏎};
_FIRST_IN_TYPE = re.compile(
    rb"(?:struct(?<!\wstruct)(?<!enum struct)|union(?<!\wunion)(?<!enum union)|class(?<!\wclass)(?<!enum class))"
    rb"(?:\s{1,20}" + NAME + rb")?\s{0,20}(?::[^;{}()=]{1,200})?\{\s{0,80}(" + NAME
    + rb")(?=" + S + rb"\r?\n" + ANY_WHITE + rb"(?:\}|(?!(?:const|volatile)\b)" + NAME + rb"[ \t*&]{1,20}" + NAME
    + rb")|" + SOME + rb"(?!(?:const|volatile)\b|" + UPPER + rb")" + NAME + rb"[ \t*&]{1,20}" + NAME + S
    + rb"[;,=\[])"
)  # fmt: skip
# } __packed;   } __packed name;
_AFTER_TYPE = re.compile(
    rb"\n" + S + rb"\}" + S + rb"((?:__(?!attribute)[a-z_]{1,80}" + CALL + rb"?[ \t]{0,20}){1,4})"
    rb"(?=(?:" + NAME + rb"[ \t]{0,20})?[;=])"
)  # fmt: skip
# int f(const char *, ...) PRINTF_LIKE(1, 2);   void lock() const ACQUIRES(m) {
_TRAILING = re.compile(
    rb"\)" + ANY_WHITE + rb"(?:const\s{0,80})?(?:override\s{0,80})?((?:(?:[A-Z_][A-Z0-9_]{2,200}"
    rb"|__(?!attribute|asm)[a-z_]{1,80})" + CALL + rb"|[A-Z][A-Z0-9]{0,80}_[A-Z0-9_]{1,80})"
    rb"(?:\s{1,80}[A-Z][A-Z0-9]{0,80}_[A-Z0-9_]{1,80})?)(?=" + ANY_WHITE + rb"(?:[;{#]|:(?!:)))"
)  # fmt: skip
# std::set<int> taken_ GUARDED_BY(mutex_);   using old DEPRECATED() = new;   const std::string& name LIFETIME_BOUND)
_AFTER_NAME = re.compile(
    rb"[ \t](_{0,2}[A-Z][A-Z0-9_]{2,200}\b(" + CALL + rb")?)(?=" + ANY_WHITE + rb"([;={,)]))"
)  # fmt: skip
# int __init f(void)   const char __user *p   int __maybe_unused n   static int n __read_mostly = 1;
_RESERVED = late_pattern(
    rb"(__(?!(?:attribute|asm|extension|inline|volatile|const|restrict|typeof|builtin|declspec)\w{0,80}\b)[a-z_]{1,80}"
    rb"(?:(?=[ \t]{1,80}[A-Za-z_*])|(?:\([\w*]{1,80}\))?(?=" + ANY_WHITE + rb"[=;,)])))",
    needs=(b"__",),
)  # fmt: skip
# enum __attribute__((packed)) kind {   int n __attribute__((unused)) = 1;   case 1: __attribute__((fallthrough));
_ONE_ATTRIBUTE = rb"__attribute(?:__)?\s{0,20}\(\((?>(?:[^;{}()]++|\((?>(?:[^;{}()]++|\([^;{}()]*+\))*)\))*)\)\)"
_ATTRIBUTES = late_pattern(
    rb"(" + _ONE_ATTRIBUTE + rb"(?:\s{0,40}" + _ONE_ATTRIBUTE + rb"){0,3})", needs=(b"__attribute",)
)
_BEFORE_ATTRIBUTES = re.compile(rb"(?:\b(?:enum|union|typedef)|\*)\s{0,40}\Z")
# void printflike(1, 2) log_debug(const char *, ...);
_NUMBERED = re.compile(rb"\([0-9][0-9, ]{0,20}\)(?=(?:" + SOME + rb"\*{0,3}|\r?\n)(" + NAME + rb")[ \t]?\()")
_BEFORE_NUMBERS = re.compile(rb"[ \t*](" + NAME + rb")\Z")
# static __always_inline __alloc_size(1) void *allocate(int size)   __printf(1, 2) struct store *f(const char *, ...)
_GIVEN = re.compile(
    rb"\n(?<![\\\r]\n)" + S
    + rb"(?:(?:static|extern|inline|const)[ \t]{1,80}){0,4}((?:__[a-z_]{1,80}[ \t]{1,20}){0,2}"
    rb"__(?!(?:attribute|asm|extension|inline|volatile|const|restrict|typeof|builtin|declspec))[a-z_]{1,80}"
    rb"\([\w, \t]{1,80}\))(?=" + WHITE + rb"(?:" + TYPE_WORD + rb"|const\b|" + NAME + DECLARATOR + rb"))"
)  # fmt: skip
# void f(__unused const char *s, UNUSED_HERE enum mode n, const SCOPED_ENUM kind n)
_BEFORE_PARAMETER = re.compile(
    rb"[(,]" + ANY_WHITE + rb"(?:const[ \t]{1,20})?"
    rb"(__(?!(?:attribute|extension|restrict|typeof|builtin|declspec))[a-z_]{1,80}|[A-Z][A-Z0-9]{0,80}_[A-Z0-9_]{1,80})"
    rb"(?=[ \t]{1,80}(?:const[ \t]{1,20})?"
    rb"(?:(?:struct|union|enum|void|int|char|long|short|unsigned|signed|float|double)\b|"
    rb"(?!(?:const|volatile|restrict)\b)" + NAME + rb"[ \t*]{1,20}" + NAME + ANY_WHITE + rb"[,)\[]))"
)  # fmt: skip
_NO_KEYWORD = (
    rb"(?!(?:static|extern|inline|const|struct|union|enum|void|int|char|long|short|unsigned|signed|bool|return|goto|"
    rb"case|else|if|typedef)\b)"
)
"""Passes over the most common words of `_KEYWORDS` at the beginning of a line."""
# static atomic_marker size_t used = 0;   (in a struct) atomic_marker size_t used;   notrace static int f(void)
_SURPLUS = re.compile(
    rb"\n" + S + rb"(?:(?:static|extern|inline|const)[ \t]{1,80}){0,4}" + _NO_KEYWORD + rb"(" + NAME + rb")(?=" + SOME
    + rb"(?:(?:static|extern|inline|struct|union|enum|void|int|char|long|short|unsigned|signed|double|float)\b|"
    rb"(?:const[ \t]{1,80})?(" + NAME + rb")(?:[ \t]{1,80}\*{0,3}|\*{1,3})[ \t]{0,80}"
    rb"(?:(" + NAME + rb")[ \t]{0,80}[;=\[(]|\([ \t]{0,80}\*)))"
)  # fmt: skip
# API store_t CALL store_new(void);   void CALL Store::run() {   typedef int CALL (*f)(int n);
_CONVENTION = re.compile(
    rb"[ \t*&](" + UPPER + rb"|__[a-z]{1,80})(?:(?=" + SOME
    + rb"(?:" + NAME + rb"::){0,8}" + NAME + rb"[ \t]?\()|(?="
    + S + rb"(\()" + S + rb"\*" + S + NAME + S + rb"\)" + S + rb"\())"
)  # fmt: skip
_DECLARATOR_BEFORE = re.compile(rb"[\w>*&][ \t*&]{1,21}\Z")
# typedef void (CALLP handler_t)(int n);
_IN_POINTER = late_pattern(
    rb"typedef" + WHITE + rb"[^;{}()\n]{1,120}\(" + S + rb"(" + UPPER + rb")(?=" + SOME + NAME + S + rb"\)" + S
    + rb"\()",
    needs=(b"typedef",),
)  # fmt: skip
# char *nonnull name,
_AFTER_STAR = re.compile(
    rb"\*" + S + rb"(?:const[ \t]{1,20})?(" + NAME + rb")(?=" + SOME + rb"(" + NAME + rb")[ \t]{0,20}[,)=;(\[])"
)
# HAS_INCLUDE(<header>)   of(unsigned(size))
_HEADER_NAME = re.compile(rb"(\(<[\w./+-]{1,200}>\))")
_CONVERSION = re.compile(rb"(unsigned)(?=\([^*)])")
_OPERATOR_BEFORE = re.compile(rb"[=(|&+,<>!?*/^~-][ \t]{0,4}\Z")
# if CONSTEXPR (…)
_AFTER_IF = re.compile(rb"if" + SOME + rb"([A-Z][A-Z0-9_]{2,200})(?=[ \t]{0,20}\()")
# signals:   public slots:   PRIVATE_UNLESS_TESTED:
_SECTION_END = re.compile(rb":[ \t]{0,20}\r?\n")
_SECTION = re.compile(
    rb"[ \t]*(?:(?:public|private|protected)[ \t]+(slots|Q_SLOTS)|(signals|[A-Z]{1,40}_[A-Z_]{1,80}))[ \t]*\Z"
)
# static DEFINE_LOCK(name);
_STATIC_CALL = re.compile(rb"\n(static)(?=[ \t]{1,80}[A-Z][A-Z0-9_]{2,200}\([^()]{0,400}\)\s{0,80}[;=])")
# DEFINE_CALL(name, unsigned int, fd, char *, buf)⏎{
_HEADER = re.compile(rb"\n(?:static[ \t]{1,20})?([A-Z][A-Z0-9_]{2,200}\()([^(){};#\"]{1,1000})\)\s{0,80}\{")
_INNER_COMMENT = re.compile(rb"/\*[^*\n]{0,400}\*/")
_PLAIN = re.compile(NAME + rb"\Z")

_DECLARED = re.compile(rb"\s*(" + NAME + rb")[^()]*[\s*&:](?:~?\w+|operator\s*[^\w\s(]{1,3}|\(\s*\*\s*\w+\s*\))\s*\(")
_CONSTRUCTED = re.compile(rb"\s*(?![A-Z_]+\b)(" + NAME + rb")\s?\(")
_FIELD = re.compile(rb"\s*(?:" + NAME + rb":\s+)?(" + NAME + rb")[\w:<>,.*&\s\[\]]*$")
_TYPED_NAME = re.compile(rb"(?:\w\s{1,80}|[>*&]\s{0,80})\w{1,200}\s{0,80}(?:\[[^\[\]]{0,80}\]\s{0,80}){0,4}\Z")
_NO_EXPRESSION = re.compile(rb"\w\s+\w|[(,]\s{0,20}[-+*/%&|^<>=!~]{1,3}\s{0,20}[,)]")
_CODE_AFTER = re.compile(rb"(?>(?:\s{1,200}+|//[^\n]{0,400}+|/\*[^*\n]{0,400}+\*/){0,20})([\w~}#\[:\s]|/[*/]|\Z)")
"""What follows comments; a comment or a blank where they are longer than is read."""
# RESULT⏎find(struct store *s, KEY key)⏎{
_NAMED_BELOW = re.compile(
    rb"[ \t\r]{0,20}\n(?![A-Z_0-9]{1,200}\()[A-Za-z_]\w{0,200}+[ \t]?\([^;{}()]{1,600}\)\s{0,80}\{"
)
"""The rest of a function whose type, in capitals, is alone on the line above its name."""
_LINE_COMMENT = re.compile(rb"//[^\n]*")
_TWO_BEFORE = re.compile(rb"\b(\w+)>*(?:[ \t]*([*&]+)[ \t]*|[ \t]+)(\w+(?:\[[^\[\]]*\])*)[ \t]+\Z")
_LAST_WORD = re.compile(rb"\b(\w++)[ \t]++\Z")
_FIELDS_BEGIN = re.compile(rb"\b(?:struct|union)\b[\w\s]{0,200}\{\Z")
# class Store : public Base {⏎  DECLARE_ERROR(Base, Store)⏎
_MEMBERS_BEGIN = re.compile(
    rb"(?<!enum )\b(?:struct|class)" + SOME + rb"[^;{}()=]{1,300}\{" + S + rb"\r?\n(?:" + S + UPPER + CALL + rb"?"
    + S + rb"\r?\n){0,8}" + S + rb"\Z"
)  # fmt: skip
_WORD_AT_END = re.compile(rb"\w+\Z")

_MAX_TYPE_LENGTH, _MAX_BLANKS_BEFORE = 300, 22
_MAX_HEADER_LENGTH, _MAX_CLASS_LENGTH = 800, 20_000
_MAX_NAME_LENGTH = 202
_MAX_BLANKS = 5_000
"""A file with more misplaced macros cannot be repaired."""
_MAX_PLACES = 20_000
"""Places examined in a file; a hostile file may have one every few bytes."""


def find_misplaced(content: bytes, more: Shapes = ()) -> tuple[Span, ...]:
    """Return the spans of macros that are to be blanked before parsing, in order; `more` are shapes of C++ alone."""
    # Patterns that begin with a line's end are found several times faster than with a line's start.
    padded = b"\n" + content
    found: set[Span] = set()
    for count, span in enumerate(_iter_candidates(padded, more)):
        if count >= _MAX_PLACES or len(found) > _MAX_BLANKS:
            return ()
        if span is not None and is_code(padded, span[0]):
            found.add((span[0] - 1, span[1] - 1))
    return tuple(sorted(found))


def _iter_candidates(content: bytes, more: Shapes) -> Iterator[Span | None]:
    """Yield the span of every match, None for a match of something else."""
    yield from _iter_at((found.start() for found in _LINE.finditer(content)), content, _AT_LINE)
    for keyword in _TYPES:
        yield from _iter_at((found.start() for found in keyword.finditer(content)), content, _AT_TYPE)
    for word in _PLAIN_TYPES:
        yield from _iter_at(_iter_places(word, content), content, _AT_PLAIN_TYPE)
    yield from _iter_at((found.start() for found in _WORD.finditer(content)), content, _AT_WORD)
    for shape, read in chain(_ANYWHERE, more):
        for match in shape.finditer(content):
            yield from read(match)
    if (used := compile_specifiers(content)) is not None:
        for match in used.finditer(content):
            yield None if _is_in_directive(match) else match.span(1)


def _iter_at(places: Iterable[int], content: bytes, shapes: Shapes) -> Iterator[Span | None]:
    """Yield what `_iter_candidates` yields, for shapes that begin at one of the places.

    Looking for places where some shapes may begin takes as long as looking for one of the shapes.
    """
    ends = [0] * len(shapes)
    for at in places:
        for number, (shape, read) in enumerate(shapes):
            if at >= ends[number] and (match := shape.match(content, at)) is not None:
                ends[number] = match.end()
                yield from read(match)


def _iter_places(word: bytes, content: bytes) -> Iterator[int]:
    """Yield where a word occurs."""
    at = content.find(word)
    while at >= 0:
        yield at
        at = content.find(word, at + len(word))


def span_of(match: re.Match[bytes]) -> tuple[Span]:
    """Return the span of a macro whose shape has no other meaning."""
    return (match.span(1),)


def span_if(is_misplaced: Callable[[re.Match[bytes]], bool]) -> SpanReader:
    """Return what reads the span of a macro from a match that a predicate accepts."""
    return lambda match: (match.span(1) if is_misplaced(match) else None,)


def _stands_alone(match: re.Match[bytes]) -> bool:
    """Return whether the line of a macro stands between two declarations."""
    content, (start, end) = match.string, match.span(1)
    name, _, given = match[1].partition(b"(")
    after = _CODE_AFTER.match(content, end)
    before = last_code(content, start)
    if after is None or name in _KEYWORDS or (not given and _NAMED_BELOW.match(content, end) is not None):
        return False
    if _FIELDS_BEGIN.search(before) or _MEMBERS_BEGIN.search(content, max(0, start - _MAX_HEADER_LENGTH), start):
        return True
    if after[1] == b"}" and _is_class_named(content, start, given.rstrip(b")")):
        return True
    if given and match.start() + 1 != start and not _NO_EXPRESSION.search(given):
        return False
    if before == b"#":
        return after[1] != b"}"
    if before[-1:] in {b"", b";", b"}", b">", b")"}:
        return True
    if before[-1:] in {b"{", b":"}:
        return after[1] not in {b"}", b"", b"#"}
    word = _WORD_AT_END.search(before)
    return word is not None and word[0] not in _STATEMENTS and after[1] not in {b"", b":"}


def _is_class_named(content: bytes, at: int, name: bytes) -> bool:
    """Return whether a class or structure of a name begins before the byte; a macro given it has its members."""
    head = rb"\b(?:struct|class)\s[\w\s]{0,80}\b%s\b[^;]{0,200}\{" % name
    since = max(0, at - _MAX_CLASS_LENGTH)
    return _PLAIN.match(name) is not None and re.compile(head).search(content, since, at) is not None


def _statement(content: bytes, end: int) -> bytes:
    """Return the text between the preceding statement and a byte."""
    start = max(content.rfind(mark, max(0, end - _MAX_HEADER_LENGTH), end) for mark in (b";", b"{", b"}", b"*/\n"))
    if b"//" in content[content.rfind(b"\n", max(0, start - _MAX_HEADER_LENGTH), max(0, start)) + 1 : max(0, start)]:
        start = content.find(b"\n", start, end)
    text = _INNER_COMMENT.sub(b"", content[max(start, end - _MAX_HEADER_LENGTH, -1) + 1 : end])
    text = _LINE_COMMENT.sub(b"", text)
    return text[text.rfind(b"\n#") + 1 :].partition(b"\n")[2] if b"\n#" in text else text


def _ends_declaration(match: re.Match[bytes]) -> bool:
    """Return whether the parenthesis closes the parameters of a declared function."""
    written = _statement(match.string, match.start()).lstrip(b"/")
    found = _DECLARED.match(written)
    if found is None and match.string[match.end() : match.end() + 80].lstrip()[:1] in {b":", b"{"}:
        found = _CONSTRUCTED.match(written)
    return found is not None and found[1] not in _STATEMENTS


def _is_after_name(match: re.Match[bytes]) -> bool:
    """Return whether a macro follows the declared name."""
    content, start = match.string, match.start()
    if match[2] is not None and match[3] not in b",)":
        return _ends_field(content, start)
    is_name = content[start - 1 : start].isalnum() or content[start - 1 : start] == b"_"
    return is_name and match[2] is None and b"_" in match[1] and _follows_type_and_name(content, match.start(1))


def _ends_field(content: bytes, at: int) -> bool:
    """Return whether a type and a name stand before the byte."""
    written = _statement(content, at).lstrip(b"/")
    if written.count(b"\n", len(written.rstrip())) > 1:
        return False
    found = _FIELD.match(written)
    words = [word for word in re.findall(rb"\w+", written) if word not in _STORAGE]
    is_declared = found is not None and (found[1] == b"using" or found[1] not in _STATEMENTS)
    is_named = _TYPED_NAME.search(written) is not None
    return is_declared and is_named and len(words) > 1 and words[-1] not in _KEYWORDS


def _numbered(match: re.Match[bytes]) -> tuple[Span | None]:
    """Return the span of a macro given numbers, if it stands between a type and the name of a function."""
    name = _BEFORE_NUMBERS.search(match.string, max(0, match.start() - _MAX_NAME_LENGTH), match.start())
    if name is None or match[1] in _KEYWORDS:
        return (None,)
    before = match.string[max(0, name.start() - 160) : name.start() + 1].rstrip(b" \t*")
    word = _WORD_AT_END.search(before)
    is_type = word is not None and word[0] not in _STATEMENTS
    return ((name.start(1), match.end()) if is_type and not _is_in_directive(name) else None,)


def _guarded(match: re.Match[bytes]) -> tuple[Span, ...]:
    """Return the spans of a macro and of the parentheses around the name behind it."""
    return (match.span(1), match.span(2), match.span(3))


def _is_attribute(match: re.Match[bytes]) -> bool:
    """Return whether a reserved name is an attribute: between type and name, else after both."""
    content, start = match.string, match.start()
    before = content[max(0, start - 160) : start]
    if content[match.end() : match.end() + 100].lstrip()[:1] not in b"=;,)":
        found = _LAST_WORD.search(before)
        return found is not None and found[1] not in _BEFORE_OTHERS
    return _follows_type_and_name(content, start)


def _is_refused(match: re.Match[bytes]) -> bool:
    """Return whether attributes are at a place where the grammar has none: after a name, or as a statement."""
    content = match.string
    before, after = content[max(0, match.start() - 80) : match.start()], content[match.end() : match.end() + 80]
    last, first = before.rstrip()[-1:], after.lstrip()[:1]
    if first == b";" and last in b";:{}":
        return True
    return (first in b"=,;}" and (last.isalnum() or last in b"_]")) or _BEFORE_ATTRIBUTES.search(before) is not None


def _follows_type_and_name(content: bytes, at: int) -> bool:
    """Return whether a type and the name of a variable are before the byte."""
    found = _TWO_BEFORE.search(content, max(0, at - 160), at)
    if found is None:
        return False
    outer, stars, name = found.groups()
    if name.endswith(b"]"):
        return True
    is_type = outer not in _BEFORE_OTHERS or outer in {b"unsigned", b"signed"}
    return name not in _KEYWORDS and not outer.isupper() and (bool(stars) or is_type)


def _is_after_plain_type(match: re.Match[bytes]) -> bool:
    """Return whether a type that is one word, as the language's own are, stands before a macro."""
    start = match.start(1)
    return _PLAIN_TYPE_BEFORE.search(match.string, max(0, start - _MAX_TYPE_LENGTH), start) is not None


def _is_convention(match: re.Match[bytes]) -> bool:
    """Return whether a macro stands between the type and the name of a declared function."""
    start = match.start(1)
    if _DECLARATOR_BEFORE.search(match.string, max(0, start - _MAX_BLANKS_BEFORE), start) is None:
        return False
    words = _statement(match.string, start).lstrip(b"/").replace(b"*", b" ").replace(b"&", b" ").split()
    is_plain = all(_PLAIN.match(word) for word in words) and not any(word in _STATEMENTS for word in words)
    # Between the type and the name of a pointer to a function, the type has to be there: `typedef HANDLE (*f)(int)`.
    is_typed = match[2] is None or (bool(words) and words[-1] not in _BEFORE_OTHERS)
    return is_plain and is_typed and any(not word.isupper() and word not in _STORAGE for word in words)


def _is_before_function(match: re.Match[bytes]) -> bool:
    """Return whether two names precede a function's parameters, so that the first is a macro."""
    is_named = match[1] not in _KEYWORDS and match[2] not in _KEYWORDS
    return is_named and _is_after_plain_type(match) and not _is_in_directive(match)


def _before_line(match: re.Match[bytes]) -> tuple[Span | None]:
    """Return the span of a macro that stands between the type of a function and its name on the next line."""
    before, macro, name = match[1].split(), match[2].partition(b"(")[0], match[3]
    is_other = bool(_STATEMENTS.intersection(before)) or b"typedef" in before or {macro, name} & _KEYWORDS
    return (None if is_other else match.span(2),)


def _is_converting(match: re.Match[bytes]) -> bool:
    """Return whether a type before a parenthesis follows an operator, so that it is a conversion: `= T(x)`."""
    return _OPERATOR_BEFORE.search(match.string, max(0, match.start() - 5), match.start()) is not None


def _is_in_directive(match: re.Match[bytes]) -> bool:
    """Return whether a match stands on a line of the preprocessor."""
    content, start = match.string, match.start()
    return content[content.rfind(b"\n", max(0, start - _MAX_HEADER_LENGTH), start) + 1 : start].lstrip()[:1] == b"#"


def _is_no_keyword(match: re.Match[bytes]) -> bool:
    """Return whether a match in code is a name instead of a keyword."""
    return match[1] not in _KEYWORDS and not _is_in_directive(match)


def is_no_directive(match: re.Match[bytes]) -> bool:
    """Return whether a match stands on a line that is not a directive."""
    return not _is_in_directive(match)


def _is_surplus(match: re.Match[bytes]) -> bool:
    """Return whether three names stand where a declaration has two, or one before a keyword that begins it."""
    first, second, third = match.groups()
    if second is None:
        return first not in _KEYWORDS
    is_called = match.string[match.end(3) : match.end(3) + 80].lstrip()[:1] == b"("
    if second.isupper() and (first.endswith(b"_t") or (is_called and not first.isupper())):
        return False
    if (third is not None and third.isupper() and is_called) or second.startswith(b"__"):
        return False
    return first not in _KEYWORDS and second not in _NOT_TYPES and third not in _KEYWORDS


def _is_before_name(match: re.Match[bytes]) -> bool:
    """Return whether the second of two names after a star is the declared one."""
    first, second = match.groups()
    if first in _KEYWORDS or second in _KEYWORDS or first in _NOT_TYPES or second in _NOT_TYPES:
        return False
    return first.isupper() or not (second.isupper() or second.startswith(b"__"))


def _section(match: re.Match[bytes]) -> tuple[Span | None]:
    """Return the span of the words that begin a section of a class, with the colon where nothing else precedes it."""
    content, colon = match.string, match.start()
    found = _SECTION.match(content, content.rfind(b"\n", max(0, colon - 200), colon) + 1, colon)
    if found is None:
        return (None,)
    return (found.span(1) if found[1] else (found.start(2), colon + 1),)


def _pairs(match: re.Match[bytes]) -> Iterator[Span]:
    """Return the spans of a macro before a function's name that takes types and names, and of the commas there."""
    given = match[2].split(b",")
    names = [part.strip() for part in given[2::2]]
    if len(given) % 2 == 0 or not names or not all(_PLAIN.match(name) for name in (given[0].strip(), *names)):
        return
    yield match.span(1)
    at = match.start(2)
    for position, part in enumerate(given):
        at += len(part)
        if position % 2 or not position:
            yield at, at + 1
        at += 1


def find_headers(content: bytes) -> tuple[Span, ...]:
    """Return the spans of a macro that begins a function, and of the comma after the function's name."""
    padded = b"\n" + content
    found = [tuple(_pairs(match)) for match in _HEADER.finditer(padded)]
    return tuple((spans[0][0] - 1, spans[1][0] - 1) for spans in found if spans and is_code(padded, spans[0][0]))


_LINE = re.compile(rb"\n" + S + SPECIFIERS + rb"(?=[A-Z_][A-Z0-9_]{2}|__[a-z])")
"""Where the shapes of `_AT_LINE` may begin: at a line that begins with capitals or a reserved name."""
_AT_LINE: Shapes = (
    (_LEADING, span_of),
    (_GIVEN, span_of),
    (_STATIC_CALL, span_of),
    (_ALONE, span_if(_stands_alone)),
    (_GUARDED, _guarded),
    (_HEADER, _pairs),
)
_TYPES = tuple(re.compile(word + rb"(?=[\w\s]{0,800}+[{:(<#])") for word in (b"struct", b"union", b"class"))
"""Where the shapes of `_AT_TYPE` may begin: the search for one word at a time is the fastest."""
_AT_TYPE: Shapes = (
    (_IN_TYPE, span_of),
    (_AFTER_CLASS, span_of),
    (_IN_SPLIT_TYPE, span_of),
    (_FIRST_IN_TYPE, span_if(_is_no_keyword)),
)
_WORD = re.compile(
    rb"[ \t*&](?<![=,(;{}!|+?:<-][ \t])(?=[A-Z_][A-Z0-9_]{2}|__[a-z])"
    rb"(?<!\Wreturn[ \t])(?<!\Wcase[ \t])(?<!\Wdefine[ \t])(?<!\Wifdef[ \t])"
)
"""Where the shapes of `_AT_WORD` may begin: behind a type, a name or a star."""
_AT_WORD: Shapes = (
    (_AFTER_NAME, span_if(_is_after_name)),
    (_BETWEEN, span_if(_is_after_plain_type)),
    (_CONVENTION, span_if(_is_convention)),
)
_PLAIN_TYPES = tuple(b"void int char long short unsigned signed float double bool _t".split())
"""Where the shape of `_AT_PLAIN_TYPE` may begin."""
_AT_PLAIN_TYPE: Shapes = ((_BEFORE_FUNCTION, span_if(_is_before_function)),)
_ANYWHERE: Shapes = (
    (_IN_ENUM, span_of),
    (_AFTER_TYPE, span_of),
    (_IN_POINTER, span_of),
    (_AFTER_IF, span_if(is_no_directive)),
    (_TRAILING, span_if(_ends_declaration)),
    (_RESERVED, span_if(_is_attribute)),
    (_ATTRIBUTES, span_if(_is_refused)),
    (_BEFORE_PARAMETER, span_if(is_no_directive)),
    (_NUMBERED, _numbered),
    (_BEFORE_LINE, _before_line),
    (_SURPLUS, span_if(_is_surplus)),
    (_AFTER_STAR, span_if(_is_before_name)),
    (_CONVERSION, span_if(_is_converting)),
    (_HEADER_NAME, span_if(_is_in_directive)),
    (_SECTION_END, _section),
)
