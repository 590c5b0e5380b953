"""Find values that no longer satisfy an interface, in languages with structural interfaces.

A type is checked where it lost a method, or a method takes another number of parameters, or an interface asks for one
more. It is reported where a value of it is converted to such an interface, as compilers do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, External, InstanceType, only_class
from avionics.index.types.structural_typing import Interfaces
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.outside_bases import may_give
from avionics.index.verdicts.requirements import UnmetRequirement
from avionics.index.verdicts.typed_conversions import TypedConversion, TypedConversions


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
        """Yield the members that a value's type lacks for a conversion."""
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
