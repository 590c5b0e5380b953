"""Literals: what a question quotes that files would hold as it stands: messages, flags, keys, routes, unknown names.

Knows: how people and programs write such things within sentences.
Does not know: any codebase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import attrs

from avionics.index.search.query import read_query

_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*\w")
_HEADER = re.compile(r"(?<![\w-])[A-Z]\w*(?:-[A-Z]\w*)+(?![\w-])")
_ROUTE = re.compile(r"(?<![\w./:<{*])/[\w{}:<>*-]+(?:/[\w{}:<>.*-]+)*/?(?![\w.])")
_QUOTED = re.compile(r"""`([^`\s]{2,80})`|"([^"\s]{2,80})"|(?<!\w)'([^'\s]{2,80})'(?!\w)""")
_MARKED = re.compile(r"(?=\S*\w)(?=\S*[^\w\s])\S{2,80}")
_DOTTED_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_VALUE = re.compile(r"""["'`][^"'`\n]*["'`]|<[^<>\n]*>|\{[^{}\n]*\}|%[-#0 +.\d]*[a-zA-Z]\b|(?<![\w-])\S*[/\\\d]\S*""")
"""What differs from one print of a message to the next: quoted text, numbers, paths, places for values."""
_MIN_PIECE, _MIN_WORDS, _MAX_PIECES = 8, 2, 3
_MAX_LENGTH = 200


@attrs.frozen
class LiteralQuery:
    """Something to look for as it stands.

    Attributes:
        said: What the question has.
        patterns: How files may have it, as regular expressions, the surest first.
        is_whole: Whether a line with it is rather what was asked for than any other: a message, a flag, a route.
        is_renamed: Whether lines with the name that code has for it count, too.
    """

    said: str
    patterns: tuple[str, ...]
    is_whole: bool = True
    is_renamed: bool = False


def find_literals(text: str, is_name: Callable[[str], bool]) -> tuple[LiteralQuery, ...]:
    """What a text quotes, the most telling first, once each.

    Args:
        text: A question, an issue, a word.
        is_name: Whether a definition of the code at hand has a name.
    """
    if _MARKED.fullmatch(text) and not _DOTTED_NAME.fullmatch(text) and not _FLAG.fullmatch(text):
        return (LiteralQuery(text, (re.escape(text),)),)
    found: dict[str, LiteralQuery] = {}
    for each in _iter_literals(text, is_name):
        if len(each.said) <= _MAX_LENGTH:
            found.setdefault(each.said, each)
    return tuple(found.values())


def _iter_literals(text: str, is_name: Callable[[str], bool]) -> Iterator[LiteralQuery]:
    query = read_query(text)
    for phrase in (each for each in query.phrases if len(each) <= _MAX_LENGTH):
        yield LiteralQuery(phrase, (re.escape(phrase), *map(re.escape, _find_pieces(phrase))))
    for flag in _FLAG.findall(text):
        yield LiteralQuery(flag, (_flag_pattern(flag),), is_renamed=True)
    for groups in _QUOTED.findall(text):
        quoted = next(filter(None, groups)).removesuffix("()")
        if not is_name(quoted):
            yield LiteralQuery(quoted, (re.escape(quoted),))
    for header in _HEADER.findall(text):
        yield LiteralQuery(header, (re.escape(header),))
    for route in _ROUTE.findall(text):
        yield LiteralQuery(route, (re.escape(route),))
    for name in query.names:
        if not is_name(name):
            yield LiteralQuery(name, (rf"\b{re.escape(name)}\b",), is_whole=False)
    if len(text.split()) == 1 and text.isidentifier() and not is_name(text):
        yield LiteralQuery(text, (rf"\b{text}\b",), is_whole=False)


def _flag_pattern(flag: str) -> str:
    """A flag as it stands, its name in quotes as parsers are told of it, and as the variable that it is kept in."""
    name = flag.lstrip("-")
    kept = rf"|\b{re.escape(name.replace('-', '_'))}\b" if "-" in name else ""
    return rf"""{re.escape(flag)}\b|["'`]{re.escape(name)}["'`]{kept}"""


def _find_pieces(message: str) -> tuple[str, ...]:
    """The parts of a message that every print of it has, the longest first."""
    parts = (part.strip(" :;,.()[]") for part in _VALUE.split(message))
    telling = [part for part in parts if len(part) >= _MIN_PIECE and len(part.split()) >= _MIN_WORDS]
    return tuple(sorted((part for part in telling if part != message), key=len, reverse=True)[:_MAX_PIECES])
