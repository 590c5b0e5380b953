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
"""How a value fits a declared type.

FORBIDDEN: never. UNSURE: a type is not known. LOOSE: by boxing or a narrower number. WIDE: as a subclass or by a wider
number. EXACT: the types are equal.
"""

_NUMBERS = ("byte", "char", "short", "int", "unsigned", "size_t", "long", "float", "double")
_GROUPS = {
    **dict.fromkeys(("str", "String", "string"), "text"),
    **dict.fromkeys(("boolean", "bool"), "truth"),
    **dict.fromkeys(_NUMBERS, "number"),
}
"""Plain type → its group; no value has types of two groups, or of a group and a class."""

_ABOVE_BOXES = frozenset({"Object", "Number", "Comparable", "Serializable"})


class Conversions:
    """Grades values by the types of one snapshot."""

    def __init__(self, context: InferenceContext) -> None:
        self._context = context

    def grade(self, wanted: Types, given: Types) -> int:
        """Return the grade of a value: the worst one of its alternatives, each compared with the best declared type."""
        if not wanted or not given:
            return UNSURE
        return min(max(self._grade(declared, kind) for declared in wanted) for kind in given)

    def excludes_null(self, wanted: Types) -> bool:
        """Return whether the declared type excludes `null`, as a number does."""
        return bool(wanted) and all(
            self._is_plain(kind) and self._name(kind) not in {"str", "String"} for kind in wanted
        )

    def are_unlike(self, one: Types, other: Types, *, is_override: bool) -> bool:
        """Return whether two declared types differ for certain: each is a plain type or a known class.

        A parameter of an override with a type parameter as its type (`T`) differs from one with a class (`Cart`).
        """
        if len(one) != 1 or len(other) != 1:
            return False
        known = [each for each in map(self._identify, (*one, *other)) if each is not None]
        if isinstance(one[0], TypeVariable):
            return is_override and len(known) == 1
        return len(known) == 2 and known[0] != known[1]

    def narrows(self, wanted: Types, given: Types) -> bool:
        """Return whether a value is a wider number than its declared type; an `int` may be a constant that fits."""
        if len(wanted) != 1 or len(given) != 1 or not all(map(self._is_plain, (*wanted, *given))):
            return False
        here, there = self._name(wanted[0]), self._name(given[0])
        if {_GROUPS[here], _GROUPS[there]} != {"number"} or there == "int":
            return False
        return _NUMBERS.index(here) < _NUMBERS.index(there)

    def _identify(self, kind: Type) -> object:
        """Return a key that is equal for equal types, ignoring most type arguments; None for types without one.

        An array's key includes its element type.
        """
        if not isinstance(kind, InstanceType):
            return None
        name = self._name(kind)
        if isinstance(kind.of, External):
            return kind.of if name in _GROUPS else None
        if not kind.of.file.startswith(STUBS) or name in _GROUPS:
            return kind.of.plain
        if not self._context.scopes.spec(kind.of.file).stub_roots:
            return None  # Whether two types of that name are the same is not known.
        if not name.startswith("__"):
            return kind.of.plain
        elements = [self._identify(each) for each in kind.arguments[0]] if kind.arguments else []
        return (kind.of.plain, elements[0]) if len(elements) == 1 and elements[0] is not None else None

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
        """Grade a function for a declared type: a class without `__call__` never takes one."""
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
            return LOOSE if is_above else self._grade_unrelated(wanted)
        contained = self._context.dereference(given)
        return LOOSE if contained and self.grade((wanted,), contained) > FORBIDDEN else self._grade_unrelated(given)

    def _grade_unrelated(self, kind: InstanceType) -> int:
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
            return self._grade_same_class(wanted, given)
        if self._is_root(wanted.of) or members.is_subclass(given.of, wanted.of):
            return WIDE
        may_be_outside = wanted.of.file.startswith(STUBS)
        return _unless_open(lineage.is_open, lineage.externals if may_be_outside else ())

    def _grade_same_class(self, wanted: InstanceType, given: InstanceType) -> int:
        """Grade two types of one class; arrays are compared by their element types."""
        if not self._name(wanted).startswith("__") or not wanted.arguments or not given.arguments:
            return EXACT
        grade = self.grade(wanted.arguments[0], given.arguments[0])
        is_plain = any(map(self._is_plain, (*wanted.arguments[0], *given.arguments[0])))
        return FORBIDDEN if is_plain and grade not in {EXACT, UNSURE} else grade

    def _is_root(self, of: ClassType) -> bool:
        """Return whether a class is the root `Object`, which every object is an instance of."""
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
