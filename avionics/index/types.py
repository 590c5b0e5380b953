"""Types: what an expression gives, inferred when asked.

Lazy inference with a memo as recursion bound, after jedi: a variable that is being inferred has no type yet.

Knows: expressions, variables, narrowing.
Does not know: who asks, or where references are.
"""

from __future__ import annotations

from avionics.index import builtin_names as names
from avionics.index.annotations import Annotations
from avionics.index.calls import Calls
from avionics.index.fixtures import find_fixture
from avionics.index.generics import Generics
from avionics.index.members import Found, Members
from avionics.index.scopes import Scopes, is_class
from avionics.index.values import (
    NOTHING_KNOWN,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Module,
    SuperType,
    Target,
    Type,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
    union,
)
from protocols.enums import BindingKind, ExpressionKind, SymbolKind
from protocols.facts import UNKNOWN, Binding, Expression

_DEEPEST = 60
"""Expressions through variables nested deeper are given up: an answer would not be worth its time."""


class Inference:
    """What expressions and variables give, memoised for one snapshot.

    Args:
        scopes: Names of the snapshot.
        follow_fixtures: Whether a test's parameter is taken for the fixture of its name. pytest decides that at run
            time, so proofs do without it.
    """

    def __init__(self, scopes: Scopes, *, follow_fixtures: bool = False) -> None:
        self.scopes = scopes
        self.members = Members(scopes, self.infer)
        self.annotations = Annotations(scopes, self.infer)
        self.calls = Calls(self)
        self.generics = Generics(self)
        self._follow_fixtures = follow_fixtures
        self._variables: dict[Variable, Types] = {}
        self._depth = 0

    def infer(self, expression: Expression, file: str, scope: int, line: int = 0) -> Types:
        """What the expression gives where it stands; `line` lets conditions narrow it."""
        if self._depth > _DEEPEST:
            return NOTHING_KNOWN
        self._depth += 1
        try:
            return self._infer(expression, file, scope, line)
        finally:
            self._depth -= 1

    def _infer(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        kind, parts = expression.kind, expression.parts
        if line and kind in {ExpressionKind.NAME, ExpressionKind.ATTRIBUTE}:
            narrowed = self._narrowed(expression, file, scope, line)
            if narrowed:
                return narrowed
        match kind:
            case ExpressionKind.NAME:
                return self.infer_name(expression.name, file, scope)
            case ExpressionKind.ATTRIBUTE:
                owners = self.infer(parts[0], file, scope, line)
                return union(*(self.infer_member(owner, expression.name) for owner in owners))
            case ExpressionKind.CALL:
                return self.calls.infer_call(expression, file, scope, line)
            case ExpressionKind.SUBSCRIPT:
                return self._subscript(expression, file, scope, line)
            case ExpressionKind.LITERAL:
                return () if expression.name == "None" else (_builtin(expression.name),)
            case ExpressionKind.CONTAINER:
                return (self._container(expression, file, scope, line),)
            case ExpressionKind.UNION:
                return union(*(self.infer(part, file, scope, line) for part in parts))
        return self._taken_from(expression, file, scope, line)

    def _taken_from(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        """What awaiting, iterating, entering or unpacking an expression gives."""
        if expression.kind in {ExpressionKind.UNKNOWN, ExpressionKind.FUNCTION, ExpressionKind.SELF}:
            return NOTHING_KNOWN
        inner = self.infer(expression.parts[0], file, scope, line)
        match expression.kind:
            case ExpressionKind.ELEMENT:
                return self.calls.elements(inner)
            case ExpressionKind.ENTER:
                return self.calls.entered(inner)
            case ExpressionKind.ITEM:
                return self.calls.item(inner, int(expression.name))
        return inner

    def infer_name(self, name: str, file: str, scope: int) -> Types:
        """What a bare name gives in a scope."""
        targets = self.scopes.find_targets(file, scope, name)
        if not targets:
            bound = self.scopes.find_variable(file, scope, name) is not None
            return NOTHING_KNOWN if bound else (External(f"{names.BUILTIN}{name}"),)
        return self.of_targets(targets)

    def of_targets(self, targets: tuple[Target, ...]) -> Types:
        """What the targets of a name give."""
        return union(*(self.infer_variable(t) if isinstance(t, Variable) else (t,) for t in targets))

    def infer_variable(self, variable: Variable) -> Types:
        """What a variable holds: all that is assigned to it, or what it is declared to be."""
        if variable in self._variables:
            return self._variables[variable]
        self._variables[variable] = ()
        bindings = self.scopes.bindings(variable)
        declared = [b for b in bindings if b.annotation is not UNKNOWN and b.kind is not BindingKind.PARAMETER]
        types = union(*(self._binding(variable, binding) for binding in declared or bindings))
        self._variables[variable] = types
        return types

    def infer_member(self, owner: Type, name: str) -> Types:
        """What a member of something gives; properties give their result, functions know their receiver."""
        if isinstance(owner, Module):
            targets = self.scopes.find_member(owner, name)
            return self.of_targets(targets) if targets else NOTHING_KNOWN
        if isinstance(owner, External):
            return (External(f"{owner.name}.{name}"),)
        if isinstance(owner, TypeVariable):
            return union(*(self.infer_member(bound, name) for bound in owner.bound)) if owner.bound else NOTHING_KNOWN
        if isinstance(owner, InstanceType) and isinstance(owner.of, External):
            return self.calls.external_member(owner, name)
        found = self.find_member(owner, name)
        if found is None:
            return NOTHING_KNOWN
        receiver = InstanceType(owner.of) if isinstance(owner, SuperType) else owner
        return self._bound_member(found, receiver)

    def find_member(self, owner: Type, name: str) -> Found | None:
        """The member of a class, an instance or `super()`, or None."""
        if isinstance(owner, SuperType):
            return self.members.find(owner.of, name, skip_own=True)
        if isinstance(owner, InstanceType) and isinstance(owner.of, ClassType):
            return self.members.find(owner.of, name)
        if isinstance(owner, ClassType):
            return self.members.find(owner, name)
        return None

    def own_class(self, file: str, scope: int) -> ClassType | None:
        """The class whose method (or a function in it) the scope is in."""
        scopes = self.scopes.source.uses(file).scopes
        while scope >= 0:
            parent = scopes[scope].parent
            if scopes[scope].self_name and parent >= 0 and scopes[parent].symbol >= 0:
                return ClassType(file, scopes[parent].symbol)
            scope = parent
        return None

    def _bound_member(self, found: Found, receiver: Type) -> Types:
        """The member's types as seen from its receiver."""
        result: list[Types] = []
        for kind in self.infer_variable(found.variable):
            if isinstance(kind, FunctionType) and isinstance(receiver, (ClassType, InstanceType)):
                bound = FunctionType(kind.file, kind.symbol, receiver)
                symbol = self.scopes.source.facts(kind.file).symbols[kind.symbol]
                is_value = symbol.kind is SymbolKind.PROPERTY and isinstance(receiver, InstanceType)
                result.append(self.calls.result_of(bound) if is_value else (bound,))
            else:
                result.append(self.generics.member((kind,), receiver, found.owner))
        return union(*result)

    def _binding(self, variable: Variable, binding: Binding) -> Types:
        """What one binding gives its variable."""
        if binding.kind is BindingKind.DEFINITION:
            return self._definition(variable.file, binding.symbol)
        if binding.kind is BindingKind.IMPORT:
            imported = self.scopes.source.facts(variable.file).imports[binding.imported]
            return self.of_targets(self.scopes.find_imported(variable.file, imported)) or NOTHING_KNOWN
        if binding.kind is BindingKind.PARAMETER:
            return self._parameter(variable, binding)
        if binding.annotation is not UNKNOWN:
            own = self.own_class(variable.file, binding.within) or self._class_at(variable)
            return self.annotations.read(binding.annotation, variable.file, binding.within, own)
        return self.infer(binding.value, variable.file, binding.within, binding.line)

    def _class_at(self, variable: Variable) -> ClassType | None:
        """The class in whose scope the variable stands."""
        scope = self.scopes.source.uses(variable.file).scopes[variable.scope]
        symbols = self.scopes.source.facts(variable.file).symbols
        if scope.symbol >= 0 and is_class(symbols[scope.symbol].kind):
            return ClassType(variable.file, scope.symbol)
        return None

    def _definition(self, file: str, symbol: int) -> Types:
        if symbol < 0:
            return NOTHING_KNOWN
        kind = self.scopes.source.facts(file).symbols[symbol].kind
        return (ClassType(file, symbol),) if is_class(kind) else (FunctionType(file, symbol),)

    def _parameter(self, variable: Variable, binding: Binding) -> Types:
        """A parameter: the method's own object, its declared type, a fixture, or at least its default."""
        scope = self.scopes.source.uses(variable.file).scopes[variable.scope]
        if scope.self_name == variable.name:
            return self._own_object(variable, scope.symbol, scope.parent)
        if binding.annotation is not UNKNOWN:
            own = self.own_class(variable.file, variable.scope)
            return self.annotations.read(binding.annotation, variable.file, binding.within, own)
        if binding.value is not UNKNOWN:
            return union(self.infer(binding.value, variable.file, binding.within), NOTHING_KNOWN)
        if not self._follow_fixtures:
            return NOTHING_KNOWN
        fixture = find_fixture(self.scopes, variable.file, scope, variable.name)
        return self.calls.result_of(fixture) if fixture is not None else NOTHING_KNOWN

    def _own_object(self, variable: Variable, function: int, class_scope: int) -> Types:
        owner = self.scopes.source.uses(variable.file).scopes[class_scope].symbol
        if owner < 0 or function < 0:
            return NOTHING_KNOWN
        symbol = self.scopes.source.facts(variable.file).symbols[function]
        own = ClassType(variable.file, owner)
        of_class = names.is_decorated(symbol.decorators, names.CLASS_METHODS)
        is_class_object = of_class or symbol.name in names.IMPLICIT_CLASS_METHODS
        return (own,) if is_class_object else (InstanceType(own),)

    def _narrowed(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        """What conditions around the line say of the name, () for nothing."""
        text = dotted(expression)
        found: Types = ()
        for narrowing in self.scopes.source.uses(file).narrowings:
            if narrowing.name == text and narrowing.span.contains(line):
                found = self.annotations.read(narrowing.type, file, scope)
        return tuple(kind for kind in found if not isinstance(kind, UnknownType))

    def _subscript(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        owner, *index = expression.parts
        result: list[Types] = []
        for kind in self.infer(owner, file, scope, line):
            if isinstance(kind, ClassType):
                arguments = tuple(self.annotations.read(part, file, scope) for part in index)
                result.append((ClassType(kind.file, kind.symbol, arguments),))
            elif isinstance(kind, External):
                result.append((kind,))
            else:
                result.append(self.calls.indexed(kind))
        return union(*result)

    def _container(self, expression: Expression, file: str, scope: int, line: int) -> InstanceType:
        """A built-in container that knows what it holds; a tuple knows each of its items."""
        inner = tuple(self.infer(part, file, scope, line) for part in expression.parts[:16])
        name = expression.name
        if name == "tuple":
            return InstanceType(External(f"{names.BUILTIN}tuple"), inner)
        if name == "dict":
            pairs = [kind for types in inner for kind in types if isinstance(kind, InstanceType)]
            keys = union(*(pair.arguments[0] for pair in pairs if len(pair.arguments) == 2))
            values = union(*(pair.arguments[1] for pair in pairs if len(pair.arguments) == 2))
            return InstanceType(External(f"{names.BUILTIN}dict"), (keys, values) if pairs else ())
        return InstanceType(External(f"{names.BUILTIN}{name}"), (union(*inner),) if inner else ())


def dotted(expression: Expression) -> str:
    """The text of a dotted name, "" for anything else."""
    if expression.kind is ExpressionKind.NAME:
        return expression.name
    if expression.kind is ExpressionKind.ATTRIBUTE:
        owner = dotted(expression.parts[0])
        return f"{owner}.{expression.name}" if owner else ""
    return ""


def _builtin(name: str) -> InstanceType:
    return InstanceType(External(f"{names.BUILTIN}{name}"))
