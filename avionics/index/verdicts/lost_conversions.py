"""Values given to an interface that their type does not satisfy any more, where types satisfy interfaces unsaid.

A type is checked where it lost a method, or a method takes another number of parameters, or an interface asks for one
more. It is reported where a value of it is given to such an interface, which is where the compiler reports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, FunctionType, InstanceType, Types
from avionics.index.types.structural_typing import Interfaces
from avionics.index.verdicts.comparison import VersionPair, may_give
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.implementations import UnmetRequirement
from avionics.model.knowledge import Definition
from avionics.syntax.conversions import Conversion, read_conversions


class LostConversions:
    """Finds the conversions of one change that are invalid."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._after = pair.after.graph.interfaces
        self._before = pair.before.graph.interfaces

    def iter_unmet(self) -> Iterator[UnmetRequirement]:
        """Yield the conversions of a type to an interface that it satisfied before the change, file by file."""
        for file in self._pair.iter_in_time(self._list_files()) if self._changed else ():
            if self._pair.readable.get(file, True):
                for each in self._read(file):
                    yield from self._check(file, each)

    def _read(self, file: str) -> tuple[Conversion, ...]:
        code = self._pair.after
        spec = code.resolver.scopes.spec(file)
        if spec.conversions is None:
            return ()
        content = code.read_text(file).encode("utf-8", "surrogateescape")
        return read_conversions(content, spec, spec.conversions, code.facts(file))

    @cached_property
    def _changed(self) -> frozenset[ClassType]:
        """The types of the version after that may satisfy less than before, and the interfaces that ask for more."""
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
        if not file or not code.has_file(file) or code.resolver.scopes.spec(file).conversions is None:
            return
        for index, symbol in enumerate(code.facts(file).symbols):
            of = interfaces.class_of(Definition(file, symbol, index))
            if of is not None:
                yield of, symbol.name, interfaces.count_parameters(file, index)

    def _now(self, of: ClassType) -> ClassType | None:
        """Return what a class of the version before is after the change, or None."""
        file, symbol = self._pair.path_after(of.file), self._pair.before.resolver.scopes.get_class_symbol(of)
        if symbol is None or not file or not self._pair.after.has_file(file):
            return None
        symbols = self._pair.after.facts(file).symbols
        return next((ClassType(file, at) for at, each in enumerate(symbols) if each.qualname == symbol.qualname), None)

    def _list_files(self) -> frozenset[str]:
        """Return the files that name a changed type, or a definition in whose signature it is named."""
        code = self._pair.after
        found: set[str] = set()
        for of in self._changed:
            symbol = code.resolver.scopes.get_class_symbol(of)
            if symbol is None:
                continue
            named = re.compile(rf"\b{re.escape(symbol.name)}\b")
            naming = self._pair.list_files_with(symbol.name, (of.file,))
            carriers = {
                each.name for file in naming for each in code.facts(file).symbols if named.search(each.signature)
            }
            found.update(naming, *(self._pair.list_files_with(name, (of.file,)) for name in carriers))
        return frozenset(found)

    def _check(self, file: str, each: Conversion) -> Iterator[UnmetRequirement]:
        """Yield what the type of a value lacks to become one of the wanted type."""
        given = self._get_class(self._pair.after.resolver.inference.infer(each.value, file, each.scope, each.line))
        if given is None or self._after.is_interface(given):
            return
        wanted = self._get_class(self._infer_wanted(file, each))
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

    def _infer_wanted(self, file: str, each: Conversion) -> Types:
        """Return the declared type of the place that a value is given to."""
        inference = self._pair.after.resolver.inference
        kinds = inference.infer(each.wanted, file, each.scope, each.line)
        if each.parameter < 0:
            return kinds
        if len(kinds) != 1:
            return ()
        if isinstance(kinds[0], ClassType):
            return (InstanceType(kinds[0]),)
        if not isinstance(kinds[0], FunctionType):
            return ()
        function = kinds[0]
        parameter = inference.signatures.get(function, each.parameter)
        if parameter is None:
            return ()
        return inference.read_type(parameter.annotation, function.file, parameter.within)

    def _get_class(self, kinds: Types) -> ClassType | None:
        """Return the one class that a value is an object of, or None."""
        if len(kinds) != 1 or not isinstance(kinds[0], InstanceType) or not isinstance(kinds[0].of, ClassType):
            return None
        return kinds[0].of.plain

    def _was_satisfied(self, given: ClassType, wanted: ClassType) -> bool:
        """Return whether the type satisfied the interface before the change."""
        was = self._pair.class_before(given)
        asked = wanted if wanted.file.startswith(STUBS) else self._pair.class_before(wanted)
        return was is not None and asked is not None and self._before.is_satisfied(was, asked)
