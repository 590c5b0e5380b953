"""Find the targets of a reference for navigation: proven or likely ones, and the parameter of a named argument."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from avionics.index.model.values import ClassType, FunctionType, Target, Type, Variable
from avionics.index.references.macro_receivers import INSIDE_MACRO
from avionics.index.references.reference_resolver import Alike, Resolution, Resolver
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.model.enums import ReferenceKind
from avionics.model.facts import Expression, Reference

_OF_PLACE = frozenset({ReferenceKind.IMPORT, ReferenceKind.KEYWORD})
"""References that mean something else at each place."""


def iter_resolved(
    resolver: Resolver, file: str, references: Iterable[Reference]
) -> Iterator[tuple[Reference, Resolution]]:
    """Yield references of a file, which have the same name, with what the resolver returns for each.

    Most of them mean the same as another one, which is found with fewer questions than for each by itself.
    """
    scopes = resolver.scopes
    can_share = scopes.source.compiled(file) is None and scopes.spec(file).valued_keys is None
    by_place: dict[tuple[ReferenceKind, int, Expression | None, int], Resolution | None] = {}
    by_meaning: dict[Alike, Resolution] = {}
    for each in references:
        if not can_share or each.arguments is not None or each.kind in _OF_PLACE:
            yield each, resolver.resolve(file, each)
            continue
        place = each.kind, each.scope, each.receiver, each.index
        found = by_place.get(place)
        if found is None and place not in by_place:
            alike = resolver.get_alike(file, each)
            found = by_meaning.get(alike) if alike is not None else None
            if alike is not None and found is None:
                found = by_meaning[alike] = resolver.resolve_alike(alike)
            by_place[place] = found
        yield each, found or resolver.resolve(file, each)


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
