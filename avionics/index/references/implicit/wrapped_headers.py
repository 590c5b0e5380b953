"""Find the headers that a generator of bindings reads, so that other languages may use what they declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import Wrapping
from avionics.syntax.registry import conventions_of

_Included = tuple[str, tuple[str, int]]
"""The path of an included header, without leading dots, and the place of the include."""


class WrappedHeaders:
    """The headers of one snapshot that files of a generator such as SWIG include."""

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._included: dict[Wrapping, dict[str, list[_Included]]] = {}

    def iter_reasons(self, declared: Iterable[Definition]) -> Iterator[Reason]:
        """Yield the place by which other languages get a definition, if it is declared in such a header for others."""
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
        """Return where a file of a generator includes a header, by the end of its path; None if none does."""
        wrapping = conventions_of(file).implicit.wrapping
        named = self._list_included(wrapping).get(file.rpartition("/")[2], ()) if wrapping is not None else ()
        return next((place for written, place in named if f"/{file}".endswith(f"/{written}")), None)

    def _list_included(self, wrapping: Wrapping) -> dict[str, list[_Included]]:
        """Return the name of each header that files of a generator include → its paths, with the places."""
        if wrapping not in self._included:
            found = self._included[wrapping] = {}
            for file in self._source.snapshot.entries:
                text = self._source.read_text(file) if file.endswith(wrapping.suffixes) else ""
                for each in wrapping.include.finditer(text):
                    written = each[1].lstrip("./")
                    place = (file, line_of(text, each.start()))
                    found.setdefault(written.rpartition("/")[2], []).append((written, place))
        return self._included[wrapping]
