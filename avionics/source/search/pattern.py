r"""Patterns: the regular expressions of text search, the same for every engine.

A match lies within one line. The language, common to ripgrep and the Python engine:

    x  \x  .            a character, an escaped punctuation character, any character
    [a-z] [^a-z]        a set; \w \d \s \W \D \S stand alone or in sets, as Unicode defines them
    \t \r \f \v \xHH \uHHHH \x{H…} \u{H…}
    ^ $ \b              start and end of the line (before a carriage return), word boundary
    ab  a|b  (a)  (?:a) (?P<n>a)
    * + ? {m} {m,} {m,n}  each also with a following `?`
    (?i)                at the start: ignore case

Look-around, back-references, possessive and atomic groups and other flags are rejected, because an engine with linear
time cannot support them. A brace that begins no repetition is literal.
"""

from __future__ import annotations

import re

from msgspec import Struct

from avionics.model.errors import UsageError

MAX_PATTERN_CHARACTERS = 2_000
MAX_PATTERN_SIZE = 10_000
"""The limit of positions after repetitions are expanded; bounds the automaton."""
MAX_REPEAT = 1_000
MAX_GROUP_DEPTH = 50
MAX_FOLDED_RANGE = 2_000
"""A longer range already contains both cases, or no letters with cases."""
LAST_CHARACTER = 0x10FFFF


class Characters(Struct, frozen=True):
    """One character out of ranges and classes (`w`, `d`, `s`, upper case for their complements), or any other one."""

    ranges: tuple[tuple[int, int], ...] = ()
    classes: str = ""
    negated: bool = False


class Assertion(Struct, frozen=True):
    """A position between characters: `^`, `$` or `b`."""

    kind: str


class Sequence(Struct, frozen=True):
    """A concatenation."""

    parts: tuple[Node, ...] = ()


class Choice(Struct, frozen=True):
    """An alternation."""

    options: tuple[Node, ...]


class Repeat(Struct, frozen=True):
    """A repetition from `low` to `high` times (None: unbounded)."""

    part: Node
    low: int
    high: int | None


Node = Characters | Assertion | Sequence | Choice | Repeat


def parse_pattern(text: str, *, literal: bool = False, case_sensitive: bool = True) -> Node:
    """Parse a pattern. Raise `UsageError` if the pattern is invalid; the message says where and why."""
    if not text:
        raise UsageError("the pattern is empty", hint="give the text to look for")
    if len(text) > MAX_PATTERN_CHARACTERS:
        raise UsageError(f"the pattern is longer than {MAX_PATTERN_CHARACTERS} characters", hint="shorten it")
    if not literal and text.startswith("(?i)"):
        text, case_sensitive = text[4:], False
    parser = _Parser(text, not case_sensitive)
    return parser.literal() if literal else parser.whole()


class _Parser:
    """A recursive-descent parser of a pattern."""

    def __init__(self, text: str, fold: bool) -> None:
        self._text = text
        self._at = 0
        self._fold = fold
        self._depth = 0

    def literal(self) -> Node:
        return Sequence(tuple(self._single(ord(character)) for character in self._text))

    def whole(self) -> Node:
        node = self._choice()
        if self._at < len(self._text):
            raise self._error("an unopened closing parenthesis", "write \\)")
        if size(node) > MAX_PATTERN_SIZE:
            raise UsageError("the pattern's repetitions are too large", hint="use smaller counts, or * and +")
        return node

    def _choice(self) -> Node:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            parts.append(self._repeated())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self) -> Node:
        start = self._at
        bounds = self._bounds()
        if bounds is not None:
            self._at = start
            raise self._error("nothing to repeat", f"write \\{self._text[start]}")
        part = self._atom()
        bounds = self._bounds()
        if bounds is None:
            return part
        low, high = bounds
        if (high is not None and high < low) or max(low, high or 0) > MAX_REPEAT:
            raise self._error(f"a repetition that is not within 0 to {MAX_REPEAT}", "use smaller counts")
        self._take("?")
        if self._at < len(self._text) and self._bounds() is not None:
            raise self._error("a repetition of a repetition", "put the first into (?:…)")
        return Repeat(part, low, high)

    def _bounds(self) -> tuple[int, int | None] | None:
        """Parse the repetition that starts here, if any."""
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return bounds
        counted = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{1,9})?)?\}").match(self._text, self._at)
        if counted is None:
            return None
        self._at = counted.end()
        low = int(counted[1])
        if counted[3]:
            return low, int(counted[3])
        return low, None if counted[2] else low

    def _atom(self) -> Node:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return self._set()
        if character == ".":
            return Characters(negated=True)
        if character == "^":
            return Assertion("^")
        if character == "$":
            return Sequence((Repeat(Characters(((13, 13),)), 0, 1), Assertion("$")))
        if character != "\\":
            return self._single(ord(character))
        if self._take("b"):
            return Assertion("b")
        name, code = self._escape()
        return Characters(classes=name) if name else self._single(code)

    def _group(self) -> Node:
        if self._take("?"):
            opened = re.compile(r":|P?<[A-Za-z_]\w*>").match(self._text, self._at)
            if opened is None:
                raise self._error(
                    "look-around, flags, back-references and atomic groups are not supported",
                    "search for the plain part; (?i) is allowed at the start",
                )
            self._at = opened.end()
        self._depth += 1
        if self._depth > MAX_GROUP_DEPTH:
            raise self._error(f"groups nested deeper than {MAX_GROUP_DEPTH}", "simplify it")
        node = self._choice()
        if not self._take(")"):
            raise self._error("an unclosed parenthesis", "close it, or write \\(")
        self._depth -= 1
        return node

    def _set(self) -> Node:
        start = self._at
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        classes = ""
        first = True
        while first or not self._take("]"):
            first = False
            if self._at >= len(self._text):
                self._at = start
                raise self._error("an unclosed bracket", "close it, or write \\[")
            name, low = self._member()
            classes += name
            if name:
                continue
            high = self._range_end(low)
            ranges += self._folded(low, high)
        return Characters(tuple(sorted(set(ranges))), "".join(sorted(set(classes))), negated)

    def _range_end(self, low: int) -> int:
        text = self._text
        if text[self._at : self._at + 1] != "-" or text[self._at + 1 : self._at + 2] in {"]", ""}:
            return low
        self._at += 1
        name, high = self._member()
        if name or high < low:
            raise self._error("a range in descending order", "put the lower end first")
        return high

    def _member(self) -> tuple[str, int]:
        """Parse a class or a character within brackets."""
        here = self._text[self._at : self._at + 2]
        if here in {"[:", "[.", "[=", "&&", "~~", "--"}:
            raise self._error(f"{here} within brackets", "escape it, or use \\w, \\d, \\s")
        character = self._next()
        if character != "\\":
            return "", self._code(ord(character))
        return ("", 8) if self._take("b") else self._escape()

    def _escape(self) -> tuple[str, int]:
        """Parse a class or a character after a backslash."""
        if self._at >= len(self._text):
            raise self._error("a backslash at the end", "write \\\\")
        coded = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[xu]\{([0-9A-Fa-f]{1,6})\}").match(
            self._text, self._at
        )
        if coded is not None:
            self._at = coded.end()
            return "", self._code(int(coded[coded.lastindex or 1], 16))
        character = self._next()
        if character in "wdsWDS":
            return character, 0
        if character in "trfv":
            return "", ord({"t": "\t", "r": "\r", "f": "\f", "v": "\v"}[character])
        if character.isascii() and character.isalnum():
            self._at -= 1
            if character == "n":
                raise self._error("\\n: a match lies within one line", "search for one of the lines")
            if character.isdigit():
                raise self._error("back-references are not supported", "search for the plain part")
            raise self._error(f"an unknown escape \\{character}", "see the pattern language of the search tool")
        return "", self._code(ord(character))

    def _single(self, code: int) -> Characters:
        return Characters(tuple(sorted(set(self._folded(self._code(code), code)))))

    def _folded(self, low: int, high: int) -> list[tuple[int, int]]:
        """Return the range, with the other case of its characters if case does not matter."""
        if not self._fold or high - low > MAX_FOLDED_RANGE:
            return [(low, high)]
        others = {other for code in range(low, high + 1) for other in (chr(code).lower(), chr(code).upper())}
        return [(low, high), *((ord(other), ord(other)) for other in others if len(other) == 1)]

    def _code(self, code: int) -> int:
        if code == 10:
            raise self._error("a newline: a match lies within one line", "search for one of the lines")
        if 0xD800 <= code <= 0xDFFF or code > LAST_CHARACTER:
            raise self._error("an invalid character", "leave it out, or write . in its place")
        return code

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _take(self, expected: str) -> bool:
        if self._text.startswith(expected, self._at):
            self._at += len(expected)
            return True
        return False

    def _error(self, reason: str, hint: str) -> UsageError:
        return UsageError(f"invalid search pattern at character {self._at + 1}: {reason}", hint=hint)


def size(node: Node) -> int:
    """Return the number of positions of the pattern with its repetitions expanded."""
    match node:
        case Sequence(parts):
            return 1 + sum(map(size, parts))
        case Choice(options):
            return 1 + sum(map(size, options))
        case Repeat(part, low, high):
            return 1 + size(part) * max(low, high or 1, 1)
        case _:
            return 1


def to_ripgrep(node: Node) -> str:
    """Return the pattern in ripgrep's syntax; nothing in it can be mistaken for an option or another construct."""
    match node:
        case Characters():
            return _write_characters(node)
        case Assertion("b"):
            return r"\b"
        case Assertion(kind):
            return kind
        case Sequence(parts):
            return "".join(map(to_ripgrep, parts)) or "(?:)"
        case Choice(options):
            return f"(?:{'|'.join(map(to_ripgrep, options))})"
        case Repeat(part, low, high):
            return f"(?:{to_ripgrep(part)}){{{low},{'' if high is None else high}}}"


def _write_characters(node: Characters) -> str:
    """Return a set of characters in ripgrep's syntax."""
    if not node.ranges and not node.classes:
        return "." if node.negated else r"[^\x{0}-\x{10FFFF}]"
    first, last = node.ranges[0] if node.ranges else (-1, -1)
    if first == last and len(node.ranges) == 1 and not node.classes and not node.negated:
        character = chr(first)
        return character if character.isalnum() or character == "_" else f"\\x{{{first:X}}}"
    ranges = "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in node.ranges)
    classes = "".join(f"\\{name}" for name in node.classes)
    opening = "[^" if node.negated else "["
    return f"{opening}{classes}{ranges}]"
