"""The graph: who uses what, asked from either end.

Candidates come from the inverted index; each is resolved on its own. Nothing is stored: facts are, and answers
are computed when asked.

Knows: usages, callers, callees, subclasses, overrides, importers.
Does not know: how answers are shown or cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Protocol

import attrs

from avionics.index.import_edges import ImportEdges
from avionics.index.places import standing_of
from avionics.index.reach import Reach
from avionics.index.resolver import Resolver
from avionics.index.scopes import FactsSource, is_class
from avionics.index.values import ClassType, Variable
from protocols.enums import BindingKind, Certainty, Evidence, ReferenceKind, SymbolKind
from protocols.facts import Reference
from protocols.knowledge import Definition, ModuleLink, UnresolvedUse, Usage, UsageReport
from protocols.naming import fold_name

_MOST_ALIASES = 50
"""A name imported under more names than this is not followed further; the report says so."""


class Candidates(FactsSource, Protocol):
    """Facts, and which files mention a word."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the snapshot, sorted."""
        ...

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """The files of the snapshot in which the word occurs, sorted."""
        ...

    def files_defining(self, folded: str) -> tuple[str, ...]:
        """The files that define a symbol of that folded name."""
        ...

    def load_facts(self, paths: Iterable[str]) -> None:
        """Make the outlines of many files quick to ask for."""
        ...

    def load_uses(self, paths: Iterable[str]) -> None:
        """Make the uses of many files quick to ask for."""
        ...


class Graph:
    """Relations between the definitions of one snapshot."""

    def __init__(self, source: Candidates, resolver: Resolver) -> None:
        self._source = source
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._holders: dict[str, tuple[Definition, ...]] = {}
        self.edges = ImportEdges(source, resolver.scopes.modules)
        self._reach = Reach(source, resolver.inference.members)

    def get_variable(self, definition: Definition) -> Variable | None:
        """The variable a definition gives a meaning to."""
        symbol = definition.symbol
        for binding in self._source.uses(definition.file).bindings.get(symbol.name, ()):
            if (binding.line, binding.column) == (symbol.line, symbol.column):
                return Variable(definition.file, binding.scope, symbol.name)
        return None

    def get_definition(self, variable: Variable) -> Definition | None:
        """The first definition of a variable."""
        return next(iter(self.find_all_definitions(variable)), None)

    def find_all_definitions(self, variable: Variable) -> tuple[Definition, ...]:
        """Every symbol that defines the variable: overloads, property setters, conditional definitions."""
        symbols = self._source.facts(variable.file).symbols
        indices = [b.symbol for b in self._scopes.bindings(variable) if b.symbol >= 0]
        return tuple(Definition(variable.file, symbols[index], index) for index in indices)

    def usages(self, definition: Definition) -> UsageReport:
        """Every place that uses the definition, and every place that may."""
        own = self.get_variable(definition)
        if own is None:
            return UsageReport((definition,), certainty=Certainty.UNKNOWN, because=("its scope could not be read",))
        variable = self._declared(own)
        definitions = tuple(dict.fromkeys((*self.find_all_definitions(variable), definition)))
        variables = (variable, *self._twins(definitions[0]))
        places = {(d.file, d.symbol.line, d.symbol.column) for d in definitions}
        names = self._names_of(variable)
        usages: dict[tuple[str, int, int], Usage] = {}
        unresolved: list[UnresolvedUse] = []
        files: set[str] = set()
        for name in names:
            candidates = self._source.files_with_word(name)
            self._source.load_uses(candidates)
            files.update(candidates)
            for file in candidates:
                for found in self._judge(file, name, variables):
                    place = (found.file, found.line, found.column)
                    if place in places:
                        continue
                    if isinstance(found, Usage):
                        usages[place] = found
                    else:
                        unresolved.append(found)
        for usage in (*self._rebindings(variable, places), *self._constructions(variable)):
            usages.setdefault((usage.file, usage.line, usage.column), usage)
        because = [*self._reach.iter_hidden(definition)]
        if unresolved:
            because.insert(0, f"{len(unresolved)} places may use it and could not be told")
        if len(names) > _MOST_ALIASES:
            because.append("it is imported under too many names to follow all")
        certainty = Certainty.AT_LEAST if because else Certainty.EXACT
        ordered = tuple(usages[place] for place in sorted(usages))
        return UsageReport(definitions, ordered, tuple(unresolved), certainty, tuple(because), len(files))

    def importers(self, path: str) -> tuple[ModuleLink, ...]:
        """Every import in the workspace that leads to the file."""
        word = self._scopes.modules.dotted_name(path).rpartition(".")[2]
        candidates = self._source.files_with_word(word) if word else ()
        # A package may be imported relatively by the files in it, which then do not write its name.
        within = self._siblings(path) if path.endswith(("/__init__.py", "/__init__.pyi")) else ()
        files = sorted({*candidates, *within} - {path})
        self._source.load_facts(files)
        return tuple(link for file in files for link in self.imports(file) if link.target == path)

    def imports(self, path: str) -> tuple[ModuleLink, ...]:
        """Every import of the file, and the file of the workspace it leads to."""
        links: dict[tuple[int, str, str], list[str]] = {}
        for edge in self.edges.of(path):
            links.setdefault((edge.line, edge.module, edge.target), []).append(edge.name)
        return tuple(
            ModuleLink(path, line, module, tuple(names), target or None)
            for (line, module, target), names in links.items()
        )

    def subclasses(self, definition: Definition) -> tuple[Definition, ...]:
        """The classes that inherit from the class directly."""
        if not is_class(definition.kind):
            return ()
        wanted = (definition.file, definition.index)
        found = []
        for usage in self.usages(definition).usages:
            if usage.role is not ReferenceKind.INHERIT:
                continue
            child = self._class_at(usage.file, usage.line)
            if child is not None and (child.file, child.index) != wanted:
                found.append(child)
        return tuple(dict.fromkeys(found))

    def descendants(self, definition: Definition) -> tuple[Definition, ...]:
        """The classes that inherit from the class, directly or not."""
        found: dict[Definition, None] = {}
        pending = [definition]
        while pending:
            for child in self.subclasses(pending.pop(0)):
                if child not in found:
                    found[child] = None
                    pending.append(child)
        return tuple(found)

    def overrides(self, definition: Definition) -> tuple[Definition, ...]:
        """The members of descendants that override a member, product code first.

        Asked from the members' side: a class may have thousands of descendants, a name has few definitions.
        """
        own = self._class_of(definition)
        if own is None:
            return ()
        name, members = definition.symbol.name, self._resolver.inference.members
        found: dict[ClassType, Definition] = {}
        for file in self._source.files_defining(fold_name(name)):
            for index, symbol in enumerate(self._source.facts(file).symbols):
                each = Definition(file, symbol, index)
                owner = self._class_of(each) if symbol.name == name else None
                if owner is not None and owner != own and members.is_subclass(owner, own):
                    found.setdefault(owner, each)
        return tuple(sorted(found.values(), key=lambda each: (standing_of(each.file), each.file, each.line)))

    def overridden(self, definition: Definition) -> Definition | None:
        """The inherited member that a member overrides, or None."""
        own = self._class_of(definition)
        if own is None:
            return None
        found = self._resolver.inference.members.find(own, definition.symbol.name, skip_own=True)
        return self.get_definition(found.variable) if found is not None else None

    def _class_of(self, member: Definition) -> ClassType | None:
        """The class that declares a member; None for what is no member."""
        parent = member.symbol.parent
        is_member = parent >= 0 and is_class(self._source.facts(member.file).symbols[parent].kind)
        return ClassType(member.file, parent) if is_member else None

    def callees(self, definition: Definition) -> tuple[tuple[Reference, tuple[Definition, ...], str], ...]:
        """The calls within a definition, in order: the reference, what it leads to, why that is unknown."""
        uses = self._source.uses(definition.file)
        span = definition.symbol.span
        calls = [
            reference
            for references in uses.references.values()
            for reference in references
            if reference.kind in {ReferenceKind.CALL, ReferenceKind.DECORATE} and span.contains(reference.line)
        ]
        result = []
        for reference in sorted(calls, key=lambda reference: (reference.line, reference.column)):
            resolution = self._resolver.resolve(definition.file, reference)
            targets = [t for t in resolution.targets if isinstance(t, Variable)]
            found = [d for target in targets if (d := self.get_definition(target)) is not None]
            result.append((reference, tuple(dict.fromkeys(found)), resolution.unknown))
        return tuple(result)

    def enclosing(self, file: str, line: int) -> Definition | None:
        """The innermost function or class whose lines hold the line; what decorates it stands outside of it."""
        if file not in self._holders:
            symbols = enumerate(self._source.facts(file).symbols)
            self._holders[file] = tuple(Definition(file, symbol, i) for i, symbol in symbols if symbol.kind in _HOLDERS)
        holders = self._holders[file]
        for at in range(bisect_right(holders, line, key=_first_line) - 1, -1, -1):
            if line <= holders[at].symbol.span.end_line:
                return holders[at]
        return None

    def _judge(self, file: str, name: str, variables: tuple[Variable, ...]) -> Iterator[Usage | UnresolvedUse]:
        """What the references of a name in a file are to the variable: usages, open questions, or nothing."""
        uses = self._source.uses(file)
        is_member = self._is_member(variables[0])
        homes = {variable.file for variable in variables}
        for reference in uses.references.get(name, ()):
            if reference.receiver is None and is_member and file not in homes:
                continue
            resolution = self._resolver.resolve(file, reference)
            if any(variable in resolution.targets for variable in variables):
                yield self._usage(file, reference, resolution.evidence)
            elif resolution.unknown and reference.receiver is not None and is_member:
                reason = self._open_question(file, reference, variables[0])
                if reason:
                    yield UnresolvedUse(file, reference.line, reference.column, reason)
        for line in uses.strings.get(name, ()):
            yield UnresolvedUse(file, line, 0, "a string that may name it")

    def _open_question(self, file: str, reference: Reference, variable: Variable) -> str:
        """Why a reference that is not settled may still mean the variable; "" when even a guess leads elsewhere."""
        guess = self._resolver.guess(file, reference)
        if variable in guess.targets:
            return "through a pytest fixture of that name"
        return guess.unknown

    def _usage(self, file: str, reference: Reference, evidence: Evidence) -> Usage:
        enclosing = self.enclosing(file, reference.line)
        return Usage(file, reference.line, reference.column, reference.kind, evidence, enclosing)

    def _names_of(self, variable: Variable) -> list[str]:
        """The variable's name, and the names it is imported under anywhere."""
        names = [variable.name]
        for name in names:
            if len(names) > _MOST_ALIASES:
                break
            candidates = self._source.files_with_word(name)
            self._source.load_facts(candidates)
            for file in candidates:
                for found in self._source.facts(file).imports:
                    is_alias = found.name == name and found.alias not in {"", name} and found.alias not in names
                    if is_alias and variable in self._scopes.find_imported(file, found):
                        names.append(found.alias)
        return names

    def _declared(self, variable: Variable) -> Variable:
        """The member that methods only assign (`self.x = …`), where an ancestor declares it; else the variable."""
        holder = self._source.uses(variable.file).scopes[variable.scope].symbol
        if any(binding.kind is not BindingKind.MEMBER for binding in self._scopes.bindings(variable)):
            return variable
        found = self._resolver.inference.members.find(ClassType(variable.file, holder), variable.name)
        return found.variable if found is not None else variable

    def _twins(self, definition: Definition) -> Iterator[Variable]:
        """The same definition in the stub beside its file, or in the file beside its stub."""
        stem, _, suffix = definition.file.rpartition(".")
        beside = f"{stem}.{'py' if suffix == 'pyi' else 'pyi'}"
        if self._source.has_file(beside):
            for index, symbol in enumerate(self._source.facts(beside).symbols):
                if symbol.qualname == definition.symbol.qualname:
                    variable = self.get_variable(Definition(beside, symbol, index))
                    if variable is not None:
                        yield variable
                        return

    def _constructions(self, variable: Variable) -> Iterator[Usage]:
        """The calls of classes that reach a constructor."""
        if variable.name not in {"__init__", "__new__"} or not self._is_member(variable):
            return
        index = self._source.uses(variable.file).scopes[variable.scope].symbol
        owner = Definition(variable.file, self._source.facts(variable.file).symbols[index], index)
        for heir in (owner, *self.descendants(owner)):
            found = self._resolver.inference.members.find(ClassType(heir.file, heir.index), variable.name)
            if found is not None and found.variable == variable:
                calls = (usage for usage in self.usages(heir).usages if usage.role is ReferenceKind.CALL)
                yield from (attrs.evolve(usage, evidence=Evidence.MEMBER) for usage in calls)

    def _rebindings(self, variable: Variable, places: set[tuple[str, int, int]]) -> Iterator[Usage]:
        """The assignments that give the variable another value after its definition."""
        for binding in self._scopes.bindings(variable):
            place = (variable.file, binding.line, binding.column)
            if binding.kind is BindingKind.ASSIGNMENT and place not in places:
                enclosing = self.enclosing(variable.file, binding.line)
                yield Usage(*place, ReferenceKind.WRITE, Evidence.SCOPE, enclosing)

    def _is_member(self, variable: Variable) -> bool:
        scope = self._source.uses(variable.file).scopes[variable.scope]
        return scope.symbol >= 0 and is_class(self._source.facts(variable.file).symbols[scope.symbol].kind)

    def _class_at(self, file: str, line: int) -> Definition | None:
        """The class whose header holds the line."""
        symbols = self._source.facts(file).symbols
        found = [
            Definition(file, symbol, index)
            for index, symbol in enumerate(symbols)
            if is_class(symbol.kind) and symbol.span.contains(line)
        ]
        return max(found, key=lambda definition: definition.symbol.span.start_line, default=None)

    def _siblings(self, path: str) -> tuple[str, ...]:
        """The files of a package, which may import it relatively without writing its name."""
        directory = path.rpartition("/")[0]
        return tuple(file for file in self._source.files if file.startswith(f"{directory}/"))


_HOLDERS = frozenset(
    {SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.INTERFACE}
)


def _first_line(definition: Definition) -> int:
    return definition.line
