"""Find values that no longer satisfy an interface, in languages with structural interfaces.

A type is checked where it lost a method, or a method takes another number of parameters, or an interface asks for one
more. It is reported where a value of it is converted to such an interface, as compilers do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, External, FunctionType, InstanceType, Types, union
from avionics.index.types.calls.overloads import held_by
from avionics.index.types.structural_typing import Interfaces
from avionics.index.verdicts.calls.call_mismatches import CallMismatches, MismatchedCall
from avionics.index.verdicts.calls.misfits import Misfit
from avionics.index.verdicts.comparison import VersionPair, may_give
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.requirements import UnmetRequirement
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Reference
from avionics.model.knowledge import Definition
from avionics.model.naming import called, fold_name
from avionics.syntax.conversions import Conversion, read_conversions

_NO_NAME = late_pattern(r"\W")


class TypedConversion(Struct, frozen=True):
    """A value of a concrete class, and the types of the place it is assigned or passed to.

    `outside` is the dotted name of the type where it is written as one of a module outside, else "".
    """

    given: ClassType
    wanted: Types
    line: int
    column: int
    outside: str = ""


class TypedConversions:
    """Finds such conversions in one index, in languages that record them."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code

    def list_files(self, classes: Iterable[ClassType]) -> frozenset[str]:
        """Return the files that name one of some classes, or a definition with one in its signature."""
        code = self._code
        found: set[str] = set()
        for of in classes:
            symbol = code.resolver.scopes.get_class_symbol(of)
            if symbol is None:
                continue
            named, system = re.compile(rf"\b{re.escape(symbol.name)}\b"), code.modules.system_of(of.file)
            naming = [file for file in code.files_with_word(symbol.name) if code.modules.system_of(file) is system]
            carriers = {
                each.name for file in naming for each in code.facts(file).symbols if named.search(each.signature)
            }
            carrying = (file for name in carriers for file in code.files_with_word(name))
            found.update(naming, (file for file in carrying if code.modules.system_of(file) is system))
        return frozenset(found)

    def iter_conversions(self, file: str) -> Iterator[TypedConversion]:
        """Yield the conversions of a file whose value has one known class."""
        code = self._code
        rules = code.resolver.scopes.rules(file)
        if rules.conversions is None:
            return
        content = code.read_text(file).encode("utf-8", "surrogateescape")
        if rules.prepare is not None:
            content = rules.prepare(content)  # The scopes of the facts are those of what is left.
        for each in read_conversions(content, rules, rules.conversions, code.facts(file)):
            given = _get_class(code.resolver.inference.infer(each.value, file, each.scope, each.line))
            if given is not None and not code.graph.interfaces.is_interface(given):
                wanted = self._infer_wanted(file, each)
                yield TypedConversion(given, wanted, each.line, each.column, self._name_outside(file, each))

    def _infer_wanted(self, file: str, each: Conversion) -> Types:
        """Return the declared types of the target of a conversion; () if they are not known."""
        inference = self._code.resolver.inference
        kinds = inference.infer(each.wanted, file, each.scope, each.line)
        if each.parameter < 0:
            return kinds
        function = kinds[0] if len(kinds) == 1 else None
        if isinstance(function, ClassType):
            return (InstanceType(function),)
        if not isinstance(function, FunctionType):
            return ()
        parameter = inference.signatures.get(function, each.parameter)
        if parameter is None:
            return ()
        kinds = inference.read_type(parameter.annotation, function.file, parameter.within)
        # A variadic parameter is a slice to the function itself.
        return union(*map(held_by, kinds)) if parameter.kind is BindingKind.VARIADIC else kinds

    def iter_outside(self, method: Definition) -> Iterator[tuple[str, int, str]]:
        """Yield the conversions to outside interfaces that may require a method: file, line and name."""
        code = self._code
        own = code.graph.interfaces.class_of(method)
        if own is None or code.resolver.scopes.rules(method.file).conversions is None:
            return
        classes = code.graph.interfaces.promoted_to(own)
        for file in sorted(self.list_files(classes)):
            spec = code.resolver.scopes.spec(file)
            for each in self.iter_conversions(file):
                if each.outside and each.given in classes and may_give(spec, each.outside, method.name):
                    yield file, each.line, each.outside

    def _name_outside(self, file: str, each: Conversion) -> str:
        """Return the dotted name of the wanted type where it is written as one of a module outside, else ""."""
        written = each.wanted.parts[0] if each.wanted.kind is ExpressionKind.TYPED else UNKNOWN
        if written.kind is not ExpressionKind.ATTRIBUTE or written.parts[0].kind is not ExpressionKind.NAME:
            return ""
        kinds = self._code.resolver.inference.infer(written.parts[0], file, each.scope, each.line)
        names = [kind.name for kind in kinds if isinstance(kind, External)]
        return f"{names[0]}.{written.name}" if len(names) == len(kinds) == 1 else ""


class LostConversions:
    """Finds the conversions of one change that are invalid."""

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
        """The types of the new version that may satisfy less than before, and the interfaces that require more."""
        found: set[ClassType] = set()
        for each in self._pair.files:
            before = set(self._iter_methods(self._pair.before, self._before, each.before))
            after = set(self._iter_methods(self._pair.after, self._after, each.after))
            lost = ((self._now(of), of, name, count) for of, name, count in before)
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
        if not file or not code.has_file(file) or code.resolver.scopes.rules(file).conversions is None:
            return
        for index, symbol in enumerate(code.facts(file).symbols):
            of = interfaces.class_of(Definition(file, symbol, index))
            if of is not None:
                yield of, symbol.name, interfaces.count_parameters(file, index)

    def _now(self, of: ClassType) -> ClassType | None:
        """Return the new version of a class of the old version, or None."""
        file, symbol = self._pair.path_after(of.file), self._pair.before.resolver.scopes.get_class_symbol(of)
        if symbol is None or not file or not self._pair.after.has_file(file):
            return None
        symbols = self._pair.after.facts(file).symbols
        return next((ClassType(file, at) for at, each in enumerate(symbols) if each.qualname == symbol.qualname), None)

    def _check(self, file: str, each: TypedConversion) -> Iterator[UnmetRequirement]:
        """Yield the members that a value's type lacks for a conversion."""
        given, wanted = each.given, _get_class(each.wanted)
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
            if any(may_give(spec, base, method.name) for base in lineage.externals):
                continue
            place = (file, each.line, each.column)
            asked_at = None if method.file.startswith(STUBS) else method
            yield UnmetRequirement(
                Cause.NOT_IMPLEMENTED, holder.qualname, method.name, interface.qualname, place, asked_at
            )

    def _check_outside(self, file: str, each: TypedConversion) -> Iterator[UnmetRequirement]:
        """Yield the members that a value's type lost among those that an outside interface is known to require."""
        of = each.wanted[0].of if len(each.wanted) == 1 and isinstance(each.wanted[0], InstanceType) else None
        was = self._pair.class_before(each.given)
        if not isinstance(of, External) or was is None or each.given not in self._changed:
            return
        resolver = self._pair.after.resolver
        lineage, holder = resolver.inference.members.lineage(each.given), resolver.scopes.get_class_symbol(each.given)
        spec = resolver.scopes.spec(each.given.file)
        for name in sorted(spec.outside_members.get(of.name, ())):
            had, has = self._count(self._pair.before, was, name), self._count(self._pair.after, each.given, name)
            may_have = lineage.is_open or any(may_give(spec, base, name) for base in lineage.externals)
            if holder is not None and had not in {has, None} and not (has is None and may_have):
                place = (file, each.line, each.column)
                yield UnmetRequirement(Cause.NOT_IMPLEMENTED, holder.qualname, name, of.name, place, None)

    def _count(self, code: CodeIndex, of: ClassType, name: str) -> int | None:
        """Return how many parameters a method of a class takes, None if the class has none of that name."""
        found = code.resolver.inference.members.find(of, name)
        method = code.graph.get_definition(found.variable) if found is not None else None
        return code.graph.interfaces.count_parameters(method.file, method.index) if method is not None else None

    def _was_satisfied(self, given: ClassType, wanted: ClassType) -> bool:
        """Return whether the type satisfied the interface before the change."""
        was = self._pair.class_before(given)
        asked = wanted if wanted.file.startswith(STUBS) else self._pair.class_before(wanted)
        return was is not None and asked is not None and self._before.is_satisfied(was, asked)


def _get_class(kinds: Types) -> ClassType | None:
    """Return the only class that a value is an object of, or None."""
    if len(kinds) != 1 or not isinstance(kinds[0], InstanceType) or not isinstance(kinds[0].of, ClassType):
        return None
    return kinds[0].of.plain


class MethodReferences:
    """Finds the references to methods (`Cart::total`) that take another number of parameters now.

    What they are given to calls them as before. A reference is passed over where several functions of the workspace
    have the name of the one that it is given to: another one may take it.
    """

    def __init__(self, pair: VersionPair, calls: CallMismatches) -> None:
        self._pair = pair
        self._calls = calls

    def iter_unmet(self) -> Iterator[MismatchedCall]:
        """Yield the references that do not fit."""
        code = self._pair.after
        for now in self._calls.changed:
            if not code.resolver.scopes.spec(now.file).separate_functions or (misfit := self._compare(now)) is None:
                continue
            home = {self._pair.path_before(now.file)}
            files = {*self._pair.list_files_with(now.name, (now.file,))} - self._pair.new_lines.keys()
            for file in self._pair.iter_in_time(files):
                for each in code.uses(file).references.get(called(now.name), ()):
                    is_reference = each.kind is ReferenceKind.READ and each.receiver is not None
                    if is_reference and self._pair.may_have_meant(file, each, home):
                        callees = self._calls.callees.find(file, each)
                        if [callee.definition for callee in callees] == [now] and self._is_given_once(file, each):
                            yield MismatchedCall((file, each.line, each.column), now, misfit, is_changed=True)

    def _compare(self, now: Definition) -> Misfit | None:
        """Return how former calls do not fit a function without overloads that now takes more or fewer arguments."""
        previous = tuple(self._calls.callees.iter_previous(now.file, now.symbol.qualname))
        was = self._calls.callees.read_signature(previous[0], is_after=False) if len(previous) == 1 else None
        new = self._calls.callees.read_signature(now, is_after=True)
        if was is None or new is None or any(each.gathers for each in (*was.parameters, *new.parameters)):
            return None
        known = {each.name for each in was.parameters}
        added = [each.name for each in new.parameters if each.name not in known]
        count = len(was.parameters) - len(new.parameters)
        if count > 0:
            return Misfit(Cause.ARGUMENT_SURPLUS, str(count))
        return Misfit(Cause.ARGUMENT_MISSING, added[0]) if count < 0 and added else None

    def _is_given_once(self, file: str, reference: Reference) -> bool:
        """Return whether a reference is not passed to a function that may have overloads, as far as its line shows."""
        line = self._pair.after.read_text(file).split("\n")[reference.line - 1]
        before, depth = line[: reference.column], 0
        for at in range(len(before) - 1, -1, -1):
            depth += (before[at] == ")") - (before[at] == "(")
            if depth < 0:
                return self._count(_NO_NAME.split(before[:at])[-1]) < 2
        return "=" in before or "return " in before

    def _count(self, name: str) -> int:
        code = self._pair.after
        files = code.files_defining(fold_name(name))
        return sum(each.name == name and each.kind in FUNCTIONS for file in files for each in code.facts(file).symbols)
