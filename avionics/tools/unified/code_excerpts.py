"""Show as much of some code as an answer of the usual length has room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from avionics.model.errors import SourceError
from avionics.model.results import NextStep
from avionics.tools.answers.answer import Section, estimate_tokens
from avionics.tools.answers.items import CodeItem, SymbolItem, number_lines, suggest_reading
from avionics.tools.internal.files.read_file import cut_lines, read_text_lines
from avionics.tools.unified.analyze_answer import make_section

if TYPE_CHECKING:
    from avionics.source.tree import SourceTree
    from avionics.tools.internal.symbols.ranked_search import RankedItem

_MAX_EXCERPTS = 4
_MAX_COMPARED = 2_000
"""Lines of one function that are compared with a question."""
_CODE_SHARE = 0.3
"""The share of the default budget for code; the list before it and the flow after it need the rest."""
_MAX_SHARE = 0.6
"""The largest share of that for one symbol, so that a long function does not displace the second best."""
WHOLE_SHARE = 0.45
"""The share of the default budget for the code of the one symbol that is asked about."""

Span = tuple[str, int, int]
"""A file, a first and a last line."""


def code_section(code: Sequence[CodeItem]) -> Section:
    """Return the section with excerpts."""
    return make_section("code", "code", code, 5.0)


def read_excerpts(
    source: SourceTree, spans: Sequence[Span], share: float = _CODE_SHARE, wanted: frozenset[str] = frozenset()
) -> tuple[CodeItem, ...]:
    """Return the code of some spans, best first, within a share of the default budget; no line is repeated.

    Of code that is too long, the lines with most of the wanted stems are shown.
    """
    room = int(source.settings.default_budget_tokens * share)
    largest = int(room * _MAX_SHARE) if len(spans) > 1 else room
    found: list[CodeItem] = []
    for file, start, end in spans:
        if len(found) == _MAX_EXCERPTS or any(_overlaps(each, file, start, end) for each in found):
            continue
        item = _read(source, file, start, end)
        if item is None:
            continue
        shown = item if _count_tokens(item) <= min(room, largest) else cut_excerpt(item, min(room, largest), wanted)
        if shown is None:
            break
        found.append(shown)
        room -= _count_tokens(shown)
    return tuple(found)


def _read(source: SourceTree, file: str, start: int, end: int) -> CodeItem | None:
    """Return lines of a file, None if it cannot be read any more."""
    try:
        return cut_lines(source, file, read_text_lines(source, file), start, end)
    except SourceError:
        return None


def cut_excerpt(item: CodeItem, tokens: int, wanted: frozenset[str]) -> CodeItem | None:
    """Return the lines of some code that fit and have most of some stems, None if fewer than three fit."""
    if not wanted:
        return item.cut(tokens)
    from avionics.tools.unified.answer_lines import choose_start

    lines = item.text.split("\n")[:_MAX_COMPARED]
    costs = [estimate_tokens(f"{each}\n") for each in number_lines("\n".join(lines), item.start_line)]
    start = choose_start(lines, wanted, costs, tokens - estimate_tokens(item.file))
    return CodeItem(item.file, item.start_line + start, item.end_line, "\n".join(lines[start:])).cut(tokens)


def _count_tokens(item: CodeItem) -> int:
    return estimate_tokens(item.to_text())


def _overlaps(item: CodeItem, file: str, start: int, end: int) -> bool:
    return item.file == file and item.start_line <= end and start <= item.end_line


def is_shown(file: str, line: int, code: Iterable[CodeItem]) -> bool:
    """Return whether a line is in one of the excerpts."""
    return any(_overlaps(item, file, line, line) for item in code)


ItemT = TypeVar("ItemT", "RankedItem", SymbolItem)


def shorten(item: ItemT, code: Iterable[CodeItem]) -> ItemT:
    """Return the item without signature and documentation if an excerpt shows them."""
    if is_shown(item.file, item.start_line, code):
        return structs.replace(item, signature="", doc="")
    return item


def get_rest(span: Span, code: tuple[CodeItem, ...]) -> NextStep | None:
    """Return the step that reads the lines of a span that the excerpts leave out; None if they show all of it."""
    file, start, end = span
    shown = next((item.end_line for item in code if item.file == file and item.start_line == start), start - 1)
    return suggest_reading(file, shown + 1, end) if shown < end else None
