"""Map compilers' facts to a snapshot: the variable bound at a location, and the location of a definition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from avionics.index.model.compiler_facts import CompiledName, CompiledTarget
from avionics.index.model.values import Module, Target, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.knowledge import Definition


class CompiledTargets:
    """Finds the definitions of one snapshot that compilers name by content, line and column."""

    def __init__(self, scopes: NameResolver) -> None:
        self._source = scopes.source
        self._variables: dict[str, dict[tuple[int, int], list[Variable]]] = {}

    def find_targets(self, target: CompiledTarget) -> tuple[Target, ...]:
        """Return the variables that a definition binds; () if its content is not in the snapshot, or it binds none."""
        path = self._path_of(target)
        if path is None:
            return ()
        if target.is_module:
            return (Module(path),)
        if path not in self._variables:
            found: dict[tuple[int, int], list[Variable]] = {}
            for name, bindings in self._source.uses(path).bindings.items():
                for each in bindings:
                    found.setdefault((each.line, each.column), []).append(Variable(path, each.scope, name))
            self._variables[path] = found
        return tuple(self._variables[path].get((target.line, target.column), ()))

    def iter_names(self, file: str, definitions: tuple[Definition, ...]) -> Iterator[CompiledName]:
        """Yield the names in a file that a compiler resolved to one of the definitions."""
        facts = self._source.compiled(file)
        if facts is None:
            return
        wanted = {(each.file, each.line, each.symbol.column) for each in definitions}
        for name in facts.names:
            path = self._path_of(name.target)
            if path is not None and (path, name.target.line, name.target.column) in wanted:
                yield name

    def _path_of(self, target: CompiledTarget) -> str | None:
        """Return the file of the snapshot that has the content of a definition."""
        entry = self._source.snapshot.entries.get(target.path)
        if entry is not None and entry.oid == target.oid:
            return target.path
        return self._paths.get(target.oid)

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {entry.oid: path for path, entry in self._source.snapshot.entries.items()}
