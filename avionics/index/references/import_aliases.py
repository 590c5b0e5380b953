"""Aliases: the names under which other files import a variable, and the files that may mention them.

Most imports write the name they take. A module's default export, and a module as a whole, are imported without a name;
for these, the importers of the module are the candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.values import Variable
from avionics.index.scopes.name_resolver import EXPORT_EQUALS, NameResolver
from avionics.model.naming import as_written, called

MAX_ALIASES = 50
"""A symbol imported under more names than this is not followed further; the usage report has a reason that says so."""
_DEFAULT = "default"
_UNWRITTEN = frozenset({_DEFAULT, EXPORT_EQUALS})
"""Names that importers mean without writing them."""


class Aliases:
    """Finds other names of variables; `importers` returns the files that import a file."""

    def __init__(self, source: FactSource, scopes: NameResolver, importers: Callable[[str], Iterable[str]]) -> None:
        self._source = source
        self._scopes = scopes
        self._importers = importers

    def names_of(self, variable: Variable) -> dict[str, tuple[str, ...]]:
        """Return the variable's name and every name it is imported under, with the files that may mention each."""
        own = dict.fromkeys((variable.name, as_written(variable.name)))
        is_function = len(own) > 1
        is_unwritten = variable.name in _UNWRITTEN and variable.scope == 0
        names = {name: self._source.files_with_word(as_written(name)) for name in own if not is_unwritten}
        homes = [variable.file] if is_unwritten else []
        # Without import aliases there is nothing to search every mentioning file for.
        has_aliases = self._scopes.spec(variable.file).import_aliases
        pending = [name for name in names if name == as_written(name)] if has_aliases else []
        while (pending or homes) and len(names) <= MAX_ALIASES:
            found = self._imported_as(pending.pop(0), variable) if pending else self._unnamed(homes.pop(0), variable)
            for alias, file in found:
                if alias in _UNWRITTEN:
                    homes.append(file)
                elif alias not in names:
                    pending.append(alias)
                    for name in (alias, called(alias)) if is_function else (alias,):
                        names[name] = self._source.files_with_word(as_written(alias))
        return names

    def _imported_as(self, name: str, variable: Variable) -> Iterator[tuple[str, str]]:
        """Yield every other name under which a file imports the name, and the file."""
        candidates = self._source.files_renaming(name)
        self._source.load_facts(candidates)
        for file in candidates:
            for found in self._source.facts(file).imports:
                is_alias = found.name == name and found.alias not in {"", name}
                if is_alias and variable in self._scopes.find_imported(file, found):
                    yield found.alias, file

    def _unnamed(self, home: str, variable: Variable) -> Iterator[tuple[str, str]]:
        """Yield every name that importers give to a file as a whole or to its default export, and the importer."""
        for file in self._importers(home):
            for found in self._source.facts(file).imports:
                if found.name in {"", _DEFAULT} and found.alias and variable in self._scopes.find_imported(file, found):
                    yield found.alias, file
