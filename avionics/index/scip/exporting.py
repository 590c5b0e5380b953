"""Describe a snapshot as SCIP documents: every definition, and every reference that is proven."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import ClassType, Target, Variable
from avionics.index.modules.package_coordinates import LANGUAGE_NAMES, find_coordinates
from avionics.index.references.reference_targets import find_reference_targets, iter_resolved
from avionics.index.scip.symbol_names import ModuleMentions, SymbolNames
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.model.enums import BindingKind, ReferenceKind, SymbolKind
from avionics.model.facts import Binding, FileUses, Reference
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written
from avionics.scip.schema import Kind, SymbolRole
from avionics.scip.symbols import LOCAL
from avionics.scip.values import Range, ScipDocument, ScipOccurrence, ScipSymbol
from avionics.syntax.registry import require_spec

_KINDS = {each: Kind.FIELD if each is SymbolKind.ATTRIBUTE else Kind[each.name] for each in SymbolKind}
"""SCIP has the same kinds by the same names, but calls an attribute a field."""

_ROLES = dict.fromkeys(ReferenceKind, SymbolRole.READ) | {
    ReferenceKind.IMPORT: SymbolRole.IMPORT,
    ReferenceKind.WRITE: SymbolRole.WRITE,
    ReferenceKind.DELETE: SymbolRole.WRITE,
}
_CALL = ReferenceKind.CALL
_FROM_ELSEWHERE = frozenset({BindingKind.IMPORT, BindingKind.OUTER})
_BINDING_KINDS = {
    BindingKind.PARAMETER: Kind.PARAMETER,
    BindingKind.VARIADIC: Kind.PARAMETER,
    BindingKind.TYPE_PARAMETER: Kind.TYPE_PARAMETER,
}
_RENAMING = re.compile(r"[^\S\n]++as[^\S\n]++([\w$]++)")
_AT_ONCE = 200
"""Files whose uses are read together."""


class Exporter:
    """Describes the files of one snapshot."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self.files = tuple(file for file in code.files if require_spec(code.facts(file).language).has_uses)
        """The files whose references are analyzed."""
        packages = find_coordinates(code.paths, code.read_text)
        self._names = SymbolNames(code, packages)
        self._modules = ModuleMentions(code)

    def iter_documents(self, files: Sequence[str]) -> Iterator[ScipDocument]:
        """Yield a document for each of some files whose references are analyzed, in their order."""
        for at in range(0, len(files), _AT_ONCE):
            self._code.load_uses(files[at : at + _AT_ONCE])
            yield from map(self._describe, files[at : at + _AT_ONCE])

    def _describe(self, file: str) -> ScipDocument:
        language = self._code.facts(file).language
        lines = self._code.read_lines(file)
        page = _Page(lines, SymbolRole.TEST if role_of(file) is FileRole.TEST else SymbolRole.REFERENCE)
        module = self._names.of_module(file)
        page.symbols[module] = ScipSymbol(module, Kind.MODULE, file, self._code.facts(file).doc)
        page.occurrences[1, 0, module] = ScipOccurrence((1, 0, 1, 0), module, SymbolRole.DEFINITION)
        self._add_definitions(page, file)
        uses = self._code.uses(file)
        for name, bindings in uses.bindings.items():
            for binding in bindings:
                self._add_binding(page, file, name, binding)
        self._add_references(page, file, uses)
        self._add_modules(page, file)
        places = tuple([page.occurrences[key] for key in sorted(page.occurrences)])
        known = LANGUAGE_NAMES.get(language, language.capitalize())
        return ScipDocument(file, known, places, tuple(page.symbols.values()))

    def _add_definitions(self, page: _Page, file: str) -> None:
        for definition in self._code.iter_definitions(file):
            found = definition.symbol
            own = self._code.graph.get_variable(definition)
            if own is not None and (added_to := self._get_imported(own)) is not None:
                page.add(found.line, found.column, found.name, self._names.of_variable(added_to), SymbolRole.DEFINITION)
                continue
            symbol = self._names.of_variable(own) if own is not None else self._names.of_definition(definition)
            last = min(found.span.end_line, len(page.lines))
            enclosing = (found.span.start_line, 0, last, len(page.lines[last - 1]) if last > 0 else 0)
            if not page.add(found.line, found.column, found.name, symbol, SymbolRole.DEFINITION, enclosing):
                continue
            bases = tuple(self._iter_bases(definition))
            page.symbols.setdefault(
                symbol, ScipSymbol(symbol, _KINDS[found.kind], found.name, found.doc, found.signature, bases)
            )

    def _get_imported(self, variable: Variable) -> Variable | None:
        """Return the imported variable that a definition adds members to, or None.

        `declare module "./box" { interface Box {…} }` adds to the `Box` that the file imports.
        """
        targets = self._code.resolver.scopes.follow(variable)
        return next((each for each in targets if isinstance(each, Variable) and variable not in targets), None)

    def _iter_bases(self, definition: Definition) -> Iterator[str]:
        """Yield the symbols that a class extends, or that a member overrides."""
        graph = self._code.graph
        found: Iterable[Definition | None]
        if definition.symbol.parent >= 0:
            found = (graph.classes.overridden(definition),)
        else:
            found = graph.classes.bases(definition)
        for base in found:
            own = graph.get_variable(base) if base is not None else None
            if own is not None and not own.file.startswith(STUBS):
                yield self._names.of_variable(own)

    def _add_binding(self, page: _Page, file: str, name: str, binding: Binding) -> None:
        """Add a parameter, a local variable or an attribute where it gets its value."""
        if binding.symbol >= 0 or binding.kind in _FROM_ELSEWHERE:
            if binding.kind is BindingKind.IMPORT:
                self._add_renamed(page, file, name, binding)
            return
        symbol, written = self._names.of_variable(Variable(file, binding.scope, name)), as_written(name)
        kind = _BINDING_KINDS.get(binding.kind)
        is_first = kind is not None or symbol not in page.symbols
        role = SymbolRole.DEFINITION if is_first else SymbolRole.WRITE
        if page.add(binding.line, binding.column, written, symbol, role) and is_first and symbol not in page.symbols:
            page.symbols[symbol] = ScipSymbol(symbol, kind or Kind.VARIABLE, written)

    def _add_modules(self, page: _Page, file: str) -> None:
        """Add the modules that a file names in quotes or imports as a whole, and their declarations in other files."""
        whole = {each.module: each for each in self._code.facts(file).imports if not each.name and each.alias}
        for each in self._modules.iter_mentions(file, page.lines):
            if each.is_extension:
                symbol = self._names.of_extension(file, each.name)
                if page.add(each.line, each.column, each.name, symbol, SymbolRole.DEFINITION):
                    page.symbols.setdefault(symbol, ScipSymbol(symbol, Kind.MODULE, each.name))
                continue
            more = (self._names.of_extension(*one) for one in self._modules.extensions.get(each.file, ()))
            for symbol in (self._names.of_module(each.file), *more):
                page.add(each.line, each.column, each.name, symbol, SymbolRole.IMPORT)
                if (bound := whole.get(each.name)) is not None:
                    page.add(bound.line, bound.column, bound.alias, symbol, SymbolRole.IMPORT)

    def _add_renamed(self, page: _Page, file: str, name: str, binding: Binding) -> None:
        """Add the alias of an import or export: `b` of `a as b`."""
        found = self._code.facts(file).imports[binding.imported]
        line = page.lines[found.line - 1] if 0 < found.line <= len(page.lines) else ""
        renaming = _RENAMING.match(line, found.column + len(found.name))
        if found.name in {"", "*"} or renaming is None or renaming[1] != name:
            return
        scopes = self._code.resolver.scopes
        for target in scopes.resolve_import_binding(Variable(file, binding.scope, name), binding):
            symbol = self._names.of_target(target)
            if symbol and not symbol.startswith(LOCAL):
                page.add(found.line, renaming.start(1), name, symbol, SymbolRole.IMPORT)

    def _add_references(self, page: _Page, file: str, uses: FileUses) -> None:
        has_constructors = not require_spec(self._code.facts(file).language).executed_classes
        for name, references in uses.references.items():
            written = as_written(name)
            for reference, found in iter_resolved(self._code.resolver, file, references):
                targets = found.targets or self._find_keyword(file, reference)
                if targets and (symbols := self._names.of_targets(targets)):
                    kind = reference.kind
                    more = self._find_constructors(targets) if has_constructors and kind is _CALL else ()
                    for symbol in (*symbols, *more) if more else symbols:
                        page.add(reference.line, reference.column, written, symbol, _ROLES[kind])

    @cached_method
    def _find_constructors(self, targets: tuple[Target, ...]) -> tuple[str, ...]:
        """Return the symbols of the constructors that `new C()` runs.

        There are none for a class that inherits its constructor, as in other indexes.
        """
        return tuple(self._iter_constructors(targets))

    def _iter_constructors(self, targets: tuple[Target, ...]) -> Iterator[str]:
        resolver = self._code.resolver
        for target in targets:
            if not isinstance(target, Variable):
                continue
            for binding in resolver.scopes.bindings(target):
                if binding.symbol >= 0 and resolver.scopes.is_type(target.file, binding.symbol):
                    of = ClassType(target.file, binding.symbol)
                    found = resolver.inference.members.find(of, CONSTRUCTOR)
                    if found is not None and found.owner.plain == resolver.scopes.canonical(of):
                        yield self._names.of_variable(found.variable)

    def _find_keyword(self, file: str, reference: Reference) -> tuple[Target, ...]:
        """Return the parameter that a name before `=` in a call means; () for any other reference."""
        is_keyword = reference.kind is ReferenceKind.KEYWORD
        return find_reference_targets(self._code.resolver, file, reference) if is_keyword else ()


class _Page:
    """The occurrences of one file, by line, column and symbol."""

    def __init__(self, lines: list[str], role: SymbolRole) -> None:
        self.lines = lines
        self.symbols: dict[str, ScipSymbol] = {}
        self.occurrences: dict[tuple[int, int, str], ScipOccurrence] = {}
        self._roles = {each: each | role for each in SymbolRole}

    def add(
        self, line: int, column: int, name: str, symbol: str, role: SymbolRole, enclosing: Range | None = None
    ) -> bool:
        """Add an occurrence unless the text has another word there, or the symbol is there already."""
        if not (0 < line <= len(self.lines) and self.lines[line - 1].startswith(name, column)):
            return False
        key = (line, column, symbol)
        if key not in self.occurrences:
            place = (line, column, line, column + len(name))
            self.occurrences[key] = ScipOccurrence(place, symbol, self._roles[role], enclosing)
        return True
