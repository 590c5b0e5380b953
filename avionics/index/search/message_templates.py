"""Match the message templates in code with a printed message, in which values replace the placeholders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from avionics.late_pattern import late_pattern

WORD = late_pattern(r"[^\W\d]\w*(?:['’]\w+)*")
_JOINED_END, _JOINED_START = late_pattern(r"\w\Z"), late_pattern(r"\A[\w'’]+")
_MARK = "\0"
_MAX_STARTS, _MAX_VALUE = 20, 60
"""The number of positions tried for the first words of a text, and the maximum number of words of a value."""


class Template(Struct, frozen=True):
    """The words of a text in order, split at its values.

    Attributes:
        parts: The words between the values.
        joined: For each part whether a value follows its last word directly: `v%d`.
    """

    parts: tuple[tuple[str, ...], ...]
    joined: tuple[bool, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Return all words."""
        return tuple(word for part in self.parts for word in part)


class Fit(Struct, frozen=True):
    """How a template fits a message.

    Attributes:
        start: The first word of the message that it explains.
        end: The word after the last one.
        words: The positions of the words that both have, in order.
        is_whole: Whether all words of the template occur, and those that belong together without a gap.
    """

    start: int
    end: int
    words: tuple[int, ...]
    is_whole: bool


def read_templates(parts: Sequence[str]) -> tuple[Template, ...]:
    """Return the template of a text, given the pattern of its values, and the templates of its lines."""
    lines = _MARK.join(parts).split("\n")
    texts = (parts, *(line.split(_MARK) for line in lines)) if len(lines) > 1 else (parts,)
    return tuple(dict.fromkeys(_read_template(each) for each in texts))


def _read_template(parts: Sequence[str]) -> Template:
    """Return the template of a text; a word that directly follows a value counts as part of it."""
    found, joined = [], []
    for at, part in enumerate(parts):
        words = tuple(read_words(_JOINED_START.sub("", part) if at else part))
        if words:
            found.append(words)
            joined.append(at < len(parts) - 1 and _JOINED_END.search(part) is not None)
    return Template(tuple(found), tuple(joined))


def read_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.replace("’", "'").lower() for word in WORD.findall(text)]


def fit(template: Template, words: Sequence[str], places: dict[str, list[int]]) -> Fit | None:
    """Return the best fit of a template to the words of a message; None if not all of it is there.

    The end of a message may be cut off within the template.
    """
    if not template.parts:
        return None
    best: Fit | None = None
    for start in places.get(template.parts[0][0], ())[:_MAX_STARTS]:
        found = _fit_from(template, words, places, start)
        best = max(filter(None, (best, found)), key=_size, default=None)
    return best


def _size(found: Fit) -> tuple[int, int]:
    """Return how good a fit is: many words, close together."""
    return len(found.words), found.start - found.end


def _fit_from(template: Template, words: Sequence[str], places: dict[str, list[int]], start: int) -> Fit | None:
    at, matched = start, list[int]()
    for number, part in enumerate(template.parts):
        starts = places.get(part[0], ()) if number else (start,)
        near = (each for each in starts if at <= each <= at + _MAX_VALUE)
        is_joined = template.joined[number]
        begin = next((each for each in near if _stands_at(part, words, each, is_joined=is_joined)), None)
        if begin is None:
            return None
        at = min(begin + len(part), len(words))
        matched += range(begin, at)
        if at == len(words):
            break
    return Fit(start, at, tuple(matched), is_whole=True)


def _stands_at(part: Sequence[str], words: Sequence[str], start: int, *, is_joined: bool) -> bool:
    """Return whether the words of a part follow each other from a word on, perhaps cut off by the message's end."""
    there = words[start : start + len(part)]
    if list(part[: len(there)]) == list(there):
        return len(there) == len(part) or len(there) > 1
    return is_joined and list(part[:-1]) == list(there[:-1]) and there[-1].startswith(part[-1])


def fit_partly(template: Template, words: Sequence[str]) -> Fit | None:
    """Return how a template fits a message that has only some of its words in order; None if it has none."""
    from difflib import SequenceMatcher

    there = template.words
    blocks = SequenceMatcher(None, there, words, autojunk=False).get_matching_blocks()
    matched = tuple(at for block in blocks for at in range(block.b, block.b + block.size))
    return Fit(matched[0], matched[-1] + 1, matched, is_whole=False) if matched else None


def list_places(words: Sequence[str]) -> dict[str, list[int]]:
    """Return the positions of each word."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        places[word].append(at)
    return dict(places)
