"""Parameters: what a function receives.

Knows: own objects, declared types, what overridden methods declare, what lambdas are passed, fixtures.
Does not know: what a call gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.index import builtin_names as names
from avionics.index.fixtures import get_fixture
from avionics.index.values import (
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    FunctionType,
    InstanceType,
    Type,
    Types,
    Variable,
    union,
)
from protocols.enums import BindingKind, ExpressionKind
from protocols.facts import UNKNOWN, Binding, Expression, Scope

if TYPE_CHECKING:
    from avionics.index.types import Inference


class Parameters:
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
            found = [b for bs in bindings.values() for b in bs if b.scope == scope and b.kind is BindingKind.PARAMETER]
            self._known[key] = tuple(sorted(found, key=lambda binding: (binding.line, binding.column)))
        return self._known[key]

    def get(self, function: FunctionType, argument: str) -> Binding | None:
        """The parameter that an argument, by position or by name, is passed to."""
        parameters = self.find(function)
        if argument.isdigit():
            position = int(argument) + (1 if function.receiver is not None else 0)
            return parameters[position] if position < len(parameters) else None
        return next((binding for binding in parameters if binding.name == argument), None)

    def unpacked(self, function: FunctionType, name: str) -> ClassType | None:
        """The typed dictionary that a named argument goes to (`**options: Unpack[Options]`), if it does."""
        parameters = self.find(function)
        if not parameters or not is_star(parameters[-1]) or self.get(function, name) is not None:
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
        if binding.annotation is not UNKNOWN:
            own = self._inference.own_class(variable.file, variable.scope)
            return self._inference.annotations.read(binding.annotation, variable.file, binding.within, own)
        inherited = self._inherited(variable, scope)
        if inherited:
            return inherited
        if binding.value.kind is ExpressionKind.EXPECTED:
            return self._expected(binding.value, variable.file, binding.within)
        if is_star(binding):
            return self._inference.infer(binding.value, variable.file, binding.within)
        if binding.value is not UNKNOWN:
            return union(self._inference.infer(binding.value, variable.file, binding.within), NOTHING_KNOWN)
        if not self._follow_fixtures:
            return NOTHING_KNOWN
        fixture = get_fixture(self._scopes, variable.file, scope, variable.name)
        return self._inference.calls.result_of(fixture) if fixture is not None else NOTHING_KNOWN

    def _own_object(self, variable: Variable, scope: Scope) -> Types:
        owner = self._scopes.source.uses(variable.file).scopes[scope.parent].symbol
        if owner < 0 or scope.symbol < 0:
            return NOTHING_KNOWN
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        own = ClassType(variable.file, owner)
        of_class = names.is_decorated(symbol.decorators, names.CLASS_METHODS)
        is_class_object = of_class or symbol.name in names.IMPLICIT_CLASS_METHODS
        return (own,) if is_class_object else (InstanceType(own),)

    def _inherited(self, variable: Variable, scope: Scope) -> Types:
        """What the overridden method declares for the parameter of that name at that place; () for nothing."""
        if not scope.self_name or scope.symbol < 0:
            return ()
        own = ClassType(variable.file, self._scopes.source.uses(variable.file).scopes[scope.parent].symbol)
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        above = self._inference.members.find(own, symbol.name, skip_own=True) if own.symbol >= 0 else None
        if above is None:
            return ()
        position = _position(self.find(FunctionType(variable.file, scope.symbol)), variable.name)
        result: list[Types] = []
        for binding in self._scopes.bindings(above.variable):
            if binding.kind is BindingKind.DEFINITION and binding.symbol >= 0:
                parameters = self.find(FunctionType(above.variable.file, binding.symbol))
                is_same = position < len(parameters) and parameters[position].name == variable.name
                if is_same and parameters[position].annotation is not UNKNOWN:
                    holder = Variable(above.variable.file, parameters[position].scope, variable.name)
                    result.append(self._inference.infer_variable(holder))
        return union(*result)

    def _expected(self, expected: Expression, file: str, scope: int) -> Types:
        """What the function that a lambda is given to passes to it."""
        argument, _, parameter = expected.name.partition(":")
        callees = self._inference.infer(expected.parts[0], file, scope)
        result = [
            kind.parameters[int(parameter)]
            for callee in callees
            for kind in self._declared(callee, argument)
            if isinstance(kind, CallableType) and int(parameter) < len(kind.parameters)
        ]
        return union(*result) or NOTHING_KNOWN

    def _declared(self, callee: Type, argument: str) -> Types:
        """The declared type of the parameter that an argument of a call is passed to."""
        if not isinstance(callee, FunctionType):
            return ()
        binding = self.get(callee, argument)
        if binding is None or binding.annotation is UNKNOWN:
            return ()
        return self._inference.annotations.read(binding.annotation, callee.file, binding.within)


def is_star(binding: Binding) -> bool:
    """Whether the parameter takes any number of arguments."""
    return binding.value.kind is ExpressionKind.LITERAL and binding.value.name in {"tuple", "dict"}


def _position(parameters: tuple[Binding, ...], name: str) -> int:
    """Where the parameter of that name stands."""
    return next(position for position, binding in enumerate(parameters) if binding.name == name)
