"""Infer the types that result from calling, awaiting, iterating, entering and indexing values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.memo import FinalValues, Memo
from avionics.index.model.values import (
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Module,
    SuperType,
    Type,
    Types,
    TypeVariable,
    as_class,
    union,
    widen,
)
from avionics.index.types.calls.overloads import OverloadResolution
from avionics.index.types.generics import Generics
from avionics.index.types.member_lookup import iter_names
from avionics.index.types.signatures import NO_ARGUMENTS, Arguments
from avionics.index.types.substitution import is_foreign, is_outside
from avionics.model.enums import BindingKind, ExpressionKind, SymbolKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.conventions import is_decorated
from avionics.syntax.registry import conventions_of

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext

_MAX_CALLED_OBJECTS = 4
"""The maximum number of objects that are called one through another."""

_SLICING = "__getslice__"
"""The member by which stubs declare the result of slicing."""
MANAGER = "__manager__"
"""The stub's class of the context managers that `@contextmanager` makes of generator functions."""


class CallInference:
    """Infers the types that result from calling, awaiting, iterating, entering and indexing values."""

    def __init__(self, context: InferenceContext, generics: Generics, overloads: OverloadResolution) -> None:
        self._context = context
        self._scopes = context.scopes
        self._generics = generics
        self._overloads = overloads
        computation = context.scopes.computation
        self._declared: FinalValues[FunctionType, Types | None] = FinalValues(self._read_declared, computation)
        self._results: FinalValues[FunctionType, tuple[Types, bool]] = FinalValues(self._read_call_results, computation)
        self._inferred_results: Memo[tuple[str, int], Types] = Memo(self._own_result, (), computation, widen)

    def infer_call(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        """Return the types of a call expression."""
        callee, *arguments = expression.parts
        if callee.kind is ExpressionKind.NAME and callee.name == "super":
            own = self._context.get_own_class(file, scope)
            return (SuperType(own),) if own is not None else NOTHING_KNOWN
        given = Arguments(tuple(arguments), file, scope, line)
        callees = self._overloads.choose_declared(self._context.infer(callee, file, scope, line), given)
        result: list[Types] = []
        for kind in self._without_overloads(callees, given):
            if isinstance(kind, External):
                plain = list(given.positional)
                known = self._external_call(kind, plain, file, scope, line)
                is_given = known == NOTHING_KNOWN and self._returns_external(kind, callee, given)
                result.append((InstanceType(External(kind.name, is_result=True)),) if is_given else known)
            else:
                result.append(self.call(kind, given))
        return union(*result)

    def _without_overloads(self, callees: Types, given: Arguments) -> Types:
        """Return the callees without overloads that do not take the arguments."""
        functions = tuple(kind for kind in callees if isinstance(kind, FunctionType))
        if not functions or not self._scopes.spec(functions[0].file).overloads:
            return callees
        inherited = self._overloads.find_inherited(functions[0])
        if len(functions) < 2 and not inherited:
            return callees
        chosen = self._overloads.choose(functions, given)
        if not chosen and inherited:
            return self._without_overloads(inherited, given)
        return tuple(kind for kind in callees if kind in chosen or not isinstance(kind, FunctionType))

    def call(self, kind: Type, arguments: Arguments = NO_ARGUMENTS) -> Types:
        if isinstance(kind, ClassType):
            return (self._generics.construct(kind, arguments),)
        if isinstance(kind, FunctionType):
            return self.infer_result(kind, arguments)
        if isinstance(kind, CallableType):
            return kind.result
        if isinstance(kind, InstanceType):
            return self._call_special(kind, "__call__")
        if isinstance(kind, TypeVariable) and kind.path and kind.bound:
            return union(*(self.call(bound, arguments) for bound in kind.bound))
        return NOTHING_KNOWN

    def as_callable(self, kind: Type) -> CallableType | None:
        if isinstance(kind, CallableType):
            return kind
        of = kind.of if isinstance(kind, InstanceType) else None
        found = self._context.members.find(of, "__call__") if isinstance(of, ClassType) else None
        if found is None or not isinstance(of, ClassType):
            return None
        # A class that implements a functional interface is not a function, although its objects can be called.
        here, there = (self._scopes.get_class_symbol(each) for each in (of, found.owner))
        if there is not None and there.kind is SymbolKind.INTERFACE and (here is None or here.kind is not there.kind):
            return None
        for member in self._context.infer_member(kind, "__call__"):
            if isinstance(member, CallableType):
                return member
            if isinstance(member, FunctionType):
                see, signatures = self._generics.seen_by_call, self._context.signatures
                parameters = signatures.find(member)[signatures.has_own_object(member) :]
                declared = (self._context.read_type(b.annotation, member.file, b.within) for b in parameters)
                result = see(self.get_declared_result(member) or NOTHING_KNOWN, member)
                gathers = bool(parameters) and parameters[-1].kind is BindingKind.VARIADIC
                return CallableType(result, tuple(see(types, member) for types in declared), gathers)
        return None

    def infer_result(self, function: FunctionType, arguments: Arguments = NO_ARGUMENTS) -> Types:
        types, is_open = self._results(function)
        return self._generics.result(types, function, arguments) if is_open else types

    def _read_call_results(self, function: FunctionType) -> tuple[Types, bool]:
        """Return the result types of a function, and whether they depend on the receiver or the arguments of a call."""
        declared = self.get_declared_result(function)
        if declared is None:
            declared = self._inferred_results((function.file, function.symbol))
        return declared, self._generics.is_open(declared, function)

    def decorated(self, function: FunctionType) -> Types:
        """Return the types of the function's name: the object that a decorator returns, or the function itself."""
        current: Types = (function,)
        for made in self._iter_decorated_results(function):
            is_object = made and all(isinstance(k, InstanceType) and isinstance(k.of, ClassType) for k in made)
            current = made if is_object else current
        return current

    def is_replaced(self, function: FunctionType) -> bool:
        """Return whether a decorator of unknown effect may replace the function by an object with its own members."""
        implicit = conventions_of(function.file).implicit
        symbol = self._scopes.source.facts(function.file).symbols[function.symbol]
        if all(implicit.is_harmless(decorator) for decorator in symbol.decorators):
            return False
        return any(
            not made or not all(isinstance(kind, (FunctionType, CallableType)) for kind in made)
            for made in self._iter_decorated_results(function)
        )

    def _iter_decorated_results(self, function: FunctionType) -> Iterator[Types]:
        """Yield the result types of each decorator of the function, innermost first."""
        current: Types = (function,)
        written = self._scopes.source.uses(function.file).decorators.get(function.symbol, ())
        scope = self._scopes.class_scope(function.file, function.symbol)
        outside = self._scopes.source.uses(function.file).scopes[scope].parent if written else 0
        for decorator in reversed(written):
            given = Arguments(known=(current,))
            makers = self._overloads.choose_declared(self._context.infer(decorator, function.file, outside), given)
            made = union(*(self.call(maker, given) for maker in makers))
            yield made
            is_object = made and all(isinstance(k, InstanceType) and isinstance(k.of, ClassType) for k in made)
            current = made if is_object else current

    def joined(self, operands: list[Types], method: str) -> Types:
        """Return the types of `a or b`, or of a chain of one binary operator: `a | b | c`."""
        found = operands[0]
        for right in operands[1:]:
            is_operated = any(self._has_operator(kind, method) for kind in found)
            is_operated = is_operated or any(self._has_operator(kind, _reflected(method)) for kind in right)
            found = self.operated(found, right, method) if is_operated else union(found, right)
        return found

    def operated(self, left: Types, right: Types, method: str) -> Types:
        """Return the result types of a binary operator; for an outside left operand, that operand's own type.

        In languages where both operands choose the method (`impl Add<B> for A`), the result is unknown if the left
        operand has several such methods, or if only the right operand is of the workspace.
        """
        result: list[Types] = []
        is_chosen_by_both = not _reflected(method)
        is_plain = all(isinstance(kind, InstanceType) and is_outside(kind.of) for kind in right)
        for kind in left:
            if is_chosen_by_both and (self._has_operators(kind, method) or (is_foreign(kind) and not is_plain)):
                result.append(NOTHING_KNOWN)
            elif self._has_operator(kind, method):
                result.append(self._operate(kind, method, right))
            elif isinstance(kind, InstanceType) and is_outside(kind.of):
                # Concatenating containers results in a container with the element types of both.
                result.append(union((kind,), right) if kind.arguments else (kind,))
            else:
                result.append(NOTHING_KNOWN if not self._reflect(right, method) else ())
        return union(*result, self._reflect(right, method))

    def _reflect(self, right: Types, method: str) -> Types:
        """Return the result types of the right operands' reflected operators."""
        name = _reflected(method)
        if not name:
            return ()
        return union(*(self._operate(kind, name) for kind in right if self._has_operator(kind, name)))

    def _has_operator(self, kind: Type, method: str) -> bool:
        """Return whether the class of an object is known and defines an operator."""
        is_own = isinstance(kind, InstanceType) and isinstance(kind.of, ClassType)
        return is_own and self._context.get_member(kind, method) is not None

    def _has_operators(self, kind: Type, method: str) -> bool:
        """Return whether a class defines an operator several times, for several types of the right operand."""
        of = kind.of if isinstance(kind, InstanceType) else None
        return isinstance(of, ClassType) and self._context.members.is_added_twice(of, method)

    def _operate(self, kind: Type, method: str, right: Types = NOTHING_KNOWN) -> Types:
        """Return the result types of an operator method of an object."""
        members = self._context.infer_member(kind, method)
        return union(*(self.call(member, Arguments(known=(right,))) for member in members)) or NOTHING_KNOWN

    def sent(self, file: str, scope: int) -> Types:
        """Return the types that a `yield` of a generator receives, as its function declares."""
        scopes = self._scopes.source.uses(file).scopes
        while scope > 0 and scopes[scope].symbol < 0:
            scope = scopes[scope].parent
        declared = self.get_declared_result(FunctionType(file, scopes[scope].symbol)) or ()
        found = [kind.arguments[1] for kind in declared if isinstance(kind, InstanceType) and len(kind.arguments) > 1]
        return union(*found) or NOTHING_KNOWN

    def awaited(self, types: Types) -> Types:
        """Return the result types of awaiting: those of `__await__`, or the value's own types."""
        result: list[Types] = []
        for kind in _iter_with_bounds(types):
            can_wait = isinstance(kind, InstanceType) and self._context.get_member(kind, "__await__") is not None
            result.append(self._call_special(kind, "__await__") if can_wait else (kind,))  # type: ignore[arg-type]
        return union(*result)

    def iterate(self, types: Types) -> Types:
        result: list[Types] = []
        for kind in _iter_with_bounds(types):
            if _is_result(kind):
                result.append((kind,))
            elif isinstance(kind, ClassType) and self._context.records.is_enum(kind):
                result.append((InstanceType(kind),))
            elif isinstance(kind, InstanceType):
                result.append(union(*self._items(kind)) or self._iterated(kind))
            else:
                result.append(NOTHING_KNOWN)
        return union(*result)

    def entered(self, types: Types) -> Types:
        """Return the types that `with … as` binds."""
        result: list[Types] = []
        for kind in types:
            if isinstance(kind, InstanceType) and isinstance(kind.of, ClassType):
                found = self._call_special(kind, "__enter__")
                result.append(found if found != NOTHING_KNOWN else self._call_special(kind, "__aenter__"))
            else:
                result.append(NOTHING_KNOWN)
        return union(*result)

    def item(self, types: Types, position: int) -> Types:
        result: list[Types] = []
        for kind in _iter_with_bounds(types):
            if items := self._items(kind):
                result.append(items[position] if position < len(items) else NOTHING_KNOWN)
            elif isinstance(kind, InstanceType) and (member := self._context.records.get_unpacked(kind.of, position)):
                result.append(self._context.infer_member(kind, member))
            else:
                result.append(self.iterate((kind,)))
        return union(*result)

    def indexed(self, kind: Type, *, is_slice: bool = False) -> Types:
        """Return the types of `value[index]` or `value[start:end]`."""
        if _is_result(kind):
            return (kind,)
        if isinstance(kind, InstanceType):
            if is_slice and self._context.get_member(kind, _SLICING) is not None:
                return self._call_special(kind, _SLICING)
            of = kind.of if isinstance(kind.of, ClassType) else None
            may_point = of is not None and self._scopes.spec(of.file).pointers
            if may_point and self._context.get_member(kind, "__getitem__") is None:
                return (kind,)
            return union(*self._items(kind)) or self._call_special(kind, "__getitem__")
        if isinstance(kind, TypeVariable) and kind.path and kind.bound:
            return union(*(self.indexed(bound, is_slice=is_slice) for bound in kind.bound))
        return NOTHING_KNOWN

    def _items(self, kind: Type) -> tuple[Types, ...]:
        """Return the types of each item of a tuple; () for anything else."""
        if not isinstance(kind, InstanceType):
            return ()
        if isinstance(kind.of, External):
            return kind.arguments if kind.of.is_builtin else ()
        if len(kind.arguments) > 1 and self._generics.is_tuple(kind.of):
            return kind.arguments
        records = self._context.records
        is_record = records.is_tuple(kind.of)
        return tuple(self._context.infer_variable(field) for field in records.fields(kind.of)) if is_record else ()

    def read_guard(self, function: FunctionType) -> Types:
        """Return the types that a type guard (`x is T`, `TypeIs[T]`) declares for its argument; else ()."""
        declared = self._scopes.source.uses(function.file).results.get(function.symbol, UNKNOWN)
        is_form = self._is_guard(declared, function.file) and len(declared.parts) == 2
        is_guard = declared.kind is ExpressionKind.GUARD or is_form
        return self._read_result(declared.parts[-1], function) if is_guard else ()

    def get_declared_result(self, function: FunctionType) -> Types | None:
        return self._declared(function)

    def _read_declared(self, function: FunctionType) -> Types | None:
        declared = self._scopes.source.uses(function.file).results.get(function.symbol)
        if declared is None:
            return None
        if self._is_guard(declared, function.file):
            return (self._context.make_standard(function.file, "bool"),)
        types = self._read_result(declared, function)
        decorators = self._scopes.source.facts(function.file).symbols[function.symbol].decorators
        conventions = conventions_of(function.file)
        if is_decorated(decorators, conventions.decorators.managers):
            return (self._context.make_standard(function.file, MANAGER, self.iterate(types)),)
        scope = self._scopes.class_scope(function.file, function.symbol)
        is_generator = bool(self._scopes.source.uses(function.file).yields.get(scope))
        is_fixture = is_generator and is_decorated(decorators, conventions.tests.fixtures)
        return self.iterate(types) if is_fixture else types

    def _is_guard(self, declared: Expression, file: str) -> bool:
        """Return whether a declared result is a type guard: true if an argument is of the type that it names."""
        guards = self._scopes.spec(file).type_forms.guards
        return declared.kind is ExpressionKind.SUBSCRIPT and declared.parts[0].name in guards

    def _read_result(self, declared: Expression, function: FunctionType) -> Types:
        """Return the types of a result as its function declares it."""
        uses = self._scopes.source.uses(function.file)
        scope = self._scopes.class_scope(function.file, function.symbol)
        parent = uses.scopes[scope].parent if scope >= 0 else 0
        own = self._own_class(function)
        type_parameters = {variable.name for variable in self._context.signatures.find_type_parameters(function)}
        within = scope if type_parameters.intersection(iter_names(declared)) else max(parent, 0)
        return self._context.read_type(declared, function.file, within, own)

    def _own_result(self, function: tuple[str, int]) -> Types:
        """Return the types of the function's `return`s or `yield`s; () while they are being inferred."""
        file, index = function
        uses, symbol = self._scopes.source.uses(file), self._scopes.source.facts(file).symbols[index]
        scope, infer = self._scopes.class_scope(file, index), self._context.infer
        yields, returns = uses.yields.get(scope, ()), uses.returns.get(scope, ())
        if yields:
            given = union(*(infer(value, file, scope) for value in yields))
            conventions, make = conventions_of(file), self._context.make_standard
            if is_decorated(symbol.decorators, conventions.tests.fixtures):
                return given
            is_manager = is_decorated(symbol.decorators, conventions.decorators.managers)
            return (make(file, MANAGER if is_manager else self._scopes.spec(file).generator, given),)
        return union(*(infer(value, file, scope) for value in returns))

    def _own_class(self, function: FunctionType) -> ClassType | None:
        """Return the class of the receiver, else the class around the function."""
        receiver = function.receiver
        if isinstance(receiver, InstanceType) and isinstance(receiver.of, ClassType):
            return receiver.of
        if isinstance(receiver, ClassType):
            return receiver
        scope = self._scopes.class_scope(function.file, function.symbol)
        return self._context.get_own_class(function.file, scope) if scope >= 0 else None

    def _call_special(self, kind: InstanceType, method: str, depth: int = 0) -> Types:
        """Return the result types of a special method of an object; unknown if it has none.

        The method may itself be an object that can be called. The depth is limited, because `__call__` of an object may
        be such an object again, and so on.
        """
        members = self._context.infer_member(kind, method) if depth < _MAX_CALLED_OBJECTS else ()
        found = (
            self._call_special(each, "__call__", depth + 1) if isinstance(each, InstanceType) else self.call(each)
            for each in members
        )
        return union(*found) or NOTHING_KNOWN

    def _iterated(self, kind: InstanceType) -> Types:
        """Return the item types of an object by its `__iter__`, `__aiter__` or `__getitem__`."""
        for special, follow in (("__iter__", "__next__"), ("__aiter__", "__anext__")):
            if self._context.get_member(kind, special) is None:
                continue
            result: list[Types] = []
            for iterator in self._call_special(kind, special):
                own = isinstance(iterator, InstanceType) and isinstance(iterator.of, ClassType)
                if own and self._context.get_member(iterator, follow) is not None:
                    result.append(self._call_special(iterator, follow))  # type: ignore[arg-type]
                elif not own or iterator.of.file.startswith(STUBS):  # type: ignore[union-attr]
                    result.append(self.iterate((iterator,)))
            return union(*result) or NOTHING_KNOWN
        if self._is_array(kind):
            return (kind,)
        return self._call_special(kind, "__getitem__")

    def _is_array(self, kind: InstanceType) -> bool:
        """Return whether a C++ loop over an object is one over an array, which has the type of its items."""
        is_own = isinstance(kind.of, ClassType) and not kind.of.file.startswith(STUBS)
        if not is_own or not self._scopes.spec(kind.of.file).linkage:  # type: ignore[union-attr]
            return False
        return all(self._context.get_member(kind, name) is None for name in ("begin", "__getitem__"))

    def _external_call(self, callee: External, arguments: list[Expression], file: str, scope: int, line: int) -> Types:
        """Return the types of a cast (`cast(Cart, x)`) or of the class of a value (`type(x)`); else unknown."""
        forms = self._scopes.spec(file).type_forms
        name = forms.get_name(callee.name)
        if name in forms.casts and len(arguments) > 1:
            return self._context.read_type(arguments[0], file, scope)
        if name in forms.classes and len(arguments) == 1:
            given = self._context.infer(arguments[0], file, scope, line)
            return tuple(map(as_class, given))
        return NOTHING_KNOWN

    def _returns_external(self, function: External, callee: Expression, arguments: Arguments) -> bool:
        """Return whether the result of a call certainly comes from outside, in languages with static types.

        A function that is declared outside can name no type of the workspace. If it is generic, a type of the
        workspace must be among its type arguments, its arguments or those of its receiver's type.
        """
        is_static = self._scopes.spec(arguments.file).static_types if arguments.file else False
        callee = callee.parts[0] if callee.kind is ExpressionKind.SUBSCRIPT else callee
        if not is_static or function.is_builtin or callee.kind is not ExpressionKind.ATTRIBUTE:
            return False
        owners = self._context.infer(callee.parts[0], arguments.file, arguments.scope, arguments.line)
        given = (kind for _, types in self._context.iter_types(arguments) for kind in types)
        return all(isinstance(kind, Module) or is_foreign(kind) for kind in (*owners, *given))


def _iter_with_bounds(types: Types) -> Iterator[Type]:
    """Yield the types, with members of type parameters (`T["item"]`) replaced by their bounds."""
    for kind in types:
        is_member = isinstance(kind, TypeVariable) and kind.path
        yield from kind.bound or (kind,) if is_member else (kind,)  # type: ignore[union-attr]


def _is_result(kind: Type) -> bool:
    """Return whether a value is the result of an outside function; its items count as such results too."""
    return isinstance(kind, InstanceType) and isinstance(kind.of, External) and kind.of.is_result


def _reflected(method: str) -> str:
    """Return the method of the right operand for an operator that the left one does not define, "" if there is none."""
    return f"__r{method[2:]}" if method.startswith("__") else ""
