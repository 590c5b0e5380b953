"""Required text: the words, or parts of words, that every match of a pattern holds.

A match that holds a run of word characters lies where a word of the text holds that run. A run between characters
that belong to no word is a word of the text by itself.

Knows: pattern trees.
Does not know: texts, where words are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import attrs

from avionics.source.search.pattern import Assertion, Characters, Choice, Node, Repeat, Sequence

_DIGITS = "0123456789"
_WORD = re.compile(r"[A-Za-z0-9_]")
"""Outside of ASCII, engines do not agree on what a word is."""


@attrs.frozen
class Literal:
    """Word characters that follow one another.

    Attributes:
        text: They, without leading digits, which no word begins with; in lower case when folded.
        is_whole: Whether they are all of a word, but for leading digits.
        is_folded: Whether upper and lower case are alike.
    """

    text: str
    is_whole: bool
    is_folded: bool


@attrs.frozen
class AllOf:
    """Every one of them; nothing when there are none."""

    needs: tuple[Need, ...] = ()


@attrs.frozen
class AnyOf:
    """At least one of them."""

    needs: tuple[Need, ...]


Need = Literal | AllOf | AnyOf


def read_required(node: Node) -> AllOf:
    """What every match of a pattern holds."""
    reading = _Reading()
    for part in _iter_flat(node):
        reading.take(part)
    return reading.end(is_bound=False)


class _Reading:
    """A sequence, read part by part."""

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
        """Ends a run, if one is under way; what was found so far."""
        text = "".join(self._run).lstrip(_DIGITS)
        if text:
            folded = text.lower() if self._is_folded else text
            self._needs.append(Literal(folded, self._is_bound and is_bound, self._is_folded))
        self._run.clear()
        self._is_folded = False
        return AllOf(tuple(self._needs))


def _iter_flat(node: Node) -> Iterator[Node]:
    """The parts of a sequence, those of sequences within it too."""
    if isinstance(node, Sequence):
        for part in node.parts:
            yield from _iter_flat(part)
    else:
        yield node


def _get_letter(node: Node) -> tuple[str, bool] | None:
    """The one word character that a node stands for, and whether in either case."""
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
    """Whether what a node stands for surely is there, and ends any word.

    The end of a line is none: overlong lines are cut. Nor is a word's boundary, on which engines do not agree.
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
