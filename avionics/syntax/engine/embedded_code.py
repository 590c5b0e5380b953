"""Extract embedded code from files that are only partly code; the rest is blanked, so that lines and columns stay.

Every byte is read a bounded number of times: pages are read tag by tag, notebooks line by line.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter

from avionics.late_pattern import late_pattern

_MAX_LOOK_BACK = 2_000
"""The number of bytes before a place in markup that are searched for the tag or expression around it."""

_MAX_STYLE = 20_000
"""The number of bytes before a place in markup that are searched for the start of a style element."""

_BRACE = late_pattern(rb"[{}]")
_BOUND = late_pattern(rb"\bv-bind\([^()\n]*\Z")
"""The text before an expression in a style: `v-bind(`."""

_OTHER_MARKUP = late_pattern(rb"<template\b[^>]{0,200}\slang\s{0,20}=\s{0,20}[\"']?(?!html\b)\w", re.I)
"""The start of a template in a language other than HTML, such as Pug, in which expressions need no marks."""

_MAX_ATTRIBUTE = 40
"""The maximum length in bytes of the name of an attribute with code and what surrounds it."""

_HANDLER = late_pattern(
    rb"[\s\"'](?:on[a-z]{2,30}|data-bind|(?:x-|v-|ng-|data-ng-|data-on|hx-on|wire:|[@:*(\[])[\w.:()\[\]-]{0,30})\s{0,5}=\Z",
    re.I,
)
"""An attribute whose value is code, of HTML or of libraries that run the attributes of a page."""

_PLAIN = late_pattern(rb"[\s\"'](?!v-|is\s|is=|ref\s|ref=|(?:slot-)?scope\b)[a-z][a-z-]{0,30}\s{0,5}=\Z", re.I)
"""An attribute of a component whose quoted value is text: not bound (`:value`, `v-if`), nor the name of a variable."""

_OPENED = late_pattern(rb"<!--|<script\b", re.I)
_CLOSED = late_pattern(rb"</script[ \t\r\n]{0,100}+>", re.I)
_MARK = late_pattern(rb"<(?:script\b|style\b|[A-Za-z/])", re.I)
_WHOLE = {b"<script": _CLOSED, b"<style": late_pattern(rb"</style[^>]{0,100}>", re.I)}
"""Elements in which tags are text, with their ends."""

_MAX_BRACES = 6
_BRACED = (rb"\{(?>(?:[^{}]++|" * _MAX_BRACES).removesuffix(b"|") + rb")*)\}" * _MAX_BRACES
"""An expression in braces, with braces within it up to a depth."""

_COMPONENT_TAG = late_pattern(rb"(?>(?:[^>\"'{]++|\"[^\"]*+\"|'[^']*+'|" + _BRACED + rb")*)>")
"""The rest of a tag of a component; the values of attributes may be expressions in braces, which may contain `>`."""

_TAG = late_pattern(rb"(?>(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*)>")
_HIDDEN = late_pattern(rb"\s*+<!--[^\n]*+")
"""What hides a script from browsers without scripts: a comment up to the end of its line."""

_TYPE = late_pattern(rb"\btype\s{0,100}+=\s{0,100}+[\"']?([^\"'\s>]*)", re.I)
_GENERICS = late_pattern(rb"\sgenerics?\s{0,20}=\s{0,20}(?:\"([^\"]{1,2000})\"|'([^']{1,2000})')")
_CODE_TYPES = late_pattern(rb"(module|(text|application)/(x-)?(java|ecma|type)script|text/babel)?\Z", re.I)
_BLANK = late_pattern(rb"[^\n]")
_CODE_CELL = late_pattern(rb'"cell_type"\s{0,100}+:\s{0,100}+"code"')
_OTHER_CELL = late_pattern(rb'"cell_type"\s{0,100}+:')
_SOURCE = late_pattern(rb'"source"\s*+:\s*+\[')
_LINE = late_pattern(rb'(\s*+)("(?>(?:[^"\\]++|\\.)*)"),?\s*+\Z')


def scripts(content: bytes) -> bytes:
    """Return a page or a single-file component with everything but its scripts replaced by spaces."""
    code = bytearray(_BLANK.sub(b" ", content))
    for start, end in _iter_scripts(content):
        code[start:end] = content[start:end]
    return bytes(code)


def _iter_scripts(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of each script outside of comments, up to the first that is not closed."""
    at = 0
    while opened := _OPENED.search(content, at):
        if opened[0] == b"<!--":
            # `<!-->` is closed by its own last bytes.
            end = content.find(b"-->", opened.start() + 2)
            if end < 0:
                return
            at = end + 3
            continue
        tag = _TAG.match(content, opened.end())
        closed = _CLOSED.search(content, tag.end()) if tag is not None else None
        if tag is None or closed is None:
            return
        kind = _TYPE.search(content, opened.end(), tag.end())
        if kind is None or _CODE_TYPES.match(kind[1]):
            hidden = _HIDDEN.match(content, tag.end(), closed.start())
            yield hidden.end() if hidden is not None else tag.end(), closed.start()
        at = closed.end()


def iter_generics(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of the type parameters of a component: `<script generics="T extends Item">`."""
    for opened in _OPENED.finditer(content):
        tag = _TAG.match(content, opened.end())
        found = _GENERICS.search(content, opened.end(), tag.end()) if tag is not None else None
        if found is not None:
            yield found.span(found.lastindex or 0)


def is_in_expression(content: bytes, at: int) -> bool:
    """Return whether a byte of a page's markup is in an expression: `{{ … }}`, `{% … %}`, `${…}`, `<% … %>`."""
    least = max(0, at - _MAX_LOOK_BACK)
    start = max(least, content.rfind(b"\n", least, at) + 1)
    opened = content.rfind(b"{", start, at)
    if opened >= 0 and opened > content.rfind(b"}", start, at):
        return True
    opened = content.rfind(b"<%", start, at)
    return opened >= 0 and opened > content.rfind(b"%>", start, at)


def is_in_handler_or_expression(content: bytes, at: int) -> bool:
    """Return whether a byte of a page's markup is in an expression, or in an attribute such as `onclick="run()"`."""
    least = max(0, at - _MAX_LOOK_BACK)
    quotes = (content.rfind(quote, least, at) for quote in (b'"', b"'"))
    opening = (content[max(least, each - _MAX_ATTRIBUTE) : each].rstrip() for each in quotes if each > 0)
    is_handler = any(each.endswith(b"=") and _HANDLER.search(each) for each in opening)
    return is_handler or is_in_expression(content, at)


def is_in_tag_or_expression(content: bytes, at: int) -> bool:
    """Return whether a byte of a component's markup is in a tag, whose attributes may be code, or in an expression.

    An expression may have several lines, `onclick={() => { … }}`; the braces of a style are no expression.
    """
    around = content[max(0, at - _MAX_STYLE) : at]
    if is_in_expression(content, at) or around.rfind(b"<style") > around.rfind(b"</style"):
        return is_in_expression(content, at) or _BOUND.search(around[-_MAX_ATTRIBUTE * 5 :]) is not None
    if _is_opened(around[-_MAX_LOOK_BACK:]) or 0 <= _start_of_other_markup(content) < at:
        return True
    texts = _list_texts(content)
    index = bisect_right(texts, at, key=itemgetter(0)) - 1
    is_in_tag = index < 0 or at >= texts[index][1]
    return is_in_tag and not _is_in_text_of_tag(around[-_MAX_LOOK_BACK:])


def _is_in_text_of_tag(before: bytes) -> bool:
    """Return whether bytes end within the quoted value of an attribute that is text: `class="wide`."""
    quote = max(before.rfind(b'"'), before.rfind(b"'"))
    name = before[max(0, quote - _MAX_ATTRIBUTE) : max(0, quote)]
    return b"{" not in before[quote:] and _PLAIN.search(name) is not None


@lru_cache(maxsize=8)
def _list_texts(content: bytes) -> tuple[tuple[int, int], ...]:
    """Return start and end of each text between the tags of a component, up to the first tag that is not closed."""
    texts, at = [], 0
    while opened := _MARK.search(content, at):
        tag = _COMPONENT_TAG.match(content, opened.end())
        whole = _WHOLE.get(opened[0].lower())
        closed = whole.search(content, tag.end()) if tag is not None and whole is not None else tag
        texts.append((at, opened.start()))
        if closed is None:
            return tuple(texts)
        at = closed.end()
    return (*texts, (at, len(content)))


@lru_cache(maxsize=8)
def _start_of_other_markup(content: bytes) -> int:
    """Return where a component's template in another language than HTML starts; -1 if it has none."""
    found = _OTHER_MARKUP.search(content)
    return found.start() if found is not None else -1


def _is_opened(before: bytes) -> bool:
    """Return whether a text has a brace that is not closed."""
    closed = 0
    for brace in reversed(_BRACE.findall(before)):
        if brace == b"{" and not closed:
            return True
        closed += 1 if brace == b"}" else -1
    return False


def is_never_code(_content: bytes, _at: int) -> bool:
    """Return False: blanked text is never code."""
    return False


def cells(content: bytes) -> bytes:
    """Return the code cells of a notebook as Jupyter writes it, one line of code per line of the file.

    Lines keep their place and their common indentation, which Python's grammar accepts. Magic commands (`%…`, `!…`)
    are not code. A notebook written on one line yields no code.
    """
    lines, is_code, is_source = [], False, False
    for line in content.split(b"\n"):
        code = b""
        if is_source:
            match = _LINE.match(line)
            is_source = match is not None
            code = b" " * (len(match[1]) + 1) + _text(match[2]) if match is not None and is_code else b""
        elif _SOURCE.fullmatch(line.strip()):
            is_source = True
        elif _OTHER_CELL.search(line):
            is_code = _CODE_CELL.search(line) is not None
        lines.append(code)
    return b"\n".join(lines)


def _text(literal: bytes) -> bytes:
    """Return the code in a JSON string without its line end; nothing for magic commands and invalid strings."""
    try:
        text = str(json.loads(literal)).rstrip("\r\n")
    except ValueError:
        return b""
    is_magic = text.lstrip().startswith(("%", "!")) or "\n" in text
    return b"" if is_magic else text.encode("utf-8", "replace")
