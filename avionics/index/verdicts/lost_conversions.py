"""Find values that no longer satisfy a declared type, in languages that compare types by their members.

In Go (`LostConversions`), a type is checked if it lost a method or a method has another number of parameters, and an
interface if it requires another method. Each conversion of a value to an interface that it no longer satisfies is
reported, as compilers do.

In TypeScript (`LostShapes`), a class is checked if it lost a member, itself or with a base, and an interface if it
requires another one. `new Cart()` and `this` are reported where they are assigned to a parameter, variable, field or
result that is declared with the bare name of a class or interface: a computed type (`Partial<Cart>`) may require less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, External, FunctionType, InstanceType, Type, Variable, only_class
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.index.types.structural_typing import Interfaces
from avionics.index.verdicts.comparison import VersionPair, is_only_assigned
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.outside_bases import may_inherit
from avionics.index.verdicts.requirements import UnmetRequirement, list_declared
from avionics.index.verdicts.typed_conversions import TypedConversion, TypedConversions
from avionics.model.enums import BindingKind, ExpressionKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding, Expression
from avionics.model.knowledge import Definition
from avionics.syntax.conversions import Conversion

_SHAPES = frozenset({SymbolKind.INTERFACE, SymbolKind.CLASS})
_NULLS = frozenset({"None", "null", "undefined"})
"""The names of types that stand for no value."""


class LostConversions:
    """Finds the conversions to interfaces that one change made invalid."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._after = pair.after.graph.interfaces
        self._before = pair.before.graph.interfaces

    def iter_unmet(self) -> Iterator[UnmetRequirement]:
        """Yield the conversions of a type to an interface that it satisfied before the change, file by file."""
        reader = TypedConversions(self._pair.after)
        for file in self._pair.iter_in_time(reader.list_files(self._changed)) if self._changed else ():
            if self._pair.readable.get(file, True):
                for each in reader.iter_conversions(file):
                    yield from self._check(file, each)

    @cached_property
    def _changed(self) -> frozenset[ClassType]:
        """The types of the new version that lost methods, interfaces that require more, and types that embed them."""
        found: set[ClassType] = set()
        for each in self._pair.files:
            before = set(self._iter_methods(self._pair.before, self._before, each.before))
            after = set(self._iter_methods(self._pair.after, self._after, each.after))
            lost = ((self._pair.class_after(of), of, name, count) for of, name, count in before)
            gone = [
                now
                for now, of, name, count in lost
                if now is not None and (now, name, count) not in after and not self._before.is_interface(of)
            ]
            asked = [
                of
                for of, name, count in after
                if self._after.is_interface(of) and (self._pair.class_before(of), name, count) not in before
            ]
            for of in (*gone, *asked):
                found.update(self._after.promoted_to(of))
        return frozenset(found)

    def _iter_methods(self, code: CodeIndex, interfaces: Interfaces, file: str) -> Iterator[tuple[ClassType, str, int]]:
        """Yield the methods of a file: class, name and number of parameters."""
        if not code.has_file(file) or code.resolver.scopes.rules(file).conversions is None:
            return
        for each in code.iter_definitions(file):
            of = interfaces.class_of(each)
            if of is not None:
                yield of, each.name, interfaces.count_parameters(file, each.index)

    def _check(self, file: str, each: TypedConversion) -> Iterator[UnmetRequirement]:
        """Yield the methods that a value's type lacks for a conversion."""
        given, wanted = each.given, only_class(each.wanted)
        if wanted is None:
            yield from self._check_outside(file, each)
        if wanted is None or not self._after.is_interface(wanted) or not {given, wanted} & self._changed:
            return
        lineage = self._pair.after.resolver.inference.members.lineage(given)
        if lineage.is_open or not self._was_satisfied(given, wanted):
            return
        spec = self._pair.after.resolver.scopes.spec(given.file)
        holder, interface = map(self._pair.after.resolver.scopes.get_class_symbol, (given, wanted))
        assert holder is not None
        assert interface is not None
        for method in self._after.find_lacking(given, wanted):
            if may_inherit(spec, lineage, method.name):
                continue
            place = (file, each.line, each.column)
            asked_at = None if method.file.startswith(STUBS) else method
            yield UnmetRequirement(
                Cause.NOT_IMPLEMENTED, holder.qualname, method.name, interface.qualname, place, asked_at
            )

    def _check_outside(self, file: str, each: TypedConversion) -> Iterator[UnmetRequirement]:
        """Yield the methods that a value's type lost and that an outside interface is known to require."""
        of = each.wanted[0].of if len(each.wanted) == 1 and isinstance(each.wanted[0], InstanceType) else None
        was = self._pair.class_before(each.given)
        if not isinstance(of, External) or was is None or each.given not in self._changed:
            return
        resolver = self._pair.after.resolver
        lineage, holder = resolver.inference.members.lineage(each.given), resolver.scopes.get_class_symbol(each.given)
        spec = resolver.scopes.spec(each.given.file)
        for name in sorted(spec.outside_members.get(of.name, ())):
            had, has = self._count(self._pair.before, was, name), self._count(self._pair.after, each.given, name)
            may_have = may_inherit(spec, lineage, name)
            if holder is not None and had not in {has, None} and not (has is None and may_have):
                place = (file, each.line, each.column)
                yield UnmetRequirement(Cause.NOT_IMPLEMENTED, holder.qualname, name, of.name, place, None)

    def _count(self, code: CodeIndex, of: ClassType, name: str) -> int | None:
        """Return the number of parameters of a class's method; None if the class has no such method."""
        found = code.resolver.inference.members.find(of, name)
        method = code.graph.get_definition(found.variable) if found is not None else None
        return code.graph.interfaces.count_parameters(method.file, method.index) if method is not None else None

    def _was_satisfied(self, given: ClassType, wanted: ClassType) -> bool:
        """Return whether the type satisfied the interface before the change."""
        was = self._pair.class_before(given)
        asked = wanted if wanted.file.startswith(STUBS) else self._pair.class_before(wanted)
        return was is not None and asked is not None and self._before.is_satisfied(was, asked)


class LostShapes:
    """Finds the objects that lack a member of their declared type after one change."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._code = pair.after
        self._conversions = TypedConversions(pair.after)

    def iter_unmet(self) -> Iterator[UnmetRequirement]:
        """Yield the missing members, file by file."""
        for file in self._pair.iter_in_time(self._list_files()):
            conversions = self._conversions.read(file) if self._pair.readable.get(file, True) else ()
            for each in conversions:
                given = self._get_value_class(file, each)
                if given is None or not (given in self._lost or (self._required and _is_near(each.wanted))):
                    continue
                wanted = self._get_target_class(file, each)
                if wanted is None or given == wanted:
                    continue
                for name in sorted(self._lost.get(given, set()) | self._required.get(wanted, set())):
                    unmet = self._check(given, wanted, name, (file, each.line, each.column))
                    if unmet is not None:
                        yield unmet

    def _list_files(self) -> set[str]:
        """Return the files that mention one of the changed types."""
        symbols = ((of, self._code.resolver.scopes.get_class_symbol(of)) for of in (*self._lost, *self._required))
        named = (self._pair.list_files_with(each.name, (of.file,)) for of, each in symbols if each is not None)
        return {file for files in named for file in files if self._is_checked(file)}

    def _is_checked(self, file: str) -> bool:
        rules = self._code.resolver.scopes.rules(file)
        return rules.separate_types and rules.conversions is not None

    @cached_property
    def _lost(self) -> dict[ClassType, set[str]]:
        """The classes of the new version, and the names of members that they or their bases lost."""
        lost: dict[tuple[str, str], set[str]] = {}
        for name, places in self._pair.gone.items():
            homes = {(self._pair.path_after(each.file), each.holder) for each in places if each.holder}
            homes = {(file, holder) for file, holder in homes if file and self._is_checked(file)}
            for home in homes if homes and self._is_declared_anywhere(name) else ():
                lost.setdefault(home, set()).add(name)
        found: dict[ClassType, set[str]] = {}
        for file in {file for file, _ in lost}:
            for of in self._iter_symbols(file, SymbolKind.CLASS):
                names = lost.get((file, of.symbol.qualname), set())
                for below in (of, *self._code.graph.classes.descendants(of)) if names else ():
                    if below.kind is SymbolKind.CLASS:
                        found.setdefault(ClassType.of(below), set()).update(names)
        return found

    def _is_declared_anywhere(self, name: str) -> bool:
        """Return whether a class or an interface has a member of a name."""
        checked = (each for each in self._code.iter_named(name) if self._is_checked(each.file))
        holders = map(self._code.get_parent, checked)
        return any(each is not None and each.kind in _SHAPES for each in holders)

    @cached_property
    def _required(self) -> dict[ClassType, set[str]]:
        """The interfaces of the new version, and the names of members that they or their bases require only now."""
        found: dict[ClassType, set[str]] = {}
        for file in self._pair.new_lines:
            for of in self._iter_symbols(file, SymbolKind.INTERFACE):
                now = ClassType(file, of.index)
                was = self._pair.class_before(now)
                symbols = self._code.facts(file).symbols
                names = {each.name for each in symbols if each.parent == of.index and each.name.isidentifier()}
                fresh = {
                    each for each in names if was is None or self._get_required(self._pair.before, was, each) is None
                }
                if was is not None and fresh:
                    for each in (of, *self._code.graph.classes.descendants(of)):
                        found.setdefault(ClassType.of(each), set()).update(fresh)
        return found

    def _iter_symbols(self, file: str, kind: SymbolKind) -> Iterator[Definition]:
        if self._code.has_file(file) and self._is_checked(file):
            yield from (each for each in self._code.iter_definitions(file) if each.kind is kind)

    def _get_value_class(self, file: str, each: Conversion) -> ClassType | None:
        """Return the class of `this` or `new Cart<…>()`, without type arguments; None for any other value."""
        inference, value = self._code.resolver.inference, each.value
        if value.kind is ExpressionKind.SELF:
            return only_class(inference.infer(value, file, each.scope, each.line))
        callee = value.parts[0] if value.kind is ExpressionKind.CALL else UNKNOWN
        callee = callee.parts[0] if callee.kind is ExpressionKind.SUBSCRIPT else callee
        kinds = inference.infer(callee, file, each.scope, each.line)
        return kinds[0].plain if len(kinds) == 1 and isinstance(kinds[0], ClassType) else None

    def _get_target_class(self, file: str, each: Conversion) -> ClassType | None:
        """Return the class or interface that the target of a value is declared with by its bare name, or None."""
        wanted = each.wanted
        if wanted.kind is ExpressionKind.AWAIT and wanted.parts[0].kind is ExpressionKind.TYPED:
            promised = wanted.parts[0].parts[0].parts  # An asynchronous function returns a `Promise<T>`.
            return self._read_named(promised[1], file, each.scope) if len(promised) == 2 else None
        if wanted.kind is ExpressionKind.TYPED:
            return self._read_named(wanted.parts[0], file, each.scope)
        if wanted.kind is ExpressionKind.EXPECTED:
            declaration = self._get_parameter(wanted, file, each)
        else:
            declaration = self._get_declaration(wanted, file, each)
        if declaration is None:
            return None
        home, binding = declaration
        return self._read_named(binding.annotation, home, binding.within)

    def _get_parameter(self, wanted: Expression, file: str, each: Conversion) -> tuple[str, Binding] | None:
        """Return the parameter that takes a value, and its file; None if several functions may be called."""
        inference, scopes = self._code.resolver.inference, self._code.resolver.scopes
        kinds = inference.infer(wanted.parts[0], file, each.scope, each.line)
        if len(kinds) == 1 and isinstance(kinds[0], ClassType):
            made = inference.members.find(kinds[0], CONSTRUCTOR)
            bound = scopes.bindings(made.variable) if made is not None else ()
            kinds = tuple(FunctionType(made.variable.file, binding.symbol) for binding in bound if made is not None)
        function = kinds[0] if len(kinds) == 1 else None
        if not isinstance(function, FunctionType) or function.symbol < 0 or wanted.name:
            return None
        parameter = inference.signatures.get(function, wanted.index)
        is_plain = parameter is not None and parameter.kind is BindingKind.PARAMETER
        return (function.file, parameter) if parameter is not None and is_plain else None

    def _get_declaration(self, wanted: Expression, file: str, each: Conversion) -> tuple[str, Binding] | None:
        """Return the declaration of a variable or field that is assigned to, and its file."""
        inference, scopes = self._code.resolver.inference, self._code.resolver.scopes
        found: list[Variable | None] = []
        if wanted.kind is ExpressionKind.NAME:
            found = [scopes.get_variable(file, each.scope, wanted.name)]
        elif wanted.kind is ExpressionKind.ATTRIBUTE:
            owners = inference.infer_owner(wanted.parts[0], file, each.scope, each.line, wanted.name)
            own = only_class(owners)
            lineage = inference.members.lineage(own).classes if own is not None else ()
            found = [inference.members.own_member(of, wanted.name) for of in lineage]
        for variable in found:
            if variable is None:
                continue
            bindings = scopes.bindings(variable)
            declared = [b for b in bindings if not is_only_assigned(self._code, variable.file, b)]
            if declared:
                return (variable.file, declared[0]) if len(declared) == 1 else None
        return None

    def _read_named(self, annotation: Expression, file: str, scope: int) -> ClassType | None:
        """Return the only class or interface in an annotation without `null`: that of `Cart<T> | null`; else None."""
        parts = annotation.parts if annotation.kind is ExpressionKind.UNION else (annotation,)
        named = [each for each in parts if each.name not in _NULLS]
        head = named[0] if len(named) == 1 else UNKNOWN
        head = head.parts[0] if head.kind is ExpressionKind.SUBSCRIPT else head
        found = only_class(self._code.resolver.inference.read_type(named[0], file, scope)) if head.name else None
        symbol = self._code.resolver.scopes.get_class_symbol(found)
        # An alias has another name than the class that it stands for.
        return found if symbol is not None and symbol.kind in _SHAPES and symbol.name == head.name else None

    def _check(
        self, given: ClassType, wanted: ClassType, name: str, place: tuple[str, int, int]
    ) -> UnmetRequirement | None:
        """Return the break if a class lacks a member that a type requires, unless that was so before; else None."""
        asking = self._get_required(self._code, wanted, name)
        was, asked = self._pair.class_before(given), self._pair.class_before(wanted)
        if asking is None or was is None or self._has(self._code, given, name):
            return None
        is_new = asked is not None and self._get_required(self._pair.before, asked, name) is None
        holder, interface = map(self._code.resolver.scopes.get_class_symbol, (given, wanted))
        if holder is None or interface is None or not (is_new or self._has(self._pair.before, was, name)):
            return None
        return UnmetRequirement(Cause.NOT_IMPLEMENTED, holder.qualname, name, interface.qualname, place, asking)

    def _get_required(self, code: CodeIndex, of: ClassType, name: str) -> Definition | None:
        """Return the member of a name that a type requires, or None; an optional one (`name?`) is not required."""
        lineage = [each for each in code.resolver.inference.members.lineage(of).classes if code.has_file(each.file)]
        declared = (each for one in lineage for each in list_declared(code, one) if each.name == name)
        if (member := next(declared, None)) is None:
            return None
        unasked, signature = code.resolver.scopes.spec(member.file).unasked_members, member.symbol.signature
        is_optional = f"{name}?" in signature or (bool(unasked) and re.match(unasked, signature) is not None)
        return None if is_optional else member

    def _has(self, code: CodeIndex, of: ClassType, name: str) -> bool:
        """Return whether a class declares a member, or may inherit it from a class; interfaces only require members."""
        members, scopes = code.resolver.inference.members, code.resolver.scopes
        pending, seen = [of], set[ClassType]()
        while pending:
            each = pending.pop()
            symbol = scopes.get_class_symbol(each)
            if symbol is None or symbol.kind is not SymbolKind.CLASS or len(scopes.parts(each)) > 1:
                return True  # An interface of the same name declares members of the class.
            own = members.own_member(each, name)
            if self._is_declared(code, (*((own,) if own is not None else ()), *members.list_added(each, name))):
                return True
            seen.add(each)
            for base in members.bases(each):
                above = scopes.get_class_symbol(base)
                if isinstance(base, ClassType) and above is not None and above.kind is SymbolKind.INTERFACE:
                    continue
                if isinstance(base, ClassType) and base.plain not in seen:
                    pending.append(base.plain)
                elif not isinstance(base, (ClassType, External)) or self._may_extend(code, each, base):
                    return True
        return False

    def _may_extend(self, code: CodeIndex, of: ClassType, base: Type) -> bool:
        """Return whether a class may extend an outside base, rather than only implement it."""
        scope, uses = code.resolver.scopes.scope_of_class(of), code.uses(of.file)
        extended = (each for each in uses.bases.get(scope, ()) if each.kind is not ExpressionKind.TYPED)
        kinds = (code.resolver.inference.infer(each, of.file, uses.scopes[scope].parent) for each in extended)
        return isinstance(base, External) and any(base in types for types in kinds)

    def _is_declared(self, code: CodeIndex, variables: Iterable[Variable]) -> bool:
        bound = ((each.file, one) for each in variables for one in code.resolver.scopes.bindings(each))
        return any(not is_only_assigned(code, file, one) for file, one in bound)


def _is_near(wanted: Expression) -> bool:
    """Return whether a declared type is found quickly, without inferring the type of another value."""
    holder = wanted.parts[0] if wanted.parts else UNKNOWN
    if wanted.kind is ExpressionKind.EXPECTED:
        return holder.kind is ExpressionKind.NAME
    return wanted.kind is not ExpressionKind.ATTRIBUTE or holder.kind is ExpressionKind.SELF
