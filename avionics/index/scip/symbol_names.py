"""Name the symbols of a snapshot in SCIP's notation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import External, Module, Target, Variable
from avionics.index.modules.package_coordinates import Coordinates, get_package, manager_of
from avionics.model.enums import BindingKind, ScopeKind, SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written
from avionics.scip.symbols import LOCAL, Descriptor, Suffix, format_prefix
from avionics.syntax.registry import require_spec

SCHEME = "avionics"
_SUFFIXES = {
    SymbolKind.MODULE: Suffix.NAMESPACE,
    SymbolKind.CLASS: Suffix.TYPE,
    SymbolKind.INTERFACE: Suffix.TYPE,
    SymbolKind.ENUM: Suffix.TYPE,
    SymbolKind.TYPE: Suffix.TYPE,
    SymbolKind.FUNCTION: Suffix.METHOD,
    SymbolKind.METHOD: Suffix.METHOD,
    SymbolKind.MACRO: Suffix.MACRO,
}
_MEMBER_SUFFIXES = {
    BindingKind.PARAMETER: Suffix.PARAMETER,
    BindingKind.VARIADIC: Suffix.PARAMETER,
    BindingKind.MEMBER: Suffix.TERM,
    BindingKind.TYPE_PARAMETER: Suffix.TYPE_PARAMETER,
}
"""The suffixes of variables that belong to a function, a class or a type but are no definitions."""

_MODULE = Descriptor("__init__", Suffix.META).to_text()
"""The descriptor of a module itself."""


class SymbolNames:
    """The names of one snapshot's symbols; each symbol keeps its name as long as this object lives."""

    def __init__(self, code: CodeIndex, packages: Iterable[Coordinates]) -> None:
        self._code = code
        self._packages = tuple(packages)
        self._prefixes: dict[str, str] = {}
        self._of_variables: dict[Variable, str] = {}
        self._of_definitions: dict[tuple[str, int], str] = {}
        self._taken: dict[str, tuple[str, int]] = {}
        self._unnamed: dict[str, int] = {}

    def of_target(self, target: Target) -> str:
        """Return the name of a reference's target; "" if it is outside the snapshot."""
        if isinstance(target, Module):
            is_inside = bool(target.file) and not target.file.startswith(STUBS) and not target.inner
            return self.of_module(target.file) if is_inside else ""
        if isinstance(target, External) or target.file.startswith(STUBS):
            return ""
        return self.of_variable(target)

    def of_module(self, file: str) -> str:
        """Return the name of the module that a file is."""
        return self._prefix(file) + _MODULE

    def of_extension(self, file: str, name: str) -> str:
        """Return the name of the part of a module that another file declares, under the module's name there."""
        return self._prefix(file) + _text(name, Suffix.NAMESPACE)

    def of_variable(self, variable: Variable) -> str:
        """Return the name of a variable: that of its definition, of a parameter, or a local one."""
        known = self._of_variables.get(variable)
        if known is None:
            known = self._of_variables[variable] = self._name(variable)
        return known

    def _name(self, variable: Variable) -> str:
        graph = self._code.graph
        origin = graph.classes.get_origin(variable)
        if origin != variable:
            return self.of_variable(origin)
        definition = graph.get_definition(variable)
        if definition is not None:
            return self.of_definition(definition)
        uses = self._code.uses(variable.file)
        kinds = {binding.kind for binding in self._code.resolver.scopes.bindings(variable)}
        scope = uses.scopes[variable.scope] if uses.scopes else None
        suffix = next((suffix for kind, suffix in _MEMBER_SUFFIXES.items() if kind in kinds), None)
        if scope is not None and scope.symbol >= 0 and suffix is not None:
            return self._of_symbol(variable.file, scope.symbol) + _text(as_written(variable.name), suffix)
        if scope is not None and scope.symbol < 0 and scope.kind is ScopeKind.CLASS:
            # Other files can use the members of an object literal. As in other indexes, a number makes its name unique.
            return self._prefix(variable.file) + _text(f"{variable.name}{self._count(variable.file)}", Suffix.META)
        return f"{LOCAL}{self._count(variable.file)}"

    def _count(self, file: str) -> int:
        number = self._unnamed[file] = self._unnamed.get(file, -1) + 1
        return number

    def of_definition(self, definition: Definition) -> str:
        """Return the name of a definition."""
        return self._of_symbol(definition.file, definition.index)

    def _of_symbol(self, file: str, index: int) -> str:
        known = self._of_definitions.get((file, index))
        if known is not None:
            return known
        symbol = self._code.facts(file).symbols[index]
        above = self._of_symbol(file, symbol.parent) if symbol.parent >= 0 else self._prefix(file)
        suffix = _SUFFIXES.get(symbol.kind, Suffix.TERM)
        name, more = above + _text(symbol.name, suffix), 0
        while self._taken.setdefault(name, (file, index)) != (file, index):
            more += 1
            is_method = suffix is Suffix.METHOD
            name = above + (
                _text(symbol.name, suffix, f"+{more}") if is_method else _text(f"{symbol.name}+{more}", suffix)
            )
        self._of_definitions[file, index] = name
        return name

    def _prefix(self, file: str) -> str:
        """Return the prefix of the names of a file's symbols: its package, and its module in that."""
        known = self._prefixes.get(file)
        if known is None:
            package, directory = self._package_of(file)
            dotted = self._code.dotted_name(file)
            # Two scripts with the same name in different directories have the same module name.
            name = dotted if len(self._directories[dotted]) == 1 else file
            inside = name.removeprefix(f"{directory}/") if directory else name
            known = self._prefixes[file] = package + _text(inside or file, Suffix.NAMESPACE)
        return known

    def _package_of(self, file: str) -> tuple[str, str]:
        """Return the notation of the package that a file belongs to, and its directory."""
        manager = manager_of(require_spec(self._code.facts(file).language).module_system)
        found = get_package(self._packages, manager, file)
        if found is None:
            return format_prefix(SCHEME, manager, "", ""), ""
        return format_prefix(SCHEME, manager, found.name, found.version), found.directory

    @cached_property
    def _directories(self) -> dict[str, set[str]]:
        """Map each name by which files are imported to the directories of those files."""
        found: dict[str, set[str]] = {}
        for file in self._code.files:
            found.setdefault(self._code.dotted_name(file), set()).add(file.rpartition("/")[0])
        return found


def _text(name: str, suffix: Suffix, disambiguator: str = "") -> str:
    return Descriptor(name, suffix, disambiguator).to_text()
