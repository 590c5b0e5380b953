"""Tell which members decorators and macros give to a type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.index.model.values import ClassType
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Proof
from avionics.model.enums import ReferenceKind
from avionics.model.facts import Reference, Symbol
from avionics.model.naming import last_part
from avionics.syntax.registry import conventions_of


class DerivedMembers:
    """The members that a change gives to types without declaring them."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair

    def get_proof(self, of: ClassType, was: ClassType, name: str) -> Proof | None:
        """Return whether the change certainly or possibly gives a type a member that no class declares, or None.

        It may do so by an interface that a decorator implements, or by a macro that names the type.
        """
        after = self._pair.after.resolver.scopes
        now, old = after.get_class_symbol(of), self._pair.before.resolver.scopes.get_class_symbol(was)
        if now is None or old is None:
            return None
        derived = _list_derived(of.file, now) - _list_derived(was.file, old)
        given = [after.spec(of.file).outside_members.get(f".{each}") for each in derived]
        if any(members is not None and name in members for members in given):
            return Proof.CERTAIN
        word = re.compile(rf"\b{re.escape(now.name)}\b")
        return Proof.POSSIBLE if None in given or any(map(word.search, self._iter_new_calls())) else None

    def _iter_new_calls(self) -> Iterator[str]:
        """Yield the texts of the macro calls with new lines that may stand for definitions."""
        for each in self._pair.files:
            fresh = self._pair.new_lines.get(each.after, frozenset())
            for line, text in self._pair.made.list_calls(each.after) if fresh else ():
                if not fresh.isdisjoint(range(line, line + text.count("\n") + 1)):
                    yield text


def _list_derived(file: str, symbol: Symbol) -> frozenset[str]:
    """Return the names of the interfaces that decorators implement for a type: of `#[derive(Default)]`."""
    deriving = conventions_of(file).made.deriving
    listed = (found[1] for text in symbol.decorators for found in deriving.finditer(text))
    return frozenset(last_part(each.strip().replace("::", ".")) for names in listed for each in names.split(","))


def is_standard_decorator(file: str, reference: Reference) -> bool:
    """Return whether a name in a decorator is one that the language itself knows there: `#[derive(Debug)]`."""
    known = conventions_of(file).implicit.harmless_arguments.values()
    return reference.kind is ReferenceKind.DECORATE and any(reference.name in names for names in known)
