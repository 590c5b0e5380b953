"""Find uses of a class's members by a metaclass that reads the class body, and under mangled names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.values import ClassType
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import is_class
from avionics.model.facts import Symbol
from avionics.syntax.registry import conventions_of

_MANGLED = re.compile(r"_[^\W_](?>(?:[^\W_]|_(?!_))*)(__\w+(?<!__))")
"""A private name in its mangled form (`_Cart__items`); the group is the name within the class (`__items`)."""

_Place = tuple[str, int]
"""A file and a line."""


class Metaclasses:
    """Finds the classes whose metaclass may read the members that their body declares."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def get_place(self, lineage: Iterable[ClassType]) -> _Place | None:
        """Return the first class of a lineage with a metaclass that may read its members; None if there is none."""
        return next(((of.file, symbol.line) for of, symbol, _ in self._iter_made(lineage)), None)

    def get_name(self, lineage: Iterable[ClassType]) -> str:
        """Return the name of the first such metaclass of a lineage; "" if there is none."""
        return next((name for _, _, name in self._iter_made(lineage)), "")

    def _iter_made(self, lineage: Iterable[ClassType]) -> Iterator[tuple[ClassType, Symbol, str]]:
        """Yield the classes of a lineage that name such a metaclass, with its name."""
        for of in lineage:
            symbol, implicit = self._scopes.get_class_symbol(of), conventions_of(of.file).implicit
            named = implicit.metaclass.search(symbol.signature) if symbol is not None else None
            if symbol is not None and named is not None and self._may_read(named["name"], implicit.making_members):
                yield of, symbol, named["name"]

    def _may_read(self, name: str, making: frozenset[str]) -> bool:
        """Return whether a class with a name makes classes itself, or is not found."""
        found = [each for each in self._source.iter_named(name) if is_class(each.kind)]
        return not found or any(each.name in making for of in found for each in self._source.list_members(of))


def iter_mangled(name: str, holder: str) -> Iterator[str]:
    """Yield the mangled name of a private member (`_Cart__items`), and the short name of one written mangled."""
    if name.startswith("__"):
        yield f"_{holder.lstrip('_')}{name}"
    short = _MANGLED.fullmatch(name)
    if short is not None:
        yield short[1]
