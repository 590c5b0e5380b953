"""Foreign values: what code outside of the workspace gives, where types are static.

A function that is declared outside can name no type of the workspace. What it gives is from outside too, unless it is
generic: then a type of the workspace must be among its type arguments, its arguments or those of its receiver's type.

Knows: calls of what is outside.
Does not know: what is declared there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model import python_builtins as names
from avionics.index.model.values import CallableType, ClassType, External, InstanceType, Module, Type
from avionics.model.enums import ExpressionKind
from avionics.model.facts import Expression

if TYPE_CHECKING:
    from avionics.index.types.arguments import Arguments
    from avionics.index.types.inference import Inference

_CALLED = "()"
"""How the names of such values end: nothing that is declared is called so."""


def result_of(function: External) -> InstanceType:
    """What a function from outside gives."""
    return InstanceType(External(f"{function.name}{_CALLED}"))


def is_result(kind: Type) -> bool:
    """Whether a value is what a function from outside gave: so are its parts."""
    return isinstance(kind, InstanceType) and isinstance(kind.of, External) and kind.of.name.endswith(_CALLED)


def returns_external(inference: Inference, function: External, callee: Expression, arguments: Arguments) -> bool:
    """Whether a call surely gives something from outside."""
    is_static = inference.scopes.spec(arguments.file).static_types if arguments.file else False
    if not is_static or function.name.startswith(names.BUILTIN) or callee.kind is not ExpressionKind.ATTRIBUTE:
        return False
    owners = inference.infer(callee.parts[0], arguments.file, arguments.scope, arguments.line)
    given = (kind for _, types in arguments.iter_types(inference) for kind in types)
    return all(isinstance(kind, Module) or _is_foreign(kind) for kind in (*owners, *given))


def _is_foreign(kind: Type) -> bool:
    """Whether no type of the workspace is part of a type."""
    if isinstance(kind, External):
        return True
    if isinstance(kind, CallableType):
        return all(_is_foreign(inner) for types in (kind.result, *kind.parameters) for inner in types)
    of = kind.of if isinstance(kind, InstanceType) else kind
    is_outside = isinstance(of, External) or (isinstance(of, ClassType) and of.file.startswith(STUBS))
    arguments = kind.arguments if isinstance(kind, (InstanceType, ClassType)) else ()
    return is_outside and all(_is_foreign(inner) for types in arguments for inner in types)
