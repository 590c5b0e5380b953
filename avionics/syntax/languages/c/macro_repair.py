"""Find macros where the grammar does not allow them: before, within and after declarations, and alone on a line.

The patterns match shapes that have no other meaning in C and C++: an identifier before a type's keyword, three names
where a declaration has two, a name between `class` and the class's name. Every repetition in a pattern is bounded, so
that each place takes constant time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.c.preprocessor import compile_specifiers, last_code

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

_S, _SOME = rb"[ \t]{0,80}", rb"[ \t]{1,80}"
_WHITE, _ANY_WHITE = rb"\s{1,80}", rb"\s{0,80}"
_NAME = rb"[A-Za-z_]\w{0,200}"
_UPPER = rb"[A-Z_][A-Z0-9_]{2,200}\b"
_INNER = rb"[^()\n]{0,400}"
_CALL = rb"(?:\(" + _INNER + rb"(?:\(" + _INNER + rb"\)" + _INNER + rb"){0,20}\))"
_SPECIFIERS = (
    rb"(?:\[\[[^\]\n]{0,80}\]\][ \t]{1,80})?"
    rb"(?:(?:static|extern|inline|virtual|explicit|constexpr|friend|const)[ \t]{1,80}){0,4}"
)
_TYPE_WORD = (
    rb"(?:const[ \t]{1,20})?(?:void|int|char|long|short|unsigned|signed|float|double|bool|struct|union|enum|static|"
    rb"extern|inline|typedef|virtual|explicit|constexpr|class|template|friend|namespace|auto|using)\b"
)
_ARGUMENTS = rb"<[^<>;{}()]{0,200}(?:<[^<>;{}()]{0,200}>[^<>;{}()]{0,200}){0,4}>"
_TYPE = (
    rb"(?:const\s{1,20})?(?:::)?"
    + _NAME
    + rb"(?:::"
    + _NAME
    + rb"){0,8}(?:"
    + _ARGUMENTS
    + rb")?(?:[ \t]{1,20}const\b)?"
)
_DECLARATOR = (
    rb"(?:[ \t]{1,20}" + _UPPER + rb")?(?:[ \t]{0,20}[*&]{1,3}[ \t]{0,20}|\s{1,20})(?:(?:" + _UPPER
    + rb"|__[a-z]{1,80})[ \t]{1,20})?(?:" + _NAME + rb"::){0,8}(?:operator\b|" + _NAME
    + rb"[ \t]{0,20}[;=\[({])"
)  # fmt: skip
_WITHOUT_TYPE = (
    rb"(?:~|operator\s{1,20}(?!new\b|delete\b)[A-Za-z]|(?:" + _NAME + rb"(?:" + _ARGUMENTS
    + rb")?::){0,8}(?:(?P<own>" + _NAME + rb")(?:" + _ARGUMENTS + rb")?::~?(?P=own)\s?\(|"
    + _NAME + rb"\s?\([^;{}]{0,400}?\)\s{0,80}(?:noexcept\s{0,80})?:(?!:)))"
)  # fmt: skip
"""The beginnings of destructors, conversions and constructors, which have no type before their name."""
# EXPORTED void f();   NO_SANITIZE("bounds")⏎int f()   API INLINE const std::string& f() {
_LEADING = re.compile(
    rb"\n" + _S + _SPECIFIERS + rb"(" + _UPPER + _CALL + rb"?(?:[ \t]{1,20}" + _UPPER + _CALL + rb"?){0,4})"
    rb"(?=" + _WHITE + rb"(?:" + _TYPE_WORD + rb"|" + _TYPE + _DECLARATOR + rb"|" + _WITHOUT_TYPE + rb"))"
)  # fmt: skip
# API type *(f) (int n);   where the parentheses prevent the expansion of a macro of that name
_GUARDED = re.compile(
    rb"\n" + _S + _SPECIFIERS + rb"(" + _UPPER + _CALL + rb"?)" + _SOME + _TYPE
    + rb"[ \t*]{0,80}(\()" + _S + _NAME + _S + rb"(\))" + _S + rb"\("
)  # fmt: skip
# explicit CONSTEXPR Store(int size);
_EXPLICIT = late_pattern(
    rb"explicit" + _SOME + rb"(" + _UPPER + rb")(?=" + _WHITE + _NAME + rb"\s?\()", needs=(b"explicit",)
)
# template <typename T> CONSTEXPR void f();   template API void f<int>();
_IN_TEMPLATE = re.compile(
    rb"(?:>|template)" + _SOME + rb"(" + _UPPER + rb"(?:[ \t]{1,20}" + _UPPER + rb"){0,4})"
    rb"(?=" + _WHITE + rb"(?:" + _TYPE_WORD + rb"|" + _TYPE + _DECLARATOR + rb"|" + _WITHOUT_TYPE + rb"))"
)  # fmt: skip
# BEGIN_DECLS⏎   Q_OBJECT⏎
_ALONE = re.compile(
    rb"\n" + _S + rb"(" + _UPPER + _CALL + rb"?)(?="
    + _S + rb"\r?(?:\n|//[^\n]{0,300}\n|/\*[^\n*]{0,300}\*/[ \t\r]*\n|\Z))"
)  # fmt: skip
# class store FINAL : public base {
_BEHIND_NAME = rb"[A-Z0-9_]{0,80}+[a-z]\w{0,120}+\s{1,20}+"
_BEHIND = rb"[A-Z][A-Z0-9_]{2,80}+(?=" + _ANY_WHITE + rb"(?::(?!:)|\{))"
_AFTER_CLASS = re.compile(rb"(?:class|struct)" + _SOME + _BEHIND_NAME + rb"(" + _BEHIND + rb")")
# class EXPORTED Store {   struct PACKED header : base   class EXPORTED Store;
_IN_TYPE = re.compile(
    rb"(?:class|struct|union)" + _SOME + rb"(?!" + _BEHIND_NAME + _BEHIND
    + rb")((?!(?:final|alignas|__attribute__|__declspec)\b)" + _NAME + _CALL
    + rb"?)(?=" + _WHITE + rb"(?!final\b)" + _NAME + rb"(?:::\w{1,200}){0,8}(?:<[^;{}()]{0,200}>)?(?:\s{1,80}final)?"
    + _ANY_WHITE + rb"(?::(?!:)|\{))"
)  # fmt: skip
# class EXPORTED Store⏎#if …⏎ : Base {
_IN_SPLIT_TYPE = re.compile(
    rb"(?:class|struct)" + _SOME + rb"(" + _UPPER + _CALL + rb"?)(?=" + _SOME + _NAME + _S + rb"\r?\n" + _S
    + rb"#[ \t]{0,20}if)"
)  # fmt: skip
# int INTERNAL count = 1;
_BETWEEN = re.compile(rb"[ \t](" + _UPPER + rb")(?=" + _SOME + _NAME + rb"[ \t]{0,20}[;=\[])")
_PLAIN_TYPE_BEFORE = re.compile(
    rb"\b(?:void|int|char|long|short|unsigned|signed|float|double|bool|[a-z]\w{0,200}_t)" + _SOME + rb"\Z"
)
# static int always_inline f(void) {
_BEFORE_FUNCTION = re.compile(
    rb"(?:\b(?:void|int|char|long|short|unsigned|signed|float|double|bool)|_t)" + _SOME + rb"(" + _NAME + rb")(?="
    + _SOME + rb"(" + _NAME + rb")[ \t]?\([^;{}]{0,400}\)\s{0,80}\{)"
)  # fmt: skip
# enum mode UNDERLYING(unsigned char) {
_IN_ENUM = late_pattern(
    rb"enum(?:" + _SOME + rb"(?:class|struct))?" + _SOME + rb"(?!(?:class|struct)\b)" + _NAME + _SOME
    + rb"(" + _UPPER + _CALL + rb"?)(?=" + _ANY_WHITE + rb"\{)",
    needs=(b"enum",),
)  # fmt: skip
# class API Store;   template struct API Store<int>;
_FORWARD = late_pattern(
    rb"(?:class|template" + _SOME + rb"struct)" + _SOME + rb"([A-Z][A-Z0-9_]{1,200}" + _CALL + rb"?)(?=" + _WHITE
    + _NAME + rb"(?:" + _ARGUMENTS + rb")?\s?;)",
    needs=(b"class", b"template"),
)  # fmt: skip
# struct store { Object_HEAD int size; };   struct store {⏎Object_HEAD⏎};
_FIRST_IN_TYPE = re.compile(
    rb"(?:struct(?<!\wstruct)(?<!enum struct)|union(?<!\wunion)(?<!enum union)|class(?<!\wclass)(?<!enum class))"
    rb"(?:\s{1,20}" + _NAME + rb")?\s{0,20}(?::[^;{}()=]{1,200})?\{\s{0,80}(" + _NAME
    + rb")(?=" + _S + rb"\r?\n" + _ANY_WHITE + rb"(?:\}|(?!(?:const|volatile)\b)" + _NAME + rb"[ \t*&]{1,20}" + _NAME
    + rb")|" + _SOME + rb"(?!(?:const|volatile)\b|" + _UPPER + rb")" + _NAME + rb"[ \t*&]{1,20}" + _NAME + _S
    + rb"[;,=\[])"
)  # fmt: skip
# } __packed;   } __packed name;
_AFTER_TYPE = re.compile(
    rb"\n" + _S + rb"\}" + _S + rb"((?:__(?!attribute)[a-z_]{1,80}" + _CALL + rb"?[ \t]{0,20}){1,4})"
    rb"(?=(?:" + _NAME + rb"[ \t]{0,20})?[;=])"
)  # fmt: skip
# int f(const char *, ...) PRINTF_LIKE(1, 2);   void lock() const ACQUIRES(m) {
_TRAILING = re.compile(
    rb"\)" + _ANY_WHITE + rb"(?:const\s{0,80})?(?:override\s{0,80})?((?:(?:[A-Z_][A-Z0-9_]{2,200}"
    rb"|__(?!attribute|asm)[a-z_]{1,80})" + _CALL + rb"|[A-Z][A-Z0-9]{0,80}_[A-Z0-9_]{1,80})"
    rb"(?:\s{1,80}[A-Z][A-Z0-9]{0,80}_[A-Z0-9_]{1,80})?)(?=" + _ANY_WHITE + rb"(?:[;{#]|:(?!:)))"
)  # fmt: skip
# std::set<int> taken_ GUARDED_BY(mutex_);   using old DEPRECATED() = new;   const std::string& name LIFETIME_BOUND)
_AFTER_NAME = re.compile(
    rb"[ \t](_{0,2}[A-Z][A-Z0-9_]{2,200}\b(" + _CALL + rb")?)(?=" + _ANY_WHITE + rb"([;={,)]))"
)  # fmt: skip
# int __init f(void)   const char __user *p   int __maybe_unused n   static int n __read_mostly = 1;
_RESERVED = late_pattern(
    rb"(__(?!(?:attribute|asm|extension|inline|volatile|const|restrict|typeof|builtin|declspec)\w{0,80}\b)[a-z_]{1,80}"
    rb"(?:(?=[ \t]{1,80}[A-Za-z_*])|(?:\([\w*]{1,80}\))?(?=" + _ANY_WHITE + rb"[=;,)])))",
    needs=(b"__",),
)  # fmt: skip
# enum __attribute__((packed)) kind {   int n __attribute__((unused)) = 1;   case 1: __attribute__((fallthrough));
_ONE_ATTRIBUTE = rb"__attribute(?:__)?\s{0,20}\(\((?>(?:[^;{}()]++|\((?>(?:[^;{}()]++|\([^;{}()]*+\))*)\))*)\)\)"
_ATTRIBUTES = late_pattern(
    rb"(" + _ONE_ATTRIBUTE + rb"(?:\s{0,40}" + _ONE_ATTRIBUTE + rb"){0,3})", needs=(b"__attribute",)
)
_BEFORE_ATTRIBUTES = re.compile(rb"(?:\b(?:enum|union|typedef)|\*)\s{0,40}\Z")
# void printflike(1, 2) log_debug(const char *, ...);
_NUMBERED = re.compile(
    rb"[ \t*](" + _NAME + rb"\([0-9][0-9, ]{0,20}\))(?=(?:" + _SOME + rb"\*{0,3}|\r?\n)(" + _NAME + rb")[ \t]?\()"
)
# static __always_inline __alloc_size(1) void *allocate(int size)   __printf(1, 2) struct store *f(const char *, ...)
_GIVEN = late_pattern(
    rb"\n(?<![\\\r]\n)" + _S
    + rb"(?:(?:static|extern|inline|const)[ \t]{1,80}){0,4}((?:__[a-z_]{1,80}[ \t]{1,20}){0,2}"
    rb"__(?!(?:attribute|asm|extension|inline|volatile|const|restrict|typeof|builtin|declspec))[a-z_]{1,80}"
    rb"\([\w, \t]{1,80}\))(?=" + _WHITE + rb"(?:" + _TYPE_WORD + rb"|const\b|" + _NAME + _DECLARATOR + rb"))",
    needs=(b"__",),
)  # fmt: skip
# void f(__unused const char *s, UNUSED_HERE enum mode n, const SCOPED_ENUM kind n)
_BEFORE_PARAMETER = re.compile(
    rb"[(,]" + _ANY_WHITE + rb"(?:const[ \t]{1,20})?"
    rb"(__(?!(?:attribute|extension|restrict|typeof|builtin|declspec))[a-z_]{1,80}|[A-Z][A-Z0-9]{0,80}_[A-Z0-9_]{1,80})"
    rb"(?=[ \t]{1,80}(?:const[ \t]{1,20})?"
    rb"(?:(?:struct|union|enum|void|int|char|long|short|unsigned|signed|float|double)\b|"
    rb"(?!(?:const|volatile|restrict)\b)" + _NAME + rb"[ \t*]{1,20}" + _NAME + _ANY_WHITE + rb"[,)\[]))"
)  # fmt: skip
# static atomic_marker size_t used = 0;   (in a struct) atomic_marker size_t used;   notrace static int f(void)
_SURPLUS = re.compile(
    rb"\n" + _S + rb"(?:(?:static|extern|inline|const)[ \t]{1,80}){0,4}(" + _NAME + rb")(?=" + _SOME
    + rb"(?:(?:static|extern|inline|struct|union|enum|void|int|char|long|short|unsigned|signed|double|float)\b|"
    rb"(?:const[ \t]{1,80})?(" + _NAME + rb")(?:[ \t]{1,80}\*{0,3}|\*{1,3})[ \t]{0,80}"
    rb"(?:(" + _NAME + rb")[ \t]{0,80}[;=\[(]|\([ \t]{0,80}\*)))"
)  # fmt: skip
# API store_t CALL store_new(void);   void CALL Store::run() {   typedef int CALL (*f)(int n);
_CONVENTION = re.compile(
    rb"[ \t*&](" + _UPPER + rb"|__[a-z]{1,80})(?:(?=" + _SOME
    + rb"(?:" + _NAME + rb"::){0,8}" + _NAME + rb"[ \t]?\()|(?="
    + _S + rb"(\()" + _S + rb"\*" + _S + _NAME + _S + rb"\)" + _S + rb"\())"
)  # fmt: skip
_DECLARATOR_BEFORE = re.compile(rb"[\w>*&][ \t*&]{1,21}\Z")
# delete[] *names;
_DELETED = late_pattern(rb"\bdelete\s{0,8}\[\]\s{0,8}(\*{1,3})(?=\s{0,4}[A-Za-z_(])", needs=(b"delete",))
# typedef void (CALLP handler_t)(int n);
_IN_POINTER = late_pattern(
    rb"typedef" + _WHITE + rb"[^;{}()\n]{1,120}\(" + _S + rb"(" + _UPPER + rb")(?=" + _SOME + _NAME + _S + rb"\)" + _S
    + rb"\()",
    needs=(b"typedef",),
)  # fmt: skip
# void (Store::*handler)(int n);   std::vector<int> Store::*member;
_OF_CLASS = late_pattern(rb"\([ \t]{0,4}((?:" + _NAME + rb"::){1,8})(?=\*)", needs=(b"::",))
_OF_MEMBER = late_pattern(
    rb"[\w>]" + _WHITE + rb"((?:" + _NAME + rb"::){1,8})(?=\*\s{0,4}(?:const\s{1,4})?" + _NAME + rb"\s{0,20}[;,)={])",
    needs=(b"::",),
)
# new (std::nothrow) Store*[count]
_NEW_POINTERS = late_pattern(
    rb"\bnew\b(?:\s{0,20}\([^();]{0,80}\))?" + _ANY_WHITE + rb"\b" + _TYPE + rb"\s{0,4}(\*{1,3})(?=\s{0,4}\[)",
    needs=(b"new",),
)
# char *nonnull name,
_AFTER_STAR = re.compile(
    rb"\*" + _S + rb"(?:const[ \t]{1,20})?(" + _NAME + rb")(?=" + _SOME + rb"(" + _NAME + rb")[ \t]{0,20}[,)=;(\[])"
)
# inline friend bool operator==(const Store& a, const Store& b) {
_BEFORE_FRIEND = late_pattern(rb"[\s;{}](inline)(?=" + _WHITE + rb"(?:constexpr\s{1,80})?friend\b)", needs=(b"friend",))
# import store;   export import "store.h";   export module store;
_MODULE = late_pattern(
    rb"\n" + _S + rb"((?:export[ \t]{1,20})?import[ \t]{0,20}(?:[ \t][\w.:]{1,200}|[<\"][^<>\"\n]{1,200}[>\"])"
    rb"[ \t]{0,20};|export[ \t]{1,20}module[ \t]{1,20}[\w.:]{1,200}[ \t]{0,20};)",
    needs=(b"import", b"export"),
)  # fmt: skip
# HAS_INCLUDE(<header>)   of(unsigned(size))
_HEADER_NAME = re.compile(rb"(\(<[\w./+-]{1,200}>\))")
_CONVERSION = re.compile(rb"(unsigned)(?=\([^*)])")
_OPERATOR_BEFORE = re.compile(rb"[=(|&+,<>!?*/^~-][ \t]{0,4}\Z")
# if CONSTEXPR (…)
_AFTER_IF = re.compile(rb"if" + _SOME + rb"([A-Z][A-Z0-9_]{2,200})(?=[ \t]{0,20}\()")
# template <typename T, ENABLE_IF(is_integral<T>::value)>
_PARAMETER = late_pattern(
    rb"template\s{0,20}<([^;{}()]{0,400}?)(,\s{0,80}[A-Z][A-Z0-9_]{2,200})\(", needs=(b"template",)
)
# template <class T, typename enable_if<is_small<T>::value>::type* = nullptr>
_UNNAMED_POINTER = re.compile(rb">(?:::type)?\s{0,4}(\*)(?=\s{0,4}=\s{0,4}(?:nullptr|0)\s{0,20}[,>])")
# extern template class Store<int>;   template class Store<int>;   extern template void f<int>();
_INSTANCE = late_pattern(
    rb"\n"
    + _S
    + rb"((?:extern[ \t]{1,20})?template(?=[ \t]{1,20}(?:class|struct)\b)|extern(?=[ \t]{1,20}template[ \t]))",
    needs=(b"template",),
)
# return typename Store<T>::row(1);
_MADE = late_pattern(
    rb"[=(,\w][ \t]{0,20}\b(typename)(?=" + _WHITE + _NAME + rb"(?:" + _ARGUMENTS + rb")?(?:::" + _NAME + rb"(?:"
    + _ARGUMENTS + rb")?){1,6}[ \t]{0,20}[({])",
    needs=(b"typename",),
)  # fmt: skip
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
_PLAIN = re.compile(_NAME + rb"\Z")

_DECLARED = re.compile(rb"\s*(" + _NAME + rb")[^()]*[\s*&:](?:~?\w+|operator\s*[^\w\s(]{1,3}|\(\s*\*\s*\w+\s*\))\s*\(")
_CONSTRUCTED = re.compile(rb"\s*(?![A-Z_]+\b)(" + _NAME + rb")\s?\(")
_FIELD = re.compile(rb"\s*(?:" + _NAME + rb":\s+)?(" + _NAME + rb")[\w:<>,.*&\s\[\]]*$")
_TYPED_NAME = re.compile(rb"(?:\w\s{1,80}|[>*&]\s{0,80})\w{1,200}\s{0,80}(?:\[[^\[\]]{0,80}\]\s{0,80}){0,4}\Z")
_NO_EXPRESSION = re.compile(rb"\w\s+\w|[(,]\s{0,20}[-+*/%&|^<>=!~]{1,3}\s{0,20}[,)]")
_CODE_AFTER = re.compile(rb"(?>(?:\s{1,200}+|//[^\n]{0,400}+|/\*[^*\n]{0,400}+\*/){0,20})([\w~}#\[:]|/\*|\Z)")
_LINE_COMMENT = re.compile(rb"//[^\n]*")
_TWO_BEFORE = re.compile(rb"\b(\w+)>*(?:[ \t]*([*&]+)[ \t]*|[ \t]+)(\w+(?:\[[^\[\]]*\])*)[ \t]+\Z")
_LAST_WORD = re.compile(rb"\b(\w++)[ \t]++\Z")
_FIELDS_BEGIN = re.compile(rb"\b(?:struct|union)\b[\w\s]{0,200}\{\Z")
# class Store : public Base {⏎  DECLARE_ERROR(Base, Store)⏎
_MEMBERS_BEGIN = re.compile(
    rb"(?<!enum )\b(?:struct|class)" + _SOME + rb"[^;{}()=]{1,300}\{" + _S + rb"\r?\n(?:" + _S + _UPPER + _CALL + rb"?"
    + _S + rb"\r?\n){0,8}" + _S + rb"\Z"
)  # fmt: skip
_WORD_AT_END = re.compile(rb"\w+\Z")

_MAX_TYPE_LENGTH, _MAX_BLANKS_BEFORE = 300, 22
_MAX_HEADER_LENGTH, _MAX_CLASS_LENGTH = 800, 20_000
_MAX_COMMENT_LENGTH = 10_000
_MAX_PARAMETER_LENGTH = 600
_MAX_BLANKS = 5_000
"""A file with more misplaced macros cannot be repaired."""
_MAX_PLACES = 20_000
"""Places examined in a file; a hostile file may have one every few bytes."""


def find_misplaced(content: bytes) -> tuple[Span, ...]:
    """Return the spans of macros that are to be blanked before parsing, in order."""
    # Patterns that begin with a line's end are found several times faster than with a line's start.
    padded = b"\n" + content
    found: set[Span] = set()
    for count, span in enumerate(_iter_candidates(padded)):
        if count >= _MAX_PLACES or len(found) > _MAX_BLANKS:
            return ()
        if span is not None and is_code(padded, span[0]):
            found.add((span[0] - 1, span[1] - 1))
    return tuple(sorted(found))


def _iter_candidates(content: bytes) -> Iterator[Span | None]:
    """Yield the span of every match, None for a match of something else."""
    for shape in _SHAPES:
        for match in shape.finditer(content):
            yield match.span(1)
    for shape, is_misplaced in _CHECKED:
        for match in shape.finditer(content):
            yield match.span(1) if is_misplaced(match) else None
    for match in _GUARDED.finditer(content):
        yield from (match.span(group) for group in (1, 2, 3))
    for match in _SECTION_END.finditer(content):
        yield _section(content, match.start())
    for match in _PARAMETER.finditer(content):
        yield _parameter(match)
    for match in _HEADER.finditer(content):
        yield from _pairs(match)
    if (used := compile_specifiers(content)) is not None:
        for match in used.finditer(content):
            yield None if _is_in_directive(match) else match.span(1)


def _stands_alone(match: re.Match[bytes]) -> bool:
    """Return whether the line of a macro stands between two declarations."""
    content, (start, end) = match.string, match.span(1)
    name, _, given = match[1].partition(b"(")
    after = _CODE_AFTER.match(content, end)
    before = last_code(content, start)
    if after is None or name in _KEYWORDS:
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


def _is_after_type(match: re.Match[bytes]) -> bool:
    """Return whether a macro given numbers stands between a type and the name of a function."""
    before = match.string[max(0, match.start() - 160) : match.start() + 1].rstrip(b" \t*")
    word = _WORD_AT_END.search(before)
    is_type = word is not None and word[0] not in _STATEMENTS
    return is_type and match[2] not in _KEYWORDS and not _is_in_directive(match)


def _is_attribute(match: re.Match[bytes]) -> bool:
    """Return whether a reserved name is an attribute: between type and name, else after both."""
    content, start = match.string, match.start()
    before = content[max(0, start - 160) : start]
    if content[match.end() : match.end() + 100].lstrip()[:1] not in b"=;,)":
        found = _LAST_WORD.search(before)
        return found is not None and found[1] not in _BEFORE_OTHERS
    return _follows_type_and_name(content, start)


def _is_refused(match: re.Match[bytes]) -> bool:
    """Return whether attributes stand where the grammar has none: after a name, or as a statement."""
    content = match.string
    before, after = content[max(0, match.start() - 80) : match.start()], content[match.end() : match.end() + 80]
    last, first = before.rstrip()[-1:], after.lstrip()[:1]
    if first == b";" and last in b";:{}":
        return True
    return (first in b"=,;}" and (last.isalnum() or last in b"_]")) or _BEFORE_ATTRIBUTES.search(before) is not None


def _follows_type_and_name(content: bytes, at: int) -> bool:
    """Return whether what stands before the byte is a type and the name of a variable."""
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


def _is_converting(match: re.Match[bytes]) -> bool:
    """Return whether a type before a parenthesis stands where a value does."""
    return _OPERATOR_BEFORE.search(match.string, max(0, match.start() - 5), match.start()) is not None


def _is_in_directive(match: re.Match[bytes]) -> bool:
    """Return whether a match stands on a line of the preprocessor."""
    content, start = match.string, match.start()
    return content[content.rfind(b"\n", max(0, start - _MAX_HEADER_LENGTH), start) + 1 : start].lstrip()[:1] == b"#"


def _is_no_keyword(match: re.Match[bytes]) -> bool:
    """Return whether a match in code is a name instead of a keyword."""
    return match[1] not in _KEYWORDS and not _is_in_directive(match)


def _is_in_code(match: re.Match[bytes]) -> bool:
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


def _section(content: bytes, colon: int) -> Span | None:
    """Return the span of the words that begin a section of a class, with the colon where nothing else precedes it."""
    found = _SECTION.match(content, content.rfind(b"\n", max(0, colon - 200), colon) + 1, colon)
    if found is None:
        return None
    return found.span(1) if found[1] else (found.start(2), colon + 1)


def _parameter(match: re.Match[bytes]) -> Span | None:
    """Return the span of a macro among the parameters of a template, with the comma before it."""
    content, depth = match.string, 0
    for at in range(match.end() - 1, min(match.end() + _MAX_PARAMETER_LENGTH, len(content))):
        byte = content[at : at + 1]
        depth += (byte == b"(") - (byte == b")")
        if not depth:
            is_last = content[at + 1 : at + 80].lstrip()[:1] in {b",", b">"}
            return (match.start(2), at + 1) if is_last else None
    return None


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


def is_code(content: bytes, at: int) -> bool:
    """Return whether the byte stands in code rather than in a comment or a string."""
    line = content[content.rfind(b"\n", max(0, at - _MAX_HEADER_LENGTH), at) + 1 : at][-_MAX_HEADER_LENGTH:]
    if b"//" in line or b'"' in line:
        return False
    opened = content.rfind(b"/*", max(0, at - _MAX_COMMENT_LENGTH), at)
    return opened < 0 or content.find(b"*/", opened, at) >= 0


_SHAPES = (
    _LEADING,
    _GIVEN,
    _EXPLICIT,
    _IN_TEMPLATE,
    _IN_TYPE,
    _AFTER_CLASS,
    _IN_SPLIT_TYPE,
    _IN_ENUM,
    _FORWARD,
    _AFTER_TYPE,
    _STATIC_CALL,
    _MODULE,
    _BEFORE_FRIEND,
    _UNNAMED_POINTER,
    _INSTANCE,
    _IN_POINTER,
    _MADE,
    _OF_MEMBER,
    _NEW_POINTERS,
    _DELETED,
)
_CHECKED: tuple[tuple[re.Pattern[bytes], Callable[[re.Match[bytes]], bool]], ...] = (
    (_AFTER_IF, _is_in_code),
    (_FIRST_IN_TYPE, _is_no_keyword),
    (_ALONE, _stands_alone),
    (_TRAILING, _ends_declaration),
    (_AFTER_NAME, _is_after_name),
    (_RESERVED, _is_attribute),
    (_ATTRIBUTES, _is_refused),
    (_BEFORE_PARAMETER, _is_in_code),
    (_NUMBERED, _is_after_type),
    (_SURPLUS, _is_surplus),
    (_AFTER_STAR, _is_before_name),
    (_BETWEEN, _is_after_plain_type),
    (_CONVENTION, _is_convention),
    (_BEFORE_FUNCTION, _is_before_function),
    (_OF_CLASS, _is_in_code),
    (_CONVERSION, _is_converting),
    (_HEADER_NAME, _is_in_directive),
)
