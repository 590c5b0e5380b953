"""Find what uses a definition of C without spelling its name: loaders that are given parts of it, and Perl."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from avionics.index.facts.fact_source import FactSource
from avionics.index.references.ledger import SYMBOL_LOADERS
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind

_COMPUTED = late_pattern(rf"\b(?:{'|'.join(SYMBOL_LOADERS)})\s?\([^,;()]{{1,100}},\s*+[A-Za-z_&*]")
"""A call of a loader whose second argument, the name, is no string."""
_END = late_pattern(r'"_?([A-Za-z]\w{2,40})"')
"""A string that may be the last part of a name."""
_GLUE = (".xs", "/typemap", ".typemap")
"""Files that join C and Perl, in which `A::B` means the type `A__B` of C."""


class ForeignNames:
    """Finds names of C that nothing spells in the files of one snapshot."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield where a definition may be used by another name than its own."""
        symbol = definition.symbol
        if not self._scopes.spec(definition.file).linkage or symbol.parent >= 0:
            return
        if symbol.kind is SymbolKind.FUNCTION and not re.match(r"(?:\w+\s+)*static\b", symbol.signature):
            inner = (at for at in range(1, len(symbol.name)) if symbol.name[at - 1] == "_")
            ends = (symbol.name[at:] for at in inner)
            if (end := next((each for each in ends if each in self._ends), "")) != "":
                yield Reason(ReasonKind.BUILT_NAME, place=self._ends[end])
        if "__" in symbol.name.strip("_") and (place := self._get_glued(symbol.name)) is not None:
            yield Reason(ReasonKind.UNREAD_LANGUAGE, place=place)

    @cached_property
    def _ends(self) -> Mapping[str, tuple[str, int]]:
        """Return the strings in files that load symbols by computed names → where they stand."""
        found: dict[str, tuple[str, int]] = {}
        for file in dict.fromkeys(each for word in SYMBOL_LOADERS for each in self._source.files_with_word(word)):
            text = self._source.read_text(file) if self._scopes.spec(file).linkage else ""
            for match in _END.finditer(text) if _COMPUTED.search(text) is not None else ():
                found.setdefault(match[1], (file, line_of(text, match.start())))
        return found

    def _get_glued(self, name: str) -> tuple[str, int] | None:
        """Return where a file that joins C and Perl has the name of a type, or None."""
        written = re.compile(rf"\b{re.escape(name.replace('__', '::'))}\b(?!::)")
        for file in sorted(self._source.count_word(name.rpartition("__")[2])):
            text = self._source.read_text(file) if f"/{file}".endswith(_GLUE) else ""
            if (match := written.search(text)) is not None:
                return file, line_of(text, match.start())
        return None
