"""Find the targets of a reference for navigation: proven or likely ones, and the parameter of a named argument."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index.model.values import ClassType, FunctionType, Target, Type, Variable
from avionics.index.references.macro_receivers import INSIDE_MACRO
from avionics.index.references.reference_resolver import Resolver
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.model.enums import ReferenceKind
from avionics.model.facts import Reference


def find_reference_targets(resolver: Resolver, file: str, reference: Reference) -> tuple[Target, ...]:
    """Return the targets of a reference; for a named argument, the parameter or field that it sets.

    Likely targets count where none is proven: the fixtures of tests, and names inside macros as they are written.
    """
    resolution = resolver.resolve(file, reference)
    if not resolution.targets and resolution.unknown:
        is_inside = resolution.unknown == INSIDE_MACRO
        resolution = (resolver.resolve_as_written if is_inside else resolver.guess)(file, reference)
    if resolution.targets or reference.kind is not ReferenceKind.KEYWORD or reference.receiver is None:
        return resolution.targets
    inference = resolver.inference
    callees = inference.infer(reference.receiver, file, reference.scope, reference.line)
    found = [parameter for callee in callees for parameter in _iter_parameters(resolver, callee, reference.name)]
    return tuple(dict.fromkeys(found))


def _iter_parameters(resolver: Resolver, callee: Type, name: str) -> Iterator[Variable]:
    """Yield the parameters of that name that a call passes an argument to."""
    inference = resolver.inference
    if isinstance(callee, ClassType):
        found = inference.members.find(callee, CONSTRUCTOR)
        bindings = resolver.scopes.bindings(found.variable) if found is not None else ()
        for binding in bindings:
            if found is not None and binding.symbol >= 0:
                yield from _iter_parameters(resolver, FunctionType(found.variable.file, binding.symbol), name)
    elif isinstance(callee, FunctionType):
        parameter = inference.signatures.get(callee, name)
        if parameter is not None:
            yield Variable(callee.file, parameter.scope, name)
