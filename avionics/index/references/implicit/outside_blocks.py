"""Find the blocks of a file that declare what other code defines: `declare global { … }`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.late_pattern import late_pattern
from avionics.model.facts import line_and_column
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

_Place = tuple[int, int]

_BRACE = late_pattern(
    r"""[{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|//[^\n]*|/\*(?>(?:[^*]++|\*(?!/))*)(?:\*/)?"""
)
"""A brace of code; what follows are strings and comments, whose braces do not count."""


class OutsideBlocks:
    """Finds the blocks that declare what code outside of the workspace defines, and so uses."""

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._blocks: dict[str, tuple[tuple[_Place, _Place, ReasonKind], ...]] = {}

    def get_reason(self, definition: Definition) -> Reason | None:
        """Return the start of the block that declares a definition for code outside; None if none does."""
        file, at = definition.file, (definition.symbol.line, definition.symbol.column)
        if file not in self._blocks:
            self._blocks[file] = tuple(self._iter_blocks(file))
        around = (each for each in self._blocks[file] if each[0] < at < each[1])
        return next((Reason(kind, place=(file, start[0])) for start, _, kind in around), None)

    def _iter_blocks(self, file: str) -> Iterator[tuple[_Place, _Place, ReasonKind]]:
        text = self._source.read_text(file)
        implicit = conventions_of(file).implicit
        heads = tuple(implicit.outside_blocks.finditer(text))
        merged = frozenset[int]()
        if implicit.module_marks.search(text) is None:
            adding = tuple(implicit.merged_blocks.finditer(text))
            heads, merged = (*heads, *adding), frozenset(each.start() for each in adding)
        tokens = tuple(_BRACE.finditer(text)) if heads else ()
        for head in heads:
            if any(each.start() < head.start() < each.end() for each in tokens):
                continue
            depth, end = 0, len(text)
            for found in tokens[bisect_left(tokens, head.end() - 1, key=re.Match.start) :]:
                depth += {"{": 1, "}": -1}.get(found[0], 0)
                if not depth:
                    end = found.start()
                    break
            is_stub = head.start() not in merged and head["space"]
            kind = ReasonKind.STUB if is_stub else ReasonKind.AUGMENTATION
            yield line_and_column(text, head.start()), line_and_column(text, end), kind
