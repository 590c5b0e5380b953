"""The code index of one snapshot.

It composes the packages that join facts across files (modules, scopes, types, references) over one source of facts.
Results are computed when they are asked for, and kept as long as the index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from avionics.cancellation import watch_cuts
from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.word_index import WordIndex
from avionics.index.modules.import_resolver import Modules
from avionics.index.scopes.symbol_lookup import SymbolLookup, SymbolQuery, count_type_parameters, strip_type_arguments
from avionics.model.enums import Certainty, SymbolKind, is_class
from avionics.model.facts import ParseProblem
from avionics.model.knowledge import Definition, ModuleLink, UsageReport
from avionics.model.naming import as_written
from avionics.model.reasons import Reason, ReasonKind

if TYPE_CHECKING:
    from avionics.index.references.reference_resolver import Resolver
    from avionics.index.references.unseen_uses import UnseenUses
    from avionics.index.references.usages import Graph
    from avionics.syntax.spec import LanguageSpec

Result = TypeVar("Result")


class CodeIndex:
    """Answers about one snapshot; `build_full` returns the full index, if the source lacks facts of files."""

    def __init__(self, source: FactSource, build_full: Callable[[], CodeIndex] | None = None) -> None:
        self.source = source
        self.modules = Modules(source)
        self.dotted_name = self.modules.dotted_name
        self.snapshot = source.snapshot
        self.has_file = source.has_file
        self.read_text, self.read_lines, self.read_line = source.read_text, source.read_lines, source.read_line
        self.read_content, self.read_definition = source.read_content, source.read_definition
        self.facts, self.load_facts = source.facts, source.load_facts
        self.uses, self.load_uses = source.uses, source.load_uses
        self.get_parent, self.list_members = source.get_parent, source.list_members
        self.get_class_around, self.definition_at = source.get_class_around, source.definition_at
        self.iter_definitions, self.iter_named = source.iter_definitions, source.iter_named
        self.iter_all_definitions = source.iter_all_definitions
        self.find_qualified = source.find_qualified
        self.files_with_word, self.files_defining = source.files_with_word, source.files_defining
        self.narrow = source.narrow
        self._build_full = build_full
        self._kept: dict[Callable[[CodeIndex], Any], Any] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        return self.source.paths

    @property
    def files(self) -> tuple[str, ...]:
        return self.source.files

    @property
    def words(self) -> WordIndex:
        return self.source.words

    @property
    def unread(self) -> Collection[str]:
        """Return the files that complete answers would have needed and for which there was no time."""
        return self.source.unread

    def with_every_file(self) -> CodeIndex:
        """Return the full index, for questions about many definitions; the same index if building it takes minutes."""
        if self._build_full is None or self.source.seconds_left() is not None:
            return self
        return self._build_full()

    def keep(self, build: Callable[[CodeIndex], Result]) -> Result:
        """Return the result of a function of this index, computed once unless time runs out during the computation."""
        if build in self._kept:
            known: Result = self._kept[build]
            return known
        with watch_cuts() as cuts:
            found = build(self)
        if not cuts.were_made:
            self._kept[build] = found
        return found

    @cached_property
    def resolver(self) -> Resolver:
        """Return the resolver of references."""
        from avionics.index.references.reference_resolver import Resolver
        from avionics.index.scopes.name_resolver import NameResolver

        return Resolver(NameResolver(self.source, self.modules))

    @cached_property
    def graph(self) -> Graph:
        """Return the relations between definitions."""
        from avionics.index.references.usages import Graph

        return Graph(self.source, self.resolver)

    @cached_property
    def unseen(self) -> UnseenUses:
        """Return the finder of uses that do not name a definition."""
        from avionics.index.references.unseen_uses import UnseenUses

        return UnseenUses(self.source, self.graph, self.resolver)

    @cached_property
    def names(self) -> SymbolLookup:
        """Return the lookup of definitions by name."""
        return SymbolLookup(self.source, self.modules)

    def spec(self, file: str) -> LanguageSpec:
        """Return the specification of a file's language."""
        return self.resolver.scopes.spec(file)

    def problems(self, paths: Iterable[str] | None = None) -> dict[str, tuple[ParseProblem, ...]]:
        """Return file → its syntax problems, for the files that have any."""
        chosen = self.files if paths is None else tuple(paths)
        self.load_facts(chosen)
        return {path: facts.problems for path in chosen if (facts := self.facts(path)).problems}

    def find_definitions(
        self,
        name: str,
        *,
        file: str | None = None,
        line: int | None = None,
        kind: SymbolKind | None = None,
        scope: str | None = None,
    ) -> tuple[Definition, ...]:
        """Return the definitions of exactly that name, product code first.

        With a file and a line, it is the definition on that line. `Class.member` also finds an inherited member, and
        the name of a file what it exports without a name.
        """
        query = SymbolQuery.read(name)
        self.source.expect_names((query.last, query.qualifier.rpartition(".")[2]))
        if file is None and self._build_full and self.source.needs_full_index(query.last, is_definition=True):
            return self._build_full().find_definitions(name, file=file, line=line, kind=kind, scope=scope)
        if file is not None and line is not None and self.has_file(file):
            there = self.names.at(file, line, name)
            if there is not None:
                return (there,)
        found = self.names.find(name, file=file, kind=kind, scope=scope)
        if found or file is not None:
            return found
        found = self._find_inherited(query, scope) or self.names.find_unnamed(name, scope=scope)
        if not found and (plain := strip_type_arguments(name)) != name:
            named = self.find_definitions(plain, kind=kind, scope=scope)
            written = name[name.find("<") :].partition(">")[0].count(",")
            return tuple(sorted(named, key=lambda each: count_type_parameters(each.symbol) != written + 1))
        return tuple(each for each in found if kind is None or each.kind is kind)

    def _find_inherited(self, query: SymbolQuery, scope: str | None) -> tuple[Definition, ...]:
        """Return the definitions of `Class.member` if the class inherits the member."""
        from avionics.index.model.values import ClassType

        if not query.qualifier:
            return ()
        found = []
        for owner in self.names.find(query.qualifier, scope=scope):
            if is_class(owner.kind):
                member = self.resolver.inference.members.find(ClassType.of(owner), query.last)
                definition = self.graph.get_definition(member.variable) if member is not None else None
                if definition is not None:
                    found.append(definition)
        return tuple(dict.fromkeys(found))

    def usages(self, definition: Definition) -> UsageReport:
        """Return every place that uses the definition, confirmed and possible usages separately."""
        self.source.expect_names((definition.name,))
        if self._build_full and self.source.needs_full_index(definition.name, is_definition=False):
            return self._build_full().usages(definition)
        report = self.graph.usages(definition)
        # If only computed names may reach the definition, `unseen` gives more precise reasons.
        is_computed = all(each.kind is ReasonKind.COMPUTED_ACCESS for each in report.reasons)
        if not report.usages and not report.unresolved and is_computed:
            with watch_cuts() as cuts:
                unseen = self.unseen.find_reasons(definition)
            if unseen:
                report = structs.replace(report, certainty=Certainty.AT_LEAST, reasons=unseen)
            elif cuts.were_made:
                report = report.as_cut()
        gaps = []
        if self.source.unread:
            gaps.append(Reason(ReasonKind.FILES_NOT_READ, len(self.source.unread)))
        if self.source.is_search_cut:
            gaps.append(Reason(ReasonKind.WORDS_NOT_SEARCHED))
        if not gaps:
            return report
        return structs.replace(report, certainty=Certainty.AT_LEAST, reasons=(*gaps, *report.reasons))

    def list_names(self, definition: Definition) -> frozenset[str] | None:
        """Return names, one of which occurs in every file that uses a definition; None if there may be no such names.

        A constructor is used by naming its class, and a default export by any name.
        """
        from avionics.index.references.import_aliases import MAX_ALIASES
        from avionics.index.scopes.name_resolver import CONSTRUCTOR

        graph = self.graph
        own = graph.get_variable(definition)
        if own is None or own.name == CONSTRUCTOR or graph.implicit.is_whole_export(definition):
            return None
        variables = (graph.classes.get_origin(own), *self.resolver.scopes.iter_declared(definition))
        names = {as_written(name) for each in variables for name in graph.aliases.names_of(each)}
        is_cut = len(names) > MAX_ALIASES
        return None if is_cut else frozenset(names).union(graph.implicit.list_other_names(definition))

    def imports(self, path: str) -> tuple[ModuleLink, ...]:
        """Return every import of a file and the file it resolves to."""
        return self.graph.edges.imports(path)

    def importers(self, path: str) -> tuple[ModuleLink, ...]:
        """Return every import that resolves to the file."""
        return self.graph.edges.importers(path)

    def outside_importers(self, module: str) -> tuple[ModuleLink, ...]:
        """Return every import of a module from outside the workspace, or of one below it."""
        return self.graph.edges.outside_importers(module)
