"""Find changed functions that are passed to a place which calls them with other arguments than they take now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from avionics.index.model.values import CallableType, FunctionType
from avionics.index.verdicts.calls.call_mismatches import CALLING, CallMismatches, MismatchedCall
from avionics.index.verdicts.calls.misfits import Callee, Misfit
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.places import begins_path
from avionics.index.verdicts.typed_conversions import TypedConversions
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, BindingKind, ReferenceKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition
from avionics.model.naming import called
from avionics.syntax.call_sites import read_passed_names
from avionics.syntax.engine.call_shapes import CallShape, PassedName

_NO_NAME = late_pattern(r"\W")

_AFTER_OTHERS = (*".[(:;=+-*%<>|&]}", "in ", "and ", "or ", "not ")
"""The text after a name that is not a whole argument of a call."""


class PassedFunctions:
    """Finds the changed functions that are passed to a place of another function type."""

    def __init__(self, pair: VersionPair, calls: CallMismatches) -> None:
        self._pair = pair
        self._after = pair.after
        self._resolver = pair.after.resolver
        self._calls = calls
        self._conversions = TypedConversions(pair.after)

    @cached_property
    def files(self) -> Collection[str]:
        """The files to check."""
        return self._passed.keys()

    def check_file(self, file: str) -> Iterator[MismatchedCall]:
        """Yield the places at which a file passes a changed function as a value of a type that it no longer fits."""
        if file not in self._passed or not self._pair.readable.get(file, True):
            return
        rules = self._resolver.scopes.rules(file)
        is_converted = rules.conversions is not None and not rules.separate_types
        named = dict(self._iter_named(file, self._iter_reads(file) if is_converted else self._iter_arguments(file)))
        if not named:
            return
        for place, callee, misfit in (self._iter_converted if is_converted else self._iter_passed)(file, named):
            yield MismatchedCall((file, *place), callee.definition, misfit)

    def _iter_passed(
        self, file: str, named: Mapping[tuple[int, int], Callee]
    ) -> Iterator[tuple[tuple[int, int], Callee, Misfit]]:
        """Yield the functions passed as arguments of calls that no longer fit; some languages let one take fewer."""
        content = self._after.read_content(file)
        calls = self._resolver.scopes.rules(file).calls
        has_names = calls is not None and calls.named_arguments
        for place, passed in read_passed_names(content, self._after.facts(file).language, named).items():
            count = self._count_given(file, passed)
            misfit = self._get_misfit(named[place], count, file) if count > 0 else None
            if misfit is not None and (has_names or misfit.cause is Cause.ARGUMENT_MISSING):
                yield place, named[place], misfit

    def _iter_converted(
        self, file: str, named: Mapping[tuple[int, int], Callee]
    ) -> Iterator[tuple[tuple[int, int], Callee, Misfit]]:
        """Yield the functions converted to a function type that does not have as many parameters."""
        callees = {(each.definition.file, each.definition.index): each for each in named.values()}
        names, inference = {each.definition.name for each in named.values()}, self._resolver.inference
        for each in self._conversions.read(file):
            if each.value.name not in names:
                continue
            given = inference.infer(each.value, file, each.scope, each.line)
            function = given[0] if len(given) == 1 else None
            callee = callees.get((function.file, function.symbol)) if isinstance(function, FunctionType) else None
            wanted = self._conversions.infer_wanted(file, each) if callee is not None else ()
            taking = inference.as_callable(wanted[0]) if len(wanted) == 1 else None
            if callee is not None and taking is not None and not taking.gathers:
                misfit = self._get_misfit(callee, len(taking.parameters), file)
                if misfit is not None:
                    yield (each.line, each.column), callee, misfit

    def _get_misfit(self, callee: Callee, count: int, file: str) -> Misfit | None:
        """Return why a function that took a number of arguments before does not take them now."""
        shape = CallShape(count)
        misfit = self._calls.get_misfit(callee, shape, file)
        return misfit if misfit is not None and not self._calls.was_misfit(callee, shape, file) else None

    def _iter_reads(self, file: str) -> Iterator[tuple[Definition, Reference]]:
        """Yield the changed functions that a file may name without calling them, each with the reference."""
        references = self._after.uses(file).references
        for now in self._passed[file]:
            yield from ((now, each) for each in references.get(now.name, ()) if each.kind is ReferenceKind.READ)

    def _iter_arguments(self, file: str) -> Iterator[tuple[Definition, Reference]]:
        """Yield those that may be whole arguments, by the text after them, which is faster than inferring types."""
        for now, each in self._iter_reads(file):
            behind = self._after.read_line(file, each.line)[each.column + len(now.name) :]
            if not behind.lstrip().startswith(_AFTER_OTHERS):
                yield now, each

    def _iter_named(
        self, file: str, reads: Iterable[tuple[Definition, Reference]]
    ) -> Iterator[tuple[tuple[int, int], Callee]]:
        """Yield the places of the references that mean the changed function, each with the function."""
        for now, each in reads:
            if self._pair.may_have_meant(file, each, {self._pair.path_before(now.file)}):
                callees = self._calls.callees.find(file, each)
                if [callee.definition for callee in callees] == [now]:
                    yield (each.line, each.column), callees[0]

    @cached_property
    def _passed(self) -> dict[str, list[Definition]]:
        """File → the changed functions that it may pass as values."""
        found: dict[str, list[Definition]] = {}
        for now in self._calls.narrowed:
            calls = self._resolver.scopes.rules(now.file).calls
            if calls is not None and not now.name.startswith("__") and not self._calls.is_local(now):
                for file in set(self._pair.list_files_with(now.name, (now.file,))):
                    found.setdefault(file, []).append(now)
        return found

    def _count_given(self, file: str, passed: PassedName) -> int:
        """Return the number of arguments with which a parameter's declared type calls a passed name; -1 if unknown."""
        references = self._after.uses(file).references.values()
        place = (passed.line, passed.column)
        named = [each for some in references for each in some if (each.line, each.column) == place]
        callees = [callee for each in named if each.kind in CALLING for callee in self._calls.callees.find(file, each)]
        inference = self._resolver.inference
        counts = set()
        for callee in callees:
            taken = inference.signatures.find(FunctionType.of(callee.definition))
            position = passed.position + callee.is_bound
            if passed.keyword:
                parameters = [each for each in taken if each.name == passed.keyword]
            else:
                parameters = [*taken[position : position + 1]]
            kinds = [
                kind
                for each in parameters
                if each.kind is BindingKind.PARAMETER
                for kind in inference.read_type(each.annotation, callee.definition.file, each.within)
            ]
            called_with = [each for each in kinds if isinstance(each, CallableType) and not each.gathers]
            counts.add(len(called_with[0].parameters) if len(called_with) == len(kinds) == 1 else -1)
        return counts.pop() if len(counts) == 1 else -1


class MethodReferences:
    """Finds the references to methods and constructors (`Cart::total`) that take another number of parameters now.

    The receiving code calls them as before. A reference that is passed to a function is skipped if several functions of
    the workspace have that function's name, since another overload may accept it.
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
            name = self._calls.get_called_name(now)
            files = {*self._pair.list_files_with(name, (now.file,))} - self._pair.new_lines.keys()
            for file in self._pair.iter_in_time(files):
                for each in self._iter_references(file, name):
                    if each.receiver is None or self._pair.may_have_meant(file, each, home):
                        callees = self._calls.callees.find(file, each)
                        if [callee.definition for callee in callees] == [now] and self._is_given_once(file, each):
                            yield MismatchedCall((file, each.line, each.column), now, misfit)

    def _iter_references(self, file: str, name: str) -> Iterator[Reference]:
        """Yield `Cart::total`, or for the name of a class `Cart::new`; `Cart[]::new` makes an array."""
        references = self._pair.after.uses(file).references
        for each in references.get(called(name), ()):
            if each.kind is ReferenceKind.READ and each.receiver is not None:
                yield each
        for each in references.get(name, ()):
            is_unapplied = each.kind is ReferenceKind.CALL and each.arguments is None and each.receiver is None
            if is_unapplied and begins_path(self._pair.after, (file, each.line, each.column), name):
                yield each

    def _compare(self, now: Definition) -> Misfit | None:
        """Return why former calls do not fit a function that takes more or fewer arguments now, or None."""
        was = self._calls.callees.get_previous_signature(now)
        new = self._calls.callees.read_signature(self._pair.after, now)
        if was is None or new is None or any(each.gathers for each in (*was.parameters, *new.parameters)):
            return None
        known = {each.name for each in was.parameters}
        added = [each.name for each in new.parameters if each.name not in known]
        count = len(was.parameters) - len(new.parameters)
        if count > 0:
            return Misfit(Cause.ARGUMENT_SURPLUS, str(count))
        return Misfit(Cause.ARGUMENT_MISSING, added[0]) if count < 0 and added else None

    def _is_given_once(self, file: str, reference: Reference) -> bool:
        """Return whether a reference's line shows a receiver: a function without overloads, `=` or `return`."""
        line = self._pair.after.read_line(file, reference.line)
        before, depth = line[: reference.column], 0
        for position in range(len(before) - 1, -1, -1):
            depth += (before[position] == ")") - (before[position] == "(")
            if depth < 0:
                callees = self._pair.after.iter_named(_NO_NAME.split(before[:position])[-1])
                return sum(each.kind in FUNCTIONS for each in callees) < 2
        return "=" in before or "return " in before
