"""Arguments: what is passed where, and which overload takes it.

Knows: calls as written, parameters, overloads.
Does not know: what calls give.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from avionics.index.model import python_builtins as names
from avionics.index.model.values import CallableType, External, FunctionType, InstanceType, Type, Types
from avionics.model.enums import BindingKind, ExpressionKind
from avionics.model.facts import UNKNOWN, Expression

if TYPE_CHECKING:
    from avionics.index.types.inference import Inference

_MORE = "**"
_EXCLUSIVE = {"str": "str", "bytes": "bytes", "int": "number", "float": "number", "bool": "number", "complex": "number"}


@attrs.frozen
class Arguments:
    """The arguments of a call: as written, with the place to read them at, or as values already known.

    Attributes:
        written: Positional ones, then KEYWORD ones.
        file: Where they are read.
        scope: Where they are read.
        line: Where they are read.
        known: Values given positionally when nothing is written.
    """

    written: tuple[Expression, ...] = ()
    file: str = ""
    scope: int = 0
    line: int = 0
    known: tuple[Types, ...] = ()

    @property
    def positional(self) -> tuple[Expression, ...]:
        """The arguments without a name."""
        return tuple(part for part in self.written if part.kind is not ExpressionKind.KEYWORD)

    @property
    def named(self) -> dict[str, Expression]:
        """The arguments with a name; under `**` there may be more."""
        return {part.name: part.parts[0] for part in self.written if part.kind is ExpressionKind.KEYWORD}

    def iter_types(self, inference: Inference) -> Iterator[tuple[int | str, Types]]:
        """Position or name → what is passed."""
        yield from enumerate(self.known)
        for position, part in enumerate(self.positional):
            yield position, inference.infer(part, self.file, self.scope, self.line)
        for name, part in self.named.items():
            if name != _MORE:
                yield name, inference.infer(part, self.file, self.scope, self.line)


NO_ARGUMENTS = Arguments()
"""A call of which nothing is known."""


def choose(inference: Inference, callees: Types, arguments: Arguments) -> Types:
    """The callees without those overloads that cannot take the arguments, and without the body they share."""
    overloads = [kind for kind in callees if isinstance(kind, FunctionType) and is_overload(inference, kind)]
    if not overloads:
        return callees
    shared = {_owner(inference, kind) for kind in overloads}
    fitting = [kind for kind in overloads if _fits(inference, kind, arguments)]
    others = [kind for kind in callees if not isinstance(kind, FunctionType) or _owner(inference, kind) not in shared]
    return (*others, *(fitting or overloads))


def is_overload(inference: Inference, function: FunctionType) -> bool:
    """Whether the function only declares one way to call another."""
    symbol = inference.scopes.source.facts(function.file).symbols[function.symbol]
    return names.is_decorated(symbol.decorators, ("overload",))


def _owner(inference: Inference, function: FunctionType) -> tuple[str, str]:
    return function.file, inference.scopes.source.facts(function.file).symbols[function.symbol].qualname


def _fits(inference: Inference, function: FunctionType, arguments: Arguments) -> bool:
    """Whether every required parameter is given, and no argument is left over, as far as the call shows."""
    parameters = inference.parameters.find(function)
    if inference.parameters.has_own_object(function):
        parameters = parameters[1:]
    is_open = any(binding.kind is BindingKind.VARIADIC for binding in parameters)
    plain = [binding for binding in parameters if binding.kind is not BindingKind.VARIADIC]
    given = len(arguments.positional) + len(arguments.known)
    if given > len(plain) and not is_open:
        return False
    named = arguments.named
    left = plain[given:]
    if not is_open and not named.keys() - {_MORE} <= {binding.name for binding in plain}:
        return False
    if _MORE not in named and not all(binding.name in named or binding.value != UNKNOWN for binding in left):
        return False
    return all(_accepts(inference, function, argument, types) for argument, types in arguments.iter_types(inference))


def _accepts(inference: Inference, function: FunctionType, argument: int | str, given: Types) -> bool:
    """Whether the parameter may take the argument: a function is no object of a class."""
    parameter = inference.parameters.get(function, argument)
    if parameter is None or parameter.annotation == UNKNOWN:
        return True
    declared = inference.annotations.read(parameter.annotation, function.file, parameter.within)
    if not given or not all(isinstance(kind, InstanceType) and isinstance(kind.of, External) for kind in declared):
        return True
    if all(isinstance(kind, (FunctionType, CallableType)) for kind in given):
        return False
    plain, wanted = {_plain(kind) for kind in given}, {_plain(kind) for kind in declared}
    return "" in plain or "" in wanted or bool(plain & wanted)


def _plain(kind: Type) -> str:
    """Which of the types that exclude one another an object has, "" for another or none that is known."""
    of = kind.of if isinstance(kind, InstanceType) else None
    name = of.name.removeprefix(names.BUILTIN) if isinstance(of, External) else ""
    return _EXCLUSIVE.get(name, "")
