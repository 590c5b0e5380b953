"""Overloads: which of several definitions of one name a use means, in languages that tell them apart by what they take.

Applicable are those that take as many arguments, of types that nothing contradicts: those that take them as they are
before those that convert them, and those before the ones that take any number. Among several, the one whose
parameters all the others would take is meant (after the Java Language Specification, 15.12.2).

Knows: arguments as written, parameters, declared types.
Does not know: how a use led to the name.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import attrs

from avionics.index.model.values import (
    ClassType,
    FunctionType,
    InstanceType,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
)
from avionics.index.types.arguments import Arguments
from avionics.index.types.assignability import EXACT, FORBIDDEN, LOOSE, UNSURE, WIDE, Conversions
from avionics.model.enums import BindingKind, ExpressionKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Reference
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind

if TYPE_CHECKING:
    from avionics.index.types.inference import Inference

_NOTHING = Expression(ExpressionKind.LITERAL, "None")
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_MAX_ABOVE = 8
"""Hierarchies in which a name is overloaded again and again are no deeper."""


@attrs.frozen
class _Fit:
    """How a function takes the arguments of a call: what each is declared to be, and how well it fits that."""

    function: FunctionType
    declared: tuple[Types, ...]
    grades: tuple[int, ...]
    is_variable: bool

    @property
    def phase(self) -> int:
        """What has to be done to the arguments: nothing, conversion, gathering."""
        return 2 if self.is_variable else 1 if LOOSE in self.grades else 0


class Choices:
    """What was found out about functions and calls, kept for one snapshot."""

    def __init__(self) -> None:
        self.declared: dict[tuple[str, int, int], Types] = {}
        self.chosen: dict[tuple[frozenset[FunctionType], str, int, int], tuple[FunctionType, ...]] = {}


class Overloads:
    """One definition among those of its name in its scope; the last one given is the one asked for."""

    def __init__(self, inference: Inference, definitions: tuple[Definition, ...]) -> None:
        self._inference = inference
        self._asked = definitions[-1]
        others = definitions[:-1] if self._asked.kind is not SymbolKind.MACRO else ()
        self.others = tuple(each for each in others if each.kind is not SymbolKind.MACRO and not self._is_twin(each))

    def select(self, file: str, reference: Reference) -> bool | Reason:
        """Return whether a use of the name means the definition asked for, or why that is not known."""
        if not self.others:
            return True
        if reference.arguments is None:
            return Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=len(self.others) + 1)
        functions = {each: FunctionType(each.file, each.index) for each in (*self.others, self._asked)}
        kept = self._inference.choices.chosen
        key = (frozenset(functions.values()), file, reference.line, reference.column)
        if key not in kept:
            arguments = Arguments(reference.arguments, file, reference.scope, reference.line)
            kept[key] = choose_overloads(self._inference, tuple(functions.values()), arguments)
        chosen = kept[key]
        if functions[self._asked] not in chosen:
            return False
        return len(chosen) == 1 or Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=len(chosen))

    def is_same(self, declared: Definition) -> bool:
        """Whether a declaration elsewhere is one of the definition asked for, by its parameters as written."""
        return self._shape(declared) == self._shape(self._asked)

    def _is_twin(self, other: Definition) -> bool:
        """Whether another definition takes the very same: an alternative of a condition, and no overload."""
        shape = self._shape(self._asked)
        plain = other.kind in _FUNCTIONS and UNKNOWN not in shape and shape == self._shape(other)
        function = FunctionType(self._asked.file, self._asked.index)
        return plain and not self._inference.parameters.type_parameters(function)

    def _shape(self, definition: Definition) -> tuple[object, ...]:
        """What the parameters are declared to be, as written."""
        function = FunctionType(definition.file, definition.index)
        return tuple(binding.annotation for binding in self._inference.parameters.find(function))


def get_taking(inference: Inference, variable: Variable, arguments: Arguments) -> Variable | None:
    """The member of that name that takes the arguments: the one found, or one that its class inherits.

    None where that cannot be told. What overrides an inherited function stands for it.
    """
    holders = dict.fromkeys(_functions_of(inference, variable), variable)
    current = variable
    for _ in range(_MAX_ABOVE if holders else 0):
        own = inference.members.class_at(current.file, current.scope)
        above = inference.members.find(own, current.name, skip_own=True) if own is not None else None
        if above is None or above.variable == current:
            break
        current = above.variable
        for function in _functions_of(inference, current):
            if not any(_overrides(inference, lower, function) for lower in holders):
                holders[function] = current
    if current == variable or all(holder == variable for holder in holders.values()):
        return variable
    chosen = {holders[each] for each in choose_overloads(inference, tuple(holders), arguments)}
    return next(iter(chosen or {variable})) if len(chosen) < 2 else None


def _overrides(inference: Inference, lower: FunctionType, upper: FunctionType) -> bool:
    """Whether a function takes what the inherited one takes, type parameters standing for anything."""
    below, above = (inference.parameters.find(each) for each in (lower, upper))
    if len(below) != len(above):
        return False
    pairs = zip(below, above, strict=True)
    return all(_is_alike(_declared(inference, lower, a), _declared(inference, upper, b)) for a, b in pairs)


def _is_alike(below: Types, above: Types) -> bool:
    if any(isinstance(kind, (TypeVariable, UnknownType)) for kind in (*below, *above)):
        return True
    plain = [[kind.of if isinstance(kind, InstanceType) else kind for kind in types] for types in (below, above)]
    erased = [[(k.file, k.symbol) if isinstance(k, ClassType) else k for k in types] for types in plain]
    return erased[0] == erased[1]


def find_inherited(inference: Inference, function: FunctionType) -> tuple[FunctionType, ...]:
    """The functions of a method's name that its class inherits, as taken from the same object."""
    symbol = inference.scopes.source.facts(function.file).symbols[function.symbol]
    variable = inference.scopes.get_declared(Definition(function.file, symbol, function.symbol))
    is_member = variable is not None and inference.scopes.is_member(variable)
    own = inference.members.class_at(variable.file, variable.scope) if variable is not None and is_member else None
    above = inference.members.find(own, variable.name, skip_own=True) if own is not None and variable else None
    found = _functions_of(inference, above.variable) if above is not None else ()
    return tuple(attrs.evolve(each, receiver=function.receiver) for each in found)


def _functions_of(inference: Inference, variable: Variable) -> tuple[FunctionType, ...]:
    """What a variable names, where that is functions."""
    symbols = inference.scopes.source.facts(variable.file).symbols
    indices = [binding.symbol for binding in inference.scopes.bindings(variable) if binding.symbol >= 0]
    return tuple(FunctionType(variable.file, at) for at in indices if symbols[at].kind in _FUNCTIONS)


def choose_overloads(
    inference: Inference, functions: tuple[FunctionType, ...], arguments: Arguments
) -> tuple[FunctionType, ...]:
    """Those of the functions that a call may mean: one where that can be told, none where none takes the arguments."""
    conversions = Conversions(inference)
    given = [
        None if part == _NOTHING else inference.infer(part, arguments.file, arguments.scope, arguments.line)
        for part in arguments.positional
    ]
    tried = [_fit(inference, conversions, function, given, arguments.named.keys()) for function in functions]
    fits = [fit for fit in tried if fit is not None and FORBIDDEN not in fit.grades]
    exact = [fit for fit in fits if not fit.is_variable and all(grade == EXACT for grade in fit.grades)]
    if len(exact) == 1:
        return (exact[0].function,)
    if len(fits) > 1 and not any(_is_open(fits, position) for position in range(len(given))):
        fits = [fit for fit in fits if fit.phase == min(other.phase for other in fits)]
        best = [fit for fit in fits if all(_is_narrower(conversions, fit, other) for other in fits)]
        fits = best if len(best) == 1 else fits
    return tuple(fit.function for fit in fits)


def _fit(
    inference: Inference,
    conversions: Conversions,
    function: FunctionType,
    given: list[Types | None],
    named: Collection[str],
) -> _Fit | None:
    """How a function takes the arguments, None where there are too many or too few; None is given for `null`."""
    parameters = inference.parameters.find(function)
    if parameters and len(given) < len(parameters):
        scope = inference.scopes.source.uses(function.file).scopes[parameters[0].scope]
        parameters = parameters[1:] if scope.self_name == parameters[0].name else parameters
    is_open = bool(parameters) and parameters[-1].kind is BindingKind.VARIADIC
    required = [b for b in parameters if _is_required(b) and b.name not in named]
    if len(given) < len(required) or (len(given) > len(parameters) and not is_open):
        return None
    declared = [_declared(inference, function, binding) for binding in parameters]
    is_gathered = is_open and not (
        len(given) == len(parameters) and _grade(conversions, declared[-1], given[-1]) in {EXACT, WIDE}
    )
    if is_gathered:
        held = declared.pop()
        element = tuple(kind for types in map(_held_by, held) for kind in types)
        declared.extend(element for _ in range(len(given) - len(declared)))
    declared = declared[: len(given)]
    grades = [_grade(conversions, wanted, types) for wanted, types in zip(declared, given, strict=True)]
    return _Fit(function, tuple(declared), tuple(grades), is_gathered)


def _grade(conversions: Conversions, wanted: Types, given: Types | None) -> int:
    if given is None:
        return FORBIDDEN if conversions.takes_nothing(wanted) else WIDE
    return conversions.grade(wanted, given)


def _declared(inference: Inference, function: FunctionType, binding: Binding) -> Types:
    if binding.annotation == UNKNOWN:
        return ()
    key, kept = (function.file, binding.line, binding.column), inference.choices.declared
    if key not in kept:
        kept[key] = inference.annotations.read(binding.annotation, function.file, binding.within)
    return kept[key]


def _is_required(binding: Binding) -> bool:
    return binding.value == UNKNOWN and binding.kind is not BindingKind.VARIADIC


def _held_by(kind: object) -> Types:
    """What a gathered parameter holds."""
    return kind.arguments[0] if isinstance(kind, InstanceType) and kind.arguments else ()


def _is_open(fits: list[_Fit], position: int) -> bool:
    """Whether what is given there is not known, and the candidates differ in what they take."""
    is_unsure = any(fit.grades[position] == UNSURE for fit in fits)
    return is_unsure and len({fit.declared[position] for fit in fits}) > 1


def _is_narrower(conversions: Conversions, fit: _Fit, other: _Fit) -> bool:
    """Whether the other one would take all that this one takes."""
    return all(
        here == there or conversions.grade(there, here) in {WIDE, EXACT}
        for here, there in zip(fit.declared, other.declared, strict=True)
    )
