"""Find uses of a class's members by what reads the class body or the fields of an object, and under mangled names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, InstanceType
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.inference import Inference
from avionics.model.enums import SymbolKind, is_class
from avionics.model.facts import Symbol, line_of
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

_MANGLED = re.compile(r"_[^\W_](?>(?:[^\W_]|_(?!_))*)(__\w+(?<!__))")
"""A private name in its mangled form (`_Cart__items`); the group is the name within the class (`__items`)."""


class ClassBodies:
    """Finds what receives or lists the members that the body of a class declares, without naming each."""

    def __init__(self, source: FactSource, inference: Inference) -> None:
        self._source = source
        self._scopes = inference.scopes
        self._inference = inference

    def iter_listings(self, definition: Definition, lineage: Sequence[ClassType]) -> Iterator[Reason]:
        """Yield where the members of a class are listed: by a metaclass that may read them, and by its own code.

        `lineage` has the class that contains the definition and its ancestors.
        """
        made = next(_iter_made(lineage, self._scopes), None)
        if made is not None:
            of, symbol, _ = made
            yield Reason(ReasonKind.LISTED_MEMBERS, place=(of.file, symbol.line))
        if definition.kind is SymbolKind.ATTRIBUTE and (place := self._get_own_listing(lineage)) is not None:
            yield Reason(ReasonKind.LISTED_MEMBERS, place=place)

    def _get_own_listing(self, lineage: Sequence[ClassType]) -> tuple[str, int] | None:
        """Return the first place at which code of a lineage lists the fields of its own object; None without one."""
        for of in lineage:
            symbol, listing = self._scopes.get_class_symbol(of), conventions_of(of.file).implicit.own_listing
            if symbol is None or of.file.startswith(STUBS):
                continue
            first, last = symbol.span.start_line, symbol.span.end_line
            text = "\n".join(self._source.read_lines(of.file)[first - 1 : last])
            if (found := listing.search(text)) is not None:
                return of.file, first - 1 + line_of(text, found.start())
        return None

    def get_name_hook(self, definition: Definition) -> str:
        """Return the member of an object that receives the attribute to which the object is assigned; "" if none."""
        hooks = conventions_of(definition.file).implicit.name_hooks
        variable = self._scopes.get_declared(definition) if hooks and definition.symbol.parent >= 0 else None
        for kind in self._inference.infer_variable(variable) if variable is not None else ():
            of = kind.of if isinstance(kind, InstanceType) and isinstance(kind.of, ClassType) else None
            symbol = self._scopes.get_class_symbol(of) if of is not None else None
            if of is None or symbol is None:
                continue
            if hook := next((each for each in hooks if self._inference.members.find(of, each) is not None), ""):
                return f"{symbol.qualname}.{hook}"
        return ""


def get_metaclass(lineage: Sequence[ClassType], scopes: NameResolver) -> str:
    """Return the name of the first metaclass of a lineage that makes classes itself; "" if there is none."""
    return next((name for _, _, name in _iter_made(lineage, scopes)), "")


def _iter_made(lineage: Sequence[ClassType], scopes: NameResolver) -> Iterator[tuple[ClassType, Symbol, str]]:
    """Yield the classes of a lineage that name such a metaclass, or one that is not found, with its name."""
    for of in lineage:
        symbol, implicit = scopes.get_class_symbol(of), conventions_of(of.file).implicit
        named = implicit.metaclass.search(symbol.signature) if symbol is not None else None
        if symbol is None or named is None:
            continue
        found = [each for each in scopes.source.iter_named(named["name"]) if is_class(each.kind)]
        members = (member for of in found for member in scopes.source.list_members(of))
        if not found or any(each.name in implicit.making_members for each in members):
            yield of, symbol, named["name"]


def iter_mangled(name: str, holder: str) -> Iterator[str]:
    """Yield the mangled name of a private member (`_Cart__items`), and the short name of one written mangled."""
    if name.startswith("__"):
        yield f"_{holder.lstrip('_')}{name}"
    short = _MANGLED.fullmatch(name)
    if short is not None:
        yield short[1]
