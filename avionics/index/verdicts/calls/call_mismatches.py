"""Find calls with the wrong arguments: calls of functions with changed parameters, and new calls.

A call is reported if it fits none of the functions that it may run, and if it is new or did fit before the change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, compress

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.model.values import ClassType, FunctionType, Variable
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.index.verdicts.calls.argument_types import ArgumentTypes
from avionics.index.verdicts.calls.callees import Callees
from avionics.index.verdicts.calls.constructors import CONSTRUCTORS
from avionics.index.verdicts.calls.misfits import Callee, Misfit, get_misfit, takes_all
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause
from avionics.model.enums import FUNCTIONS, ReferenceKind, is_class
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written
from avionics.syntax.call_sites import list_parts, read_calls
from avionics.syntax.engine.call_shapes import CallShape, CallSignature

CALLING = frozenset({ReferenceKind.CALL, ReferenceKind.DECORATE})
"""Kinds of references that may be calls; a decorator without parentheses is skipped when arguments are read."""


class MismatchedCall(Struct, frozen=True):
    """A call with the wrong arguments: its location, the function, and the reason."""

    place: tuple[str, int, int]
    callee: Definition
    misfit: Misfit


class CallMismatches:
    """Finds the calls that do not fit their functions after one change."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._after = pair.after
        self._resolver = pair.after.resolver
        self.callees = Callees(pair)
        self._constructors = self.callees.constructors
        self._types = ArgumentTypes(pair, self.callees)

    @cached_property
    def files(self) -> Collection[str]:
        """The files to check."""
        given = self._constructors.list_giving(self._made)
        return {*self._called_names[0], *self._pair.new_lines, *given}

    def check_calls(self, file: str) -> Iterator[MismatchedCall]:
        """Yield the calls of one of the files that do not fit."""
        if self._pair.readable.get(file, True):
            found = (*self._iter_usages(file), *self._iter_new(file))
            yield from self._check_calls(file, {(each.line, each.column): each for each in found})
            yield from self._check_unwritten(file)

    def _check_unwritten(self, file: str) -> Iterator[MismatchedCall]:
        """Yield the constructors of a file whose implicit call of the base's, without arguments, no longer fits."""
        for base, places in self._constructors.iter_unwritten_calls(file, self._called_names[0].get(file, ())):
            callees = self._constructors.list_called(base)
            misfits = [self.get_misfit(each, CallShape(), file) for each in callees]
            if callees and None not in misfits:
                for place in places:
                    is_new = place[0] in self._pair.new_lines.get(file, ())
                    if is_new or not any(self.was_misfit(each, CallShape(), file) for each in callees):
                        assert misfits[0] is not None
                        yield MismatchedCall((file, *place), callees[0].definition, misfits[0])

    @cached_property
    def changed(self) -> tuple[Definition, ...]:
        """The functions of the new version whose parameters have changed."""
        found: list[Definition] = []
        for each in self._pair.files:
            if not (each.before and each.after and self._pair.steady.get(each.after)):
                continue
            if not (self._pair.before.has_file(each.before) and self._after.has_file(each.after)):
                continue
            functions_before = _map_functions(self._pair.before, each.before)
            functions_after = _map_functions(self._after, each.after)
            shrunk = {name for name, _ in functions_before.keys() - functions_after.keys()}
            left = {name for name, _ in functions_after}
            for (qualname, _), lost in functions_before.items():
                if qualname not in left:
                    found.extend(self._iter_overloads_below(lost))
                    found.extend(self._constructors.iter_without_constructor(lost))
            found.extend(self._constructors.iter_with_other_fields(each))
            for name, now in functions_after.items():
                was = functions_before.get(name)
                if was is None:
                    continue
                if name[0] in shrunk:
                    found.append(now)
                    continue
                is_same = was.symbol.signature == now.symbol.signature and "…" not in now.symbol.signature
                if not is_same:
                    read = self.callees.read_signature
                    is_same = read(self._pair.before, was) == read(self._after, now)
                if not is_same:
                    found.append(now)
        narrowed = (each for definitions in self._pair.narrowed.values() for each in definitions)
        found.extend(each for each in narrowed if self._may_be_overloaded(each))
        return tuple(dict.fromkeys(found))

    def _may_be_overloaded(self, of: Definition) -> bool:
        """Return whether a definition is a constructor, or a function in a language with overloads."""
        return of.kind in FUNCTIONS and (self._resolver.scopes.spec(of.file).overloads or self._is_constructor(of))

    def _is_constructor(self, of: Definition) -> bool:
        variable = self._after.graph.get_variable(of)
        return variable is not None and variable.name in CONSTRUCTORS

    def get_called_name(self, of: Definition) -> str:
        """Return the name by which other files call a function: a constructor is called by that of its class."""
        is_member = of.symbol.parent >= 0 and self._is_constructor(of)
        return self._after.facts(of.file).symbols[of.symbol.parent].name if is_member else of.name

    @cached_property
    def narrowed(self) -> tuple[Definition, ...]:
        """The changed functions that may no longer accept every call that they accepted before."""
        return tuple(each for each in self.changed if not self._takes_all(each))

    def _takes_all(self, now: Definition) -> bool:
        """Return whether a changed function accepts every call that it accepted before the change.

        False in languages with overloads, where a call may select another function now.
        """
        rules = self._resolver.scopes.rules(now.file)
        if rules.calls is None or rules.overloads or now.name in CONSTRUCTORS:
            return False
        is_hidden = now in self._pair.narrowed.get(now.name, ())
        if now.kind not in FUNCTIONS or self._constructors.makes_objects(now) or is_hidden:
            return False
        was, new = self.callees.get_previous_signature(now), self.callees.read_signature(self._after, now)
        if was is None or new is None or not takes_all(was, new, has_names=rules.calls.named_arguments):
            return False
        return not self._types.is_retyped(now)

    @cached_property
    def _places(self) -> frozenset[tuple[str, int]]:
        """The changed functions as pairs of file and symbol index."""
        return frozenset((each.file, each.index) for each in self.changed)

    def _iter_overloads_below(self, was: Definition) -> Iterator[Definition]:
        """Yield the overloads of a removed method in subclasses, which its calls may run now."""
        spec, members = self._resolver.scopes.spec(was.file), self._resolver.inference.members
        file, holder = self._pair.path_after(was.file), was.symbol.qualname.rpartition(".")[0]
        owners = self._after.find_qualified(file, holder) if spec.overloads and not spec.linkage and holder else ()
        for each in self._after.iter_named(was.name) if owners else ():
            below, owner = ClassType(each.file, each.symbol.parent), ClassType(file, owners[0].index)
            if each.kind in FUNCTIONS and below.symbol >= 0 and members.is_subclass(below, owner):
                yield each

    @cached_property
    def _called_names(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """File to search → names by which changed functions are called; such a name → the files of the functions."""
        sought: dict[str, set[str]] = {}
        homes: dict[str, set[str]] = {}
        for definition in self.narrowed:
            homes.setdefault(definition.name, set()).add(definition.file)
            for name, files in self._map_called_names(definition).items():
                if name != definition.name:
                    homes.setdefault(name, set()).update(files)
                for file in files:
                    sought.setdefault(file, set()).add(name)
        return sought, homes

    def _iter_usages(self, file: str) -> Iterator[Reference]:
        """Yield the references of a file that may call one of the changed functions, by the names it is called by."""
        sought, homes = self._called_names
        found = sought.get(file)
        if found is None:
            return
        references, spec = self._after.uses(file).references, self._resolver.scopes.spec(file)
        aliases = {each.alias for each in self._after.facts(file).imports if each.name in found and each.alias}
        for name in found | aliases:
            before = {self._pair.path_before(each) for each in homes.get(name, ())}
            before.update(each.file for each in self._pair.gone.get(name, ()))
            for reference in chain.from_iterable(references.get(each, ()) for each in spec.list_bound(name)):
                if not self._may_call(file, reference):
                    continue
                is_member_access = reference.receiver is not None and name in homes
                if not is_member_access or self._pair.may_have_meant(file, reference, before):
                    yield reference

    def _may_call(self, file: str, reference: Reference) -> bool:
        """Return whether a reference may be a call, or the class of an expression or pattern: `Cart { items, .. }`."""
        calls = self._resolver.scopes.rules(file).calls
        is_named = reference.kind in {ReferenceKind.ANNOTATE, ReferenceKind.READ}
        if reference.kind in CALLING or not is_named or calls is None or not calls.literals:
            return reference.kind in CALLING
        aliased = (each.name for each in self._after.facts(file).imports if each.alias == reference.name)
        return not self._made_names.isdisjoint((reference.name, *aliased))

    @cached_property
    def _made_names(self) -> frozenset[str]:
        """The names of the changed classes and variants that are made of their fields."""
        return frozenset(each.name for each in self._made)

    @cached_property
    def _made(self) -> tuple[Definition, ...]:
        """The changed classes and variants that are made of their fields."""
        return tuple(each for each in self.changed if self._constructors.is_made_of_fields(each))

    def is_local(self, definition: Definition) -> bool:
        """Return whether a definition is inside a function."""
        around = self._after.facts(definition.file).iter_around(definition.symbol)
        return any(each.kind in FUNCTIONS for each in around)

    def _map_called_names(self, definition: Definition) -> dict[str, Iterable[str]]:
        """Return the names by which a function is called, and the files to look for each in.

        A constructor is called by the names of its class and its subclasses, and by its own name only in their files.
        """
        if self.is_local(definition):
            return {definition.name: (definition.file,)}
        owner = definition
        if not is_class(definition.kind):
            if not self._is_constructor(definition):
                return {definition.name: self._pair.list_files_with(definition.name, (definition.file,))}
            owner = self._after.get_parent(definition) or definition
        classes = (owner, *self._after.graph.classes.descendants(owner))
        own: dict[str, Iterable[str]] = {CONSTRUCTOR: {each.file for each in classes}}
        return own | {each.name: self._pair.list_files_with(each.name, (definition.file,)) for each in classes}

    def _iter_new(self, file: str) -> Iterator[Reference]:
        """Yield the calls on new lines of a file."""
        lines, references = self._pair.new_lines.get(file, frozenset()), self._after.uses(file).references
        for name in self._pair.list_maybe_new(file, references) if lines else ():
            for each in references[name]:
                if each.kind in CALLING and each.line in lines:
                    yield each

    def _check_calls(self, file: str, sites: Mapping[tuple[int, int], Reference]) -> Iterator[MismatchedCall]:
        """Yield the references at these places of a file, and other uses of changed classes, that do not fit."""
        callees = {place: found for place, reference in sites.items() if (found := self.callees.find(file, reference))}
        if file in self._called_names[0]:
            callees |= self._constructors.map_own(file, self._made)
        callees |= self._constructors.map_given(file, self._made)
        if not callees:
            return
        content = self._after.read_content(file)
        facts = self._after.facts(file)
        shapes = read_calls(content, facts.language, callees, list_parts(facts))
        compared: dict[tuple[int, int], Callee] = {}
        for place, written in shapes.items():
            reference, shape = sites.get(place), self._count_results(file, place, callees[place], written)
            seen = tuple(each for each in callees[place] if not self._is_unseen(file, reference, each))
            if len(seen) < len(callees[place]):
                if unseen := self._get_unseen(file, reference, callees[place], seen, shape):
                    yield MismatchedCall((file, *place), *unseen)
                continue
            misfits = [self.get_misfit(each, shape, file) for each in callees[place]]
            if None in misfits and any(misfits):
                callees[place], misfits = self._select_broken_build(file, callees[place], misfits)
            if any(each is None for each in misfits):
                lost = self._get_lost_overload(file, sites.get(place), callees[place])
                if lost is not None:
                    yield MismatchedCall((file, *place), lost, Misfit(Cause.OVERLOAD_REMOVED, ""))
                elif self._is_comparable(callees[place], shape):
                    compared[place] = callees[place][0]
                continue
            is_new = place[0] in self._pair.new_lines.get(file, ())
            # The call was wrong before if it fit no constructor of the class and no overload of the one receiver, or
            # not every function that the receiver may have.
            is_same = all if self._chooses_one(file, reference, callees[place]) else any
            if not is_new and is_same(self.was_misfit(each, shape, file) for each in callees[place]):
                if self._ran_removed(file, sites.get(place)):
                    lost = callees[place][0].definition
                    yield MismatchedCall((file, *place), lost, Misfit(Cause.OVERLOAD_REMOVED, ""))
                continue
            fitting = (at for at, each in enumerate(callees[place]) if not self.was_misfit(each, shape, file))
            at = next(fitting, 0)
            misfit = misfits[at]
            assert misfit is not None
            reported = (place[0] + shape.line, 0) if shape.line else place
            yield MismatchedCall((file, *reported), callees[place][at].definition, misfit)
        for place, callee, misfit in self._types.iter_unfit(file, compared):
            yield MismatchedCall((file, *place), callee.definition, misfit)

    def _count_results(
        self, file: str, place: tuple[int, int], callees: tuple[Callee, ...], shape: CallShape
    ) -> CallShape:
        """Return the shape of a call; `f(g())`, which passes all results of `g`, passes as many as `f` took before."""
        calls = self._resolver.scopes.rules(file).calls
        is_whole = shape.is_open and shape.positional == 1 and calls is not None and calls.gives_several is not None
        if not is_whole or len(callees) != 1 or place[0] in self._pair.new_lines.get(file, ()):
            return shape
        was = self.callees.get_previous_signature(callees[0].definition)
        if was is None or shape.is_through_type or any(each.gathers for each in was.parameters):
            return shape
        return structs.replace(shape, positional=len(was.parameters), is_open=False)

    def _is_comparable(self, callees: tuple[Callee, ...], shape: CallShape) -> bool:
        """Return whether the types of a call's arguments are to be compared with those of its only function."""
        definition = callees[0].definition
        # A method may be called through its class, with the object as the first argument.
        is_of_class = shape.is_through_type and definition.symbol.parent >= 0
        if len(callees) > 1 or shape.is_open or is_of_class or shape.keywords:
            return False
        is_changed = (definition.file, definition.index) in self._places
        return is_changed and definition.kind in FUNCTIONS and self._types.is_retyped(definition)

    def _chooses_one(self, file: str, reference: Reference | None, callees: tuple[Callee, ...]) -> bool:
        """Return whether the arguments of a call or the imports, rather than the receiver's type, decide what runs."""
        if any(is_class(each.definition.kind) for each in callees):
            return True
        spec = self._resolver.scopes.spec(file)
        if reference is None or not (spec.overloads or spec.own_fields):
            return False
        receiver, place = reference.receiver, (file, reference.scope, reference.line)
        return receiver is None or len(self._resolver.inference.infer_owner(receiver, *place, reference.name)) == 1

    def _select_broken_build(
        self, file: str, callees: tuple[Callee, ...], misfits: list[Misfit | None]
    ) -> tuple[tuple[Callee, ...], list[Misfit | None]]:
        """Return the functions that a call may run in the first usual build in which none fits, and the misfits.

        Return all of them if there is no such build.
        """
        for build in sorted(self._pair.list_builds(file)):
            is_built = [build in self._pair.list_builds(each.definition.file) for each in callees]
            misfits_there = list(compress(misfits, is_built))
            if misfits_there and None not in misfits_there:
                return tuple(compress(callees, is_built)), misfits_there
        return callees, misfits

    def _is_unseen(self, file: str, reference: Reference | None, callee: Callee) -> bool:
        return reference is not None and self._pair.is_narrowed_for(callee.definition, file, reference.scope)

    def _get_unseen(
        self,
        file: str,
        reference: Reference | None,
        callees: tuple[Callee, ...],
        seen: tuple[Callee, ...],
        shape: CallShape,
    ) -> tuple[Definition, Misfit] | None:
        """Return the function that a call ran and that its file no longer sees, and why that is a break; or None.

        If the file sees no function of the name, that is reported as a missing name, except for constructors: the file
        still sees the name of their class.
        """
        if not seen:
            first = callees[0].definition
            return (first, Misfit(Cause.NAME_HIDDEN, "")) if self._is_constructor(first) else None
        if not self._resolver.scopes.spec(file).overloads:
            return None
        lost = next(each.definition for each in callees if each not in seen)
        if any(self.get_misfit(each, shape, file) is None for each in seen):
            is_lost = self._get_lost_overload(file, reference, seen) is not None
        else:
            is_lost = any(self.get_misfit(each, shape, file) is None for each in callees)
        return (lost, Misfit(Cause.OVERLOAD_REMOVED, "")) if is_lost else None

    def _get_lost_overload(
        self, file: str, reference: Reference | None, callees: tuple[Callee, ...]
    ) -> Definition | None:
        """Return one of the remaining overloads if the call used a removed one and no other accepts it."""
        spec = self._resolver.scopes.spec(file)
        is_old = file not in self._pair.new_lines and self._pair.before.has_file(file)
        if reference is None or reference.arguments is None or not spec.overloads or spec.linkage or not is_old:
            return None
        remaining = [each.definition for each in callees]
        overloads = self._resolver.inference.overloads
        taking = overloads.choose_at(tuple(FunctionType.of(each) for each in remaining), file, reference)
        if any(not overloads.narrows(each, file, reference) for each in taking):
            return None
        before = dict.fromkeys(each for current in remaining for each in self.callees.list_previous(current))
        chosen = self._pair.before.resolver.inference.overloads.choose_at(
            tuple(FunctionType.of(each) for each in before), file, reference
        )
        kept = {(each.symbol.qualname, each.symbol.signature) for each in remaining}
        former = [each for each in before if FunctionType.of(each) in chosen]
        is_gone = bool(former) and not any((each.symbol.qualname, each.symbol.signature) in kept for each in former)
        return remaining[0] if is_gone else None

    def _ran_removed(self, file: str, reference: Reference | None) -> bool:
        """Return whether a call in an unchanged file ran only removed functions."""
        spec = self._resolver.scopes.spec(file)
        if not spec.overloads or spec.linkage or file in self._pair.new_lines or not self._pair.before.has_file(file):
            return False
        if reference is None:
            return False
        homes = {(each.file, each.holder) for each in self._pair.gone.get(as_written(reference.name), ())}
        before = self._pair.before
        variables = [each for each in before.resolver.resolve(file, reference).targets if isinstance(each, Variable)]
        definitions = [before.graph.get_definition(each) for each in variables]
        return bool(definitions) and all(
            each is not None and (each.file, each.symbol.qualname.rpartition(".")[0]) in homes for each in definitions
        )

    def was_misfit(self, callee: Callee, shape: CallShape, file: str) -> bool:
        """Return whether a call did not fit before the change either; True too if that is unknown."""
        now = callee.definition
        previous = self._pair.path_before(now.file)
        if not self._pair.before.has_file(previous):
            return True
        found: Iterable[Definition] = self.callees.list_previous(now)
        if self._constructors.makes_objects(now):
            found = self._constructors.list_previous(now)
        return not any(
            self._fit(self.callees.read_signature(self._pair.before, each), callee, shape, file) is None
            for each in found
        )

    def get_misfit(self, callee: Callee, shape: CallShape, file: str) -> Misfit | None:
        """Return why a call with some arguments does not fit a function after the change, None if it does."""
        misfit = self._fit(self.callees.read_signature(self._pair.after, callee.definition), callee, shape, file)
        is_field = misfit is not None and misfit.cause is Cause.FIELD_MISSING
        # A value given to a removed field is reported at that field, as a missing member.
        return None if is_field and self._constructors.lost_field(callee.definition, shape.keywords) else misfit

    def _fit(self, signature: CallSignature | None, callee: Callee, shape: CallShape, file: str) -> Misfit | None:
        if signature is None:
            return None
        calls = self._resolver.scopes.rules(file).calls
        has_names = calls is not None and calls.named_arguments
        is_of_fields = self._constructors.is_made_of_fields(callee.definition)
        names = {each.name for each in signature.parameters}
        is_open = any(each.gathers == "**" for each in signature.parameters)
        is_copied = bool(shape.positional) and all(each.is_named_only for each in signature.parameters)
        if is_of_fields and not is_open and (is_copied or not {*shape.keywords} <= names):
            return None
        misfit = get_misfit(signature, shape, is_bound=callee.is_bound, has_names=has_names)
        if is_of_fields and misfit is not None and misfit.cause is Cause.ARGUMENT_MISSING:
            return Misfit(Cause.FIELD_MISSING, misfit.detail)
        return misfit


def _map_functions(code: CodeIndex, file: str) -> dict[tuple[str, int], Definition]:
    """Return (qualified name, number among equal names) → function."""
    turns: Counter[str] = Counter()
    found = {}
    for each in code.iter_definitions(file):
        if each.kind in FUNCTIONS:
            qualname = each.symbol.qualname
            found[qualname, turns[qualname]] = each
            turns[qualname] += 1
    return found
