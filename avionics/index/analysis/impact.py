"""Find the dependents of a change, nearest first.

The search goes from a changed symbol to the functions and classes that use it, and from those to their users, until
nothing new is found or a limit is reached. A step is proven when the resolver proves the use, and possible when the use
is not proven or the language makes it without naming the symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from avionics.cancellation import seconds_left
from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.handlers import build_module_body
from avionics.index.model.values import External, Variable
from avionics.index.types.calls.pytest_fixtures import iter_requests
from avionics.model.enums import BODIES, ReferenceKind, SymbolKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind

_CALLED_BY_NAME = frozenset({"__init__", "__new__"})
_RESERVED_SECONDS = 0.8
"""The time that an answer needs after its dependents are known."""


class Dependent(Struct, frozen=True):
    """Something that depends on a change.

    Attributes:
        file: The file where it uses what it depends on.
        line: The line of that use.
        on: What it uses there: a changed symbol, or another dependent.
        change: The change it depends on in the end.
        distance: The number of uses from the change to it.
        is_proven: Whether all of these uses are proven.
        reason: Why its own use is only possible, None where that is proven.
    """

    definition: Definition
    file: str
    line: int
    on: Definition
    change: SymbolChange
    distance: int
    is_proven: bool
    reason: Reason | None = None


class Impact(Struct, frozen=True):
    """Everything found to depend on some changes.

    Attributes:
        dependents: Nearest first, at one distance proven ones first; each definition once.
    """

    dependents: tuple[Dependent, ...]
    reasons: tuple[Reason, ...]


class _Use(Struct, frozen=True):
    definition: Definition
    file: str
    line: int
    reason: Reason | None = None


def trace_impact(head: CodeIndex, base: CodeIndex, changes: Iterable[SymbolChange], *, depth: int, most: int) -> Impact:
    """Find the direct and indirect dependents of the changes, at most `depth` uses away.

    Symbols that were removed are searched in the base; the users of at most `most` definitions are searched.
    """
    search = _Search(head, base)
    changed = [each for each in changes if each.change is not ChangeKind.TEXT]
    # Common names take most of the time. If it runs out, the users of the others are known.
    changed.sort(key=lambda each: len(head.files_with_word(each.definition.name)))
    front = [(each, each.definition, True) for each in changed]
    found: dict[Definition, Dependent] = {}
    followed: set[Definition] = set()
    reasons: tuple[Reason, ...] = ()
    for distance in range(1, depth + 1):
        reached: dict[Definition, Dependent] = {}
        for change, definition, is_proven in front:
            if definition in followed:
                continue
            is_late = seconds_left() < _RESERVED_SECONDS
            if is_late or len(followed) == most:
                limit = Reason(ReasonKind.FOLLOW_LIMIT, len(followed))
                reasons = (Reason(ReasonKind.TIME_RAN_OUT), limit) if is_late else (limit,)
                break
            followed.add(definition)
            for use in search.iter_first(change) if distance == 1 else search.iter_uses(definition):
                proven = is_proven and not use.reason
                dependent = Dependent(
                    use.definition, use.file, use.line, definition, change, distance, proven, use.reason
                )
                before = found.get(use.definition) or reached.get(use.definition)
                if before is None or (before.distance == distance and proven and not before.is_proven):
                    reached[use.definition] = dependent
        found |= reached
        ordered = sorted(reached.values(), key=lambda each: (not each.is_proven, each.file, each.line))
        front = [(each.change, each.definition, each.is_proven) for each in ordered]
        if reasons or not front:
            break
    order = sorted(found.values(), key=lambda each: (each.distance, not each.is_proven))
    return Impact(tuple(order), reasons)


def assume_changes(code: CodeIndex, definition: Definition | None, file: str) -> tuple[SymbolChange, ...]:
    """Return changes to a symbol with its members, or to a whole file, to find their impact before any edit."""
    start = f"{definition.symbol.qualname}." if definition is not None else ""
    within = [
        each
        for each in code.iter_definitions(file)
        if each.symbol.qualname.startswith(start) and not _is_local(code, each)
    ]
    changed = [definition, *within] if definition is not None else within
    whole = [build_module_body(code, file)] if definition is None else []
    return tuple(SymbolChange(ChangeKind.BODY, each, each) for each in (*changed, *whole))


def _is_local(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a definition is local to a function, and not a member that the function assigns to its object."""
    line = code.read_line(definition.file, definition.line)
    is_member = line[: definition.symbol.column].endswith(("this.", "self."))
    around = code.facts(definition.file).iter_around(definition.symbol)
    return not is_member and any(each.kind in BODIES for each in around)


class _Search:
    """Finds the direct dependents of one change or definition."""

    def __init__(self, head: CodeIndex, base: CodeIndex) -> None:
        self._code = head
        self._base = base

    def iter_first(self, change: SymbolChange) -> Iterator[_Use]:
        """Yield the users of a changed symbol; for a removed or moved one, the places that still use the old name."""
        is_file = change.definition.kind is SymbolKind.MODULE
        if change.after is not None and not (change.change is ChangeKind.MOVED and is_file):
            yield from self.iter_uses(change.after)
        if change.before is not None and change.change in {ChangeKind.REMOVED, ChangeKind.MOVED}:
            yield from self._iter_old_importers(change.before.file) if is_file else self.iter_removed(change.before)

    def iter_uses(self, definition: Definition) -> Iterator[_Use]:
        """Yield the users and possible users of a definition."""
        if definition.kind is SymbolKind.MODULE:
            yield from self._iter_importers(definition.file)
            return
        yield from self._iter_naming_uses(definition)
        yield from self._iter_fixture_users(definition)
        if definition.kind not in BODIES:
            return
        overridden = self._code.graph.classes.overridden(definition)
        if overridden is not None:
            yield from self._iter_naming_uses(
                overridden, Reason(ReasonKind.THROUGH_OVERRIDDEN, subject=overridden.symbol.qualname)
            )
        name = definition.name
        if name.startswith("__") and name.endswith("__") and name not in _CALLED_BY_NAME:
            holder = self._code.get_parent(definition)
            if holder is not None:
                yield from self._iter_naming_uses(holder, Reason(ReasonKind.IMPLICIT_CALL))

    def iter_removed(self, definition: Definition) -> Iterator[_Use]:
        """Yield the users of a removed definition that still write its name."""
        reason = Reason(ReasonKind.USED_REMOVED)
        for file in sorted({usage.file for usage in self._base.usages(definition).usages}):
            if not self._code.has_file(file):
                continue
            for reference in self._code.uses(file).references.get(definition.name, ()):
                if reference.kind is not ReferenceKind.IMPORT and not self._is_resolved(file, reference):
                    yield _Use(self._get_dependent(file, reference.line), file, reference.line, reason)

    def _is_resolved(self, file: str, reference: Reference) -> bool:
        """Return whether a reference certainly refers to a definition that exists, or to a built-in one."""
        targets = self._code.resolver.resolve(file, reference).targets
        for target in targets:
            if isinstance(target, Variable) and self._code.graph.get_definition(target) is not None:
                return True
            if isinstance(target, External) and target.is_builtin:
                return True
        return False

    def _iter_naming_uses(self, definition: Definition, reason: Reason | None = None) -> Iterator[_Use]:
        """Yield the places that name a definition; `reason` says why they are only possible dependents."""
        report = self._code.usages(definition)
        for usage in report.usages:
            if usage.role is not ReferenceKind.IMPORT:
                around = self._get_outermost(usage.enclosing) if usage.enclosing else self._get_module(usage.file)
                if around != definition:
                    yield _Use(around, usage.file, usage.line, reason)
        name = definition.name
        for use in report.unresolved:
            # A special name such as `__init__` occurs in many strings that refer to none of its definitions.
            if name.startswith("__") and use.line in self._code.uses(use.file).strings.get(name, ()):
                continue
            yield _Use(self._get_dependent(use.file, use.line), use.file, use.line, reason or use.reason)

    def _iter_fixture_users(self, definition: Definition) -> Iterator[_Use]:
        """Yield the tests and fixtures that pytest passes a fixture to."""
        for file, binding in iter_requests(self._code.resolver.scopes, definition):
            index = self._code.uses(file).scopes[binding.scope].symbol
            yield _Use(self._code.definition_at(file, index), file, binding.line)

    def _iter_importers(self, file: str) -> Iterator[_Use]:
        """Yield the files that import a file whose top-level code changed."""
        reason = Reason(ReasonKind.IMPORTS_CHANGED_MODULE)
        for link in self._code.importers(file):
            yield _Use(self._get_module(link.file), link.file, link.line, reason)

    def _iter_old_importers(self, file: str) -> Iterator[_Use]:
        """Yield the files that still import a file by its old name."""
        reason = Reason(ReasonKind.IMPORTS_MOVED_FILE)
        for link in self._base.importers(file):
            for now in self._code.imports(link.file) if self._code.has_file(link.file) else ():
                if now.module == link.module and now.target is None:
                    yield _Use(self._get_module(now.file), now.file, now.line, reason)

    def _get_dependent(self, file: str, line: int) -> Definition:
        """Return the outermost function around a line, else the code of the module."""
        enclosing = self._code.graph.enclosing(file, line)
        return self._get_outermost(enclosing) if enclosing else self._get_module(file)

    def _get_outermost(self, definition: Definition) -> Definition:
        """Return the outermost function around a definition, which creates and runs the inner ones."""
        found, holder = definition, self._code.get_parent(definition)
        while holder is not None:
            found = holder if holder.kind in BODIES else found
            holder = self._code.get_parent(holder)
        return found

    def _get_module(self, file: str) -> Definition:
        return build_module_body(self._code, file)
