"""The graph: who uses what, asked from either end.

Candidates come from the inverted index; each is resolved on its own. Nothing is stored: facts are, and answers
are computed when asked.

Knows: usages, callers, callees, subclasses, overrides, importers.
Does not know: how answers are shown or cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import attrs

from avionics.index.reach import Reach
from avionics.index.resolver import Resolver
from avionics.index.scopes import FactsSource, is_class
from avionics.index.values import ClassType, Module, Variable
from protocols.enums import BindingKind, Certainty, Evidence, ReferenceKind, SymbolKind
from protocols.facts import Reference
from protocols.knowledge import Definition, ModuleLink, UnresolvedUse, Usage, UsageReport

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
        dotted = self._scopes.modules.dotted_name(path)
        word = dotted.rpartition(".")[2]
        candidates = self._source.files_with_word(word) if word else ()
        packages = [] if not path.endswith(("/__init__.py", "/__init__.pyi")) else self._siblings(path)
        found = [
            link
            for file in sorted({*candidates, *packages})
            if file != path
            for link in self.imports(file)
            if link.target == path
        ]
        return tuple(found)

    def imports(self, path: str) -> tuple[ModuleLink, ...]:
        """Every import of the file, and the file of the workspace it leads to."""
        links: dict[tuple[int, str, str | None], list[str]] = {}
        for found in self._source.facts(path).imports:
            written = "." * found.level + found.module
            module = self._scopes.modules.find(found.module, found.level, path)
            target = module.file or None if isinstance(module, Module) else None
            if isinstance(module, Module) and found.name not in {"", "*"}:
                submodule = self._scopes.modules.submodule(module, found.name)
                is_own = module.file and self._scopes.bindings(Variable(module.file, 0, found.name))
                if submodule is not None and submodule.file and not is_own:
                    target = submodule.file
            links.setdefault((found.line, written, target), []).append(found.name or found.module)
        return tuple(ModuleLink(path, line, module, tuple(names), to) for (line, module, to), names in links.items())

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
        """The members of descendants that override a member."""
        parent = definition.symbol.parent
        if parent < 0:
            return ()
        owner = self._source.facts(definition.file).symbols[parent]
        if not is_class(owner.kind):
            return ()
        found = []
        for child in self.descendants(Definition(definition.file, owner, parent)):
            variable = self._resolver.inference.members.own_member(
                ClassType(child.file, child.index), definition.symbol.name
            )
            overriding = self.get_definition(variable) if variable is not None else None
            if overriding is not None:
                found.append(overriding)
        return tuple(found)

    def overridden(self, definition: Definition) -> Definition | None:
        """The inherited member that a member overrides, or None."""
        parent = definition.symbol.parent
        if parent < 0 or not is_class(self._source.facts(definition.file).symbols[parent].kind):
            return None
        found = self._resolver.inference.members.find(
            ClassType(definition.file, parent), definition.symbol.name, skip_own=True
        )
        return self.get_definition(found.variable) if found is not None else None

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
        """The innermost function or class whose lines hold the line."""
        best: Definition | None = None
        for index, symbol in enumerate(self._source.facts(file).symbols):
            if symbol.span.start_line > line:
                break
            is_holder = symbol.kind in _HOLDERS
            if is_holder and symbol.span.contains(line):
                best = Definition(file, symbol, index)
        return best

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
            yield UnresolvedUse(file, line, 0, "a string of that text")

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
        """The member that a class assigns without declaring it, where an ancestor declares it; else the variable."""
        holder = self._source.uses(variable.file).scopes[variable.scope].symbol
        if not self._is_member(variable):
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
