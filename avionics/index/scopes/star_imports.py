"""Star imports: the names that they bring into the scopes of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from avionics.index.model.values import External, Target, Variable
from avionics.model.enums import BindingKind
from avionics.model.facts import Binding

if TYPE_CHECKING:
    from avionics.index.scopes.name_resolver import NameResolver

STAR = "*"
"""The name bound by a star import."""
_MAX_CHAIN_LENGTH = 30
"""The limit of star imports that are followed, as for re-exports."""


class StarImports:
    """The star imports of the files of one snapshot."""

    def __init__(self, scopes: NameResolver) -> None:
        self._scopes = scopes

    def find(self, file: str, scope: int, name: str, seen: frozenset[Variable] = frozenset()) -> tuple[Target, ...]:
        """Return what a name that the enclosing scopes do not bind leads to through their star imports."""
        guard = Variable(file, scope, f"{STAR}{name}")
        if guard in seen or len(seen) > _MAX_CHAIN_LENGTH:
            return ()
        stars = reversed(self._seen_from(file, scope, -1))
        return next((found for star in stars if (found := self._taken(file, star, name, seen | {guard}))), ())

    def find_inner(self, file: str, scope: int, name: str, bound: int) -> tuple[Target, ...]:
        """Return what a name means through a star in a scope inside the one that binds it, which the star hides."""
        is_possible = scope != bound and STAR in self._scopes.source.uses(file).bindings
        if not is_possible or not self._scopes.spec(file).nearest_stars:
            return ()
        guard = frozenset({Variable(file, scope, f"{STAR}{name}")})
        stars = reversed(self._seen_from(file, scope, bound))
        return next((found for star in stars if (found := self._taken(file, star, name, guard))), ())

    def _seen_from(self, file: str, scope: int, outer: int) -> list[Binding]:
        """Return the star imports of a scope and its enclosing scopes, up to but without the outer one."""
        uses = self._scopes.source.uses(file)
        stars = [each for each in uses.bindings.get(STAR, ()) if each.kind is BindingKind.IMPORT]
        around = set(self._iter_around(file, scope, outer)) if stars else set()
        return [binding for binding in stars if binding.scope in around]

    def _taken(self, file: str, star: Binding, name: str, seen: frozenset[Variable]) -> tuple[Target, ...]:
        """Return what one star import provides for a name."""
        scopes = self._scopes
        module = scopes.modules.find(scopes.source.facts(file).imports[star.imported], file)
        if isinstance(module, External):
            return ()
        exported = scopes.exported_names(module)
        hidden = scopes.modules.private_prefix(file)
        is_taken = name in exported if exported is not None else not (hidden and name.startswith(hidden))
        return scopes.find_member(module, name, seen) if is_taken else ()

    def _iter_around(self, file: str, scope: int, outer: int) -> Iterator[int]:
        """Yield a scope and its enclosing scopes, up to but without the outer one."""
        scopes = self._scopes.source.uses(file).scopes
        while scope >= 0 and scope != outer:
            yield scope
            scope = scopes[scope].parent
