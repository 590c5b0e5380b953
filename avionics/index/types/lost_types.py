"""Recognize types that belong to the workspace although no file declares them, because a build generates them."""

from __future__ import annotations

from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import BUILTIN, ClassType, External, Target
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.member_lookup import Members
from avionics.model.enums import ScopeKind


class LostTypes:
    """The types of one snapshot that no file declares."""

    def __init__(self, scopes: NameResolver, members: Members) -> None:
        self._scopes = scopes
        self._members = members

    def is_lost(self, file: str, of: Target) -> bool:
        """Return whether an outside name is in a module of the workspace that has no file."""
        name, spec = of.name.removeprefix(BUILTIN) if isinstance(of, External) else "", self._scopes.spec(file)
        known = name.partition(".")[0] if spec.path_separator else name
        return bool(name) and known not in spec.builtin_names and self._scopes.modules.is_lost(file, name)

    def inherits(self, of: ClassType) -> bool:
        """Return whether a class inherits from an unknown type, or from one that no file declares."""
        lineage, has_traits = self._members.lineage(of), bool(self._scopes.spec(of.file).path_separator)
        bases = () if has_traits else map(External, lineage.externals)
        return lineage.is_open or any(self.is_lost(of.file, base) for base in bases)

    def is_within(self, file: str, scope: int) -> bool:
        """Return whether code is in a class with such a base, whose members may be used as bare names."""
        scopes, spec = self._scopes.source.uses(file).scopes, self._scopes.spec(file)
        scope = scope if spec.implicit_members and not spec.linkage else -1
        while scope >= 0 and not (scopes[scope].kind is ScopeKind.CLASS and self._is_inheriting(file, scope)):
            scope = scopes[scope].parent
        return scope >= 0

    @cached_method
    def _is_inheriting(self, file: str, scope: int) -> bool:
        of = self._members.class_at(file, scope)
        return of is not None and self.inherits(of)
