"""What modules export as members of one value: `module.exports = { open, ...require('./close') }`."""

from __future__ import annotations

from typing import Protocol

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.memo import Computation, Memo
from avionics.index.model.values import External, Module, Target, Variable
from avionics.index.modules.import_resolver import Modules
from avionics.index.scopes.star_imports import StarImports
from avionics.model.enums import ExpressionKind
from avionics.model.facts import Binding, Import

EXPORT_EQUALS = "export="
"""The name bound to a module that is one value (`module.exports = …`) rather than a namespace."""


class InnerMembers(Protocol):
    """Finds the members of the classes that a variable names."""

    def list_inner(self, variable: Variable, name: str) -> tuple[Variable, ...]:
        """Return the members of that name."""


class NamesAndMembers(Protocol):
    """What exported values need to know about the names of modules and scopes."""

    source: FactSource
    modules: Modules
    computation: Computation
    stars: StarImports

    @property
    def members(self) -> InnerMembers:
        """Finds the members of classes."""

    def find_member(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in a module."""

    def find_targets(self, file: str, scope: int, name: str) -> tuple[Target, ...]:
        """Return the targets of a bare name."""

    def follow(self, variable: Variable) -> tuple[Target, ...]:
        """Return the targets of a variable."""

    def bindings(self, variable: Variable) -> tuple[Binding, ...]:
        """Return the bindings of a variable."""

    def class_scope(self, file: str, symbol: int) -> int:
        """Return the scope that a symbol opened, or -1."""

    def is_namespace(self, file: str, scope: int) -> bool:
        """Return whether a scope is a namespace."""


class ExportedMembers:
    """Finds the members of the values that the modules of one snapshot export (`module.exports = …`)."""

    def __init__(self, scopes: NamesAndMembers) -> None:
        self._scopes = scopes
        self._spread: Memo[tuple[Variable, str], tuple[Target, ...]] = Memo(self._find_spread, (), scopes.computation)

    def find(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a name that a module exports, alone or as a member of `module.exports = …`."""
        found, whole = self._scopes.find_member(module, name), self.find_value(module)
        if name != "default":
            look = self.held_by if found else self._member_of_value
            whole = tuple(target for of in whole if isinstance(of, Variable) for target in look(of, name))
        return tuple(dict.fromkeys((*found, *whole))) if whole else found

    def find_value(self, module: Module | External) -> tuple[Target, ...]:
        """Return the targets of the value that a module is (`module.exports = …`), in its script and declaration file.

        A module that exports nothing but a default is that default.
        """
        if isinstance(module, External) or not module.file:
            return ()
        files = self._scopes.modules.files_of(module, EXPORT_EQUALS)
        bound = [variable for file in files if self._scopes.bindings(variable := Variable(file, 0, EXPORT_EQUALS))]
        found = dict.fromkeys(target for variable in bound for target in self._scopes.follow(variable))
        return tuple(found) if bound else self._find_only_default(module.file)

    def get_scope(self, file: str, found: Import) -> int:
        """Return the scope of the function in which `module.exports = open` exports a local name; 0 at module level."""
        if found.alias != EXPORT_EQUALS or found.module:
            return 0
        place = (found.line, found.column)
        bound = self._scopes.source.uses(file).bindings.get(EXPORT_EQUALS, ())
        return next((each.within for each in bound if (each.line, each.column) == place), 0)

    def _find_only_default(self, file: str) -> tuple[Target, ...]:
        """Return the default export of a file that exports nothing else, which bundlers make the module's value."""
        targets = self._scopes.follow(Variable(file, 0, "default"))
        exported = (each.name for each in self._scopes.source.facts(file).symbols if each.exported and each.parent < 0)
        is_only = all(name == "default" or Variable(file, 0, name) in targets for name in exported)
        return targets if targets and is_only else ()

    def _member_of_value(self, holder: Variable, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in the object literal assigned to a variable, or in the namespace it names."""
        objects = [b.value.index for b in self._scopes.bindings(holder) if b.value.kind is ExpressionKind.OBJECT]
        found = [target for scope in objects for target in self._scopes.follow(Variable(holder.file, scope, name))]
        return (*(found or self._spread((holder, name))), *self.held_by(holder, name))

    def _find_spread(self, wanted: tuple[Variable, str]) -> tuple[Target, ...]:
        """Return the targets of a name in the values that are spread into the object of a variable: `{ ...a }`."""
        holder, name = wanted
        uses, found = self._scopes.source.uses(holder.file), dict[Target, None]()
        for scope in [b.value.index for b in self._scopes.bindings(holder) if b.value.kind is ExpressionKind.OBJECT]:
            names = [each.name for each in uses.bases.get(scope, ()) if each.kind is ExpressionKind.NAME]
            above = uses.scopes[scope].parent
            for of in (target for each in names for target in self._scopes.find_targets(holder.file, above, each)):
                if isinstance(of, Module):
                    found |= dict.fromkeys(self.find(of, name))
                elif isinstance(of, Variable):
                    found |= dict.fromkeys(self._member_of_value(of, name))
        return tuple(found)

    def held_by(self, holder: Variable, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in the class or namespace that a variable names."""
        if members := self._scopes.members.list_inner(holder, name):
            return tuple(dict.fromkeys(target for member in members for target in self._scopes.follow(member)))
        symbols = [each.symbol for each in self._scopes.bindings(holder) if each.symbol >= 0]
        inner = [self._scopes.class_scope(holder.file, each) for each in symbols]
        spaces = [scope for scope in inner if scope >= 0 and self._scopes.is_namespace(holder.file, scope)]
        return tuple(target for scope in spaces for target in self._scopes.stars.find(holder.file, scope, name))
