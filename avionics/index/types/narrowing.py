"""Narrowing: which alternatives of a value conditions leave.

Knows: types that conditions name, members that tell alternatives apart.
Does not know: how conditions are written.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from avionics.index.model.values import (
    ClassType,
    FunctionType,
    InstanceType,
    Type,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
    union,
)
from avionics.model.enums import ExpressionKind, NarrowingKind, SymbolKind
from avionics.model.facts import UNKNOWN, Expression, Narrowing

if TYPE_CHECKING:
    from avionics.index.types.inference import Inference


class Narrowings:
    """What conditions of the snapshot's files say."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._scopes = inference.scopes
        self._known: dict[str, dict[str, tuple[Narrowing, ...]]] = {}

    def at(self, file: str, name: str, line: int) -> tuple[Narrowing, ...]:
        """What is said of a dotted name in a line."""
        if file not in self._known:
            by_name: defaultdict[str, list[Narrowing]] = defaultdict(list)
            for narrowing in self._scopes.source.uses(file).narrowings:
                by_name[narrowing.name].append(narrowing)
            self._known[file] = {name: tuple(found) for name, found in by_name.items()}
        return tuple(found for found in self._known[file].get(name, ()) if found.span.contains(line))

    def is_asked(self, file: str, name: str, line: int, member: str) -> bool:
        """Whether the line is the one whose condition asks for the member to tell alternatives apart."""
        return any(found.member == member and found.span.start_line == line for found in self.at(file, name, line))

    def narrow(self, types: Types, found: Narrowing, file: str, scope: int) -> Types:
        """Those alternatives that agree with what is said; all of them where none does."""
        if found.kind is NarrowingKind.GUARD:
            return self._guarded(found.type, file, scope) or types
        if found.kind is NarrowingKind.TYPE:
            said = self._inference.annotations.read(found.type, file, scope)
            return tuple(kind for kind in said if not isinstance(kind, UnknownType)) or types
        value = found.type if found.kind is not NarrowingKind.HAS_MEMBER else None
        return self.keep(types, found.member, value, file, scope, is_equal=found.kind is NarrowingKind.MEMBER_IS)

    def _guarded(self, callee: Expression, file: str, scope: int) -> Types:
        """What a function that a condition calls declares its argument to be then; () for any other function."""
        found: list[Types] = []
        for kind in self._inference.infer(callee, file, scope):
            if isinstance(kind, FunctionType):
                found.append(self._inference.calls.guarded(kind))
        return tuple(kind for kind in union(*found) if not isinstance(kind, UnknownType))

    def keep(
        self, types: Types, name: str, value: Expression | None, file: str, scope: int, *, is_equal: bool = True
    ) -> Types:
        """Return the alternatives that have a member, whose value may be (or may not be) the one given.

        All of them where none does.
        """
        return tuple(kind for kind in _bounds(types) if self._agrees(kind, name, value, file, scope, is_equal)) or types

    def _agrees(self, kind: Type, name: str, value: Expression | None, file: str, scope: int, is_equal: bool) -> bool:
        """Return whether an alternative may have the member with that value, or without it."""
        if not (isinstance(kind, InstanceType) and isinstance(kind.of, ClassType)):
            return True
        member = self._inference.members.find(kind.of, name)
        if member is None:
            # Where a member tells alternatives apart all have it; one without is a part of the others (`A & B`).
            return value is not None
        if value is None:
            return True
        declared = [b for b in self._scopes.bindings(member.variable) if b.annotation != UNKNOWN]
        if not declared:
            return True
        place = member.variable
        has = [self._values(b.annotation, place.file, b.within) for b in declared]
        wanted = self._values(value, file, scope)
        if wanted is None or any(values is None for values in has):
            return True
        values = frozenset(value for each in has if each is not None for value in each)
        return bool(values & wanted) if is_equal else bool(values - wanted)

    def _values(self, expression: Expression, file: str, scope: int) -> frozenset[object] | None:
        """The single values that a type allows, None where it allows more than these."""
        if expression.kind is ExpressionKind.LITERAL:
            return frozenset({expression.name})
        if expression.kind is ExpressionKind.UNION:
            parts = [self._values(part, file, scope) for part in expression.parts]
            known = [part for part in parts if part is not None]
            return frozenset().union(*known) if len(known) == len(parts) else None
        if expression.kind is ExpressionKind.ATTRIBUTE:
            found: set[object] = set()
            for owner in self._inference.infer(expression.parts[0], file, scope):
                member = self._inference.get_member(owner, expression.name) if isinstance(owner, ClassType) else None
                symbol = self._scopes.get_class_symbol(member.owner) if member is not None else None
                if member is None or symbol is None or symbol.kind is not SymbolKind.ENUM:
                    return None
                found.add(Variable(member.variable.file, member.variable.scope, expression.name))
            return frozenset(found) or None
        return None


def _bounds(types: Types) -> Types:
    """The alternatives, with what type parameters may stand for in their place."""
    return tuple(
        inner for kind in types for inner in ((kind.bound if isinstance(kind, TypeVariable) else ()) or (kind,))
    )
