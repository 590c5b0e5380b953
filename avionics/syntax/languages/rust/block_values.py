"""The values of Rust blocks, expressed in the scope around them."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind
from avionics.model.facts import UNKNOWN, Binding, Expression, replace
from avionics.syntax.engine.uses import UsesBuilder
from avionics.syntax.languages.rust.types import typed

_MAX_NODES = 60
"""Larger expressions are dropped: nested names multiply."""


def close(uses: UsesBuilder, value: Expression, first: int) -> Expression:
    """Return a value in which names bound by scopes from index `first` on are replaced by their values."""
    return _Closing(uses, first).close(value, frozenset())


class _Closing:
    def __init__(self, uses: UsesBuilder, first: int) -> None:
        self._uses = uses
        self._first = first
        self._left = _MAX_NODES

    def close(self, value: Expression, open_names: frozenset[str]) -> Expression:
        self._left -= 1
        if self._left < 0:
            return UNKNOWN
        if value.kind is ExpressionKind.NAME:
            return self._name(value, open_names)
        if not value.parts or (value.kind is ExpressionKind.FUNCTION and value.index >= 0):
            return value
        parts = tuple(self.close(part, open_names) for part in value.parts)
        return value if parts == value.parts else replace(value, parts=parts)

    def _name(self, value: Expression, open_names: frozenset[str]) -> Expression:
        bound = [b for b in self._uses.bindings.get(value.name, ()) if b.scope >= self._first]
        if not bound:
            return value
        if value.name in open_names or len(bound) > 1:
            return UNKNOWN
        return self._stands_for(bound[0], open_names | {value.name})

    def _stands_for(self, binding: Binding, open_names: frozenset[str]) -> Expression:
        if binding.kind not in {BindingKind.ASSIGNMENT, BindingKind.PARAMETER}:
            return UNKNOWN
        if binding.annotation is not UNKNOWN:
            return typed(self.close(binding.annotation, open_names))
        return self.close(binding.value, open_names)
