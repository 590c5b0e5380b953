"""Recognize computed names whose texts are all literals of the workspace: `for name in ("a", "b"): getattr(o, name)`.

Each of these literals is a mention of the member that the access reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from avionics.index.model.values import ClassType, Variable, as_class
from avionics.index.references.reference_resolver import Resolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import Binding, Expression, Reference
from avionics.model.knowledge import Definition
from avionics.syntax.conventions import TextNames
from avionics.syntax.engine.expressions import bare_name
from avionics.syntax.registry import conventions_of

_TEXT = Expression(ExpressionKind.LITERAL, "str")
_FIXED = "tuple"
"""The only container that is immutable."""
_SPREAD = late_pattern(r"\*\s*(\w+(?:\.\w+)?)")
_MAX_DEPTH = 8


class KnownKeys:
    """Reads the keys of computed accesses; `subclasses` returns the direct and indirect subclasses of a class."""

    def __init__(self, resolver: Resolver, subclasses: Callable[[Definition], Iterable[Definition]]) -> None:
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._source = resolver.scopes.source
        self._subclasses = subclasses

    def are_written(self, file: str, access: Reference) -> bool:
        """Return whether the key of an access is a name whose values are all string literals."""
        text_names = conventions_of(file).implicit.text_names or TextNames()
        behind = self._source.read_line(file, access.line)[access.column :]
        match = text_names.keys.match(behind)
        return match is not None and self._is_text(bare_name(match["key"]), file, access.scope, 0)

    def _is_text(self, value: Expression, file: str, scope: int, depth: int) -> bool:
        """Return whether all values of an expression are string literals."""
        if value == _TEXT:
            return True
        if depth > _MAX_DEPTH:
            return False
        if value.kind is ExpressionKind.ELEMENT:
            holder = value.parts[0]
            is_literal = holder.kind is ExpressionKind.CONTAINER
            return self._has_texts(holder, file, scope, depth + 1, is_fixed=not is_literal)
        bindings = self._list_values(value, file, scope)
        return bool(bindings) and all(self._is_text(b.value, home, b.within, depth + 1) for home, b in bindings)

    def _has_texts(self, value: Expression, file: str, scope: int, depth: int, *, is_fixed: bool) -> bool:
        """Return whether all elements of a container are string literals; with `is_fixed` it must be immutable."""
        if depth > _MAX_DEPTH:
            return False
        if value.kind is ExpressionKind.CONTAINER:
            is_mapping = value.name not in {_FIXED, "list", "set"}
            if is_mapping or (is_fixed and value.name != _FIXED):
                return False
            return all(self._is_text(part, file, scope, depth + 1) for part in value.parts)
        if value.kind is ExpressionKind.ATTRIBUTE:
            return self._has_member_texts(value, file, scope, depth)
        bindings = self._list_values(value, file, scope)
        return bool(bindings) and all(
            self._has_texts(b.value, home, b.within, depth + 1, is_fixed=True) for home, b in bindings
        )

    def _list_values(self, value: Expression, file: str, scope: int) -> Sequence[tuple[str, Binding]]:
        """Return the expressions that give a bare name its values; () if there may be others."""
        if value.kind is not ExpressionKind.NAME:
            return ()
        targets = self._scopes.find_targets(file, scope, value.name)
        if not all(isinstance(each, Variable) for each in targets):
            return ()
        variables = [each for each in targets if isinstance(each, Variable)]
        found = [(each.file, binding) for each in variables for binding in self._scopes.bindings(each)]
        if any(binding.kind is not BindingKind.ASSIGNMENT for _, binding in found):
            return ()
        return () if any(self._is_rewritten(each) for each in variables) else found

    def _is_rewritten(self, variable: Variable) -> bool:
        """Return whether code writes a variable other than by its bindings: `names += more`."""
        bound = {(each.line, each.column) for each in self._scopes.bindings(variable)}
        for file in self._source.files_with_word(variable.name):
            for each in self._source.uses(file).references.get(variable.name, ()):
                is_bound = file == variable.file and (each.line, each.column) in bound
                if each.kind is not ReferenceKind.WRITE or is_bound:
                    continue
                resolution = self._resolver.resolve(file, each)
                if variable in resolution.targets or resolution.unknown is not None:
                    return True
        return False

    def _has_member_texts(self, value: Expression, file: str, scope: int, depth: int) -> bool:
        """Return whether a member has only string literals, in its class and in all ancestors and subclasses."""
        owners = self._resolver.inference.infer(value.parts[0], file, scope)
        holders = list(map(as_class, owners))
        own = holders[0] if len(holders) == 1 else None
        owner = self._scopes.get_class_definition(own)
        if not isinstance(own, ClassType) or owner is None:
            return False
        members = self._resolver.inference.members
        lineage = members.lineage(own)
        if lineage.is_open or lineage.externals:
            return False
        below = self._subclasses(owner)
        family = list(dict.fromkeys((*lineage.classes, *(ClassType.of(each) for each in below))))
        variables = [each for of in family if (each := members.own_member(of, value.name)) is not None]
        for each in variables:
            bindings = self._scopes.bindings(each)
            if self._is_rewritten(each):
                return False
            if not all(self._is_own_tuple(value.name, each.file, b, family, depth) for b in bindings):
                return False
        return bool(variables)

    def _is_own_tuple(self, name: str, file: str, binding: Binding, family: Sequence[ClassType], depth: int) -> bool:
        """Return whether a binding sets a member to a tuple of string literals and spread tuples of such literals.

        A spread may be the same member of a class in `family`: `names = (*Base.names, "a")`.
        """
        value = binding.value
        if value.kind is not ExpressionKind.CONTAINER or value.name != _FIXED:
            return False
        rest = [each for each in value.parts if not self._is_text(each, file, binding.within, depth + 1)]
        lines = self._source.read_lines(file)[binding.line - 1 : binding.line - 1 + len(value.parts) + 2]
        spread = _SPREAD.findall("\n".join(lines).partition(")")[0])
        return len(rest) == len(spread) and all(
            self._is_spread(each, name, file, binding.within, family, depth) for each in spread
        )

    def _is_spread(self, text: str, name: str, file: str, scope: int, family: Sequence[ClassType], depth: int) -> bool:
        """Return whether a value spread into a tuple has only string literals, or is the same member of the family."""
        owner, _, last = text.rpartition(".")
        if not owner:
            return self._has_texts(bare_name(text), file, scope, depth + 1, is_fixed=True)
        owners = self._resolver.inference.infer_name(owner, file, scope) if last == name else ()
        return bool(owners) and set(owners) <= set(family)
