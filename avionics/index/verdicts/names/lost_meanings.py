"""Find uses of names in TypeScript that were both a type and a value, and lost the meaning that the use needs.

`const Unit` and `interface Unit` of one scope are two meanings of one name; each use means one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from avionics.index.code_index import CodeIndex
from avionics.index.model.values import Target, Variable
from avionics.index.verdicts.comparison import VersionPair
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ReferenceKind, SymbolKind
from avionics.model.facts import Reference
from avionics.model.mappings import group_sets

_BOTH = frozenset({SymbolKind.CLASS, SymbolKind.ENUM})
_TYPES = _BOTH | {SymbolKind.INTERFACE, SymbolKind.TYPE}
_VALUES = _BOTH | {SymbolKind.FUNCTION, SymbolKind.VARIABLE, SymbolKind.CONSTANT}

_USED = late_pattern(r"\s{0,9}+(?:[.(\[`]|\?\.)")
"""The text after a value that is used. A value that is only named may be exported together with its type."""


class LostMeanings:
    """Finds the uses of a name whose definition has lost the meaning that they need."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair

    @cached_property
    def homes(self) -> dict[str, dict[str, frozenset[SymbolKind]]]:
        """Return name → changed files that lost one of its meanings, with the kinds that have that meaning."""
        found: dict[str, dict[str, frozenset[SymbolKind]]] = {}
        for each in self._pair.read_files:
            if not each.before or not self._pair.after.resolver.scopes.spec(each.after).separate_types:
                continue
            was, now = _map_kinds(self._pair.before, each.before), _map_kinds(self._pair.after, each.after)
            for name in was.keys() & now.keys():
                lost = [of for of in (_TYPES, _VALUES) if was[name] & of and not now[name] & of]
                is_known = (was[name] | now[name]) <= _TYPES | _VALUES
                if lost and is_known and not self._is_added(name, each.after, lost[0]):
                    found.setdefault(name, {})[each.after] = lost[0]
        return found

    def get(self, file: str, reference: Reference, targets: Iterable[Target]) -> Variable | None:
        """Return the former target of a reference if its only target lost the meaning that the reference needs."""
        own = [each for each in targets if not isinstance(each, Variable) or not self._is_import(each)]
        home = own[0] if len(own) == 1 else None
        if not isinstance(home, Variable) or home.scope or home.file not in self.homes.get(home.name, ()):
            return None
        lost = self.homes[home.name][home.file]
        if lost is _TYPES:
            is_meant = reference.kind is ReferenceKind.ANNOTATE
        else:
            line = self._pair.after.read_line(file, reference.line)
            is_read = reference.kind is ReferenceKind.READ
            is_used = is_read and _USED.match(line, reference.column + len(reference.name)) is not None
            is_meant = reference.kind is ReferenceKind.CALL or is_used
        return Variable(self._pair.path_before(home.file), 0, home.name) if is_meant else None

    def _is_import(self, variable: Variable) -> bool:
        bindings = self._pair.after.resolver.scopes.bindings(variable)
        return bool(bindings) and all(each.kind is BindingKind.IMPORT for each in bindings)

    def _is_added(self, name: str, home: str, kinds: frozenset[SymbolKind]) -> bool:
        """Return whether another file may add a definition of these kinds in a block: `declare module "…"`."""
        others = (each for each in self._pair.after.iter_named(name) if each.file != home)
        return any(each.symbol.qualname != name and each.kind in kinds for each in others)


def _map_kinds(code: CodeIndex, file: str) -> dict[str, set[SymbolKind]]:
    """Return name → kinds of its definitions at a file's top level, without names that are also bound otherwise."""
    symbols, bindings = code.facts(file).symbols, code.uses(file).bindings
    found = group_sets((each.name, each.kind) for each in symbols if each.parent < 0)
    return {
        name: kinds
        for name, kinds in found.items()
        if all(binding.symbol >= 0 for binding in bindings.get(name, ()) if binding.scope == 0)
    }
