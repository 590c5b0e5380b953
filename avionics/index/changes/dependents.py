"""Find the files that can depend on the definitions of a file: those that import it, directly or through others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from avionics.index.changes.symbol_diff import ChangedFile
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import is_directory_file
from avionics.index.references.import_graph import MAX_USERS


class Dependents:
    """The dependents of the files of one change, before it and after it.

    The import graph is that of the version before, which is kept, because it stays the same while files are edited. The
    imports that changed files have now are added to it.
    """

    def __init__(self, before: CodeIndex, after: CodeIndex, files: Iterable[ChangedFile]) -> None:
        self._before = before
        self._after = after
        self._files = tuple(files)
        self._next = {each.before: each.after for each in self._files if each.before}
        self._previous = {each.after: each.before for each in self._files if each.after}
        self._found: dict[str, frozenset[str] | None] = {}

    def find(self, homes: Collection[str]) -> frozenset[str] | None:
        """Return the files of the new version that can depend on some files of either version.

        Return None if there are too many, or if files depend on each other without an import.
        """
        found: set[str] = set()
        for home in homes:
            if home not in self._found:
                self._found[home] = self._find(self._previous.get(home, home))
            some = self._found[home]
            if some is None:
                return None
            found |= some
        return frozenset(found)

    def _find(self, home: str) -> frozenset[str] | None:
        """Return the files of the new version that depend on a file of the old one."""
        seen, pending = {home}, [home]
        while pending:
            users = self._list_users(pending.pop())
            if users is None or len(seen) + len(users) > MAX_USERS:
                return None
            # Packages come first: most have many importers, so that those of modules need not be found.
            pending = sorted((*pending, *(users - seen)), key=is_directory_file)
            seen |= users
        return frozenset(self._next.get(file, file) for file in seen)

    def _list_users(self, file: str) -> frozenset[str] | None:
        users = self._before.graph.edges.list_users(file) if self._before.has_file(file) else None
        return None if users is None else users | self._new_users.get(self._next.get(file, file), frozenset())

    @cached_property
    def _new_users(self) -> dict[str, frozenset[str]]:
        """Return file of the new version → the old paths of the changed files that import it now."""
        found: dict[str, set[str]] = {}
        for each in self._files:
            for edge in self._after.graph.edges.of(each.after) if self._after.has_file(each.after) else ():
                found.setdefault(edge.target, set()).add(each.before or each.after)
        return {target: frozenset(users) for target, users in found.items()}
