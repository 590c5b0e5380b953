"""Find the functions that a call may run, and their parameters before and after a change."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import ClassType, InstanceType, SuperType, Type, Types, Variable, as_class
from avionics.index.verdicts.calls.constructors import CONSTRUCTORS, Constructors
from avionics.index.verdicts.calls.misfits import (
    Callee,
    binds_receiver,
    get_declared,
    is_abstract,
    list_chosen_from,
    list_inherited_overloads,
)
from avionics.index.verdicts.comparison import VersionPair, find_declared_elsewhere
from avionics.model.enums import FUNCTIONS, BindingKind, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition
from avionics.syntax.call_sites import list_parts, read_signatures
from avionics.syntax.engine.call_shapes import CallSignature

_DEFAULT = "default "
"""The mark of a method of an interface that has a body."""


class Callees:
    """Finds the functions that calls run, where these are known for certain."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._after = pair.after
        self._resolver = pair.after.resolver
        self.constructors = Constructors(pair)
        self._signatures: dict[tuple[CodeIndex, Definition], CallSignature | None] = {}

    def list_previous(self, now: Definition) -> tuple[Definition, ...]:
        """Return the functions that had the qualified name of a function before the change."""
        named = self._pair.before.find_qualified(self._pair.path_before(now.file), now.symbol.qualname)
        found = tuple(each for each in named if each.kind in FUNCTIONS)
        return list_chosen_from(found) or found

    def get_previous_signature(self, now: Definition) -> CallSignature | None:
        """Return the signature of a function before the change; None if several functions had its name then."""
        previous = self.list_previous(now)
        return self.read_signature(self._pair.before, previous[0]) if len(previous) == 1 else None

    def read_signature(self, code: CodeIndex, definition: Definition) -> CallSignature | None:
        """Return the signature of a function in one of the versions; None if it is not known."""
        if self.constructors.makes_objects(definition):
            return self.constructors.read(code, definition)
        key = (code, definition)
        if key not in self._signatures:
            facts = code.facts(definition.file)
            parts = list_parts(facts)
            wanted = [definition]
            if not parts:
                wanted += [each for each in code.iter_definitions(definition.file) if each.kind in FUNCTIONS]
            places = [(each.line, each.symbol.column) for each in wanted]
            found = read_signatures(code.read_content(definition.file), facts.language, places, parts)
            for each, place in zip(wanted, places, strict=True):
                self._signatures[code, each] = found.get(place)
        return self._signatures[key]

    def find(self, file: str, reference: Reference) -> tuple[Callee, ...]:
        """Return every function that the call may run; () if they are not known for certain."""
        resolution = self._resolver.resolve(file, reference)
        is_above = reference.name in CONSTRUCTORS and reference.receiver is not None and not resolution.targets
        is_known = resolution.unknown is None or is_above
        if not is_known or not all(isinstance(each, Variable) for each in resolution.targets):
            return ()
        variables = [v for v in resolution.targets if isinstance(v, Variable) and not self._is_import(v)]
        owners: Types = ()
        if reference.receiver is not None:
            owners = self._resolver.inference.infer_owner(
                reference.receiver, file, reference.scope, reference.line, reference.name
            )
        is_run = self._resolver.scopes.spec(file).overloads and len(owners) == 1 and self._runs_body(owners[0])
        if is_run and variables:
            nearest = self._resolver.inference.get_member(owners[0], reference.name)
            variables = [nearest.variable] if nearest is not None else variables
        if is_above or (not variables and reference.name in CONSTRUCTORS):
            return self.constructors.list_above(owners)
        found: list[Callee] = []
        for variable in dict.fromkeys((*variables, *self._list_of_other_traits(variables))):
            callees = self._list_functions(variable, owners)
            if not callees:
                return ()
            found.extend(callees)
        if self._resolver.scopes.spec(file).own_fields:
            found = self._keep_methods(found, owners)
        if reference.kind is ReferenceKind.CALL and any(_is_interface(each.definition) for each in found):
            return ()  # What is called has the name of the interface and is not known, as in a declaration of the DOM.
        if is_run:
            is_super = isinstance(owners[0], SuperType)
            found = [each for each in found if not self._cannot_run(each.definition, is_super)] or found
        return self._keep_visible(file, tuple(found))

    def _runs_body(self, owner: Type) -> bool:
        """Return whether a call runs a method with a body: its receiver is `super` or an object of a concrete class.

        A method that an interface only declares is then not among the overloads of the call.
        """
        of = owner.of if isinstance(owner, InstanceType) else None
        symbol = self._resolver.scopes.get_class_symbol(of)
        is_concrete = symbol is not None and symbol.kind is SymbolKind.CLASS and "abstract " not in symbol.signature
        return is_concrete or isinstance(owner, SuperType)

    def _cannot_run(self, definition: Definition, is_super: bool) -> bool:
        """Return whether a call on an object, or on `super`, cannot run a method, because it has no body.

        On an object, only the methods of interfaces without any body count: the object's class implements all others.
        """
        holder = self._after.get_parent(definition)
        if not is_super:
            if holder is None or holder.kind is not SymbolKind.INTERFACE:
                return False
            if any(_DEFAULT in each.symbol.signature for each in self._after.list_members(holder)):
                return False
        return self._is_abstract(definition)

    @cached_method
    def _is_abstract(self, definition: Definition) -> bool:
        return is_abstract(self._after, definition)

    def _keep_visible(self, file: str, callees: tuple[Callee, ...]) -> tuple[Callee, ...]:
        """Return the declarations that a file of C or C++ sees, against which its calls are checked."""
        scopes = self._resolver.scopes
        if not scopes.spec(file).linkage or len(callees) < 2:
            return callees
        name = callees[0].definition.name
        seen = {each for module in scopes.modules.ambient(file) for each in scopes.modules.files_of(module, name)}
        return tuple(each for each in callees if each.definition.file in {file, *seen}) or callees

    def _list_added(self, variable: Variable) -> list[Definition]:
        """Return the overloads that other declarations add to the class of a member: `declare module "./cart"`."""
        scopes, members = self._resolver.scopes, self._resolver.inference.members
        is_open = scopes.spec(variable.file).separate_types and scopes.is_member(variable)
        own = members.class_declaring(variable) if is_open else None
        added = members.list_added(own, variable.name) if own is not None else ()
        return [each for one in added if one != variable for each in self._after.graph.find_all_definitions(one)]

    def _keep_methods(self, found: list[Callee], owners: Types) -> list[Callee]:
        """Return the functions that a call through objects of Rust may run; none if an object may stand for another.

        A function without `self` is only called through its type.
        """
        if not owners or not all(isinstance(each, InstanceType) for each in owners):
            return found
        inference = self._resolver.inference
        classes = [as_class(each) for each in owners if inference.dereference(each)]
        pointers = {each.plain for each in classes if isinstance(each, ClassType)}
        if pointers and any(inference.members.class_of(each.definition) in pointers for each in found):
            return []
        signatures = ((each, self.read_signature(self._after, each.definition)) for each in found)
        return [each for each, signature in signatures if signature is None or signature.has_receiver]

    def _list_of_other_traits(self, variables: Iterable[Variable]) -> tuple[Variable, ...]:
        """Return the members of the same name that other traits give to the type of a trait's member, in Rust."""
        scopes, members = self._resolver.scopes, self._resolver.inference.members
        found: list[Variable] = []
        for each in variables:
            if scopes.spec(each.file).own_fields and each.scope in self._after.uses(each.file).bases:
                of = members.class_declaring(each)
                found += members.list_added(of, each.name) if of is not None else ()
        return tuple(found)

    def _is_import(self, variable: Variable) -> bool:
        """Return whether a variable is only bound by imports."""
        return all(each.kind is BindingKind.IMPORT for each in self._resolver.scopes.bindings(variable))

    def _list_functions(self, variable: Variable, owners: Types) -> tuple[Callee, ...]:
        """Return the functions that a call of a variable through these receivers may run; () if some are unknown."""
        scopes = self._resolver.scopes
        if (declared := get_declared(self._after, variable)) is None:
            return ()
        variable, bindings = declared, scopes.bindings(declared)
        if variable.file.startswith(STUBS) or any(binding.symbol < 0 for binding in bindings):
            return ()
        definitions = self._after.graph.find_all_definitions(variable)
        if len(definitions) == 1 and is_class(definitions[0].kind):
            return self.constructors.list_called(definitions[0])
        overloads = scopes.spec(variable.file).overloads
        if scopes.spec(variable.file).executed_classes and len(definitions) != 1:
            return ()
        if overloads and scopes.is_member(variable):
            inherited = list_inherited_overloads(self._after, variable)
            if inherited is None:
                return ()
            definitions = (*definitions, *inherited)
        definitions = (*definitions, *self._list_added(variable))
        definitions = (*definitions, *find_declared_elsewhere(self._after, definitions[0])) if definitions else ()
        if len(definitions) == 1 and self.constructors.makes_objects(definitions[0]):
            return (Callee(definitions[0], is_bound=False),)
        found: list[Callee] = []
        for each in list_chosen_from(definitions) or ():
            is_bound = binds_receiver(self._resolver.scopes, each, variable, owners)
            if is_bound is None:
                return ()
            found.append(Callee(each, is_bound))
        return tuple(found)


def _is_interface(definition: Definition) -> bool:
    return definition.kind is SymbolKind.INTERFACE
