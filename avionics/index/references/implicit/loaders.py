"""Find reasons why a tool or framework may use a definition by loading its file."""

from __future__ import annotations

import re

from avionics.index.facts.fact_source import FactSource
from avionics.index.references.class_hierarchy import ClassHierarchy
from avionics.index.references.import_graph import ImportEdges
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import SymbolKind, is_class
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

PRIVATE = re.compile(r"(?:\w+ )*private\b")
"""The beginning of a signature that hides a member from code outside of its class."""
_LOADING = re.compile(r"\brequire\s*\(")


class Loaders:
    """Finds what may load the files of one snapshot that no file imports."""

    def __init__(self, source: FactSource, scopes: NameResolver, classes: ClassHierarchy, edges: ImportEdges) -> None:
        self._source = source
        self._scopes = scopes
        self._classes = classes
        self._edges = edges

    def get(self, definition: Definition) -> Reason | None:
        """Return why a tool or framework may use a definition by loading its file, or that of a subclass; else None.

        All members of such a definition count as used, except private ones.
        """
        holder = self._source.get_parent(definition)
        is_hidden = definition.name.startswith(("_", "#")) or PRIVATE.match(definition.symbol.signature)
        is_inherited = holder is not None and is_class(holder.kind) and not is_hidden
        heirs = self._classes.descendants(holder) if holder is not None and is_inherited else ()
        return next(filter(None, map(self._get_own, (definition, *heirs))), None)

    def _get_own(self, definition: Definition) -> Reason | None:
        """Return why a tool or framework may use a definition by loading its own file, or None."""
        around = self._source.facts(definition.file).iter_around(definition.symbol)
        *inner, symbol = definition.symbol, *around
        if any(each.name.startswith("#") or PRIVATE.match(each.signature) for each in inner):
            return None
        text = self._source.read_text(definition.file)
        declared = self._source.read_line(definition.file, symbol.line).lstrip()
        if declared.startswith("export default ") or definition.symbol.signature.startswith("module.exports"):
            return Reason(ReasonKind.DEFAULT_EXPORT)
        spec = self._scopes.spec(definition.file)
        runs = spec.executed_classes
        is_value = symbol.kind in {SymbolKind.VARIABLE, SymbolKind.CONSTANT} or (runs and is_class(symbol.kind))
        is_value = is_value or (runs and symbol.kind is SymbolKind.FUNCTION and not self._is_script(definition.file))
        # A script that loads no module defines names for whatever loads it; code inside a page does not.
        is_shared = "export" in text or (_LOADING.search(text) is None and not spec.is_in_pages)
        is_given = symbol.exported and is_shared and spec.module_values and not runs
        is_offered = (is_value and not symbol.name.startswith("_")) or declared.startswith("export ") or is_given
        if is_offered and self._is_loaded(definition.file):
            return Reason(ReasonKind.FILE_NOT_IMPORTED)
        if is_offered and conventions_of(definition.file).files.loaded_places.search(definition.file):
            return Reason(ReasonKind.FILE_OF_FRAMEWORK)
        names = conventions_of(definition.file).implicit.text_names
        if names is None:
            return None
        if (found := names.replaced_modules.search(text)) is not None:
            return Reason(ReasonKind.ESCAPING_MODULE, place=(definition.file, line_of(text, found.start())))
        place = self._get_module_name(definition.file) if is_offered else None
        return Reason(ReasonKind.STRING_LITERAL, place=place) if place is not None else None

    def _get_module_name(self, file: str) -> tuple[str, int] | None:
        """Return a string that is the dotted name of a file's module, by which code may load it, or None."""
        name = self._scopes.modules.dotted_name(file)
        above, _, last = name.rpartition(".")
        found = (
            (each, lines[0])
            for each in (self._source.files_with_word(last) if above else ())
            for text, lines in self._source.uses(each).strings.items()
            if text == name
        )
        return next(found, None)

    def _is_script(self, file: str) -> bool:
        """Return whether a file with `#!` is only run as a program, so that nothing else calls its functions.

        A hidden file is the configuration of a tool, and a file in a package (beside `__init__.py`) can be imported.
        """
        directory, _, own = file.rpartition("/")
        stems, suffix = conventions_of(file).files.directory_stems, own[own.rfind(".") :]
        if own.startswith(".") or any(self._source.has_file(f"{directory}/{stem}{suffix}") for stem in stems):
            return False
        return self._source.read_text(file).startswith("#!")

    def _is_loaded(self, file: str) -> bool:
        """Return whether no file imports this one, or only one does that re-exports it and is not imported itself."""
        importers = self._edges.importers(file)
        whole = (link.file for link in importers if "*" in link.names)
        return not importers or any(not self._edges.importers(each) for each in whole)
