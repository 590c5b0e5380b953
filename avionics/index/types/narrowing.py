"""Narrow the types of names by the conditions around them: `isinstance(x, A)`, `x.kind === "a"`."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from avionics.index.model.memo import FinalValues
from avionics.index.model.values import (
    NOTHING_KNOWN,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Type,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
    union,
)
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind, NarrowingKind, ReferenceKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Narrowing, Span
from avionics.syntax.engine.expressions import WITHOUT, dotted

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext

_REBINDING = frozenset({BindingKind.ASSIGNMENT, BindingKind.IMPORT})
_AGAIN = late_pattern(r"=[^=;\n]*;\s*\S")
"""An assignment that another statement of the same line follows."""
_MAX_ACTIVE = 10_000
"""The number of names and lines whose conditions are kept; in minified code one line has most of them."""
_DEEPEST = 8
"""The maximum nesting of types whose values are listed."""


class Narrowings:
    """The conditions in the files of one snapshot."""

    def __init__(self, context: InferenceContext) -> None:
        self._context = context
        self._scopes = context.scopes
        self._known: dict[str, dict[str, tuple[Narrowing, ...]]] = {}
        self._active: dict[tuple[str, str, int], tuple[Narrowing, ...]] = {}
        self._allowed: FinalValues[tuple[ClassType, str], frozenset[object] | None] = FinalValues(
            self._read_allowed, self._scopes.computation
        )

    def find(self, file: str, expression: Expression, scope: int, line: int) -> tuple[Narrowing, ...]:
        """Return the conditions about a dotted name that hold in a scope and line; none for other expressions."""
        known = self._known.get(file)
        if known is None:
            by_name: defaultdict[str, list[Narrowing]] = defaultdict(list)
            for narrowing in self._scopes.source.uses(file).narrowings:
                by_name[narrowing.name].append(narrowing)
            known = self._known[file] = {name: tuple(found) for name, found in by_name.items()}
        name = dotted(expression) if known else ""
        named = known.get(name, ())
        if not named:  # Most names occur in no condition, and this runs for every expression.
            return ()
        if (active := self._active.get((file, name, line))) is None:
            if len(self._active) >= _MAX_ACTIVE:
                self._active.clear()
            active = tuple(found for found in named if found.span.contains(line))
            active = self._active[file, name, line] = self._drop_reassigned(active, name, file, line)
        return self._drop_others(active, name.partition(".")[0], file, scope)

    def _drop_reassigned(self, active: tuple[Narrowing, ...], name: str, file: str, line: int) -> tuple[Narrowing, ...]:
        """Return the conditions after which nothing reassigned the name, unlike `if isinstance(x, A): x = x.inner`."""
        if not active:
            return active
        uses, parts = self._scopes.source.uses(file), name.split(".")
        set_at = [each.line for each in uses.bindings.get(parts[0], ()) if each.kind in _REBINDING]
        set_at += (
            each.line for part in parts for each in uses.references.get(part, ()) if each.kind is ReferenceKind.WRITE
        )
        set_at.sort()
        # In `x = y; x.f()` only the text shows which statement of the line assigns the value.
        text = self._scopes.source.read_line(file, line) if line in set_at else ""
        last = line if _AGAIN.search(text) else line - 1
        next_set = (bisect_left(set_at, each.span.start_line) for each in active)
        return tuple(each for each, at in zip(active, next_set, strict=True) if at == len(set_at) or set_at[at] > last)

    def _drop_others(self, active: tuple[Narrowing, ...], root: str, file: str, scope: int) -> tuple[Narrowing, ...]:
        """Return the conditions without those that may be about another variable with that name.

        Those are the conditions whose lines overlap with a scope that binds the name again: a function in these lines
        has a parameter of that name, or many functions share a line.
        """
        variable = self._scopes.get_variable(file, scope, root) if active else None
        if variable is None or variable.file != file or not variable.scope:
            return active
        uses = self._scopes.source.uses(file)
        own = uses.scopes[variable.scope].span
        around = [each.span for each in active if _is_around(each.span, own)]
        if not around:
            return active
        others = {each.scope for each in uses.bindings.get(root, ())} - {variable.scope}
        lines = {(span.start_line, span.end_line) for each in others for span in (uses.scopes[each].span,)}
        shared = {
            span for span in set(around)
            if any(start <= span.end_line and span.start_line <= end for start, end in lines)
        }  # fmt: skip
        return tuple(each for each in active if each.span not in shared)

    def read(self, found: Narrowing, file: str, scope: int) -> Types:
        """Return the types that a condition names; () if it names none."""
        if found.kind is NarrowingKind.TYPE:
            narrowed = self._context.read_type(found.type, file, scope)
        elif found.kind is NarrowingKind.GUARD:
            callees = self._context.infer(found.type, file, scope)
            narrowed = union(*(self._context.read_guard(kind) for kind in callees if isinstance(kind, FunctionType)))
        else:
            narrowed = ()
        return tuple(kind for kind in narrowed if not isinstance(kind, UnknownType))

    def prefer(self, narrowed: Types, types: Types) -> Types:
        """Return a value's types, narrowed to those that a condition names.

        An alternative that is a subclass of a named type stays. An object of an unrelated class that satisfies the
        condition is of both classes.
        """
        result: Types = ()
        for other in narrowed:
            like = tuple(kind for kind in types if self._is_instance(kind, other))
            is_part = any(self._is_instance(other, kind) for kind in types)
            both = () if is_part else (kind for kind in types if isinstance(kind, InstanceType))
            result = union(result, like or (other, *(kind for kind in both if isinstance(kind.of, ClassType))))
        return result or types

    def keep(self, types: Types, found: Narrowing, file: str, scope: int) -> Types:
        """Return the alternatives that satisfy a condition on a member (`x.kind === "a"`); all of them if none does."""
        if not found.member or not (types[1:] or any(isinstance(kind, TypeVariable) for kind in types)):
            return types
        value = None if found.kind is NarrowingKind.HAS_MEMBER else found.type
        is_equal = found.kind is NarrowingKind.MEMBER_IS
        return self._keep(types, found.member, value, file, scope, is_equal=is_equal)

    def match(self, expected: Expression, file: str, scope: int) -> Types:
        """Return the expected types that an object literal can have: not callable, without conflicting members."""
        value, *keywords = expected.parts
        types = self._context.infer(value, file, scope)
        plain = tuple(kind for kind in types if self._context.as_callable(kind) is None)
        for member in keywords:
            plain = self._keep(plain, member.name, member.parts[0], file, scope)
        return plain or types

    def select(self, types: Types, others: Types, operator: str) -> Types:
        is_open = any(isinstance(each, TypeVariable) for each in others)
        same = tuple(kind for kind in types if any(self._is_instance(kind, other) for other in others))
        if operator == WITHOUT:
            return NOTHING_KNOWN if is_open else tuple(kind for kind in types if kind not in same)
        for other in () if same or is_open else others:
            like = self._list_like(types, other)
            same = union(same, like) if like is not None else types
        return same if len(same) < len(types) or len(types) == 1 else NOTHING_KNOWN

    def _is_instance(self, kind: Type, other: Type) -> bool:
        """Return whether an alternative is an object of the class of another type, or of one of its subclasses."""
        if not (isinstance(kind, InstanceType) and isinstance(other, InstanceType)):
            return False
        if isinstance(kind.of, ClassType) and isinstance(other.of, External):
            return other.of.name in self._context.members.lineage(kind.of).externals
        if isinstance(kind.of, External) or isinstance(other.of, External):
            return kind.of == other.of
        return kind.of.plain == other.of.plain or self._context.members.is_subclass(kind.of, other.of)

    def _list_like(self, types: Types, shape: Type) -> Types | None:
        """Return the alternatives whose members may have the values of an object type: `{ kind: "a" }`.

        None if the object type does not list single values.
        """
        of = shape.of if isinstance(shape, InstanceType) else None
        if not isinstance(of, ClassType) or of.symbol >= 0:
            return None
        bindings = self._scopes.source.uses(of.file).bindings.values()
        for binding in (each for bound in bindings for each in bound if each.scope == of.scope):
            wanted = self._values(binding.annotation, of.file, binding.within)
            if wanted is None:
                return None
            types = tuple(kind for kind in types if self._agrees(kind, binding.name, wanted, is_equal=True))
        return types

    def _keep(
        self, types: Types, name: str, value: Expression | None, file: str, scope: int, *, is_equal: bool = True
    ) -> Types:
        wanted = self._values(value, file, scope) if value is not None else None
        bounds = [inner for kind in types for inner in ((isinstance(kind, TypeVariable) and kind.bound) or (kind,))]
        if value is None:
            left = tuple(kind for kind in bounds if self._has(kind, name))
        else:
            left = tuple(kind for kind in bounds if self._agrees(kind, name, wanted, is_equal))
        return left if 0 < len(left) < len(bounds) else types

    def _has(self, kind: Type, name: str) -> bool:
        """Return whether an alternative may have a member."""
        of = kind.of if isinstance(kind, InstanceType) else None
        return not isinstance(of, ClassType) or self._context.members.find(of, name) is not None

    def _agrees(self, kind: Type, name: str, wanted: frozenset[object] | None, is_equal: bool) -> bool:
        """Return whether an alternative's member may have one of the wanted values, or without `is_equal` another."""
        of = kind.of if isinstance(kind, InstanceType) else None
        values = self._allowed((of, name)) if wanted is not None and isinstance(of, ClassType) else None
        if wanted is None or values is None:
            return True
        return bool(values & wanted) if is_equal else bool(values - wanted)

    def _read_allowed(self, of_member: tuple[ClassType, str]) -> frozenset[object] | None:
        """Return the single values that the type of a member lists (`"a" | "b"`); None if it allows any others."""
        member = self._context.members.find(*of_member)
        if member is None:
            return None  # An alternative without the member that distinguishes the others is a part of them: `A & B`.
        place = member.variable
        declared = [b for b in self._scopes.bindings(place) if b.annotation != UNKNOWN]
        listed = [self._values(b.annotation, place.file, b.within) for b in declared]
        known = [each for each in listed if each is not None]
        return frozenset().union(*known) if known and len(known) == len(listed) else None

    def _values(self, expression: Expression, file: str, scope: int, depth: int = 0) -> frozenset[object] | None:
        """Return the single values that a written type lists: literals and members of enums; None for other types."""
        if depth > _DEEPEST:
            return None
        if expression.kind is ExpressionKind.LITERAL or (expression.kind is ExpressionKind.UNION and expression.name):
            return frozenset({expression.name})
        if expression.kind is ExpressionKind.UNION:
            parts = [self._values(part, file, scope, depth + 1) for part in expression.parts]
            known = [part for part in parts if part is not None]
            return frozenset().union(*known) if len(known) == len(parts) else None
        if expression.kind is ExpressionKind.OPERATION:
            first, second = (self._values(part, file, scope, depth + 1) for part in expression.parts)
            if first is None or second is None:
                return None
            return first - second if expression.name == WITHOUT else first & second
        if expression.kind is ExpressionKind.NAME:
            return self._values_of_alias(expression.name, file, scope, depth)
        if expression.kind is ExpressionKind.ATTRIBUTE:
            found: set[object] = set()
            for owner in self._context.infer(expression.parts[0], file, scope):
                member = self._context.get_member(owner, expression.name) if isinstance(owner, ClassType) else None
                symbol = self._scopes.get_class_symbol(member.owner) if member is not None else None
                if member is None or symbol is None or symbol.kind is not SymbolKind.ENUM:
                    return None
                found.add(Variable(member.variable.file, member.variable.scope, expression.name))
            return frozenset(found) or None
        return None

    def _values_of_alias(self, name: str, file: str, scope: int, depth: int) -> frozenset[object] | None:
        """Return the single values that the alias of a type allows, None for any other name."""
        targets = self._scopes.find_targets(file, scope, name)
        only = targets[0] if len(targets) == 1 else None
        bindings = self._scopes.bindings(only) if isinstance(only, Variable) else ()
        if not isinstance(only, Variable) or len(bindings) != 1 or not self._is_alias(only.file, bindings[0]):
            return None
        return self._values(bindings[0].value, only.file, bindings[0].within, depth + 1)

    def _is_alias(self, file: str, binding: Binding) -> bool:
        is_type = binding.kind is BindingKind.ASSIGNMENT and binding.symbol >= 0
        return is_type and self._scopes.source.facts(file).symbols[binding.symbol].kind is SymbolKind.TYPE


def _is_around(span: Span, inner: Span) -> bool:
    return span.start_line <= inner.start_line and inner.end_line <= span.end_line
