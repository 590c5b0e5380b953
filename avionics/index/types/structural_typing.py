"""Match classes with the interfaces that they implement without naming them.

A class implements such an interface if it has all of its methods, each with as many parameters and results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import BUILTIN, SEVERAL_RESULTS, ClassType, FunctionType
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import ExpressionKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.engine.expressions import last_name

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext

_SEVERAL = SEVERAL_RESULTS.name.removeprefix(BUILTIN)
_MAX_EMBEDDING = 200
"""The maximum number of classes that embed one class, directly or not, and get its methods."""

_MAX_NAMING = 4
"""The number of files with a word up to which all are read, which is faster than finding those that define it."""


class Interfaces:
    """Finds the interfaces that classes of one snapshot implement, and the classes that implement an interface."""

    def __init__(self, source: FactSource, scopes: NameResolver, context: InferenceContext) -> None:
        self._source = source
        self._scopes = scopes
        self._context = context

    def implemented(self, method: Definition) -> tuple[Definition, ...]:
        """Return the interface methods that a method of a class implements implicitly; those of stubs come last."""
        own = self.class_of(method)
        if own is None or self.is_interface(own):
            return ()
        return tuple(
            each
            for each, owner in self._iter_methods(method)
            if self.is_interface(owner) and any(self.is_satisfied(of, owner) for of in self.promoted_to(own))
        )

    def get_implemented(self, method: Definition) -> Definition | None:
        """Return the first method of an interface of the workspace that a method implements implicitly, or None."""
        return next((each for each in self.implemented(method) if not each.file.startswith(STUBS)), None)

    def implementations(self, method: Definition) -> tuple[Definition, ...]:
        """Return the methods of classes that implement a method of an interface implicitly."""
        own = self.class_of(method)
        if own is None or not self.is_interface(own):
            return ()
        return tuple(
            each
            for each, owner in self._iter_methods(method)
            if not self.is_interface(owner)
            and not each.file.startswith(STUBS)
            and any(self.is_satisfied(of, own) for of in self.promoted_to(owner))
        )

    def find_dispatched(self, method: Definition) -> tuple[Definition, ...]:
        """Return the methods that a call of a method may run instead, and the methods whose calls may run it."""
        above = (each for each in self.implemented(method) if not each.file.startswith(STUBS))
        return (*above, *self.implementations(method))

    def find_nameless(self, method: Definition, files: Iterable[str]) -> tuple[Reason, ...]:
        """Return the first place that requires a method by an anonymous interface: `c.(interface{ Close() error })`."""
        if self.class_of(method) is None:
            return ()
        for file in sorted(files):
            scopes = self._source.uses(file).scopes
            for binding in self._source.uses(file).bindings.get(method.name, ()):
                holder = scopes[binding.scope]
                is_nameless = holder.kind is ScopeKind.CLASS and holder.symbol < 0 and holder.of == UNKNOWN
                if is_nameless and binding.annotation.kind is ExpressionKind.FUNCTION:
                    return (Reason(ReasonKind.ANONYMOUS_INTERFACE, place=(file, binding.line)),)
        return ()

    def get_resembled(self, member: Definition) -> Definition | None:
        """Return the first protocol, or interface of TypeScript, that the member's class satisfies without naming it.

        It requires a member of that name, so that the member may be used through it.
        """
        members, spec = self._context.members, self._scopes.spec(member.file)
        own = members.class_of(member) if spec.type_forms.protocols or spec.separate_types else None
        if own is None or self._is_shape(own):
            return None
        language, naming = self._source.facts(member.file).language, self._source.files_with_word(member.name)
        is_rare = len(naming) <= _MAX_NAMING
        for file in naming if is_rare else self._source.files_defining(fold_name(member.name)):
            is_alike = self._source.facts(file).language == language
            for each in self._source.iter_definitions(file) if is_alike else ():
                of = ClassType(file, each.symbol.parent)
                is_like = each.name == member.name and of.symbol >= 0 and self._is_shape(of)
                if is_like and not members.is_subclass(own, of) and self._resembles(own, of):
                    return self._source.get_parent(each)
        return None

    def _is_shape(self, of: ClassType) -> bool:
        """Return whether objects satisfy a type by having its members: a protocol, or an interface of TypeScript."""
        symbol = self._scopes.get_class_symbol(of)
        spec = self._scopes.spec(of.file)
        if symbol is None:
            return False
        if spec.separate_types:
            return symbol.kind in {SymbolKind.INTERFACE, SymbolKind.TYPE}
        return any(name in base for base in symbol.bases for name in spec.type_forms.protocols)

    def _resembles(self, own: ClassType, shape: ClassType) -> bool:
        """Return whether a class or an object has all members that a type requires, as far as the type is known.

        A type that requires no member describes options, which are plain objects and not of a class.
        """
        symbol = self._scopes.get_class_symbol(own)
        is_class = symbol is not None and symbol.kind is SymbolKind.CLASS
        required = self._list_required(shape)
        if is_class and not required:
            return False
        return all(self._context.members.find(own, name) is not None for name in required)

    def _list_required(self, shape: ClassType) -> list[str]:
        """Return the names of the members that a type requires."""
        return [
            symbol.name
            for each in self._context.members.lineage(shape).classes
            if self._is_shape(each)
            for symbol in self._source.facts(each.file).symbols
            if symbol.parent == each.symbol and f"{symbol.name}?" not in symbol.signature
        ]

    def _find_resembling(self, shape: ClassType) -> tuple[Definition, ...]:
        """Return the classes that have all members of a protocol, from the files that define the rarest of these."""
        files = [sorted(self._source.files_defining(fold_name(name))) for name in self._list_required(shape)]
        language = self._source.facts(shape.file).language
        found = []
        for file in min(files, key=len, default=[]):
            classes = (each for each in self._source.iter_definitions(file) if each.kind is SymbolKind.CLASS)
            for each in classes if self._source.facts(file).language == language else ():
                of = ClassType(file, each.index)
                if not self._is_shape(of) and self._resembles(of, shape):
                    found.append(each)
        return tuple(found)

    def is_protocol(self, definition: Definition) -> bool:
        """Return whether a class is a protocol, which others satisfy by their members: it inherits from `Protocol`."""
        spec = self._scopes.spec(definition.file)
        return bool(spec.type_forms.protocols) and self._is_shape(ClassType.of(definition))

    def implementers(self, interface: Definition) -> tuple[Definition, ...]:
        """Return the classes that implement an interface implicitly."""
        own = ClassType.of(interface)
        if self.is_protocol(interface):
            return self._find_resembling(own)
        method = next(self._iter_required(own), None) if self.is_interface(own) else None
        if method is None or self.class_of(method) is None:
            return ()
        found: dict[Definition, None] = {}
        for each, owner in self._iter_methods(method):
            if each.file.startswith(STUBS) or self.is_interface(owner):
                continue
            for of in self.promoted_to(owner):
                definition = self._scopes.get_class_definition(of)
                if definition is not None and not self.is_interface(of) and self.is_satisfied(of, own):
                    found[definition] = None
        return tuple(found)

    def promoted_to(self, owner: ClassType) -> tuple[ClassType, ...]:
        """Return a class and the classes to which its methods are promoted because they embed it, directly or not."""
        found: dict[ClassType, None] = {}
        pending = [owner]
        while pending and len(found) < _MAX_EMBEDDING:
            current = pending.pop(0)
            if current not in found:
                found[current] = None
                pending.extend(self._embedded_by(current))
        return tuple(found)

    @cached_method
    def _embedded_by(self, of: ClassType) -> tuple[ClassType, ...]:
        """Return the classes that embed a class directly."""
        symbol, members = self._scopes.get_class_symbol(of), self._context.members
        if symbol is None:
            return ()
        files, found = self._source.files_with_word(symbol.name), list[ClassType]()
        self._source.load_uses(files)
        for file in files:
            for scope, bases in self._source.uses(file).bases.items():
                if not any(last_name(base) == symbol.name for base in bases):
                    continue
                embedding = members.class_at(file, scope)
                above = members.bases(embedding) if embedding is not None else ()
                if embedding is not None and any(isinstance(e, ClassType) and e.plain == of for e in above):
                    found.append(embedding)
        return tuple(found)

    def class_of(self, method: Definition) -> ClassType | None:
        """Return the class that declares a method, if its language has structural interfaces, else None."""
        if method.kind is not SymbolKind.METHOD or not self._scopes.spec(method.file).structural_interfaces:
            return None
        return self._context.members.class_of(method)

    def is_interface(self, of: ClassType) -> bool:
        """Return whether a class is an interface."""
        symbol = self._scopes.get_class_symbol(of)
        return symbol is not None and symbol.kind is SymbolKind.INTERFACE

    def _iter_methods(self, like: Definition) -> Iterator[tuple[Definition, ClassType]]:
        """Yield the methods of a name in all classes of a language, each with its class."""
        language = self._source.facts(like.file).language
        stubs = [each.file for each in self._scopes.modules.ambient(like.file) if each.file.startswith(STUBS)]
        for file in (*self._source.files_defining(fold_name(like.name)), *stubs):
            is_alike = self._source.facts(file).language == language
            for each in self._source.iter_definitions(file) if is_alike else ():
                owner = self.class_of(each) if each.name == like.name else None
                if owner is not None:
                    yield each, owner

    @cached_method
    def is_satisfied(self, of: ClassType, interface: ClassType) -> bool:
        """Return whether a class has all methods that an interface requires."""
        return not self.find_lacking(of, interface)

    def find_lacking(self, of: ClassType, interface: ClassType) -> tuple[Definition, ...]:
        """Return the methods that an interface requires and a class does not have."""
        return tuple(method for method in self._iter_required(interface) if not self._has(of, method))

    def _iter_required(self, interface: ClassType) -> Iterator[Definition]:
        """Yield the methods that an interface requires, embedded ones included, that the workspace declares."""
        for each in self._context.members.lineage(interface).classes:
            for member in self._source.iter_definitions(each.file):
                if member.symbol.parent == each.symbol and member.kind is SymbolKind.METHOD:
                    yield member

    def _has(self, of: ClassType, method: Definition) -> bool:
        """Return whether a class has a method of that name with as many parameters and results."""
        found = self._context.members.find(of, method.name)
        definitions = self._scopes.list_definitions(found.variable) if found is not None else ()
        if not definitions:
            return found is not None
        own, wanted = ((each.file, each.index) for each in (definitions[0], method))
        results = {self._count_results(*own), self._count_results(*wanted)} - {None}
        return len(results) <= 1 and self.count_parameters(*own) == self.count_parameters(*wanted)

    def _count_results(self, file: str, symbol: int) -> int | None:
        """Return how many results a function has; None if that is not known."""
        result = self._source.uses(file).results.get(symbol, UNKNOWN)
        if result.kind is ExpressionKind.UNKNOWN:
            return None
        is_several = result.kind is ExpressionKind.SUBSCRIPT and result.parts[0].name == _SEVERAL
        return len(result.parts[1].parts) if is_several else 1

    def count_parameters(self, file: str, symbol: int) -> int:
        """Return how many parameters a function has without its own object."""
        function = FunctionType(file, symbol)
        scope = self._scopes.class_scope(file, symbol)
        self_name = self._source.uses(file).scopes[scope].self_name if scope >= 0 else ""
        return sum(1 for binding in self._context.signatures.find(function) if binding.name != self_name)
