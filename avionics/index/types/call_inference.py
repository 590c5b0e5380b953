"""Infer what calling, awaiting, iterating, entering and indexing values give."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index.model import python_builtins as names
from avionics.index.model.memo import Memo
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
    union,
)
from avionics.index.types.context import InferenceContext
from avionics.index.types.generics import Generics
from avionics.index.types.member_lookup import iter_names
from avionics.index.types.overloads import OverloadResolution
from avionics.index.types.signatures import NO_ARGUMENTS, Arguments
from avionics.index.types.substitution import is_foreign
from avionics.model.enums import ExpressionKind, SymbolKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.syntax.registry import conventions_of

_BOOLEAN = InstanceType(External(f"{names.BUILTIN}bool"))


class CallInference:
    """Infers what calling, awaiting, iterating, entering and indexing give."""

    def __init__(self, context: InferenceContext, generics: Generics, overloads: OverloadResolution) -> None:
        self._context = context
        self._scopes = context.scopes
        self._generics = generics
        self._overloads = overloads
        self._results: Memo[tuple[str, int], Types] = Memo(self._own_result, (), context.scopes.computation)

    def infer_call(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        """Return what a call gives."""
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
                known = self._external_call(names.last_part(kind.name), plain, file, scope, line)
                is_outside = known == NOTHING_KNOWN and self._returns_external(kind, callee, given)
                result.append((InstanceType(External(kind.name, is_result=True)),) if is_outside else known)
            else:
                result.append(self.call(kind, given))
        return union(*result)

    def _without_overloads(self, callees: Types, given: Arguments) -> Types:
        """Return the callees without those definitions of one name that do not take the arguments."""
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
        """Return what calling a value gives."""
        if isinstance(kind, ClassType):
            return (self._generics.construct(kind, arguments),)
        if isinstance(kind, FunctionType):
            return self.infer_result(kind, arguments)
        if isinstance(kind, CallableType):
            return kind.result
        if isinstance(kind, InstanceType):
            return self._through(kind, "__call__")
        return NOTHING_KNOWN

    def as_callable(self, kind: Type) -> CallableType | None:
        """Return what calling an object takes and gives, for an object whose class declares that; else None."""
        if isinstance(kind, CallableType):
            return kind
        of = kind.of if isinstance(kind, InstanceType) else None
        found = self._context.members.find(of, "__call__") if isinstance(of, ClassType) else None
        if found is None or not isinstance(of, ClassType):
            return None
        # A class that implements an interface of one method is no function, though its objects can be called.
        here, there = (self._scopes.get_class_symbol(each) for each in (of, found.owner))
        if there is not None and there.kind is SymbolKind.INTERFACE and (here is None or here.kind is not there.kind):
            return None
        for member in self._context.infer_member(kind, "__call__"):
            if isinstance(member, CallableType):
                return member
            if isinstance(member, FunctionType):
                see, signatures = self._generics.seen_by_receiver, self._context.signatures
                parameters = signatures.find(member)[signatures.has_own_object(member) :]
                declared = (self._context.read_type(b.annotation, member.file, b.within) for b in parameters)
                result = see(self._declared_result(member) or NOTHING_KNOWN, member)
                return CallableType(result, tuple(see(types, member) for types in declared))
        return None

    def infer_result(self, function: FunctionType, arguments: Arguments = NO_ARGUMENTS) -> Types:
        """Return what a function gives: its declared result, or what its `return`s give."""
        declared = self._declared_result(function)
        if declared is None:
            declared = self._inferred_result(function)
        return self._generics.result(declared, function, arguments)

    def decorated(self, function: FunctionType) -> Types:
        """Return what the function's name stands for: an object that a decorator makes of it, else the function."""
        current: Types = (function,)
        for made in self._made_by_decorators(function):
            is_object = made and all(isinstance(k, InstanceType) and isinstance(k.of, ClassType) for k in made)
            current = made if is_object else current
        return current

    def is_replaced(self, function: FunctionType) -> bool:
        """Return whether a decorator of unknown effect may make an object with members of its own of the function."""
        implicit = conventions_of(function.file).implicit
        symbol = self._scopes.source.facts(function.file).symbols[function.symbol]
        if all(implicit.is_harmless(decorator) for decorator in symbol.decorators):
            return False
        return any(
            not made or not all(isinstance(kind, (FunctionType, CallableType)) for kind in made)
            for made in self._made_by_decorators(function)
        )

    def _made_by_decorators(self, function: FunctionType) -> Iterator[Types]:
        """Yield what each decorator of the function gives, innermost first."""
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
        """Return what alternatives of types, or objects with an operator between them, give."""
        found = operands[0]
        for right in operands[1:]:
            is_operated = any(self._has_operator(kind, method) for kind in found)
            is_operated = is_operated or any(self._has_operator(kind, _reflected(method)) for kind in right)
            found = self.operated(found, right, method) if is_operated else union(found, right)
        return found

    def operated(self, left: Types, right: Types, method: str) -> Types:
        """Return what a binary operator gives; what comes from outside has it give its own kind."""
        result: list[Types] = []
        for kind in left:
            if self._has_operator(kind, method):
                result.append(self._operate(kind, method, right))
            elif isinstance(kind, InstanceType) and isinstance(kind.of, External):
                result.append((kind,))
            else:
                result.append(NOTHING_KNOWN if not self._reflect(right, method) else ())
        return union(*result, self._reflect(right, method))

    def _reflect(self, right: Types, method: str) -> Types:
        """Return what the right operands give where the left one leaves an operator to them."""
        name = _reflected(method)
        return union(*(self._operate(kind, name) for kind in right if self._has_operator(kind, name)))

    def _has_operator(self, kind: Type, method: str) -> bool:
        """Return whether an object's class of the workspace defines an operator."""
        is_own = isinstance(kind, InstanceType) and isinstance(kind.of, ClassType)
        return is_own and self._context.get_member(kind, method) is not None

    def _operate(self, kind: Type, method: str, right: Types = NOTHING_KNOWN) -> Types:
        """Return what an operator of an object gives."""
        members = self._context.infer_member(kind, method)
        return union(*(self.call(member, Arguments(known=(right,))) for member in members)) or NOTHING_KNOWN

    def sent(self, file: str, scope: int) -> Types:
        """Return what a `yield` of a generator receives, as its function declares."""
        scopes = self._scopes.source.uses(file).scopes
        while scope > 0 and scopes[scope].symbol < 0:
            scope = scopes[scope].parent
        declared = self._declared_result(FunctionType(file, scopes[scope].symbol)) or ()
        found = [kind.arguments[1] for kind in declared if isinstance(kind, InstanceType) and len(kind.arguments) > 1]
        return union(*found) or NOTHING_KNOWN

    def awaited(self, types: Types) -> Types:
        """Return what awaiting gives: what the object's `__await__` gives, else the value itself."""
        result: list[Types] = []
        for kind in types:
            can_wait = isinstance(kind, InstanceType) and self._context.get_member(kind, "__await__") is not None
            result.append(self._through(kind, "__await__") if can_wait else (kind,))  # type: ignore[arg-type]
        return union(*result)

    def iterate(self, types: Types) -> Types:
        """Return what iterating gives."""
        result: list[Types] = []
        for kind in types:
            if _is_result(kind):
                result.append((kind,))
            elif isinstance(kind, InstanceType) and isinstance(kind.of, External):
                last = names.last_part(kind.of.name)
                if last in {"tuple", "Tuple"}:
                    result.append(union(*kind.arguments) if kind.arguments else NOTHING_KNOWN)
                elif last in names.ITERATED_FIRST or last in names.MAPPINGS:
                    result.append(kind.arguments[0] if kind.arguments else NOTHING_KNOWN)
                else:
                    result.append(NOTHING_KNOWN)
            elif isinstance(kind, ClassType) and self._context.records.is_enum(kind):
                result.append((InstanceType(kind),))
            elif isinstance(kind, InstanceType):
                result.append(union(*self._fields(kind)) or self._iterated(kind))
            else:
                result.append(NOTHING_KNOWN)
        return union(*result)

    def entered(self, types: Types) -> Types:
        """Return what `with … as` binds."""
        result: list[Types] = []
        for kind in types:
            if isinstance(kind, InstanceType) and isinstance(kind.of, ClassType):
                found = self._through(kind, "__enter__")
                result.append(found if found != NOTHING_KNOWN else self._through(kind, "__aenter__"))
            elif isinstance(kind, InstanceType) and names.last_part(kind.of.name) in names.ENTERED:  # type: ignore[union-attr]
                result.append(kind.arguments[0] if kind.arguments else NOTHING_KNOWN)
            else:
                result.append(NOTHING_KNOWN)
        return union(*result)

    def item(self, types: Types, position: int) -> Types:
        """Return what unpacking gives at a position."""
        result: list[Types] = []
        for kind in types:
            is_tuple = (
                isinstance(kind, InstanceType)
                and isinstance(kind.of, External)
                and names.last_part(kind.of.name) in {"tuple", "Tuple"}
                and len(kind.arguments) > 1
            )
            if is_tuple:
                arguments = kind.arguments  # type: ignore[union-attr]
                result.append(arguments[position] if position < len(arguments) else NOTHING_KNOWN)
            elif fields := self._fields(kind):
                result.append(fields[position] if position < len(fields) else NOTHING_KNOWN)
            else:
                result.append(self.iterate((kind,)))
        return union(*result)

    def indexed(self, kind: Type) -> Types:
        """Return what `value[index]` gives."""
        if _is_result(kind):
            return (kind,)
        if isinstance(kind, InstanceType) and isinstance(kind.of, External):
            last = names.last_part(kind.of.name)
            if last in names.MAPPINGS:
                return kind.arguments[1] if len(kind.arguments) > 1 else NOTHING_KNOWN
            if last in {"tuple", "Tuple"} and kind.arguments:
                return union(*kind.arguments)
            if last in names.ITERATED_FIRST:
                return kind.arguments[0] if kind.arguments else NOTHING_KNOWN
            return NOTHING_KNOWN
        if isinstance(kind, InstanceType):
            of = kind.of if isinstance(kind.of, ClassType) else None
            may_point = of is not None and self._scopes.spec(of.file).pointers
            if may_point and self._context.get_member(kind, "__getitem__") is None:
                return (kind,)
            return union(*self._fields(kind)) or self._through(kind, "__getitem__")
        return NOTHING_KNOWN

    def _fields(self, kind: Type) -> tuple[Types, ...]:
        """Return what each item of a named tuple gives; () for anything else."""
        records = self._context.records
        if not (isinstance(kind, InstanceType) and isinstance(kind.of, ClassType) and records.is_tuple(kind.of)):
            return ()
        return tuple(self._context.infer_variable(field) for field in records.fields(kind.of))

    def external_member(self, owner: InstanceType, name: str) -> Types:
        """Return what a member of an object from outside gives: known only for containers."""
        assert isinstance(owner.of, External)
        last = names.last_part(owner.of.name)
        arguments = owner.arguments
        if last in names.MAPPINGS and len(arguments) > 1:
            keys, values = arguments[0], arguments[1]
            results = {
                "get": values,
                "pop": values,
                "setdefault": values,
                "values": (_iterable(values),),
                "keys": (_iterable(keys),),
                "items": (_iterable((InstanceType(External(f"{names.BUILTIN}tuple"), (keys, values)),)),),
                "copy": (owner,),
            }
            return (CallableType(results[name]),) if name in results else (External(f"{owner.of.text}.{name}"),)
        if last in names.ITERATED_FIRST and arguments:
            if name in {"pop", "popleft", "__next__", "__anext__"}:
                return (CallableType(arguments[0]),)
            if name in {"copy", "union", "difference", "intersection"}:
                return (CallableType((owner,)),)
        if names.last_part(names.RAISED) == last and arguments and name == "value":
            return arguments[0]
        if last == "ContextVar" and arguments and name == "get":
            return (CallableType(arguments[0]),)
        return (External(f"{owner.of.text}.{name}"),)

    def read_guard(self, function: FunctionType) -> Types:
        """Return what a function declares its argument to be if it is true (`x is T`, `TypeIs[T]`); () for others."""
        declared = self._scopes.source.uses(function.file).results.get(function.symbol, UNKNOWN)
        is_form = declared.kind is ExpressionKind.SUBSCRIPT and declared.parts[0].name in names.GUARDS
        is_guard = declared.kind is ExpressionKind.GUARD or (is_form and len(declared.parts) == 2)
        return self._read_result(declared.parts[-1], function) if is_guard else ()

    def _declared_result(self, function: FunctionType) -> Types | None:
        declared = self._scopes.source.uses(function.file).results.get(function.symbol)
        if declared is None:
            return None
        is_guard = declared.kind is ExpressionKind.SUBSCRIPT and declared.parts[0].name in names.GUARDS
        types = self._read_result(declared, function) if not is_guard else (_BOOLEAN,)
        symbol = self._scopes.source.facts(function.file).symbols[function.symbol]
        if names.is_decorated(symbol.decorators, tuple(names.CONTEXT_MANAGERS)):
            return (InstanceType(External("ContextManager"), (self.iterate(types),)),)
        if names.is_decorated(symbol.decorators, names.FIXTURES):
            return self._yielded(types)
        return types

    def _read_result(self, declared: Expression, function: FunctionType) -> Types:
        """Return the types of a result as its function declares it."""
        uses = self._scopes.source.uses(function.file)
        scope = self._scopes.class_scope(function.file, function.symbol)
        parent = uses.scopes[scope].parent if scope >= 0 else 0
        own = self._own_class(function)
        told = {variable.name for variable in self._context.signatures.find_type_parameters(function)}
        within = scope if told.intersection(iter_names(declared)) else max(parent, 0)
        return self._context.read_type(declared, function.file, within, own)

    def _yielded(self, types: Types) -> Types:
        """Return the types of a fixture: those of what it yields, if it yields."""
        result: list[Types] = []
        for kind in types:
            of = kind.of if isinstance(kind, InstanceType) else None
            generates = isinstance(of, External) and names.last_part(of.name) in names.YIELDING
            result.append(self.iterate((kind,)) if generates else (kind,))
        return union(*result)

    def _inferred_result(self, function: FunctionType) -> Types:
        """Return what the function's own `return`s or `yield`s give, memoised; () while that is being inferred."""
        return self._results((function.file, function.symbol))

    def _own_result(self, function: tuple[str, int]) -> Types:
        file, index = function
        uses, symbol = self._scopes.source.uses(file), self._scopes.source.facts(file).symbols[index]
        scope, infer = self._scopes.class_scope(file, index), self._context.infer
        yields, returns = uses.yields.get(scope, ()), uses.returns.get(scope, ())
        if yields:
            given = union(*(infer(value, file, scope) for value in yields))
            if names.is_decorated(symbol.decorators, tuple(names.CONTEXT_MANAGERS)):
                return (InstanceType(External("ContextManager"), (given,)),)
            is_fixture = names.is_decorated(symbol.decorators, names.FIXTURES)
            return given if is_fixture else (InstanceType(External("Generator"), (given,)),)
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

    def _through(self, kind: InstanceType, method: str) -> Types:
        """Return what a special method of a workspace class gives, if the class has it."""
        return union(*(self.call(member) for member in self._context.infer_member(kind, method))) or NOTHING_KNOWN

    def _iterated(self, kind: InstanceType) -> Types:
        """Return what iterating an object of a workspace class gives."""
        for special, follow in (("__iter__", "__next__"), ("__aiter__", "__anext__")):
            if self._context.get_member(kind, special) is None:
                continue
            result: list[Types] = []
            for iterator in self._through(kind, special):
                own = isinstance(iterator, InstanceType) and isinstance(iterator.of, ClassType)
                if own and self._context.get_member(iterator, follow) is not None:
                    result.append(self._through(iterator, follow))  # type: ignore[arg-type]
                elif not own:
                    result.append(self.iterate((iterator,)))
            return union(*result) or NOTHING_KNOWN
        return self._through(kind, "__getitem__")

    def _external_call(self, name: str, arguments: list[Expression], file: str, scope: int, line: int) -> Types:
        """Return the types of a call outside the workspace whose result follows from its arguments."""
        infer = self._context.infer
        if name == "cast" and len(arguments) > 1:
            return self._context.read_type(arguments[0], file, scope)
        if name in {"ref", "proxy", "partial"} and arguments:
            given = infer(arguments[0], file, scope, line)
            return (CallableType(union(*(self.call(k) for k in given)) if name == "partial" else given),)
        if name == "raises" and arguments:
            return (self._raised(infer(arguments[0], file, scope, line)),)
        if name == "type" and len(arguments) == 1:
            given = infer(arguments[0], file, scope, line)
            return tuple(kind.of if isinstance(kind, InstanceType) else kind for kind in given)
        if name in names.SAME_AS_ARGUMENT and arguments:
            given = infer(arguments[-1] if name == "filter" else arguments[0], file, scope, line)
            if name in {"copy", "deepcopy", "replace", "evolve"}:
                return given
            return (InstanceType(External(f"{names.BUILTIN}list"), (self.iterate(given),)),)
        if name in names.ELEMENT_OF_ARGUMENT and arguments:
            return self.iterate(infer(arguments[0], file, scope, line))
        if name == "enumerate" and arguments:
            counted = (InstanceType(External(f"{names.BUILTIN}int")),)
            inner = self.iterate(infer(arguments[0], file, scope, line))
            return (_iterable((InstanceType(External(f"{names.BUILTIN}tuple"), (counted, inner)),)),)
        if name == "zip" and arguments:
            inner_types = tuple(self.iterate(infer(argument, file, scope, line)) for argument in arguments)
            return (_iterable((InstanceType(External(f"{names.BUILTIN}tuple"), inner_types),)),)
        if name in {"str", "int", "float", "bytes", "bool", "dict", "repr", "len", "open", "object"}:
            return (InstanceType(External(f"{names.BUILTIN}{name}")),)
        return NOTHING_KNOWN

    def _returns_external(self, function: External, callee: Expression, arguments: Arguments) -> bool:
        """Return whether a call surely gives something from outside, as types are static there.

        A function that is declared outside can name no type of the workspace. If it is generic, a type of the
        workspace must be among its type arguments, its arguments or those of its receiver's type.
        """
        is_static = self._scopes.spec(arguments.file).static_types if arguments.file else False
        if not is_static or function.name.startswith(names.BUILTIN) or callee.kind is not ExpressionKind.ATTRIBUTE:
            return False
        owners = self._context.infer(callee.parts[0], arguments.file, arguments.scope, arguments.line)
        given = (kind for _, types in self._context.iter_types(arguments) for kind in types)
        return all(isinstance(kind, Module) or is_foreign(kind) for kind in (*owners, *given))

    def _raised(self, expected: Types) -> InstanceType:
        """Return what `pytest.raises(…)` gives: a context manager whose value holds the exception that is expected."""
        is_listed = all(isinstance(kind, InstanceType) for kind in expected)
        classes = self.iterate(expected) if is_listed else expected
        raised = tuple(InstanceType(kind) for kind in classes if isinstance(kind, (ClassType, External)))
        return InstanceType(External("ContextManager"), ((InstanceType(External(names.RAISED), (raised,)),),))


def _is_result(kind: Type) -> bool:
    """Return whether a value is what a function from outside gave: so are its parts."""
    return isinstance(kind, InstanceType) and isinstance(kind.of, External) and kind.of.is_result


def _iterable(of: Types) -> InstanceType:
    return InstanceType(External("Iterable"), (of,))


def _reflected(method: str) -> str:
    """Return the method of the right operand for an operator that the left one does not define."""
    return f"__r{method[2:]}"
