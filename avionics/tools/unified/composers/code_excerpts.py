"""Shown code: as much of some spans as an answer of the usual length has room for.

Knows: what code costs, and what of it a list beside it need not say again.
Does not know: questions, why a span is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import attrs

from avionics.tools.answers.answer import estimate_tokens
from avionics.tools.answers.items import CodeItem, SymbolItem
from avionics.tools.resilient.read_code import read_code

if TYPE_CHECKING:
    from avionics.tools.resolution.ranked_search import RankedItem
    from avionics.workspace import Workspace

_MAX_CODE = 4
_CODE_SHARE = 0.55
"""How much of a usual answer code may take: the list before it and the flow after it need the rest."""
_MAX_SHARE = 0.6
"""How much of that one symbol may take, so that a long function does not push out the second best."""
WHOLE_SHARE = 0.65
"""How much of a usual answer the code of the one symbol asked about may take."""


def read_spans(
    workspace: Workspace, spans: Sequence[tuple[str, int, int]], share: float = _CODE_SHARE
) -> tuple[CodeItem, ...]:
    """The code of some spans, best first, as far as that share of the usual budget goes; no line twice."""
    room = int(workspace.settings.default_budget_tokens * share)
    largest = int(room * _MAX_SHARE) if len(spans) > 1 else room
    found: list[CodeItem] = []
    for file, start, end in spans:
        if len(found) == _MAX_CODE or any(_overlaps(each, file, start, end) for each in found):
            continue
        for item in read_code(workspace, file, start, end).code:
            shown = item if _cost(item) <= min(room, largest) else item.cut(min(room, largest))
            if shown is None:
                return tuple(found)
            found.append(shown)
            room -= _cost(shown)
    return tuple(found)


def _cost(item: CodeItem) -> int:
    return estimate_tokens(item.to_text())


def _overlaps(item: CodeItem, file: str, start: int, end: int) -> bool:
    return item.file == file and item.start_line <= end and start <= item.end_line


def is_shown(file: str, line: int, code: Iterable[CodeItem]) -> bool:
    """Whether a line is shown as code."""
    return any(item.file == file and item.start_line <= line <= item.end_line for item in code)


ItemT = TypeVar("ItemT", "RankedItem", SymbolItem)


def shorten(item: ItemT, code: Iterable[CodeItem]) -> ItemT:
    """The item without what the code below says already."""
    if is_shown(item.file, item.start_line, code):
        return attrs.evolve(item, signature="", doc="")
    return item


def get_rest(span: tuple[str, int, int], code: tuple[CodeItem, ...]) -> str:
    """How to read what of a span is not shown, "" when all of it is."""
    file, start, end = span
    shown = next((item.end_line for item in code if item.file == file and item.start_line == start), start - 1)
    return f"read_code(path={file!r}, start_line={shown + 1}, end_line={end}) for the rest" if shown < end else ""
