"""The graph: who uses what, asked from either end.

Candidates come from the inverted index; each is resolved on its own. Nothing is stored: facts are, and answers
are computed when asked.

Knows: usages, callers, callees, subclasses, overrides, importers.
Does not know: how answers are shown or cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import attrs

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.time_budget import TimeBudget
from avionics.index.model.file_roles import role_of
from avionics.index.model.values import ClassType, InstanceType, Variable
from avionics.index.references.c_linkage import CLinker
from avionics.index.references.implicit_uses import ImplicitUses
from avionics.index.references.import_aliases import MAX_ALIASES, Aliases
from avionics.index.references.import_graph import ImportEdges
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.usage_classifier import UsageClassifier
from avionics.index.scopes.name_resolver import CONSTRUCTOR, is_class
from avionics.index.scopes.redeclarations import Redeclarations
from avionics.index.types.member_lookup import Mro
from avionics.index.types.overloads import Overloads
from avionics.index.types.structural_typing import Interfaces
from avionics.model.enums import BindingKind, Certainty, Evidence, ReferenceKind, SymbolKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition, ModuleLink, UnresolvedUse, Usage, UsageReport
from avionics.model.naming import as_written, fold_name, tagged

KEYS = "keyof"
"""The word, and the name of the computed access, by which a type takes the keys of another (TypeScript)."""
_KEYED_SYSTEM = "js_modules"
"""How the files of languages lie that know such types, or whose classes they may be of."""
_DIRECTORY_FILES = ("__init__.", "index.", "mod.")
"""Files that stand for the directory they lie in."""


class Graph:
    """Relations between the definitions of one snapshot."""

    def __init__(self, source: FactSource, resolver: Resolver) -> None:
        self._source = source
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._holders: dict[str, tuple[Definition, ...]] = {}
        self.edges = ImportEdges(source, resolver.scopes.modules)
        self.interfaces = Interfaces(source, resolver.scopes, resolver.inference)
        self._aliases = Aliases(source, resolver.scopes, lambda path: [link.file for link in self.importers(path)])
        self._counterparts = Redeclarations(resolver.scopes)
        self._judge = UsageClassifier(resolver, self.enclosing)
        self._linking = CLinker(source, resolver.scopes, self._judge)
        self._reach = ImplicitUses(resolver.scopes, resolver.inference.members, self.interfaces)

    def get_variable(self, definition: Definition) -> Variable | None:
        """The variable a definition gives a meaning to."""
        return self._scopes.get_declared(definition)

    def get_definition(self, variable: Variable) -> Definition | None:
        """The first definition of a variable; of one that is only announced there, the body."""
        return next(map(self.body_of, self.find_all_definitions(variable)), None)

    def body_of(self, definition: Definition) -> Definition:
        """The definition with the body, where the given one only announces it."""
        return self._counterparts.with_body(definition)

    def find_all_definitions(self, variable: Variable) -> tuple[Definition, ...]:
        """Every symbol that defines the variable: overloads, property setters, conditional definitions."""
        return self._counterparts.definitions(variable)

    def usages(self, definition: Definition) -> UsageReport:
        """Every place that uses the definition, and every place that may."""
        spec = self._scopes.spec(definition.file)
        if not spec.uses:
            return self._unread(definition)
        own = self.get_variable(definition)
        if own is None:
            return UsageReport((definition,), certainty=Certainty.UNKNOWN, because=("its scope could not be read",))
        if not definition.name.isidentifier() and spec.pointers:
            reason = "operators and destructors are used without their name"
            return UsageReport((definition,), certainty=Certainty.UNKNOWN, because=(reason,))
        variable = self._declared(own)
        overloads = Overloads(self._resolver.inference, self._same_named(variable, definition))
        more = (each for each in self._scopes.iter_declared(definition) if each != own)
        variables = (variable, *more, *self._counterparts.of(definition))
        definitions = self._declarations(definition, variables, overloads)
        places = {(d.file, d.symbol.line, d.symbol.column) for d in definitions}
        names: dict[str, tuple[str, ...]] = {}
        for each in variables:
            names |= self._aliases.names_of(each)
        looking = TimeBudget(definition.file, len(self._source.files), self._source.seconds_left())
        judged = tuple(self._iter_judged(names, variables, overloads, places, looking))
        usages = {(each.file, each.line, each.column): each for each in judged if isinstance(each, Usage)}
        unresolved = tuple(each for each in judged if isinstance(each, UnresolvedUse))
        files = {file for candidates in names.values() for file in candidates}
        for usage in (*self._rebindings(variable, places), *self._constructions(variable, overloads)):
            usages.setdefault((usage.file, usage.line, usage.column), usage)
        read = [file for file in files if not looking.is_left(file)]
        because = [*self._reach.iter_reasons(definition), *self.interfaces.find_nameless(definition, read)]
        because += (*self._iter_mapped(definition), *self._iter_twins(own, read))
        if unresolved:
            because.insert(0, f"{len(unresolved)} places may use it and could not be told")
        if len(names) > MAX_ALIASES:
            because.append("it is imported under too many names to follow all")
        because += (*looking.describe_left(), *self._list_unread(read, looking.told))
        certainty = Certainty.AT_LEAST if because else Certainty.EXACT
        ordered = tuple(usages[place] for place in sorted(usages))
        return UsageReport(definitions, ordered, unresolved, certainty, tuple(because), len(files))

    def _iter_judged(
        self,
        names: Mapping[str, tuple[str, ...]],
        variables: tuple[Variable, ...],
        overloads: Overloads,
        places: set[tuple[str, int, int]],
        looking: TimeBudget,
    ) -> Iterator[Usage | UnresolvedUse]:
        """What all files that write one of the names say of the variables, but for the places that define them."""
        using = {name: self._source.files_using(name, candidates) for name, candidates in names.items()}
        looking.note_idle(names.values(), using.values())
        for name, candidates in using.items():
            settled = self._linking.link(name, candidates, variables)
            looking.told |= settled.files
            rest = looking.iter_files(
                [each for each in candidates if each not in settled.files], self._source.load_uses
            )
            judged = (each for file in rest for each in self._judge.classify(file, name, variables, overloads))
            for found in chain(settled.uses, judged):
                if (found.file, found.line, found.column) not in places:
                    yield found

    def _iter_mapped(self, definition: Definition) -> Iterator[str]:
        """A type that has the keys of the member's class, in words: what uses its members may mean this one."""
        if self._scopes.spec(definition.file).module_system != _KEYED_SYSTEM:
            return
        of = self._resolver.inference.members.class_of(definition)
        symbol = self._scopes.get_class_symbol(of) if of is not None else None
        if symbol is None:
            return
        files = sorted({*self._source.files_with_word(KEYS)} & {*self._source.files_with_word(symbol.name)})
        self._source.load_uses(files)
        for path, access in ((file, each) for file in files for each in self._source.uses(file).dynamic):
            owner = access.receiver if access.name == KEYS else None
            kinds = self._resolver.inference.infer(owner, path, access.scope, access.line) if owner is not None else ()
            if any(isinstance(kind, InstanceType) and kind.of == of for kind in kinds):
                where = f"{path}:{access.line}"
                yield f"a type at {where} has the keys of {symbol.qualname}, and its uses may mean this one"
                return

    def _iter_twins(self, variable: Variable, files: Iterable[str]) -> Iterator[str]:
        """The typedef of a tag's own name, or the tag, where it is used too: one type, whose uses are told apart."""
        plain = as_written(variable.name)
        other = attrs.evolve(variable, name=tagged(plain) if variable.name == plain else plain)
        both = [binding for each in (variable, other) for binding in self._scopes.bindings(each)]
        if not self._scopes.bindings(other) or all(binding.value.name != tagged(plain) for binding in both):
            return
        if any(other.name in self._source.uses(file).references for file in files):
            what = "the tag" if variable.name == plain else "the typedef"
            yield f"{what} of that name is used as well, and counted on its own"

    def _list_unread(self, files: Iterable[str], told: Mapping[str, bool]) -> list[str]:
        """The files that were not read to their end, in words."""
        partly = sorted(file for file in files if (told[file] if file in told else self._is_partial(file)))
        return [f"{len(partly)} files that mention it could be read only in part: {partly[0]}"] if partly else []

    def _is_partial(self, file: str) -> bool:
        """Whether a file was not read to its end."""
        return self._source.uses(file).is_partial

    def _unread(self, definition: Definition) -> UsageReport:
        """What can be said in a language whose uses are not read."""
        count = len(self._source.files_with_word(definition.name))
        mention = "file mentions" if count == 1 else "files mention"
        reason = f"uses are not read in {self._source.facts(definition.file).language}; {count} {mention} the name"
        return UsageReport((definition,), certainty=Certainty.UNKNOWN, because=(reason,), candidates=count)

    def importers(self, path: str) -> tuple[ModuleLink, ...]:
        """Every import in the workspace that leads to the file."""
        words = self._scopes.modules.mentions(path)
        candidates = [file for word in words for file in self._source.files_with_word(word)]
        # A package may be imported relatively by the files in it, which then do not write its name.
        within = self._siblings(path) if path.rpartition("/")[2].startswith(_DIRECTORY_FILES) else ()
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

    def ancestors(self, definition: Definition) -> tuple[tuple[Definition, ...], Mro]:
        """The classes of the workspace that a class inherits from, nearest first, and what is known of others."""
        lineage = self._resolver.inference.members.lineage(ClassType(definition.file, definition.index))
        above = [each for each in lineage.classes if each.file in self._source.files and each.symbol >= 0]
        found = [
            Definition(each.file, self._source.facts(each.file).symbols[each.symbol], each.symbol) for each in above
        ]
        return tuple(each for each in found if each != definition), lineage

    def overrides(self, definition: Definition) -> tuple[Definition, ...]:
        """The members of descendants that override a member, product code first.

        Asked from the members' side: a class may have thousands of descendants, a name has few definitions.
        """
        own = self._resolver.inference.members.class_of(definition)
        if own is None:
            return ()
        name, members = definition.symbol.name, self._resolver.inference.members
        sought = {variable.name for variable in self._scopes.iter_declared(definition)}
        found: dict[ClassType, Definition] = {}
        for file in self._source.files_defining(fold_name(name)):
            for index, symbol in enumerate(self._source.facts(file).symbols):
                each = Definition(file, symbol, index)
                owner = members.class_of(each) if symbol.name == name else None
                if owner is None or owner == own or not members.is_subclass(owner, own):
                    continue
                if any(variable.name in sought for variable in self._scopes.iter_declared(each)):
                    found.setdefault(owner, each)
        every = dict.fromkeys((*found.values(), *self.interfaces.implementations(definition)))
        return tuple(sorted(every, key=lambda each: (role_of(each.file), each.file, each.line)))

    def overridden(self, definition: Definition) -> Definition | None:
        """The inherited member that a member overrides, or that of an interface which it implements, or None."""
        own = self._resolver.inference.members.class_of(definition)
        variable = self.get_variable(definition)
        if own is None or variable is None:
            return None
        found = self._resolver.inference.members.find(own, variable.name, skip_own=True)
        if found is None:
            return self.interfaces.get_implemented(definition)
        return self.get_definition(found.variable)

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
            targets = [target for target in resolution.targets if isinstance(target, Variable)]
            found = [d for target in targets if (d := self.get_definition(target)) is not None]
            result.append((reference, tuple(dict.fromkeys(found)), resolution.unknown))
        return tuple(result)

    def enclosing(self, file: str, line: int) -> Definition | None:
        """The innermost function or class whose lines hold the line; what decorates it stands outside of it."""
        if file not in self._holders:
            symbols = enumerate(self._source.facts(file).symbols)
            self._holders[file] = tuple(Definition(file, symbol, i) for i, symbol in symbols if symbol.kind in _HOLDERS)
        holders = self._holders[file]
        for at in range(bisect_right(holders, line, key=lambda each: each.line) - 1, -1, -1):
            if line <= holders[at].symbol.span.end_line:
                return holders[at]
        return None

    def _declared(self, variable: Variable) -> Variable:
        """The member that methods only assign (`self.x = …`), where an ancestor declares it; else the variable."""
        if any(binding.kind is not BindingKind.MEMBER for binding in self._scopes.bindings(variable)):
            return variable
        members = self._resolver.inference.members
        holder = members.class_at(variable.file, variable.scope)
        found = members.find(holder, variable.name) if holder is not None else None
        return found.variable if found is not None else variable

    def _same_named(self, variable: Variable, definition: Definition) -> tuple[Definition, ...]:
        """The definition, and before it those of the same name in the same scope that are others all the same."""
        if not self._scopes.spec(definition.file).overloads:
            return (definition,)
        others = [each for each in self.find_all_definitions(variable) if each != definition]
        return (*others, definition)

    def _declarations(
        self, definition: Definition, variables: tuple[Variable, ...], overloads: Overloads
    ) -> tuple[Definition, ...]:
        """All places that declare the definition: without the other overloads, where there are such."""
        found = [each for variable in variables for each in self.find_all_definitions(variable)]
        if overloads.others:
            found = [each for each in found if each == definition or overloads.is_same(each)]
        return tuple(dict.fromkeys((*found, definition)))

    def _constructions(self, variable: Variable, overloads: Overloads) -> Iterator[Usage]:
        """The calls of classes that reach a constructor."""
        if variable.name not in {CONSTRUCTOR, "__new__"} or not self._scopes.is_member(variable):
            return
        members = self._resolver.inference.members
        of = members.class_at(variable.file, variable.scope)
        symbol = self._scopes.get_class_symbol(of) if of is not None else None
        if of is None or symbol is None:
            return
        owner = Definition(of.file, symbol, of.symbol)
        heirs = () if self._scopes.spec(of.file).overloads else self.descendants(owner)
        for heir in (owner, *heirs):
            found = members.find(ClassType(heir.file, heir.index), variable.name)
            if found is not None and found.variable == variable:
                calls = (usage for usage in self.usages(heir).usages if usage.role is ReferenceKind.CALL)
                yield from (attrs.evolve(u, evidence=Evidence.MEMBER) for u in calls if self._fits(u, overloads))

    def _fits(self, usage: Usage, overloads: Overloads) -> bool:
        """Whether the call at a usage takes the overload asked for."""
        references = self._source.uses(usage.file).references
        there = [
            each
            for found in references.values()
            for each in found
            if (each.line, each.column) == (usage.line, usage.column)
        ]
        return all(overloads.doubt(usage.file, each) is None for each in there)

    def _rebindings(self, variable: Variable, places: set[tuple[str, int, int]]) -> Iterator[Usage]:
        """The assignments and imports that give the variable another meaning beside its definition."""
        for binding in self._scopes.bindings(variable):
            place = (variable.file, binding.line, binding.column)
            if binding.kind in _REBINDING and place not in places:
                enclosing = self.enclosing(variable.file, binding.line)
                yield Usage(*place, ReferenceKind.WRITE, Evidence.SCOPE, enclosing)

    def _class_at(self, file: str, line: int) -> Definition | None:
        """The class whose header holds the line, else the one to which an `impl` there adds members."""
        symbols = self._source.facts(file).symbols
        there = [at for at, each in enumerate(symbols) if is_class(each.kind) and each.span.contains(line)]
        if there:
            index = max(there, key=lambda at: symbols[at].span.start_line)
            return Definition(file, symbols[index], index)
        return self._resolver.inference.members.added_to(file, line)

    def _siblings(self, path: str) -> tuple[str, ...]:
        """The files of a package, which may import it relatively without writing its name."""
        directory = path.rpartition("/")[0]
        return tuple(file for file in self._source.files if file.startswith(f"{directory}/"))


_REBINDING = frozenset({BindingKind.ASSIGNMENT, BindingKind.IMPORT})
_HOLDERS = frozenset(
    {SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.INTERFACE}
)
