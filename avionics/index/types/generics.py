"""Solve type parameters from the receiver's type arguments and from the arguments of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.memo import FinalValues
from avionics.index.model.values import (
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Type,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
    as_class,
    union,
)
from avionics.index.types.signatures import NO_ARGUMENTS, Arguments
from avionics.index.types.substitution import Given, erase, mentions_variable, substitute
from avionics.model.enums import ExpressionKind
from avionics.model.facts import UNKNOWN, Binding, Expression
from avionics.syntax.engine.expressions import RESULT

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext


class Generics:
    """Replaces the type parameters of generic classes and functions by their arguments."""

    def __init__(self, context: InferenceContext) -> None:
        self._context = context
        self._scopes = context.scopes
        self._seen_from: FinalValues[tuple[ClassType, ClassType], Given] = FinalValues(
            self._solve_arguments, context.scopes.computation
        )

    def member(self, types: Types, receiver: Type, declared_in: ClassType) -> Types:
        """Return a member's types with the receiver's type arguments: `T` of `Box[T].item` is `Cart` on `Box[Cart]`."""
        of = as_class(receiver)
        if not isinstance(of, ClassType) or not mentions_variable(*types):
            return types
        return self._substitute(types, self._arguments_for(of, declared_in))

    def result(self, types: Types, function: FunctionType, arguments: Arguments) -> Types:
        """Return the declared result types of a call; unsolved type parameters are replaced by their bounds."""
        own = function.receiver
        given: Given = {}
        if own is not None:
            given |= self._class_arguments(own, function)
            if self._context.signatures.has_own_object(function):
                self._solve(self._context.signatures.find(function)[0], function.file, (own,), given)
        self._learn(function, arguments, given)
        if function.arguments:
            given |= dict(zip(self.find_own_parameters(function), function.arguments, strict=False))
        result: list[Types] = []
        for kind in types:
            if self._is_self_type(kind, function):
                result.append((_instance(own),) if own is not None else NOTHING_KNOWN)
            else:
                result.append(erase(self._substitute((kind,), given), kind))
        return union(*result)

    def is_open(self, types: Types, function: FunctionType) -> bool:
        """Return whether the declared types of a call's result depend on its receiver or its arguments."""
        return any(mentions_variable(kind) or self._is_self_type(kind, function) for kind in types)

    def find_own_parameters(self, function: FunctionType) -> tuple[Variable, ...]:
        """Return the type parameters of a function without those of its class, which C++ repeats outside of it."""
        declared = self._context.signatures.find_type_parameters(function)
        scope = self._scopes.class_scope(function.file, function.symbol)
        scopes = self._scopes.source.uses(function.file).scopes
        parent = scopes[scope].parent if scope >= 0 and self._scopes.spec(function.file).linkage else -1
        is_added = parent >= 0 and scopes[parent].of != UNKNOWN
        of = self._context.members.class_at(function.file, parent) if is_added else None
        return declared[len(self._class_parameters(of)) :] if of is not None else declared

    def _is_self_type(self, kind: Type, function: FunctionType) -> bool:
        """Return whether a type in a function's header is `Self`, which stands for the class of its receiver."""
        of = kind.of if isinstance(kind, InstanceType) else None
        forms = self._scopes.spec(function.file).type_forms
        return isinstance(of, External) and forms.get_name(of.name) in forms.own

    def seen_by_call(self, types: Types, function: FunctionType, arguments: Arguments = NO_ARGUMENTS) -> Types:
        """Return types of a function's header with `T` replaced, if the call's receiver or arguments determine it."""
        if not mentions_variable(*types):
            return types
        given = dict(self._class_arguments(function.receiver, function)) if function.receiver is not None else {}
        self._learn(function, arguments, given)
        return self._substitute(types, given)

    def _substitute(self, types: Types, given: Given) -> Types:
        return substitute(types, given, self._context.follow_path)

    def construct(self, of: ClassType, arguments: Arguments) -> InstanceType:
        """Return the object that a constructor call creates, with the type arguments that its arguments imply."""
        parameters = () if of.arguments else self._class_parameters(of)
        found = self._context.members.find(of, "__init__") if parameters else None
        if found is None or found.owner.plain != of.plain:
            return InstanceType(of, of.arguments)
        given: Given = {}
        plain = InstanceType(of)
        for binding in self._scopes.bindings(found.variable):
            if binding.symbol >= 0:
                self._learn(FunctionType(of.file, binding.symbol, plain), arguments, given)
        inferred = tuple(given.get(parameter, NOTHING_KNOWN) for parameter in parameters)
        return InstanceType(of.applied(inferred), inferred)

    def _learn(self, function: FunctionType, arguments: Arguments, given: Given) -> None:
        """Solve type parameters from all arguments of a call."""
        known = given.keys() | ()
        for argument, types in self._context.iter_types(arguments):
            parameter = self._context.signatures.get(function, argument)
            if parameter is not None:
                self._solve(parameter, function.file, types, given)
        for variable in given.keys() - known:
            if given[variable] == NOTHING_KNOWN:
                # Its bound is more specific.
                del given[variable]
        expected = arguments.named.get(RESULT)
        if expected is not None:
            self._learn_from_result(function, expected, arguments, given)

    def _learn_from_result(
        self, function: FunctionType, expected: Expression, arguments: Arguments, given: Given
    ) -> None:
        """Solve type parameters that no argument determines from the expected type of the call's result."""
        learned: Given = {}
        types = self._context.infer(expected, arguments.file, arguments.scope, arguments.line)
        for kind in self._context.get_declared_result(function) or ():
            self._match(kind, types, learned)
        for variable, found in learned.items():
            if found and found != NOTHING_KNOWN:
                given.setdefault(variable, found)

    def _solve(self, parameter: Binding, file: str, argument: Types, given: Given) -> None:
        """Solve the type parameters in a parameter's declaration from its argument."""
        if parameter.annotation == UNKNOWN:
            return
        for kind in self._context.read_type(parameter.annotation, file, parameter.within):
            self._match(kind, argument, given)

    def _match(self, declared: Type, argument: Types, given: Given) -> None:
        """Add to `given` the type parameters in a declared type, as the types of an argument solve them."""
        known = tuple(kind for kind in argument if not isinstance(kind, UnknownType))
        if isinstance(declared, TypeVariable):
            if declared.path:
                return
            if declared.is_class:
                known = tuple(_object_of(kind) for kind in known if isinstance(kind, (ClassType, External)))
            unknown = tuple(kind for kind in argument if isinstance(kind, UnknownType))
            given[declared.variable] = union(given.get(declared.variable, ()), known, unknown)
        elif not known and argument:
            return
        elif isinstance(declared, CallableType):
            result = union(*(self._context.call(kind) for kind in known))
            for kind in declared.result:
                self._match(kind, result, given)
            self._match_parameters(declared, known, given)
        elif isinstance(declared, InstanceType) and declared.arguments:
            functions = tuple(filter(_is_function, known))
            function = self._context.as_callable(declared) if functions else None
            if function is not None:
                self._match(function, functions, given)
                return
            seen = [self._seen_as(kind, declared) for kind in known]
            for position, inner in enumerate(declared.arguments):
                arguments = union(*(_argument(kind, position) for kind in seen))
                for kind in inner:
                    if mentions_variable(kind):
                        self._match(kind, arguments or self._elements(known, position), given)

    def _match_parameters(self, declared: CallableType, functions: Types, given: Given) -> None:
        """Solve remaining type parameters from the declared parameters of a function that is passed."""
        matched: Given = {}
        for function in functions:
            for wanted, taken in zip(declared.parameters, self._parameters_of(function), strict=False):
                for kind in wanted if not any(map(mentions_variable, taken)) else ():
                    self._match(kind, taken, matched)
        for variable, found in matched.items():
            if NOTHING_KNOWN[0] not in found:
                given.setdefault(variable, found)

    def _parameters_of(self, function: Type) -> tuple[Types, ...]:
        """Return the declared types of a function's parameters, by position."""
        if isinstance(function, CallableType):
            return function.parameters
        if not isinstance(function, FunctionType):
            return ()
        signatures = self._context.signatures
        taken = signatures.find(function)[signatures.has_own_object(function) :]
        return tuple(self._context.read_type(each.annotation, function.file, each.within) for each in taken)

    def _seen_as(self, kind: Type, declared: InstanceType) -> Type:
        """Return an object with the type arguments of the declared class, as an ancestor of the object's class.

        A `CartList` that inherits from `list[Cart]` is seen as `list[Cart]` for a parameter of type `list[T]`.
        """
        if not isinstance(kind, InstanceType) or not isinstance(declared.of, ClassType):
            return kind
        of = kind.of
        if isinstance(of, ClassType) and of.plain == declared.of.plain:
            is_uniform = len(declared.arguments) == 1 < len(kind.arguments) and self.is_tuple(of)
            return InstanceType(of, (union(*kind.arguments),)) if is_uniform else kind
        given = self._arguments_for(of, declared.of) if isinstance(of, ClassType) else {}
        types = tuple(given.get(parameter, ()) for parameter in self._class_parameters(declared.of)) if given else ()
        if types:
            return InstanceType(declared.of, types)
        # If the stubs declare all bases, the type arguments of a class that is not a descendant are unrelated.
        return InstanceType(of) if self._scopes.spec(declared.of.file).module_stubs else kind

    def _elements(self, types: Types, position: int) -> Types:
        """Return the item types of an iterable, for declarations that only require something iterable."""
        return self._context.iterate(types) if position == 0 else ()

    def _class_arguments(self, own: ClassType | InstanceType, function: FunctionType) -> Given:
        """Return the type parameters of the class that declares a function, as the receiver's class binds them."""
        of = as_class(own)
        scope = self._scopes.class_scope(function.file, function.symbol)
        parent = self._scopes.source.uses(function.file).scopes[scope].parent if scope >= 0 else -1
        declared_in = self._context.members.class_at(function.file, parent) if parent >= 0 else None
        if not isinstance(of, ClassType) or declared_in is None:
            return {}
        return self._arguments_for(of, declared_in)

    def _arguments_for(self, of: ClassType, declared_in: ClassType) -> Given:
        """Return the arguments for the type parameters of `declared_in`, as seen from its descendant `of`."""
        return self._seen_from((of, declared_in))

    def _solve_arguments(self, pair: tuple[ClassType, ClassType]) -> Given:
        of, declared_in = pair
        pending: list[tuple[ClassType, Given]] = [(of, {})]
        seen: set[ClassType] = set()
        while pending:
            current, known = pending.pop()
            if current.plain in seen:
                continue
            seen.add(current.plain)
            here = self._bind(current, [self._substitute(types, known) for types in current.arguments])
            here |= self._renamed(current, here)
            if current.plain == declared_in.plain:
                return here
            # `pending` is a stack: push the first base last, because a member is that of the first base that has it.
            bases = reversed(self._context.members.bases(current))
            pending.extend((base, here) for base in bases if isinstance(base, ClassType))
        return {}

    def _bind(self, of: ClassType, arguments: list[Types]) -> Given:
        """Return a class's type parameters with their arguments; the one of `tuple` gets the union of all items."""
        parameters = self._class_parameters(of)
        if len(arguments) > 1 and self.is_tuple(of):
            arguments = [union(*arguments)]
        # A parameter that is mapped to itself counts as missing, so that its declared bound is used.
        pairs = [
            *zip(parameters, arguments, strict=False),
            *zip(self._find_outer_parameters(of), arguments, strict=False),
        ]
        given = {parameter: types for parameter, types in pairs if types != (TypeVariable(parameter),)}
        is_raw = of.file.startswith(STUBS) and bool(self._scopes.spec(of.file).module_stubs)
        return dict.fromkeys(parameters, NOTHING_KNOWN) | given if is_raw else given

    def is_tuple(self, of: ClassType) -> bool:
        """Return whether a class is the tuple class, which has one type argument for each item."""
        return of.file.startswith(STUBS) and of.plain == self._scopes.get_standard_class(of.file, "tuple")

    def _renamed(self, of: ClassType, given: Given) -> Given:
        """Return the type arguments by the names in scopes that add members to the class: `U` of `impl<U> Box<U>`."""
        found: Given = {}
        parameters = self._class_parameters(of) if given else ()
        for file, scope in self._context.members.additions(of) if given else ():
            added_to = self._scopes.source.uses(file).scopes[scope].of
            for parameter, part in zip(parameters, added_to.parts[1:], strict=False):
                own = Variable(file, scope, part.name)
                if part.kind is ExpressionKind.NAME and parameter in given and self._scopes.bindings(own):
                    found[own] = given[parameter]
        return found

    def _class_parameters(self, of: ClassType) -> tuple[Variable, ...]:
        """Return the type parameters of a class: declared ones, those of `Generic[…]`, or else those in its bases."""
        uses = self._scopes.source.uses(of.file)
        scope = self._scopes.scope_of_class(of)
        declared = self._scopes.parameters_at(of.file, scope) or self._find_outer_parameters(of)
        if declared or of.symbol < 0:
            return declared or self._scopes.parameters_around(of.file, scope)
        found: list[Variable] = []
        for base in uses.bases.get(scope, ()):
            if base.kind is not ExpressionKind.SUBSCRIPT:
                continue
            outer = uses.scopes[scope].parent
            mentioned = [each for part in base.parts[1:] for each in self._find_mentioned(part, of.file, outer)]
            if base.parts[0].name in self._scopes.spec(of.file).type_forms.markers:
                return tuple(mentioned)
            found.extend(mentioned)
        return tuple(dict.fromkeys(found))

    def within_template(self, of: ClassType) -> ClassType:
        """Return a member class of a C++ template, applied to the parameters of the template."""
        return of.applied(tuple((TypeVariable(each),) for each in self._find_outer_parameters(of)))

    def _find_outer_parameters(self, of: ClassType) -> tuple[Variable, ...]:
        """Return the type parameters of the template around a class of C++ that has none of its own."""
        spec = self._scopes.spec(of.file)
        if of.symbol < 0 or not (spec.linkage and spec.overloads):
            return ()
        scope, scopes = self._scopes.scope_of_class(of), self._scopes.source.uses(of.file).scopes
        own, parent = self._scopes.parameters_at(of.file, scope), scopes[scope].parent if scope >= 0 else -1
        outer = self._context.members.class_at(of.file, parent) if parent >= 0 else None
        found = self._class_parameters(outer) if outer is not None else ()
        # A member class that is defined outside its template repeats the parameters of the template.
        is_outside = parent >= 0 and scopes[parent].of != UNKNOWN and len(own) == len(found)
        return found if not own or is_outside else ()

    def _find_mentioned(self, part: Expression, file: str, scope: int) -> tuple[Variable, ...]:
        """Return the type parameters in the arguments of a base, in order."""
        if part.kind is ExpressionKind.CONTAINER:
            return tuple(variable for inner in part.parts for variable in self._find_mentioned(inner, file, scope))
        types = self._context.read_type(part, file, scope)
        return tuple(kind.variable for kind in types if isinstance(kind, TypeVariable))


def _is_function(kind: Type) -> bool:
    """Return whether a value can be passed as a function: a lambda, a named function or a class."""
    return isinstance(kind, (CallableType, FunctionType, ClassType))


def _instance(own: ClassType | InstanceType) -> InstanceType:
    return own if isinstance(own, InstanceType) else InstanceType(own)


def _object_of(of: ClassType | External) -> InstanceType:
    return InstanceType(of, of.arguments) if isinstance(of, ClassType) else InstanceType(of)


def _argument(kind: Type, position: int) -> Types:
    """Return the type argument at a position, () if there is none."""
    arguments = kind.arguments if isinstance(kind, (InstanceType, ClassType)) else ()
    return arguments[position] if position < len(arguments) else ()
