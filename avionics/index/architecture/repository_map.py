"""Rank the top-level symbols of a repository by how much of the rest uses them."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from avionics.index.analysis.public_api import ImporterIndex, build_importer_index
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol

_RANKED = frozenset(
    {
        SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.FUNCTION,
        SymbolKind.MACRO,
    }
)  # fmt: skip


_MIN_WORD_LENGTH = 8
"""A shorter name in lower-case letters may be a word of the language or of English."""


class UsedSymbol(Struct, frozen=True):
    """A top-level symbol and the number of other files that use it, judged by names and imports."""

    file: str
    symbol: Symbol
    files: int


def rank_symbols(code: CodeIndex, limit: int) -> tuple[UsedSymbol, ...]:
    """Return the top-level symbols of product code that most files use, each once, most used first."""
    defined: dict[str, dict[str, Symbol]] = defaultdict(dict)
    for file in code.files:
        if role_of(file) is FileRole.PRODUCT:
            for symbol in code.facts(file).symbols:
                if symbol.kind in _RANKED and "." not in symbol.qualname and not symbol.name.startswith("_"):
                    defined[symbol.name].setdefault(file, symbol)
    users = code.keep(build_importer_index)
    used = [
        UsedSymbol(file, symbol, _count_users(users, file, symbol))
        for places in defined.values()
        for file, symbol in places.items()
    ]
    used.sort(key=lambda each: (-each.files, each.file, each.symbol.line))
    return tuple(used[:limit])


def _count_users(users: ImporterIndex, file: str, symbol: Symbol) -> int:
    """Return how many product files use a symbol of a file, or import it if its name is an ordinary word like `get`."""
    name = symbol.name
    is_word = len(name) < _MIN_WORD_LENGTH and name.isalpha() and name.islower()
    found = users.list_importing(file, name) if is_word else users.find(file, name, exported=symbol.exported)
    return sum(role_of(each) is FileRole.PRODUCT for each in found)
