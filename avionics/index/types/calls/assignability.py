"""Rank how well a value of one type fits a declared type: subclasses, boxed numbers, function objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import (
    CallableType,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Type,
    Types,
    TypeVariable,
    UnknownType,
)

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext

FORBIDDEN, UNSURE, LOOSE, WIDE, EXACT = range(5)
"""How a value fits a declared type: never, perhaps, by boxing or narrowing, as a subclass or wider number, exactly."""

_NUMBERS = ("byte", "char", "short", "int", "unsigned", "size_t", "long", "float", "double")
_GROUPS = {
    **dict.fromkeys(("str", "String", "string"), "text"),
    **dict.fromkeys(("boolean", "bool"), "truth"),
    **dict.fromkeys(_NUMBERS, "number"),
}
"""Groups of types of plain values; a value of one group is never of another group or of a class."""

_ABOVE_BOXES = frozenset({"Object", "Number", "Comparable", "Serializable"})


class Conversions:
    """Grades values by the types of one snapshot."""

    def __init__(self, context: InferenceContext) -> None:
        self._context = context

    def grade(self, wanted: Types, given: Types) -> int:
        """Return how well a value fits: the worst grade of its alternatives, each by the best declared type."""
        if not wanted or not given:
            return UNSURE
        return min(max(self._grade(declared, kind) for declared in wanted) for kind in given)

    def takes_nothing(self, wanted: Types) -> bool:
        """Return whether the declared type excludes `null`."""
        return bool(wanted) and all(
            self._is_plain(kind) and self._name(kind) not in {"str", "String"} for kind in wanted
        )

    def are_unlike(self, one: Types, other: Types, *, is_override: bool) -> bool:
        """Return whether two declared types are different ones, each a plain type or a class of the workspace.

        An override that is declared with a type parameter never takes a class in the place of it.
        """
        if len(one) != 1 or len(other) != 1:
            return False
        known = [each for each in map(self._identify, (*one, *other)) if each is not None]
        if isinstance(one[0], TypeVariable):
            return is_override and len(known) == 1
        return len(known) == 2 and known[0] != known[1]

    def narrows(self, wanted: Types, given: Types) -> bool:
        """Return whether a value is a wider number than its declared type; a short type may take a constant `int`."""
        if len(wanted) != 1 or len(given) != 1 or not all(map(self._is_plain, (*wanted, *given))):
            return False
        here, there = self._name(wanted[0]), self._name(given[0])
        if {_GROUPS[here], _GROUPS[there]} != {"number"} or there == "int":
            return False
        return _NUMBERS.index(here) < _NUMBERS.index(there)

    def _identify(self, kind: Type) -> object:
        """Return what only equal types have in common, whatever their arguments are; None if that is unknown."""
        if not isinstance(kind, InstanceType):
            return None
        name = self._name(kind)
        if isinstance(kind.of, External):
            return kind.of if name in _GROUPS else None
        if not kind.of.file.startswith(STUBS) or name in _GROUPS:
            return kind.of.plain
        if not self._context.scopes.spec(kind.of.file).stub_roots:
            return None  # Types with the name may be alike, or others.
        if not name.startswith("__"):
            return kind.of.plain
        held = [self._identify(each) for each in kind.arguments[0]] if kind.arguments else []
        return (kind.of.plain, held[0]) if len(held) == 1 and held[0] is not None else None

    def _grade(self, wanted: Type, given: Type) -> int:
        if isinstance(wanted, TypeVariable):
            if wanted.bound:
                return self.grade(wanted.bound, (given,))
            return LOOSE if self._is_plain(given) else WIDE
        if isinstance(given, TypeVariable):
            return self.grade((wanted,), given.bound) if given.bound else UNSURE
        if isinstance(wanted, UnknownType) or isinstance(given, UnknownType):
            return UNSURE
        if isinstance(given, (CallableType, FunctionType, ClassType)):
            return self._grade_function(wanted)
        if not (isinstance(wanted, InstanceType) and isinstance(given, InstanceType)):
            return UNSURE
        if self._is_plain(wanted) or self._is_plain(given):
            return self._grade_plain(wanted, given)
        return self._grade_object(wanted, given)

    def _grade_function(self, wanted: Type) -> int:
        """Grade a function, which is never an object of a class that cannot be called."""
        if self._context.as_callable(wanted) is not None:
            return WIDE
        of = wanted.of if isinstance(wanted, InstanceType) else None
        if isinstance(of, ClassType):
            lineage = self._context.members.lineage(of)
            return UNSURE if lineage.is_open or _outside(lineage.externals) else FORBIDDEN
        return FORBIDDEN if self._is_plain(wanted) else UNSURE

    def _grade_plain(self, wanted: InstanceType, given: InstanceType) -> int:
        """Grade a pair of types, at least one of which is that of a plain value."""
        here, there = self._name(wanted), self._name(given)
        if self._is_plain(wanted) and self._is_plain(given):
            if here == there:
                return EXACT
            if _GROUPS[here] != _GROUPS[there]:
                return FORBIDDEN
            is_wider = here in _NUMBERS and _NUMBERS.index(here) > _NUMBERS.index(there)
            return WIDE if is_wider else LOOSE
        if self._is_plain(given):
            boxed = self._context.dereference(wanted)
            if boxed:
                return LOOSE if given in boxed else FORBIDDEN
            is_above = isinstance(wanted.of, ClassType) and wanted.of.file.startswith(STUBS) and here in _ABOVE_BOXES
            return LOOSE if is_above else self._unless_outside(wanted)
        held = self._context.dereference(given)
        return LOOSE if held and self.grade((wanted,), held) > FORBIDDEN else self._unless_outside(given)

    def _unless_outside(self, kind: InstanceType) -> int:
        return FORBIDDEN if isinstance(kind.of, ClassType) else UNSURE

    def _grade_object(self, wanted: InstanceType, given: InstanceType) -> int:
        canonical, members = self._context.scopes.canonical, self._context.members
        if isinstance(given.of, External):
            if isinstance(wanted.of, External):
                return EXACT if wanted.of == given.of else UNSURE
            return WIDE if self._is_root(wanted.of) else UNSURE
        lineage = members.lineage(given.of)
        if isinstance(wanted.of, External):
            return WIDE if wanted.of.name in lineage.externals else _unless_open(lineage.is_open, lineage.externals)
        if canonical(wanted.of.plain) == canonical(given.of.plain):
            return self._grade_held(wanted, given)
        if self._is_root(wanted.of) or members.is_subclass(given.of, wanted.of):
            return WIDE
        may_be_outside = wanted.of.file.startswith(STUBS)
        return _unless_open(lineage.is_open, lineage.externals if may_be_outside else ())

    def _grade_held(self, wanted: InstanceType, given: InstanceType) -> int:
        """Rank objects of one class; arrays are compared by their element types."""
        if not self._name(wanted).startswith("__") or not wanted.arguments or not given.arguments:
            return EXACT
        grade = self.grade(wanted.arguments[0], given.arguments[0])
        is_plain = any(map(self._is_plain, (*wanted.arguments[0], *given.arguments[0])))
        return FORBIDDEN if is_plain and grade not in {EXACT, UNSURE} else grade

    def _is_root(self, of: ClassType) -> bool:
        """Return whether every object is one of the class."""
        symbol = self._context.scopes.get_class_symbol(of)
        return of.file.startswith(STUBS) and symbol is not None and symbol.name == "Object"

    def _is_plain(self, kind: Type) -> bool:
        return isinstance(kind, InstanceType) and isinstance(kind.of, External) and self._name(kind) in _GROUPS

    def _name(self, kind: Type) -> str:
        of = kind.of if isinstance(kind, InstanceType) else None
        if isinstance(of, External):
            return of.name.rpartition(".")[2]
        symbol = self._context.scopes.get_class_symbol(of)
        return symbol.name if symbol is not None else ""


def _outside(externals: tuple[str, ...]) -> bool:
    """Return whether some base is declared neither in the workspace nor in a stub; names in stubs have no dot."""
    return any("." in name for name in externals)


def _unless_open(is_open: bool, externals: tuple[str, ...]) -> int:
    return UNSURE if is_open or _outside(externals) else FORBIDDEN
