"""Name the symbols of a snapshot in SCIP's notation, and the modules that files name in quotes.

A file may also declare more of such a module: `declare module "./box" { … }`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import External, Module, Target, Variable
from avionics.index.modules.package_coordinates import Coordinates, get_package, manager_of
from avionics.model.enums import BindingKind, ScopeKind, SymbolKind
from avionics.model.facts import Import, Symbol
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs, group_sets
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
_ONLY_MEMBER = frozenset({BindingKind.MEMBER})

_MODULE = Descriptor("__init__", Suffix.META).to_text()
"""The descriptor of a module itself."""


_QUOTED = re.compile(
    r"(?<![\w$.])(?P<word>from|import|require|include|module)\s*+\(?\s*+(?P<quote>['\"])(?P<name>[^'\"\n]++)(?P=quote)"
)
_EXTENDING = "module"
_MAX_LINES = 60
"""The maximum number of lines from the first name of an import to the name of its module."""


class SymbolNames:
    """The names of one snapshot's symbols, which do not depend on the order of questions."""

    def __init__(self, code: CodeIndex, packages: Iterable[Coordinates]) -> None:
        self._code = code
        self._packages = tuple(packages)
        self._of_definitions: dict[str, tuple[str, ...]] = {}
        self._numbers: dict[str, dict[tuple[int, str], int]] = {}

    @cached_method
    def of_targets(self, targets: tuple[Target, ...]) -> tuple[str, ...]:
        """Return the names of a reference's targets that are in the snapshot, without local ones if there are others.

        A name that an import binds is local itself, but has the symbols of what the import leads to.
        """
        found = tuple(filter(None, dict.fromkeys(map(self.of_target, targets))))
        return found if len(found) < 2 else tuple(each for each in found if not each.startswith(LOCAL)) or found

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
        """Return the name of the part of a module that another file declares: `declare module "./box" {…}`."""
        return self._prefix(file) + _text(name, Suffix.NAMESPACE)

    @cached_method
    def of_variable(self, variable: Variable) -> str:
        """Return the name of a variable: that of its definition, of a parameter, or a local one."""
        return self._name(variable)

    def _name(self, variable: Variable) -> str:
        graph = self._code.graph
        bindings = self._code.resolver.scopes.bindings(variable)
        kinds = {binding.kind for binding in bindings}
        if kinds <= _ONLY_MEMBER and (origin := graph.classes.get_origin(variable)) != variable:
            return self.of_variable(origin)
        is_defined = any(binding.symbol >= 0 for binding in bindings)
        if is_defined and (definition := graph.get_definition(variable)) is not None:
            return self.of_definition(definition)
        uses = self._code.uses(variable.file)
        scope = uses.scopes[variable.scope] if uses.scopes else None
        suffix = next((suffix for kind, suffix in _MEMBER_SUFFIXES.items() if kind in kinds), None)
        if scope is not None and scope.symbol >= 0 and suffix is not None:
            return self._of_symbol(variable.file, scope.symbol) + _text(as_written(variable.name), suffix)
        if scope is not None and scope.symbol < 0 and scope.kind is ScopeKind.CLASS:
            # Other files can use the members of an object literal. As in other indexes, a number makes its name unique.
            return self._prefix(variable.file) + _text(f"{variable.name}{self._get_number(variable)}", Suffix.META)
        return f"{LOCAL}{self._get_number(variable)}"

    def _get_number(self, variable: Variable) -> int:
        """Return the number of a variable among those of its file."""
        numbers = self._numbers.get(variable.file)
        if numbers is None:
            bindings = self._code.uses(variable.file).bindings.values()
            places = dict.fromkeys((each.scope, each.name) for those in bindings for each in those)
            numbers = self._numbers[variable.file] = {place: number for number, place in enumerate(places)}
        return numbers.setdefault((variable.scope, variable.name), len(numbers))

    def of_definition(self, definition: Definition) -> str:
        """Return the name of a definition."""
        return self._of_symbol(definition.file, definition.index)

    def _of_symbol(self, file: str, index: int) -> str:
        if file not in self._of_definitions:
            self._name_definitions(self._prefix(file))
        return self._of_definitions[file][index]

    def _name_definitions(self, prefix: str) -> None:
        """Name the definitions of all files with a prefix; a number tells apart those that have the same name."""
        taken: set[str] = set()
        for file in self._sharing[prefix]:
            symbols = self._code.facts(file).symbols
            names: dict[int, str] = {-1: prefix}
            for index in range(len(symbols)):
                unnamed = [index]
                while symbols[unnamed[-1]].parent not in names:
                    unnamed.append(symbols[unnamed[-1]].parent)
                for each in reversed(unnamed):
                    if each not in names:
                        names[each] = _choose_name(symbols[each], names[symbols[each].parent], taken)
            self._of_definitions[file] = tuple(names[index] for index in range(len(symbols)))

    @cached_property
    def _sharing(self) -> dict[str, list[str]]:
        """Map each prefix to the files that have it."""
        return group_pairs((self._prefix(file), file) for file in self._code.files)

    @cached_method
    def _prefix(self, file: str) -> str:
        """Return the prefix of the names of a file's symbols: its package, and its module in that."""
        package, directory = self._package_of(file)
        dotted = self._code.dotted_name(file)
        # Two scripts with the same name in different directories have the same module name.
        name = dotted if len(self._directories[dotted]) == 1 else file
        inside = name.removeprefix(f"{directory}/") if directory else name
        return package + _text(inside or file, Suffix.NAMESPACE)

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
        return group_sets((self._code.dotted_name(file), file.rpartition("/")[0]) for file in self._code.files)


def _text(name: str, suffix: Suffix, disambiguator: str = "") -> str:
    return Descriptor(name, suffix, disambiguator).to_text()


def _choose_name(symbol: Symbol, above: str, taken: set[str]) -> str:
    """Return a name for a symbol that is not taken, and take it."""
    suffix = _SUFFIXES.get(symbol.kind, Suffix.TERM)
    name, more = above + _text(symbol.name, suffix), 0
    while name in taken:
        more += 1
        is_method = suffix is Suffix.METHOD
        written, number = (symbol.name, f"+{more}") if is_method else (f"{symbol.name}+{more}", "")
        name = above + _text(written, suffix, number)
    taken.add(name)
    return name


class ModuleMention(Struct, frozen=True):
    """A place that names a module of the snapshot.

    Attributes:
        column: The column of the name, after its quote.
        name: The name as written.
        file: The module.
        is_extension: Whether more of it is declared there.
    """

    line: int
    column: int
    name: str
    file: str
    is_extension: bool


class ModuleMentions:
    """The places of one snapshot that name modules."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code

    @cached_property
    def extensions(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return each module → the files that declare more of it, with its name there."""
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for file in self._code.files:
            lines = self._code.read_lines(file) if any(self._iter_extending(file)) else ()
            for each in self.iter_mentions(file, lines):
                if each.is_extension:
                    found[each.file].append((file, each.name))
        return {module: tuple(dict.fromkeys(those)) for module, those in found.items()}

    def iter_mentions(self, file: str, lines: list[str] | tuple[()]) -> Iterator[ModuleMention]:
        """Yield the places of a file with some lines that name modules."""
        more = {each.module: each for each in self._iter_extending(file)}
        named: dict[str, Import] = {each.module: each for each in self._code.facts(file).imports if not each.level}
        wanted = {each.line for each in self._code.facts(file).imports}
        until = 0
        for number, line in enumerate(lines, 1):
            until = number + _MAX_LINES if number in wanted else until
            for found in _QUOTED.finditer(line) if number <= until or more else ():
                each = (more if found["word"] == _EXTENDING else named).get(found["name"])
                module = self._code.modules.find(each, file) if each is not None else None
                if isinstance(module, Module) and self._code.has_file(module.file):
                    is_more = found["word"] == _EXTENDING
                    yield ModuleMention(number, found.start("name"), found["name"], module.file, is_more)
                    until = until if is_more else 0

    def _iter_extending(self, file: str) -> Iterator[Import]:
        """Yield an import for each definition that a file adds to a module."""
        facts = self._code.facts(file)
        places = {(each.line, each.column): each for each in facts.symbols if each.parent < 0}
        for each in facts.imports:
            added = places.get((each.line, each.column))
            if added is not None and each.module and added.qualname.startswith(f"{each.module}."):
                yield each
