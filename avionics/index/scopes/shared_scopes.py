"""Find the outermost scope in which an expression means the same, so that it is inferred once for all scopes below.

Test files are full of functions that use the same imported names: what `schema.parse(x)` is does not depend on the
function, only on the scope that binds its innermost name.
"""

from __future__ import annotations

from typing import Final

from avionics.index.model.cached_method import cached_method
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.scopes.star_imports import STAR
from avionics.model.enums import ExpressionKind, ScopeKind
from avionics.model.facts import Expression

_UNREAD: Final = ("",)
_MAX_KEPT = 50_000
"""The number of expressions whose names are kept; when there are more, all are dropped."""


class SharedScopes:
    """The scopes of one snapshot in which expressions keep their meaning."""

    def __init__(self, scopes: NameResolver) -> None:
        self._scopes = scopes
        self._names: dict[Expression, tuple[str, ...] | None] = {}

    def get_shared(self, file: str, scope: int, expression: Expression) -> int | None:
        """Return the outermost scope in which an expression has the same types on all lines; None if it is not known.

        The scope is within the method around the expression, because `self` may occur in it. None is returned if a
        condition narrows a name in the expression (`if isinstance(x, A)`).
        """
        varying = self._get_varying(file)
        names = self._list_names(expression) if varying is not None else None
        if varying is None or names is None or not varying.isdisjoint(names):
            return None
        shared = self._list_owned(file)[scope]
        for name in names:
            variable = self._scopes.get_variable(file, scope, name)
            if variable is not None and variable.scope > shared and variable.file == file:
                shared = variable.scope
        is_other = shared != scope
        return None if is_other and self._scopes.source.uses(file).scopes[shared].kind is ScopeKind.CLASS else shared

    def get_binding_scope(self, file: str, scope: int, name: str) -> int | None:
        """Return the scope that binds a bare name, 0 if none does; None if its meaning depends on the line.

        In a class body that is executed, a name has the outer meaning until the body binds it.
        """
        varying = self._get_varying(file)
        scopes = self._scopes.source.uses(file).scopes
        if varying is None or scopes[scope].kind is ScopeKind.CLASS:
            return None
        variable = self._scopes.get_variable(file, scope, name)
        shared = variable.scope if variable is not None and variable.file == file else 0
        return None if scopes[shared].kind is ScopeKind.CLASS else shared

    @cached_method
    def _get_varying(self, file: str) -> frozenset[str] | None:
        """Return the names whose types depend on the line, since conditions narrow them; None if each name's may."""
        uses, spec = self._scopes.source.uses(file), self._scopes.spec(file)
        # With separate names of functions, the text before a name tells a namespace from a class.
        by_place = spec.implicit_members or spec.linkage or spec.path_separator or spec.separate_functions
        roots = frozenset(each.name.partition(".")[0] for each in uses.narrowings)
        return None if by_place or STAR in uses.bindings or not uses.scopes else roots

    def _list_names(self, expression: Expression) -> tuple[str, ...] | None:
        """Return the names in an expression; None if its meaning also depends on the function around it."""
        if not expression.parts:
            return _read_name(expression)
        known = self._names.get(expression, _UNREAD)
        if known is _UNREAD:
            known = self._read_names(expression.parts)
            if len(self._names) >= _MAX_KEPT:
                self._names.clear()
            self._names[expression] = known
        return known

    def _read_names(self, parts: tuple[Expression, ...]) -> tuple[str, ...] | None:
        found: dict[str, None] = {}
        for each in parts:
            names = self._list_names(each)
            if names is None:
                return None
            found |= dict.fromkeys(names)
        return tuple(found)

    @cached_method
    def _list_owned(self, file: str) -> tuple[int, ...]:
        """Return for each scope of a file the innermost method or class around it, or the module."""
        found: list[int] = []
        for index, scope in enumerate(self._scopes.source.uses(file).scopes):
            is_own = index == 0 or scope.self_name or scope.kind is ScopeKind.CLASS
            found.append(index if is_own else found[scope.parent])
        return tuple(found)


def _read_name(expression: Expression) -> tuple[str, ...] | None:
    """Return the name that an expression without parts is; None if it depends on the function around it."""
    if expression.kind is ExpressionKind.NAME:
        return (expression.name,) if expression.name else ()
    return None if expression.kind is ExpressionKind.SENT else ()
