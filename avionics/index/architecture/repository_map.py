"""Rank the top-level symbols of a repository by how much of the rest uses them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.references.import_graph import iter_edges
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_RANKED = frozenset(
    {
        SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.FUNCTION,
        SymbolKind.MACRO,
    }
)  # fmt: skip
_MIN_WORD_LENGTH, _MIN_MARKED_LENGTH = 8, 4
"""A shorter name may be a word of the language or of English, so only imports of it count; a name with capitals inside
or underscores is marked as a name."""


class UsedSymbol(Struct, frozen=True):
    """A top-level symbol and the number of other files that use it, judged by names and imports."""

    file: str
    symbol: Symbol
    files: int


def rank_symbols(code: CodeIndex, limit: int) -> tuple[UsedSymbol, ...]:
    """Return the most used top-level symbols of product code, most used first.

    Usages are not resolved: a file counts if it imports the symbol, or has a word like its name where that is distinct.
    A name that several files define is shared among them; one that a file declares several times is listed once.
    """
    defined: dict[str, dict[str, Symbol]] = defaultdict(dict)
    for file in code.files:
        if role_of(file) is FileRole.PRODUCT:
            for symbol in code.facts(file).symbols:
                if symbol.kind in _RANKED and "." not in symbol.qualname and not symbol.name.startswith("_"):
                    defined[symbol.name].setdefault(file, symbol)
    importers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for edge in iter_edges(code.source, code.graph.edges):
        if edge.target and role_of(edge.file) is not FileRole.TEST:
            importers[edge.target, edge.name].add(edge.file)
    used = [
        UsedSymbol(file, symbol, max(len(importers[file, name]), mentions))
        for name, places in defined.items()
        for mentions in (_count_mentions(code, name, places.keys()),)
        for file, symbol in places.items()
    ]
    used.sort(key=lambda each: (-each.files, each.file, each.symbol.line))
    return tuple(used[:limit])


def _count_mentions(code: CodeIndex, name: str, defining: Collection[str]) -> int:
    """Return how many files outside tests have the name, shared among the files that define it."""
    is_marked = "_" in name or name[1:] != name[1:].lower()
    if len(name) < (_MIN_MARKED_LENGTH if is_marked else _MIN_WORD_LENGTH - name[0].isupper()):
        return 0
    files = [file for file in code.source.files_with_word(name) if file not in defining]
    return sum(role_of(file) is FileRole.PRODUCT for file in files) // len(defining)
