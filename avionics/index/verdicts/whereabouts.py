"""Find out whether the definitions that are gone from their places were moved, renamed, hidden or removed."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cached_property

from avionics.index.code_index import CodeIndex
from avionics.index.model.values import Target, Variable
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause, Site
from avionics.index.verdicts.names.broken_name import BrokenName
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition

_MIN_LIKENESS = 0.6
"""The minimum similarity of a removed definition's text to that of a new one with another name, for a rename."""


class Whereabouts:
    """Finds the successors of definitions of the version before."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair

    def explain(self, broken: BrokenName) -> tuple[Cause, Site | None, str]:
        """Return why a name no longer resolves, its former definition, and its replacement."""
        if broken.module:
            now = self._pair.path_after(broken.module)
            if now:
                return Cause.MODULE_MOVED, Site(broken.module, 1, is_before=True), self._pair.after.dotted_name(now)
            return Cause.MODULE_REMOVED, Site(broken.module, 1, is_before=True), ""
        was = self._get_former(broken.target)
        if was is None:
            return (Cause.NAME_REMOVED if broken.target is not None else Cause.NEVER_DEFINED), None, ""
        # A symbol that still exists has lost one of its declarations.
        was = next(self._pair.iter_lost_declarations(was), was) if self._is_there(was) else was
        change = Site.of(was, is_before=True)
        if any(was == old for _, old in self._pair.narrowed.get(was.name, {}).values()):
            return Cause.NAME_HIDDEN, change, ""
        moved = self._get_moved(was)
        if moved is not None:
            return Cause.NAME_MOVED, change, self._pair.after.dotted_name(moved.file)
        renamed = self.get_renamed(was)
        if renamed is not None:
            return Cause.NAME_RENAMED, change, renamed.name
        home = self._pair.after.dotted_name(was.file) if was.file == self._pair.path_after(was.file) else ""
        if not broken.is_of_object and home not in {"", broken.holder} and self._is_there(was):
            return Cause.NAME_MOVED, change, home
        return Cause.NAME_REMOVED, change, ""

    def _get_former(self, target: Target | None) -> Definition | None:
        return self._pair.before.graph.get_definition(target) if isinstance(target, Variable) else None

    def _is_there(self, was: Definition) -> bool:
        """Return whether a definition is still in its file, which may be renamed."""
        now = self._pair.path_after(was.file)
        return self._pair.after.has_file(now) and bool(self._pair.after.find_qualified(now, was.symbol.qualname))

    def _get_moved(self, was: Definition) -> Definition | None:
        """Return the definition of the same name and kind that is new in another changed file, or None."""
        arrived = self._arrived.get((was.symbol.qualname, was.kind), ())
        if not arrived or self._is_there(was):
            return None
        home = self._pair.path_after(was.file)
        return next((each for each in arrived if each.file != home), None)

    @cached_property
    def _arrived(self) -> dict[tuple[str, SymbolKind], list[Definition]]:
        """Return (qualified name, kind) → definitions of changed files that are new in this version."""
        found: dict[tuple[str, SymbolKind], list[Definition]] = {}
        for each in self._pair.files:
            known = self._list_qualnames(each.before)
            for now in self._pair.after.iter_definitions(each.after):
                if now.symbol.qualname not in known:
                    found.setdefault((now.symbol.qualname, now.kind), []).append(now)
        return found

    def _list_qualnames(self, file: str) -> set[str]:
        return {each.qualname for each in self._pair.before.facts(file).symbols}

    def get_renamed(self, was: Definition) -> Definition | None:
        """Return the new definition near the old location with nearly the same text, or None."""
        now = self._pair.path_after(was.file)
        if not now or not self._pair.after.has_file(now) or self._is_there(was):
            return None
        known, holder = self._list_qualnames(was.file), was.symbol.qualname.rpartition(".")[0]
        old = _text_of(self._pair.before, was)
        rated = [
            (SequenceMatcher(None, old, _text_of(self._pair.after, each)).ratio(), each.index, each)
            for each in self._pair.after.iter_definitions(now)
            if each.kind is was.kind
            and each.symbol.qualname not in known
            and each.symbol.qualname.rpartition(".")[0] == holder
        ]
        likeness, _, found = max(rated, default=(0.0, -1, None))
        return found if likeness >= _MIN_LIKENESS else None


def _text_of(code: CodeIndex, definition: Definition) -> list[str]:
    """Return the lines of a definition, with its own name left out."""
    return [line.strip().replace(definition.name, "") for line in code.read_definition(definition).split("\n")]
