"""Infer the types of parameters from declarations, overridden methods and the callees that lambdas are passed to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

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
from avionics.index.types.calls.pytest_fixtures import get_fixture
from avionics.index.types.signatures import Arguments
from avionics.model.enums import BindingKind, ExpressionKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Scope
from avionics.syntax.conventions import is_decorated
from avionics.syntax.registry import conventions_of

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext


class ParameterInference:
    """Infers the parameters of the functions of one snapshot."""

    def __init__(self, context: InferenceContext, *, follow_fixtures: bool) -> None:
        self._context = context
        self._scopes = context.scopes
        self._follow_fixtures = follow_fixtures

    def infer(self, variable: Variable, binding: Binding) -> Types:
        """Return the types of a parameter: `self`, its declared types, a fixture, or its default."""
        scope = self._scopes.source.uses(variable.file).scopes[variable.scope]
        if scope.self_name == variable.name:
            return self._own_object(variable, scope)
        if binding.kind is BindingKind.TYPE_PARAMETER:
            bound = binding.annotation
            is_bound = bound != UNKNOWN
            read = self._context.read_type(bound, variable.file, binding.within) if is_bound else ()
            return (TypeVariable(variable, read),)
        if binding.annotation != UNKNOWN:
            own = self._context.get_own_class(variable.file, variable.scope)
            return self._context.read_type(binding.annotation, variable.file, binding.within, own)
        inherited = self._inherited(variable, scope)
        if inherited:
            return inherited
        if binding.value.kind is ExpressionKind.EXPECTED:
            # A parameter may have the name of the object whose method is called: `item.each((item) => …)`.
            within = scope.parent if binding.within == variable.scope else binding.within
            return self._context.infer(binding.value, variable.file, within, binding.line)
        if binding.kind is BindingKind.VARIADIC:
            return self._context.infer(binding.value, variable.file, binding.within, binding.line)
        if binding.value != UNKNOWN:
            return union(self._context.infer(binding.value, variable.file, binding.within), NOTHING_KNOWN)
        fixture = get_fixture(self._scopes, variable.file, scope, variable.name) if self._follow_fixtures else None
        return self._context.infer_result(fixture) if fixture is not None else NOTHING_KNOWN

    def get_unpacked(self, function: FunctionType, name: str) -> ClassType | None:
        """Return the typed dictionary that takes a named argument (`**options: Unpack[Options]`), or None."""
        signatures = self._context.signatures
        last = signatures.find(function)[-1:]
        if not last or last[0].kind is not BindingKind.VARIADIC or signatures.get(function, name) is not None:
            return None
        declared, forms = last[0].annotation, self._scopes.spec(function.file).type_forms
        if declared.kind is not ExpressionKind.SUBSCRIPT or declared.parts[0].name not in forms.gathered:
            return None
        types = self._context.read_type(declared, function.file, last[0].within)
        return next((k.of for k in types if isinstance(k, InstanceType) and isinstance(k.of, ClassType)), None)

    def expected(self, expected: Expression, file: str, scope: int, line: int) -> Types:
        """Return the types that a callee declares for an argument, as for the parameters of a lambda passed to it."""
        argument, (callee, *written) = expected.name or expected.index, expected.parts
        given = Arguments(tuple(written), file, scope, line)
        callees = self._context.infer(callee, file, scope, line)
        callees = self._context.choose_declared(callees, given) if written else callees
        declared = (self._declared(each, argument, given) for kind in callees for each in self._iter_called(kind))
        return union(*declared) or NOTHING_KNOWN

    def _iter_called(self, kind: Type) -> Iterator[Type]:
        """Yield the functions that calling a value may run: overloads of its constructor or of its call operator."""
        if isinstance(kind, ClassType):
            found = self._context.members.find(kind, "__init__")
            for binding in self._scopes.bindings(found.variable) if found is not None else ():
                if found is not None and binding.symbol >= 0:
                    yield FunctionType(found.variable.file, binding.symbol, InstanceType(kind))
        elif not isinstance(kind, CallableType) and self._context.as_callable(kind) is not None:
            yield from self._context.infer_member(kind, "__call__")
        else:
            yield kind

    def _declared(self, callee: Type, argument: int | str, given: Arguments) -> Types:
        """Return the declared types of the parameter that takes an argument, with its type parameters solved."""
        if isinstance(callee, CallableType):
            last = len(callee.parameters) - 1
            if not isinstance(argument, int) or (argument > last and not callee.gathers):
                return ()
            if callee.gathers and argument >= last:
                return self._context.item(callee.parameters[last], argument - last)
            return callee.parameters[argument]
        binding = self._context.signatures.get(callee, argument) if isinstance(callee, FunctionType) else None
        if not isinstance(callee, FunctionType) or binding is None or binding.annotation == UNKNOWN:
            return ()
        types = self._context.read_type(binding.annotation, callee.file, binding.within)
        if binding.kind is BindingKind.VARIADIC and isinstance(argument, int):
            signatures = self._context.signatures
            first = len(signatures.find(callee)) - 1 - signatures.has_own_object(callee)
            types = self._context.item(types, argument - first)
        seen = self._context.seen_by_call(types, callee, given)
        bounds = union(*(kind.bound or (kind,) if isinstance(kind, TypeVariable) else (kind,) for kind in seen))
        return self._context.seen_by_call(bounds, callee, given)

    def _own_object(self, variable: Variable, scope: Scope) -> Types:
        own = self._context.members.class_at(variable.file, scope.parent)
        if own is None or scope.symbol < 0:
            return NOTHING_KNOWN
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        rules = conventions_of(variable.file).decorators
        of_class = is_decorated(symbol.decorators, rules.class_methods) or symbol.name in rules.implicit_class_methods
        return (own,) if of_class else (InstanceType(own),)

    def _inherited(self, variable: Variable, scope: Scope) -> Types:
        """Return the types that the overridden method declares for the same parameter; () if it declares none."""
        if not scope.self_name or scope.symbol < 0:
            return ()
        own = self._context.members.class_at(variable.file, scope.parent)
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        above = self._context.members.find(own, symbol.name, skip_own=True) if own is not None else None
        if above is None:
            return ()
        parameters = self._context.signatures.find(FunctionType(variable.file, scope.symbol))
        position = next(index for index, binding in enumerate(parameters) if binding.name == variable.name)
        result: list[Types] = []
        for binding in self._scopes.bindings(above.variable):
            if binding.kind is BindingKind.DEFINITION and binding.symbol >= 0:
                overridden = self._context.signatures.find(FunctionType(above.variable.file, binding.symbol))
                same = overridden[position] if position < len(overridden) else None
                if same is not None and same.name == variable.name and same.annotation != UNKNOWN:
                    holder = Variable(above.variable.file, same.scope, variable.name)
                    result.append(self._context.infer_variable(holder))
        return union(*result)
