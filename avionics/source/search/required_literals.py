"""Find the required literals of a pattern: the words, or parts of words, that every match contains.

A match that contains a run of word characters lies where a word of the text contains that run. A run between
characters that belong to no word is a whole word of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from avionics.late_pattern import late_pattern
from avionics.source.search.pattern import Assertion, Characters, Choice, Node, Repeat, Sequence

_DIGITS = "0123456789"
_WORD = late_pattern(r"[A-Za-z0-9_]")
"""Engines disagree on what a word is outside of ASCII."""


class Literal(Struct, frozen=True):
    """Consecutive word characters.

    Attributes:
        text: Without leading digits, with which no word begins; lower case if folded.
        is_whole: Whether they are a whole word, apart from leading digits.
        is_folded: Whether to ignore case.
    """

    text: str
    is_whole: bool
    is_folded: bool


class AllOf(Struct, frozen=True):
    """Every match contains all of these."""

    needs: tuple[Need, ...] = ()


class AnyOf(Struct, frozen=True):
    """Every match contains at least one of these."""

    needs: tuple[Need, ...]


Need = Literal | AllOf | AnyOf


def read_required(node: Node) -> AllOf:
    """Return the words that every match of a pattern contains."""
    reading = _Reading()
    for part in _iter_flat(node):
        reading.take(part)
    return reading.end(is_bound=False)


class _Reading:
    """The state of reading a sequence, part by part."""

    def __init__(self) -> None:
        self._needs: list[Need] = []
        self._run: list[str] = []
        self._is_folded = False
        self._is_bound = False

    def take(self, part: Node) -> None:
        letter = _get_letter(part)
        if letter is not None:
            self._run.append(letter[0])
            self._is_folded |= letter[1]
            return
        is_bound = _is_no_word(part)
        self.end(is_bound)
        self._is_bound = is_bound
        match part:
            case Repeat(inner, low, _) if low > 0:
                self._needs.extend(read_required(inner).needs)
            case Choice(options):
                every = tuple(read_required(option) for option in options)
                if all(each.needs for each in every):
                    self._needs.append(AnyOf(every))

    def end(self, is_bound: bool) -> AllOf:
        """End the current run, if any, and return the requirements found so far."""
        text = "".join(self._run).lstrip(_DIGITS)
        if text:
            folded = text.lower() if self._is_folded else text
            self._needs.append(Literal(folded, self._is_bound and is_bound, self._is_folded))
        self._run.clear()
        self._is_folded = False
        return AllOf(tuple(self._needs))


def _iter_flat(node: Node) -> Iterator[Node]:
    """Yield the parts of a sequence, including those of nested sequences."""
    if isinstance(node, Sequence):
        for part in node.parts:
            yield from _iter_flat(part)
    else:
        yield node


def _get_letter(node: Node) -> tuple[str, bool] | None:
    """Return the one word character that a node matches, and whether it ignores case."""
    if not isinstance(node, Characters) or node.classes or node.negated:
        return None
    if any(low != high for low, high in node.ranges):
        return None
    letters = {chr(low) for low, _ in node.ranges}
    lower = {letter.lower() for letter in letters}
    if len(lower) != 1 or not all(map(_WORD.fullmatch, letters)):
        return None
    return (lower if len(letters) > 1 else letters).pop(), len(letters) > 1


def _is_no_word(node: Node) -> bool:
    """Return whether a node certainly matches a character that ends any word.

    The end of a line does not count, because overlong lines are cut; nor does a word boundary, on which engines
    disagree.
    """
    match node:
        case Assertion("^"):
            return True
        case Characters(ranges, classes, False) if (ranges or classes) and classes in {"", "s"}:
            return all(high < 128 for _, high in ranges) and not any(map(_WORD.match, _iter_characters(ranges)))
        case Repeat(part, low, _):
            return low > 0 and _is_no_word(part)
        case _:
            return False


def _iter_characters(ranges: Iterable[tuple[int, int]]) -> Iterator[str]:
    return (chr(code) for low, high in ranges for code in range(low, high + 1))
