"""Find the literals in a question that files may contain as they are: messages, flags, keys, routes, unknown names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from avionics.index.search.query import Query
from avionics.late_pattern import late_pattern
from avionics.tools.resolution.option_targets import FLAG

_HEADER = late_pattern(r"(?<![\w-])[A-Z]\w*(?:-[A-Z]\w*)+(?![\w-])")
_ROUTE = late_pattern(r"(?<![\w./:<{*])/[\w{}:<>*-]+(?:/[\w{}:<>.*-]+)*/?(?![\w.])")
_HYPHENATED = late_pattern(r"(?<![\w-])[A-Za-z]\w*(?:-\w+)+(?![\w-])")
_QUOTED = late_pattern(r"""`([^`\s]{2,80})`|"([^"\s]{2,80})"|(?<!\w)'([^'\s]{2,80})'(?!\w)""")
_MARKED = late_pattern(r"(?=\S*\w)(?=\S*[^\w\s])\S{2,80}")
_DOTTED_NAME = late_pattern(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_VALUE = late_pattern(r"""["'`][^"'`\n]*["'`]|<[^<>\n]*>|\{[^{}\n]*\}|%[-#0 +.\d]*[a-zA-Z]\b|(?<![\w-])\S*[/\\\d]\S*""")
"""The parts of a message that vary: quoted text, numbers, paths, placeholders."""
_NUMBER = late_pattern(r"(?<![\w.#/-])\d{3,9}(?![\w.%/-]\w|\w)")
"""A number that the code may contain: an exit code, a status, a limit."""
_MAX_WORDS = 15
"""In longer texts numbers are those of lines, versions and issues."""
_SENTENCE = 9
"""The least words of a text that describes something in plain words."""
_MIN_PIECE, _MIN_WORDS, _MAX_PIECES = 8, 2, 3
_MAX_LENGTH = 200


class LiteralQuery(Struct, frozen=True):
    """A literal to search for.

    Attributes:
        text: The literal as written in the question.
        patterns: Regular expressions for it, the most specific first.
        is_specific: Whether the lines that match are what was asked for: a message, a flag, a route.
        is_renamed: Whether the patterns also match the name that code uses for it.
    """

    text: str
    patterns: tuple[str, ...]
    is_specific: bool = True
    is_renamed: bool = False


def find_literals(query: Query, is_name: Callable[[str], bool]) -> tuple[LiteralQuery, ...]:
    """Return the literals in a question, the most specific first; `is_name` returns whether the code defines a name."""
    text = query.text
    if _MARKED.fullmatch(text) and not _DOTTED_NAME.fullmatch(text) and not FLAG.fullmatch(text):
        return (LiteralQuery(text, (re.escape(text),)),)
    found: dict[str, LiteralQuery] = {}
    for each in _iter_literals(query, is_name):
        if len(each.text) <= _MAX_LENGTH:
            found.setdefault(each.text, each)
    return tuple(found.values())


def _iter_literals(query: Query, is_name: Callable[[str], bool]) -> Iterator[LiteralQuery]:
    text = query.text
    for phrase in (each for each in query.phrases if len(each) <= _MAX_LENGTH):
        # People capitalize a message when they quote it, whatever the code does.
        yield LiteralQuery(phrase, (f"(?i){re.escape(phrase)}", *map(re.escape, _find_pieces(phrase))))
    for flag in FLAG.findall(text):
        yield LiteralQuery(flag, (_flag_pattern(flag),), is_renamed=True)
    # In a sentence an acronym, such as "JSON", tells of a thing as other words do.
    is_sentence = len(text.split()) >= _SENTENCE
    for groups in _QUOTED.findall(text):
        quoted = next(filter(None, groups)).removesuffix("()")
        if not is_name(quoted):
            is_word = is_sentence and quoted.isalpha()
            if is_word and not groups[0]:
                # Code has a value in quotes too; without them the word may be anywhere.
                yield LiteralQuery(f'"{quoted}"', (rf"[\"'`]{quoted}[\"'`]",), is_specific=False)
            yield LiteralQuery(quoted, (re.escape(quoted),), is_specific=not is_word)
    for header in _HEADER.findall(text):
        yield LiteralQuery(header, (re.escape(header),))
    for route in _ROUTE.findall(text):
        yield LiteralQuery(route, (re.escape(route),))
    for name in (each for each in query.names if not (is_sentence and each.isalpha() and each.isupper())):
        if not is_name(name):
            yield LiteralQuery(name, (rf"\b{re.escape(name)}\b",), is_specific=False)
    for number in _NUMBER.findall(text) if len(text.split()) <= _MAX_WORDS else ():
        yield LiteralQuery(number, (rf"\b{number}\b",), is_specific=False)
    if len(text.split()) == 1 and text.isidentifier() and not is_name(text):
        yield LiteralQuery(text, (rf"\b{text}\b",), is_specific=False)


def find_texts(query: Query) -> tuple[str, ...]:
    """Return the names in a question that may be text only: flags, quoted words, keys with hyphens."""
    text = query.text
    quoted = (next(filter(None, groups)).removesuffix("()") for groups in _QUOTED.findall(text))
    names = [flag.lstrip("-") for flag in FLAG.findall(text)]
    # A plain word (`--and`) occurs in much other text, so search for it in quotes, as option parsers write it.
    flags = (form for name in names for form in ((f'"{name}"', f"'{name}'") if name.isalpha() else (name,)))
    return tuple(dict.fromkeys((*quoted, *flags, *_HYPHENATED.findall(text), *query.names)))


def find_hyphenated(text: str) -> tuple[str, ...]:
    """Return the words with hyphens and no capital, which may be keys or flags: `history-limit`."""
    return tuple(each for each in _HYPHENATED.findall(text) if each.islower())


def _flag_pattern(flag: str) -> str:
    """Return a pattern for a flag, for its quoted name as in a parser, and for the variable that stores it."""
    name = flag.lstrip("-")
    kept = rf"|\b{re.escape(name.replace('-', '_'))}\b" if "-" in name else ""
    return rf"""{re.escape(flag)}\b|["'`]{re.escape(name)}["'`]{kept}"""


def _find_pieces(message: str) -> tuple[str, ...]:
    """Return the fixed parts of a message, the longest first."""
    parts = (part.strip(" :;,.()[]") for part in _VALUE.split(message))
    telling = [part for part in parts if len(part) >= _MIN_PIECE and len(part.split()) >= _MIN_WORDS]
    return tuple(sorted((part for part in telling if part != message), key=len, reverse=True)[:_MAX_PIECES])
