"""Answer questions about the definitions of a snapshot: usages, callees, subclasses, overrides and importers.

Candidate files come from the inverted index; each reference in them is resolved on its own. Only facts are stored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct, structs

from avionics.cancellation import seconds_left, watch_cuts
from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.time_budget import TimeBudget
from avionics.index.model.values import Target, Variable
from avionics.index.references.c_linkage import CLinker, LinkageConflicts, Sight
from avionics.index.references.class_hierarchy import ClassHierarchy
from avionics.index.references.implicit.constructor_uses import ConstructorUses
from avionics.index.references.implicit.dynamic_access import ComputedUses, NamingStrings
from avionics.index.references.implicit.foreign_names import OtherCases
from avionics.index.references.implicit.implicit_uses import ImplicitUses
from avionics.index.references.implicit.known_keys import KnownKeys
from avionics.index.references.implicit.names_in_text import NamesInText
from avionics.index.references.implicit.outside_declarations import WrappedHeaders
from avionics.index.references.implicit.pasted_names import PastedNames
from avionics.index.references.import_aliases import MAX_ALIASES, Aliases, ModuleValues
from avionics.index.references.import_graph import ImportEdges
from avionics.index.references.ledger import (
    MAX_DOCUMENTS,
    LedgerBuilder,
    UnreadCode,
    WordRecords,
    iter_document_references,
    list_documents,
    list_text_lines,
)
from avionics.index.references.macro_expansions import MacroExpansions
from avionics.index.references.macro_mentions import MacroMentions
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.usage_classifier import UsageClassifier
from avionics.index.scopes.redeclarations import Redeclarations
from avionics.index.types.calls.overloads import Overloads, get_body, list_other_functions, list_overloads_elsewhere
from avionics.index.types.calls.pytest_fixtures import iter_requests
from avionics.index.types.structural_typing import Interfaces
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, Certainty, Evidence, ReferenceKind, SymbolKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition, Ledger, UnresolvedUse, Usage, UsageReport
from avionics.model.naming import as_written, fold_name, last_part
from avionics.model.reasons import Reason, ReasonKind
from avionics.source.paths import summarize_skipped

_LETTER = late_pattern(r"\w")
_BATCH_FILES = 4
"""The number of files that are read together if the search ends with the first usage."""


class _Subject(Struct, frozen=True):
    """The names and targets by which usages of a definition are recognized.

    Attributes:
        variables: The variables that its declarations bind; the first is its own.
        overloads: The overloads of its name.
        definitions: Every place that declares it.
        places: Those places as file, line and column.
        names: Each of its names → the files that mention it.
        taking: The files that may take it from its module by the name that an export without a name has.
    """

    variables: tuple[Variable, ...]
    overloads: Overloads
    definitions: tuple[Definition, ...]
    places: frozenset[tuple[str, int, int]]
    names: Mapping[str, tuple[str, ...]]
    taking: tuple[str, ...]


class Graph:
    """Relations between the definitions of one snapshot."""

    def __init__(self, source: FactSource, resolver: Resolver) -> None:
        self._source = source
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._holders: dict[str, tuple[int, ...]] = {}
        self.edges = ImportEdges(source, resolver.scopes.modules)
        self.interfaces = Interfaces(source, resolver.scopes, resolver.inference)
        self.aliases = Aliases(source, resolver.scopes, self._importing)
        self._redeclarations = Redeclarations(resolver.scopes)
        self.modules = modules = ModuleValues(resolver.scopes, resolver.inference, self._importing)
        texts = NamesInText(resolver, modules, self.edges.importers)
        self._classifier = UsageClassifier(resolver, self.enclosing, modules, texts.may_mean)
        self._linker = CLinker(source, resolver.scopes, self._classifier)
        self._linkage_conflicts = LinkageConflicts(source, resolver.scopes)
        self._macros = MacroMentions(source, resolver)
        self._expansions = MacroExpansions(source, resolver, self._classifier)
        self.strings = NamingStrings(source, modules.may_have_members, resolver.scopes.scripts.is_script)
        self._unread_code = UnreadCode(source, resolver.scopes)
        self._pasted = PastedNames(source, resolver.scopes)
        self._wrapped = WrappedHeaders(source)
        self._cases = OtherCases(source, resolver.scopes)
        self._sight = Sight(source, resolver.scopes, self._classifier, self._unread_code.list_including)
        self.implicit = ImplicitUses(resolver.scopes, resolver.inference, self.interfaces)
        self.classes = ClassHierarchy(source, resolver, self.interfaces, self._iter_named, self.get_definition)
        keys = KnownKeys(resolver, self.classes.descendants)
        self._computed = ComputedUses(source, resolver.inference, self.edges.importers, keys.are_written)
        self._constructors = ConstructorUses(resolver, self._classifier, self.classes, self.usages)

    def get_variable(self, definition: Definition) -> Variable | None:
        """Return the variable that a definition declares."""
        return self._scopes.get_declared(definition)

    def get_definition(self, variable: Variable) -> Definition | None:
        """Return the first definition of a variable; if that is only a declaration, the one with the body."""
        return next(map(self.body_of, self.find_all_definitions(variable)), None)

    def list_definitions(self, targets: Iterable[Target]) -> tuple[Definition, ...]:
        """Return the definitions of those targets that have one, as `get_definition` does."""
        found = (self.get_definition(each) for each in targets if isinstance(each, Variable))
        return tuple(each for each in found if each is not None)

    def list_meant(self, file: str, reference: Reference) -> tuple[Definition, ...]:
        """Return the definitions of a reference's targets, as `get_definition` does."""
        return self.list_definitions(self._resolver.resolve(file, reference).targets)

    def body_of(self, definition: Definition) -> Definition:
        """Return the definition with the body, if the given one is only a declaration."""
        bodies = self._redeclarations.iter_bodies(definition)
        if not self._scopes.spec(definition.file).overloads:
            return next(bodies, definition)
        declared = self.find_all_definitions(own) if (own := self.get_variable(definition)) is not None else ()
        return get_body(self._resolver.inference.overloads, definition, tuple(dict.fromkeys(bodies)), declared)

    def find_bodies(self, definition: Definition) -> tuple[Definition, ...]:
        """Return all definitions with a body, if the given one is only a declaration."""
        return tuple(self._redeclarations.iter_bodies(definition))

    def find_all_definitions(self, variable: Variable) -> tuple[Definition, ...]:
        """Return every symbol that defines the variable: overloads, property setters, conditional definitions."""
        return self._scopes.list_definitions(variable)

    def find_declarations(self, definition: Definition) -> tuple[Definition, ...]:
        """Return every place that declares a definition: itself, prototypes, stubs, the other parts of its class."""
        found = [definition]
        for variable in (
            *self._scopes.iter_declared(definition),
            *self._redeclarations.iter_declared_again(definition),
        ):
            found += self.find_all_definitions(variable)
        return tuple(dict.fromkeys(found))

    def usages(self, definition: Definition) -> UsageReport:
        """Return every place that uses the definition, and every place that may."""
        with watch_cuts() as cuts:
            report = self._collect_usages(definition)
        return report.as_cut() if cuts.were_made else report

    def _collect_usages(self, definition: Definition) -> UsageReport:
        """Return the usages; the caller checks whether some of the data was cut short by the time limit."""
        own = self.get_variable(definition)
        obstacle = self._get_obstacle(definition, own)
        if own is None or obstacle is not None:
            return self._report_unknown(definition, obstacle or Reason(ReasonKind.SCOPE_UNKNOWN))
        subject = self._build_subject(definition, own)
        variable, definitions, names = subject.variables[0], subject.definitions, subject.names
        holder = last_part(definition.symbol.qualname.rpartition(".")[0])
        # A file that names the class of a member more likely uses the member than one that has only such a name.
        likely = frozenset(self._source.files_with_word(as_written(holder)) if holder else ())
        budget = TimeBudget(definition.file, len(self._source.files), self._source.seconds_left(), likely=likely)
        records, methods = WordRecords(self._source, self._scopes), self.interfaces.find_dispatched(definition)
        dispatched = frozenset(each for method in methods for each in self._scopes.iter_declared(method))
        classified = tuple(self._iter_classified(subject, budget, dispatched, records=records))
        usages = {each.place: each for each in classified if isinstance(each, Usage)}
        is_key = not usages or self._classifier.may_be_key(own)
        unresolved = [each for each in classified if isinstance(each, UnresolvedUse) and _is_open(each, is_key)]
        files = {file for candidates in names.values() for file in candidates}
        bound = (
            *self._iter_rebindings(variable, subject.places),
            *self._iter_requests(definition),
            *self._iter_unbound(variable),
            *self._iter_compiled(definitions, files, subject.places),
        )
        constructions, unsettled = self._constructors.find(definition, subject.variables, subject.overloads)
        unresolved += (each for each in constructions if isinstance(each, UnresolvedUse))
        for usage in (*bound, *(each for each in constructions if isinstance(each, Usage))):
            usages.setdefault(usage.place, usage)
        known = {*usages, *subject.places, *(each.place for each in unresolved)}
        unresolved += self._macros.find(definition, known, list_text_lines(unresolved))
        unresolved += self._list_unparsed(definition, own, definitions, known)
        unresolved = self._sight.keep_seeing(own, definitions, unresolved)
        in_macros, unresolved = self._expansions.settle(definition, subject.variables, subject.overloads, unresolved)
        usages |= {each.place: each for each in in_macros}
        read = [file for file in files if not budget.is_skipped(file)]
        reasons = (
            *self._iter_reasons(definition, own, subject, usages.values(), unsettled, read),
            *budget.list_reasons(),
            *records.iter_partial(read, budget.settled),
            *summarize_skipped(self._source.unreadable),
        )
        ordered = tuple(usages[place] for place in sorted(usages))
        builder = LedgerBuilder(self._source, records, self._scopes, definitions, ordered, unresolved, in_macros)
        ledger = builder.build(names, budget.settled, {file for file in files if budget.is_skipped(file)})
        reasons = (*reasons, *_iter_faults(ledger, is_open=bool(reasons)))
        if not reasons and not unresolved:
            reasons = tuple(self._iter_unspelled(definition, names, is_used=bool(usages)))
        certainty = Certainty.AT_LEAST if reasons or unresolved else Certainty.EXACT
        return UsageReport(definitions, ordered, tuple(unresolved), certainty, reasons, ledger)

    def _iter_reasons(
        self,
        definition: Definition,
        own: Variable,
        subject: _Subject,
        usages: Collection[Usage],
        unsettled: Iterable[Reason],
        read: list[str],
    ) -> Iterator[Reason]:
        """Yield why a definition may have more usages in the files that were read.

        `unsettled` are the reasons why its constructor may have more.
        """
        yield from self.implicit.iter_reasons(definition)
        if not usages:
            yield from self.implicit.iter_reasons_if_unused(definition, self._imports_outside)
        if self._scopes.spec(definition.file).class_sides:
            yield from self.classes.iter_combined(definition)
        yield from self.interfaces.find_nameless(definition, read)
        yield from self._iter_dispatched(usages)
        yield from unsettled
        yield from self._linkage_conflicts.iter_reasons(definition, own, subject.definitions, read)
        yield from self._iter_declared_by_scripts(own)
        yield from self._wrapped.iter_reasons(subject.definitions)
        if len(subject.names) > MAX_ALIASES:
            yield Reason(ReasonKind.ALIAS_LIMIT)

    def _get_obstacle(self, definition: Definition, own: Variable | None) -> Reason | None:
        """Return why the usages of a definition cannot be determined at all; None if they can."""
        spec = self._scopes.spec(definition.file)
        if not spec.has_uses:
            counts, language = self._source.count_word(definition.name), self._source.facts(definition.file).language
            return Reason(ReasonKind.USAGES_UNSUPPORTED, len(counts), subject=language)
        if own is None:
            return Reason(ReasonKind.SCOPE_UNKNOWN)
        if not definition.name.isidentifier() and spec.pointers:
            return Reason(ReasonKind.OPERATOR)
        return None if _LETTER.search(definition.name) else Reason(ReasonKind.NO_WORD)

    def _iter_unspelled(self, definition: Definition, names: Iterable[str], *, is_used: bool) -> Iterator[Reason]:
        """Yield reasons why a definition may be used although no mention of it was examined."""
        for each in (self._pasted, self.strings, self._computed, self._cases):
            yield from each.iter_reasons(definition)
        if not is_used:
            yield from self.strings.iter_words(definition)
        yield from self._unread_code.iter_too_large(definition, {*map(as_written, names)})
        is_native = self._scopes.spec(definition.file).linkage
        left = [] if is_native else list_documents(definition.name, self._source)[MAX_DOCUMENTS:]
        if left:
            yield Reason(ReasonKind.FILES_NOT_EXAMINED, len(left), subject=left[0])

    def _report_unknown(self, definition: Definition, reason: Reason) -> UsageReport:
        """Return a report that the usages of a definition cannot be determined: no mention of it was examined."""
        counts = self._source.count_word(definition.name)
        mentions, defined = sum(counts.values()), min(1, counts.get(definition.file, 0))
        ledger = Ledger(mentions, definitions=defined, not_examined=mentions - defined)
        return UsageReport((definition,), (), (), Certainty.UNKNOWN, (reason,), ledger)

    def get_outside_usage(self, definition: Definition, is_own: Callable[[Usage], bool]) -> Usage | None:
        """Return the first proven usage that is not the definition's own, nearest files first; None if none is found.

        This is cheaper than `usages` if there is one. None does not prove that there is none: `usages` finds more.
        """
        return next((each for each in self._iter_named(definition, (), _BATCH_FILES) if not is_own(each)), None)

    def iter_calls(self, definition: Definition) -> Iterator[Usage]:
        """Yield the proven calls that name the definition; as cheap as `get_outside_usage`, and as incomplete."""
        return self._iter_named(definition, (ReferenceKind.CALL,))

    def _iter_named(self, definition: Definition, roles: Sequence[ReferenceKind], at_once: int = 0) -> Iterator[Usage]:
        """Yield the proven usages that name the definition, those of some roles if any are given."""
        own = self.get_variable(definition) if self._scopes.spec(definition.file).has_uses else None
        if own is not None and (definition.name.isidentifier() or not self._scopes.spec(definition.file).pointers):
            budget = TimeBudget(definition.file, len(self._source.files), self._source.seconds_left(), at_once)
            found = self._iter_classified(self._build_subject(definition, own), budget, frozenset(), roles)
            yield from (each for each in found if isinstance(each, Usage))

    def _build_subject(self, definition: Definition, own: Variable) -> _Subject:
        """Return the names and targets to search for in every file that may use a definition."""
        more = (each for each in self._scopes.iter_declared(definition) if each != own)
        variables = (self.classes.get_origin(own), *more, *self._redeclarations.iter_declared_again(definition))
        overloads = Overloads(self._resolver.inference.overloads, self._same_named(variables, definition))
        definitions = self._declarations(definition, variables, overloads)
        places = frozenset((d.file, d.symbol.line, d.symbol.column) for d in definitions)
        names: dict[str, tuple[str, ...]] = {}
        for each in variables:
            names |= self.aliases.names_of(each)
        every = (*variables, *self._implementing(definition, variables[0]))
        taking = dict.fromkeys(file for each in variables for file in self.aliases.find_with_default(each))
        return _Subject(every, overloads, definitions, places, names, tuple(taking))

    def _list_unparsed(
        self,
        definition: Definition,
        own: Variable,
        every: tuple[Definition, ...],
        known: Collection[tuple[str, int, int]],
    ) -> tuple[UnresolvedUse, ...]:
        """Return the places, not known already, where code that is not parsed may refer to a definition."""
        found = (each for each in self._iter_unparsed(definition, own, every) if each.place not in known)
        return tuple({each.place: each for each in found}.values())

    def _iter_unparsed(
        self, definition: Definition, own: Variable, every: tuple[Definition, ...]
    ) -> Iterator[UnresolvedUse]:
        """Yield the places in code that is not parsed, configuration and templates that may refer to a definition.

        Programs of C do not keep the names that configuration could refer to. A place in a template of code that is
        not parsed may be given twice.
        """
        # Code that is not parsed, such as assembler, can refer to names that the linker or the preprocessor knows.
        is_linked = definition.kind is SymbolKind.MACRO or self._classifier.is_linked(own)
        is_linked = is_linked or self._linkage_conflicts.may_have_c_linkage(every)
        yield from self._unread_code.iter_uses(definition, is_linked=is_linked)
        if not self._scopes.spec(definition.file).linkage:
            yield from iter_document_references(definition, self._source)

    def _iter_classified(
        self,
        subject: _Subject,
        budget: TimeBudget,
        dispatched: frozenset[Variable],
        roles: Sequence[ReferenceKind] = (),
        records: WordRecords | None = None,
    ) -> Iterator[Usage | UnresolvedUse]:
        """Yield the usages and possible usages in all files that mention a name, except where it is defined.

        `records` receive the record of each file about the name.
        """
        names, variables, overloads = subject.names, subject.variables, subject.overloads
        using = {name: self._source.files_using(name, candidates) for name, candidates in names.items()}
        budget.note_idle(names.values(), using.values())
        for name, candidates in using.items():
            settled = self._linker.link(name, candidates, variables)
            budget.settled |= settled.files
            rest = budget.iter_files([each for each in candidates if each not in settled.files], self._load)
            classified = (
                each
                for file in (rest if records is None else records.iter_noted(rest, as_written(name)))
                for each in self._classifier.classify(file, name, variables, overloads, dispatched, roles)
            )
            for found in chain(settled.uses, classified):
                if found.place not in subject.places:
                    yield found
        for file in budget.iter_files(list(subject.taking), self._load):
            unnamed = self._scopes.spec(file).unnamed_export
            yield from self._classifier.classify(file, unnamed, variables, overloads, dispatched, roles)

    def _load(self, files: Sequence[str]) -> None:
        self._source.load_uses(files)
        self._source.load_facts(files)

    def _imports_outside(self, file: str) -> bool:
        """Return whether a file imports anything from outside the workspace."""
        return any(edge.is_outside for edge in self.edges.of(file))

    def _implementing(self, definition: Definition, variable: Variable) -> tuple[Variable, ...]:
        """Return the interface members that a member implements; their uses count as its uses."""
        of = None
        if self._scopes.spec(definition.file).implementations_are_uses:
            of = self._resolver.inference.members.class_of(definition)
        symbol = self._scopes.get_class_symbol(of)
        if of is None or symbol is None or symbol.kind is not SymbolKind.INTERFACE:
            return ()
        return self._resolver.inference.members.implementing(of, variable.name)

    def _iter_dispatched(self, usages: Iterable[Usage]) -> Iterator[Reason]:
        """Yield a reason that counts the usages through an interface, which may run another method."""
        count = sum(usage.evidence is Evidence.INTERFACE for usage in usages)
        if count:
            yield Reason(ReasonKind.THROUGH_INTERFACE, count)

    def _iter_declared_by_scripts(self, own: Variable) -> Iterator[Reason]:
        """Yield a reason if another script declares the same global variable, which scripts of a page share."""
        if not self._classifier.is_global(own):
            return
        system = self._scopes.modules.system_of(own.file)
        for file in self._source.files_defining(fold_name(own.name)):
            other = structs.replace(own, file=file)
            is_other = file != own.file and self._scopes.modules.system_of(file) is system
            if is_other and self._scopes.bindings(other) and self._classifier.is_global(other):
                yield Reason(ReasonKind.LINKED_ELSEWHERE, place=(file, self._scopes.bindings(other)[0].line))
                return

    def _importing(self, path: str) -> list[str]:
        """Return the files that import a file."""
        return [link.file for link in self.edges.importers(path)]

    def callees(self, definition: Definition) -> tuple[tuple[Reference, tuple[Definition, ...], Reason | None], ...]:
        """Return the calls within a definition, in order: the reference, its targets, and why they are unknown.

        When the time for an answer runs out, the calls so far.
        """
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
            if seconds_left() <= 0:
                break
            resolution = self._resolver.resolve(definition.file, reference)
            found = self.list_definitions(resolution.targets)
            result.append((reference, tuple(dict.fromkeys(found)), resolution.unknown))
        return tuple(result)

    def enclosing(self, file: str, line: int) -> Definition | None:
        """Return the innermost function or class around a line; its decorators are outside of it."""
        symbols = self._source.facts(file).symbols
        if file not in self._holders:
            self._holders[file] = tuple([index for index, each in enumerate(symbols) if each.kind in _HOLDERS])
        holders = self._holders[file]
        for at in range(bisect_right(holders, line, key=lambda index: symbols[index].line) - 1, -1, -1):
            symbol = symbols[holders[at]]
            if line <= symbol.span.end_line:
                return Definition(file, symbol, holders[at])
        return None

    def _same_named(self, variables: tuple[Variable, ...], definition: Definition) -> tuple[Definition, ...]:
        """Return the definition, preceded by the other overloads of its name in its scope."""
        if not self._scopes.spec(definition.file).overloads and definition.kind is not SymbolKind.MACRO:
            return (definition,)
        own, *rest = map(self.find_all_definitions, variables)
        resolution, more = self._resolver.inference.overloads, list[Definition]()
        for each in rest:
            more += list_other_functions(resolution, own, each)
            more += list_overloads_elsewhere(resolution, definition, each)
        return (*(each for each in dict.fromkeys((*own, *more)) if each != definition), definition)

    def _declarations(
        self, definition: Definition, variables: tuple[Variable, ...], overloads: Overloads
    ) -> tuple[Definition, ...]:
        """Return all places that declare the definition, without other overloads."""
        declared = [self.find_all_definitions(variable) for variable in variables]
        found = [overloads.list_same(each) if overloads.are_told_apart else each for each in declared]
        return tuple(dict.fromkeys((*chain.from_iterable(found), definition)))

    def _iter_compiled(
        self, definitions: tuple[Definition, ...], files: Iterable[str], places: Collection[tuple[str, int, int]]
    ) -> Iterator[Usage]:
        """Yield the usages that compilers proved, also at places without a recorded reference."""
        for file in files:
            for name in self._resolver.compiled.iter_names(file, definitions):
                place = (file, name.line, name.column)
                role = ReferenceKind.WRITE if name.is_written else ReferenceKind.READ
                if place not in places:
                    yield Usage(
                        *place, ReferenceKind.IMPORT if name.is_import else role, Evidence.COMPILER, self.enclosing
                    )

    def _iter_requests(self, definition: Definition) -> Iterator[Usage]:
        """Yield the parameters of tests and fixtures by which pytest passes them a fixture."""
        for file, each in iter_requests(self._scopes, definition):
            yield Usage(file, each.line, each.column, ReferenceKind.READ, Evidence.FIXTURE, self.enclosing)

    def _iter_unbound(self, variable: Variable) -> Iterator[Usage]:
        """Yield the usages of a module's value that bind no name: `require('./start')()`."""
        for file, found in self.aliases.find_unbound(variable):
            yield Usage(file, found.line, found.column, ReferenceKind.READ, Evidence.IMPORT, self.enclosing)

    def _iter_rebindings(self, variable: Variable, places: frozenset[tuple[str, int, int]]) -> Iterator[Usage]:
        """Yield the assignments and imports that rebind the variable."""
        is_import_other = not self._scopes.modules.system_of(variable.file).exports_imports
        for binding in self._scopes.bindings(variable):
            place = (variable.file, binding.line, binding.column)
            is_other = is_import_other and binding.kind is BindingKind.IMPORT
            if binding.kind in _REBINDING and place not in places and not is_other:
                enclosing = self.enclosing(variable.file, binding.line)
                yield Usage(*place, ReferenceKind.WRITE, Evidence.SCOPE, enclosing)


def _is_open(use: UnresolvedUse, is_key: bool) -> bool:
    """Return whether a possible usage counts; keys of mappings do only if they may refer to the definition."""
    return is_key or use.reason.kind is not ReasonKind.MAPPING_KEY


def _iter_faults(ledger: Ledger, *, is_open: bool) -> Iterator[Reason]:
    """Yield the reasons why a ledger is no proof, if nothing else leaves the answer open."""
    if not ledger.adds_up:
        yield Reason(ReasonKind.LEDGER_MISMATCH)
    elif ledger.not_examined and not is_open:
        yield Reason(ReasonKind.MENTIONS_NOT_EXAMINED, ledger.not_examined)


_REBINDING = frozenset({BindingKind.ASSIGNMENT, BindingKind.IMPORT})
_HOLDERS = frozenset(
    {SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.INTERFACE}
)
