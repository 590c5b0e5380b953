"""Tell the members that a class has itself from those of its objects, in languages that separate them."""

from __future__ import annotations

from avionics.index.model.values import ClassType, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.facts import get_class_side


def get_side(scopes: NameResolver, variable: Variable) -> bool | None:
    """Return whether a member is on the side of the class itself; None in languages that do not separate them."""
    if not scopes.spec(variable.file).class_sides:
        return None
    return get_class_side(scopes.source.uses(variable.file).scopes, variable.scope - 1) == variable.scope


def list_sides(scopes: NameResolver, part: ClassType, of_class: bool | None) -> tuple[int, ...]:
    """Return the scopes with the members of one declaration of a class: of its objects, of itself, or of both."""
    scope = scopes.scope_of_class(part)
    if scope < 0 or not scopes.spec(part.file).class_sides:
        return (scope,) if scope >= 0 else ()
    side = get_class_side(scopes.source.uses(part.file).scopes, scope)
    both = (scope, side) if side >= 0 else (scope,)
    return both if of_class is None else both[1:] if of_class else both[:1]
