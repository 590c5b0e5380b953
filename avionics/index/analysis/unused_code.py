"""Decide whether a definition is used; "unused" is only reported if it is certain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum
from itertools import chain

from msgspec import Struct, structs

from avionics.cancellation import watch_cuts
from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import uncut_method
from avionics.index.model.values import InstanceType, UnknownType, Variable
from avionics.index.references.implicit.implicit_uses import ImplicitUses
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.unseen_uses import MAX_REASONS, UnseenUses, reason_about
from avionics.index.references.usages import Graph
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.index.types.calls.pytest_fixtures import is_fixture
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import Certainty, ExpressionKind, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition, Usage, UsageReport
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of


class Use(str, Enum):
    """Whether a definition is used."""

    USED = "used"
    UNUSED = "unused"
    UNKNOWN = "unknown"


_STATIC = late_pattern(r"(?:\w+ )*static\b")
_RUNNING = frozenset({ReasonKind.RUN_BY_LANGUAGE, ReasonKind.COLLECTED_TEST})


class Verdict(Struct, frozen=True):
    """Whether a definition is used, and the evidence.

    Attributes:
        use: UNUSED is exact: every candidate of the snapshot was settled.
        reasons: What could use it if that is UNKNOWN; what calls it if it is USED though nothing names it.
    """

    use: Use
    reasons: tuple[Reason, ...] = ()


class Unused:
    """Decides for the definitions of one snapshot whether they are used."""

    def __init__(self, source: FactSource, graph: Graph, resolver: Resolver, unseen: UnseenUses) -> None:
        self._source = source
        self._graph = graph
        self._resolver = resolver
        self._implicit = ImplicitUses(resolver.scopes, resolver.inference, graph.interfaces)
        self._unseen = unseen
        self._verdicts: dict[Definition, Verdict] = {}

    def judge(self, definition: Definition) -> Verdict:
        """Return whether anything uses the definition."""
        if definition not in self._verdicts:
            # This verdict applies while it is being computed: a definition that depends on itself has an unknown use.
            self._verdicts[definition] = Verdict(Use.UNKNOWN, reasons=(Reason(ReasonKind.USE_UNDETERMINED),))
            with watch_cuts() as cuts:
                verdict = self._judge(definition)
            is_cut = cuts.were_made and verdict.use is Use.UNUSED
            cut = Verdict(Use.UNKNOWN, reasons=(Reason(ReasonKind.TIME_RAN_OUT),))
            self._verdicts[definition] = cut if is_cut else verdict
        return self._verdicts[definition]

    def _judge(self, definition: Definition) -> Verdict:
        if self._graph.get_outside_usage(definition, lambda usage: _is_within(usage, definition)) is not None:
            return Verdict(Use.USED)
        report = self._graph.usages(definition)
        if not all(_is_within(usage, definition) for usage in report.usages):
            return Verdict(Use.USED)
        caller = self._get_caller(definition)
        if caller:
            return Verdict(Use.USED, reasons=(caller,))
        through = self._judge_independent_members(definition)
        if through.use is Use.USED:
            return through
        reasons = [Reason(ReasonKind.RECURSIVE_ONLY)] if report.usages else []
        if report.certainty is not Certainty.EXACT:
            reasons.extend((*_list_undecided(report), *report.reasons)[:MAX_REASONS])
        # What may use it unseen takes long to find, so it is looked for only if nothing else leaves the use open.
        reasons = reasons or [*self._unseen.find_reasons(definition)]
        reasons = reasons or [*through.reasons, *self._list_construction_reasons(definition)]
        reasons = reasons or [*self._iter_namesakes(definition)]
        return Verdict(Use.UNKNOWN if reasons else Use.UNUSED, reasons=tuple(reasons))

    def get_unseen_user(self, definition: Definition) -> Reason | None:
        """Return a reason why something uses, or could use, the definition without naming it; None if there is none."""
        return self._get_caller(definition) or next(iter(self._unseen.find_reasons(definition)), None)

    def get_loader(self, definition: Definition) -> Reason | None:
        """Return why something may load the file of a definition that nothing uses, and use what is in it; else None.

        A tool, a host or a framework may load a file of which no other file uses anything. Libraries of C are linked,
        and files whose modules are objects have rules of their own.
        """
        if (loader := self._unseen.loaders.get(definition)) is not None:
            return loader
        spec = self._resolver.scopes.spec(definition.file)
        around = self._source.facts(definition.file).iter_around(definition.symbol)
        is_seen = all(each.exported for each in (definition.symbol, *around))
        if not is_seen or spec.linkage or spec.module_values or self._is_reached(definition.file):
            return None
        return Reason(ReasonKind.FILE_NOT_USED)

    def _get_caller(self, definition: Definition) -> Reason | None:
        """Return a reason why something certainly uses the definition without naming it; None if there is none."""
        return (
            self._implicit.get_caller(definition)
            or self._get_run_mark(definition)
            or self._get_registering_decorator(definition)
            or self._get_autouse(definition)
            or self._get_collecting_subclass(definition)
            or self._get_overridden_use(definition)
            or self._get_member_caller(definition)
        )

    def _get_collecting_subclass(self, definition: Definition) -> Reason | None:
        """Return a reason naming the test class that inherits the definition, if it is a test."""
        owner = self._resolver.scopes.get_class_definition(self._resolver.inference.members.class_of(definition))
        if owner is None or not self._implicit.is_test_name(definition):
            return None
        subclasses = self._graph.classes.descendants(owner)
        found = next(filter(self._implicit.collects, subclasses), None)
        return None if found is None else reason_about(ReasonKind.INHERITED_TEST, found)

    def _get_registering_decorator(self, definition: Definition) -> Reason | None:
        """Return a reason naming a decorator that is a method of an object: `@app.route("/")`."""
        uses = self._source.uses(definition.file)
        accessors = conventions_of(definition.file).implicit.accessor_decorators
        scope = self._resolver.scopes.class_scope(definition.file, definition.index)
        written = zip(uses.decorators.get(definition.index, ()), definition.symbol.decorators, strict=False)
        for expression, text in written:
            method = expression.parts[0] if expression.kind is ExpressionKind.CALL else expression
            if method.kind is not ExpressionKind.ATTRIBUTE or method.name in accessors:
                continue
            owners = self._resolver.inference.infer(method.parts[0], definition.file, uses.scopes[scope].parent)
            if owners and all(isinstance(owner, (InstanceType, UnknownType)) for owner in owners):
                return Reason(ReasonKind.REGISTERED, subject=text)
        return None

    def _get_run_mark(self, definition: Definition) -> Reason | None:
        """Return a reason if an attribute makes the function run when its program is loaded."""
        marks = conventions_of(definition.file).implicit.run_marks
        declared = self._graph.find_declarations(definition) if marks is not NEVER else ()
        is_run = any(marks.search(each.symbol.signature) for each in declared)
        return Reason(ReasonKind.RUN_BY_LANGUAGE) if is_run else None

    def _get_autouse(self, definition: Definition) -> Reason | None:
        """Return a reason if the definition is a fixture that pytest runs for tests that do not request it."""
        decorators = definition.symbol.decorators
        is_automatic = any("autouse=True" in decorator for decorator in decorators)
        is_used = is_automatic and is_fixture(definition.file, definition.symbol)
        return Reason(ReasonKind.AUTOUSE_FIXTURE) if is_used else None

    def _list_construction_reasons(self, definition: Definition) -> tuple[Reason, ...]:
        """Return a reason why the class of a constructor may be used, and so constructed."""
        own, cls = self._resolver.scopes.get_declared(definition), self._resolver.inference.members.class_of(definition)
        owner = self._resolver.scopes.get_class_definition(cls)
        if owner is None or own is None or own.name != CONSTRUCTOR:
            return ()
        verdict = self.judge(owner)
        return verdict.reasons if verdict.use is Use.UNKNOWN else ()

    def _iter_namesakes(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first place where code uses the name of an unused definition for something of another scope.

        What has the same name may stand for each other: modules for different systems, classes that no common base
        declares, overloads, replaced parts of a library. That nothing uses a name is far more certain than that each
        use of it, through an object or an import, means something else.
        """
        name, modules = definition.name, self._resolver.scopes.modules
        is_member = self._resolver.inference.members.class_of(definition) is not None
        needs_object = is_member and not self._resolver.scopes.spec(definition.file).implicit_members
        for file in self._source.files_with_word(name):
            references = self._source.uses(file).references if modules.can_import(file, definition.file) else {}
            names = self._resolver.scopes.spec(file).list_bound(name)
            for each in chain.from_iterable(references.get(key, ()) for key in names):
                is_own = file == definition.file and definition.symbol.span.contains(each.line)
                is_read = each.kind is not ReferenceKind.WRITE
                is_apart = self._is_bound_there(file, each) or (needs_object and each.receiver is None)
                if is_read and not (is_own or is_apart):
                    yield Reason(ReasonKind.SHARED_NAME, place=(file, each.line))
                    return

    @uncut_method
    def _is_reached(self, file: str) -> bool:
        """Return whether code in another file uses something of a file, or the file is a program."""
        # The uses of a rare name are found in less time than those of a common one.
        definitions = list(self._source.iter_definitions(file))
        definitions.sort(key=lambda each: len(self._source.files_with_word(each.name)))
        return bool(self._graph.edges.importers(file)) or any(map(self._is_used_outside, definitions))

    def _is_used_outside(self, definition: Definition) -> bool:
        caller = self._implicit.get_caller(definition)
        if caller is not None and caller.kind in _RUNNING:
            return True
        return self._graph.get_outside_usage(definition, lambda usage: usage.file == definition.file) is not None

    def _is_bound_there(self, file: str, reference: Reference) -> bool:
        """Return whether a bare name is that of a definition, a variable or a parameter of the same file."""
        if reference.receiver is not None:
            return False
        targets = self._resolver.scopes.find_targets(file, reference.scope, reference.name)
        return bool(targets) and all(isinstance(each, Variable) and each.file == file for each in targets)

    def _judge_independent_members(self, definition: Definition) -> Verdict:
        """Return whether members that need no object, such as extensions and classes, make their class used."""
        members = self._source.list_members(definition) if is_class(definition.kind) else ()
        is_whole = definition.kind is SymbolKind.ENUM or _STATIC.match(definition.symbol.signature) is not None
        independent = (
            each for each in members if is_whole or is_class(each.kind) or _STATIC.match(each.symbol.signature)
        )
        verdicts = [self.judge(each) for each in independent]
        by_use = {each.use: each for each in reversed(verdicts)}
        return by_use.get(Use.USED) or by_use.get(Use.UNKNOWN) or Verdict(Use.UNUSED)

    def _get_member_caller(self, definition: Definition) -> Reason | None:
        """Return why a member certainly runs without being named, as tests and the program's start do; else None."""
        if definition.kind is not SymbolKind.MODULE and not is_class(definition.kind):
            return None
        callers = map(self._implicit.get_caller, self._source.list_members(definition))
        return next((each for each in callers if each is not None and each.kind in _RUNNING), None)

    def _get_overridden_use(self, definition: Definition) -> Reason | None:
        """Return a reason if the member that the definition overrides is used, unless it is of a standard library."""
        above = self._graph.classes.overridden(definition)
        if above is None or above == definition or above.file.startswith(STUBS):
            return None
        if self.judge(above).use is Use.USED:
            return reason_about(ReasonKind.OVERRIDES_USED, above)
        return None


def _list_undecided(report: UsageReport) -> tuple[Reason, ...]:
    """Return the reasons for possible usages with their counts, and the place where a reason applies only once."""
    first = {each.reason: (each.file, each.line) for each in reversed(report.unresolved)}
    counts = Counter(each.reason for each in report.unresolved).most_common()
    return tuple(
        structs.replace(reason, count=count, place=first[reason] if count == 1 else reason.place)
        for reason, count in counts
    )


def _is_within(usage: Usage, definition: Definition) -> bool:
    """Return whether a usage is inside the definition itself."""
    has_no_body = definition.kind not in {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CLASS}
    return not has_no_body and usage.file == definition.file and definition.symbol.span.contains(usage.line)
