"""Find the lines of code that answer a question, and the places that a question in plain words may mean.

People seldom describe what a program does in the words of its code, so that the best match is often wrong. A list of
likely places with the lines that speak for them can be judged at a glance; a long excerpt of one cannot.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, takewhile
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.search.query import stems_of
from avionics.index.search.synonyms import meanings_of
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind, is_class
from avionics.model.errors import SourceError
from avionics.tools.answers.answer import shorten
from avionics.tools.answers.items import first_sentence, number_lines
from avionics.tools.internal.files.read_file import read_text_lines

if TYPE_CHECKING:
    from avionics.index.search.query import Query
    from avionics.model.knowledge import RankedSymbol
    from avionics.source.tree import SourceTree
    from avionics.tools.internal.symbols.ranked_search import RankedItem

COMMENTS = ("//", "/*", "*", "#", "--", "<!--", ";")
"""How a line with only a comment begins."""
_WORD = late_pattern(r"[^\W\d]\w*")
_DOCSTRING = late_pattern(r"[a-zA-Z]?(\"\"\"|''')")
_MAX_LINES = 2_000
_PROSE = 0.3
"""The weight of a stem in a comment relative to one in code."""
_ANY, _AGAIN = 0.5, 0.6
"""The weight of a stem that is there at all, and of each line that has it, relative to how rare it is."""
MAX_RANKED = 60
"""The number of matches that are put in order by the lines that have the words of a question together."""
_WINDOW = 6
"""Words within this many lines are together."""
_TOGETHER, _COVERED, _DOES = 0.2, 0.1, 0.1
"""What code gains over the score of its match if few lines have all words of the question that any of them has, if it
has all these words anywhere, and if it is a function that does more than set or return a value; if not, it loses."""
_SHORT = 6
"""So many lines do not decide much: they set a value, return one or hand a call on."""
_SHOWN = (4, 3, 3, 3)
"""Lines shown of the first places; of each further place one is."""
_MAX_LINE, _MAX_DOC = 110, 80
_ROOM = 2_200
"""Characters for all places; further ones are left out."""
_MAX_COMMENT = 20
"""Lines of a comment above a definition that may be shown."""
FUNCTIONS = frozenset({SymbolKind.FUNCTION.value, SymbolKind.METHOD.value, SymbolKind.PROPERTY.value})
_TYPES = frozenset(each.value for each in SymbolKind if is_class(each) or each is SymbolKind.TYPE)


class LikelyPlace(Struct, frozen=True):
    """A place that may be meant, and the lines that speak for it.

    Attributes:
        file: The file.
        start_line: The first line of the definition, or of the part of a module.
        end_line: Its last line.
        symbol: The qualified name of the definition; "" for a part of a module.
        score: How well it matches.
        kind: The word for the definition's kind.
        doc: Its documentation.
        line: The number of the first line of `text`.
        text: Lines of it, or of the comment above it.
    """

    file: str
    start_line: int
    end_line: int
    symbol: str
    score: float
    kind: str
    doc: str
    line: int
    text: str

    def to_text(self) -> str:
        """Return a line with the place, and its lines below."""
        name = f" {self.symbol}" if self.symbol else ""
        doc = shorten(first_sentence(self.doc), _MAX_DOC)
        head = f"{self.file}:{self.start_line}-{self.end_line} {self.kind}{name}{doc}"
        lines = number_lines(self.text, self.line) if self.text else ()
        return "\n".join([head, *(shorten(each, _MAX_LINE) for each in lines)])


def get_share(source: SourceTree, symbol: RankedSymbol, wanted: frozenset[str]) -> float:
    """Return the share of some stems that a symbol's code, name and path have, or words with the same meaning."""
    said = set(_list_stems(f"{symbol.file} {symbol.symbol} {symbol.doc}"))
    for line in _read(source, symbol.file, symbol.start_line, symbol.end_line):
        said.update(_list_stems(line))
    return sum(not said.isdisjoint(meanings_of(each)) for each in wanted) / len(wanted) if wanted else 1.0


def choose_start(lines: Sequence[str], wanted: frozenset[str], costs: Sequence[int], room: int) -> int:
    """Return the index of the first line of the window, as long as there is room for, that has most of some stems.

    A stem that few lines have says more about where the answer is, and code says more than comments. The first line
    has the name, which the list of matches shows as well.
    """
    found = [frozenset(_list_stems(line)) & wanted for line in lines]
    weights = [_PROSE if is_prose else 1.0 for is_prose in _iter_prose(lines)]
    weights[:1] = [_PROSE]
    rarity = {stem: 1 / math.sqrt(count) for stem, count in Counter(chain.from_iterable(found)).items()}
    until = list(accumulate(costs, initial=0))
    best, at = 0.0, 0
    for first in range(len(lines)):
        last = bisect.bisect_right(until, until[first] + room) - 1
        said: dict[str, float] = {}
        score = 0.0
        for weight, stems in zip(weights[first:last], found[first:last], strict=True):
            for stem in stems:
                said[stem] = max(said.get(stem, 0.0), weight)
                score += _AGAIN * weight * rarity[stem]
        score += sum(weight * (_ANY + rarity[stem]) for stem, weight in said.items())
        if score > best:
            best, at = score, first
        if last == len(lines):
            break
    return at


def rank_places(source: SourceTree, symbols: Sequence[RankedSymbol], query: Query) -> tuple[RankedSymbol, ...]:
    """Return matches in the order of their scores, higher if few lines have many of the words of a question."""
    terms, ideas = query.terms, query.ideas
    found = [
        [terms.keys() & _list_stems(line) for line in _read(source, each.file, each.start_line, each.end_line)]
        for each in symbols
    ]
    having = Counter(chain.from_iterable(set().union(*lines) for lines in found))
    worth = {stem: terms[stem] * math.log(1 + len(symbols) / count) for stem, count in having.items()}
    near = _scale_to_largest(
        [
            max((_add_up(worth, ideas, lines[at : at + _WINDOW]) for at in range(len(lines))), default=0.0)
            for lines in found
        ]
    )
    covered = _scale_to_largest([_add_up(worth, ideas, lines) for lines in found])
    gained = [
        each.score + _TOGETHER * near[at] + _COVERED * covered[at] + _DOES * _does(each)
        for at, each in enumerate(symbols)
    ]
    return tuple(symbols[at] for at in sorted(range(len(symbols)), key=lambda at: -gained[at]))


def _does(symbol: RankedSymbol) -> int:
    """Return 1 for a function of more than `_SHORT` lines, -1 for a shorter one, -2 for a type, 0 for anything else."""
    if symbol.kind in FUNCTIONS:
        return 1 if symbol.end_line - symbol.start_line >= _SHORT else -1
    return -2 if symbol.kind in _TYPES else 0


def _add_up(worth: Mapping[str, float], ideas: Mapping[str, str], lines: Sequence[set[str]]) -> float:
    """Return what the stems of some lines are worth, of those that stand for the same word only the best one."""
    best: dict[str, float] = {}
    for each in set().union(*lines):
        idea = ideas.get(each, each)
        best[idea] = max(worth[each], best.get(idea, 0.0))
    return sum(best.values())


def _scale_to_largest(values: Sequence[float]) -> list[float]:
    """Return values relative to the largest."""
    largest = max(values, default=0.0) or 1.0
    return [each / largest for each in values]


def list_places(source: SourceTree, items: Sequence[RankedItem], wanted: frozenset[str]) -> tuple[LikelyPlace, ...]:
    """Return the matches with the lines of each that have most of some stems, as many as there is room for."""
    places: list[LikelyPlace] = []
    room = _ROOM
    for number, each in enumerate(items):
        count = _SHOWN[number] if number < len(_SHOWN) else 1
        first = _get_comment_start(source, each.file, each.start_line)
        lines = _read(source, each.file, first, each.end_line)
        start = choose_start(lines, wanted, [1] * len(lines), count) if len(lines) > count else 0
        place = LikelyPlace(
            each.file, each.start_line, each.end_line, each.symbol, each.score, each.word or each.kind, each.doc,
            first + start, "\n".join(lines[start : start + count]),
        )  # fmt: skip
        room -= len(place.to_text())
        if places and room < 0:
            break
        places.append(place)
    return tuple(places)


def _get_comment_start(source: SourceTree, file: str, line: int) -> int:
    """Return the first line of the comment directly above a line, the line itself if there is none."""
    first = max(1, line - _MAX_COMMENT)
    above = _read(source, file, first, line - 1) if line > 1 else []
    return line - len(list(takewhile(lambda text: text.strip().startswith(COMMENTS), reversed(above))))


def _iter_prose(lines: Iterable[str]) -> Iterator[bool]:
    """Yield for each line whether it is a comment or of a documentation string."""
    closing = ""
    for line in lines:
        text = line.strip()
        opened = None if closing else _DOCSTRING.match(text)
        yield bool(closing or opened) or (text.startswith(COMMENTS) and not text.startswith("#["))
        if closing:
            closing = "" if closing in text else closing
        elif opened and opened[1] not in text[opened.end() :]:
            closing = opened[1]


def _list_stems(text: str) -> list[str]:
    return [stem for word in _WORD.findall(text) for stem in stems_of(word)]


def _read(source: SourceTree, file: str, start: int, end: int) -> list[str]:
    """Return at most `_MAX_LINES` lines of a file, the last one included; none if it can no longer be read."""
    try:
        return list(read_text_lines(source, file)[start - 1 : min(end, start + _MAX_LINES)])
    except SourceError:
        return []
