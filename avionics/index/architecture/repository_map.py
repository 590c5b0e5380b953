"""Rank the top-level symbols of a repository by how much of the rest uses them."""

from __future__ import annotations

from collections import defaultdict
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

    Usages are not resolved: a file counts if it imports the symbol, or can see it and has a word like its name where
    that is distinct. One that a file declares several times is listed once.
    """
    defined: dict[str, dict[str, Symbol]] = defaultdict(dict)
    for file in code.files:
        if role_of(file) is FileRole.PRODUCT:
            for symbol in code.facts(file).symbols:
                if symbol.kind in _RANKED and "." not in symbol.qualname and not symbol.name.startswith("_"):
                    defined[symbol.name].setdefault(file, symbol)
    users = _Users(code)
    used = [
        UsedSymbol(file, symbol, users.count(file, symbol))
        for places in defined.values()
        for file, symbol in places.items()
    ]
    used.sort(key=lambda each: (-each.files, each.file, each.symbol.line))
    return tuple(used[:limit])


class _Users:
    """The product files that use a symbol, by the imports and the words of all files."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._importers: dict[str, set[str]] = defaultdict(set)
        self._takers: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._mentioning: dict[str, tuple[str, ...]] = {}
        for edge in iter_edges(code.source, code.graph.edges):
            if edge.target and role_of(edge.file) is not FileRole.TEST:
                self._importers[edge.target].add(edge.file)
                self._takers[edge.target, edge.name].add(edge.file)

    def count(self, file: str, symbol: Symbol) -> int:
        """Return how many other files import a symbol of a file, or can see it and have a word like its name."""
        name = symbol.name
        takers = self._takers.get((file, name), frozenset())
        reaching = self._list_reaching(file, name) if symbol.exported else frozenset()
        mentioning = self._list_mentioning(name)
        seeing = {each for each in mentioning if each in reaching or self._sees(each, file, name)}
        return len((takers | seeing) - {file})

    def _list_reaching(self, file: str, name: str) -> set[str]:
        """Return the files that import the file, or one that passes the name on."""
        providers, reaching = [file], set()
        for provider in providers:
            reaching |= self._importers.get(provider, set())
            passing = self._takers.get((provider, name), set()) | self._takers.get((provider, "*"), set())
            providers.extend(passing.difference(providers))
        return reaching

    def _sees(self, file: str, definer: str, name: str) -> bool:
        """Return whether a file sees the name of another without an import, as files of one package do."""
        modules = self._code.modules
        return any(definer in modules.files_of(module, name) for module in modules.ambient(file))

    def _list_mentioning(self, name: str) -> tuple[str, ...]:
        """Return the product files that have a word, if it is distinct enough to be the name."""
        if name not in self._mentioning:
            is_marked = "_" in name or name[1:] != name[1:].lower()
            is_distinct = len(name) >= (_MIN_MARKED_LENGTH if is_marked else _MIN_WORD_LENGTH - name[0].isupper())
            files = self._code.source.files_with_word(name) if is_distinct else ()
            self._mentioning[name] = tuple(file for file in files if role_of(file) is FileRole.PRODUCT)
        return self._mentioning[name]
