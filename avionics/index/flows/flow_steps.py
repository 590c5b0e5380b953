"""Find the steps of control flow from a definition, and the steps to it.

A step is a call, or another way in which control gets from one definition to another: a function passed on as a value,
an override of the called method, a member that a table or an object literal sets, a value that a body reads. Forward
steps come from a body, backward steps from the usages of a name. A step that is not proven has a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from msgspec import Struct

from avionics.cancellation import limit_answer, seconds_left, watch_cuts
from avionics.index.analysis.call_tree import Body, CallTreeBuilder, Role, UnknownCall
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.data_entries import find_tabled
from avionics.index.entrypoints.handlers import build_module_body
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.flows.callbacks import Callbacks
from avionics.index.flows.registrations import HOLDERS, MEMBERS, InitializedTables, Registrations
from avionics.index.flows.unknown_calls import UnknownCalls
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import ClassType, External, InstanceType, Variable
from avionics.late_pattern import late_pattern
from avionics.model.enums import BODIES, CALLS, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Expression, Reference
from avionics.model.knowledge import Definition, UnresolvedUse, Usage, UsageReport
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.engine.expressions import bare_name

_STORING = frozenset({ReferenceKind.WRITE, ReferenceKind.READ})
_MAX_CANDIDATES = 6
"""A call on an unknown object may mean any method with its name; with more candidates than this it is ignored."""
_MAX_POSSIBLE = 40
"""The maximum number of possible usages of one name that are followed."""
_MAX_FILES = 400
_TIME_SHARE, _MIN_SECONDS = 0.35, 0.3
"""The share of the remaining time that the usages of one name may take, and its minimum in seconds."""
_COSTS = {
    Role.CALLS: 1.0,
    Role.DEFINES: 2.2,
    Role.PASSES: 1.3,
    Role.READS: 1.4,
    Role.HOLDS: 1.2,
    Role.SET_TO: 1.3,
    Role.OVERRIDDEN: 1.5,
    Role.CALLS_BACK: 2.5,
    Role.MAY_CALL: 4.0,
}
POSSIBLE_COST = _COSTS[Role.MAY_CALL]
_TEST_COST = 4.0
_IDLE_COST = 6.0
"""The extra cost of a step that reads a table without calling its entries, compared with a function that calls them."""
_CALLING_MEMBER = "__call__"
"""The member, in all languages, that runs when an object is called."""
_EMITTING_NAME = late_pattern(r"(?i:emit|dispatch|publish|trigger|notify|signal|broadcast|fire|send|do_?action)")
"""The name of a function that announces an event."""
_EVENT = late_pattern(r"\(\s*[\"'`](?P<name>[\w][\w.:/ -]{2,60})[\"'`]")
_EVENT_KEY = late_pattern(r"\(\s*(?:\w+(?:\.|::))*(\w+)\s*[,)]")
_LISTENS = late_pattern(
    r"(?:\.|->|::)(?:on|once|addListener|addEventListener|subscribe|listen\w*|connect|register\w*)\s*\("
)
"""The call of a library that registers a function for an event."""
_CALL_IN_TEXT = late_pattern(r"(?<!\w)([A-Za-z_]\w*+)\s*+\(")
_CALL_ONLY = frozenset({ReferenceKind.CALL})
_UNKNOWN = Reason(ReasonKind.CALLED_VALUE_UNKNOWN)
_CERTAIN_ROLES = frozenset({Role.CALLS, Role.DEFINES})


class FlowStep(Struct, frozen=True):
    """A step from one definition to another.

    Attributes:
        role: How it leads there.
        reason: Why it is only possible; None where it is proven.
        is_idle: Whether the source only reads a table and calls none of its functions.
        more_lines: The other lines of the source that call the target.
    """

    source: Definition
    target: Definition
    file: str
    line: int
    role: Role
    reason: Reason | None = None
    is_idle: bool = False
    more_lines: tuple[int, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Return whether the target is known to run, or to be passed on, when the source runs."""
        return self.role in _CERTAIN_ROLES

    def get_cost(self, *, with_tests: bool) -> float:
        """Return the cost of the step; implausible steps cost more, and steps into tests are excluded."""
        is_test = not with_tests and FileRole.TEST in (role_of(self.source.file), role_of(self.target.file))
        return _COSTS[self.role] + (_TEST_COST if is_test else 0.0) + (_IDLE_COST if self.is_idle else 0.0)


def list_overriding(code: CodeIndex, cls: Definition) -> tuple[Definition, ...]:
    """Return the functions of a class that override those of a base."""
    own = (each for each in code.list_members(cls) if each.kind in BODIES)
    return tuple(each for each in own if code.graph.classes.overridden(each) is not None)


class FlowSteps:
    """Finds the steps of one index.

    Attributes:
        unexamined: Names of overrides that too many files mention → how many; only calls of the base are followed.
        unfollowed: Places of calls with too many possible targets for a step.
        leaving: Places of calls into libraries, which may call functions that they were passed.
        was_cut: Whether usages of a name were left out for lack of time.
    """

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._builder = CallTreeBuilder(code)
        self._registrations = Registrations(code, self._builder, self._read_usages)
        self._callbacks = Callbacks(code, self._builder, self._registrations, self._read_usages)
        self._unknown_calls = UnknownCalls(code, self._builder)
        self._tables = InitializedTables(code, self._builder)
        self.unexamined: dict[str, int] = {}
        self.was_cut = False
        self.unfollowed: dict[tuple[str, int], None] = {}
        self.leaving: dict[tuple[str, int], None] = {}

    def list_forward(self, source: Definition) -> tuple[FlowStep, ...]:
        """Return the steps from a definition, without those of `list_possible`, in the order of its lines."""
        if is_class(source.kind):
            run = self._list_called_outside(source)
            return tuple(FlowStep(source, each, each.file, each.line, Role.MAY_CALL, _UNKNOWN) for each in run)
        if source.kind in MEMBERS and not self._has_body(source):
            return (*self._iter_values_set(source), *self._iter_registered(source))
        body = self._builder.read_body(source, self._builder.get_class(source))
        steps = []
        for each in body.steps:
            target = each.definition
            place = (source.file, each.lines[0]) if each.lines else (target.file, target.line)
            is_held = source.kind in HOLDERS and each.role in {Role.PASSES, Role.DEFINES}
            steps.append(FlowStep(source, target, *place, Role.HOLDS if is_held else each.role))
        if self._is_declared_only(source):
            steps += self._iter_values_set(source)
        steps += self._iter_registered(source)
        steps += self._iter_link_targets(source)
        steps += self._iter_macro_calls(source)
        steps += self._iter_members(source)
        steps += self._iter_objects_called(source)
        steps += self._iter_called_members(source, body)
        self.leaving |= dict.fromkeys((source.file, line) for line in body.leaving)
        return tuple(each for each in dict.fromkeys(steps) if each.target != source)

    def list_possible(self, source: Definition) -> tuple[FlowStep, ...]:
        """Return the steps of a body that are only possible; they cost POSSIBLE_COST, and finding them takes time."""
        if is_class(source.kind) or (source.kind in MEMBERS and not self._has_body(source)):
            return ()
        body = self._builder.read_body(source, self._builder.get_class(source))
        steps = [*self._iter_passed_classes(source), *self._iter_called_back(source)]
        steps += self._iter_event_handlers(source)
        steps += self._iter_outside_calls(source, body)
        for call in body.unknown:
            steps += self._iter_candidates(source, call)
        return tuple(each for each in dict.fromkeys(steps) if each.target != source)

    def list_backward(self, target: Definition) -> tuple[FlowStep, ...]:
        """Return the steps to a definition, by file and line."""
        if target.kind is SymbolKind.MODULE:
            return ()
        steps = [*self._iter_from_enclosing(target), *self._iter_setters(target)]
        overridden = self._code.graph.classes.overridden(target) if target.kind in BODIES else None
        if overridden is not None:
            steps.append(FlowStep(overridden, target, target.file, target.line, Role.OVERRIDDEN))
        around = self._code.get_class_around(target)
        if around is not None and target in self._list_called_outside(around):
            steps.append(FlowStep(around, target, target.file, target.line, Role.MAY_CALL, _UNKNOWN))
        files = self._code.files_with_word(target.name) if overridden is not None else ()
        if len(files) > _MAX_FILES:
            self.unexamined[target.name] = len(files)
            return tuple(each for each in dict.fromkeys(steps) if each.source != target)
        report = self._read_usages(target)
        for usage in report.usages:
            steps += (each for each in self._iter_from_usage(target, usage) if self._may_run(each))
        steps += self._iter_unnamed_calls(target, report)
        in_code = [use for use in report.unresolved if self._is_reference(target.name, use)]
        product = [use for use in in_code if role_of(use.file) is not FileRole.TEST]
        open_uses = (product or in_code)[:_MAX_POSSIBLE]
        likely = [use for use in open_uses if not self._unknown_calls.is_named_otherwise(target, use)]
        self.unfollowed |= dict.fromkeys((use.file, use.line) for use in (product or in_code) if use not in likely)
        for use in likely:
            source = self.get_holder(use.file, use.line)
            steps.append(FlowStep(source, target, use.file, use.line, Role.MAY_CALL, use.reason))
        return tuple(each for each in dict.fromkeys(steps) if each.source != target)

    def _iter_unnamed_calls(self, target: Definition, report: UsageReport) -> Iterator[FlowStep]:
        """Yield the steps of calls without the target's name: by a name built from parts, or by calling an object."""
        for reason in report.reasons:
            if reason.kind is ReasonKind.BUILT_NAME and reason.place:
                yield FlowStep(self.get_holder(*reason.place), target, *reason.place, Role.MAY_CALL, reason)
        around = self._code.get_class_around(target)
        if target.name == _CALLING_MEMBER and around is not None:
            for usage in self._read_usages(around).usages:
                if usage.role is ReferenceKind.CALL:
                    source = self.get_holder(usage.file, usage.line)
                    yield FlowStep(source, target, usage.file, usage.line, Role.MAY_CALL, _UNKNOWN)

    def _may_run(self, step: FlowStep) -> bool:
        """Return whether a step is more than a read of an attribute whose elements are neither called nor passed."""
        is_read = step.role is Role.READS and step.target.kind is SymbolKind.ATTRIBUTE
        if not is_read or step.source.kind not in BODIES:
            return True
        called = self._registrations.iter_called_members(step.source, self._list_unknown(step.source))
        return any(member == step.target for _, member in called)

    @cached_method
    def _list_unknown(self, source: Definition) -> tuple[str, ...]:
        """Return the texts of those calls in a body whose targets are unknown."""
        body = self._builder.read_body(source, self._builder.get_class(source))
        return tuple(call.text for call in body.unknown)

    def _read_usages(self, definition: Definition) -> UsageReport:
        """Return the usages of a definition; the time for one name is limited."""
        share = max(_MIN_SECONDS, seconds_left() * _TIME_SHARE)
        with watch_cuts() as cuts, limit_answer(share):
            report = self._code.usages(definition)
        self.was_cut |= cuts.were_made
        return report

    def _is_reference(self, name: str, use: UnresolvedUse) -> bool:
        """Return whether a possible usage is in code rather than in text."""
        references = self._code.uses(use.file).references.get(name, ())
        kinds = {ReferenceKind.CALL, ReferenceKind.READ}
        return any((each.line, each.column) == (use.line, use.column) and each.kind in kinds for each in references)

    def get_holder(self, file: str, line: int) -> Definition:
        """Return the definition that contains a line: a function, a variable with its initial value, or the module."""
        around = self._code.graph.enclosing(file, line)
        if around is not None and around.kind in BODIES:
            return around
        holders = (each for each in self._code.iter_definitions(file) if each.kind in HOLDERS)
        held = (each for each in holders if each.symbol.span.contains(line))
        longest = max(held, key=lambda e: (e.symbol.span.end_line - e.symbol.span.start_line, e.index), default=None)
        return longest or build_module_body(self._code, file)

    def _iter_from_usage(self, target: Definition, usage: Usage) -> Iterator[FlowStep]:
        """Yield the steps of a proven usage."""
        source = self.get_holder(usage.file, usage.line)
        is_body = target.kind in BODIES or is_class(target.kind)
        if usage.role in CALLS:
            role = Role.CALLS
        elif usage.role is not ReferenceKind.READ:
            return
        elif source.kind in HOLDERS:
            role = Role.HOLDS
        elif is_class(target.kind):
            return
        else:
            role = Role.PASSES if is_body and target.kind is not SymbolKind.PROPERTY else Role.READS
        is_table = role is Role.READS and target.kind in HOLDERS and source.kind in BODIES
        is_idle = is_table and not self._registrations.may_call_held(source, target, self._list_unknown(source))
        yield FlowStep(source, target, usage.file, usage.line, role, is_idle=is_idle)
        if role is not Role.CALLS and is_body:
            stored = self._registrations.find_storing(target, usage.file, usage.line)
            for member in dict.fromkeys((*self._list_assigned(usage.file, usage.line), *stored)):
                yield FlowStep(member, target, usage.file, usage.line, Role.SET_TO)
            field = self._tables.get_field(source, usage.line, usage.column) if target.kind in BODIES else None
            if field is not None:
                yield FlowStep(field, target, usage.file, usage.line, Role.SET_TO)
        if is_body or target.kind in HOLDERS:
            for taker in self._callbacks.find_takers(target, usage.file, usage.line):
                yield FlowStep(taker, target, usage.file, usage.line, Role.MAY_CALL, _UNKNOWN)

    def _iter_from_enclosing(self, target: Definition) -> Iterator[FlowStep]:
        """Yield the step from the definition around the target: a function, or a variable with an object literal."""
        holder = self._code.get_parent(target)
        if holder is None or target.index < 0:
            return
        if holder.kind in BODIES:
            yield FlowStep(holder, target, target.file, target.line, Role.DEFINES)
        elif holder.kind in HOLDERS:
            yield FlowStep(holder, target, target.file, target.line, Role.HOLDS)

    def _iter_setters(self, target: Definition) -> Iterator[FlowStep]:
        """Yield the steps from the members that a function is the value of: in an object literal, or by a decorator."""
        if target.kind in BODIES:
            for member in self._list_assigned(target.file, target.line, target.symbol.column):
                yield FlowStep(member, target, target.file, target.line, Role.SET_TO)
            for member, line in self._registrations.find_decorating(target):
                yield FlowStep(member, target, target.file, line, Role.SET_TO)

    def _list_assigned(self, file: str, line: int, column: int = -1) -> tuple[Definition, ...]:
        """Return the declared members that a line assigns, or only those at a column."""
        kinds = {ReferenceKind.WRITE, ReferenceKind.KEYWORD}
        there = self._builder.list_within(file, line, line)
        written = [each for each in there if each.kind in kinds and column in {-1, each.column}]
        return tuple(dict.fromkeys(d for each in written for d in self._list_declared(file, each)))

    def _list_declared(self, file: str, reference: Reference) -> tuple[Definition, ...]:
        """Return the members, variables and parameters that a reference means."""
        found = self._code.graph.list_meant(file, reference)
        return tuple(each for each in found if each.kind in MEMBERS or self._is_declared_only(each))

    def _iter_members(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps to members and variables that are called or contain functions."""
        for reference in self._builder.list_references(source, frozenset({ReferenceKind.CALL, ReferenceKind.READ})):
            is_call = reference.kind is ReferenceKind.CALL
            for member in self._list_declared(source.file, reference):
                if is_call:
                    yield FlowStep(source, member, source.file, reference.line, Role.CALLS)
                elif member.kind not in HOLDERS or member.symbol.parent >= 0:
                    continue
                elif self._has_body(member) or self._callbacks.list_given(member):
                    is_idle = not self._registrations.may_call_held(source, member, self._list_unknown(source))
                    yield FlowStep(source, member, source.file, reference.line, Role.READS, is_idle=is_idle)

    def _iter_registered(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps from an object of a library to the functions and objects passed to it, which it may call."""
        for given, file, line in self._callbacks.list_given(source):
            yield FlowStep(source, given, file, line, Role.MAY_CALL, _UNKNOWN)

    def _iter_passed_classes(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps to the overrides of a class passed as a value; the receiver may create its objects."""
        lines = self._code.read_lines(source.file)
        for reference in self._builder.list_references(source, frozenset({ReferenceKind.READ})):
            before = lines[reference.line - 1][: reference.column]
            if before.endswith("super(") or not self._registrations.is_passed(source.file, reference):
                continue
            found = self._code.graph.list_meant(source.file, reference)
            for passed_class in (each for each in found if is_class(each.kind)):
                methods = list_overriding(self._code, passed_class)
                if not methods:
                    self.unfollowed[(source.file, reference.line)] = None
                for each in methods:
                    yield FlowStep(source, each, source.file, reference.line, Role.MAY_CALL, _UNKNOWN)

    def _iter_called_back(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps to the methods of the workspace that a call of a method declared outside may run.

        An object whose type is an outside interface may be of any class of the workspace that implements it.
        """
        for reference in self._builder.list_references(source, _CALL_ONLY):
            resolved = self._code.resolver.resolve(source.file, reference).targets
            for definition in self._iter_definitions(resolved or self._list_outside(source, reference)):
                if definition.file.startswith(STUBS):
                    yield from self._offer(source, reference.line, self._list_overrides(definition), _UNKNOWN)

    def _iter_objects_called(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps to the classes of the objects that a body makes, if code outside may call their methods."""
        for reference in self._builder.list_references(source, _CALL_ONLY):
            resolved = self._code.resolver.resolve(source.file, reference).targets
            for definition in self._iter_definitions(resolved):
                if definition.file.startswith(STUBS):
                    continue
                cls = definition if is_class(definition.kind) else self._code.get_class_around(definition)
                if cls is not None and cls.name in {definition.name, reference.name} and self._list_called_outside(cls):
                    yield FlowStep(source, cls, source.file, reference.line, Role.CALLS)

    def _iter_definitions(self, targets: Iterable[object]) -> Iterator[Definition]:
        """Yield the definitions of those targets of a call that have one."""
        for target in targets:
            definition = self._code.graph.get_definition(target) if isinstance(target, Variable) else None
            if definition is not None:
                yield definition

    def _list_outside(self, source: Definition, reference: Reference) -> tuple[Variable, ...]:
        """Return the members of standard types that a call may run by the type of its receiver."""
        if reference.receiver is None:
            return ()
        inference = self._code.resolver.inference
        kinds = inference.infer(reference.receiver, source.file, reference.scope, reference.line)
        found = (inference.get_member(kind, reference.name) for kind in kinds if isinstance(kind, InstanceType))
        return tuple(each.variable for each in found if each is not None)

    @cached_method
    def _list_overrides(self, declared: Definition) -> tuple[Definition, ...]:
        """Return the methods of the workspace that override one declared outside."""
        named = self._code.find_definitions(declared.name) if declared.kind is SymbolKind.METHOD else ()
        likely = [each for each in named if self._may_inherit(each)]
        return tuple(self._code.graph.classes.overrides(declared, likely)) if likely else ()

    def _may_inherit(self, member: Definition) -> bool:
        """Return whether the class of a member may have a base that is declared outside, as its outline tells.

        Reading all that a file says of its names takes much longer. What all classes inherit, many override.
        """
        around = self._code.get_parent(member)
        is_plain = around is not None and is_class(around.kind) and not around.symbol.bases
        return not is_plain or self._code.spec(member.file).open_classes

    def _iter_event_handlers(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps from a body that emits an event to the functions that are registered for its name."""
        for reference in self._builder.list_references(source, _CALL_ONLY):
            if not _EMITTING_NAME.search(reference.name):
                continue
            line = self._code.read_line(source.file, reference.line)
            named = _EVENT.match(line, line.find(reference.name) + len(reference.name))
            for row in find_tabled(self._code, named["name"]) if named else ():
                if not row.is_branch and (row.file, row.line) != (source.file, reference.line):
                    yield FlowStep(source, row.definition, source.file, reference.line, Role.MAY_CALL, _UNKNOWN)
            key = _EVENT_KEY.match(line, line.find(reference.name) + len(reference.name))
            for each in self._list_listening(source.file, reference.line, key.start(1)) if key else ():
                yield FlowStep(source, each, source.file, reference.line, Role.MAY_CALL, _UNKNOWN)

    def _list_listening(self, file: str, line: int, column: int) -> tuple[Definition, ...]:
        """Return the functions that are registered for the event whose name the constant at a place holds."""
        there = (each for each in self._builder.list_within(file, line, line) if each.column == column)
        keys = dict.fromkeys(each for reference in there for each in self._list_declared(file, reference))
        usages = [
            usage for key in keys for usage in self._read_usages(key).usages if (usage.file, usage.line) != (file, line)
        ]
        listening = (each for each in usages if _LISTENS.search(self._code.read_line(each.file, each.line)))
        given = (each for usage in listening for each in self._builder.list_passed(usage.file, usage.line))
        return tuple(dict.fromkeys(each for each in given if each.kind in BODIES))

    def _iter_called_members(self, source: Definition, body: Body) -> Iterator[FlowStep]:
        """Yield the steps to members whose elements a body calls: the functions registered in them run."""
        found = self._registrations.iter_called_members(source, [call.text for call in body.unknown])
        for reference, member in islice(found, _MAX_CANDIDATES):
            yield FlowStep(source, member, source.file, reference.line, Role.READS)

    def _iter_outside_calls(self, source: Definition, body: Body) -> Iterator[FlowStep]:
        """Yield the steps of calls that leave the workspace and may come back.

        An object whose declared type is an outside interface may be of any class that names it as a base. Where classes
        satisfy interfaces without naming them, a library may call any method of an object that it is given.
        """
        leaving = set(body.leaving)
        is_structural = self._code.spec(source.file).structural_interfaces
        for reference in self._builder.list_references(source, frozenset({ReferenceKind.CALL, ReferenceKind.READ})):
            if reference.kind is ReferenceKind.CALL and reference.receiver is not None:
                kinds = self._infer_objects(source.file, reference, reference.receiver)
                yield from self._iter_calls_back(source, reference, kinds, is_leaving=reference.line in leaving)
            elif reference.line in leaving and is_structural and self._registrations.is_passed(source.file, reference):
                for cls in self._infer_objects(source.file, reference, bare_name(reference.name)):
                    if isinstance(cls, ClassType):
                        yield from self._offer(source, reference.line, self._list_public(cls), _UNKNOWN)

    def _infer_objects(self, file: str, reference: Reference, value: Expression) -> tuple[ClassType | External, ...]:
        """Return the classes that the object of a value may have."""
        kinds = self._code.resolver.inference.infer(value, file, reference.scope, reference.line)
        return tuple(each.of for each in kinds if isinstance(each, InstanceType))

    def _iter_calls_back(
        self, source: Definition, reference: Reference, kinds: Sequence[ClassType | External], *, is_leaving: bool
    ) -> Iterator[FlowStep]:
        """Yield the steps of a call of a method that an outside class declares."""
        outside = {each.name for each in kinds if isinstance(each, External)} if is_leaving else frozenset[str]()
        yield from self._offer(source, reference.line, self._list_below(outside, reference.name), _UNKNOWN)
        inside = [of for each in kinds if (of := self._code.resolver.scopes.get_class_definition(each)) is not None]
        if not inside or self._code.resolver.resolve(source.file, reference).targets:
            return
        for of in inside:
            yield from self._offer(source, reference.line, self._list_called_outside(of), _UNKNOWN)

    def _list_below(self, bases: AbstractSet[str], name: str) -> tuple[Definition, ...]:
        """Return the methods of a name in the classes that have an outside class among their bases."""
        if not bases:
            return ()
        found = []
        for each in self._code.find_definitions(name.removesuffix("()")):
            of = self._builder.get_class(each) if each.kind in BODIES and self._may_inherit(each) else None
            if of is not None and not bases.isdisjoint(self._code.resolver.inference.members.lineage(of).externals):
                found.append(each)
        return tuple(found)

    def _list_public(self, cls: ClassType) -> tuple[Definition, ...]:
        """Return the exported methods of a class that its own file defines."""
        prefix = f"{self._code.facts(cls.file).symbols[cls.symbol].qualname}." if cls.symbol >= 0 else "."
        bodies = (each for each in self._code.iter_definitions(cls.file) if each.kind in BODIES)
        return tuple(each for each in bodies if each.symbol.exported and each.symbol.qualname.startswith(prefix))

    @cached_method
    def _list_called_outside(self, of: Definition) -> tuple[Definition, ...]:
        """Return the methods of a class that code outside may call, since they override those of its outside base."""
        methods = list[Definition]()
        if is_class(of.kind) and self._code.resolver.inference.members.lineage(ClassType.of(of)).externals:
            members = self._code.list_members(of)
            methods = [each for each in members if each.kind in BODIES and self._is_called_outside(each)]
        return tuple(methods)

    def _is_called_outside(self, method: Definition) -> bool:
        """Return whether a method overrides one that is declared outside the workspace."""
        above = self._code.graph.classes.overridden(method)
        if above is not None:
            return above.file.startswith(STUBS)
        if any(method.name in given for given in self._list_outside_members(method)):
            return True
        return method.symbol.is_marked_override and self._code.spec(method.file).marks_overrides

    def _list_outside_members(self, method: Definition) -> tuple[AbstractSet[str], ...]:
        """Return the members of each base from the standard library that the class of a method has."""
        cls, spec = self._builder.get_class(method), self._code.spec(method.file)
        externals = self._code.resolver.inference.members.lineage(cls).externals if cls is not None else ()
        return tuple(spec.outside_members[each] for each in externals if each in spec.outside_members)

    def _offer(self, source: Definition, line: int, found: Sequence[Definition], reason: Reason) -> Iterator[FlowStep]:
        """Yield the steps to the methods that a call may run; if they are many, record the call as not followed."""
        product = [each for each in found if role_of(each.file) is not FileRole.TEST]
        if len(product) > _MAX_CANDIDATES:
            self.unfollowed[(source.file, line)] = None
            return
        for each in product:
            yield FlowStep(source, each, source.file, line, Role.MAY_CALL, reason)

    def keep_reaching(self, starts: Sequence[Definition], goals: Sequence[Definition]) -> tuple[Definition, ...]:
        """Return the starts in a language whose files can import those of a goal; all starts if there is none."""
        kept = (each for each in starts if any(self._code.modules.can_import(each.file, goal.file) for goal in goals))
        return tuple(kept) or tuple(starts)

    def _iter_values_set(self, member: Definition) -> Iterator[FlowStep]:
        """Yield the steps from a member to the functions that tables, calls and assignments set it to."""
        if self._tables.may_be_set(member):
            self.unfollowed[(member.file, member.line)] = None
        for function, file, line in self._tables.list_values(member):
            yield FlowStep(member, function, file, line, Role.SET_TO)
        files = self._code.files_with_word(member.name)
        if len(files) > _MAX_FILES:
            self.unexamined[member.name] = len(files)
            return
        for usage in self._read_usages(member).usages:
            around = usage.enclosing
            if around is not None and usage.role in _STORING:
                for file, line, function in self._registrations.iter_registering(member, around):
                    is_written = function == self._code.graph.enclosing(file, line)
                    yield FlowStep(member, function, file, line, Role.SET_TO, _UNKNOWN if is_written else None)
            if usage.role not in {ReferenceKind.WRITE, ReferenceKind.KEYWORD}:
                continue
            if around is not None and (around.line, around.symbol.column) == (usage.line, usage.column):
                yield FlowStep(member, around, usage.file, usage.line, Role.SET_TO)
                continue
            for passed in self._builder.list_passed(usage.file, usage.line):
                yield FlowStep(member, passed, usage.file, usage.line, Role.SET_TO)

    def _iter_candidates(self, source: Definition, call: UnknownCall) -> Iterator[FlowStep]:
        """Yield the steps of a call of an unknown object or value, which may lead anywhere else too."""
        found = self._unknown_calls.find_candidates(source, call.text)
        if not ("." in call.text or found):
            self.unfollowed[(source.file, call.line)] = None
            for each in self._callbacks.find_passed(source, call.text):
                yield FlowStep(source, each, source.file, call.line, Role.MAY_CALL, _UNKNOWN)
        elif not found and self._unknown_calls.is_common(call.text):
            self.unfollowed[(source.file, call.line)] = None
        yield from self._offer(source, call.line, found, call.reason)

    def _iter_macro_calls(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps to the functions that the text of a macro calls where a body uses it."""
        if not self._code.spec(source.file).linkage:
            return
        for reference in self._builder.list_references(source, _CALL_ONLY):
            found = self._code.graph.list_meant(source.file, reference)
            for macro in (each for each in found if each.kind is SymbolKind.MACRO):
                for called in self._list_macro_calls(macro):
                    yield FlowStep(source, called, source.file, reference.line, Role.CALLS)

    def _list_macro_calls(self, macro: Definition) -> tuple[Definition, ...]:
        """Return the functions that the text of a macro calls by their names."""
        span = macro.symbol.span
        text = "\n".join(self._code.read_lines(macro.file)[macro.line - 1 : span.end_line])
        names = [each for each in dict.fromkeys(_CALL_IN_TEXT.findall(text)) if each != macro.name]
        found: dict[Definition, None] = {}
        for name in names[:_MAX_CANDIDATES]:
            named = [each for each in self._code.find_definitions(name) if each.kind in BODIES]
            near = [each for each in named if each.file == macro.file] or named
            bodies = dict.fromkeys(map(self._code.graph.body_of, near))
            if len(bodies) == 1:
                found |= bodies
        return tuple(found)

    def _iter_link_targets(self, source: Definition) -> Iterator[FlowStep]:
        """Yield the steps from a function that is only declared to the definitions that a linker may choose for it."""
        linked = self._registrations.list_linked(source)
        for each in linked[:_MAX_CANDIDATES]:
            place = (each.file, each.line)
            reason = Reason(ReasonKind.LINKED_ELSEWHERE, place=place) if len(linked) > 1 else None
            yield FlowStep(source, each, *place, Role.MAY_CALL if reason else Role.DEFINES, reason)

    def _is_declared_only(self, definition: Definition) -> bool:
        """Return whether a method is declared by an interface, so that objects may assign it."""
        holder = self._code.get_parent(definition) if definition.kind is SymbolKind.METHOD else None
        return holder is not None and holder.kind is SymbolKind.INTERFACE

    def _has_body(self, definition: Definition) -> bool:
        """Return whether a variable's initial value has functions in it, or a property a body."""
        if definition.kind not in HOLDERS:
            return definition.kind is SymbolKind.PROPERTY
        return bool(self._builder.read_body(definition).steps)
