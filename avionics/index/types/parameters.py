"""Infer what parameters hold, from declarations, from overridden methods, and from what callees pass to lambdas."""

from __future__ import annotations

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
from avionics.index.types.context import InferenceContext
from avionics.index.types.pytest_fixtures import get_fixture
from avionics.model.enums import BindingKind, ExpressionKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Scope
from avionics.syntax.conventions import is_decorated
from avionics.syntax.registry import conventions_of


class ParameterInference:
    """Infers the parameters of the functions of one snapshot."""

    def __init__(self, context: InferenceContext, *, follow_fixtures: bool) -> None:
        self._context = context
        self._scopes = context.scopes
        self._follow_fixtures = follow_fixtures

    def infer(self, variable: Variable, binding: Binding) -> Types:
        """Return what a parameter holds: the own object, its declared type, a fixture, or at least its default."""
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
        if binding.value.kind is ExpressionKind.EXPECTED or binding.kind is BindingKind.VARIADIC:
            return self._context.infer(binding.value, variable.file, binding.within)
        if binding.value != UNKNOWN:
            return union(self._context.infer(binding.value, variable.file, binding.within), NOTHING_KNOWN)
        fixture = get_fixture(self._scopes, variable.file, scope, variable.name) if self._follow_fixtures else None
        return self._context.infer_result(fixture) if fixture is not None else NOTHING_KNOWN

    def get_unpacked(self, function: FunctionType, name: str) -> ClassType | None:
        """Return the typed dictionary that a named argument goes to (`**options: Unpack[Options]`), if it does."""
        signatures = self._context.signatures
        last = signatures.find(function)[-1:]
        if not last or last[0].kind is not BindingKind.VARIADIC or signatures.get(function, name) is not None:
            return None
        declared, forms = last[0].annotation, self._scopes.spec(function.file).type_forms
        if declared.kind is not ExpressionKind.SUBSCRIPT or declared.parts[0].name not in forms.gathered:
            return None
        types = self._context.read_type(declared, function.file, last[0].within)
        return next((k.of for k in types if isinstance(k, InstanceType) and isinstance(k.of, ClassType)), None)

    def expected(self, expected: Expression, file: str, scope: int) -> Types:
        """Return what a callee declares an argument to be."""
        argument = expected.name or expected.index
        callees = self._context.infer(expected.parts[0], file, scope)
        declared = (self._declared(self._context.as_callable(each) or each, argument) for each in callees)
        return union(*declared) or NOTHING_KNOWN

    def _declared(self, callee: Type, argument: int | str) -> Types:
        """Return the declared type of the parameter that an argument is passed to, as its receiver sees it."""
        if isinstance(callee, CallableType):
            is_known = isinstance(argument, int) and argument < len(callee.parameters)
            return callee.parameters[argument] if is_known else ()  # type: ignore[index]
        if isinstance(callee, ClassType):
            constructor = self._get_constructor(callee)
            return self._declared(constructor, argument) if constructor is not None else ()
        binding = self._context.signatures.get(callee, argument) if isinstance(callee, FunctionType) else None
        if not isinstance(callee, FunctionType) or binding is None or binding.annotation == UNKNOWN:
            return ()
        types = self._context.read_type(binding.annotation, callee.file, binding.within)
        return self._context.seen_by_receiver(types, callee)

    def _get_constructor(self, of: ClassType) -> FunctionType | None:
        """Return the function that makes an object of a class, as far as the workspace declares it."""
        found = self._context.members.find(of, "__init__")
        bindings = self._scopes.bindings(found.variable) if found is not None else ()
        symbol = next((binding.symbol for binding in bindings if binding.symbol >= 0), -1)
        if found is None or symbol < 0:
            return None
        return FunctionType(found.variable.file, symbol, InstanceType(of))

    def _own_object(self, variable: Variable, scope: Scope) -> Types:
        own = self._context.members.class_at(variable.file, scope.parent)
        if own is None or scope.symbol < 0:
            return NOTHING_KNOWN
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        told = conventions_of(variable.file).decorators
        of_class = is_decorated(symbol.decorators, told.class_methods) or symbol.name in told.implicit_class_methods
        return (own,) if of_class else (InstanceType(own),)

    def _inherited(self, variable: Variable, scope: Scope) -> Types:
        """Return what the overridden method declares for the parameter of that name at that place; () for nothing."""
        if not scope.self_name or scope.symbol < 0:
            return ()
        own = self._context.members.class_at(variable.file, scope.parent)
        symbol = self._scopes.source.facts(variable.file).symbols[scope.symbol]
        above = self._context.members.find(own, symbol.name, skip_own=True) if own is not None else None
        if above is None:
            return ()
        parameters = self._context.signatures.find(FunctionType(variable.file, scope.symbol))
        position = next(at for at, binding in enumerate(parameters) if binding.name == variable.name)
        result: list[Types] = []
        for binding in self._scopes.bindings(above.variable):
            if binding.kind is BindingKind.DEFINITION and binding.symbol >= 0:
                overridden = self._context.signatures.find(FunctionType(above.variable.file, binding.symbol))
                same = overridden[position] if position < len(overridden) else None
                if same is not None and same.name == variable.name and same.annotation != UNKNOWN:
                    holder = Variable(above.variable.file, same.scope, variable.name)
                    result.append(self._context.infer_variable(holder))
        return union(*result)
