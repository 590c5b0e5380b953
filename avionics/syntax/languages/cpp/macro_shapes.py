"""Macros and operators that the grammar of C++ does not read, and that C does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.c.macros.fragments import (
    ANY_WHITE,
    ARGUMENTS,
    CALL,
    DECLARATOR,
    NAME,
    SOME,
    TYPE,
    TYPE_WORD,
    UPPER,
    WHITE,
    WITHOUT_TYPE,
    S,
)
from avionics.syntax.languages.c.macros.macro_bodies import blank_macros
from avionics.syntax.languages.c.macros.macro_repair import Shapes, Span, is_no_directive, span_if, span_of
from avionics.syntax.languages.c.preprocessor import is_code

_MAX_PARAMETER_LENGTH = 600
_MAX_PLACES = 5_000
"""Places examined for each shape; a hostile file may have one every few bytes."""
# explicit CONSTEXPR Store(int size);
_EXPLICIT = late_pattern(
    rb"explicit" + SOME + rb"(" + UPPER + rb")(?=" + WHITE + NAME + rb"\s?\()", needs=(b"explicit",)
)
# template <typename T> CONSTEXPR void f();   template API void f<int>();
_IN_TEMPLATE = re.compile(
    rb"(?:>|template)" + SOME + rb"(" + UPPER + rb"(?:[ \t]{1,20}" + UPPER + rb"){0,4})"
    rb"(?=" + WHITE + rb"(?:" + TYPE_WORD + rb"|" + TYPE + DECLARATOR + rb"|" + WITHOUT_TYPE + rb"))"
)  # fmt: skip
# class API Store;   template struct API Store<int>;
_FORWARD = late_pattern(
    rb"(?:class|template" + SOME + rb"struct)" + SOME + rb"([A-Z][A-Z0-9_]{1,200}" + CALL + rb"?)(?=" + WHITE
    + NAME + rb"(?:" + ARGUMENTS + rb")?\s?;)",
    needs=(b"class", b"template"),
)  # fmt: skip
# delete[] *names;
_DELETED = late_pattern(rb"\bdelete\s{0,8}\[\]\s{0,8}(\*{1,3})(?=\s{0,4}[A-Za-z_(])", needs=(b"delete",))
# void (Store::*handler)(int n);   std::vector<int> Store::*member;
_OF_CLASS = late_pattern(rb"\([ \t]{0,4}((?:" + NAME + rb"::){1,8})(?=\*)", needs=(b"::",))
_OF_MEMBER = late_pattern(
    rb"[\w>]" + WHITE + rb"((?:" + NAME + rb"::){1,8})(?=\*\s{0,4}(?:const\s{1,4})?" + NAME + rb"\s{0,20}[;,)={])",
    needs=(b"::",),
)
# new (std::nothrow) Store*[count]
_NEW_POINTERS = late_pattern(
    rb"\bnew\b(?:\s{0,20}\([^();]{0,80}\))?" + ANY_WHITE + rb"\b" + TYPE + rb"\s{0,4}(\*{1,3})(?=\s{0,4}\[)",
    needs=(b"new",),
)
# inline friend bool operator==(const Store& a, const Store& b) {
_BEFORE_FRIEND = late_pattern(rb"[\s;{}](inline)(?=" + WHITE + rb"(?:constexpr\s{1,80})?friend\b)", needs=(b"friend",))
# import store;   export import "store.h";   export module store;
_MODULE = late_pattern(
    rb"\n" + S + rb"((?:export[ \t]{1,20})?import[ \t]{0,20}(?:[ \t][\w.:]{1,200}|[<\"][^<>\"\n]{1,200}[>\"])"
    rb"[ \t]{0,20};|export[ \t]{1,20}module[ \t]{1,20}[\w.:]{1,200}[ \t]{0,20};)",
    needs=(b"import", b"export"),
)  # fmt: skip
# template <typename T, ENABLE_IF(is_integral<T>::value)>
_PARAMETER = late_pattern(
    rb"template\s{0,20}<([^;{}()]{0,400}?)(,\s{0,80}[A-Z][A-Z0-9_]{2,200})\(", needs=(b"template",)
)
# template <class T, typename enable_if<is_small<T>::value>::type* = nullptr>
_UNNAMED_POINTER = re.compile(rb">(?:::type)?\s{0,4}(\*)(?=\s{0,4}=\s{0,4}(?:nullptr|0)\s{0,20}[,>])")
# extern template class Store<int>;   template class Store<int>;   extern template void f<int>();
_INSTANCE = late_pattern(
    rb"\n"
    + S
    + rb"((?:extern[ \t]{1,20})?template(?=[ \t]{1,20}(?:class|struct)\b)|extern(?=[ \t]{1,20}template[ \t]))",
    needs=(b"template",),
)
# return typename Store<T>::row(1);
_MADE = late_pattern(
    rb"[=(,\w][ \t]{0,20}\b(typename)(?=" + WHITE + NAME + rb"(?:" + ARGUMENTS + rb")?(?:::" + NAME + rb"(?:"
    + ARGUMENTS + rb")?){1,6}[ \t]{0,20}[({])",
    needs=(b"typename",),
)  # fmt: skip
# (store.*handler)(1)   (store->*handler)(1)
_THROUGH_MEMBER = late_pattern(rb"(?:[A-Za-z_)\]](\.)\*|(->)\*)(?=[A-Za-z_(])", needs=(b".*", b"->*"))
# store->operator[](1)   other.operator<(*this)
_CALLED_OPERATOR = late_pattern(
    rb"(?:->|[\w)\]]\.)\s{0,4}operator([ \t]{0,4}(?:\(\)|\[\]|[-+*/%^&|~!=<>]{1,3}))(?=\s{0,4}\()",
    needs=(b"operator",),
)
# void f(std::vector<int> row = {}, point at = {0, 1})
_LISTED_DEFAULT = re.compile(rb"=[ \t]{0,20}(\{[^{};()A-Za-z_\n]{0,80}\})(?=\s{0,80}[,)])")
# class Store : EMPTY_BASE(Base<T>) {   class Store : public Base, EMPTY_BASES(Left, Right) {
_BASES = re.compile(
    rb"(?:class|struct)\s{1,80}[A-Za-z_]\w{0,200}(?:<[^<>;{}()]{0,200}>)?(?:\s{1,20}final)?\s{0,80}:(?!:)"
    rb"([^;{}]{1,600}+)\{"
)
_BASE_MACRO = re.compile(rb"\b[A-Z_][A-Z0-9_]{2,200}(\()[^()\"]{1,400}(\))(?=\s{0,80}[,{])")

# STORE_TRY {   } STORE_CATCH (const std::exception&) {
_UPPER = rb"[A-Z_][A-Z0-9_]{2,200}"
_HANDLERS = (
    (re.compile(rb"[\s;{})](" + _UPPER + rb"_TRY)(?=\s{0,80}\{)"), b"try"),
    (
        re.compile(rb"\}\s{0,80}(" + _UPPER + rb"_CATCH)(?=\s{0,20}\([^(){};]{1,200}\)[^(){};\n]{0,200}\s{0,80}\{)"),
        b"catch",
    ),
)
"""Macros that expand to the words of an exception handler, and these words."""


def _parameter(match: re.Match[bytes]) -> tuple[Span | None]:
    """Return the span of a macro among the parameters of a template, with the comma before it."""
    content, depth = match.string, 0
    for at in range(match.end() - 1, min(match.end() + _MAX_PARAMETER_LENGTH, len(content))):
        byte = content[at : at + 1]
        depth += (byte == b"(") - (byte == b")")
        if not depth:
            is_last = content[at + 1 : at + 80].lstrip()[:1] in {b",", b">"}
            return ((match.start(2), at + 1) if is_last else None,)
    return (None,)


SHAPES: Shapes = (
    (_EXPLICIT, span_of),
    (_IN_TEMPLATE, span_of),
    (_FORWARD, span_of),
    (_MODULE, span_of),
    (_BEFORE_FRIEND, span_of),
    (_UNNAMED_POINTER, span_of),
    (_INSTANCE, span_of),
    (_MADE, span_of),
    (_OF_MEMBER, span_of),
    (_NEW_POINTERS, span_of),
    (_DELETED, span_of),
    (_OF_CLASS, span_if(is_no_directive)),
    (_PARAMETER, _parameter),
)
"""Shapes of macros that only C++ has."""


def blank_for_cpp(content: bytes) -> bytes:
    """Return the bytes without misplaced macros, and with what the grammar reads in place of what it does not.

    The words of exception handlers stand in place of macros for them.
    """
    blanked = blank_macros(content, SHAPES)
    pointers, defaults = _find_member_pointers(content), _find_listed_defaults(content)
    operators = [each.span(1) for each in islice(_CALLED_OPERATOR.finditer(content), _MAX_PLACES)]
    bases = tuple(_iter_base_macros(content))
    if not (pointers or defaults or operators or bases or b"_CATCH" in content):
        return blanked
    written = bytearray(blanked)
    for start, end in pointers:
        written[start:end] = b"+".ljust(end - start)
    for start, end in defaults:
        written[start:end] = b"0".ljust(end - start)
    for start, end in operators:
        written[start:end] = b"_" * (end - start)
    for start, end in bases:
        written[start : start + 1], written[end - 1 : end] = b"<", b">"
    for shape, word in _HANDLERS if b"_CATCH" in content else ():
        for found in islice(shape.finditer(content), _MAX_PLACES):
            start, end = found.span(1)
            written[start:end] = word.ljust(end - start)
    return bytes(written)


def _find_member_pointers(content: bytes) -> tuple[Span, ...]:
    """Return the spans of the operators `.*` and `->*`, which the grammar does not have."""
    padded = b"\n" + content
    found = (each.span(each.lastindex or 0) for each in islice(_THROUGH_MEMBER.finditer(padded), _MAX_PLACES))
    return tuple((start - 1, end) for start, end in found if is_code(padded, start))


def _find_listed_defaults(content: bytes) -> tuple[Span, ...]:
    """Return the spans of the lists without names that are defaults of parameters, which the grammar does not have."""
    found = (each.span(1) for each in islice(_LISTED_DEFAULT.finditer(content), _MAX_PLACES))
    return tuple(span for span in found if is_code(content, span[0]))


def _iter_base_macros(content: bytes) -> Iterator[Span]:
    """Yield the spans between the parentheses of macros among the bases of a class, with these.

    Between angle brackets the grammar reads them as the arguments of a base, about which nothing else is known.
    """
    for head in _BASES.finditer(content):
        if b"(" in head[1] and is_code(content, head.start()):
            for found in _BASE_MACRO.finditer(content, head.start(1), head.end()):
                yield found.start(1), found.end(2)
