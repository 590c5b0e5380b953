"""Aliases: the names under which a variable is known in other files, and the files that may write them.

Most imports write the name they take. A module's default, and what it is as a whole, are imported without being named;
there only the files that import the module count.

Knows: imports, and where they lead.
Does not know: references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.values import Variable
from avionics.index.scopes.name_resolver import EXPORT_EQUALS, NameResolver
from avionics.model.naming import as_written, called

MAX_ALIASES = 50
"""A name imported under more names than this is not followed further; the report says so."""
_DEFAULT = "default"
_UNWRITTEN = frozenset({_DEFAULT, EXPORT_EQUALS})
"""Names by which importers mean something without writing them."""


class Aliases:
    """Other names of variables; `importers` tells the files that import a file."""

    def __init__(self, source: FactSource, scopes: NameResolver, importers: Callable[[str], Iterable[str]]) -> None:
        self._source = source
        self._scopes = scopes
        self._importers = importers

    def names_of(self, variable: Variable) -> dict[str, tuple[str, ...]]:
        """The variable's name, and those it is imported under anywhere, with the files that may write each."""
        own = dict.fromkeys((variable.name, as_written(variable.name)))
        is_function = len(own) > 1
        is_unwritten = variable.name in _UNWRITTEN and variable.scope == 0
        names = {name: self._source.files_with_word(as_written(name)) for name in own if not is_unwritten}
        homes = [variable.file] if is_unwritten else []
        # An include names nothing: in C there are no aliases to look for in every file that writes the name.
        is_c = self._source.facts(variable.file).language == "c"
        pending = [] if is_c else [name for name in names if name == as_written(name)]
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
        """Every other name that files which write the name import it under, and the file."""
        candidates = self._source.files_renaming(name)
        self._source.load_facts(candidates)
        for file in candidates:
            for found in self._source.facts(file).imports:
                is_alias = found.name == name and found.alias not in {"", name}
                if is_alias and variable in self._scopes.find_imported(file, found):
                    yield found.alias, file

    def _unnamed(self, home: str, variable: Variable) -> Iterator[tuple[str, str]]:
        """Every name that importers give to what a file is as a whole, or by default, and the importer."""
        for file in self._importers(home):
            for found in self._source.facts(file).imports:
                if found.name in {"", _DEFAULT} and found.alias and variable in self._scopes.find_imported(file, found):
                    yield found.alias, file
