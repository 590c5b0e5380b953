"""ParameterLookup: what a function receives.

Knows: own objects, declared types, what overridden methods declare, what lambdas are passed, fixtures.
Does not know: what a call gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.index.model import python_builtins as names
from avionics.index.model.values import (
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    FunctionType,
    InstanceType,
    Type,
    Types,
    TypeVariable,
    Variable,
    union,
)
from avionics.index.types.pytest_fixtures import get_fixture
from avionics.model.enums import BindingKind, ExpressionKind, ScopeKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Scope

if TYPE_CHECKING:
    from avionics.index.types.inference import Inference

_VALUES = frozenset({BindingKind.PARAMETER, BindingKind.VARIADIC})


class ParameterLookup:
    """What parameters hold, and which a function has."""

    def __init__(self, inference: Inference, *, follow_fixtures: bool) -> None:
        self._inference = inference
        self._scopes = inference.scopes
        self._follow_fixtures = follow_fixtures
        self._known: dict[tuple[str, int], tuple[Binding, ...]] = {}

    def find(self, function: FunctionType) -> tuple[Binding, ...]:
        """The parameters of a function in order, its own object included."""
        key = (function.file, function.symbol)
        if key not in self._known:
            scope = self._scopes.class_scope(*key)
            bindings = self._scopes.source.uses(function.file).bindings
            found = [b for bs in bindings.values() for b in bs if b.scope == scope and b.kind in _VALUES]
            self._known[key] = tuple(sorted(found, key=lambda binding: (binding.line, binding.column)))
        return self._known[key]

    def declared_at(self, file: str, scope: int) -> tuple[Variable, ...]:
        """The type parameters that a class scope declares, in order."""
        return self._scopes.parameters_at(file, scope)

    def type_parameters(self, function: FunctionType) -> tuple[Variable, ...]:
        """The type parameters of a function, in order: its scope holds them, or a block around that."""
        scope = self._scopes.class_scope(function.file, function.symbol)
        uses = self._scopes.source.uses(function.file)
        around = uses.scopes[scope].parent if scope >= 0 else -1
        places = {scope, around} if around >= 0 and uses.scopes[around].kind is ScopeKind.BLOCK else {scope}
        found = [
            b for bs in uses.bindings.values() for b in bs if b.scope in places and b.kind is BindingKind.TYPE_PARAMETER
        ]
        ordered = sorted(found, key=lambda binding: (binding.line, binding.column))
        return tuple(Variable(function.file, b.scope, b.name) for b in ordered)

    def get(self, function: FunctionType, argument: int | str) -> Binding | None:
        """The parameter that an argument, by position or by name, is passed to."""
        parameters = self.find(function)
        if isinstance(argument, int):
            position = argument + (1 if self.has_own_object(function) else 0)
            return parameters[position] if position < len(parameters) else None
        return next((binding for binding in parameters if binding.name == argument), None)

    def declared_types(self, function: FunctionType) -> tuple[Types, ...]:
        """What each parameter that an argument gives is declared to be."""
        parameters = self.find(function)[1 if self.has_own_object(function) else 0 :]
        read = self._inference.annotations.read
        return tuple(read(binding.annotation, function.file, binding.within) for binding in parameters)

    def has_own_object(self, function: FunctionType) -> bool:
        """Whether the first parameter is the object that the function was taken from, which no argument gives."""
        parameters = self.find(function)
        if function.receiver is None or not parameters:
            return False
        scope = self._scopes.source.uses(function.file).scopes[parameters[0].scope]
        may_be_unnamed = self._scopes.spec(function.file).executed_classes
        return scope.self_name == parameters[0].name or (may_be_unnamed and not scope.self_name)

    def unpacked(self, function: FunctionType, name: str) -> ClassType | None:
        """The typed dictionary that a named argument goes to (`**options: Unpack[Options]`), if it does."""
        parameters = self.find(function)
        if not parameters or parameters[-1].kind is not BindingKind.VARIADIC or self.get(function, name) is not None:
            return None
        declared = parameters[-1].annotation
        if declared.kind is not ExpressionKind.SUBSCRIPT or declared.parts[0].name != "Unpack":
            return None
        types = self._inference.annotations.read(declared, function.file, parameters[-1].within)
        return next((k.of for k in types if isinstance(k, InstanceType) and isinstance(k.of, ClassType)), None)

    def infer(self, variable: Variable, binding: Binding) -> Types:
        """What a parameter holds: the own object, its declared type, a fixture, or at least its default."""
        scope = self._scopes.source.uses(variable.file).scopes[variable.scope]
        if scope.self_name == variable.name:
            return self._own_object(variable, scope)
        if binding.kind is BindingKind.TYPE_PARAMETER:
            bound = binding.annotation
            read = self._inference.annotations.read
            return (TypeVariable(variable, read(bound, variable.file, binding.within) if bound != UNKNOWN else ()),)
        if binding.annotation != UNKNOWN:
            own = self._inference.own_class(variable.file, variable.scope)
            return self._inference.annotations.read(binding.annotation, variable.file, binding.within, own)
        inherited = self._inherited(variable, scope)
        if inherited:
            return inherited
        if binding.value.kind is ExpressionKind.EXPECTED:
            return self.expected(binding.value, variable.file, binding.within)
        if binding.kind is BindingKind.VARIADIC:
            return self._inference.infer(binding.value, variable.file, binding.within)
        if binding.value != UNKNOWN:
            return union(self._inference.infer(binding.value, variable.file, binding.within), NOTHING_KNOWN)
        if not self._follow_fixtures:
            return NOTHING_KNOWN
        fixture = get_fixture(self._scopes, variable.file, scope, variable.name)
        return self._inference.calls.result_of(fixture) if fixture is not None else NOTHING_KNOWN

    def _own_object(self, variable: Variable, scope: Scope) -> Types:
        own = self._inference.members.class_at(variable.file, scope.parent)
        if own is None or scope.symbol < 0:
            return NOTHING_KNOWN
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        of_class = names.is_decorated(symbol.decorators, names.CLASS_METHODS)
        is_class_object = of_class or symbol.name in names.IMPLICIT_CLASS_METHODS
        return (own,) if is_class_object else (InstanceType(own),)

    def _inherited(self, variable: Variable, scope: Scope) -> Types:
        """What the overridden method declares for the parameter of that name at that place; () for nothing."""
        if not scope.self_name or scope.symbol < 0:
            return ()
        own = self._inference.members.class_at(variable.file, scope.parent)
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        above = self._inference.members.find(own, symbol.name, skip_own=True) if own is not None else None
        if above is None:
            return ()
        position = _position(self.find(FunctionType(variable.file, scope.symbol)), variable.name)
        result: list[Types] = []
        for binding in self._scopes.bindings(above.variable):
            if binding.kind is BindingKind.DEFINITION and binding.symbol >= 0:
                parameters = self.find(FunctionType(above.variable.file, binding.symbol))
                is_same = position < len(parameters) and parameters[position].name == variable.name
                if is_same and parameters[position].annotation != UNKNOWN:
                    holder = Variable(above.variable.file, parameters[position].scope, variable.name)
                    result.append(self._inference.infer_variable(holder))
        return union(*result)

    def expected(self, expected: Expression, file: str, scope: int) -> Types:
        """Return what a callee declares an argument to be."""
        argument = expected.name or expected.index
        callees = map(self._inference.calls.as_function, self._inference.infer(expected.parts[0], file, scope))
        return union(*(self._declared(callee, argument) for callee in callees)) or NOTHING_KNOWN

    def matching(self, expected: Expression, file: str, scope: int) -> Types:
        """Those alternatives that an object with plain members can be: none that can be called, or has other values."""
        types = self._inference.infer(expected.parts[0], file, scope)
        plain = tuple(kind for kind in types if self._inference.calls.as_function(kind) == kind)
        for told in expected.parts[1:]:
            plain = self._inference.narrowings.keep(plain, told.name, told.parts[0], file, scope)
        return plain or types

    def _declared(self, callee: Type, argument: int | str) -> Types:
        """The declared type of the parameter that an argument of a call is passed to, as its receiver sees it."""
        if isinstance(callee, CallableType):
            is_known = isinstance(argument, int) and argument < len(callee.parameters)
            return callee.parameters[argument] if is_known else ()  # type: ignore[index]
        if isinstance(callee, ClassType):
            constructor = self._constructor(callee)
            return self._declared(constructor, argument) if constructor is not None else ()
        if not isinstance(callee, FunctionType):
            return ()
        binding = self.get(callee, argument)
        if binding is None or binding.annotation == UNKNOWN:
            return ()
        types = self._inference.annotations.read(binding.annotation, callee.file, binding.within)
        return self._inference.generics.seen_by(types, callee)

    def _constructor(self, of: ClassType) -> FunctionType | None:
        """The function that makes an object of a class, as far as the workspace declares it."""
        found = self._inference.members.find(of, "__init__")
        bindings = self._scopes.bindings(found.variable) if found is not None else ()
        symbol = next((binding.symbol for binding in bindings if binding.symbol >= 0), -1)
        if found is None or symbol < 0:
            return None
        return FunctionType(found.variable.file, symbol, InstanceType(of))


def _position(parameters: tuple[Binding, ...], name: str) -> int:
    """Where the parameter of that name stands."""
    return next(position for position, binding in enumerate(parameters) if binding.name == name)
