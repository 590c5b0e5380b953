"""Impact: what depends on what changed, near things first.

From a changed symbol to the functions and classes that use it, from those to theirs, until nothing new comes or
enough is known. A step is proven when the resolver proves the use; it is possible when the use could not be told, or
the language could lead there unseen.

Knows: changes, usages, fixtures, hierarchies.
Does not know: git, tests, how an answer is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.discovery import build_module_body
from avionics.index.model import python_builtins as names
from avionics.index.model.values import External, FunctionType, Variable
from avionics.index.types.pytest_fixtures import get_fixture
from avionics.model.enums import BindingKind, ReferenceKind, SymbolKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition

_CALLED_BY_NAME = frozenset({"__init__", "__new__"})
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})


@attrs.frozen
class Dependent:
    """Something that depends on a change.

    Attributes:
        definition: The function, class or module body that does.
        file: Where it uses what it depends on.
        line: Where.
        on: What it uses there: what changed, or another dependent.
        change: The change at the beginning.
        distance: How many uses lie between.
        is_proven: Whether every use between is proven.
        reason: Why it is only possible, "" for a proven one.
    """

    definition: Definition
    file: str
    line: int
    on: Definition
    change: SymbolChange
    distance: int
    is_proven: bool
    reason: str = ""


@attrs.frozen
class Impact:
    """Everything found to depend on some changes.

    Attributes:
        dependents: Nearest first, at one distance proven ones first; each definition once.
        because: What may depend on them and was not followed.
    """

    dependents: tuple[Dependent, ...]
    because: tuple[str, ...]


@attrs.frozen
class _Use:
    definition: Definition
    file: str
    line: int
    reason: str = ""


def trace_impact(head: CodeIndex, base: CodeIndex, changes: Iterable[SymbolChange], *, depth: int, most: int) -> Impact:
    """What depends on the changes.

    Args:
        head: The code as it is.
        base: The code as it was, for symbols that are gone.
        changes: What changed.
        depth: How many uses away at the most.
        most: So many definitions are followed at the most.
    """
    search = _Search(head, base)
    front = [(each, each.definition, True) for each in changes if each.change is not ChangeKind.TEXT]
    found: dict[Definition, Dependent] = {}
    followed: set[Definition] = set()
    because: list[str] = []
    for distance in range(1, depth + 1):
        reached: dict[Definition, Dependent] = {}
        for change, definition, is_proven in front:
            if definition in followed:
                continue
            if len(followed) == most:
                because.append(f"only {most} definitions were followed")
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
        if because or not front:
            break
    order = sorted(found.values(), key=lambda each: (each.distance, not each.is_proven))
    return Impact(tuple(order), tuple(because))


class _Search:
    """One step at a time."""

    def __init__(self, head: CodeIndex, base: CodeIndex) -> None:
        self._code = head
        self._base = base

    def iter_first(self, change: SymbolChange) -> Iterator[_Use]:
        """Who uses what changed; of what is gone or elsewhere now, who still names it where it was."""
        is_file = change.definition.kind is SymbolKind.MODULE
        if change.after is not None and not (change.change is ChangeKind.MOVED and is_file):
            yield from self.iter_uses(change.after)
        if change.before is not None and change.change in {ChangeKind.REMOVED, ChangeKind.MOVED}:
            yield from self._left_behind(change.before.file) if is_file else self.iter_gone(change.before)

    def iter_uses(self, definition: Definition) -> Iterator[_Use]:
        """Who uses a definition, and who may."""
        if definition.kind is SymbolKind.MODULE:
            yield from self._importers(definition.file)
            return
        yield from self._named(definition, "")
        yield from self._askers(definition)
        if definition.kind not in _CALLABLE:
            return
        above = self._code.graph.overridden(definition)
        if above is not None:
            yield from self._named(above, f"through {above.symbol.qualname}, which it overrides")
        name = definition.name
        if name.startswith("__") and name.endswith("__") and name not in _CALLED_BY_NAME:
            holder = self._holder(definition)
            if holder is not None:
                yield from self._named(holder, "the language calls it on objects of its class")

    def iter_gone(self, definition: Definition) -> Iterator[_Use]:
        """Who used a definition that is gone and still writes its name."""
        for file in sorted({usage.file for usage in self._base.usages(definition).usages}):
            if not self._code.has_file(file):
                continue
            for reference in self._code.uses(file).references.get(definition.name, ()):
                if reference.kind is not ReferenceKind.IMPORT and not self._means_another(file, reference):
                    yield _Use(self._around(file, reference.line), file, reference.line, "it used what is gone now")

    def _means_another(self, file: str, reference: Reference) -> bool:
        """Whether a reference is known to mean something that is there."""
        targets = self._code.resolver.resolve(file, reference).targets
        return any(
            self._code.graph.get_definition(target) is not None
            if isinstance(target, Variable)
            else isinstance(target, External) and target.name.startswith(names.BUILTIN)
            for target in targets
        )

    def _named(self, definition: Definition, reason: str) -> Iterator[_Use]:
        report = self._code.usages(definition)
        for usage in report.usages:
            if usage.role is not ReferenceKind.IMPORT:
                around = self._outermost(usage.enclosing) if usage.enclosing else self._body(usage.file)
                if around != definition:
                    yield _Use(around, usage.file, usage.line, reason)
        for use in report.unresolved:
            # The text of a special name is in many places and means none of them in particular.
            if definition.name.startswith("__") and use.line in self._code.uses(use.file).strings.get(
                definition.name, ()
            ):
                continue
            yield _Use(self._around(use.file, use.line), use.file, use.line, reason or use.reason)

    def _askers(self, definition: Definition) -> Iterator[_Use]:
        """The tests and fixtures that pytest hands a fixture to."""
        if not names.is_decorated(definition.symbol.decorators, names.FIXTURES):
            return
        own = FunctionType(definition.file, definition.index)
        scopes = self._code.resolver.scopes
        for file in self._code.files_with_word(definition.name):
            uses = self._code.uses(file)
            for binding in uses.bindings.get(definition.name, ()):
                scope = uses.scopes[binding.scope]
                if binding.kind is BindingKind.PARAMETER and get_fixture(scopes, file, scope, definition.name) == own:
                    asking = Definition(file, self._code.facts(file).symbols[scope.symbol], scope.symbol)
                    yield _Use(asking, file, binding.line)

    def _importers(self, file: str) -> Iterator[_Use]:
        """The files that import a file, whose code outside of functions has changed."""
        for link in self._code.importers(file):
            yield _Use(self._body(link.file), link.file, link.line, "it imports a module whose own code changed")

    def _left_behind(self, file: str) -> Iterator[_Use]:
        """The files that still import a file by the name it had."""
        for link in self._base.importers(file):
            for now in self._code.imports(link.file) if self._code.has_file(link.file) else ():
                if now.module == link.module and now.target is None:
                    yield _Use(self._body(now.file), now.file, now.line, "it imports a file that is elsewhere now")

    def _holder(self, definition: Definition) -> Definition | None:
        parent = definition.symbol.parent
        if parent < 0:
            return None
        return Definition(definition.file, self._code.facts(definition.file).symbols[parent], parent)

    def _around(self, file: str, line: int) -> Definition:
        enclosing = self._code.graph.enclosing(file, line)
        return self._outermost(enclosing) if enclosing else self._body(file)

    def _outermost(self, definition: Definition) -> Definition:
        """The function around all functions that hold the definition: what it holds is made and run by it."""
        found, holder = definition, self._holder(definition)
        while holder is not None:
            found = holder if holder.kind in _CALLABLE else found
            holder = self._holder(holder)
        return found

    def _body(self, file: str) -> Definition:
        return build_module_body(self._code, file)
