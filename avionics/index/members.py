"""Members: which class of a hierarchy gives a name its meaning.

Knows: method resolution order (C3: https://docs.python.org/3/howto/mro.html), class members.
Does not know: what expressions give, beyond the bases of classes.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from avionics.index.scopes import Scopes
from avionics.index.values import ClassType, External, Type, Types, UnknownType, Variable
from protocols.enums import BindingKind
from protocols.facts import UNKNOWN, Binding, Expression

_DEEPEST = 40
"""Class hierarchies are never this deep; a cycle of bases is."""


@attrs.frozen
class Lineage:
    """A class with all it inherits from, nearest first.

    Attributes:
        classes: The classes of the workspace.
        externals: Names of base classes outside of it.
        is_open: Whether some base could not be told.
    """

    classes: tuple[ClassType, ...]
    externals: tuple[str, ...] = ()
    is_open: bool = False


@attrs.frozen
class Found:
    """A member: where it is declared, and the class that declares it."""

    variable: Variable
    owner: ClassType


class Members:
    """Hierarchies and their members; `infer` tells what a base expression gives."""

    def __init__(self, scopes: Scopes, infer: Callable[[Expression, str, int], Types]) -> None:
        self._scopes = scopes
        self._infer = infer
        self._lineages: dict[ClassType, Lineage] = {}
        self._open: set[ClassType] = set()

    def lineage(self, of: ClassType) -> Lineage:
        """The class and what it inherits from."""
        plain = ClassType(of.file, of.symbol)
        if plain in self._lineages:
            return self._lineages[plain]
        if plain in self._open or len(self._open) > _DEEPEST:
            return Lineage((plain,), is_open=True)
        self._open.add(plain)
        try:
            found = self._build_lineage(plain)
        finally:
            self._open.discard(plain)
        self._lineages[plain] = found
        return found

    def bases(self, of: ClassType) -> Types:
        """What the class names as its bases, with the arguments it gives them."""
        expressions = self._scopes.source.uses(of.file).bases.get(of.symbol, ())
        scope = self._scopes.class_scope(of.file, of.symbol)
        outer = self._scopes.source.uses(of.file).scopes[scope].parent if scope >= 0 else 0
        found: list[Type] = []
        for expression in expressions:
            found.extend(self._infer(expression, of.file, outer))
        return tuple(found)

    def find(self, of: ClassType, name: str, *, skip_own: bool = False) -> Found | None:
        """The nearest class of the lineage that declares the member, and where; None if none does.

        A declaration (a definition, or an assignment with a type) anywhere in the lineage comes before plain
        assignments: a subclass that only assigns what its base declares means the base's member.
        """
        classes = self.lineage(of).classes
        assigned: Found | None = None
        for candidate in classes[1:] if skip_own else classes:
            variable = self.own_member(candidate, name)
            if variable is None:
                continue
            if any(_is_declaration(binding) for binding in self._scopes.bindings(variable)):
                return Found(variable, candidate)
            assigned = assigned or Found(variable, candidate)
        return assigned

    def own_member(self, of: ClassType, name: str) -> Variable | None:
        """The member as the class itself declares it."""
        scope = self._scopes.class_scope(of.file, of.symbol)
        if scope < 0:
            return None
        variable = Variable(of.file, scope, name)
        return variable if self._scopes.bindings(variable) else None

    def is_subclass(self, of: ClassType, ancestor: ClassType) -> bool:
        """Whether the class is, or inherits from, the other."""
        return ClassType(ancestor.file, ancestor.symbol) in self.lineage(of).classes

    def _build_lineage(self, of: ClassType) -> Lineage:
        parents: list[ClassType] = []
        externals: list[str] = []
        is_open = False
        for base in self.bases(of):
            if isinstance(base, ClassType):
                parents.append(ClassType(base.file, base.symbol))
            elif isinstance(base, External):
                externals.append(base.name)
            elif isinstance(base, UnknownType):
                is_open = True
        lineages = [self.lineage(parent) for parent in parents]
        for inherited in lineages:
            externals.extend(inherited.externals)
            is_open = is_open or inherited.is_open
        order = _merge([list(inherited.classes) for inherited in lineages] + [parents])
        return Lineage((of, *order), tuple(dict.fromkeys(externals)), is_open)


def _is_declaration(binding: Binding) -> bool:
    """Whether the binding says what the member is, rather than only giving it a value."""
    return binding.kind is BindingKind.DEFINITION or binding.annotation is not UNKNOWN


def _merge(sequences: list[list[ClassType]]) -> list[ClassType]:
    """C3 linearisation; where no consistent order exists, the first candidate goes first."""
    pending = [list(dict.fromkeys(sequence)) for sequence in sequences if sequence]
    order: list[ClassType] = []
    while pending:
        heads = [sequence[0] for sequence in pending]
        good = next((head for head in heads if not any(head in sequence[1:] for sequence in pending)), heads[0])
        order.append(good)
        pending = [[entry for entry in sequence if entry != good] for sequence in pending]
        pending = [sequence for sequence in pending if sequence]
    return order
