"""Uses: every place that is proven to name a target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Protocol, Self

from avionics.index.code_index import CodeIndex
from avionics.index.model.values import Module, Target, Variable
from avionics.index.references.reference_targets import find_reference_targets
from avionics.index.types.calls.specializations import read_specialized
from avionics.model.enums import BindingKind, ReferenceKind
from avionics.model.knowledge import Definition, ModuleLink, UsageReport
from avionics.model.reasons import ReasonKind
from avionics.tools.edits.occurrences import (
    NameUse,
    Occurrence,
    choose_overloads,
    find_definitions,
    is_imported,
    is_module,
    iter_file_uses,
    iter_module_uses,
    module_names,
)
from avionics.tools.edits.source_text import LineText, Place

_MAX_ALTERNATIVES = 12
"""Overloads or specializations whose uses are looked for together; each is a search of its own."""
_MAX_IMPORT_LINES = 40
"""The maximum number of lines between the module of an import and the imported names."""


class CodeView(Protocol):
    """One state of a workspace: its index, its texts, and copies of it with other texts."""

    @property
    def code(self) -> CodeIndex:
        """Return the index."""

    def text(self, file: str) -> LineText:
        """Return the text of a file, "" if it cannot be read."""

    def edited(self, texts: Mapping[str, str]) -> Self:
        """Return the state with other texts of some files, without keeping it."""


def find_uses(view: CodeView, targets: Sequence[Target], occurrence: Occurrence | None = None) -> tuple[NameUse, ...]:
    """Return every place that uses one of the targets, with those that define it.

    Each is proven, except for names inside macros, which are taken literally. Among overloads, only those that the
    occurrence means count; if it may mean several, also places that may mean the same ones.
    """
    found: dict[Place, NameUse] = {}
    imported = [target for target in targets if isinstance(target, Variable) and is_imported(view.code, target)]
    for target in targets:
        for use in () if target in imported else _uses_of(view, target, occurrence):
            if use.place not in found or use.is_declaration:
                found[use.place] = use
    if not found:
        # A target outside the workspace is still used in the file that imports it.
        return find_uses_in(view, imported[0].file, imported[:1]) if imported else ()
    return tuple(found.values())


def _uses_of(view: CodeView, target: Target, occurrence: Occurrence | None) -> Iterable[NameUse]:
    """Return the places that use one target: a definition, something without a definition, or a module."""
    chosen = choose_overloads(view.code, occurrence, target)
    definitions = chosen or find_definitions(view.code, target)
    if occurrence is not None:
        # Choose between a template and its specializations by position.
        chosen = chosen or tuple(each for each in occurrence.definitions if each in definitions)
    if definitions:
        reports = [view.code.usages(each) for each in chosen or definitions[:1]]
        at = occurrence.place.start if occurrence is not None else None
        if not chosen and at in _list_ambiguous(reports[0]):
            reports += [view.code.usages(each) for each in definitions[1:_MAX_ALTERNATIVES]]
        elif not chosen and at is not None:
            # A use of a template with the arguments of a specialization is a use of both.
            special = (each for each in definitions[1:] if read_specialized(each, view.code.resolver.scopes))
            others = map(view.code.usages, islice(special, _MAX_ALTERNATIVES))
            reports += [each for each in others if at in {use.place for use in each.usages}]
        inside = (use for report in reports for use in _iter_inside_macros(view, report, target))
        return (*(use for report in reports for use in _read_report(view, report)), *inside, *_iter_shared(reports))
    if isinstance(target, Variable):
        files = {target.file, *(view.code.files_with_word(target.name) if _is_seen_elsewhere(view, target) else ())}
        return [use for file in sorted(files) for use in iter_file_uses(view.code, file, target)]
    return _read_importers(view, target.file) if isinstance(target, Module) and target.file else ()


def find_uses_in(view: CodeView, file: str, targets: Iterable[Target]) -> tuple[NameUse, ...]:
    """Return the places of one file that use one of the targets, with those that define it."""
    found: dict[Place, NameUse] = {}
    for target in targets:
        for use in iter_file_uses(view.code, file, target) if isinstance(target, Variable) else ():
            if use.place not in found or use.is_declaration:
                found[use.place] = use
    return tuple(sorted(found.values(), key=lambda use: use.place.start))


def _read_report(view: CodeView, report: UsageReport) -> list[NameUse]:
    """Return the places of a report; for a use of an alias, the place of the alias."""
    name = report.definitions[0].name
    found = [NameUse(place_of(view, each), ReferenceKind.WRITE, is_declaration=True) for each in report.definitions]
    for usage in report.usages:
        text = view.text(usage.file)
        length = len(name) if text.is_at(name, usage.line, usage.column) else text.word_length(usage.line, usage.column)
        found.append(NameUse(Place(usage.file, usage.line, usage.column, length), usage.role))
    return found


def _list_ambiguous(report: UsageReport) -> list[tuple[str, int, int]]:
    """Return the places that may mean one of several overloads or specializations."""
    return [each.place for each in report.unresolved if each.reason.kind is ReasonKind.AMBIGUOUS_OVERLOAD]


def _iter_shared(reports: Sequence[UsageReport]) -> Iterator[NameUse]:
    """Yield the places that may mean any of several definitions that are asked for together."""
    counts = Counter(chain.from_iterable(map(_list_ambiguous, reports)))
    for place in (each for each, count in counts.items() if count > 1):
        yield NameUse(Place(*place, len(reports[0].definitions[0].name)), ReferenceKind.READ)


def _iter_inside_macros(view: CodeView, report: UsageReport, target: Target) -> Iterator[NameUse]:
    """Yield the places inside macros that use a target if the macro leaves the name unchanged."""
    name = report.definitions[0].name
    inside = {each.place for each in report.unresolved if each.reason.kind is ReasonKind.INSIDE_MACRO}
    for file in dict.fromkeys(file for file, _, _ in inside):
        references, names = view.code.uses(file).references, view.code.spec(file).list_bound(name)
        for reference in chain.from_iterable(references.get(each, ()) for each in names):
            is_inside = (file, reference.line, reference.column) in inside
            if is_inside and target in find_reference_targets(view.code.resolver, file, reference):
                yield NameUse(Place(file, reference.line, reference.column, len(name)), reference.kind)


def _read_importers(view: CodeView, module: str) -> list[NameUse]:
    """Return where imports name a module, and where the resulting names are used."""
    found: dict[Place, NameUse] = {}
    links = view.code.importers(module)
    own = module.rpartition("/")[2].partition(".")[0]
    for link in links:
        last = link.module.rpartition(".")[2].rpartition("/")[2]
        if last != own and own in link.names:
            # The import names the enclosing module first and this module after it.
            continue
        line, column = _find_module_name(view, link, last)
        if column >= 0:
            place = Place(link.file, line, column, len(last))
            found[place] = NameUse(place, ReferenceKind.IMPORT)
    named = [place for place in _iter_imported_by_name(view, module) if place not in found]
    found |= {place: NameUse(place, ReferenceKind.IMPORT) for place in named}
    for file in dict.fromkeys((*(link.file for link in links), *(place.file for place in named), module)):
        for use in iter_module_uses(view.code, file, module):
            found.setdefault(use.place, use)
    return list(found.values())


def _iter_imported_by_name(view: CodeView, module: str) -> Iterator[Place]:
    """Yield where files import a module from its parent, as in `from shop import cart`."""
    code = view.code
    for name in module_names(module):
        for file in code.files_with_word(name):
            for binding in code.uses(file).bindings.get(name, ()) if code.has_file(file) else ():
                imported = Variable(file, binding.scope, name) if binding.kind is BindingKind.IMPORT else None
                targets = code.resolver.scopes.follow(imported) if imported is not None else ()
                if any(is_module(target, module) for target in targets):
                    column = view.text(file).find(name, binding.line, binding.column)
                    if column >= 0:
                        yield Place(file, binding.line, column, len(name))


def _find_module_name(view: CodeView, link: ModuleLink, name: str) -> tuple[int, int]:
    """Return the line and column at which an import names its module; a column of -1 if it has no name, as in `..`."""
    text = view.text(link.file)
    for line in range(link.line, max(link.line - _MAX_IMPORT_LINES, 0), -1) if name else ():
        column = text.find(name, line, 0)
        if column >= 0:
            return line, column
    return link.line, -1


def _is_seen_elsewhere(view: CodeView, variable: Variable) -> bool:
    """Return whether other files can name a variable that has no definition: a member, a global, a named argument."""
    scopes = view.code.resolver.scopes
    is_parameter = any(each.kind is BindingKind.PARAMETER for each in scopes.bindings(variable))
    return is_parameter or variable.scope == 0 or scopes.is_member(variable)


def place_of(view: CodeView, definition: Definition) -> Place:
    """Return the place of a definition's name."""
    symbol = definition.symbol
    written = view.text(definition.file).is_at(symbol.name, symbol.line, symbol.column)
    return Place(definition.file, symbol.line, symbol.column, len(symbol.name) if written else 0)
