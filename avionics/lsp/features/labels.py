"""Resolve labels: the target of a jump, and the jumps to it.

Labels belong to one function and are separate from all other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.lsp.types import Position
from avionics.lsp.view import View
from avionics.tools.edits.source_text import Place

_NAME = re.compile(r"\w+")


def find_label(view: View, file: str, position: Position) -> tuple[Place, ...]:
    """Return the label at a position, or the one that the jump there names; () if there is none."""
    return tuple(place for place, is_label in _iter_label(view, file, position) if is_label)


def find_jumps(view: View, file: str, position: Position) -> tuple[Place, ...]:
    """Return the jumps to the label of `find_label`."""
    return tuple(place for place, is_label in _iter_label(view, file, position) if not is_label)


def _iter_label(view: View, file: str, position: Position) -> Iterator[tuple[Place, bool]]:
    """Yield the places of the function around a position that name its label, and whether each is the label."""
    jumps = view.code.spec(file).jumps if view.code.has_file(file) else frozenset()
    line, column = view.text(file).place_of(position)
    written = next((each for each in _NAME.finditer(view.text(file).line(line)) if each.end() >= column), None)
    if not jumps or written is None or written.start() > column:
        return
    name = re.escape(written[0])
    label = re.compile(rf"\s*({name})\s*:(?!:)")
    # A jump is a separate statement; in a comment, other words surround it.
    jump = re.compile(rf"(?:^|[;{{}}):]|\belse\b)\s*(?:{'|'.join(sorted(jumps))})\s+({name})\s*(?:[;}}]|$)")
    around = [each.span for each in view.code.facts(file).symbols if each.span.start_line <= line <= each.span.end_line]
    span = min(around, key=lambda each: each.end_line - each.start_line, default=None)
    found: list[tuple[Place, bool]] = []
    for number in range(span.start_line, span.end_line + 1) if span is not None else ():
        text = view.text(file).line(number)
        found += [(Place(file, number, each.start(1), len(written[0])), False) for each in jump.finditer(text)]
        if (declared := label.match(text)) is not None:
            found.append((Place(file, number, declared.start(1), len(written[0])), True))
    if any(place.line == line and place.column == written.start() for place, _ in found):
        yield from found
