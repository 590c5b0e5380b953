"""Scopes: what a bare name means where it stands, and where imports lead.

Knows: lexical scoping, import bindings, re-exports, star imports and `__all__`.
Does not know: types.
"""

from __future__ import annotations

from typing import Protocol

from avionics.index.modules import Modules
from avionics.index.values import External, Module, Target, Variable
from protocols.enums import BindingKind, ScopeKind, SymbolKind
from protocols.facts import Binding, FileFacts, FileUses, Import

_LONGEST_CHAIN = 30
"""Re-exports are followed this far: real chains have three or four links, a cycle has no end."""


class FactsSource(Protocol):
    """Where facts come from."""

    def has_file(self, path: str) -> bool:
        """Whether the snapshot has a file of that path."""
        ...

    def facts(self, path: str) -> FileFacts:
        """The outline of a file."""
        ...

    def uses(self, path: str) -> FileUses:
        """The scopes, bindings and references of a file."""
        ...


class Scopes:
    """Names to variables, variables to what they were imported from."""

    def __init__(self, source: FactsSource, modules: Modules) -> None:
        self.source = source
        self.modules = modules
        self._follows: dict[Variable, tuple[Target, ...]] = {}
        self._members: dict[tuple[Module, str], tuple[Target, ...]] = {}
        self._opened: dict[str, dict[int, int]] = {}

    def get_variable(self, file: str, scope: int, name: str) -> Variable | None:
        """The variable a bare name means in a scope, or None when no scope of the file binds it."""
        uses = self.source.uses(file)
        bound = {binding.scope: binding for binding in uses.bindings.get(name, ())}
        outers = {b.scope: b.within for b in uses.bindings.get(name, ()) if b.kind is BindingKind.OUTER}
        current, is_direct = scope, True
        while current >= 0:
            if current in outers:
                current, is_direct = outers[current], False
                continue
            visible = is_direct or uses.scopes[current].kind is not ScopeKind.CLASS
            if current in bound and visible and _is_lexical(uses, current, name):
                return Variable(file, current, name)
            current, is_direct = uses.scopes[current].parent, False
        return None

    def find_targets(self, file: str, scope: int, name: str) -> tuple[Target, ...]:
        """What a bare name leads to: variables of the workspace, modules, externals; () when nothing says."""
        variable = self.get_variable(file, scope, name)
        if variable is not None:
            return self.follow(variable)
        return self._through_stars(file, name, frozenset())

    def bindings(self, variable: Variable) -> tuple[Binding, ...]:
        """What gives the variable its meaning, in order of appearance."""
        found = self.source.uses(variable.file).bindings.get(variable.name, ())
        return tuple(b for b in found if b.scope == variable.scope and b.kind is not BindingKind.OUTER)

    def follow(self, variable: Variable, seen: frozenset[Variable] = frozenset()) -> tuple[Target, ...]:
        """The variable itself where it is more than an import, and all that its imports lead to."""
        if variable in self._follows:
            return self._follows[variable]
        if variable in seen or len(seen) > _LONGEST_CHAIN:
            return ()
        found: dict[Target, None] = {}
        for binding in self.bindings(variable):
            if binding.kind is BindingKind.IMPORT:
                imported = self.source.facts(variable.file).imports[binding.imported]
                found.update(dict.fromkeys(self.find_imported(variable.file, imported, seen | {variable})))
            else:
                found[variable] = None
        targets = tuple(found)
        if not seen:
            self._follows[variable] = targets
        return targets

    def find_imported(self, file: str, found: Import, seen: frozenset[Variable] = frozenset()) -> tuple[Target, ...]:
        """What one imported name leads to."""
        module = self.modules.find(found.module, found.level, file)
        if not found.name:
            top = found.module.partition(".")[0]
            if found.alias == top != found.module:
                return (self.modules.find(top, 0, file),)
            return (module,)
        if isinstance(module, External):
            return (External(f"{module.name}.{found.name}"),)
        return self.find_member(module, found.name, seen)

    def find_member(self, module: Module, name: str, seen: frozenset[Variable] = frozenset()) -> tuple[Target, ...]:
        """What a name means in a module's namespace: its own, star-imported, or a submodule; () when nothing says."""
        key = (module, name)
        if key in self._members:
            return self._members[key]
        targets: tuple[Target, ...] = ()
        if module.file:
            variable = Variable(module.file, 0, name)
            if self.bindings(variable):
                targets = self.follow(variable, seen)
            else:
                targets = self._through_stars(module.file, name, seen)
        if not targets:
            submodule = self.modules.submodule(module, name)
            targets = (submodule,) if submodule is not None else ()
        if not seen:
            self._members[key] = targets
        return targets

    def has_dynamic_members(self, module: Module) -> bool:
        """Whether the module answers for names it does not bind (`__getattr__`)."""
        return bool(module.file) and bool(self.bindings(Variable(module.file, 0, "__getattr__")))

    def exported_names(self, module: Module) -> frozenset[str] | None:
        """The names a star import takes; None when the module says nothing about it."""
        exports = self.source.facts(module.file).exports if module.file else None
        return frozenset(exports) if exports is not None else None

    def class_scope(self, file: str, symbol: int) -> int:
        """The scope that a class or function symbol opened, or -1."""
        if file not in self._opened:
            scopes = self.source.uses(file).scopes
            self._opened[file] = {scope.symbol: index for index, scope in enumerate(scopes) if scope.symbol >= 0}
        return self._opened[file].get(symbol, -1)

    def _through_stars(self, file: str, name: str, seen: frozenset[Variable]) -> tuple[Target, ...]:
        """What a name that the module does not bind itself leads to through its star imports."""
        guard = Variable(file, 0, f"*{name}")
        if guard in seen or len(seen) > _LONGEST_CHAIN:
            return ()
        stars = [b for b in self.source.uses(file).bindings.get("*", ()) if b.kind is BindingKind.IMPORT]
        for binding in reversed(stars):
            found = self.source.facts(file).imports[binding.imported]
            module = self.modules.find(found.module, found.level, file)
            if isinstance(module, External):
                continue
            exported = self.exported_names(module)
            is_taken = name in exported if exported is not None else not name.startswith("_")
            if is_taken:
                targets = self.find_member(module, name, seen | {guard})
                if targets:
                    return targets
        return ()


def _is_lexical(uses: FileUses, scope: int, name: str) -> bool:
    """Whether a bare name can mean what the scope binds: `self.x = …` binds a member, which it cannot."""
    return any(b.scope == scope and b.kind is not BindingKind.MEMBER for b in uses.bindings.get(name, ()))


def is_class(kind: SymbolKind) -> bool:
    """Whether symbols of the kind have members and instances."""
    return kind in {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM}
