"""Facts that the texts of C and C++ files show before they are parsed."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.model.enums import SymbolKind
from avionics.model.facts import FileFacts, FileUses, Symbol
from avionics.syntax.engine.free_names import FreeName, pack_free_names
from avionics.syntax.engine.textual import Places, TextualScanner, TokenContext
from avionics.syntax.languages.c.textual import free_name_scan, include_scan, token_context

_TAGS = frozenset({SymbolKind.CLASS, SymbolKind.ENUM})


class IncludeScanner(TextualScanner):
    """Reads includes, which C and C++ have in common."""

    def scan_includes(self, content: bytes) -> tuple[tuple[str, int], ...] | None:
        """Return the names and levels of the includes as the outline has them; None if only the outline can tell."""
        return include_scan.scan_includes(content)


class CScanner(IncludeScanner):
    """Reads includes, tokens and free names of C."""

    def classify_token(self, path: str, data: bytes, places: Places) -> TokenContext:
        """Return the possible roles of the word at these places in the text of a file."""
        return token_context.classify_token(path, data, places)

    def scan_free_names(self, content: bytes, places: Iterable[tuple[int, int]]) -> FreeName | None:
        """Return how a file uses the name at these places, all of its occurrences; None if only parsing can tell."""
        return free_name_scan.scan_free_names(content, places)

    def pack_free_names(self, facts: FileFacts, uses: FileUses) -> dict[str, bytes]:
        """Return name → its packed uses in a file."""
        return pack_free_names(facts, uses, self.is_outermost)

    def is_outermost(self, symbol: Symbol) -> bool:
        """Return whether a symbol appears to bind its name at the top level.

        Enumerators do, wherever their enum is.
        Tags are bound under names of their own (`avionics.model.naming.tagged`).
        """
        if symbol.kind in _TAGS:
            return symbol.signature.startswith("typedef")
        return symbol.parent < 0 or symbol.signature.startswith(symbol.name)
