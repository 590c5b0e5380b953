"""Find declarations that outside code uses: ambient blocks, and headers for bindings of other languages.

A block such as `declare global { … }` declares names that other code defines. A generator of bindings reads headers, so
that other languages may use their declarations.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.late_pattern import late_pattern
from avionics.model.facts import line_and_column, line_of
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import Wrapping
from avionics.syntax.registry import conventions_of

_Place = tuple[int, int]

_BRACE = late_pattern(
    r"""[{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|//[^\n]*|/\*(?>(?:[^*]++|\*(?!/))*)(?:\*/)?"""
)
"""A brace, or a string or comment, whose braces do not count."""


_Included = tuple[str, tuple[str, int]]
"""The path of an included header, without leading dots, and the place of the include."""


class OutsideBlocks:
    """Finds the blocks that declare names which code outside of the workspace defines."""

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


class WrappedHeaders:
    """The headers of one snapshot that files of a generator such as SWIG include."""

    def __init__(self, source: FactSource) -> None:
        self._source = source

    def iter_reasons(self, declared: Iterable[Definition]) -> Iterator[Reason]:
        """Yield the place that includes the header of a definition for other languages, if they can see it there."""
        for each in declared:
            place = self._get_place(each.file)
            if place is not None and self._is_offered(each):
                yield Reason(ReasonKind.WRAPPED_HEADER, place=place)
                return

    def _is_offered(self, definition: Definition) -> bool:
        """Return whether a definition and the classes around it are visible to code that includes the file."""
        symbols, symbol = self._source.facts(definition.file).symbols, definition.symbol
        is_hidden, is_offered = conventions_of(definition.file).is_hidden, symbol.exported
        while is_offered and symbol.parent >= 0:
            holder = symbols[symbol.parent]
            is_private = is_hidden is not None and is_hidden(self._source.read_lines(definition.file), holder, symbol)
            is_offered, symbol = holder.exported and not is_private, holder
        return is_offered

    def _get_place(self, file: str) -> tuple[str, int] | None:
        """Return the place where a generator's file includes a header, by the end of its path; None if none does."""
        wrapping = conventions_of(file).implicit.wrapping
        named = self._list_included(wrapping).get(file.rpartition("/")[2], ()) if wrapping is not None else ()
        return next((place for written, place in named if f"/{file}".endswith(f"/{written}")), None)

    @cached_method
    def _list_included(self, wrapping: Wrapping) -> dict[str, list[_Included]]:
        """Return the name of each header that files of a generator include → its paths, with the places."""
        found: dict[str, list[_Included]] = {}
        for file in self._source.snapshot.entries:
            text = self._source.read_text(file) if file.endswith(wrapping.suffixes) else ""
            for each in wrapping.include.finditer(text):
                written = each[1].lstrip("./")
                place = (file, line_of(text, each.start()))
                found.setdefault(written.rpartition("/")[2], []).append((written, place))
        return found
