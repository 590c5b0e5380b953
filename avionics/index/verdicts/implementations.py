"""Find classes that no longer implement an interface, and overrides that override nothing or take other arguments.

A class is checked if it or one of its ancestors is in a changed file. It is reported if it lacks a required member that
it had before the change, or that was not required then, and if all its bases are in the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, FunctionType
from avionics.index.verdicts.blocks import ImplementingBlocks
from avionics.index.verdicts.calls.call_mismatches import CallMismatches
from avionics.index.verdicts.calls.misfits import get_misfit, has_plain_parameters
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.outside_bases import ABSTRACT_BASE, ABSTRACT_METACLASS, PLAIN_BASES, may_give, may_inherit
from avionics.index.verdicts.requirements import NeededMember, Requirements, UnmetRequirement, list_declared, list_names
from avionics.model.enums import FUNCTIONS, ReferenceKind, ScopeKind, SymbolKind, is_class
from avionics.model.facts import Symbol
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs
from avionics.model.naming import called
from avionics.syntax.conventions import is_decorated
from avionics.syntax.engine.call_shapes import CallShape, CallSignature
from avionics.syntax.registry import conventions_of

_MAX_CLASSES = 400
"""The maximum number of classes that are checked for one change."""


class Implementations:
    """Finds the required members that classes lack after one change."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._requirements = Requirements()
        self._unnamed: set[tuple[str, int]] = set()

    def iter_unmet(self) -> Iterator[UnmetRequirement]:
        """Yield the unmet requirements, class by class."""
        changed = self._find_changed()
        blocks = ImplementingBlocks(self._pair, self._requirements)
        seen: set[tuple[str, int]] = set()
        homes = group_pairs((definition.file, definition) for definition in changed)
        for definition in (each for file in self._pair.iter_in_time(homes) for each in homes[file]):
            for each in (definition, *self._pair.after.graph.classes.descendants(definition)):
                if (each.file, each.index) not in seen and len(seen) < _MAX_CLASSES:
                    seen.add((each.file, each.index))
                    yield from self._check_class(each)
            yield from self._check_unnamed(definition)
            if definition.kind is SymbolKind.INTERFACE:
                yield from blocks.iter_of_interface(definition)
        yield from blocks.iter_changed()

    def _find_changed(self) -> tuple[Definition, ...]:
        """Return the classes of changed files whose members have changed."""
        found = []
        for each in self._pair.read_files:
            if not self._has_requirements(self._pair.after, each.after):
                continue
            before = self._members_of(self._pair.before, each.before)
            after = self._members_of(self._pair.after, each.after)
            for now in self._pair.after.iter_definitions(each.after):
                is_changed = is_class(now.kind) and after.get(now.symbol.qualname) != before.get(now.symbol.qualname)
                if is_changed and self._may_require_members(ClassType.of(now)):
                    found.append(now)
        return tuple(found)

    def _has_requirements(self, code: CodeIndex, file: str) -> bool:
        calls = code.resolver.scopes.rules(file).calls
        return calls is not None and calls.is_required is not None

    def _members_of(self, code: CodeIndex, file: str) -> dict[str, tuple[object, ...]]:
        """Return qualified name of a class → its bases and the names and signatures of its members."""
        if not code.has_file(file):
            return {}
        symbols = code.facts(file).symbols
        is_executed = code.resolver.scopes.spec(file).executed_classes
        found: dict[str, list[object]] = {each.qualname: list(each.bases) for each in symbols if is_class(each.kind)}
        for each in symbols:
            if each.parent >= 0 and symbols[each.parent].qualname in found:
                text = each.decorators if is_executed else each.signature
                found[symbols[each.parent].qualname].append((each.name, text))
        return {name: tuple(members) for name, members in found.items()}

    def _check_class(self, of: Definition) -> Iterator[UnmetRequirement]:
        """Yield the required members that a class lacks since the change, and its overrides that no longer fit."""
        after = self._pair.after
        if not self._has_requirements(after, of.file) or not self._pair.readable.get(of.file, True):
            return
        own = ClassType.of(of)
        if any(after.uses(file).bases.get(scope) for file, scope in after.resolver.inference.members.additions(own)):
            return  # Its interfaces are named by blocks, which are checked one by one.
        was = self._pair.class_before(own)
        if of.kind is not SymbolKind.INTERFACE and "abstract " not in of.symbol.signature:
            is_executed = after.resolver.scopes.spec(of.file).executed_classes
            fresh = self._list_newly_missing(own, was)
            fresh = [each for each in fresh if not self._is_left_to_constants(of, each.name)]
            places = self._find_places(of) if fresh and is_executed else ((of.file, of.line, of.symbol.column),)
            for each in fresh:
                for place in self._find_hidden(of, each.name) or places:
                    yield UnmetRequirement(
                        Cause.NOT_IMPLEMENTED, of.symbol.qualname, each.name, each.owner, place, each.definition
                    )
        members = [each for each in after.facts(of.file).symbols if each.parent == of.index]
        yield from self._check_overrides(own, was, members)

    def _is_left_to_constants(self, of: Definition, name: str) -> bool:
        """Return whether constants of an enumeration define a member in their own bodies: `RED { int code() … }`."""
        if of.kind is not SymbolKind.ENUM:
            return False
        symbols = self._pair.after.facts(of.file).symbols
        named = (symbols[each.parent] for each in symbols if each.name == name and each.parent >= 0)
        return any(each.parent == of.index for each in named)

    def _check_unnamed(self, base: Definition) -> Iterator[UnmetRequirement]:
        """Yield the members that unnamed subclasses of a changed class (`new Base() { … }`) lack or override in vain.

        Only unchanged files are checked, in which each unnamed class is the same as before.
        """
        code, spec = self._pair.after, self._pair.after.resolver.scopes.spec(base.file)
        above, was = ClassType.of(base), self._pair.class_before(ClassType.of(base))
        if was is None or not spec.marks_overrides or not self._requires_more(above, was):
            return
        names = {each.name for each in (base, *code.graph.classes.descendants(base))}
        files = {file for name in names for file in self._pair.list_files_with(name, (base.file,))}
        for file in self._pair.iter_in_time(files - self._pair.new_lines.keys()):
            for index, scope in enumerate(code.uses(file).scopes if self._pair.before.has_file(file) else ()):
                own = ClassType(file, -1, scope=index)
                is_unnamed = scope.kind is ScopeKind.CLASS and scope.symbol < 0 and code.uses(file).bases.get(index)
                if not is_unnamed or (file, index) in self._unnamed:
                    continue
                if above in code.resolver.inference.members.lineage(own).classes:
                    self._unnamed.add((file, index))
                    place = (file, scope.span.start_line, 0)
                    holder = f"new {self._name_base(own)}"
                    for each in self._list_newly_missing(own, own):
                        yield UnmetRequirement(
                            Cause.NOT_IMPLEMENTED, holder, each.name, each.owner, place, each.definition
                        )
                    places = set(list_names(code, file, index).values())
                    members = [each for each in code.facts(file).symbols if (each.line, each.column) in places]
                    yield from self._check_overrides(own, own, members)

    def _requires_more(self, now: ClassType, was: ClassType) -> bool:
        """Return whether a class requires members that it did not require before, or lost members."""
        versions = ((self._pair.before, was), (self._pair.after, now))
        had, has = ({(e.name, e.symbol.signature) for e in list_declared(*each)} for each in versions)
        asked, asks = ({(e.name, e.count) for e in self._requirements.iter_needed(*each)} for each in versions)
        return not (asks <= asked and had <= has)

    def _name_base(self, own: ClassType) -> str:
        """Return the qualified name of the nearest base of a class without a name."""
        resolver = self._pair.after.resolver
        symbol = resolver.scopes.get_class_symbol(resolver.inference.members.lineage(own).classes[1])
        return symbol.qualname if symbol is not None else ""

    def _list_newly_missing(self, own: ClassType, was: ClassType | None) -> list[NeededMember]:
        """Return the required members that a class lacks now and did not lack before."""
        after = self._pair.after
        missing = self._find_missing(after, own)
        lacked = self._find_missing(self._pair.before, was) if missing and was else ()
        known = {(each.name, each.count) for each in lacked}
        return [each for each in missing if (each.name, each.count) not in known]

    def _may_require_members(self, own: ClassType) -> bool:
        """Return whether a class may require members of subclasses; in Python only `ABC` and `ABCMeta` can."""
        code = self._pair.after
        if not code.resolver.scopes.spec(own.file).executed_classes:
            return True
        lineage = code.resolver.inference.members.lineage(own)
        symbols = map(code.resolver.scopes.get_class_symbol, lineage.classes)
        return ABSTRACT_BASE in lineage.externals or any(
            symbol is not None and ABSTRACT_METACLASS in symbol.signature for symbol in symbols
        )

    def _find_places(self, of: Definition) -> tuple[tuple[str, int, int], ...]:
        """Return the places that create objects of a class, where Python refuses one that lacks a required member."""
        made = conventions_of(of.file).records.decorators
        if not all(is_decorated((each,), made) for each in of.symbol.decorators):
            return ()
        return tuple(usage.place for usage in self._pair.after.usages(of).usages if usage.role is ReferenceKind.CALL)

    def _list_requiring(self, code: CodeIndex, of: ClassType) -> frozenset[ClassType]:
        """Return the bases whose requirements a class has to meet itself.

        A class in between that is not abstract has to meet those of its own bases.
        """
        members, scopes = code.resolver.inference.members, code.resolver.scopes
        found: set[ClassType] = set()
        pending = [of]
        while pending:
            for each in members.bases(pending.pop()):
                base = scopes.canonical(each.plain) if isinstance(each, ClassType) else None
                symbol = scopes.get_class_symbol(base)
                if base is None or symbol is None or base in found:
                    continue
                if symbol.kind is not SymbolKind.CLASS or "abstract " in symbol.signature:
                    found.add(base)
                    pending.append(base)
        return frozenset(found)

    def _find_missing(self, code: CodeIndex, of: ClassType) -> tuple[NeededMember, ...]:
        """Return the members that bases require and the class lacks; () if a base is outside the workspace."""
        members = code.resolver.inference.members
        lineage = members.lineage(of)
        spec, found = code.resolver.scopes.spec(of.file), list[NeededMember]()
        # An interface with the name of a class adds its members to the class.
        is_merged = spec.separate_types and any(map(code.resolver.scopes.is_merged, lineage.classes))
        if lineage.is_open or is_merged:
            return ()
        plain = {each.plain for each in lineage.classes}
        requiring = plain if spec.executed_classes else self._list_requiring(code, of)
        standard = self._list_standard(code, lineage.classes)
        outside = [each for each in lineage.externals if each not in standard]
        for each in lineage.classes[1:]:
            is_known = code.has_file(each.file) or (each.file.startswith(STUBS) and bool(standard))
            if each.symbol < 0 or not is_known or each.plain not in requiring:
                continue
            for needed in self._requirements.iter_needed(code, each):
                if any(may_give(spec, base, needed.name) for base in outside):
                    continue
                # A member in a stub is a member of the type, unless the type only requires it.
                having = (each for each in lineage.classes if not (standard and self._requires(code, each, needed)))
                if not any(self._has(code, each, needed) for each in having):
                    found.append(needed)
        return tuple(found)

    def _list_standard(self, code: CodeIndex, classes: Iterable[ClassType]) -> frozenset[str]:
        """Return the names of the standard library's types among the classes, if all of them only require members.

        A stub declares all required members of an interface; of a class it declares only those beside its interfaces,
        so () is returned if there is such a class.
        """
        scopes = code.resolver.scopes
        found = set()
        for each in classes:
            symbol = scopes.get_class_symbol(each) if each.file.startswith(STUBS) else None
            if symbol is None:
                continue
            is_asking = symbol.kind is SymbolKind.INTERFACE or symbol.name in PLAIN_BASES
            if not is_asking or not scopes.spec(each.file).marks_overrides:
                return frozenset()
            found.add(symbol.name)
        return frozenset(found)

    def _requires(self, code: CodeIndex, of: ClassType, needed: NeededMember) -> bool:
        """Return whether a type of the standard library only requires a member and does not define it."""
        if not of.file.startswith(STUBS) or of.symbol < 0:
            return False
        asked = self._requirements.iter_needed(code, of)
        return any((each.name, each.count) == (needed.name, needed.count) for each in asked)

    def _has(self, code: CodeIndex, of: ClassType, needed: NeededMember) -> bool:
        """Return whether a class itself defines the member; in languages with overloads, with the same parameters."""
        members, scopes = code.resolver.inference.members, code.resolver.scopes
        for name in (needed.name, called(needed.name)):
            variable = members.own_member(of, name)
            if variable is None:
                continue
            if not code.has_file(variable.file):
                return True
            overloads = scopes.spec(variable.file).overloads
            required = self._requirements.read_required(code, variable.file)
            for binding in scopes.bindings(variable):
                place = (binding.line, binding.column)
                count = self._requirements.count(code, variable.file, place)
                is_same = not overloads or count in {-1, needed.count}
                if overloads and is_same and binding.symbol >= 0 and count > 0:
                    functions, asking = (FunctionType(variable.file, binding.symbol), needed.function), needed.holder
                    is_below = of.plain != asking and members.is_subclass(of, asking)
                    is_same = not code.resolver.inference.overloads.are_unlike(*functions, is_override=is_below)
                is_hidden = code is self._pair.after and self._is_hidden(variable.file, binding.symbol)
                if is_same and not required.get(place) and not is_hidden:
                    return True
        return False

    def _find_hidden(self, of: Definition, name: str) -> tuple[tuple[str, int, int], ...]:
        """Return the places of a class's own members of a name that the change made less visible."""
        hidden = (each for each in self._pair.narrowed.get(name, {}) if each.file == of.file)
        return tuple((of.file, each.line, each.symbol.column) for each in hidden if each.symbol.parent == of.index)

    def _is_hidden(self, file: str, symbol: int) -> bool:
        """Return whether the change made a member of the new version less visible, so that it implements nothing."""
        of = self._pair.after.facts(file).symbols[symbol] if symbol >= 0 else None
        return of is not None and Definition(file, of, symbol) in self._pair.narrowed.get(of.name, {})

    def _check_overrides(
        self, own: ClassType, was: ClassType | None, own_members: Iterable[Symbol]
    ) -> Iterator[UnmetRequirement]:
        """Yield the members of a class marked as overrides whose bases no longer have them."""
        code = self._pair.after
        members = code.resolver.inference.members
        lineage = members.lineage(own)
        if was is None or lineage.is_open:
            return
        for symbol in own_members:
            if symbol.kind not in FUNCTIONS or not symbol.is_marked_override:
                continue
            if may_inherit(code.resolver.scopes.spec(own.file), lineage, symbol.name):
                continue
            if members.find(own, called(symbol.name), skip_own=True) or members.find(own, symbol.name, skip_own=True):
                yield from self._check_overload(own, was, symbol)
                continue
            before = self._pair.before
            had = before.resolver.inference.members
            found = had.find(was, called(symbol.name), skip_own=True) or had.find(was, symbol.name, skip_own=True)
            above = before.graph.get_definition(found.variable) if found is not None else None
            if above is not None and before.has_file(above.file):
                place = (own.file, symbol.line, symbol.column)
                owner = above.symbol.qualname
                yield UnmetRequirement(Cause.OVERRIDES_NOTHING, symbol.qualname, owner, "", place, above)

    def _check_overload(self, own: ClassType, was: ClassType, symbol: Symbol) -> Iterator[UnmetRequirement]:
        """Yield an override if its bases have the name, but no longer with its number of parameters."""
        after, lines = self._pair.after, self._pair.new_lines.get(own.file, frozenset())
        is_own = symbol.line in lines
        if not after.resolver.scopes.spec(own.file).overloads or (lines and not is_own):
            return
        members = after.resolver.inference.members
        standard = (each for each in members.lineage(own).classes if each.file.startswith(STUBS))
        if any(members.own_member(each, called(symbol.name)) for each in standard):
            return  # It still overrides a member of the standard library.
        above = self._list_above(after, own, symbol.name)
        had = self._list_above(self._pair.before, was, symbol.name)
        count = self._requirements.count(after, own.file, (symbol.line, symbol.column))
        known, counts = {each.count for each in had}, {each.count for each in above}
        # A method marked as an override took the arguments of the base before.
        is_broken = self._list_counts(was, symbol.qualname) <= known if is_own else count in known
        if above and not counts & {-1, count} and is_broken:
            member, place = f"{above[0].owner}.{symbol.name}", (own.file, symbol.line, symbol.column)
            yield UnmetRequirement(Cause.DECLARED_OTHERWISE, symbol.qualname, member, "", place, above[0].definition)

    def _list_counts(self, was: ClassType, qualname: str) -> set[int]:
        """Return the numbers of parameters of the functions of a qualified name before the change."""
        before = self._pair.before
        places = [(each.line, each.column) for each in before.facts(was.file).symbols if each.qualname == qualname]
        return {self._requirements.count(before, was.file, place) for place in places} or {-2}

    def _list_above(self, code: CodeIndex, of: ClassType, name: str) -> tuple[NeededMember, ...]:
        """Return the members of a name that the bases of a class declare, with their numbers of parameters."""
        found = []
        for each in code.resolver.inference.members.lineage(of).classes[1:]:
            for member in list_declared(code, each) if code.has_file(each.file) else ():
                if member.name == name:
                    place = (member.line, member.symbol.column)
                    count = self._requirements.count(code, each.file, place)
                    owner = code.facts(each.file).symbols[each.symbol].qualname
                    found.append(NeededMember(name, count, owner, member))
        return tuple(found)


_CONSTRUCTORS = ("__", "constructor")
"""Prefixes of members that nothing calls through a base, or that every class defines for itself."""


class OverrideParameters:
    """Finds the overrides of one change whose parameters, or those of their base, differ from before."""

    def __init__(self, pair: VersionPair, calls: CallMismatches) -> None:
        self._pair = pair
        self._calls = calls
        self._members = pair.after.resolver.inference.members

    def iter_unmet(self) -> Iterator[UnmetRequirement]:
        """Yield the overrides that do not fit, each once."""
        seen = set()
        for now in self._calls.changed:
            grammar = self._pair.after.resolver.scopes.rules(now.file).calls
            if grammar is None or not grammar.checks_overrides or not self._is_method(now):
                continue
            above = self._get_above(now)
            pairs = [(above, now)] if above is not None else []
            pairs += [(now, below) for below in self._iter_below(now)]
            for base, override in pairs:
                key = (override.file, override.index)
                if key not in seen and self._is_broken(base, override, has_names=grammar.named_arguments):
                    seen.add(key)
                    place = (override.file, override.line, override.symbol.column)
                    yield UnmetRequirement(
                        Cause.DECLARED_OTHERWISE, override.symbol.qualname, base.symbol.qualname, "", place, base
                    )

    def _is_method(self, definition: Definition) -> bool:
        symbol = definition.symbol
        is_plain = symbol.kind is SymbolKind.METHOD and symbol.parent >= 0 and has_plain_parameters(definition)
        return is_plain and not symbol.name.startswith(_CONSTRUCTORS)

    def _get_above(self, definition: Definition) -> Definition | None:
        """Return the method of the workspace that a method overrides, or None."""
        own = ClassType(definition.file, definition.symbol.parent)
        for name in (called(definition.name), definition.name):
            found = self._members.find(own, name, skip_own=True)
            if found is not None:
                return self._pair.after.graph.get_definition(found.variable)
        return None

    def _iter_below(self, base: Definition) -> Iterator[Definition]:
        """Yield the methods that override a method directly."""
        code, owner = self._pair.after, ClassType(base.file, base.symbol.parent)
        for each in code.iter_named(base.name):
            is_other = each != base and self._is_method(each)
            if is_other and self._members.is_subclass(ClassType(each.file, each.symbol.parent), owner):
                above = self._get_above(each)
                if above is not None and (above.file, above.index) == (base.file, base.index):
                    yield each

    def _is_broken(self, base: Definition, override: Definition, *, has_names: bool) -> bool:
        """Return whether an override accepted the arguments of its base before the change and no longer does."""
        rules = conventions_of(base.file).decorators
        are_static = [is_decorated(each.symbol.decorators, rules.static_methods) for each in (base, override)]
        if not self._is_method(base) or are_static[0] != are_static[1]:
            return False
        if not all(self._pair.readable.get(each.file, True) for each in (base, override)):
            return False
        is_bound = has_names and not are_static[0]
        before = [self._calls.callees.list_previous(each) for each in (base, override)]
        if [len(each) for each in before] != [1, 1] or not self._is_alone(base) or not self._is_alone(override):
            return False
        had = [self._calls.callees.read_signature(self._pair.before, each[0]) for each in before]
        now = [self._calls.callees.read_signature(self._pair.after, each) for each in (base, override)]
        return self._fits(had, is_bound, has_names) is True and self._fits(now, is_bound, has_names) is False

    def _is_alone(self, definition: Definition) -> bool:
        """Return whether a function has one definition: overloads are not compared."""
        symbols = self._pair.after.facts(definition.file).symbols
        return sum(each.qualname == definition.symbol.qualname for each in symbols) == 1

    def _fits(self, signatures: list[CallSignature | None], is_bound: bool, has_names: bool) -> bool | None:
        """Return whether an override accepts the calls with the fewest and the most arguments that its base accepts.

        None if that is unknown.
        """
        base, override = signatures
        if base is None or override is None or not ((base.parameters and override.parameters) or not is_bound):
            return None
        taken = base.parameters[1:] if is_bound else base.parameters
        if is_bound and (base.parameters[0].gathers or override.parameters[0].gathers):
            return None
        plain = [each for each in taken if not each.gathers]
        needed = [each for each in plain if not each.is_optional]
        names = tuple(each.name for each in plain if each.is_named_only)
        least = CallShape(
            sum(not each.is_named_only for each in needed), tuple(e.name for e in needed if e.is_named_only)
        )
        most = CallShape(len(plain) - len(names), names, is_open=len(plain) < len(taken))
        for shape, causes in (
            # Without keywords, a parameter that is optional in the base may be required in an override.
            (least, {Cause.ARGUMENT_SURPLUS, Cause.KEYWORD_UNKNOWN, *([Cause.ARGUMENT_MISSING] if has_names else [])}),
            (most, {Cause.ARGUMENT_MISSING}),
        ):
            misfit = get_misfit(override, shape, is_bound=is_bound, has_names=has_names)
            # Without keywords, a function may be passed more arguments than it takes.
            if misfit is not None and misfit.cause in causes and (has_names or misfit.cause is Cause.ARGUMENT_MISSING):
                return False
        return True
