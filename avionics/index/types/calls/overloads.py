"""Choose which of several definitions of one name a call means.

In languages that distinguish definitions by their parameters, a definition is applicable if it takes that many
arguments and no type contradicts. Those that take the arguments unchanged come before those that convert them, and
these before variadic ones. Among several, the one whose parameters all others would accept is chosen (after the Java
Language Specification, 15.12.2). For Python's `@overload`, all that may take the arguments, judging by the call,
remain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.memo import Memo
from avionics.index.model.values import (
    CallableType,
    ClassType,
    FunctionType,
    InstanceType,
    Target,
    Type,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
    as_class,
)
from avionics.index.types.calls.assignability import EXACT, FORBIDDEN, LOOSE, UNSURE, WIDE, Conversions
from avionics.index.types.calls.specializations import select_specialization
from avionics.index.types.signatures import MORE, Arguments
from avionics.index.types.substitution import is_outside
from avionics.model.enums import FUNCTIONS, BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Binding, Expression, Reference
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import is_decorated, read_tests
from avionics.syntax.registry import conventions_of

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext

_NONE = Expression(ExpressionKind.LITERAL, "None")
_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.ATTRIBUTE})
_ALONE = frozenset({SymbolKind.MACRO, SymbolKind.MODULE})
"""Kinds of definitions without parameters to distinguish them: several `namespace n { … }` are one."""
_MAX_ABOVE = 8
"""The maximum number of ancestors whose overloads of a name are added to those of a class."""


class _Fit(Struct, frozen=True):
    """How well a function fits the arguments of a call: the declared type of each argument and its rank."""

    function: FunctionType
    declared: tuple[Types, ...]
    grades: tuple[int, ...]
    is_variable: bool

    @property
    def phase(self) -> int:
        """Return which conversion the arguments need: none (0), boxing or casting (1), or variadic collection (2)."""
        if self.is_variable:
            return 2
        return 1 if LOOSE in self.grades else 0


class OverloadResolution:
    """Chooses among the functions of one snapshot that share a name."""

    def __init__(self, context: InferenceContext) -> None:
        self._context = context
        self.scopes = context.scopes
        self.signatures = context.signatures
        self.find_own_parameters = context.find_own_parameters
        self._conditions = context.conditions
        self._conversions = Conversions(context)
        self._declared: Memo[FunctionType, tuple[Types, ...]] = Memo(
            self._read_declared, (), context.scopes.computation
        )
        self._chosen: dict[tuple[frozenset[FunctionType], str, int, int], tuple[FunctionType, ...]] = {}

    def choose_declared(self, callees: Types, arguments: Arguments) -> Types:
        """Return the callees without overloads that cannot take the arguments, and without the body they share."""
        overloads = [kind for kind in callees if isinstance(kind, FunctionType) and self._is_overload(kind)]
        if not overloads:
            return callees
        shared = {self._qualname(kind) for kind in overloads}
        fitting = [kind for kind in overloads if self._may_take(kind, arguments)]
        others = [kind for kind in callees if not isinstance(kind, FunctionType) or self._qualname(kind) not in shared]
        return (*others, *(fitting or overloads))

    def choose(self, functions: tuple[FunctionType, ...], arguments: Arguments) -> tuple[FunctionType, ...]:
        """Return the functions that a call may select: one if that can be decided, () if none accepts the arguments."""
        given = [
            None if part == _NONE else self._context.infer(part, arguments.file, arguments.scope, arguments.line)
            for part in arguments.positional
        ]
        if any(each.arguments for each in functions):
            functions = self._list_generic(functions)
        # In C++ any class may declare conversions from and to others, and a template accepts any type.
        is_converting = any(self.scopes.spec(each.file).linkage for each in functions)
        if is_converting and len(functions) > 1:
            functions = self._list_binding(functions, arguments) or functions
        tried = [self._fit(function, given, arguments.named.keys()) for function in functions]
        fits = [fit for fit in tried if fit is not None and (is_converting or FORBIDDEN not in fit.grades)]
        exact = [fit for fit in fits if not fit.is_variable and all(grade == EXACT for grade in fit.grades)]
        is_certain = len(fits) == 1 or not (exact and self._is_conditional(exact[0].function))
        if len(exact) == 1 and MORE not in arguments.named and is_certain:
            return (exact[0].function,)
        if is_converting:
            return self._without_hidden_templates(tuple(fit.function for fit in fits))
        if len(fits) > 1 and not any(_is_open(fits, position) for position in range(len(given))):
            fits = [fit for fit in fits if fit.phase == min(other.phase for other in fits)]
            best = [fit for fit in fits if all(self._is_narrower(fit, other) for other in fits)]
            fits = best if len(best) == 1 else fits
        return tuple(fit.function for fit in fits)

    def choose_at(
        self, functions: tuple[FunctionType, ...], file: str, reference: Reference
    ) -> tuple[FunctionType, ...]:
        """Return the functions that a reference with arguments may select."""
        key = (frozenset(functions), file, reference.line, reference.column)
        if key not in self._chosen:
            if functions and self._is_given_types(functions[0], file, reference):
                functions = self._list_generic(functions)
            arguments = Arguments(reference.arguments or (), file, reference.scope, reference.line)
            self._chosen[key] = self.choose(functions, arguments)
        return self._chosen[key]

    def narrows(self, function: FunctionType, file: str, reference: Reference) -> bool:
        """Return whether a call would give a function a number that does not fit its parameter without a cast."""
        arguments = Arguments(reference.arguments or (), file, reference.scope, reference.line)
        given = [self._context.infer(part, file, reference.scope, reference.line) for part in arguments.positional]
        return any(map(self._conversions.narrows, self._declared(function), given))

    def _list_binding(self, functions: tuple[FunctionType, ...], arguments: Arguments) -> tuple[FunctionType, ...]:
        """Return the functions of C++ without those whose reference parameters bind worse than others.

        If both are declared, a variable binds to `const T&` and a new object to `T&&`.
        """
        written = {each: self._read_written(each) for each in functions}
        left = dict(written)
        for position, argument in enumerate(arguments.positional):
            is_variable, is_new = self._is_variable(argument, arguments), self._is_new(argument, arguments)
            for function, words in written.items():
                own = words[position] if position < len(words) - 1 else ()
                is_moving = own[:2] == ("&", "&") and len(own) > 2
                is_copying = own.count("&") == 1 and "const" in own
                plain = tuple(word for word in own if word not in {"&", "const"})
                twins = [other[position] for other in left.values() if position < len(other) - 1 and other != words]
                is_better_moved = is_new and is_copying and ("&", "&", *plain) in twins
                is_forwarding = plain in {(each.name,) for each in self.find_own_parameters(function)}
                if is_better_moved or (is_variable and is_moving and not is_forwarding):
                    left.pop(function, None)
        return tuple(left)

    def _is_variable(self, argument: Expression, arguments: Arguments) -> bool:
        """Return whether an argument is a local variable or a parameter."""
        if argument.kind is not ExpressionKind.NAME:
            return False
        found = self.scopes.get_variable(arguments.file, arguments.scope, argument.name)
        bindings = self.scopes.bindings(found) if found is not None and found.scope else ()
        kinds = {BindingKind.PARAMETER, BindingKind.ASSIGNMENT}
        return bool(bindings) and all(each.symbol < 0 and each.kind in kinds for each in bindings)

    def _is_new(self, argument: Expression, arguments: Arguments) -> bool:
        """Return whether an argument is a temporary value: a number, `Cart(…)` or `std::move(cart)`."""
        if argument.kind is not ExpressionKind.CALL or not argument.parts:
            return argument.kind is ExpressionKind.LITERAL and argument.name != "str"
        callee = argument.parts[0]
        if callee.kind is ExpressionKind.ATTRIBUTE and (callee.parts[0].name, callee.name) == ("std", "move"):
            return True
        called = self._context.infer(callee, arguments.file, arguments.scope, arguments.line)
        return bool(called) and all(isinstance(each, ClassType) for each in called)

    def _without_hidden_templates(self, functions: tuple[FunctionType, ...]) -> tuple[FunctionType, ...]:
        """Return the functions of C++ without the templates that have the same parameters as an ordinary function."""
        plain = [each for each in functions if not self.find_own_parameters(each)]
        written = set(map(self._read_written, plain)) - {()}
        return tuple(each for each in functions if each in plain or self._read_written(each) not in written)

    def _read_written(self, function: FunctionType) -> tuple[tuple[str, ...], ...]:
        symbol = self.scopes.source.facts(function.file).symbols[function.symbol]
        return self.signatures.read_written(Definition(function.file, symbol, function.symbol))

    def _is_given_types(self, function: FunctionType, file: str, reference: Reference) -> bool:
        """Return whether a call of C++ writes template arguments after the name."""
        spec = self.scopes.spec(file)
        if not (spec.linkage and spec.overloads):
            return False
        symbol = self.scopes.source.facts(function.file).symbols[function.symbol]
        line = self.scopes.source.read_line(file, reference.line)
        return line[reference.column :].removeprefix(symbol.name).lstrip().startswith("<")

    def _is_conditional(self, function: FunctionType) -> bool:
        """Return whether a template is only an overload for some types, by a condition such as `enable_if`."""
        condition = self.scopes.spec(function.file).conditional_functions
        if not condition or not self.find_own_parameters(function):
            return False
        symbol = self.scopes.source.facts(function.file).symbols[function.symbol]
        return re.search(condition, symbol.signature) is not None

    def _list_generic(self, functions: tuple[FunctionType, ...]) -> tuple[FunctionType, ...]:
        """Return the functions with their own type parameters, or all if none is known to have any."""
        return tuple(each for each in functions if self.find_own_parameters(each)) or functions

    def list_in_force(self, macros: tuple[Definition, ...], file: str, line: int) -> tuple[Definition, ...]:
        """Return which of several definitions of one macro a line sees; all of them if that is unknown.

        A definition ends at the next `#undef` or `#define` of the macro that is compiled together with the line.
        """
        source = self.scopes.source
        found = source.uses(file).references.get(macros[0].name, ())
        ends = [each.line for each in found if each.kind is ReferenceKind.DELETE]
        ends += [each.line for each in macros if each.file == file]
        if not ends or conventions_of(file).list_branches is None or len(macros) == 1:
            return macros
        branches = self._conditions.list_branches(file)
        here = read_tests(branches, line)
        ends = [end for end in ends if read_tests(branches, end) <= here]
        begun = (each for each in macros if each.file == file and each.line <= line)
        return tuple(each for each in begun if not any(each.line < end < line for end in ends)) or macros

    def get_taking(self, variable: Variable, arguments: Arguments) -> Variable | None:
        """Return the member that accepts the arguments: the given one, one that its class inherits, or an extension.

        An inherited function that is overridden does not count. An extension is chosen if no member takes the
        arguments. Return None if both may take them, or if the member is a value, which may or may not be callable.
        """
        holders = dict.fromkeys(self._functions_of(variable), variable)
        current = variable
        for _ in range(_MAX_ABOVE if holders else 0):
            above = self._get_inherited(current)
            if above is None or above == current:
                break
            current = above
            for function in self._functions_of(current):
                if not any(self._overrides(lower, function) for lower in holders):
                    holders[function] = current
        added = {each: other for other in self._find_added(variable) for each in self._functions_of(other)}
        if not added and all(holder == variable for holder in holders.values()):
            is_extension = self.scopes.source.uses(variable.file).scopes[variable.scope].of != UNKNOWN
            may_be_other = is_extension and bool(holders) and not self.scopes.spec(variable.file).linkage
            # An extension that does not take the arguments hides no function around it.
            return None if may_be_other and not self.choose(tuple(holders), arguments) else variable
        taking = self.choose(tuple(holders), arguments)
        chosen = {holders[each] for each in taking}
        has_extensions = bool(added) and not self.scopes.spec(variable.file).linkage
        if chosen and has_extensions and not any(self._takes_surely(each, arguments) for each in taking):
            return None if len(chosen) > 1 or self.choose(tuple(added), arguments) else next(iter(chosen))
        if not chosen:
            chosen = {added[each] for each in self.choose(tuple(added), arguments)}
            if chosen and not holders:
                return None
        return next(iter(chosen or {variable})) if len(chosen) < 2 else None

    def _takes_surely(self, function: FunctionType, arguments: Arguments) -> bool:
        """Return whether a function takes the arguments and all of their types are known."""
        given = [
            None if part == _NONE else self._context.infer(part, arguments.file, arguments.scope, arguments.line)
            for part in arguments.positional
        ]
        fit = self._fit(function, given, arguments.named.keys())
        return fit is not None and {UNSURE, FORBIDDEN}.isdisjoint(fit.grades)

    def _find_added(self, variable: Variable) -> tuple[Variable, ...]:
        """Return the extensions with the name of a member, of its class or of a base."""
        own = self._context.members.class_declaring(variable)
        found = self._context.members.list_added(own, variable.name) if own is not None else ()
        return tuple(each for each in found if each != variable)

    def find_inherited(self, function: FunctionType) -> tuple[FunctionType, ...]:
        """Return the functions with a method's name that its class inherits, with the receiver of the method."""
        symbol = self.scopes.source.facts(function.file).symbols[function.symbol]
        variable = self.scopes.get_declared(Definition(function.file, symbol, function.symbol))
        above = self._get_inherited(variable) if variable is not None and self.scopes.is_member(variable) else None
        found = self._functions_of(above) if above is not None else ()
        return tuple(structs.replace(each, receiver=function.receiver) for each in found)

    def may_take(self, variable: Variable, file: str, reference: Reference) -> bool:
        """Return whether one of a variable's functions accepts the arguments of a call."""
        return bool(self.choose_at(self._functions_of(variable), file, reference))

    def get_outer(self, member: Target, file: str, reference: Reference) -> Variable | None:
        """Return the function outside a class that a call of a bare name means, if no member takes its arguments."""
        if not self.scopes.spec(file).outward_overloads or reference.receiver is not None:
            return None
        functions = self._functions_of(member) if isinstance(member, Variable) else ()
        if not functions or self.choose_at(functions, file, reference):
            return None
        scopes, scope = self.scopes.source.uses(file).scopes, reference.scope
        while scope > 0:
            kind, scope = scopes[scope].kind, scopes[scope].parent
            found = self.scopes.find_targets(file, scope, reference.name) if kind is ScopeKind.CLASS else ()
            outer = next((each for each in found if isinstance(each, Variable)), None)
            if outer is not None and self.may_take(outer, file, reference):
                return outer
        return None

    def _is_overload(self, function: FunctionType) -> bool:
        """Return whether a function is decorated with `@overload`, so that it only declares a way to call another."""
        symbol = self.scopes.source.facts(function.file).symbols[function.symbol]
        return is_decorated(symbol.decorators, conventions_of(function.file).decorators.overloads)

    def _qualname(self, function: FunctionType) -> tuple[str, str]:
        return function.file, self.scopes.source.facts(function.file).symbols[function.symbol].qualname

    def _may_take(self, function: FunctionType, arguments: Arguments) -> bool:
        """Return whether every required parameter gets an argument and no argument is left over."""
        signatures = self._context.signatures
        if self.scopes.spec(function.file).separate_types:
            # An interface may describe either a function or a plain value, and a parameter may describe the receiver.
            return True
        parameters = signatures.find(function)[signatures.has_own_object(function) :]
        plain = [binding for binding in parameters if binding.kind is not BindingKind.VARIADIC]
        is_open = len(plain) < len(parameters)
        given, named = len(arguments.positional) + len(arguments.known), arguments.named
        if not is_open and (given > len(plain) or not named.keys() - {MORE} <= {binding.name for binding in plain}):
            return False
        if MORE not in named and any(b.name not in named and b.value == UNKNOWN for b in plain[given:]):
            return False
        return all(self._accepts(function, argument, types) for argument, types in self._context.iter_types(arguments))

    def _accepts(self, function: FunctionType, argument: int | str, given: Types) -> bool:
        """Return whether the parameter may take the argument; only outside classes as declared types rule it out."""
        parameter = self._context.signatures.get(function, argument)
        if parameter is None or parameter.annotation == UNKNOWN:
            return True
        declared = self._context.read_type(parameter.annotation, function.file, parameter.within)
        if not given or not all(isinstance(kind, InstanceType) and is_outside(kind.of) for kind in declared):
            return True
        if all(isinstance(kind, (FunctionType, CallableType)) for kind in given):
            return False
        return any(self._may_be_instance(kind, wanted) for kind in given for wanted in declared)

    def _may_be_instance(self, given: Type, wanted: Type) -> bool:
        """Return whether an object may be of a declared type: true unless both are unrelated built-in classes."""
        here, there = self._get_plain(given), self._get_plain(wanted)
        if here is None or there is None:
            return True
        return self._context.members.is_subclass(here, there) or self._context.members.is_subclass(there, here)

    def _get_plain(self, kind: Type) -> ClassType | None:
        """Return the stub's class of a built-in value that is not a container, such as a text, or None."""
        of = kind.of if isinstance(kind, InstanceType) and not kind.arguments else None
        is_plain = isinstance(of, ClassType) and of.file.startswith(STUBS) and not self.scopes.is_open_stub(of)
        return of if isinstance(of, ClassType) and is_plain else None

    def _get_inherited(self, variable: Variable) -> Variable | None:
        """Return the member that a member of a class overrides, or None."""
        own = self._context.members.class_declaring(variable)
        above = self._context.members.find(own, variable.name, skip_own=True) if own is not None else None
        return above.variable if above is not None else None

    def _functions_of(self, variable: Variable) -> tuple[FunctionType, ...]:
        """Return the functions that a variable names."""
        found = self.scopes.list_definitions(variable)
        return tuple(FunctionType.of(each) for each in found if each.kind in FUNCTIONS)

    def _overrides(self, lower: FunctionType, upper: FunctionType) -> bool:
        """Return whether a function accepts the arguments of the inherited one; type parameters match anything."""
        below, above = self._declared(lower), self._declared(upper)
        return len(below) == len(above) and all(map(_is_alike, below, above))

    def are_unlike(self, lower: FunctionType, upper: FunctionType, *, is_override: bool) -> bool:
        """Return whether two functions declare a parameter at the same position with certainly different types.

        With `is_override`, the class of `lower` inherits from that of `upper`.
        """
        pairs = zip(self._declared(lower), self._declared(upper), strict=False)
        return any(self._conversions.are_unlike(*pair, is_override=is_override) for pair in pairs)

    def _read_declared(self, function: FunctionType) -> tuple[Types, ...]:
        """Return the declared types of each parameter; () for one without a declaration."""
        return tuple(
            self._context.read_type(b.annotation, function.file, b.within) if b.annotation != UNKNOWN else ()
            for b in self._context.signatures.find(function)
        )

    def _fit(self, function: FunctionType, given: list[Types | None], named: Collection[str]) -> _Fit | None:
        """Return how a function takes the arguments (None for `null`), or None if there are too many or too few."""
        parameters = self._context.signatures.find(function)
        declared = list(self._declared(structs.replace(function, receiver=None, arguments=())))
        if parameters and len(given) < len(parameters):
            scope = self.scopes.source.uses(function.file).scopes[parameters[0].scope]
            skipped = scope.self_name == parameters[0].name
            parameters, declared = parameters[skipped:], declared[skipped:]
        is_open = bool(parameters) and parameters[-1].kind is BindingKind.VARIADIC
        required = [b for b in parameters if _is_required(b) and b.name not in named and MORE not in named]
        if len(given) < len(required) or (len(given) > len(parameters) and not is_open):
            return None
        is_gathered = is_open and not (
            len(given) == len(parameters) and self._grade(declared[-1], given[-1]) in {EXACT, WIDE}
        )
        if is_gathered:
            gathered = declared.pop()
            element = tuple(kind for types in map(held_by, gathered) for kind in types)
            declared.extend(element for _ in range(len(given) - len(declared)))
        declared = declared[: len(given)]
        grades = [self._grade(wanted, types) for wanted, types in zip(declared, given, strict=True)]
        return _Fit(function, tuple(declared), tuple(grades), is_gathered)

    def _grade(self, wanted: Types, given: Types | None) -> int:
        if given is None:
            return FORBIDDEN if self._conversions.excludes_null(wanted) else WIDE
        return self._conversions.grade(wanted, given)

    def _is_narrower(self, fit: _Fit, other: _Fit) -> bool:
        """Return whether the other function accepts everything that this one accepts."""
        return all(
            here == there or self._conversions.grade(there, here) in {WIDE, EXACT}
            for here, there in zip(fit.declared, other.declared, strict=True)
        )


class Overloads:
    """Distinguishes a definition from the overloads in its scope; it is the last one of `definitions`."""

    def __init__(self, resolution: OverloadResolution, definitions: tuple[Definition, ...]) -> None:
        self._resolution = resolution
        self._signatures = resolution.signatures
        self._asked = definitions[-1]
        self.is_macro = self._asked.kind is SymbolKind.MACRO
        self._macros = tuple(each for each in definitions if each.kind is SymbolKind.MACRO) if self.is_macro else ()
        others = definitions[:-1] if not self.is_macro else ()
        self.others = tuple(each for each in others if each.kind not in _ALONE and not self._is_twin(each))

    def select(self, file: str, reference: Reference, targets: tuple[Target, ...] = ()) -> bool | Reason:
        """Return whether a use of the name means the definition asked for, or the reason why that is unknown.

        If it has several targets, the functions among them are overloads as well, in whichever files they are.
        """
        if self._macros:
            return self._asked in self._resolution.list_in_force(self._macros, file, reference.line)
        chosen = select_specialization(self._asked, self.others, self._resolution.scopes, file, reference)
        if chosen is not None:
            return chosen
        # An import brings all functions of its name.
        others = self.others if len(targets) < 2 else tuple(dict.fromkeys((*self.others, *self._iter_beside(targets))))
        if not others or reference.is_import:
            return True
        if reference.arguments is None:
            return Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=len(others) + 1)
        functions = {each: FunctionType.of(each) for each in (*others, self._asked)}
        # Assume that the code compiles: if no overload seems to fit, some of their types are not known.
        taking = self._resolution.choose_at(tuple(functions.values()), file, reference) or tuple(functions.values())
        if functions[self._asked] not in taking:
            return False
        return len(taking) == 1 or Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=len(taking))

    def _iter_beside(self, targets: tuple[Target, ...]) -> Iterator[Definition]:
        """Yield the other functions among the targets of a call, of a language where these may be in several files."""
        scopes = self._resolution.scopes
        if not scopes.spec(self._asked.file).declared_again or self._asked.kind not in FUNCTIONS:
            return
        for target in targets:
            for each in scopes.list_definitions(target) if isinstance(target, Variable) else ():
                if each != self._asked and each.kind in FUNCTIONS and not self._is_twin(each):
                    yield each

    def list_same(self, declared: Iterable[Definition]) -> tuple[Definition, ...]:
        """Return the declarations whose parameters have the same types as those of the definition asked for.

        If some are also written alike, with the same qualifiers such as `const`, only these are returned.
        """
        if self._macros:
            return tuple(each for each in declared if not self._is_ended_before(each))
        same = tuple(each for each in declared if self._shape(each) == self._shape(self._asked))
        return tuple(each for each in same if self._is_written_alike(each)) or same

    def list_fitting(self, declared: Iterable[Definition]) -> tuple[Definition, ...]:
        """Return the declarations with as many parameters as the definition asked for, as far as C++ shows them."""
        own = self._signatures.read_written(self._asked)
        written = ((each, self._signatures.read_written(each)) for each in declared)
        return tuple(each for each, other in written if not own or not other or len(own) == len(other))

    def _is_ended_before(self, other: Definition) -> bool:
        """Return whether an `#undef` ends one of two definitions of a macro in a file before the other begins."""
        if other.file != self._asked.file or other.kind is not SymbolKind.MACRO or other == self._asked:
            return False
        first, second = sorted((other, self._asked), key=lambda each: each.line)
        return first not in self._resolution.list_in_force((first, second), first.file, second.line)

    @property
    def are_told_apart(self) -> bool:
        """Return whether other definitions with the name can be distinguished from the one asked for."""
        return bool(self.others) or len(self._macros) > 1

    def _is_written_alike(self, other: Definition) -> bool:
        functions = (FunctionType.of(each) for each in (self._asked, other))
        counts = {len(self._resolution.find_own_parameters(each)) for each in functions}
        is_same = self._signatures.read_written(other) == self._signatures.read_written(self._asked)
        return is_same and len(counts) == 1

    def _is_twin(self, other: Definition) -> bool:
        """Return whether another definition is the same under another condition (`#if`) rather than an overload.

        Values and types of one name are, unless a template argument makes one a specialization (`struct hash<Foo>`).
        Functions are if they have the same parameters and are not generic.
        """
        both = (self._asked, other)
        is_value = self._asked.kind is other.kind and other.kind in _VALUES
        if is_value or all(is_class(each.kind) or each.kind is SymbolKind.TYPE for each in both):
            return not any(re.search(rf"\b{each.name}\s*<", each.symbol.signature) for each in both)
        shape = self._shape(self._asked)
        if other.kind not in FUNCTIONS or UNKNOWN in shape or shape != self._shape(other):
            return False
        functions = (FunctionType.of(each) for each in both)
        return self._is_written_alike(other) and not any(map(self._signatures.find_type_parameters, functions))

    def _shape(self, definition: Definition) -> tuple[object, ...]:
        """Return the declared types of the parameters, as written."""
        function = FunctionType.of(definition)
        return tuple(binding.annotation for binding in self._signatures.find(function))


def get_body(
    resolution: OverloadResolution,
    definition: Definition,
    bodies: tuple[Definition, ...],
    declared: tuple[Definition, ...],
) -> Definition:
    """Return the body of a declaration among functions of its name; the declaration itself if none fits.

    A body that matches another declaration better is not taken.
    """
    overloads = Overloads(resolution, (definition,))
    found = overloads.list_fitting(bodies)
    if same := overloads.list_same(found):
        return same[0]
    others = (each for each in declared if each != definition) if found else ()
    taken = {body for each in others for body in Overloads(resolution, (each,)).list_same(found)}
    return next((body for body in found if body not in taken), definition)


def list_overloads_elsewhere(
    resolution: OverloadResolution, definition: Definition, declared: tuple[Definition, ...]
) -> tuple[Definition, ...]:
    """Return the functions in other files of a namespace, but for the same one declared again."""
    pattern = resolution.scopes.spec(definition.file).declared_again
    if not pattern or definition.kind not in FUNCTIONS:
        return ()
    is_again = re.match(pattern, definition.symbol.signature) is not None
    functions = (each for each in declared if each.kind in FUNCTIONS)
    return tuple(each for each in functions if not (is_again and re.match(pattern, each.symbol.signature)))


def list_other_functions(
    resolution: OverloadResolution, own: tuple[Definition, ...], declared: tuple[Definition, ...]
) -> tuple[Definition, ...]:
    """Return the declarations of C++ overloads that belong to none of the definitions `own`.

    They are the other overloads of a class whose body outside of the class is one of `own`.
    """
    is_overloaded = len(declared) > 1 and all(each.kind in FUNCTIONS for each in (*own, *declared))
    if not is_overloaded or not any(map(resolution.signatures.read_written, own)):
        return ()
    taken: set[Definition] = set()
    for each in own:
        asked = Overloads(resolution, (each,))
        fitting = asked.list_fitting(declared)
        taken.update(asked.list_same(declared) or (fitting if len(fitting) == 1 else ()))
    return tuple(each for each in declared if each not in taken)


def get_alike(
    resolution: OverloadResolution, definition: Definition, declared: tuple[Definition, ...]
) -> Definition | None:
    """Return the declaration whose parameters are spelled like those of a definition, or None."""
    same = Overloads(resolution, (definition,)).list_same(declared) if len(declared) > 1 else ()
    return next(iter(same), None)


def _is_alike(below: Types, above: Types) -> bool:
    """Return whether two declared types are the same apart from type arguments; unknown ones match anything."""
    if any(isinstance(kind, (TypeVariable, UnknownType)) for kind in (*below, *above)):
        return True
    plain = [list(map(as_class, types)) for types in (below, above)]
    erased = [[kind.plain if isinstance(kind, ClassType) else kind for kind in types] for types in plain]
    return erased[0] == erased[1]


def _is_required(binding: Binding) -> bool:
    return binding.value == UNKNOWN and binding.kind is not BindingKind.VARIADIC


def held_by(kind: object) -> Types:
    """Return the element types of a variadic parameter."""
    return kind.arguments[0] if isinstance(kind, InstanceType) and kind.arguments else ()


def _is_open(fits: list[_Fit], position: int) -> bool:
    """Return whether the argument at a position has an unknown type and the candidates differ there."""
    is_unsure = any(fit.grades[position] == UNSURE for fit in fits)
    return is_unsure and len({fit.declared[position] for fit in fits}) > 1
